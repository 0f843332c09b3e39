"""Large files of records: diagnostics as they come, with memory that does not grow with the file.

Owns: which files are read so, the walk over their lines, and the window in which the conversation of a log is checked.
Must not know: options, output, how anything is found.

Each line of such a file is a record of its own, so it is read, checked and released. Most lines are clean; the fast
path passes them without parsing. Where a line is one entry of a log, its conversation continues in the next: from the
first such line on, lines are kept in a window with some text before and some text after the part that is checked. The
diagnostics about conversations are therefore those of the whole file as long as related entries are no further apart
than `AFTER` or `AHEAD`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.hosts.catalogue import HEAD, choose_host, find_host
from callwright.text.document import TextDocument
from callwright.text.records import NamedTuple, dataclass, replace

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.cli.support.files import InputFile
    from callwright.cli.support.pieces import Piece
    from callwright.config import Project
    from callwright.corpus.rows import Rows
    from callwright.document.blocks import Block
    from callwright.document.log_tools import LogTools
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.fastpath.quick import SuspectParts
    from callwright.rules.base import Diagnostic

#: Smaller files are read as a whole; the diagnostics are the same.
LARGE: Final = 8 << 20
#: The host whose documents are read line by line.
HOST: Final = "jsonl"

#: How many characters of a log are checked at once, and how many on either side of them are read with them.
DUE: Final = 2 << 20
AFTER: Final = 1 << 20
AHEAD: Final = 1 << 20


def is_large(path: Path) -> bool:
    """Return whether a file is read line by line."""
    try:
        if path.stat().st_size < LARGE or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return False
    return choose_host(str(path), None, head).name == HOST


class PartDocument(TextDocument):
    """Some lines of a document as if the others were there, too: offsets and lines are those of the whole document.

    `newline` is how the whole document's lines end.
    """

    __slots__ = ("_line", "_newline", "_offset")

    _line: int
    _newline: str
    _offset: int

    @classmethod
    def at(cls, text: str, line: int, offset: int, newline: str) -> PartDocument:
        """Return the document of `text`, which is after `line` lines and `offset` code points."""
        document = cls.from_text(text)
        assert isinstance(document, cls)
        document._state(line, offset, newline)  # noqa: SLF001 - a constructor's second half
        return document

    def _state(self, line: int, offset: int, newline: str) -> None:
        self._line, self._offset, self._newline = line, offset, newline

    @property
    def newline(self) -> str:
        """How the first line of the whole document ends."""
        return self._newline

    def line(self, index: int) -> str:
        """Return line `index` of the whole document, which must be one of these."""
        return super().line(index - self._line)

    def line_start(self, index: int) -> int:
        """Return where line `index` begins in the whole document."""
        return super().line_start(index - self._line) + self._offset

    def line_at(self, offset: int) -> int:
        """Return the line of the whole document that holds `offset`."""
        return super().line_at(offset - self._offset) + self._line


#: Some diagnostics with a document that knows their places.
Found = tuple[TextDocument, "list[Diagnostic]"]


class Records:
    """The records of one file, read one by one, in the order of the file or from any piece on.

    `rows` are those of the file's project, where records of it were read before.
    """

    def __init__(self, source: InputFile, project: Project, newline: str, rows: Rows | None = None) -> None:
        from callwright.corpus.rows import Rows

        self._source = source
        self._path = str(source.path)
        self._project = project
        self._newline = newline
        self._rows = rows or Rows(project.registry, project.settings)
        #: How many lines were read, where nothing else counts them.
        self._after = 0
        self._window: _Window | None = None
        self._log_tools: LogTools | None = None
        self._of_conversations: bool | None = None

    def check(self, piece: Piece, data: bytes, *, log: bool = True) -> Iterator[Found]:
        """Yield the diagnostics in a piece; those of a log's conversation come later, at `finish` at the latest.

        Pieces whose lines were not counted come in the order of the file. Raises LogError where `log` is False and a
        line is one entry of a log: such a file is read from its beginning to its end by one reader. Raises FileError
        where something that has to be read closely is not UTF-8.
        """
        from callwright.cli.support.pieces import code_points

        try:
            yield from self._check(piece, data, log=log)
        except UnicodeDecodeError:
            code_points(data, self._source.shown, piece.start)
            raise

    def _check(self, piece: Piece, data: bytes, *, log: bool) -> Iterator[Found]:
        from callwright.fastpath.quick import Plain

        if self._window is None:
            judge = self._rows.judge
            first = self._after if piece.line is None else piece.line
            place = _Place(piece, data)
            number = -1
            for number, (start, end) in enumerate(lines_of(data)):
                outcome = judge(data[start:end])
                if isinstance(outcome, Plain):
                    continue
                line, offset = first + number, place.of(start)
                text = data[start:end].decode()
                if outcome is not None:
                    yield from self._uncertain(outcome, text, line, offset)
                    continue
                snapshot = self.open(text)
                if not snapshot.is_log:
                    yield from self._found_diagnostics(snapshot, text, line, offset)
                    continue
                if not log:
                    raise LogError
                self._window = _Window(self._judge, line, offset)
                yield from self._window.add(text, snapshot.blocks)
                yield from self._go_on(data[end:])
                return
            self._after = first + number + 1
        else:
            yield from self._go_on(data)

    def _go_on(self, data: bytes) -> Iterator[Found]:
        assert self._window is not None
        for start, end in lines_of(data):
            text = data[start:end].decode()
            yield from self._window.add(text, self.open(text).blocks)

    def finish(self) -> Iterator[Found]:
        """Yield the diagnostics that waited for later lines."""
        if self._window is not None:
            yield from self._window.finish()

    def is_clean(self, line: bytes) -> bool:
        """Return whether a line by itself certainly has no diagnostics."""
        from callwright.fastpath.quick import Plain

        return isinstance(self._rows.judge(line), Plain)

    def open(self, text: str, *, talk: bool = True) -> Snapshot:
        """Return one record as a document of its own, with the file's newline; without `talk`, rules about
        conversations are silent."""
        snapshot = self._opened(text, talk=talk)
        if any(block.problems and not block.transcripts for block in snapshot.blocks):
            snapshot.of_conversations = self._is_of_conversations()
        return snapshot

    def _opened(self, text: str, *, talk: bool = True) -> Snapshot:
        settings = self._project.settings if talk else self._silent()
        return self._snapshot(PartDocument.at(text, 0, 0, self._newline), settings=settings)

    def _silent(self) -> Settings:
        from callwright.rules.base import Scope
        from callwright.rules.catalogue import rules_of

        settings = self._project.settings
        return replace(settings, ignore=(*settings.ignore, *(rule.name for rule in rules_of(Scope.CONVERSATION))))

    def _snapshot(
        self, document: TextDocument, blocks: Sequence[Block] | None = None, settings: Settings | None = None
    ) -> Snapshot:
        from callwright.document.snapshot import Origin, Snapshot
        from callwright.lint.opening import triage

        project = self._project
        settings = settings or project.settings
        host = find_host(HOST)
        assert host is not None, "the JSON Lines host is part of the package"
        origin = Origin(self._path, self._path, host=host, triage=triage)
        if blocks is None:
            return Snapshot.open(document, origin, registry=project.registry, settings=settings)
        return Snapshot(document, blocks, origin, host=host, registry=project.registry, settings=settings)

    def _found_diagnostics(self, snapshot: Snapshot, text: str, line: int, offset: int) -> Iterator[Found]:
        from callwright.lint.linter import diagnostics

        found = diagnostics(snapshot)
        if found:
            yield self._placed(found, text, line, offset)

    def _is_of_conversations(self) -> bool:
        """Return whether the file is rows with conversations among them; asked where a line is no JSON."""
        from callwright.hosts.support.transcript_search import may_hold_transcript
        from callwright.syntax.json_rows import begins_with_row

        if self._of_conversations is None:
            self._of_conversations = begins_with_row(self._lines()) and any(
                may_hold_transcript(text) and self._opened(text).has_transcripts for text in self._lines()
            )
        return self._of_conversations

    def _lines(self) -> Iterator[str]:
        from callwright.cli.support.pieces import cut

        assert self._source.path is not None, "only a file is large"
        for _, data in cut(self._source.path, lines=False, offsets=False):
            yield from (data[start:end].decode("utf-8", "replace") for start, end in lines_of(data))

    def _uncertain(self, suspect: SuspectParts, text: str, line: int, offset: int) -> Iterator[Found]:
        """Yield the diagnostics in a record of which only one turn need be read."""
        found = self._rows.suspect_diagnostics(text, suspect)
        if found is None:
            yield from self._found_diagnostics(self.open(text), text, line, offset)
        elif found:
            yield self._placed(found, text, line, offset)

    def _placed(self, found: list[Diagnostic], text: str, line: int, offset: int) -> Found:
        from callwright.lint.placing import placed

        document = PartDocument.at(text, line, offset, self._newline)
        return document, [placed(one, offset, self._newline) for one in found]

    def _judge(
        self, text: str, blocks: Sequence[Block], low: int, high: int, line: int, offset: int
    ) -> tuple[list[Found], Sequence[Block]]:
        """Return the diagnostics between two places of a segment of the log, and the blocks with the log's tools."""
        from callwright.lint.linter import diagnostics

        snapshot = self._snapshot(PartDocument.at(text, 0, 0, self._newline), [])
        snapshot.log_tools = self._log_tools or snapshot.log_tools
        snapshot.take(blocks)
        snapshot.of_conversations = self._of_conversations
        self._log_tools = snapshot.log_tools
        found = [one for one in diagnostics(snapshot) if low <= one.span.start < high]
        return [self._placed(found, text, line, offset)] if found else [], snapshot.blocks


