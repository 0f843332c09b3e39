"""Tools in YAML: an item of a list of tools, or an entry of a mapping of tools, in a prompt, a fence or a file.

Owns: which items define tools, decided around each item. Must not know: how YAML is read (`tools.formats.yaml` does),
how parameters are written as data (`support.described_parameters` knows), tool files.

`tools:` and below it `- name: …` with `description` and `parameters`, as RooFlow's prompts have it
(https://github.com/GreatScottyMac/RooFlow). Each item is a declaration of its own. What else such an item has, as
`usage_format` or `examples`, is not a definition.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from callwright.declarations.styles.base import MAX_BEFORE, Body, Style, View
from callwright.declarations.styles.support.built_tools import body_of, json_part, schema_part, text_part, tool_part
from callwright.declarations.styles.support.described_parameters import bare, read_parameters
from callwright.declarations.styles.support.stated_words import DESCRIPTIONS, is_sketch
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.formats.yaml import FORMAT as YAML
from callwright.tools.parts import LocatedValue

#: No item is longer.
_MAX_LENGTH: Final = 65_536
_LISTS: Final = ("parameters", "input_schema", "inputSchema", "params", "arguments", "args", "parametersJsonSchema")
_TEXTS: Final = ("description", "desc", "summary", "purpose", *DESCRIPTIONS[1:])
#: What shows that an item without parameters is called as those beside it are.
_SAMPLES: Final = frozenset(
    {"usage_format", "usage", "examples", "example", "returns", "when_to_use", "usage_examples"}
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.:/-]{0,127}")
_ITEM: Final = re.compile(
    r"( *)(-( +))(?:\{ *)?[\"']?name[\"']?:[ \t]+[\"']?[A-Za-z_][\w.:/-]{0,127}+[\"']?[ \t]*(?:\}|,.*|#.*)?$"
)
_KEY: Final = re.compile(r"( *)((?:- +)?)[\"']?([\w-]{1,60}+)[\"']?:(?=[ \t]|$)[ \t]*+(.{0,200}+)")
_LISTED: Final = re.compile(
    r"[ \t]*(?:- +)?[\"']?(?:[\w-]*(?:tools|functions)|werkzeuge|outils|herramientas|ferramentas|strumenti|инструменты"
    r"|工具|ツール|도구)[\"']?:[ \t]*(?:#.*)?$",
    re.IGNORECASE,
)
#: So far before an item its list's key is looked for, and farther only where there is one of these words.
_STEPS: Final = (512, MAX_BEFORE)
_COMMON: Final = ("ools", "unctions", "OOLS")
_WIDE: Final = ("工具", "ツール", "도구", "нструмент")
#: A line above a list in prose that says what it lists.
_TITLE: Final = re.compile(r"[ \t]*(?:#{1,6} |\*\*|[^\n:]{0,60}\b(?:tools|functions)\b[^\n:]{0,40}:)", re.IGNORECASE)
_FENCE: Final = re.compile(r"[ \t>]*+(?:`{3,}+|~{3,}+)[ \t]*+(?:ya?ml)?[ \t]*+$", re.IGNORECASE)
_WRITTEN: Final = re.compile(rf"^ *(?:- +)?(?:{'|'.join(_TEXTS)}): +([^\s|>\"'\[{{&*].*)$", re.MULTILINE)
_WRAPPER: Final = "function"
_MARKERS: Final = ("parameters:", "input_schema:", "inputSchema:")


class _Item(NamedTuple):
    """An item of a list, or an entry of a mapping: the lines `[start, end)`, how far it is indented, the keys that it
    has itself. `entry` is true if its name is its key."""

    start: int
    end: int
    indent: int
    keys: frozenset[str]
    entry: bool


class YamlTools:
    """An item of a YAML list of tools."""

    name = "yaml-tools"
    title = "a list of tools in YAML"
    markers = ("- name:", "{name:", "{ name:", '- "name":', *_MARKERS)
    rank = 50

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the item that has the key at `at`."""
        text = view.text
        start = _line_start(view, at)
        if start is None:
            return None
        line = view.line(start)
        item = _named_item(view, line) if _ITEM.match(text, line.start, line.end) else _item_around(view, line)
        if item is None or not item.start <= at < item.end:
            return None
        kind = _kind(item)
        if kind is None or not _is_among_tools(view, item, certain=kind == "described"):
            return None
        return Span(item.start, item.end) if _definition(text[item.start : item.end]) is not None else None

    def read(self, text: str) -> Body | None:
        """Return the tool that an item defines."""
        found = _definition(text)
        if found is None:
            return None
        tool, whole, broken = found
        return body_of([tool], Span(0, len(text)), whole=whole, broken=broken)


