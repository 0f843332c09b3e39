"""The rule `tool-remote-ref`."""

from callwright.rules.base import FileProblemRule, Scope


class ToolRemoteRef(FileProblemRule):
    """A tool's schema refers to something outside its file.

    Why is this bad: Callwright never fetches anything while it checks text, so the target of the reference is unknown;
    and a schema that depends on the network may change at any time.

    Example
        [{"name": "git_log", "description": "Shows commits.", "inputSchema": {"type": "object", "$ref": "https://example.com/git-log.json"}}]
                                                                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC504 "`https://example.com/git-log.json` is outside this file, and Callwright fetches nothing: copy what it refers to under `$defs` and refer to it by `#/$defs/…`"

    Use instead
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {"type": "object", "$ref": "#/$defs/log", "$defs": {"log": {"type": "object"}}}
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC504"
    scope = Scope.TOOLS
    of_declarations = True
