"""Rendering calls in dialects with a pair of markers around each parameter, and reading them back.

Owns: the text of whole calls and sections, and the reason why a value would change when read back. Must not know:
dialect modules, schemas beyond the names of parameters.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.model import JsonValue, MarkupValue
from callwright.calls.protocol import ReadContext, Refusal, Rendering, RenderStyle, ToolLike, collected
from callwright.calls.tagged.grammar import Grammar, content_of, parameter_of, written_name
from callwright.calls.tagged.reader import read_tagged


class _OneTool:
    """The one tool whose call is read back, as a registry for the parser."""

    closed = False

    def __init__(self, schema: ToolLike | None) -> None:
        properties = schema.input_schema.get("properties") if schema is not None else None
        self.properties: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
        self.schema = schema

    def has(self, name: str) -> bool:
        """Return whether this is the tool."""
        return self.schema is not None and self.schema.name == name

    def near(self, name: str) -> str | None:
        """Return no name: nothing is misspelt here."""
        del name
        return None

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the tool's parameters."""
        return self.properties if self.has(name) else None

    def has_parameter(self, name: str) -> bool:
        """Return whether the tool has a parameter of this name."""
        return name in self.properties

    def markup(self, name: str) -> str | None:
        """Return that values are literal text."""
        del name
        return "raw"

    def dialect(self, name: str) -> str | None:
        """Return None: the dialect of the call is known."""
        del name
        return None


def render_tagged(calls: Sequence[Rendering], grammar: Grammar, style: RenderStyle) -> str | Refusal:
    """Return calls in one section, or alone where the dialect has no sections."""
    line = "" if style.compact else grammar.between + style.margin if "\n" in grammar.between else grammar.between
    parts = collected(_render_call(call, grammar, style, line, index) for index, call in enumerate(calls))
    if isinstance(parts, Refusal):
        return parts
    if not grammar.sections:
        return ("\n" + style.margin if not style.compact else "").join(parts)
    opener, closer = grammar.sections[0]
    return line.join([opener, *parts, closer])


def _render_call(call: Rendering, grammar: Grammar, style: RenderStyle, line: str, index: int) -> str | Refusal:
    name = written_name(call.tool, grammar)
    if name is None:
        return Refusal(f"`{call.tool}` is not a valid name for the opening marker of a call")
    number = call.call_id if call.call_id is not None and call.call_id.isdecimal() else str(index + 1)
    opener = grammar.call_form.replace("{index}", number).replace("{name}", name)
    values = call.arguments.items()
    parts = collected(parameter_of(key, value, grammar, compact=style.compact) for key, value in values)
    if isinstance(parts, Refusal):
        return parts
    risky = any(isinstance(value, str) and grammar.tokens.search(value) is not None for _, value in values)
    text = line.join([opener, *parts, grammar.call_closer])
    return (_lost(text, call, grammar, style) if risky else None) or text


def _lost(text: str, call: Rendering, grammar: Grammar, style: RenderStyle) -> Refusal | None:
    """Return which value of a rendered call contains a marker that changes where it ends, or None."""
    context = ReadContext(_OneTool(call.schema))
    reading = read_tagged(text, 0, context, grammar, grammar.name)
    again: dict[str, str] = {}
    if reading is not None and len(reading.calls) == 1:
        arguments = reading.calls[0].arguments
        if isinstance(arguments, MarkupValue):
            again = {member.name: member.value.span.of(text) for member in arguments.members}
        elif isinstance(arguments, JsonValue):
            again = {member.key: member.value.span.of(text) for member in arguments.node.members}
    for key, value in call.arguments.items():
        content = content_of(value, grammar, (key,), compact=style.compact)
        marker = grammar.tokens.search(value) if isinstance(value, str) else None
        if isinstance(value, str) and again.get(key) != content:
            shown = marker[0] if marker is not None else grammar.parameter_closer
            reason = f"`{key}` contains `{shown}`, which cannot be escaped here: the value would end there"
            return Refusal(reason, (key,))
        if marker is not None and grammar.parameter_closer in value and not grammar.cdata:
            reason = (
                f"`{key}` contains `{grammar.parameter_closer}`, which cannot be escaped here: other parsers end"
                " the value there"
            )
            return Refusal(reason, (key,))
    return None