def _line_start(view: View, at: int) -> int | None:
    """Return where the line of a key begins; None where anything but a key's indentation is before it."""
    text = view.text
    start = at
    while start > view.floor and at - start < 100 and text[start - 1] in " -\"'{":
        start -= 1
    view.saw(max(start - 1, view.floor), at)
    return start if start == view.floor or text[start - 1] == "\n" else None


def _named_item(view: View, line: Span) -> _Item | None:
    """Return the item that begins on a line with its name."""
    found = _ITEM.match(view.text, line.start, line.end)
    assert found is not None
    return _item(view, line.start, len(found[1]), len(found[1]) + len(found[2]), entry=False)


def _item_around(view: View, line: Span) -> _Item | None:
    """Return the item or entry that has the key on a line, which is none of its name."""
    text = view.text
    found = _KEY.match(text, line.start, line.end)
    if found is None:
        return None
    indent = len(found[1]) + len(found[2])
    if found[2]:
        return _item(view, line.start, len(found[1]), indent, entry=False)
    start = _owner(view, line.start, indent)
    if start is None:
        return None
    owner = _KEY.match(text, start, view.line(start).end)
    if owner is None:
        return None
    inner = len(owner[1]) + len(owner[2])
    if owner[2] and inner == indent:
        return _item(view, start, len(owner[1]), indent, entry=False)
    if owner[4].strip() and not owner[4].startswith("#"):
        return None
    if owner[3] == _WRAPPER:
        if owner[2]:
            return _item(view, start, len(owner[1]), inner, entry=False)
        start = _owner(view, start, inner) or start
        outer = _KEY.match(text, start, view.line(start).end)
        if outer is None or not outer[2]:
            return None
        return _item(view, start, len(outer[1]), len(outer[1]) + len(outer[2]), entry=False)
    return _item(view, start, len(owner[1]), indent, entry=True) if not owner[2] else None


def _owner(view: View, at: int, indent: int) -> int | None:
    """Return the start of the line that what is indented so far belongs to."""
    if not indent:
        return None
    text = view.text
    for far in _STEPS:
        low = max(view.floor, at - far)
        view.saw(low, at)
        lines = [*_owners(indent).finditer(text, low, at)]
        if lines:
            last = lines[-1]
            # No mapping has such a key twice, and nothing is gone through for each of many.
            return last.start() + 1 if last.end() - last.start() - 1 < indent else None
        if low == view.floor:
            return low if low == 0 and text[:1] not in " \n#" else None
    return None


