"""Unified diffs: they turn the one text into the other."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.cli.support.differences import unified_diff
from support.sampling import tries

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d\r", "unique\n", "é\n"]), max_size=25).map("".join)


def patched(before: str, diff: str) -> str:
    """What a strict reader of unified diffs makes of `before`; every line of the diff must fit."""
    old = re.findall(r"[^\n]*\n|[^\n]+", before)
    lines = re.findall(r"[^\n]*\n", diff)
    assert lines[:2] == ["--- a/f\n", "+++ b/f\n"]
    result: list[str] = []
    at = 0
    number = 2
    while number < len(lines):
        header = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n", lines[number])
        assert header is not None
        first, taken, _, given_lines = map(int, header.groups())
        start = first - 1 if taken else first
        result += old[at:start]
        at = start
        number += 1
        before_hunk = len(result)
        while number < len(lines) and lines[number][0] in " +-":
            line = lines[number][1:]
            if number + 1 < len(lines) and lines[number + 1].startswith("\\"):
                line = line[:-1]
            if lines[number][0] in " -":
                assert old[at] == line
                at += 1
            if lines[number][0] in " +":
                result.append(line)
            number += 2 if number + 1 < len(lines) and lines[number + 1].startswith("\\") else 1
        assert at - start == taken
        assert len(result) - before_hunk == given_lines
    return "".join(result + old[at:])


@settings(deadline=None, max_examples=tries(300))
@given(TEXTS, TEXTS)
def test_a_diff_leads_from_the_one_text_to_the_other(before: str, after: str) -> None:
    diff = unified_diff(before, after, "f")
    assert (diff == "") == (before == after)
    if diff:
        assert patched(before, diff) == after


@settings(deadline=None, max_examples=tries(100))
@given(TEXTS, TEXTS)
def test_what_is_far_from_a_change_is_not_shown(head: str, tail: str) -> None:
    far = "".join(f"{number}\n" for number in range(20))
    diff = unified_diff(far + head + "x\n" + far + tail, far + head + "y\n" + far + tail, "f")
    assert diff.count("\n@@") == 1
    assert diff.count("\n") <= 2 + 1 + 8 + 1


def test_one_changed_line_with_its_surroundings() -> None:
    assert unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9", "a b.prompt") == (
        "--- a/a b.prompt\t\n+++ b/a b.prompt\t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    )


def test_a_newline_at_the_end_is_a_change_like_any_other() -> None:
    diff = unified_diff("a", "a\n", "f")
    assert diff == "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"


def test_many_changes_in_a_long_text_do_not_take_quadratic_time() -> None:
    before = "".join(f"line {number % 7}\n" for number in range(60_000))
    after = "".join(f"line {number % 7}{'x' if number % 2 else ''}\n" for number in range(60_000))
    started = time.process_time()
    assert unified_diff(before, after, "f")
    assert time.process_time() - started < 5


FAULTY = '<debug_launch>{"program": "a b",}</debug_launch>\r\nEnd \x1b[31m'
FIXED = '<debug_launch>{"program": "a b"}</debug_launch>\r\nEnd \x1b[31m'
#: Names that end at another place, or command a terminal, where they are written as they are.
NAMES = [
    *("a.prompt", "a b.prompt", "sub/a.prompt", "é😀.prompt", " a .prompt"),
    *('a"b\\c.prompt', "a\tb\nc.prompt", "a\x1b[2J\x85\u202e.prompt", os.fsdecode(b"a\xff.prompt")),
]


@pytest.mark.skipif(sys.platform == "win32", reason="names there hold no such characters")
@pytest.mark.usefixtures("named_sets")
@pytest.mark.parametrize("place", ["here", "absolute", "above", "elsewhere"])
@pytest.mark.parametrize("program", ["git", "patch"])
def test_a_diff_is_taken_by_the_programs_that_apply_diffs(
    program: str,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Whatever the name, and wherever the file is; what lies outside the working folder applies from the root on."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for name in NAMES:
        file = (here if place in ("here", "absolute") else tmp_path / "other") / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(FAULTY.encode())
        given = {"here": name, "above": f"../other/{name}"}.get(place, str(file))
        with open(os.dup(1), "w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123 - a descriptor
            patch.setattr(sys, "stdout", stream)
            assert main(["check", "--diff", given]) == 1
        diff = capfdbinary.readouterr().out
        top = here if place in ("here", "absolute") else Path("/")
        words = ["git", "apply"] if program == "git" else ["patch", "-p1", "--binary", "--silent"]
        done = subprocess.run(words, cwd=top, input=diff, capture_output=True, check=False)
        assert done.returncode == 0, (diff, done)
        assert file.read_bytes() == FIXED.encode(), diff
