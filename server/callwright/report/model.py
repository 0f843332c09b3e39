"""What a report shows of a document: its conversations, turns, calls, results, outcomes and diagnostics, as plain
values.

Owns: `FileView` and what it is made of, how much of a document is shown. Must not know: HTML, editors, commands.

A transcript is shown turn by turn, with what a strict runtime would have made of each of the assistant's replies. Any
other document is shown as one turn without a speaker, with its calls. All spans are offsets of the document.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.conversation.conversation import Answer, Conversation, PlacedTurn
    from callwright.document.blocks import PlacedCall, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.runtime.replaying import Step
    from callwright.text.document import TextDocument

#: How many turns of a document are shown, and how much of one text, in characters.
MAX_TURNS: Final = 2_000
MAX_LENGTH: Final = 20_000


@dataclass(frozen=True, slots=True)
class DiagnosticView:
    """One diagnostic, as the linter has it."""

    code: str
    name: str
    severity: str
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class CallView:
    """A call: its tool, its arguments as JSON where they are known, and what is wrong in it.

    `written` is the call as it is in the text, None for one in a provider's own fields. `answered` is the number of the
    turn that brings its result, None where none does. `example` says that it is in a document that is not a transcript,
    or that another speaker than the assistant wrote it.
    """

    tool: str | None
    dialect: str
    span: Span
    arguments: str | None
    written: str | None
    id: str | None = None
    answered: int | None = None
    example: bool = False
    diagnostics: tuple[DiagnosticView, ...] = ()

    @property
    def is_faulty(self) -> bool:
        """Whether a diagnostic of severity error is in it."""
        return any(each.severity == "error" for each in self.diagnostics)


@dataclass(frozen=True, slots=True)
class ResultView:
    """What came back: of which tool, whether it says that the tool failed, and the number of the turn that called."""

    tool: str | None
    id: str | None
    failed: bool
    text: str
    span: Span
    asked: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """What a strict runtime makes of a reply: `calls`, `rejected` or `talk`, and the strikes after it.

    `type` and `message` say why it is rejected, `feedback` is what the model is sent. `stops` is true if the runtime
    would have stopped here. `logged` is what the runtime recorded about the reply when it was made, where a session
    holds it.
    """

    kind: str
    strikes: int
    maximum: int
    type: str | None = None
    message: str | None = None
    feedback: str | None = None
    stops: bool = False
    logged: LoggedView | None = None


@dataclass(frozen=True, slots=True)
class LoggedView:
    """A validation error as a session has logged it."""

    type: str
    message: str
    codes: tuple[str, ...]
    feedback: str | None


@dataclass(frozen=True, slots=True)
class TurnView:
    """One message: who speaks, and what is in it in the order of the text.

    `parts` are texts and calls; `number` counts the turns of the conversation from 1, `reply` the assistant's alone.
    `reported_diagnostics` are those that are in none of its calls.
    """

    number: int
    role: str | None
    span: Span
    parts: tuple[str | CallView, ...]
    results: tuple[ResultView, ...] = ()
    diagnostics: tuple[DiagnosticView, ...] = ()
    outcome: OutcomeView | None = None
    reply: int | None = None

    @property
    def calls(self) -> list[CallView]:
        """The calls in it."""
        return [part for part in self.parts if isinstance(part, CallView)]

    @property
    def all_diagnostics(self) -> list[DiagnosticView]:
        """The diagnostics in it and in its calls."""
        return [
            *self.diagnostics,
            *(diagnostic for call in self.calls for diagnostic in call.diagnostics),
        ]

    @property
    def is_faulty(self) -> bool:
        """Whether it was rejected, or a diagnostic of severity error is in it."""
        rejected = self.outcome is not None and self.outcome.kind == "rejected"
        return rejected or any(each.severity == "error" for each in self.all_diagnostics)


@dataclass(frozen=True, slots=True)
class ConversationView:
    """Turns that follow each other. `shape` is None for a document that is not a transcript."""

    shape: str | None
    turns: tuple[TurnView, ...]
    #: How many turns there are, of which the first ones are shown.
    total: int


@dataclass(frozen=True)
class FileView:
    """One document. `rest` are the diagnostics that are in no turn that is shown; `counts` are of the whole
    document."""

    path: str
    document: TextDocument = field(repr=False)
    conversations: tuple[ConversationView, ...]
    rest: tuple[DiagnosticView, ...]
    counts: Counts
    session: str | None = None

    @property
    def is_transcript(self) -> bool:
        """Whether someone speaks in it."""
        return any(each.shape is not None for each in self.conversations)


@dataclass
class Counts:
    """How many there are: calls by tool, sound and faulty; diagnostics by rule; and how diagnostics lie along
    transcripts.

    `along` holds for the n-th turn of any conversation how many errors are in such turns.
    """

    sound: Counter[str] = field(default_factory=Counter)
    faulty: Counter[str] = field(default_factory=Counter)
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    along: Counter[int] = field(default_factory=Counter)
    files: int = 0
    conversations: int = 0
    turns: int = 0

    def add(self, other: Counts) -> None:
        """Take in the counts of another document."""
        for name in self.__dataclass_fields__:
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(getattr(other, name))
            else:
                setattr(self, name, mine + getattr(other, name))

    @property
    def calls(self) -> int:
        """How many calls there are."""
        return self.sound.total() + self.faulty.total()


def view_of(snapshot: Snapshot, path: str) -> FileView:
    """Return what a report shows of a document; `path` is how it is called there."""
    from callwright.conversation.conversation import conversations
    from callwright.lint.linter import diagnostics

    found = [_diagnostic(each) for each in diagnostics(snapshot)]
    spread = _Spread(found)
    counts = Counts(files=1)
    counts.rules.update((each.code, each.name) for each in found)
    counts.severities.update(each.severity for each in found)
    shown: list[ConversationView] = []
    room = MAX_TURNS
    if any(block.transcripts for block in snapshot.blocks):
        outcomes = _outcomes(snapshot)
        for index, conversation in enumerate(conversations(snapshot)):
            steps = outcomes[index] if index < len(outcomes) else {}
            view = _conversation(conversation, steps, spread, counts, room)
            room -= len(view.turns)
            if view.turns:
                shown.append(view)
    elif snapshot.host.holds == "calls":
        view = _flat(snapshot, spread, counts)
        if view.turns:
            shown.append(view)
    session = _session_name(snapshot) if snapshot.is_session else None
    return FileView(path, snapshot.document, tuple(shown), tuple(spread.left()), counts, session)


def _diagnostic(diagnostic: Diagnostic) -> DiagnosticView:
    return DiagnosticView(
        diagnostic.code, diagnostic.name, diagnostic.severity.value, diagnostic.message, diagnostic.span
    )


class _Spread:
    """Diagnostics in the order of their places, each passed out once."""

    def __init__(self, found: Sequence[DiagnosticView]) -> None:
        self._found = sorted(found, key=lambda each: each.span.start)
        self._starts = [each.span.start for each in self._found]
        self._taken = bytearray(len(self._found))

    def take(self, span: Span) -> list[DiagnosticView]:
        """Return the diagnostics that begin in a span (or at its end, where it is empty) and were not taken before."""
        first = bisect_left(self._starts, span.start)
        last = bisect_left(self._starts, max(span.end, span.start + 1))
        taken = []
        for index in range(first, last):
            if not self._taken[index]:
                self._taken[index] = 1
                taken.append(self._found[index])
        return taken

    def left(self) -> Iterator[DiagnosticView]:
        """Yield the diagnostics that were not taken."""
        return (each for index, each in enumerate(self._found) if not self._taken[index])


def _outcomes(snapshot: Snapshot) -> list[dict[int, tuple[Step, int]]]:
    """Return for each conversation what comes of its replies, by the number of its turn, and the most strikes."""
    from callwright.runtime.replaying import replays

    return [{step.reply.turn: (step, walk.strikes.maximum) for step in walk.steps()} for walk in replays(snapshot)]


def _conversation(
    conversation: Conversation,
    steps: dict[int, tuple[Step, int]],
    spread: _Spread,
    counts: Counts,
    room: int,
) -> ConversationView:
    counts.conversations += 1
    ledger = conversation.ledger
    answered: dict[int, int] = {}
    for answer in ledger.answers:
        if answer.asked is not None:
            answered.setdefault(id(answer.asked.call), answer.index + 1)
    answers: dict[int, list[Answer]] = {}
    for answer in ledger.answers:
        answers.setdefault(answer.index, []).append(answer)
    logged = _logged(conversation)
    turns: list[TurnView] = []
    reply = 0
    for index, placed in enumerate(conversation.turns):
        step = steps.get(index + 1)
        reply += step is not None
        view = _turn(conversation, placed, index, step, answered, answers.get(index, ()), spread, logged.get(reply))
        counts.turns += 1
        _count(counts, view, index + 1)
        if index < room:
            turns.append(view)
    return ConversationView(conversation.shape, tuple(turns), len(conversation.turns))


def _count(counts: Counts, turn: TurnView, number: int) -> None:
    for call in turn.calls:
        which = counts.faulty if call.is_faulty else counts.sound
        which[call.tool or "(no name)"] += 1
        counts.dialects[call.dialect] += 1
    errors = sum(each.severity == "error" for each in turn.all_diagnostics)
    if errors:
        counts.along[number] += errors
    if turn.outcome is not None:
        counts.outcomes[turn.outcome.kind] += 1


def _turn(
    conversation: Conversation,
    placed: PlacedTurn,
    index: int,
    step: tuple[Step, int] | None,
    answered: dict[int, int],
    answers: Sequence[Answer],
    spread: _Spread,
    logged: LoggedView | None,
) -> TurnView:
    start = conversation.start
    span = placed.span(placed.turn.place).shift(start)
    in_text: dict[int, list[PlacedCall]] = {}
    native: list[CallView] = []
    example = placed.turn.role != "assistant"
    for call in placed.calls:
        if call.call.dialect == NATIVE:
            native.append(_call(call, start, spread, answered, example=example))
        else:
            in_text.setdefault(id(call.read), []).append(call)
    parts: list[str | CallView] = []
    reads = list(in_text.values())
    for text in placed.turn.texts:
        read = next((calls for calls in reads if calls[0].read.passage.text == text.value), None)
        if read is None:
            parts += [_cut(text.value)] if text.value.strip() else []
            continue
        reads.remove(read)
        parts += _pieces(read[0].read, read, start, spread, answered, example=example)
    for calls in reads:
        parts += _pieces(calls[0].read, calls, start, spread, answered, example=example)
    if not parts and not native and not answers:
        parts += _plain_text(placed)
    results = tuple(
        ResultView(
            answer.tool,
            answer.id,
            answer.failed,
            _text_of(answer.result.value),
            placed.span(answer.result.place).shift(start),
            answer.asked.index + 1 if answer.asked is not None else None,
        )
        for answer in answers
    )
    return TurnView(
        index + 1,
        placed.turn.role,
        span,
        (*parts, *native),
        results,
        tuple(spread.take(span)),
        _outcome(step, logged) if step is not None else None,
        step[0].reply.number if step is not None else None,
    )


def _plain_text(placed: PlacedTurn) -> list[str]:
    """Return the text of a turn in which no calls are searched for, as a tool's list in a session's first message."""
    content = placed.turn.content
    return [_cut(content)] if content.strip() else []


def _pieces(
    read: ReadPassage,
    calls: Sequence[PlacedCall],
    start: int,
    spread: _Spread,
    answered: dict[int, int],
    *,
    example: bool,
) -> Iterator[str | CallView]:
    """Yield the text of a passage and the calls in it, in their order."""
    text = read.passage.text
    at = 0
    for call in calls:
        own = call.call.span
        if text[at : own.start].strip():
            yield _cut(text[at : own.start])
        yield _call(call, start, spread, answered, example=example)
        at = max(at, own.end)
    if text[at:].strip():
        yield _cut(text[at:])


def _call(placed: PlacedCall, start: int, spread: _Spread, answered: dict[int, int], *, example: bool) -> CallView:
    call, span = placed.call, placed.span.shift(start)
    arguments = placed.binding.value
    is_native = call.dialect == NATIVE
    return CallView(
        call.tool,
        call.dialect,
        span,
        _json(arguments) if isinstance(arguments, dict) else None,
        None if is_native else _cut(call.span.of(placed.read.passage.text)),
        call.call_id,
        answered.get(id(placed)),
        example,
        tuple(spread.take(span)),
    )


def _flat(snapshot: Snapshot, spread: _Spread, counts: Counts) -> ConversationView:
    """Return a document that is not a transcript: one turn without a speaker, with its calls."""
    calls = tuple(_call(placed, 0, spread, {}, example=True) for placed in snapshot.placed_calls())
    if not calls:
        return ConversationView(None, (), 0)
    whole = Span(0, len(snapshot.document))
    view = TurnView(1, None, whole, calls, (), tuple(spread.take(whole)))
    _count(counts, view, 1)
    return ConversationView(None, (view,), 1)


def _outcome(step: tuple[Step, int], logged: LoggedView | None) -> OutcomeView:
    own, maximum = step
    error = own.error.cause or own.error if own.error is not None else None
    return OutcomeView(
        own.outcome,
        own.count,
        maximum,
        own.error.type.value if own.error is not None else None,
        error.message if error is not None else None,
        own.feedback,
        own.stops,
        logged,
    )


def _logged(conversation: Conversation) -> dict[int, LoggedView]:
    """Return the errors that a session of the runtime has logged, by the number of the reply."""
    from callwright.transcripts.support.session_head import NAME

    if conversation.shape != NAME:
        return {}
    from callwright.runtime.session import Session, SessionError

    try:
        session = Session.from_dict(json.loads(conversation.snapshot.document.text()))
    except (ValueError, RecursionError, SessionError):
        return {}
    found: dict[int, LoggedView] = {}
    for each in session.errors:
        turn, codes = each.get("turn"), each.get("codes")
        if type(turn) is int:
            found[turn] = LoggedView(
                str(each.get("type", "")),
                str(each.get("message", "")),
                tuple(map(str, codes)) if isinstance(codes, list) else (),
                each["feedback"] if isinstance(each.get("feedback"), str) else None,
            )
    return found


def _session_name(snapshot: Snapshot) -> str:
    """Return what a session calls itself."""
    try:
        name = json.loads(snapshot.document.text()).get("id")
    except (ValueError, RecursionError, AttributeError):
        name = None
    return name if isinstance(name, str) else ""


def _json(value: Any) -> str | None:
    try:
        return _cut(json.dumps(value, ensure_ascii=False, indent=2, default=str))
    except (ValueError, RecursionError):
        return None


def _text_of(value: Any) -> str:
    return _cut(value) if isinstance(value, str) else _json(value) or ""


def _cut(text: str) -> str:
    """Return a text as far as it is shown."""
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}\n… ({len(text) - MAX_LENGTH:,} more characters)"
