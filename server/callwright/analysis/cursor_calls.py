"""The cursor in calls of any dialect: which name, key or value is written at a place, and what is missing around it.

Owns: `call_place`. Must not know: any single dialect, documents, protocols.

A place is known by what makes the text a call: a probe is put at the cursor, with nothing behind it or with what the
dialect writes behind a name, a key, a value; the dialect's own reader then says where the probe stands. So half-typed
text needs no reader of its own, and each attempt reads no more than one call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright.analysis.cursor_forms import KEY, NUMBER, TOOL, VALUE, Form, form_of, quotes_of, starts
from callwright.analysis.cursor_json import Hit, JsonWalk
from callwright.analysis.cursor_places import Place, Role, Writing
from callwright.calls.model import JsonValue, MarkupValue
from callwright.calls.protocol import ReadContext
from callwright.dialects.catalogue import dialect_openers, find_dialect
from callwright.syntax.prose import line_start
from callwright.text.span import Span
from callwright.tools.registry import EMPTY

if TYPE_CHECKING:
    from callwright.calls.model import Argument, Path, ToolCall
    from callwright.syntax.json_nodes import JsonNode
    from callwright.tools.registry import ToolRegistry

#: The dialects whose places are found by walking through their markup.
WALKED: Final = frozenset({"xml-children", "xml-json", "tool-call-json", "tool-call-xml", "fenced-json"})
#: How far before the cursor a call is sought that nobody read, and how far behind its beginning one that was.
_NEAR: Final = 4 * 1024
_HEAD: Final = 200
#: How much of the text behind the cursor a call may go on in.
_BEHIND: Final = 8 * 1024
#: How many openers before the cursor are looked at, and how often a dialect's reader is asked in all.
_OPENERS: Final = 4
_READINGS: Final = 40
#: How many dialects are asked whether a call goes on.
_HOLDERS_ASKED: Final = 3
#: How many beginnings of what leads to a name are tried, and how many ends of a call.
_LEADS: Final = 6
_ENDINGS: Final = 6
_PROBE: Final = "Cwprobe"
_NAME: Final = r"[\w.\-]"
_WORD_BEFORE: Final = re.compile(rf"{_NAME}{{1,200}}\Z")
_WORD_BEHIND: Final = re.compile(rf"{_NAME}*+")
_CLEAN: Final = re.compile(rf"[\"']?{_NAME}*{_PROBE}{_NAME}*[\"']?")
#: Where a JSON text begins: one object, or a list of them.
_OBJECT: Final = re.compile(r"\{(?=\s*+(?:[\"'\w}]|\Z))|\[(?=\s*+\{)")
_LIST: Final = re.compile(r"\{(?=\s*+(?:[\"'\w}]|\Z))|\[(?=\s*+(?:\{|\Z))")
_JSON_PART: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<end>"?)|(?P<mark>[{}\[\]])', re.DOTALL)
_MARKER: Final = re.compile(r"<[^<>\s]*+>|\S+")
_EMPTY_LINE: Final = re.compile(r"\n[ \t]*+\n")
_NAME_KEYS: Final = ("name", "tool_name", "tool")
_ARGUMENTS_KEYS: Final = ("arguments", "parameters", "args")
_HOLDERS: Final = ("tool_calls", "function")
#: What engines make of a sound call differently, and what stands in no section, says nothing of where a cursor is.
_HARMLESS: Final = frozenset({"engines-differ"})


class _Tools:
    """The tools as a reader is told of them while a probe stands in the text: a name with the probe in it is one."""

    closed = False

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    def has(self, name: str) -> bool:
        """Tell whether a tool has this name, or might have it once it is written."""
        return _PROBE in name or self._tools.has(name)

    def near(self, name: str) -> str | None:
        """Return no name: nothing is mended here."""
        return self._tools.near(name) if name == "" else None

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool."""
        return self._tools.parameters(name)

    def has_parameter(self, name: str) -> bool:
        """Tell whether any tool has a parameter of this name."""
        return _PROBE in name or self._tools.has_parameter(name)

    def markup(self, name: str) -> str:
        """Return how element text of this tool is written."""
        return self._tools.markup(name)


class _Found(NamedTuple):
    """Where a probe stands in a call: `span` covers the name, key or value with the probe in it."""

    role: Role
    call: ToolCall
    span: Span
    path: Path
    present: frozenset[str]
    faults: int
    probe: str = _PROBE


