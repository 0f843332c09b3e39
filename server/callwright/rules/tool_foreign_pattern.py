"""The rule `tool-foreign-pattern`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import replace_value
from callwright.rules.support.tool_schemas import parts_of
from callwright.tools.patterns import Pattern, read_pattern


class ToolForeignPattern(ToolRule):
    """A pattern uses syntax that ECMA 262, the standard for patterns in JSON Schema, does not have.

    Why is this bad: one validator rejects the schema, another reads the pattern differently (in JavaScript `\\\\Z` is
    the letter Z), and a third does what was meant. Providers that constrain generation by the pattern reject the tool.

    Example
        [
          {
            "name": "find_user",
            "description": "Finds a user.",
            "inputSchema": {
              "type": "object",
              "properties": {"name": {"type": "string", "description": "The user.", "pattern": "^(?P<first>[a-z]+)$"}}
                                                                                               ^^^^^^^^^^^^^^^^^^^^^ TC522 "`(?P<` is Python's syntax for a named group: write `(?<`."
            }
          }
        ]

    Use instead
        [
          {
            "name": "find_user",
            "description": "Finds a user.",
            "inputSchema": {
              "type": "object",
              "properties": {"name": {"type": "string", "description": "The user.", "pattern": "^(?<first>[a-z]+)$"}}
            }
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC522"
    fast_path = FastPath.PLAIN  # a plain schema has no pattern
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each pattern with syntax of another regular-expression language."""
        for part in parts_of(subject):
            pattern = part.schema.get("pattern")
            if not isinstance(pattern, str):
                continue
            known = read_pattern(pattern)
            if known.foreign:
                path = (*part.path, "pattern")
                first = known.foreign[0]
                remedy = f": write `{first.instead}`." if first.instead else ": write the pattern without it."
                yield self.diagnostic(
                    subject.at(path),
                    first.meaning + remedy,
                    lambda path=path, known=known: _fixes(subject, path, known),  # type: ignore[misc]
                )


def _fixes(subject: ToolSubject, path: tuple[str | int, ...], known: Pattern) -> Iterator[Fix]:
    text = known.source
    for one in reversed(known.foreign):
        if one.instead is None:
            return
        text = text[: one.start] + one.instead + text[one.end :]
    if read_pattern(text).fault is not None:
        return
    yield from with_edits(f"Change to `{text}`", replace_value(subject.document, path, text))
