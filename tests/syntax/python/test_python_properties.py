"""What holds for every text of Python calls, good or bad, whatever is in it."""

import ast
import re
import sys
import warnings
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callwright.syntax.json import JsonNode, JsonRead
from callwright.syntax.python_calls import CallsRead, read_calls, read_clean
from callwright.syntax.python_format import PYTHON
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits
from support.sampling import crossed, tries

STOP = re.compile(r"<\|end\|>")
PIECES = [
    *("[", "]", "(", ")", "{", "}", ",", ":", "=", "==", '"', "'", "\\", "\\'", "'''", '"""', "#", "\n", "\r\n", "\t"),
    *("f(", "g.h(", "a=", "'k': ", "'x'", '"y"', "r'", "b'", "f'{", "*", "**", "1", "-", "07", ".5", "1e999", "1_0"),
    *("True", "None", "true", "null", "nan", "...", "…", "<|end|>", "“", "”", "{{ x }}", "${y}", "<city>", "if", "+"),
    *("\0", "\ud800", "\\ud83d", "\\N{DIGIT ONE}", "\\x4", "'''\n", HOLE, HOLE * 3, "[f(a='", "', b='", "')]", "from="),
    "\N{GRINNING FACE}",
]  # fmt: skip
NAMES = st.sampled_from(["a", "b1", "_c", "path", "content", "ä"])
plain = settings(deadline=None, max_examples=tries(120))

noise = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def literals(draw: st.DrawFn, value: Any) -> str:
    """A value as Python, in one of the many ways."""
    space = draw(st.sampled_from(["", "", " ", "\n  ", " # note\n"]))
    if isinstance(value, str):
        return space + draw(strings(value))
    if isinstance(value, list):
        items = [draw(literals(item)) for item in value]
        comma = draw(st.sampled_from(["", ","])) if items else ""
        shape = draw(st.sampled_from(["[]", "()"]))
        if shape == "()" and len(items) == 1:
            comma = ","
        return f"{space}{shape[0]}{','.join(items)}{comma}{shape[1]}"
    if isinstance(value, dict):
        members = [f"{draw(strings(key))} :{draw(literals(entry))}" for key, entry in value.items()]
        return f"{space}{{{', '.join(members)}}}"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return space + draw(
            st.sampled_from([f"{value}", f"{value:#x}", f"{value:#o}", f"{value:#b}", f"{value:_}", f"+{value}"])
        )
    return space + repr(value)


@st.composite
def strings(draw: st.DrawFn, value: str) -> str:
    """A string as Python, in one of the many ways."""
    way = draw(st.integers(0, 5))
    if way == 1:
        return '"' + repr("'" + value)[2:-1].replace('"', '\\"') + '"' if "'" not in value else repr(value)
    if way == 2 and "\0" not in value and "\r" not in value:
        return '"""' + value.replace("\\", "\\\\").replace('"', '\\"') + '"""'
    if way == 3:
        return "u'" + "".join(f"\\U{ord(char):08x}" for char in value) + "'"
    if way == 4 and value and not set(value) & set("\\'\n\r\0"):
        return f"r'{value}'"
    if way == 5 and len(value) > 1:
        return f"{value[:1]!r} {value[1:]!r}"
    return repr(value)


