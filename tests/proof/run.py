"""The page of proof: makes every claim's figures again, and writes them into `server/docs/proof.md`.

    cd tests && python -m proof.run [--only NAME ...] [--check]

With `--only` the tables are printed, and the page stays. With `--check` the page stays, too, and the command ends
with 1 where it states other figures. It ends with 1 as well where a claim does not hold.

Owns: the order of the claims, the page. Must not know: how anything is measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from proof import chat_templates, conversions, faults, precision, speed, suites
from proof.claim import Claim, laid_out

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "server" / "docs" / "proof.md"
BEGIN, END = "<!-- claims -->", "<!-- end of claims -->"


class Proves(Protocol):
    """A module that makes a claim."""

    __name__: str
    TITLE: str

    def claim(self) -> Claim:
        """Measure."""


MODULES: Final[tuple[Proves, ...]] = (precision, faults, conversions, chat_templates, suites, speed)
NAMES: Final = {module.__name__.rpartition(".")[2]: module for module in MODULES}


def sections(names: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the section of each claim, and whether the claim holds."""
    for name in names:
        claim = NAMES[name].claim()
        yield "\n".join(laid_out(NAMES[name].TITLE, name, claim)), claim.holds


def stated() -> str:
    """Return what the page states now."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip("\n")


def write(body: str) -> None:
    """Put the sections between the page's markers."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measure, then write, print or compare; return 1 where a claim does not hold or the page states other figures."""
    parser = argparse.ArgumentParser(description="Make the figures of the page of proof again.")
    parser.add_argument("--only", action="append", choices=list(NAMES), default=[])
    parser.add_argument("--check", action="store_true", help="compare with the page and write nothing")
    options = parser.parse_args(arguments)
    made = list(sections(options.only or NAMES))
    body = "\n".join(text for text, _ in made).rstrip("\n")
    if options.check:
        differs = any(text.strip("\n") not in stated() for text, _ in made)
        if differs:
            sys.stdout.write(f"{PAGE.name} states other figures; run `make proof`.\n\n{body}\n")
        return int(differs or not all(holds for _, holds in made))
    if options.only:
        sys.stdout.write(body + "\n")
    else:
        write(body)
    return int(not all(holds for _, holds in made))


if __name__ == "__main__":
    raise SystemExit(main())
