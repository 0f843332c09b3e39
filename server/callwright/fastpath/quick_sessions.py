"""The quick verdict on sessions of the runtime: which settings and tools they bring along, and their plain replies.

Owns: `SessionTools`, which knows the heads of sessions, and what a plain head and a plain reply look like. Must not
know: lines, other shapes, how arguments are judged.
"""

from __future__ import annotations

import marshal
import re
from typing import TYPE_CHECKING, Any, Final

from callwright.document.log_tools import registry_of
from callwright.document.sessions import settings_of, unknowns
from callwright.fastpath.quick_lines import UnsureError
from callwright.fastpath.quick_tools import KnownTools, is_alike
from callwright.hosts.catalogue import HEAD
from callwright.transcripts.support.session_head import KEY

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: The members of a session, whose conversation stands in `messages`.
MEMBERS: Final = frozenset(
    {KEY, "id", "versions", "stop", "strikes", "tools", "messages", "calls", "errors", "approvals"}
)
ROLES: Final = frozenset({"system", "user", "assistant"})
#: The dialect whose plain calls are known, and that reads no other notation.
DIALECT: Final = "hermes"
_BEGINNING: Final = f'{{"{KEY}":'.encode()
#: What stands last in a head, and differs from one session to the next.
_HISTORY: Final = re.compile(rb'"history": ?+[0-9]{1,6}\}')
_KEPT: Final = 64
#: How deep plain arguments are nested, with the object that they stand in.
_DEPTH: Final = 3


class SessionTools:
    """The settings and tools of sessions, each combination of which is looked at once."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._registry = registry
        self._given = settings
        self._heads: dict[bytes, Settings | None] = {}
        self._tools: dict[tuple[bytes, bytes], KnownTools] = {}

    def of(self, line: bytes, definitions: Any) -> tuple[KnownTools, Settings]:
        """Return the tools of a session that is written in a line, and the settings that its replies are judged by.

        Raises `UnsureError` where it does not begin as sessions are written, or there is something to say about how it
        begins.
        """
        at = line.find(b'"history":', 0, HEAD)
        last = _HISTORY.match(line, at, HEAD) if at > 0 and line.startswith(_BEGINNING) else None
        if last is None:
            raise UnsureError
        head = line[:at]
        if head not in self._heads:
            if len(self._heads) >= _KEPT:
                self._heads.clear()
            self._heads[head] = self._settings_of(line[: last.end()].decode() + "}")
        settings = self._heads[head]
        if settings is None:
            raise UnsureError
        key = (head, marshal.dumps(definitions, 2))
        found = self._tools.get(key)
        if found is None:
            if not is_alike(definitions):
                raise UnsureError
            if len(self._tools) >= _KEPT:
                self._tools.clear()
            registry = registry_of(definitions, settings) or self._registry.with_markup(settings.markup)
            found = self._tools[key] = KnownTools(registry, settings)
        return found, settings

    def _settings_of(self, head: str) -> Settings | None:
        """Return the settings of sessions that begin like this, None where something is to be said about it."""
        settings = settings_of(head, self._given)
        plain = settings.dialect == DIALECT and not settings.taken and settings.reasoning == "mentions"
        if settings is self._given or not plain or any(True for _ in unknowns(head)):
            return None
        bounds = settings.bounds
        if bounds is not None and bounds.max_depth is not None and bounds.max_depth < _DEPTH:
            return None
        return settings


def look_at_length(text: str, calls: int, settings: Settings) -> None:
    """Look at how long a reply is, which has so many calls; raises `UnsureError` where it may exceed a limit."""
    bounds = settings.bounds
    if bounds is not None and (
        any(most is not None and len(text) > most for most in (bounds.max_text, bounds.max_call))
        or (bounds.max_calls is not None and calls > bounds.max_calls)
    ):
        raise UnsureError
