"""Rule TC402: well-known engines read this place of a call in different ways.

Owns: the words for what readers report as `engines-differ`. Must not know: how it is found, which engines there are.
"""

from callwright.rules.base import ProblemRule, Severity
from callwright.syntax.problem import Problem


class EnginesDiffer(ProblemRule):
    """Well-known engines read this part of a call differently.

    Why is this bad: the tool may get other arguments once the model is served by another engine. The dialect's page
    says which reading Callwright uses. Where there is a form that all engines read alike, use it.

    Example
        <function=read_file>
        ^^^^^^^^^^^^^^^^^^^ TC402 "This call is read although there is no `<tool_call>` before it; vLLM and llama.cpp read it too, SGLang reads it as text."
        <parameter=path>
        a.py
        </parameter>
        </function>

    Use instead
        <tool_call>
        <function=read_file>
        <parameter=path>
        a.py
        </parameter>
        </function>
        </tool_call>
    """  # noqa: E501  an annotation is on one line

    code = "TC402"
    severity = Severity.INFO

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        message = f"{problem.data['reading']}; {problem.data['others']}."
        return message, "Rewrite it so that all engines agree"
