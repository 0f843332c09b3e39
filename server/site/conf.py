"""The site: Sphinx builds it from the Markdown of the repository, with MyST and the theme Furo.

Owns: which pages the site has, their order, how Markdown is read. Must not know: what any page says.

The source folder is the repository, so links between pages, and from pages to files, are those that code hosts follow.
Fonts, scripts and styles come with the packages: pages load nothing from elsewhere, which `check.py` verifies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_ROOT: Final = Path(__file__).parents[2]
#: Where a page that must work without the repository finds its pictures.
_HOSTED: Final = "https://raw.githubusercontent.com/callwright/callwright/main/"
#: Where readers of the site find a folder of the repository.
_FOLDERS: Final = "https://github.com/callwright/callwright/tree/main/"
#: The target of a link that is a path.
_PATH: Final = re.compile(r"(?<=\]\()[\w./-]+(?=\))")

project = "Callwright"
author = "The Callwright developers"
extensions = ["myst_parser"]
root_doc = "server/docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "client-vscode/README.md", "server/docs/**.md"]
exclude_patterns = [".venv", ".tools", "build", "artifacts", "dist", "tests", "client-vscode/node_modules"]
html_theme = "furo"
html_title = "Callwright"
html_copy_source = False
# The first page of the folder leads to that of the documentation.
html_extra_path = ["extra"]
html_show_sphinx = False
html_show_copyright = False
myst_heading_anchors = 6
# Examples of broken JSON are shown as they are.
suppress_warnings = ["misc.highlighting_failure"]

#: The pages beside the first one, by the headings of the navigation; a folder stands for its pages.
_NAVIGATION: Final = {
    "Start": ("/README", "installation", "tutorial", "prompt-authors", "agent-developers", "data-curators"),
    "Guides": (
        "declarations",
        "tools",
        "mcp",
        "editors",
        "/client-vscode/README",
        "remote",
        "ci",
        "suppressions",
        "teaching",
        "managed-blocks",
        "chat-templates",
        "corpus",
        "corpus-estimate",
        "runtime",
    ),
    "Reference": (
        "cli",
        "configuration",
        "rules/index",
        "dialects/index",
        "documents",
        "transcripts/index",
        "providers",
        "validation",
        "proof",
        "performance",
        "robustness",
    ),
    "Development": ("contributing", "style", "architecture", "/CHANGELOG"),
}


def _adapt(_app: Sphinx, name: str, source: list[str]) -> None:
    """Let a page use the pictures and folders of the repository, and give it the list of the pages below it."""
    page = _ROOT / name
    source[0] = _PATH.sub(lambda match: _folder_address(page.parent / match[0]) or match[0], source[0])
    source[0] = source[0].replace(_HOSTED, "../" * name.count("/"))
    if name == root_doc:
        source[0] += "".join(_tree(pages, caption) for caption, pages in _NAVIGATION.items())
    elif name.endswith("/index"):
        folder = _ROOT / name.removesuffix("/index")
        source[0] += _tree(page.stem for page in sorted(folder.glob("*.md")) if page.stem != "index")


def _folder_address(path: Path) -> str | None:
    """Return the address of a folder of the repository at the code host, None where the path is not a folder."""
    return _FOLDERS + path.resolve().relative_to(_ROOT).as_posix() if path.is_dir() else None


def _tree(pages: Iterable[str], caption: str | None = None) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def setup(app: Sphinx) -> None:
    """Connect what adapts pages."""
    app.connect("source-read", _adapt)
