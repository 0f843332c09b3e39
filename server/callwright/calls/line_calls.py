"""Calls on labelled lines: `Action: f` and `Action Input: …`, `TOOL_CALL: f` and `INPUT: …`.

Owns: locating the two lines, the tool's name on the first, and where the input after the second one ends. Must not
know: dialect modules.

An input is JSON, or text. Other text is the value of the tool's parameter if it has exactly one.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final

from callwright.calls.envelopes import scan_json
from callwright.calls.fences import fence_limit, no_fence_follows
from callwright.calls.json_calls import Form, entry_at, object_call
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import differ, unclosed_fence
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle
from callwright.calls.render import json_body
from callwright.calls.scanning import LINES, end_of_line, line_of, match_end, next_match
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.whole_text import named_node, only_parameter, tree
from callwright.syntax.json import JsonNode, JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, fence_at, fence_closer, fence_line, line_end
from callwright.text.holes import HOLE
from callwright.text.line_ends import last_line
from callwright.text.records import NamedTuple, dataclass
from callwright.text.span import Edit, Span, delete


@dataclass(frozen=True)
class LineGrammar:
    """One dialect on labelled lines.

    `head` and `input` match the labels with their colons, which are `head_label` and `input_label` as they should be
    written. `begins` matches the beginning of a line of the dialect, which ends text. `raw` says whether an input may
    be text, `embedded` whether the name may be in an object, under `action` beside `action_input`, and `framed` whether
    a head alone is a call. `no_tools` holds names that call no tool, in lower case.
    """

    family: str
    head: re.Pattern[str]
    input: re.Pattern[str]
    begins: re.Pattern[str]
    head_label: str
    input_label: str
    raw: bool = False
    embedded: bool = False
    no_tools: frozenset[str] = frozenset()
    framed: bool = False

    @cached_property
    def ends_text(self) -> re.Pattern[str]:
        """What ends an input that is text: a line of the dialect, or a blank line."""
        return re.compile(rf"{self.begins.pattern}|{_BLANK_LINE.pattern}")


#: Bold type around a label, which models write and parsers of the dialect do not accept.
_BOLD: Final = r"(?:\*\*|__)?+"
_SPACE: Final = r"[ \t]*+"

REACT: Final = LineGrammar(
    family="react",
    head=re.compile(rf"Action{_SPACE}\d*+{_SPACE}{_BOLD}{_SPACE}:{_BOLD}"),
    input=re.compile(rf"{_BOLD}Action{_SPACE}\d*+{_SPACE}Input{_SPACE}\d*+{_SPACE}{_BOLD}{_SPACE}:{_BOLD}"),
    begins=re.compile(
        rf"(?<=[\r\n])[ \t>]*+{_BOLD}(?:Action|Observation|Thought|Final{_SPACE}Answer|Question){_SPACE}\d*+{_SPACE}"
        rf"(?:Input{_SPACE}\d*+{_SPACE})?+{_BOLD}{_SPACE}:"
        rf"|(?<=[\r\n])Observation{_SPACE}(?=[\r\n])"  # a model stops here, and logs show it
    ),
    head_label="Action:",
    input_label="Action Input:",
    raw=True,
    embedded=True,
    no_tools=frozenset({"none", "n/a", "null", "no action", "final answer", "finish", "finish answer", ""}),
)
DIRECTIVE: Final = LineGrammar(
    family="directive",
    head=re.compile(rf"TOOL_CALL{_SPACE}:"),
    input=re.compile(rf"INPUT{_SPACE}:"),
    begins=re.compile(rf"(?<=[\r\n])[ \t>]*+(?:TOOL_CALL|INPUT|TOOL_RESULT|OUTPUT|RESULT){_SPACE}:"),
    head_label="TOOL_CALL:",
    input_label="INPUT:",
    framed=True,
)

_LEAD = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t])*+(?:\*\*|__)?+")
_ITEM = re.compile(r"(?:[-*+][ \t]++)?+")
_BLANKS = re.compile(r"\s*+")
_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK_LINE = re.compile(r"(?>\r\n|\n|\r)[ \t>]*+(?=[\r\n]|\Z)")
_NAME_LIKE = re.compile(rf"[\w.\-/:{HOLE}]{{1,128}}")
_PROSE = re.compile(r"[,;!?{}\[\]]")
_MAX_NAME_LENGTH: Final = 128
_MAX_WORDS: Final = 4
_DECORATION: Final = " \t\"'`*_[]<>()"
_NOT_CLOSED: Final = frozenset({"missing-closers", "unmatched-quote"})
_LABELS_PART: Final = 40
#: The keys of an object that holds name and input.
_EMBEDDED: Final = Form("action", "action_input", arguments_else=(), ids=(), held=False)


class Name(NamedTuple):
    """A name on the head's line: what it is, where it is, and the span with its decoration."""

    text: str
    span: Span
    whole: Span


