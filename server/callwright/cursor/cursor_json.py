"""The cursor in JSON: which key or value is at a place of an object, however broken the text around it is.

Owns: `json_hit`, `Hit`, `OpenContainer`, and where a JSON text is over. Must not know: calls, tools, dialects, the
grammar of JSON.

The JSON reader reads the text up to the cursor, and what it has to close there is what is open. Then it reads the whole
text with a word at the cursor, and what it finds beside the word is what else there is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from callwright.cursor.cursor_places import CursorPlace, JsonSurroundings, Role, end_of, skip_space
from callwright.syntax.json import read_json
from callwright.syntax.prose import line_end
from callwright.text.line_ends import LINE_START
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.syntax.json import JsonNode, JsonRead

_PROBE: Final = "Cwprobe"
_WORD: Final = re.compile(r"""[^\s{}\[\]:,"'<]*+""")
_BROKEN_STRING: Final = re.compile(r"[^,:}\]\s\"'<]*+")
#: What ends the surroundings of a JSON text: a tag, and a line with the marks of a fence.
_STOP: Final = re.compile(rf"</?+[^\W\d]|{LINE_START}[ \t>]*+(?:```|~~~)", re.MULTILINE)
#: Strings and brackets. `end` is empty in a string that is not closed.
JSON_PART: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<end>"?)|(?P<symbol>[{}\[\]])', re.DOTALL)
#: How long a word may be that ends at the cursor.
_MAX_WORD: Final = 200
#: How far a string is searched for its end that its line does not close.
_STRING_REACH: Final = 8 * 1024
#: How many strings are closed at the end of their line because their author left them open.
_MAX_LOST: Final = 4


class OpenContainer(NamedTuple):
    """An object or array that is open at the cursor; `members` has the strings among the values, None for others."""

    marker: str
    members: dict[str, str | None]


class Hit(NamedTuple):
    """What the cursor is at: the frames that are open there, and the steps through them.

    `frames` is empty where nothing can be written. `lacks_colon` is true where the cursor is between a key and its
    colon.
    """

    frames: Sequence[OpenContainer]
    steps: Path
    is_key: bool
    span: Span
    typed: str
    name: str
    around: JsonSurroundings
    lacks_colon: bool = False

    def argument(self, tool: str | None, path: Path) -> CursorPlace:
        """Return the place of this key or value among a tool's arguments, where `path` leads to it from them."""
        if self.is_key:
            present = frozenset(self.frames[-1].members) - {self.name}
            return CursorPlace(Role.KEY, self.span, self.typed, self.name, tool, path[:-1], present, json=self.around)
        return CursorPlace(Role.VALUE, self.span, self.typed, self.name, tool, path, json=self.around)


def json_hit(text: str, start: int, stop: int, cursor: int, lost: int = 0) -> tuple[Hit | None, int]:
    """Return what the cursor is at in the JSON text from `start` on that ends before `stop`, None where it is over
    before the cursor. The offset is where it is over.

    `lost` counts the strings that were closed on the way.
    """
    over = json_over(text, start, min(cursor, stop))
    if over is not None or cursor > stop:
        # What is closed need not be read, whatever follows it.
        return None, stop if over is None else over
    at = _word_start(text, start, cursor)
    read = read_json(text, start, at)
    if any(each.kind == "unexpected-text" and _STOP.search(text, *each.span) for each in read.problems):
        read = read_json(text, start, at, stop=_STOP)
    missing = next((each for each in read.problems if each.kind == "missing-closers"), None)
    if missing is None:
        return None, read.root.span.end
    if text[max(each.span.end for each in read.problems) : at].strip():
        return None, missing.span.end
    opened = _open_nodes(read.root, len(missing.data["text"]))
    inner, quote = opened[-1], _open_string(read, text, at)
    if quote is None:
        wanted = _wanted(inner, text[start:at].rstrip()[-1:])
        span = Span(at, end_of(_WORD, text, cursor, stop))
        name, typed = span.of(text), text[at:cursor]
    else:
        wanted = "key" if inner.kind == "object" and inner.members[-1].key_span.start == quote else "value"
        line = line_end(text, quote)
        if line < cursor and (wanted == "key" or _string_end(text, quote, cursor, quote + _STRING_REACH, stop) is None):
            if lost == _MAX_LOST:
                return None, cursor
            closed = f"{text[:line]}{text[quote]}{text[line:]}"
            hit, end = json_hit(closed, start, stop + 1, cursor + 1, lost + 1)
            return None if hit is None else _shifted(hit), end - (end > line)
        closer = _string_end(text, quote, cursor, line_end(text, cursor), stop)
        last = max(end_of(_BROKEN_STRING, text, quote + 1), cursor) if closer is None else closer
        span = Span(quote, last + (closer is not None))
        name, typed = text[quote + 1 : last], text[quote + 1 : cursor]
    after = inner.children[-1].span.end if wanted == "comma" and inner.children else None
    around = _around(text, span.end, stop, after)
    # Directly after a value there is nothing to write; on a new line there is.
    if wanted == "colon" or (after is not None and (name or not set(text[after:cursor]) & {"\r", "\n"})):
        return Hit((), (), False, span, typed, name, around, wanted == "colon"), cursor
    is_key = inner.kind == "object" and wanted != "value"
    comma = "," if after is not None else ""
    word = f'"{_PROBE}"{": 0" if is_key and not around.colon else ""}{"," if around.value_follows else ""}'
    whole = f"{text[start : span.start]}{comma}{word}{text[span.end : stop]}"
    probe = span.start - start + len(comma)
    limit = json_over(whole, 0)
    if limit is None:
        whole = whole.rstrip() + missing.data["text"]
    nodes, steps = _around_probe(read_json(whole, 0, limit, stop=_STOP, open_ended=True).root, probe)
    if not len(nodes) == len(steps) == len(opened):
        nodes, steps = opened, tuple(map(_last_step, opened))
    frames = [_frame(node, probe, name) for node in nodes]
    return Hit(frames, steps, is_key, span, typed, name, around), cursor


