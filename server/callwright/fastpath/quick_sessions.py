"""The quick check of sessions of the runtime: which settings and tools they bring along, and their plain replies.

Owns: `SessionTools`, which knows the heads of sessions, and what a plain head and a plain reply look like. Must not
know: lines, other shapes, how arguments are checked.
"""

from __future__ import annotations

import marshal
import re
from typing import TYPE_CHECKING, Any, Final

from callwright.document.log_tools import registry_of
from callwright.document.sessions import settings_of, unknowns
from callwright.fastpath.codec import FallbackNeeded
from callwright.fastpath.known_tools import KnownTools, is_alike
from callwright.fastpath.plain_calls import form_of
from callwright.hosts.catalogue import HEAD
from callwright.transcripts.support.session_head import KEY

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.fastpath.plain_calls import Form, WrittenCall
    from callwright.tools.registry import ToolRegistry

_BEGINNING: Final = f'{{"{KEY}":'.encode()
#: What comes last in a head, and differs between sessions.
_HISTORY: Final = re.compile(rb'"history": ?+[0-9]{1,6}\}')
_KEPT: Final = 64


class SessionTools:
    """The settings and tools of sessions; each combination is checked once."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._registry = registry
        self._given = settings
        self._heads: dict[bytes, Settings | None] = {}
        self._tools: dict[tuple[bytes, bytes], KnownTools] = {}

    def of(self, line: bytes, definitions: Any) -> tuple[KnownTools, Settings]:
        """Return the tools of a session that is written in a line, and the settings for checking its replies.

        Raises `FallbackNeeded` where it does not begin as sessions are written, or its head may have a diagnostic.
        """
        at = line.find(b'"history":', 0, HEAD)
        last = _HISTORY.match(line, at, HEAD) if at > 0 and line.startswith(_BEGINNING) else None
        if last is None:
            raise FallbackNeeded
        head = line[:at]
        if head not in self._heads:
            if len(self._heads) >= _KEPT:
                self._heads.clear()
            self._heads[head] = self._settings_of(line[: last.end()].decode() + "}")
        settings = self._heads[head]
        if settings is None:
            raise FallbackNeeded
        key = (head, marshal.dumps(definitions, 2))
        found = self._tools.get(key)
        if found is None:
            if not is_alike(definitions):
                raise FallbackNeeded
            if len(self._tools) >= _KEPT:
                self._tools.clear()
            registry = registry_of(definitions, settings) or self._registry.with_markup(settings.markup)
            found = self._tools[key] = KnownTools(registry, settings)
        return found, settings

    def _settings_of(self, head: str) -> Settings | None:
        """Return the settings of sessions that begin like this, None where the head may have a diagnostic."""
        settings = settings_of(head, self._given)
        plain = _form(settings) is not None and not settings.taken and settings.reasoning == "mentions"
        if settings is self._given or not plain or any(True for _ in unknowns(head)):
            return None
        return settings


def read_replies(replies: list[str], settings: Settings) -> tuple[list[str], list[list[WrittenCall]]]:
    """Return the text of replies beside their calls, and the calls of each.

    Raises `FallbackNeeded` where a reply is not plain, or may exceed a limit.
    """
    form, bounds = _form(settings), settings.bounds
    assert form is not None, "the settings were checked"
    around: list[str] = []
    written: list[list[WrittenCall]] = []
    for text in replies:
        calls, stated = form.split(text) or ([], [text])
        if bounds is not None and (
            any(most is not None and len(text) > most for most in (bounds.max_text, bounds.max_call))
            or (bounds.max_calls is not None and len(calls) > bounds.max_calls)
            or (bounds.max_depth is not None and any(_markers(body) > bounds.max_depth for _, _, body, _ in calls))
        ):
            raise FallbackNeeded
        written.append(calls)
        for number, piece in enumerate(stated):
            if piece and not piece.isspace():
                # Text after a call on its line may be read as more of it.
                if number and piece[0] != "\n":
                    raise FallbackNeeded
                around.append(piece)
    return around, written


def _markers(body: str | list[tuple[str, str]]) -> int:
    """Return how deeply a call may be nested at most."""
    return body.count("{") + body.count("[") if isinstance(body, str) else 1


def _form(settings: Settings) -> Form | None:
    """Return the plain form of calls in the dialect of a session, where its markers distinguish it from all others."""
    form = None if settings.dialect is None else form_of(settings.dialect)
    return None if form is None or form.is_named else form
