"""The rule `unknown-tool`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.calls.result_text import RESULT_MARKER
from callwright.calls.vocabularies import RESULT_TAGS
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix, Severity
from callwright.text.records import replace
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.schema.binding import Binding


class UnknownTool(CallRule):
    """The call names a tool that is not in the registry.

    Why is this bad: the call cannot be executed. The agent reports an unknown tool, or reads the text as prose and
    continues without calling anything. If the name is one or two letters off, the fix offers the nearest tool.

    Example
        <raed_file><path>a.py</path></raed_file>
         ^^^^^^^^^ TC301 "`raed_file` is not a tool; did you mean `read_file`?"

    Use instead
        <read_file><path>a.py</path></read_file>
    """

    code = "TC301"
    fast_path = FastPath.PLAIN  # a plain call names one tool in force
    error_type = ErrorType.UNKNOWN_TOOL

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the call's tool is not in the registry."""
        call = subject.call
        if call.tool is None or subject.candidates:
            return
        closed = subject.registry.closed
        near = subject.registry.near(call.tool) or (subject.registry.unqualified(call.tool) if closed else None)
        if near is None and not closed:
            return

        def fixes() -> Iterator[Fix]:
            if near is not None:
                # Arguments that do not fit the nearest tool may be meant for another one.
                safe = Applicability.SAFE if _takes(subject, near) else Applicability.UNSAFE
                yield Fix(f"Rename to `{near}`", tuple(Edit(span, near) for span in call.name_spans), safe)

        if near is not None:
            message = f"`{call.tool}` is not a tool; did you mean `{near}`?"
        elif call.tool in RESULT_TAGS or call.tool == RESULT_MARKER:
            message = f"`{call.tool}` begins a result, but no tool has returned one. End the reply with the call."
        else:
            known = subject.registry.sorted_names
            some = ", ".join(f"`{name}`" for name in known[:5]) + (" and others" if len(known) > 5 else "")
            which = f"The only tool here is {some}." if len(known) == 1 else f"The tools here are {some}."
            message = f"`{call.tool}` is not a tool. {which}"
        # A registry that does not claim to know every tool can only suspect a misspelling.
        severity = self.severity if closed else Severity.WARNING if subject.registry.declared else Severity.INFO
        yield self.diagnostic(call.tool_span, message, fixes, severity=severity)


def _takes(binding: Binding, tool: str) -> bool:
    """Return whether a tool accepts a call's arguments, however they are read."""
    from callwright.calls.model import MarkupValue
    from callwright.schema.binding import bind

    if isinstance(binding.call.arguments, MarkupValue) and not all(each.certain for each in binding.call.problems):
        # Invalid elements are read by the tool's parameters.
        return False
    call = replace(binding.call, tool=tool)
    meant = bind(call, binding.text, binding.registry, binding.settings, fence=binding.fence, peers=binding.peers)
    return meant.fits
