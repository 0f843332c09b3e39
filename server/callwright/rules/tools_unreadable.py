"""The rule `tools-unreadable`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolsUnreadable(Rule):
    """A tool file cannot be read.

    Why is this bad: other programs give up on the file, and so none of its tools is there for a model. Callwright
    uses what it can still read of it; calls of the rest are reported as unknown, or go unchecked.

    Example
        [
          {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}},
                                                                                                  ^ TC501 "the file is not valid JSON (trailing comma): correct the file there"
        ]

    Use instead
        [
          {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}}
        ]
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC501"
    name = "tools-unreadable"
    scope = Scope.TOOLS
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("tools-unreadable", "tools-invalid-syntax", "tools-not-understood")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
