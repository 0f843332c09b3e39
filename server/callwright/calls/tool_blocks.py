"""Calls in blocks of labelled lines: `TOOL_NAME: f`, then `BEGIN_ARG: a`, the value and `END_ARG` for each argument.

Owns: where such a block and each value in it end, what a value is, and how a block is written. Must not know: dialect
modules, the registry's class.

A value is JSON if it is valid JSON, and text otherwise. A line ends a value, so a value may contain all other lines,
and fences.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.fences import fence_limit
from callwright.calls.marker_problems import unclosed, unclosed_fence
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle
from callwright.calls.render import guarded, json_text
from callwright.calls.scanning import LINES, LISTED, line_of, match_end, next_match
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tagged.types import types_of
from callwright.syntax.json import JsonMember, JsonNode, JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, Fence, fence_at, fence_closer, line_end, line_start
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert

FAMILY: Final = "tool-block"
LANGUAGE: Final = "tool"
NAME: Final = "TOOL_NAME:"
ARGUMENT: Final = "BEGIN_ARG:"
END: Final = "END_ARG"

_BEGIN_OF_LINE: Final = r"(?:^|(?<=[\r\n]))[ \t>]*+"
_HEAD: Final = re.compile(r"TOOL_NAME[ \t]*+:[ \t]*+(?P<name>[^\r\n]*+)")
_ARGUMENT: Final = re.compile(r"BEGIN_ARG[ \t]*+:[ \t]*+(?P<name>[^\r\n]*+)")
_NEXT_ARGUMENT: Final = re.compile(rf"{_BEGIN_OF_LINE}BEGIN_ARG[ \t]*+:")
_NEXT_HEAD: Final = re.compile(rf"{_BEGIN_OF_LINE}TOOL_NAME[ \t]*+:")
_END: Final = re.compile(rf"{_BEGIN_OF_LINE}(?P<symbol>END_ARG)[ \t]*+(?=[\r\n]|\Z)")
_SPACE: Final = re.compile(r"[ \t>]*+")
_NAME_ALONE: Final = re.compile(rf"[A-Za-z_{HOLE}][\w.\-/:{HOLE}]{{0,127}}+(?=[ \t]*+(?:[\r\n]|\Z))")
_NO_MARKERS: Final = re.compile(r"(?i:end_?arg)")
_WRITTEN_NAME: Final = re.compile(r"[^\s>](?:[^\r\n]*[^\s])?")
_LABEL: Final = re.compile(r"(?i:(?:begin_?arg|tool_?name)[ \t]*:)")
#: Problems of a string in quotes that its parsers read as JSON nevertheless.
_QUOTED: Final = frozenset({"raw-newline", "unescaped-quote", "bad-escape", "lone-surrogate", "engines-differ"})
#: At most this many lines between arguments are reported; after more, the block ends.
_MAX_UNMATCHED: Final = 20


class BlockFormat:
    """How fixes write in a block: each argument on lines of its own, each value as JSON on one line."""

    name = "tool blocks"
    between = "\n"

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a value as JSON."""
        del path
        text = _json(value)
        return None if isinstance(text, Refusal) else text

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return an argument's name, or a key of an object in its value."""
        return self.value(key, path) if path else written_name(key)

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a whole argument, or a member of an object in its value."""
        name, text = self.key(key, path), self.value(value, path)
        if name is None or text is None:
            return None
        return f"{name}: {text}" if path else f"{ARGUMENT} {name}\n{text}\n{END}"


FORMAT: Final = BlockFormat()


def written_name(name: str) -> str | None:
    """Return a name as it is after a label, None if it could not be read back."""
    plain = _WRITTEN_NAME.fullmatch(name) is not None and _LABEL.search(name) is None
    return name if plain else None


def _json(value: Any) -> str | Refusal:
    """Return JSON on one line in which no string contains what ends a value: some parsers search for it inside a
    line."""
    text = json_text(value)
    return text if isinstance(text, Refusal) else guarded(text, _NO_MARKERS)


def render_block(tool: str, arguments: Mapping[str, Any], style: RenderStyle) -> str | Refusal:
    """Return a call as a fenced block, or as its lines alone where it is written into one."""
    if written_name(tool) is None:
        return Refusal(f"`{tool}` cannot be used as a name after `{NAME}`")
    lines = [f"{NAME} {tool}"]
    for name, value in arguments.items():
        if written_name(name) is None:
            return Refusal(f"`{name}` cannot be used as a name after `{ARGUMENT}`", (name,))
        text = _json(value)
        if isinstance(text, Refusal):
            return Refusal(text.reason, (name, *text.path))
        lines += [f"{ARGUMENT} {name}", text, END]
    if style.fenced:
        lines = [f"```{LANGUAGE}", *lines, "```"]
    return ("\n" + style.margin).join(lines)


def read_block(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the call whose fence, or whose first line, is at `start`; None where none begins there."""
    line = line_of(text, start, context)
    if text[start] == "`":
        fence = fence_at(text, line)
        if fence is None or fence.marker != start or fence.language != LANGUAGE:
            return None
        at = match_end(LINES, text, fence.content)
        context.look(at + 1)
        return _Block(text, start, fence, context, dialect).read(at)
    lead = LISTED.match(text, line, start)
    around = context.fence
    if lead is None or lead.end() != start or (around is not None and around.language not in PLAIN_LANGUAGES):
        return None
    return _Block(text, start, None, context, dialect).read(start)


