"""The rule `tool-without-name`."""

from callwright.rules.base import FileProblemRule, Scope


class ToolWithoutName(FileProblemRule):
    """A tool definition has no usable name.

    Why is this bad: a call names its tool; a tool without a name can never be called and is ignored.

    Example
        [{"description": "Shows what has changed.", "inputSchema": {"type": "object"}}]
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC502 "the definition has no usable name: add a `name`"

    Use instead
        [{"name": "git_status", "description": "Shows what has changed.", "inputSchema": {"type": "object"}}]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC502"
    scope = Scope.TOOLS
