"""The list of template languages, made by listing this room, and the choice of one for a document.

Owns: locating template modules, loading them on demand, choosing by a line at the top, by the settings and by the
file's name. Must not know: what any of them reads.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from callwright.index import Room
from callwright.text.patterns import compile_later

if TYPE_CHECKING:
    from callwright.templates.base import Template

#: What the settings and the line at the top say for no language.
NONE: Final = "none"
#: Other names that a language goes by in a file's top line and in the settings.
_ALIASES: Final = {
    "jinja2": "jinja", "liquid": "jinja", "twig": "jinja", "mustache": "handlebars", "dotprompt": "handlebars",
    "f-string": "format", "fstring": "format", "str.format": "format", "string.template": "dollar", "shell": "dollar",
}  # fmt: skip
_TOP: Final = compile_later(
    r"[ \t]*+(?:\{#-?|<!--|\{\{!(?:--)?|#|//|/\*|;|%|--)[ \t]*+"
    r"callwright:[ \t]*+template[ \t]*+=[ \t]*+([\w.\-]{1,40}+)"
)
_LINE: Final = re.compile(r"\r\n|\n|\r")
_FRONT: Final = re.compile(r"\ufeff?---[ \t]*+[\r\n]")
#: How many lines at the top are checked.
_TOP_LINES: Final = 5


TEMPLATES: Final[Room[Template]] = Room("templates", "TEMPLATE", "suffixes", "front_suffixes", "languages")
describe, find_template = TEMPLATES.describe, TEMPLATES.find


@cache
def template_names() -> tuple[str, ...]:
    """Return the names of all template languages, in order, without loading one."""
    return tuple(str(entry["name"]) for entry in TEMPLATES.entries)


def choose_template(
    path: str | None, language: str | None, head: str, setting: str | None = None, own: str | None = None
) -> str | None:
    """Return the name of the language that a document is written in, None for none.

    A line at the top goes before the setting, and that before the file's kind; `own` is what documents of its host are
    written in by themselves. `head` is how the text begins.
    """
    stated = _stated_at_top(head) or setting
    if stated is not None:
        return None if stated == NONE else stated
    return _by_kind(path, language, head) or own


def is_switched_off(head: str, setting: str | None) -> bool:
    """Return whether an author says that a text that begins with `head` holds no template code."""
    return (_stated_at_top(head) or setting) == NONE


def inner_path(path: str | None) -> str | None:
    """Return a file's name without the ending that says no more than its template language (`prompt.md` for
    `prompt.md.j2`), None where it has none."""
    if not path:
        return None
    name = path.lower()
    endings = [suffix for entry in TEMPLATES.entries for suffix in entry["suffixes"] if name.endswith(suffix)]
    return path[: -len(max(endings, key=len))] if endings else None


def is_template_language(language: str | None) -> bool:
    """Return whether an editor's language is a template language."""
    return any(language in entry["languages"] for entry in TEMPLATES.entries)


def _stated_at_top(head: str) -> str | None:
    if "callwright:" not in head:
        return None
    for line in _LINE.split(head, _TOP_LINES)[:_TOP_LINES]:
        found = _TOP.match(line)
        if found is not None:
            name = found[1].lower()
            name = _ALIASES.get(name, name)
            if name == NONE or name in template_names():
                return name
    return None


def _by_kind(path: str | None, language: str | None, head: str) -> str | None:
    if language:
        by_language = next((entry for entry in TEMPLATES.entries if language in entry["languages"]), None)
        if by_language is not None:
            return str(by_language["name"])
    if not path:
        return None
    name = PurePath(path).name.lower()
    found = [
        (len(suffix), str(entry["name"]))
        for entry in TEMPLATES.entries
        for key in ("suffixes", "front_suffixes")
        for suffix in entry[key]
        if name.endswith(suffix) and (key == "suffixes" or _FRONT.match(head))
    ]
    return max(found)[1] if found else None
