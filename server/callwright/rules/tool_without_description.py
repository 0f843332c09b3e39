"""The rule `tool-without-description`."""

from collections.abc import Iterator
from typing import Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.json_edits import value_at
from callwright.rules.support.tool_words import is_placeholder, quoted

#: The values of `type` in a definition of the author's own; others are tools that a provider supplies.
_OWN_KINDS: Final = frozenset({"function", "custom", "object", "tool"})


class ToolWithoutDescription(ToolRule):
    """A tool has no description.

    Why is this bad: a model chooses a tool by its description. Without one it has only the name, and calls the wrong
    tool or does not call this one.

    Example
        [{"name": "git_log", "inputSchema": {"type": "object"}}]
                  ^^^^^^^^^ TC508 "`git_log` has no description: describe what the tool does and when to call it."

    Use instead
        [{"name": "git_log", "description": "Shows the newest commits.", "inputSchema": {"type": "object"}}]
    """

    code = "TC508"
    fast_path = FastPath.PLAIN  # a plain definition has a description
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the tool's description is missing, empty or a placeholder."""
        definition = subject.definition
        kind = definition.value.get("type")
        inline_tools = (isinstance(kind, str) and kind not in _OWN_KINDS) or not definition.value
        if inline_tools or not is_placeholder(definition.tool.description):
            return
        written = value_at(subject.document.value, definition.description_path)
        span = subject.at(definition.description_path) if written is not None else subject.at_name()
        problem = "has no useful description" if written else "has no description"
        yield self.diagnostic(
            span, f"{quoted(definition.tool.name)} {problem}: describe what the tool does and when to call it."
        )
