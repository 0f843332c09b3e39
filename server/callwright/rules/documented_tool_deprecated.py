"""The rule `documented-tool-deprecated`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Diagnostic, DocumentRule, Severity

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


class DocumentedToolDeprecated(DocumentRule):
    """The prompt documents a deprecated tool without saying that it is deprecated.

    Why is this bad: the model treats it like any other tool and calls it until it is removed.

    Tools
        [
          {"name": "debug_source_file", "deprecated": "use `debug`", "inputSchema": {"type": "object"}},
          {"name": "debug", "inputSchema": {"type": "object"}}
        ]

    Example
        ## debug_source_file
           ^^^^^^^^^^^^^^^^^ TC814 "`debug_source_file` is deprecated: use `debug`."
        Starts the debugger on a file.

    Use instead
        ## debug
        Starts the debugger on a file.
    """

    code = "TC814"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each tool that is documented and deprecated in every set that has it."""
        if not documents_tools(subject):
            return
        from callwright.prompt.teachings import teaching_of

        for taught in teaching_of(subject).known(subject.registry):
            tools = subject.registry.get(taught.name)
            if taught.dated or any(tool.deprecated is None for tool in tools):
                continue
            remedy = (tools[0].deprecated or "").strip().rstrip(".")
            message = f"`{taught.name}` is deprecated: {remedy}." if remedy else f"`{taught.name}` is deprecated."
            yield self.diagnostic(taught.raw, message, tags=("deprecated",))