def call_place(
    text: str,
    offset: int,
    tools: ToolRegistry,
    *,
    stated: str | None = None,
    near: str | None = None,
    known: int | None = None,
) -> Place | None:
    """Return what stands at `offset` of a text, if it is in a call of a dialect whose markup nobody walks through.

    `stated` is the dialect that calls should be written in, `near` that of a call nearby: where a text may begin calls
    of several, they are asked first. `known` is where the reader says that a call begins which the place lies in; one
    that it gave up is sought nearby. None where no such call is open there. Time is bounded whatever the text's length.
    """
    readings = [0]
    wanted = (stated, near)
    found = _openers_before(text, max(0, offset - _NEAR), offset)
    if known is not None and known < offset - _NEAR:
        found += _openers_before(text, known, min(known + _HEAD, offset))[-1:]
    best: Place | None = None
    for start, opener in _outermost(text, found, offset, tools, wanted, readings):
        place, is_over = _place_from(text, start, opener, offset, tools, wanted, readings)
        if is_over:
            break
        if place is not None and (best is None or _faults_of(place) < _faults_of(best)):
            best = place
        if (best is not None and not _faults_of(best)) or readings[0] > _READINGS:
            break
    return best


def _faults_of(place: Place) -> int:
    return place.writing.faults if place.writing is not None else 0


# Where calls begin


