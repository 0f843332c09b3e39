"""JavaScript's literals: decoded as an engine does, mapped there and back, and edited so that the value is that text.

A table of examples is checked in; where `node` is there, generated literals are held against it.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text.holes import HOLE
from callwright.text.javascript_literals import JavaScriptString
from callwright.text.span import Edit, Span, apply_edits, insert
from support.sampling import tries

NODE = shutil.which("node")
PIECES = ["a", "é", "😀", "e\u0301", "\t", "\\n", "\\\\", "\\x41", "\\u00e9", "\\d", "\\u{1F600}", "\\u{41}", "{", "}"]
PIECES += ["\\ud83d\\ude00", "\\ud83d", "\\u{de00}", "\\uDE00", "\\0", "$", "7", "\\\n", "\\\r\n", "\\\u2028", "u0041"]
PIECES += ["\\b\\f\\v\\r\\t", "n", "\\`", "\\$", "\\'", '\\"']
STRING_ONLY = ["\\1", "\\12", "\\123", "\\377", "\\400", "\\8", "\\00", "`", "\u2028"]
TEMPLATE_ONLY = ["\n", "\r\n", "\r", "'", '"']
QUOTES = ["'", '"', "`"]
NEW = [
    "",
    "x",
    "7",
    "n",
    "41",
    "{41}",
    "u00e9",
    "'",
    '"',
    "`",
    "$",
    "{",
    "${",
    "\\",
    "\n",
    "\t",
    "\x00",
    "é",
    "😀",
    "}",
]


def is_valid(raw: str, quote: str) -> bool:
    """Return whether `raw` may be between these quotes."""
    if quote != "`":
        return re.fullmatch(rf"(?:[^{quote}\\\r\n]|\\(?:\r\n|[\s\S]))*+", raw) is not None
    ended = re.fullmatch(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+", raw)
    # No template takes an octal escape.
    return ended is not None and not re.search(r"(?<!\\)(?:\\\\)*\\(?:[1-9]|0[0-9])", raw)


@st.composite
def literals(draw: st.DrawFn) -> tuple[str, str]:
    quote = draw(st.sampled_from(QUOTES))
    pieces = PIECES + (TEMPLATE_ONLY if quote == "`" else STRING_ONLY)
    raw = "".join(draw(st.lists(st.sampled_from(pieces), max_size=10)))
    return (raw if is_valid(raw, quote) else ""), quote


def draw_edit(data: st.DataObject, length: int) -> Edit:
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, length))
    return Edit(Span(start, end), "".join(data.draw(st.lists(st.sampled_from(NEW), max_size=3))))


TABLE = [
    ("a\\nb", '"', "a\nb"),
    ("\\x41\\u00e9\\u{1F600}", "'", "Aé😀"),
    ("\\ud83d\\ude00", '"', "😀"),
    ("\\ud83d\\u{de00}", '"', "😀"),
    ("\\ud83d", '"', "\ud83d"),
    ("a\\\nb\\\r\nc", '"', "abc"),
    ("\\1\\12\\101\\400\\8", '"', "\x01\nA 08"),
    ("\\0", "`", "\x00"),
    ("\\d\\'\\`\\$", '"', "d'`$"),
    ("a\r\nb\rc", "`", "a\nb\nc"),
    ("\\${x}", "`", "${x}"),
    ("\\x4 \\u12 \\u{110000}", '"', "\\x4 \\u12 \\u{110000}"),
    ("\\1", "`", "\\1"),
]


@pytest.mark.parametrize(("raw", "quote", "value"), TABLE)
def test_a_literal_means_what_the_standard_states(raw: str, quote: str, value: str) -> None:
    assert JavaScriptString(raw, 0, quote).text == value


def node_values(sources: list[str]) -> list[str | None]:
    """Return what node makes of each source, None where it takes it for no literal."""
    script = (
        "const out = JSON.parse(require('fs').readFileSync(0, 'utf8')).map((s) =>"
        " { try { const v = (0, eval)(`(${s})`); return typeof v === 'string' ? v : null } catch { return null } });"
        " process.stdout.write(JSON.stringify(out))"
    )
    assert NODE is not None
    ran = subprocess.run([NODE, "-e", script], input=json.dumps(sources), capture_output=True, text=True, check=True)
    values: list[str | None] = json.loads(ran.stdout)
    return values


@pytest.mark.skipif(NODE is None, reason="node is not there; the table above stands for it")
def test_generated_literals_mean_what_node_states_and_edits_do_to_them_what_they_report() -> None:
    chance = random.Random(4)  # noqa: S311 - examples, no secrets
    sources, expected = [], []
    for _ in range(6_000):
        quote = chance.choice(QUOTES)
        pieces = PIECES + (TEMPLATE_ONLY if quote == "`" else STRING_ONLY)
        raw = "".join(chance.choice(pieces) for _ in range(chance.randrange(9)))
        if not is_valid(raw, quote):
            continue
        projection = JavaScriptString(raw, 0, quote)
        sources.append(f"{quote}{raw}{quote}")
        expected.append(projection.text)
        cuts = sorted(chance.randint(0, projection.length) for _ in range(2))
        edit = Edit(Span(*cuts), "".join(chance.choice(NEW) for _ in range(chance.randrange(3))))
        encoded = projection.encode(edit)
        if encoded is not None:
            sources.append(f"{quote}{apply_edits(raw, [encoded])}{quote}")
            expected.append(apply_edits(projection.text, [edit]))
    assert len(sources) > 5_000
    wrong = [each for each in zip(sources, expected, node_values(sources), strict=True) if each[1] != each[2]]
    assert wrong[:5] == []


@settings(deadline=None, max_examples=tries(300))
@given(literals(), st.integers(0, 3))
def test_every_offset_maps_there_and_back(literal: tuple[str, str], start: int) -> None:
    raw, quote = literal
    projection = JavaScriptString(raw, start, quote)
    length = projection.length
    assert length == len(projection.text)
    starts = [projection.to_raw(offset) for offset in range(length + 1)]
    assert starts == sorted(set(starts))
    for offset in range(length):
        span = projection.raw_span(Span(offset, offset + 1))
        assert starts[offset] == span.start < span.end <= starts[offset + 1]
        assert all(projection.to_decoded(place) == offset for place in range(*span))
    assert projection.to_decoded(starts[-1]) == length
    assert projection.to_decoded(start - 1) is None


@settings(deadline=None, max_examples=tries(600))
@given(literals(), st.data())
def test_an_edit_does_to_the_text_what_it_states(literal: tuple[str, str], data: st.DataObject) -> None:
    raw, quote = literal
    projection = JavaScriptString(raw, 2, quote)
    edit = draw_edit(data, projection.length)
    expected = apply_edits(projection.text, [edit])
    encoded = projection.encode(edit)
    if encoded is None:
        assert re.search("[\ud800-\udbff][\udc00-\udfff]", expected)
        return
    new = apply_edits("--" + raw, [encoded])[2:]
    assert is_valid(new, quote)
    assert JavaScriptString(new, 0, quote).text == expected


def test_expressions_of_a_template_move_as_a_whole_only() -> None:
    raw = "<a>${x}</a>"
    projection = JavaScriptString(raw, 0, "`", fields=[Span(3, 7)])
    assert projection.text == f"<a>{HOLE * 4}</a>"
    wrapped = projection.encode(Edit(Span(3, 7), f"<![CDATA[{HOLE * 4}]]>"))
    assert wrapped is not None
    assert apply_edits(raw, [wrapped]) == "<a><![CDATA[${x}]]></a>"
    assert projection.encode(Edit(Span(2, 8), "")) is None
    assert projection.encode(insert(4, "x")) is None


@pytest.mark.parametrize(
    ("raw", "quote", "edit", "expected"),
    [
        ("ab", '"', insert(1, "\n"), "a\\nb"),
        ("ab", "`", insert(1, "\n"), "a\nb"),
        ("ab", '"', insert(1, "'`"), "a'`b"),
        ("ab", "`", insert(1, "`${"), "a\\`\\${b"),
        ("a$b", "`", insert(2, "{"), "a\\${b"),
        ("a{b", "`", insert(1, "$"), "a\\${b"),
        ("\\u00e9", '"', insert(1, "😀"), "\\u00e9\\ud83d\\ude00"),
        ("\\0x", '"', insert(1, "1"), "\\x001x"),
    ],
)
def test_text_is_written_with_the_fewest_escapes(raw: str, quote: str, edit: Edit, expected: str) -> None:
    encoded = JavaScriptString(raw, 0, quote).encode(edit)
    assert encoded is not None
    assert apply_edits(raw, [encoded]) == expected


def test_a_raw_template_refuses_what_it_cannot_hold() -> None:
    projection = JavaScriptString("a\\n${x}b", 0, "`", is_raw=True, fields=[Span(3, 7)])
    assert projection.text == f"a\\n{HOLE * 4}b"
    assert [projection.encode(insert(1, text)) for text in ("`", "${", "\r")] == [None] * 3
    encoded = projection.encode(insert(1, "\n"))
    assert encoded == Edit(Span(1, 1), "\n")
