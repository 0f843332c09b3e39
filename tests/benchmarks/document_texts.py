"""The texts of the benchmark `documents.py`: prompts in Markdown, conversations and definitions of tools in JSON.

Owns: making them from a seeded source of choices, the same on every machine, and taking commas out of them. Must not
know: how they are checked, clocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
SIZE: Final = 1_000_000
ABOUT: Final = "Does what its name says, and says so in a sentence."

_PROPERTIES: Final[dict[str, dict[str, Any]]] = {
    "read_file": {"path": {"type": "string", "description": "The file to read."}, "start": {"type": "integer"}},
    "search_text": {"pattern": {"type": "string"}, "folder": {"type": "string"}, "limit": {"type": "integer"}},
    "run_tests": {"target": {"type": "string"}, "verbose": {"type": "boolean"}},
    "write_file": {"path": {"type": "string"}, "content": {"type": "string", "description": "The whole new text."}},
    "save_lines": {"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "object"}}},
}
TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": name,
        "description": ABOUT,
        "input_schema": {
            "type": "object",
            "properties": {
                key: {**own, "description": own.get("description", f"The {key} that is meant.")}
                for key, own in properties.items()
            },
            "required": [next(iter(properties))],
            "additionalProperties": False,
        },
    }
    for name, properties in _PROPERTIES.items()
]
_FUNCTIONS: Final = [
    {
        "type": "function",
        "function": {"name": each["name"], "description": ABOUT, "parameters": each["input_schema"]},
    }
    for each in TOOLS
]
_SENTENCES: Final = (
    "Look at the failing test before you change anything, and say what you expect to see.",
    "I think the function drops the last item: the loop ends one too early.",
    'The locale decides how "numbers" are shown, so the test passes here and fails there.',
    "Let me check where the value comes from, then change it in one place.",
    "It isn't obvious why `parse_line` returns None for an empty line; the caller relies on it.",
)
_CODE: Final = (
    "def parse_line(line: str) -> dict[str, int] | None:\n    if not line.strip():\n        return None\n"
    '    parts = line.split(",")\n    return {key: int(value) for key, value in (part.split("=") for part in parts)}\n'
)
_HEADINGS: Final = ("How to work", "Rules", "Before you change a file", "What to say", "Tests", "Tone")
_ITEMS: Final = (
    "- Read the file before you edit it; never guess what stands in it.",
    "- Prefer `search_text` over reading a whole folder, and keep `limit` small.",
    "1. Say in **one** sentence what you are about to do.",
    "2. Call the tool, and wait for its result (see [the guide](https://example.org/guide)).",
    "* If a test fails, look at the *first* failure only.",
)
_TAGGED: Final = (
    "Put your thoughts into <plan> tags: first the goal, then the steps.</plan>",
    "Press <kbd>Ctrl</kbd>+<kbd>C</kbd> where a command hangs, and use `a < b` in a loop.",
    "<important>\nNever delete what you did not write.\n</important>",
)
_FENCES: Final = (
    "```bash\npython -m pytest tests/test_io.py -x && git diff --stat\n```",
    '```json\n{"name": "demo", "version": 3, "files": ["a.py", "b.py"]}\n```',
)
CALL: Final = "<read_file>\n<path>src/app/main.py</path>\n<start>12</start>\n</read_file>"
_MEMBER: Final = re.compile(r',\s*"(?:role|name|content|description)":')


def prompt(random: Random, size: int = SIZE, *, calls: int = 2) -> str:
    """Return a prompt in Markdown: paragraphs, headings, lists, fences, some tags, and of a hundred parts `calls`
    calls."""
    makers: list[tuple[Callable[[], str], int]] = [
        (lambda: _stated(random), 50),
        (lambda: f"## {random.choice(_HEADINGS)}", 12),
        (lambda: "\n".join(random.choices(_ITEMS, k=random.randint(2, 6))), 18),
        (lambda: f"```python\n{_CODE * random.randint(1, 3)}```", 8),
        (lambda: random.choice(_FENCES), 4),
        (lambda: random.choice(_TAGGED), 6),
        (lambda: CALL, calls),
    ]
    every, weights = [maker for maker, _ in makers], [weight for _, weight in makers]
    parts: list[str] = []
    held = 0
    while held < size:
        parts.append(random.choices(every, weights)[0]())
        held += len(parts[-1]) + 2
    return "\n\n".join(parts) + "\n"


def pages(size: int = SIZE) -> str:
    """Return the project's own pages, one after another, as often as needed: tables, code spans, a few calls."""
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "server/docs").glob("*.md")))
    return (text * (size // len(text) + 1))[:size]


def _stated(random: Random) -> str:
    return " ".join(random.choices(_SENTENCES, k=random.randint(2, 6)))


def _called(random: Random) -> tuple[str, dict[str, Any]]:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": f"src/app/{random.choice(('main', 'io'))}.py", "start": random.randint(1, 99)}),
        ("search_text", {"pattern": "parse_\\w+\\(", "limit": random.randint(1, 50)}),
        ("run_tests", {"target": f"tests/test_{random.randint(1, 99)}.py", "verbose": True}),
        ("write_file", {"path": "src/app/io.py", "content": _CODE * random.randint(1, 4)}),
    ]
    return random.choice(calls)


def _exchange(random: Random, *, blocks: bool) -> list[dict[str, Any]]:
    """Return a call and its result, in blocks or as chat messages."""
    name, arguments = _called(random)
    call_id = f"call_{random.getrandbits(64):016x}"
    returned = _CODE * random.randint(0, 6) + _stated(random)
    if blocks:
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": returned}
        return [
            {"role": "assistant", "content": [{"type": "text", "text": _stated(random)}, use]},
            {"role": "user", "content": [result]},
        ]
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    entry = {"id": call_id, "type": "function", "function": function}
    stated = _stated(random) if random.random() < 0.5 else None
    return [
        {"role": "assistant", "content": stated, "tool_calls": [entry]},
        {"role": "tool", "tool_call_id": call_id, "content": returned},
    ]


def conversation(random: Random, exchanges: int, *, blocks: bool = False) -> dict[str, Any]:
    """Return a clean conversation with native calls, in chat messages or in blocks, and the tools it brings."""
    own = [each for _ in range(exchanges) for each in _exchange(random, blocks=blocks)]
    last: Any = [{"type": "text", "text": _stated(random)}] if blocks else _stated(random)
    messages = [{"role": "user", "content": _stated(random)}, *own, {"role": "assistant", "content": last}]
    system = "You are a careful engineer. Use the tools; never guess what a file holds."
    if blocks:
        return {"system": system, "messages": messages, "tools": TOOLS}
    return {"messages": [{"role": "system", "content": system}, *messages], "tools": _FUNCTIONS}


def long_conversation(random: Random, size: int = SIZE) -> dict[str, Any]:
    """Return one conversation of about `size` characters."""
    sample = conversation(random, 100)
    return conversation(random, 100 * size // len(json.dumps(sample)))


def conversations(random: Random, size: int = SIZE, *, blocks: bool = False) -> list[dict[str, Any]]:
    """Return a list of conversations of one to four calls."""
    out: list[dict[str, Any]] = []
    held = 0
    while held < size:
        out.append(conversation(random, random.randint(1, 4), blocks=blocks))
        held += len(json.dumps(out[-1]))
    return out


def tool_file(size: int = SIZE) -> dict[str, Any]:
    """Return definitions of tools, as an MCP server lists them."""
    one = [{"name": e["name"], "description": e["description"], "inputSchema": e["input_schema"]} for e in TOOLS]
    times = size // len(json.dumps(one)) + 1
    return {"tools": [{**each, "name": f"{each['name']}_{number}"} for number in range(times) for each in one]}


def large_call(size: int = 640_000) -> str:
    """Return one JSON object of arguments: a list of many small objects."""
    line = json.dumps({"line": 10_000, "text": "some text"}) + ", "
    lines = [{"line": 10_000 + number, "text": "some text"} for number in range(size // len(line))]
    return json.dumps({"path": "a.py", "lines": lines})


def broken(text: str, faults: int) -> str:
    """Return a JSON text without some of its commas between members, evenly spread."""
    commas = [match.start() for match in _MEMBER.finditer(text)]
    step = len(commas) / (faults + 1)
    gone = [commas[int(step * number)] for number in range(1, faults + 1)]
    starts = [0, *(comma + 1 for comma in gone)]
    return "".join(text[start:end] for start, end in zip(starts, [*gone, len(text)], strict=True))
