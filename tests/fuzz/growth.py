"""Growth: looks for texts that take more than their share of work, in every way in which a text is read.

    .venv/bin/python tests/fuzz/growth.py --seconds 60
    .venv/bin/python tests/fuzz/growth.py --count 2000 --seed 17 --ways=check,stream
    .venv/bin/python tests/fuzz/growth.py --plain
    .venv/bin/python tests/fuzz/growth.py --whole
    .venv/bin/python tests/fuzz/growth.py --plain --clock --sizes 16000,64000

A shape is written at two sizes, the second four times the first, and what each takes is counted: functions that are
called, and characters that searches in C go over (`tests/support/work.py`). Where the second takes more than 1.2 times
its share, a third text, four times as long again, must not: what still grows faster is reported, and the run ends with
1. With `--clock` processor time is measured in place of steps. `--plain` takes every token and every marker alone,
`--whole` every token of every language in a call of every dialect; without them shapes are drawn at random, the same
for the same seed. `--worst` lists what grows most.

Owns: the ways in which a text is read, measuring, the run. Must not know: what shapes are made of.
"""

from __future__ import annotations

import argparse
import gc
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

import callwright
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_completion
from callwright.features.base import Request
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import Limits, StrictParser
from callwright.runtime.streaming import StreamingParser
from callwright.text.span import Span
from fuzz.shapes import Shape, drawn, framed_shapes, plain_shapes
from invariants.corpus import registry, seeded
from support.work import counted

#: How much more than its share the longer of two texts may take.
ALLOWED: Final = 1.2
SIZES: Final = (3_000, 12_000)
#: The length of the text that is read before anything is counted.
FIRST: Final = 300
#: What is done once for any text.
SLACK: Final = 5_000
#: Processor seconds after which a text is given up; it counts as taking so long.
SLOWEST: Final = 30.0
#: What takes less says more of the clock than of the text.
SHORTEST: Final = 0.004
CHUNK: Final = 40

Way = Callable[[str], object]


class TooSlow(BaseException):
    """A text takes longer than a run waits for."""


def _open(text: str, path: str = "a.md") -> Snapshot:
    return open_snapshot(text, path=path, registry=registry(), settings=Settings())


@cache
def _parser() -> StrictParser:
    return StrictParser(tools=registry(), dialect="hermes", limits=Limits(None, None, None, None))


def _streamed(text: str, stream: Any) -> object:
    for at in range(0, len(text), CHUNK):
        stream.feed(text[at : at + CHUNK])
    return stream.finish()


def _completed(text: str) -> object:
    return text_document_completion.handle(_open(text), Request(span=Span(len(text), len(text)), offsets=(len(text),)))


WAYS: Final[Mapping[str, Way]] = {
    "parse": lambda text: callwright.parse(text, tools=registry()),
    "check": lambda text: diagnostics(_open(text)),
    "check-json": lambda text: diagnostics(_open(text, "a.json")),
    "check-yaml": lambda text: diagnostics(_open(text, "a.yaml")),
    "check-python": lambda text: diagnostics(_open(text, "a.py")),
    "check-jinja": lambda text: diagnostics(_open(text, "a.md.j2")),
    "fix": lambda text: fix_all(_open(text)),
    "strict": lambda text: _parser().parse(text),
    "stream": lambda text: _streamed(text, StreamingParser(tools=registry())),
    "strict-stream": lambda text: _streamed(text, _parser().stream()),
    "completion": _completed,
}
#: A fix checks, and a strict stream is read strictly at its end: where these do not grow, their parts do not.
COVERING: Final = ("fix", "stream", "strict-stream", "completion")


def _abandon(*_: object) -> None:
    raise TooSlow


def _limited(work: Callable[[], float]) -> float:
    """Return what a piece of work returns, infinity where it takes longer than a run waits for."""
    try:
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        return work()
    except TooSlow:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def steps(way: Way, text: str) -> float:
    """Return how many steps a text takes."""
    return _limited(lambda: counted(way, text).steps)


def seconds(way: Way, text: str) -> float:
    """Return the processor time that a text takes."""

    def work() -> float:
        begun = time.process_time()
        way(text)
        return time.process_time() - begun

    gc.collect(0)
    return _limited(work)


