"""The tree of sections: it nests, it is the same after edits, its closers are right, and its time is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cursor.section_tree import MAX_COUNT, Sections, document_sections, sections_around, sections_in
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.opening import open_snapshot
from callwright.prompt.sections import MAX_DEPTH, read_markers
from callwright.text.projection import Identity
from callwright.text.span import Edit, Span
from callwright.tools.registry import EMPTY
from invariants.test_time_is_linear import calls_made
from support.sampling import tries

LINES = st.sampled_from(
    [
        *("<rules>", "</rules>", "<tone>", "</tone>", "  <rules id='1'>", "Text.</rules>", "<tone> is a mention."),
        *(
            "# One",
            "## Two",
            "### Three ###",
            "# ",
            "#no heading",
            "## Title</tone>",
            "<rules><tone>",
            "</tone></rules>",
        ),
        *("<details>", "</details>", "<input>", "</input>", "<br>", "<list of things>", "Text with <tone>pair</tone>."),
        *("```", "~~~xml", "<!--", "-->", "`<tone>`", "<!-- <rules> -->", "", "", "Prose, and no more of it.", "---"),
        *("<read_file><path>a</path></read_file>", "<rulse>", "</rulse>", "{% if x %}", "{% endif %}", "<{{ x }}>"),
    ]
)
TEXTS = st.lists(LINES, max_size=40).map("\n".join)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
PATHS = st.sampled_from(["a.md", "a.txt", "a.prompt", "a.md.j2"])


def opened(text: str, path: str = "a.prompt") -> Snapshot:
    return open_snapshot(text, path=path, registry=EMPTY, settings=Settings())


def reported(sections: Sections) -> list[tuple[object, ...]]:
    return [(one.name, one.level, one.span, one.named, one.parent, one.depth, one.closer) for one in sections.tree]


def assert_nested(sections: Sections, text: str) -> None:
    tree = sections.tree
    for number, section in enumerate(tree):
        assert sections.span.covers(section.span)
        assert section.span.covers(section.named)
        assert section.span.covers(section.inner)
        assert section.named.of(text)
        assert section.depth < MAX_DEPTH
        if number:
            assert tree[number - 1].marker.span.start < section.marker.span.start
        if section.parent >= 0:
            assert tree[section.parent].span.covers(section.span)
            assert tree[section.parent].depth == section.depth - 1
        # What does not lie in one another does not touch, either.
        later = next((other for other in tree[number + 1 :] if other.parent == section.parent), None)
        assert later is None or section.end <= later.marker.span.start


@given(TEXTS, ENDS, PATHS)
@settings(max_examples=tries(400), deadline=None)
def test_sections_nest_and_lie_in_the_text(text: str, end: str, path: str) -> None:
    text = text.replace("\n", end)
    assert_nested(document_sections(opened(text, path)), text)


@given(TEXTS)
@settings(max_examples=tries(200), deadline=None)
def test_sections_of_strings_nest_and_lie_in_them(text: str) -> None:
    lines = "".join(f"  {line}\n" for line in text.split("\n"))
    for path, source in (("a.yaml", f"prompt: |\n{lines}"), ("a.py", f'TEXT = """\n{text}\n"""\n')):
        snapshot = opened(source, path)
        for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
            for sections in sections_in(block, snapshot):
                assert_nested(sections, source[start:])


@given(TEXTS, PATHS, st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), LINES), max_size=4))
@settings(max_examples=tries(300), deadline=None)
def test_after_edits_they_are_those_of_the_whole_text(text: str, path: str, edits: list[tuple[int, int, str]]) -> None:
    # Prose between the lines divides the text into blocks.
    now = opened(text.replace("\n", "\n" + "A sentence, as there are many.\n\n" * 30, 3), path)
    document_sections(now)
    for place, length, new in edits:
        size = len(now.document)
        start = place * size // 400
        now = now.edit([Edit(Span(start, min(start + length, size)), new)])
        assert reported(document_sections(now)) == reported(document_sections(opened(now.document.text(), path)))


@given(TEXTS, st.integers(0, 200))
@settings(max_examples=tries(300), deadline=None)
def test_a_closer_that_is_asked_for_leaves_one_less_to_ask_for(text: str, place: int) -> None:
    lines = text.split("\n")
    at = place % (len(lines) + 1)
    for _ in range(20):
        offset = sum(len(line) + 1 for line in lines[:at])
        found = sections_around(opened("\n".join([*lines[:at], "", *lines[at:]])), offset)
        assert found is not None
        lacking = found.lacking_at(offset)
        lines = [*lines[:at], f"</{lacking[0] if lacking else 'x'}>", *lines[at:]]
        written = sections_around(opened("\n".join(lines)), offset)
        assert written is not None
        tags = (*written.tags, *written.html)
        if not lacking or not any(tag.span.start == offset for tag in tags):
            # Nothing is open, or no tag can be here: in a comment.
            return
        at += 1
    pytest.fail("closers are asked for without end")


NASTY = {
    "openers that are never closed": lambda n: "".join(f"<a{i}>\n" for i in range(n)),
    "headings among them": lambda n: "".join(f"<a{i}>\n## b\n" for i in range(n)),
    "headings behind them": lambda n: "".join(f"<a{i}>\n" for i in range(n)) + "## b\n" * n,
    "one name, never closed": lambda n: "<a>\n" * n,
    "one name, nested": lambda n: "<a>\n" * n + "</a>\n" * n,
    "closers of nothing": lambda n: "".join(f"</a{i}>\n" for i in range(n)),
    "headings that end each other": lambda n: "# a\n## b\n### c\n" * n,
    "tags in a line": lambda n: "<a><b>" * n,
    "comments that never end": lambda n: "<!-- `\n" * n,
    "elements of HTML": lambda n: "<div>\n" * n + "</div>\n" * n,
}


@pytest.mark.parametrize("make", NASTY.values(), ids=NASTY)
def test_time_is_linear(make: object) -> None:
    assert callable(make)

    def read(text: str) -> object:
        sections = Sections.of(read_markers(text, Identity(0, len(text))), Span(0, len(text)), EMPTY.has)
        return sections.tree, sections.lacking_at(len(text) // 2), sections.names_at(len(text) // 2)

    less, more = (calls_made(make(size), read) for size in (300, 600))
    assert more < 2.5 * less + 100


def test_no_more_is_reported_than_can_be_shown() -> None:
    sections = document_sections(opened("# a\n" * (MAX_COUNT + 100)))
    assert len(sections.tree) == MAX_COUNT
    deep = "".join(f"<a{i}>\n" for i in range(100)) + "".join(f"</a{i}>\n" for i in reversed(range(100)))
    assert max(section.depth for section in document_sections(opened(deep)).tree) == MAX_DEPTH - 1


def test_in_a_very_long_text_the_pairs_around_a_place_are_known() -> None:
    part = "<rules>\n" + "A sentence, as there are many of them in a text.\n\n" * 400 + "</rules>\n\n"
    text = part * (1_200_000 // len(part))
    snapshot = opened(text)
    offset = text.index("<rules>", 600_000) + 3
    found = sections_around(snapshot, offset)
    assert found is not None
    assert found.span != Span(0, len(text))
    names = found.names_at(offset)
    assert names is not None
    assert [name.of(text) for name in names] == ["rules", "rules"]
    assert names[1].start - names[0].start < len(part)
