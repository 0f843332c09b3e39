"""The linter: a snapshot in, diagnostics out.

Owns: which passes run over which kind of document. Must not know: protocols, how settings were written, any single
rule.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from callwright.document.blocks import DIAGNOSTICS, Block
from callwright.document.evidence import evidence_of
from callwright.document.suppressions import reached, suppressions_of
from callwright.lint.blocks import block_diagnostics, faulty_in, placed_once, tests_faults
from callwright.lint.conversations import conversation_diagnostics
from callwright.lint.evidence import Known, alone, borne_out
from callwright.lint.placing import Characters, diagnostic_order, placed
from callwright.lint.suppressed import apply_suppressions
from callwright.lint.texts import declared_diagnostics, document_diagnostics, where_stated, without_bad_places
from callwright.prompt.mentions import dialect_in, mentions_of
from callwright.prompt.sections import section_markers_of

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic


#: How many suppressions are applied before a document is read completely.
_FEW_COMMENTS = 50


def diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return every diagnostic of a document in the order of its text, in offsets of the document."""
    if snapshot.host.holds == "calls":
        return _call_diagnostics(snapshot)
    from callwright.lint.files import configuration_diagnostics, tool_file_diagnostics

    found = tool_file_diagnostics if snapshot.host.holds == "tools" else configuration_diagnostics
    return found(snapshot)


def _call_diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of a document with calls.

    Those of a block are cached with the block, so that after an edit only blocks that were read again are checked.
    """
    is_clean = bool(snapshot.blocks) and all(block.is_clean for block in snapshot.blocks)
    if is_clean and not any(block.problems or block.suspects for block in snapshot.blocks):
        return []
    found: list[Diagnostic] = []
    newline = snapshot.document.newline
    # In a file of many records, each record is a separate text.
    rows = snapshot.is_of_rows
    for place, run in snapshot.blocks.placed_runs():
        for start, block in faulty_in(run, snapshot):
            own = block_diagnostics(block, snapshot)
            at = place + start
            shown = placed_once(block, own, at, newline) if at or newline != "\n" else own
            found += borne_out(shown, Known(snapshot, partial(alone, at, block))) if rows else shown
    # A host's own diagnostic is created before its place in the document is known.
    characters = Characters(snapshot.document)
    for each in found:
        if each.source is None or isinstance(each.source, Characters):
            each.source = characters
    found = where_stated(snapshot, without_bad_places(snapshot, found))
    if not rows:
        found = borne_out(found, Known(snapshot, lambda: zip(snapshot.starts, snapshot.blocks, strict=True)))
    if is_clean:
        return apply_suppressions(snapshot, found)
    more = conversation_diagnostics(snapshot, newline) or list(document_diagnostics(snapshot))
    more += declared_diagnostics(snapshot)
    more = [] if tests_faults(more, snapshot) else without_bad_places(snapshot, more)
    return apply_suppressions(snapshot, sorted(found + more, key=diagnostic_order) if more else found)


def diagnostics_so_far(snapshot: Snapshot, most: int) -> list[Diagnostic]:
    """Return the first `most` known diagnostics of a document that is only partly checked.

    This checks nothing further. Diagnostics that need the whole document are left out, and all are left out where there
    are too many suppressions to apply.
    """
    if snapshot.host.holds != "calls":
        return []
    found: list[Diagnostic] = []
    newline = snapshot.document.newline
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        own = [each for each in DIAGNOSTICS.get(block) or () if each.needs is None]
        found += [placed(diagnostic, start, newline) for diagnostic in own[: most - len(found)]]
    found = where_stated(snapshot, without_bad_places(snapshot, found))
    if not found:
        return []
    scanned_at = [block for block in snapshot.blocks if suppressions_of.known(block)]
    if sum(len(suppressions_of.get(block) or ()) for block in scanned_at) > _FEW_COMMENTS:
        return []
    own_ones = {id(each) for each in found}
    return [each for each in apply_suppressions(snapshot, found) if id(each) in own_ones]


def look(block: Block, snapshot: Snapshot, start: int) -> None:
    """Check a block that begins at `start`, and cache with it the other facts that `diagnostics` needs of each block.

    What was read in the block is usually not needed after that.
    """
    if snapshot.host.holds == "calls" and not block.is_clean:
        block_diagnostics(block, snapshot)
        suppressions_of(block, snapshot, start)
        mentions_of(block, snapshot, start)
        evidence_of(block, snapshot, start)
        dialect_in(block)
        if snapshot.host.flow:
            section_markers_of(block)
            reached(block)