@cache
def _openers() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Return the pattern of what begins a call, and the dialects of each opener."""
    found: dict[str, dict[str, None]] = {}
    for opener, name in sorted(dialect_openers(), key=lambda pair: pair[1]):
        if name not in WALKED:
            found.setdefault(opener, {})[name] = None
    words = sorted((opener for opener in found if len(opener) > 1), key=len, reverse=True)
    lines = "".join(re.escape(opener) for opener in found if len(opener) == 1)
    pattern = re.compile("|".join([*map(re.escape, words), rf"^[ \t>]*+[{lines}]"]), re.MULTILINE)
    return pattern, {opener: tuple(names) for opener, names in found.items()}


def _openers_before(text: str, begin: int, offset: int) -> list[tuple[int, str]]:
    """Return what may begin a call before the cursor, the nearest first."""
    pattern, _ = _openers()
    found = [(match.start(), match[0]) for match in pattern.finditer(text, begin, offset)][-_OPENERS:]
    leads = [len(opener) - len(opener.lstrip(" \t>")) if len(opener.strip(" \t>")) == 1 else 0 for _, opener in found]
    return [(start + lead, opener[lead:]) for (start, opener), lead in zip(found, leads, strict=True)][::-1]


def _outermost(
    text: str,
    found: list[tuple[int, str]],
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> Iterator[tuple[int, str]]:
    """Yield the openers that are found, those first that begin what another stands in."""
    for index, inner in enumerate(found):
        holders = [
            outer for outer in found[index + 1 :] if _holds(text, outer, inner[0], offset, tools, wanted, readings)
        ]
        yield from reversed(holders)
        yield inner
        if holders:
            return


def _holds(
    text: str,
    outer: tuple[int, str],
    inner: int,
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> bool:
    """Tell whether what begins with an opener reaches beyond another."""
    start, opener = outer
    if len(opener) > 1 and not text[start + len(opener) : inner].strip():
        return True
    for name in _dialects_at(text, start, opener, wanted)[0][:_HOLDERS_ASKED] if len(opener) > 1 else ():
        dialect = find_dialect(name)
        if dialect is None:
            continue
        readings[0] += 1
        begin = line_start(text, start)
        reading = dialect.read(text[begin:offset], start - begin, ReadContext(_Tools(tools), preferred=name))
        if reading is not None and reading.end + begin > inner:
            return True
    return False


def _dialects_at(text: str, start: int, opener: str, wanted: tuple[str | None, str | None]) -> tuple[list[str], bool]:
    """Return the dialects whose opener stands at a place, those that are wanted first, and whether one is wanted."""
    _, owners = _openers()
    names = dict.fromkeys(
        name for other, own in owners.items() if text.startswith(other, start) and len(other) >= 1 for name in own
    )
    for name in filter(None, wanted):
        if name in WALKED and name != "xml-children":
            dialect = find_dialect(name)
            if dialect is not None and any(text.startswith(one, start) for one in dialect.openers if len(one) > 1):
                return [], False
    first = [name for name in wanted if name is not None and name in names]
    exact = list(owners.get(opener, ()))
    return list(dict.fromkeys([*first, *exact, *names])), bool(first)


def _place_from(
    text: str,
    start: int,
    opener: str,
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> tuple[Place | None, bool]:
    """Return what stands at a cursor in the call that begins at `start`, and whether that call was over before it."""
    names, is_wanted = _dialects_at(text, start, opener, wanted)
    if len(opener) == 1 and not is_wanted:
        # A bracket alone begins anything.
        names = [name for name in names if text.startswith(_long_openers(name), start)]
    best: Place | None = None
    for name in names:
        form = form_of(name)
        if form is None:
            continue
        attempt = _Attempt(text, start, opener, offset, form, tools, readings)
        place = attempt.place()
        if place is None:
            if attempt.is_over:
                return None, True
            continue
        if not (is_wanted or len(names) == 1 or place.name or attempt.is_certain):
            continue
        if not _faults_of(place):
            return place, False
        if best is None or _faults_of(place) < _faults_of(best):
            best = place
    return best, False


@cache
def _long_openers(name: str) -> tuple[str, ...]:
    dialect = find_dialect(name)
    return tuple(one for one in dialect.openers if len(one) > 1) if dialect is not None else ()


class _Attempt:
    """The attempt to find a cursor in a call of one dialect that begins at one place."""

    def __init__(
        self, text: str, start: int, opener: str, offset: int, form: Form, tools: ToolRegistry, readings: list[int]
    ) -> None:
        self.begin = line_start(text, start) if start - line_start(text, start) < _NEAR else start
        self.start = start - self.begin
        self.front = text[self.begin : offset]
        self.behind = text[offset : offset + _BEHIND]
        self.cursor = len(self.front)
        self.form = form
        self.tail = _tail_behind(form, opener)
        self.tools = tools
        self.names = _Tools(tools)
        self.dialect = find_dialect(form.dialect)
        self.readings = readings
        lead = self.front[: self.start]
        self.margin = lead if not lead.strip() else ""
        #: Whether the call that begins here was over before the cursor, and whether no other dialect need be asked.
        self.is_over = False
        self.is_certain = False
        self._has_call = False
        self._openers = tuple(self.dialect.openers) if self.dialect is not None else ()
        word = _WORD_BEFORE.search(self.front, max(self.start, self.cursor - 200))
        self.typed = word[0] if word is not None else ""
        behind = _WORD_BEHIND.match(self.behind)
        self.word_behind = behind[0] if behind is not None else ""

    # Reading

    def _read(self, text: str) -> list[ToolCall]:
        """Return the calls that are read at the opener of a text."""
        self.readings[0] += 1
        if self.dialect is None or self.readings[0] > _READINGS:
            return []
        context = ReadContext(self.names, preferred=self.form.dialect)
        reading = self.dialect.read(text, self.start, context)
        if reading is None:
            return []
        for problem in reading.problems:
            if problem.kind not in _HARMLESS and reading.calls:
                reading.calls[-1].problems.append(problem)
        return reading.calls

    def _probe(self, before: str, behind: str, probe: str = _PROBE) -> _Found | None:
        """Return where a probe stands between two texts, None where it is part of no call."""
        text = before + probe + behind
        at = len(before)
        for call in self._read(text):
            found = _where(call, text, at)
            if found is not None:
                return found._replace(probe=probe)
        return None

    # The place

    def place(self) -> Place | None:
        """Return what stands at the cursor."""
        if not self.form.is_json:
            return self._among_arguments()
        is_list = bool(self.form.steps) and isinstance(self.form.steps[0], int)
        pattern, at = (_LIST if is_list else _OBJECT), self.start
        marker = _MARKER.search(self.form.json_tail)
        while (opened := pattern.search(self.front, at)) is not None:
            end = _json_over(self.front, opened.start())
            # Behind the mark that ends one call there may be another, with a JSON text of its own.
            if end is None or marker is None or marker[0] not in self.front[end:]:
                return self._in_json(opened.start())
            at = end
        return self._before_json(behind_another=at > self.start)

    def _among_arguments(self) -> Place | None:
        front = self.front
        base = self._read(front + self.behind)
        sound = bool(base) and all(not call.problems and call.complete for call in base)
        if sound and not any(call.place.start <= self.cursor < self._end_of(call) for call in base):
            self.is_over = True
            return None
        self._has_call = any(call.tool is not None for call in base)
        within = sound and any(call.span.start < self.cursor < call.span.end for call in base)
        whole = self._probe(front, self.behind)
        if whole is None or whole.faults:
            number = self._probe(front, self.behind, str(NUMBER))
            if number is not None and number.role is Role.VALUE and (whole is None or number.faults < whole.faults):
                whole = number
        if whole is not None and not whole.faults:
            return self._placed(whole, alone=True, goes_on=True)
        twice = self._named_twice()
        if twice is not None:
            return twice
        best = self._broken(within=within)
        if sound and (best is None or _faults_of(best)):
            # The call is as it should be, and what is written here can only spoil it.
            return self._nothing()
        if best is not None:
            return best
        return self._placed(whole, alone=True, goes_on=True) if whole is not None and whole.call.complete else None

    def _named_twice(self) -> Place | None:
        """Return the place of an argument's name that is written behind its value, too."""
        name, close = self.typed + self.word_behind, self.form.close
        at = self.behind.find(close.replace(KEY, name)) if KEY in close and name else -1
        if at < 0:
            return None
        at += close.index(KEY)
        twin = Span(at, at + len(name))
        behind = f"{self.behind[: twin.start]}{self.typed}{_PROBE}{self.word_behind}{self.behind[twin.end :]}"
        hit = self._probe(self.front, behind)
        if hit is None or hit.role is not Role.KEY or hit.faults:
            return None
        place = self._placed(hit, alone=True, goes_on=True)
        if place is None or place.writing is None:
            return place
        return replace(place, writing=place.writing._replace(twin=twin.shift(self.begin + self.cursor)))

    def _end_of(self, call: ToolCall) -> int:
        """Return where a call ends: of one that goes on as long as its lines do, the line that follows."""
        end = call.place.end
        if self.form.next.strip() or "\n" not in self.form.next:
            return end
        between = self.front[end:]
        return len(self.front) + 1 if not between.strip() and between.count("\n") <= 1 else end

    def _nothing(self) -> Place:
        at = self.begin + self.cursor
        return Place(Role.NOTHING, Span(at, at))

    def _broken(self, *, within: bool) -> Place | None:
        """Return what stands at a cursor behind which the call does not go on as it should."""
        front, form = self.front, self.form
        found: list[tuple[int, int, Place]] = []

        def note(hit: _Found | None, rank: int, *, alone: bool = False, lead: str = "", typed: int = 0) -> bool:
            if hit is None:
                return False
            place = self._placed(hit, alone=alone, lead=lead, lead_typed=typed)
            if place is not None:
                found.append((hit.faults, rank, place))
            return not hit.faults

        key_rest = form.link + VALUE + form.close + self.tail
        probed_key = self.typed + _PROBE
        # The order is that of how much is said of the place: a tag that is begun may also be the text of a value.
        if self._follows(form.head):
            hit = self._probe(front, form.first + KEY + key_rest)
            if self._expects(Role.TOOL_NAME, hit, note, 0):
                return found[-1][2]
        if self._follows(form.next) or self._follows(form.first):
            hit = self._probe(front, key_rest.replace(KEY, probed_key))
            if self._expects(Role.KEY, hit, note, 1):
                return found[-1][2]
        link = form.number_link
        if link.endswith(" ") and link.strip() and not self.typed and front.endswith(link.rstrip()):
            return self._nothing()
        value = self._value(found) if link and self._ahead_of_word.endswith(link) else None
        place = value or self._opening(Role.KEY, found) or self._value(found)
        if place is not None:
            return place
        place = None if within else self._opening(Role.TOOL_NAME, found)
        place = place or self._ending()
        if place is not None:
            return place
        return min(found, key=lambda each: each[:2])[2] if found else None

    @property
    def _ahead_of_word(self) -> str:
        """The text before the cursor without the word that ends there."""
        return self.front[: self.cursor - len(self.typed)]

    def _follows(self, literal: str) -> bool:
        """Tell whether the word at the cursor may stand right behind a literal, as its last character says."""
        last = literal.rstrip()[-1:]
        return not last or self._ahead_of_word.rstrip().endswith(last)

    def _value(self, found: list[tuple[int, int, Place]]) -> Place | None:
        """Return the place where a value is written that nothing ends yet."""
        form, rest = self.form, self.behind[len(self.word_behind) :]
        key = self._open_key()
        close = form.close.replace(KEY, key)
        number_close = form.number_close.replace(KEY, key)
        tries = [(self.front, _PROBE, close), (self.front, str(NUMBER), number_close)]
        if any(quotes_of(form)):
            tries.append((self._ahead_of_word, str(NUMBER), number_close))
        for before, probe, closing in tries:
            typed = self._overlap(closing) if len(closing) > 1 else 0
            typed = typed if typed < len(closing.lstrip()) else 0
            for tail, goes_on in ((rest, True), (self.tail, False)):
                hit = self._probe(before[: len(before) - typed], closing + tail, probe)
                if hit is None or hit.role is not Role.VALUE or (typed and hit.faults):
                    continue
                if typed:
                    end = self.begin + self.cursor
                    writing = Writing(
                        form.dialect, closer=closing.lstrip(), closer_typed=typed, faults=hit.faults, margin=self.margin
                    )
                    return Place(Role.END, Span(end, end), tool=hit.call.tool, writing=writing)
                hit = hit._replace(span=Span(hit.span.start, self.cursor + len(hit.probe)))
                place = self._placed(hit, alone=goes_on, closer=closing)
                if place is not None and not hit.faults:
                    return place
                if place is not None:
                    found.append((hit.faults, 3, place))
        return None

    def _expects(self, role: Role, hit: _Found | None, note: Any, rank: int) -> bool:
        return hit is not None and hit.role is role and note(hit, rank)

    def _opening(self, role: Role, found: list[tuple[int, int, Place]]) -> Place | None:
        """Return the place where an argument (KEY) can begin, or a call with its tool's name."""
        form = self.form
        argument = form.link + VALUE + form.close
        is_key = role is Role.KEY
        literals = (form.next, form.first) if is_key else (form.head,)
        behind = argument.replace(KEY, _PROBE) if is_key else form.first + KEY + argument
        for typed, lead in self._leads(*literals)[:_LEADS]:
            if role is Role.TOOL_NAME and self._has_call and not typed and not lead.strip().startswith(self._openers):
                continue
            before = self.front[: self.cursor - typed] + lead
            for tail in (self.behind, self.tail) if role is Role.KEY else (self.tail,):
                hit = self._probe(before, behind + tail)
                if hit is None or hit.role is not role:
                    continue
                place = self._placed(hit, lead=lead, lead_typed=typed)
                if place is not None and not hit.faults:
                    # Where more than one character is typed of what leads to a name, nobody means the call's end.
                    return self._with_end(place) if typed <= 1 else place
                if place is not None:
                    found.append((hit.faults, 2, place))
        return None

    def _leads(self, *literals: str) -> list[tuple[int, str]]:
        """Return what can lead from the cursor to a name, each with how much of it is typed: the likeliest first.

        What is typed the furthest comes first, then what takes the least.
        """
        found: dict[tuple[int, str], None] = {}
        for literal in literals:
            for part in starts(literal):
                typed = self._overlap(part)
                found[typed, part.lstrip() if typed or self._at_space else part] = None
        return sorted(
            (each for each in found if each[1]), key=lambda each: (-each[0], len(each[1].lstrip()), -len(each[1]))
        )

    def _with_end(self, place: Place) -> Place:
        """Return a place where an argument can begin with what would end the call there instead."""
        ends = self._ending()
        if ends is None or ends.writing is None or place.writing is None:
            return place
        return replace(
            place, writing=place.writing._replace(closer=ends.writing.closer, closer_typed=ends.writing.closer_typed)
        )

    def _ending(self) -> Place | None:
        """Return the place as one where the call can only be ended, None where it needs no end."""
        before = self.front.removesuffix("<")
        base = self._read(before + self.behind)
        if any(call.complete and not _faults(call) and call.place.end >= len(before) for call in base):
            return None
        key = self._open_key()
        least: tuple[int, str, int, ToolCall] | None = None
        endings: dict[tuple[int, str], None] = {}
        close = self.form.close.replace(KEY, key)
        for literal in (self.tail, close + self.tail):
            for part in starts(literal):
                typed = self._overlap(part)
                if typed > 1 and part[:typed].endswith(close) and len(part) > len(self.tail):
                    continue
                endings[typed, part.lstrip() if typed or self._at_space else part] = None
        wanted = sorted(endings, key=lambda each: (-each[0], -len(each[1])))
        for typed, ending in wanted[:_ENDINGS]:
            text = self.front[: self.cursor - typed] + ending
            calls = self._read(text)
            if not calls or not calls[-1].complete or calls[-1].place.end < len(text.rstrip()):
                continue
            faults = _faults(calls[-1])
            if least is None or faults < least[0]:
                least = (faults, ending, typed, calls[-1])
            if not faults:
                break
        if least is None:
            return None
        faults, ending, typed, call = least
        return self._end(ending, typed, faults, call)

    def _end(self, ending: str, typed: int, faults: int, call: ToolCall) -> Place:
        """Return the cursor as a place where something can only be ended."""
        at = self.begin + self.cursor
        writing = Writing(self.form.dialect, closer=ending, closer_typed=typed, faults=faults, margin=self.margin)
        return Place(Role.END, Span(at, at), tool=call.tool, writing=writing)

    @property
    def _at_space(self) -> bool:
        return self.front[-1:].isspace()

    def _overlap(self, literal: str) -> int:
        """Return how much of a literal is typed already at the end of the text before the cursor, on its line."""
        wanted = literal.lstrip()
        for size in range(min(len(wanted), self.cursor - self.start), 0, -1):
            if "\n" not in wanted[:size] and self.front.endswith(wanted[:size]):
                return size
        return 0

    def _open_key(self) -> str:
        """Return the name of the argument whose value may be open at the cursor."""
        if KEY not in self.form.close:
            return KEY
        lead = re.escape(self.form.next.strip())
        names = re.findall(rf"{lead}({_NAME}++)", self.front[self.start :])
        return names[-1] if names else KEY

    def _placed(
        self,
        hit: _Found,
        *,
        alone: bool = False,
        goes_on: bool = False,
        lead: str = "",
        lead_typed: int = 0,
        closer: str = "",
    ) -> Place | None:
        """Return the place of a probe that was found, in offsets of the whole text."""
        span = hit.span
        if lead:
            at = self.begin + self.cursor
            whole = Span(at - lead_typed, at)
            typed = name = self.front[self.cursor - lead_typed : self.cursor]
        else:
            start = min(span.start, self.cursor)
            end = max(span.end - len(hit.probe), self.cursor) if goes_on else self.cursor
            if not goes_on and (hit.role is not Role.VALUE or alone):
                end += len(self.word_behind)
            text = self.front + self.behind
            while start < min(self.cursor, end) and text[start].isspace():
                start += 1
            while end > max(self.cursor, start) and text[end - 1].isspace():
                end -= 1
            marks = ('"', "'") if hit.role is not Role.VALUE else ()
            if text[start : start + 1] in marks and text[start:end].endswith(text[start]) and end - start > 1:
                start, end = start + 1, end - 1
            if "\n" in text[start:end] or "\r" in text[start:end]:
                if hit.role is not Role.VALUE:
                    return None
                return self._in_value(hit) or self._nothing()
            whole = Span(self.begin + start, self.begin + end)
            typed, name = text[start : self.cursor], text[start:end]
        if hit.role is Role.VALUE:
            inside = self._in_value(hit)
            if inside is not None:
                return inside
        role = Role.ARGUMENT if hit.role is Role.KEY and lead else hit.role
        role = Role.CALL if hit.role is Role.TOOL_NAME and lead else role
        tool = hit.call.tool if hit.role is not Role.TOOL_NAME else None
        writing = Writing(self.form.dialect, alone, lead, closer, faults=hit.faults, margin=self.margin)
        present = frozenset(one for one in hit.present if _PROBE not in one)
        self.is_certain = bool(tool and self.tools.has(tool))
        return Place(role, whole, typed, name, tool, hit.path, present, writing=writing)

    def _in_value(self, hit: _Found) -> Place | None:
        """Return the place inside of a value that is written as JSON, None where it is none."""
        if not self.form.json_values or not hit.path or hit.call.tool is None:
            return None
        text = self.front + self.behind
        at = hit.span.start
        while at < self.cursor and text[at].isspace():
            at += 1
        if at >= self.cursor or text[at] not in "{[":
            return None
        marker = _MARKER.search(self.form.number_close)
        stop = text.find(marker[0], self.cursor) if marker is not None else -1
        walk = JsonWalk(text, at, len(text) if stop < 0 else stop, self.cursor, len(text))
        walk.run()
        if walk.hit is None or not walk.hit.frames:
            return None
        return self._argument(walk.hit, hit.call.tool, (*hit.path[:1], *walk.hit.steps[:-1]), walk.hit.steps[-1])

    # JSON

    def _in_json(self, at: int) -> Place | None:
        """Return what stands at a cursor in the JSON text that holds the arguments."""
        form, text = self.form, self.front + self.behind
        marker = _MARKER.search(form.json_tail)
        stop = text.find(marker[0], self.cursor) if marker is not None else -1
        if stop < 0:
            line = _EMPTY_LINE.search(text, self.cursor)
            stop = len(text) if line is None else line.start()
        walk = JsonWalk(text, at, stop, self.cursor, stop)
        end = walk.run()
        open_marks = _open_marks(self.front, at)
        if walk.hit is not None and walk.hit.frames:
            place = self._json_place(walk.hit, at)
            if place is None and open_marks == "]":
                return self._lead_to_json()
            if place is None or not open_marks or walk.hit.typed or not walk.hit.is_key:
                return place
            if self.front.rstrip().endswith(","):
                return place
            ends = None if walk.hit.around.value_follows else self._json_end(open_marks)
            if ends is None or ends.writing is None:
                return place
            keys = place.writing.frame_keys if place.writing is not None else ("", "")
            return replace(place, writing=ends.writing._replace(frame_keys=keys))
        if open_marks is None or walk.expect == "colon" or (walk.hit is not None and walk.hit.around.colon):
            return self._nothing()
        if open_marks:
            return self._json_end(open_marks) or self._nothing()
        if not self.front[end : self.cursor].strip() or self._overlap(form.json_tail):
            return self._json_end("")
        self.is_over = bool(self._read(text))
        return None

    def _json_end(self, brackets: str) -> Place | None:
        """Return the place as one where the call can only be ended; `brackets` are those that close what is open."""
        form = self.form
        text = self.front + self.behind
        base = self._read(text)
        if any(call.complete and not _faults(call) for call in base):
            return None
        ending = brackets + form.json_tail
        if not ending.strip():
            return None
        typed = 0
        if not brackets:
            typed = self._overlap(form.json_tail)
            ending = ending.lstrip() if typed or self._at_space else ending
        calls = self._read(self.front[: self.cursor - typed] + ending)
        if not calls:
            return None
        cursor = self.begin + self.cursor
        writing = Writing(
            form.dialect, closer=ending, closer_typed=typed, faults=_faults(calls[-1]), margin=self.margin
        )
        return Place(Role.END, Span(cursor, cursor), tool=calls[-1].tool, writing=writing)

    def _json_place(self, hit: Hit, at: int) -> Place | None:
        """Say what a key or value in the JSON text is to the call."""
        form, steps, frames = self.form, hit.steps, hit.frames
        if not form.steps:
            tool = self._named_before(at)
            return self._argument(hit, tool, steps[:-1], steps[-1]) if tool is not None else None
        by_name = form.name_key is None
        for depth, frame in enumerate(frames):
            if frame.mark != "{" or not all(isinstance(step, int) or step in _HOLDERS for step in steps[:depth]):
                continue
            last = depth == len(frames) - 1
            if by_name:
                if not last:
                    return self._argument(hit, str(steps[depth]), steps[depth + 1 : -1], steps[-1])
                if hit.is_key:
                    return self._json_name(hit, ())
                return self._argument(hit, str(steps[depth]), (), None)
            name = next((frame.members[key] for key in _NAME_KEYS if frame.members.get(key)), None)
            if not last and steps[depth] in _ARGUMENTS_KEYS:
                name = name or (self._named_before(at) if form.name_key else None)
                return self._argument(hit, name, steps[depth + 1 : -1], steps[-1]) if name else None
            if not last:
                continue
            if hit.is_key:
                others = frozenset(frame.members) - {hit.name}
                keys = (form.name_key or "", str(form.steps[-1]))
                writing = Writing(form.dialect, frame_keys=keys, margin=self.margin)
                place = Place(Role.FRAME_KEY, hit.span, hit.typed, hit.name, name, (), others, json=hit.around)
                return replace(self._shifted(place), writing=writing)
            if steps[depth] in _NAME_KEYS:
                return self._json_name(hit, (str(steps[depth]),))
            if steps[depth] in _ARGUMENTS_KEYS:
                return self._argument(hit, name, (), None) if name else None
        return None

    def _json_name(self, hit: Hit, path: Path) -> Place:
        """Return the place of a tool's name in the JSON text, with what ends the call where nothing follows."""
        form, around = self.form, hit.around
        place = Place(Role.TOOL_NAME, hit.span, hit.typed, hit.name, path=path or (0,), json=around)
        place = self._shifted(place)
        keys = hit.frames[-1].members.keys()
        if around.colon or around.comma or around.value_follows or keys & {*_ARGUMENTS_KEYS}:
            return place
        opened = _OBJECT.search(self.front, self.start) if not form.steps or form.steps[0] != 0 else None
        opened = opened or _LIST.search(self.front, self.start)
        brackets = _open_marks(self.front[: hit.span.start], opened.start()) if opened is not None else None
        behind = self.behind[max(hit.span.end - self.cursor, 0) :].lstrip()
        if not brackets or behind[:1] in ("}", "]"):
            return place
        frame_keys = (str(path[0]) if path else "", str(form.steps[-1]) if path else "")
        writing = Writing(form.dialect, closer=brackets + form.json_tail, frame_keys=frame_keys, margin=self.margin)
        return replace(place, writing=writing)

    def _argument(self, hit: Hit, tool: str | None, path: Path, last: str | int | None) -> Place:
        """Return the place of a key or value among the arguments."""
        self.is_certain = True
        if hit.is_key:
            present = frozenset(hit.frames[-1].members) - {hit.name}
            place = Place(Role.KEY, hit.span, hit.typed, hit.name, tool, path, present, json=hit.around)
        else:
            whole = path if last is None else (*path, last)
            place = Place(Role.VALUE, hit.span, hit.typed, hit.name, tool, whole, json=hit.around)
        return self._shifted(place)

    def _shifted(self, place: Place) -> Place:
        by = self.begin
        after = place.json.after
        around = place.json if after is None else replace(place.json, after=after + by)
        return replace(place, span=place.span.shift(by), json=around)

    def _named_before(self, at: int) -> str | None:
        """Return the tool whose name stands before the JSON text that begins at `at`."""
        calls = self._read(self.front[:at] + "{}" + self.form.json_tail)
        return calls[-1].tool if calls else None

    def _before_json(self, *, behind_another: bool) -> Place | None:
        """Return what stands at a cursor before the JSON text: the tool's name, or what leads to it."""
        form = self.form
        if behind_another and 0 < self._overlap(form.json_tail) < len(form.json_tail.strip()):
            ends = self._json_end("")
            if ends is not None:
                return ends
        if form.name_key is not None and TOOL not in (form.json_lead or ""):
            return self._lead_to_json()
        whole = self._probe(self.front, self.behind)
        if whole is not None and whole.role is Role.TOOL_NAME and not whole.faults:
            return self._placed(whole, alone=True, goes_on=True)
        base = self._read(self.front + self.behind)
        if base and all(not call.problems and call.complete for call in base):
            if self.cursor < base[-1].place.end:
                return self._nothing()
            self.is_over = behind_another
            return None
        rest = form.first.replace(TOOL, self.typed + _PROBE) + KEY + form.link + VALUE + form.close + self.tail
        hit = self._probe(self.front, rest)
        if hit is not None and hit.role is Role.TOOL_NAME:
            return self._placed(hit)
        return self._arguments_to_come() or self._lead_to_json()

    def _arguments_to_come(self) -> Place | None:
        """Return the place where the JSON text of the arguments is to begin, behind the tool's name."""
        form = self.form
        leads: list[tuple[int, str]] = [
            *self._leads(form.first[: form.first.find("{")].replace(TOOL, self.typed)),
            (0, ""),
        ]
        for typed, lead in leads:
            before = self.front[: self.cursor - typed] + lead
            calls = self._read(before + "{}" + form.json_tail)
            call = calls[-1] if calls else None
            if call is None or call.tool is None or not self.tools.has(call.tool) or not call.complete:
                continue
            if call.place.end < len(before) or call.tool_span.end > self.cursor:
                continue
            end = self.begin + self.cursor
            writing = Writing(form.dialect, lead=lead, closer=form.json_tail, margin=self.margin)
            return Place(Role.VALUE, Span(end - typed, end), tool=call.tool, writing=writing)
        return None

    def _lead_to_json(self) -> Place | None:
        """Return the place of a cursor in what leads to the tool's name."""
        form = self.form
        best: tuple[int, Place] | None = None
        for typed, lead in self._leads(form.head)[:_LEADS]:
            behind = form.first.replace(TOOL, _PROBE) + KEY + form.link + VALUE + form.close + self.tail
            hit = self._probe(self.front[: self.cursor - typed] + lead, behind)
            if hit is None or hit.role is not Role.TOOL_NAME:
                continue
            place = self._placed(hit, lead=lead, lead_typed=typed)
            if place is not None and not hit.faults:
                return place
            if place is not None and (best is None or hit.faults < best[0]):
                best = (hit.faults, place)
        return best[1] if best is not None else None