@st.composite
def call_lists(draw: st.DrawFn) -> str:
    calls = []
    for name in draw(st.lists(st.sampled_from(["f", "get_x", "a.b"]), min_size=1, max_size=3)):
        arguments = draw(st.dictionaries(NAMES, values, max_size=3))
        written = ", ".join(f"{key}={draw(literals(value))}" for key, value in arguments.items())
        calls.append(f"{name}({written})")
    return f"[{', '.join(calls)}]"


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Calls as a model writes them, with one to three errors."""
    text = draw(call_lists())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(["", *PIECES])) + text[at + cut :]
    return text


def as_json(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return {key: as_json(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def by_python(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls as Python's own parser reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(text, mode="eval").body
    assert isinstance(body, ast.List)
    found = []
    for call in body.elts:
        assert isinstance(call, ast.Call)
        found.append((ast.unparse(call.func), {str(k.arg): as_json(ast.literal_eval(k.value)) for k in call.keywords}))
    return found


def by_us(read: CallsRead) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.read.value) for call in read.calls]


def nodes_of(root: JsonNode) -> list[tuple[tuple[str | int, ...], JsonNode]]:
    found: list[tuple[tuple[str | int, ...], JsonNode]] = [((), root)]
    for path, node in found:
        last = {member.key: member.value for member in node.members}
        found += [((*path, key), value) for key, value in last.items()]
        found += [((*path, index), item) for index, item in enumerate(node.items)]
    return found


def at_path(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def check_tree(text: str, read: JsonRead) -> None:
    for path, node in nodes_of(read.root):
        end = node.span.start
        for child in node.children:
            assert end <= child.span.start <= child.span.end <= node.span.end
            end = child.span.end
        for member in node.members:
            assert node.span.covers(member.span)
            assert member.span.covers(member.key_span)
        found = read.locate(path)
        assert found is not None
        assert found.span == node.span
        if node.kind not in ("hole", "elision", "missing"):
            assert repr(at_path(read.value, path)) == repr(node.value)
    for path in (*read.wild, *read.elided):
        assert read.locate(path) is not None, text


def check(text: str, read: CallsRead) -> None:
    """Check what holds for every reading."""
    assert 0 <= read.span.start <= read.span.end <= len(text)
    assert read.span.end <= read.end <= len(text)
    assert read.reach <= len(text)
    at = 0
    for call in read.calls:
        assert at <= call.name_span.start < call.name_span.end <= call.read.span.start
        assert call.read.span.end <= call.span.end
        at = call.span.end
        check_tree(text, call.read)
    for problem in [*read.problems, *(each for call in read.calls for each in call.read.problems)]:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert apply_edits(text, problem.repair) is not None
    assert at <= len(text)


@plain
@given(call_lists())
def test_what_python_accepts_has_the_values_that_python_reads(text: str) -> None:
    read = read_calls(text)
    assert repr(by_us(read)) == repr(by_python(text))
    assert read.clean
    assert read.closed
    assert (read.span.start, read.span.end, read.end) == (0, len(text), len(text))
    check(text, read)


@plain
@given(call_lists(), st.sampled_from(["", " and so on", "\nThen `it's` done.", " ] )"]))
def test_clean_calls_are_reported_at_once_and_the_text_may_go_on(text: str, after: str) -> None:
    read, reach = read_clean(text + after)
    assert read is not None
    assert read.end == len(text)
    assert reach <= len(text + after)


@plain
@given(noise | damaged())
def test_any_text_gives_a_tree(text: str) -> None:
    check(text, read_calls(text))
    check(text, read_calls(text, stop=STOP))
    is_clean, _ = read_clean(text)
    assert is_clean is None or is_clean.clean


@plain
@given(noise | damaged(), st.text(max_size=3))
@example("[']\\\n.", "'")  # a backslash takes the line break into the string
@example("[']\\\0x", "'")
@example("[f('a',`b:Pas',c=3)], **c d\\\n=07", "'")
def test_what_lies_after_the_reach_changes_nothing(text: str, other: str) -> None:
    read = read_calls(text, stop=STOP)
    again = read_calls(text[: read.reach] + other, stop=STOP) if read.reach < len(text) else read
    assert repr(by_us(again)) == repr(by_us(read))
    assert again.end == read.end


@plain
@given(call_lists(), st.data())
def test_a_text_that_is_cut_off_gives_the_calls_so_far_and_a_problem(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(1, len(text) - 1))
    read = read_calls(text[:end])
    whole = by_python(text)
    assert [name for name, _ in by_us(read)] == [name for name, _ in whole][: len(read.calls)]
    assert repr(by_us(read)[:-1]) == repr(whole[: len(read.calls)][:-1])
    assert not read.clean
    assert not read.closed
    check(text[:end], read)


@plain
@given(damaged())
def test_each_certain_repair_takes_its_problem_away(text: str) -> None:
    read = read_calls(text)
    for problem in [each for call in read.calls for each in call.read.problems]:
        if problem.certain and problem.repair:
            fixed = read_calls(apply_edits(text, problem.repair))
            assert fixed.calls


@plain
@given(st.dictionaries(NAMES, values | st.text(), max_size=4))
def test_what_the_format_writes_is_read_back(arguments: dict[str, Any]) -> None:
    written = PYTHON.value(arguments, ())
    if written is None:
        assert any("\ud800" <= char < "\ue000" for char in repr(arguments)) or "\\ud" in repr(arguments)
        return
    read = read_calls(f"[f{written}]")
    assert repr(by_us(read)) == repr([("f", arguments)])
    assert all(problem.kind == "lone-surrogate" for problem in read.calls[0].read.problems)


class Steps:
    """Counts the lines of this package that a call runs: a measure of time that is always the same."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> "Steps":
        del frame, argument
        self.count += event == "line"
        return self


def steps(text: str) -> int:
    counter = Steps()
    before = sys.gettrace()
    sys.settrace(counter)
    try:
        read_calls(text)
        read_clean(text)
    finally:
        sys.settrace(before)
    return counter.count


UNITS = [
    *("[f(a='", "f(a='x', ", "[f(a=1, a=1, ", "'", "\\'", '"', "'''", "(", "[", "{", "[{", "f(", "f(a=[", "f(a={'b':"),
    *(")", "]", "}", ", ", "f(a='x 'y', b='", "'x' ", "'x'\n", "f(a='it's', ", "f(a=\"it's\\n\n", "#\n", "... ", "1 "),
    *("a=1 ", "a=b ", "f(a=x+y, ", "{{ x }} ", "“x", "<a>", "f(a='''x''', ", "*a, ", "**{", "07, ", "f(a=1\n", "u'"),
]


@pytest.mark.parametrize(("unit", "lead"), crossed(UNITS, ["", "[f(a=", "[f(a={", "f("]))
def test_time_is_linear(unit: str, lead: str) -> None:
    size = 120
    small, large = steps(lead + unit * size), steps(lead + unit * size * 4)
    assert large <= small * 5 + 2000
