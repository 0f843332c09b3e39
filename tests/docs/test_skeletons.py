"""`make new-rule` and `make new-dialect` write what fails in the very tests that they name, and overwrite nothing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from callwright.calls.protocol import ReadContext
from callwright.rules.catalogue import rule_names
from callwright.rules.support.documentation import documentation_of
from callwright.tools.registry import EMPTY
from support.cases import Case, annotated, read_cases
from support.checkout import ROOT, copied, environment_of
from support.engine import case_snapshot
from support.skeletons import RefusedError, Skeleton, dialect_skeleton, rule_skeleton, write

SKELETONS = {
    "new-rule NAME=odd-sock GROUP=TC3": ("server/callwright/rules/odd_sock.py", "rules/odd-sock.md"),
    "new-dialect NAME=odd-sock-2": ("server/callwright/dialects/odd_sock_2.py", "dialects/odd-sock-2.md"),
}


def run(command: str, folder: Path) -> tuple[int, str]:
    """Run a command in a copy of the project, of which `make` sets up nothing."""
    # What is old to make is not made again.
    command = re.sub(r"^make ", "make --no-print-directory -o .venv/.synced ", command)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "MAKE"))}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**kept, **environment_of(folder), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


@pytest.mark.whole(reason="it runs pytest and `make docs` in a copy of the project")
@pytest.mark.parametrize("target", SKELETONS)
def test_what_is_written_fails_in_the_tests_that_are_named(tmp_path: Path, target: str) -> None:
    folder = copied(tmp_path)
    status, reported = run(f"make {target}", folder)
    assert status == 0, reported
    module, page = SKELETONS[target]
    assert module in re.findall(r"^Wrote (.+)$", reported, re.MULTILINE)
    tests, docs = re.findall(r"^   ([.m].*)$", reported, re.MULTILINE)
    _, stated = run(f"{tests} --tb=no", folder)
    named = re.findall(r"^   - (.+)$", reported, re.MULTILINE)
    assert re.findall(r"^(?:FAILED|ERROR) (.+?\])(?: - .*)?$", stated, re.MULTILINE) == named, stated
    ruff = ".venv/bin/python -m ruff"
    assert run(f"{ruff} check {module} && {ruff} format --check {module}", folder)[0] == 0
    assert run(docs, folder)[0] == 0
    assert (folder / "server" / "docs" / page).is_file()
    assert run(f"make {target}", folder)[0] == 2


def module_and_case(skeleton: Skeleton) -> tuple[dict[str, Any], Case]:
    """Return what the module of a skeleton defines, and its case."""
    (program, text), (file, page) = skeleton.files.items()
    names: dict[str, Any] = {"__name__": program.stem}
    exec(compile(text, program, "exec"), names)  # noqa: S102  # the skeleton is what is tested
    (case,) = read_cases(file, page)
    return names, case


def test_a_rule_that_is_written_has_an_example_and_a_case_and_finds_neither() -> None:
    names, case = module_and_case(rule_skeleton("odd-sock", "TC3"))
    rule = names["OddSock"]()
    assert rule.code not in rule_names()
    (example,) = documentation_of(rule).examples
    source, markers = annotated(example.source)
    assert markers
    assert (source, markers) == annotated(case.expected[0].body)
    (placed,) = case_snapshot(case).placed_calls()
    assert list(rule.check(placed.binding)) == []


def test_a_dialect_that_is_written_reads_its_case_whose_tree_is_empty() -> None:
    names, case = module_and_case(dialect_skeleton("odd-sock-2"))
    reading = names["DIALECT"].read(case.source, 0, ReadContext(EMPTY))
    assert [(call.tool, call.dialect) for call in reading.calls] == [("read_file", "odd-sock-2")]
    assert [(fence.name, fence.body) for fence in case.expected] == [("tree", "")]


@pytest.mark.parametrize(
    "name", ["", "Odd-sock", "odd_sock", "odd--sock", "-odd", "odd-", "odd sock", "../odd", "2-odd"]
)
def test_a_name_in_another_case_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="is no name: write small letters with hyphens"):
        rule_skeleton(name, "TC3")
    with pytest.raises(RefusedError, match="is no name: write small letters with hyphens"):
        dialect_skeleton(name)


@pytest.mark.parametrize("name", ["unknown-tool", "base", "support"])
def test_the_name_of_a_rule_or_of_another_module_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match=f"`{name}` exists in server/callwright/rules/: choose another name"):
        rule_skeleton(name, "TC3")


@pytest.mark.parametrize("name", ["hermes", "catalogue", "support"])
def test_the_name_of_a_dialect_or_of_another_module_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match=f"`{name}` exists in server/callwright/dialects/: choose another name"):
        dialect_skeleton(name)


def test_a_name_that_is_a_word_of_python_or_has_a_digit_where_none_may_be_is_refused() -> None:
    with pytest.raises(RefusedError, match="its class would be called `None`"):
        dialect_skeleton("none")
    with pytest.raises(RefusedError, match="`odd-2` holds a digit"):
        rule_skeleton("odd-2", "TC3")


@pytest.mark.parametrize(
    ("group", "stated"), [("", "none is named"), ("TC0", "`TC0` is no group"), ("TC301", "`TC301` is")]
)
def test_a_group_that_is_none_is_answered_with_those_that_there_are(group: str, stated: str) -> None:
    with pytest.raises(RefusedError, match=stated) as refused:
        rule_skeleton("odd-sock", group)
    groups = re.findall(r"^  GROUP=(TC\d)  \w", str(refused.value), re.MULTILINE)
    assert groups == sorted({name[:3] for name in rule_names() if re.fullmatch(r"TC\d{3}", name)})


@pytest.mark.parametrize("group", ["TC1", "TC3", "TC5", "TC9"])
def test_the_code_is_the_first_free_one_of_the_group(group: str) -> None:
    (case,) = (text for path, text in rule_skeleton("odd-sock", group).files.items() if path.suffix == ".md")
    (code,) = set(re.findall(r"TC\d{3}", case))
    assert code.startswith(group)
    assert code not in rule_names()
    assert {f"{group}{number:02}" for number in range(1, int(code[3:]))} <= rule_names()


def test_a_group_without_a_free_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.skeletons.rule_names", lambda: frozenset(f"TC3{number:02}" for number in range(100)))
    with pytest.raises(RefusedError, match="TC3 has no free code: choose another group"):
        rule_skeleton("odd-sock", "TC3")


@pytest.mark.parametrize("number", [0, 1])
def test_no_file_is_overwritten_and_none_is_written_beside_it(tmp_path: Path, number: int) -> None:
    skeleton = rule_skeleton("odd-sock", "TC3", ROOT)
    path = [*skeleton.files][number]
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("mine", encoding="utf-8")
    with pytest.raises(RefusedError, match=f"{path.as_posix()} exists, and is not overwritten"):
        write(skeleton, tmp_path)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [tmp_path / path]
    assert (tmp_path / path).read_text(encoding="utf-8") == "mine"
