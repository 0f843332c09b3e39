"""The rule `missing-arguments`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.rules.base import Applicability, Diagnostic, ErrorType, Fix, Rule, Scope, Severity
from callwright.text.span import Span, insert

if TYPE_CHECKING:
    from callwright.analysis.binding import Binding


class MissingArguments(Rule):
    """The call names a tool and has no place for its arguments at all.

    Why is this bad: the notation asks for both. Readers that look for a name *and* arguments drop such a call without a
    word, even for a tool that takes none.

    Example
        <tool_call><tool_name>git_status</tool_name></tool_call>
                              ^^^^^^^^^^ TC311 "The call has no `<arguments>`, so readers drop it."

    Use instead
        <tool_call><tool_name>git_status</tool_name><arguments></arguments></tool_call>
    """

    code = "TC311"
    name = "missing-arguments"
    scope = Scope.CALL
    severity = Severity.ERROR
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a finding where a notation with a place for arguments has none."""
        call = subject.call
        family = call.details.get("family")
        if call.arguments is not None or call.tool is None or family is None or subject.coerced.elided:
            return
        required = subject.tool is not None and any(p.required for p in subject.tool.parameters.values())
        applicability = Applicability.UNSAFE if required else Applicability.SAFE
        if family == "tool_call":
            message = "The call has no `<arguments>`, so readers drop it."
            at = call.name_spans[0].end + len("</tool_name>") if call.name_spans else call.span.end
            fix = Fix("Add empty arguments", (insert(at, "<arguments></arguments>"),), applicability)
            yield self.diagnostic(call.tool_span, message, (fix,) if _closes_name(subject.text, at) else ())
            return
        place = call.details.get("object")
        fixes: tuple[Fix, ...] = ()
        if isinstance(place, Span) and call.name_spans:
            at = call.name_spans[0].end + 1
            fixes = (Fix("Add empty arguments", (insert(at, ', "arguments": {}'),), applicability),)
        message = "The call has no `arguments`. Readers refuse it, or guess that there are none."
        yield self.diagnostic(call.tool_span, message, fixes, severity=None if required else Severity.WARNING)


def _closes_name(text: str, at: int) -> bool:
    return text.endswith("</tool_name>", 0, at)
