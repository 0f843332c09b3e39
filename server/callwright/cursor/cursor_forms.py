"""The forms of calls: what each dialect writes around a tool's name, an argument's name and a value.

Owns: `Form`, learned from what a dialect renders, and cutting one argument or value out of a rendered call. Must not
know: any single dialect, cursors, documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema

TOOL: Final = "sampletool"
KEY: Final = "firstkey"
VALUE: Final = "firstvalue"
NUMBER: Final = 7313377
_OTHER: Final = "otherkey"
_BRACKET: Final = re.compile(r"[\[{]")
#: Where a word or a marker begins.
_BOUNDARY: Final = re.compile(r"(?<=[\s>\])}|])(?=[^\s>\])}|])|(?<=\S)(?=[\s<\[{(\"'])")
#: What a marker begins with that is no word of its own and holds brackets.
_PREFIX: Final = re.compile(r"\]<\S{1,40}?\[(?=<)")


@dataclass(frozen=True, slots=True)
class Form:
    """What a dialect writes around the parts of a call with one tool name, arguments and values.

    The text of a call is `head`, the name, `first`, a key, `link`, a value, `close`, and for each further argument
    `next`, a key and so on, and `tail`. `link` and `close` are those of a string; `number_link` and `number_close`
    those of a number. A part may contain the sample's own names (`TOOL`, `KEY`) where a dialect repeats them.

    Where the arguments are in a JSON text, `json_lead` is all before that text, `json_tail` all after it, `steps` lead
    to the arguments in it (`TOOL` for a key that is the tool's name) and `name_key` is the key of the tool's name, None
    where the name is before the JSON text. `json_values` is whether arrays and objects are JSON.
    """

    dialect: str
    head: str
    first: str
    link: str
    close: str
    number_link: str
    number_close: str
    next: str
    tail: str
    json_values: bool
    json_lead: str | None = None
    json_tail: str = ""
    steps: tuple[str | int, ...] = ()
    name_key: str | None = None

    @property
    def is_json(self) -> bool:
        """Whether the arguments are an object in a JSON text."""
        return self.json_lead is not None


def _rendered(name: str, arguments: dict[str, Any]) -> str | None:
    dialect = find_dialect(name)
    if dialect is None:
        return None
    text = dialect.render(TOOL, arguments, None, RenderStyle())
    return None if isinstance(text, Refusal) else text


@cache
def form_of(name: str) -> Form | None:
    """Return the form of a dialect, None where its calls are not made of such parts."""
    one = _rendered(name, {KEY: VALUE})
    two = _rendered(name, {KEY: VALUE, _OTHER: VALUE})
    number = _rendered(name, {KEY: NUMBER})
    listed = _rendered(name, {KEY: [VALUE]})
    if one is None or two is None or number is None or listed is None:
        return None
    at = _places(one, TOOL, KEY, VALUE)
    second = _places(two, TOOL, KEY, VALUE, _OTHER)
    plain = _places(number, TOOL, KEY, str(NUMBER))
    if at is None or second is None or plain is None:
        return None
    tool, key, value = at
    first, rest = one[tool.end : key.start], one[value.end :]
    between = two[second[2].end : second[3].start]
    close = between[: _cut(between, rest, first)]
    tail = rest[len(close) :]
    number_rest = number[plain[2].end :]
    form = Form(
        dialect=name,
        head=one[: tool.start],
        first=first,
        link=one[key.end : value.start],
        close=close,
        number_link=number[plain[1].end : plain[2].start],
        number_close=number_rest[: len(number_rest) - len(tail)] if number_rest.endswith(tail) else "",
        next=between[len(close) :],
        tail=tail,
        json_values=_is_json_list(listed),
    )
    return _in_json(form, one) or form


def _places(text: str, *words: str) -> list[Span] | None:
    """Return where each word is, one after the other; None where one does not."""
    found: list[Span] = []
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0:
            return None
        at = start + len(word)
        found.append(Span(start, at))
    return found


def _cut(between: str, rest: str, first: str) -> int:
    """Return how much of what is between two arguments belongs to the one before.

    The text that ends an argument is also before the call's end, the text that begins one also after the tool's name. A
    letter that both claim belongs to the end up to the end of its marker.
    """
    after = 0
    while after < min(len(between), len(rest)) and between[after] == rest[after]:
        after += 1
    ahead = 0
    while ahead < min(len(between), len(first)) and between[-1 - ahead] == first[-1 - ahead]:
        ahead += 1
    low = len(between) - ahead
    if after <= low:
        return after
    marker = between.find(">", low, after)
    return marker + 1 if marker >= 0 else low


def _is_json_list(text: str) -> bool:
    start = text.rfind("[", 0, text.index(VALUE))
    try:
        value, _ = json.JSONDecoder().raw_decode(text, max(start, 0))
    except ValueError:
        return False
    return bool(value == [VALUE])


def _in_json(form: Form, text: str) -> Form | None:
    """Return the form of a dialect whose arguments are in a JSON text."""
    decoder = json.JSONDecoder()
    key = text.index(KEY)
    for match in _BRACKET.finditer(text, 0, key):
        try:
            value, end = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if end <= key:
            continue
        steps = _steps(value, {KEY: VALUE})
        if steps is None:
            return None
        owner = value
        for step in steps[:-1]:
            owner = owner[step]
        name_key = next((k for k, v in owner.items() if v == TOOL), None) if steps and isinstance(owner, dict) else None
        return Form(
            form.dialect, form.head, form.first, form.link, form.close, form.number_link, form.number_close, form.next,
            form.tail, form.json_values, text[: match.start()], text[end:], steps, name_key,
        )  # fmt: skip
    return None


def _steps(value: Any, wanted: dict[str, str]) -> tuple[str | int, ...] | None:
    if value == wanted or value == json.dumps(wanted):
        return ()
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, entry in entries:
        found = _steps(entry, wanted)
        if found is not None:
            return (step, *found)
    return None


@lru_cache(maxsize=1024)
def starts(literal: str) -> Sequence[str]:
    """Return a literal and what remains of it from each place on at which one of its words or markers begins."""
    cuts = {0, *(match.start() for match in _BOUNDARY.finditer(literal)), *_line_starts(literal)}
    for prefix in _PREFIX.finditer(literal):
        cuts.difference_update(range(prefix.start() + 1, prefix.end() + 1))
    return tuple(literal[cut:] for cut in sorted(cuts) if literal[cut:])


def _line_starts(literal: str) -> list[int]:
    return [match.end() for match in re.finditer(r"\s+", literal)]


def whole_call(dialect_name: str, tool: ToolSchema, arguments: dict[str, Any], *, fenced: bool = True) -> str | None:
    """Return a call as its dialect writes it, None where it cannot."""
    dialect = find_dialect(dialect_name)
    if dialect is None:
        return None
    text = dialect.render(tool.name, arguments, tool, RenderStyle(fenced=fenced))
    return None if isinstance(text, Refusal) else text


def after_name(form: Form, tool: ToolSchema, arguments: dict[str, Any]) -> str | None:
    """Return what a dialect writes after the tool's name of a call."""
    text = whole_call(form.dialect, tool, arguments)
    lead = form.head + tool.name
    return text[len(lead) :] if text is not None and text.startswith(lead) else None


def argument_text(form: Form, tool: ToolSchema, name: str, value: Any) -> str | None:
    """Return one argument from its key to the end of what closes it, as its dialect writes it."""
    text = whole_call(form.dialect, tool, {name: value})
    lead = form.head + tool.name + form.first
    tail = form.tail.replace(TOOL, tool.name)
    if text is None or not text.startswith(lead) or not text.endswith(tail):
        return None
    return text[len(lead) : len(text) - len(tail)]


def value_text(form: Form, tool: ToolSchema, name: str, value: Any) -> str | None:
    """Return a value as its dialect writes it among the arguments, with the quotes that belong to it."""
    text = argument_text(form, tool, name, value)
    if text is None or not text.startswith(name):
        return None
    rest = text[len(name) :]
    plain = isinstance(value, str) and not any(quotes_of(form))
    link, close = (form.link, form.close) if plain else (form.number_link, form.number_close)
    if not rest.startswith(link):
        link = link_of(form, rest)
    close = close.replace(KEY, name)
    return rest[len(link) : len(rest) - len(close)] if link and rest.endswith(close) else None


def link_of(form: Form, rest: str) -> str:
    """Return the text between an argument's name and its value, empty where it is not known."""
    for link in (form.link, form.number_link):
        if rest.startswith(link):
            return link
    # What is before a value may depend on its type.
    shared = _common_end(form.link, form.number_link)
    return rest[: rest.find(shared) + len(shared)] if shared in rest else ""


def _common_end(one: str, other: str) -> str:
    size = 0
    while size < min(len(one), len(other)) and one[-1 - size] == other[-1 - size]:
        size += 1
    return one[len(one) - size :]


@cache
def quotes_of(form: Form) -> tuple[str, str]:
    """Return the marks around a string that a number does not have; both empty where its text is as it is."""
    if form.link.startswith(form.number_link) and form.close.endswith(form.number_close):
        return form.link[len(form.number_link) :], form.close[: len(form.close) - len(form.number_close)]
    return "", ""
