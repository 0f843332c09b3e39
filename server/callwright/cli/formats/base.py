"""What an output format is: how one diagnostic is laid out, and how diagnostics are put together.

Owns: `OutputFormat`, `RenderedDiagnostic`, `Writer` and the writers that most formats need. Must not know: any single
format, how diagnostics come about, options.

A format's module has one object, `FORMAT`. Its first half (`lay_out`) runs wherever a diagnostic is made, perhaps in a
process of a worker; its second (`writer`) runs in the process that prints. What passes between them is plain data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import IO, TYPE_CHECKING, ClassVar, Final, TextIO

from callwright.text.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from callwright.cli.support.report import Tally
    from callwright.cli.support.terminal import Style
    from callwright.rules.base import Diagnostic, Severity
    from callwright.text.document import TextDocument


class RenderedDiagnostic(NamedTuple):
    """One diagnostic as it is printed, without the newline at its end, and what the run must know of it.

    `fixable` is `safe` or `unsafe` where `--fix` applies a fix, else empty. `key` identifies the diagnostic and its
    surroundings, whatever line they are in; it is empty where it is not needed.
    """

    path: str
    code: str
    name: str
    severity: Severity
    fixable: str
    key: str
    text: str


class DiagnosticToPrint(NamedTuple):
    """One diagnostic that is to be laid out, with the document that knows its place."""

    path: str
    document: TextDocument
    diagnostic: Diagnostic
    key: str


class Writer(ABC):
    """Puts diagnostics together as they come."""

    @abstractmethod
    def put(self, reported: RenderedDiagnostic) -> None:
        """Take the next diagnostic."""

    @abstractmethod
    def close(self, tally: Tally, *, quiet: bool) -> None:
        """Write what is left to write; `quiet` leaves out a summary for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFormat:
    """One way to print diagnostics.

    `summary` is its purpose in the help, `lay_out` returns a diagnostic as text, `writer` the object that puts
    diagnostics together on a stream. A format that is `keyed` is given the keys of diagnostics; one that prints
    `offsets` needs all characters of a file to be counted, not only its lines. One that is for `people` prints no
    diagnostics where a diff is shown, and a table in their place where only statistics are requested.
    """

    name: str
    summary: str
    lay_out: Callable[[DiagnosticToPrint, Style], str]
    writer: Callable[[TextIO], Writer]
    keyed: bool = False
    offsets: bool = False
    people: bool = False


class Lines(Writer):
    """Diagnostics as they come, each with `end` after it; a summary for people where `summed`."""

    def __init__(self, out: TextIO, *, end: str = "\n", summed: bool = False) -> None:
        self._out = out
        self._end = end
        self._summed = summed

    def put(self, reported: RenderedDiagnostic) -> None:
        """Print a diagnostic."""
        self._out.write(reported.text + self._end)

    def close(self, tally: Tally, *, quiet: bool) -> None:
        """Print the summary."""
        if self._summed and tally.files and not quiet:
            print(tally.sentence(), file=self._out)


class Spool:
    """Text that waits until what is before it is known; what there is much of waits in a file."""

    #: How many characters wait in memory.
    HELD: Final = 1 << 20

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self._file: IO[str] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._file is None and not self._parts

    def add(self, text: str) -> None:
        """Let a text wait."""
        self._parts.append(text)
        self._size += len(text)
        if self._size > self.HELD:
            if self._file is None:
                from tempfile import TemporaryFile

                # Whatever character a text holds comes back as it was.
                self._file = TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="")  # noqa: SIM115 - closed with the last part
            self._file.write("".join(self._parts))
            self._parts, self._size = [], 0

    def parts(self) -> Iterator[str]:
        """Yield what waits, in parts, and forget it."""
        file, parts = self._file, self._parts
        self._file, self._parts, self._size = None, [], 0
        if file is not None:
            with closing(file):
                file.seek(0)
                while part := file.read(self.HELD):
                    yield part
        yield from parts


class Framed(Writer):
    """Diagnostics between a beginning and an end that are only known when all have come; commas part them."""

    #: How much further in a diagnostic is than it was laid out.
    margin: ClassVar[str] = "\n    "

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._spool = Spool()

    @abstractmethod
    def frame(self, tally: Tally) -> tuple[str, str]:
        """Return what is before the first diagnostic and after the last one."""

    def put(self, reported: RenderedDiagnostic) -> None:
        """Keep a diagnostic."""
        comma = "" if self._spool.empty else ","
        self._spool.add(comma + self.margin + reported.text.replace("\n", self.margin))

    def close(self, tally: Tally, *, quiet: bool) -> None:  # noqa: ARG002 - the shape depends on no option
        """Write the frame with the diagnostics in it."""
        before, after = self.frame(tally)
        if not self._spool.empty:
            after = self.margin[:-2] + after
        self._out.write(before)
        for part in self._spool.parts():
            self._out.write(part)
        self._out.write(after + "\n")
