"""The quick verdict: a line of a transcript of which there is surely nothing to say.

Owns: `QuickVerdict`, and the plain forms of conversations that it knows: messages as OpenAI's chat completions have
them, blocks as Anthropic's messages have, and texts of data sets. Must not know: rules, documents, files.

Most lines of large transcripts are faultless and plainly written. To see that, no place need be known and no tree be
made: the values tell. What is not of a plain form, or might have a fault, is left to those who read closely.
"""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.turns import Spot, TurnText
from callwright.conversation.results import says_failed
from callwright.declarations.reading import declares_in_value, may_declare_in_data
from callwright.document.log_tools import registry_of
from callwright.fastpath.fast_paths import IN_TEXTS, may_answer
from callwright.fastpath.quick_frames import Frames
from callwright.fastpath.quick_lines import LineReader, UnsureError, fast_json, flat_objects, strict_reader
from callwright.fastpath.quick_results import CALM, look_at_result, may_tell_failure
from callwright.fastpath.quick_sessions import MEMBERS, ROLES, SessionTools, look_at_length
from callwright.fastpath.quick_spoken import OBJECTS, are_plain_results, is_calm, is_plain_label
from callwright.fastpath.quick_tools import DoubtfulError, KnownTools, is_alike, look_at_spans
from callwright.fastpath.quick_trajectories import MEMBERS as TRAJECTORY
from callwright.fastpath.quick_trajectories import definitions_of, follow_steps
from callwright.hosts.support.transcript_search import may_hold_far, may_hold_transcript
from callwright.syntax.json import read_json
from callwright.syntax.json_rows import is_row
from callwright.syntax.json_views import JsonView
from callwright.text.span import Span
from callwright.transcripts.atif import SHAPE as ATIF
from callwright.transcripts.catalogue import detect
from callwright.transcripts.sharegpt import SHAPE as SHAREGPT
from callwright.transcripts.support.profiles import find_profile
from callwright.transcripts.support.session_head import KEY, NAME
from callwright.transcripts.support.text_results import whole_result

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: How many registries and forms are remembered.
_KEPT_REGISTRIES: Final = 256
_KEPT_FORMS: Final = 1_024
#: The members that a plain transcript may have.
_PLAIN: Final = frozenset({"messages", "tools", "system", "parallel_tool_calls"})
#: What data sets say of their rows, under names that no shape asks for, and what such values are.
_LABELS: Final = frozenset(
    {"category", "dataset", "difficulty", "domain", "hash", "idx", "index", "key", "label", "lang", "language"}
    | {"license", "num_turns", "number", "origin", "quality", "rating", "reward", "row_id", "score", "split"}
    | {"subcategory", "subset", "tags", "title", "topic", "uid"}
)
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_OPENERS: Final = frozenset({"{", "["})
#: How many messages at the beginning say most about whose they are.
_FIRST: Final = 8


@dataclass(frozen=True, slots=True)
class Doubt:
    """All that may be said about a transcript of `shape` is said about some of its messages, the `parts`.

    The messages are those of these `numbers` in the list that the member `key` is. It is about the native calls of one
    turn alone where it is `native`, else about texts of the assistant. Calls are checked against `tools`.
    """

    parts: tuple[Any, ...]
    numbers: tuple[int, ...]
    key: str
    shape: str
    tools: KnownTools
    native: bool = True


