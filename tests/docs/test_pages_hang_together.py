"""All Markdown of the repository: links and anchors lead somewhere, every page is found, every command exists."""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from callwright.cli.support.arguments import command_names, load_command
from support.pages import FENCE, fences

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "server" / "docs"
README = ROOT / "README.md"
#: Folders whose Markdown is made by others, is made of the rest, or holds cases that readers are tried on.
_PASSED_OVER = {"node_modules", "artifacts", "dist", "build", "out", "tests"}
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s<>]+(?:\([^()]*\))?)>?(?:\s+\"[^\"]*\")?\)")
_CODE_SPAN = re.compile(r"(`++)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+?)\s*#*$", re.MULTILINE)
_COMMAND = re.compile(r"(?<![\w/.-])callwright(?: [^|<>#\n]*)")
#: Pages that are written by hand and read by those who use Callwright.
GUIDES = sorted(path for path in DOCS.glob("*.md") if not path.read_text("utf-8").startswith("<!-- Generated"))


def _markdown() -> Iterator[Path]:
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if name not in _PASSED_OVER and not re.match(r"\.(?!github$)", name)]
        yield from (Path(folder, name) for name in files if name.endswith(".md"))


PAGES = sorted(_markdown())
#: The pages that are read as they are laid out.
OURS = sorted({*DOCS.rglob("*.md"), README})


@cache
def prose(page: Path) -> str:
    """A page without what is shown on it: fences and code spans that hold links."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return _CODE_SPAN.sub(lambda span: "" if "](" in span[2] else span[0], text)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that code hosts give to the headings of a page."""
    seen: Counter[str] = Counter()
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", page.read_text(encoding="utf-8")))
    for _, heading in _HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def _targets(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Each relative link of a page as it is written, the file that it leads to and the anchor in it."""
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        yield link, (page.parent / path).resolve() if path else page, anchor


def test_links_and_anchors_lead_somewhere() -> None:
    dead = []
    for page in PAGES:
        for link, target, anchor in _targets(page):
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
                dead.append((page, link))
            assert target.is_relative_to(ROOT), f"{link} in {page} leads out of the repository"
    assert dead == []


def test_links_are_found_and_anchors_made_as_code_hosts_make_them(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(
        "# `A_b` and C: d!\n## Twice\n## Twice\n[x](#twice-1) `[no](none)` [`y`](b.md#z)\n```md\n[no](none)\n```\n",
        encoding="utf-8",
    )
    assert anchors(page) == {"a_b-and-c-d", "twice", "twice-1"}
    assert [link for link, _, _ in _targets(page)] == ["#twice-1", "b.md#z"]


def test_every_page_is_two_links_away_from_the_readme_at_most() -> None:
    near = {target for _, target, _ in _targets(README)}
    far = {target for page in near if page.suffix == ".md" and page.exists() for _, target, _ in _targets(page)}
    assert [str(page.relative_to(DOCS)) for page in sorted(DOCS.rglob("*.md")) if page not in near | far] == []


def test_the_list_of_pages_has_every_page_beside_it() -> None:
    listed = {target for _, target, _ in _targets(DOCS / "index.md")}
    pages = {*DOCS.glob("*.md"), *DOCS.glob("*/index.md")} - {DOCS / "index.md"}
    assert pages <= listed


def test_headings_go_down_step_by_step() -> None:
    for page in OURS:
        levels = [len(markers) for markers, _ in _HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))]
        assert levels[0] == 1, page
        assert 1 not in levels[1:], page
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), page


def test_rows_have_as_many_cells_as_their_table_has_columns() -> None:
    # A bar ends a cell wherever it is, in a code span, too, unless a backslash is in front of it.
    for page in PAGES:
        tables = re.findall(r"(?:^\|.*\n)+", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
        for table in tables:
            head, rule, *rows = table.splitlines()
            assert re.fullmatch(r"\|(?: ?:?-+:? ?\|)+", rule), f"{page}: {rule}"
            assert [row for row in rows if _bars(row) != _bars(head)] == [], page


def test_nothing_that_is_shown_is_taken_for_markup() -> None:
    # A fence that ends too early, or a tag outside code spans, is lost when the page is laid out.
    for page in OURS:
        tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
        every = [part for token in tokens for part in (token, *(token.children or ()))]
        markup = [token.content for token in every if token.type in ("html_block", "html_inline")]
        assert [text for text in markup if not text.startswith("<!--")] == [], page


def _bars(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row))


def _commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for fence in fences(text):
        if fence.kind == "sh":
            yield from _COMMAND.findall(fence.body)
        elif fence.kind == "console":
            yield from _COMMAND.findall("\n".join(line for line in fence.body.split("\n") if line.startswith("$ ")))
    yield from (span[2] for span in _CODE_SPAN.finditer(FENCE.sub("", text)) if span[2].startswith("callwright "))


@cache
def _options(command: str) -> frozenset[str]:
    options = [one for one in load_command(command).options.every if one.kind == "option"]
    return frozenset({"--help", "-h", *(form for one in options for form in (one.written, one.short) if form)})


@pytest.mark.parametrize("page", [README, *GUIDES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_is_named_exists(page: Path) -> None:
    wrong = []
    for command in _commands(page):
        # What follows `--` is another program's.
        words = command.partition(" -- ")[0].split()[1:]
        if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z]+", words[0]):
            continue
        name = next((each for each in (" ".join(words[:2]), words[0]) if each in command_names()), None)
        if name is None:
            wrong.append(command)
            continue
        given = [word.split("=")[0].rstrip(".,;") for word in words if re.match(r"--?[a-z]", word)]
        wrong += [f"{name} {option}" for option in given if option not in _options(name)]
    assert wrong == []


def test_every_target_of_make_that_is_named_exists_and_is_reported() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        target
        for page in [README, *GUIDES]
        for target in re.findall(r"`make ([a-z0-9-]+)", FENCE.sub("", page.read_text(encoding="utf-8")))
    }
    assert named - targets == set()
    # `setup` is done by all the others.
    assert targets - named - {"help", "setup", "clean"} == set()


@pytest.mark.parametrize("page", [README, *GUIDES], ids=lambda page: str(page.relative_to(ROOT)))
def test_fences_with_data_can_be_read(page: Path) -> None:
    for fence in fences(page.read_text(encoding="utf-8")):
        if "…" in fence.body and "file" not in fence.words:
            continue
        if fence.kind == "toml":
            tomllib.loads(fence.body)
        elif fence.kind in ("yaml", "yml"):
            YAML(typ="safe", pure=True).load(fence.body)
        elif fence.kind == "json" and fence.words.get("file", "").endswith(".jsonl"):
            assert [json.loads(line) for line in fence.body.splitlines()]
        elif fence.kind == "json":
            body = fence.body.strip()
            json.loads(body if body[0] in "[{" else f"{{{body}}}")
