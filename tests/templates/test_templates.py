"""What is true of every template language: code tiles the text, versions show every branch, edits keep all code."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.templates.base import TagKind
from callwright.templates.catalogue import find_template, template_names
from callwright.templates.support.versions import MAX_COUNT, Layout, layout_of
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, apply_edits
from callwright.text.templated import Templated
from support.sampling import tries
from templates.template_texts import LANGUAGES, templates

NEW = st.lists(
    st.sampled_from(["", "x", "{", "}", "%", "$", "<b>", "\n", "{{", "}}", "\\", " ", "é", "#", "{{ y }}"]), max_size=3
)


def laid_out(language: str, text: str) -> Layout:
    template = find_template(language)
    assert template is not None
    return layout_of(text, template)


def test_every_language_has_texts_here() -> None:
    assert sorted(template_names()) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=tries(250))
@given(data=st.data())
def test_code_lies_in_the_text_in_order(language: str, data: st.DataObject) -> None:
    text = data.draw(templates(language))
    tags = [tag for tag in laid_out(language, text).tags if tag.kind is not TagKind.UNFINISHED]
    assert all(0 <= tag.start < tag.end <= len(text) for tag in tags)
    assert all(one.end <= other.start for one, other in pairwise(tags))
    assert all(tag.text == "" or tag.kind in (TagKind.TEXT, TagKind.OPEN) for tag in tags)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=tries(250))
@given(data=st.data())
def test_versions_show_every_branch(language: str, data: st.DataObject) -> None:
    layout = laid_out(language, data.draw(templates(language, most=24)))
    count = layout.needed(len(layout.raw))
    versions = [layout.version(number) for number in range(count)]
    assert count <= MAX_COUNT
    assert count == MAX_COUNT or all(branch.seen for branch in layout.root.walk() if branch.block)
    shown = [False] * len(layout.raw)
    for version in versions:
        for offset in range(version.projection.length):
            start, end = version.projection.raw_span(Span(offset, offset + 1))
            shown[start:end] = [True] * (end - start)
    code = [False] * len(layout.raw)
    for tag in layout.tags:
        if tag.kind is not TagKind.UNFINISHED:
            code[tag.start : tag.end] = [True] * (tag.end - tag.start)
    assert count == MAX_COUNT or all(seen or taken for seen, taken in zip(shown, code, strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=tries(250))
@given(data=st.data())
def test_offsets_map_there_and_back(language: str, data: st.DataObject) -> None:
    layout = laid_out(language, data.draw(templates(language)))
    for number in range(layout.needed(len(layout.raw))):
        projection = layout.version(number).projection
        starts = [projection.to_raw(offset) for offset in range(projection.length + 1)]
        assert starts == sorted(set(starts))
        for offset, start in enumerate(starts):
            assert projection.to_decoded(start) == offset
        for offset in range(projection.length):
            span = projection.raw_span(Span(offset, offset + 1))
            assert starts[offset] == span.start < span.end <= starts[offset + 1]
        assert projection.to_decoded(-1) is None
        assert projection.to_decoded(len(layout.raw) + 1) is None


def code_of(layout: Layout) -> list[str]:
    """Return the code that is not an escaped text, in order."""
    return [
        layout.raw[tag.start : tag.end].strip()
        for tag in layout.tags
        if tag.kind not in (TagKind.UNFINISHED, TagKind.TEXT)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=tries(300))
@given(data=st.data())
def test_an_edit_does_what_it_states_and_keeps_all_code(language: str, data: st.DataObject) -> None:
    layout = laid_out(language, data.draw(templates(language)))
    number = data.draw(st.integers(0, layout.needed(len(layout.raw)) - 1))
    projection = layout.version(number).projection
    start = data.draw(st.integers(0, projection.length))
    end = data.draw(st.integers(start, min(projection.length, start + 12)))
    new = data.draw(st.one_of(NEW.map("".join), st.just(f"<{projection.text[start:end]}>")))
    encoded = projection.encode(Edit(Span(start, end), new))
    if encoded is None:
        return
    after = laid_out(language, apply_edits(layout.raw, [encoded]))
    expected = projection.text[:start] + new + projection.text[end:]
    assert expected in [after.version(each).projection.text for each in range(after.needed(len(after.raw)))]
    assert code_of(after) == code_of(layout)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=tries(250))
@given(data=st.data())
def test_what_follows_a_paragraph_is_read_as_in_the_whole(language: str, data: st.DataObject) -> None:
    layout = laid_out(language, data.draw(templates(language, most=24)))
    for place in layout.breaks:
        rest = laid_out(language, layout.raw[place:])
        after = [tag for tag in layout.tags if tag.start >= place and tag.kind is not TagKind.UNFINISHED]
        own = [tag for tag in rest.tags if tag.kind is not TagKind.UNFINISHED]
        assert [(tag.start - place, tag.end - place, tag.kind) for tag in after] == [
            (tag.start, tag.end, tag.kind) for tag in own
        ]


class TestAnEdit:
    """Edits that holes and tags are near."""

    def test_puts_an_expression_back(self) -> None:
        projection = laid_out("jinja", "<path>a & {{ x }}</path>").version(0).projection
        value = Span(6, 17)
        text = value.of(projection.text)
        encoded = projection.encode(Edit(value, f"<![CDATA[{text}]]>"))
        assert encoded == Edit(Span(6, 17), "<![CDATA[a & {{ x }}]]>")

    @pytest.mark.parametrize("text", ["", HOLE, HOLE * 7 + "x" + HOLE * 7, HOLE * 8])
    def test_keeps_every_expression(self, text: str) -> None:
        projection = laid_out("jinja", "a {{ x }} b").version(0).projection
        assert projection.encode(Edit(Span(1, 10), text)) is None

    def test_deletes_no_tag(self) -> None:
        projection = laid_out("jinja", "a{% if x %}b{% endif %}c").version(0).projection
        assert projection.text == "abc"
        assert projection.encode(Edit(Span(0, 2), "x")) is None
        assert projection.encode(Edit(Span(1, 1), "x")) is None
        assert projection.encode(Edit(Span(1, 2), "x")) == Edit(Span(11, 12), "x")

    def test_puts_an_opening_marker_in_front_of_what_it_opens(self) -> None:
        projection = laid_out("jinja", "{% if x %}<b>c{% endif %}").version(0).projection
        assert projection.encode(Edit(Span(0, 0), "<a>")) == Edit(Span(10, 10), "<a>")
        assert projection.encode(Edit(Span(0, 0), "</a>")) is None
        assert projection.encode(Edit(Span(4, 4), "</b>")) is None

    def test_makes_no_tag(self) -> None:
        projection = laid_out("jinja", "a { b").version(0).projection
        assert projection.encode(Edit(Span(3, 3), "{ x }}")) is None
        assert projection.encode(Edit(Span(4, 5), "{{ x }}")) is None
        assert projection.encode(Edit(Span(4, 5), "{ x }")) == Edit(Span(4, 5), "{ x }")

    def test_doubles_braces_in_a_format_string(self) -> None:
        projection = laid_out("format", '{{"a": {x}}}').version(0).projection
        assert projection.text == '{"a": ' + HOLE * 3 + "}"
        assert projection.encode(Edit(Span(6, 9), "{" + HOLE * 3 + "}")) == Edit(Span(7, 10), "{{{x}}}")
        assert projection.encode(Edit(Span(9, 10), "}]")) == Edit(Span(10, 12), "}}]")

    def test_outside_the_text_is_a_mistake(self) -> None:
        with pytest.raises(ValueError, match="outside"):
            Templated("a", 0, ()).encode(Edit(Span(0, 2), ""))
