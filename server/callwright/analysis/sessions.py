"""Sessions: settings that a document itself brings along, because it is the dump of an agent's session.

Owns: `settings_of`. Must not know: how a session is written, snapshots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from callwright.transcripts.support.session_head import declared

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings

#: Findings that no strict parser rejects a reply for: they stay what they are.
_UNTYPED: Final = {"deprecated-tool": "warning", "deprecated-argument": "warning"}


def settings_of(head: str, settings: Settings) -> Settings:
    """Return the settings for a document that begins with `head`: those given, unless it is a session.

    A session's replies were read strictly, in its own dialects, and are judged so; what it does not say, and what is no
    setting's value, is as given.
    """
    said = declared(head)
    if said is None:
        return settings
    from callwright.dialects.catalogue import dialect_names

    known = dialect_names()
    dialect, accept = said.get("dialect"), said.get("accept")
    others = tuple(name for name in accept if name in known) if isinstance(accept, list) else ()
    return replace(
        settings,
        dialect=dialect if dialect in known else settings.dialect,
        taken=others,
        strict=True,
        severity={**_UNTYPED, **settings.severity},
        placeholders=False,
        markup=_one_of(said, "markup", ("xml", "raw"), settings.markup),
        reasoning=_one_of(said, "reasoning", ("mentions", "calls"), settings.reasoning) or "mentions",
        max_mistakes=_maximum(said, settings.max_mistakes),
        template="none",
    )


def _one_of(said: Mapping[str, Any], key: str, known: tuple[str, ...], given: str | None) -> str | None:
    value = said.get(key, given)
    return value if value in known or value is None else given


def _maximum(said: Mapping[str, Any], given: int) -> int:
    """Return the failure that stops a session: the one behind those that report themselves."""
    maximum = said.get("max_mistakes")
    return maximum + 1 if isinstance(maximum, int) and not isinstance(maximum, bool) and maximum > 0 else given
