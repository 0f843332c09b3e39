"""Python's literals: decoded as `ast` does, mapped there and back, and edited so that `ast` reads the edited text."""

from __future__ import annotations

import ast
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text.holes import HOLE
from callwright.text.python_literals import PythonString
from callwright.text.source_literals import Adjacent
from callwright.text.span import Edit, Span, apply_edits, delete, insert
from support.sampling import tries

PIECES = [
    "a",
    "é",
    "😀",
    "e\u0301",
    "\u2028",
    "\x7f",
    "\t",
    "\\n",
    "\\\\",
    "\\'",
    '\\"',
    "\\x41",
    "\\u00e9",
    "\\d",
    "\\8",
]
PIECES += [
    "\\U0001F600",
    "\\ud83d",
    "\\ude00",
    "\\1",
    "\\12",
    "\\123",
    "\\777",
    "7",
    "\\N{BULLET}",
    "\\N{LF}",
    "{",
    "}",
]
PIECES += ["\\\n", "\\\r\n", "n", "x", "u0041", "\\a\\b\\f\\r\\t\\v"]
QUOTES = ["'", '"', "'''", '"""']
LONG_ONLY = ["\n", "\r\n", "\r", "'", '"', "''", '""']
NEW = [
    "",
    "x",
    "7",
    "n",
    "41",
    "{BULLET}",
    "u00e9",
    "'",
    '"',
    '""',
    "'''",
    '"""',
    "\\",
    "\n",
    "\t",
    "\x00",
    "é",
    "😀",
    "{",
    "}",
    "\r",
]


def evaluated(source: str) -> str | None:
    """Return what Python makes of a literal, None where it takes it for none or for more than one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, UnicodeEncodeError):
        return None
    body = tree.body
    whole = isinstance(body, ast.Constant) and isinstance(body.value, str)
    if not whole:
        return None
    assert isinstance(body, ast.Constant)
    # Literals that follow each other are one constant to `ast`; a comment after one would be dropped.
    return str(body.value)


def is_one_literal(raw: str, quote: str) -> bool:
    """Return whether the literal ends where `raw` does: nothing in it closes it before."""
    from io import StringIO
    from tokenize import STRING, TokenError, generate_tokens

    try:
        tokens = list(generate_tokens(StringIO(f"{quote}{raw}{quote}", newline="").readline))
    except (TokenError, SyntaxError, IndentationError):
        return False
    return [token.type for token in tokens].count(STRING) == 1


def read(raw: str, quote: str, prefix: str = "") -> str | None:
    return evaluated(f"{prefix}{quote}{raw}{quote}") if is_one_literal(raw, quote) else None


@st.composite
def literals(draw: st.DrawFn) -> tuple[str, str, bool]:
    """Return a literal's content, its quote and whether it is raw; Python takes it."""
    quote = draw(st.sampled_from(QUOTES))
    is_raw = draw(st.booleans())
    pieces = PIECES + (LONG_ONLY if len(quote) == 3 else [])
    raw = "".join(draw(st.lists(st.sampled_from(pieces), max_size=10)))
    if read(raw, quote, "r" * is_raw) is None:
        raw = re.sub(r"""['"\\]|\\N""", "", raw)
    if read(raw, quote, "r" * is_raw) is None:
        raw = ""
    return raw, quote, is_raw


def draw_edit(data: st.DataObject, length: int) -> Edit:
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, length))
    return Edit(Span(start, end), "".join(data.draw(st.lists(st.sampled_from(NEW), max_size=3))))


@settings(deadline=None, max_examples=tries(400))
@given(literals())
def test_a_literal_means_what_python_states(literal: tuple[str, str, bool]) -> None:
    raw, quote, is_raw = literal
    assert PythonString(raw, 1, quote, is_raw=is_raw).text == read(raw, quote, "r" * is_raw)


@settings(deadline=None, max_examples=tries(300))
@given(literals(), st.integers(0, 3))
def test_every_offset_maps_there_and_back(literal: tuple[str, str, bool], start: int) -> None:
    raw, quote, is_raw = literal
    projection = PythonString(raw, start, quote, is_raw=is_raw)
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
    assert projection.to_decoded(start + len(raw) + 1) is None


@settings(deadline=None, max_examples=tries(400))
@given(literals(), st.data())
def test_an_edit_does_to_the_value_what_it_states(literal: tuple[str, str, bool], data: st.DataObject) -> None:
    raw, quote, is_raw = literal
    projection = PythonString(raw, 2, quote, is_raw=is_raw)
    edit = draw_edit(data, projection.length)
    encoded = projection.encode(edit)
    if encoded is None:
        assert is_raw
        return
    expected = apply_edits(projection.text, [edit])
    new = apply_edits("--" + raw, [encoded])[2:]
    assert read(new, quote, "r" * is_raw) == expected
    assert PythonString(new, 0, quote, is_raw=is_raw).text == expected


def fields_of(raw: str) -> list[Span]:
    return [Span(*found.span()) for found in re.finditer(r"\{[a-z]+\}", raw)]


