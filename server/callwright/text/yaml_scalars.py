"""YAML scalars as projections: literal and folded blocks, text in double and single quotes, text without quotes.

Owns: the value of each style of scalar, piece by piece, and how an edit is written in that style. Must not know:
collections, what is a key, hosts.

A text is written back in its own style. If the style cannot represent the new text, or only by rewriting other lines,
the edit is rejected.
"""

import re
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from callwright.text.escapes import YAML_ESCAPES
from callwright.text.holes import has_hole
from callwright.text.projection import SegmentProjection, Segments
from callwright.text.records import NamedTuple, dataclass
from callwright.text.span import Edit, Span

#: The maximum length of a scalar that is read again as a whole to verify an edit.
VERIFIED: Final = 65_536
#: Characters that YAML parsers do not accept literally. Those of YAML 1.1 end a line at NEL, U+2028 and U+2029, so
#: these are included. A class of few characters compiles ten times as fast as that of all others.
UNWRITABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
BREAK: Final = re.compile(r"\r\n|\n|\r")
_SPACES: Final = re.compile(r" *+")
#: Lines without text, and the indentation of the first that has some.
_BLANK_LINES: Final = re.compile(r"(?: *+(?>\r\n|\n|\r))*+( *+)")
_CONTENT: Final = re.compile(r"([^\r\n]*+)(\r\n|\n|\r|\Z)")
#: A line end that a block keeps, with what precedes the next.
_KEPT: Final = re.compile(r"(?:\r\n|\n|\r) *+")
#: A line of text in quotes, or without, that would end the document.
_MARKER_LINE: Final = re.compile(r"[\r\n](?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_NEWLINES: Final = re.compile(r"(\n++)")

_PIECE: Final = re.compile(
    r"(?P<text>[^\\\r\n \t]++|[ \t]++(?![ \t\r\n]))"
    r"|(?P<fold>[ \t]*+(?>\r\n|\n|\r)(?:[ \t]*+(?>\r\n|\n|\r))*+[ \t]*+)"
    r"|(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\(?:x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8}))"
    r"|(?P<joined>\\(?>\r\n|\n|\r)(?:[ \t]*+(?>\r\n|\n|\r))*+[ \t]*+)"
    r"|\\(?P<one>[\s\S])"
    r"|(?P<rest>[\s\S])"
)
_MUST_ESCAPE: Final = re.compile(r'["\\\t\n]|' + UNWRITABLE.pattern)
_WRITTEN: Final = {decoded: f"\\{letter}" for letter, decoded in YAML_ESCAPES.items() if letter not in "\t /"}
_SURROGATE_PAIR: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")

#: Text without quotes on one line, as far as it goes.
PLAIN: Final = re.compile(r"(?:[^\r\n\t :#]++|:(?![ \t\r\n]|\Z)|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+")
PLAIN_IN_FLOW: Final = re.compile(
    r"(?:[^\r\n\t :#,\[\]{}]++|:(?![ \t\r\n,\[\]{}]|\Z)|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+"
)
MARKER: Final = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_PLAIN_START: Final = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[\-?:](?=\S)")
#: The line ends between two lines of one scalar.
BREAKS: Final = re.compile(r"[ \t]*+(?>\r\n|\n|\r)(?:[ \t]*+(?>\r\n|\n|\r))*+")
_FOLD: Final = re.compile(BREAKS.pattern + r"[ \t]*+")
#: Text that a parser may read as another type without quotes (a superset).
_NO_TEXT: Final = re.compile(
    r"[-+.~]?\d[\w\-.:+ \t]*+|[-+]?\.[\w.]*+|(?i:true|false|yes|no|on|off|null|[yn])|[~=]|<<|---|"
)


def is_text(word: str) -> bool:
    """Return whether all parsers read a text without quotes as text."""
    return _NO_TEXT.fullmatch(word) is None


class Piece(NamedTuple):
    """One piece of a scalar: its value, and its length in the document."""

    text: str
    raw: int


class YamlScalar(SegmentProjection):
    """A scalar whose raw text is `raw`, without quotes and without the header of a block."""

    def __init__(self, raw: str, start: int, pieces: Iterable[Piece]) -> None:
        self.raw = raw
        self.start = start
        self._raw_lengths = array("q")
        self._lengths = array("q")
        parts: list[str] = []
        for text, length in pieces:
            parts.append(text)
            self._lengths.append(len(text))
            self._raw_lengths.append(length)
        self.text = "".join(parts)

    @property
    def raw_length(self) -> int:
        """The number of characters of the scalar's text in the document."""
        return len(self.raw)

    def split(self) -> Segments:
        """Return the pieces."""
        return Segments(self._lengths, self._raw_lengths)

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None if that is impossible."""
        self.raw_span(edit.span)
        if has_hole(edit.text):
            return None
        for start, end, text in self._spellings(edit):
            written = self._write(start, end, text)
            if written is None:
                continue
            raw = Edit(self.raw_span(Span(start, end)), written)
            if len(self.raw) + len(written) > VERIFIED:
                return raw if self._is_certain(start, end) else None
            low, high = raw.span.start - self.start, raw.span.end - self.start
            expected = self.text[: edit.span.start] + edit.text + self.text[edit.span.end :]
            if self._reads(self.raw[:low] + written + self.raw[high:], expected):
                return raw
        return None

    def _spellings(self, edit: Edit) -> Iterator[tuple[int, int, str]]:
        """Yield the ways to write the same edit: as it is, and with the line ends beside it rewritten."""
        (start, end), text = edit
        if len(self.raw) + len(text) <= VERIFIED:
            yield start, end, text
        first, last = start, end
        while first > 0 and self._is_fold(first - 1):
            first -= 1
        while last < len(self.text) and self._is_fold(last):
            last += 1
        if (first, last) != (start, end) or len(self.raw) + len(text) > VERIFIED:
            yield first, last, self.text[first:start] + text + self.text[end:last]

    def _is_fold(self, offset: int) -> bool:
        """Return whether the code point at `offset` is written by a line end."""
        low, high = self.segments.start(offset), self.segments.end(offset + 1)
        return "\n" in self.raw[low:high] or "\r" in self.raw[low:high]

    def _is_certain(self, start: int, end: int) -> bool:
        """Return whether an edit in a scalar that is too long to be read again is certainly right."""
        del start, end
        return False

    @abstractmethod
    def _write(self, start: int, end: int, text: str) -> str | None:
        """Return what replaces `[start, end)` for `text`, None if the style cannot represent it."""

    @abstractmethod
    def _reads(self, raw: str, expected: str) -> bool:
        """Return whether the value of a raw text in this style is `expected`."""

    def escape(self, text: str) -> str | None:
        """Return `text` as it is in the middle of a line, None if it cannot be."""
        return None if "\n" in text or UNWRITABLE.search(text) else text


# -- blocks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """The header of a block: its style, `+` or `-` or nothing, and its indentation (0 for none)."""

    folded: bool
    chomp: str = ""
    explicit: int = 0


@dataclass(frozen=True, slots=True)
class BlockLines:
    """Where the lines of a block are: where its text begins, and ends with and without the line ends that it keeps.

    `depth` is the column of its text, `after` the beginning of the next line outside it. `closed` says that a line end
    follows its text, `uneven` that an empty line before it is deeper.
    """

    begin: int
    text_end: int
    end: int
    after: int
    depth: int
    closed: bool
    uneven: bool = False


def block_lines(text: str, at: int, indent: int, header: BlockHeader, limit: int | None = None) -> BlockLines:
    """Find the lines of the block whose first line begins at `at`, deeper than column `indent` (-1 for the root)."""
    stop = len(text) if limit is None else limit
    blank = _BLANK_LINES.match(text, at, stop)
    assert blank is not None, "no line is needed for it to match"
    least = indent + 1
    uneven = False
    if header.explicit:
        depth = max(least, 1) + header.explicit - 1
    else:
        has_text = blank.end() < stop or blank.end() == at
        deepest = max(map(len, BREAK.split(text[at : blank.start(1) if has_text else blank.end()])))
        depth = len(blank[1]) if has_text and len(blank[1]) >= least else max(least, deepest)
        uneven = has_text and least <= depth < deepest
    found = _body(depth).match(text, at, stop)
    assert found is not None, "no line is needed for it to match"
    after = found.end()
    end = after
    while end > at:
        low = max(text.rfind("\n", at, end), text.rfind("\r", at, end)) + 1 or at
        low = max(low, at)
        if end - low > depth:
            break
        end = low
        if end > at:
            end -= 2 if text.startswith("\r\n", end - 2) and end - 2 >= at else 1
    closed = end < after
    begin = at + min(_SPACES.match(text, at, after).end() - at, depth)  # type: ignore[union-attr]
    if end <= begin:
        return BlockLines(begin, begin, after if header.chomp == "+" else begin, after, depth, False)
    keep = after if header.chomp == "+" else end
    if closed and not header.chomp:
        keep = end + (2 if text.startswith("\r\n", end) else 1)
    return BlockLines(begin, end, keep, after, depth, closed, uneven)


@lru_cache(maxsize=64)
def _body(depth: int) -> re.Pattern[str]:
    """Return the pattern of lines that are indented by so many spaces, or by fewer and empty."""
    marker = r"(?!(?:---|\.\.\.)(?:[ \t\r\n]|\Z))" if not depth else ""
    content = rf"{marker} {{{depth}}}[^\r\n]"
    return re.compile(rf"(?:(?:{content}*+| *+(?=[\r\n]))(?>\r\n|\n|\r))*+(?:{content}++)?+")


def block_text(text: str, lines: BlockLines, header: BlockHeader) -> str:
    """Return the value of a block."""
    if header.folded:
        return "".join(piece.text for piece in block_pieces(text, lines, header))
    if lines.end <= lines.begin:
        return ""
    return _margin(lines.depth).sub("\n", text[lines.begin : lines.end])


@lru_cache(maxsize=64)
def _margin(depth: int) -> re.Pattern[str]:
    return re.compile(rf"(?:\r\n|\n|\r) {{0,{depth}}}")


def read_block(text: str, at: int, indent: int, header: BlockHeader, limit: int | None = None) -> "BlockScalar":
    """Read the block whose first line begins at `at`; its lines are deeper than column `indent` (-1 for the root)."""
    lines = block_lines(text, at, indent, header, limit)
    return BlockScalar(text, lines, indent, header, lines.begin - at)


def block_pieces(text: str, lines: BlockLines, header: BlockHeader) -> Iterator[Piece]:
    """Yield the pieces of a block, each with the indentation before it."""
    at, depth = lines.begin, lines.depth
    #: The line ends since the last line with text: how many characters each takes with the indentation after it.
    breaks: list[int] = []
    previous = ""
    while at < lines.text_end:
        line = _CONTENT.match(text, at, lines.text_end)
        assert line is not None, "a line may be empty"
        if line[1]:
            first = text[at]
            if previous and header.folded and previous not in " \t" and first not in " \t":
                yield from _folded_breaks(breaks)
            else:
                yield from (Piece("\n", each) for each in breaks)
            yield Piece(line[1], len(line[1]))
            previous, breaks = first, []
        at = line.end()
        if line[2]:
            spaces = _SPACES.match(text, at, lines.text_end)
            margin = min(spaces.end() - at, depth) if spaces is not None else 0
            breaks.append(len(line[2]) + margin)
            at += margin
    yield from (Piece("\n", len(each)) for each in _KEPT.findall(text, lines.text_end, lines.end))


def _folded_breaks(breaks: list[int]) -> list[Piece]:
    """Return the value of the line ends between two folded lines."""
    if len(breaks) == 1:
        return [Piece(" ", breaks[0])]
    return [Piece("\n", breaks[0] + breaks[1]), *(Piece("\n", each) for each in breaks[2:])]


class BlockScalar(YamlScalar):
    """A literal or folded block. `raw` begins after the indentation of its first line; `depth` is its column.

    `after` is the beginning of the next line outside it.
    """

    def __init__(self, text: str, lines: BlockLines, indent: int, header: BlockHeader, lead: int) -> None:
        super().__init__(text[lines.begin : lines.end], lines.begin, block_pieces(text, lines, header))
        self.depth = lines.depth
        self.after = lines.after
        self.header = header
        self._indent = indent
        self._lead = lead
        self._closed = lines.closed
        self._follows_return = text[lines.begin - 1 : lines.begin] == "\r"

    def _reads(self, raw: str, expected: str) -> bool:
        if self._follows_return and raw.startswith("\n"):
            # The two would be one line end.
            return False
        closed = self._closed and self.header.chomp == "-"
        after = f"{chr(10) if closed else ''}{'x' if self.depth and (self._closed or raw.endswith(chr(10))) else ''}"
        again = read_block(f"{' ' * self._lead}{raw}{after}", 0, self._indent, self.header)
        return (
            again.text == expected
            and again.depth == self.depth
            and again.start == self._lead
            and again.raw_length == len(raw)
            and expected.strip("\n") != ""
        )

    def _is_certain(self, start: int, end: int) -> bool:
        head = len(self.text) - len(self.text.lstrip("\n"))
        return not self.header.folded and self.depth > 0 and start > head and end < len(self.text.rstrip("\n"))

    def _spellings(self, edit: Edit) -> Iterator[tuple[int, int, str]]:
        (start, end), text = edit
        if not self.text.strip("\n"):
            # An empty block has no lines that others could follow.
            return
        yield start, end, text
        if self.header.folded and len(self.raw) + len(text) <= VERIFIED:
            yield from list(super()._spellings(edit))[1:]

    def _write(self, start: int, end: int, text: str) -> str | None:
        if UNWRITABLE.search(text):
            return None
        pad = " " * self.depth
        after = self.text[end : end + 1]
        at = self.segments.start(start)
        out: list[str] = []
        if start == 0 or self.text[start - 1] == "\n" or self._is_fold(start - 1):
            # An empty line may be indented less than the others.
            before = self.raw[max(at - self.depth, 0) : at]
            have = len(before) - len(before.rstrip(" ")) if at else self._lead
            if (text + after)[:1] not in ("", "\n") and have < self.depth:
                out.append(" " * (self.depth - have))
        lines = self._folded(start, end, text) if self.header.folded else text.split("\n")
        out.append(lines[0])
        for index, line in enumerate(lines[1:], 2):
            blank = not line and (index < len(lines) or after in ("", "\n"))
            out.append("\n" if blank else f"\n{pad}{line}")
        return "".join(out)

    def _folded(self, start: int, end: int, text: str) -> list[str]:
        """Return the lines to be written in a folded block: with one more empty line between two folded ones."""
        parts = _NEWLINES.split(text)
        lines = [parts[0]]
        for index in range(1, len(parts), 2):
            count, following = len(parts[index]), parts[index + 1]
            before = lines[-1] if index > 1 or start == 0 or self._is_fold(start - 1) else "x"
            after = following or self.text[end : end + 1]
            inner = (index > 1 or start > 0 or parts[0]) and after
            more = inner and before[:1] not in " \t" and after[0] not in " \t\n"
            lines += [""] * (count if more else count - 1)
            lines.append(following)
        return lines


# -- quotes ------------------------------------------------------------------------------------------------------------


def _fold(raw: str, alone: str = " ") -> list[Piece]:
    """Return the value of whitespace with line ends in it: a line feed for each empty line, `alone` if there is
    none."""
    ends = [match.end() for match in BREAK.finditer(raw)]
    if len(ends) == 1:
        return [Piece(alone, len(raw))]
    cuts = [0, *ends[1:-1], len(raw)]
    return [Piece("\n", high - low) for low, high in pairwise(cuts)]


def _double_pieces(raw: str) -> Iterator[Piece]:
    for match in _PIECE.finditer(raw):
        kind, text = match.lastgroup, match[0]
        length = len(text)
        if kind == "fold":
            yield from _fold(text)
            continue
        if kind == "joined":
            yield from _fold(text, "")
            continue
        if kind == "pair":
            high, low = int(text[2:6], 16), int(text[8:], 16)
            text = chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
        elif kind in ("two", "four", "eight"):
            code = int(match[kind], 16)
            text = chr(code) if code < 0x110000 else text
        elif kind == "one":
            text = YAML_ESCAPES.get(match["one"], text)
        yield Piece(text, length)


def bad_escapes(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the places of invalid escapes in a text between double quotes."""
    for match in _PIECE.finditer(text, start, end):
        kind = match.lastgroup
        if (kind == "one" and match["one"] not in YAML_ESCAPES) or (
            kind == "eight" and int(match[kind], 16) > 0x10FFFF
        ):
            yield Span(*match.span())


def _single_pieces(raw: str) -> Iterator[Piece]:
    for part in re.split(r"(''|[ \t]*+(?:(?>\r\n|\n|\r)[ \t]*+)++)", raw):
        if part == "''":
            yield Piece("'", 2)
        elif part and ("\n" in part or "\r" in part):
            yield from _fold(part)
        elif part:
            yield Piece(part, len(part))


class DoubleQuoted(YamlScalar):
    """Text in double quotes; `raw` is what is between them.

    Decoding never fails: an unknown escape is literal text. Two escaped surrogates are one character.
    """

    def __init__(self, raw: str, start: int) -> None:
        super().__init__(raw, start, _double_pieces(raw))

    def _is_certain(self, start: int, end: int) -> bool:
        del start, end
        return not any(f"{line_end}{marker}" in self.raw for line_end in "\r\n" for marker in ("---", "..."))

    def _write(self, start: int, end: int, text: str) -> str | None:
        joined = self.text[max(start - 1, 0) : start] + text + self.text[end : end + 1]
        return None if _SURROGATE_PAIR.search(joined) else self.escape(text)

    def escape(self, text: str) -> str:
        """Return `text` as it is between the quotes."""
        return _MUST_ESCAPE.sub(_escaped, text)

    def _reads(self, raw: str, expected: str) -> bool:
        return "".join(piece.text for piece in _double_pieces(raw)) == expected and not _MARKER_LINE.search(raw)


def _escaped(match: re.Match[str]) -> str:
    short = _WRITTEN.get(match[0])
    if short is not None:
        return short
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Lined(YamlScalar):
    """Text whose line feeds are empty lines; `indent` is the column that a further line is in."""

    def __init__(self, raw: str, start: int, indent: int, pieces: Iterable[Piece]) -> None:
        super().__init__(raw, start, pieces)
        self._pad = " " * max(indent, 1)

    def _lines(self, text: str) -> str | None:
        if UNWRITABLE.search(text):
            return None
        return _NEWLINES.sub(lambda match: f"{match[0]}\n{self._pad}", text)


class SingleQuoted(_Lined):
    """Text in single quotes, whose own quotes are doubled; `raw` is what is between them."""

    def __init__(self, raw: str, start: int, indent: int = 2) -> None:
        super().__init__(raw, start, indent, _single_pieces(raw))

    def _write(self, start: int, end: int, text: str) -> str | None:
        del start, end
        return self._lines(text.replace("'", "''"))

    def _reads(self, raw: str, expected: str) -> bool:
        return "".join(piece.text for piece in _single_pieces(raw)) == expected and not _MARKER_LINE.search(raw)


def plain_pieces(raw: str, *, flow: bool) -> list[Piece] | None:
    """Return the pieces of a text without quotes; None if it is not valid there."""
    pattern = PLAIN_IN_FLOW if flow else PLAIN
    if _PLAIN_START.match(raw) is None or (flow and raw[0] in "?:" and raw[1:2] in (*",[]{}", "")):
        return None
    pieces: list[Piece] = []
    at = 0
    while True:
        line = pattern.match(raw, at)
        if not line or line.end() == at or (at and raw[at] == "#"):
            return None
        pieces.append(Piece(line[0], line.end() - at))
        at = line.end()
        if at == len(raw):
            return pieces
        fold = _FOLD.match(raw, at)
        if fold is None or fold.end() == len(raw):
            return None
        pieces += _fold(fold[0])
        at = fold.end()


class Plain(_Lined):
    """Text without quotes. Edits write only what all parsers read as text; `flow` says that it is in brackets."""

    def __init__(self, raw: str, start: int, indent: int = 2, *, flow: bool = False) -> None:
        pieces = plain_pieces(raw, flow=flow)
        super().__init__(raw, start, indent, [Piece(raw, len(raw))] if pieces is None else pieces)
        self._flow = flow

    def _write(self, start: int, end: int, text: str) -> str | None:
        del start, end
        # Some parsers do not accept tabs in text without quotes.
        return None if "\t" in text else self._lines(text)

    def _reads(self, raw: str, expected: str) -> bool:
        pieces = plain_pieces(raw, flow=self._flow)
        if pieces is None or "".join(piece.text for piece in pieces) != expected or _MARKER_LINE.search(raw):
            return False
        return is_text(expected)
