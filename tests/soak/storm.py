"""A storm of edits: a server that follows them says after each what one says that has just opened the text.

    .venv/bin/python tests/soak/storm.py --edits 100000 --seed 1
    .venv/bin/python tests/soak/storm.py --replay FILE

Documents of all kinds of files and dialects are edited as an editor does it, in UTF-16 and in UTF-8 units: typed into,
pasted into, cut, undone and redone, closed and opened; now and then one gets a megabyte pasted in. After every edit
text, blocks, calls, diagnostics and what was published are compared, after some also fixes, lines, and the answers
about whole documents. Every 10,000 edits all documents are closed and memory is checked: at the end it may be no more
than after the first time, but for the margins in `memory.py`. What a workspace holds for as long as it is open, and
what the process keeps of the most that it ever needed, is there the first time already: a document of each folder is
opened before the first edit, and each of the long texts is pasted before the first look.

The first difference ends the storm with 1: what leads to it is made short, and printed in the form that `--replay`
takes. The same seed makes the same storm.

Owns: the run. Must not know: what is compared.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from invariants.corpus import seeded
from lsp.driven import Driven
from lsp.typist import Change, Typist, applied
from soak.answers import difference
from soak.documents import choose, folders, megabyte, write_workspace
from soak.edits import changes
from soak.memory import Memory, growth, held
from soak.shrinking import Reproduction, fault, play, servers_of, shortened

ENCODINGS: Final = ("utf-16", "utf-16", "utf-8")
#: How many documents are open at once, and how many edits one has before it is closed, at most.
OPEN: Final = 6
MAX_LENGTH: Final = 400
#: Of so many edits one is compared in depth.
DEEP: Final = 10
#: At most this many edits lie between two checks of memory, and between two pastes of a megabyte after the first ones.
PERIOD: Final = 10_000
#: How many texts of a megabyte there are to be pasted.
LONG: Final = 4
#: At most this many of a document's last steps are kept for a reproduction.
KEPT: Final = 200


class DifferenceError(Exception):
    """The server that followed the edits says something else; the text says what."""

    def __init__(self, stated: str, reproduction: Reproduction) -> None:
        super().__init__(stated)
        self.reproduction = reproduction


@dataclass(slots=True)
class Open:
    """An open document, and the last steps that led to its text."""

    path: str
    uri: str
    typist: Typist
    edited: Driven
    fresh: Driven
    cursor: int = 0
    left: int = 0
    began: str = ""
    between: str = ""
    steps: list[list[Change]] = field(default_factory=list)

    def note(self, step: list[Change], before: str) -> None:
        """Remember a step, and forget the oldest."""
        if len(self.steps) == KEPT:
            self.between = before
        if len(self.steps) == 2 * KEPT:
            self.began, self.steps = self.between, self.steps[KEPT:]
            self.between = before
        self.steps.append(step)


class Storm:
    """Documents, and the servers that hold them; `counts` says what was done."""

    def __init__(self, root: Path, seed: str, pasted: Callable[[Random], str] = megabyte) -> None:
        self.root = root
        self.random = seeded(f"storm {seed}")
        self.pasted = pasted
        self.long: list[str] = []
        self.counts: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.servers = servers_of(root)
        self.open: list[Open] = []
        self.opened = 0

    def look_around(self) -> None:
        """Let each server have a document in every folder once, so that it knows all settings and tools."""
        for folder in folders():
            uri = (self.root / folder / "around.md").as_uri()
            for server in (server for pair in self.servers.values() for server in pair):
                server.open(uri, "Before.\n", language="plaintext")
                server.close(uri)

    def edit(self) -> None:
        """Make one edit somewhere, and compare."""
        while len(self.open) < OPEN:
            self._open(*choose(self.random))
        # Most keystrokes go where the last one went.
        document = self.open[-1 if self.random.random() < 0.7 else self.random.randrange(OPEN)]
        self._act(document)
        document.left -= 1
        if document.left <= 0:
            self.close(document)

    def paste(self) -> int:
        """Paste a long text into a document, edit it there, take all of it back and make it again; count the edits."""
        path, text = f"any/long.{self.random.choice(('md', 'txt', 'prompt'))}", "Before.\n\nAfter 😀.\n"
        document = self._open(path, text)
        before = self.counts["edits"]
        if not self.long:
            self.long = [self.pasted(self.random) for _ in range(LONG)]
        long = self.long[self.counts["pastes"] % LONG]
        self._step(document, document.typist.type, [(9, 9, long)])
        for _ in range(2):
            at = self.random.randrange(len(long))
            self._step(document, document.typist.type, [(at, at + self.random.choice((0, 1)), "<x")])
        for _ in range(3):
            self._back(document)
        for _ in range(2):
            self._again(document)
        at = self.random.randrange(len(long))
        self._step(document, document.typist.type, [(at, at, "```\n")])
        self.close(document)
        self.counts["pastes"] += 1
        return self.counts["edits"] - before

    def _open(self, path: str, text: str) -> Open:
        self.opened += 1
        name = self.random.choice(ENCODINGS)
        edited, fresh = self.servers[name]
        path = f"{Path(path).parent}/{self.opened}-{Path(path).name}"
        uri = (self.root / path).as_uri()
        document = Open(
            path, uri, Typist(text, name), edited, fresh, began=text, left=self.random.randint(20, MAX_LENGTH)
        )
        edited.open(uri, text, language="plaintext")
        self.open.append(document)
        snapshot = edited.document(uri).snapshot
        if snapshot is None:
            raise ValueError(f"{path} is no document that is diagnosed")
        self.hosts[snapshot.host.name] += 1
        return document

    def close(self, document: Open) -> None:
        """Close a document."""
        document.edited.close(document.uri)
        self.open.remove(document)

    def close_all(self) -> None:
        """Close all documents."""
        for document in [*self.open]:
            self.close(document)

    def _act(self, document: Open) -> None:
        kind, typist = self.random.random(), document.typist
        if kind < 0.04 and typist.undos:
            for _ in range(self.random.randint(1, min(8, len(typist.undos)))):
                self._back(document)
            for _ in range(self.random.randint(0, len(typist.redos))):
                self._again(document)
        elif kind < 0.045:
            text = applied(typist.text, changes(typist.text, document.cursor, self.random))
            self.counts["whole texts"] += 1
            self._step(document, lambda step: typist.replace(step[0][2]), [(0, len(typist.text), text)])
        elif kind < 0.05:
            self._step(document, typist.type, [])
        elif kind < 0.07 and len(self.open) > 1:
            # Some edits go by before anyone looks.
            self._step(document, typist.type, changes(typist.text, document.cursor, self.random), compare=False)
            self._step(document, typist.type, changes(typist.text, document.cursor, self.random))
        else:
            self._step(document, typist.type, changes(typist.text, document.cursor, self.random))

    def _back(self, document: Open) -> None:
        self.counts["undone"] += 1
        self._step(document, lambda _step: document.typist.undo(), document.typist.undos[-1])

    def _again(self, document: Open) -> None:
        self.counts["made again"] += 1
        self._step(document, lambda _step: document.typist.redo(), document.typist.redos[-1])

    def _step(
        self,
        document: Open,
        do: Callable[[list[Change]], list[dict[str, Any]]],
        step: list[Change],
        *,
        compare: bool = True,
    ) -> None:
        """Make changes, let the server follow, and compare with one that opens the text that they lead to."""
        typist = document.typist
        document.note(step, typist.text)
        reported = do(step)
        if step:
            start, _, new = step[-1]
            document.cursor = min(start + len(new), len(typist.text))
        self.counts["edits"] += 1
        self.counts["changes"] += len(reported)
        try:
            document.edited.change(document.uri, typist.version, reported)
            if not compare:
                return
            document.fresh.open(document.uri, typist.text, language="plaintext")
            deep = self.counts["edits"] % DEEP == 0
            self.counts["in depth"] += deep
            stated = difference(document.edited, document.fresh, document.uri, typist.text, deep=deep)
            document.fresh.close(document.uri)
        except Exception as error:  # noqa: BLE001 - whatever is raised is a difference, and is to be made short
            stated = fault(error)
        self.counts["compared"] += 1
        self.counts["characters read"] += len(typist.text)
        if stated is not None:
            raise DifferenceError(stated, Reproduction(document.path, typist.encoding, document.began, document.steps))


def state_text(text: str) -> None:
    """Write a line at once: a wait of ten minutes shows progress."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def explain(error: DifferenceError, root: Path, attempts: int) -> str:
    """Return what went wrong, with a short way to it."""
    one, servers = error.reproduction, servers_of(root)
    if play(one, root, servers) is None:
        return f"{error}\nThe document alone does not show it. Its last steps:\n{one.written()}"
    short = shortened(one, lambda each: play(each, root, servers) is not None, attempts)
    return f"{error}\nMade short: {play(short, root, servers)}\nReplay with --replay:\n{short.written()}"


