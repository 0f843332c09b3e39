"""The segment of a text that documents one tool in prose: from the line that names it to where something else begins.

Owns: `announces`, `find_head`, `find_end`, `fence_around`: which line announces parameters, which one above it names
their tool, and where its documentation ends. Must not know: any single style, what is stated about the parameters, what
shows that a name is that of a tool.

Each line is read by itself, and only where its first characters may matter: most lines of a text are not read at all.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from callwright.declarations.documented_lines import Line, is_separator
from callwright.declarations.styles.base import View
from callwright.declarations.styles.support.parameter_entries import entry_of, is_data, states_at_end
from callwright.declarations.styles.support.parameter_lists import read_inline
from callwright.declarations.styles.support.parameter_tables import is_table_head
from callwright.declarations.styles.support.prose_page import (
    Announced,
    Page,
    after_fence,
    description_label,
    flattened,
    group_label,
    is_other_label,
    line_at,
    parameter_label,
)
from callwright.declarations.styles.support.tool_heads import Head, head_of
from callwright.declarations.styles.support.tool_signs import names_tools
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple, dataclass, replace
from callwright.text.span import Span

#: Words of labels, and brackets that say `required`.
MARKERS: Final = (
    *("arameter", "ARAMETER", "arametr", "rgument", "RGUMENT", "Args", "args:", "arams", "nput:", "nputs:", "nput*"),
    *("nputs*", "# Input", "o input", "equired)", "(required", "[required", "ptional)", "(optional", "[optional"),
    *(
        "aramètre",
        "arámetro",
        "arâmetro",
        "араметр",
        "ргумент",
        "参数",
        "參數",
        "引数",
        "パラメータ",
        "매개변수",
        "파라미터",
    ),
    "必填",
)
_FOREIGN: Final = tuple(marker for marker in MARKERS if not marker.isascii())
#: Longer lines announce nothing, and name nothing.
_MAX_LINE_LENGTH: Final = 6_000
_MAX_HEAD_LENGTH: Final = 1_000
#: How many lines after a label its list may begin, and how many before it the tool may be named.
_BLANKS: Final = 3
_LINES: Final = 400
#: The documentation of a tool is no longer than that; so much of each of its lines says whether it ends.
_MAX_LENGTH: Final = 65_536
_SHORT: Final = 400
#: A bold line is part of the list before it where it is indented so far.
_LAZY: Final = 2
#: A heading may be indented so much more than what is below it.
_HEADING_INDENT: Final = 3
#: A label has no more before its word.
_MAX_PREFIX_LENGTH: Final = 60

_WORD_TAIL: Final = compile_later(
    r"[^\W\d_]*+(?:[ \t]*+(?:[:：*_`(（)）.。|]|\n|\Z)"
    r"|[ \t]++(?:list|details|descriptions?|reference|is|are|required|needed|for this)\b)"
)
_BULLET: Final = r"(?:(?:[-*+•◦–]|\d{1,3}[.)]|\(\d{1,3}\))[ \t]+)?"
_WORD_PREFIX: Final = compile_later(
    rf"[ \t>]*+\|?[ \t]*+{_BULLET}(?:#{{1,6}}[ \t]+)?[*_`]{{0,3}}(?:[^\W\d_]+[ \t]+){{0,4}}[^\W\d_]{{0,12}}"
)
_NONE: Final = compile_later(
    r"\b(?:no|any|keine|sin|sem|aucun) (?:input )?\w{0,2}\Z|(?:无需|不需要|没有|沒有)(?:任何|输入)?.\Z", re.IGNORECASE
)
_ENTRY_PREFIX: Final = compile_later(
    rf"[ \t>]*+{_BULLET}[*_`'\"]{{0,4}}[A-Za-z_$][\w$.\[\]-]*[*_`'\"?]{{0,4}}[ \t]*"
    r"(?:[:(\[（：`/,–—-]|[a-z]+[\[\]]*[ \t]*\()"
)
_BEGIN: Final = compile_later(r"[-=*]{2,}+[ \t]*+(BEGIN|END) (?:FUNCTION|TOOL)\b")
_RULE: Final = compile_later(r"(?:-{3,}+|={3,}+|\*{3,}+|_{3,}+)[ \t]*+\Z")
_TAG: Final = compile_later(r"<(/?)([A-Za-z][\w.-]{0,60}+)[^<>\n]*>[ \t]*+\Z")
_CLOSING: Final = compile_later(r"</([A-Za-z][\w.-]{0,60}+)>")
_NUMBER: Final = compile_later(r"[ \t>]*+\d{1,3}[.)][ \t]")
_TICKS: Final = compile_later(r"^[ \t>]*+(?:`{3,}+|~{3,}+)[^\n`]*+$", re.MULTILINE)
#: Lines that may end a section, and all lines, each after LF.
_MARKED: Final = compile_later(rf"\n([ \t>]*+(?=[#<`~]|--|==|\*\*|__)[^\n]{{0,{_SHORT}}})")
_ANY: Final = compile_later(rf"\n([^\n]{{1,{_SHORT}}})")
_BULLETS: Final = frozenset("-*+•◦–(")
#: What lines begin with that may end the documentation of a tool.
_ENDERS: Final = frozenset("#<`~-=*_•◦–+")
#: A line of its own may give the name: `Tool name: read_file`.
_NAMEY: Final = compile_later(
    r"(?:[-*+•◦–]|\d{1,3}[.)])?[ \t]*+[*_]{0,3}(?:tool|function|action|command|name|werkzeug|funktion|outil|fonction"
    r"|herramienta|ferramenta|strumento|инструмент|工具|函数|函數|名称|ツール|関数|名前|도구|함수|이름)[^\n:：]{0,20}[:：]",
    re.IGNORECASE,
)


class _LineFacts(NamedTuple):
    """What one line says by itself, whatever is around it."""

    line: Line
    label: Announced | None
    inline: bool
    entry: bool
    certain: bool
    required: bool
    group: bool
    table: bool
    columns: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a text, read by itself: offsets of `line` are relative to `start`."""

    start: int
    flat: str
    line: Line


