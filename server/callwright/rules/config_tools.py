"""The rule `config-tools`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigTools(FileProblemRule):
    """The configuration names tool files that do not exist or cannot be loaded.

    Why is this bad: calls are checked without these tools.

    Example
        tools = ["tool.json"]
                 ^^^^^^^^^^^ TC604

    Use instead
        tools = ["tools.json"]
    """

    code = "TC604"
    scope = Scope.CONFIG
    problems = ("config-tools-missing", "config-tools-failed")
