"""What is reported in texts of the kinds that real prompts hold, and whether each report is true.

Owns: the count of the cases in `tests/wild`, a file for each kind. Must not know: what is asserted of single cases.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from proof.claim import Claim, share
from support.cases import Marker, annotated
from wild.test_wild_cases import FILES, cases_of, marked

TITLE: Final = "Nothing false on texts that only look like calls"
_ABOUT: Final = """\
Sketches, section tags, tools of another product, templates that no file declares, examples that are bad on purpose: a
checker that reports these is soon switched off. Each kind has texts that are sound and texts with a fault. A report is
true if its text is marked with it: the same place and the same code. Nothing is configured."""


def _counts(file: Path) -> tuple[int, int, int, int]:
    """Return of one kind: the texts, the faults marked in them, those that are reported, the false reports."""
    texts = expected = found = false = 0
    for case in cases_of(file):
        fence = next(each for each in case.expected if each.name == "diagnostics")
        demanded = _keys(annotated(fence.body).markers)
        reported = _keys(annotated(marked(case, fence)).markers)
        texts += 1
        expected += len(demanded)
        found += len([each for each in demanded if each in reported])
        false += len([each for each in reported if each not in demanded])
    return texts, expected, found, false


def _keys(markers: list[Marker]) -> list[tuple[int, int, str]]:
    return [(marker.start, marker.width, marker.code) for marker in markers]


def claim() -> Claim:
    """Count all kinds."""
    counts = {file.stem.replace("-", " "): _counts(file) for file in FILES}
    total = [sum(each) for each in zip(*counts.values(), strict=True)]
    rows = [*counts.items(), ("**all**", total)]
    table = tuple(
        (name, f"{texts:,}", f"{expected:,}", share(found, expected), f"{false:,}")
        for name, (texts, expected, found, false) in rows
    )
    return Claim(
        _ABOUT,
        ("kind", "texts", "faults", "reported", "false reports"),
        table,
        total[1:3] == [total[1]] * 2 and not total[3],
    )
