"""Calls in a provider's own fields where these are YAML themselves: mappings that have a tool's name and its arguments.

Owns: locating such a call in a mapping, and the passage that it is. Must not know: dialects, which files are YAML,
which mappings are searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.model import NATIVE, JsonValue, ToolCall
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.turns import Turn
from callwright.hosts.base import Passage
from callwright.syntax.json import read_json
from callwright.syntax.yaml_tree import YamlEntry, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.syntax.yaml_values import read_yaml
from callwright.text.joined import Joined
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.transcripts.support.call_forms import (
    BLOCKS,
    HOLDERS,
    IDS,
    LIST,
    NAMING,
    Form,
    are_of_dialect,
    form_of,
    held_form,
)

#: How deep a mapping is seen at once: a call, its function, the arguments, what a schema would have there.
_DEPTH: Final = 4
#: What shows that a value is filled in later.
_TEMPLATE: Final = ("{{", "{%", "${", "<%")


class YamlCall(NamedTuple):
    """A call in YAML: the scalar with its name, its arguments and the entry that they are the value of, and its id."""

    name: YamlText
    given: YamlMapping | YamlText
    entry: YamlEntry
    id: str | None
    hosted: bool

    @property
    def at(self) -> int:
        """Where its arguments begin."""
        return self.given.start if isinstance(self.given, YamlMapping) else self.given.span.start


def calls_in(node: YamlMapping) -> Iterator[YamlCall]:
    """Yield the calls that a mapping is or holds under the names of calls."""
    if any(entry.key in NAMING for entry in node.entries):
        value = plain(node)
        form = form_of(value)
        if form is not None:
            yield from _call(node, value, form)
            return
    for entry in node.entries:
        if entry.key not in HOLDERS or entry.value is None or is_list_of_dialect(entry):
            continue
        for each in entry.value.items if isinstance(entry.value, YamlSequence) else (entry.value,):
            if isinstance(each, YamlMapping):
                inner = plain(each)
                form = form_of(inner) or held_form(inner, entry.key)
                if form is not None:
                    yield from _call(each, inner, form)


def is_list_of_dialect(entry: YamlEntry) -> bool:
    """Return whether an entry is a list of calls as the dialect for such lists has them, and no provider."""
    return entry.key == LIST and isinstance(entry.value, YamlSequence) and are_of_dialect(map(plain, entry.value.items))


def plain(node: YamlNode | None, depth: int = _DEPTH) -> Any:
    """Return the value of a node as far as its keys and texts go: without lists, and with a few levels of mappings."""
    if isinstance(node, YamlText):
        return node.text
    if not isinstance(node, YamlMapping):
        return None
    return {entry.key: plain(entry.value, depth - 1) for entry in node.entries if entry.key} if depth else {}


def call_passage(call: YamlCall, text: str, stop: int, role: str | None, turn: Turn) -> tuple[Passage, Span] | None:
    """Return the passage of a call and the segment of its arguments; None where these are not certainly an object."""
    given = call.given
    if isinstance(given, YamlText):
        return _string_passage(call, given, role, turn)
    after = call.entry.after
    if after < 0:
        return None
    end = given.end if given.end >= 0 else stop
    read = read_yaml(text, after, max(call.entry.column, 0), end)
    if read is None or read.failed or not isinstance(read.value, dict):
        return None
    span = read.root.span
    if _is_filled(text[span.start : span.end]) or _is_filled(call.name.text):
        return None
    tool_span = _name_span(call.name)
    low, high = min(tool_span.start, call.entry.span.start), max(tool_span.end, span.end)
    made = _made(call, Span(low, high), tool_span, JsonValue(read))
    made.problems = list(read.problems)
    return Passage(text, Identity(0, len(text)), role, markdown=False, turn=turn, calls=(made,)), span


def _call(node: YamlMapping, value: dict[str, Any], form: Form) -> Iterator[YamlCall]:
    around = node.get(form.inner) if form.inner is not None else node
    if not isinstance(around, YamlMapping):
        return
    name = around.get(form.name)
    given = next((entry for entry in reversed(around.entries) if entry.key == form.arguments), None)
    if isinstance(name, YamlText) and given is not None and isinstance(given.value, YamlMapping | YamlText):
        call_id = next((value[key] for key in IDS if isinstance(value.get(key), str)), None)
        kind = value.get("type")
        yield YamlCall(name, given.value, given, call_id, kind in BLOCKS and kind != "tool_use")


def _string_passage(call: YamlCall, given: YamlText, role: str | None, turn: Turn) -> tuple[Passage, Span] | None:
    """Return the passage of a call whose arguments are JSON in a scalar: its name and that text, as they follow."""
    name, inner = call.name.projection, given.projection
    if inner.text.lstrip()[:1] != "{" or _is_filled(inner.text) or _is_filled(name.text):
        return None
    first = call.name.span.start < given.span.start
    text = f"{name.text}\n{inner.text}" if first else f"{inner.text}\n{name.text}"
    start = name.length + 1 if first else 0
    at = 0 if first else inner.length + 1
    read = read_json(text, start, start + inner.length)
    made = _made(call, Span(0, len(text)), Span(at, at + name.length), JsonValue(read))
    made.problems = list(read.problems)
    made.complete = not any(problem.data.get("truncated") for problem in read.problems)
    joined = Joined([name, inner] if first else [inner, name])
    return Passage(text, joined, role, markdown=False, turn=turn, calls=(made,)), given.span


def _made(call: YamlCall, span: Span, tool_span: Span, value: JsonValue) -> ToolCall:
    tool = call.name.text if call.name.text.strip() else None
    return ToolCall(
        dialect=NATIVE,
        span=span,
        tool=tool,
        tool_span=tool_span,
        arguments=value,
        body=value.span,
        name_spans=(tool_span,),
        call_id=call.id,
        sketch=tool is not None and is_placeholder_name(tool),
        details={"family": NATIVE, "name_key": "name", "named": True, "hosted": call.hosted, "native": None},
    )


def _name_span(name: YamlText) -> Span:
    start, end = name.span
    return Span(start + 1, end - 1) if name.style in ("'", '"') and end - start > 1 else Span(start, end)


def _is_filled(text: str) -> bool:
    return any(marker in text for marker in _TEMPLATE)
