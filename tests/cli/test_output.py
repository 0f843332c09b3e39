"""JSON and bytes on standard output, whatever the values hold."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.support.failure import CommandError
from callwright.cli.support.output import to_json, write_text
from support.sampling import tries

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


def plain(value: Any) -> Any:
    """The value with the numbers that JSON lacks as the strings they become."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list) else value


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@settings(deadline=None, max_examples=tries(200))
@given(VALUES)
def test_any_value_becomes_strict_ascii_json(value: Any) -> None:
    text = to_json(value)
    assert text.isascii()
    assert json.loads(text, parse_constant=refuse) == plain(value)


@settings(deadline=None, max_examples=tries(100))
@given(VALUES)
def test_both_writers_lay_out_alike(value: Any) -> None:
    beside_what_needs_the_second_writer = to_json([plain(value), math.nan])
    assert beside_what_needs_the_second_writer == to_json([plain(value), "NaN"])


def test_a_lone_surrogate_is_an_escape() -> None:
    assert to_json({"a": "\ud800"}) == '{\n  "a": "\\ud800"\n}'


def test_depth_and_digits_are_no_obstacle() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert to_json(deep).count("[") == 50_001
    assert to_json({"n": 10**9_000 - 7, "m": -(10**5_000)}) == (
        '{\n  "n": ' + "9" * 8_999 + '3,\n  "m": -1' + "0" * 5_000 + "\n}"
    )


def test_text_goes_out_byte_for_byte(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_text("a\r\nb\u2028\r", bom=True)
    assert capfdbinary.readouterr().out == "\ufeffa\r\nb\u2028\r".encode()


def test_text_that_utf8_cannot_hold_is_refused(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(CommandError, match="half a surrogate pair at offset 1"):
        write_text("a\ud800")
    assert capfdbinary.readouterr().out == b""
