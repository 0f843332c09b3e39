"""The quick check: whether a line of a transcript is known to have no diagnostic.

Owns: `LineCheck`, which follows the plain forms that shapes of transcripts declare, and its results for a line: `Plain`
or `SuspectParts`. Must not know: any single shape or dialect, rules, documents, files.

Most lines of large transcripts are clean and plainly written. To see that, no offsets and no tree are needed: the
values are enough. What is not in a plain form, or might have a problem, is left to the full reading.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.calls.model import NATIVE
from callwright.declarations.reading import declares_in_value, may_declare_in_data
from callwright.document.log_tools import registry_of
from callwright.fastpath.codec import FallbackNeeded, LineRead, LineReader, fast_json
from callwright.fastpath.fast_paths import IN_TEXTS, may_answer
from callwright.fastpath.known_tools import KnownTools, SuspectCallError, is_alike
from callwright.fastpath.plain_calls import BORDER, read_calls
from callwright.fastpath.plain_results import check_results_in_text, without_labels
from callwright.fastpath.quick_sessions import SessionTools, read_replies
from callwright.fastpath.turns import ConversationParts, GivenCall, follow
from callwright.hosts.support.transcript_search import (
    FoundTranscript,
    Searched,
    find,
    may_hold_far,
    may_hold_transcript,
)
from callwright.syntax.json import clean_read, read_json
from callwright.syntax.json_fast import is_too_deep
from callwright.syntax.json_rows import is_row
from callwright.syntax.json_views import JsonView
from callwright.text.budget import yield_point
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.transcripts.catalogue import detect, plain_shapes
from callwright.transcripts.support.plain_turns import SCALARS
from callwright.transcripts.support.profiles import find_profile

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.fastpath.plain_calls import WrittenCall
    from callwright.tools.registry import ToolRegistry
    from callwright.transcripts.base import Shape
    from callwright.transcripts.support.plain_turns import PlainTurns

#: How many registries and forms are remembered.
_KEPT_REGISTRIES: Final = 256
_KEPT_FORMS: Final = 1_024
#: What data sets note about their rows, under names that no shape uses.
_LABELS: Final = frozenset(
    {"category", "dataset", "difficulty", "domain", "hash", "idx", "index", "key", "label", "lang", "language"}
    | {"license", "num_turns", "number", "origin", "quality", "rating", "reward", "row_id", "score", "split"}
    | {"subcategory", "subset", "tags", "title", "topic", "uid"}
)
_OPENERS: Final = frozenset({"{", "["})
#: The exceptions raised for values that are not in the plain form.
_NOT_PLAIN: Final = (FallbackNeeded, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class PlainCall(NamedTuple):
    """A call: its tool, its dialect, and its length in characters.

    For a call that is an object, the entry is given instead: it is as long as it is written. `is_attempt` is False
    where another call decides whether this one's reply has failed.
    """

    tool: str
    dialect: str
    length: int
    entry: Any = None
    is_attempt: bool = True


#: A call that is written in text, by the fields of `PlainCall`.
FittingCall: TypeAlias = tuple[str, str, int] | tuple[str, str, int, None, bool]


class Plain(NamedTuple):
    """A line without a diagnostic: the shape of its conversation, and its number of turns.

    `shape` is None where there is no conversation. Calls are `given` as entries, or `written` in text.
    """

    shape: str | None = None
    turns: int = 0
    given: Sequence[GivenCall] = ()
    written: Sequence[FittingCall] = ()

    @property
    def calls(self) -> list[PlainCall]:
        """The calls in their order, which only callers need that count them."""
        return [*starmap(PlainCall, self.written), *map(_native, self.given)]


def _native(call: GivenCall) -> PlainCall:
    _, tool, given, entry, _ = call
    # A text is read as two lines.
    is_text = type(given) is str
    return PlainCall(tool, NATIVE, len(tool) + 1 + len(given)) if is_text else PlainCall(tool, NATIVE, 0, entry)


_NOTHING: Final = Plain()
_UNKNOWN: Final = object()


@dataclass(frozen=True, slots=True)
class SuspectParts:
    """All diagnostics of a transcript of `shape` are in some of its messages, the `parts`.

    The messages have these `numbers` in the list under the member `key`. The diagnostics are about the native calls of
    one turn only where it is `native`, else about texts of the assistant. Calls are checked against `tools`.
    """

    parts: tuple[Any, ...]
    numbers: tuple[int, ...]
    key: str
    shape: str
    tools: KnownTools
    native: bool = True


class LineCheck:
    """Checks lines, one by one, whether a full reading would find anything; if uncertain, it would.

    A line is a document of its own, unless `within` is given: then it is a part of another one. Invariant: for a line
    that is plain, the linter reports nothing with these tools and settings, and it is not an entry of a log.
    """

    def __init__(self, registry: ToolRegistry, settings: Settings, *, within: bool = False) -> None:
        registry = registry.in_force
        self._settings = settings
        self._within = within
        self._may_answer = may_answer(settings, IN_TEXTS)
        self._codec = fast_json()
        self._own = KnownTools(registry.with_markup(settings.markup), settings)
        # The settings of a session apply where a document begins with it.
        self._sessions = None if within else SessionTools(registry, settings)
        self._tools: dict[Any, KnownTools] = {}
        # The definitions of the last line, which the next one may share, and their tools.
        self._latest: tuple[Any, KnownTools] = (None, self._own)
        self._forms: dict[Any, str] = {}
        # Where there are no tools, those that a row declares in its texts are its tools.
        self._may_declare = not registry and settings.placeholders
        # Diagnostics about mistakes in a row need at least one mistake.
        self._judges = settings.template is None and settings.max_mistakes > 0 and settings.placeholders
        self._shapes: list[tuple[Shape, PlainTurns]] = [
            (shape, shape.plain) for shape in plain_shapes() if shape.plain is not None and self._may_be(shape)
        ]
        self._lines = LineReader(self._codec, ((form.tools[0], form.messages) for _, form in self._shapes))

    def _may_be(self, shape: Shape) -> bool:
        """Return whether nothing is demanded of conversations of a shape except what its plain form has."""
        form, settings = shape.plain, self._settings
        if form is None or not form.paired:
            # Where texts contain calls and results, nothing may be demanded of them beyond what tools declare.
            texts = form is not None and form.call is None and not form.head
            return settings.provider is None and not (texts and settings.dialect is not None)
        profile = find_profile(settings.provider or shape.provider)
        forbidden = "object" if form.call is not None and form.call.is_text else "string"
        return profile.arguments != forbidden and (not profile.roles or {*form.speakers} <= {*profile.roles})

    def is_clean(self, line: bytes) -> bool:
        """Return whether a line, which is UTF-8, is known to have no diagnostic."""
        return isinstance(self.judge(line), Plain)

    def judge(self, line: bytes) -> Plain | SuspectParts | None:
        """Return `Plain` for a line without a diagnostic, `SuspectParts` where only some of its turns may have one, and
        None where the line has to be read in full."""
        if not self._may_answer:
            return None
        try:
            read = self._lines.read(line)
            value = read.value
        except (FallbackNeeded, ValueError, RecursionError):
            # It may be JSON nevertheless.
            read, value = None, _UNKNOWN
        if self._judges and read is not None and type(value) is dict:
            found = self._judge(line, read)
            if found is not None:
                return found
        text = line.decode()
        if may_hold_transcript(text):
            return _NOTHING if read is not None and self._is_plain_within(text, read) else None
        if not (self._within or value is not _UNKNOWN or is_row(text)):
            return None
        return None if self._may_declare and self._declares(line, value) else _NOTHING

    def _is_plain_within(self, text: str, line: LineRead) -> bool:
        """Return whether an object that is a part of a document has no problems, and every transcript in it, at any
        depth, is plain.

        Invariant: then a full reading of it finds nothing, except for what texts may declare, which is not checked.
        """
        if not (self._within and self._judges and type(line.value) is dict and line.keeps_all(self._codec)):
            return False
        if is_too_deep(text, line.value):
            return False
        read = clean_read(text, line.value)
        whole = Searched(text, Identity(0, len(text)), may_hold_far(text))
        try:
            return all(map(self._is_plain, find(JsonView.of(read), whole)))
        except _NOT_PLAIN:
            return False

    def _is_plain(self, found: FoundTranscript) -> bool:
        """Return whether a transcript in a text is plain. Raises `FallbackNeeded` and other exceptions, too, where not.

        What is beside it was searched, so that only the members that its shape reads matter.
        """
        yield_point()
        shape, form, value = found.shape, found.shape.plain, found.roots[0].value
        if form is None or form.head or (shape, form) not in self._shapes or len(found.roots) > 1:
            return False
        if type(value) is list:
            # The messages alone.
            value = {form.messages: value}
        if type(value) is not dict or not isinstance(found.around, Identity):
            return False
        definitions = _definitions(value, form)
        if found.tools is not None and found.tools.value is not definitions:
            return False
        if not shape.read:
            self._check_beside(value, form)
        elif any(name in shape.read for name in value.keys() - {form.messages, form.system, form.tools[0]}):
            return False
        return isinstance(self._follow_messages(None, value, definitions, shape, form)[0], Plain)

    @staticmethod
    def _declares(line: bytes, value: Any) -> bool:
        """Return whether a line without a transcript may declare tools in its texts, and brings none along."""
        if not may_declare_in_data(line):
            return False
        if value is _UNKNOWN:
            return True
        return not (type(value) is dict and value.get("tools")) and declares_in_value(value)

    def _judge(self, line: bytes, read: LineRead) -> Plain | SuspectParts | None:
        shapes, value = self._shapes, read.value
        for number, (shape, form) in enumerate(shapes):
            if form.messages not in value or (form.head and form.head not in value):
                continue
            try:
                found = self._follow(line, read, shape, form)
            except _NOT_PLAIN:
                continue
            if number:
                # The lines of one file are similar.
                shapes.insert(0, shapes.pop(number))
            return found
        return None

    def _follow(self, line: bytes, read: LineRead, shape: Shape, form: PlainTurns) -> Plain | SuspectParts:
        """Follow a line that is a conversation. Raises `FallbackNeeded` and other exceptions where it is not plain."""
        value = read.value
        self._check_beside(value, form)
        definitions = _definitions(value, form)
        plain, kinds = self._follow_messages(line, value, definitions, shape, form)
        if not read.keeps_all(self._codec):
            raise FallbackNeeded
        first = definitions[0] if type(definitions) is list and definitions else ()
        if self._shape_of((form.messages, *kinds, *value, *first), value) != shape.name:
            raise FallbackNeeded
        return plain

    def _follow_messages(
        self, line: bytes | None, value: dict[str, Any], definitions: Any, shape: Shape, form: PlainTurns
    ) -> tuple[Plain | SuspectParts, tuple[int, ...]]:
        """Follow the messages of a conversation, which may bring definitions of tools along; return the kinds of the
        messages, too. The `line` is None for a part of a text. Raises `FallbackNeeded` and other exceptions where it is
        not plain."""
        messages = value[form.messages]
        if type(messages) is not list or not messages:
            raise FallbackNeeded
        tools = self._own if form.head else self._tools_of(definitions, value, shape, form)
        if line is not None:
            own = not definitions if form.head else tools is self._own
            if self._may_declare and own and may_declare_in_data(line) and declares_in_value(value):
                raise FallbackNeeded
            if form.head:
                return self._follow_session(line, value, shape, form), ()
        reported = follow(messages, form, self._id_pattern(shape, form), self._codec.loads)
        if form.system and form.system in value:
            tools.check_text(value[form.system])
            reported.turns += bool(value[form.system])
        for text in reported.first:
            tools.check_first(text)
        follow_calls = self._follow_texts if form.call is None else self._follow_entries
        return follow_calls(messages, reported, tools, shape, form), reported.kinds

    def _id_pattern(self, shape: Shape, form: PlainTurns) -> Any:
        return find_profile(self._settings.provider or shape.provider).id_pattern if form.paired else None

    def _shape_of(self, form: tuple[Any, ...], value: Any) -> str:
        """Return the name of the shape that values of a form have, empty where they have none."""
        name = self._forms.get(form)
        if name is None:
            if len(self._forms) >= _KEPT_FORMS:
                self._forms.clear()
            shape = detect(value)
            name = self._forms[form] = shape.name if shape is not None else ""
        return name

    @staticmethod
    def _check_beside(value: dict[str, Any], form: PlainTurns) -> None:
        """Check what is beside the messages; raises `FallbackNeeded` where that may be more than a label."""
        read = (form.messages, form.system, form.head, form.tools[0])
        for name, own in value.items():
            if name and name in read:
                continue
            wanted = form.beside.get(name)
            if wanted is None:
                _check_label(name, own)
            elif not (own.startswith(wanted) if type(wanted) is str else type(own) in wanted):
                raise FallbackNeeded

    def _tools_of(self, definitions: Any, value: dict[str, Any], shape: Shape, form: PlainTurns) -> KnownTools:
        """Return the tools that a transcript brings along, as they are read."""
        if form.call is None and type(definitions) is not list:
            # They may be in a text, too: in a string of JSON, or in the system prompt.
            if type(definitions) is not str and form.tools[0] in value:
                raise FallbackNeeded
            first = value[form.messages][0]
            prompt = first[form.text] if form.speakers.get(first[form.speaker]) == "system" else None
            key: Any = (definitions, prompt)
        elif definitions is self._latest[0]:
            return self._latest[1]
        elif definitions or form.call is None:
            if type(definitions) is not list or type(definitions[0]) is not dict:
                raise FallbackNeeded
            key = self._codec.written(definitions)
        else:
            return self._own
        found = self._tools.get(key)
        if found is None:
            if len(self._tools) >= _KEPT_REGISTRIES:
                self._tools.clear()
            if type(key) is tuple:
                read = read_json(json.dumps({**value, form.messages: value[form.messages][:1]}))
                view = shape.tools(JsonView.of(read))
                definitions = view.value if view is not None else None
            found = self._own
            if isinstance(definitions, list) and definitions:
                if not is_alike(definitions):
                    raise FallbackNeeded
                registry = registry_of(definitions, self._settings)
                found = KnownTools(registry, self._settings) if registry else self._own
            self._tools[key] = found
        if form.call is None and found is not self._own and found.declares:
            raise FallbackNeeded
        if type(definitions) is list:
            self._latest = definitions, found
        return found

    def _follow_entries(
        self, messages: list[Any], reported: ConversationParts, tools: KnownTools, shape: Shape, form: PlainTurns
    ) -> Plain | SuspectParts:
        """Check a conversation whose calls are entries of their own, where those of one message may be suspect."""
        assert form.call is not None, "that is what tells such a conversation"
        tools.check_texts([*reported.stated, *reported.asked])
        calls = reported.calls
        given = [each[2] for each in calls]
        values = self._codec.values(given) if form.call.is_text else given
        uncertain: list[int] = []
        plans = tools.plans
        for (number, tool, _, _, _), arguments in zip(calls, values, strict=True):
            plan = plans.get(tool)
            if plan is not None and type(arguments) is dict and plan.fits(arguments):
                continue
            try:
                tools.check(tool, arguments)
            except SuspectCallError:
                uncertain.append(number)
        if uncertain:
            return self._uncertainty(messages, uncertain, shape, form, tools)
        return Plain(shape.name, reported.turns, calls)

    def _uncertainty(
        self, messages: list[Any], numbers: list[int], shape: Shape, form: PlainTurns, tools: KnownTools
    ) -> SuspectParts:
        native = form.call is not None
        # Diagnostics about failures in a row need at least two, and it matters which diagnostics there are.
        reported = self._settings.select or self._settings.ignore or self._settings.severity
        if self._settings.max_mistakes < 2 or (len(numbers) > 1 and (native or reported)):
            raise FallbackNeeded
        parts = tuple(messages[number] for number in numbers)
        return SuspectParts(parts, tuple(numbers), form.messages, shape.name, tools, native)

    def _follow_texts(
        self, messages: list[Any], reported: ConversationParts, tools: KnownTools, shape: Shape, form: PlainTurns
    ) -> Plain | SuspectParts:
        """Check a conversation whose calls are text, where some texts of the assistant may be suspect."""
        if self._own.declares and reported.returned:
            raise FallbackNeeded
        loads = self._codec.loads
        check_results_in_text(reported.returned, loads)
        asked = reported.asked if self._own.declares else without_labels(reported.asked, loads)
        try:
            return Plain(shape.name, reported.turns, (), self._calls_in(reported.stated, asked, tools))
        except _NOT_PLAIN:
            tools.check_texts(asked)
        calls: list[FittingCall] = []
        uncertain: list[int] = []
        for number, text in zip(reported.numbers, reported.stated, strict=True):
            try:
                calls += self._calls_in([text], [], tools)
            except _NOT_PLAIN:
                uncertain.append(number)
        if not uncertain:
            return Plain(shape.name, reported.turns, (), calls)
        return self._uncertainty(messages, uncertain, shape, form, tools)

    def _calls_in(self, stated: list[str], others: list[str], tools: KnownTools) -> list[FittingCall]:
        """Return the calls in texts of an assistant. Raises `FallbackNeeded` where one may not match its tool, or there
        may be anything else in these texts and the `others`."""
        written, around, plain = read_calls(stated)
        # What is in a text is also found in all of them together; a line feed between them keeps their beginnings.
        if tools.may_hold_call("\n".join((*others, *plain, *around))):
            if written and written[0][0].is_named and tools.may_hold_call("\n".join(around)):
                raise FallbackNeeded
            for text in around:
                for each in text.split(BORDER):
                    tools.check_beside_call(each)
            tools.check_texts([*others, *plain])
        return self._fitting(written, tools)

    def _fitting(self, written: list[WrittenCall], tools: KnownTools) -> list[FittingCall]:
        """Return calls that are written in text, if all match. Raises `FallbackNeeded` where one may not."""
        bodies = [body for _, _, body, _ in written if type(body) is str]
        values = iter(self._codec.values(bodies) if bodies else ())
        calls: list[FittingCall] = []
        plans = tools.plans
        for form, tool, body, length in written:
            fits: bool
            if type(body) is list:
                plan = tools.plan_of(tool)
                fits = plan is not None and plan.takes(body)
            elif form.keys is None:
                # An element is a call where its name is that of a tool.
                plan, value = tools.plan_of(tool), next(values)
                fits = plan is not None and type(value) is dict and plan.fits(value)
            else:
                value = next(values)
                name, arguments = form.keys
                tool, own = value[name], value[arguments]  # noqa: PLW2901 - it is in the body
                fits = len(value) == 2
                plan = plans.get(tool)
                if plan is None or type(own) is not dict or not plan.fits(own):
                    try:
                        tools.check(tool, own)
                    except SuspectCallError:
                        fits = False
            if not fits:
                raise FallbackNeeded
            calls.append((tool, form.dialect, length))
        return calls

    def _follow_session(self, line: bytes, value: dict[str, Any], shape: Shape, form: PlainTurns) -> Plain:
        """Check a session of the runtime, in which only the model's replies were ever read."""
        if self._sessions is None:
            raise FallbackNeeded
        tools, settings = self._sessions.of(line, value.get(form.tools[0]))
        reported = follow(value[form.messages], form, None, self._codec.loads)
        history = value[form.head]["history"]
        replies = [text for number, text in zip(reported.numbers, reported.stated, strict=True) if number >= history]
        around, written = read_replies(replies, settings)
        tools.check_strictly(around)
        calls: list[FittingCall] = []
        for reply in written:
            own = self._fitting(reply, tools)
            if not all(tools.plan_of(each[0]) for each in own):
                raise FallbackNeeded
            # A reply as a whole is one attempt.
            calls += [(tool, dialect, length, None, False) for tool, dialect, length, *_ in own[:-1]]
            calls += own[-1:]
        return Plain(shape.name, reported.turns, (), calls)


def _definitions(value: dict[str, Any], form: PlainTurns) -> Any:
    """Return the definitions of tools that a conversation brings along, None where it has none."""
    definitions: Any = value
    for step in form.tools:
        definitions = definitions.get(step) if definitions is not None else None
    return definitions


def _check_label(name: str, label: Any) -> None:
    """Check what a row notes beside its conversation; raises `FallbackNeeded` where that may be more than a label."""
    if name not in _LABELS or type(label) not in SCALARS:
        raise FallbackNeeded
    if type(label) is str and label[:1] in _OPENERS and may_hold_far(label):
        # It may contain a transcript.
        raise FallbackNeeded
