"""A rejected reply with its safe fixes applied, where they make the whole reply valid.

Owns: `Correction`, `correction_of`, `correction_before`, `refused_arguments`, `ends_inside`. Must not know: the words
of a message, rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.document.reader import read_segment
from callwright.runtime.strict_reader import StrictReader
from callwright.schema.binding import bind
from callwright.text.span import Edit, Span, apply_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callwright.api import Call
    from callwright.rules.base import Diagnostic
    from callwright.runtime.errors import ParseError
    from callwright.runtime.rejection import FailedCall

#: Longer replies are not corrected: no message could show the call.
_MAX_LENGTH: Final = 32_768
#: How many diagnostics are fixed at most, and how often the reply is read again.
_MAX_DIAGNOSTICS: Final = 64
_ROUNDS: Final = 10
#: The dialect in which a native call's arguments are read to validate them.
_SUBSTITUTE: Final = "tool-call-json"
#: What a fence begins with.
_FENCES: Final = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected reply that the strict reader accepts as a whole: its text, its calls in order, and the reader."""

    text: str
    calls: Sequence[Call]
    reader: StrictReader

    def shown(self, numbers: Sequence[int]) -> str | None:
        """Return the calls of these numbers, counted from 1, as a text that contains only them.

        They are shown as the model wrote them where each can be read alone, else as the dialect writes them. None where
        neither is possible.
        """
        if not numbers or not all(1 <= number <= len(self.calls) for number in numbers):
            return None
        chosen = [self.calls[number - 1] for number in numbers]
        return next((text for text in self._texts(chosen) if self._holds(text, chosen)), None)

    def _texts(self, chosen: Sequence[Call]) -> Iterator[str]:
        dialect = find_dialect(self.reader.dialect)
        assert dialect is not None, "the parser has looked"
        renderings = [
            Rendering(call.tool, call.arguments, next(iter(self.reader.registry.get(call.tool)), None), call.id)
            for call in chosen
            if call.tool is not None
        ]
        rendered = dialect.render_all(renderings, RenderStyle())
        if isinstance(rendered, Refusal):
            rendered = ""
        places = self._places()
        written = "\n".join(places.get(call.span, call.span).of(self.text).strip("\r\n") for call in chosen)
        # Markers around several calls do not belong to a single call.
        yield from (rendered, written) if dialect.gathers else (written, rendered)

    def _places(self) -> dict[Span, Span]:
        """Return the span of each call, with the wrapper of its own that a dialect may demand, but without a fence."""
        places: dict[Span, Span] = {}
        for found in read_segment(self.text, self.reader.context).calls:
            call = found.call
            if call.frame is not None and not self.text.startswith(_FENCES, call.frame.start):
                places[call.span] = call.frame
        return places

    def _holds(self, text: str, chosen: Sequence[Call]) -> bool:
        calls, rejection = self.reader.read(text)
        return rejection is None and [_meaning(each) for each in calls] == [_meaning(each) for each in chosen]


def _meaning(call: Call) -> tuple[object, ...]:
    # Arguments are compared as JSON text, because `True == 1` in Python.
    return call.tool, repr(call.arguments)


def correction_of(error: ParseError) -> Correction | None:
    """Return the reply with its safe fixes applied, None where that is not valid, or nothing is to be fixed."""
    if not error.diagnostics or len(error.diagnostics) > _MAX_DIAGNOSTICS or len(error.text) > _MAX_LENGTH:
        return None
    found = _fixed(_reader_of(error), error.text, lambda _span, _text: True)
    return found if found is not None and found.calls and found.text != error.text else None


def correction_before(error: ParseError, offset: int) -> Correction | None:
    """Return the part of the reply before an offset, None where that is not valid or contains no call."""
    reader, text = _reader_of(error), error.text[:offset]
    calls, found = reader.read(text) if len(text) <= _MAX_LENGTH else ([], None)
    return Correction(text, calls, reader) if found is None and calls else None


def _fixed(reader: StrictReader, text: str, may_change: Callable[[Span, str], bool]) -> Correction | None:
    """Apply safe fixes round by round until the text is accepted, and return it; None where it never is, or where a fix
    would change a protected part.
    """
    for _ in range(_ROUNDS):
        calls, found = reader.read(text)
        if found is None:
            return Correction(text, calls, reader)
        edits = _safe_edits(found.diagnostics)
        if not edits or not all(may_change(edit.span, text) for edit in edits):
            return None
        text = apply_edits(text, edits)
        if len(text) > 2 * _MAX_LENGTH:
            return None
    return None


def corrected_arguments(error: ParseError, call: FailedCall) -> str | None:
    """Return the arguments of a native call with their safe fixes applied, on one line; None as in `correction_of`."""
    if call.json is None or call.tool is None or call.json.end - call.json.start > _MAX_LENGTH:
        return None
    start, end = call.json
    reader = StrictReader(error.registry, (_SUBSTITUTE,))
    before = f"<tool_call><tool_name>{call.tool}</tool_name><arguments>"
    after = "</arguments></tool_call>"

    def inside(span: Span, text: str) -> bool:
        return Span(len(before), len(text) - len(after)).covers(span)

    found = _fixed(reader, f"{before}{error.text[start:end]}{after}", inside)
    if found is None or len(found.calls) != 1 or found.calls[0].tool != call.tool:
        return None
    fixed = found.text[len(before) : len(found.text) - len(after)]
    # In valid JSON a line ends only between two values.
    lines = re.split(r"[\r\n]++", fixed)
    return " ".join(line.strip() for line in lines).strip() if fixed != error.text[start:end] else None


def refused_arguments(error: ParseError, call: FailedCall) -> tuple[tuple[str, ...], ...]:
    """Return the paths of a call's arguments that its tool's schema does not allow; a path ends at a list."""
    if len(error.text) > _MAX_LENGTH:
        return ()
    reader = _reader_of(error)
    for found in read_segment(error.text, reader.context).calls:
        if found.call.span == call.span:
            binding = bind(found.call, error.text, reader.registry, reader.settings, fence=found.fence)
            paths = (takewhile(lambda step: isinstance(step, str), each.path) for each in binding.errors)
            return tuple(dict.fromkeys(path for each in paths if (path := tuple(map(str, each)))))
    return ()


def ends_inside(error: ParseError, call: FailedCall) -> bool:
    """Return whether the reply ends inside a call, in which more than its closers is missing."""
    end = len(error.text.rstrip())
    if call.span.end < end:
        return False
    reader = _reader_of(error)
    found = next(
        (each.call for each in read_segment(error.text, reader.context).calls if each.call.span == call.span), None
    )
    return found is not None and not found.complete and correction_of(error) is None


def _reader_of(error: ParseError) -> StrictReader:
    """Return a reader with the options of the parser that rejected the reply, without its limits."""
    return StrictReader(
        error.registry,
        error.dialects,
        markup=error.settings.markup,
        reasoning=error.settings.reasoning,
        answer_tags=error.settings.answer_tags,
    )


def _safe_edits(found: Sequence[Diagnostic]) -> list[Edit]:
    """Return the edits of safe fixes that do not touch each other, the first diagnostic's first."""
    edits: list[Edit] = []
    taken: list[Span] = []
    for diagnostic in found[:_MAX_DIAGNOSTICS]:
        fix = next((fix for fix in diagnostic.fixes if fix.is_safe and fix.edits), None)
        if fix is None:
            continue
        hull = Span(min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits))
        if not any(hull.touches(other) for other in taken):
            taken.append(hull)
            edits += fix.edits
    return edits
