"""The plain forms of conversations that shapes declare, followed message by message.

Owns: `follow`, which splits a conversation, and `ConversationParts`, its result. Must not know: any single shape,
tools, what a text may contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.fastpath.codec import FallbackNeeded
from callwright.fastpath.plain_results import CLEAN, check_result

if TYPE_CHECKING:
    from callwright.transcripts.support.plain_turns import PlainCall, PlainTurns

#: How many messages at the beginning usually show the shape.
_FIRST: Final = 8
#: The members of messages by which shapes are distinguished.
_BITS: Final = {"system": 1, "user": 2, "assistant": 4, "tool": 8}
_IN_TEXT, _IN_BLOCKS, _CALLS, _RESULTS = 16, 32, 64, 128


#: A call as an entry of its own: the number of its message, its tool, its arguments, the entry, and its id. There are
#: very many, and a tuple is the fastest to make.
GivenCall: TypeAlias = tuple[int, str, Any, Any, str]


@dataclass(slots=True)
class ConversationParts:
    """The parts of a conversation. `first` is a system prompt before the messages, `numbers` are the messages in which
    the assistant wrote each text of `said`, `returned` are texts with results of tools.

    `kinds` are the kinds of messages, among the first and in all; `turns` is the number of turns.
    """

    turns: int = 0
    kinds: tuple[int, int] = (0, 0)
    first: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    calls: list[GivenCall] = field(default_factory=list)


def follow(
    messages: list[Any], form: PlainTurns, id_pattern: re.Pattern[str] | None, loads: Callable[[Any], Any]
) -> ConversationParts:
    """Return the parts of a conversation. Raises `FallbackNeeded` and other exceptions where its form is not plain.

    `id_pattern` is the pattern of ids, `loads` reads JSON in results.
    """
    call, result, paired = form.call, form.result, form.paired
    if call is None:
        return _follow_texts(messages, form)
    reported = ConversationParts()
    pairs = _Pairs(form, id_pattern, loads)
    call_of, waiting = _call_reader(call), pairs.waiting
    speakers, speaker, stated, listed, results = form.speakers, form.speaker, form.text, form.calls, form.results
    calls, by_assistant, by_user, numbers = reported.calls, reported.stated, reported.asked, reported.numbers
    members = _members(form)
    turns = len(messages)
    kinds = first = 0
    before = ""
    for number, message in enumerate(messages):
        role = speakers[message[speaker]]
        kind = _BITS[role]
        if role == "tool":
            if result is None or len(message) != 3:
                raise FallbackNeeded
            pairs.take(message[result.id], message[result.content])
            kinds |= kind | _RESULTS
            before = role
            continue
        text = message[stated]
        size = 2
        calling = len(calls)
        if paired and role == "assistant" and (before == "assistant" or not before):
            raise FallbackNeeded
        if listed and listed in message:
            size = 3
            entries = message[listed]
            if entries is not None or paired:
                if type(entries) is not list or role != "assistant" or (paired and not entries):
                    raise FallbackNeeded
                for entry in entries:
                    calls.append(call_of(number, entry))
                kind |= _CALLS
        if type(text) is str:
            if waiting:
                raise FallbackNeeded
            if role == "assistant":
                by_assistant.append(text)
                numbers.append(number)
            elif role == "user":
                by_user.append(text)
            elif number == 0 or (paired and not before):
                reported.first.append(text)
            elif not paired:
                by_user.append(text)
            else:
                raise FallbackNeeded
            kind |= _IN_TEXT
        elif text is None and kind & _CALLS and paired:
            if waiting:
                raise FallbackNeeded
        elif type(text) is list and form.blocks:
            kind |= _blocks(number, role, text, form, pairs, reported)
        else:
            raise FallbackNeeded
        if results and results[0] in message:
            turns += _observed(message, form, pairs)
        if len(message) != size and not message.keys() <= members:
            raise FallbackNeeded
        if paired and len(calls) > calling:
            pairs.ask(calls[calling:])
        if role != "system":
            before = role
        kinds |= kind
        if number < _FIRST:
            first = kinds
    pairs.check_end()
    reported.turns = turns
    reported.kinds = first, kinds
    return reported


def _follow_texts(messages: list[Any], form: PlainTurns) -> ConversationParts:
    """Return the parts of a conversation whose messages are texts; the first may be a prompt."""
    reported = ConversationParts(len(messages))
    heard = {"system": reported.first, "user": reported.asked, "assistant": reported.stated, "tool": reported.returned}
    speakers, speaker, stated, numbers = form.speakers, form.speaker, form.text, reported.numbers
    members = _members(form)
    for number, message in enumerate(messages):
        role, text = speakers[message[speaker]], message[stated]
        if type(text) is not str or (len(message) != 2 and not message.keys() <= members):
            raise FallbackNeeded
        heard[role].append(text)
        if role == "assistant":
            numbers.append(number)
    prompted = speakers[messages[0][speaker]] == "system"
    if len(reported.first) > prompted and not form.head:
        raise FallbackNeeded
    return reported


def _members(form: PlainTurns) -> frozenset[str]:
    """Return the members that a message may have, where some may be ignored."""
    if not form.passed:
        return frozenset()
    return form.passed | {form.speaker, form.text, form.calls, *form.results[:1]}


@cache
def _call_reader(form: PlainCall) -> Callable[[int, Any], GivenCall]:
    """Return what reads a call from its entry, and raises `FallbackNeeded` or more where that has other members."""
    within, kind, name, arguments, call_id = form.inside, form.kind, form.name, form.arguments, form.id
    size = 3 if within else 3 + bool(kind)
    wanted = str if form.is_text else dict

    def call_of(number: int, entry: Any) -> GivenCall:
        inside = entry
        if within:
            inside = entry[within]
            if len(inside) != 2:
                raise FallbackNeeded
        given, own = inside[arguments], entry[call_id]
        if len(entry) != size or type(own) is not str or type(given) is not wanted:
            raise FallbackNeeded
        if kind and entry["type"] != kind:
            raise FallbackNeeded
        return number, inside[name], given, entry, own

    return call_of


def _blocks(
    number: int, role: str, blocks: list[Any], form: PlainTurns, pairs: _Pairs, reported: ConversationParts
) -> int:
    """Add the blocks of a message; returns their kinds."""
    call, result = form.call, form.result
    assert call is not None, "who has blocks says what is in them"
    assert result is not None, "who has blocks says what is in them"
    call_of, call_kind, waiting = _call_reader(call), call.kind, pairs.waiting
    result_id, returned, result_kind, failed = result
    texts = reported.stated if role == "assistant" else reported.asked
    kinds = 0
    for block in blocks:
        kind = block["type"]
        if kind == "text":
            if waiting or len(block) != 2:
                raise FallbackNeeded
            texts.append(block["text"])
            kinds |= _IN_BLOCKS
        elif kind == call_kind and role == "assistant":
            if waiting:
                raise FallbackNeeded
            reported.calls.append(call_of(number, block))
            kinds |= _CALLS
        elif kind == result_kind and role == "user":
            if len(block) != 3 and (len(block) != 4 or block[failed] is not False):
                raise FallbackNeeded
            pairs.take(block[result_id], block[returned])
            kinds |= _RESULTS
        else:
            raise FallbackNeeded
    return kinds


def _observed(message: Any, form: PlainTurns, pairs: _Pairs) -> bool:
    """Add the results that a message leads to; returns whether there are any."""
    outer, inner = form.results
    observed, result = message[outer], form.result
    if observed is None:
        return False
    found = observed[inner]
    if len(observed) != 1 or type(found) is not list or result is None:
        raise FallbackNeeded
    for each in found:
        if not each.keys() <= {result.id, result.content}:
            raise FallbackNeeded
        pairs.take(each.get(result.id), each[result.content])
    return bool(found)


class _Pairs:
    """The calls that wait for their results, where these have to follow in their order; the next one is the last."""

    def __init__(self, form: PlainTurns, id_pattern: re.Pattern[str] | None, loads: Callable[[Any], Any]) -> None:
        self._paired = form.paired
        self._pattern = id_pattern
        self._loads = loads
        self._ids: list[str] = []
        self.waiting: list[str] = []
        self._asked = 0

    def ask(self, calls: list[GivenCall]) -> None:
        """Add the calls of a message that has ended; no other call waits."""
        self._asked = len(calls)
        ids = [each[4] for each in calls]
        self._ids += ids
        ids.reverse()
        self.waiting += ids

    def take(self, call_id: Any, content: Any) -> None:
        """Match a result, which reports no failure, with the next call."""
        if self._paired and call_id != self.waiting.pop():
            raise FallbackNeeded
        if type(content) is not str or content[:1] not in CLEAN:
            check_result(content, self._loads)

    def check_end(self) -> None:
        """Raise `FallbackNeeded` where only some of the last calls have results, or an id is missing or belongs to two
        calls."""
        ids, pattern = self._ids, self._pattern
        if (self.waiting and len(self.waiting) != self._asked) or "" in ids or len({*ids}) != len(ids):
            raise FallbackNeeded
        if pattern and not all(map(pattern.fullmatch, ids)):
            raise FallbackNeeded
