"""Warming: what a first completion, hover or fix needs is imported in a pause, so that nothing waits for it.

Owns: what that is. Must not know: messages, sessions.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Final

from callwright.lsp.connection import log_line

#: What a first completion, hover or fix needs, beyond what diagnostics have imported by then.
_SOON: Final = (
    "callwright.lsp.session",
    "callwright.lint.linter",
    "callwright.lsp.gateway",
    "callwright.cursor.cursor",
    "callwright.cursor.framed",
    "callwright.prompt.occurrences",
    "callwright.features.support.markdown",
    "callwright.features.support.snippets",
    "callwright.features.support.call_drafts",
    "callwright.features.support.comments",
    "callwright.features.support.completing.drafts",
    "callwright.features.support.completing.items",
    "callwright.features.support.differences",
    "callwright.features.support.hints",
    "callwright.features.support.offers",
    "callwright.features.support.pieces",
    "callwright.features.support.tokens",
    "callwright.features.support.values",
    "callwright.features.support.turn_outcomes",
    "callwright.fix.fixer",
    "rapidfuzz.distance.OSA",
)


def import_soon() -> None:
    """Import what the next request would wait for."""
    for name in _SOON:
        try:
            importlib.import_module(name)
        except ImportError as error:
            # What needs it reports it where it matters.
            log_line(f"{name} cannot be imported: {error}")


def warm(then: Callable[[], object]) -> None:
    """Import beside the work, on a thread of its own, and call `then` there."""

    def work() -> None:
        import_soon()
        then()

    threading.Thread(target=work, name="callwright-imports", daemon=True).start()
