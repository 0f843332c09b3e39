"""The quick verdict: a line of a transcript of which there is surely nothing to say.

Owns: `QuickVerdict`, and the plain forms of conversations that it knows: messages as OpenAI's chat completions have
them, and blocks as Anthropic's messages have. Must not know: rules, documents, files.

Most lines of large transcripts are faultless and plainly written. To see that, no place need be known and no tree be
made: the values tell. What is not of a plain form, or might have a fault, is left to those who read closely.
"""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from callwright.analysis.reader import ANGLE, BRACE, BRACKET, opener_words, read_context, read_stretch
from callwright.analysis.results import says_failed
from callwright.analysis.snapshot import registry_of
from callwright.analysis.unread_calls import stray_call
from callwright.analysis.validation import validate
from callwright.calls.result_text import FAILURES
from callwright.calls.turns import Spot, TurnText
from callwright.hosts.support.transcript import may_hold_transcript
from callwright.syntax.json import read_json
from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.syntax.json_views import JsonView
from callwright.text.holes import HOLE
from callwright.text.span import Span
from callwright.transcripts.catalogue import detect
from callwright.transcripts.sharegpt import SHAPE as SHAREGPT
from callwright.transcripts.support.profiles import find_profile
from callwright.transcripts.support.text_results import RESULT_MARKS, whole_result

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: How many ends of lines, registries, names, texts and forms are remembered.
_KEPT: Final = 8
_KEPT_REGISTRIES: Final = 256
_KEPT_NAMES: Final = 4_096
_KEPT_TEXTS: Final = 256
_KEPT_FORMS: Final = 1_024
#: A text that is longer is not remembered, nor is the end of a line.
_LONG: Final = 65_536
#: Numbers from here on are not the same to every parser.
_LARGE: Final = 1e15
#: Values that nest deeper are left to others.
_DEPTH: Final = 60
#: The members that a plain transcript may have.
_PLAIN: Final = frozenset({"messages", "tools", "system", "parallel_tool_calls"})
#: How many messages at the beginning say most about whose they are.
_FIRST: Final = 8
_HOLE: Final = HOLE.encode()
#: What the pattern of brackets has beside them, which is sought as a word.
_AFTER_BRACKET: Final = r"|\]<\]"
#: A colon that stands off its name, or seems to.
_COLON_OFF: Final = re.compile(rb'"[ \t]++:')
# Each alone begins with one literal character, which makes a search fast.
_BRACES, _TAGS = re.compile(BRACE), re.compile(ANGLE)
_BRACKETS = re.compile(BRACKET.removesuffix(_AFTER_BRACKET))


class _UnsureError(Exception):
    """Somebody has to look closely."""


class _DoubtfulError(Exception):
    """Somebody has to look closely at a call, and at nothing else."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """All that may be said about a transcript is said about the native calls of one turn, given by its number.

    `tools` are those that the calls are checked against.
    """

    turn: int
    tools: ToolRegistry


def _parser() -> Callable[[bytes | str], Any]:
    """Return the fastest reader of JSON that is to be had here; it does not mind names that are given twice.

    It raises ValueError or `_UnsureError` where there is anything else to be said about the text.
    """
    try:
        loads: Callable[[bytes | str], Any] = import_module("orjson").loads
    except ImportError:
        return _slow_value
    return loads


def _strictly(loads: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Return a reader that raises `_UnsureError` where a name is given twice, too."""

    def strict_value(data: bytes) -> Any:
        value = loads(data)
        # Where a name is given twice, a member with its quotes is lost. Nothing else changes how many quotes there
        # are, but for those that are written as numbers.
        if _quotes(value) != data.count(b'"') or b"\\u0022" in data or (b"\xef" in data and _HOLE in data):
            raise _UnsureError
        return value

    return strict_value


def _names(data: bytes) -> int:
    """Return how many members the objects in a JSON text have, if no colon stands off its name."""
    return data.count(b'":') - data.count(b'\\":')


def _members(value: Any) -> int:
    """Return how many members a value and the objects in it have."""
    kind = type(value)
    if kind is dict:
        return len(value) + sum(_members(each) for each in value.values() if type(each) is dict or type(each) is list)
    return sum(map(_members, value)) if kind is list else 0


