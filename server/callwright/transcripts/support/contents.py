"""What formats of messages have in common: the speaker, the text, why a model stopped, results of tools.

Owns: the way from members of a message to the parts of a turn. Must not know: any single format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from callwright.calls.turns import Turn, TurnResult, TurnText

if TYPE_CHECKING:
    from callwright.syntax.json_views import JsonView

_AS_WRITTEN: Final[Mapping[str, str]] = {}


def begun_turn(message: JsonView, roles: Mapping[str, str] = _AS_WRITTEN, key: str = "role") -> Turn:
    """Return the turn of a message's speaker, without any text; `roles` maps the format's roles to ours."""
    written = message.text(key)
    return Turn(message, roles.get(written, written) if written is not None else None, message.get(key))


def add_text(turn: Turn, stated: JsonView | None) -> None:
    """Add a value to a turn as text, where it is a string."""
    if stated is not None and isinstance(stated.value, str):
        turn.texts.append(TurnText(stated, stated.value))


def add_content(turn: Turn, content: JsonView | None, *keys: str) -> None:
    """Add to a turn the content that is a text, or the texts in a list of parts: strings, and members of objects."""
    if content is None:
        return
    for part in (content,) if isinstance(content.value, str) else content.items():
        add_text(turn, part if isinstance(part.value, str) else part.get(*keys))


def finish(turn: Turn, reason: JsonView | None) -> None:
    """Set why the model stopped, where the reason is a text."""
    if reason is not None and isinstance(reason.value, str):
        turn.finish, turn.finish_place = reason.value, reason


def result(
    entry: JsonView,
    call_id: str | tuple[str, ...],
    content: JsonView | None,
    *,
    tool: tuple[str, ...] = (),
    failed: bool | None = None,
    hosted: bool = False,
) -> TurnResult:
    """Return an entry as the result of a tool; `call_id` and `tool` are its members that name call and tool."""
    ids = (call_id,) if isinstance(call_id, str) else call_id
    return TurnResult(
        entry,
        entry.get(*ids),
        entry.text(*ids),
        entry.text(*tool),
        entry.get(*tool),
        content,
        content.value if content is not None else None,
        failed,
        hosted=hosted,
    )


def returned(content: JsonView | None) -> JsonView | None:
    """Return the place of what a tool returned.

    For a list with a single block of text it is that text: formats mean the same by both.
    """
    if content is not None and isinstance(content.value, list) and len(content.value) == 1:
        text = next(content.items()).get("text")
        if text is not None and isinstance(text.value, str):
            return text
    return content


def flag(view: JsonView, *keys: str) -> bool | None:
    """Return the boolean under the first of `keys` that an object has, None without such a key or boolean."""
    found = view.get(*keys)
    return found.value if found is not None and isinstance(found.value, bool) else None


def list_under(view: JsonView, *keys: str) -> JsonView | None:
    """Return the list under the first of `keys` that an object has, None where none is there."""
    found = view.get(*keys)
    return found if found is not None and isinstance(found.value, list) else None
