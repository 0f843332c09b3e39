"""The rule `config-tools`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigTools(FileProblemRule):
    """The configuration names tool files that are not there or do not load.

    Why is this bad: calls are checked without the tools that were meant.

    Example
        tools = ["tool.json"]
                 ^^^^^^^^^^^ TC604

    Use instead
        tools = ["tools.json"]
    """

    code = "TC604"
    scope = Scope.CONFIG
    problems = ("config-tools-missing", "config-tools-failed")
