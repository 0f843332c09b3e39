"""Drafts: what is completed at a place, by the role that the place has.

Owns: which role is served by which of the modules beside this one. Must not know: what these write, positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from callwright.cursor.cursor import Role
from callwright.features.support.call_drafts import Draft
from callwright.features.support.completing.elements import (
    body,
    call_tags,
    child_tags,
    closing_tags,
    frame_tags,
    text_values,
)
from callwright.features.support.completing.members import frame_keys, keys, tool_names, values
from callwright.features.support.completing.site import Site
from callwright.features.support.completing.whole_calls import bare_names, openers, prose_calls
from callwright.features.support.completing.written import (
    links,
    writer_at,
    written_arguments,
    written_names,
    written_values,
)

_Writes: TypeAlias = Callable[[Site], "Iterator[Draft]"]
_ROLES: Final[Mapping[Role, _Writes]] = {
    Role.CALL_TAG: call_tags,
    Role.FRAME_TAG: frame_tags,
    Role.CHILD_TAG: child_tags,
    Role.CLOSING_TAG: closing_tags,
    Role.BODY: body,
    Role.TEXT: text_values,
    Role.TOOL_NAME: tool_names,
    Role.KEY: keys,
    Role.FRAME_KEY: frame_keys,
    Role.VALUE: values,
    Role.PROSE: prose_calls,
}
#: In a field of its own the name of a tool is alone: what a tag would insert with it is there already.
_IN_FIELD: Final[Mapping[Role, _Writes]] = {Role.CALL_TAG: bare_names}
#: In a call whose dialect can write.
_IN_CALL: Final[Mapping[Role, _Writes]] = {
    Role.CALL: written_names,
    Role.ARGUMENT: written_arguments,
    Role.END: links,
}
#: In such a call, where it is not written in JSON.
_IN_MARKERS: Final[Mapping[Role, _Writes]] = {
    Role.TOOL_NAME: written_names,
    Role.KEY: written_arguments,
    Role.VALUE: written_values,
}


def drafts(site: Site) -> Iterator[Draft]:
    """Yield what can be written, the likeliest first."""
    place = site.place
    roles = {**_ROLES, **_IN_FIELD} if site.framed else _ROLES
    if place.writing is not None:
        roles = {**roles, **_IN_CALL} if place.json_text else {**roles, **_IN_CALL, **_IN_MARKERS}
    write = roles.get(place.role)
    if write is not None:
        yield from write(site)
    if place.writing is not None:
        arguments_to_come = place.role is Role.VALUE and not place.path
        linked = place.role is Role.END and next(links(site), None) is not None
        if place.role is not Role.TOOL_NAME and not arguments_to_come and not linked:
            yield from writer_at(site).ends()
    elif place.role in (Role.CALL_TAG, Role.PROSE) and not place.in_code and not site.framed:
        yield from openers(site)