def _quotes(value: Any) -> int:
    """Return how many quotes JSON needs for a value, or fewer where a name holds one."""
    kind = type(value)
    if kind is dict:
        count = 2 * len(value)
        for each in value.values():
            kind = type(each)
            if kind is str:
                count += 2 + each.count('"')
            elif kind is dict or kind is list:
                count += _quotes(each)
        return count
    if kind is list:
        return sum(map(_quotes, value))
    return 2 + value.count('"') if kind is str else 0


def _slow_value(data: bytes | str) -> Any:
    text = data if isinstance(data, str) else data.decode()
    try:
        value, end = scan_clean(text, 0, len(text))
    except NotCleanError:
        raise _UnsureError from None
    if text[end:].strip(" \t\r\n"):
        raise _UnsureError
    return value


def _is_alike(value: Any, depth: int = 0) -> bool:
    """Tell whether every parser reads the numbers in a value alike, and it is not too deep for any."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        return depth < _DEPTH and all(_is_alike(each, depth + 1) for each in value.values())
    if kind is list:
        return depth < _DEPTH and all(_is_alike(each, depth + 1) for each in value)
    return bool(-_LARGE < value < _LARGE)


class QuickVerdict:
    """Tells of lines, one by one, whether reading them closely would find anything; when in doubt, that it would.

    Invariant: of a line that is sure, the linter says nothing under these tools and settings, and it is no entry of a
    log.
    """

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._settings = settings
        self._loads = _parser()
        self._value_of = _strictly(self._loads)
        self._ends: list[tuple[bytes, dict[str, Any]]] = []
        self._own = _Tools(registry.with_markup(settings.markup), settings)
        self._tools: dict[bytes, _Tools] = {}
        self._latest: tuple[Any, _Tools] = (None, self._own)
        self._chat = find_profile(settings.provider or "openai")
        self._blocks = find_profile(settings.provider or "anthropic")
        self._forms: dict[Any, str] = {}
        self._prompts: dict[tuple[Any, Any], _Tools] = {}
        # Where texts hold calls and results, nothing may be demanded of them beyond what tools say.
        self._judges_texts = settings.provider is None and settings.dialect is None
        # What is said about mistakes in a row needs one at least.
        self._judges = settings.template is None and settings.max_mistakes > 0 and settings.placeholders

    def sure(self, line: bytes) -> bool:
        """Tell whether there is surely nothing to say about a line, which is UTF-8."""
        return self.judge(line) is True

    def judge(self, line: bytes) -> bool | Doubt:
        """Return True where there is surely nothing to say about a line, and a doubt where it is about one turn."""
        if self._judges and line.startswith(b"{"):
            try:
                doubtful = self._judge(line)
            except (_UnsureError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                # Whatever has not the plain form ends up here.
                pass
            else:
                return True if doubtful is None else doubtful
        return not may_hold_transcript(line.decode())

    def _judge(self, line: bytes) -> Doubt | None:
        """Look through a line that is an object; raises `_UnsureError` and more where it is no plain transcript."""
        value, data = self._value(line)
        if "conversations" in value:
            if _quotes(value) != line.count(b'"') or b"\\u0022" in line:
                raise _UnsureError
            self._follow_texts(value)
            return None
        messages = value["messages"]
        if type(messages) is not list or not messages or not value.keys() <= _PLAIN:
            raise _UnsureError
        if type(value.get("parallel_tool_calls", True)) is not bool:
            raise _UnsureError
        definitions = value.get("tools")
        tools = self._tools_of(definitions) if definitions else self._own
        first = definitions[0] if definitions else {}
        doubts: list[int] = []
        if "system" in value or "input_schema" in first or type(messages[-1]["content"]) is list:
            members, form = self._follow_blocks(messages, value.get("system"), tools, doubts)
            wanted = "anthropic"
        else:
            members, form = self._follow_chat(messages, tools, doubts)
            wanted = "openai-chat"
        # A name that is given twice is in the text, and not in the value.
        members += len(value)
        if data is not line:
            members -= 1
        elif definitions:
            members += _members(definitions)
        if _names(data) != members or ((b" :" in data or b"\t:" in data) and _COLON_OFF.search(data)):
            raise _UnsureError
        # Values of one form are of one shape.
        form = (*form, *value, *first)
        name = self._forms.get(form)
        if name is None:
            if len(self._forms) >= _KEPT_FORMS:
                self._forms.clear()
            shape = detect(value)
            name = self._forms[form] = shape.name if shape is not None else ""
        if name != wanted:
            raise _UnsureError
        if not doubts:
            return None
        if len(doubts) > 1 or self._settings.max_mistakes < 2:
            # What is said about failures in a row is said about two at least.
            raise _UnsureError
        return Doubt(doubts[0] + bool(value.get("system")), tools.registry)

    def _value(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the object that a line is, and the part of the line in which names may still be given twice: the line
        itself, or without the definitions at its end. Raises `_UnsureError` or ValueError where there is more to say.
        """
        if b"\xef" in line and _HOLE in line:
            raise _UnsureError
        value: Any
        for end, members in self._ends:
            if line.endswith(end):
                before = line[: -len(end)] + b"}"
                value = self._loads(before)
                if type(value) is not dict or not value or not value.keys().isdisjoint(members):
                    raise _UnsureError
                value.update(members)
                return value, before
        value = self._loads(line)
        if type(value) is not dict:
            raise _UnsureError
        if next(reversed(value), None) == "tools":
            self._remember(line)
        return value, line

    def _remember(self, line: bytes) -> None:
        """Keep the end of a line that holds definitions: others may end like it."""
        at = max(line.rfind(b', "tools":'), line.rfind(b',"tools":'))
        if at <= 0 or len(line) - at > _LONG:
            return
        try:
            members = self._object(b"{" + line[at + 1 :])
            before = self._object(line[:at] + b"}")
        except (_UnsureError, ValueError):
            return
        # Both halves are whole objects, so the line is one behind the other.
        if before and members.keys() == {"tools"}:
            self._ends = [(line[at:], members), *self._ends[: _KEPT - 1]]

    def _object(self, data: bytes) -> dict[str, Any]:
        value = self._value_of(data)
        if type(value) is not dict:
            raise _UnsureError
        return value

    def _arguments(self, text: str) -> Any:
        """Return the value that a text is; None where something is to be said about it."""
        try:
            return self._value_of(text.encode())
        except (_UnsureError, ValueError):
            return None

    def _tools_of(self, definitions: Any) -> _Tools:
        """Return the tools that a transcript brings along, as they are understood."""
        if definitions is self._latest[0]:
            return self._latest[1]
        if type(definitions) is not list or type(definitions[0]) is not dict:
            raise _UnsureError
        key = marshal.dumps(definitions, 2)
        found = self._tools.get(key)
        if found is None:
            if not _is_alike(definitions):
                raise _UnsureError
            if len(self._tools) >= _KEPT_REGISTRIES:
                self._tools.clear()
            registry = registry_of(definitions, self._settings)
            found = self._tools[key] = _Tools(registry, self._settings) if registry else self._own
        self._latest = (definitions, found)
        return found

    def _follow_chat(self, messages: list[Any], tools: _Tools, doubts: list[int]) -> tuple[int, tuple[int, int]]:
        """Go through plain chat messages in which everything is in order, and return how many members they have, and
        their form.

        The form is which kinds of messages there are, among the first and at all.
        """
        profile = self._chat
        if profile.arguments == "object" or not (profile.roles or _ROLES_OF_CHAT) >= _ROLES_OF_CHAT:
            raise _UnsureError
        pattern = profile.id_pattern
        plans, loads = tools.plans, self._loads
        seen: set[str] = set()
        waiting: list[str] = []
        answered = 0
        before = ""
        kinds = first = members = 0
        for number, message in enumerate(messages):
            role = message["role"]
            content = message["content"]
            size = len(message)
            members += size
            if role == "tool":
                # Right behind their calls, all of them, in their order.
                if size != 3 or message["tool_call_id"] != waiting[answered]:
                    raise _UnsureError
                answered += 1
                members += _look_at_result(content)
                before = role
                kinds |= 1
            else:
                if answered != len(waiting):
                    raise _UnsureError
                if role == "assistant":
                    if before == "assistant" or not before:
                        raise _UnsureError
                    if content is not None:
                        tools.look(content)
                    elif size != 3:
                        raise _UnsureError
                    before = role
                    kinds |= 2
                    if size != 2:
                        entries = message["tool_calls"]
                        if size != 3 or type(entries) is not list or not entries:
                            raise _UnsureError
                        kinds |= 4
                        waiting = []
                        answered = 0
                        for entry in entries:
                            function = entry["function"]
                            call_id = entry["id"]
                            if len(entry) != 3 or len(function) != 2 or entry["type"] != "function":
                                raise _UnsureError
                            if not call_id or call_id in seen or (pattern and not pattern.fullmatch(call_id)):
                                raise _UnsureError
                            seen.add(call_id)
                            waiting.append(call_id)
                            members += 5
                            name, text = function["name"], function["arguments"]
                            plan = plans.get(name)
                            if plan is not None and plan.reads(text, loads):
                                continue
                            try:
                                tools.check(name, self._arguments(text))
                            except _DoubtfulError:
                                doubts.append(number)
                elif size != 2:
                    raise _UnsureError
                elif role == "user":
                    before = role
                    tools.look(content)
                    kinds |= 8
                elif role == "system" and not before:
                    tools.look(content)
                    kinds |= 16
                else:
                    raise _UnsureError
            if number < _FIRST:
                first = kinds
        return members, (first, kinds)

    def _follow_blocks(
        self, messages: list[Any], system: Any, tools: _Tools, doubts: list[int]
    ) -> tuple[int, tuple[int, int]]:
        """Go through plain messages in blocks in which everything is in order, and return how many members they have,
        and their form."""
        profile = self._blocks
        if profile.arguments == "string" or not (profile.roles or _ROLES_OF_BLOCKS) >= _ROLES_OF_BLOCKS:
            raise _UnsureError
        pattern = profile.id_pattern
        if system is not None:
            tools.look(system)
        seen: set[str] = set()
        waiting: list[str] = []
        before = ""
        kinds = first = members = 0
        for number, message in enumerate(messages):
            role, content = message["role"], message["content"]
            if len(message) != 2:
                raise _UnsureError
            members += 2
            answered = 0
            calls: list[str] = []
            if role == "user":
                kinds |= 1
            elif role == "assistant" and before == "user":
                kinds |= 2
            else:
                raise _UnsureError
            if type(content) is str:
                tools.look(content)
                kinds |= 4
            elif type(content) is not list:
                raise _UnsureError
            else:
                for block in content:
                    kind = block["type"]
                    members += len(block)
                    if kind == "text":
                        if len(block) != 2:
                            raise _UnsureError
                        tools.look(block["text"])
                        kinds |= 8
                        if not answered:
                            # Results stand before text.
                            answered = len(waiting) + 1 if waiting else 0
                    elif kind == "tool_use" and role == "assistant":
                        call_id = block["id"]
                        if len(block) != 4 or not call_id or call_id in seen:
                            raise _UnsureError
                        if pattern and not pattern.fullmatch(call_id):
                            raise _UnsureError
                        seen.add(call_id)
                        calls.append(call_id)
                        if type(block["input"]) is not dict:
                            raise _UnsureError
                        members += _members(block["input"])
                        try:
                            tools.check(block["name"], block["input"])
                        except _DoubtfulError:
                            doubts.append(number)
                        kinds |= 16
                    elif kind == "tool_result" and role == "user":
                        if len(block) != 3 and (len(block) != 4 or block["is_error"] is not False):
                            raise _UnsureError
                        if block["tool_use_id"] != waiting[answered]:
                            raise _UnsureError
                        answered += 1
                        members += _look_at_result(block["content"])
                        kinds |= 32
                    else:
                        raise _UnsureError
            if answered != len(waiting):
                raise _UnsureError
            waiting = calls
            before = role
            if number < _FIRST:
                first = kinds
        return members, (first, kinds)

    def _follow_texts(self, value: dict[str, Any]) -> None:
        """Go through a conversation whose calls are text, in which everything is in order."""
        entries = value["conversations"]
        if not self._judges_texts or type(entries) is not list or not value.keys() <= _ROW:
            raise _UnsureError
        if any(type(each) is not str for key, each in value.items() if key != "conversations"):
            raise _UnsureError
        tools = self._tools_of_row(value, entries)
        called: list[str] = []
        for number, entry in enumerate(entries):
            role, text = _SPEAKERS[entry["from"]], entry["value"]
            if len(entry) != 2 or type(text) is not str:
                raise _UnsureError
            if role == "assistant":
                called += self._look_at_calls(text, tools)
            elif role == "tool":
                if not self._are_plain_results(text, called):
                    named = bool(self._own.declares) and self._own.may_be_named(text)
                    if named or _may_tell_failure(text):
                        self._look_at_results(text, called)
            elif role == "user" or not number:
                tools.look(text)
            else:
                raise _UnsureError
        form = ("sharegpt", *value)
        if form not in self._forms:
            shape = detect(value)
            self._forms[form] = shape.name if shape is not None else ""
        if self._forms[form] != SHAREGPT.name:
            raise _UnsureError

    def _tools_of_row(self, value: dict[str, Any], entries: list[Any]) -> _Tools:
        """Return the tools that a conversation brings along, in a field or in its system prompt."""
        first = entries[0]
        key = (value.get("tools"), first["value"] if first["from"] == "system" else None)
        found = self._prompts.get(key)
        if found is None:
            if len(self._prompts) >= _KEPT_REGISTRIES:
                self._prompts.clear()
            read = read_json(json.dumps({**value, "conversations": entries[:1]}))
            view = SHAREGPT.tools(JsonView.of(read))
            definitions = view.value if view is not None else None
            found = self._own
            if isinstance(definitions, list) and definitions:
                if not _is_alike(definitions):
                    raise _UnsureError
                registry = registry_of(definitions, self._settings)
                found = _Tools(registry, self._settings) if registry else self._own
            self._prompts[key] = found
        if found is not self._own and found.declares:
            raise _UnsureError
        return found

    def _look_at_calls(self, text: str, tools: _Tools) -> list[str]:
        """Look at what an assistant says and calls, in the notation of most such data; return the names."""
        if "<tool_call>" not in text:
            tools.look(text)
            return []
        prose, *parts = text.split("<tool_call>")
        _look_at_spans(prose)
        tools.look(prose)
        names: list[str] = []
        for part in parts:
            body, closer, behind = part.partition("</tool_call>")
            call = self._arguments(body.strip("\n"))
            if not closer or type(call) is not dict or len(call) != 2 or type(call["arguments"]) is not dict:
                raise _UnsureError
            try:
                tools.check(call["name"], call["arguments"])
            except _DoubtfulError:
                raise _UnsureError from None
            names.append(call["name"])
            if behind and not behind.isspace():
                _look_at_spans(behind)
                tools.look(behind)
        return names

    def _are_plain_results(self, text: str, called: list[str]) -> bool:
        """Tell whether a message is results in the notation of most such data, of which nothing is to be said."""
        before, *parts = text.split("<tool_response>")
        if before.strip() or not parts:
            return False
        names = []
        for part in parts:
            body, closer, behind = part.partition("</tool_response>")
            result = self._arguments(body.strip()) if closer and not behind.strip() else None
            if type(result) is not dict or result.keys() != _PLAIN_RESULT:
                return False
            name, content = result["name"], result["content"]
            if type(name) is not str or not name or type(content) is not str:
                return False
            try:
                _look_at_result(content)
            except _UnsureError:
                return False
            names.append(name)
        if not self._own.declares.isdisjoint(names):
            return False
        for name in names:
            if name in called:
                called.remove(name)
        return True

    def _look_at_results(self, text: str, called: list[str]) -> None:
        """Look closely at what tools returned: none may have failed, or be of a tool of ours that says what it returns
        and was not called. Each name in `called` is answered once."""
        for result in whole_result(TurnText(_NOWHERE, text)):
            if says_failed(result) or result.id is not None or result.call_id is not None:
                raise _UnsureError
            if result.tool in called:
                called.remove(result.tool)
            elif result.tool in self._own.declares:
                raise _UnsureError


