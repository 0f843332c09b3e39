"""The rule `tool-duplicate`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolDuplicate(Rule):
    """Two tools of one set have the same name.

    Why is this bad: a call names one tool; which of the two answers depends on the reader.

    Example
        [
          {"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object"}},
          {"name": "git_log", "description": "Shows one commit.", "inputSchema": {"type": "object"}}
                   ^^^^^^^^^ TC505 "`git_log` is defined twice in this set; the first definition counts: rename or remove one of them"
        ]

    Use instead
        [
          {"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object"}},
          {"name": "git_show", "description": "Shows one commit.", "inputSchema": {"type": "object"}}
        ]
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC505"
    name = "tool-duplicate"
    scope = Scope.TOOLS
    of_declarations = True
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.WARNING
    problems = ("tool-duplicate",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