@cache
def _tail_behind(form: Form, opener: str) -> str:
    """Return how much of what ends a call of the form does so where it began with this opener."""
    whole = form.head + TOOL + form.first + KEY + form.link + VALUE + form.close
    dialect, at = find_dialect(form.dialect), whole.find(opener)
    if dialect is None or at <= 0:
        return form.tail
    for part in ("", *starts(form.tail)):
        tail = form.tail[: len(form.tail) - len(part)]
        text = whole[at:] + tail
        reading = dialect.read(text, 0, ReadContext(_Tools(EMPTY), preferred=form.dialect))
        calls = reading.calls if reading is not None else []
        if calls and calls[-1].complete and not _faults(calls[-1]) and not (reading and reading.problems):
            return tail
    return form.tail


def _faults(call: ToolCall) -> int:
    return sum(problem.kind not in _HARMLESS for problem in call.problems)


def _where(call: ToolCall, text: str, at: int) -> _Found | None:
    """Return where in a call the probe at `at` stands."""
    faults = _faults(call) + (not call.complete)
    for span in call.name_spans or (call.tool_span,):
        if span.start <= at < span.end:
            clean = _CLEAN.fullmatch(span.of(text)) is not None
            return _Found(Role.TOOL_NAME, call, span, (), frozenset(), faults) if clean else None
    value = call.arguments
    if isinstance(value, MarkupValue):
        return _in_markup(call, value.members, text, at, (), faults)
    if isinstance(value, JsonValue):
        return _in_node(call, value.node, text, at, (), faults)
    return None