def json_over(text: str, start: int, stop: int | None = None) -> int | None:
    """Return where the JSON text at `start` ends, None where it is open at `stop`, or else at the text's end."""
    depth = 0
    for part in JSON_PART.finditer(text, start, len(text) if stop is None else stop):
        marker = part["symbol"]
        if marker is None:
            continue
        depth += 1 if marker in "{[" else -1
        if depth <= 0:
            return part.end()
    return None


def _word_start(text: str, start: int, cursor: int) -> int:
    """Return where the word begins that ends at the cursor."""
    at = cursor
    while at > start + 1 and cursor - at < _MAX_WORD and _WORD.fullmatch(text, at - 1, at):
        at -= 1
    return at


def _open_nodes(root: JsonNode, count: int) -> list[JsonNode]:
    """Return the objects and arrays that are open at the end of a reading, outermost first."""
    nodes = [root]
    while len(nodes) < count and nodes[-1].children:
        nodes.append(nodes[-1].children[-1])
    return nodes


def _open_string(read: JsonRead, text: str, at: int) -> int | None:
    """Return where the string begins that is open at the end of what was read, None without one."""
    for problem in reversed(read.problems):
        if problem.kind == "unmatched-quote" and problem.data["missing"] == "closing":
            string: Span = problem.data["string"]
            return None if text[string.end : at].strip() else string.start
    return None


def _string_end(text: str, quote: int, cursor: int, reach: int, stop: int) -> int | None:
    """Return the first quote from the cursor on that can end a string, by what follows it; None without one."""
    at, reach = cursor, min(reach, stop)
    while (end := text.find(text[quote], at, reach)) >= 0:
        follows = skip_space(text, end + 1, stop)
        if follows >= stop or text[follows] in ",:}]<":
            return end
        at = end + 1
    return None


def _wanted(inner: JsonNode, ahead: str) -> str:
    """Return what an open object or array wants next; `ahead` is the last character in it."""
    if ahead in ("{", "[", ",", ":"):
        return "key" if inner.kind == "object" and ahead != ":" else "value"
    last = inner.children[-1] if inner.children else None
    return "colon" if last is not None and last.kind == "missing" and inner.kind == "object" else "comma"


def _around(text: str, end: int, stop: int, after: int | None) -> JsonSurroundings:
    """Return what follows at `end`."""
    at = skip_space(text, end, stop)
    marker = text[at : at + 1] if at < stop else ""
    follows = marker not in ("", ",", ":", "}", "]", "<", "`")
    return JsonSurroundings(colon=marker == ":", comma=marker == ",", value_follows=follows, after=after)


def _around_probe(root: JsonNode, probe: int) -> tuple[list[JsonNode], Path]:
    """Return the objects and arrays around a probe, outermost first, and the steps through them to it."""
    nodes: list[JsonNode] = []
    steps: list[str | int] = []
    node: JsonNode | None = root
    while node is not None and node.kind in ("object", "array"):
        nodes.append(node)
        holder, node = node, None
        for index, child in enumerate(holder.children):
            member = holder.members[index] if holder.kind == "object" else None
            if child.span.start <= probe < child.span.end or (member is not None and member.key_span.start == probe):
                steps.append(index if member is None else member.key)
                node = child if child.span.start <= probe else None
    return nodes, tuple(steps)


def _last_step(node: JsonNode) -> str | int:
    if node.kind == "object":
        return node.members[-1].key if node.members else ""
    return max(len(node.items) - 1, 0)


def _frame(node: JsonNode, probe: int, name: str) -> OpenContainer:
    """Return an object or array without the probe, which is in it as a key."""
    members: dict[str, str | None] = {}
    for member in node.members:
        value = member.value.value if member.value.kind == "string" else None
        members[name if member.key_span.start == probe else member.key] = value
    return OpenContainer("{" if node.kind == "object" else "[", members)


def _shifted(hit: Hit) -> Hit:
    """Return what was found in a text with one character more before it."""
    after = hit.around.after
    around = hit.around if after is None else replace(hit.around, after=after - 1)
    return hit._replace(span=hit.span.shift(-1), around=around)
