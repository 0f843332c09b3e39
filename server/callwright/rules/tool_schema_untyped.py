"""The rule `tool-schema-untyped`."""

from collections.abc import Iterator
from typing import Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_object
from callwright.rules.support.tool_schemas import SchemaPart, is_refused, misfits, parts_of, states
from callwright.tools.profiles import ToolWants, tool_profile

#: Keywords that constrain the values, directly or by a reference.
_STATED: Final = ("type", "enum", "const", "$ref", "$dynamicRef")


class ToolSchemaUntyped(ToolRule):
    """A schema describes an object or an array but has no `type`.

    Why is this bad: the Model Context Protocol, OpenAI and Anthropic require `"type": "object"` at the top of an input
    schema, and reject or drop a tool without it. In a nested schema without a type, any value that is not an object is
    valid: `properties` apply only to objects.

    Example
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {"properties": {"limit": {"type": "integer", "description": "How many."}}}
            ^^^^^^^^^^^^^ TC517 "The Model Context Protocol requires `\"type\": \"object\"` in the input schema: add it."
          }
        ]

    Use instead
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {"properties": {"limit": {"type": "integer", "description": "How many."}}, "type": "object"}
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC517"
    fast_path = FastPath.PLAIN  # every plain schema has a type
    severity = Severity.INFO

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each schema with `properties` or `items` and without a type."""
        profile = tool_profile(subject.settings.provider, subject.definition.source)
        demand = profile.demand(ToolWants.ROOT_TYPE)
        for part in parts_of(subject):
            if part.is_root and part.is_input and demand is not None:
                if "type" not in part.schema and not is_refused(subject, part.path):
                    title = profile.title[:1].upper() + profile.title[1:]
                    yield self.diagnostic(
                        subject.at_key(part.path),
                        f'{title} requires `"type": "object"` in the input schema: add it.',
                        lambda part=part: _fixes(subject, part, "object"),  # type: ignore[misc]
                        severity=Severity(demand.severity),
                    )
                continue
            if part.is_root and not part.is_input and profile.demand(ToolWants.OUTPUT_OBJECT) is not None:
                continue  # `tool-output-not-object` reports it
            kind = _meant(subject, part)
            if kind is not None:
                keyword = "properties" if kind == "object" else "items"
                yield self.diagnostic(
                    subject.at_key((*part.path, keyword)),
                    f'The schema has `{keyword}` but no type, so it accepts other values, too: add `"type": "{kind}"`.',
                    lambda part=part, kind=kind: _fixes(subject, part, kind),  # type: ignore[misc]
                )


def _meant(subject: ToolSubject, part: SchemaPart) -> str | None:
    """Return the type that a schema without one is meant for; None for a schema that only completes another."""
    has_properties, has_items = "properties" in part.schema, "items" in part.schema
    if part.asked or part.whole is not None or has_properties == has_items or states(subject, part, *_STATED):
        return None
    if has_properties:
        return "object"
    # The arguments of a call are never an array.
    return None if part.is_root and part.is_input else "array"


def _fixes(subject: ToolSubject, part: SchemaPart, kind: str) -> Iterator[Fix]:
    # The arguments of a call are always an object; another value may be meant as something else.
    safe = part.is_root and part.is_input and not misfits({**part.schema, "type": kind})
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    edits = change_object(subject.document, part.path, put={"type": kind})
    yield from with_edits(f'Add `"type": "{kind}"`', edits, applicability)
