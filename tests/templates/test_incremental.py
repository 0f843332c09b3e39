"""Templates in steps: after any edits a snapshot is the one that opening the new text gives, wherever blocks end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.document import block_reading
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.text.span import Edit, Span
from invariants.test_incremental_equals_full import seen
from invariants.texts import opened
from support.sampling import sampled, tries
from templates.template_texts import CODE, LANGUAGES, templated_documents


def opened_as(language: str, text: str) -> Snapshot:
    return opened(text, "a.md", settings=Settings(template=language))


@pytest.mark.parametrize(("block", "window"), [(1, 8), (40, 64), (200, 1_000)])
@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=tries(25), deadline=None)
@given(data=st.data())
def test_edits_of_templates(language: str, data: st.DataObject, block: int, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "BLOCK", block)
        patch.setattr(block_reading, "WINDOW", window)
        snapshot = opened_as(language, data.draw(templated_documents(language)))
        for _ in range(data.draw(st.integers(1, 4))):
            seen(snapshot)
            size = len(snapshot.document)
            start = data.draw(st.integers(0, size))
            end = min(size, start + data.draw(st.sampled_from([0, 0, 1, 3, 20, 200])))
            new = data.draw(st.sampled_from(["", "x", "\n", "\n\n", "`", "<", ">", *CODE[language]]))
            snapshot = snapshot.edit([Edit(Span(start, end), new)])
            text = snapshot.document.text()
            assert sum(each.length for each in snapshot.blocks) == len(text)
            assert seen(snapshot) == seen(opened_as(language, text))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=tries(40), deadline=None)
@given(data=st.data(), block=st.sampled_from([1, 30, 300]), window=st.sampled_from([4, 100, 1_000]))
def test_where_blocks_end_changes_nothing(language: str, data: st.DataObject, block: int, window: int) -> None:
    text = data.draw(templated_documents(language, most=12))
    whole = seen(opened_as(language, text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "BLOCK", block)
        patch.setattr(block_reading, "WINDOW", window)
        assert seen(opened_as(language, text)) == whole


PARAGRAPH = (
    "Prose about {{ things }} and {# nothing #}.\n\n{% if a %}<read_file>\n<path>{{ x }}</path>\n</read_file>"
    "{% else %}none{% endif %}\n\n```json\n{}\n```\n\n"
)


@pytest.mark.parametrize("new", sampled(["x", "{{ y }}", "{% if b %}z{% endif %}", "", "\n\n", "{"]))
def test_an_edit_of_a_long_template_reads_few_blocks_again(new: str) -> None:
    before = opened_as("jinja", PARAGRAPH * (200_000 // len(PARAGRAPH)))
    text = before.document.text()
    middle = text.index("Prose", len(text) // 2)
    after = before.edit([Edit(Span(middle, middle + 5), new)])
    kept = {id(block) for block in before.blocks} & {id(block) for block in after.blocks}
    assert len(before.blocks) > 50
    assert len(kept) >= len(before.blocks) - 4


def test_a_line_at_the_top_makes_a_template_of_a_text() -> None:
    text = "\n<read_file><path>{{ a < b }}</path></read_file>\n"
    plain = opened(text, "a.md")
    assert plain.template is None
    top = "{# callwright: template=jinja #}"
    jinja = plain.edit([Edit(Span(0, 0), top)])
    assert jinja.template == "jinja"
    assert seen(jinja) == seen(opened(top + text, "a.md"))
    again = jinja.edit([Edit(Span(0, len(top)), "")])
    assert again.template is None
    assert seen(again) == seen(plain)
