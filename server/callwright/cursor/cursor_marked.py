"""The cursor in calls whose arguments have marks of their own, or are written in another language than JSON.

Owns: `MarkedAttempt`: the order in which the places of such a call are tried. Must not know: any single dialect,
documents, where calls begin.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from callwright.cursor.cursor_forms import KEY, NUMBER, VALUE, quotes_of, starts
from callwright.cursor.cursor_json import json_over
from callwright.cursor.cursor_object import closing_markers
from callwright.cursor.cursor_places import CursorPlace, Role, Schemas
from callwright.cursor.cursor_probe import LEADS, PROBE, Attempt, ProbeHit, faults_of
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall

#: Where a value begins that is written as JSON, after a marker or on a line of its own.
_JSON_BEGINS: Final = re.compile(r"(?:[>|=:]\s*+|[\r\n][ \t]*+)[\[{]")
_PYTHON_STRINGS: Final = r"""'(?:[^'\\]++|\\.)*+(?:'|(?P<open>\Z))|"(?:[^"\\]++|\\.)*+(?:"|(?P<open2>\Z))"""
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
#: How many JSON texts that break off are tried as the value at the cursor, the outermost first.
_MAX_OPEN: Final = 8
#: How many ends of a call are tried.
_ENDINGS: Final = 6
_NAME: Final = r"[\w.\-]"


class MarkedAttempt(Attempt):
    """The attempt to find a cursor in a call with marks around its arguments."""

    def place(self) -> CursorPlace | None:
        """Return what is at the cursor."""
        front = self.front
        base = self.read(front + self.after)
        sound = bool(base) and all(not call.problems and call.complete for call in base)
        if sound and not any(call.place.start <= self.cursor < self._end_of(call) for call in base):
            self.is_over = True
            return None
        self.has_call = any(call.tool is not None for call in base)
        self.is_open = bool(base) and not base[-1].complete and self.tools.has(base[-1].tool or "")
        within = sound and any(call.span.start < self.cursor < call.span.end for call in base)
        whole = self.probe(front, self.after)
        if whole is None or whole.faults:
            number = self.probe(front, self.after, str(NUMBER))
            if number is not None and number.role is Role.VALUE and (whole is None or number.faults < whole.faults):
                whole = number
        if whole is not None and not whole.faults:
            return self._key_of_value(whole) or self.placed(whole, alone=True, goes_on=True)
        twice = self._named_twice()
        if twice is not None:
            return twice
        best = self._broken(within=within)
        if sound and (best is None or best.faults):
            # The call is as it should be, and what is written here can only spoil it.
            return self.nothing()
        if best is not None:
            return best
        return self.placed(whole, alone=True, goes_on=True) if whole is not None and whole.call.complete else None

    def _key_of_value(self, hit: ProbeHit) -> CursorPlace | None:
        """Return the place of a key with which an object begins, where a text would be read that cannot be meant."""
        tool, link = hit.call.tool, self.form.number_link
        if hit.role is not Role.VALUE or tool is None or hit.span.start < self.cursor - len(self.typed):
            return None
        types = Schemas(self.tools).types(tool, hit.path)
        if types is None or not types & {"object"} or "string" in types or not link.strip():
            return None
        key = self.probe(self.front, f"{link}{NUMBER}{self.after[len(self.word_after) :]}")
        if key is None or key.role is not Role.KEY or key.faults or len(key.path) < len(hit.path):
            return None
        place = self.placed(key, alone=True)
        if place is None or place.writing is None:
            return place
        return replace(place, writing=place.writing._replace(around=("", link)))

    def _named_twice(self) -> CursorPlace | None:
        """Return the place of an argument's name that is written after its value, too."""
        name, close = self.typed + self.word_after, self.form.close
        at = self.after.find(close.replace(KEY, name)) if KEY in close and name else -1
        if at < 0:
            return None
        at += close.index(KEY)
        twin = Span(at, at + len(name))
        after = f"{self.after[: twin.start]}{self.typed}{PROBE}{self.word_after}{self.after[twin.end :]}"
        hit = self.probe(self.front, after)
        if hit is None or hit.role is not Role.KEY or hit.faults:
            return None
        place = self.placed(hit, alone=True, goes_on=True)
        if place is None or place.writing is None:
            return place
        return replace(place, writing=place.writing._replace(twin=twin.shift(self.begin + self.cursor)))

    def _end_of(self, call: ToolCall) -> int:
        """Return where a call ends: for a call without an end marker, the line after it."""
        end = call.place.end
        if self.form.next.strip() or "\n" not in self.form.next:
            return end
        between = self.front[end:]
        return len(self.front) + 1 if not between.strip() and between.count("\n") <= 1 else end

    def _broken(self, *, within: bool) -> CursorPlace | None:
        """Return what is at a cursor after which the call does not continue as it should."""
        front, form = self.front, self.form
        found: list[tuple[int, int, CursorPlace]] = []

        def note(hit: ProbeHit | None, rank: int, *, alone: bool = False, lead: str = "", typed: int = 0) -> bool:
            if hit is None:
                return False
            place = self.placed(hit, alone=alone, lead=lead, lead_typed=typed)
            if place is not None:
                found.append((hit.faults, rank, place))
            return not hit.faults

        key_rest = form.link + VALUE + form.close + self.tail
        probed_key = self.typed + PROBE
        # The most specific place comes first: a tag that is begun may also be the text of a value.
        if self.follows(form.head):
            hit = self.probe(front, form.first + KEY + key_rest)
            if self._expects(Role.TOOL_NAME, hit, note, 0):
                return found[-1][2]
        if self.follows(form.next) or self.follows(form.first):
            hit = self.probe(front, key_rest.replace(KEY, probed_key))
            if self._expects(Role.KEY, hit, note, 1):
                return found[-1][2]
        link = form.number_link
        if link.endswith(" ") and link.strip() and not self.typed and front.endswith(link.rstrip()):
            return self.nothing()
        value = self._value(found) if link and self.ahead_of_word.endswith(link) else None
        place = value or self._link(certain=True) or self._nested(found) or self._opening(Role.KEY, found)
        place = place or self._value(found) or self._link(certain=False)
        if place is not None:
            return place
        # What is typed of an end is the beginning of no call.
        begun = self.overlap(form.close.replace(KEY, self._open_key()) + self.tail) > 1
        place = self._ending() if begun else None
        # In a call that is open no other begins.
        within = within or self.is_open
        place = place or (None if within else self._opening(Role.TOOL_NAME, found)) or self._ending()
        if place is not None:
            return place
        return min(found, key=lambda each: each[:2])[2] if found else None

    def _value(self, found: list[tuple[int, int, CursorPlace]]) -> CursorPlace | None:
        """Return the place where a value is written that nothing ends yet."""
        form, rest = self.form, self.after[len(self.word_after) :]
        key = self._open_key()
        close = form.close.replace(KEY, key)
        number_close = form.number_close.replace(KEY, key)
        tries = [(self.front, PROBE, close), (self.front, str(NUMBER), number_close)]
        if any(quotes_of(form)):
            tries.append((self.ahead_of_word, str(NUMBER), number_close))
        for before, probe, closing in tries:
            typed = self.overlap(closing) if len(closing) > 1 else 0
            typed = typed if typed < len(closing.lstrip()) else 0
            for tail, goes_on in ((rest, True), (self.tail, False)):
                hit = self.probe(before[: len(before) - typed], closing + tail, probe)
                if hit is None or hit.role is not Role.VALUE or (typed and hit.faults):
                    continue
                if typed:
                    return self.end(closing.lstrip(), typed, hit.faults, hit.call)
                is_value = self.fits(before + closing + tail, hit.path)
                hit = hit._replace(span=Span(hit.span.start, self.cursor + len(hit.probe)))
                place = self.placed(hit, alone=goes_on, closer=closing if is_value else "")
                if place is not None and not hit.faults:
                    return place
                if place is not None:
                    found.append((hit.faults, 3, place))
        return None

    # Inside of values that hold others

    def _nested(self, found: list[tuple[int, int, CursorPlace]]) -> CursorPlace | None:
        """Return the place inside of an object or array among the arguments that nothing ends yet."""
        form = self.form
        if form.json_values:
            return self._in_open_json()
        if KEY in form.close:
            return self._in_open_elements(found)
        quote = quotes_of(form)[0]
        return self._in_open_brackets(quote, found) if quote else None

    def _in_open_json(self) -> CursorPlace | None:
        """Return the place in a value that is written as JSON and breaks off."""
        front, over, tried = self.front, self.start, 0
        for opened in _JSON_BEGINS.finditer(front, self.start):
            at = opened.end() - 1
            if at < over:
                continue
            end = json_over(front[at:], 0)
            if end is None:
                closing = self.form.number_close.replace(KEY, self._open_key())
                hit = self.probe(front[:at], closing + self.tail, str(NUMBER))
                if hit is not None and hit.role is Role.VALUE and hit.path:
                    return self.in_value(hit) or self._end_of_json(at, closing, hit)
                over, tried = at + 1, tried + 1
                if tried == _MAX_OPEN:
                    return None
            else:
                over = at + end
        return None

    def _end_of_json(self, at: int, closing: str, hit: ProbeHit) -> CursorPlace:
        """Return the cursor as a place where the JSON text that begins at `at` can only be ended."""
        brackets = closing_markers(self.front, at)
        after = self.front.rstrip()[-1:]
        if not brackets or after in (",", ":") or "{" + self.after.lstrip()[:1] in ("{}", "{]", "{,", "{:"):
            return self.nothing()
        ending = brackets + closing + self.tail
        return self.nothing() if self.ended(ending, 0) is None else self.end(ending, 0, hit.faults, hit.call)

    def _open_elements(self) -> list[str]:
        """Return the names of the elements among the arguments that are open at the cursor, outermost first."""
        form = self.form
        begin, link = form.next.strip(), form.number_link
        before, named, after = form.number_close.partition(KEY)
        if not begin or not link or not before or not named:
            return []
        pattern = re.compile(
            f"{re.escape(before)}(?P<close>{_NAME}++){re.escape(after)}|{re.escape(begin)}(?P<open>{_NAME}++){re.escape(link)}"
        )
        names: list[str] = []
        for match in pattern.finditer(self.front, self.start):
            if match["open"] is not None and match[0] not in form.head:
                names.append(match["open"])
            elif match["close"] in names:
                del names[len(names) - names[::-1].index(match["close"]) - 1 :]
        return names

    def _in_open_elements(self, found: list[tuple[int, int, CursorPlace]]) -> CursorPlace | None:
        """Return the place among elements inside of an element."""
        form = self.form
        names, begin = self._open_elements(), form.next.strip()
        if not names:
            return None
        closing = "".join(form.number_close.replace(KEY, name) for name in reversed(names)) + self.tail
        typed = self.overlap(closing)
        is_begun = self.ahead_of_word.endswith(begin)
        if 1 < typed < len(closing) and len(names) > 1 and not is_begun:
            call = self.ended(closing, typed)
            if call is not None and not faults_of(call):
                return self.end(closing.lstrip(), typed, 0, call)
            close = form.number_close.replace(KEY, names[-1])
            return self._end_of_value(close, closing[len(close) :])
        if is_begun and self.typed:
            own = form.link + VALUE + form.close.replace(KEY, self.typed + PROBE)
            return self._within_another(self.probe(self.front, own + closing), Role.KEY, "", found)
        hit = None if is_begun else self.probe(self.front, closing)
        if hit is None or not self._may_hold_others(hit):
            place = self._within_another(hit, Role.VALUE, closing, found)
            if place is not None:
                return place
        return self._next_element(closing)

    def _may_hold_others(self, hit: ProbeHit) -> bool:
        """Return whether the schemas have an object or an array at a probe's path."""
        types = Schemas(self.tools).types(hit.call.tool, hit.path) if hit.call.tool is not None else None
        return types is not None and bool(types & {"object", "array"})

    def _next_element(self, closing: str) -> CursorPlace | None:
        """Return the place between the elements of an element that `closing` ends with all around it."""
        form = self.form
        own = form.link + VALUE + form.close.replace(KEY, PROBE)
        for typed, lead in self.leads(form.next)[:LEADS]:
            hit = self.probe(self.front[: self.cursor - typed] + lead, own + closing)
            if hit is None or hit.role is not Role.KEY or hit.faults or not hit.path or not self._may_hold_others(hit):
                continue
            place = self.placed(hit, lead=lead, lead_typed=typed)
            if place is None or place.writing is None:
                return place
            begun = self.overlap(closing)
            if self.ended(closing, begun) is None:
                return place
            return replace(place, writing=place.writing._replace(closer=closing, closer_typed=begun))
        return None

    def _in_open_brackets(self, quote: str, found: list[tuple[int, int, CursorPlace]]) -> CursorPlace | None:
        """Return the place in an object or array that is written in brackets, with strings between quotes."""
        form, front = self.form, self.front
        strings = _PYTHON_STRINGS if len(quote) == 1 else f"{re.escape(quote)}.*?(?:{re.escape(quote)}|(?P<open>\\Z))"
        pattern = re.compile(rf"{strings}|(?P<symbol>[{{}}\[\]()])", re.DOTALL)
        own, _ = _open_at_end(pattern, form.head + form.first, 0)
        stack, string = _open_at_end(pattern, front, self.start)
        if len(stack) <= len(own):
            return None
        markers = front[string : string + len(quote)] if string >= 0 else ""
        closing = "".join(reversed(stack[len(own) :])) + self.tail
        ahead = (front[:string] if string >= 0 else self.ahead_of_word).rstrip()
        keys_quoted = len(quote) == 1
        if stack[-1] == "}" and ahead[-1:] in ("{", ","):
            around = (quote, f"{quote}: ") if keys_quoted else ("", ":")
            if string >= 0:
                around = ("", f"{markers}: " if keys_quoted else "")
                after = f"{markers}: {NUMBER}"
            else:
                after = f"{around[1]}{NUMBER}"
            before = front if string >= 0 else self.ahead_of_word + around[0] + self.typed
            hit = self.probe(before, after + closing)
            if hit is None or hit.role is not Role.KEY or (string >= 0 and not keys_quoted):
                return None
            start = self.cursor - len(self.typed)
            hit = hit._replace(span=Span(start, self.cursor + len(hit.probe)))
            place = self.placed(hit, alone=True)
            if place is None or place.writing is None:
                return None
            # After a comma, or in the middle of a key, nothing can end.
            can_end = ahead.endswith("{") and string < 0 and not self.typed and self.ended(closing, 0) is not None
            ends = closing if can_end else ""
            return replace(place, writing=place.writing._replace(around=around, closer=ends))
        if string >= 0:
            return self._within_another(self.probe(front, markers + closing), Role.VALUE, markers + closing, found)
        hit = self.probe(self.ahead_of_word, closing, str(NUMBER))
        return self._within_another(hit, Role.VALUE, closing, found)

    def _within_another(
        self, hit: ProbeHit | None, role: Role, closing: str, found: list[tuple[int, int, CursorPlace]]
    ) -> CursorPlace | None:
        """Return the place of a probe inside of another value, noted where the call has faults all the same.

        `closing` ends the call there, and is offered where it leaves it whole.
        """
        if hit is None or hit.role is not role or len(hit.path) < (1 if role is Role.KEY else 2):
            return None
        if role is Role.VALUE:
            hit = hit._replace(span=Span(hit.span.start, self.cursor + len(hit.probe)))
        place = self.placed(hit, closer=closing if closing and self.ended(closing, 0) is not None else "")
        if place is not None and hit.faults:
            found.append((hit.faults, 3, place))
            return None
        return place

    def _link(self, *, certain: bool) -> CursorPlace | None:
        """Return the place where the text between a name and its value is begun, None where nothing of it is typed.

        Where it must be `certain`, the call has no fault with it; otherwise more than one character of it is typed.
        """
        form = self.form
        closing = form.close.replace(KEY, self._open_key()) + self.tail
        for part in map(str.lstrip, starts(form.link)):
            typed = self.overlap(part)
            written = form.link[: len(form.link) - len(part)].strip()
            # A whole marker of the link, and a space, are enough.
            goes_on = bool(written) and self.at_space and self.front.rstrip().endswith(written)
            if not goes_on and not (0 if certain else 1) < typed < len(part):
                continue
            hit = self.probe(self.front[: self.cursor - typed] + part, closing)
            if hit is None or hit.role is not Role.VALUE or (certain and hit.faults):
                continue
            # In the text of a value it leads to none.
            if not self.front[hit.span.start : self.cursor - typed].strip():
                # A quote that a link ends with is closed.
                ending = part + quotes_of(form)[1]
                return replace(self.end(ending, typed, max(hit.faults, 1), hit.call), path=hit.path[:-1])
        return None

    def _expects(self, role: Role, hit: ProbeHit | None, note: Any, rank: int) -> bool:
        return hit is not None and hit.role is role and note(hit, rank)

    def _opening(self, role: Role, found: list[tuple[int, int, CursorPlace]]) -> CursorPlace | None:
        """Return the place where an argument (KEY) can begin, or a call with its tool's name."""
        form = self.form
        argument = form.link + VALUE + form.close
        is_key = role is Role.KEY
        literals = (form.next, form.first) if is_key else (form.head,)
        after = argument.replace(KEY, PROBE) if is_key else form.first + KEY + argument
        for typed, lead in self.leads(*literals)[:LEADS]:
            if role is Role.TOOL_NAME and self.has_call and not lead.strip().startswith(self.own_openers):
                continue
            before = self.front[: self.cursor - typed] + lead
            further_in = "" if is_key or typed else self.indentation(form.head, lead)[1]
            tails = [(after + self.after, ""), (after + self.tail, "")] if is_key else [(after + self.tail, "")]
            if further_in:
                tails.append(((after + self.tail).replace("\n", f"\n{further_in}"), further_in))
            for rest, margin in tails:
                hit = self.probe(before, rest)
                if hit is None or hit.role is not role:
                    continue
                place = self.placed(hit, lead=lead, lead_typed=typed)
                if place is not None and place.writing is not None and margin:
                    place = replace(place, writing=place.writing._replace(margin=self.margin + margin))
                if place is not None and not hit.faults:
                    # More than one typed character of the text that leads to a name cannot be the call's end.
                    return self._with_end(place) if typed <= 1 else place
                if place is not None and not hit.spoils:
                    found.append((hit.faults, 2, place))
        return None

    def _with_end(self, place: CursorPlace) -> CursorPlace:
        """Return a place where an argument can begin with what would end the call there instead."""
        ends = self._ending()
        if ends is None or ends.writing is None or place.writing is None:
            return place
        return replace(
            place, writing=place.writing._replace(closer=ends.writing.closer, closer_typed=ends.writing.closer_typed)
        )

    def _ending(self) -> CursorPlace | None:
        """Return the place as one where the call can only be ended, None where it needs no end."""
        before = self.front.removesuffix("<")
        base = self.read(before + self.after)
        if any(call.complete and not faults_of(call) and call.place.end >= len(before) for call in base):
            return None
        key = self._open_key()
        least: tuple[int, str, int, ToolCall] | None = None
        endings: dict[tuple[int, str], None] = {}
        close = self.form.close.replace(KEY, key)
        opened = self._open_elements()
        around = "".join(self.form.number_close.replace(KEY, name) for name in reversed(opened[:-1])) + self.tail
        for literal in (close + around,) if opened else (self.tail, close + self.tail):
            # No end leaves out that of an element which is open.
            for part in starts(literal)[:1] if opened else starts(literal):
                typed = self.overlap(part)
                if part[0].isalnum() and literal[: len(literal) - len(part)].endswith(("|", "<", "/")):
                    # The middle of a marker begins nothing.
                    continue
                if typed > 1 and part[:typed].endswith(close) and len(part) > len(self.tail):
                    continue
                endings[typed, part.lstrip() if typed or self.at_space else part] = None
        wanted = sorted(endings, key=lambda each: (-each[0], -len(each[1])))
        for typed, ending in wanted[:_ENDINGS]:
            call = self.ended(ending, typed)
            if call is None:
                continue
            faults = faults_of(call)
            if least is None or faults < least[0]:
                least = (faults, ending, typed, call)
            if not faults:
                break
        if least is None:
            return self._end_of_value(close, around)
        faults, ending, typed, call = least
        return self.end(ending, typed, faults, call)

    def _end_of_value(self, close: str, after: str) -> CursorPlace | None:
        """Return the place where the end of a value is begun; `after` ends the rest of the call."""
        typed = self.overlap(close)
        if not 1 < typed < len(close.lstrip()):
            return None
        calls = self.read(self.front[: self.cursor - typed] + close.lstrip() + after)
        sound = bool(calls) and calls[-1].complete and not faults_of(calls[-1])
        return self.end(close.lstrip(), typed, 0, calls[-1]) if sound else None

    def _open_key(self) -> str:
        """Return the name of the argument whose value may be open at the cursor."""
        if KEY not in self.form.close:
            return KEY
        opened = self._open_elements()
        if opened:
            return opened[-1]
        lead = re.escape(self.form.next.strip())
        names = re.findall(rf"{lead}({_NAME}++)", self.front[self.start :])
        return names[-1] if names else KEY


def _open_at_end(pattern: re.Pattern[str], text: str, start: int) -> tuple[list[str], int]:
    """Return what closes the brackets that are open at the end of a text, outermost first, and where the string begins
    that is open there, -1 without one."""
    stack: list[str] = []
    string = -1
    for match in pattern.finditer(text, start):
        marker = match["symbol"]
        if marker is None:
            string = -1 if _is_closed(match) else match.start()
        elif marker in _CLOSERS:
            stack.append(_CLOSERS[marker])
        elif stack:
            stack.pop()
    return stack, string


def _is_closed(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return groups.get("open") is None and groups.get("open2") is None
