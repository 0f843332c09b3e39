"""A tool file that is plainly in order, but for a few definitions, has the diagnostics that close reading of it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callwright.declarations.load import read_tools
from callwright.document.settings import Settings
from callwright.hosts.catalogue import find_host
from callwright.lint import files as tool_files
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic
from callwright.rules.support import plain_tools
from callwright.rules.support.plain_tools import fault_alone, suspect_tools
from callwright.rules.support.tool_words import PLACEHOLDER_WORDS, is_placeholder
from callwright.tools.registry import EMPTY, ToolRegistry
from invariants.corpus import seeded
from support.sampling import sampled

pytest.importorskip("jsonschema_rs")
pytest.importorskip("orjson")

ROOT = Path(__file__).parents[2]
#: How many tool files are made and changed.
FILES = 1_000
TEXTS = ("The file to read.", "path", "Say what to look for, and where.", "TO", "Größe in MB", "the Description")
NAMES = ("path", "pattern", "limit", "type", "properties", "description", "items", "required", "name", "$ref", "x-y")
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2.5, 1e300, 10**20, "", " ", "text", "string", "integer", "object", "array", "null"),
    *(
        "TODO",
        "todo: say more",
        "N/A",
        "<description here>",
        "No  description\u2028provided",
        "…",
        [],
        {},
        [""],
        [1, 1],
    ),
    *(["path"], ["path", "path"], ["absent"], {"type": "string"}, {"type": "strin"}, {"$ref": "#"}, ["string", "null"]),
    *("^a+$", "(a+)+$", "read_file", "Read-File", "a b", "x" * 64, "http://json-schema.org/draft-07/schema#"),
)
KEYS = (
    *(
        "type",
        "description",
        "desc",
        "title",
        "enum",
        "default",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "items",
    ),
    *("properties", "required", "requierd", "additionalProperties", "pattern", "format", "const", "anyOf", "examples"),
    *("$schema", "$ref", "$defs", "strict", "name", "inputSchema", "input_schema", "parameters", "outputSchema"),
    *("annotations", "deprecated", "aliases", "markup", "function", "messages", "minItems", "uniqueItems", "x-more"),
)


def schema(random: Random, depth: int = 0) -> dict[str, Any]:
    made: dict[str, Any] = {"description": random.choice(TEXTS)}
    kind = random.choice(("string", "integer", "number", "boolean", "enum", "array", "object")[: 7 if depth < 2 else 5])
    made["type"] = "string" if kind == "enum" else kind
    if kind == "enum":
        made["enum"] = random.sample(["a", "b", "c", "d"], random.randint(1, 4))
    elif kind == "array":
        made["items"] = schema(random, depth + 1)
    elif kind == "object":
        made |= arguments(random, depth + 1)
    elif random.random() < 0.3:
        values = {"string": "a", "integer": 3, "number": 0.5, "boolean": True}
        made |= random.choice([{"default": values[kind]}, {"title": "A title"}])
    elif kind in ("integer", "number") and random.random() < 0.3:
        made[random.choice(("minimum", "maximum"))] = random.randint(-3, 3)
    if depth and random.random() < 0.3:
        del made["description"]
    return made


def arguments(random: Random, depth: int = 0) -> dict[str, Any]:
    properties = {name: schema(random, depth) for name in random.sample(NAMES, random.randint(0, 4))}
    made: dict[str, Any] = {"type": "object", "properties": properties}
    if random.random() < 0.7:
        made["required"] = random.sample([*properties], random.randint(0, len(properties)))
    if random.random() < 0.5:
        made["additionalProperties"] = random.random() < 0.5
    return made


def definition(random: Random, number: int, way: int) -> dict[str, Any]:
    stated = {"name": f"{random.choice(('read', 'Find', 'run-it', 'x'))}_{number}", "description": random.choice(TEXTS)}
    if way == 0:
        hints = {"annotations": {"readOnlyHint": True}, "title": "A title"} if random.random() < 0.2 else {}
        return {**stated, "inputSchema": arguments(random), **hints}
    if way == 1:
        return {**stated, "input_schema": arguments(random)}
    return {"type": "function", "function": {**stated, "parameters": arguments(random)}}


def changed(value: Any, random: Random) -> None:
    """Change something somewhere in a value."""
    places = [value]
    for place in places:
        inside = place.values() if isinstance(place, dict) else place
        places += [each for each in inside if isinstance(each, dict | list)]
    place = random.choice(places)
    if isinstance(place, list):
        way = random.randrange(3)
        if way == 0 or not place:
            place.insert(random.randint(0, len(place)), random.choice(ODD))
        elif way == 1:
            place.append(random.choice(place))
        else:
            place[random.randrange(len(place))] = random.choice(ODD)
        return
    key = random.choice([*place]) if place and random.random() < 0.6 else random.choice(KEYS)
    if key in place and random.random() < 0.3:
        del place[key]
    else:
        place[key] = json.loads(json.dumps(random.choice([*ODD, *place.values()])))


def written(value: Any, random: Random) -> str:
    text = json.dumps(value, indent=random.choice((None, None, 2, "\t")), ensure_ascii=random.random() < 0.5)
    if random.random() < 0.1:
        # A duplicate name.
        text = text.replace('"type"', '"type": "object", "type"', 1)
    if random.random() < 0.05:
        text = text.replace("\n", "\r\n")
    return text if random.random() < 0.95 else "\ufeff" + text


def files(batch: int) -> Iterator[str]:
    random = seeded(f"tool files {batch}")
    for _ in range(FILES // 4):
        ways = random.choice(((0,), (1,), (2,), (0, 1, 2)))
        tools = [definition(random, number, random.choice(ways)) for number in range(random.choice((1, 2, 5, 9)))]
        value: Any = {"tools": tools} if random.random() < 0.6 else tools
        for _ in range(random.choice((0, 0, 1, 1, 2, 4))):
            changed(value, random)
        text = written(value, random)
        for _ in range(random.choice((0, 0, 0, 0, 1, 2))):
            # A comma is missing, or something else that is not a letter.
            markers = [match.start() for match in re.finditer(',(?=\\s*")' if random.random() < 0.7 else r"\W", text)]
            at = random.choice(markers or [0])
            text = text[:at] + text[at + 1 :]
        yield text


def reported(found: list[Diagnostic]) -> list[Any]:
    return [(each, each.related, [*each.fixes]) for each in found]


def judged(text: str, registry: ToolRegistry, settings: Settings, *, closely: bool) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_files, "_MIN_TRIAGE_LENGTH", 1 << 30 if closely else 0)
        snapshot = open_snapshot(
            text, path="/project/tools.json", registry=registry, settings=settings, host=find_host("tool-file")
        )
        return reported(diagnostics(snapshot))


@pytest.mark.parametrize("batch", sampled(range(4)))
def test_tool_files_have_the_diagnostics_of_close_reading(batch: int) -> None:
    random = seeded(f"registries {batch}")
    certain = partly = broken = 0
    for text in files(batch):
        registry = EMPTY
        if random.random() < 0.2:
            registry = read_tools(text, random.choice(("/project/tools.json", "/project/other.json")))
        settings = random.choice([Settings(), Settings(), Settings(strict=True), Settings(provider="gemini")])
        closely = judged(text, registry, settings, closely=True)
        assert judged(text, registry, settings, closely=False) == closely, text
        uncertain = suspect_tools(text, "/project/tools.json", registry, settings)
        certain += uncertain == []
        partly += bool(uncertain)
        broken += fault_alone(text, "/project/tools.json", registry, settings) is not None
    assert certain > 20
    assert partly > 40
    assert broken > 4


def test_tool_files_of_the_project_have_the_diagnostics_of_close_reading() -> None:
    paths = [*(ROOT / "schemas").glob("*.json"), *(ROOT / "tests").rglob("tools*.json")]
    assert len(paths) > 5
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        assert judged(text, EMPTY, Settings(), closely=False) == judged(text, EMPTY, Settings(), closely=True), path


def test_a_file_that_is_plainly_in_order_is_not_read_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("sound tools")
    text = json.dumps({"tools": [definition(random, number, number % 3) for number in range(30)]})
    monkeypatch.setattr(tool_files, "tool_diagnostics", lambda *_: pytest.fail("it was read closely"))
    assert judged(text, EMPTY, Settings(), closely=False) == []


def test_a_file_that_lacks_commas_is_not_read_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("sound tools")
    text = json.dumps({"tools": [definition(random, number, number % 3) for number in range(30)]}, indent=2)
    missing = text.replace('",\n', '"\n')
    assert missing.count("\n") == text.count("\n")
    closely = judged(missing, EMPTY, Settings(), closely=True)
    monkeypatch.setattr(tool_files, "tool_diagnostics", lambda *_: pytest.fail("it was read closely"))
    few = text.replace('",\n', '"\n', 3)
    (found,) = judged(few, EMPTY, Settings(), closely=False)
    assert found[0].code == "TC501"
    assert found[0].span == closely[0][0].span


def test_only_definitions_that_are_suspect_are_read_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("one tool")
    tools = [definition(random, number, 0) for number in range(30)]
    tools[17]["description"] = ""
    seen: list[list[str]] = []
    closely = tool_files.tool_diagnostics

    def counted(document: Any, *others: Any) -> Any:
        seen.append([each.tool.name for each in document.definitions])
        return closely(document, *others)

    monkeypatch.setattr(tool_files, "tool_diagnostics", counted)
    assert len(judged(json.dumps(tools), EMPTY, Settings(), closely=False)) == 1
    assert seen == [[tools[17]["name"]]]


@pytest.mark.parametrize("word", sorted(PLACEHOLDER_WORDS))
def test_no_description_that_states_nothing_is_plain(word: str) -> None:
    is_plain = plain_tools._validator()
    assert is_plain is not None
    for text in (
        word,
        word.upper(),
        f" <{word.title()}…>\n",
        word.replace(" ", "\x1c \u3000"),
        f"TODO({word}): {word}",
    ):
        assert not is_plain([{"name": "a", "description": text, "inputSchema": {"type": "object", "properties": {}}}])
        assert is_placeholder(text)


def test_without_a_compiled_validator_files_are_read_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(plain_tools, "import_module", absent)
    plain_tools._validator.cache_clear()
    try:
        assert suspect_tools("[]", "tools.json", EMPTY, Settings()) is None
    finally:
        plain_tools._validator.cache_clear()
