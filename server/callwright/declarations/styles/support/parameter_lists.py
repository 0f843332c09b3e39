"""Lists of parameters in prose: which lines describe them, and their members and choices below.

Owns: `read_list`, `read_inline`. Must not know: any single style, tools, what announces a list, what a single line says
of a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from callwright.declarations.documented_lines import Line, read_line
from callwright.declarations.named_types import pieces
from callwright.declarations.styles.support.built_tools import Parameter, schema_part, text_part
from callwright.declarations.styles.support.parameter_entries import (
    MAX_ENTRIES,
    QUOTES,
    Listing,
    bracket,
    closing,
    describe,
    entry_of,
    is_data,
    named_entry,
    required_by,
)
from callwright.declarations.styles.support.parameter_tables import read_table
from callwright.declarations.styles.support.prose_page import (
    Page,
    description_label,
    group_label,
    is_other_label,
    parameter_label,
)
from callwright.declarations.styles.support.stated_values import read_types, typed_choices
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, sequence

if TYPE_CHECKING:
    from callwright.declarations.styles.support.parameter_entries import Entry

#: A line has no more entries than that, and members nest no deeper.
_MAX_INLINE: Final = 80
_DEPTH: Final = 6
#: In a list that is indented so far, an entry may have so many lines that are not.
_INDENTED: Final = 2
_BETWEEN: Final = 40
_HAS_LIST: Final = compile_later(
    r"\b(?:array|list)s?\b|数组|列表|陣列|配列|리스트|배열|\b(?:liste|tableau|lista|arreglo|массив|список)\b",
    re.IGNORECASE,
)
_HAS_OBJECT: Final = compile_later(
    r"\b(?:object|dictionary|dict|map)\b|对象|物件|オブジェクト|객체|\b(?:objekt|objet|objeto|oggetto|объект)\b",
    re.IGNORECASE,
)
#: The end of a remark below which choices are listed.
_HAS_CHOICES: Final = compile_later(
    r"\b(?:one of|values?|options?|choices|can be|must be|either|enum|are"
    r"|(?:available|allowed|valid|possible|accepted)[ ]\w+|werte|valeurs|valores|значения)\b[^.\n]{0,30}:\s*\Z"
    r"|(?:取值|可选值|值|選択肢|값)[^.\n]{0,12}:\s*\Z",
    re.IGNORECASE,
)
_IS_EXAMPLE: Final = compile_later(r"\b(?:e\.?g|examples?|such as|like|including)\b|例如|比如|例", re.IGNORECASE)
_MORE: Final = compile_later(r"\b(?:e\.?g|such as|etc|including|for example)\b", re.IGNORECASE)
_CHOICE: Final = compile_later(
    r"[*]{0,2}+(?:`[\"']?(?P<code>[\w.\-]{1,60}+)[\"']?`|[\"'](?P<quoted>[^\"'\n]{1,60}+)[\"']"
    r"|(?P<bare>[A-Za-z0-9_][\w.\-]{0,60}+))[*]{0,2}+"
    r"[ \t]*+(?P<default>\((?:the )?default\))?[ \t]*+(?=[:–—(]|[-=][ \t]|->|\Z)",
    re.IGNORECASE,
)


def read_inline(page: Page, rest: Span, number: int | None = None) -> list[Parameter] | None:
    """Return the parameters of a list on one line; None where something else is there.

    A single word without a description may be anything. Below the line `number`, the members of the one may be listed.
    """
    flat = page.flat
    end = rest.start + len(rest.of(flat).rstrip(' \t.,"'))
    entries: list[Entry] = []
    parts = list(islice(pieces(flat, Span(rest.start, end), "[,;]", QUOTES), _MAX_INLINE + 1))
    for piece in parts if len(parts) <= _MAX_INLINE else ():
        start, stop = piece.trimmed(flat, " \t")
        if start == stop:
            continue
        # What follows a piece is not part of its line.
        entry = entry_of(flat[:stop], read_line(flat[:stop], start, start, stop))
        if entry is None or flat[start] in "\"'":
            entries = []
            break
        if entry.rest < stop:
            if flat[entry.rest] != "(" or closing(flat, entry.rest, stop) != stop - 1:
                entries = []
                break
            entry.schema.setdefault("description", text_part(page.text, Span(entry.rest + 1, stop - 1)))
        entries.append(entry)
    types = [name for entry in entries for name in entry.names if read_types(flat, name.span)]
    if types and not any(entry.stated or entry.quoted for entry in entries):
        # `args: list[str]` is a line of a program.
        return None
    if len(entries) > 1 or any(each.certain or each.quoted for each in entries):
        if len(entries) == 1 and number is not None:
            _take_below(page, entries[0], number)
        return [parameter for entry in entries for parameter in entry.parameters()]
    if entries:
        return None
    # One parameter, with its description after it.
    clipped = flat[:end]
    line = read_line(clipped, rest.start, rest.start, end)
    single = entry_of(clipped, line) if line.kind == "text" else None
    if single is None or not (single.certain or single.quoted) or flat[rest.start] in "\"'":
        return None
    if flat[rest.start : single.rest].rstrip().endswith((",", ";")):
        return None
    if number is not None:
        _take_below(page, single, number)
    describe(page, single, end)
    return single.parameters()


def _take_below(page: Page, entry: Entry, number: int) -> None:
    """Take the members of a parameter on the line `number`."""
    block = _block(page, number, page.lines[number].indent, bare=False)
    if block.after > block.own:
        _take_nested(page, entry, block, 0)


def read_list(
    page: Page, index: int, *, indent: int = 0, required: bool | None = None, depth: int = 0, outline: bool = False
) -> Listing:
    """Return the list that begins on the next line with text from `index` on; `indent` is how far its label is
    indented, `required` what that says of all its entries. In an `outline` the parameters have names alone."""
    nothing = Listing([], index)
    first = index
    while first < len(page.lines) and page.lines[first].kind == "blank":
        first += 1
    if first == len(page.lines) or page.is_fenced(first) or depth > _DEPTH:
        return nothing
    line = page.lines[first]
    if line.indent < indent or is_data(page.flat, line):
        return nothing
    if line.kind == "row":
        return read_table(page, first, required)
    if line.kind == "text":
        entry = entry_of(page.flat, line)
        if entry is None or not entry.certain:
            return nothing
    elif (line.kind != "entry" or named_entry(page.flat, line) is None) and group_label(page.flat, line) is None:
        return nothing
    return _read_entries(page, first, required, depth, outline=outline)


class _Block(NamedTuple):
    """An entry's lines by number: its own end at `own`, those of what is nested in it at `after`."""

    first: int
    own: int
    after: int