@dataclass(frozen=True, slots=True)
class ToolHead:
    """The head of a tool: the line that names it, and where its documentation begins.

    `title` is the line above a name that is on a line of its own.
    """

    row: Row
    head: Head
    begin: int
    title: Line | None = None


@cache
def _outside(indent: int) -> re.Pattern[str]:
    """Return what finds the lines that are indented no more than an entry, and those of ticks, each after LF."""
    return re.compile(rf"\n((?:[ \t>]{{0,{min(indent, 60)}}}(?=[^\s>])|[ \t>]*+(?=```|~~~))[^\n]{{0,{_SHORT}}})")


@lru_cache(maxsize=256)
def _line_of(flat: str) -> Line:
    return line_at(flat, 0, len(flat))


@lru_cache(maxsize=256)
def _stated(flat: str) -> _LineFacts:
    line = _line_of(flat)
    label = parameter_label(flat, line)
    inline = label is not None and label.rest.start < label.rest.end
    if label is not None and inline and not label.nothing:
        inline = read_inline(Page(flat), label.rest) is not None
        label = label if inline else None
    entry = entry_of(flat, line) if line.kind in ("entry", "text") and not is_data(flat, line) else None
    certain = entry is not None and entry.certain
    required = entry is not None and states_at_end(flat, line, entry)
    table = line.kind == "row" and is_table_head(flat, line)
    columns = line.kind == "row" and is_table_head(flat, line, labelled=True)
    return _LineFacts(
        line, label, inline, entry is not None, certain, required, group_label(flat, line) is not None, table, columns
    )


def _row(view: View, span: Span) -> Row | None:
    if span.end - span.start > _MAX_LINE_LENGTH:
        return None
    flat = flattened(view.text[span.start : span.end])
    return Row(span.start, flat, _line_of(flat))


def announcing_row(view: View, at: int) -> Row | None:
    """Return the line that holds the marker at an offset, where it announces parameters or describes one."""
    text = view.text
    view.saw(at, min(at + 2 * _MAX_PREFIX_LENGTH, len(text)))
    if text[at] in "([" or text.startswith(("equired)", "ptional)", "必填"), at):
        start = max(text.rfind("\n", max(view.floor, at - _MAX_LINE_LENGTH), at) + 1, view.floor)
        view.saw(start, at)
        if _ENTRY_PREFIX.match(text, start, at + 1) is None:
            return None
    elif text.startswith(("# ", "o "), at) or _WORD_TAIL.match(text, at) is not None:
        low = max(view.floor, at - _MAX_PREFIX_LENGTH)
        start = text.rfind("\n", low, at) + 1
        view.saw(low, at)
        labelled = (start > 0 or low == 0) and _WORD_PREFIX.fullmatch(text, max(start, low), at) is not None
        if not labelled and _NONE.search(text, low, at + 1) is None:
            return None
    else:
        return None
    row = _row(view, view.line(at))
    return row if row is not None and announces(view, row) else None