class QuickVerdict:
    """Tells of lines, one by one, whether reading them closely would find anything; when in doubt, that it would.

    A line is a document of its own, unless `within` says that it is a part of another one.
    Invariant: of a line that is sure, the linter says nothing under these tools and settings, and it is no entry of a
    log.
    """

    def __init__(self, registry: ToolRegistry, settings: Settings, *, within: bool = False) -> None:
        registry = registry.in_force
        self._settings = settings
        self._within = within
        self._may_answer = may_answer(settings, IN_TEXTS)
        self._codec = fast_json()
        self._value_of = strict_reader(self._codec)
        self._lines = LineReader(self._codec)
        self._frames = Frames(self._codec)
        self._own = KnownTools(registry.with_markup(settings.markup), settings)
        # What a session says of its settings holds where a document begins with it. Nothing is demanded of its turns.
        self._sessions = None if within or settings.provider is not None else SessionTools(registry, settings)
        self._tools: dict[bytes, KnownTools] = {}
        self._latest: tuple[Any, KnownTools] = (None, self._own)
        self._chat = find_profile(settings.provider or "openai")
        self._blocks = find_profile(settings.provider or "anthropic")
        self._forms: dict[Any, str] = {}
        self._prompts: dict[tuple[Any, Any], KnownTools] = {}
        # Where texts hold calls and results, nothing may be demanded of them beyond what tools say.
        self._judges_texts = settings.provider is None and settings.dialect is None
        # What is said about mistakes in a row needs one at least.
        # Where nobody has tools, those that a row declares in its texts are its own.
        self._may_declare = not registry and settings.placeholders
        self._judges = settings.template is None and settings.max_mistakes > 0 and settings.placeholders

    def sure(self, line: bytes) -> bool:
        """Return whether there is surely nothing to say about a line, which is UTF-8."""
        return self.judge(line) is True

    def judge(self, line: bytes) -> bool | Doubt:
        """Return True where there is surely nothing to say about a line, and a doubt where it is about one turn."""
        if not self._may_answer or (self._may_declare and self._declares(line)):
            return False
        if self._judges and line.startswith(b"{"):
            try:
                doubtful = self._judge(line)
            except (UnsureError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                # Whatever has not the plain form ends up here.
                pass
            else:
                return True if doubtful is None else doubtful
        text = line.decode()
        return not may_hold_transcript(text) and (self._within or self._is_row(line, text))

    def _is_row(self, line: bytes, text: str) -> bool:
        """Return whether a line is JSON, which the fast reader need not know of each that is."""
        try:
            self._codec.loads(line)
        except (UnsureError, ValueError, RecursionError):
            return is_row(text)
        return True

    def _declares(self, line: bytes) -> bool:
        """Return whether a line may declare tools in its texts, and brings none."""
        if not may_declare_in_data(line):
            return False
        try:
            value = self._codec.loads(line)
            brought = value.get("tools")
            if "conversations" in value:
                brought = brought or self._tools_of_row(value, value["conversations"]) is not self._own
            return not brought and declares_in_value(value)
        except (UnsureError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return True

    def _judge(self, line: bytes) -> Doubt | None:
        """Look through a line that is an object; raises `UnsureError` and more where it is no plain transcript."""
        if self._is_calm(line):
            return None
        value = self._lines.read(line)
        if "conversations" in value:
            doubt = self._follow_texts(value)
            if not self._lines.is_whole():
                raise UnsureError
            if doubt is None and not self._own.declares:
                self._frames.learn(line, self._tools_of_row(value, value["conversations"]))
            return doubt
        if "steps" in value:
            doubt = self._follow_trajectory(value)
            if not self._lines.is_whole():
                raise UnsureError
            return doubt
        if KEY in value:
            self._follow_session(line, value)
            if not self._lines.is_whole():
                raise UnsureError
            return None
        messages = value["messages"]
        if type(messages) is not list or not messages:
            raise UnsureError
        if not value.keys() <= _PLAIN:
            _look_at_labels(value, value.keys() - _PLAIN)
        if type(value.get("parallel_tool_calls", True)) is not bool:
            raise UnsureError
        definitions = value.get("tools")
        first: Any = {}
        tools = self._own
        if definitions:
            tools = self._tools_of(definitions)
            first = definitions[0]
        doubts: list[int] = []
        if "system" in value or "input_schema" in first or type(messages[-1]["content"]) is list:
            form = self._follow_blocks(messages, value.get("system"), tools, doubts)
            wanted = "anthropic"
        else:
            form = self._follow_chat(messages, tools, doubts)
            wanted = "openai-chat"
        if not self._lines.is_whole():
            raise UnsureError
        # Values of one form are of one shape.
        if self._shape_of((*form, *value, *first), value) != wanted:
            raise UnsureError
        return self._doubt(messages, "messages", doubts, wanted, tools)

    def _is_calm(self, line: bytes) -> bool:
        """Return whether a line is a conversation whose calls are text, framed like others before, and plainly in
        order.

        False says nothing.
        """
        try:
            found = self._frames.read(line)
            return found is not None and is_calm(found[1], found[0], self._codec)
        except (UnsureError, ValueError, LookupError, TypeError, AttributeError):
            return False

    def _doubt(self, messages: list[Any], key: str, doubts: list[int], shape: str, tools: KnownTools) -> Doubt | None:
        """Return the doubt about the calls of a message, None where there is none; `doubts` are numbers of messages."""
        if not doubts:
            return None
        if len(doubts) > 1 or self._settings.max_mistakes < 2:
            # What is said about failures in a row is said about two at least.
            raise UnsureError
        return Doubt((messages[doubts[0]],), (doubts[0],), key, shape, tools)

    def _follow_trajectory(self, value: dict[str, Any]) -> Doubt | None:
        """Go through a trajectory in which everything is in order but for the calls of one step perhaps."""
        if self._settings.provider is not None:
            raise UnsureError
        if not value.keys() <= TRAJECTORY:
            _look_at_labels(value, value.keys() - TRAJECTORY)
        definitions = definitions_of(value)
        tools = self._tools_of(definitions) if definitions else self._own
        doubts: list[int] = []
        follow_steps(value["steps"], tools, self._codec.loads, doubts)
        if self._shape_of((ATIF.name, *value), value) != ATIF.name:
            raise UnsureError
        return self._doubt(value["steps"], "steps", doubts, ATIF.name, tools)

    def _shape_of(self, form: tuple[Any, ...], value: Any) -> str:
        """Return the name of the shape that values of a form have, empty where they have none."""
        name = self._forms.get(form)
        if name is None:
            if len(self._forms) >= _KEPT_FORMS:
                self._forms.clear()
            shape = detect(value)
            name = self._forms[form] = shape.name if shape is not None else ""
        return name

    def _arguments(self, text: str) -> Any:
        """Return the value that a text is; None where something is to be said about it."""
        try:
            return self._value_of(text.encode())
        except (UnsureError, ValueError):
            return None

    def _tools_of(self, definitions: Any) -> KnownTools:
        """Return the tools that a transcript brings along, as they are understood."""
        latest = self._latest
        if definitions is latest[0]:
            return latest[1]
        if type(definitions) is not list or type(definitions[0]) is not dict:
            raise UnsureError
        key = marshal.dumps(definitions, 2)
        found = self._tools.get(key)
        if found is None:
            if not is_alike(definitions):
                raise UnsureError
            if len(self._tools) >= _KEPT_REGISTRIES:
                self._tools.clear()
            registry = registry_of(definitions, self._settings)
            found = self._tools[key] = KnownTools(registry, self._settings) if registry else self._own
        self._latest = (definitions, found)
        return found

    def _follow_chat(self, messages: list[Any], tools: KnownTools, doubts: list[int]) -> tuple[int, int]:
        """Go through plain chat messages in which everything is in order, and return their form.

        The form is which kinds of messages there are, among the first and at all.
        """
        profile = self._chat
        if profile.arguments == "object" or not (profile.roles or _ROLES_OF_CHAT) >= _ROLES_OF_CHAT:
            raise UnsureError
        pattern = profile.id_pattern
        seen: set[str] = set()
        waiting: list[str] = []
        texts: list[str] = []
        calls: list[tuple[int, str, str]] = []
        answered = 0
        before = ""
        kinds = first = 0
        for number, message in enumerate(messages):
            role = message["role"]
            content = message["content"]
            size = len(message)
            if role == "tool":
                # Right behind their calls, all of them, in their order.
                if size != 3 or message["tool_call_id"] != waiting[answered]:
                    raise UnsureError
                answered += 1
                if type(content) is not str or content[:1] not in CALM:
                    look_at_result(content, self._codec.loads)
                before = role
                kinds |= 1
            else:
                if answered != len(waiting):
                    raise UnsureError
                if role == "assistant":
                    if before == "assistant" or not before:
                        raise UnsureError
                    if content is not None:
                        texts.append(content)
                    elif size != 3:
                        raise UnsureError
                    before = role
                    kinds |= 2
                    if size != 2:
                        entries = message["tool_calls"]
                        if size != 3 or type(entries) is not list or not entries:
                            raise UnsureError
                        kinds |= 4
                        waiting = []
                        answered = 0
                        for entry in entries:
                            function = entry["function"]
                            call_id = entry["id"]
                            if len(entry) != 3 or len(function) != 2 or entry["type"] != "function":
                                raise UnsureError
                            if not call_id or call_id in seen or (pattern and not pattern.fullmatch(call_id)):
                                raise UnsureError
                            seen.add(call_id)
                            waiting.append(call_id)
                            calls.append((number, function["name"], function["arguments"]))
                elif size != 2:
                    raise UnsureError
                elif role == "user":
                    before = role
                    texts.append(content)
                    kinds |= 8
                elif role == "system" and not before:
                    tools.look_first(content)
                    kinds |= 16
                else:
                    raise UnsureError
            if number < _FIRST:
                first = kinds
        tools.look_all(texts)
        if calls and not self._are_plain(calls, tools):
            self._look_at_arguments(calls, tools, doubts)
        return first, kinds

    def _are_plain(self, calls: list[tuple[int, str, str]], tools: KnownTools) -> bool:
        """Return whether the arguments of calls, which are texts, are plain JSON that surely fits; False says
        nothing."""
        plans = tools.plans
        for _, name, _ in calls:
            if name not in plans:
                return False
        values = flat_objects([text for _, _, text in calls], self._codec)
        if values is None:
            return False
        return all(plans[name].fits(value) for (_, name, _), value in zip(calls, values, strict=True))

    def _look_at_arguments(self, calls: list[tuple[int, str, str]], tools: KnownTools, doubts: list[int]) -> None:
        """Look at calls one by one, each with the number of its message; add those that are in doubt."""
        loads = self._codec.loads
        for number, name, text in calls:
            plan = tools.plans.get(name)
            if plan is not None and plan.reads(text, loads):
                continue
            try:
                tools.check(name, self._arguments(text))
            except DoubtfulError:
                doubts.append(number)

    def _follow_blocks(self, messages: list[Any], system: Any, tools: KnownTools, doubts: list[int]) -> tuple[int, int]:
        """Go through plain messages in blocks in which everything is in order, and return their form."""
        profile = self._blocks
        if profile.arguments == "string" or not (profile.roles or _ROLES_OF_BLOCKS) >= _ROLES_OF_BLOCKS:
            raise UnsureError
        pattern = profile.id_pattern
        plans = tools.plans
        if system is not None:
            tools.look(system)
        seen: set[str] = set()
        waiting: list[str] = []
        texts: list[str] = []
        before = ""
        kinds = first = 0
        for number, message in enumerate(messages):
            role, content = message["role"], message["content"]
            if len(message) != 2:
                raise UnsureError
            answered = 0
            calls: list[str] = []
            if role == "user":
                kinds |= 1
            elif role == "assistant" and before == "user":
                kinds |= 2
            else:
                raise UnsureError
            if type(content) is str:
                texts.append(content)
                kinds |= 4
            elif type(content) is not list:
                raise UnsureError
            else:
                for block in content:
                    kind = block["type"]
                    size = len(block)
                    if kind == "text":
                        if size != 2:
                            raise UnsureError
                        texts.append(block["text"])
                        kinds |= 8
                        if not answered:
                            # Results stand before text.
                            answered = len(waiting) + 1 if waiting else 0
                    elif kind == "tool_use" and role == "assistant":
                        call_id = block["id"]
                        if size != 4 or not call_id or call_id in seen or (pattern and not pattern.fullmatch(call_id)):
                            raise UnsureError
                        seen.add(call_id)
                        calls.append(call_id)
                        name, given = block["name"], block["input"]
                        if type(given) is not dict:
                            raise UnsureError
                        plan = plans.get(name)
                        if plan is None or not plan.fits(given):
                            try:
                                tools.check(name, given)
                            except DoubtfulError:
                                doubts.append(number)
                        kinds |= 16
                    elif kind == "tool_result" and role == "user":
                        if size != 3 and (size != 4 or block["is_error"] is not False):
                            raise UnsureError
                        if block["tool_use_id"] != waiting[answered]:
                            raise UnsureError
                        answered += 1
                        told = block["content"]
                        if type(told) is not str or told[:1] not in CALM:
                            look_at_result(told, self._codec.loads)
                        kinds |= 32
                    else:
                        raise UnsureError
            if answered != len(waiting):
                raise UnsureError
            waiting = calls
            before = role
            if number < _FIRST:
                first = kinds
        tools.look_all(texts)
        return first, kinds

    def _follow_texts(self, value: dict[str, Any]) -> Doubt | None:
        """Go through a conversation whose calls are text, in which everything is in order but for what the assistant
        says perhaps."""
        entries = value["conversations"]
        if not self._judges_texts or type(entries) is not list:
            raise UnsureError
        if not value.keys() <= _ROW:
            _look_at_labels(value, value.keys() - _ROW)
        if any(type(value[key]) is not str for key in _TEXTS_OF_ROW & value.keys()):
            raise UnsureError
        if type(value.get("tools", "")) not in (str, list):
            raise UnsureError
        tools = self._tools_of_row(value, entries)
        texts: list[str] = []
        asked: list[str] = []
        said: list[str] = []
        told: list[str] = []
        first: list[str] = []
        heard = {"human": asked, "user": asked, "gpt": said, "assistant": said, "tool": told, "system": first}
        for entry in entries:
            heard[entry["from"]].append(entry["value"])
        # Each has these two members at least.
        if sum(map(len, entries)) != 2 * len(entries) or not {*map(type, (*said, *told))} <= _TEXT:
            raise UnsureError
        if first:
            if len(first) > 1 or entries[0]["from"] != "system":
                raise UnsureError
            tools.look_first(first[0])
        texts += [text for text in asked if not self._is_plain_label(text)]
        calling: list[str] = []
        for text in said:
            if "<tool_call>" in text:
                calling.append(text)
            elif "</" not in text or not (
                (">{" in text and self._calls_by_objects(text, tools)) or tools.surely_calls_by_elements(text)
            ):
                texts.append(text)
        plain = not told or self._are_plain_results(told)
        if not plain:
            self._follow_results(entries)
        doubt = None
        if (calling and not self._are_plain_calls(calling, tools, texts)) or not tools.are_calm(texts):
            doubt = self._doubtful_text(entries, tools)
            if doubt is not None and self._own.declares and not plain:
                # A result may be of the call that is in doubt.
                raise UnsureError
        if self._shape_of((SHAREGPT.name, *value), value) != SHAREGPT.name:
            raise UnsureError
        return doubt

    def _follow_session(self, line: bytes, value: dict[str, Any]) -> None:
        """Go through a session of the runtime, in which nothing but the model's replies was ever read.

        Raises `UnsureError` where a reply is not of the plainest form.
        """
        messages, history = value["messages"], value[KEY]["history"]
        if self._sessions is None or type(messages) is not list or type(history) is not int:
            raise UnsureError
        if not value.keys() <= MEMBERS:
            raise UnsureError
        tools, settings = self._sessions.of(line, value.get("tools"))
        calls: list[tuple[int, str, str]] = []
        texts: list[str] = []
        for number, message in enumerate(messages):
            role, content = message["role"], message["content"]
            if len(message) != 2 or role not in ROLES or type(content) is not str:
                raise UnsureError
            if role != "assistant" or number < history:
                continue
            parts = _CALLS.split(content)
            look_at_length(content, len(parts) // 3, settings)
            for at in range(0, len(parts), 3):
                said = parts[at]
                # What stands behind a call on its line may be taken for more of it.
                if said and not said.isspace():
                    if at and said[0] != "\n":
                        raise UnsureError
                    texts.append(said)
            calls += [(number, name, arguments) for name, arguments in zip(parts[1::3], parts[2::3], strict=True)]
        tools.look_strictly(texts)
        if calls and not self._are_plain(calls, tools):
            doubts: list[int] = []
            self._look_at_arguments(calls, tools, doubts)
            if doubts:
                raise UnsureError
        if self._shape_of((NAME, *value), value) != NAME:
            raise UnsureError

    def _doubtful_text(self, entries: list[Any], tools: KnownTools) -> Doubt | None:
        """Look at the texts of a conversation one by one, and return those that are in doubt, if any are."""
        doubtful: dict[int, Any] = {}
        for number, entry in enumerate(entries):
            role, text = _SPEAKERS[entry["from"]], entry["value"]
            if role == "user" and not self._is_plain_label(text):
                tools.look(text)
            if role != "assistant":
                continue
            try:
                if "<tool_call>" in text:
                    self._look_at_calls(text, tools)
                elif not self._calls_by_objects(text, tools) and not tools.calls_by_elements(text):
                    tools.look(text)
            except (UnsureError, LookupError, TypeError, AttributeError):
                doubtful[number] = entry
        # What is said about failures in a row is said about two at least, and it matters which findings there are.
        most = 1 if self._settings.select or self._settings.ignore or self._settings.severity else len(doubtful)
        if len(doubtful) > most or self._settings.max_mistakes < 2:
            raise UnsureError
        if not doubtful:
            return None
        parts, numbers = tuple(doubtful.values()), tuple(doubtful)
        return Doubt(parts, numbers, "conversations", SHAREGPT.name, tools, native=False)

    def _tools_of_row(self, value: dict[str, Any], entries: list[Any]) -> KnownTools:
        """Return the tools that a conversation brings along, in a field or in its system prompt."""
        definitions = value.get("tools")
        if type(definitions) is list and definitions:
            # As tables hold them, and whoever writes no text into a text.
            brought = self._tools_of(definitions)
            if brought is not self._own and brought.declares:
                raise UnsureError
            return brought
        first = entries[0]
        key = (definitions, first["value"] if first["from"] == "system" else None)
        found = self._prompts.get(key)
        if found is None:
            if len(self._prompts) >= _KEPT_REGISTRIES:
                self._prompts.clear()
            read = read_json(json.dumps({**value, "conversations": entries[:1]}))
            view = SHAREGPT.tools(JsonView.of(read))
            definitions = view.value if view is not None else None
            found = self._own
            if isinstance(definitions, list) and definitions:
                if not is_alike(definitions):
                    raise UnsureError
                registry = registry_of(definitions, self._settings)
                found = KnownTools(registry, self._settings) if registry else self._own
            self._prompts[key] = found
        if found is not self._own and found.declares:
            raise UnsureError
        return found

    def _are_plain_calls(self, calling: list[str], tools: KnownTools, texts: list[str]) -> bool:
        """Return whether messages call in the plainest form of the notation, and what they call surely fits; then
        `texts` have got what is said around the calls. False says nothing.
        """
        parts = _CALLS.split("\n\0".join(calling))
        said = parts[::3]
        around = "".join(said)
        if "tool_call>" in around or "~~~" in around or (tools.is_moved(around) and any(map(tools.is_open, said))):
            return False
        calls = [(0, name, arguments) for name, arguments in zip(parts[1::3], parts[2::3], strict=True)]
        if not self._are_plain(calls, tools):
            return False
        if "</" in around and any("</" in behind for each in said[1:] for behind in each.split("\n\0", 1)[:1]):
            return False
        if "`" in around:
            for each in said:
                if "`" in each:
                    for prose in each.split("\n\0"):
                        look_at_spans(prose)
        texts += said
        return True

    def _calls_by_objects(self, text: str, tools: KnownTools) -> bool:
        """Return whether a text calls tools by elements that hold an object which surely fits, each on a line of its
        own, and there is surely nothing else in it. False says nothing."""
        parts = OBJECTS.split(text)
        if len(parts) == 1:
            return False
        calls = [(0, name, arguments) for name, arguments in zip(parts[1::3], parts[2::3], strict=True)]
        plans = [tools.plan_of(name) for _, name, _ in calls]
        try:
            tools.look_around(parts[::3])
            if self._are_plain(calls, tools):
                return True
            loads = self._codec.loads
            read = zip(plans, parts[2::3], strict=True)
            return all(plan is not None and plan.reads(arguments, loads) for plan, arguments in read)
        except UnsureError:
            return False

    def _look_at_calls(self, text: str, tools: KnownTools) -> None:
        """Look at what an assistant says and calls, in the notation of most such data."""
        prose, *parts = text.split("<tool_call>")
        if "</tool_call>" in prose:
            raise UnsureError
        look_at_spans(prose)
        tools.look_beside_call(prose)
        for part in parts:
            body, closer, behind = part.partition("</tool_call>")
            call = self._arguments(body.strip("\n"))
            if not closer or type(call) is not dict or len(call) != 2 or type(call["arguments"]) is not dict:
                raise UnsureError
            try:
                tools.check(call["name"], call["arguments"])
            except DoubtfulError:
                raise UnsureError from None
            if behind and not behind.isspace():
                # What closes nothing is a fault behind a call, and prose elsewhere.
                if "</" in behind:
                    raise UnsureError
                look_at_spans(behind)
                tools.look_beside_call(behind)

    def _are_plain_results(self, told: list[str]) -> bool:
        """Return whether messages are results in the plainest form of the notation, of which nothing is to be said.

        False says nothing.
        """
        try:
            return are_plain_results("\n".join(told), self._codec, self._own.declares)
        except (UnsureError, ValueError):
            return False

    def _is_plain_label(self, text: Any) -> bool:
        """Return whether what a user says is surely nothing but a result below a label with its tool's name, of which
        nothing is to be said. False says nothing."""
        if type(text) is not str or self._own.declares:
            return False
        try:
            return is_plain_label(text, self._codec)
        except UnsureError:
            return False

    def _follow_results(self, entries: list[Any]) -> None:
        """Look closely at what tools returned, and at which of them were called."""
        called: list[str] = []
        for entry in entries:
            role, text = _SPEAKERS[entry["from"]], entry["value"]
            if role == "assistant":
                for part in text.split("<tool_call>")[1:]:
                    call = self._arguments(part.partition("</tool_call>")[0].strip("\n"))
                    if type(call) is not dict and self._own.declares:
                        raise UnsureError
                    called.append(call["name"] if type(call) is dict else "")
            elif role == "tool" and not self._is_plain_result(text, called):
                named = bool(self._own.declares) and self._own.may_be_named(text)
                if named or may_tell_failure(text):
                    self._look_at_results(text, called)

    def _is_plain_result(self, text: str, called: list[str]) -> bool:
        """Return whether a message is plain results in that notation; the names of what was `called` are crossed
        out."""
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
                look_at_result(content, self._codec.loads)
            except UnsureError:
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
                raise UnsureError
            if result.tool in called:
                called.remove(result.tool)
            elif result.tool in self._own.declares:
                raise UnsureError


#: The members that a row of such a set may have, and who speaks in it.
_TEXTS_OF_ROW: Final = frozenset({"id", "source", "task"})
_ROW: Final = _TEXTS_OF_ROW | {"conversations", "tools"}
_SPEAKERS: Final[Mapping[str, str]] = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "tool": "tool"
}  # fmt: skip
_PLAIN_RESULT: Final = frozenset({"name", "content"})
#: How a call in such a notation is written, as a rule.
_CALLS: Final = re.compile(
    r'<tool_call>\n?+\{"name": ?+"([\w.:/-]++)", ?+"arguments": ?+'
    r"(\{(?:[^<}]++|\}(?!\}\n?+</tool_call>)|<(?!/?tool_call>))*+\})\}\n?+</tool_call>"
)
_TEXT: Final = frozenset({str})
_ROLES_OF_CHAT: Final = frozenset({"system", "user", "assistant", "tool"})
_ROLES_OF_BLOCKS: Final = frozenset({"user", "assistant"})


def _look_at_labels(value: dict[str, Any], names: Set[str]) -> None:
    """Look at what a row says of itself beside its conversation; raises `UnsureError` where that may be more than a
    label."""
    for name in names:
        label = value[name]
        if name not in _LABELS or type(label) not in _SCALARS:
            raise UnsureError
        if type(label) is str and label[:1] in _OPENERS and may_hold_far(label):
            # A transcript may stand in it.
            raise UnsureError


_NOWHERE: Final = Spot(Span(0, 0))