class Growth(NamedTuple):
    """How much of its share the longest text of a shape takes, and what each took."""

    factor: float
    way: str
    shape: Shape
    taken: tuple[float, ...]

    @property
    def is_steep(self) -> bool:
        """Whether it takes more than its share, the last text as the one before it."""
        return self.factor > ALLOWED

    def __str__(self) -> str:
        taken = ", ".join(f"{each:,.3f}".removesuffix(".000") for each in self.taken)
        return f"{self.factor:5.2f}  {self.way}: {self.shape}\n       {taken}"


def growth_of(name: str, shape: Shape, sizes: tuple[int, int] = SIZES, *, clock: bool = False) -> Growth:
    """Return how a shape grows in one way; a third text is read only where the first two are not conclusive."""
    measure, least = (seconds, SHORTEST) if clock else (steps, SLACK)
    way, texts = WAYS[name], [shape.text(size) for size in (*sizes, 4 * sizes[1])]
    # What is made ready on first use is not part of it.
    _limited(lambda: float(way(shape.text(FIRST)) is None))
    taken = [measure(way, text) for text in texts[:2]]
    factor = _factor(taken, texts, least)
    if factor > ALLOWED and clock:
        taken = [min(before, measure(way, text)) for before, text in zip(taken, texts, strict=False)]
        factor = _factor(taken, texts, least)
    if factor > ALLOWED and taken[-1] < float("inf"):
        taken.append(measure(way, texts[2]))
        factor = _factor(taken, texts, least)
    return Growth(factor, name, shape, tuple(taken))


def _factor(taken: list[float], texts: list[str], least: float) -> float:
    """Return how much of its share the last text takes; what any text may take is left out."""
    short, long = (len(text) for text in texts[len(taken) - 2 : len(taken)])
    share = taken[-2] * long / max(short, 1) + least
    return taken[-1] / share


def run(
    shapes: Iterable[Shape], ways: tuple[str, ...], sizes: tuple[int, int], *, clock: bool = False
) -> Iterator[Growth]:
    """Measure shapes, and report at once which of them grow too fast."""
    signal.signal(signal.SIGPROF, _abandon)
    for shape in shapes:
        for name in ways:
            growth = growth_of(name, shape, sizes, clock=clock)
            if growth.is_steep:
                sys.stdout.write(f"{growth}\n")
                sys.stdout.flush()
            yield growth


def _until(shapes: Iterable[Shape], limit: float | None) -> Iterator[Shape]:
    begun = time.monotonic()
    for shape in shapes:
        if limit is not None and time.monotonic() - begun >= limit:
            return
        yield shape


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="how long to go on; 60 where no count is given")
    parser.add_argument("--count", type=int, help="how many shapes to measure")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="what the choices come from; fresh by default")
    parser.add_argument("--ways", default=",".join(COVERING), help=f"with commas between them: {', '.join(WAYS)}")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="two sizes, the second four times the first")
    parser.add_argument("--clock", action="store_true", help="measure processor time, not steps")
    parser.add_argument("--whole", action="store_true", help="every token in a call of every dialect; it takes hours")
    parser.add_argument("--plain", action="store_true", help="every token and marker alone")
    parser.add_argument("--worst", type=int, default=0, help="list as many shapes that grow most")
    options = parser.parse_args()
    ways = tuple(options.ways.split(","))
    unknown = {*ways} - {*WAYS}
    if unknown:
        parser.error(f"no such way: {', '.join(sorted(unknown))} (there are {', '.join(WAYS)})")
    first, second = (int(size) for size in options.sizes.split(","))
    random = seeded(f"growth {options.seed}")
    listed = [*(plain_shapes() if options.plain or options.whole else ()), *(framed_shapes() if options.whole else ())]
    random.shuffle(listed)
    endless = iter(lambda: drawn(random), None)
    shapes = islice(iter(listed) if listed else endless, options.count)
    limit = options.seconds if options.seconds or options.count or listed else 60.0
    found = [*run(_until(shapes, limit), ways, (first, second), clock=options.clock)]
    found.sort(key=lambda growth: -growth.factor)
    steep = sum(growth.is_steep for growth in found)
    sys.stdout.write(f"{len({each.shape for each in found}):,} shapes, {steep} too steep (seed {options.seed})\n")
    for growth in found[: options.worst]:
        sys.stdout.write(f"{growth}\n")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
