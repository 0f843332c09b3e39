"""The rule `missing-arguments`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import BARE_OBJECT, NATIVE
from callwright.calls.protocol import RenderStyle
from callwright.calls.render import json_text, xml_children
from callwright.calls.teach import example_value
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix, Severity
from callwright.schema.validation import validate
from callwright.syntax.json import read_json
from callwright.text.span import Edit, Span, insert

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

#: What is before an object that has no markers: a fence, or the bracket of a list.
_UNMARKED: Final = re.compile(r"\s*+(?:[`~]{3,}+[ \t]*+\w*+\s*+)?+\[?+\s*+")
#: Members of a call's object that are not arguments.
_COMPANIONS: Final = frozenset(
    {"id", "call_id", "tool_call_id", "type", "index", "name", "tool", "tool_name", "function", "recipient_name"}
    | {"thought", "thoughts", "reasoning", "reason", "comment", "explanation"}
)


class MissingArguments(CallRule):
    """The call names a tool but has no arguments object.

    Why is this bad: the dialect requires both. Parsers that look for a name *and* arguments silently drop such a call,
    even for a tool without parameters.

    Example
        <tool_call><tool_name>git_status</tool_name></tool_call>
                              ^^^^^^^^^^ TC311 "The call has no `<arguments>`, so parsers drop it. Add it."

    Use instead
        <tool_call><tool_name>git_status</tool_name><arguments></arguments></tool_call>
    """

    code = "TC311"
    fast_path = FastPath.PLAIN  # a plain call has arguments
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for a call without arguments in a dialect that has a place for them."""
        call = subject.call
        family = call.details.get("family")
        if call.arguments is not None or call.tool is None or family is None or subject.coerced.elided:
            return
        if call.details.get("unparsed"):
            # The tool itself interprets the text.
            return
        key = call.details.get("arguments_key", "arguments")
        required = _required(subject)
        of_dialect = _is_of_dialect(subject)
        applicability = _applicability(of_dialect and not required)
        severity = None if of_dialect else Severity.WARNING
        title = f"Add the missing {', '.join(f'`{name}`' for name in required)}" if required else "Add empty arguments"
        misnamed = call.details.get("misnamed")
        if misnamed and family == BARE_OBJECT and subject.tool is None:
            return  # an object of another interface
        if misnamed:
            # The arguments are present, under a key that no parser reads.
            written, *spans = misnamed
            shown, wanted = ("<{}>", "<arguments>") if family == "tool_call" else ("{}", key)
            message = f"The arguments are under `{shown.format(written)}`; parsers look for `{wanted}`."
            new = "arguments" if family == "tool_call" else f'"{key}"'
            edits = tuple(Edit(span, new) for span in spans)
            title = f"Rename to `{wanted}`"
            applicability = _applicability(of_dialect and _is_meant(subject, written))
            yield self.diagnostic(spans[0], message, (Fix(title, edits, applicability),), severity=severity)
            return
        if family == "tool_call":
            message = "The call has no `<arguments>`, so parsers drop it. Add it."
            at = call.name_spans[0].end + len("</tool_name>") if call.name_spans else call.span.end
            body = xml_children(required, RenderStyle(compact=True), markup="xml")
            fixes: tuple[Fix, ...] = ()
            if isinstance(body, str) and _closes_name(subject.text, at):
                fixes = (Fix(title, (insert(at, f"<arguments>{body}</arguments>"),), applicability),)
            yield self.diagnostic(call.tool_span, message, fixes)
            return
        place = call.details.get("object")
        fixes = ()
        written = json_text(required)
        elsewhere = list(_elsewhere(subject, place, key)) if isinstance(place, Span) else []
        if elsewhere:
            span, stated, fix = elsewhere[0]
            fix = fix if of_dialect else fix.as_guess()
            yield self.diagnostic(span, stated, (fix,), severity=severity)
            return
        if isinstance(place, Span) and call.name_spans and isinstance(written, str):
            at = call.name_spans[0].end + 1
            fixes = (Fix(title, (insert(at, f', "{key}": {written}'),), applicability),)
        beside = call.details.get("insert_arguments")
        if beside is not None and isinstance(written, str):
            fixes = (Fix(title, (insert(beside[0], beside[1] + written),), applicability),)
        absent = f"`{key}` is an empty string" if call.details.get("empty") else f"The call has no `{key}`"
        remedy = "Write an object" if call.details.get("empty") else f"Add `{key}`"
        message = f"{absent}. Parsers reject it or assume that there are none. {remedy}."
        yield self.diagnostic(call.tool_span, message, fixes, severity=None if required else Severity.WARNING)


