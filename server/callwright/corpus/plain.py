"""Plain rows: the calls and messages of a row of which there is surely nothing to say, without opening it.

Owns: `Plain`, `PlainReader`, and the plain forms in which calls are taken from values. Must not know: how it came to be
sure of a row, what is done with the calls, files, engines.

Whoever is sure of a row knows that its texts hold no call but in the notations below, that no call and no result has
failed, and that it is the entry of no log. What has another form than these is left to those who open rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from callwright.calls.model import NATIVE
from callwright.calls.sketch import is_placeholder_name
from callwright.document.log_tools import registry_of
from callwright.hosts.support.transcript_search import may_hold_transcript
from callwright.text.line_ends import LINE_END
from callwright.transcripts.anthropic import SHAPE as ANTHROPIC
from callwright.transcripts.atif import SHAPE as ATIF
from callwright.transcripts.catalogue import detect
from callwright.transcripts.openai_chat import SHAPE as OPENAI
from callwright.transcripts.sharegpt import SHAPE as SHAREGPT

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

HERMES: Final = "hermes"
CHILDREN: Final = "xml-children"
OBJECT: Final = "xml-json"
#: A call as an object between tags, as an element with elements in it, and as an element with an object in it.
_TAGGED: Final = re.compile(r"<tool_call>\s*+(\{(?:[^<]++|<(?!/?tool_call>))*+)</tool_call>")
_ELEMENT: Final = re.compile(
    rf"<(?<![^\r\n]<)([A-Za-z_]\w*+)>\n(?:<([A-Za-z_]\w*+)>[^<]*+</\2>\n)++</\1>{LINE_END}", re.ASCII
)
_WITH_OBJECT: Final = re.compile(
    rf"<(?<![^\r\n]<)([A-Za-z_]\w*+)>(\{{(?:[^<\r\n]++|<(?=[ =]))*+)</\1>{LINE_END}", re.ASCII
)
#: How programs write JSON.
_WRITERS: Final[tuple[Callable[[Any], str], ...]] = tuple(
    json.JSONEncoder(ensure_ascii=ascii_only, separators=separators).encode
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)
_SPEAKERS: Final = frozenset({"human", "user", "gpt", "assistant", "tool", "system"})
_ASSISTANT: Final = frozenset({"gpt", "assistant"})
#: What says, under the name of a member, what is more than a label beside a conversation.
_OTHERS: Final = frozenset(
    {"messages", "conversations", "steps", "choices", "chosen", "rejected", "subagent_trajectories"}
)


class PlainCall(NamedTuple):
    """A call: its tool, its dialect, and how many characters it has where it stands."""

    tool: str
    dialect: str
    length: int


class Plain(NamedTuple):
    """What is in a row: the shape of its conversation, how many turns it has, and its calls in their order.

    `shape` is None where there is no conversation.
    """

    shape: str | None
    turns: int
    calls: tuple[PlainCall, ...]


_NOTHING: Final = Plain(None, 0, ())


class _OtherError(Exception):
    """A row has another form."""


class PlainReader:
    """Reads rows of which somebody is sure, one after another; for one thread."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._registry = registry
        self._settings = settings
        self._write = _WRITERS[0]

    def read(self, row: bytes, *, measured: bool = True) -> Plain | None:
        """Return what is in a row, None where it has to be opened. Raises UnicodeDecodeError where it is not UTF-8.

        Without `measured`, calls that are objects have no length.
        """
        text = row.decode()
        try:
            value = json.loads(text) if measured else orjson.loads(row)
            if not may_hold_transcript(text):
                return _NOTHING
            return self._read(value, text if measured else None) if type(value) is dict else None
        except (_OtherError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            # Whatever has not the plain form ends up here.
            return None

    def _read(self, value: dict[str, Any], text: str | None) -> Plain:
        shape = detect(value)
        if shape is OPENAI:
            turns, calls = len(value["messages"]), _chat_calls(value["messages"])
        elif shape is SHAREGPT:
            turns, calls = len(value["conversations"]), self._spoken(value)
        elif shape is ANTHROPIC:
            turns = len(value["messages"]) + bool(value.get("system"))
            calls = self._measured(_blocks(value["messages"]), value, text)
        elif shape is ATIF:
            turns = sum(1 + _brings_results(step) for step in value["steps"])
            calls = self._measured(_steps(value["steps"]), value, text)
        else:
            raise _OtherError
        if len(_OTHERS & value.keys()) != 1:
            raise _OtherError
        found = tuple(calls)
        if any(type(each.tool) is not str or is_placeholder_name(each.tool) for each in found):
            raise _OtherError
        return Plain(shape.name, turns, found)

    def _spoken(self, value: dict[str, Any]) -> Iterator[PlainCall]:
        """Yield the calls in what an assistant says."""
        registry: ToolRegistry | None = None
        for entry in value["conversations"]:
            speaker, text = entry["from"], entry["value"]
            if speaker not in _SPEAKERS or len(entry) != 2:
                raise _OtherError
            if speaker not in _ASSISTANT or "</" not in text:
                continue
            if "<tool_call>" in text:
                yield from _tagged(text)
                continue
            if registry is None:
                registry = self._tools_of(value)
            for call in _elements(text):
                # An element is a call where its name is that of a tool.
                if call.tool not in registry:
                    raise _OtherError
                yield call

    def _tools_of(self, value: dict[str, Any]) -> ToolRegistry:
        """Return the tools that are known in a conversation whose calls are text."""
        definitions = value.get("tools")
        first = value["conversations"][0]
        if "functions" in value or (first["from"] == "system" and "<tools>" in first["value"]):
            raise _OtherError
        if definitions is None:
            return self._registry
        return registry_of(json.loads(definitions), self._settings) or self._registry

    def _measured(
        self, entries: Iterator[tuple[str, dict[str, Any]]], value: dict[str, Any], text: str | None
    ) -> Iterator[PlainCall]:
        """Yield the calls that objects are, each with the tool that it names: as long as they are written."""
        found = list(entries)
        if not found:
            return
        if text is None:
            yield from (PlainCall(tool, NATIVE, 0) for tool, _ in found)
            return
        write = self._writer_of(value, text.strip())
        for tool, entry in found:
            yield PlainCall(tool, NATIVE, len(write(entry)))

    def _writer_of(self, value: Any, text: str) -> Callable[[Any], str]:
        """Return what writes the value as the text is, character by character."""
        for write in (self._write, *_WRITERS):
            if write(value) == text:
                self._write = write
                return write
        raise _OtherError


def _chat_calls(messages: list[Any]) -> Iterator[PlainCall]:
    for message in messages:
        if "function_call" in message:
            raise _OtherError
        for entry in message.get("tool_calls") or ():
            function = entry["function"]
            name, arguments = function["name"], function["arguments"]
            if type(arguments) is not str or type(name) is not str:
                raise _OtherError
            # They are read as two lines.
            yield PlainCall(name, NATIVE, len(name) + 1 + len(arguments))


def _blocks(messages: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for message in messages:
        content = message["content"]
        for block in content if type(content) is list else ():
            if block["type"] == "tool_use":
                yield block["name"], block
            elif block["type"] not in ("text", "tool_result"):
                raise _OtherError


def _steps(steps: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for step in steps:
        for entry in step.get("tool_calls") or ():
            if type(entry["arguments"]) is not dict:
                raise _OtherError
            yield entry["function_name"], entry


def _brings_results(step: dict[str, Any]) -> bool:
    observation = step.get("observation")
    return observation is not None and bool(observation["results"])


def _tagged(text: str) -> Iterator[PlainCall]:
    found = list(_TAGGED.finditer(text))
    if not len(found) == text.count("<tool_call>") == text.count("</tool_call>"):
        raise _OtherError
    if "</" in _TAGGED.sub("", text):
        raise _OtherError
    for match in found:
        yield PlainCall(json.loads(match[1])["name"], HERMES, match.end() - match.start())


def _elements(text: str) -> Iterator[PlainCall]:
    found = [(match.start(), PlainCall(match[1], CHILDREN, len(match[0]))) for match in _ELEMENT.finditer(text)]
    found += [(match.start(), PlainCall(match[1], OBJECT, len(match[0]))) for match in _WITH_OBJECT.finditer(text)]
    if "</" in _WITH_OBJECT.sub("", _ELEMENT.sub("", text)):
        raise _OtherError
    yield from (call for _, call in sorted(found))
