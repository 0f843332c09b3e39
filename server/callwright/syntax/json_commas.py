"""JSON in which only commas are missing, corrected at the speed of the C parser.

Owns: `with_commas`, which returns such a text with its commas, and the problems that the tolerant reader would return.
Must not know: what the JSON is for, other errors: they are left to the tolerant reader.

The C parser finds where a comma is missing. The tolerant reader reads only the object around that place, and decides;
after it the C parser continues.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, Final

from callwright.syntax.json import MAX_DEPTH, read_json
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.text.budget import yield_point
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

#: How much text around an error the tolerant reader reads, and how many braces before it are tried as its beginning.
_AROUND: Final = 65_536
_TRIED: Final = 24
#: How much text the C parser reads at first, and what it may reject only because the text is cut there.
_WINDOW: Final = 16_384
_TOKEN: Final = 16
_SPACE: Final = re.compile(r"[ \t\r\n]*+")
_KEY: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\r\n]*+:', re.DOTALL)
_NO_COMMA: Final = "Expecting ',' delimiter"
#: What may follow where a comma is missing, as far as this module knows.
_FOLLOWERS: Final = ('"', "{", "[")

# The type stubs do not know the scanner, which is the parser without the check of what follows the value.
_DECODER: Any = json.JSONDecoder()
_SCAN: Final = _DECODER.scan_once


class CompletedJson(NamedTuple):
    """A text with its commas, and the problems that the tolerant reader has with the text without them."""

    text: str
    problems: list[Problem]


def with_commas(text: str, start: int = 0) -> CompletedJson | None:
    """Return a text with its missing commas; None if it has other errors, or might have.

    `start` is where the JSON begins. The result need not be JSON, since other errors are skipped, so it has to be
    parsed. If it is JSON, `read_json` finds the same problems, and the value of the result.
    """
    problems: list[Problem] = []
    at, opener = _skip(text, start), ""
    climbed = 0
    while at < len(text) and climbed <= MAX_DEPTH:
        yield_point()
        climbed += 1
        end, fault = _scan_from(text, at, opener)
        if fault is not None:
            around = _around(text, fault, start)
            if around is None or len(problems) + len(around.problems) > MAX_PROBLEMS:
                return None
            problems += around.problems
            end, climbed = around.end, 0
        elif end is None:
            return None
        # After a whole value: all closers there, up to the text after them.
        at = _skip(text, end)
        while at < len(text) and text[at] in "}]":
            at = _skip(text, at + 1)
        if at >= len(text):
            break
        if text[at] != ",":
            return None
        at = _skip(text, at + 1)
        opener = "{" if _KEY.match(text, at) else "["
    if not problems or climbed > MAX_DEPTH:
        return None
    places = [problem.span.start for problem in problems]
    pieces = [text[low:high] for low, high in zip([0, *places], [*places, len(text)], strict=True)]
    return CompletedJson(",".join(pieces), problems)


class _Around(NamedTuple):
    """The tolerant reader's result for the object around an error, and where that ends."""

    problems: list[Problem]
    end: int


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def _scan_from(text: str, at: int, opener: str) -> tuple[int | None, int | None]:
    """Run the C parser on what follows `opener`, or on a value; return where that ends, or where a comma is missing.

    Return neither if there is another error.
    """
    size = _WINDOW
    before = len(opener)
    while True:
        window = opener + text[at : at + size]
        whole = at + size >= len(text)
        try:
            _, end = _SCAN(window, 0)
        except json.JSONDecodeError as error:
            if error.msg == _NO_COMMA and error.pos < len(window) - (0 if whole else _TOKEN):
                return None, at + error.pos - before
            if whole or (error.pos < len(window) - _TOKEN and not error.msg.startswith("Unterminated")):
                return None, None
        except (StopIteration, ValueError, RecursionError):
            if whole:
                return None, None
        else:
            # A number at the end may continue after it.
            if whole or end < len(window):
                return at + end - before, None
        size *= 8


def _around(text: str, fault: int, start: int) -> _Around | None:
    """Read the object around a missing comma with the tolerant reader; None if it has other problems."""
    if text[fault : fault + 1] not in _FOLLOWERS:
        return None
    begin = fault
    for _ in range(_TRIED):
        begin = text.rfind("{", max(start, fault - _AROUND), begin)
        if begin < 0:
            return None
        if _fails_at(text, begin, fault):
            break
    else:
        return None
    places: list[int] = []
    piece = text[begin : begin + _AROUND]
    while True:
        place = _after_token(piece, fault - begin + len(places))
        places.append(place)
        piece = f"{piece[:place]},{piece[place:]}"
        try:
            value, length = _SCAN(piece, 0)
            break
        except json.JSONDecodeError as error:
            if (
                error.msg != _NO_COMMA
                or piece[error.pos : error.pos + 1] not in _FOLLOWERS
                or len(places) >= MAX_PROBLEMS
            ):
                return None
            fault = begin + error.pos - len(places)
        except (StopIteration, ValueError, RecursionError):
            return None
    end = begin + length - len(places)
    spans = [Span(begin + place - number, begin + place - number) for number, place in enumerate(places)]
    return _as_read(text, begin, end, value, spans)


def _after_token(text: str, at: int) -> int:
    """Return where the token ends to which only space leads back from `at`."""
    while text[at - 1] in " \t\r\n":
        at -= 1
    return at


def _fails_at(text: str, begin: int, fault: int) -> bool:
    """Return whether the value that opens at `begin` is valid exactly up to the missing comma."""
    try:
        _SCAN(text[begin : fault + 1], 0)
    except json.JSONDecodeError as error:
        return error.msg == _NO_COMMA and begin + error.pos == fault
    except (StopIteration, ValueError, RecursionError):
        return False
    return False


def _as_read(text: str, begin: int, end: int, value: Any, spans: list[Span]) -> _Around | None:
    """Return the problems of an object from the tolerant reader, if they are only these missing commas."""
    before = _after_token(text, begin) - 1 if text[:begin].strip() else -1
    follows = _skip(text, end)
    # What is around the object in its turn, in short.
    if before >= 0 and text[before] == ":":
        head, tail = '{"a":', ',"b":0}' if text[follows : follows + 1] == "," else "}"
    elif before >= 0 and text[before] in "[,":
        head, tail = "[", ",{}]" if text[follows : follows + 1] == "," else "]"
    else:
        return None
    read = read_json(head + text[begin:end] + tail)
    by = begin - len(head)
    if [problem.span.shift(by) for problem in read.problems] != spans:
        return None
    if any(problem.kind != "missing-comma" or not problem.certain for problem in read.problems):
        return None
    inner = read.value["a"] if head[0] == "{" else read.value[0]
    if inner != value:
        return None
    problems = [
        replace(
            problem,
            span=problem.span.shift(by),
            repair=tuple(Edit(edit.span.shift(by), edit.text) for edit in problem.repair),
        )
        for problem in read.problems
    ]
    return _Around(problems, end)
