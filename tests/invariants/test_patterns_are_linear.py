"""No pattern takes more than linear time: each of ours is attacked where it has a loop, and its steps are counted.

All modules are imported and the corpora read, in a process of their own, so that patterns which are put together on
first use are seen as well. Each pattern is tried as a match; and as a search through the whole text where the name that
it was given is one that its module searches with.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import callwright
from callwright.text.line_ends import LINE_START
from support.regex_steps import Steps, grows
from support.sampling import sampled

SOURCE = Path(callwright.__file__).parent
SHARDS = 8
#: Which methods look for a pattern everywhere, rather than at one place.
SEARCHING = {"search", "finditer", "sub", "subn", "findall", "split"}
#: Patterns that would grow with their text, and do not, because the text is short: the module, the name, and why.
SHORT_TEXTS = {
    ("cursor/cursor_probe.py", "_WORD_BEFORE"): "looks at the 200 characters in front of the cursor",
    ("recovery/unmatched_markers.py", "_CLOSERS"): "looks at the last characters of a stretch",
    ("recovery/missed_calls.py", "_LEAD"): "looks at the few characters in front of a call",
    ("calls/tagged/values.py", "_LAYOUT"): "looks at the 200 characters in front of a parameter's end",
    ("declarations/styles/support/parameter_entries.py", "_TAIL"): "looks at the last 200 characters of an entry",
    (
        "features/support/comments.py",
        "_BEGUN",
    ): "looks at a line up to the cursor, if it is no longer than a line may be",
    ("features/support/comments.py", "_OPTION"): "looks at what stands between a marker and the cursor on such a line",
    ("features/support/comments.py", "_ENTRY"): "looks at what stands between a bracket and the cursor on such a line",
    ("hosts/python.py", "_NAME"): "looks at the 80 characters in front of `.format`",
    ("runtime/report.py", "_SPAN"): "looks through a message, whose middle is left out where it is long",
    (
        "syntax/json_corrections.py",
        "_ENDS_STRING",
    ): "looks through a call of at most 8,000 characters, once for each quote in doubt",
    (
        "syntax/python_corrections.py",
        "_ENDS_STRING",
    ): "looks through a call of at most 4,000 characters, once for each quote in doubt",
}
#: Runs in a process of its own, and prints every pattern that code of ours compiles, with the place.
COLLECT = """
import json, re._compiler, sys
from pathlib import Path
root, seen, compile = sys.argv[1], {}, re._compiler.compile
def recording(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_code.co_filename.endswith(("re/__init__.py", "xml_names.py", "<frozen importlib._bootstrap>")):
        frame = frame.f_back
    file = frame.f_code.co_filename
    if isinstance(pattern, str) and file.startswith(root):
        seen.setdefault((pattern, int(flags)), (file.removeprefix(root + "/"), frame.f_lineno))
    return compile(pattern, flags)
re._compiler.compile = recording
import importlib, pkgutil, re, callwright
from callwright.text import patterns
# Where it is written counts, also for one that none of the texts needs.
patterns.compile_later = re.compile
from invariants.corpus import corpus, registry
for module in pkgutil.walk_packages(callwright.__path__, "callwright."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for text in corpus():
    callwright.parse(text, tools=registry())
for file in sorted(Path("tests/transcripts").rglob("corpus/*")):
    if file.is_file() and file.stat().st_size < 100_000:
        callwright.check(file.read_text("utf-8", "replace"), path=file.name)
print(json.dumps([[*key, *place] for key, place in seen.items()]))
"""


@pytest.fixture(scope="module")
def patterns() -> list[tuple[str, int, str, int]]:
    command = [sys.executable, "-c", COLLECT, str(SOURCE)]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env=_environment(root))
    return [(pattern, flags, file, line) for pattern, flags, file, line in json.loads(ran.stdout)]


def _environment(root: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(root / "tests")}


@cache
def tree_of(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text("utf-8"))


def names_at(file: str, line: int) -> set[str]:
    """Return the names that what is written on a line is given: of constants, keywords, functions."""
    found = set()
    for node in ast.walk(tree_of(file)):
        if line in range(getattr(node, "lineno", 0), (getattr(node, "end_lineno", 0) or 0) + 1):
            if isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg)
            elif isinstance(node, ast.FunctionDef):
                found.add(node.name)
    return found


@cache
def searched_with(file: str) -> frozenset[str]:
    """Return the names of what a module searches with."""
    found = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Attribute) and node.attr in SEARCHING:
            value: ast.expr = node.value
            while isinstance(value, ast.Call | ast.Subscript):
                value = value.func if isinstance(value, ast.Call) else value.value
            if isinstance(value, ast.Name | ast.Attribute):
                found.add(value.id if isinstance(value, ast.Name) else value.attr)
    return frozenset(found)


def is_searched_with(file: str, names: set[str]) -> bool:
    public = {name for name in names if not name.startswith("_")}
    elsewhere = (str(each.relative_to(SOURCE)) for each in SOURCE.rglob("*.py"))
    return bool(names & searched_with(file)) or any(public & searched_with(each) for each in elsewhere)


def with_room(work: Callable[[], None]) -> None:
    """Run what recurses deeply, in a thread with room for it."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- raised again below
            raised.append(error)

    size, depth = threading.stack_size(1 << 29), sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(depth)
    if raised:
        raise raised[0]


def test_the_patterns_are_seen(patterns: list[tuple[str, int, str, int]]) -> None:
    assert len(patterns) > 600
    assert {file.split("/")[0] for _, _, file, _ in patterns} >= {
        "document",
        "calls",
        "dialects",
        "hosts",
        "syntax",
        "text",
    }


@pytest.mark.parametrize(
    ("source", "everywhere", "steep"),
    [
        ("a+b", False, False),
        ("a+b", True, True),
        ("a++b", True, True),
        ("(?<!a)a++b", True, False),
        ("(?:a+)+b", False, True),
        (r'"(?:[^"\\]+|\\.)*"', False, True),
        (r'"(?:[^"\\]++|\\.)*+"', False, False),
        (r"\s*\s*x", False, True),
        (r"[a-z]{1,80}!", True, False),
        (r"(a|ab)(c|bcd)*d*$", False, False),
    ],
)
def test_what_grows_is_reported_from_what_does_not(source: str, *, everywhere: bool, steep: bool) -> None:
    with_room(lambda: _expect(source, everywhere=everywhere, steep=steep))


def _expect(source: str, *, everywhere: bool, steep: bool) -> None:
    assert (grows(Steps(source), everywhere=everywhere) is not None) == steep


@pytest.mark.parametrize("shard", sampled(range(SHARDS)))
def test_no_pattern_grows_faster_than_its_text(shard: int, patterns: list[tuple[str, int, str, int]]) -> None:
    steep: list[tuple[str, set[str], str, tuple[str, str, str]]] = []

    def work() -> None:
        for pattern, flags, file, line in patterns[shard::SHARDS]:
            names = names_at(file, line)
            steps = Steps(pattern, flags)
            attack = grows(steps, everywhere=False)
            if attack is None and is_searched_with(file, names):
                if any((file, name) in SHORT_TEXTS for name in names):
                    continue
                attack = grows(steps, everywhere=True)
            if attack is not None:
                steep.append((file, names, pattern, attack))

    with_room(work)
    assert not steep


def test_every_exception_is_a_pattern_that_is_searched_with() -> None:
    for file, name in SHORT_TEXTS:
        assert name in searched_with(file), (file, name)


#: Patterns over texts that hold no CR: what we write ourselves, or what a quick outcome reads as plain. Declarations
#: are searched for in a text in which LF alone ends lines.
ROOM_WITHOUT_CR = "declarations/styles/"
WITHOUT_CR = {("features/support/markdown.py", "_MARKUP")}


def test_no_pattern_leaves_it_to_multiline_where_a_line_begins_or_ends(
    patterns: list[tuple[str, int, str, int]],
) -> None:
    scanned_at = 0
    for pattern, flags, file, line in patterns:
        if not flags & re.MULTILINE or file.startswith(ROOM_WITHOUT_CR):
            continue
        if any((file, name) in WITHOUT_CR for name in names_at(file, line)):
            continue
        rest = re._parser.parse(pattern.replace(LINE_START, ""), flags)  # type: ignore[attr-defined]
        assert not {"AT_BEGINNING", "AT_END"} & {*re.findall(r"\w+", repr(rest))}, f"{file}:{line}: {pattern}"
        scanned_at += 1
    assert scanned_at > 10
