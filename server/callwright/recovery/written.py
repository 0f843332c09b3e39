"""What dialects write around a call: their markers, and what a call of a tool looks like in them.

Owns: the markers of a dialect or of all, pairs of them, what is written before a tool's name, sample calls. Must not
know: any single dialect, texts that are searched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.calls.markers import call_marker
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.calls.teach import example_value
from callwright.dialects.catalogue import all_dialects, find_dialect
from callwright.text.patterns import compile_later

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.dialects.base import Dialect
    from callwright.tools.model import ToolSchema

#: Anything that may be a marker.
MARKER: Final = compile_later(
    r"<\|[^<>|\n\"=]{1,60}\|?>|<[a-z_]{1,40}\|>|</?｜[^<>\n]{1,100}>|</?[A-Za-z_][^<>\n]{0,100}>|\[/?[A-Z_]{3,30}\]"
)
#: The name in a marker, and what some models write after its own.
_NAMED: Final = compile_later(r"(?:=|\x20name=)[^<>]*+>?\Z")
_SUFFIX: Final = compile_later(r":[\w\-]{1,40}>\Z")
_SAMPLE: Final = "sample_tool_name"


def _dialects(name: str | None) -> Sequence[Dialect]:
    """Return the dialect of a name, all dialects without one."""
    dialect = find_dialect(name) if name is not None else None
    return all_dialects() if name is None else () if dialect is None else (dialect,)


@cache
def _kinds(dialect: str | None, *, chats: bool) -> frozenset[str]:
    """Return the markers of a dialect, or of any, without the names in them and the text before each tag."""
    found = ({*each.markers} - (frozenset() if chats else {*each.chat_markers}) for each in _dialects(dialect))
    tags = (marker[max(marker.rfind("<"), 0) :] for markers in found for marker in markers)
    return frozenset(_NAMED.sub("=>", tag) for tag in tags)


def is_marker(written: str, dialect: str | None = None, *, chats: bool = False) -> bool:
    """Return whether calls of a dialect, or of any, contain such a marker, with any name in it.

    Markers that other messages of a chat contain as well count only with `chats`.
    """
    kind = _NAMED.sub("=>", written)
    return not _kinds(dialect, chats=chats).isdisjoint((kind, without_suffix(kind)))


def without_suffix(marker: str) -> str:
    """Return a marker without the suffix that some models write."""
    return _SUFFIX.sub(">", marker)


@cache
def frames(dialect: str | None) -> Mapping[str, str]:
    """Return the opening markers of frames of calls in a dialect, or in any, each with the closing one."""
    found: dict[str, str] = {}
    for opener, closer in (pair for each in _dialects(dialect) for pair in each.pairs):
        begins, ends = call_marker().search(opener), call_marker().search(closer)
        if begins is not None and ends is not None and is_marker(begins[0], dialect) and is_marker(ends[0], dialect):
            found.setdefault(begins[0], ends[0])
    return found


@cache
def list_words(dialect: str | None) -> frozenset[str]:
    """Return the words that a dialect, or any, writes before a list of calls."""
    openers = (opener for each in _dialects(dialect) for opener in each.openers)
    return frozenset(opener[:-1] for opener in openers if opener[-1] == "[" and opener[:-1].isalpha())


@cache
def prefixes(dialect: str | None) -> tuple[re.Pattern[str], ...]:
    """Return what a dialect, or any, writes right before a tool's name and nowhere else."""
    found: dict[str, None] = {}
    for each in _dialects(dialect):
        written = written_call(each.name, _SAMPLE)
        before = written.partition(_SAMPLE)[0]
        lead = before.rstrip(" ").splitlines()[-1] if before.strip() else ""
        if lead != "[" and (len(re.sub(r"[\s\"'\[{]", "", lead)) < 3 or lead.lstrip("[")[:1] == "{"):
            continue
        words = lead.split()
        if lead == "[":
            found[r"\[(?:[\w.]{1,40}\([^()\n]{0,200}\),\s{0,9})?"] = None
        elif len(words) > 1 and words[-1][-2:] == '="':
            # Where the name is an attribute, the attribute may be damaged.
            found[r"[ \t]{1,9}".join([*map(re.escape, words[:-1]), r"[^<>\n=\"']{0,30}[=\"'][^<>\n]{0,30}"])] = None
        else:
            parts = (re.escape(word).replace('"', "[\"']") for word in words)
            between = r"[ \t]{1,9}(?:[^<>\n]{0,60}[ \t])?" if lead[0] == "<" else r"[ \t]{1,9}"
            found[between.join(parts) + r"\s{0,20}"] = None
    return tuple(re.compile(rf"{pattern}\Z") for pattern in found)


def written_call(dialect: str, tool: ToolSchema | str) -> str:
    """Return a call of a tool with all its parameters, as a dialect writes it; empty where it cannot.

    A tool that is given by its name only has one parameter.
    """
    format_ = find_dialect(dialect)
    if format_ is None:
        return ""
    if isinstance(tool, str):
        written = format_.render(tool, {"path": "a"}, None, RenderStyle())
    else:
        arguments = {name: example_value(each.schema) for name, each in tool.parameters.items()}
        written = format_.render(tool.name, arguments, tool, RenderStyle())
        if isinstance(written, Refusal):
            written = format_.render(tool.name, {}, tool, RenderStyle())
    return "" if isinstance(written, Refusal) else written


def call_markers_of(dialect: str, tool: ToolSchema) -> tuple[str, ...]:
    """Return the markers of a call of the tool in a dialect, with all its parameters, as they are written there."""
    format_ = find_dialect(dialect)
    if format_ is not None and any(marker[0] not in "<[" for marker in format_.markers):
        return ()  # they are of many parts
    found = dict.fromkeys(MARKER.findall(written_call(dialect, tool)))
    if format_ is not None and format_.cdata and tool.markup != "raw":
        found["<![CDATA["] = None
    return tuple(found)