@lru_cache(64)
def _owners(indent: int) -> re.Pattern[str]:
    """Return what finds the lines that are indented by less than `indent`, and those of its own mapping's markers."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}(?=[^\s#])| {{{indent}}}(?={'|'.join(_MARKERS)}))")


def _item(view: View, start: int, indent: int, inner: int, *, entry: bool) -> _Item:
    """Return the item that begins at `start`, whose own keys are indented by `inner`: it ends before the next line that
    is not indented more than itself."""
    text = view.text
    most = min(len(text), start + _MAX_LENGTH)
    first = text.find("\n", start, most)
    first = most if first < 0 else first
    beyond = _outdented(indent).search(text, first, most)
    end = beyond.start() if beyond is not None else most
    view.saw(start, min(len(text), end + indent + 4))
    end = _without_comments(text, first, end, indent)
    keys = {each[1] for each in _keys(inner).finditer(text, first, end)}
    opening = _KEY.match(text, start, first)
    if opening is not None and not entry:
        keys.add(opening[3])
    if first == end or "{" in text[start:first]:
        keys.update(re.findall(r"[{,] *[\"']?([\w-]{1,60})[\"']?:", text[start:first]))
    return _Item(start, end, indent, frozenset(keys), entry)


@lru_cache(64)
def _outdented(indent: int) -> re.Pattern[str]:
    """Return what finds the next line that is indented by `indent` at most, and is not a comment."""
    return re.compile(rf"\n {{0,{indent}}}(?=[^\s#])")


@lru_cache(64)
def _keys(indent: int) -> re.Pattern[str]:
    return re.compile(rf"\n {{{indent}}}[\"']?([\w-]{{1,60}})[\"']?:(?=\s|\Z)")


def _without_comments(text: str, first: int, end: int, indent: int) -> int:
    """Return where an item ends without the blank lines and the comments below it."""
    while True:
        end = first + len(text[first:end].rstrip()) if end > first else first
        line = text.rfind("\n", first, end) + 1
        raw = text[line:end]
        if line == 0 or not raw.lstrip().startswith("#") or len(raw) - len(raw.lstrip()) > indent:
            return end
        end = line - 1


def _kind(item: _Item) -> str | None:
    """Return what an item's own keys make of it: `described` where it has parameters, `sampled` where it has samples,
    `named` where it is only described; None where it is nothing of the kind."""
    keys = item.keys
    if _WRAPPER in keys and not item.entry:
        return "described"
    if not item.entry and "name" not in keys:
        return None
    if not keys.isdisjoint(_LISTS):
        return "described"
    if item.entry or keys.isdisjoint(_TEXTS):
        return None
    return "named" if keys.isdisjoint(_SAMPLES) else "sampled"


def _is_among_tools(view: View, item: _Item, *, certain: bool) -> bool:
    """Return whether what is around an item says that it is a tool: a key of tools above, or a tool right before.

    Without parameters it needs another that has some right before it, or right after.
    """
    text = view.text
    before = _nearest_before(text, view.floor, item.start)
    view.saw(max(before - 1, view.floor), item.start)
    if before == view.floor and (view.floor > 0 or not item.entry):
        # Another declaration ends right there, or the text begins.
        return certain or view.floor > 0
    if not certain and item.keys.isdisjoint(_SAMPLES) and not _is_before_tool(view, item):
        return False
    if _is_below_tools(view, item):
        return True
    if item.entry or not certain:
        return False
    title = view.line(before - 1).of(text)
    return _FENCE.match(title) is not None or (item.indent == 0 and _TITLE.match(title) is not None)


def _nearest_before(text: str, floor: int, start: int) -> int:
    """Return where the blank lines and comments before an item begin."""
    at = start
    while at > floor:
        line = max(text.rfind("\n", floor, at - 1) + 1, floor)
        raw = text[line : at - 1].strip() if text[at - 1] == "\n" else text[line:at].strip()
        if raw and not raw.startswith("#") and raw != "---":
            return at
        at = line
    return at


def _is_below_tools(view: View, item: _Item) -> bool:
    """Return whether an item belongs to a key that says `tools`: to its list, or to a list of a group in it."""
    text = view.text
    wanted = 1 if item.entry else 2
    for far in _STEPS:
        low = max(view.floor, item.start - far)
        view.saw(low, item.start)
        around = _lines_around(text, low, item)[:wanted]
        if any(_LISTED.match(text, each, view.line(each).end) is not None for each in around):
            return True
        if len(around) == wanted or low == view.floor:
            return False
        words = _COMMON if text.isascii() else (*_COMMON, *_WIDE)
        if not any(text.find(word, view.floor, item.start) >= 0 for word in words):
            break
    view.saw(view.floor, item.start)
    return False


def _lines_around(text: str, low: int, item: _Item) -> list[int]:
    """Return the starts of the lines of the keys and items that an item is in, the nearest first."""
    indent = item.indent
    if not indent and item.entry:
        return []
    found: list[int] = []
    for line in reversed([*_outer(indent, item.entry).finditer(text, low, item.start)]):
        own = line.end() - line.start() - 1
        if own < indent or not found:
            found.append(line.start() + 1)
            indent = own
        if not own:
            return found
    if low == 0 and text[:1] not in " \n#" and (indent or not found):
        found.append(0)
    return found


@lru_cache(64)
def _outer(indent: int, entry: bool) -> re.Pattern[str]:
    """Return what finds lines that an item may be in: those indented less, and for an item as deep a key."""
    less = rf" {{0,{indent - 1}}}(?=[^\s#])" if indent else ""
    same = rf" {{{indent}}}(?=[^\s#-])" if not entry else ""
    return re.compile(rf"\n(?:{'|'.join(each for each in (less, same) if each)})")


def _is_before_tool(view: View, item: _Item) -> bool:
    """Return whether the next item of the list is one with parameters."""
    text = view.text
    start = item.end
    while start < len(text) and text[start] in " \n":
        start += 1
    line = view.line(min(start, len(text)))
    if line.start <= item.start or _ITEM.match(text, line.start, line.end) is None:
        return False
    following = _named_item(view, line)
    return following is not None and following.indent == item.indent and _kind(following) == "described"


@lru_cache(4)
def _definition(text: str) -> tuple[LocatedValue, bool, bool] | None:
    """Return the tool that an item defines, whether its parameters are all there are, and whether it has faults."""
    parsed = YAML.parse(text, 0)
    top = json_part(parsed.value, parsed.places)
    part = top
    name: LocatedValue | None = None
    if isinstance(part.value, list) and len(part.value) == 1 and isinstance(part.value[0], dict):
        part = part.parts[0]
    elif isinstance(part.value, dict) and len(part.value) == 1 and isinstance(next(iter(part.value.values())), dict):
        (outer, inner), *_ = part.parts.items()
        if outer != _WRAPPER:
            name = bare(LocatedValue(outer, part.keys[outer]), text)
        part = inner
    else:
        return None
    wrapped = part.parts.get(_WRAPPER)
    if wrapped is not None and isinstance(wrapped.value, dict):
        part = wrapped
    own = part.parts.get("name")
    if own is not None:
        name = bare(own, text)
    if name is None or not isinstance(name.value, str) or _NAME.fullmatch(name.value) is None or is_sketch(name.value):
        return None
    description = _description(part) or (_written_description(text) if parsed.broken else None)
    key = next((key for key in _LISTS if key in part.parts), None)
    around = Span(0, len(text))
    if key is None:
        if description is None:
            return None
        return tool_part(name, description, schema_part([], around), around), False, parsed.broken
    listed = part.parts[key]
    found = read_parameters(listed, text)
    if found is None:
        if listed.value is not None or description is None:
            return None
        # The key is there, and what it is for is still to be written.
        return tool_part(name, description, schema_part([], around), around), False, parsed.broken
    if description is None and not (found.described and _states(listed)) and part.parts.keys().isdisjoint(_SAMPLES):
        return None
    return tool_part(name, description, found.schema, around), found.whole, parsed.broken


def _description(part: LocatedValue) -> LocatedValue | None:
    return next((part.parts[key] for key in _TEXTS if key in part.parts and _is_text(part.parts[key].value)), None)


def _written_description(text: str) -> LocatedValue | None:
    """Return the description on a line that YAML reads as something else: a prompt's author need not know that a colon
    in it wants quotes."""
    found = _WRITTEN.search(text)
    return text_part(text, Span(*found.span(1))) if found is not None else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _states(part: LocatedValue) -> bool:
    """Return whether any parameter is described in words."""
    pending = [part]
    for each in pending:
        if isinstance(each.value, dict) and any(_is_text(each.value.get(key)) for key in _TEXTS):
            return True
        pending.extend(inner for inner in each.parts.values() if isinstance(inner.value, dict | list))
    return False


STYLE: Style = YamlTools()
