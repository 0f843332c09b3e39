"""The cursor in calls whose arguments are an object in a JSON text.

Owns: `ObjectAttempt`: what leads to the JSON text, what its keys and values are to the call, and what ends it. Must not
know: any single dialect, documents, where calls begin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.calls.protocol import ReadContext
from callwright.cursor.cursor_ends import is_whole
from callwright.cursor.cursor_forms import KEY, TOOL, VALUE, Form
from callwright.cursor.cursor_json import JSON_PART, Hit, json_hit, json_over
from callwright.cursor.cursor_places import CursorPlace, Role, Writing
from callwright.cursor.cursor_probe import LEADS, MARKER, PROBE, Attempt, ProbeTools, faults_of
from callwright.dialects.catalogue import find_dialect
from callwright.syntax.prose import line_end
from callwright.text.line_ends import NEWLINE
from callwright.text.span import Span
from callwright.tools.registry import EMPTY

if TYPE_CHECKING:
    from callwright.calls.model import Path

#: Where a JSON text begins: one object, or a list of them.
_OBJECT: Final = re.compile(r"\{(?=\s*+(?:[\"'\w}]|\Z))|\[(?=\s*+\{)")
_LIST: Final = re.compile(r"\{(?=\s*+(?:[\"'\w}]|\Z))|\[(?=\s*+(?:\{|\Z))")
#: What closes the fence that holds a JSON text, whatever is open in that.
_FENCE_LINE: Final = re.compile(r"[\r\n](?:```|~~~)")
_EMPTY_LINE: Final = re.compile(rf"{NEWLINE}[ \t]*+{NEWLINE}")
#: What the tool's name and the arguments are called, and what may hold an object with both.
_NAME_KEYS: Final = ("name", "tool_name", "tool")
_ARGUMENTS_KEYS: Final = ("arguments", "parameters", "args", "input")
_HOLDERS: Final = ("tool_calls", "function", "functionCall")


class ObjectAttempt(Attempt):
    """The attempt to find a cursor in a call with a JSON text."""

    def place(self) -> CursorPlace | None:
        """Return what is at the cursor."""
        is_list = bool(self.form.steps) and isinstance(self.form.steps[0], int)
        pattern, at = (_LIST if is_list else _OBJECT), self.start
        marker = MARKER.search(self.form.json_tail)
        is_fenced = self.dialect is not None and self.dialect.placement == "fence"
        while (opened := pattern.search(self.front, at)) is not None:
            if is_fenced and self.front[line_end(self.front, self.start) : opened.start()].strip():
                # The fence holds something else, in which the JSON text is.
                return None
            end = json_over(self.front, opened.start())
            if end is None and _FENCE_LINE.search(self.front, opened.start()) is not None:
                self.is_over = True
                return None
            # After the marker that ends one call there may be another, with a JSON text of its own.
            if end is None or marker is None or marker[0] not in self.front[end:]:
                return self._in_json(opened.start())
            at = end
        return self._before_json(after_another=at > self.start)

    def _in_json(self, at: int) -> CursorPlace | None:
        """Return what is at a cursor in the JSON text that holds the arguments."""
        form, text = self.form, self.front + self.after
        marker = MARKER.search(form.json_tail)
        stop = text.find(marker[0], self.cursor) if marker is not None else -1
        if stop < 0:
            line = _EMPTY_LINE.search(text, self.cursor)
            stop = len(text) if line is None else line.start()
        hit, end = json_hit(text, at, stop, self.cursor)
        open_markers = closing_markers(self.front, at)
        if hit is not None and hit.frames:
            place = self._json_place(hit, at)
            if place is None and open_markers == "]":
                return self._lead_to_json()
            if place is None or not open_markers or hit.typed or not hit.is_key:
                return place
            if self.front.rstrip().endswith(","):
                return place
            ends = None if hit.around.value_follows else self._json_end(open_markers)
            if ends is None or ends.writing is None:
                return place
            if place.role is Role.NOTHING:
                return ends
            keys = place.writing.frame_keys if place.writing is not None else ("", "")
            return replace(place, writing=ends.writing._replace(frame_keys=keys))
        if open_markers is None or (hit is not None and (hit.around.colon or hit.around.comma or hit.lacks_colon)):
            return self.nothing()
        if open_markers:
            return self._json_end(open_markers) or self.nothing()
        if not self.front[end : self.cursor].strip() or self.overlap(form.json_tail):
            return self._json_end("")
        self.is_over = bool(self.read(text))
        return None

    def _json_end(self, brackets: str) -> CursorPlace | None:
        """Return the place as one where the call can only be ended; `brackets` are those that close what is open."""
        form = self.form
        text = self.front + self.after
        base = self.read(text)
        if any(call.complete and not faults_of(call) for call in base):
            return None
        ending = brackets + form.json_tail
        if not ending.strip():
            return None
        typed = 0
        if not brackets:
            typed = self.overlap(form.json_tail)
            rest = form.json_tail.strip()[typed:]
            if rest and self.after.lstrip().startswith(rest):
                # The end is there, or what lacks of it.
                return self.nothing()
            ending = ending.lstrip() if typed or self.at_space else ending
        before = self.front[: self.cursor - typed]
        calls = self.read(before + ending)
        if not calls or (brackets and not is_whole(calls[-1], before + ending, len(before), self.tools)):
            return None
        return self.end(ending, typed, faults_of(calls[-1]), calls[-1])

    def _json_place(self, hit: Hit, at: int) -> CursorPlace | None:
        """Return what a key or value in the JSON text is to the call."""
        form, steps, frames = self.form, hit.steps, hit.frames
        if not form.steps:
            tool = self._named_before(at)
            return self.argument(hit, tool, steps) if tool is not None else None
        by_name = form.name_key is None
        for depth, frame in enumerate(frames):
            if frame.marker != "{" or not all(isinstance(step, int) or step in _HOLDERS for step in steps[:depth]):
                continue
            last = depth == len(frames) - 1
            if by_name:
                if not last:
                    return self.argument(hit, str(steps[depth]), steps[depth + 1 :])
                if hit.is_key:
                    return self.nothing() if frame.members.keys() - {hit.name} else self._json_name(hit, ())
                return self.argument(hit, str(steps[depth]), ())
            names = _name_keys(form)
            name = next((frame.members[key] for key in names if frame.members.get(key)), None)
            if not last and steps[depth] in _ARGUMENTS_KEYS:
                name = name or (self._named_before(at) if form.name_key else None)
                return self.argument(hit, name, steps[depth + 1 :]) if name else None
            if not last:
                continue
            others = frozenset(frame.members) - {hit.name if hit.is_key else str(steps[depth])}
            if len(others) > 1 and name is None and not others & {*_ARGUMENTS_KEYS}:
                # With so much else in it, it is another object.
                return self.nothing()
            if hit.is_key:
                keys = (form.name_key or "", str(form.steps[-1]))
                writing = Writing(form.dialect, frame_keys=keys, margin=self.margin)
                place = CursorPlace(Role.FRAME_KEY, hit.span, hit.typed, hit.name, name, (), others, json=hit.around)
                return replace(place.shift(self.begin), writing=writing)
            if steps[depth] in names:
                return self._json_name(hit, (str(steps[depth]),))
            if steps[depth] in _ARGUMENTS_KEYS:
                return self.argument(hit, name, ()) if name else None
        return None

    def _json_name(self, hit: Hit, path: Path) -> CursorPlace:
        """Return the place of a tool's name in the JSON text, with what ends the call where nothing follows."""
        form, around = self.form, hit.around
        place = CursorPlace(Role.TOOL_NAME, hit.span, hit.typed, hit.name, path=path or (0,), json=around)
        place = place.shift(self.begin)
        keys = hit.frames[-1].members.keys()
        if around.colon or around.comma or around.value_follows or keys & {*_ARGUMENTS_KEYS}:
            return place
        opened = _OBJECT.search(self.front, self.start) if not form.steps or form.steps[0] != 0 else None
        opened = opened or _LIST.search(self.front, self.start)
        brackets = closing_markers(self.front[: hit.span.start], opened.start()) if opened is not None else None
        after = self.after[max(hit.span.end - self.cursor, 0) :].lstrip()
        if not brackets or after[:1] in ("}", "]"):
            return place
        frame_keys = (str(path[0]) if path else "", str(form.steps[-1]) if path else "")
        writing = Writing(form.dialect, closer=brackets + form.json_tail, frame_keys=frame_keys, margin=self.margin)
        return replace(place, writing=writing)

    def _named_before(self, at: int) -> str | None:
        """Return the tool whose name is before the JSON text that begins at `at`."""
        calls = self.read(self.front[:at] + "{}" + self.form.json_tail)
        return calls[-1].tool if calls else None

    def _before_json(self, *, after_another: bool) -> CursorPlace | None:
        """Return what is at a cursor before the JSON text: the tool's name, or what leads to it."""
        form = self.form
        if after_another and 0 < self.overlap(form.json_tail) < len(form.json_tail.strip()):
            ends = self._json_end("")
            if ends is not None:
                return ends
        if form.name_key is not None and TOOL not in (form.json_lead or ""):
            return self._lead_to_json()
        whole = self.probe(self.front, self.after)
        if whole is not None and whole.role is Role.TOOL_NAME and not whole.faults:
            return self.placed(whole, alone=True, goes_on=True)
        base = self.read(self.front + self.after)
        if base and all(not call.problems and call.complete for call in base):
            if self.cursor < base[-1].place.end:
                return self.nothing()
            self.is_over = after_another
            return None
        rest = form.first.replace(TOOL, self.typed + PROBE) + KEY + form.link + VALUE + form.close + self.tail
        hit = self.probe(self.front, rest)
        if hit is not None and hit.role is Role.TOOL_NAME:
            return self.placed(hit)
        return self._arguments_to_come() or self._lead_to_json()

    def _arguments_to_come(self) -> CursorPlace | None:
        """Return the place where the JSON text of the arguments is to begin, after the tool's name."""
        form = self.form
        leads: list[tuple[int, str]] = [
            *self.leads(form.first[: form.first.find("{")].replace(TOOL, self.typed)),
            (0, ""),
        ]
        for typed, lead in leads:
            before = self.front[: self.cursor - typed] + lead
            calls = self.read(before + "{}" + form.json_tail)
            call = calls[-1] if calls else None
            if call is None or call.tool is None or not self.tools.has(call.tool) or not call.complete:
                continue
            if call.place.end < len(before) or call.tool_span.end > self.cursor:
                continue
            end = self.begin + self.cursor
            writing = Writing(form.dialect, lead=lead, closer=form.json_tail, margin=self.margin)
            return CursorPlace(Role.VALUE, Span(end - typed, end), tool=call.tool, writing=writing)
        return None

    def _lead_to_json(self) -> CursorPlace | None:
        """Return the place of a cursor in the text that leads to the tool's name; text that leads to a fence is
        prose."""
        form = self.form
        if self.dialect is not None and self.dialect.placement == "fence":
            return None
        best: tuple[int, CursorPlace] | None = None
        for typed, lead in self.leads(form.head)[:LEADS]:
            after = form.first.replace(TOOL, PROBE) + KEY + form.link + VALUE + form.close + self.tail
            hit = self.probe(self.front[: self.cursor - typed] + lead, after)
            if hit is None or hit.role is not Role.TOOL_NAME:
                continue
            place = self.placed(hit, lead=lead, lead_typed=typed)
            if place is not None and not hit.faults:
                return place
            if place is not None and (best is None or hit.faults < best[0]):
                best = (hit.faults, place)
        return best[1] if best is not None else None


@cache
def _name_keys(form: Form) -> Sequence[str]:
    """Return what the tool's name may be called in an object with the arguments, as the form's dialect reads it."""
    dialect, name = find_dialect(form.dialect), f'"{form.name_key}"'
    text = f"{form.head}{TOOL}{form.first}{KEY}{form.link}{VALUE}{form.close}{form.tail}"
    found = [form.name_key or ""]
    for key in _NAME_KEYS:
        context = ReadContext(ProbeTools(EMPTY), preferred=form.dialect)
        reading = dialect.read(text.replace(name, f'"{key}"', 1), 0, context) if dialect is not None else None
        if key not in found and reading is not None and any(call.tool == TOOL for call in reading.calls):
            found.append(key)
    return tuple(found)


def closing_markers(text: str, start: int) -> str | None:
    """Return the brackets that close what is open at the end of a JSON text, None inside of a string."""
    stack: list[str] = []
    for part in JSON_PART.finditer(text, start):
        marker = part["symbol"]
        if marker is None:
            if not part["end"]:
                return None
        elif marker in "{[":
            stack.append("}" if marker == "{" else "]")
        elif stack:
            stack.pop()
            if not stack:
                return ""
    return "".join(reversed(stack))
