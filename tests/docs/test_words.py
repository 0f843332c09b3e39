"""Callwright speaks in the field's own words: no identifier, message, page or docstring has a private one.

Owns: the list of private words, what to say instead, and the uses that stay. Must not know: what the texts are about.
"""

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "server" / "callwright"
#: Each private word in all its forms, and what to say. It counts in identifiers and in prose.
BANNED: Final = {
    r"mend(?:s|ed|ing|ers?|able)?": "fix",
    r"heed(?:s|ed|ing|less)?": "apply, respect, ignore",
    r"calm": "clean",
    r"doubt(?:s|ed|ful)?|faultless": "suspect, clean",
    r"surely|unsure|surest|surety": "certain, certainly",
    r"verdicts?": "outcome, result",
    r"breath(?:e|es|s|ing)?": "yield, yield point",
    r"(?:un)?told": "reported, stated, documented, sent",
    r"behind": "after",
    r"stands?|stood|standing": "is, are, at",
    r"vain": "not found",
    r"slip(?:s|ped)?": "syntax error, misspelling, correction",
    r"strays?": "unmatched",
    r"torn": "truncated",
    r"notations?": "dialect; format, where no dialect is meant",
    r"findings?": "diagnostic",
    r"stretch(?:es)?": "segment",
    r"shel(?:f|ves)": "reusable tail",
    r"outlooks?": "triage",
    r"troubled?|troubles|complain(?:s|ed|ing|ts?)?": "failure, failed, report an error",
    r"(?:no|some|any|every)body(?:s)?|whoever": "no one, nothing, anyone who",
    r"anew|afresh": "again",
}
#: Words that are private in identifiers alone: plain English uses them in sentences.
BANNED_IN_NAMES: Final = {
    r"sure": "is_clean, is_certain",
    r"marks?": "marker, symbol",
    r"orders": "options",
    r"brought": "inline",
    r"spoken": "turn_texts, visible_text",
    r"issues?": "diagnostic",
}
#: Phrases that are private in sentences alone.
BANNED_IN_PROSE: Final = {
    r"tells? whether": "return whether",
    r"look(?:s|ed|ing)? at": "check, scan, read",
    r"ha(?:s|ve) let go|lets? go": "release",
}
#: Limits are called `MAX_…`.
LIMIT: Final = re.compile(r"_?(?:MOST|LONGEST|DEEPEST|FEWEST)(?:_|\Z)")
#: Uses that stay: the file or the folder, the word, and why. There are at most 30 of them in all.
ALLOWED: Final[dict[tuple[str, str], str]] = {
    ("server/callwright/rules/ignored_error.py", "trouble"): "a pattern of what tools write about errors",
    ("tests/corpus/test_engines.py", "marks"): "a parameter of pytest",
    ("tests/mcp_servers/test_asking.py", "marks"): "a parameter of pytest",
    ("tests/hosts/test_yaml_agreement.py", "mark"): "an attribute of another library",
}
#: Files whose text is not ours to write, or quotes what is wrong.
QUOTED: Final = {
    "server/docs/style.md": "its table shows the words of before",
    "tests/docs/test_words.py": "this list",
}

_NAMES: Final = re.compile("|".join(f"(?:{word})" for word in (*BANNED, *BANNED_IN_NAMES)), re.IGNORECASE)
_PROSE: Final = re.compile(
    "|".join(rf"\b(?:{word})\b" for word in (*BANNED, *BANNED_IN_PROSE)).replace(" ", r"\s+"), re.IGNORECASE
)
_PIECE: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
#: What is quoted: code in back-ticks, an address, the name of a file.
_CODE: Final = re.compile(
    r"(`+)(?:(?!\1).)+\1|https?://\S+|\]\([^)\s]*\)|[\w./-]+\.(?:md|py|ts|json|toml)\b", re.DOTALL
)
_FENCED: Final = re.compile(r"^(`{3,}|~{3,}).*?^\1[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
_TYPESCRIPT: Final = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"
    r"|(?P<name>[A-Za-z_$][\w$]*)",
    re.DOTALL,
)


class Use(NamedTuple):
    """A private word in a file: `line` counts from 1."""

    path: str
    line: int
    word: str


def private_pieces(identifier: str) -> list[str]:
    """Return the private words of an identifier, which underscores and capitals part."""
    found = [piece for piece in _PIECE.findall(identifier) if _NAMES.fullmatch(piece)]
    return found or ([identifier] if LIMIT.match(identifier) else [])


def private_words(prose: str) -> Iterator[tuple[int, str]]:
    """Yield the private words of a text with their offsets; what is quoted as code is blank."""
    plain = _CODE.sub(lambda code: re.sub(r"\S", " ", code[0]), prose)
    for found in _PROSE.finditer(plain):
        yield found.start(), " ".join(found[0].lower().split())


@cache
def _tokens(path: Path) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline))


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first.value