def read_lines(text: str, start: int, context: ReadContext, dialect: str, grammar: LineGrammar) -> Reading | None:
    """Read the call whose head is at `start`; None where none begins there."""
    begin = line_of(text, start, context)
    lead = _LEAD.match(text, begin, start)
    head = grammar.head.match(text, start)
    context.look(head.end() + 1 if head is not None else start + len(grammar.head_label) + 8)
    if head is None or lead is None or lead.end() != start:
        return None
    if context.fence is not None and context.fence.language not in PLAIN_LANGUAGES | {"yaml", "react", "bash"}:
        return None
    limit = fence_limit(text, start, context)
    opening = start - 2 if text.startswith(("**", "__"), start - 2) and lead[0].endswith(("**", "__")) else start
    here = _Head(opening, start, head.end(), limit)
    return _Lines(text, here, context, dialect, grammar).read()


class _Head(NamedTuple):
    """Where a head is: with its decoration, without, where its label ends, and where the text around ends."""

    opening: int
    start: int
    end: int
    limit: int


class _Lines:
    """One attempt to read a call on labelled lines."""

    def __init__(self, text: str, head: _Head, context: ReadContext, dialect: str, grammar: LineGrammar) -> None:
        self.text = text
        self.head = head
        self.limit = head.limit
        self.context = context
        self.dialect = dialect
        self.grammar = grammar
        self.problems: list[Problem] = []

    def read(self) -> Reading | None:
        """Return the call, or None."""
        text, limit = self.text, self.limit
        stop = min(line_end(text, self.head.end), limit)
        self.context.look(stop + 2)
        if not text[self.head.end : stop].strip(" \t*_"):
            return self._below(stop)
        same = self.grammar.input.search(text, self.head.end, stop)
        name = self._name(self.head.end, same.start() if same is not None else stop)
        if name.text.lower() in self.grammar.no_tools and not self.context.tools.has(name.text):
            return None
        label = same if same is not None else self._label(stop)
        return self._call(name, stop, label)

    def _below(self, stop: int) -> Reading | None:
        """Read what is on the lines below a head without a name: an object that has it, or the name itself."""
        text, limit = self.text, self.limit
        at = match_end(LINES, text, stop, limit)
        self.context.look(at + 4)
        if at >= limit or text[at] in "\r\n":
            return None
        if self.grammar.embedded and text[at] in "{`~":
            return self._embedded(at)
        end = min(line_end(text, at), limit)
        self.context.look(end + 1)
        label = self._label(end)
        name = self._name(at, end)
        if label is None or self.grammar.begins.match(text, at) is not None or not name.text:
            return None
        if self.grammar.input.match(text, at) is not None or name.text.lower() in self.grammar.no_tools:
            return None
        return self._call(name, end, label)

    def _label(self, at: int) -> re.Match[str] | None:
        """Return the input's label where it begins the next line that is not blank."""
        following = match_end(LINES, self.text, at, self.limit)
        after = match_end(_ITEM, self.text, following, self.limit)
        found = self.grammar.input.match(self.text, after, self.limit)
        self.context.look(following + _LABELS_PART if found is None else found.end() + 1)
        return found if following > at else None

    def _name(self, start: int, end: int) -> Name:
        text = self.text
        while start < end and text[start] in " \t":
            start += 1
        while end > start and text[end - 1] in " \t":
            end -= 1
        whole = Span(start, end)
        if self.context.tools.has(text[start:end]):
            return Name(text[start:end], whole, whole)
        if end - start > 2 and text[end - 2 : end] == "()":
            end -= 2
        while end > start and text[end - 1] in _DECORATION + ".":
            end -= 1
        while start < end and text[start] in _DECORATION:
            if text[start] == "_" and text[start : start + 2] != "__":
                break
            start += 1
        return Name(text[start:end], Span(start, end), whole)

    # -- the call ------------------------------------------------------------------------------------------------------

    def _call(self, name: Name, stop: int, label: re.Match[str] | None) -> Reading | None:
        known = self.context.tools.has(name.text)
        reported = _is_placeholder_type(name.whole.of(self.text)) and label is not None
        if not known and _is_prose(name.text) and not (reported or is_placeholder_name(name.text)):
            return None
        if label is None:
            return self._without_input(name, stop, known=known)
        self._decorated(Span(self.head.opening, self.head.end), self.grammar.head_label)
        self._decorated(Span(*label.span()), self.grammar.input_label)
        if name.whole != name.span and not (reported or is_placeholder_name(name.whole.of(self.text))):
            data = {"text": name.whole.of(self.text), "write": name.text}
            self.problems.append(Problem("foreign-value", name.whole, data, (Edit(name.whole, name.text),), True))
        read, end, complete = self._input(label.end(), name.text)
        return self._made(name, read, end, complete=complete)

    def _decorated(self, span: Span, label: str) -> None:
        """Report that a label is in bold type."""
        written = span.of(self.text)
        if "**" in written or "__" in written:
            data = {"text": written, "write": label}
            self.problems.append(Problem("foreign-value", span, data, (Edit(span, label),), True))

    def _without_input(self, name: Name, stop: int, *, known: bool) -> Reading | None:
        """Read a head without an input: a call if the name is a tool's or a head alone is a call in the dialect."""
        text, limit = self.text, self.limit
        rest = text[stop : min(limit, stop + 4 * _LABELS_PART)].strip(" \t\r\n>*")
        cut = limit == len(text) and limit - stop < 4 * _LABELS_PART and self.grammar.input_label.startswith(rest)
        named = _NAME_LIKE.fullmatch(name.text) is not None
        if not (known or (named and (self.grammar.framed or (cut and rest)))):
            return None
        return self._made(name, None, name.whole.end, complete=not cut)

    def _made(self, name: Name, read: JsonRead | None, end: int, *, complete: bool) -> Reading:
        arguments = JsonValue(read) if read is not None else None
        call = ToolCall(
            dialect=self.dialect,
            span=Span(self.head.opening, max(end, name.whole.end)),
            tool=name.text or None,
            tool_span=name.span,
            arguments=arguments,
            body=read.span if read is not None else Span(name.whole.end, name.whole.end),
            name_spans=(name.span,),
            problems=self.problems,
            sketch=is_placeholder_name(name.text)
            or _is_placeholder_type(name.whole.of(self.text))
            or (read is not None and () in read.elided),
            complete=complete,
            details={"family": self.grammar.family, "arguments_key": self.grammar.input_label},
        )
        if read is None and complete:
            margin = self.text[line_of(self.text, self.head.start, self.context) : self.head.opening]
            call.details["insert_arguments"] = (call.span.end, f"\n{margin}{self.grammar.input_label} ")
        if read is not None and not isinstance(read.value, dict):
            # Without the tool's schema it is unknown whether it accepts text.
            call.details["text"] = isinstance(read.value, str) and self.grammar.raw
        self.context.look(call.span.end + 2)
        return Reading([call], call.span.end, call.span.end + 2)

    # -- the input -----------------------------------------------------------------------------------------------------

    def _input(self, at: int, tool: str) -> tuple[JsonRead, int, bool]:
        """Read the input after its label: the arguments, where they end, and whether they are whole."""
        text, limit = self.text, self.limit
        first = match_end(_BLANKS, text, at, limit)
        if text.startswith("**", first):
            first = match_end(_BLANKS, text, first + 2, limit)
        self.context.look(first + 4)
        if self.grammar.begins.match(text, first) is not None or self._blank_between(at, first):
            first = limit if first >= limit else at
        line = text.rfind("\n", at, first) >= 0 or text.rfind("\r", at, first) >= 0
        if first >= limit or (first == at and not text[at : line_end(text, at)].strip()):
            return self._nothing(at, tool, truncated=first >= limit and limit == len(text))
        if text[first] in "`~" and (line or text[at:first].strip(" \t*") == ""):
            fenced = self._fenced(first)
            if fenced is not None:
                self._fence_around(first, fenced)
                return fenced
        if text[first] in "{[" or not self.grammar.raw:
            read = self._json(first)
            whole = read.root.kind == "object" or not self.grammar.raw
            if whole or (read.root.kind == "array" and not read.problems):
                self.problems += own_problems(read)
                self._text_after(read)
                return read, read.end, not self._is_cut(read)
        return self._text(first, tool)

    def _fence_around(self, at: int, fenced: tuple[JsonRead, int, bool]) -> None:
        """Report a fence around an input that must be JSON; where it may be text, parsers remove fences."""
        read, end, whole = fenced
        if not self.grammar.raw and whole:
            start = read.root.span.start
            opening = self.text[at:start].rstrip()
            span, data = Span(at, at + len(opening)), {"text": opening, "front": True}
            repair = (delete(at, start), delete(read.end, end))
            self.problems.append(Problem("unexpected-text", span, data, repair, certain=True))

    def _text_after(self, read: JsonRead) -> None:
        """Report text after the input on its last line."""
        text, end = self.text, min(end_of_line(self.text, read.end, self.context), self.limit)
        self.context.look(end + 1)
        start = read.end
        while start < end and text[start] in " \t":
            start += 1
        after = Span(start, start + len(text[start:end].rstrip()))
        if after.start < after.end and read.root.kind != "missing":
            data = {"text": after.of(text), "after": True}
            self.problems.append(Problem("unexpected-text", after, data, (Edit(Span(read.end, after.end), ""),)))

    def _json(self, at: int) -> JsonRead:
        """Read the JSON at `at`: to its end if it is valid, else at most to the next label or blank line."""
        text = self.text
        scan = scan_json(text, at, self.context)
        sound = scan.read is not None and scan.end <= self.limit
        if scan.read is not None and sound and not self._closers_follow(scan.end):
            return scan.read
        limit = self._next_blank(scan.end if sound else at)
        read = read_json(text, at, limit, stop=self._stop(), open_ended=sound, budget=self.context.budget)
        # JSON that is not closed before a blank line may still become valid when more text arrives.
        open_yet = not sound and any(problem.kind in _NOT_CLOSED for problem in read.problems)
        self.context.look(len(text) if open_yet else read.reach)
        return read

    def _closers_follow(self, end: int) -> bool:
        """Return whether closers follow valid JSON before a blank line: they belong to it, other text does not."""
        following = match_end(_BLANKS, self.text, end, self.limit)
        breaks = [*islice(_BREAK.finditer(self.text, end, following), 2)]
        if len(breaks) == 2:
            self.context.look(breaks[1].start() + 1)
            return False
        self.context.look(following + 1)
        return self.text[following : following + 1] in ("}", "]")

    def _next_blank(self, at: int) -> int:
        """Return where the first blank line at or after `at` begins, or where the text around ends."""
        found = next_match(self.text, at, _BLANK_LINE, self.context, self.limit)
        return found.start() if found is not None else self.limit

    def _stop(self) -> re.Pattern[str]:
        """Return the pattern of what ends JSON that is not closed."""
        fence = self.context.fence
        return self.grammar.begins if fence is None else _either(self.grammar.begins.pattern, fence.char, fence.length)

    def _blank_between(self, at: int, first: int) -> bool:
        """Return whether an input would begin after a blank line, which ends what has no text yet."""
        return len(_BREAK.findall(self.text, at, first)) > 1 and self.text[first : first + 1] not in ("{", "`")

    def _is_cut(self, read: JsonRead) -> bool:
        return any(problem.data.get("truncated") for problem in read.problems) and read.end >= len(self.text.rstrip())

    def _nothing(self, at: int, tool: str, *, truncated: bool) -> tuple[JsonRead, int, bool]:
        """Return the reading of a missing input: no arguments, if the tool has no parameters, or is not known and may
        have none."""
        place = Span(at, at)
        parameters = self.context.tools.parameters(tool)
        if truncated or parameters or (parameters is None and self.context.strict):
            data = {"empty": True, "text": "", "truncated": truncated}
            self.problems.append(Problem("not-json", place, data))
            return tree(JsonNode("missing", place, None), at), at, not truncated
        return tree(JsonNode("object", place, {}), at), at, True

    def _fenced(self, at: int) -> tuple[JsonRead, int, bool] | None:
        """Read JSON in a fenced block; None where the block holds something else."""
        text, limit = self.text, self.limit
        begin = last_line(text, 0, at)
        fence = fence_at(text, begin) if text[begin:at].strip(" \t>") == "" else fence_at(text, at)
        if fence is None:
            return None
        first = match_end(_BLANKS, text, fence.content, limit)
        self.context.look(first + 1)
        if first >= limit or text[first] not in "{[":
            return None
        following = fence_line(fence.char)
        # If no such line follows, the block ends where the object ends.
        endless = no_fence_follows(text, fence.content, fence.char, self.context)
        read = read_json(text, first, limit, stop=following, open_ended=endless, budget=self.context.budget)
        closer = fence_closer(fence.char, fence.length)
        after = match_end(_BLANKS, text, read.end, limit)
        closing = closer.match(text, max(read.end, last_line(text, read.end, after)), limit)
        self.context.look(max(read.reach, after + fence.length + 1))
        self.problems += own_problems(read)
        if closing is None:
            self.problems.append(unclosed_fence(fence, read.end))
            return read, read.end, False
        return read, closing.end(), True

    def _text(self, first: int, tool: str) -> tuple[JsonRead, int, bool]:
        """Read an input that is text: up to the next labelled line, a blank line, or the end."""
        text = self.text
        end = self._text_end(first)
        value, span = text[first:end].replace("\r\n", "\n").replace("\r", "\n"), Span(first, end)
        quoted = _json_string(text, first, end)
        parameters = self.context.tools.parameters(tool)
        name = only_parameter(parameters)
        if quoted is not None and name is not None:
            value = quoted
        types = _types(parameters[name]) if parameters is not None and name is not None else frozenset()
        node = JsonNode("string", span, value)
        if types and "string" not in types:
            read = read_json(text, first, end)
            if not read.problems:
                node = read.root
        if name is not None:
            node = named_node(name, node)
        elif quoted is not None:
            node = JsonNode("string", span, quoted)
        return tree(node, end), end, True

    def _text_end(self, first: int) -> int:
        text, limit = self.text, self.limit
        label = self.grammar.ends_text.search(text, first, limit)
        end = label.start() if label is not None else limit
        self.context.look((label.end() if label is not None else len(text)) + 1)
        if label is not None and not label[0].strip(" \t>\r\n"):
            self._goes_on(label.start(), label.end())
        while end > first and text[end - 1] in " \t\r\n":
            end -= 1
        return end

    def _goes_on(self, end: int, blank: int) -> None:
        """Report that other parsers continue after the blank line at which a text ends here."""
        following = match_end(LINES, self.text, blank, self.limit)
        self.context.look(following + _LABELS_PART)
        if following >= self.limit or self.grammar.begins.match(self.text, following) is not None:
            return
        reading = "The input ends at this blank line"
        others = "LangChain reads everything up to the end of the text as the input"
        self.problems.append(differ(Span(end, end), reading, others, certain=False))

    # -- the object that holds both ------------------------------------------------------------------------------------

    def _embedded(self, at: int) -> Reading | None:
        """Read an object with `action` and `action_input`, in a fence or not."""
        if self.text[at] == "{":
            read = self._json(at)
            self.problems += own_problems(read)
            end, complete = read.end, not self._is_cut(read)
        else:
            found = self._fenced(at)
            if found is None:
                return None
            read, end, complete = found
        value = read.value
        named = value.get("action") if isinstance(value, dict) else None
        node = read.locate(("action",)) if isinstance(named, str) else None
        if node is None or not isinstance(named, str) or named.lower() in self.grammar.no_tools:
            return None
        span = Span(self.head.opening, end)
        call = object_call(self.text, entry_at(read, ()), _EMBEDDED, self.dialect, span)
        call.problems, call.complete = self.problems, complete
        call.sketch = call.sketch or named.startswith("$")
        text = False
        if call.arguments is not None:
            arguments = call.arguments = self._embedded_input(read, named)
            call.body, text = arguments.span, isinstance(arguments.python, str)
        call.details = {"family": self.grammar.family, "arguments_key": _EMBEDDED.arguments, "text": text}
        self.context.look(end + 2)
        return Reading([call], end, end + 2)

    def _embedded_input(self, read: JsonRead, tool: str) -> JsonValue:
        """Return the input in such an object; text is the tool's only argument."""
        value = JsonValue(read, (_EMBEDDED.arguments,))
        parameters = self.context.tools.parameters(tool)
        name = only_parameter(parameters)
        if isinstance(value.python, dict | list) or value.python is None or name is None:
            return value
        return JsonValue(tree(named_node(name, value.node), read.end))


