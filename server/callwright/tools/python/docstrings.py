"""Parsing a function's docstring: its description, and those of its parameters.

Owns: the three usual layouts (Google's, NumPy's, Sphinx's). Must not know: functions, how a docstring is written in a
source. Takes time linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from callwright.text.span import Span

_GOOGLE: Final = frozenset(
    ["args:", "arguments:", "parameters:", "params:", "keyword args:", "keyword arguments:", "other parameters:"]
)
#: Sections after the description, which are for callers in code.
_ENDS: Final = frozenset(["returns:", "return:", "raises:", "yields:", "yield:", "except:", "exceptions:", "warns:"])
_NUMPY: Final = frozenset(["parameters", "other parameters"])
_NUMPY_ENDS: Final = frozenset(
    ["returns", "raises", "yields", "receives", "warns", "attributes", "see also", "methods"]
)
_RULE: Final = re.compile(r"-{3,}+[ \t]*+")
_ENTRY: Final = re.compile(
    r"\*{0,2}(\w++)[ \t]*+(?:\((?:[^()\r\n]|\([^()\r\n]*+\))*+\)|\[[^\[\]\r\n]*+\])?+[ \t]*+:(?!:)[ \t]*+"
)
_NUMPY_ENTRY: Final = re.compile(r"\*{0,2}(\w++)(?:[ \t]*+,[ \t]*+\*{0,2}(\w++))*+[ \t]*+(?::.*+)?+")
_FIELD: Final = re.compile(r":(\w++)((?:[ \t]++[^:\r\n]++)?+):[ \t]*+")
_PARAMETER: Final = frozenset(["param", "parameter", "arg", "argument", "key", "keyword"])
_BREAK: Final = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class Remark:
    """A piece of text and where it is in the docstring."""

    text: str
    span: Span


@dataclass(slots=True)
class Docstring:
    """The parts of a docstring that are for a model."""

    description: Remark | None = None
    parameters: dict[str, Remark] = field(default_factory=dict)


@dataclass(slots=True)
class _Line:
    start: int
    indent: int
    text: str

    @property
    def span(self) -> Span:
        """The span of its text."""
        begin = self.start + self.indent
        return Span(begin, begin + len(self.text))


def read_docstring(text: str) -> Docstring:
    """Return the parts of a docstring; spans are offsets of `text`."""
    lines = _lines(text)
    found = Docstring()
    head: list[_Line] = []
    at = 0
    ended = False
    while at < len(lines):
        line = lines[at]
        word = line.text.lower()
        ruled = at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1].text) is not None
        if word in _GOOGLE:
            at, ended = _google(lines, at + 1, line.indent, found), True
        elif ruled and word in _NUMPY:
            at, ended = _numpy(lines, at + 2, line.indent, found), True
        elif line.text[:1] == ":" and (named := _FIELD.match(line.text)) is not None:
            at, ended = _sphinx(lines, at, named, found), True
        else:
            ended = ended or word in _ENDS or (ruled and word in _NUMPY_ENDS)
            if not ended:
                head.append(line)
            at += 1
    found.description = _block(head)
    return found


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    at = 0
    for match in [*_BREAK.finditer(text), None]:
        end = match.start() if match is not None else len(text)
        raw = text[at:end]
        bare = raw.lstrip(" \t")
        lines.append(_Line(at, len(raw) - len(bare), bare.rstrip()))
        at = match.end() if match is not None else end
    return lines


def _block(lines: list[_Line]) -> Remark | None:
    """Return lines as one text, without common indentation and surrounding empty lines."""
    while lines and not lines[0].text:
        lines = lines[1:]
    while lines and not lines[-1].text:
        lines = lines[:-1]
    if not lines:
        return None
    # The first line begins after the quotes.
    rest = [line.indent for line in lines[1:] if line.text]
    depth = min(rest, default=0)
    out = [lines[0].text, *(" " * (line.indent - depth) + line.text if line.text else "" for line in lines[1:])]
    return Remark("\n".join(out), Span(lines[0].span.start, lines[-1].span.end))


def _write(found: Docstring, names: list[str], lines: list[_Line], start: int) -> None:
    """Record the description of parameters: the first line from `start` on, and the lines that continue it."""
    first = lines[0]
    begin = start - first.span.start
    pieces = [first.text[begin:], *(line.text for line in lines[1:])]
    text = " ".join(piece for piece in pieces if piece)
    if text:
        last = next(line for line in reversed(lines) if line.text)
        span = Span(start if pieces[0] else next(line for line in lines[1:] if line.text).span.start, last.span.end)
        for name in names:
            found.parameters.setdefault(name, Remark(text, span))


def _deeper(lines: list[_Line], at: int, indent: int) -> int:
    """Return where the lines that are indented deeper than `indent` end; empty lines belong to the next ones."""
    end = at
    while at < len(lines) and (not lines[at].text or lines[at].indent > indent):
        at += 1
        if lines[at - 1].text:
            end = at
    return end


def _google(lines: list[_Line], at: int, indent: int, found: Docstring) -> int:
    end = _deeper(lines, at, indent)
    depth = next((line.indent for line in lines[at:end] if line.text), 0)
    while at < end:
        entry = _ENTRY.match(lines[at].text) if lines[at].indent <= depth else None
        stop = min(_deeper(lines, at + 1, depth), end) if entry is not None else at + 1
        if entry is not None:
            _write(found, [entry[1]], lines[at:stop], lines[at].span.start + entry.end())
        at = max(stop, at + 1)
    return end


def _numpy(lines: list[_Line], at: int, indent: int, found: Docstring) -> int:
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1].text):
            return at
        entry = _NUMPY_ENTRY.fullmatch(line.text) if line.indent == indent and line.text else None
        if entry is None:
            if line.text and line.indent <= indent:
                return at
            at += 1
            continue
        stop = max(_deeper(lines, at + 1, indent), at + 1)
        if stop > at + 1:
            names = [name.strip(" *\t") for name in line.text.partition(":")[0].split(",")]
            _write(found, names, lines[at:stop], line.span.end)
        at = stop
    return at


def _sphinx(lines: list[_Line], at: int, named: re.Match[str], found: Docstring) -> int:
    stop = max(_deeper(lines, at + 1, lines[at].indent), at + 1)
    words = named[2].split()
    if named[1] in _PARAMETER and words:
        _write(found, [words[-1].lstrip("*")], lines[at:stop], lines[at].span.start + named.end())
    return stop
