"""What is read, found and fixed in templates: the files `<language>/*.md` here, and prompts in `<language>/corpus/`.

A case's `path=` says which language it is in, or a line at its top, or `template=`; without any it is `case.md` with
the language's first ending. In a `tree` each expression is shown as `…`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.templates.base import TagKind
from callwright.templates.catalogue import find_template, template_names
from callwright.text.holes import HOLE
from dialects.dialect_cases import PRODUCERS as DIALECTS
from dialects.dialect_cases import prepared as with_markers
from support.cases import Case, Fence, Producer, read_cases
from support.engine import case_snapshot, registry_named

FOLDER = Path(__file__).parent
FOLDERS = sorted(path for path in FOLDER.iterdir() if any(path.glob("*.md")))
CASES = [
    case
    for folder in FOLDERS
    for file in sorted(folder.glob("*.md"))
    for case in read_cases(file, file.read_text(encoding="utf-8"))
]
CORPUS = sorted(file for folder in FOLDERS for file in (folder / "corpus").glob("*") if file.name != "SOURCES.md")


def _tree(case: Case, fence: Fence) -> str:
    return re.sub(f"{HOLE}+", "…", DIALECTS["tree"](case, fence))


PRODUCERS: dict[str, Producer] = {**DIALECTS, "tree": _tree}


def prepared(case: Case) -> Case:
    template = find_template(case.file.parent.name)
    assert template is not None
    known = {"path": f"case.md{template.suffixes[0]}" if template.suffixes else "case.md"}
    if not template.suffixes:
        known["template"] = template.name
    info = {**known, **case.info}
    return with_markers(replace(case, source_fence=replace(case.source_fence, info=info)))


def case_id(case: Case) -> str:
    return f"{case.file.parent.name}/{case.file.stem}: {case.title}"


def code_of(language: str, text: str) -> list[str]:
    """Return the code in a text that is not an escaped text, without the white space that belongs to it."""
    template = find_template(language)
    assert template is not None
    none = (TagKind.TEXT, TagKind.UNFINISHED)
    return [text[tag.start : tag.end].strip() for tag in template.tags(text) if tag.kind not in none]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    case = prepared(case)
    check_case(case, PRODUCERS)
    snapshot = case_snapshot(case)
    language = case.info.get("language", case.file.parent.name)
    assert (snapshot.template or "none") == language
    if language != "none":
        fixed, _ = fix_all(snapshot, unsafe=True)
        assert code_of(language, fixed) == code_of(language, case.source)


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: f"{file.parent.parent.name}/{file.name}")
@pytest.mark.parametrize("tools", ["examples", "shipped", "none"])
def test_prompts_and_chat_templates_give_no_false_alarm(file: Path, tools: str) -> None:
    text = file.read_bytes().decode("utf-8")
    snapshot = open_snapshot(text, path=file.name, registry=registry_named(tools), settings=Settings())
    assert snapshot.template == file.parent.parent.name
    found = [each for each in diagnostics(snapshot) if each.severity in (Severity.ERROR, Severity.WARNING)]
    assert [(each.code, each.message, each.span.of(text)) for each in found] == []


def test_every_language_has_cases_and_a_corpus() -> None:
    assert [folder.name for folder in FOLDERS] == sorted(template_names())
    assert {file.parent.parent.name for file in CORPUS} == set(template_names())
