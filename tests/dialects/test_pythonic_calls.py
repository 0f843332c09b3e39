"""What the `pythonic` dialect refuses to write, since Python could not read it back, and what it reads as no call."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.dialects.pythonic import DIALECT
from invariants.texts import opened


def written(tool: str, arguments: dict[str, Any]) -> str | Refusal:
    return DIALECT.render(tool, arguments, None, RenderStyle())


@pytest.mark.parametrize(
    ("tool", "arguments", "reason", "path"),
    [
        ("", {}, "`` is not a valid Python function name", ()),
        ("a-b", {}, "`a-b` is not a valid Python function name", ()),
        ("a..b", {}, "`a..b` is not a valid Python function name", ()),
        ("a~b", {}, "`a~b` is not a valid Python function name", ()),
        ("f", {"x y": 1}, "`x y` is not a valid Python argument name", ("x y",)),
        ("f", {"a": 1, "b": {"c": [float("nan")]}}, "Python has no literals for NaN and infinity", ("b", "c", 0)),
        ("f", {"a": float("-inf")}, "Python has no literals for NaN and infinity", ("a",)),
        (
            "f",
            {"a": "x\ud83d\ude00"},
            "a string contains two surrogates that would be read as one character",
            ("a",),
        ),
    ],
)
def test_what_python_cannot_report_is_refused(
    tool: str, arguments: dict[str, Any], reason: str, path: tuple[str | int, ...]
) -> None:
    assert written(tool, arguments) == Refusal(reason, path)


def test_a_name_with_dots_is_written() -> None:
    assert written("a.b", {"c": 1, "d": "x"}) == "[a.b(c=1, d='x')]"


def test_one_that_is_refused_keeps_all_from_being_written() -> None:
    calls = [Rendering("f", {}, None, None), Rendering("a b", {}, None, None)]
    assert isinstance(DIALECT.render_all(calls, RenderStyle()), Refusal)


@pytest.mark.parametrize(
    ("opener", "found"), [("```tool_code", {"pythonic"}), ("```tool_codes", set()), ("```python", set()), ("`", set())]
)
def test_only_its_own_fence_holds_calls(opener: str, found: set[str]) -> None:
    text = f"{opener}\nread_file(path='a')\n```\n"
    assert {placed.call.dialect for placed in opened(text).placed_calls()} == found