class LogError(Exception):
    """A line is one entry of a log, whose conversation continues in the next line."""


def lines_of(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each line begins and ends, its end included."""
    at = 0
    if b"\r" not in data:
        while (end := data.find(b"\n", at) + 1) > 0:
            yield at, end
            at = end
        if at < len(data):
            yield at, len(data)
        return
    for line in data.splitlines(keepends=True):
        yield at, at + len(line)
        at += len(line)


class _Place:
    """Where things are in a piece; counted only as far as requested, and each character once."""

    def __init__(self, piece: Piece, data: bytes) -> None:
        self._data = data
        self._at, self._offset = 0, piece.offset

    def of(self, at: int) -> int:
        """Return how many code points are before the byte `at`, where they are counted; places come in rising
        order."""
        if self._offset is None:
            return 0
        between = self._data[self._at : at]
        self._offset += len(between) if between.isascii() else len(between.decode())
        self._at = at
        return self._offset


class _Window:
    """The last lines of a log with what was read in them.

    `judge` is given the window's text and blocks, the part of it to report on, and where the window is; it returns
    diagnostics and the blocks as they are to be kept. Of lines that are released, their tools are kept.
    """

    def __init__(self, judge: Callable[..., tuple[list[Found], Sequence[Block]]], line: int, offset: int) -> None:
        self._judge = judge
        self._line, self._offset = line, offset
        self._texts: list[str] = []
        self._blocks: list[Block] = []
        #: How many of the first blocks are only there for their tools; they have no text.
        self._inline_in = 0
        #: How many of the window's characters were reported on, and how many there are.
        self._reported = 0
        self._size = 0

    def add(self, text: str, blocks: Sequence[Block]) -> Iterator[Found]:
        """Add one line; yield the diagnostics that are known by now."""
        self._texts.append(text)
        self._blocks += blocks
        self._size += len(text)
        if self._size - self._reported >= DUE + AHEAD:
            yield from self._report(self._size - AHEAD)
            self._forget(self._reported - AFTER)

    def finish(self) -> Iterator[Found]:
        """Yield the remaining diagnostics."""
        yield from self._report(self._size + 1)

    def _report(self, high: int) -> list[Found]:
        text = "".join(self._texts)
        found, blocks = self._judge(text, self._blocks, self._reported, high, self._line, self._offset)
        self._blocks = [*blocks]
        self._reported = min(high, self._size)
        return found

    def _forget(self, most: int) -> None:
        """Release whole lines, of `most` characters at most."""
        from callwright.cli.support.pieces import line_ends
        from callwright.document.contents import Read

        gone = length = 0
        while gone < len(self._texts) and length + len(self._texts[gone]) <= most:
            length += len(self._texts[gone])
            gone += 1
        dropped = self._texts[:gone]
        self._line += sum(line_ends(text.encode("utf-8", "replace")) for text in dropped)
        self._offset += length
        self._reported -= length
        self._size -= length
        del self._texts[:gone]
        covered, last = 0, self._inline_in
        while covered < length:
            covered += self._blocks[last].length
            last += 1
        inline_in = self._blocks[: self._inline_in]
        for block in self._blocks[self._inline_in : last]:
            if block.inline is not None and all(block.inline != each.inline for each in inline_in):
                inline_in.append(replace(block, length=0, reach=0, content=Read([]), problems=(), facts={}))
        self._blocks = [*inline_in, *self._blocks[last:]]
        self._inline_in = len(inline_in)


@dataclass(frozen=True, slots=True)
class FixedLine:
    """A line that was fixed: the bytes `[start, end)` of its piece become `data`; `fixed` diagnostics went away."""

    start: int
    end: int
    data: bytes
    fixed: int


class FixedPiece(NamedTuple):
    """The result of fixing a piece: the lines that changed, and the fixes that lxml rejects."""

    lines: list[FixedLine]
    refused: list[tuple[Diagnostic, Disagreement]]


def fix_piece(records: Records, data: bytes, *, unsafe: bool) -> FixedPiece:
    """Return the lines of a piece that fixes change, each fixed by itself.

    Diagnostics about the conversation of a log are not fixed, because each line is fixed alone.
    """
    from callwright.fix.fixer import fix_all

    found = FixedPiece([], [])
    for start, end in lines_of(data):
        if records.is_clean(data[start:end]):
            continue
        text = data[start:end].decode()
        snapshot = records.open(text)
        if snapshot.is_log:
            snapshot = records.open(text, talk=False)
        fixed_text, fixed = fix_all(snapshot, unsafe=unsafe, refused=lambda *reported: found.refused.append(reported))
        if fixed:
            try:
                found.lines.append(FixedLine(start, end, fixed_text.encode(), len(fixed)))
            except UnicodeEncodeError:
                # Half a surrogate pair, which no UTF-8 file can hold.
                continue
    return found
