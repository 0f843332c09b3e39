"""Texts of the kinds that people have: chat templates, prompts that document their own tools, nested logs, pages, YAML.

Owns: making them from a seeded source of choices, the same on every machine. Must not know: how they are checked,
clocks, what they are measured beside.

Every text has a place at which someone types, in the words of the kind: a branch of the template, a description, a
value of the log. `project` writes a folder of many files of all kinds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.chat_templates import TEMPLATES
from benchmarks.editing import Made

_VERBS: Final = (
    "read",
    "search",
    "list",
    "write",
    "move",
    "run",
    "fetch",
    "open",
    "compare",
    "delete",
    "watch",
    "sort",
)
_NOUNS: Final = (
    "file",
    "folder",
    "page",
    "test",
    "ticket",
    "branch",
    "table",
    "image",
    "message",
    "order",
    "log",
    "key",
)
_KINDS: Final = ("string", "integer", "boolean", "string", "array", "string")
_SENTENCES: Final = (
    "Look at the failing test before you change anything, and say what you expect to see.",
    "Ask the user where a decision is theirs; never guess a path or a name.",
    "The locale decides how numbers are shown, so a test may pass here and fail there.",
    "Answer in one or two sentences, and show the command that you ran.",
    "Where a tool returns an error, read it, change the call, and try once more.",
)
_FENCES: Final = ("```bash\npython -m pytest -x\n```", '```json\n{"name": "demo", "files": ["a.py"]}\n```')
_BRANCHES: Final = (
    (
        "{%- if message.role == 'tool' %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content"
        " + '\\n</tool_response><|im_end|>\\n' }}{%- endif %}\n"
    ),
    (
        "{%- set ns = namespace(last=messages | length - 1, found=false) %}\n"
        "{%- for each in messages[::-1] %}{%- if each.role == 'user' and not ns.found %}"
        "{%- set ns.found = true %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}\n"
    ),
    (
        "{%- macro shown(value) %}{%- if value is string %}{{- value }}{%- elif value is mapping %}"
        "{{- value | tojson }}{%- else %}{{- value | string }}{%- endif %}{%- endmacro %}\n"
    ),
    (
        "{#- What a model thought is kept for the last turn alone. #}\n"
        "{%- if enable_thinking is defined and enable_thinking is false %}"
        "{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}\n"
    ),
)
_SYSTEM: Final = (
    "{%- if tools %}{{- '# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\n"
    "For each call, return an object with its name and arguments within <tool_call></tool_call>:\\n"
    '<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call>\' }}{%- endif %}\n'
)


def _choose(random: Random) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of a tool, and its parameters with their types."""
    names = random.sample(_NOUNS, random.randint(1, 4))
    return f"{random.choice(_VERBS)}_{random.choice(_NOUNS)}", [(name, random.choice(_KINDS)) for name in names]


def _value(kind: str, random: Random) -> Any:
    values = {"string": f"src/{random.choice(_NOUNS)}.py", "integer": random.randint(1, 99), "boolean": True}
    return values.get(kind, ["a.py", "b.py"])


