"""What a claim is: a table of figures that one command makes, with a sentence on how to read it.

Owns: `Claim`, how it is laid out. Must not know: any single claim. A module of this folder that has `TITLE` and
`claim()` makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One table: what its figures are, its columns, and its rows.

    `holds` is whether the figures are as good as the claim says; a claim that does not hold ends the command with 1.
    """

    about: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    holds: bool


def share(part: int, whole: int) -> str:
    """Return a share in per cent; one that is not quite 100 % is never rounded up to it."""
    if part == whole:
        return "100 %"
    return f"{min(100 * part / whole, 99.9):.1f} %"


def laid_out(title: str, name: str, claim: Claim) -> Iterator[str]:
    """Yield the lines of a claim's section."""
    yield f"## {title}"
    yield ""
    yield claim.about
    yield ""
    yield f'    make proof PROOF="--only {name}"'
    yield ""
    yield from _table(claim.head, claim.rows)
    yield ""


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield "|---|" + "---:|" * (len(head) - 1)
    yield from (f"| {' | '.join(row)} |" for row in rows)
