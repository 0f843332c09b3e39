"""The rule `tool-duplicate`."""

from callwright.rules.base import FileProblemRule, Scope, Severity


class ToolDuplicate(FileProblemRule):
    """Two tools of one set have the same name.

    Why is this bad: a call names one tool; which of the two runs depends on the agent.

    Example
        [
          {"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object"}},
          {"name": "git_log", "description": "Shows one commit.", "inputSchema": {"type": "object"}}
                   ^^^^^^^^^ TC505 "`git_log` is defined twice in this set; the first definition is used: rename or remove one of them"
        ]

    Use instead
        [
          {"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object"}},
          {"name": "git_show", "description": "Shows one commit.", "inputSchema": {"type": "object"}}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC505"
    scope = Scope.TOOLS
    of_declarations = True
    severity = Severity.WARNING
