"""The rule `tool-schema-impossible`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_object
from callwright.rules.support.tool_schemas import SchemaPart, contradictions, parts_of


class ToolSchemaImpossible(ToolRule):
    """No value satisfies the schema.

    Why is this bad: whatever a model passes, the call is rejected. Providers also reject an empty `enum`.

    Example
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "limit": {"type": "integer", "description": "How many commits.", "minimum": 100, "maximum": 1}
                                                                                                            ^ TC512 "`minimum` is 100 and `maximum` is 1: no value satisfies both."
              }
            }
          }
        ]

    Use instead
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "limit": {"type": "integer", "description": "How many commits.", "minimum": 1, "maximum": 100}
              }
            }
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC512"
    of_declarations = True
    fast_path = FastPath.PLAIN  # a plain schema has one limit at most

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each empty choice and for each pair of limits that exclude each other."""
        for part in parts_of(subject):
            if part.asked:
                continue
            if part.schema.get("enum") == []:
                message = "The `enum` is empty, so no value satisfies it: list the values, or remove it."
                yield self.diagnostic(
                    subject.at((*part.path, "enum")),
                    message,
                    lambda part=part: _without_enum(subject, part),  # type: ignore[misc]
                )
            for low, high in contradictions(part.schema):
                least, most = part.schema[low], part.schema[high]
                message = f"`{low}` is {least} and `{high}` is {most}: no value satisfies both."
                yield self.diagnostic(
                    subject.at((*part.path, high)),
                    message,
                    lambda part=part, low=low, high=high: _swapped(subject, part, low, high),  # type: ignore[misc]
                )


def _without_enum(subject: ToolSubject, part: SchemaPart) -> Iterator[Fix]:
    edits = change_object(subject.document, part.path, drop=("enum",))
    yield from with_edits("Remove the empty `enum`", edits, Applicability.UNSAFE)


def _swapped(subject: ToolSubject, part: SchemaPart, low: str, high: str) -> Iterator[Fix]:
    least, most = part.schema[low], part.schema[high]
    if least != most:
        edits = change_object(subject.document, part.path, put={low: most, high: least})
        yield from with_edits(f"Swap `{low}` and `{high}`", edits, Applicability.UNSAFE)
