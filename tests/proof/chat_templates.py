"""What is found in chat templates with the faults of public ones, and what their fixes are worth.

Owns: the count of the cases in `tests/chat_templates/faults.md`, and of the templates that try to escape. Must not
know: what is asserted of single cases.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from callwright.chat_templates.proof import ProbeOutcome
from callwright.document.settings import Settings
from callwright.lint.chat_templates import fixed_template
from chat_templates.test_faults import CASES
from proof.claim import Claim, share
from support.chat_templates import proof_of, rendered_diagnostics, unexplained

TITLE: Final = "Chat templates are proved against their parser"
_ABOUT: Final = """\
Each template has one fault of those that were reported about public ones, and each is rendered by Jinja with every
probe. A probe is a conversation; it comes back if the calls that the template writes are read back with the same
arguments. *Explained*: a probe that does not come back has a diagnostic at a line that causes it. *Fixed*: of the
templates that have a fix, those of which every probe comes back with it, or is refused by the template itself."""
_FINE: Final = (ProbeOutcome.SAME, ProbeOutcome.SKIPPED)


def claim() -> Claim:
    """Render and read back."""
    counts = Counter[str]()
    for case in CASES:
        proof, found = proof_of(case.source), rendered_diagnostics(case.source)
        failed = [each for each in proof.tried if each.outcome not in _FINE]
        counts["probes"] += len(proof.tried)
        counts["failed"] += len(failed)
        counts["explained"] += len(failed) - len(list(unexplained(proof, found)))
        counts["found"] += bool(found)
        counts["clean"] += not any(fence.name == "diagnostics" and " TC" in fence.body for fence in case.expected)
        if any(each.fixes for each in found):
            done, _ = fixed_template(proof, Settings(), proof_of, unsafe=True)
            counts["fixable"] += 1
            counts["fixed"] += all(each.outcome in _FINE for each in done.tried)
    faulty = len(CASES) - counts["clean"]
    row = (
        f"{len(CASES):,}",
        f"{faulty:,}",
        share(counts["found"], faulty),
        f"{counts['probes']:,}",
        share(counts["explained"], counts["failed"]),
        f"{counts['fixed']:,} of {counts['fixable']:,}",
    )
    head = ("templates", "with a fault", "found", "probes", "explained", "fixed")
    holds = counts["found"] == faulty and counts["explained"] == counts["failed"]
    return Claim(_ABOUT, head, (row,), holds)
