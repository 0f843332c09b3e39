"""What is done to a whole document at once: every safe fix, every call in the dialect that is asked for.

Owns: the kinds of all actions; the titles and edits of these. Must not know: how an editor asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.calls.model import NATIVE
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

QUICK_FIX: Final = "quickfix"
REWRITE: Final = "refactor.rewrite"
EXTRACT: Final = "refactor.extract"
FIX_ALL: Final = "source.fixAll.callwright"
CONVERT_ALL: Final = "source.convert.callwright"


def title_of(kind: str, snapshot: Snapshot) -> str | None:
    """Return the title of an action, or None where there is nothing that it could do; this is cheap."""
    if kind == FIX_ALL:
        from callwright.lint.linter import diagnostics

        return "Apply all safe fixes" if diagnostics(snapshot) else None
    wanted = snapshot.settings.dialect
    if wanted is None or all(placed.call.dialect in (wanted, NATIVE) for placed in snapshot.placed_calls()):
        return None
    return f"Convert every call to `{wanted}`"


def edits_of(kind: str, snapshot: Snapshot) -> tuple[Edit, ...]:
    """Return the edits of an action; none where there is nothing to do."""
    from callwright.features.support.differences import edits_between

    before = snapshot.document.text()
    if kind == CONVERT_ALL:
        from callwright.conversion import convert_document

        wanted = snapshot.settings.dialect
        return edits_between(before, convert_document(snapshot, wanted).text) if wanted is not None else ()
    from callwright.fix.fixer import fix_all

    after, _fixed = fix_all(snapshot)
    return edits_between(before, after)
