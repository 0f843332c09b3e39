"""The rule `missing-tool-name`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix
from callwright.schema.validation import validate
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

#: Keys for the tool's name, of all dialects.
_NAMES = ("name", "function", "tool", "tool_name", "function_name")
#: Keys that the own formats of some products use instead.
_OTHER_NAMES = (*_NAMES, "action", "command", "method", "recipient_name", "toolName", "functionName")


class MissingToolName(CallRule):
    """The call has no tool name where the dialect requires one.

    Why is this bad: parsers silently drop such a call. The model assumes that it has called a tool, but nothing
    happens. If no dialect is configured, a call that names an unknown tool under another key, such as `action`, is not
    reported: it may be a product's own format.

    Example
        ```json
        {"arguments": {"path": "a.py"}}
        ^ TC310 "The call names no tool. Add a `tool` with the tool's name."
        ```

    Use instead
        ```json
        {"tool": "read_file", "arguments": {"path": "a.py"}}
        ```
    """

    code = "TC310"
    fast_path = FastPath.PLAIN  # a plain call has a name
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a call has no tool name."""
        call = subject.call
        if call.tool is not None or _is_named_otherwise(subject):
            return
        key = "<tool_name>" if call.details.get("family") == "tool_call" else call.details.get("name_key") or "tool"
        if call.details.get("named"):
            message = f"`{key.strip('<>')}` contains no tool name. Write the tool's name as text."
            yield self.diagnostic(call.tool_span, message, lambda: _renamed_key(subject))
            return
        keys = _misnamed(subject, key)
        if keys is None:
            message = f"The call names no tool. Add a `{key}` with the tool's name."
            yield self.diagnostic(call.tool_span, message, lambda: _renamed_key(subject))
            return
        yield self.diagnostic(keys.place, keys.message, keys.fixes)


class _Misnamed(NamedTuple):
    """A call whose tool is named under another key; the arguments may be under another key as well."""

    place: Span
    message: str
    fixes: tuple[Fix, ...]


def _misnamed(binding: Binding, wanted: str) -> _Misnamed | None:
    """Return which key of a call's object names a tool, and which has its arguments; None where no key names a tool."""
    from callwright.syntax.json import read_json

    call = binding.call
    place = call.details.get("object")
    if not isinstance(place, Span):
        return None
    read = read_json(binding.text, *place)
    if read.root.kind != "object" or wanted in (member.key for member in read.root.members):
        return None
    named = [
        member
        for member in read.root.members
        if member.key in _OTHER_NAMES
        and isinstance(member.value.value, str)
        and binding.registry.has(member.value.value)
    ]
    if len(named) != 1:
        return None
    member = named[0]
    message = f"The tool's name is under `{member.key}`; parsers look for `{wanted}`."
    edits = [Edit(member.key_span, f'"{wanted}"')]
    misnamed, key = call.details.get("misnamed"), call.details.get("arguments_key")
    if misnamed and key and len(misnamed) == 2:
        written, span = misnamed
        message = (
            f"The tool's name is under `{member.key}` and its arguments under `{written}`;"
            f" parsers look for `{wanted}` and `{key}`."
        )
        edits.append(Edit(span, f'"{key}"'))
    title = f"Rename the key `{member.key}` to `{wanted}`" if len(edits) == 1 else f"Rename to `{wanted}` and `{key}`"
    certain = not read.problems and _takes(
        binding, member.value.value, read.value.get(misnamed[0] if misnamed else key)
    )
    applicability = Applicability.SAFE if certain else Applicability.UNSAFE
    return _Misnamed(member.key_span, message, (Fix(title, tuple(edits), applicability),))


def _takes(binding: Binding, name: str, arguments: Any) -> bool:
    """Return whether a tool of this name accepts the arguments."""
    return isinstance(arguments, dict) and any(
        not validate(tool.input_schema, arguments) for tool in binding.registry.get(name)
    )


def _is_named_otherwise(binding: Binding) -> bool:
    """Return whether another key names an unknown tool and no dialect is set: it may be a product's own format."""
    from callwright.syntax.json import read_json

    span, settings = binding.call.details.get("object"), binding.settings
    if span is None or settings.strict or settings.dialect is not None:
        return False
    value = read_json(binding.text[span.start : span.end]).value
    named = [value[key] for key in _OTHER_NAMES if key in value] if isinstance(value, dict) else []
    return any(isinstance(name, str) and name and not binding.registry.has(name) for name in named)


def _renamed_key(binding: Binding) -> Iterator[Fix]:
    """Offer to rename a key that other dialects use for the tool's name."""
    from callwright.calls.model import JsonValue

    arguments = binding.call.arguments
    if not isinstance(arguments, JsonValue) or not arguments.path:
        return
    wanted = binding.call.details.get("name_key") or "tool"
    for key in _NAMES:
        path = (*arguments.path[:-1], key)
        node, span = arguments.read.locate(path), arguments.read.locate_key(path)
        if node is not None and span is not None and isinstance(node.value, str) and binding.registry.has(node.value):
            yield Fix(f"Rename the key `{key}` to `{wanted}`", (Edit(span, f'"{wanted}"'),), Applicability.SAFE)
