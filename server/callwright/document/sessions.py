"""Sessions: settings that a document brings along because it is the dump of an agent's session.

Owns: `settings_of`, `bounds_of`, which entries of a session are unknown here (`unknowns`). Must not know: how a session
is written, snapshots.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, Final

from callwright.text.records import replace
from callwright.transcripts.support.session_head import KEY, declared, form_fault, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callwright.document.bounds import Bounds
    from callwright.document.settings import Settings
    from callwright.syntax.json_nodes import JsonNode
    from callwright.text.span import Span

#: Diagnostics for which no strict parser rejects a reply: they keep their severity.
_UNTYPED: Final = {"deprecated-tool": "warning", "deprecated-argument": "warning"}


def settings_of(head: str, settings: Settings) -> Settings:
    """Return the settings for a document that begins with `head`: those given, unless it is a session.

    A session's replies were read strictly, in its own dialects, and are judged so; a setting that it does not have, or
    that has an invalid value, is as given.
    """
    stated = declared(head)
    if stated is None:
        return settings
    from callwright.dialects.catalogue import dialect_names

    known = dialect_names()
    dialect, accept = stated.get("dialect"), stated.get("accept")
    others = tuple(name for name in accept if name in known) if isinstance(accept, list) else ()
    return replace(
        settings,
        dialect=dialect if dialect in known else settings.dialect,
        taken=others,
        strict=True,
        severity={**_UNTYPED, **settings.severity},
        placeholders=False,
        markup=_one_of(stated, "markup", ("xml", "raw"), settings.markup),
        reasoning=_one_of(stated, "reasoning", ("mentions", "calls"), settings.reasoning) or "mentions",
        answer_tags=_texts(stated.get("answer_tags"), settings.answer_tags),
        max_mistakes=_maximum(stated, settings.max_mistakes),
        template="none",
        bounds=bounds_of(stated.get("limits")),
    )


def bounds_of(stated: Any) -> Bounds | None:
    """Return the bounds that a session gives for its replies, None where it gives none that are valid."""
    if not isinstance(stated, Mapping):
        return None
    from dataclasses import fields

    from callwright.document.bounds import Bounds

    known = {each.name for each in fields(Bounds)}
    try:
        return Bounds(**{name: value for name, value in stated.items() if name in known})
    except ValueError:
        return None


def unknowns(head: str) -> Iterator[tuple[Span, str]]:
    """Yield the settings of a document that begins with `head` that are unknown here: the place, and why."""
    stated, begun = declared(head), place_of(head)
    if stated is None or begun is None:
        return
    from callwright.dialects.catalogue import dialect_names
    from callwright.tools.names import nearest

    fault = form_fault(stated.get("version"))
    if fault is not None:
        root = _root(head, begun)
        yield (root.locate(("version",)) or root).span, fault
    known = dialect_names()
    accept = stated.get("accept")
    others = [(("accept", at), name) for at, name in enumerate(accept)] if isinstance(accept, list) else []
    for path, name in ((("dialect",), stated.get("dialect")), *others):
        if name is None or (isinstance(name, str) and name in known):
            continue
        place = _root(head, begun).locate(path)
        if place is not None:
            near = nearest(name, known) if isinstance(name, str) else None
            hint = f"; did you mean `{near}`?" if near is not None else ""
            where = f"`{KEY}.{path[0]}`"
            yield place.span, f"unknown dialect `{name}` for its replies ({where}){hint}"


def _root(head: str, begun: int) -> JsonNode:
    """Return the node of the object that begins there, which is valid JSON."""
    from callwright.syntax.json import read_json

    _, end = JSONDecoder().raw_decode(head, begun)
    return read_json(head, begun, end).root


def _one_of(stated: Mapping[str, Any], key: str, known: tuple[str, ...], given: str | None) -> str | None:
    value = stated.get(key, given)
    return value if value in known or value is None else given


def _texts(stated: Any, given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in stated if isinstance(each, str)) if isinstance(stated, list) else given


def _maximum(stated: Mapping[str, Any], given: int) -> int:
    """Return the failure that stops a session: the one after those that report themselves."""
    maximum = stated.get("max_mistakes")
    return maximum + 1 if isinstance(maximum, int) and not isinstance(maximum, bool) and maximum > 0 else given
