"""The check of the built site: dead links, missing anchors, and what is loaded from elsewhere are found."""

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "server" / "site"


def problems(folder: Path) -> Iterator[str]:
    spec = spec_from_file_location("site_check", SITE / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Iterator[str] = module.problems(folder)
    return found


@pytest.mark.parametrize(
    ("body", "stated"),
    [
        ('<a href="b.html#here">b</a> <a href="#top">up</a> <a href="https://example.com">out</a>', None),
        ('<img src="b.html"> <link rel="stylesheet" href="style.css">', None),
        ('<link rel="canonical" href="https://example.com/a">', None),
        ('<a href="c.html">c</a>', "a.html: links to `c.html`, which does not exist"),
        ('<a href="b.html#nowhere">b</a>', "a.html: links to `b.html#nowhere`, but the page has no such anchor"),
        ('<a href="#nowhere">x</a>', "a.html: links to `#nowhere`, but the page has no such anchor"),
        ('<img src="c.png">', "a.html: loads `c.png`, which does not exist"),
        ('<script src="https://example.com/a.js"></script>', "a.html: loads `https://example.com/a.js` from elsewhere"),
        ('<img src="//example.com/a.png">', "a.html: loads `//example.com/a.png` from elsewhere"),
        (
            '<link rel="preconnect" href="https://fonts.example">',
            "a.html: loads `https://fonts.example` from elsewhere",
        ),
    ],
)
def test_a_page_has_live_links_and_loads_only_what_the_site_has(tmp_path: Path, body: str, stated: str | None) -> None:
    (tmp_path / "a.html").write_text(f'<h1 id="top">A</h1>{body}', encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="here">B</h1>', encoding="utf-8")
    (tmp_path / "style.css").write_text("a { background: url(data:image/png;base64,AA) }", encoding="utf-8")
    assert list(problems(tmp_path)) == ([stated] if stated else [])


def test_a_style_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>A</p>", encoding="utf-8")
    (tmp_path / "style.css").write_text("@import url('https://example.com/font.css');", encoding="utf-8")
    assert list(problems(tmp_path)) == ["style.css: loads `https://example.com/font.css` from elsewhere"]


def test_a_folder_without_pages_is_no_site(tmp_path: Path) -> None:
    assert list(problems(tmp_path)) == [f"{tmp_path}: no pages; build the site first"]
