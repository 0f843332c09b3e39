"""Checks the built site: every link leads to a page and an anchor of it, and nothing is loaded from elsewhere.

Owns: the check of what `make site` has built. Must not know: the generator, the theme.

Prints each problem with its page, and exits with 1 if there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

#: The attributes that make a browser load something, by element; of `link` those of its kinds that are loaded.
_LOADED: Final = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
_LINK_KINDS: Final = {
    "stylesheet",
    "icon",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "manifest",
    "modulepreload",
}
_STYLE_URL: Final = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)")


class _Page(HTMLParser):
    """What a page loads, where it links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := found.get(name)))
        if tag == "a" and (href := found.get("href")):
            self.links.append(href)
        elif tag == "link" and _LINK_KINDS & {*(found.get("rel") or "").split()}:
            self.loads.append(found.get("href") or "")
        elif source := found.get(_LOADED.get(tag, "")):
            self.loads.append(source)


@cache
def _read(page: Path) -> _Page:
    found = _Page()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with a built site."""
    pages = sorted(site.rglob("*.html"))
    if not pages:
        yield f"{site}: no pages; build the site first"
    for page in pages:
        found = _read(page)
        where = page.relative_to(site)
        for url in found.loads:
            if urlsplit(url).netloc:
                yield f"{where}: loads `{url}` from elsewhere"
            elif not urlsplit(url).scheme and not _file(site, page, url).is_file():
                yield f"{where}: loads `{url}`, which does not exist"
        # Links of the page for missing addresses are absolute: it is shown anywhere.
        for url in found.links:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = _file(site, page, url)
            if not target.is_file():
                yield f"{where}: links to `{url}`, which does not exist"
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in _read(target).anchors:
                yield f"{where}: links to `{url}`, but the page has no such anchor"
    for style in sorted(site.rglob("*.css")):
        for url in _STYLE_URL.findall(style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site)}: loads `{url}` from elsewhere"


def _file(site: Path, page: Path, url: str) -> Path:
    path = unquote(urlsplit(url).path)
    if not path:
        return page
    target = site / path.lstrip("/") if path.startswith("/") else page.parent / path
    return target / "index.html" if target.is_dir() else target


def main() -> int:
    """Check the site that the only argument names, and return the exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: check.py FOLDER\n")
        return 2
    found = list(problems(Path(sys.argv[1])))
    sys.stderr.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
