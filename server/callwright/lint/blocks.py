"""The pass over blocks: each is checked once, and its diagnostics are cached with it.

Owns: `block_diagnostics`, `faulty_in`. Must not know: checks that need the whole document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from callwright.document.blocks import DIAGNOSTICS, FAULTS, Block, ReadPassage
from callwright.document.patched import Patched
from callwright.document.suppressions import WORD
from callwright.lint.conversations import check_conversation, conversation_diagnostics
from callwright.lint.passages import check_read
from callwright.lint.placing import diagnostic_order, moved, placed, projected, shown, source_at
from callwright.lint.reporting import report
from callwright.rules.base import Diagnostic
from callwright.text.budget import yield_point
from callwright.text.facts import Fact, derived

if TYPE_CHECKING:
    from callwright.document.block_runs import Run
    from callwright.document.snapshot import Snapshot

#: The hosts of programs.
_PROGRAMS = frozenset({"python", "javascript"})
#: The diagnostics of a block at its place in the document, with that place and the document's line ends.
_Placed: TypeAlias = tuple[int, str, list[Diagnostic]]
_PLACED: Final[Fact[_Placed]] = Fact()
#: The blocks of a run that have diagnostics, each with the offset where it begins.
_FAULTY: Final[Fact[Sequence[tuple[int, Block]]]] = Fact()


def placed_once(block: Block, own: list[Diagnostic], start: int, newline: str) -> list[Diagnostic]:
    """Return a block's diagnostics in offsets of the document: the same objects while the block stays in its place."""
    known: _Placed | None = block.facts.get(_PLACED)  # read directly, which is faster
    if known is None or known[0] != start or known[1] != newline:
        known = _PLACED.keep(block, (start, newline, [placed(diagnostic, start, newline) for diagnostic in own]))
    return known[2]


def faulty_in(run: Run, snapshot: Snapshot) -> Sequence[tuple[int, Block]]:
    """Return the blocks of a run that have diagnostics, each with the offset where it begins in the run."""
    known = _FAULTY.get(run)
    if known is None:
        known = [(start, block) for start, block in run.placed() if block_diagnostics(block, snapshot)]
        # The diagnostics of a deferred block may change once it is read.
        if not any(block.is_clean for block in run.blocks):
            _FAULTY.keep(run, known)
    return known


def block_diagnostics(block: Block, snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of a block, in its own offsets; cached with it."""
    cached: list[Diagnostic] | None = block.facts.get(DIAGNOSTICS)  # as above
    if cached is None:
        yield_point()
        if isinstance(block.content, Patched):
            return _patched_diagnostics(block, block.content, snapshot)
        cached = [*_check_block(block, snapshot)]
        if tests_faults(cached, snapshot):
            cached = []
        for start, part in block.suspects:
            alone = snapshot.part(part, start)
            own = block_diagnostics(part, alone) + conversation_diagnostics(alone, "\n")
            cached += [placed(each, start, "\n") for each in own]
        cached.sort(key=diagnostic_order)
        DIAGNOSTICS.keep(block, cached)
    return cached


def tests_faults(found: list[Diagnostic], snapshot: Snapshot) -> bool:
    """Return whether invalid calls are in a program that is a test, where they are on purpose.

    Where tools or a dialect are configured, or a comment addresses Callwright, the author wants the calls checked.
    """
    if not found or snapshot.host.name not in _PROGRAMS:
        return False
    from callwright.prompt.examples import is_test

    if not is_test(snapshot.path or ""):
        return False
    if snapshot.registry.closed or snapshot.settings.dialect is not None or not snapshot.settings.placeholders:
        return False
    return WORD not in snapshot.document.text()


def _patched_diagnostics(block: Block, content: Patched, snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of a patched block, and cache them: those of its base at their current places, except for
    entries that were read again, and those of these entries.
    """
    from callwright.conversation.patched import patched_conversation

    base = content.plan.base
    found: list[Diagnostic] = []
    faults: dict[int, list[Diagnostic]] = {}
    shown: dict[int, Diagnostic] = {}
    whole = snapshot.with_blocks([base])
    own = block_diagnostics(base, whole)
    for each in own if content.plan.whole is not None else own + _base_conversations(base, whole):
        if content.keeps(each.span.start):
            shown[id(each)] = now = moved(each, content.moved_span)
            found.append(now)
    stated = [FAULTS.get(base) or {}]
    for patch in content.patches:
        alone = snapshot.with_blocks([patch.block])
        known = block_diagnostics(patch.block, alone)
        stated.append(FAULTS.get(patch.block) or {})
        if content.plan.whole is None:
            known = known + conversation_diagnostics(alone, "\n")
        for each in known:
            shown[id(each)] = now = placed(each, patch.shift, "\n")
            found.append(now)
    for by_turn in stated:
        for turn, about in by_turn.items():
            kept = [shown[id(each)] for each in about if id(each) in shown]
            if kept:
                faults[turn] = kept
    conversation = patched_conversation(content, snapshot)
    if conversation is not None:
        source = source_at(snapshot, content.moved_span)
        found += [moved(each, content.moved_span) for each in check_conversation(conversation, snapshot, source)]
    found.sort(key=diagnostic_order)
    FAULTS.keep(block, faults)
    return DIAGNOSTICS.keep(block, found)


@derived
def _base_conversations(_base: Block, whole: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of the conversations of a base, whose snapshot is `whole`."""
    return conversation_diagnostics(whole, "\n")


def _check_block(block: Block, snapshot: Snapshot) -> Iterator[Diagnostic]:
    for problem in block.problems:
        yield from report(problem, None, "", snapshot.registry, snapshot.settings)
    if block.is_clean:
        FAULTS.keep(block, {})
        return
    faults: dict[int, list[Diagnostic]] = {}
    seen: set[tuple[str, int, int, str]] = set()
    for read in block.passages:
        projection = read.passage.projection
        own = [shown(projected(each, projection)) for each in check_read(read, snapshot.registry, snapshot.settings)]
        if read.passage.version is not None:
            own = list(_not_stated_before(own, seen))
        if own and snapshot.settings.placeholders and not snapshot.host.flow:
            own = _without_bad_examples(own, read)
        if read.passage.turn is not None and own:
            faults.setdefault(id(read.passage.turn), []).extend(each for each in own if each.needs is None)
        yield from own
    FAULTS.keep(block, faults)


def _without_bad_examples(found: list[Diagnostic], read: ReadPassage) -> list[Diagnostic]:
    """Return the diagnostics of a text in a record, without those in examples of what not to do."""
    passage = read.passage
    if passage.calls is not None:
        return found
    from callwright.prompt.examples import bad_examples, touches

    places = bad_examples(passage.text, lambda: [each.call.place for each in read.calls])[0]
    bad = [passage.projection.raw_span(place) for place in places]
    return [each for each in found if not touches(bad, each.span)]


def _not_stated_before(found: Iterable[Diagnostic], seen: set[tuple[str, int, int, str]]) -> Iterator[Diagnostic]:
    """Yield the diagnostics that no earlier version of a template has."""
    for diagnostic in found:
        key = (diagnostic.code, *diagnostic.span, diagnostic.message)
        if key not in seen:
            seen.add(key)
            yield diagnostic
