"""The rule `deprecated-tool`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, CallRule, Diagnostic, Fix, Severity
from callwright.schema.validation import validate
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

_QUOTED = re.compile(r"`([^`\n]++)`")


class DeprecatedTool(CallRule):
    """The call names a tool that its definition marks as deprecated.

    Why is this bad: the tool will be removed, and every prompt and transcript that shows it teaches a model to call it.
    Where the definition names a replacement, the fix offers it; whether it does the same with these arguments is for
    you to decide.

    Tools
        [
          {"name": "run", "deprecated": "use `launch`", "inputSchema": {"type": "object"}},
          {"name": "launch", "inputSchema": {"type": "object"}}
        ]

    Example
        <tool_call>{"name": "run", "arguments": {}}</tool_call>
                             ^^^ TC530 "`run` is deprecated: use `launch`."

    Use instead
        <tool_call>{"name": "launch", "arguments": {}}</tool_call>
    """

    code = "TC530"
    fast_path = FastPath.PLAIN  # the call of a deprecated tool is not plain
    severity = Severity.WARNING

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the tool that the call is bound to is deprecated."""
        tool, call = subject.tool, subject.call
        if tool is None or tool.deprecated is None:
            return
        remedy = " ".join(tool.deprecated.split())
        message = f"`{call.tool}` is deprecated" + (f": {remedy.rstrip('.')}." if remedy else ".")
        # A tool that is only offered may be meant for another version of the system.
        severity = self.severity if subject.registry.closed else Severity.INFO
        yield self.diagnostic(
            call.tool_span, message, lambda: self._fixes(subject, remedy), severity=severity, tags=("deprecated",)
        )

    def _fixes(self, binding: Binding, remedy: str) -> Iterator[Fix]:
        for name in dict.fromkeys(_QUOTED.findall(remedy)):
            for tool in binding.registry.get(name)[:1]:
                if tool.deprecated is None and not (tool.checked and validate(tool.input_schema, binding.arguments)):
                    edits = tuple(Edit(span, name) for span in binding.call.name_spans)
                    yield Fix(f"Call `{name}` instead", edits, Applicability.UNSAFE)
