"""The quick ways of reading what is written plainly give what the full readers give.

Most calls are clean and plainly written; for them there are patterns that take a whole parameter, element or block at
once. Each text is read with them and without them: the trees, the places, the reach, the values and what is wrong with
them are the same, so that nothing depends on which way was taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from callwright.calls import markup_body, tool_calls
from callwright.calls.model import JsonValue, MarkupValue, ToolCall
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.calls.tagged.reader import TaggedReader
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import Settings
from callwright.schema import plain_validity
from callwright.schema.binding import bind
from callwright.syntax import python_strings, yaml_tree
from callwright.syntax.xml import XmlElement
from callwright.text import yaml_scalars
from callwright.text.lru import Kept
from callwright.tools.registry import ToolRegistry
from invariants.corpus import BATCHES, corpus, mutants, registry
from support.sampling import sampled, tries

NEVER = re.compile(r"(?!)")


@contextmanager
def closely() -> Iterator[None]:
    """Read without any quick way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TaggedReader, "_plain_parameters", lambda *given: (given[1], -1))
        patch.setattr(markup_body, "read_plain", lambda *_: None)
        patch.setattr(tool_calls, "read_plain", lambda *_: None)
        patch.setattr(tool_calls, "_PLAIN_NAME", NEVER)
        patch.setattr(
            yaml_tree,
            "block_text",
            lambda text, *lines: "".join(each.text for each in yaml_scalars.block_pieces(text, *lines)),
        )
        patch.setattr(python_strings, "_SIMPLE", NEVER)
        patch.setattr(plain_validity, "_quick_check", lambda *_: None)
        patch.setattr(plain_validity, "_checks", Kept(4_096, 200_000))
        yield


def node(element: XmlElement) -> tuple[Any, ...]:
    children = [
        node(child) if isinstance(child, XmlElement) else (type(child).__name__, child.span, child.value)
        for child in element.children
    ]
    names = (element.name, element.name_span, element.close_name_span)
    attributes = [
        (each.name, each.name_span, each.value, each.value_span, each.span, each.quote) for each in element.attributes
    ]
    return (*names, element.span, element.content, element.close_span, element.opaque, attributes, children)


def shown(call: ToolCall) -> tuple[Any, ...]:
    value = call.arguments
    body: Any = None
    if isinstance(value, MarkupValue):
        body = (node(value.element), value.span, value.style)
    elif isinstance(value, JsonValue):
        read = value.read
        body = (repr(value.python), value.span, read.span, read.end, read.reach, read.wild, read.elided)
    place = (call.span, call.tool_span, call.body, call.name_spans, call.frame)
    rest = (call.problems, call.call_id, call.sketch, call.complete, call.details)
    return (call.dialect, call.tool, place, body, *rest)


def account(text: str, tools: ToolRegistry, settings: Settings) -> tuple[Any, ...]:
    """Return all that reading and binding say of a text."""
    segment = read_segment(text, read_context(tools, settings))
    calls = []
    for found in segment.calls:
        binding = bind(found.call, text, tools, settings, fence=found.fence)
        coerced = binding.coerced
        places = {path: (place.span, place.key) for path, place in coerced.places.items()}
        bound = (
            repr(binding.value),
            places,
            sorted(coerced.wild, key=repr),
            sorted(coerced.elided, key=repr),
            [path for path, _ in coerced.texts],
            [(path, first.span, later.span) for path, first, later in coerced.repeated],
            [(error.path, error.keyword, error.data) for error in binding.errors],
            (binding.unknown, binding.problems, binding.fits),
        )
        calls.append((shown(found.call), bound))
    return (segment.end, segment.reach, segment.state, segment.problems, calls)


def assert_same(text: str, tools: ToolRegistry, settings: Settings) -> None:
    quick = account(text, tools, settings)
    with closely():
        assert quick == account(text, tools, settings), text


def strictly(name: str | None) -> Settings:
    return Settings(dialect=name, strict=True, placeholders=False)


def test_the_corpus_is_read_alike() -> None:
    for text in corpus():
        assert_same(text, registry(), Settings())
        assert_same(text, registry(), strictly(None))


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_mutations_are_read_alike(batch: int) -> None:
    for mutant in mutants(batch, salt="quick"):
        assert_same(mutant.text, mutant.tools, strictly(mutant.dialect))


PIECES = st.sampled_from([*"ab<>&/]['\"{}=:. \n\t\\-|7", "\r\n", "]]>", "<![CDATA[", "</path>", "é", "\ue000"])
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@hypothesis_settings(max_examples=tries(300), deadline=None)
@given(
    name=st.sampled_from(dialect_names()),
    path=TEXTS,
    content=TEXTS,
    compact=st.booleans(),
    cut=st.integers(0, 30),
    lead=st.sampled_from(["", "Some `words`.\n\n", "\u00e9 "]),
)
def test_what_a_dialect_writes_is_read_alike(
    name: str, path: str, content: str, *, compact: bool, cut: int, lead: str
) -> None:
    dialect = find_dialect(name)
    assert dialect is not None
    tools = registry()
    arguments = {"path": path, "content": content}
    call = dialect.render("write_file", arguments, tools.get("write_file")[0], RenderStyle(compact=compact))
    if isinstance(call, Refusal):
        return
    text = ("" if dialect.alone else lead) + call + "\n"
    assert_same(text, tools, strictly(name))
    assert_same(text[: len(text) - cut], tools, strictly(name))


@pytest.mark.parametrize("name", [name for name in dialect_names() if name in ("xml-children", "invoke", "glm")])
def test_a_plain_call_takes_the_quick_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(what: str) -> Callable[..., Any]:
        def refused(*_: Any, **__: Any) -> None:
            pytest.fail(f"{what} is asked for a call that is plainly written")

        return refused

    dialect = find_dialect(name)
    assert dialect is not None
    tools = registry()
    arguments = {"path": "a", "content": "one\ntwo"}
    text = dialect.render("write_file", arguments, tools.get("write_file")[0], RenderStyle())
    assert isinstance(text, str)
    monkeypatch.setattr(TaggedReader, "_value_end", refuse("the reader of markers"))
    monkeypatch.setattr(markup_body, "read_element", refuse("the reader of elements"))
    segment = read_segment(text, read_context(tools, strictly(name)))
    (found,) = segment.calls
    assert bind(found.call, text, tools, strictly(name)).arguments == arguments
