"""The cursor: what is at a place, on any text, however broken and however long."""

import json
import re
import sys
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callwright.cursor import cursor_json, cursor_marked, cursor_markup
from callwright.cursor.cursor import AFTER, BEFORE, CursorPlace, Role, place_at, place_at_spot, spot_at
from callwright.cursor.cursor_calls import call_place
from callwright.cursor.cursor_json import json_over
from callwright.cursor.cursor_places import end_of
from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.syntax.json import JsonRead, read_json
from callwright.text.span import Span
from callwright.text.templated import Templated
from callwright.tools.registry import ToolRegistry
from support.sampling import tries

TOOLS = ToolRegistry.of(
    [
        {
            "name": "edit",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "edits": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                        },
                    },
                    "options": {"type": "object", "properties": {"mode": {"enum": ["a", "b"]}}},
                },
            },
        },
        {"name": "stop", "inputSchema": {"type": "object"}},
    ]
)
PIECES = st.sampled_from(
    [
        *("<edit>", "</edit>", "<path>", "</path>", "<edits>", "<item>", "<old>", "<tool_call>", "<tool_name>", "edit"),
        *(
            "<arguments>",
            "</arguments>",
            "</tool_call>",
            "<![CDATA[",
            "]]>",
            "<!--",
            "-->",
            "```json\n",
            "\n```\n",
            "`",
        ),
        *(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            '"',
            "'",
            "\\",
            '"path"',
            '"tool"',
            '"arguments"',
            "true",
            "<",
            "</",
            ">",
            "/>",
        ),
        *("\n", " ", "\r\n", "word ", "é", "\N{GRINNING FACE}", "\ud800", "\ufdd0", "\u2028", "stop", "<stop"),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def place(marked: str) -> CursorPlace:
    text, offset = marked.replace("‸", ""), marked.index("‸")
    return call_place(text, offset, TOOLS) or place_at(text, offset, TOOLS)


@given(st.one_of(TEXTS, st.text(max_size=60)), st.data())
@settings(deadline=None, max_examples=tries(600))
@example('<edit>{"path": "', None)
def test_every_place_of_every_text_is_something(text: str, data: st.DataObject | None) -> None:
    offsets = range(len(text) + 1) if data is None else [data.draw(st.integers(0, len(text)))]
    for offset in offsets:
        found = place_at(text, offset, TOOLS)
        assert 0 <= found.span.start <= offset <= found.span.end <= len(text)
        assert found.span.of(text).strip("\"'").startswith(found.name) or found.name in found.span.of(text)
        assert found.name.startswith(found.typed) or found.role in (Role.TEXT, Role.BODY, Role.TOOL_NAME)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=4))
@settings(deadline=None, max_examples=tries(150))
def test_in_valid_json_every_key_is_found_with_its_path(arguments: dict[str, object]) -> None:
    """Wherever a key of the arguments is, the cursor in it knows that key, its siblings and the way to it."""
    marked = {f"key{at}": value for at, value in enumerate(arguments.values())}
    text = "<edit>" + json.dumps(marked) + "</edit>"
    for name in marked:
        offset = text.index(f'"{name}"') + 2
        if text.count(f'"{name}"') > 1:
            continue
        found = place_at(text, offset, TOOLS)
        assert (found.role, found.name, found.tool, found.path) == (Role.KEY, name, "edit", ())
        assert found.present == set(marked) - {name}
        assert found.json.colon


