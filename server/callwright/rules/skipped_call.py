"""Rule TC114: readers of the dialect skip a text that is framed as a call.

Owns: the words for what readers of calls report as `skipped-call`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix


class SkippedCall(ProblemRule):
    """Text has the markers of a call, but something in them makes parsers of the dialect skip it.

    Why is this bad: nothing is called, and no error is reported. The model, or the reader of a prompt, assumes that the
    call works.

    Example
        <|tool_calls_section_begin|><|tool_call_begin|>functions.git_status<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>
                                                       ^^^^^^^^^^^^^^^^^^^^ TC114 "Parsers skip this call: its id ends in no number. Write `functions.git_status:0`."

    Use instead
        <|tool_calls_section_begin|><|tool_call_begin|>functions.git_status:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>

    Example
        <tool_cal>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_cal>
         ^^^^^^^^ TC114 "Parsers skip this call: the tag around it is named `tool_cal`. Rename it to `tool_call`."

    Use instead
        <tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>
    """  # noqa: E501  an annotation is on one line

    code = "TC114"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        reason, remedy = problem.data["reason"], problem.data["remedy"]
        message = f"Parsers skip this call: {reason}. {remedy}."
        found = self.diagnostic(problem.span, message, repair_fix(subject, remedy))
        if problem.data.get("strange"):
            # Nothing in it is malformed: it is in no dialect.
            found.error_type = ErrorType.NO_CALLS
        elif problem.data.get("json"):
            found.error_type = ErrorType.MALFORMED_JSON
        yield found