def weather(
    edits: int,
    seed: str,
    root: Path,
    *,
    period: int = PERIOD,
    pasted: Callable[[Random], str] | None = megabyte,
    report: Callable[[str], None] = state_text,
    attempts: int = 1_000,
) -> str | None:
    """Let a storm of so many edits blow; return in words what went wrong, None where nothing did.

    Memory is checked after every `period` edits, and where `pasted` makes long texts, all are pasted in the middle of
    the first period and one in the middle of each that follows.
    """
    write_workspace(root)
    storm = Storm(root, seed, pasted or megabyte)
    counts = storm.counts
    first: Memory | None = None
    last: Memory | None = None
    begun, used = time.monotonic(), time.process_time()
    next_paste, next_look = period // 2, period
    if edits >= period:
        storm.look_around()
    try:
        while counts["edits"] < edits:
            if pasted is not None and counts["edits"] >= next_paste:
                next_paste += period
                for _ in range(1 if counts["pastes"] else LONG):
                    storm.paste()
            else:
                storm.edit()
            if counts["edits"] >= next_look:
                next_look += period
                storm.close_all()
                last = held()
                first = first or last
                report(f"{counts['edits']:>7,} edits: {last}; {time.process_time() - used:.0f} s of CPU time")
    except DifferenceError as error:
        return f"Seed {seed}, edit {counts['edits']}: {explain(error, root, attempts)}"
    storm.close_all()
    report(
        f"{counts['edits']:,} edits ({counts['changes']:,} changes, {counts['undone']:,} undone, "
        f"{counts['made again']:,} made again, {counts['whole texts']:,} whole texts, {counts['pastes']} long pastes) "
        f"in {storm.opened:,} documents, {counts['compared']:,} compared, {counts['in depth']:,} in depth, "
        f"{counts['characters read'] / 1e6:.0f} million characters read anew; "
        f"{time.monotonic() - begun:.0f} s, {time.process_time() - used:.0f} s of CPU time (seed {seed})"
    )
    report("Kinds of files: " + ", ".join(f"{name} {count}" for name, count in sorted(storm.hosts.items())))
    if first is None or last is None:
        return None
    report(f"Memory after {period:,} edits: {first}; at the end: {last}")
    grown = growth(first, last)
    return None if grown is None else f"Memory is not flat: {grown} (seed {seed})"


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=100_000, help="how many edits to make")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="what the choices come from; fresh by default")
    parser.add_argument("--replay", type=Path, help="play a reproduction from this file")
    options = parser.parse_args()
    os.environ["CALLWRIGHT_NO_CACHE"] = "1"
    with tempfile.TemporaryDirectory(prefix="callwright-") as folder:
        root = Path(folder)
        if options.replay is not None:
            write_workspace(root)
            wrong = play(Reproduction.read(options.replay.read_text("utf-8")), root, servers_of(root))
        else:
            wrong = weather(options.edits, options.seed, root)
    state_text(wrong or "No difference.")
    return 1 if wrong is not None else 0


if __name__ == "__main__":
    sys.exit(main())
