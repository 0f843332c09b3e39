"""The page of a corpus: whatever is in its rows is shown, and none of it runs, loads or becomes markup."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callwright.corpus_view import CorpusView, Named, RuleView, SampleView, ShardView, ToolView
from callwright.report.corpus_page import corpus_page
from report.test_page import HOSTILE, TAGS, Outline, read
from support.sampling import tries


def view_of(text: str, count: int = 3) -> CorpusView:
    """Return a corpus in which all that is text is `text`."""
    sample = SampleView(
        severity="error",
        message=text,
        raw=text,
        source=text,
        row=1_204,
        turn=2,
        call=0,
        field=text,
        start=5,
        end=9,
        dialect=text,
        fixable=True,
        command=text,
    )
    tools = (ToolView(text, count, (sample, sample)), ToolView(None, 1, (replace(sample, turn=None, call=None),)))
    named = Named(((text, count), (f"{text}2", 1)), 4, 5)
    return CorpusView(
        rows=10_000,
        found_in=4,
        faulty=1,
        diagnostics=12_345,
        fixable=2,
        severities={"error": 1, "warning": 2, "hint": 3},
        by_rule=named,
        by_tool=named,
        by_dialect=named,
        by_shard=named,
        shards=(ShardView(text, 10, 1, 2, text), ShardView("b", 10, 0, 1, None)),
        all_shards=7,
        rules=(RuleView(text, text, text, 4, (sample,), tools, 3, 9), RuleView("TC1", None, None, 1, (), tools[:1])),
        other_rules=1,
    )


def check_harmless(html: str) -> Outline:
    """Assert that nothing on a page runs, and that nothing is loaded."""
    html.encode("utf-8")
    outline = read(html)
    tags = [tag for tag, _ in outline.elements]
    assert set(tags) <= (TAGS | {"strong"}) - {"script", "button", "input"}
    assert tags.count("style") == 1
    for tag, attributes in outline.elements:
        assert not any(name.startswith("on") or name in ("src", "style", "srcdoc", "action") for name in attributes)
        assert attributes.get("href") in (None, "#content"), tag
    digest = base64.b64encode(hashlib.sha256("".join(outline.raw["style"]).encode()).digest()).decode()
    [policy] = [attributes["content"] for _, attributes in outline.elements if "http-equiv" in attributes]
    # Scripts are not listed, so the first word counts for them: none.
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return outline


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_a_corpus_holds_stays_text(hostile: str) -> None:
    outline = check_harmless(corpus_page(view_of(hostile), title=hostile))
    words = re.sub("[\x00-\x1f\ud800-\udfff\u202a-\u202e`]", "", hostile).strip()[:8]
    assert "".join(outline.text).count(words) > 10


@examples(deadline=None, max_examples=tries(60))
@given(st.text())
def test_any_text_makes_a_page(text: str) -> None:
    html = corpus_page(view_of(text), title=text)
    check_harmless(html)
    assert html == corpus_page(view_of(text), title=text)


def test_a_sample_states_what_is_wrong_where_and_how_to_see_it() -> None:
    view = view_of("x")
    sample = replace(
        view.rules[0].samples[0],
        message="`read_file` is missing.",
        source="data/a.parquet",
        field="messages[2].content",
        command="callwright corpus row data/a.parquet 1204",
        dialect="hermes",
    )
    html = corpus_page(replace(view, rules=(replace(view.rules[0], samples=(sample,)),)), title="t")
    stated = "".join(read(html).text)
    assert "✗ error read_file is missing." in stated
    assert "data/a.parquet, row 1,204, turn 2, call 0, hermes, has a safe fix" in stated
    assert "messages[2].content, characters 5 to 9" in stated
    assert "callwright corpus row data/a.parquet 1204" in stated


def test_figures_are_stated_in_words_and_tables() -> None:
    html = corpus_page(view_of("x"), title="t")
    stated = "".join(read(html).text)
    assert "10,000 rows in 7 shards." in stated
    assert "0.01% of the rows have an error (1), 0.04% have a diagnostic (4)." in stated
    assert "12,345 diagnostics, 2 of them with a safe fix." in stated
    assert "2 of 7 shards" in stated
    assert "4 others" in stated
    assert "3 more tools: 9 diagnostics." in stated
    assert "1 more rule has diagnostics." in stated
    assert html.count('role="img"') == html.count("Figures as a table") == 5


@pytest.mark.parametrize(
    ("faulty", "rows", "stated"),
    [(0, 0, "0%"), (0, 9, "0%"), (9, 9, "100%"), (1, 10**6, "< 0.01%"), (10**6 - 1, 10**6, "99.99%"), (1, 3, "33.33%")],
)
def test_a_rate_that_is_not_nothing_does_not_look_like_it(faulty: int, rows: int, stated: str) -> None:
    html = corpus_page(replace(view_of("x"), faulty=faulty, rows=rows), title="t")
    assert f"{stated} of the rows have an error" in "".join(read(html).text)


def test_everything_has_a_name_and_headings_are_in_order() -> None:
    outline = read(corpus_page(view_of("x"), title="t"))
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    names = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(names) == len(set(names))
    for tag, attributes in outline.elements:
        if tag == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden")
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
        if tag == "ol":
            assert attributes["aria-label"]
        if tag == "html":
            assert attributes["lang"] == "en"


def test_a_corpus_in_order_states_so() -> None:
    none = Named(())
    view = CorpusView(5, 0, 0, 0, 0, {}, none, none, none, none, (), 1, ())
    outline = check_harmless(corpus_page(view, title="t"))
    stated = "".join(outline.text)
    assert (
        "5 rows in 1 shard.0% of the rows have an error (0), 0% have a diagnostic (0)."
        "0 diagnostics.There are no diagnostics." in stated
    )
    assert "svg" not in [tag for tag, _ in outline.elements]
