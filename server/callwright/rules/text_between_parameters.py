"""Rule TC107: text is between the parameters of a call, or between the entries of an array.

Owns: the words and the fix for what the XML reader reports as `text-between-parameters`. Must not know: how it is
detected.
"""

from collections.abc import Iterator

from callwright.calls.model import MarkupValue
from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.mixed_arguments import MixedArguments
from callwright.text.words import quoted


class TextBetweenParameters(ProblemRule):
    """There is text between the parameters of a call, where only elements are allowed.

    Why is this bad: parsers ignore the text. Most often it is a remark by the model, or a value whose opening tag is
    missing.

    Example
        <read_file>Let me see: <path>src/main.py</path></read_file>
                   ^^^^^^^^^^^ TC107 "Text between the parameters of `read_file` is ignored. Remove it, or put it into a parameter."

    Use instead
        <read_file> <path>src/main.py</path></read_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC107"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        if _is_only_argument(subject):
            return
        name, text = str(subject.problem.data["name"]), str(subject.problem.data["text"])
        if name == "tool_call":
            what = quoted(text) if text.startswith("<") else "This text"
            message = f"{what} is not part of a `<tool_call>` and is ignored."
            remedy = "Remove it, or put it into `<arguments>`."
        elif "entry" in subject.problem.data:
            message = f"Text between the entries of `{name}` is ignored."
            remedy = f"Remove it, or put it into `<{subject.problem.data['entry']}>`."
        else:
            tool = subject.call.tool if subject.call is not None and name == "arguments" else None
            message = f"Text between the parameters of `{tool or name}` is ignored."
            remedy = "Remove it, or put it into a parameter."
        mixed = MixedArguments(subject, text)
        if mixed.there:
            remedy = "Write it in the form of the other parameters."
        yield self.diagnostic(
            subject.problem.span,
            f"{message} {remedy}",
            lambda: mixed.fixes() if mixed.there else repair_fix(subject, "Remove the text"),
            missing=mixed.missing,
        )


def _is_only_argument(subject: SyntaxSubject) -> bool:
    """Return whether the text is the only content of a call of an unknown tool: its product may accept that."""
    call = subject.call
    if subject.settings.strict or call is None or call.tool is None or subject.tools.has(call.tool):
        return False
    value = call.arguments
    return isinstance(value, MarkupValue) and not value.element.elements
