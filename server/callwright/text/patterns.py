"""Patterns that are compiled when they are first used.

Owns: `compile_later`. Must not know: any pattern.

A process that checks one small file imports some two hundred patterns and uses thirty of them; compiling the others
takes longer than the check. Each use costs a look-up in a dictionary more than that of a compiled pattern, so a pattern
that is used for every character or name of a text is compiled at once.
"""

import re
from typing import Any


class _Later:
    """A pattern with the attributes of the compiled one, each of which is kept once it was used."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = source, flags

    def __getattr__(self, name: str) -> Any:
        # `re` keeps the compiled pattern, so the second attribute does not compile it again.
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


def compile_later(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is used like a compiled one."""
    return _Later(source, flags)  # type: ignore[return-value]
