"""The cursor in calls whose arguments have marks of their own, or are written in another language than JSON.

Owns: `MarkedAttempt`: the order in which the places of such a call are tried. Must not know: any single dialect,
documents, where calls begin.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from callwright.analysis.cursor_forms import KEY, NUMBER, VALUE, quotes_of, starts
from callwright.analysis.cursor_places import Place, Role
from callwright.analysis.cursor_probe import LEADS, PROBE, Attempt, Found, faults_of
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall

#: How many ends of a call are tried.
_ENDINGS: Final = 6
_NAME: Final = r"[\w.\-]"


class MarkedAttempt(Attempt):
    """The attempt to find a cursor in a call with marks around its arguments."""

    def place(self) -> Place | None:
        """Return what stands at the cursor."""
        front = self.front
        base = self.read(front + self.behind)
        sound = bool(base) and all(not call.problems and call.complete for call in base)
        if sound and not any(call.place.start <= self.cursor < self._end_of(call) for call in base):
            self.is_over = True
            return None
        self.has_call = any(call.tool is not None for call in base)
        within = sound and any(call.span.start < self.cursor < call.span.end for call in base)
        whole = self.probe(front, self.behind)
        if whole is None or whole.faults:
            number = self.probe(front, self.behind, str(NUMBER))
            if number is not None and number.role is Role.VALUE and (whole is None or number.faults < whole.faults):
                whole = number
        if whole is not None and not whole.faults:
            return self.placed(whole, alone=True, goes_on=True)
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

    def _named_twice(self) -> Place | None:
        """Return the place of an argument's name that is written behind its value, too."""
        name, close = self.typed + self.word_behind, self.form.close
        at = self.behind.find(close.replace(KEY, name)) if KEY in close and name else -1
        if at < 0:
            return None
        at += close.index(KEY)
        twin = Span(at, at + len(name))
        behind = f"{self.behind[: twin.start]}{self.typed}{PROBE}{self.word_behind}{self.behind[twin.end :]}"
        hit = self.probe(self.front, behind)
        if hit is None or hit.role is not Role.KEY or hit.faults:
            return None
        place = self.placed(hit, alone=True, goes_on=True)
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

    def _broken(self, *, within: bool) -> Place | None:
        """Return what stands at a cursor behind which the call does not go on as it should."""
        front, form = self.front, self.form
        found: list[tuple[int, int, Place]] = []

        def note(hit: Found | None, rank: int, *, alone: bool = False, lead: str = "", typed: int = 0) -> bool:
            if hit is None:
                return False
            place = self.placed(hit, alone=alone, lead=lead, lead_typed=typed)
            if place is not None:
                found.append((hit.faults, rank, place))
            return not hit.faults

        key_rest = form.link + VALUE + form.close + self.tail
        probed_key = self.typed + PROBE
        # The order is that of how much is said of the place: a tag that is begun may also be the text of a value.
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
        place = value or self._opening(Role.KEY, found) or self._value(found)
        if place is not None:
            return place
        place = None if within else self._opening(Role.TOOL_NAME, found)
        place = place or self._ending()
        if place is not None:
            return place
        return min(found, key=lambda each: each[:2])[2] if found else None

    def _value(self, found: list[tuple[int, int, Place]]) -> Place | None:
        """Return the place where a value is written that nothing ends yet."""
        form, rest = self.form, self.behind[len(self.word_behind) :]
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
                hit = hit._replace(span=Span(hit.span.start, self.cursor + len(hit.probe)))
                place = self.placed(hit, alone=goes_on, closer=closing)
                if place is not None and not hit.faults:
                    return place
                if place is not None:
                    found.append((hit.faults, 3, place))
        return None

    def _expects(self, role: Role, hit: Found | None, note: Any, rank: int) -> bool:
        return hit is not None and hit.role is role and note(hit, rank)

    def _opening(self, role: Role, found: list[tuple[int, int, Place]]) -> Place | None:
        """Return the place where an argument (KEY) can begin, or a call with its tool's name."""
        form = self.form
        argument = form.link + VALUE + form.close
        is_key = role is Role.KEY
        literals = (form.next, form.first) if is_key else (form.head,)
        behind = argument.replace(KEY, PROBE) if is_key else form.first + KEY + argument
        for typed, lead in self.leads(*literals)[:LEADS]:
            if role is Role.TOOL_NAME and self.has_call and not typed and not lead.strip().startswith(self.own_openers):
                continue
            before = self.front[: self.cursor - typed] + lead
            for tail in (self.behind, self.tail) if role is Role.KEY else (self.tail,):
                hit = self.probe(before, behind + tail)
                if hit is None or hit.role is not role:
                    continue
                place = self.placed(hit, lead=lead, lead_typed=typed)
                if place is not None and not hit.faults:
                    # Where more than one character is typed of what leads to a name, nobody means the call's end.
                    return self._with_end(place) if typed <= 1 else place
                if place is not None:
                    found.append((hit.faults, 2, place))
        return None

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
        base = self.read(before + self.behind)
        if any(call.complete and not faults_of(call) and call.place.end >= len(before) for call in base):
            return None
        key = self._open_key()
        least: tuple[int, str, int, ToolCall] | None = None
        endings: dict[tuple[int, str], None] = {}
        close = self.form.close.replace(KEY, key)
        for literal in (self.tail, close + self.tail):
            for part in starts(literal):
                typed = self.overlap(part)
                if typed > 1 and part[:typed].endswith(close) and len(part) > len(self.tail):
                    continue
                endings[typed, part.lstrip() if typed or self.at_space else part] = None
        wanted = sorted(endings, key=lambda each: (-each[0], -len(each[1])))
        for typed, ending in wanted[:_ENDINGS]:
            text = self.front[: self.cursor - typed] + ending
            calls = self.read(text)
            if not calls or not calls[-1].complete or calls[-1].place.end < len(text.rstrip()):
                continue
            faults = faults_of(calls[-1])
            if least is None or faults < least[0]:
                least = (faults, ending, typed, calls[-1])
            if not faults:
                break
        if least is None:
            return None
        faults, ending, typed, call = least
        return self.end(ending, typed, faults, call)

    def _open_key(self) -> str:
        """Return the name of the argument whose value may be open at the cursor."""
        if KEY not in self.form.close:
            return KEY
        lead = re.escape(self.form.next.strip())
        names = re.findall(rf"{lead}({_NAME}++)", self.front[self.start :])
        return names[-1] if names else KEY
