"""Dialects with a pair of markers around each parameter: what is written reads back, and the work is linear."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callwright.calls.protocol import ReadContext, Refusal, Rendering, RenderStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.reader import TaggedReader
from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import find_dialect
from callwright.dialects.dsml import GRAMMARS as DSML
from callwright.dialects.glm import GRAMMARS as GLM
from callwright.dialects.invoke import GRAMMARS as INVOKE
from callwright.dialects.kimi_k3 import GRAMMAR as KIMI
from callwright.dialects.minicpm import GRAMMAR as MINICPM
from callwright.dialects.minimax_m3 import MARKERS
from callwright.dialects.qwen_coder import GRAMMAR as QWEN
from callwright.schema.coercion import coerce
from callwright.tools.registry import EMPTY
from support.sampling import tries

NAMES = ("qwen-coder", "invoke", "dsml", "glm", "hunyuan-v3", "k2-horizon", "minicpm", "kimi-k3", "minimax-m3")
GRAMMARS = (QWEN, *INVOKE, *DSML, *GLM, MINICPM, KIMI)
PARAMETERS: dict[str, Any] = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "flag": {"type": "boolean"},
    "list": {"type": "array"},
    "map": {"type": "object"},
}


class OneTool:
    """A registry with the one tool `f`."""

    closed = True

    def has(self, name: str) -> bool:
        return name == "f"

    def near(self, name: str) -> str | None:
        del name
        return None

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        return PARAMETERS if name == "f" else None

    def has_parameter(self, name: str) -> bool:
        return name in PARAMETERS

    def markup(self, name: str) -> str:
        del name
        return "xml"

    def dialect(self, name: str) -> None:
        del name


TOOL = SimpleNamespace(
    name="f", description="", input_schema={"type": "object", "properties": PARAMETERS}, markup="xml"
)
MARKERS_OF_ALL = sorted(
    {
        marker
        for grammar in GRAMMARS
        for marker in (
            *grammar.openers,
            grammar.call_closer,
            grammar.parameter_opener,
            grammar.parameter_closer,
            grammar.parameter_form.replace("{name}", "text").replace("{type}", "true"),
            grammar.parameter_form.replace("{name}", "count").replace("{type}", "number"),
            grammar.call_form.replace("{name}", "f").replace("{index}", "1"),
            *(closer for _, closer in grammar.sections),
        )
    }
    | {MARKERS.marker, *MARKERS.section, MARKERS.call_opener, MARKERS.call_closer, "<![CDATA[", "]]>", "&lt;", "&amp;"}
)
PIECES = st.one_of(
    st.sampled_from(MARKERS_OF_ALL),
    st.sampled_from(["\n", " ", "\t", "\r", "\r\n", "a", '"', "'", "{", "}", "[", "]", "<", ">", "&", "\\", "\x00"]),
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Co"]), max_size=3),
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "count": st.integers(),
        "ratio": st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "list": st.lists(JSON, max_size=3),
        "map": st.dictionaries(st.sampled_from(["a", "b", "c"]), JSON, max_size=3),
    },
)


def dialect(name: str) -> Dialect:
    found = find_dialect(name)
    assert found is not None, name
    return found


def read_back(name: str, text: str) -> list[tuple[str | None, Any]]:
    """Return the tools and the arguments of the calls in a text that begins with one."""
    reading = dialect(name).read(text, 0, ReadContext(OneTool()))
    if reading is None or reading.end < len(text):
        return []
    return [(call.tool, coerce(call.arguments, TOOL.input_schema).value) for call in reading.calls]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=tries(80), deadline=None)
@given(arguments=ARGUMENTS, compact=st.booleans())
@example(arguments={"text": "a</parameter>\n</function>\n</tool_call>"}, compact=False)
@example(arguments={"text": "\n"}, compact=True)
@example(arguments={"text": "\r"}, compact=False)
@example(arguments={"text": "<parameter=count>\n1\n</parameter>", "count": 2}, compact=False)
def test_what_is_written_reads_back(name: str, arguments: dict[str, Any], compact: bool) -> None:
    text = dialect(name).render("f", arguments, TOOL, RenderStyle(compact=compact))
    if isinstance(text, Refusal):
        assert text.reason
        return
    typed = dialect(name).typed
    (call,) = read_back(name, text) or [(None, None)]
    assert call[0] == "f", text
    for key, value in arguments.items():
        # Untyped elements inside elements keep no types; a conversion finds that by reading back.
        if name == "minimax-m3" and key in ("list", "map"):
            continue
        if typed or isinstance(value, str):
            assert call[1][key] == value, (key, text)
        else:
            assert json.dumps(call[1][key]) == json.dumps(value) or call[1][key] == value, (key, text)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=tries(40), deadline=None)
@given(first=TEXTS, second=TEXTS)
def test_several_calls_read_back(name: str, first: str, second: str) -> None:
    calls = [Rendering("f", {"text": first}, TOOL, "1"), Rendering("f", {"text": second, "count": 3}, TOOL, "2")]
    text = dialect(name).render_all(calls, RenderStyle())
    if isinstance(text, Refusal):
        return
    if dialect(name).gathers:
        found = read_back(name, text)
        # A value can hold the end of one call and the beginning of another: a conversion reads the whole again.
        if len(found) == 2 and not any(marker in first + second for marker in MARKERS_OF_ALL):
            assert [each[1] for each in found] == [{"text": first}, {"text": second, "count": 3}]


def test_a_value_that_would_end_elsewhere_is_refused_with_its_path_and_the_marker() -> None:
    value = "x\n</parameter>\n<parameter=count>\n1"
    refusal = dialect("qwen-coder").render("f", {"text": value}, TOOL, RenderStyle())
    assert isinstance(refusal, Refusal)
    assert refusal.path == ("text",)
    assert "`</parameter>`" in refusal.reason


@pytest.mark.parametrize(("name", "tool"), [("invoke", 'a"b'), ("qwen-coder", "a>b"), ("glm", "a<b"), ("minicpm", "")])
def test_a_name_that_no_marker_can_hold_is_refused(name: str, tool: str) -> None:
    assert isinstance(dialect(name).render(tool, {}, None, RenderStyle()), Refusal)


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_with_a_name_that_no_marker_can_hold_is_refused(name: str) -> None:
    refusal = dialect(name).render("f", {"a\nb": 1}, None, RenderStyle())
    assert isinstance(refusal, Refusal)
    assert refusal.path == ("a\nb",)


def test_markers_inside_json_are_escaped() -> None:
    value = ["</parameter>", "<parameter=a>", "</function>"]
    text = dialect("qwen-coder").render("f", {"list": value}, TOOL, RenderStyle())
    assert isinstance(text, str)
    assert text.count("</parameter>") == 1
    assert read_back("qwen-coder", text) == [("f", {"list": value})]


class Counting(TaggedReader):
    """A reader that counts how many markers it checks."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        super().__init__(text, ReadContext(EMPTY), grammar, grammar.name)
        self.steps = 0

    def space(self, at: int) -> int:
        self.steps += 1
        return super().space(at)

    def call_head(self, at: int) -> Any:
        self.steps += 1
        return super().call_head(at)

    def parameter_head(self, at: int) -> Any:
        self.steps += 1
        return super().parameter_head(at)


