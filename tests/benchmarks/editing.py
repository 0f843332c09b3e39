"""The documents of the keystroke benchmarks: every kind in every size, and the place at which someone types.

Owns: the texts. Must not know: servers, clocks.

Every document has a fault about every 10 KB, and no more than MAX_COUNT of them, whatever its size: all diagnostics are
sent at every keystroke, and a text of 10 MB with as many to the page would measure them alone.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

SIZES = {"10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
MAX_COUNT = 100
EVERY = 10_000
TOOLS = {
    "tools": [
        {
            "name": "debug_launch",
            "description": "Starts a program.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "program": {"type": "string", "description": "What is started."},
                    "mode": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["program"],
                "additionalProperties": False,
            },
        }
    ]
}
SENTENCE = "Look at the failing test before you change anything, and say what you expect to see. ✓"
PROSE = f"{SENTENCE}\n\n"
CALL = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>\n\n'
FENCE = '```json\n{"tool": "debug_launch", "arguments": {"program": "src/app/main.py"}}\n```\n\n'
FAULT = '<debug_launch>{"program": "src/app/main.py", "args": ["--verbose",]}</debug_launch>\n\n'
BRANCH = "{% if verbose %}\nSay what you do, {{ name }}, in {{ words | length }} words.\n{% endif %}\n\n"
#: Someone types after this, in a value.
TYPED = "src/app/main"
#: Someone points at this.
NAMED = "debug_launch"
#: How long what tools returned is, in turn: elements of a JSON document of up to 64 KB.
RETURNED = (200, 2_000, 16_000, 64_000)


class Made(NamedTuple):
    """A document: its file's name, the editor's language, the text, the code point at which someone types."""

    name: str
    language: str
    text: str
    at: int

    @property
    def named(self) -> int:
        """Where the name of a call is, next to the place of typing."""
        return self.text.rindex(NAMED, 0, self.at) + 4 if NAMED in self.text[: self.at] else self.text.index(NAMED) + 4


def _faulty(size: int) -> Iterator[bool]:
    """Yield for each segment of EVERY code points whether there is a fault in it."""
    for number in range(size // EVERY + 1):
        yield number < MAX_COUNT and number < max(1, size // EVERY)


def _flow(unit: str, size: int) -> str:
    """Return units one after another, with a fault in each segment that has one."""
    parts = []
    for faulty in _faulty(size):
        parts.append(unit * (min(EVERY, size) // len(unit)) + (FAULT if faulty else ""))
        size -= EVERY
        if size <= 0:
            break
    return "".join(parts)


def markdown(size: int) -> Made:
    text = _flow("## A step\n\n" + PROSE + CALL + PROSE + FENCE, size)
    return Made("a.md", "markdown", text, _inside(text))


def jinja(size: int) -> Made:
    text = _flow(BRANCH + PROSE + CALL + PROSE + FENCE, size)
    return Made("a.jinja", "jinja", text, _inside(text))


def prompt(size: int) -> Made:
    text = _flow(PROSE + CALL + PROSE + FENCE, size)
    return Made("a.prompt", "callwright-prompt", text, _inside(text))


def _turns(number: int, returned: int, faulty: bool) -> list[dict[str, Any]]:
    arguments = json.dumps({"program": "src/app/main.py", "mode": "pytest"})
    arguments = arguments[:-1] + ",}" if faulty else arguments
    call = {"id": f"call_{number}", "type": "function", "function": {"name": NAMED, "arguments": arguments}}
    result = (SENTENCE + "\n") * (returned // len(SENTENCE) + 1)
    return [
        {"role": "user", "content": SENTENCE},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": result[:returned]},
        {"role": "assistant", "content": f"Once more, as text:\n\n{CALL}"},
    ]


def jsonl(size: int) -> Made:
    lines: list[str] = []
    held = 0
    while held < size:
        faulty = held // EVERY < MAX_COUNT and held // EVERY > (held - len(lines[-1]) if lines else -1) // EVERY
        lines.append(json.dumps({"messages": _turns(len(lines), 1_000, faulty)}, ensure_ascii=False) + "\n")
        held += len(lines[-1])
    text = "".join(lines)
    return Made("a.jsonl", "jsonl", text, _inside(text))


def conversation(size: int) -> Made:
    """Return one conversation in JSON; someone types into the largest of its elements that is near its middle."""
    turns: list[dict[str, Any]] = []
    held = faults = 0
    sizes = [each for each in RETURNED if each * 3 <= size]
    while held < size:
        faulty = faults < MAX_COUNT and held >= faults * EVERY
        faults += faulty
        added = _turns(len(turns), sizes[len(turns) // 4 % len(sizes)], faulty)
        held += len(json.dumps(added, ensure_ascii=False))
        turns += added
    text = json.dumps({"messages": turns}, ensure_ascii=False, indent=2) + "\n"
    largest = text.find("\\n".join([SENTENCE] * (sizes[-1] // (len(SENTENCE) + 1))), len(text) // 3)
    return Made("chat.json", "json", text, largest + sizes[-1] // 2)


def line_of_words(size: int) -> Made:
    """Return one line of prose, with a call at every 10 KB."""
    text = "".join((SENTENCE + " ") * (EVERY // len(SENTENCE)) + CALL.strip() + " " for _ in range(size // EVERY))
    return Made("line.prompt", "callwright-prompt", text, _inside(text))


def line_of_calls(size: int) -> Made:
    """Return one line of calls, with a few words between them."""
    unit = CALL.strip() + " and then "
    text = unit * (size // len(unit))
    return Made("line.prompt", "callwright-prompt", text, _inside(text))


def _inside(text: str) -> int:
    """Return the place in a value of the call that is nearest after the middle."""
    return text.index(TYPED, len(text) // 2) + len(TYPED)


#: What is typed in, in all sizes.
KINDS: dict[str, Callable[[int], Made]] = {
    "Markdown": markdown,
    "Jinja": jinja,
    "JSONL": jsonl,
    "JSON": conversation,
}
LINES: dict[str, Callable[[int], Made]] = {"words": line_of_words, "calls": line_of_calls}
#: What changes the state of all that follows when it is written at the top.
OPENERS = {"Markdown": "~~~~~\n", "Jinja": "{% raw %}\n"}
