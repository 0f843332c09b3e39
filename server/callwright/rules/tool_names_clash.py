"""The rule `tool-names-clash`."""

import re
from collections.abc import Iterator
from typing import Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_words import quoted
from callwright.text.facts import derived
from callwright.tools.definitions import Definition

_REPLACED: Final = re.compile(r"[^A-Za-z0-9_-]")
#: The number of characters that clients keep of a long name:
#: https://github.com/CherryHQ/cherry-studio/blob/main/src/main/utils/mcp.ts
_KEPT: Final = 63


@derived
def _seen(_subject: ToolSubject) -> dict[tuple[str, str], Definition]:
    """Return the first definition of each name, for each way in which names may be equal."""
    return {}


class ToolNamesClash(ToolRule):
    """Two tools have names whose difference may be lost on the way to a model.

    Why is this bad: a model confuses names that differ only in case. Clients replace characters that providers reject
    with `_`, and truncate long names; two tools then have the same name, and one of them is never called.

    Example
        [
          {"name": "getUser", "description": "Gets a user.", "inputSchema": {"type": "object"}},
          {"name": "getuser", "description": "Gets a user by name.", "inputSchema": {"type": "object"}}
                   ^^^^^^^^^ TC507 "`getuser` and `getUser` differ only in case: rename one of them."
        ]

    Use instead
        [
          {"name": "getUser", "description": "Gets a user.", "inputSchema": {"type": "object"}},
          {"name": "getUserByName", "description": "Gets a user by name.", "inputSchema": {"type": "object"}}
        ]
    """

    code = "TC507"
    fast_path = FastPath.PLAIN  # names that differ only in case or dashes are not plain
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for a name that clients may confuse with an earlier one."""
        definition = subject.definition
        name, tool_set = definition.tool.name, definition.tool.origin.tool_set
        seen = _seen(subject)
        keys = {
            "differ only in case": name.casefold(),
            "become the same name where `_` replaces other characters": _REPLACED.sub("_", name),
            f"become the same name where a client truncates names to {_KEPT} characters": name[:_KEPT],
        }
        stated = False
        for reason, key in keys.items():
            first = seen.setdefault((tool_set + "\0" + reason, key), definition)
            if first is definition or first.tool.name == name or stated:
                continue
            stated = True
            message = f"{quoted(name)} and {quoted(first.tool.name)} {reason}: rename one of them."
            yield self.diagnostic(
                subject.at_name(),
                message,
                related=((subject.at_name(first), "The other tool is here."),),
            )