@pytest.mark.parametrize(
    ("marked", "role", "tool", "path"),
    [
        ("<edit><edits><item><‸", Role.CHILD_TAG, "edit", ("edits", 0)),
        ("<edit><edits><item><old>x</old><‸</item></edits></edit>", Role.CHILD_TAG, "edit", ("edits", 0)),
        ('<edit>{"edits": [{"old": "x"}, {"‸', Role.KEY, "edit", ("edits", 1)),
        ('<edit>{"options": {"mode": "‸"}}</edit>', Role.VALUE, "edit", ("options", "mode")),
        ("<edit><options><mode>‸</mode></options></edit>", Role.TEXT, "edit", ("options", "mode")),
        ('<edit><edits>[{"‸"}]</edits></edit>', Role.KEY, "edit", ("edits", 0)),
        ('<edit>{"path": "a </edit> b", "‸"}</edit>', Role.KEY, "edit", ()),
        ('<edit>{"path": "a \\" b", "‸"}</edit>', Role.KEY, "edit", ()),
        ('<edit>{"path": "a\nb", "‸"}</edit>', Role.KEY, "edit", ()),
        ("<edit>{'path': 'a', '‸'}</edit>", Role.KEY, "edit", ()),
        ('<edit>{"path": "a", op‸}</edit>', Role.KEY, "edit", ()),
        ('<edit>\n{"path": "a"}\n</edit>\n<‸', Role.CALL_TAG, None, ()),
        ('<edit>\n{"path": "a"}\n</edit>\n<edit>{"‸', Role.KEY, "edit", ()),
        ('<edit>{"path": "never closed\n<edit>{"‸"}</edit>', Role.KEY, "edit", ()),
        ("<stop/><‸", Role.CALL_TAG, None, ()),
        ("<edit>\n<path>a</path>\nThat was the call, and here is text.\n<‸", Role.CALL_TAG, None, ()),
        ("```xml\n<edit>\n```\n<‸", Role.CALL_TAG, None, ()),
        ("<b><‸", Role.CALL_TAG, None, ()),
        ("<edit>‸<path>a</path></edit>", Role.BODY, "edit", ()),
        ("<edit><path><![CDATA[a < b]]></path><‸", Role.CHILD_TAG, "edit", ()),
        ("a < b and <‸", Role.CALL_TAG, None, ()),
        ("<b class=‸>", Role.NOTHING, None, ()),
        ('<tool_calls><tool_call><tool_name>edit</tool_name><arguments>{"‸', Role.KEY, "edit", ()),
        ('{"tool": "edit", "arguments": {"options": {"‸"}}}', Role.KEY, "edit", ("options",)),
        ('```json\n{"arguments": {"‸"}, "tool": "edit"}\n```', Role.KEY, "edit", ()),
        ('```json\n{"tool": "edit", "arguments": {"path": "' + "a" * 20_000 + '", "‸', Role.KEY, "edit", ()),
        ('```xml\n<edit>{"pa‸', Role.KEY, "edit", ()),
        ('```json\n{"name": "edit", "version": 1, "‸"}\n```', Role.NOTHING, None, ()),
        ("\ufdd0<edit>\ufdd0<‸", Role.CHILD_TAG, "edit", ()),
        ("<edit><path>ends with </path> he‸re</path></edit>", Role.TEXT, "edit", ("path",)),
        ("<edit><options><deep><deeper><‸", Role.CHILD_TAG, "edit", ("options", "deep", "deeper")),
        ("<edit>\n<path>a\n<‸", Role.CHILD_TAG, "edit", ()),
        ("<edit>\n<path>a\n<‸</path></edit>", Role.NOTHING, None, ()),
        ("<edit><path><![CDATA[ab‸]]></path></edit>", Role.NOTHING, None, ()),
        ("<tool_call><‸", Role.FRAME_TAG, None, ("tool_call",)),
        (
            "<tool_calls>\n<tool_call><tool_name>stop</tool_name><arguments/></tool_call>\n<‸",
            Role.FRAME_TAG,
            None,
            ("tool_calls",),
        ),
        ("<tool_call><arguments><‸</arguments><tool_name>edit</tool_name></tool_call>", Role.CHILD_TAG, "edit", ()),
        ("`<edit>`, `<st‸`", Role.CALL_TAG, None, ()),
        ("<!-- <edit><‸ -->", Role.NOTHING, None, ()),
        ('<tool_call>\n{"name": "edit", "arguments": {}}\n‸</tool_call>', Role.NOTHING, None, ()),
    ],
)
def test_places(marked: str, role: Role, tool: str | None, path: tuple[str | int, ...]) -> None:
    found = place(marked)
    assert (found.role, found.tool, found.path) == (role, tool, path)


@pytest.mark.parametrize(
    ("marked", "present"),
    [
        ("<edit><‸><path>a</path><edits><item><old>b</old></item></edits></edit>", {"path", "edits"}),
        ("<edit><path>a</path><‸edits><item><old>b</old></item></edits></edit>", {"path"}),
        ("<edit><edits><item><new>a</new><‸<old>b</old></item><item></item></edits></edit>", {"new", "old"}),
        ("<edit>\n<path>a</path>\n<‸\n\nSay that.\n<edit>\n<options></options></edit>", {"path"}),
        ("<tool_call><tool_name‸>edit</tool_name></tool_call>", set()),
        ("<tool_call><tool_name>edit</tool_name><‸arguments><path>a</path></arguments></tool_call>", {"tool_name"}),
    ],
)
def test_only_what_is_in_the_same_element_is_present_beside_a_tag(marked: str, present: set[str]) -> None:
    assert place(marked).present == present


@pytest.mark.parametrize(
    "marked",
    [
        '<tool_call>\n{"name": "edit", "arguments": {"path": "a"‸, "options": {}',
        '<tool_call>\n{"name": "edit", "arguments": {"path": }}‸\n</tool_call>',
        '<tool_call>\n{"name": "edit", "arguments": {"path": }}\n</tool_‸call>',
    ],
)
def test_no_end_is_written_before_a_comma_or_before_the_end_itself(marked: str) -> None:
    found = call_place(marked.replace("‸", ""), marked.index("‸"), TOOLS, stated="hermes")
    assert found is not None
    assert found.role is Role.NOTHING