def _is_of_dialect(binding: Binding) -> bool:
    """Return whether a call is certainly of its dialect: a setting says so, or the markers around its object do.

    Keys alone do not: objects of other interfaces have similar ones.
    """
    call, settings, place = binding.call, binding.settings, binding.call.details.get("object")
    if not isinstance(place, Span) or call.dialect in (NATIVE, settings.dialect, *settings.accept, *settings.taken):
        return True
    return _UNMARKED.fullmatch(binding.text, call.place.start, place.start) is None


def _applicability(certain: bool) -> Applicability:
    return Applicability.SAFE if certain else Applicability.UNSAFE


def _is_meant(binding: Binding, name: str) -> bool:
    """Return whether a member of the call's object certainly holds its arguments: the tool accepts them."""
    place = binding.call.details.get("object")
    if not isinstance(place, Span):
        return False
    read = read_json(binding.text, *place)
    value = read.value.get(name) if isinstance(read.value, dict) else None
    return not read.problems and _takes(binding, value)


def _takes(binding: Binding, value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and binding.tool is not None
        and value.keys() <= binding.tool.parameters.keys()
        and not validate(binding.tool.input_schema, value)
    )


def _elsewhere(binding: Binding, place: Span, key: str) -> Iterator[tuple[Span, str, Fix]]:
    """Yield where in a call's object the arguments are: under a wrong key, or beside the tool's name.

    A parser of the dialect ignores those members; they must not be taken for missing arguments.
    """
    read = read_json(binding.text, *place)
    if read.problems or read.root.kind != "object" or read.root.span != place:
        return
    others = [member for member in read.root.members if member.key not in _COMPANIONS and member.key != key]
    others = [
        member for member in others if not any(span.touches(member.value.span) for span in binding.call.name_spans)
    ]
    if not others:
        return
    objects = [member for member in others if member.value.kind == "object"]
    for member in objects[:1]:
        certain = len(objects) == 1 and _takes(binding, member.value.value)
        if certain or len(others) == 1:
            message = f"The arguments are under `{member.key}`; parsers look for `{key}`."
            applicability = _applicability(certain)
            edit = Edit(member.key_span, f'"{key}"')
            yield member.key_span, message, Fix(f"Rename to `{key}`", (edit,), applicability)
            return
    parameters = binding.tool.parameters if binding.tool is not None else {}
    if all(member.key in parameters for member in others):
        first, last = others[0].span, others[-1].span
        inside = [each for each in read.root.members if first.start <= each.span.start < last.end]
        value = {member.key: member.value.value for member in others}
        certain = len(inside) == len(others) and _takes(binding, value)
        edits = (insert(first.start, f'"{key}": {{'), insert(last.end, "}"))
        message = f"The arguments are next to the tool's name; parsers look for them in `{key}`."
        if len(inside) == len(others):
            applicability = _applicability(certain)
            yield Span(first.start, last.end), message, Fix(f"Move them into `{key}`", edits, applicability)
            return
    message = (
        f"The call has no `{key}`, but has other members. Parsers reject it or assume that there are none."
        f" Write the arguments as an object under `{key}`."
    )
    written = json_text({})
    fix = Fix("Add empty arguments", (insert(others[0].span.start, f'"{key}": {written}, '),), Applicability.UNSAFE)
    yield binding.call.tool_span, message, fix


def _required(binding: Binding) -> dict[str, Any]:
    """Return the arguments that the tool requires, each with a placeholder value."""
    if binding.tool is None:
        return {}
    return {name: example_value(one.schema) for name, one in binding.tool.parameters.items() if one.required}


def _closes_name(text: str, at: int) -> bool:
    return text.endswith("</tool_name>", 0, at)