def shapes(grammar: Grammar, number: int) -> dict[str, str]:
    """Return texts that would cost the square of `number` if anything were checked again and again."""
    call = grammar.call_form.replace("{name}", "f").replace("{index}", "1")
    opener = grammar.parameter_form.replace("{type}", "true")
    one = opener.replace("{name}", "a")
    closer, end = grammar.parameter_closer, grammar.call_closer
    return {
        "parameters": call + "".join(f"{opener.replace('{name}', f'p{i}')}x{closer}" for i in range(number)) + end,
        "closers in a value": call + one + f"{closer} x " * number + closer + end,
        "closers and no end": call + one + f"{closer} x " * number,
        "openers and no closers": call + f"\n{one}" * number,
        "openers of other names": call + "".join(f"\n{opener.replace('{name}', f'p{i}')}" for i in range(number)),
        "pairs in a value": call + one + f"\n{opener.replace('{name}', 'b')}x{closer} y" * number + closer + end,
        "ends in a value": call + one + f"{end} x " * number,
        "ends in a row": call + one + f"{end}\n" * number,
        "calls in a value": call + one + f"{call}{one}x{closer}{end} " * number + closer + end,
        "openers of calls": call + one + f"\n{call}" * number,
    }


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.call_opener)
@pytest.mark.parametrize("shape", list(shapes(QWEN, 1)))
def test_the_work_is_linear(grammar: Grammar, shape: str) -> None:
    steps = []
    for number in (100, 800):
        reader = Counting(shapes(grammar, number)[shape], grammar)
        reader.read(0)
        steps.append(reader.steps)
    assert steps[1] <= steps[0] * 8 + 200, steps


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.call_opener)
def test_the_spans_are_those_of_names_and_values(grammar: Grammar) -> None:
    call = grammar.call_form.replace("{name}", "tool").replace("{index}", "1")
    opener = grammar.parameter_form.replace("{name}", "key").replace("{type}", "true")
    text = f"{call}{opener}value{grammar.parameter_closer}{grammar.call_closer} and more"
    reading = TaggedReader(text, ReadContext(EMPTY), grammar, grammar.name).read(0)
    assert reading is not None
    (read,) = reading.calls
    assert read.tool_span.of(text) == "tool"
    assert read.span.of(text) == text.removesuffix(" and more")
    assert read.body.of(text) == text[len(call) : text.index(grammar.call_closer)]
    arguments = read.arguments
    assert arguments is not None
    if hasattr(arguments, "members"):
        (member,) = arguments.members
        assert (member.name_span.of(text), member.value.span.of(text)) == ("key", "value")
    else:
        (entry,) = arguments.node.members
        assert (entry.key_span.of(text), entry.value.span.of(text)) == ("key", "value")
        assert entry.span.of(text) == f"{opener}value{grammar.parameter_closer}"
