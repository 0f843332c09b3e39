"""The page: whatever is in a document is shown, and none of it runs, loads or becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.report.model import FileView, view_of
from callwright.report.page import page
from callwright.tools.registry import EMPTY
from support.sampling import tries

#: All that a page is made of.
TAGS = frozenset(
    {"html", "head", "meta", "title", "style", "script", "body", "a", "header", "main", "section", "div", "details"}
    | {"summary", "figure", "figcaption", "svg", "rect", "line", "text", "table", "thead", "tbody", "tr", "th", "td"}
    | {"h1", "h2", "h3", "h4", "p", "pre", "code", "ol", "ul", "li", "article", "span", "button", "input", "label"}
)
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</pre></main></body><script src=//a>",
    "<!-- --><iframe srcdoc='<script>'>",
    "javascript:alert(1)",
    "]]><a href='command:x'>",
    "\x00\x1b[31m\u202e\ud800",
    "{{constructor.constructor('alert(1)')()}}",
]


class Outline(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {}
        self.text: list[str] = []
        self._in: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = tag if tag in ("script", "style") else None

    def handle_endtag(self, _tag: str) -> None:
        self._in = None

    def handle_data(self, data: str) -> None:
        (self.raw.setdefault(self._in, []) if self._in else self.text).append(data)


def transcript(*texts: str, tool: str = "read_file") -> str:
    messages = [{"role": "user", "content": "Go."}]
    messages += [{"role": "assistant", "content": f'{text}\n<{tool}>{{"path": 1}}</{tool}>'} for text in texts]
    definition = {"name": tool, "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    return json.dumps({"tools": [definition], "messages": messages})


def shown(text: str, path: str = "a.json") -> FileView:
    return view_of(open_snapshot(text, path=path, registry=EMPTY, settings=Settings()), path)


def read(html: str) -> Outline:
    outline = Outline()
    outline.feed(html)
    return outline


def check_harmless(html: str) -> Outline:
    """Assert that nothing on a page runs but its own script, and that nothing is loaded."""
    html.encode("utf-8")
    outline = read(html)
    tags = [tag for tag, _ in outline.elements]
    assert set(tags) <= TAGS
    assert tags.count("script") == tags.count("style") == 1
    for tag, attributes in outline.elements:
        assert not any(name.startswith("on") or name in ("src", "style", "srcdoc", "action") for name in attributes)
        assert attributes.get("href") in (None, "#content"), tag
    policy = next(
        str(attributes["content"])
        for tag, attributes in outline.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    for tag in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256("".join(outline.raw[tag]).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    return outline


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_a_document_holds_stays_text(hostile: str) -> None:
    view = shown(transcript(hostile))
    for ranges in (None, lambda _span: (0, 0, 0, 0)):
        outline = check_harmless(page([view], view.counts, title=hostile, ranges=ranges, uri=f"file:///{hostile}"))
        words = re.sub("[\x00-\x1f\ud800-\udfff\u202a-\u202e]", "", hostile).strip()[:20]
        assert words[:8] in "".join(outline.text)


@examples(deadline=None, max_examples=tries(60))
@given(st.lists(st.text(), max_size=3), st.text(), st.sampled_from(["a.json", "a.prompt", "a.md", "a.jsonl"]))
def test_any_text_makes_a_page(texts: list[str], raw: str, path: str) -> None:
    for text in (transcript(*texts), raw):
        view = shown(text, path)
        html = page([view], view.counts, title=path)
        check_harmless(html)
        assert html == page([shown(text, path)], view.counts, title=path)


def test_a_character_that_cannot_be_shown_is_named() -> None:
    text = "".join(read(page([view := shown(transcript("a\x01b\u202ec\ud800d"))], view.counts, title="t")).text)
    assert "a␁b‹U+202E›c�d" in text


def test_a_page_for_an_editor_has_places_that_are_buttons() -> None:
    view = shown(transcript("Hm."))
    outline = read(page([view], view.counts, title="t", ranges=lambda span: (0, span.start, 0, span.end)))
    places = [
        attributes for tag, attributes in outline.elements if tag == "button" and attributes.get("class") == "place"
    ]
    assert places
    assert all(re.fullmatch(r"0,\d+,0,\d+", str(attributes["data-range"])) for attributes in places)


def test_what_is_reported_by_a_chart_is_in_a_table() -> None:
    view = shown(transcript("One.", "Two."))
    html = page([view], view.counts, title="t")
    table = re.search(r"<table>.*?</table>", html, re.DOTALL)
    assert table is not None
    assert re.sub(r"<[^>]*+>", " ", table[0]).split() == ["Name", "valid", "invalid", "read_file", "0", "2"]
    assert 'role="img"' in html


def test_a_long_conversation_is_shown_in_part_and_counted_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callwright.report.model.MAX_TURNS", 3)
    view = shown(transcript("1", "2", "3"))
    assert [len(each.turns) for each in view.conversations] == [3]
    assert view.counts.turns == 4
    assert view.counts.calls == 3
    assert "1 more turn is not shown" in page([view], view.counts, title="t")