def schema(name: str, parameters: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the definition of a tool as a server of the Model Context Protocol lists it."""
    properties = {
        key: {"type": kind, "description": f"The {key} that is meant; see the guide of the project."}
        | ({"items": {"type": "string"}} if kind == "array" else {})
        for key, kind in parameters
    }
    required = [key for key, _ in parameters[:1]]
    about = f"{name.replace('_', ' ').capitalize()}, and say what was found."
    body = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"name": name, "description": about, "inputSchema": body}


def template(size: int, random: Random) -> str:
    """Return a chat template."""
    parts = [_SYSTEM, random.choice([*TEMPLATES.values()])]
    while sum(map(len, parts)) < size:
        parts.insert(1, random.choice(_BRANCHES))
    return "".join((*_BRANCHES[-1:], *parts))


def prompt(size: int, random: Random) -> str:
    """Return a prompt that documents its tools in prose and in schemas, and shows calls of them."""
    parts = ["You are an agent that works in a repository.\n\n## Tools\n\n"]
    held = 0
    number = 0
    while held < size:
        name, parameters = _choose(random)
        name = f"{name}_{number}"
        number += 1
        listed = "".join(
            f"- {key}: ({kind}, {'optional' if at else 'required'}) The {key} to use.\n"
            for at, (key, kind) in enumerate(parameters)
        )
        call = "".join(
            f"<{key}>{json.dumps(_value(kind, random)).strip(chr(34))}</{key}>\n" for key, kind in parameters
        )
        about = f"Description: {name.replace('_', ' ').capitalize()}. The result is shown as text.\n"
        prose = " ".join(random.choices(_SENTENCES, k=random.randint(4, 24)))
        parts.append(f"### {name}\n\n{about}\nParameters:\n{listed}\nUsage:\n<{name}>\n{call}</{name}>\n\n{prose}\n\n")
        held += len(parts[-1])
    return "".join(parts)


def log(size: int, random: Random) -> str:
    """Return a log in JSON: runs with their conversations some levels down, calls and results among other records."""
    runs: list[Any] = []
    held = 0
    while held < size:
        turns: list[dict[str, Any]] = [{"role": "user", "content": random.choice(_SENTENCES)}]
        for number in range(random.randint(1, 5)):
            name, parameters = _choose(random)
            arguments = json.dumps({key: _value(kind, random) for key, kind in parameters})
            call = {
                "id": f"call_{len(runs)}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            result = "\n".join(random.choices(_SENTENCES, k=random.randint(1, 12)))
            turns += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call["id"], "content": result},
            ]
        turns.append({"role": "assistant", "content": random.choice(_SENTENCES)})
        spans = [{"kind": "llm", "start_ms": 17 * at, "attributes": {"usage": {"input": at}}} for at in range(3)]
        runs.append({"id": len(runs), "trace": {"spans": spans, "io": {"request": {"messages": turns}}}})
        held += len(json.dumps(runs[-1], indent=1))
    return json.dumps({"version": 2, "session": {"runs": runs}}, indent=1) + "\n"


def page(size: int, random: Random) -> str:
    """Return a page in Markdown as projects keep them: prose, lists, fences, few calls."""
    parts = ["# Working in this repository\n\n"]
    held = 0
    while held < size:
        words = random.choices(_SENTENCES, k=3)
        fence = random.choice(
            ("```bash\npython -m pytest -x\n```", '```json\n{"name": "demo", "files": ["a.py"]}\n```')
        )
        parts.append(
            f"## Step {len(parts)}\n\n{' '.join(words)}\n\n- {words[0]}\n- `{random.choice(_NOUNS)}.py`\n\n{fence}\n\n"
        )
        held += len(parts[-1])
    return "".join(parts)


def settings(size: int, random: Random) -> str:
    """Return prompts in YAML: blocks of text in mappings."""
    parts = ["---\nversion: 1\nprompts:\n"]
    held = 0
    while held < size:
        text = "".join(f"      {sentence}\n" for sentence in random.choices(_SENTENCES, k=6))
        parts.append(f"  - name: step-{len(parts)}\n    role: system\n    temperature: 0.5\n    content: |\n{text}")
        held += len(parts[-1])
    return "".join(parts)


#: Each kind: how a file of it is called, its language in an editor, and what makes its text.
KINDS: Final[dict[str, tuple[str, str, Callable[[int, Random], str]]]] = {
    "chat template": ("chat_template.jinja", "jinja", template),
    "self-documenting prompt": ("agent.prompt.md", "markdown", prompt),
    "nested JSON log": ("runs.json", "json", log),
    "Markdown page": ("AGENTS.md", "markdown", page),
    "YAML prompts": ("steps.prompt.yaml", "yaml", settings),
}
_PLACES: Final = {
    "chat template": "enable_thinking is def",
    "self-documenting prompt": "The result is sh",
    "nested JSON log": "expect to s",
    "Markdown page": "expect to s",
    "YAML prompts": "expect to s",
}
#: Of a hundred files in a folder, how many are of each kind, and about how long they are.
_SHARES: Final = {
    "chat template": (15, 8_000),
    "self-documenting prompt": (20, 12_000),
    "nested JSON log": (20, 90_000),
    "Markdown page": (35, 24_000),
    "YAML prompts": (10, 10_000),
}


def made(kind: str, size: int, seed: int = 7) -> Made:
    """Return a document of a kind, and the place at which someone types, after the middle where there is one."""
    name, language, make = KINDS[kind]
    text = make(size, Random(seed))  # noqa: S311 - writes texts, keeps no secret
    place = _PLACES[kind]
    found = text.find(place, len(text) // 2)
    return Made(name, language, text, (found if found >= 0 else text.index(place)) + len(place))


def tools(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return definitions of so many tools, each of another name."""
    random = Random(seed)  # noqa: S311 - writes texts, keeps no secret
    return [
        schema(f"{name}_{number}", parameters)
        for number, (name, parameters) in enumerate(_choose(random) for _ in range(count))
    ]


def to_yaml(every: list[dict[str, Any]]) -> str:
    """Return definitions of tools in YAML, as people write it: mappings in blocks, strings in quotes."""
    lines = ["tools:"]
    for one in every:
        body = one["inputSchema"]
        lines += [f"  - name: {one['name']}", f"    description: {json.dumps(one['description'])}", "    inputSchema:"]
        lines += ["      type: object", "      properties:"]
        for key, own in body["properties"].items():
            lines.append(f"        {key}:")
            lines += [f"          {word}: {json.dumps(value)}" for word, value in own.items()]
        lines += [f"      required: {json.dumps(body['required'])}", "      additionalProperties: false"]
    return "\n".join(lines) + "\n"


def project(folder: Path, files: int, seed: int = 7) -> int:
    """Write so many files of all kinds into folders below one; return their bytes."""
    random = Random(seed)  # noqa: S311 - writes texts, keeps no secret
    written = 0
    for number in range(files):
        (kind,) = random.choices([*_SHARES], [share for share, _ in _SHARES.values()])
        name, _, make = KINDS[kind]
        # Few files are long, and most are short.
        size = int(_SHARES[kind][1] * min(8.0, random.paretovariate(1.6)) / 2.63)
        place = folder / f"part-{number % 120}"
        place.mkdir(parents=True, exist_ok=True)
        written += (place / f"{number}-{name}").write_text(make(size, random), encoding="utf-8")
    return written
