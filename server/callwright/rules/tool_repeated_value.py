"""The rule `tool-repeated-value`."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_array
from callwright.rules.support.tool_schemas import is_refused, parts_of
from callwright.rules.support.tool_words import quoted

#: How many values of one list are reported.
_MAX_REPORTED: Final = 50


class ToolRepeatedValue(ToolRule):
    """An `enum` lists a value twice.

    Why is this bad: older drafts of JSON Schema forbid it, and so do some providers and validators. Often another value
    was meant, which is now missing.

    Example
        [
          {
            "name": "sort",
            "description": "Sorts the list.",
            "inputSchema": {
              "type": "object",
              "properties": {"order": {"description": "Which way.", "enum": ["up", "down", "up"]}}
                                                                                           ^^^^ TC515 "`enum` lists `\"up\"` twice: remove one of them."
            }
          }
        ]

    Use instead
        [
          {
            "name": "sort",
            "description": "Sorts the list.",
            "inputSchema": {
              "type": "object",
              "properties": {"order": {"description": "Which way.", "enum": ["up", "down"]}}
            }
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC515"
    of_declarations = True
    fast_path = FastPath.PLAIN  # plain lists have no equal entries
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each value of an `enum` that repeats an earlier one."""
        for part in parts_of(subject):
            values = part.schema.get("enum")
            path = (*part.path, "enum")
            if not isinstance(values, list) or len(values) < 2 or is_refused(subject, path):
                continue
            for index in islice(_again(values), _MAX_REPORTED):
                yield self.diagnostic(
                    subject.at((*path, index)),
                    f"`enum` lists {quoted(json.dumps(values[index], ensure_ascii=False))} twice: remove one of them.",
                    lambda path=path, index=index: _fixes(subject, path, index),  # type: ignore[misc]
                )


def _again(values: list[Any]) -> Iterator[int]:
    """Yield the indexes of values that repeat an earlier one."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        key = _key(value)
        if key in seen:
            yield index
        seen.add(key)


def _key(value: Any) -> str:
    """Return a key that is equal for values that are equal in JSON: 1.0 is 1, and `true` is not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _fixes(subject: ToolSubject, path: tuple[str | int, ...], index: int) -> Iterator[Fix]:
    yield from with_edits("Remove the second one", change_array(subject.document, path, drop=(index,)))
