"""Documents that declare their tools: after any edits an answer is what a document that was just opened gets, and every
feature answers at any place."""

from pathlib import Path

import pytest

from callwright.text.facts import Holder
from callwright.text.span import Edit, Span
from features.edges import CLIENT
from features.test_answers_outlast_edits import FEATURES, asked, fresh
from features.test_any_place import ask_everything
from invariants.corpus import seeded
from support.cases import Case, load_cases
from support.engine import case_snapshot
from support.sampling import sampled

HERE = Path(__file__).parent
CASES = [
    case for case in load_cases(HERE) if case.file.name.startswith("declared_") and case.info.get("tools") == "none"
]
ROUNDS = 8
#: What is typed into declarations, calls and prose, some of it over what is there.
WRITTEN = (
    "x",
    " ",
    "\n",
    "\n\n# A heading\n\n",
    "```\n",
    "<read_file>\n<path>a</path>\n</read_file>\n",
    "- more: (optional) Another one\n",
    "## more_tools\nDescription: Another one.\nParameters:\n- path: (required) The path\n",
    "A sentence of some length, to fill the block. ✓𝄞\n\n" * 60,
)


@pytest.mark.parametrize("case", sampled(CASES), ids=str)
def test_answers_after_edits_are_those_of_a_document_just_opened(case: Case) -> None:
    random = seeded(f"declared {case}")
    now = case_snapshot(case)
    compared = 0
    ask_everything(now, random, str(case))
    for _ in range(ROUNDS):
        new = fresh(now)
        if [*now.registry] == [*new.registry]:
            # What is broken for a moment keeps the tools that it had; a document that was just opened has none.
            compared += 1
            for feature in FEATURES:
                assert asked(feature, now, CLIENT, Holder()) == asked(feature, new, CLIENT, Holder()), (
                    feature.method,
                    now.document.text(),
                )
        size = len(now.document)
        start = random.randint(0, size)
        end = min(size, start + random.choice((0, 0, 0, 1, 3)))
        now = now.edit([Edit(Span(start, end), random.choice(WRITTEN))])
    ask_everything(now, random, repr(now.document.text()))
    assert compared