def _json_string(text: str, start: int, end: int) -> str | None:
    """Return the value of a JSON string, None if the text is not exactly one."""
    if end - start < 2 or text[start] != '"' or text[end - 1] != '"':
        return None
    read = read_json(text, start, end)
    return read.value if not read.problems and isinstance(read.value, str) and read.span.end == end else None


def _is_prose(name: str) -> bool:
    """Return whether what is after a label is a sentence and not a name."""
    return len(name) > _MAX_NAME_LENGTH or _PROSE.search(name) is not None or len(name.split()) > _MAX_WORDS


def _is_placeholder_type(written: str) -> bool:
    """Return whether words in parentheses describe a name instead of giving one."""
    return len(written) > 2 and written[0] == "(" and written[-1] == ")" and " " in written


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    kind = schema.get("type")
    return frozenset(kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else [])


def _either(pattern: str, char: str, length: int) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern})|(?:{fence_closer(char, length).pattern})")


def render_lines(
    grammar: LineGrammar, tool: str, arguments: Mapping[str, Any], style: RenderStyle, *, known: bool
) -> str | Refusal:
    """Return a call as two labelled lines; the JSON of the second one may continue below."""
    name = tool.strip(_DECORATION + ".")
    if not tool or _BREAK.search(tool) is not None or (not known and (name != tool or _is_prose(tool))):
        return Refusal(f"`{tool}` cannot be used as a name after `{grammar.head_label}`")
    if tool.lower() in grammar.no_tools and not known:
        return Refusal(f"after `{grammar.head_label}`, `{tool}` means that no tool is called")
    body = json_body(arguments, style, len(grammar.input_label) + 1)
    if isinstance(body, Refusal):
        return body
    return f"{grammar.head_label} {tool}\n{style.margin}{grammar.input_label} {body}"
