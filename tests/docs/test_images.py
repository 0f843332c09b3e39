"""The pictures of the pages: each is shown somewhere with words for those who cannot see it, and none is large.

`make images` takes those of the editor again, also the moving one; that of the terminal is drawn here, from what the
command line prints.
"""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "server" / "docs" / "images"
LARGEST = 150_000
#: What a moving picture may have, and for how many seconds it lasts.
LARGEST_MOVING = 400_000
LASTS = (10, 15)
#: Pages that may show pictures.
PAGES = [ROOT / "README.md", ROOT / "client-vscode" / "README.md", *sorted((ROOT / "server" / "docs").glob("*.md"))]
_SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)\s]*/?images/([\w.-]+))\)")


def shown() -> list[tuple[Path, str, str, str]]:
    """Return for each picture on a page: the page, the words, the address, the file's name."""
    return [(page, *found) for page in PAGES for found in _SHOWN.findall(page.read_text(encoding="utf-8"))]


def test_every_picture_on_a_page_is_there_and_has_words() -> None:
    for page, words, address, name in shown():
        assert (IMAGES / name).is_file(), f"{page.name} shows {address}"
        assert len(words) > 20, f"{page.name} says too little of {name}: {words!r}"
        if not address.startswith("https://"):
            assert (page.parent / address).resolve() == IMAGES / name, f"{page.name} shows {address}"


def test_every_picture_is_shown_and_small() -> None:
    named = {name for *_, name in shown()}
    assert sorted({path.name for path in IMAGES.iterdir()} - named) == []
    sizes = {path.name: path.stat().st_size for path in IMAGES.iterdir()}
    assert {
        name: size for name, size in sizes.items() if size > (LARGEST_MOVING if name.endswith(".gif") else LARGEST)
    } == {}


def delays(content: bytes) -> Iterator[int]:
    """Yield for how many hundredths of a second each picture of a GIF is shown."""
    assert content.startswith(b"GIF89a")
    at = 13 + (3 << (content[10] & 7) + 1 if content[10] & 0x80 else 0)
    while content[at] != 0x3B:
        if content[at] == 0x21:
            if content[at + 1] == 0xF9:
                yield int.from_bytes(content[at + 4 : at + 6], "little")
            at += 2
        else:
            colours = 3 << (content[at + 9] & 7) + 1 if content[at + 9] & 0x80 else 0
            at += 11 + colours
        while size := content[at]:
            at += 1 + size
        at += 1


@pytest.mark.parametrize("picture", sorted(IMAGES.glob("*.gif")), ids=lambda path: path.name)
def test_a_moving_picture_can_be_followed_and_begins_again(picture: Path) -> None:
    content = picture.read_bytes()
    shown = list(delays(content))
    assert len(shown) > 10
    assert LASTS[0] <= sum(shown) / 100 <= LASTS[1]
    assert min(shown) >= 10
    assert max(shown) >= 150, "there is time to read what is said"
    assert b"NETSCAPE2.0\x03\x01\x00\x00" in content


def test_the_terminal_shows_what_is_printed(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    drawn = terminal(tmp_path)
    picture = IMAGES / "check.svg"
    if request.config.getoption("--update-cases"):
        picture.write_text(drawn, encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == drawn, "`--update-cases` draws it anew"


def terminal(folder: Path) -> str:
    """Return a picture of what `callwright check` prints about a page of the demo workspace."""
    printed = "$ callwright check docs\n"
    for words in (["demo", str(folder / "demo"), "--write-only"], ["check", "docs", "--color", "always", "--no-cache"]):
        run = subprocess.run(
            [sys.executable, "-m", "callwright", *words],
            cwd=folder / "demo" if words[0] == "check" else folder,
            env=os.environ | {"COLUMNS": "110"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        printed += run.stdout.decode() if words[0] == "check" else ""
    assert "\x1b[" in printed
    console = Console(record=True, width=110, file=StringIO())
    console.print(Text.from_ansi(printed.rstrip()), soft_wrap=False)
    # Nothing is fetched when the picture is shown: the reader's own font does.
    usual = inspect.signature(Console.export_svg).parameters["code_format"].default
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", usual, flags=re.DOTALL)
    drawn = console.export_svg(title="callwright check", code_format=template, unique_id="check")
    assert "url(http" not in drawn
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"
