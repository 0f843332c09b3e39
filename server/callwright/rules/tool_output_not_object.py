"""The rule `tool-output-not-object`."""

from collections.abc import Iterator, Mapping

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_object
from callwright.rules.support.tool_schemas import is_refused, misfits
from callwright.rules.support.tool_words import quoted
from callwright.tools.profiles import ToolWants, tool_profile


class ToolOutputNotObject(ToolRule):
    """The output schema of a tool of the Model Context Protocol does not describe an object.

    Why is this bad: revisions of the protocol before 2026-07-28 accept only output schemas of type `object`, and their
    clients reject the whole list of tools or drop this one.

    Example
        [
          {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "array", "items": {"type": "string"}}
                                     ^^^^^^^ TC519 "The output schema has type `array`; before its revision 2026-07-28, the Model Context Protocol accepts only `object`: wrap the result in an object."
          }
        ]

    Use instead
        [
          {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "properties": {"files": {"type": "array", "items": {"type": "string"}}}}
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC519"
    fast_path = FastPath.PLAIN  # a plain definition has no output schema
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the output schema names another type, or none."""
        definition = subject.definition
        profile = tool_profile(subject.settings.provider, definition.source)
        demand = profile.demand(ToolWants.OUTPUT_OBJECT)
        schema, path = definition.output_schema, definition.output_path
        if demand is None or path is None or not isinstance(schema, Mapping) or schema.get("type") == "object":
            return
        if is_refused(subject, path) or is_refused(subject, (*path, "type")):
            return
        severity = Severity(demand.severity)
        before = "before its revision 2026-07-28, the Model Context Protocol accepts only `object`"
        if "type" not in schema:
            message = f'The output schema has no `"type": "object"`; {before}: add it.'
            yield self.diagnostic(
                subject.at_key(path), message, lambda: _fixes(subject, path, schema), severity=severity
            )
            return
        kind = schema["type"]
        shown = " or ".join(quoted(str(one)) for one in kind) if isinstance(kind, list) else quoted(str(kind))
        message = f"The output schema has type {shown}; {before}: wrap the result in an object."
        yield self.diagnostic(subject.at((*path, "type")), message, severity=severity)


def _fixes(subject: ToolSubject, path: tuple[str | int, ...], schema: Mapping[str, object]) -> Iterator[Fix]:
    edits = change_object(subject.document, path, put={"type": "object"})
    safe = "properties" in schema and not misfits({**schema, "type": "object"})
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    yield from with_edits('Add `"type": "object"`', edits, applicability)
