"""The rule `tool-remote-ref`."""

from callwright.rules.base import FileProblemRule, Scope


class ToolRemoteRef(FileProblemRule):
    """A tool's schema refers to something outside its own file.

    Why is this bad: nothing is ever fetched while text is checked, so what lies behind the reference is not known;
    a schema that depends on the network is not the same schema tomorrow.

    Example
        [{"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object", "$ref": "https://example.com/git-log.json"}}]
                                                                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC504 "`https://example.com/git-log.json` lies outside this file, and nothing is ever fetched: copy what it refers to under `$defs` and refer to it by `#/$defs/…`"

    Use instead
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {"type": "object", "$ref": "#/$defs/log", "$defs": {"log": {"type": "object"}}}
          }
        ]
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC504"
    scope = Scope.TOOLS
    of_declarations = True