def announces(view: View, row: Row) -> bool:
    """Return whether a line announces parameters that follow, or describes one itself."""
    stated = _stated(row.flat)
    if stated.table:
        return _is_table(view, row)
    if stated.label is None:
        return stated.required
    if stated.label.nothing or stated.inline:
        return True
    for number, span in enumerate(view.lines_after(row.start)):
        below = _row(view, span)
        if below is None or number > _BLANKS:
            return False
        if below.line.kind == "blank":
            continue
        other = _stated(below.flat)
        if other.columns:
            return _is_table(view, below)
        if other.group:
            return True
        if not other.entry or below.line.indent < row.line.indent:
            return False
        return below.line.kind == "entry" or other.certain
    return False


def _is_table(view: View, row: Row) -> bool:
    """Return whether the line below the head of a table is that of a table."""
    for span in view.lines_after(row.start):
        below = _row(view, span)
        return below is not None and below.line.kind == "row" and is_separator(below.flat, below.line)
    return False


def _may_announce(words: str) -> bool:
    """Return cheaply whether a line may announce parameters."""
    return (
        "arameter" in words
        or "rgument" in words
        or "equired" in words
        or "ptional" in words
        or "nput" in words
        or "rgs" in words
        or "arams" in words
        or "ARAMETER" in words
        or "RGUMENT" in words
        or (not words.isascii() and any(word in words for word in _FOREIGN))
    )


def find_head(view: View, own: Row) -> ToolHead | None:
    """Return the line above a label that names the tool, None where no tool is named there."""
    walk = _LabelSearch(own)
    for number, span in enumerate(view.lines_before(own.start)):
        if number > _LINES or walk.step(view, span):
            break
    return walk.found or walk.named or walk.maybe


