"""Plain transcripts as most data sets have them, and changes to them.

Owns: making them from a seeded source of choices. Must not know: what is asserted of them.
"""

import copy
import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from callwright.runtime.limits import Limits
from callwright.runtime.session import Session
from callwright.runtime.strict import StrictParser
from callwright.tools.registry import ToolRegistry

TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "maxLength": 40},
                "limit": {"type": "integer", "minimum": 1},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    {
        "name": "set_unit",
        "input_schema": {
            "type": "object",
            "properties": {"unit": {"type": "string", "enum": ["c", "f"]}, "exact": {"type": "boolean"}},
        },
    },
    {
        "name": "plan",
        "input_schema": {
            "type": "object",
            "properties": {"steps": {"type": "array", "items": {"type": "string"}}, "x": {"type": "number"}},
        },
    },
]
REGISTRY = ToolRegistry.of(TOOLS)
#: Tools of which one says what it returns.
DECLARING = ToolRegistry.of(
    [
        {
            "name": each["name"],
            "inputSchema": each["input_schema"],
            **({} if number else {"outputSchema": {"type": "object", "required": ["status"]}}),
        }
        for number, each in enumerate(TOOLS)
    ]
)
FUNCTIONS = [
    {"type": "function", "function": {"name": each["name"], "parameters": each["input_schema"]}} for each in TOOLS
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"path": "a é 😀", "limit": 3}),
    ("read_file", {"path": 'say "a": b'}),
    ("set_unit", {"unit": "c", "exact": True}),
    ("plan", {"steps": ["one", "two"], "x": 1.5}),
    ("read_file", {"path": "a < b > c & d </e> ]]> &amp;"}),
]
PROSE = [
    "Look at it first.",
    "",
    'It says "no": a < b, and x[0] > 1.\n\n```python\nreturn {key: int(value)}\n```\n',
    "Use `parse_line`; see <https://example.org>.",
    "{just braces}",
    "The failing test says `success`.",
]
#: What tools return: some of it says that a tool failed, some only seems to.
RETURNED = [
    '{"ok": true, "text": "2 errors: no failure"}',
    '{"status": "failed"}',
    '{"error": "", "success": true}',
    '[{"error": "x"}]',
    '{"ok": false}',
    '{"error": no JSON}',
    "Error: it is gone.",
    "The tool execution failed with the following error:",
]


def returned(random: Random) -> str:
    return random.choice(RETURNED[:1] * 3 + RETURNED) if random.random() < 0.2 else random.choice(PROSE)