def _read_entries(page: Page, first: int, required: bool | None, depth: int, *, outline: bool) -> Listing:
    found: list[Parameter] = []
    at = first
    base = page.lines[first].indent
    bare = page.lines[first].kind == "text"
    kind = "text" if bare else "entry"
    while at < len(page.lines) and len(found) < MAX_ENTRIES:
        line = page.lines[at]
        if line.kind == "blank":
            at += 1
            continue
        if at > first and (page.is_fenced(at) or line.kind != kind or abs(line.indent - base) > 1):
            break
        entry = (named_entry if outline and not bare else entry_of)(page.flat, line) if line.kind == kind else None
        grouped = group_label(page.flat, line) if entry is None and not bare else None
        if bare and entry is not None and entry.quoted and entry.rest >= line.end:
            block = _paragraphs(page, at)
        else:
            block = _block(page, at, base, bare=bare)
        if entry is not None and not (bare and not entry.certain):
            if not outline:
                _complete(page, entry, block, depth)
            found.extend(required_by(entry.parameters(), entry, required))
        elif grouped is not None:
            group = read_list(page, at + 1, indent=line.indent + 1, required=grouped, depth=depth + 1, outline=outline)
            found.extend(group.parameters)
        elif bare or at == first or _announces(page, line):
            break
        at = _resumed(page, block.after, base)
    while at > first and page.lines[at - 1].kind == "blank":
        at -= 1
    return Listing(found, at if found else first)


def _block(page: Page, first: int, base: int, *, bare: bool) -> _Block:
    """Return the lines that belong to the entry on the line `first`."""
    lines = page.lines
    own = after = first + 1
    nested = blank = False
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line.kind == "blank":
            blank = True
            continue
        if line.kind == "heading" and not page.is_fenced(number):
            break
        if line.indent <= base + (1 if line.kind == "entry" and not page.is_fenced(number) else 0):
            if line.kind == "entry" and not page.is_fenced(number):
                break
            if blank or bare or page.is_fenced(number) or line.kind == "row" or _begins_entry(page, line):
                break
        elif line.kind == "entry" and not page.is_fenced(number):
            nested = True
        elif blank and bare:
            break
        after = number + 1
        if not nested:
            own = after
        blank = False
    return _Block(first, own, after)


