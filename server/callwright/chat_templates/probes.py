"""The conversations that a chat template is tried with.

Owns: `Probe`, the tools of probes, `layouts`, `values`. Must not know: Jinja, how dialects are read, rules.

A probe is a conversation with the calls that its assistant makes. Each probe with calls exists in two forms: arguments
as an object, and as the JSON string that clients of the OpenAI API send. Every value holds words of its own, by which
the place of a value in a rendering is found.
"""

from __future__ import annotations

import copy
import enum
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from callwright.syntax.json_text import shorten

Form: TypeAlias = Literal["object", "string"]
Message: TypeAlias = dict[str, Any]
FORMS: Final[tuple[Form, ...]] = ("object", "string")


class Kind(enum.Enum):
    """What a probe tries."""

    #: How a conversation is laid out: tools, calls, results, turns.
    LAYOUT = "layout"
    #: Whether one value of an argument comes back.
    VALUE = "value"
    #: Whether the text of a message comes through as it is.
    CONTENT = "content"
    #: Both ways of a truth value that the template reads.
    VARIABLE = "variable"


def _tool(name: str, description: str, properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


#: The tools of all probes. Names and descriptions are words that no template has by itself.
TOOLS: Final[tuple[dict[str, Any], ...]] = (
    _tool(
        "find_harbour",
        "Find the harbour nearest to a town.",
        {
            "town": {"type": "string", "description": "The town to begin from."},
            "berths": {"type": "integer", "description": "How many berths are needed."},
        },
        ["town"],
    ),
    _tool(
        "keep_record",
        "Keep a record in the logbook.",
        {
            "text": {"type": "string", "description": "The wording of the entry."},
            "amount": {"type": "number", "description": "The amount to book."},
            "sealed": {"type": "boolean", "description": "Whether the record is sealed."},
        },
        [],
    ),
)


#: What a template for documents is given beside the messages.
DOCUMENTS: Final = ({"title": "Tides", "text": "The tide turns at noon."},)

#: Tools for single probes: templates that write types out may fail on an object, an array or two types.
NESTED_TOOL: Final = _tool(
    "load_cargo",
    "Load the cargo of a ship.",
    {
        "cargo": {"type": "object", "description": "The cargo, by name."},
        "crew": {"type": "array", "items": {"type": "object"}, "description": "The members of the crew."},
    },
    [],
)
NULL_TOOL: Final = _tool(
    "strike_record",
    "Strike a record from the logbook.",
    {"note": {"type": ["string", "null"], "description": "A note, or nothing."}},
    [],
)


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """A call that the assistant of a probe makes; `id` is None where it has none."""

    name: str
    arguments: Mapping[str, Any]
    id: str | None = "call00001"

    def message(self, form: Form) -> Message:
        """Return the call as a client sends it."""
        arguments: Any = copy.deepcopy(dict(self.arguments))
        if form == "string":
            arguments = json.dumps(arguments, ensure_ascii=False)
        call: Message = {"type": "function", "function": {"name": self.name, "arguments": arguments}}
        return {"id": self.id, **call} if self.id is not None else call


@dataclass(frozen=True, slots=True)
class Probe:
    """A conversation, and what must be found in its rendering.

    `about` says in a clause what is special about it, as "when `content` is null"; it is empty where nothing is.
    `reply` is the index of the message whose calls are read back, None where the probe makes none. `variables` are
    given to the template beside the usual ones. `words` are texts of other messages that a rendering must have; the
    first of them that comes after the reply ends the reply's part.
    """

    name: str
    messages: tuple[Message, ...]
    kind: Kind = Kind.LAYOUT
    tools: tuple[dict[str, Any], ...] = TOOLS
    reply: int | None = None
    calls: tuple[ProbeCall, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    about: str = ""
    forms: tuple[Form, ...] = FORMS

    def with_named_ids(self) -> Probe:
        """Return the probe with ids that have the name of the tool, as some servers give them."""
        ids: dict[str | None, str] = {
            call.id: f"functions.{call.name}:{index}" for index, call in enumerate(self.calls) if call.id is not None
        }
        calls = tuple(replace(call, id=ids.get(call.id)) for call in self.calls)
        messages = tuple(
            {**each, "tool_call_id": ids[each["tool_call_id"]]} if "tool_call_id" in each else each
            for each in self.messages
        )
        return replace(self, calls=calls, messages=messages)

    def in_form(self, form: Form) -> list[Message]:
        """Return the messages with the arguments of their calls as `form` has them."""
        made = copy.deepcopy(list(self.messages))
        if self.reply is not None:
            made[self.reply]["tool_calls"] = [call.message(form) for call in self.calls]
        return made


#: What the user of nearly every probe asks.
ASK: Final = "Which harbour is nearest to Quillmoor?"
_ONE: Final = ProbeCall("find_harbour", {"town": "Quillmoor", "berths": 3})
_OTHER: Final = ProbeCall("keep_record", {"text": "asked for Quillmoor"}, "call00002")


#: Texts of a user that hold what templates may take for their own: `{0}` is a marker or a special token.
_HELD: Final = "Brackwater {0} after"


def _user(text: Any = ASK) -> Message:
    return {"role": "user", "content": text}


def _reply(**members: Any) -> Message:
    return {"role": "assistant", "content": "", **members}


def _result(content: Any, call: ProbeCall = _ONE) -> Message:
    made: Message = {"role": "tool", "name": call.name, "content": content}
    return {**made, "tool_call_id": call.id} if call.id is not None else made


#: The names under which transformers and vLLM pass reasoning.
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_ONE_REPLY: Final = (_user(), _reply())
_TEXT_RESULT: Final = "The harbour is Saltmere."
_JSON_RESULT: Final = '{"harbour": "Saltmere", "miles": 12}'


def _layouts() -> Iterator[Probe]:
    system = {"role": "system", "content": "Answer as a pilot does."}
    yield Probe(
        "system",
        (system, _user()),
        tools=(),
        words=(system["content"],),
        about="without tools and with a system message",
        forms=("object",),
    )
    yield Probe(
        "system-with-tools",
        (system, _user()),
        words=(system["content"],),
        about="with tools and a system message",
        forms=("object",),
    )
    yield Probe("user-only", (_user(),), tools=(), about="without tools", forms=("object",))
    yield Probe(
        "no-tools",
        (_user(), _reply(content="It is Saltmere."), _user("And then?")),
        tools=(),
        about="without tools",
        forms=("object",),
    )
    yield Probe("tools-only", (_user(),), about="with tools", forms=("object",))
    yield Probe("one-call", _ONE_REPLY, reply=1, calls=(_ONE,), about="with a call")
    yield Probe("two-calls", _ONE_REPLY, reply=1, calls=(_ONE, _OTHER), about="with two calls in a message")
    said = (_user(), _reply(content="Let me search."))
    yield Probe("call-after-content", said, reply=1, calls=(_ONE,), about="with a call after content")
    thought = (_user(), _reply(**dict.fromkeys(_REASONING, "Quillmoor lies inland.")))
    yield Probe("call-after-reasoning", thought, reply=1, calls=(_ONE,), about="with a call after reasoning")
    null = (_user(), _reply(content=None))
    yield Probe("content-null", null, reply=1, calls=(_ONE,), about="when `content` is null beside calls")
    absent = (_user(), {"role": "assistant"})
    yield Probe("content-absent", absent, reply=1, calls=(_ONE,), about="without `content` beside calls")
    parts = [{"type": "text", "text": ASK}]
    yield Probe(
        "content-parts",
        (_user(parts), _reply(content=[{"type": "text", "text": said[1]["content"]}])),
        reply=1,
        calls=(_ONE,),
        about="when `content` is a list of parts",
    )
    unnamed = ProbeCall("find_harbour", _ONE.arguments, None)
    yield Probe("call-without-id", _ONE_REPLY, reply=1, calls=(unnamed,), about="with a call without `id`")
    yield Probe(
        "result",
        (*_ONE_REPLY, _result(_TEXT_RESULT)),
        reply=1,
        calls=(_ONE,),
        words=(_TEXT_RESULT,),
        about="with a result",
    )
    yield Probe(
        "result-json",
        (*_ONE_REPLY, _result(_JSON_RESULT)),
        reply=1,
        calls=(_ONE,),
        words=("Saltmere",),
        about="with a result that is JSON",
    )
    both = (_result(_TEXT_RESULT), _result("It is kept.", _OTHER))
    yield Probe(
        "two-results",
        (*_ONE_REPLY, *both),
        reply=1,
        calls=(_ONE, _OTHER),
        words=(_TEXT_RESULT, "It is kept."),
        about="with two calls and their results",
    )
    follow_up = (*_ONE_REPLY, _result(_TEXT_RESULT), _reply(content="It is Saltmere."), _user("And then?"))
    yield Probe(
        "follow-up",
        follow_up,
        reply=1,
        calls=(_ONE,),
        words=(_TEXT_RESULT, "It is Saltmere.", "And then?"),
        about="when the conversation continues after a result",
    )


#: Values by name: the argument of `keep_record` that has the type, and the value.
_VALUES: Final[tuple[tuple[str, str, Any], ...]] = (
    ("plain", "text", "word Brackwater"),
    ("empty", "text", ""),
    ("number", "amount", 1234567.25),
    ("number-like", "text", "007"),
    ("boolean-like", "text", "true"),
    ("true", "sealed", True),
    ("false", "sealed", False),
    ("unicode", "text", "Brackwater: Zürich, 東京, ночь"),
    ("emoji", "text", "Brackwater 🙂‍↔️ 👩🏽‍🚀"),
    ("double-quotes", "text", 'Brackwater said "now" and "then"'),
    ("single-quotes", "text", "Brackwater's 'now' and 'then'"),
    ("smart-quotes", "text", "Brackwater said “now” and ‘then’"),
    ("backslashes", "text", "C:\\Brackwater\\new\\table \\\\ \\n"),
    ("newlines", "text", "\nBrackwater\n\n  second line\n"),
    ("less-than", "text", "Brackwater < 7 > 3"),
    ("markup", "text", "<b>Brackwater</b>"),
    ("ampersand", "text", "Brackwater & Sons &amp; &lt;b&gt;"),
    ("braces", "text", "Brackwater {{ name }} {% if x %} }} ] }"),
)

#: Values that need a tool of their own.
_SPECIAL_VALUES: Final[tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]] = (
    ("null", NULL_TOOL, {"note": None}),
    ("nested", NESTED_TOOL, {"cargo": {"Brackwater": {"deep": [1, {"deeper": None}], "flag": False}}}),
    ("array-of-objects", NESTED_TOOL, {"crew": [{"name": "Ada"}, {"name": "Brackwater", "age": 7}]}),
)

_ARTICLED: Final = {"null": "null", "nested": "an object", "array-of-objects": "an array of objects"}


def shown(value: object, limit: int = 120) -> str:
    """Return a value as JSON on one line, shortened to `limit` characters."""
    return shorten(json.dumps(value, ensure_ascii=False), limit)


def _values(markers: Sequence[str], special_tokens: Sequence[str]) -> Iterator[Probe]:
    for name, tool, arguments in _SPECIAL_VALUES:
        call = ProbeCall(tool["function"]["name"], arguments)
        about = f"with an argument that is {_ARTICLED[name]}"
        yield Probe(f"value: {name}", _ONE_REPLY, Kind.VALUE, (tool,), reply=1, calls=(call,), about=about)
    named = [*_VALUES]
    named += [(f"marker {marker}", "text", _HELD.format(marker)) for marker in markers]
    named += [(f"special token {token}", "text", _HELD.format(token)) for token in special_tokens]
    for token in special_tokens:
        text = _HELD.format(token)
        yield Probe(
            f"content with {token}",
            (_user(text),),
            Kind.CONTENT,
            tools=(),
            words=(text,),
            about=f"with `{token}` in a user's message",
            forms=("object",),
        )
    for name, parameter, value in named:
        call = ProbeCall("keep_record", {parameter: value})
        yield Probe(
            f"value: {name}",
            _ONE_REPLY,
            Kind.VALUE,
            reply=1,
            calls=(call,),
            about="with any text" if name == "plain" else f"with the value {shown(value)}",
        )


def layouts(booleans: Sequence[str] = ()) -> tuple[Probe, ...]:
    """Return the probes of how conversations are laid out, and both ways of each variable in `booleans`."""
    made = [*_layouts()]
    one = next(probe for probe in made if probe.name == "one-call")
    for name, value in itertools.product(booleans, (True, False)):
        word = f"{name}={str(value).lower()}"
        made.append(replace(one, name=word, kind=Kind.VARIABLE, variables={name: value}, about=f"with `{word}`"))
    return tuple(made)


def values(markers: Sequence[str] = (), special_tokens: Sequence[str] = ()) -> tuple[Probe, ...]:
    """Return the probes of values and of texts.

    `markers` are what opens and closes calls in the dialects that the template writes, `special_tokens` those of its
    tokenizer.
    """
    return tuple(_values(markers, special_tokens))