def _look_at_spans(prose: str) -> None:
    """Look at code spans beside calls; raises `_UnsureError` where one might reach over a call."""
    if "~~~" in prose:
        raise _UnsureError
    if "`" in prose and (
        prose.count("`") % 2 or any(odd in prose for odd in ("``", "\n\n", "\r", "\\", "\n ", "\n\t"))
    ):
        raise _UnsureError


#: The members that a row of such a set may have, and who speaks in it.
_ROW: Final = frozenset({"conversations", "tools", "id", "source", "category", "subcategory", "task"})
_SPEAKERS: Final[Mapping[str, str]] = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "tool": "tool"
}  # fmt: skip
_PLAIN_RESULT: Final = frozenset({"name", "content"})
_ROLES_OF_CHAT: Final = frozenset({"system", "user", "assistant", "tool"})
_ROLES_OF_BLOCKS: Final = frozenset({"user", "assistant"})


_NOWHERE: Final = Spot(Span(0, 0))
_NAME: Final = re.compile(r"[\w.:/-]++")
#: One of these stands in every text that tells of a failure, in any case.
_TELLING: Final = ("error", "exception", "traceback", "fatal", "fail", "success", '"ok"')


def _may_tell_failure(text: str) -> bool:
    # Faster by far than one pattern for all of them.
    lowered = text.lower()
    return any(word in lowered for word in _TELLING)