def _resumed(page: Page, at: int, base: int) -> int:
    """Return the number of the line on which a list continues after lines that are not indented as it is."""
    if base < _INDENTED:
        return at
    for number in range(at, min(len(page.lines), at + _BETWEEN)):
        line = page.lines[number]
        if page.is_fenced(number) or line.kind == "blank":
            continue
        if line.kind == "entry":
            entry = entry_of(page.flat, line) if line.indent == base else None
            return number if entry is not None and (entry.certain or entry.quoted) else at
        if line.kind == "heading" or parameter_label(page.flat, line) is not None:
            break
    return at


def _paragraphs(page: Page, first: int) -> _Block:
    """Return the lines that belong to a name on a line of its own: the paragraphs below it."""
    lines, flat = page.lines, page.flat
    after = first + 1
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line.kind == "blank":
            continue
        if not page.is_fenced(number):
            entry = entry_of(flat, line) if line.kind == "text" and flat[line.at] in "*`" else None
            if line.kind == "heading" or (entry is not None and entry.certain and entry.quoted):
                break
            if flat[line.at] == "<" or is_other_label(flat, line) or parameter_label(flat, line) is not None:
                break
        after = number + 1
    return _Block(first, after, after)


def _begins_entry(page: Page, line: Line) -> bool:
    """Return whether a line that is not indented is not part of the entry before it."""
    flat = page.flat
    if flat[line.at] in "<#" or flat[line.end - 1] == ":" or flat.startswith(("**", "__", "---", "==="), line.at):
        return True
    return _announces(page, line)


def _announces(page: Page, line: Line) -> bool:
    """Return whether a line announces something: parameters, a description, or anything else."""
    return (
        is_other_label(page.flat, line)
        or description_label(page.flat, line) is not None
        or parameter_label(page.flat, line) is not None
    )


def _complete(page: Page, entry: Entry, block: _Block, depth: int) -> None:
    """Take the description of an entry, and its members or choices where these are a list in it."""
    lines = page.lines
    own_end = lines[block.own - 1].end
    last = lines[block.after - 1]
    if block.after > block.own and last.kind == "text" and page.flat[last.at] in "([":
        # The parameter's description is below its list.
        bracket(page.flat, Span(last.at + 1, last.end - 1), entry, strict=True)
    if block.own - block.first > 1 and _take_words(page, entry, block):
        return
    if block.after > block.own and _take_nested(page, entry, block, depth):
        describe(page, entry, own_end)
        return
    describe(page, entry, lines[block.after - 1].end)


def _take_words(page: Page, entry: Entry, block: _Block) -> bool:
    """Take choices, one a line, without bullets; False where the lines below are something else."""
    lines = page.lines[block.first + 1 : block.own]
    first_end = page.lines[block.first].end
    if len(lines) < 2 or _HAS_CHOICES.search(page.flat[entry.rest : first_end]) is None:
        return False
    words = [_CHOICE.fullmatch(page.flat, line.at, line.end) for line in lines if line.kind != "blank"]
    parts = [_choice_part(word) for word in words if word is not None]
    if len(parts) < len(words) or len({each.value for each in parts}) < len(parts):
        return False
    typed = typed_choices(sequence(Span(lines[0].start, lines[-1].end), parts), entry.schema.get("type"))
    if typed is None:
        return False
    entry.schema["enum"] = typed
    describe(page, entry, first_end)
    return True


def _choice_part(found: re.Match[str]) -> LocatedValue:
    group = next(name for name in ("code", "quoted", "bare") if found[name] is not None)
    return LocatedValue(found[group], Span(*found.span(group)))


def _take_nested(page: Page, entry: Entry, block: _Block, depth: int) -> bool:
    """Take the list below an entry; False where it is part of the description."""
    kind = entry.schema.get("type")
    intro = page.flat[entry.rest : page.lines[block.own - 1].end]
    below = [at for at in range(block.own, block.after) if page.lines[at].kind == "entry" and not page.is_fenced(at)]
    if not below:
        return False
    at = below[0]
    if kind is not None and kind.value in ("array", "object") and _is_lead_in(page, below):
        # `Each object contains:`, with the members below that.
        intro = page.flat[page.lines[at].at : page.lines[at].end]
        at = below[1]
    children = [page.lines[each] for each in below if page.lines[each].indent == page.lines[at].indent]
    if kind is None or kind.value not in ("array", "object"):
        if _take_choices(page, entry, children, intro):
            return True
        if kind is not None:
            return False
    if not all(entry_of(page.flat, line) is not None for line in children):
        return False
    if kind is None:
        kind = _named_structure(entry, intro)
    items = entry.schema.get("items")
    if kind is None or (items is not None and items.value.get("type", "object") != "object"):
        return False
    listing = read_list(page, at, depth=depth + 1)
    if not listing.parameters:
        return False
    members = schema_part(listing.parameters, Span(children[0].start, page.lines[block.after - 1].end))
    entry.schema["type"] = kind
    if kind.value == "array":
        entry.schema["items"] = members
    else:
        entry.schema.update({str(key): part for key, part in members.parts.items() if key != "type"})
    return True


