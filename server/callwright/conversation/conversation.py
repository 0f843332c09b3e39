"""Conversations: the turns of a document in their order, each with its calls, wherever its blocks begin and end.

Owns: `Conversation`, `PlacedTurn`, which turns belong together, and which result answers which call (`CallLedger`).
Must not know: rules, shapes; of a provider's demands it knows which profile applies.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.document.blocks import FAULTS, Block, PlacedCall, ReadPassage, shifted
from callwright.text.budget import yield_point
from callwright.text.facts import Fact, Facts, derived
from callwright.text.projection import Projection, encode_all
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest
from callwright.transcripts.support.profiles import TRAINING, Profile, find_profile

if TYPE_CHECKING:
    from callwright.calls.turns import Located, NativeCall, Turn, TurnResult
    from callwright.document.reader import FoundCall
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import TranscriptPart
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem


@dataclass(slots=True, eq=False)
class PlacedTurn:
    """A turn with its calls, native and in text, in the order of the document; spans are those of the conversation."""

    turn: Turn
    part: TranscriptPart
    start: int
    block: Block
    calls: list[PlacedCall] = field(default_factory=list)

    @property
    def projection(self) -> Projection:
        """The map from places in the turn to the conversation's text."""
        projection: Projection = shifted(self.part.projection, self.start)
        return projection

    def span(self, place: Located) -> Span:
        """Return the span of a place in this turn."""
        return self.part.projection.raw_span(place.span).shift(self.start)

    def encode(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return edits in offsets of the turn's own text as edits of the conversation's, None where they cannot be."""
        return encode_all(self.projection, edits)

    @property
    def faults(self) -> Sequence[Any]:
        """The diagnostics in this turn, in offsets of its block; the linter has made them before."""
        return (FAULTS.get(self.block) or {}).get(id(self.turn), ())


@dataclass(slots=True, eq=False)
class Conversation:
    """Turns that follow each other. `provider` names the provider's profile, `shape` how the conversation is written.

    Where the whole conversation is in one `block`, spans are offsets of that block, which begins at `start`; else
    `block` is None and they are offsets of the document.
    """

    turns: list[PlacedTurn]
    shape: str
    provider: str
    snapshot: Snapshot
    block: Block | None
    start: int
    facts: Facts = field(default_factory=dict)

    @property
    def ledger(self) -> CallLedger:
        """The calls and the results, paired; computed once."""
        return _ledger_of(self)

    @property
    def profile(self) -> Profile:
        """The profile of this conversation: that of the provider that the settings name, else that of its shape."""
        return _profile_of(self)

    def same_as(self, other: Conversation) -> bool:
        """Return whether both are the same turns in the same places, with the same settings and tools."""
        return (
            self.snapshot.settings is other.snapshot.settings
            and self.provider == other.provider
            and len(self.turns) == len(other.turns)
            and all(
                one.turn is two.turn and one.block is two.block and one.start == two.start
                for one, two in zip(self.turns, other.turns, strict=True)
            )
        )


#: How OpenAI's APIs begin the id of a call.
_OPENAI_ID: Final = "call_"
#: What is demanded of messages for chat templates and trainers that have ids.
_ARGUMENTS_IN_EITHER_FORM: Final = replace(find_profile("openai"), arguments=None)
#: The conversations of a block that no other block continues.
_WHOLE: Final[Fact[list[Conversation]]] = Fact()


@derived
def _ledger_of(conversation: Conversation) -> CallLedger:
    return paired(conversation.turns)


@derived
def _profile_of(conversation: Conversation) -> Profile:
    """Return the profile of a conversation.

    Messages of OpenAI's shape whose calls and results have no ids at all are not meant for that interface: they are
    data for chat templates and trainers. So are those whose calls have objects for arguments and ids of another form.
    """
    profile = find_profile(conversation.provider)
    if profile.name == "openai" and conversation.snapshot.settings.provider is None:
        if conversation.ledger.is_training_data:
            return TRAINING
        return _ARGUMENTS_IN_EITHER_FORM if conversation.ledger.has_objects else profile
    return profile


#: Why a model stopped without being done, in the providers' words.
CUT_OFF: Final = frozenset(
    {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "incomplete", "model_length"}
    | {"model_context_window_exceeded", "token_limit", "max_length"}
)


def was_cut_off(turn: Turn) -> bool:
    """Return whether the transcript states that a turn ended because the token limit was reached."""
    return turn.finish in CUT_OFF


def is_cut_off(read: ReadPassage, found: FoundCall, binding: Binding) -> bool:
    """Return whether a call is the last one in a turn that was cut off, and is incomplete.

    Where a dialect has no closers, a call that ends with the text and does not fit its tool is incomplete.
    """
    turn, call = read.passage.turn, found.call
    if turn is None or not was_cut_off(turn) or found is not read.calls[-1]:
        return False
    native: NativeCall | None = call.details.get("native") if call.dialect == NATIVE else None
    if native is None:
        if turn.calls:
            return False
        if not call.complete or any(is_by_truncation(problem) for problem in call.problems):
            return True
        text = read.passage.text
        return call.span.end >= len(text.rstrip()) and not (binding.fits and isinstance(binding.value, dict))
    if native is not turn.calls[-1]:
        return False
    if not call.complete or native.arguments is None:
        return True
    if isinstance(native.arguments.value, str):
        return not native.unparsed and not native.arguments.value.strip()
    return any(error.keyword == "required" for error in binding.errors)


def is_by_truncation(problem: Problem) -> bool:
    """Return whether a problem is only that the text ends too soon."""
    return bool(problem.data.get("truncated") or problem.data.get("by_truncation")) or problem.kind == "unclosed-fence"


@dataclass(slots=True, eq=False)
class Asked:
    """A call that waits for a result: `native` is None where it is written in text.

    `index` is the number of its turn, `number` its own among all calls. `answers` are its results.
    """

    turn: PlacedTurn
    index: int
    number: int
    call: PlacedCall
    native: NativeCall | None
    id: str | None
    answers: list[Answer] = field(default_factory=list)

    @property
    def tool(self) -> str | None:
        """The name of the tool that is called."""
        return self.call.call.tool

    @property
    def span(self) -> Span:
        """Where the tool is named, or the call begins."""
        own = self.call.call
        return self.call.raw_span(own.tool_span if own.tool_span.start < own.tool_span.end else own.span)

    @property
    def id_span(self) -> Span:
        """Where the call's id is, or another part of the call."""
        if self.native is not None and self.native.call_id is not None:
            return self.turn.span(self.native.call_id)
        return self.span

    @property
    def demanded(self) -> bool:
        """Whether the provider's demands on calls apply: the call is not text, and not carried out by the provider."""
        return self.native is not None and not self.native.hosted

    @property
    def legacy(self) -> bool:
        """Whether this is a call in OpenAI's first form, which has no id."""
        return self.native is not None and self.native.place.step == "function_call"

    @property
    def cut_off(self) -> bool:
        """Whether the call is the last thing in a turn that was cut off, and is incomplete."""
        return was_cut_off(self.turn.turn) and is_cut_off(self.call.read, self.call.found, self.call.binding)


@dataclass(slots=True, eq=False)
class Answer:
    """A result with the call that it answers, None where there is none. `index` is the number of its turn."""

    turn: PlacedTurn
    index: int
    result: TurnResult
    id: str | None
    asked: Asked | None = None
    _failed: bool | None = None

    @property
    def failed(self) -> bool:
        """Whether the result states that the tool failed; computed once."""
        if self._failed is None:
            yield_point()
            from callwright.conversation.results import states_failure

            self._failed = states_failure(self.result)
        return self._failed

    @property
    def tool(self) -> str | None:
        """The tool that the result is of: that of its call, else the one that it names."""
        return self.asked.tool if self.asked is not None and self.asked.tool is not None else self.result.tool

    @property
    def span(self) -> Span:
        """Where the result names the call that it answers, or where it begins."""
        for place in (self.result.call_id, self.result.tool_place):
            if place is not None:
                return self.turn.span(place)
        if self.turn.turn.role_place is not None and len(self.turn.turn.results) == 1:
            return self.turn.span(self.turn.turn.role_place)
        whole = self.turn.span(self.result.place)
        return Span(whole.start, min(whole.start + 1, whole.end))


@dataclass(slots=True, eq=False)
class CallLedger:
    """The calls and the results of a conversation in order, paired.

    `batches` numbers the turns: consecutive assistant turns have the same number. `spoken` counts, for each turn and
    for the end, how many of the turns before it bring no results; `ends` is for each batch the number of its last turn.
    `continued` is the first turn that follows turns outside the text, None where there is none.
    """

    asked: list[Asked]
    answers: list[Answer]
    batches: list[int]
    turn_texts: list[int]
    ends: list[int]
    continued: int | None = None
    _meant: dict[int, tuple[list[Asked], Asked | None]] | None = None
    _corrections: set[int] = field(default_factory=set)

    def may_answer_others(self, answer: Answer) -> bool:
        """Return whether a result may answer a call that is before the text, or no call at all."""
        if answer.result.tentative or answer.result.hosted:
            return True
        return self.continued is not None and self.continued <= answer.index

    def meant_by(self, answer: Answer) -> tuple[list[Asked], Asked | None]:
        """Return the open calls that a result without a call may be meant for, and the one whose id it misspells, None
        where there is none."""
        return self._orphans().get(id(answer), ([], None))

    def is_meant(self, asked: Asked) -> bool:
        """Return whether a result names the call with a misspelt id."""
        self._orphans()
        return id(asked) in self._corrections

    def _orphans(self) -> Mapping[int, tuple[list[Asked], Asked | None]]:
        if self._meant is None:
            self._meant = {}
            waiting: dict[int, list[Asked]] = {}
            for asked in self.asked:
                if not asked.answers:
                    waiting.setdefault(asked.index, []).append(asked)
            for answer in self.answers:
                if answer.asked is None:
                    calls = _open_before(answer, waiting)
                    syntax_error = _misspelling_of(answer.id, calls)
                    self._meant[id(answer)] = (calls, syntax_error)
                    self._corrections.add(id(syntax_error))
        return self._meant

    @property
    def is_training_data(self) -> bool:
        """Whether there are calls in a provider's fields and neither they nor any result has an id."""
        native = [asked for asked in self.asked if asked.native is not None]
        return (
            bool(native)
            and not any(asked.id is not None or asked.legacy for asked in native)
            and not any(answer.id is not None for answer in self.answers)
        )

    @property
    def has_objects(self) -> bool:
        """Whether all calls in a provider's fields have objects for arguments, and none the form that OpenAI requires
        of the rest of a call."""
        return all(
            asked.native is None or (_has_object(asked.native) and not _is_for_openai(asked.native, asked.id or ""))
            for asked in self.asked
        )

    def continues_after(self, asked: Asked, *, merges: bool) -> bool:
        """Return whether a turn that brings more than results follows the turn that calls."""
        end = self.ends[self.batches[asked.index]] if merges else asked.index
        return self.turn_texts[-1] > self.turn_texts[end + 1]

    def is_adjacent(self, answer: Answer, asked: Asked, *, merges: bool) -> bool:
        """Return whether only results are between a call's turn and its result's."""
        end = self.ends[self.batches[asked.index]] if merges else asked.index
        return answer.index <= end or self.turn_texts[answer.index] == self.turn_texts[end + 1]


#: How many turns back the call of a result is searched for.
_BACK: Final = 50
#: Among more open calls than this, no id is compared with a misspelt one.
_MAX_COUNT: Final = 64
_DIGITS: Final = re.compile(r"[0-9]++")


def _has_object(native: NativeCall) -> bool:
    return native.arguments is not None and isinstance(native.arguments.value, dict)


def _is_for_openai(native: NativeCall, call_id: str) -> bool:
    """Return whether a call has an id of OpenAI's form and states its type, which OpenAI requires and Ollama omits."""
    return call_id.startswith(_OPENAI_ID) and "type" in native.place.value


def _open_before(answer: Answer, waiting: Mapping[int, list[Asked]]) -> list[Asked]:
    """Return the open calls of the last turn before a result that has any."""
    for index in range(answer.index, max(answer.index - _BACK, -1), -1):
        if index in waiting:
            return waiting[index]
    return []


def _misspelling_of(written: str | None, calls: list[Asked]) -> Asked | None:
    """Return the one call whose id is misspelt; ids that differ in a number are those of other calls."""
    if written is None or len(calls) > _MAX_COUNT:
        return None
    plain = _DIGITS.sub("", written)
    ids = {asked.id: asked for asked in calls if asked.id and _DIGITS.sub("", asked.id) != plain}
    near = nearest(written, list(ids))
    return ids[near] if near is not None else None


def paired(turns: Sequence[PlacedTurn]) -> CallLedger:
    """Return the calls and results of a conversation, each result with the call it answers; in linear time.

    A result that names an id answers the first call of that id that is still open, else the last one of that id; one
    without an id answers the first open call of its tool, or, if it names no tool, the first one of any tool and
    without id.
    """
    ledger = CallLedger([], [], [], [0], [])
    open_calls = _Open()
    before: str | None = None
    for index, placed in enumerate(turns):
        yield_point()
        turn = placed.turn
        if not ledger.ends or turn.role != "assistant" or before != "assistant":
            ledger.ends.append(index)
        ledger.ends[-1] = index
        ledger.batches.append(len(ledger.ends) - 1)
        before = turn.role
        if turn.continues and ledger.continued is None:
            ledger.continued = index
        for asked in _asked_in(placed, index, len(ledger.asked)):
            ledger.asked.append(asked)
            open_calls.add(asked)
        for result in turn.results:
            answer = Answer(placed, index, result, result.id)
            answer.asked = open_calls.answered_by(answer)
            if answer.asked is not None:
                answer.asked.answers.append(answer)
            ledger.answers.append(answer)
        ledger.turn_texts.append(ledger.turn_texts[-1] + (not turn.results))
    return ledger


def _asked_in(placed: PlacedTurn, index: int, number: int) -> Iterator[Asked]:
    """Yield the calls of a turn that are carried out: native ones, and those that an assistant writes in text."""
    for call in placed.calls:
        native: NativeCall | None = call.call.details.get("native") if call.call.dialect == NATIVE else None
        if native is None and (placed.turn.role != "assistant" or call.call.sketch):
            continue
        yield Asked(placed, index, number, call, native, native.id if native is not None else call.call.call_id)
        number += 1


class _Open:
    """The calls that no result has answered yet; every call is added once and removed once."""

    def __init__(self) -> None:
        self._by_id: dict[str, deque[Asked]] = {}
        self._in_order: deque[Asked] = deque()
        self._by_tool: dict[str, deque[Asked]] = {}

    def add(self, asked: Asked) -> None:
        if asked.id is not None:
            self._by_id.setdefault(asked.id, deque()).append(asked)
        if asked.id is None or asked.native is None:
            self._in_order.append(asked)
        if asked.tool is not None:
            self._by_tool.setdefault(asked.tool, deque()).append(asked)

    def answered_by(self, answer: Answer) -> Asked | None:
        if answer.id is not None and answer.id in self._by_id:
            same = self._by_id[answer.id]
            while len(same) > 1 and same[0].answers:
                same.popleft()
            return same[0]
        tool = answer.result.tool
        if answer.id is not None:
            # A result may have an id where calls in text have none.
            return self._first(self._in_order, tool, nameless=True)
        if tool is not None:
            return self._first(self._by_tool.get(tool, deque()), tool)
        return self._first(self._in_order, None)

    @staticmethod
    def _first(calls: deque[Asked], tool: str | None, *, nameless: bool = False) -> Asked | None:
        while calls and calls[0].answers:
            calls.popleft()
        if not calls or (tool is not None and calls[0].tool != tool) or (nameless and calls[0].id is not None):
            return None
        return calls[0]


def _kept(block: Block, start: int, snapshot: Snapshot) -> list[Conversation] | None:
    """Return the conversations of a block that no other block continues, as they were found before."""
    kept = _WHOLE.get(block)
    if not kept or kept[0].snapshot.settings is not snapshot.settings:
        return None
    return kept if kept[0].start == start else [replace(each, start=start) for each in kept]


def _forget(block: Block) -> None:
    """Forget the conversations of a block, which refer to it."""
    for conversation in _WHOLE.drop(block) or ():
        ledger = _ledger_of.drop(conversation)
        for asked in ledger.asked if ledger is not None else ():
            asked.answers.clear()


class _Running:
    """The conversations that are still open: the last of each shape and name, and the last of each name.

    A part that may be of several shapes belongs to any open conversation; a conversation that began with such a part
    gets the shape of the first part that has a single one.
    """

    def __init__(self) -> None:
        self._of_shape: dict[Hashable, Conversation] = {}
        self._latest: dict[Hashable, Conversation] = {}
        self._open: set[int] = set()

    def get(self, part: TranscriptPart, turn: Turn, provider: str) -> Conversation | None:
        latest = self._latest.get(turn.conversation)
        if not part.certain:
            return latest
        known = self._of_shape.get((part.shape, turn.conversation))
        if known is None and latest is not None and id(latest) in self._open:
            self._open.discard(id(latest))
            latest.shape, latest.provider = part.shape, provider
            known = self._of_shape[part.shape, turn.conversation] = latest
        if known is not None:
            self._latest[turn.conversation] = known
        return known

    def begin(self, conversation: Conversation, part: TranscriptPart, turn: Turn) -> None:
        self._latest[turn.conversation] = conversation
        if part.certain:
            self._of_shape[part.shape, turn.conversation] = conversation
        else:
            self._open.add(id(conversation))

    def end(self, part: TranscriptPart, turn: Turn) -> None:
        self._latest.pop(turn.conversation, None)
        self._of_shape.pop((part.shape, turn.conversation), None)


def conversations(snapshot: Snapshot) -> list[Conversation]:
    """Return the conversations of a document in the order in which they begin."""
    found: list[Conversation] = []
    log = _Running()
    for start, block in snapshot.blocks.placed():
        yield_point()
        if block.transcripts:
            found += _begun_in(block, start, snapshot, log)
    return found


def whole_conversations(block: Block, start: int, snapshot: Snapshot) -> Sequence[Conversation]:
    """Return the conversations of a block that begins at `start`, where none of them continues in another block."""
    return _begun_in(block, start, snapshot, _Running())


def _begun_in(block: Block, start: int, snapshot: Snapshot, log: _Running) -> Sequence[Conversation]:
    """Return the conversations that begin in a block, and add the turns of those of a log that continue in it."""
    kept = _kept(block, start, snapshot)
    if kept is not None:
        return kept
    found: list[Conversation] = []
    wanted = snapshot.settings.provider
    by_turn: dict[int, list[tuple[int, int]]] = {}
    passages = block.passages
    for number, read in enumerate(passages):
        if read.passage.turn is not None:
            for index in range(len(read.calls)):
                by_turn.setdefault(id(read.passage.turn), []).append((number, index))
    own = log
    for part in block.transcripts:
        provider = part.provider if part.alone else wanted or part.provider
        if not part.joined:
            own = _Running() if part.whole else log
        base = 0 if part.whole else start
        for turn in part.turns:
            yield_point()
            conversation = own.get(part, turn, provider)
            if conversation is None or turn.begins:
                conversation = Conversation(
                    [], part.shape, provider, snapshot, block if part.whole else None, start if part.whole else 0
                )
                found.append(conversation)
                own.begin(conversation, part, turn)
            places = by_turn.get(id(turn), [])
            calls = [
                PlacedCall(passages[number].calls[index], passages[number], base, snapshot) for number, index in places
            ]
            # The calls of one passage are in order.
            if places and places[0][0] != places[-1][0]:
                calls.sort(key=lambda placed: placed.span)
            conversation.turns.append(PlacedTurn(turn, part, base, block, calls))
            if turn.ends:
                own.end(part, turn)
    if all(part.whole for part in block.transcripts):
        if not _WHOLE.known(block):
            block.on_release += (partial(_forget, block),)
        _WHOLE.keep(block, found)
    return found