def _look_at_result(content: Any) -> int:
    """Look at what a tool returned, and return how many members that has; raises `_UnsureError` where it may tell of a
    failure."""
    members = 0
    if type(content) is list:
        (only,) = content
        if len(only) != 2 or only["type"] != "text":
            raise _UnsureError
        content = only["text"]
        members = 2
    if type(content) is not str:
        raise _UnsureError
    head = content[:64].lstrip()
    if head.startswith(("{", "[")):
        if _may_tell_failure(content):
            raise _UnsureError
    elif head.lower().startswith(FAILURES) or (not head and len(content) > len(head)):
        raise _UnsureError
    return members


@cache
def _words_by_mark() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words that calls in prose begin with, each with a character of it that is rare."""
    # The fence is an opener, too, but begins with a mark that means nothing by itself.
    words = {word for words in opener_words().values() for word, _ in words} | {"tool_code"}
    # Nor may a text hold a result; those that begin with a tag are met where tags are.
    words |= {mark for mark in RESULT_MARKS if not mark.startswith("<")}
    words -= {word for word in words for other in words if word != other and other in word}
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        mark = next((mark for mark in "{[=|>_" if mark in word), None) or next(filter(str.isupper, word), word[0])
        found.setdefault(mark, []).append(word)
    return tuple((mark, tuple(each)) for mark, each in found.items())


class _Tools:
    """The tools of some transcripts, and what is known about names and texts under them."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self.registry = registry
        self._settings = settings
        self._context = read_context(registry, settings, frozenset(registry.names))
        self._words = _words_by_mark()
        #: The names of the tools that say what they return: their results are to be looked at.
        self.declares = frozenset(
            each
            for name in registry.names
            for tool in registry.get(name)
            if tool.output_schema
            for each in (name, tool.name, *tool.aliases)
        )
        self._names_words = all(_NAME.fullmatch(name) for name in self.declares)
        self._texts: dict[str, bool] = {}
        self._names: dict[str, tuple[ToolSchema, ...] | None] = {}
        self.plans: dict[str, _Plan] = {}

    def may_be_named(self, text: str) -> bool:
        """Tell whether a result may be of a tool that says what it returns."""
        return not self._names_words or not self.declares.isdisjoint(_NAME.findall(text))

    def look(self, text: str) -> None:
        """Look at what somebody says; raises `_UnsureError` where it is no text, or a call or a fault of one may stand
        there."""
        if type(text) is not str:
            raise _UnsureError
        if (
            ("<" in text and (_TAGS.search(text) or "]<]" in text))
            or ("{" in text and _BRACES.search(text))
            or ("[" in text and (_BRACKETS.search(text) or "[ARGS]" in text or "[/TOOL" in text))
            or (self._settings.dialect is not None and any(mark in text for mark in "<|｜[`~"))
        ):
            self._read(text)
            return
        for mark, words in self._words:
            if mark in text:
                for word in words:
                    if word in text:
                        self._read(text)
                        return

    def _read(self, text: str) -> None:
        """Read a text; raises `_UnsureError` where there is anything in it. Prompts come again and again."""
        known = self._texts.get(text)
        if known is None:
            known = not any(mark in text for mark in RESULT_MARKS)
            if known:
                found = read_stretch(text, self._context)
                known = not (found.calls or found.problems or found.quoted)
                known = known and stray_call(text, (), self.registry, self._settings) is None
            if len(text) <= _LONG:
                if len(self._texts) >= _KEPT_TEXTS:
                    self._texts.clear()
                self._texts[text] = known
        if not known:
            raise _UnsureError

    def check(self, name: str, arguments: Any) -> None:
        """Look at a call; raises `_DoubtfulError` where something may be said about it."""
        plan = self.plans.get(name)
        if plan is not None and type(arguments) is dict and plan.fits(arguments):
            return
        if type(name) is not str:
            raise _UnsureError
        if name in self._names:
            candidates = self._names[name]
        else:
            if len(self._names) >= _KEPT_NAMES:
                self._names.clear()
            candidates = self._names[name] = self._candidates(name)
        if candidates is None or type(arguments) is not dict or not _is_alike(arguments):
            raise _DoubtfulError
        if candidates and not any(_fits(tool, arguments) for tool in candidates):
            raise _DoubtfulError

    def _candidates(self, name: str) -> tuple[ToolSchema, ...] | None:
        """Return the tools of a name; none where nobody minds that it is not known, None where somebody might."""
        found = self.registry.get(name)
        if any(tool.output_schema for tool in found):
            # Its results are to be looked at, too.
            raise _UnsureError
        if any(tool.has_deprecations for tool in found):
            return None
        if found:
            plan = _Plan.of(found[0]) if len(found) == 1 else None
            if plan is not None:
                self.plans[name] = plan
            return found
        minds = not name.strip() or self.registry.closed or self.registry.near(name) is not None
        return None if minds else ()