def _in_markup(
    call: ToolCall, members: Sequence[Argument], text: str, at: int, path: Path, faults: int
) -> _Found | None:
    names = frozenset(member.name for member in members)
    for index, member in enumerate(members):
        if member.name_span.start <= at < member.name_span.end:
            clean = _CLEAN.fullmatch(member.name_span.of(text)) is not None
            return _Found(Role.KEY, call, member.name_span, path, names, faults) if clean else None
        span = member.value.span
        if span.start <= at < span.end:
            step: str | int = index if member.name == "item" and path else member.name
            inner = member.value.members if isinstance(member.value, MarkupValue) else ()
            deeper = _in_markup(call, inner, text, at, (*path, step), faults) if inner else None
            if inner:
                return deeper
            return _Found(Role.VALUE, call, span, (*path, step), names, faults)
    return None


def _in_node(call: ToolCall, node: JsonNode, text: str, at: int, path: Path, faults: int) -> _Found | None:
    if node.kind == "object":
        names = frozenset(member.key for member in node.members)
        for member in node.members:
            if member.key_span.start <= at < member.key_span.end:
                clean = _CLEAN.fullmatch(member.key_span.of(text)) is not None
                return _Found(Role.KEY, call, member.key_span, path, names, faults) if clean else None
            if member.value.span.start <= at < member.value.span.end:
                return _in_node(call, member.value, text, at, (*path, member.key), faults)
        return None
    if node.kind == "array":
        for index, item in enumerate(node.items):
            if item.span.start <= at < item.span.end:
                return _in_node(call, item, text, at, (*path, index), faults)
        return None
    return _Found(Role.VALUE, call, node.span, path, frozenset(), faults) if path else None


def _json_over(text: str, start: int) -> int | None:
    """Return where the JSON text at `start` ends, None where it is open at the text's end."""
    depth = 0
    for part in _JSON_PART.finditer(text, start):
        mark = part["mark"]
        if mark is None:
            continue
        depth += 1 if mark in "{[" else -1
        if depth <= 0:
            return part.end()
    return None


def _open_marks(text: str, start: int) -> str | None:
    """Return the brackets that close what is open at the end of a JSON text, None inside of a string."""
    stack: list[str] = []
    for part in _JSON_PART.finditer(text, start):
        mark = part["mark"]
        if mark is None:
            if not part["end"]:
                return None
        elif mark in "{[":
            stack.append("}" if mark == "{" else "]")
        elif stack:
            stack.pop()
            if not stack:
                return ""
    return "".join(reversed(stack))
