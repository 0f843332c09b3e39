"""The pages of performance and robustness, in short.

Owns: which of their figures are repeated here. Must not know: how they are measured.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from proof.claim import Claim

TITLE: Final = "Speed and survival"
DOCS: Final = Path(__file__).parents[2] / "server" / "docs"
_ABOUT: Final = """\
[Performance](performance.md) has the figures of the last run of `make bench`, each beside a control or a peer in the
same run, and says of each whether its target is met. [Robustness](robustness.md) lists what happens when something goes
wrong: each row names the tests that make it happen."""
_ROW: Final = re.compile(r"^\|(?! *-)(.+)\|$", re.MULTILINE)


def claim() -> Claim:
    """Count."""
    performance = (DOCS / "performance.md").read_text(encoding="utf-8").partition("<!-- figures -->")[2]
    robustness = (DOCS / "robustness.md").read_text(encoding="utf-8")
    met, missed = (len(re.findall(rf"\| {word}", performance)) for word in ("met", "missed"))
    rows = [row for row in _ROW.findall(robustness) if "`tests/" in row]
    named = {name for row in rows for name in re.findall(r"`(tests/[\w/.]+)`", row)}
    table = (
        ("targets of speed and memory that are met", f"{met:,} of {met + missed:,}"),
        ("events, inputs and attacks with a stated result", f"{len(rows):,}"),
        ("files of tests that make them happen", f"{len(named):,}"),
    )
    return Claim(_ABOUT, ("", "number"), table, bool(rows) and bool(met))
