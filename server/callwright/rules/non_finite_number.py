"""Rule TC216: a number in JSON is not finite.

Owns: the words and the fix for what the JSON reader reports as `non-finite-number`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.calls.model import JsonValue, Path
from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.syntax.json import JsonNode
from callwright.text.words import quoted
from callwright.tools.parameters import subschema, types_of


class NonFiniteNumber(ProblemRule):
    """A number in JSON is not finite.

    Why is this bad: JSON has no `NaN` and no infinity. Python's parser accepts them, `JSON.parse` does not, and a
    number too large for a double silently becomes infinity.

    Example
        <debug_launch>{"program": "a.py", "timeout": Infinity}</debug_launch>
                                                     ^^^^^^^^ TC216 "`Infinity` is not a valid JSON number; write a finite number or `null`."

    Use instead
        <debug_launch>{"program": "a.py", "timeout": 3600}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC216"
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        found, format_ = subject.problem.data["text"], subject.problem.data.get("format", "JSON")
        null = "None" if format_ == "Python" else "null"
        if any(char.isdigit() for char in found):
            message = f"{quoted(found)} is too large for a number and becomes infinity. Write a smaller number."
        else:
            message = f"{quoted(found)} is not a valid {format_} number; write a finite number or `{null}`."
        fixes = repair_fix(subject, f"Replace {quoted(found)} with `{null}`") if _may_be_null(subject) else ()
        yield self.diagnostic(subject.problem.span, message, fixes)


def _may_be_null(subject: SyntaxSubject) -> bool:
    """Return whether the tool, as far as it is known, accepts null in place of the number."""
    call = subject.call
    if call is None or call.tool is None or not isinstance(call.arguments, JsonValue):
        return True
    path: Path = ()
    node = call.arguments.node
    while node.span != subject.problem.span:
        steps: list[tuple[str | int, JsonNode]] = [(member.key, member.value) for member in node.members]
        steps += list(enumerate(node.items))
        inner = next(((step, child) for step, child in steps if child.span.covers(subject.problem.span)), None)
        if inner is None:
            return True
        path, node = (*path, inner[0]), inner[1]
    for tool in subject.tools.get(call.tool):
        schema = subschema(tool.input_schema, tool.input_schema, path)
        types = None if schema is None else types_of(schema, tool.input_schema)
        if types is None or "null" in types:
            return True
    return not subject.tools.has(call.tool)