def _is_lead_in(page: Page, below: list[int]) -> bool:
    """Return whether the first of the entries below a parameter only announces the others."""
    first = page.lines[below[0]]
    alone = all(page.lines[each].indent > first.indent for each in below[1:])
    return len(below) > 1 and alone and page.flat[first.end - 1] == ":"


def _named_structure(entry: Entry, intro: str) -> LocatedValue | None:
    """Return the type that the words before a list of members name: `An array of objects with:`."""
    if not intro.rstrip().endswith(":") or _IS_EXAMPLE.search(intro) is not None:
        return None
    found = [(each.start(), each.end(), kind) for each, kind in _structures(intro)]
    if not found:
        return None
    start, end, kind = min(found)
    return LocatedValue(kind, Span(entry.rest + start, entry.rest + end))


def _structures(intro: str) -> Iterator[tuple[re.Match[str], str]]:
    for pattern, kind in ((_HAS_LIST, "array"), (_HAS_OBJECT, "object")):
        found = pattern.search(intro)
        if found is not None:
            yield found, kind


def _take_choices(page: Page, entry: Entry, children: list[Line], intro: str) -> bool:
    """Take the entries of a list below a parameter as its choices; False where they are none."""
    flat = page.flat
    words = [_CHOICE.match(flat, line.at, line.end) for line in children]
    if len(words) < 2 or any(word is None for word in words):
        return False
    found = [word for word in words if word is not None]
    literal = all(
        word["quoted"] is not None or flat[word.start() : word.end()].strip("*` ")[:1] in "\"'" for word in found
    )
    led = not _MORE.search(intro) and (_HAS_CHOICES.search(intro) is not None or _is_about(entry, intro))
    led = led and _HAS_LIST.search(intro) is None
    if not literal and not led:
        return False
    if not literal and any((own := entry_of(flat, line)) is not None and own.stated for line in children):
        return False
    parts = [_choice_part(word) for word in found]
    if len({each.value for each in parts}) < len(parts):
        return False
    typed = typed_choices(sequence(Span(children[0].start, children[-1].end), parts), entry.schema.get("type"))
    if typed is None:
        return False
    entry.schema["enum"] = typed
    marked = [part for part, word in zip(parts, found, strict=True) if word["default"]]
    if len(marked) == 1:
        entry.schema.setdefault("default", marked[0])
    return True


def _is_about(entry: Entry, intro: str) -> bool:
    """Return whether a remark ends with the parameter's own name, as `Supported actions:` does for `action`."""
    last = re.search(r"(\w+?)s?:\s*\Z", intro)
    return last is not None and any(str(name.value).lower().endswith(last[1].lower()) for name in entry.names)


def nest_members(parameters: list[Parameter]) -> list[Parameter]:
    """Return parameters in which those that are named as members of others are these members: `series[].color`."""
    known = {each.name: each for each in parameters}
    top: list[Parameter] = []
    members: dict[str, list[Parameter]] = {}
    for each in parameters:
        owner, dot, own = each.name.rpartition(".")
        if dot and owner.removesuffix("[]") in known and owner.removesuffix("[]") != each.name:
            each.span = Span(each.span.end - len(own), each.span.end)
            each.name = own.removesuffix("[]")
            if own.endswith("[]"):
                each.span = Span(each.span.start, each.span.end - 2)
            members.setdefault(owner, []).append(each)
        elif each.name[:1].islower() or not dot:
            top.append(each)
    for owner in sorted(members, key=len, reverse=True):
        _adopt(known[owner.removesuffix("[]")], members[owner], many=owner.endswith("[]"))
    return top


def _adopt(owner: Parameter, members: list[Parameter], *, many: bool) -> None:
    """Make parameters the members of another, or of its items."""
    schema = schema_part(members, Span(members[0].span.start, members[-1].span.end))
    if not many:
        owner.schema.update({str(key): part for key, part in schema.parts.items() if key != "type"})
        owner.schema.setdefault("type", LocatedValue("object", owner.span))
    elif "items" not in owner.schema:
        owner.schema["items"] = schema
        owner.schema.setdefault("type", LocatedValue("array", owner.span))
