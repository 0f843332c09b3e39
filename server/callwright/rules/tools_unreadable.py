"""The rule `tools-unreadable`."""

from callwright.rules.base import FileProblemRule, Scope


class ToolsUnreadable(FileProblemRule):
    """A tool file cannot be read.

    Why is this bad: other programs fail to load the file, so a model gets none of its tools. Callwright uses what it
    can still read; calls of the other tools are reported as unknown or are not checked.

    Example
        [
          {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}},
                                                                                                  ^ TC501 "the file is not valid JSON (trailing comma): correct the file there"
        ]

    Use instead
        [
          {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC501"
    scope = Scope.TOOLS
    problems = ("tools-unreadable", "tools-invalid-syntax", "tools-not-understood")
