"""What shows that a segment of prose is about a tool, and not about a function, a command or a setting.

Owns: `signs_in`, `signs_above`: the points for and against, from the segment itself and from the headings and lines
above it. Must not know: any single style, how names and parameters are found.

A heading with a name and a list of parameters alone is any reference. For a tool speak: the word, in the heading, above
it or in the description; a sample that calls it; parameters that are stated to be required in the words of prompts.
Against it speak code of a library, flags, and headings such as `Methods`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.declarations.styles.base import View
from callwright.declarations.styles.support.prose_page import DESCRIPTION_WORDS
from callwright.declarations.styles.support.tool_heads import Head
from callwright.text.patterns import compile_later
from callwright.text.span import Span

#: At most this much of a segment is read, of its lists, of its first words, and of what is above it.
_ASKED: Final = 6_000
_LISTED: Final = 3_000
_FIRST_WORDS: Final = 600
_TITLE: Final = 300
_LINES_ABOVE: Final = 12
_LINES_BELOW: Final = 15
_LEVELS: Final = 6

_REQUIRED: Final = (
    r"required|optional|必填|可选|可選|必需|必须|必須|任意|필수|선택|erforderlich|pflicht|obligatoire|obligatorio|obrigatório"
    r"|opcional|обязательн|необязательн"
)
_COLON_REQUIRED: Final = compile_later(rf"[:：][ \t]*[*_]{{0,3}}[(（\[](?:{_REQUIRED})", re.IGNORECASE)
_STATES_REQUIRED: Final = compile_later(
    rf"[(（\[][^()（）\[\]\n]{{0,60}}(?:{_REQUIRED})|\|[ \t*]*(?:{_REQUIRED})[ \t*?]*\|", re.IGNORECASE
)
#: A list on the line of its label, with types.
_TYPED_LINE: Final = compile_later(
    r"[^\n:：]{0,40}[:：][*_]{0,3}[ \t]*[`*]{0,3}\w+[`*]{0,3}[ \t]*[(（][^()（）\n]{1,60}[)）][ \t]*(?:[,，、]|$)",
    re.MULTILINE,
)
_CALLS: Final = compile_later(
    r"[\"']?(?:name|tool|tool_name|toolName|action|function|function_name|command|tool_id)[\"']?[ \t]*[:=][ \t]*\Z"
)
#: Begins with a letter whatever its case, so that the search goes from one to the next.
_THIS_TOOL: Final = compile_later(
    r"[tT](?i:ool\b(?:(?<=\bthis tool)|(?<=\bthe tool)|(?<=\bdieses tool))|(?<=\bt)his function to\b"
    r"|his (?:(?<=\buse this )(?:to|when|command|action)|(?<=\bcall this )(?:to|when))\b)"
)
#: The same in other languages, and words of which one is in each.
_THIS_TOOL_ELSEWHERE: Final = compile_later(
    r"(?:此|该|本|這個|这个)工具|このツール|이 도구"
    r"|\b(?:dieses werkzeug|cet outil|esta herramienta|esta ferramenta|questo strumento|этот инструмент)\b",
    re.IGNORECASE,
)
_SCRIPTS: Final = ("工具", "ツール", "도구")
_TOOLS_ELSEWHERE: Final = (*_SCRIPTS, "werkzeug", "cet out", "herram", "ferram", "trumento", "нструмент")
_TOOL_WORD: Final = compile_later(r"[tT](?i:(?<=\bt)ools?\b)")
#: A label of its own begins the description. Patterns of lines begin with LF, so that the search goes from one to the
#: next.
_DESCRIBED: Final = compile_later(
    r"\n[ \t>]*+(?:[-*+•–]|\d{1,2}[.)])?+[ \t]*+(?:#{1,6}[ \t]++)?+[*_`]{0,3}"
    rf"(?:{DESCRIPTION_WORDS})[*_`]{{0,3}}[ \t]*+(?:[:：]|$)",
    re.MULTILINE | re.IGNORECASE,
)
_LIBRARY: Final = compile_later(
    r"\n[ \t>]*(?:(?:async )?def \w|class \w|from [\w.]+ import|import [\w{]|(?:export )?(?:async )?function \w"
    r"|(?:const|let|var) \w|public |private |func \w|fn \w|using \w|>>> |\$ \w)"
)
_METHOD: Final = compile_later(r"\s*(?:self|cls|this)\b")
_FLAG: Final = compile_later(r"\n[ \t>]*(?:[-*+][ \t]+|\|[ \t]*)?[`*]{0,3}--?[a-z]")
_SHOUTED: Final = compile_later(
    r"\n[ \t>]*(?:[-*+][ \t]+`<?[A-Z][A-Z_]+>?`|\|[ \t]*`?<?[A-Z][A-Z_]+>?(?:\.\.\.)?`?[ \t]*\|)"
)
_SNAKE: Final = compile_later(r"(?<=[a-z0-9])(?=[A-Z])")

_HEADING: Final = compile_later(r"(#{1,6})[ \t]+(.*)")
#: Headings and lines that say that tools come below.
_TOOLS: Final = compile_later(
    r"\btools\b|\btool(?=[ _-]?(?:use|usage|list|reference|definitions?|descriptions?|documentation|specifications?"
    r"|parameters?"
    r"|specs?|set|catalog|calls?|calling|interface|schemas?|details|api)\b)|\A\W*tool\W*\Z|\btool_|(?-i:\bMCP\b)"
    r"|\bfunction[ -]call|werkzeuge|\boutils\b|herramientas|ferramentas|strumenti|инструмент|工具|ツール|도구",
    re.IGNORECASE,
)
#: At the top, the title of a text may be that of a program: `# My Tool API`.
_LISTS: Final = compile_later(
    r"\btools\b|(?-i:\bMCP\b)"
    r"|\btool[ _-]?(?:use|list|reference|definitions?|descriptions?|specifications?|set|catalog|calls?|calling)\b"
    r"|werkzeuge|outils|herramientas|ferramentas|strumenti|инструмент|工具|ツール|도구",
    re.IGNORECASE,
)
_OFFERED: Final = compile_later(
    r"\b(?:following|available|these|special|supported|allowed|provided)\b[^.\n]{0,30}\b(?:functions|actions)\b"
    r"|\byou (?:can|may|must|should|have|are|use|will)\b[^.\n]{0,50}"
    r"\b(?:functions|actions|commands|operations|skills)\b",
    re.IGNORECASE,
)
_GROUPS: Final = compile_later(
    r"\A\W*(?:(?:available|special|supported) )?(?:functions|actions|commands|capabilities|skills|operations|函数"
    r"|アクション|함수)\W*\Z",
    re.IGNORECASE,
)
_INTRO: Final = compile_later(
    r"\b(?:access to|following|available|below|at your disposal|can (?:use|call|invoke)|you have|provides?|exposes?"
    r"|these tools)\b|以下|下列|可用|可以使用|次の|利用可能|다음"
    r"|folgende|suivants?|siguientes|seguintes|следующ|[:：]\Z",
    re.IGNORECASE,
)
#: Tools of developers, and headings over other things than tools.
_DEVELOPER: Final = compile_later(
    r"\b(?:dev|developer|development|build|cli|command[- ]line|testing|debug(?:ging)?|external|third[- ]party"
    r"|profiling)"
    r"[ -]tools?\b",
    re.IGNORECASE,
)
_OTHER_THINGS: Final = compile_later(
    r"\b(?:API|SDK|CLI|sub-?commands?|methods?|class(?:es)?|modules?|librar(?:y|ies)|packages?|endpoints?|routes?|hooks?"
    r"|callbacks?|props|components?|decorators?|constructors?|environment variables|flags|RPC|reference|prompts"
    r"|resources)\b",
    re.IGNORECASE,
)
#: Headings that may as well be over a group of tools.
_PERHAPS_OTHERS: Final = compile_later(
    r"\b(?:events?|config(?:uration|s)?|settings|options|helpers?|utilit(?:y|ies)|types|interfaces?|schemas?|models?|fields"
    r"|prompt|templates?|workflows?|inputs|variables|macros?|filters?|queries|mutations|migrations?|scripts?"
    r"|signatures?|exceptions?)\b",
    re.IGNORECASE,
)


def signs_in(text: str, span: Span, label: int, head: Head) -> int:
    """Return what a segment says of being about a tool, in points; its list of parameters begins at `label`."""
    asked = Span(span.start, min(span.end, span.start + _ASKED))
    # Each line follows LF here, the first one of the text, too.
    lines = text[asked.start - 1 : asked.end] if asked.start else "\n" + asked.of(text)
    first = lines[: _FIRST_WORDS + 1]
    below = lines[label - asked.start :]
    listed = below[1 : _LISTED + 1]
    points = 3 if head.reported else 0
    points += 1 if head.coded and not head.name[:1].isupper() else 0
    points -= 1 if head.called else 0
    if _COLON_REQUIRED.search(listed) is not None:
        points += 2
    elif _STATES_REQUIRED.search(listed) is not None:
        points += 1
    if _TYPED_LINE.match(listed) is not None:
        points += 1
    if _is_called(text, asked, head.name):
        points += 3
    if _says_this_tool(lines):
        points += 2
    elif _TOOL_WORD.search(first) is not None or any(word in first for word in _SCRIPTS):
        points += 1
    if _DESCRIBED.search(first) is not None:
        points += 1
    defined = _defined_at(text, asked, head.name)
    if f"class {head.name}" in lines:
        points -= 10
    elif defined is not None:
        # One of a class is nothing that a model calls.
        points -= 10 if _METHOD.match(text, defined) is not None else 4
    elif _LIBRARY.search(lines) is not None:
        points -= 2
    if head.name[:1].isupper() and ("." in head.name or head.name.endswith("Tool")):
        points -= 3
    if _FLAG.search(below) is not None or _SHOUTED.search(below, 0, _LISTED + 1) is not None:
        points -= 3
    return points


def _says_this_tool(lines: str) -> bool:
    """Return whether a segment speaks of the tool that it is about."""
    if _THIS_TOOL.search(lines) is not None:
        return True
    small = lines.lower()
    return any(word in small for word in _TOOLS_ELSEWHERE) and _THIS_TOOL_ELSEWHERE.search(lines) is not None


def is_called_otherwise(text: str, span: Span, name: str) -> bool:
    """Return whether a sample calls the tool by a name that its heading writes as a title: `ReadFile Tool`."""
    snake = _SNAKE.sub("_", name).lower()
    return snake != name and f"<{snake}>" in text[span.start : span.end] and not _is_called(text, span, name)


def _is_called(text: str, span: Span, name: str) -> bool:
    """Return whether a sample calls the tool by its name."""
    for before, after in (("<", ">"), ("<", " "), ("<", "/"), ("function=", ">")):
        if text.find(f"{before}{name}{after}", span.start, span.end) >= 0:
            return True
    at = text.find(f'"{name}"', span.start, span.end)
    while at >= 0:
        if _CALLS.search(text[max(at - 24, span.start) : at]) is not None:
            return True
        at = text.find(f'"{name}"', at + 1, span.end)
    return False


def _defined_at(text: str, span: Span, name: str) -> int | None:
    """Return the offset of the parameters in code that defines a function of that name, None where none does."""
    for word in ("def", "function", "func", "fn"):
        at = text.find(f"{word} {name}(", span.start, span.end)
        if at >= 0:
            return at + len(word) + len(name) + 2
    return None


def signs_above(view: View, begin: int, level: int, *, follows: bool) -> int:
    """Return what is stated about a tool above it, in points: by the headings over it, and by what is below these.

    `level` is that of its own heading, 7 without one. `follows` is true if another declaration ends where the view
    begins.
    """
    same = True
    at = begin
    above = list(_lines(view, view.lines_before(begin), _LINES_ABOVE)) if _is_first(view, begin, level) else []
    while level > 1:
        at = _heading_before(view, at, level)
        if at < 0:
            break
        title = view.line(at)
        heading = _HEADING.match(title.of(view.text))
        assert heading is not None
        level = len(heading[1])
        above += _lines(view, view.lines_after(at), _LINES_BELOW)
        points = max(map(_offers, above), default=0)
        stated = _states(heading[2], top=level == 1, follows=follows)
        if points or stated is not None:
            return max(points, stated or 0) if points else stated or 0
        same = False
        above = []
    points = max(map(_offers, above), default=0)
    if points or not follows or (at >= 0 and level == 1):
        return points
    # What ends where the view begins is another tool: of the same section, or of one beside it.
    return 3 if same else 2


def _is_first(view: View, begin: int, level: int) -> bool:
    """Return whether the lines right above a tool introduce it: they are not part of a section of another one."""
    if level > _LEVELS:
        return True
    text = view.text
    view.saw(view.floor, begin)
    return text.find("\n#", view.floor, begin - 1) < 0 and not text.startswith("#", view.floor)


def _heading_before(view: View, at: int, level: int) -> int:
    """Return the offset of the nearest heading before a line that has a lower level, -1 where there is none."""
    text = view.text
    found = -1
    for lower in range(min(level - 1, _LEVELS), 0, -1):
        marker = "#" * lower + " "
        place = text.rfind("\n" + marker, max(found, view.floor), at)
        if place >= 0:
            found = place + 1
        elif found < 0 and text.startswith(marker, view.floor) and view.floor < at and _begins_line(text, view.floor):
            found = view.floor
    view.saw(found if found >= 0 else view.floor, at)
    return found


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _lines(view: View, spans: Iterable[Span], most: int) -> Iterator[str]:
    """Yield lines with text up to the next heading."""
    for number, span in enumerate(spans):
        line = view.text[span.start : min(span.end, span.start + _TITLE)].strip(" \t>")
        if number >= most or line.startswith("#"):
            return
        if line:
            yield line


def _offers(line: str) -> int:
    """Return what a line above a tool says of what is below it, in points."""
    if not line or _DEVELOPER.search(line) is not None:
        return 0
    if _TOOLS.search(line) is not None and (_INTRO.search(line) is not None or line[0] == "<"):
        return 3
    return 2 if _OFFERED.search(line) is not None else 0


def _states(title: str, *, top: bool, follows: bool) -> int | None:
    """Return what a heading says of what is below it, in points; None where it says nothing.

    After another tool, what may be a group of tools is one.
    """
    if _DEVELOPER.search(title) is not None:
        return -2
    if _TOOLS.search(title) is not None:
        return 3 if not top or _LISTS.search(title) is not None else 1
    if _OFFERED.search(title) is not None:
        return 2
    if _GROUPS.match(title) is not None:
        # A namespace is written in small letters.
        return 2 if title.strip() == "functions" else 1
    if _OTHER_THINGS.search(title) is not None:
        return -2
    return -2 if not follows and _PERHAPS_OTHERS.search(title) is not None else None


def names_tools(title: str) -> bool:
    """Return whether a heading is over tools."""
    return _TOOLS.search(title) is not None
