"""The reader of calls in Python: any text is read, in spans that nest, and nothing after the reach matters."""

from __future__ import annotations

from callwright.syntax.python_calls import read_calls
from callwright.text.span import apply_edits
from fuzz.inputs import Input
from syntax.python.test_python_properties import STOP, check_tree


def target(data: bytes) -> None:
    """Read the text as a list of calls."""
    given = Input(data)
    text = given.text
    stop = STOP if given.pick("stop", ("yes", "no")) == "yes" else None
    found = read_calls(text, 0, stop=stop)
    assert 0 <= found.end <= found.reach <= len(text)
    for call in found.calls:
        check_tree(text, call.read)
        for problem in call.read.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(text), problem
            apply_edits(text, problem.repair)
    if found.reach < len(text):
        tail = given.random("tail").choice(("", ")", "'", ")]", "\n\n", ",", "x", "<|end|>", "#", "\\"))
        again = read_calls(text[: found.reach] + tail, 0, stop=stop)
        before, after = (
            [(call.name, repr(call.read.value), call.read.problems) for call in each.calls] for each in (found, again)
        )
        assert (after, again.end) == (before, found.end), (found.reach, tail)
