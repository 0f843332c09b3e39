"""The page of every rule is found, in a checkout and in an installed package."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from callwright.rules.catalogue import rule_names
from callwright.rules.support.pages import page_of, pages_folder


def test_every_rule_has_a_page_about_it() -> None:
    for name in (name for name in rule_names() if not name.startswith("TC")):
        page = page_of(name)
        assert page is not None, name
        assert name in Path(unquote(urlsplit(page).path)).read_text(encoding="utf-8")


def test_what_is_no_rule_has_no_page() -> None:
    assert page_of("no-such-rule") is None
    assert page_of("../index") is None


def test_pages_are_found_inside_of_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "callwright"
    assert pages_folder(package) is None
    folder = package / "docs" / "rules"
    folder.mkdir(parents=True)
    (folder / "index.md").write_text("# Rules", encoding="utf-8")
    assert pages_folder(package) == folder
