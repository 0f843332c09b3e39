"""The documents of the storm: a workspace with tools and settings, and texts of every dialect and kind of file in it.

Owns: the folder that is written, and the choice of a document. Must not know: how documents are edited, what is
asserted.

A document has some hundred characters to 20 KB. A flow document is made of cases of all dialects below each other; the
others are the documents of the hosts' cases and corpora, lines of JSONL in any number.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from callwright.dialects.catalogue import dialect_names
from dialects.dialect_cases import TOOLS
from invariants.corpus import corpus
from invariants.host_documents import documents
from invariants.texts import GOOD_CALLS, PROSE, transcript
from support.engine import EXAMPLE_TOOLS

LARGEST: Final = 20_000
#: A document that an edit has left with less is given more.
SMALLEST: Final = 200
MEGABYTE: Final = 1_000_000
#: Kinds of files that contain prose with calls as it is.
FLOW: Final = ["a.md", "a.md", "a.txt", "a.prompt", "a.md.j2", "a.md.hbs", "a.transcript"]
#: Prompts with a call here and there, which is what a text of a megabyte mostly is.
_PLAIN_PROSE: Final = "Look at the failing test before you change anything, and say what you expect to see. ✓ 😀\n\n"


class Chosen(NamedTuple):
    """A document to be opened: its path in the workspace, and its text."""

    path: str
    text: str


def folders() -> list[str]:
    """Return the folders of the workspace, each with settings of its own."""
    return ["any", "strict", "raw", *(f"only-{name}" for name in dialect_names())]


def write_workspace(root: Path) -> None:
    """Write the tools and settings under which documents are read; the documents themselves are in no file."""
    definitions = [
        *json.loads(EXAMPLE_TOOLS.read_text("utf-8"))["tools"],
        *json.loads(TOOLS.read_text("utf-8"))["tools"],
    ]
    for name in folders():
        lines = ['tools = ["tools.json"]', 'files = ["**"]']
        if name.startswith("only-"):
            lines.append(f"dialect = {json.dumps(name.removeprefix('only-'))}")
        lines += {"strict": ["strict = true"], "raw": ['markup = "raw"']}.get(name, [])
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "callwright.toml").write_text("\n".join(lines) + "\n", "utf-8")
        (folder / "tools.json").write_text(json.dumps({"tools": definitions}), "utf-8")


def plain(text: str) -> str:
    """Return a text without what no editor can send: half a surrogate pair."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def choose(random: Random) -> Chosen:
    """Return a document: prose in a flow host as often as one of the other kinds of files."""
    folder = random.choice(["any", "any", "any", random.choice(folders())])
    size = min(LARGEST, int(random.choice((600, 1_000, 2_000)) * 2 ** random.uniform(-1, 2.8)))
    if random.random() < 0.5:
        return Chosen(f"{folder}/{random.choice(FLOW)}", plain(flow(random, size)))
    document = random.choice(documents())
    text = document.text
    if document.path.endswith((".jsonl", ".ndjson")):
        lines = [text.rstrip("\r\n")]
        while sum(map(len, lines)) < size:
            lines.append(random.choice([*lines, transcript(_piece(random), _piece(random))]))
        text = random.choice(("\n", "\r\n")).join(lines)
    elif document.path.endswith(".json") and random.random() < 0.3:
        text = transcript(*(_piece(random) for _ in range(max(2, size // 400))), ascii_only=random.random() < 0.5)
    return Chosen(f"{folder}/{Path(document.path).name}", plain(text[:LARGEST]))


def flow(random: Random, size: int) -> str:
    """Return prose and calls of all dialects below each other."""
    gap = random.choice(("\n\n", "\n\n", "\n", "\r\n\r\n", "\n> ", "\r"))
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(_piece(random)[:LARGEST])
    return gap.join(parts)[:LARGEST]


def _piece(random: Random) -> str:
    return random.choice(PROSE if random.random() < 0.3 else corpus())


def megabyte(random: Random) -> str:
    """Return a text of a megabyte: prose, and clean and odd calls in it."""
    piece = f"{_PLAIN_PROSE * 3}{random.choice(GOOD_CALLS)}\n\n{_PLAIN_PROSE * 9}{plain(random.choice(corpus()))}\n\n"
    return piece * (MEGABYTE // len(piece) + 1)
