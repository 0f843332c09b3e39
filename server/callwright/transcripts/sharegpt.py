"""The shape `sharegpt`: conversations as `from` and `value`, as fine-tuning sets have them.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import Turn, TurnText
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.openai_messages import is_message, message_turn
from callwright.transcripts.support.plain_turns import PlainTurns
from callwright.transcripts.support.text_results import add_text_results, text_results, whole_result

_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "function_call": "assistant",
    "function-call": "assistant",
    "tool_call": "assistant",
    "tool_calls": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
    "function-response": "tool",
    "tool_response": "tool",
    "tool_result": "tool",
    "ipython": "tool",
}
_LISTS: Final = ("conversations", "conversation")
#: Where LLaMA-Factory's later form keeps its messages, whose content is blocks with a `type` and a `value`.
_BLOCK_LISTS: Final = ("messages", "chosen_messages", "rejected_messages")
#: Members that may continue a conversation, or contain one: each is a conversation of its own.
_ALTERNATIVES: Final = ("chosen", "rejected", "chosen_messages", "rejected_messages")
_BLOCK_TYPES: Final = ("text", "reasoning", "tool_call")
#: The definitions of tools in a system prompt of Hermes' form, each on a line or all in a list.
_TOOLS: Final = re.compile(r"<tools>([^<]*+(?:<(?!/?tools>)[^<]*+)*+)</tools>")


class ShareGPT(Shape):
    """An object with `conversations`, a list of such objects, or the list of one conversation's entries."""

    name = "sharegpt"
    title = "ShareGPT conversations"
    keys = (*_LISTS, *_BLOCK_LISTS, "from")
    provider = "none"
    whole = (*_LISTS, *_BLOCK_LISTS)
    plain = PlainTurns(
        messages="conversations",
        speaker="from",
        text="value",
        speakers={who: _ROLES[who] for who in ("system", "human", "user", "gpt", "assistant", "tool")},
        beside=dict.fromkeys(("id", "source", "task"), frozenset({str})),
    )
    sources = (
        "https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md",
        "https://github.com/hiyouga/LLaMA-Factory/blob/main/data/reason_tool_use_demo_50.jsonl",
        "https://huggingface.co/datasets/NousResearch/hermes-function-calling-v1",
    )
    about = """
        Each entry has its speaker under `from` and its text under `value`. Calls and results are text. In
        LLaMA-Factory's form they are separate entries, `function_call` and `observation`. In Hermes' form,
        `<tool_call>` and `<tool_response>` are in the text. Both are read.

        `tools` contains definitions as a list or as a string of JSON. Without it, the definitions between `<tools>` and
        `</tools>` in the system prompt are used.

        In a preference set, `chosen` and `rejected` are separate conversations, and so are `chosen_messages` and
        `rejected_messages`. LLaMA-Factory's later form has `messages` with a `role`, and content in blocks with a
        `type` and a `value`: the text of a block `tool_call` is a call.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly this is ShareGPT's form."""
        if isinstance(value, dict):
            listed = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
            if listed is not None:
                if any(map(_is_entry, listed[:8])):
                    return 70
                return 45 if any(map(is_message, listed[:8])) else 0
            listed = next((value[key] for key in _BLOCK_LISTS if isinstance(value.get(key), list)), None)
            if listed is not None:
                return 75 if any(map(_has_blocks, listed[:8])) else 0
            return 40 if _is_entry(value) else 0
        if not isinstance(value, list):
            return 0
        heads = [entry for entry in value[:8] if isinstance(entry, dict)]
        return max((60 if _is_entry(entry) else self.matches(entry) for entry in heads), default=0)

    def conversations(self, root: JsonView) -> Iterator[JsonView]:
        """Yield each row of a set."""
        if isinstance(root.value, list) and not any(map(_is_entry, root.value[:8])):
            yield from root.items()
        else:
            yield root

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn an entry, preceded by the system prompt where it has a field of its own."""
        if not isinstance(root.value, dict):
            for entry in root.items():
                yield from _turn(entry)
            return
        system = root.get("system")
        if system is not None and isinstance(system.value, str) and system.value:
            yield Turn(system, "system", None, [TurnText(system, system.value)])
        listed = root.get(*(key for key in (*_LISTS, "messages") if isinstance(root.value.get(key), list)))
        for entry in listed.items() if listed is not None else iter((root,)):
            yield from _turn(entry)
        for key in _ALTERNATIVES:
            other = root.get(key)
            if other is None:
                continue
            for entry in other.each():
                for turn in _turn(entry):
                    turn.conversation = key
                    yield turn

    def tools(self, root: JsonView) -> JsonView | None:
        """Return the definitions of `tools`, a list or a string that contains one, or those in the system prompt."""
        found = root.get("tools", "functions")
        if found is not None and isinstance(found.value, str):
            return _definitions(found.value)
        if found is not None and found.value:
            return found
        system = root.text("system")
        if system is None:
            listed = root if isinstance(root.value, list) else root.get(*_LISTS)
            first = next(listed.items(), None) if listed is not None else None
            system = first.text("value", "content") if first is not None and _role_of(first) == "system" else None
        # The prompt may mention the tags before it uses them.
        between = [match[1] for match in _TOOLS.finditer(system or "") if match[1].strip()]
        return _definitions(between[0]) if between else None


def _definitions(text: str) -> JsonView | None:
    """Return the view of a list of definitions in a text: a list, one object, or an object a line."""
    read = read_json(text)
    if read.clean:
        value = read.value
    else:
        lines = [read_json(line) for line in text.splitlines() if line.strip()]
        if not all(line.clean for line in lines):
            return None
        value = [line.value for line in lines]
    listed = [value] if isinstance(value, dict) else value
    return JsonView(read, listed) if isinstance(listed, list) and listed else None


def _is_entry(value: Any) -> bool:
    """Return whether a value is an entry: its speaker must be a known one, since other data has a `from`, too."""
    if not isinstance(value, dict):
        return False
    speaker = value.get("from")
    return isinstance(speaker, str) and speaker.lower() in _ROLES and isinstance(value.get("value"), str)


def _role_of(entry: JsonView) -> str | None:
    written = entry.text("from", "role")
    return None if written is None else _ROLES.get(written.lower(), written)


def _has_blocks(value: Any) -> bool:
    """Return whether a message's content is blocks with a type and a value."""
    content = value.get("content") if isinstance(value, dict) and isinstance(value.get("role"), str) else None
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") in _BLOCK_TYPES and isinstance(block.get("value"), str)
        for block in content[:4]
    )


def _block_turn(message: JsonView) -> Turn:
    turn = Turn(message, _role_of(message), message.get("role"))
    for block in message.list_at("content"):
        value = block.get("value")
        if value is None or not isinstance(value.value, str) or block.text("type") not in ("text", "tool_call"):
            continue
        stated = TurnText(value, value.value)
        if turn.role == "tool":
            turn.results += whole_result(stated)
        else:
            turn.texts.append(stated)
    if turn.role == "user":
        add_text_results(turn)
    return turn


def _turn(entry: JsonView) -> Iterator[Turn]:
    """Yield the turn of an entry; sets also keep messages of other forms under `conversations`."""
    if _has_blocks(entry.value):
        yield _block_turn(entry)
        return
    if is_message(entry.value) and "from" not in entry.value:
        yield message_turn(entry)
        return
    value = entry.get("value")
    if value is None or not isinstance(value.value, str):
        return
    turn = Turn(entry, _role_of(entry), entry.get("from"))
    stated = TurnText(value, value.value)
    if turn.role == "tool":
        turn.results = whole_result(stated)
    else:
        turn.texts.append(stated)
        if turn.role == "user":
            turn.results = text_results(stated)
    yield turn


SHAPE = ShareGPT()
