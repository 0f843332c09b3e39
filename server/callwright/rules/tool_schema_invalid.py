"""The rule `tool-schema-invalid`."""

import json
import re
from collections.abc import Iterator
from typing import Final

from callwright.rules.base import (
    Applicability,
    Diagnostic,
    FileProblemRule,
    Fix,
    Scope,
    Severity,
    SyntaxSubject,
)
from callwright.rules.support.schema_words import TYPE_WORDS
from callwright.syntax.json import read_json
from callwright.text.span import Edit, delete
from callwright.tools.names import nearest
from callwright.tools.schema_check import meant_type

_TYPE: Final = re.compile(r"/type(?:/[0-9]++)?+\Z")
#: For a longer list of required names no fix is offered.
_MAX_COUNT: Final = 1_000


class ToolSchemaInvalid(FileProblemRule):
    """A tool's schema is not a valid JSON Schema for an arguments object.

    Why is this bad: calls of this tool cannot be checked against it; some validators reject the whole tool list. Python
    type names (`dict`, `str`, `int`, …), which data sets use on purpose, are reported as an info, once per schema.

    Example
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {
              "type": "object",
              "properties": {"limit": {"type": "integr", "description": "How many commits."}}
                                               ^^^^^^^^ TC503 "`integr` is not a JSON type: write `integer`"
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
              "properties": {"limit": {"type": "integer", "description": "How many commits."}}
            }
          }
        ]
    """

    code = "TC503"
    scope = Scope.TOOLS
    of_declarations = True

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic for one problem of the file."""
        (found,) = super().check(subject)
        severity = Severity.INFO if subject.problem.data.get("convention") else self.severity
        yield self.diagnostic(found.span, found.message, lambda: _fixes(subject), severity=severity)


def _fixes(subject: SyntaxSubject) -> Iterator[Fix]:
    """Yield the fix for a type that is named as in another language, or for a name that is required twice.

    The value must be written as in JSON, else there is no fix.
    """
    span, pointer = subject.problem.span, str(subject.problem.data.get("pointer", ""))
    written = span.of(subject.text)
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return
    if isinstance(value, str) and _TYPE.search(pointer) is not None:
        meant = meant_type(value) or nearest(value, TYPE_WORDS)
        if meant is not None and meant != value:
            # An array needs a schema for its entries.
            applicability = Applicability.UNSAFE if meant == "array" else Applicability.SAFE
            yield Fix(f"Change to `{meant}`", (Edit(span, json.dumps(meant)),), applicability)
    elif isinstance(value, list) and pointer.endswith("/required") and all(isinstance(name, str) for name in value):
        items = read_json(subject.text, span.start, span.end).root.items
        again = [index for index, name in enumerate(value) if name in value[:index]]
        if again and len(items) == len(value) and len(value) <= _MAX_COUNT:
            edits = tuple(delete(items[index - 1].span.end, items[index].span.end) for index in again)
            yield Fix("Remove duplicates from `required`", edits)