class _LabelSearch:
    """The way from a label up to the line that names its tool.

    It ends at a line that announces parameters itself: what is there was asked before.
    """

    def __init__(self, own: Row) -> None:
        self.label = own.line.kind
        #: How far the label, or what is around it, is indented; the least that any line since was.
        self.bound = self.low = own.line.indent
        self.level = own.line.level or 7
        self.fence = ""
        self.closed: set[str] = set()
        self.found: ToolHead | None = None
        self.named: ToolHead | None = None
        self.maybe: ToolHead | None = None

    def step(self, view: View, span: Span) -> bool:
        """Take the line before; return whether the way ends here."""
        words = view.text[span.start : span.end]
        stated = words.lstrip(" \t>")
        if not stated:
            return False
        first = stated[0]
        if first in "`~" and self._ticks(stated):
            return self.fence == "?"
        if self.fence:
            return False
        if first == "#":
            row = _row(view, span)
            return row is not None and row.line.kind == "heading" and self._heading(row)
        if _may_announce(words):
            row = _row(view, span)
            if row is not None and self._asked(view, row):
                return True
        if first == "<" and (tag := _TAG.match(stated)) is not None:
            return self._tag(tag)
        lead = words[: len(words) - len(stated)]
        indent = len(lead) + 3 * lead.count("\t")
        ends = False
        if self._may_name(stated, indent) and (row := _row(view, span)) is not None:
            ends = self._entry(row) if row.line.kind == "entry" else self._text(row)
        self.low = min(self.low, indent)
        return ends

    def _may_name(self, stated: str, indent: int) -> bool:
        """Return cheaply whether a line may be the one that is looked for."""
        if indent > self.bound + _LAZY or len(stated) > _MAX_HEAD_LENGTH:
            return False
        if stated.startswith(("**", "--", "==")):
            return True
        if stated[0] not in _BULLETS and not stated[0].isdigit():
            return stated[0] == "`" or _NAMEY.match(stated) is not None
        if indent < self.bound or self.named is not None:
            return True
        return indent == self.bound and (
            (self.label != "entry" and stated[0].isdigit()) or _NAMEY.match(stated) is not None
        )

    def _ticks(self, stated: str) -> bool:
        """Take a line of ticks; False where it is none."""
        line = line_at(stated, 0, len(stated))
        if line.kind != "fence":
            return False
        if self.fence:
            self.fence = "" if line.marker[0] == self.fence else self.fence
        elif line.info:
            # A fence that begins here is around the label.
            self.fence = "?"
            self.found = self.named = self.maybe = None
        else:
            self.fence = line.marker[0]
        return True

    def _tag(self, tag: re.Match[str]) -> bool:
        """Take the tag of an element; where that is still open, the label is in it and what is before it is not."""
        if tag[1]:
            self.closed.add(tag[2])
            return False
        if tag[2] in self.closed or tag[0].rstrip().endswith("/>"):
            return False
        self.maybe = None
        return True

    def _asked(self, view: View, row: Row) -> bool:
        """Return whether a line announces parameters, so that its tool was looked for."""
        if not announces(view, row):
            return False
        self.maybe = None
        return True

    def _heading(self, row: Row) -> bool:
        line = row.line
        if line.level >= self.level:
            return False
        if line.indent > self.low + _HEADING_INDENT:
            # It is in a block that ended before the label.
            self.maybe = None
            return True
        head = head_of(row.flat, line)
        if self.named is not None:
            if head is not None or not names_tools(row.flat[line.at : line.end]):
                self.named = replace(self.named, begin=row.start, title=line)
            return True
        if head is not None:
            if self.maybe is None or (head.coded and not self.maybe.head.alone):
                self.found = ToolHead(row, head, row.start)
            return True
        if is_other_label(row.flat, line) or description_label(row.flat, line) is not None:
            self.level = line.level
            return False
        return True

    def _entry(self, row: Row) -> bool:
        line = row.line
        numbered = _NUMBER.match(row.flat) is not None
        if self.named is not None:
            around = line.indent < self.named.head.indent and line.indent < self.low
            if around or (numbered and line.indent <= self.low and row.flat.startswith("**", line.at)):
                self.named = replace(self.named, begin=row.start, title=line)
                return True
            return False
        if line.indent > self.bound:
            return False
        head = head_of(row.flat, line)
        if head is not None and head.form == "named":
            self.named = ToolHead(row, head, row.start)
            return False
        if line.indent < min(self.bound, self.low):
            entry = entry_of(row.flat, line)
            if head is not None and (entry is None or not entry.certain or head.signature is not None):
                self.found = ToolHead(row, head, row.start)
                return True
            self.bound, self.label = line.indent, "entry"
        elif self.label != "entry" and numbered and head is not None and (head.alone or head.signature is not None):
            self.found = ToolHead(row, head, row.start)
            return True
        return False

    def _text(self, row: Row) -> bool:
        line = row.line
        if line.indent > self.bound + (_LAZY if row.flat.startswith("**", line.at) else 0) or self.named is not None:
            return False
        head = head_of(row.flat, line)
        if head is None or description_label(row.flat, line) is not None:
            return False
        if head.form == "named":
            self.named = ToolHead(row, head, row.start)
            return False
        entry = entry_of(row.flat, line)
        if entry is not None and entry.certain and head.signature is None:
            return False
        if head.form == "begin" or (head.alone and head.coded):
            self.found = ToolHead(row, head, row.start)
            return True
        if head.coded or head.alone:
            self.maybe = self.maybe or ToolHead(row, head, row.start)
        return False


def fence_around(view: View, at: int) -> str | None:
    """Return the language of the fence that holds a line, None where none does."""
    text = view.text
    last = max(text.rfind("```", view.floor, at), text.rfind("~~~", view.floor, at))
    if last < 0:
        view.saw(view.floor, at)
        return None
    words = view.line(last).of(text).lstrip(" \t>")
    language = _language(words, _line_of(words))
    if language:
        view.saw(last, at)
        return language.strip("{}.")
    view.saw(view.floor, at)
    fence = ""
    for found in _TICKS.finditer(text, view.floor, at):
        words = found[0].lstrip(" \t>")
        line = _line_of(words)
        if line.kind == "fence":
            fence = after_fence(fence, line)
            language = _language(words, line) if fence else ""
    return language if fence else None


def _language(words: str, line: Line) -> str:
    """Return the language that a line of ticks names, empty where it names none."""
    stated = words[len(line.marker) :].split() if line.kind == "fence" else []
    return stated[0].lower() if stated else ""