class _Block:
    """One attempt to read a block; without a fence its first argument must follow its first line."""

    def __init__(self, text: str, start: int, fence: Fence | None, context: ReadContext, dialect: str) -> None:
        self.text = text
        self.start = start
        self.fence = fence
        self.context = context
        self.dialect = dialect
        self.limit = fence_limit(text, start, context)
        self.problems: list[Problem] = []
        self.read_problems: list[Problem] = []
        self.wild: list[tuple[str | int, ...]] = []
        self.elided: list[tuple[str | int, ...]] = []
        self.closer = fence_closer(fence.char, fence.length) if fence is not None else None

    def read(self, at: int) -> Reading | None:
        """Return the call whose first line begins at `at`, or None."""
        text, context = self.text, self.context
        stop = min(line_end(text, at), self.limit)
        context.look(stop + 1)
        head = _HEAD.match(text, at, self.limit)
        named = head is not None
        if head is not None:
            begin = head.start("name")
            name = head["name"].rstrip()
        else:
            alone = _NAME_ALONE.match(text, at, self.limit)
            if alone is None or self.fence is None:
                return None
            begin, name = at, alone[0]
        place = Span(begin, begin + len(name))
        following = match_end(LINES, text, stop, self.limit)
        context.look(following + len(ARGUMENT) + 4)
        first = _ARGUMENT.match(text, following, self.limit)
        if first is None and (self.fence is None or not (named or context.tools.has(name))):
            return None
        root, end = self._arguments(place.end, name)
        closed, frame_end = self._close(end)
        span = Span(place.start if not named else at, max(end, place.end))
        frame = Span(self.start, max(frame_end, span.end)) if self.fence is not None else None
        read = JsonRead(root, span.end, span.end, self.read_problems, self.wild, self.elided, FORMAT)
        call = ToolCall(
            dialect=self.dialect,
            span=span,
            tool=name or None,
            tool_span=place,
            arguments=JsonValue(read),
            body=root.span,
            name_spans=(place,) if name else (),
            frame=frame,
            problems=[*self.problems, *self.read_problems],
            sketch=is_placeholder_name(name) or " " in name or () in self.elided,
            complete=closed,
            details={"family": FAMILY, "name_key": NAME, "named": True},
        )
        return Reading([call], frame_end, max(frame_end, span.end) + 1)

    def _arguments(self, at: int, tool: str) -> tuple[JsonNode, int]:
        """Return the arguments below the line that ends at `at`, and where the last of them ends."""
        text, context = self.text, self.context
        values: dict[str, Any] = {}
        root = JsonNode("object", Span(at, at), values)
        schemas = context.tools.parameters(tool) or {}
        first: dict[str, Span] = {}
        end = at
        unmatched: list[Span] = []
        while True:
            place = match_end(LINES, text, at, self.limit)
            context.look(place + len(ARGUMENT) + 4)
            if place >= self.limit or place == at or _HEAD.match(text, place, self.limit):
                break
            if self._closes(place):
                self._report_unmatched(unmatched)
                end = max(end, unmatched[-1].end if unmatched else end)
                break
            begin = _ARGUMENT.match(text, place, self.limit)
            if begin is None or not begin["name"].strip():
                at = min(line_end(text, place), self.limit)
                context.look(at + 1)
                unmatched.append(Span(place, at))
                opens = text.startswith(("```", "~~~"), place)
                if self.fence is None or len(unmatched) > _MAX_UNMATCHED or opens:
                    break
                continue
            self._report_unmatched(unmatched)
            unmatched = []
            name = begin["name"].rstrip()
            key = Span(begin.start("name"), begin.start("name") + len(name))
            node, at, closed = self._value(begin, key, schemas.get(name))
            if name in first:
                self.read_problems.append(Problem("duplicate-key", key, {"key": name, "first": first[name]}))
            first.setdefault(name, key)
            member = JsonMember(name, key, node)
            member.span = Span(place, at)
            root.members.append(member)
            values[name] = node.value
            end = at
            if not closed:
                break
        root.span = Span(root.span.start, end)
        return root, end

    def _report_unmatched(self, lines: Sequence[Span]) -> None:
        """Report lines between arguments, or after the last one, that are not arguments."""
        text = self.text
        for line in lines:
            written = line.of(text).rstrip()
            if written in ("...", "…") or not written.strip(HOLE):
                self.elided.append(())
                continue
            place = Span(line.start, line.start + len(written))
            start = line_start(text, place.start)
            # The line is removed with the line end before it.
            begin = start - 1 - text.startswith("\r\n", start - 2)
            data = {"text": written, "format": f"a block between `{END}` and `{ARGUMENT}`"}
            self.problems.append(Problem("unexpected-text", place, data, (Edit(Span(begin, place.end), ""),)))

    def _value(self, begin: re.Match[str], key: Span, schema: Mapping[str, Any] | None) -> tuple[JsonNode, int, bool]:
        """Return the value below an argument's first line, where the argument ends, and whether a line ends it."""
        text, context = self.text, self.context
        top = min(line_end(text, begin.end()), self.limit)
        ending = next_match(text, top, _END, context, self.limit, marker=END)
        limit = self.limit if ending is None else ending.start()
        other = min(
            (
                found.start()
                for found in (
                    next_match(text, top, _NEXT_ARGUMENT, context, limit, marker="BEGIN_ARG"),
                    next_match(text, top, _NEXT_HEAD, context, limit, marker="TOOL_NAME"),
                )
                if found is not None
            ),
            default=limit,
        )
        if ending is not None and ending.start() <= other:
            content = self._content(top, ending.start())
            return self._node(content, key.of(text), schema), ending.end("symbol"), True
        stop = other
        if self.closer is not None:
            closing = next_match(text, top, self.closer, context, other, marker=text[self.start] * 3)
            stop = other if closing is None else closing.start()
        truncated = stop >= len(text)
        part = next((size for size in range(len(END) - 1, 2, -1) if text.endswith(END[:size])), 0) if truncated else 0
        content = self._content(top, stop - part)
        margin = _SPACE.match(text, line_start(text, begin.start()), begin.start())
        written = f"\n{'' if margin is None else margin[0]}{END}"
        repair = Edit(Span(content.end, stop), written) if part else insert(content.end, written)
        opening, certain = Span(begin.start(), key.end), not truncated
        self.problems.append(unclosed(opening, END, content.end, (repair,), cut=truncated, certain=certain, value=True))
        return self._node(content, key.of(text), schema), stop if truncated else content.end, not truncated

    def _content(self, start: int, end: int) -> Span:
        """Return the characters of a value: what is between two lines, without the space around it."""
        text = self.text
        begin = match_end(LINES, text, start, end)
        while end > begin and text[end - 1] in " \t\r\n":
            end -= 1
        return Span(min(begin, end), end)

    def _node(self, content: Span, name: str, schema: Mapping[str, Any] | None) -> JsonNode:
        """Return a value: JSON if it is valid, and text otherwise."""
        text = self.text
        written = content.of(text)
        types = types_of(schema)
        plain = JsonNode("string", content, written.replace("\r\n", "\n").replace("\r", "\n"))
        if HOLE in written:
            self.wild.append((name,))
            return plain
        if written in ("...", "…"):
            self.wild.append((name,))
            return JsonNode("elision", content, None)
        if not written:
            return plain
        read = read_json(text, content.start, content.end, budget=self.context.budget)
        sound = not read.problems and read.end >= content.end
        if sound:
            # A value whose schema requires text is text, even if it resembles JSON.
            kept = read.root.kind == "string" or types != frozenset({"string"})
            return read.root if kept else plain
        problems = [each for each in read.problems if each.kind != "raw-newline" or written[0] == '"']
        if written[0] == '"' and written[-1] == '"' and len(written) > 1:
            meant = all(problem.kind in _QUOTED for problem in problems)
        else:
            meant = written[0] in "{[" and types != frozenset({"string"}) and _is_typed(written, types)
        if not meant:
            return plain
        self.read_problems += problems
        self.wild += [(name, *path) for path in read.wild]
        self.elided += [(name, *path) for path in read.elided]
        return read.root

    # -- the end -------------------------------------------------------------------------------------------------------

    def _closes(self, at: int) -> bool:
        """Return whether the line of `at` closes the fence."""
        if self.closer is None:
            return False
        found = self.closer.match(self.text, line_start(self.text, at), self.limit)
        return found is not None

    def _close(self, end: int) -> tuple[bool, int]:
        """Return whether the block is closed, and where it ends; report a fence that is not closed."""
        fence = self.fence
        if fence is None or self.closer is None:
            return not (self.problems and end >= len(self.text)), end
        place = match_end(LINES, self.text, end, self.limit)
        start = line_start(self.text, place)
        found = self.closer.match(self.text, start, self.limit) if start > end or place > end else None
        self.context.look((place if found is None else found.end()) + fence.length + 1)
        if found is not None:
            return True, found.end()
        self.problems.insert(0, unclosed_fence(fence, end))
        return False, end


def _is_typed(written: str, types: frozenset[str] | None) -> bool:
    """Return whether a broken value that begins like JSON was meant as JSON and not as text."""
    if types is not None:
        return bool(types & {"object", "array"})
    return written[-1] in "}]" or '"' in written[:200]
