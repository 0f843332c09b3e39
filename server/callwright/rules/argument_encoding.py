"""The rule `argument-encoding`."""

import json
from collections.abc import Callable, Iterator
from functools import partial

from callwright.conversation.conversation import Asked, Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Fix
from callwright.rules.support.demands import DemandRule
from callwright.syntax.json_views import JsonView
from callwright.text.projection import encode_json_string
from callwright.text.span import Edit
from callwright.transcripts.support.profiles import Wants


class ArgumentEncoding(DemandRule):
    """The arguments of a call are an object where the provider requires a string of JSON, or the reverse.

    Why is this bad: the provider rejects the request, or the tool gets text where it expects named values. OpenAI's
    APIs carry arguments as a string; Anthropic, Gemini, the Model Context Protocol and chat templates as an object.
    Data that was written for one of them must be converted for another.

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": {"path": "a.py"}}}
                                                                                                ^^^^^^^^^^^^^^^^ TC709 "`arguments` must be a string of JSON, not an object. `openai` rejects this."
          ]}
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC709"
    fast_path = FastPath.PLAIN  # plain arguments are written as the shape has them

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each call whose arguments are written in the other form."""
        profile = subject.profile
        if profile.arguments is None:
            return
        for asked in subject.ledger.asked:
            native = asked.native
            if native is None or native.unparsed or native.kept or native.hosted or native.arguments is None:
                continue
            place, value = native.arguments, native.arguments.value
            if profile.argument_keys and place.step not in profile.argument_keys:
                continue  # a call in another provider's form that is passed through unchanged
            name = place.step if isinstance(place.step, str) else "arguments"
            if profile.arguments == "string" and isinstance(value, dict | list):
                kind = "an object" if isinstance(value, dict) else "a list"
                stated = f"`{name}` must be a string of JSON, not {kind}."
                edit = _as_string
            elif profile.arguments == "object" and isinstance(value, str) and value.strip():
                stated = f"`{name}` must be an object, not a string."
                edit = _as_object
            else:
                continue
            fixes = partial(_fixes, asked, place, edit)
            yield from self.unmet(subject, Wants.ARGUMENTS, asked.turn.span(place), stated, fixes)


def _fixes(asked: Asked, place: JsonView, edit: Callable[[JsonView], str | None]) -> Iterator[Fix]:
    written = edit(place)
    edits = asked.turn.encode((Edit(place.span, written),)) if written is not None else None
    if edits is not None:
        title = (
            "Write the object as a JSON string"
            if written is not None and written[0] == '"'
            else "Write the object itself"
        )
        yield Fix(title, edits)


def _as_string(place: JsonView) -> str | None:
    """Return the object as a JSON string: its text as it is, serialized again where it spans several lines."""
    text = place.span.of(place.read.text)
    try:
        same = json.loads(text)
        if "\n" in text or "\r" in text:
            text = json.dumps(same, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return f'"{encode_json_string(text)}"'


def _as_object(place: JsonView) -> str | None:
    """Return the object that is encoded in a string, None where there is none."""
    text = str(place.value).strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return text if isinstance(value, dict) else None