def python_names(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the identifiers of a Python file with their lines; `pytest.mark` is pytest's."""
    before = ("", "")
    for token in _tokens(path):
        if token.type == tokenize.NAME and before != ("pytest", "."):
            yield token.start[0], token.string
        before = (before[1], token.string)


def python_prose(path: Path, *, messages: bool) -> Iterator[tuple[int, str]]:
    """Yield docstrings, comments and, where asked for, the other strings that are sentences, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = list(_docstrings(tree))
    yield from ((node.lineno, str(node.value)) for node in docstrings)
    yield from ((token.start[0], token.string) for token in _tokens(path) if token.type == tokenize.COMMENT)
    if messages:
        ours = set(map(id, docstrings))
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in ours
                and " " in node.value
            ):
                yield node.lineno, node.value


def page_prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the text of a page with its fenced blocks blank."""
    yield 1, _FENCED.sub(lambda fence: "\n" * fence[0].count("\n"), path.read_text(encoding="utf-8"))


def typescript(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield identifiers, and comments and strings as prose, of a TypeScript file with their lines."""
    text = path.read_text(encoding="utf-8")
    for found in _TYPESCRIPT.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["name"] is not None:
            yield line, found["name"], False
        elif found["comment"] is not None or " " in found[0]:
            yield line, found[0], True


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _uses_of_names(path: Path, names: Iterable[tuple[int, str]]) -> Iterator[Use]:
    for line, name in names:
        yield from (Use(_relative(path), line, piece.lower()) for piece in private_pieces(name))


def _uses_in_prose(path: Path, texts: Iterable[tuple[int, str]]) -> Iterator[Use]:
    for line, text in texts:
        yield from (Use(_relative(path), line + text.count("\n", 0, at), word) for at, word in private_words(text))


def _uses(path: Path) -> Iterator[Use]:
    yield from _uses_of_names(path, [(0, path.stem)])
    if path.suffix == ".py":
        yield from _uses_of_names(path, python_names(path))
        yield from _uses_in_prose(path, python_prose(path, messages=path.is_relative_to(ROOT / "server")))
    elif path.suffix == ".md":
        yield from _uses_in_prose(path, page_prose(path))
    elif path.suffix == ".ts":
        parts = list(typescript(path))
        yield from _uses_of_names(path, ((line, name) for line, name, prose in parts if not prose))
        yield from _uses_in_prose(path, ((line, text) for line, text, prose in parts if prose))
    elif path.suffix == ".toml":
        texts = path.read_text(encoding="utf-8").splitlines()
        comments = ((number, line.partition("#")[2]) for number, line in enumerate(texts, 1))
        yield from _uses_in_prose(path, comments)
    elif path.suffix == ".json":
        texts = json.loads(path.read_text(encoding="utf-8"))
        yield from _uses_in_prose(path, ((1, text) for text in texts.values()))


def _python_of(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not re.search(r"/(?:hosts|transcripts)/[^/]+/corpus/", path.as_posix())
    ]


@cache
def areas() -> dict[str, list[Path]]:
    """The files by area: the rooms of the package, the tests, the pages and the extension."""
    found: dict[str, list[Path]] = {}
    for path in _python_of(PACKAGE):
        room = path.relative_to(PACKAGE).parts[0]
        found.setdefault(room.removesuffix(".py"), []).append(path)
    found["pages"] = [
        ROOT / "pyproject.toml",
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "server" / "docs").rglob("*.md")),
        *sorted((ROOT / "client-vscode").glob("*.md")),
        *_python_of(ROOT / "server" / "docs"),
    ]
    found["extension"] = [
        ROOT / "client-vscode" / "package.nls.json",
        *sorted((ROOT / "client-vscode" / "src").rglob("*.ts")),
        *sorted((ROOT / "client-vscode" / "test").rglob("*.ts")),
    ]
    for path in _python_of(ROOT / "tests"):
        area = path.relative_to(ROOT / "tests").parts[0]
        found.setdefault(f"tests of {area.removesuffix('.py')}", []).append(path)
    return found


@cache
def uses_in(area: str) -> tuple[Use, ...]:
    files = [path for path in areas()[area] if _relative(path) not in QUOTED]
    return tuple(use for path in files for use in _uses(path))


def _reason(use: Use) -> tuple[str, str] | None:
    return next((key for key in ALLOWED if use.word == key[1] and use.path.startswith(key[0])), None)


@pytest.mark.parametrize("area", areas())
def test_no_private_word_is_used(area: str) -> None:
    assert [f"{use.path}:{use.line}: {use.word}" for use in uses_in(area) if _reason(use) is None] == []


def test_at_most_thirty_uses_stay_and_each_reason_is_needed() -> None:
    allowed = Counter(reason for area in areas() for use in uses_in(area) if (reason := _reason(use)) is not None)
    assert allowed.total() <= 30
    assert set(allowed) == set(ALLOWED)
    assert all(ALLOWED.values())


@pytest.mark.parametrize(
    "name",
    ["mended", "_is_behind_text", "FindingView", "QuickVerdict", "_MOST_TOLD", "LONGEST_KEPT", "notation", "marks"],
)
def test_a_private_word_is_found_in_any_part_of_a_name(name: str) -> None:
    assert private_pieces(name)


@pytest.mark.parametrize("name", ["standard", "understood", "marker", "longest", "slippery", "MAX_TURNS", "mention"])
def test_a_word_that_merely_begins_alike_is_free(name: str) -> None:
    assert not private_pieces(name)


@pytest.mark.parametrize(
    ("prose", "words"),
    [
        ("The text behind it is Torn.", ["behind", "torn"]),
        ("Tell\n    whether it stands there", ["tell whether", "stands"]),
        ("`behind` and ``a `finding` here`` are quoted, https://example.org/behind too", []),
        ("understand the outstanding standard", []),
    ],
)
def test_prose_is_read_without_what_it_quotes(prose: str, words: list[str]) -> None:
    assert [word for _, word in private_words(prose)] == words


def test_fenced_blocks_of_a_page_are_examples(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("one\n\n```text\nbehind\n```\n\nfour stands\n", encoding="utf-8")
    ((_, text),) = page_prose(page)
    assert [(text.count("\n", 0, at) + 1, word) for at, word in private_words(text)] == [(7, "stands")]
