"""The markers of all dialects, as the index has them, for those who must not know any dialect.

Owns: `openers`, `call_tags`. Must not know: dialects, what follows a marker.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from callwright.index import entries

_ROOM: Final = "dialects"
_TAG: Final = re.compile(r"<([A-Za-z][\w.:\-]*+)[ >]?\Z")
#: How the name of a tag ends that frames calls and nothing else: `function` and `code` have other uses, too.
_OF_CALLS: Final = re.compile(r"(?:call|calls|use|invoke)\Z", re.IGNORECASE)


@cache
def openers() -> frozenset[str]:
    """Return what the calls of any dialect begin with, without loading one."""
    return frozenset(str(opener) for entry in entries(_ROOM) for opener in entry["openers"])


@cache
def call_tags() -> frozenset[str]:
    """Return the names of the tags that frame calls of any dialect, and nothing else."""
    tags = {tag[1] for opener in openers() if (tag := _TAG.fullmatch(opener)) is not None}
    frames = {str(name) for entry in entries(_ROOM) for name in entry["frames"]}
    return frozenset(name for name in tags | frames if _OF_CALLS.search(name) is not None)
