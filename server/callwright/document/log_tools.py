"""The tools that transcripts bring along, and those that the entries of a log bring to all of it.

Owns: `registry_of`, `LogTools`. Must not know: snapshots, how definitions are read.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.document.block_runs import Blocks, Run
from callwright.document.contents import Read
from callwright.text.budget import yield_point
from callwright.text.facts import Fact, derived
from callwright.text.lru import Kept
from callwright.text.records import dataclass, replace
from callwright.tools.registry import EMPTY, ToolRegistry

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.settings import Settings


#: The registries of definitions that transcripts bring along: many transcripts bring the same ones.
_registries: Final[Kept[tuple[bytes, str | None], ToolRegistry]] = Kept(64, 4_000_000)
#: The tools of the log that all blocks of a run have.
_GIVEN: Final[Fact[ToolRegistry | None]] = Fact()


def registry_of(definitions: Any, settings: Settings) -> ToolRegistry:
    """Return the tools of definitions that a transcript brings along; equal definitions mostly give the same registry.

    Returns no tools for definitions that are neither a list nor an object.
    """
    if not isinstance(definitions, list | dict):
        return EMPTY
    key = (marshal.dumps(definitions, 2), settings.markup)
    known = _registries.get(key)
    if known is None:
        found = ToolRegistry.of(definitions).with_markup(settings.markup)
        # A definition that cannot be read may be that of any tool.
        known = found.opened() if found.problems else found
        _registries.keep(key, known, len(key[0]))
    return known


@dataclass(frozen=True, slots=True)
class LogTools:
    """The tools that the entries of a log bring along: the definitions, each once, and the registry of all of them.

    A log lists its tools in one entry and calls them in others, so the tools belong to no single entry. Invariant:
    equal definitions have the same registry from one snapshot to the next.
    """

    keys: tuple[bytes, ...] = ()
    registry: ToolRegistry | None = None

    def of(self, blocks: Blocks, settings: Settings) -> LogTools:
        """Return what the blocks bring along: `self` where they are the same."""
        found: dict[bytes, Any] = {}
        for run in blocks.runs:
            for key, definitions in _inline_in_log(run):
                found.setdefault(key, definitions)
        if tuple(found) == self.keys:
            return self
        registries = [registry_of(definitions, settings) for definitions in found.values()]
        tools = [tool for registry in registries for tool in registry]
        problems = [problem for registry in registries for problem in registry.problems]
        closed = all(registry.closed for registry in registries)
        return LogTools(tuple(found), ToolRegistry(tools, closed=closed, problems=problems) or None)

    def given(self, blocks: Blocks) -> Blocks:
        """Return the blocks, with these tools given to the calls of a log."""
        runs = [self._given_in(run) for run in blocks.runs]
        return blocks if runs == [*blocks.runs] else Blocks(tuple(runs))

    def _given_in(self, run: Run) -> Run:
        if _GIVEN.known(run) and _GIVEN.get(run) is self.registry:
            return run
        given: list[Block] = []
        changed = False
        for block in run.blocks:
            own = block if block.log is self.registry else self._given(block)
            changed = changed or own is not block
            given.append(own)
        run = Run(tuple(given)) if changed else run
        _GIVEN.keep(run, self.registry)
        return run

    def _given(self, block: Block) -> Block:
        yield_point()
        turns = {id(turn) for part in block.transcripts if not part.whole for turn in part.turns}
        if not turns:
            return block
        passages = [
            replace(read, registry=self.registry, bindings={})
            if read.passage.calls is not None and id(read.passage.turn) in turns and read.registry is not EMPTY
            else read
            for read in block.passages
        ]
        return replace(block, content=Read(passages, block.transcripts), log=self.registry, facts={})


@derived
def _inline_in_log(run: Run) -> Sequence[tuple[bytes, Any]]:
    """Return the definitions that blocks bring to a log, each once, with a key that identifies them."""
    found: dict[bytes, Any] = {}
    for block in run.blocks:
        if block.inline is not None:
            yield_point()
            found.setdefault(_key_of(block), block.inline)
    return tuple(found.items())


@derived
def _key_of(block: Block) -> bytes:
    """Return the key that identifies the definitions that a block brings."""
    return marshal.dumps(block.inline, 2)
