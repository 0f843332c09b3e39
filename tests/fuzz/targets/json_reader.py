"""The JSON reader: any text is read, as `json` reads what it takes, and nothing after the reach matters."""

from __future__ import annotations

import json
from typing import Any

from callwright.syntax.json import PROBLEM_KINDS, JsonRead, read_json
from callwright.text.span import apply_edits
from fuzz.inputs import Input
from syntax.test_json_properties import STOP, check_tree

#: Deeper than this the standard library may give up, and our reader says `too-deep`.
MAX_DEPTH = 200


def target(data: bytes) -> None:
    """Read the text with and without a stop and an open end."""
    given = Input(data)
    text = given.text
    stop = STOP if given.pick("stop", ("yes", "no")) == "yes" else None
    open_ended = given.pick("open", ("no", "yes")) == "yes"
    read = read_json(text, stop=stop, open_ended=open_ended)
    check_tree(text, read)
    for problem in read.problems:
        assert problem.kind in PROBLEM_KINDS, problem
        assert 0 <= problem.span.start <= problem.span.end <= len(text), problem
        apply_edits(text, problem.repair)
    assert [each.span for each in read.problems] == sorted(each.span for each in read.problems)
    assert_reach(text, read, given)
    if read.problems and all(problem.certain for problem in read.problems) and not open_ended:
        fixed = apply_edits(text, [edit for problem in read.problems for edit in problem.repair])
        again = read_json(fixed, stop=stop)
        assert again.problems == [], (again.problems, fixed)
        # Of duplicate keys the first goes, so the other members may be in front of it then.
        assert repr(_ordered(again.value)) == repr(_ordered(read.value)), (read.value, again.value, fixed)
    if stop is None and not open_ended:
        assert_agrees(text, read)


def assert_reach(text: str, read: JsonRead, given: Input) -> None:
    """Change what is after the reach: the reading stays."""
    if read.reach >= len(text):
        return
    tail = given.random("tail").choice(("", "}", '"', "]}", "\n\n", ",", "x", '"}\n', "</tool>", "/*", "\\"))
    stop = STOP if given.pick("stop", ("yes", "no")) == "yes" else None
    again = read_json(text[: read.reach] + tail, stop=stop, open_ended=given.pick("open", ("no", "yes")) == "yes")
    assert repr(again.value) == repr(read.value), (read.reach, tail)
    assert (again.end, again.problems) == (read.end, read.problems), (read.reach, tail)


def assert_agrees(text: str, read: JsonRead) -> None:
    """Hold a reading against the standard library's, for texts that mean one thing."""
    if text.count("{") + text.count("[") > MAX_DEPTH:
        return
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except ValueError:
        # A template expression or an elision is not a fault, and no JSON either.
        assert read.problems or read.wild or read.elided, "the standard library rejects it, and nothing is said"
        return
    if not read.problems:
        assert repr(read.value) == repr(value), (read.value, value)
        return
    # What is JSON and at fault all the same: half a pair, a number that no other parser holds.
    kinds = {problem.kind for problem in read.problems}
    assert kinds <= {"lone-surrogate", "bad-number", "non-finite-number"}, kinds


def _ordered(value: Any) -> Any:
    """Return a value with the members of all objects in the order of their names."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(each) for each in value] if isinstance(value, list) else value


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found