def labelled(value: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return a row with some words about it around its conversation, as data sets have them."""
    if random.random() < 0.7:
        return value
    labels = {"row_id": "00000001", "split": random.choice(("train", None, 3, 0.5, True)), "score": 1}
    chosen = {name: labels[name] for name in random.sample(sorted(labels), random.choice((1, 2)))}
    return {**chosen, **value} if random.random() < 0.7 else {**value, **chosen}


def chat(random: Random) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": random.choice(PROSE)}]
    if random.random() < 0.5:
        messages.insert(0, {"role": "system", "content": random.choice(PROSE)})
    for turn in range(random.randrange(3)):
        chosen = random.choices(CALLS, k=random.choice((1, 1, 2)))
        entries = [
            {"id": f"c{turn}{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(chosen)
        ]
        messages.append({"role": "assistant", "content": random.choice((None, "So.")), "tool_calls": entries})
        messages += [{"role": "tool", "tool_call_id": entry["id"], "content": returned(random)} for entry in entries]
    messages.append({"role": "assistant", "content": random.choice(PROSE)})
    whole: dict[str, Any] = {"messages": messages}
    if random.random() < 0.5:
        whole["tools"] = FUNCTIONS
    return labelled(whole, random)


def blocks(random: Random) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": random.choice(PROSE)}]
    for turn in range(1 + random.randrange(3)):
        chosen = random.choices(CALLS, k=random.choice((1, 1, 2)))
        uses = [
            {"type": "tool_use", "id": f"t{turn}{n}", "name": name, "input": arguments}
            for n, (name, arguments) in enumerate(chosen)
        ]
        stated = [{"type": "text", "text": random.choice(PROSE)}]
        messages.append({"role": "assistant", "content": [*stated, *uses]})
        results: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": use["id"], "content": returned(random)} for use in uses
        ]
        messages.append({"role": "user", "content": results})
    messages.append({"role": "assistant", "content": [{"type": "text", "text": random.choice(PROSE)}]})
    whole: dict[str, Any] = {"messages": messages}
    if random.random() < 0.5:
        whole["system"] = random.choice(PROSE)
    if random.random() < 0.5:
        whole["tools"] = TOOLS
    return labelled(whole, random)


def texts(random: Random) -> dict[str, Any]:
    entries = [{"from": "human", "value": random.choice(PROSE)}]
    tools = "\n".join(json.dumps(each) for each in FUNCTIONS)
    if random.random() < 0.6:
        entries.insert(0, {"from": "system", "value": f"{random.choice(PROSE)}<tools>\n{tools}\n</tools>"})
    for _ in range(random.randrange(3)):
        chosen = random.choices(CALLS, k=random.choice((1, 1, 2)))
        stated_names = [
            f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
            for name, arguments in chosen
        ]
        lead = random.choice(("", "Let me see `x`.\n", "` and `\n\n`", "a ` b\n", "<think>\nWhat now?\n</think>\n"))
        entries.append({"from": "gpt", "value": lead + random.choice(("\n", "", " and ")).join(stated_names)})
        stated = [returned(random) for _ in chosen]
        if random.random() < 0.5:
            envelopes = zip(chosen, stated, strict=True)
            stated = [json.dumps({"name": name, "content": each}) for (name, _), each in envelopes]
        results = [f"<tool_response>\n{each}\n</tool_response>" for each in stated]
        entries.append({"from": "tool", "value": "\n".join(results)})
    entries.append({"from": "gpt", "value": random.choice(PROSE)})
    whole: dict[str, Any] = {"conversations": entries}
    if random.random() < 0.3:
        whole["id"] = "a"
    if random.random() < 0.3:
        whole["tools"] = json.dumps(FUNCTIONS)
    return labelled(whole, random)


def elements(random: Random) -> dict[str, Any]:
    """Return a conversation whose calls are elements."""
    entries = [{"from": "human", "value": random.choice(PROSE)}]
    for _ in range(1 + random.randrange(2)):
        chosen = random.choices(CALLS[:1] + CALLS[2:3] + CALLS[4:], k=random.choice((1, 1, 2)))
        stated_names = _as_objects(chosen) if random.random() < 0.3 else [_as_elements(*call) for call in chosen]
        entries.append({"from": "gpt", "value": random.choice(("", "Let me see `x`.\n")) + "\n".join(stated_names)})
        if random.random() < 0.4:
            entries.append({"from": "human", "value": f"[{chosen[0][0]}] Result:\n{returned(random) or 'Nothing.'}"})
        else:
            entries.append({"from": "tool", "value": random.choice(PROSE)})
    return labelled({"conversations": [*entries, {"from": "gpt", "value": random.choice(PROSE)}]}, random)


def trajectory(random: Random) -> dict[str, Any]:
    """Return a trajectory of steps."""
    steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": random.choice(PROSE)}]
    if random.random() < 0.5:
        steps.insert(0, {"step_id": 0, "source": "system", "message": random.choice(PROSE)})
    for turn in range(random.randrange(4)):
        chosen = random.choices(CALLS, k=random.choice((1, 1, 2)))
        calls = [
            {"tool_call_id": f"c{turn}{n}", "function_name": name, "arguments": arguments}
            for n, (name, arguments) in enumerate(chosen)
        ]
        step: dict[str, Any] = {"step_id": len(steps), "source": "agent", "message": random.choice(PROSE)}
        step["tool_calls"] = calls
        if random.random() < 0.9:
            results = [{"source_call_id": call["tool_call_id"], "content": returned(random)} for call in calls]
            step["observation"] = {"results": results}
        if random.random() < 0.3:
            step |= {"timestamp": "2025-01-01T00:00:00Z", "metrics": {"prompt_tokens": 12, "cost_usd": 0.5}}
        steps.append(step)
    steps.append({"step_id": len(steps), "source": "agent", "message": random.choice(PROSE)})
    agent: dict[str, Any] = {"name": "a", "version": "1"}
    if random.random() < 0.5:
        agent["tool_definitions"] = FUNCTIONS
    return labelled({"schema_version": "ATIF-v1.4", "session_id": "s", "agent": agent, "steps": steps}, random)


_SESSIONS = [
    Session.begin(StrictParser(tools=TOOLS, dialect="hermes"), [{"role": "user", "content": "a"}]).to_dict(),
    Session.begin(StrictParser(tools=TOOLS, dialect="hermes", limits=Limits(max_text=300, max_calls=1)), []).to_dict(),
    Session.begin(StrictParser(tools=TOOLS, dialect="xml-children"), []).to_dict(),
]


def session(random: Random) -> dict[str, Any]:
    """Return a session of the runtime, whose calls are text."""
    entries = texts(random)["conversations"]
    roles = {"gpt": "assistant", "system": "system"}
    messages = [{"role": roles.get(each["from"], "user"), "content": each["value"]} for each in entries]
    return {**random.choice((*_SESSIONS[:1] * 4, *_SESSIONS)), "messages": messages}


def _as_objects(calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return calls as elements with objects in them, in which no sign begins anything."""
    written = [(name, json.dumps(given, ensure_ascii=False)) for name, given in calls]
    return [f"<{name}>{text.replace('</', 'o').replace('&a', 'o')}</{name}>" for name, text in written]


def _as_elements(name: str, arguments: dict[str, Any]) -> str:
    parts = (f"<{key}>{_plain(given)}</{key}>" for key, given in arguments.items())
    return "\n".join((f"<{name}>", *parts, f"</{name}>"))


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def dumped(value: Any, random: Random) -> str:
    separators = random.choice(((", ", ": "), (",", ":")))
    return json.dumps(value, ensure_ascii=random.random() < 0.5, separators=separators)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(each, (*path, step))


_VALUES: list[Any] = [
    None, True, 0, -1, 1e300, 2**70, "", " ", "c", "assistant", "tool", "user", "system", "developer", "function",
    "c00", "c01", "t00", "error: no", "Error: it failed", '{"error": "x"}', '{"path": "a"}', '{"path": "a", "path": 1}',
    "<read_file><path>a</path></read_file>", '{"tool": "read_file"}', "<tool_call>", "raed_file", "set_unit", "unknown",
    "\ufdd0", "text", "tool_use", "tool_result", "agent", "ATIF-v1.6", [], {}, {"path": 1},
    [{"type": "text", "text": "error: x"}],
]  # fmt: skip
_NAMES = [
    "role", "content", "name", "tool_calls", "type", "tool_call_id", "is_error", "system", "finish_reason", "tools",
    "stop_reason", "text", "conversation_id", "from", "parts", "model", "functions", "messages",
    "steps", "source", "message", "observation", "source_call_id", "tool_definitions", "subagent_trajectories",
    "value", "conversations", "chosen", "row_id", "score", "title", "label", "index", "hash", "key",
]  # fmt: skip


def changed(value: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return a value in which something was replaced, taken out, moved or added."""
    value = copy.deepcopy(value)
    paths = [path for path in _places(value) if path]
    if not paths:
        return value
    path = random.choice(paths)
    holder: Any = value
    for step in path[:-1]:
        holder = holder[step]
    kind = random.randrange(5)
    if kind == 0:
        holder[path[-1]] = random.choice(_VALUES)
    elif kind == 1:
        del holder[path[-1]]
    elif isinstance(holder, list):
        other = random.randrange(len(holder))
        if kind == 2:
            holder[path[-1]], holder[other] = holder[other], holder[path[-1]]
        else:
            holder.insert(other, copy.deepcopy(holder[path[-1]]))
    else:
        holder[random.choice(_NAMES)] = random.choice(_VALUES)
    return value


_WRITTEN = [
    *'"\\:,{}[] \t', *"'<>&;/", "\\u0022", "\\ud83d", "\\u00e9", '": "', "NaN", "\ufeff", "\x00", "&#60;",
]  # fmt: skip


def scratched(line: str, random: Random) -> str:
    """Return a line with a member written twice, or with characters changed."""
    if random.random() < 0.5:
        members = list(re.finditer(r'"[a-z_]+": ?(?:"[^"\\]*+"|null|\d+)', line))
        if members:
            member = random.choice(members)
            again = random.choice((str.upper, str.lower))(str(member[0]))
            end = int(member.end())
            return f"{line[:end]}, {again}{line[end:]}"
    at = random.randrange(len(line) + 1)
    new = random.choice(
        [*'"\\:,{}[] \t', "\\u0022", "\\ud83d", "\\u00e9", '": "', "NaN", "\ufeff", "\x00", *"'<>&;/", "&#60;"]
    )
    after = at + random.randrange(3)
    return f"{line[:at]}{new}{line[after:]}"
