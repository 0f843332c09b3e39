"""The traps of XML in calls, as Markdown cases in `xml/*.md`.

A case's `source` has an annotation line below each problem (carets, then its kind). `tree` is what is read: a line for
each element with its text, `~` where the element was read as text, `!` where it has no closing tag, and `…` for what is
left of the source after the call. `fixed` is the source with all repairs applied at once.
"""

from pathlib import Path

import pytest

from callwright.syntax.xml import NO_HINTS, XmlElement, XmlHints, XmlRead, read_element
from callwright.text.span import Edit, apply_edits
from support.cases import Case, FoundDiagnostic, annotated, differences, load_cases

TEXT = {"type": "string"}
CALLS = frozenset({"read_file", "write_file"})
FILE = {"path": TEXT, "content": TEXT}
#: What a case can say is known of the element that it reads: `hints=…` in its fence.
HINTS = {
    "none": NO_HINTS,
    "unknown": XmlHints(siblings=CALLS),
    "file": XmlHints(parameters=FILE, text_parameters=frozenset(FILE), siblings=CALLS),
    "raw": XmlHints(parameters=FILE, raw=True, siblings=CALLS),
    "wrapped": XmlHints(parameters=FILE, siblings=CALLS, enclosing=frozenset({"tool_calls"})),
    "nested": XmlHints(
        parameters={
            "args": {"type": "array", "items": TEXT},
            "env": {"type": "object", "properties": {"HOME": TEXT, "LANG": TEXT}},
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": {"old": TEXT, "new": TEXT}},
            },
        },
        siblings=CALLS,
    ),
}
CASES = load_cases(Path(__file__).parent / "xml")
by_case = pytest.mark.parametrize("case", CASES, ids=str)


def source_of(case: Case) -> str:
    return annotated(case.text).source


def read(case: Case) -> XmlRead:
    found = read_element(source_of(case), 0, hints=HINTS[case.info.get("hints", "file")])
    assert found is not None, "a case begins with an element"
    return found


def tree_of(found: XmlRead) -> str:
    lines: list[str] = []

    def show(element: XmlElement, depth: int) -> None:
        unclosed = element.close_span is None and not element.self_closing
        text = element.text()
        shown = "" if element.has_elements and not text.strip() else f" {text!r}"
        lines.append(f"{'  ' * depth}{element.name}{'~' * element.opaque}{'!' * unclosed}{shown}")
        for child in element.elements:
            show(child, depth + 1)

    show(found.element, 0)
    rest = found.element.source[found.end :]
    return "\n".join([*lines, *([f"… {rest!r}"] if rest else [])])


def edits_of(found: XmlRead, *, certain: bool) -> list[Edit]:
    return [edit for problem in found.problems if problem.certain or not certain for edit in problem.repair]


@by_case
def test_the_problems_are_the_marked_ones(case: Case) -> None:
    source, markers = annotated(case.text)
    diagnostics = [FoundDiagnostic(problem.kind, problem.span, "") for problem in read(case).problems]
    assert not (failure := differences(source, markers, diagnostics)), failure


@by_case
def test_the_tree_is_the_shown_one(case: Case) -> None:
    (tree,) = [fence.body for fence in case.expected if fence.name == "tree"]
    assert tree_of(read(case)) == tree


@by_case
def test_the_repairs_give_the_fixed_source(case: Case) -> None:
    found = read(case)
    fixed = [fence.body for fence in case.expected if fence.name == "fixed"]
    assert bool(edits_of(found, certain=False)) == bool(fixed), "a case with repairs shows what they give"
    if fixed:
        assert apply_edits(source_of(case), edits_of(found, certain=False)) == fixed[0]


@by_case
def test_certain_repairs_leave_no_problem(case: Case) -> None:
    found = read(case)
    if found.clean or not all(problem.certain for problem in found.problems):
        return
    text = apply_edits(source_of(case), edits_of(found, certain=True))
    again = read_element(text, 0, hints=HINTS[case.info.get("hints", "file")])
    assert again is not None
    assert again.problems == []
