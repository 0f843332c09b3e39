"""The faults of JSON that people and models make, as Markdown cases in `json/*.md`.

A case is a heading and its fences: `source` with an annotation line below each fault (carets under it, then its kind;
one caret where it has no width, carets to the line's end where it has several lines), `value` with what is read, and
`mended` with all repairs applied where there are any. `‹hole›` stands for a template expression, `</tool>` ends the
text.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from callwright.syntax.json import PROBLEM_KINDS, JsonRead, read_json
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits

FOLDER = Path(__file__).parent / "json"
STOP = re.compile(r"</tool\s*>")
ANNOTATION = re.compile(r"( *)(\^+) ([a-z-]+)")
FENCE = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


class Mark(NamedTuple):
    line: int
    column: int
    width: int
    kind: str


class Case(NamedTuple):
    text: str
    marks: list[Mark]
    value: str
    mended: str | None


def cases() -> dict[str, Case]:
    found: dict[str, Case] = {}
    for path in sorted(FOLDER.glob("*.md")):
        for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title = part.partition("\n")[0]
            fences = {kind: body.removesuffix("\n") for _, kind, body in FENCE.findall(part)}
            lines: list[str] = []
            marks: list[Mark] = []
            for line in fences["source"].replace("‹hole›", HOLE * 6).split("\n"):
                mark = ANNOTATION.fullmatch(line)
                if mark is None:
                    lines.append(line)
                else:
                    marks.append(Mark(len(lines) - 1, len(mark[1]), len(mark[2]), mark[3]))
            found[f"{path.stem}: {title}"] = Case("\n".join(lines), marks, fences["value"], fences.get("mended"))
    return found


CASES = cases()


def marks_of(text: str, read: JsonRead) -> list[Mark]:
    marks = []
    for problem in read.problems:
        start = problem.span.start
        begin = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", start)
        end = min(problem.span.end, line_end if line_end >= 0 else len(text))
        marks.append(Mark(text.count("\n", 0, start), start - begin, max(1, end - start), problem.kind))
    return marks


def plain(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False).replace(HOLE * 6, "‹hole›")
    return written.encode(errors="backslashreplace").decode()


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    case = CASES[name]
    read = read_json(case.text, stop=STOP)
    assert marks_of(case.text, read) == sorted(case.marks, key=lambda mark: mark[:2])
    assert plain(read.value) == case.value
    edits = [edit for problem in read.problems for edit in problem.repair]
    mended = apply_edits(case.text, edits).replace(HOLE * 6, "‹hole›") if edits else None
    assert mended == case.mended


def test_every_kind_has_a_case() -> None:
    seen = {mark.kind for case in CASES.values() for mark in case.marks}
    # Two kinds need texts too long for a page; tests in code cover them.
    assert seen == set(PROBLEM_KINDS) - {"too-deep", "too-many-problems"}
