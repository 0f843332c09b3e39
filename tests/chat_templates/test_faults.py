"""What goes wrong in public chat templates, each in a minimal template of our own: `faults.md` here.

`diagnostics` has what is found, `probes` how many come back in each form of arguments, and `fixed` the template with
all fixes that hold, of which every probe comes back or is refused by the template itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.chat_templates.proof import ProbeOutcome
from callwright.document.settings import Settings
from callwright.lint.chat_templates import fixed_template
from support.cases import Case, Fence, Producer, annotate, diagnostics_of, load_cases
from support.chat_templates import proof_of, rendered_diagnostics, unexplained

CASES = load_cases(Path(__file__).with_name("faults.md"))


def _diagnostics(case: Case, _fence: Fence) -> str:
    found = rendered_diagnostics(case.source)
    return annotate(case.source, diagnostics_of(found)) if found else "none"


def _probes(case: Case, _fence: Fence) -> str:
    count = Counter((each.form, each.outcome) for each in proof_of(case.source).tried)
    lines = []
    for form in ("object", "string"):
        outcomes = sorted((outcome.value, number) for (of, outcome), number in count.items() if of == form)
        lines.append(f"{form}: " + ", ".join(f"{number} {outcome}" for outcome, number in outcomes))
    return "\n".join(lines)


def _fixed(case: Case, _fence: Fence) -> str:
    done, applied = fixed_template(proof_of(case.source), Settings(), proof_of, unsafe=True)
    assert applied, "no fix holds"
    left = {each.code for each in rendered_diagnostics(done.source)}
    assert not left & {diagnostic.code for diagnostic, _ in applied}, f"{left} is left"
    outcomes = {each.outcome for each in done.tried}
    assert outcomes <= {ProbeOutcome.SAME, ProbeOutcome.SKIPPED}, outcomes
    return done.source


PRODUCERS: dict[str, Producer] = {"diagnostics": _diagnostics, "probes": _probes, "fixed": _fixed}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_probe_comes_back_or_is_explained(case: Case) -> None:
    proof = proof_of(case.source)
    assert not list(unexplained(proof, rendered_diagnostics(case.source)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fault_is_stated_once(case: Case) -> None:
    found = rendered_diagnostics(case.source)
    assert len({(each.code, each.span, each.message) for each in found}) == len(found)
    assert len({(each.code, each.span) for each in found}) == len(found), [each.message for each in found]


DOCUMENTS = """{% if tools %}<|system|>{{ tools | tojson }}{% endif %}
{% for document in documents %}<|document|>{{ document.text }}{% endfor %}
{% for message in messages %}
<|{{ message.role }}|>{{ message.content or '' }}
{% endfor %}
"""


def test_a_template_named_for_documents_is_given_some() -> None:
    outcomes = {name: proof_of(DOCUMENTS, name).tried[0].outcome for name in ("default", "rag")}
    assert outcomes == {"default": ProbeOutcome.RAISES, "rag": ProbeOutcome.SAME}
