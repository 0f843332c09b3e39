"""The texts of a made conversation: tools, calls, results and prose, whatever shape they are written in later.

Owns: `Conversation`, `Exchange`, the tools of the corpus, the choice of texts. Must not know: shapes, dialects, faults,
files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

_PATH: Final = {"type": "string", "minLength": 1, "description": "A path from the project's root."}
_PARAMETERS: Final[dict[str, tuple[dict[str, Any], list[str]]]] = {
    "read_file": (
        {
            "path": _PATH,
            "first_line": {"type": "integer", "minimum": 1, "description": "Where to begin."},
            "last_line": {"type": "integer", "minimum": 1, "description": "Where to end."},
        },
        ["path"],
    ),
    "write_file": (
        {"path": _PATH, "content": {"type": "string", "description": "The whole new text."}},
        ["path", "content"],
    ),
    "search_text": (
        {
            "pattern": {"type": "string", "description": "A regular expression."},
            "folder": {"type": "string", "description": "Where to look."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 500, "description": "How many at most."},
        },
        ["pattern", "limit"],
    ),
    "run_tests": (
        {
            "target": {"type": "string", "description": "A file or a folder."},
            "verbose": {"type": "boolean", "description": "Whether each test is named."},
            "order": {"type": "string", "enum": ["given", "random", "failed-first"], "description": "In which order."},
        },
        ["target", "verbose", "order"],
    ),
    "get_weather": (
        {
            "city": {"type": "string", "description": "The city's name."},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The scale."},
            "days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "How many days ahead."},
        },
        ["city", "unit", "days"],
    ),
    "book_table": (
        {
            "restaurant": {"type": "string", "description": "The restaurant's name."},
            "guests": {"type": "integer", "minimum": 1, "description": "How many come."},
            "outside": {"type": "boolean", "description": "Whether the table is to stand outside."},
            "note": {"type": "string", "description": "What the kitchen should know."},
        },
        ["restaurant", "guests", "outside"],
    ),
}
#: What each tool's schema says, by the tool's name.
SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    name: {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    for name, (properties, required) in _PARAMETERS.items()
}
_ABOUT: Final = {
    "read_file": "Returns the text of a file.",
    "write_file": "Writes a file anew.",
    "search_text": "Finds where a pattern occurs.",
    "run_tests": "Runs tests and says which failed.",
    "get_weather": "Tells the weather of a city.",
    "book_table": "Books a table.",
}
#: The tools as OpenAI's and as Anthropic's interface take them.
FUNCTIONS: Final = [
    {"type": "function", "function": {"name": name, "description": _ABOUT[name], "parameters": schema}}
    for name, schema in SCHEMAS.items()
]
TOOLS: Final = [{"name": name, "description": _ABOUT[name], "input_schema": schema} for name, schema in SCHEMAS.items()]
SYSTEM: Final = "You help with whatever you are asked. Use the tools, and never guess what one of them would say."

_SENTENCES: Final = (
    "Look at the failing test before you change anything, and say what you expect to see.",
    "I think that the loop ends one too early, so the last item is lost.",
    'The locale decides how "numbers" are shown, which is why it passes here and fails there.',
    "Let me see where the value comes from, then change it in one place.",
    "It isn't obvious why an empty line is skipped; the caller relies on it.",
    "If a < b & b < c, the middle one is what we want; otherwise we keep them as they are.",
    "Wir brauchen einen Tisch für heute Abend, am liebsten draußen – geht das?",
    "東京の天気はどうですか。傘が要りますか。",
    "Thanks! That is what I hoped for 🙂 and nothing else has changed.",
    "The file holds three columns:\tname, size and date.",
)
_CODE: Final = (
    "def parsed(line: str) -> dict[str, int] | None:\n    if not line.strip():\n        return None\n"
    '    parts = line.split(",")\n    return {key: int(value) for key, value in (part.split("=") for part in parts)}\n'
)
_CITIES: Final = ("Köln", "Paris", "東京", "Oslo", "Porto Alegre", "St. John's")
_PLACES: Final = ("Zum Anker", "Chez Rosa", "The Old Mill", 'Bar "Sole"')


@dataclass
class Call:
    """A call of a tool; `written` is its text where that has been damaged, None where the dialect writes it.

    What `written` replaces is up to the dialect: the arguments as JSON, or the whole call.
    """

    tool: str
    arguments: dict[str, Any]
    id: str
    written: str | None = None


@dataclass
class Exchange:
    """What the assistant says, what it calls, and what comes back; `result_id` names the call that is answered, None
    where nothing comes back."""

    stated: str
    call: Call
    result: str
    result_id: str | None


@dataclass
class Conversation:
    """A request, some exchanges, and the last answer."""

    request: str
    exchanges: list[Exchange] = field(default_factory=list)
    answer: str = ""


def _stated(random: Random, most: int = 4) -> str:
    return " ".join(random.choices(_SENTENCES, k=random.randint(1, most)))


def _read_file(random: Random) -> dict[str, Any]:
    first = random.randint(1, 400)
    path = f"src/{random.choice(('app', 'core', 'io'))}/part_{random.randint(1, 999)}.py"
    return {"path": path, "first_line": first, "last_line": first + random.randint(1, 200)}


def _write_file(random: Random) -> dict[str, Any]:
    return {
        "path": f"src/made_{random.randint(1, 999)}.py",
        "content": f"# {_stated(random, 1)}\n" + _CODE * random.randint(1, 3),
    }


def _search_text(random: Random) -> dict[str, Any]:
    return {"pattern": f"parsed_{random.randint(1, 99)}\\(", "folder": "src", "limit": random.randint(1, 500)}


def _run_tests(random: Random) -> dict[str, Any]:
    return {
        "target": f"tests/test_{random.randint(1, 999)}.py",
        "verbose": random.random() < 0.5,
        "order": random.choice(("given", "random", "failed-first")),
    }


def _get_weather(random: Random) -> dict[str, Any]:
    return {
        "city": random.choice(_CITIES),
        "unit": random.choice(("celsius", "fahrenheit")),
        "days": random.randint(1, 14),
    }


def _book_table(random: Random) -> dict[str, Any]:
    return {
        "restaurant": random.choice(_PLACES),
        "guests": random.randint(1, 12),
        "outside": random.random() < 0.5,
        "note": _stated(random, 2),
    }


_ARGUMENTS: Final[dict[str, Callable[[Random], dict[str, Any]]]] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "search_text": _search_text,
    "run_tests": _run_tests,
    "get_weather": _get_weather,
    "book_table": _book_table,
}


def call(random: Random, prefix: str) -> Call:
    """Return a sound call of some tool, with an id of its own."""
    tool = random.choice(tuple(_ARGUMENTS))
    return Call(tool, _ARGUMENTS[tool](random), f"{prefix}{random.getrandbits(96):024x}")


def conversation(random: Random, prefix: str = "call_", *, fewest: int = 0) -> Conversation:
    """Return a sound conversation of up to four exchanges; each of its calls is answered before it continues."""
    made = Conversation(_stated(random), answer=_stated(random))
    for _ in range(random.randint(fewest, 4)):
        called = call(random, prefix)
        result = json.dumps({"ok": True, "text": _CODE * random.randint(0, 4) + _stated(random)}, ensure_ascii=False)
        made.exchanges.append(Exchange(_stated(random, 2), called, result, called.id))
    return made
