"""Fuzzing streams: fresh random divisions of texts that are mutated and joined, until a count or a time is reached.

    .venv/bin/python tests/fuzz/streams.py --seconds 60
    .venv/bin/python tests/fuzz/streams.py --count 100000 --seed 17

For the first division that changes what is read, prints a program that shows the difference, with the text made as
short as it goes, and ends with 1; ends with 0 where there is none. The same seed gives the same divisions.

Owns: the run. Must not know: what is compared.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from invariants.chunkings import Whole, answers, differs, divided, read_whole, reproducer, texts
from invariants.corpus import mutants, seeded

EACH = 20
#: How often shortening is tried.
_ATTEMPTS = 2_000


def fuzzed(random: Random) -> Iterator[str]:
    """Yield texts without end: those of the corpora joined, and mutated."""
    known = texts()
    while True:
        yield random.choice(("\n", "\n\n", " ", "")).join(random.choice(known) for _ in range(random.randint(1, 3)))
        yield from (mutant.text for mutant in mutants(random.getrandbits(62), 4, "fuzz"))


def shortened(one: Whole, pieces: list[str], *, strict: bool) -> tuple[Whole, list[str], str]:
    """Return a difference that is shown with less text: pieces are joined and characters taken out while it lasts."""
    random = seeded("shorter")
    difference = differs(one, pieces, strict=strict) or ""
    for _ in range(_ATTEMPTS):
        shorter = [*pieces]
        at = random.randrange(len(shorter))
        if random.random() < 0.4 and len(shorter) > 1:
            shorter[at : at + 2] = ["".join(shorter[at : at + 2])]
        else:
            start = random.randint(0, len(shorter[at]))
            shorter[at] = shorter[at][:start] + shorter[at][start + random.choice((1, 1, 3, 10, 50)) :]
        if shorter == pieces:
            continue
        again = answers("".join(shorter), one.tools, one.settings, one.parser)
        stated = differs(again, shorter, strict=strict)
        if stated is not None:
            one, pieces, difference = again, shorter, stated
    return one, pieces, difference


def run(seed: str, count: int | None, seconds: float | None) -> int:
    """Divide texts until so many divisions were made, or so much time went by; return what the process ends with."""
    random = seeded(seed)
    begun = time.monotonic()
    done = 0
    for text in fuzzed(random):
        one = read_whole(text, random)
        for number in range(EACH):
            if (count is not None and done >= count) or (seconds is not None and time.monotonic() - begun >= seconds):
                sys.stdout.write(f"{done} divisions, no difference (seed {seed})\n")
                return 0
            pieces, strict = divided(text, random), number % 2 == 1
            if differs(one, pieces, strict=strict) is not None:
                one, pieces, difference = shortened(one, pieces, strict=strict)
                shown = reproducer(one, pieces, difference, strict=strict)
                sys.stdout.write(f"# Seed {seed}, division {done}.\n{shown}")
                return 1
            done += 1
    return 0


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, help="how many divisions to make")
    parser.add_argument("--seconds", type=float, help="how long to go on; 60 where no count is given")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="what the choices come from; fresh by default")
    options = parser.parse_args()
    seconds = options.seconds if options.seconds is not None or options.count is not None else 60.0
    return run(options.seed, options.count, seconds)


if __name__ == "__main__":
    sys.exit(main())