def find_end(view: View, found: ToolHead, label: Row, *, fenced: bool) -> int:
    """Return where the documentation of a tool ends: before the next one, or where its section does.

    `fenced` is true if it is in a fence, with which it ends.
    """
    return _End(view, found, label, fenced=fenced).find()


class _End:
    """The way from a label down to the first line that is not about its tool."""

    def __init__(self, view: View, found: ToolHead, label: Row, *, fenced: bool) -> None:
        self.view = view
        self.found = found
        self.label = label
        self.fenced = fenced
        self.fence = ""
        self.closed: set[str] = set()
        head = found.head
        #: An entry has below it what is indented more.
        self.inside = found.row.line.kind == "entry" and label.line.indent > head.indent and found.title is None
        self.level = found.title.level if found.title is not None else head.level

    def find(self) -> int:
        """Return the offset after the last line that is about the tool."""
        text = self.view.text
        first = self.label.start + self.label.line.end
        low = text.find("\n", first)
        most = min(len(text), self.found.begin + _MAX_LENGTH)
        stop = most
        for found in self._pattern().finditer(text, low if low >= 0 else most, most):
            start = found.start(1)
            stated = found[1].lstrip(" \t>")
            if self.found.head.form == "begin" and not self.fence and (marker := _BEGIN.match(stated)) is not None:
                stop = found.end() if marker[1] == "END" else start
                break
            if stated.strip() and self._ends(start, found[1], stated):
                stop = start
                break
        self.view.saw(first, min(stop + _SHORT, len(text)))
        return first + len(text[first:stop].rstrip())

    def _pattern(self) -> re.Pattern[str]:
        """Return what finds the lines that may end the documentation."""
        if self.inside:
            return _outside(self.found.head.indent)
        return _MARKED if self.found.head.form in ("heading", "begin") and self.found.title is None else _ANY

    def _ends(self, start: int, words: str, stated: str) -> bool:
        """Return whether a line is the first that is not about the tool."""
        first = stated[0]
        if first in "`~" and (line := _line_of(stated.rstrip())).kind == "fence":
            if self.fenced and not self.fence and not line.info:
                # The fence that is around the tool ends.
                return True
            self.fence = after_fence(self.fence, line)
            return False
        form = self.found.head.form
        if self.fence or form == "begin":
            return False
        if self.inside and first != "#":
            lead = words[: len(words) - len(stated)]
            return len(lead) + 3 * lead.count("\t") <= self.found.head.indent
        if first == "<" and (closing := _CLOSING.match(stated)) is not None:
            return self._closes(closing[1], start)
        if first not in _ENDERS and (form == "heading" or not (first.isdigit() or _NAMEY.match(stated))):
            return False
        if _RULE.match(stated) is not None:
            return True
        flat = flattened(words)
        line = _line_of(flat)
        if line.kind == "heading":
            return self._heading(flat, line)
        return form != "heading" and self._names_other(flat, line)

    def _closes(self, name: str, at: int) -> bool:
        """Return whether an element ends that began before the tool."""
        if name in self.closed:
            return False
        self.closed.add(name)
        return self.view.text.find(f"<{name}", self.found.begin, at) < 0

    def _heading(self, flat: str, line: Line) -> bool:
        """Return whether a heading is about something else."""
        label = self.label.line
        labelled = (
            is_other_label(flat, line)
            or description_label(flat, line) is not None
            or parameter_label(flat, line) is not None
            or group_label(flat, line) is not None
        )
        if not self.level:
            return not labelled
        if line.level <= self.level:
            return not (labelled and line.level == self.level)
        if labelled or (label.level and line.level > label.level):
            return False
        own = head_of(flat, line)
        return own is not None and own.coded

    def _names_other(self, flat: str, line: Line) -> bool:
        """Return whether a line names the next tool in the way this one is named."""
        head, title = self.found.head, self.found.title
        if title is not None and title.kind == line.kind == "entry":
            return line.indent <= title.indent and (title.indent < head.indent or _NUMBER.match(flat) is not None)
        if line.kind == "entry" and self.found.row.line.kind != "entry":
            return False
        own = head_of(flat, line)
        if own is None or line.indent > max(head.indent, self.label.line.indent):
            return False
        if own.form != head.form:
            return own.form in ("begin", "named")
        if own.form == "entry":
            return line.indent == head.indent and _NUMBER.match(flat) is not None and (own.alone or own.coded)
        return own.alone or (own.coded and not head.alone)