def test_the_text_far_around_the_cursor_is_not_scanned() -> None:
    """A long text costs no more than the segment around the cursor, and gives what that segment alone would give."""
    call = '<edit>{"path": "a", "‸"}</edit>\n'
    far = "x" * 79 + "\n"
    before, after = far * (3 * BEFORE // 80), far * (3 * AFTER // 80)
    text, offset = (before + call + after).replace("‸", ""), len(before) + call.index("‸")
    near = place(call)
    found = place_at(text, offset, TOOLS)
    assert found.span == near.span.shift(len(before))
    assert (found.role, found.present, found.tool) == (near.role, near.present, near.tool)


@pytest.mark.parametrize(
    "unit",
    [
        *("<edit>", "<path>", "</path>", "{", '{"a":', '["', '"', "`", "```json\n", "<![CDATA[", "<", "'x"),
        *("<edit><path>", "<tool_call>", '"\n', "{ \n", "\\", "<!--", '"a" "b" '),
    ],
)
def test_repeated_text_takes_linear_work(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is counted in characters that searches and patterns went over."""
    for begin in ("", "<edit>", "<edit><path>", '<edit>{"a": ', "```json\n"):
        small, large = (_work(begin + unit * times, monkeypatch) for times in (200, 800))
        assert large <= 6 * small + 10_000, begin


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<tool_calls>\n",
            "<edit><path>a</path>",
            '\n<edit>{"a": ',
            "<edit>\n<path>\n",
            "<edit><options>{",
            "<tool_call>\n",
        ),
        *("{\n", "```json\n{", '<edit path="', "\n<edit "),
    ],
)
@pytest.mark.parametrize("end", ["", "</"])
def test_what_is_read_for_one_answer_is_bounded(unit: str, end: str) -> None:
    """Work is counted in the calls of functions that a place takes."""
    small, large = (_calls(unit * (size // len(unit)) + end) for size in (15_000, 60_000))
    assert large <= 5 * small + 1_000
    assert large <= 400_000


def test_json_is_searched_for_its_end_from_few_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = 0
    over = json_over

    def counting(text: str, start: int, stop: int | None = None) -> int | None:
        nonlocal searched
        searched += len(text) - start
        return over(text, start, stop)

    monkeypatch.setattr(cursor_marked, "json_over", counting)
    text = "<tool_calls>\n" + '{"a": ' * 1_000
    call_place(text, len(text), TOOLS, known=0)
    assert 0 < searched <= 30 * len(text)


def _calls(text: str) -> int:
    """Return how many functions are called, ours and those in C, for the place at the end of a text."""
    place_at(text, len(text), TOOLS)
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        place_at(text, len(text), TOOLS)
    finally:
        sys.setprofile(before)
    return calls


def test_json_that_is_over_before_the_cursor_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    read = read_json

    def counting(text: str, *args: int | None, **options: object) -> JsonRead:
        texts.append(text)
        return read(text, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(cursor_json, "read_json", counting)
    text = '<edit>{"path": "a",}</edit>\n' * 200 + '<edit>{"'
    assert place_at(text, len(text), TOOLS).role is Role.KEY
    assert 0 < len(texts) <= 3


def _work(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    counted = CountingText(text)
    passed = 0

    def end(pattern: re.Pattern[str], text: str, start: int, stop: int | None = None) -> int:
        nonlocal passed
        found = end_of(pattern, text, start, stop)
        passed += found - start
        return found

    with monkeypatch.context() as patch:
        for module in (cursor_json, cursor_markup):
            patch.setattr(module, "end_of", end)
        place_at(counted, len(counted), TOOLS)
    return counted.scanned_at + passed


class CountingText(str):
    """A text that counts the characters in which it was searched."""

    scanned_at = 0

    def find(self, what: str, start: int = 0, end: int | None = None, /) -> int:  # type: ignore[override]
        stop = len(self) if end is None else end
        found = super().find(what, start, stop)
        self.scanned_at += max(0, (stop if found < 0 else found) - start)
        return found


def test_of_a_template_that_is_one_block_only_the_calls_around_the_cursor_are_placed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "{% raw %}\n" + '<stop>{}</stop>\n\n<edit>{"path": "a.py", "edits": []}</edit>\n\n' * 5_000
    snapshot = open_snapshot(text, path="a.jinja", registry=TOOLS, settings=Settings())
    assert len(snapshot.blocks) == 1
    placed = 0
    raw_span = Templated.raw_span

    def counting(self: Templated, span: Span) -> Span:
        nonlocal placed
        placed += 1
        return raw_span(self, span)

    offset = text.index("a.py", len(text) // 2) + 2
    spot = spot_at(snapshot, offset)
    assert spot is not None
    monkeypatch.setattr(Templated, "raw_span", counting)
    place = place_at_spot(snapshot, spot)
    assert (place.role, place.tool) == (Role.VALUE, "edit")
    assert 0 < placed < 2_000


@pytest.mark.parametrize(
    ("opening", "content", "far"),
    [
        ("~~~~", "## A step\n\n<stop>{}</stop>\n\n", False),
        ("```json", '{"a": [\n1,\n2,\n', True),
        ("```python", '{"a": [\n1,\n2,\n', False),
    ],
)
def test_a_fence_is_gone_back_through_where_json_may_be_typed_in_it(opening: str, content: str, far: bool) -> None:
    text = f"Words.\n\n{opening}\n{content * (60_000 // len(content))}"
    snapshot = open_snapshot(text, path="a.md", registry=TOOLS, settings=Settings())
    spot = spot_at(snapshot, len(text))
    assert spot is not None
    assert (spot.offset > 50_000) is far
