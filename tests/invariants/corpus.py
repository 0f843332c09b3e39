"""The corpus of all dialects: what the cases of dialects show, what dialects write, and mutations of both.

Owns: gathering them from the catalogue and from `tests/dialects`, and seeded mutation: the same batch gives the same
texts on every machine. Must not know: any single dialect, what is asserted of the texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import all_dialects, dialect_names, find_dialect
from callwright.tools.registry import ToolRegistry
from dialects.dialect_cases import FOLDER, TOOLS, prepared
from invariants.texts import EMPTY, transcript
from support.cases import load_cases
from support.engine import EXAMPLE_TOOLS
from support.sampling import whole

#: How many mutations are read in all.
MUTATIONS: Final = 20_000 if whole() else 1_000
BATCHES: Final = 20

_ARGUMENTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("git_status", {}),
    ("read_file", {"path": "src/a.py", "limit": 40}),
    ("write_file", {"path": "a", "content": 'if a < b and c:\n    print("é 😀")\n'}),
    ("debug_launch", {"program": "a", "args": ["-x", "007"], "stopOnEntry": True, "timeout": 1.5}),
    ("edit_file", {"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": "z", "new": ""}]}),
    ("set_values", {"note": None, "grid": [[1], []], "settings": {"a": {"b": [True]}}, "either": "7"}),
]
_CHARACTERS: Final[list[str]] = [
    *"<>/|{}[]()\"'`~\\=:;,.# \t\n",
    "\r\n",
    "\r",
    "｜",
    "▁",
    "é",
    "😀",
    "\u2028",
    "\ud83d",
    "\x00",
    "\ufdd0",
]
_WORDS: Final[list[str]] = [
    "read_file",
    "write_file",
    "path",
    "null",
    "None",
    "True",
    "1e999",
    "007",
    "\\u",
    "...",
    "{{x}}",
    "]]>",
]


@cache
def registry() -> ToolRegistry:
    """Return the tools that the cases call."""
    definitions = [
        *json.loads(EXAMPLE_TOOLS.read_text("utf-8"))["tools"],
        *json.loads(TOOLS.read_text("utf-8"))["tools"],
    ]
    return ToolRegistry.of(definitions)


@cache
def call_markers_of(name: str) -> tuple[str, ...]:
    """Return what one dialect writes around names and values, its openers, and whole calls."""
    dialect = find_dialect(name)
    assert dialect is not None
    found = dict.fromkeys(dialect.openers)
    for value in ("zqb", 17):
        text = dialect.render("read_file", {"path": value, "limit": "zqc"}, None, RenderStyle(compact=True))
        if not isinstance(text, Refusal):
            pieces = [text, *re.split("read_file|path|limit|zqb|zqc|17", text)]
            found.update((piece.strip(), None) for piece in pieces)
    found.pop("", None)
    return tuple(found)


@cache
def markers() -> tuple[str, ...]:
    """Return the markers of all dialects."""
    return tuple(dict.fromkeys(marker for name in dialect_names() for marker in call_markers_of(name)))


@cache
def written() -> tuple[str, ...]:
    """Return calls as every dialect writes them, single and in a row."""
    found: list[str] = []
    tools = registry()
    for dialect in all_dialects():
        for tool, arguments in _ARGUMENTS:
            for compact in (True, False):
                text = dialect.render(tool, arguments, tools.get(tool)[0], RenderStyle(compact=compact))
                if not isinstance(text, Refusal):
                    found.append(text)
        found.append("\n".join(found[-4:]))
    return tuple(found)


@cache
def corpus() -> tuple[str, ...]:
    """Return the sources of all cases of dialects, and what every dialect writes."""
    folders = sorted(path for path in FOLDER.iterdir() if any(path.glob("*.md")))
    shown = dict.fromkeys(prepared(case).source for case in load_cases(*folders))
    return tuple(dict.fromkeys((*shown, *written())))


def seeded(seed: str | int) -> Random:
    """Return a source of choices that are the same on every machine."""
    return Random(seed)  # noqa: S311  # chooses texts, keeps no secret


class Mutant(NamedTuple):
    """A mutated text, and how it is to be read."""

    text: str
    tools: ToolRegistry
    dialect: str | None


def mutants(batch: int, count: int = MUTATIONS // BATCHES, salt: str = "") -> Iterator[Mutant]:
    """Yield `count` mutations of the corpus; a batch's number says which."""
    random = seeded(f"{salt}{batch}")
    names = dialect_names()
    texts = corpus()
    for _ in range(count):
        text = random.choice(texts)
        for _ in range(random.choice((1, 1, 2, 3, 6))):
            text = changed_somewhere(text, texts, random)
        tools = EMPTY if random.random() < 0.25 else registry()
        yield Mutant(text[:20_000], tools, random.choice(names) if random.random() < 0.4 else None)


def changed_somewhere(text: str, texts: tuple[str, ...], random: Random) -> str:
    """Return a text with one change."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 1, 2, 5, 12, 40)))
    kind = random.randrange(9)
    if kind == 0:
        return text[:start]
    if kind == 1:
        return text[start:]
    if kind == 2:
        return text[:start] + text[end:]
    if kind == 3:
        return text[:end] + text[start:]
    if kind == 4:
        return text[:start] + random.choice(_CHARACTERS) * random.choice((1, 1, 3)) + text[end:]
    if kind == 5:
        return text[:start] + random.choice(markers()) + text[end:]
    if kind == 6:
        return text[:start] + random.choice(_WORDS) + text[end:]
    if kind == 7:
        return text + random.choice(("", "\n", "\n\n", " ", ";")) + random.choice(texts)
    other = random.choice(texts)
    return text[:start] + other[random.randint(0, len(other)) :]


def as_transcript(text: str, random: Random) -> str:
    """Return a transcript that holds a text as a message."""
    return transcript(text, ascii_only=random.random() < 0.5)
