"""Rows of one collection, checked one by one.

Owns: `Rows`. Must not know: where rows come from, what becomes of diagnostics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.fastpath.quick import LineCheck, Plain, SuspectParts
from callwright.hosts.catalogue import find_host

if TYPE_CHECKING:
    from callwright.corpus.suspect_turns import SuspectTurn
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.tools.registry import ToolRegistry

#: What a row is read as where it is read closely: a line of such a file.
_PATH: Final = "rows.jsonl"
_HOST: Final = "jsonl"


class Rows:
    """Rows that are JSON in UTF-8 on one line, read under the tools and settings of their collection, each by itself.

    Invariant: what is found in a row is what the linter finds in a file of JSON Lines that has no other line. Nothing
    that was learnt of one row changes the diagnostics of another. What was learnt is kept here, so a caller with many
    rows keeps one of these for all of them, and one for each thread.
    """

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._registry = registry
        self._settings = settings
        self._quick = LineCheck(registry, settings)

    def judge(self, row: bytes) -> Plain | SuspectParts | None:
        """Return the content of a row that certainly has no diagnostics, the suspect parts where only some of its turns
        may have any, and None where it has to be read closely."""
        return self._quick.judge(row)

    def diagnostics(self, row: bytes) -> list[Diagnostic]:
        """Return what is found in a row, in the order of its text and in offsets of its text.

        Raises UnicodeDecodeError where a row that has to be read closely is not UTF-8.
        """
        outcome = self._quick.judge(row)
        if isinstance(outcome, Plain):
            return []
        text = row.decode()
        found = self.suspect_diagnostics(text, outcome) if outcome is not None else None
        if found is not None:
            return found
        from callwright.lint.linter import diagnostics

        return diagnostics(self.open(text))

    def suspect_diagnostics(self, text: str, suspect: SuspectParts) -> list[Diagnostic] | None:
        """Return the diagnostics in a row that `judge` finds suspect in these parts, None where it has to be read
        closely."""
        from callwright.corpus.suspect_turns import diagnostics_of_suspect_turns

        return diagnostics_of_suspect_turns(text, suspect, self._settings)

    def suspect_turns(self, text: str, suspect: SuspectParts) -> list[SuspectTurn] | None:
        """Return the turns of a row in which anything is found; otherwise as `suspect_diagnostics`."""
        from callwright.corpus.suspect_turns import suspect_turns

        return suspect_turns(text, suspect, self._settings)

    def open(self, text: str) -> Snapshot:
        """Return the text of a row as a document of its own, for callers that need more than its diagnostics."""
        from callwright.lint.opening import open_snapshot

        return open_snapshot(text, path=_PATH, registry=self._registry, settings=self._settings, host=find_host(_HOST))
