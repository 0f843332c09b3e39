"""Which rules a fast path may answer for.

Owns: `FastPath`, how a rule declares its fast paths, and whether any enabled rule forbids them. Must not know: any
single rule, what a fast path checks.

A fast path calls a text clean without running the rules. So it may only run where every enabled rule has declared that
the path answers for it: a rule that declares nothing has to run.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.index import entries

if TYPE_CHECKING:
    from callwright.document.settings import Settings


class FastPath(enum.StrEnum):
    """What a rule needs to report a diagnostic, so that a path that excludes it may answer in its place.

    `UNSAFE`: unknown; the rule has to run. `NEEDS_FAULT`: a problem from a parser, or arguments that do not fit their
    tool. `PLAIN`: something that the plain forms of the fast paths exclude, by a predicate on values.
    """

    UNSAFE = "unsafe"
    NEEDS_FAULT = "needs-fault"
    PLAIN = "plain"


#: The scopes of rules that check conversations and texts, and of those that check tool files.
IN_TEXTS: Final = frozenset({"syntax", "call", "conversation", "document"})
IN_TOOL_FILES: Final = frozenset({"syntax", "tools"})


def may_answer(settings: Settings, scopes: Iterable[str]) -> bool:
    """Return whether fast paths may answer for every rule of some scopes that the settings enable."""
    wanted = frozenset(scopes)
    return all(settings.is_off(code, name) for code, name, scope in _unsafe_rules() if scope in wanted)


@cache
def _unsafe_rules() -> tuple[tuple[str, str, str], ...]:
    """Return code, name and scope of the rules that have to run, without loading one."""
    return tuple(
        (str(entry["code"]), str(entry["name"]), str(entry["scope"]))
        for entry in entries("rules")
        if entry["fast_path"] == FastPath.UNSAFE
    )
