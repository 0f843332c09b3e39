"""The rule `tool-array-without-items`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_object
from callwright.rules.support.tool_schemas import SchemaPart, parts_of, states, type_names
from callwright.rules.support.tool_words import quoted
from callwright.tools.parameters import type_name
from callwright.tools.profiles import ToolWants, tool_profile

#: Keywords that describe the entries, or list the allowed arrays.
_STATED = ("items", "prefixItems", "contains", "unevaluatedItems", "enum", "const")


class ToolArrayWithoutItems(ToolRule):
    """A schema declares an array without describing its items.

    Why is this bad: OpenAI, Gemini and some editors reject a tool with such a schema, often together with the whole
    list of tools. Where it is accepted, a model has to guess what to put into the array.

    Example
        [
          {
            "name": "read_files",
            "description": "Reads files.",
            "inputSchema": {
              "type": "object",
              "properties": {"paths": {"type": "array", "description": "The files to read."}}
                                               ^^^^^^^ TC510 "`paths` is an array whose items are not described: add `items`."
            }
          }
        ]

    Use instead
        [
          {
            "name": "read_files",
            "description": "Reads files.",
            "inputSchema": {
              "type": "object",
              "properties": {"paths": {"type": "array", "description": "The files to read.", "items": {"type": "string"}}}
            }
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC510"
    fast_path = FastPath.PLAIN  # a plain array has `items`
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each schema of an array that does not describe the entries."""
        demand = tool_profile(subject.settings.provider, subject.definition.source).demand(ToolWants.ITEMS)
        for part in parts_of(subject):
            if part.asked or "array" not in type_names(part.schema) or _is_described(subject, part):
                continue
            name = _name(part)
            message = f"{name} is an array whose items are not described: add `items`."
            severity = Severity(demand.severity) if demand is not None and part.is_input else self.severity
            yield self.diagnostic(
                subject.at((*part.path, "type")),
                message,
                lambda part=part: _fixes(subject, part),  # type: ignore[misc]
                severity=severity,
            )


def _is_described(subject: ToolSubject, part: SchemaPart) -> bool:
    """Return whether the schema, or one around it for the same value, describes the entries."""
    outer: SchemaPart | None = part
    while outer is not None:
        if states(subject, outer, *_STATED):
            return True
        outer = outer.around if outer is not outer.value else None
    return False


def _name(part: SchemaPart) -> str:
    whole = part.value
    return quoted(str(whole.path[-1])) if whole.via in ("properties", "$defs", "definitions") else "This value"


def _fixes(subject: ToolSubject, part: SchemaPart) -> Iterator[Fix]:
    kind = _kind_of_entries(part)
    edits = change_object(subject.document, part.path, put={"items": {"type": kind}})
    yield from with_edits(f"Add `items` of type `{kind}`", edits, Applicability.UNSAFE)


def _kind_of_entries(part: SchemaPart) -> str:
    """Return the type of the entries that the schema's values show, `string` where they show none."""
    shown = part.schema.get("examples")
    arrays = [part.schema.get("default"), *(shown if isinstance(shown, list) else ())]
    kinds = {type_name(entry) for array in arrays if isinstance(array, list) for entry in array}
    return kinds.pop() if len(kinds) == 1 and "null" not in kinds else "string"
