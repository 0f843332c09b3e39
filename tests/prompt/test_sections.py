"""Which tags frame sections of a prompt, and what is reported for one that is not closed as others of its name are."""

from __future__ import annotations

import pytest

from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY

PAIR = "<note_block>\nIt is so.\n</note_block>\n"


def found(text: str, path: str = "a.md") -> list[str]:
    snapshot = open_snapshot(text, path=path, registry=EMPTY, settings=Settings())
    return [each.message for each in diagnostics(snapshot) if each.code == "TC115"]


FAULTY = {
    "a closer is misspelt": f"{PAIR}<note_block>\nMore.\n</note_blok>\n",
    "an opener is misspelt": f"{PAIR}<note_blok>\nMore.\n</note_block>\n",
    "the case differs": f"{PAIR}<note_block>\nMore.\n</Note_Block>\n",
    "a closer is missing before the next": f"{PAIR}{PAIR}<note_block>\nMore.\n{PAIR}",
    "a closer is missing at the end of what is around": f"<all_notes>\n{PAIR}{PAIR}<note_block>\nMore.\n</all_notes>\n",
    "a closer at a line's end": f"{PAIR}<note_block>\nMore.</note_blok>\n",
    "in a list of several tags": f"{PAIR}<outer_one> <note_block>\nMore.\n</note_blok> </outer_one>\n",
}
SOUND = {
    "all are closed": PAIR * 3,
    "none is ever closed": "<note_block>\nIt is so.\n<note_block>\nIt is so.\n<note_block>\n",
    "one alone is not closed": f"{PAIR}<other_block>\nMore.\n",
    "a tag is mentioned": f"{PAIR}{PAIR}Close it with </note_block> at the end, and open it with <note_block>.\n",
    "a tag in a code span": f"{PAIR}{PAIR}`<note_block>`\n",
    "a tag in a fence": f"{PAIR}{PAIR}```\n<note_block>\n```\n",
    "a tag in a comment": f"{PAIR}{PAIR}<!--\n<note_block>\n-->\n",
    "a list and its items": "<examples>\n<example>\n1\n</example>\n<example>\n2\n</example>\n</examples>\n",
    "names that are far from each other": "<before_it>\nA\n</after_all>\n",
    "pairs within a line": f"{PAIR}{PAIR}<note_block>One line.</note_block> and more\n",
    "a closer within a line": f"{PAIR}{PAIR}<note_block>\nMore.</note_block> And so on.\n",
    "elements of HTML": "<details>\nA\n</details>\n<details>\nA\n</details>\n<details>\n",
    "self-closing": f"{PAIR}{PAIR}<note_block/>\n",
}


@pytest.mark.parametrize("text", FAULTY.values(), ids=FAULTY)
def test_a_section_that_is_not_closed_as_its_like_are(text: str) -> None:
    assert len(found(text)) == 1


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_sections_in_order(text: str) -> None:
    assert found(text) == []


def test_a_template_may_close_a_section_in_a_branch() -> None:
    assert found(f"{PAIR}{PAIR}{{% if x %}}<note_block>\n{{% endif %}}\n", "a.md.j2") == []


def test_after_an_edit_the_same_is_found() -> None:
    from callwright.text.span import Edit, Span

    text = f"{PAIR}\n" * 80
    snapshot = open_snapshot(text, path="a.md", registry=EMPTY, settings=Settings())
    assert diagnostics(snapshot) == []
    at = text.index("</note_block>", len(text) // 2) + 6
    edited = snapshot.edit([Edit(Span(at, at + 1), "")])
    fresh = open_snapshot(edited.document.text(), path="a.md", registry=EMPTY, settings=Settings())
    assert [each.span for each in diagnostics(edited)] == [each.span for each in diagnostics(fresh)]
    assert len(diagnostics(edited)) == 1