def shown(source: str) -> str | None:
    """Return the value of an f-string with each expression as it is written, None where Python takes it for none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(body, ast.JoinedStr):
        return None
    return "".join(
        str(part.value)
        if isinstance(part, ast.Constant)
        else "{" + ast.unparse(part.value) + "}"
        if isinstance(part, ast.FormattedValue)
        else ""
        for part in body.values
    )


FORMATTED = ["a", "😀", "{{", "}}", "\\n", "\\\\", "\\x41", "\\1", "{name}", "{value}", '\\"', "\\N{BULLET}", "\\d"]


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(st.sampled_from(FORMATTED), max_size=8).map("".join), st.sampled_from(QUOTES), st.data())
def test_a_formatted_string_keeps_its_expressions(raw: str, quote: str, data: st.DataObject) -> None:
    fields = [each for each in fields_of(raw) if "N{" not in raw[each.start - 1 : each.end]]
    fields = [each for each in fields if not raw[: each.start].endswith("{") or raw[: each.start].endswith("{{")]
    projection = PythonString(raw, 0, quote, formatted=True, fields=fields)
    source = f"f{quote}{raw}{quote}"
    value = shown(source)
    assert value is not None
    for field in fields:
        value = value.replace(field.of(raw), HOLE * (field.end - field.start))
    assert projection.text == value
    edit = draw_edit(data, projection.length)
    held = re.findall(f"{HOLE}+", edit.span.of(projection.text))
    if data.draw(st.booleans()):
        edit = Edit(edit.span, edit.text + "<".join(held))
    encoded = projection.encode(edit)
    if encoded is None:
        cut = any(
            0 < at < projection.length and projection.text[at - 1] == HOLE == projection.text[at] for at in edit.span
        )
        assert cut or held
        return
    new = apply_edits(raw, [encoded])
    expected = apply_edits(projection.text, [edit])
    changed = shown(f"f{quote}{new}{quote}")
    assert changed is not None
    for field in fields:
        changed = changed.replace(field.of(raw), HOLE * (field.end - field.start))
    assert changed == expected


def test_expressions_move_as_a_whole_only() -> None:
    raw = "<a>{x}</a>"
    projection = PythonString(raw, 0, formatted=True, fields=[Span(3, 6)])
    assert projection.text == f"<a>{HOLE * 3}</a>"
    wrapped = projection.encode(Edit(Span(3, 6), f"<![CDATA[{HOLE * 3}]]>"))
    assert wrapped is not None
    assert apply_edits(raw, [wrapped]) == "<a><![CDATA[{x}]]></a>"
    assert projection.encode(delete(2, 7)) is None
    assert projection.encode(insert(4, "x")) is None
    assert projection.encode(insert(0, HOLE)) is None


@pytest.mark.parametrize(
    ("raw", "quote", "edit", "expected"),
    [
        ("ab", '"', insert(1, "\n"), "a\\nb"),
        ("ab", '"""', insert(1, "\n"), "a\nb"),
        ("ab", '"', insert(1, "'"), "a'b"),
        ("ab", '"', insert(1, '"'), 'a\\"b'),
        ("ab", '"""', insert(1, '"'), 'a"b'),
        ("ab", '"""', insert(2, '"'), 'ab\\"'),
        ('a""b', '"""', insert(3, '"'), 'a""\\"b'),
        ("\\u00e9", '"', insert(1, "è"), "\\u00e9\\xe8"),
        ("é", '"', insert(1, "è"), "éè"),
        ("\\1x", '"', insert(1, "1"), "\\x011x"),
        ("\\d", '"', insert(1, "n"), "\\\\nd"),
    ],
)
def test_text_is_written_with_the_fewest_escapes(raw: str, quote: str, edit: Edit, expected: str) -> None:
    encoded = PythonString(raw, 0, quote).encode(edit)
    assert encoded is not None
    assert apply_edits(raw, [encoded]) == expected


@pytest.mark.parametrize(
    ("raw", "quote", "text"), [("a", "'", "'"), ("a", "'", "\n"), ("a", "'", "\\"), ("a", '"""', '"'), ("a", "'", "\0")]
)
def test_a_raw_string_refuses_what_it_cannot_hold(raw: str, quote: str, text: str) -> None:
    projection = PythonString(raw, 0, quote, is_raw=True)
    assert projection.encode(insert(1, text)) is None
    assert projection.encode(insert(0, "x")) is not None


@settings(deadline=None, max_examples=tries(500))
@given(st.lists(literals(), min_size=1, max_size=4), st.data())
def test_literals_that_follow_each_other_are_one_text(parts: list[tuple[str, str, bool]], data: st.DataObject) -> None:
    source, projections = "(", []
    for raw, quote, is_raw in parts:
        source += "r" * is_raw + quote
        projections.append(PythonString(raw, len(source), quote, is_raw=is_raw))
        source += raw + quote + "\n  # and\n "
    source += ")"
    text = "".join(projection.text for projection in projections)
    joined = Adjacent(projections, source)
    assert joined.length == len(text)
    starts = [joined.to_raw(offset) for offset in range(len(text) + 1)]
    assert starts == sorted(set(starts))
    for offset in range(len(text)):
        span = joined.raw_span(Span(offset, offset + 1))
        assert all(joined.to_decoded(place) == offset for place in range(*span))
    assert joined.to_decoded(starts[-1]) == len(text)
    edit = draw_edit(data, len(text))
    assert joined.raw_span(edit.span).start == starts[edit.span.start]
    encoded = joined.encode(edit)
    if encoded is None:
        assert any(is_raw for _, _, is_raw in parts)
        return
    new = apply_edits(source, [encoded])
    if all("\r" not in raw for raw, _, _ in parts):
        assert evaluated(new) == apply_edits(text, [edit])