class _Plan:
    """What simple schemas say: which arguments there may be, of which types and within which limits, and which there
    must be."""

    __slots__ = ("_limits", "_needed", "_types")

    _KINDS: Final[Mapping[str, type]] = {"string": str, "boolean": bool, "integer": int}
    _SAID: Final = frozenset({"type", "description", "title", "default", "examples"})
    _KNOWN: Final = frozenset({"type", "properties", "required", "additionalProperties", "description", "title"})

    def __init__(self, tool: ToolSchema) -> None:
        self._types: dict[str, type] = {}
        self._limits: dict[str, Container[Any]] = {}
        self._needed = frozenset(tool.input_schema.get("required", ()))
        for name, schema in tool.input_schema["properties"].items():
            self._take(name, schema)

    @classmethod
    def of(cls, tool: ToolSchema) -> _Plan | None:
        """Return the plan of a tool, None where its schema says more than a plan can."""
        schema = tool.input_schema
        properties, needed = schema.get("properties"), schema.get("required", [])
        if not tool.checked or not schema.keys() <= cls._KNOWN or schema.get("type") != "object":
            return None
        if (
            not isinstance(properties, dict)
            or not isinstance(needed, list)
            or not properties.keys() <= tool.parameters.keys()
        ):
            return None
        return cls(tool)

    def _take(self, name: str, schema: Any) -> None:
        """Note what is said of one argument; what is not noted is left to a validator where it is given."""
        kind = self._KINDS.get(str(schema.get("type"))) if isinstance(schema, dict) else None
        if kind is None:
            return
        more = schema.keys() - self._SAID
        if kind is str and more == {"enum"}:
            self._limits[name] = frozenset(each for each in schema["enum"] if type(each) is str)
        elif kind is int and more and more <= {"minimum", "maximum"}:
            low, high = schema.get("minimum", -(10**15)), schema.get("maximum", 10**15)
            if type(low) is not int or type(high) is not int:
                return
            self._limits[name] = range(low, high + 1)
        elif more:
            return
        self._types[name] = kind

    def reads(self, text: str, loads: Callable[[str], Any]) -> bool:
        """Tell whether a text is surely JSON of arguments that fit; False says nothing."""
        if not text.isascii() and HOLE in text:
            return False
        try:
            arguments = loads(text)
        except ValueError:
            return False
        # What fits holds no object, so every name in the text is one of an argument.
        return (
            type(arguments) is dict and self.fits(arguments) and text.count('":') - text.count('\\":') == len(arguments)
        )

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Tell whether arguments surely fit; False says nothing."""
        types, limits = self._types, self._limits
        for name, value in arguments.items():
            if type(value) is not types.get(name) or (name in limits and value not in limits[name]):
                return False
        return self._needed <= arguments.keys()


def _fits(tool: ToolSchema, arguments: dict[str, Any]) -> bool:
    if not tool.checked:
        return True
    if not arguments.keys() <= tool.parameters.keys():
        return False
    return not validate(tool.input_schema, arguments)
