"""Lines that name a tool: headings, bold lines, entries of a list, `Tool: read_file`.

Owns: `Head`, `head_of`: which names a line may give a tool. Must not know: any single style, what is on other lines.
`declarations.documented_lines` reads what a single line states about a name.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from callwright.declarations.documented_lines import Claim, Line
from callwright.declarations.styles.support.prose_page import is_label_word
from callwright.declarations.styles.support.stated_words import is_sketch
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass
from callwright.text.span import Span

_NAME: Final = r"[A-Za-z_]\w{0,99}+(?:[.\-/]\w{1,100}+){0,5}+"
_TOOL: Final = (
    r"tool|function|werkzeug|funktion|outil|fonction|herramienta|función|ferramenta|função|strumento|funzione|инструмент"
    r"|функция|工具|函数|函數|ツール|関数|도구|함수"
)
#: Headings in other words and with other decoration than `documented_lines` knows.
_TITLE: Final = compile_later(
    r"(?:[^\w`*\"']{1,4}[ \t]*+)?(?:\d{1,2}(?:\.\d{1,2}){0,2}[.):]?[ \t]++)?"
    rf"(?P<word>(?:{_TOOL})(?:名称|名|名字)?[ \t]*+(?:#?\d{{1,3}}[ \t]*+)?[:\-–—][ \t]*+)?"
    rf"(?P<open>[*`'\"]{{0,4}}+)(?P<name>{_NAME})(?P<call>\(\))?(?P<shut>[*`'\"]{{0,4}}+)"
    rf"(?=[ \t]*+(?:\Z|[:(–—]|-{{1,2}}[ \t]|(?:{_TOOL})[ \t]*+(?:\Z|[:(–—-])))",
    re.IGNORECASE,
)
_NAMED: Final = compile_later(
    rf"(?P<symbol>[*_]{{0,3}}+)(?P<word>(?:{_TOOL}|action|command)(?:[ _-]?(?:name|id)|名称|名|名字|이름)?"
    r"|name|名称|名前|이름)[*_]{0,3}+[ \t]*+:[*_]{0,3}+[ \t]*+"
    rf"(?P<open>[*`'\"]{{0,4}}+)(?P<name>{_NAME})(?:\(\))?[*`'\"]{{0,4}}+[ \t]*+\Z",
    re.IGNORECASE,
)
_ALONE: Final = compile_later(
    rf"(?P<open>[*`'\"]{{0,4}}+)(?P<name>{_NAME})(?:\(\))?[*`'\"]{{0,4}}+[ \t]*+:?[*]{{0,2}}[ \t]*+\Z"
)
_CODED: Final = compile_later(r"[a-z0-9]_|_[a-z0-9]|[a-z][A-Z0-9]|\A[a-z0-9]+(?:[.\-][a-z0-9]+)+\Z")
_FILE: Final = compile_later(
    r"\.(?:json|md|mdx|py|ts|tsx|js|jsx|ya?ml|txt|toml|sh|go|rs|java|html?|css|com|org|io|dev|net|xml|csv|sql|env|ini|lock)\Z",
    re.IGNORECASE,
)
#: Words for a tool that are none for anything else.
_REPORTED: Final = compile_later(
    r"(?<![A-Za-z])(?:tool|werkzeug|outil|herramienta|ferramenta|strumento|инструмент|工具|ツール|도구)(?![a-z])",
    re.IGNORECASE,
)
#: Titles of sections that are not names.
_TITLES: Final = frozenset(
    [
        *("about", "api", "apis", "agent", "agents", "appendix", "architecture", "authentication", "background"),
        *("basics", "build", "changelog", "classes", "cli", "commands", "community", "components", "concepts"),
        *("conclusion", "config", "configuration", "constructor", "context", "contributing", "credits"),
        *("dependencies", "deployment", "development", "documentation", "endpoints", "environment", "events"),
        *("faq", "features", "files", "flags", "functions", "glossary", "goal", "goals", "headers", "hooks"),
        *("install", "installation", "interface", "interfaces", "internals", "intro", "introduction", "issues"),
        *("license", "licence", "links", "methods", "metrics", "models", "motivation", "objects", "objective"),
        *("options", "parameters", "plugins", "prerequisites", "properties", "props", "purpose", "queries"),
        *("quickstart", "reference", "references", "requirements", "resources", "roadmap", "role", "roles"),
        *("routes", "scripts", "security", "server", "servers", "services", "settings", "setup", "skills", "step"),
        *("steps", "structure", "styles", "subcommands", "support", "system", "table", "tasks", "test", "tests"),
        *("testing", "theory", "todo", "tools", "troubleshooting", "tutorial", "types", "utilities", "variables"),
        *("workflow", "workflows", "workspace"),
    ]
)


@dataclass(frozen=True, slots=True)
class Head:
    """A line that may name a tool: the place of the name, and how it is named.

    `form` is the kind of line. `reported` says that it calls the name a tool, `coded` that the name is not a common
    word, `alone` that nothing else is on the line. `rest` is where a description may begin on it. `signature` are the
    parameters in brackets, `whole` that these are all.
    """

    name: str
    span: Span
    form: Literal["heading", "bold", "entry", "named", "begin", "line"]
    indent: int
    level: int = 0
    reported: bool = False
    coded: bool = False
    alone: bool = False
    called: bool = False
    rest: int = 0
    signature: tuple[Claim, ...] | None = None
    whole: bool = False


def head_of(flat: str, line: Line) -> Head | None:
    """Return the tool that a line may name, None where it names none."""
    if line.kind in ("blank", "fence", "row") or line.end - line.at > 1_000:
        return None
    named = _named(flat, line) if line.kind != "heading" else None
    if named is not None:
        return named
    if line.kind == "heading":
        return _of_line(flat, line, "heading") or _title(flat, line)
    if line.kind == "entry":
        return _of_line(flat, line, "entry")
    if line.head is not None and line.head.form == "begin":
        span = line.head.span
        return Head(line.head.name, span, "begin", line.indent, reported=True, coded=True, alone=True, rest=line.end)
    if flat.startswith("**", line.at):
        return _of_line(flat, line, "bold")
    alone = _ALONE.match(flat, line.at, line.end)
    if alone is None or "`" not in alone["open"] or not _may_be_name(alone["name"]):
        return None
    return Head(alone["name"], Span(*alone.span("name")), "line", line.indent, coded=True, alone=True, rest=line.end)


def _named(flat: str, line: Line) -> Head | None:
    """Return the tool that a line of its own gives a name: `**Action**: `browse_page``."""
    if line.kind not in ("text", "entry"):
        return None
    found = _NAMED.match(flat, line.at, line.end)
    if found is None or not _may_be_name(found["name"]):
        return None
    coded = _is_coded(found["name"]) or "`" in found["open"]
    reported = _REPORTED.match(found["word"]) is not None
    if found["word"].isascii() and found["word"].islower() and not (found["symbol"] or "`" in found["open"]):
        # A key of YAML, or a name with its type in a program.
        return None
    if not coded and not reported:
        return None
    return Head(
        found["name"],
        Span(*found.span("name")),
        "named",
        line.indent,
        reported=reported,
        coded=coded,
        alone=True,
        rest=line.end,
    )


def _of_line(flat: str, line: Line, form: Literal["heading", "bold", "entry", "line"]) -> Head | None:
    """Return what `documented_lines` reads as the name of a tool."""
    head = line.head
    if head is None or head.form not in ("title", "word", "line") or not _may_be_name(head.name):
        return None
    rest = head.span.end
    if head.signature is not None or flat.startswith("(", rest):
        close = flat.find(")", head.signature[-1].span.end if head.signature else rest, line.end)
        rest = close + 1 if close >= 0 else rest
    called = flat.startswith("()", head.span.end)
    start, rest = _after(flat, rest, line.end)
    coded = _is_coded(head.name) or "`" in head.quoted or head.signature is not None
    alone = start >= line.end
    before = flat[line.at : head.span.start].strip("*`'\"_ ")
    if head.form == "word" and form != "heading" and before.islower() and flat[line.at].isalpha():
        return None
    reported = _REPORTED.search(before) is not None or _stated_tool(flat, head.span.end, line.end)
    if not alone and not coded and not reported and form in ("heading", "bold"):
        # A word and a remark: the title of a section.
        return None
    return Head(
        head.name,
        head.span,
        form,
        line.indent,
        line.level,
        reported,
        coded,
        alone,
        called,
        rest,
        head.signature,
        head.whole,
    )


def _title(flat: str, line: Line) -> Head | None:
    """Return what a heading names in other words, or with other decoration."""
    found = _TITLE.match(flat, line.at, line.end)
    if found is None or bool(found["open"]) != bool(found["shut"]) or not _may_be_name(found["name"]):
        return None
    start, rest = _after(flat, found.end(), line.end)
    coded = _is_coded(found["name"]) or "`" in found["open"]
    reported = _REPORTED.search(found["word"] or "") is not None or _stated_tool(flat, found.end(), line.end)
    if start < line.end and not coded and not reported:
        return None
    span = Span(*found.span("name"))
    called = found["call"] is not None
    return Head(
        found["name"], span, "heading", line.indent, line.level, reported, coded, start >= line.end, called, rest
    )


def _after(flat: str, at: int, end: int) -> tuple[int, int]:
    """Return the offset of what follows a name, and that of the description there."""
    while at < end and flat[at] in "*`'\" \t":
        at += 1
    rest = at
    while rest < end and flat[rest] in " \t:*-–—=→>":
        rest += 1
    return (end if rest >= end else at), rest


def _stated_tool(flat: str, at: int, end: int) -> bool:
    return _REPORTED.match(flat[at : min(end, at + 40)].lstrip("*`'\" \t()")) is not None


def _is_coded(name: str) -> bool:
    return _CODED.search(name) is not None


def _may_be_name(name: str) -> bool:
    lower = name.lower()
    if name[0] == "_" or (name.isupper() and "_" not in name and len(name) > 2):
        return False
    return not (lower in _TITLES or is_label_word(name) or is_sketch(name) or _FILE.search(name) is not None)
