"""What one line states about a parameter: its type, its choices, its default, and whether it is required.

Owns: `Entry`, `entry_of`, `Listing`, and the words, brackets and remarks of one line. Must not know: which lines belong
together, any single style, tools. `declarations.documented_lines` reads what a single line states about a name.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.declarations.documented_lines import Claim, Line, bracketed, may_be_parameter
from callwright.declarations.named_types import pieces
from callwright.declarations.styles.support.built_tools import Parameter, text_part
from callwright.declarations.styles.support.prose_page import REQUIRED_WORDS, Page, is_label_word
from callwright.declarations.styles.support.stated_values import choices_in, default_in, read_types, typed_choices
from callwright.declarations.styles.support.stated_words import flag, stated_in_brackets, stated_in_remark
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue

#: What is around a word in brackets, and what may hold a comma there.
AROUND: Final = " \t*`:-–—"
QUOTES: Final = '"`'
#: A list or a table has no more entries than that.
MAX_ENTRIES: Final = 300
#: Brackets at the end of a description are no longer.
_MAX_TAIL_LENGTH: Final = 200
#: A bracket is closed within so many characters.
_MAX_BRACKET_LENGTH: Final = 320
PARAMETER_NAME: Final = r"[A-Za-z_$][\w$]{0,99}+(?:[.\-]\w{1,60}+){0,4}+"
#: A name that says which member of what a parameter is: `series[].points`.
_PATH: Final = r"[A-Za-z_$][\w$]{0,99}+(?:\[\])?+(?:[.\-]\w{1,60}+(?:\[\])?+){0,8}+"
_CODE: Final = compile_later(
    rf"[*]{{0,2}}+`({PARAMETER_NAME})(\?)?[ \t]*+"
    r"(?::[ \t]*+([^`\n]{1,120}+)|\(([^`()\n]{1,120}+)\)|=[ \t]*+([^`\n]{1,60}+))`"
)
_QUOTED: Final = compile_later(rf"[*]{{0,2}}+`({_PATH})(\?)?`[*]{{0,2}}+|\*\*({_PATH})(\?)?\*\*")
_SEVERAL: Final = compile_later(r"[ \t]*+(?:/|,|&|\band\b|\bor\b)[ \t]*+(?=[*`])")
_SIDE: Final = compile_later(rf"{PARAMETER_NAME}(?:/{PARAMETER_NAME}){{1,8}}+(?=[ \t]*+(?:[:(]|[-–—][ \t]|\Z))")
_PLAIN_NAME: Final = compile_later(PARAMETER_NAME)
_TYPED: Final = compile_later(rf"({PARAMETER_NAME})[ \t]++([a-z]{{3,8}}+(?:\[\])?)(?=[ \t]*+(?:[(:]|[-–—][ \t]|\Z))")
_TYPE: Final = compile_later(
    r"(?:(?:array|list)[ \t]of[ \t][a-z]{3,12}s?|[A-Za-z]{3,12}+(?:\[\]|\[[\w, \[\]]{1,60}\]|<[\w, <>]{1,60}>)?"
    r"(?:[ \t]*+\|[ \t]*+[A-Za-z]{3,12}+(?:\[\])?|[ \t]or[ \t][a-z]{3,12}+)*|[\u0400-\u04ff]{4,9}+"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,8}+)"
    r"(?=[ \t]*+(?:[,.;(\[:]|[-–—][ \t]|[–—]|\Z))",
)
_STATED: Final = compile_later(r"[*_]{0,3}+([^\W\d_]{2,15}+)[*_]{0,3}+(?=[ \t]*+(?:[.,;:!)]|[-–—][ \t]|[–—]|\Z))")
#: What follows a code span that is the first of a list.
_ANOTHER: Final = compile_later(r"[ \t]*+(?:[,/|]|(?:or|and|oder|und|ou|o|y|e|et)\b|或|和|と|또는)[^`\n]{0,12}+`")
_TAIL: Final = compile_later(r"[ \t\n]*+[(\[]((?:[^()\[\]\n]|\[\]){1,120}+)[)\]][ \t.]*+\Z")
_KEY: Final = compile_later(
    r"(?:name|in|id|key|\$ref):[ \t]*+(?!(?:string|str|number|integer|int|boolean|array)\Z)[^\s]*+\Z"
)
_SCHEMA_KEY: Final = compile_later(r"(?:type|properties|required|schema|items|\$ref|name|in):")
#: At most this many names may share one description.
_SIDE_BY_SIDE: Final = 12
_DEFAULT: Final = compile_later(
    r"\s*+(?:the )?(?:defaults?\b|standard\b|vorgabe|par défaut|por defecto|padrão|по умолчанию|默认|デフォルト"
    r"|기본값)",
    re.IGNORECASE,
)
_REQUIRED_WORD: Final = compile_later(rf"(?<![\w-])(?:{REQUIRED_WORDS})(?![\w-])", re.IGNORECASE)
_CONDITION: Final = compile_later(
    r"\s*+(?:(?:only |but )?(?:if|when|unless|except|for|with|without|depend\w*|in case)\b|wenn|falls|si\b|cuando"
    r"|если|当|如果)",
    re.IGNORECASE,
)
_KEYED: Final = compile_later(r"\s*+(?:type|typ|tipo|required|req|类型|型)[ \t]*+[:=][ \t]*+", re.IGNORECASE)
#: Names that are as well words of labels.
_CONTAINERS: Final = frozenset({"args", "arguments", "params", "parameters", "inputs", "output", "format", "result"})


@dataclass(slots=True)
class Entry:
    """One line that describes one parameter, or several with the same words.

    `rest` is where its description begins. `certain` is true if the line is about a parameter whatever is around it,
    `stated` if it says whether the parameter is required, `open` if it says so of some calls only, or of none.
    """

    names: list[LocatedValue]
    rest: int
    schema: dict[str, LocatedValue] = field(default_factory=dict)
    required: Span | None = None
    certain: bool = False
    quoted: bool = False
    stated: bool = False
    open: bool = False

    def require(self, span: Span | None) -> None:
        """Note that the parameter is stated to be required, at the span; with None, that it need not be."""
        self.stated = self.certain = True
        if span is None:
            self.required, self.open = None, True
        elif not self.open and self.required is None:
            self.required = span

    def parameters(self) -> list[Parameter]:
        """Return what it describes."""
        return [Parameter(str(name.value), name.span, dict(self.schema), self.required) for name in self.names]


class Listing(NamedTuple):
    """The parameters of a list, and the number of the first line after it."""

    parameters: list[Parameter]
    after: int


def entry_of(flat: str, line: Line) -> Entry | None:
    """Return the parameters that a line below a label describes, None where it describes none."""
    entry = named_entry(flat, line)
    return _details(flat, entry, line.end) if entry is not None else None


def named_entry(flat: str, line: Line) -> Entry | None:
    """Return the entry that `entry_of` returns, before what follows the names is taken."""
    at, end = line.at, line.end
    claim = line.claim
    if claim is not None:
        if not (may_be_parameter(claim) or _is_argument(flat, claim, end)) or (
            is_label_word(claim.name) and claim.name[:1].isupper() and claim.required is None
        ):
            return None
        after = claim.after or claim.span.end
        return Entry([LocatedValue(claim.name, claim.span)], after, certain=claim.certain, quoted=claim.quoted)
    code = _CODE.match(flat, at, end)
    if code is not None:
        entry = Entry(
            [LocatedValue(code[1], Span(*code.span(1)))], code.end(), certain=code[2] is not None, quoted=True
        )
        for group in (3, 4):
            if code[group] is not None:
                bracket(flat, Span(*code.span(group)), entry, force=True)
        return entry
    quoted = _QUOTED.match(flat, at, end)
    if quoted is not None:
        return _several(flat, quoted, end)
    side = _SIDE.match(flat, at, end)
    if side is not None:
        names = [LocatedValue(found[0], Span(*found.span())) for found in _PLAIN_NAME.finditer(flat, *side.span())]
        return Entry(names[:_SIDE_BY_SIDE], side.end())
    typed = _TYPED.match(flat, at, end)
    types = read_types(flat, Span(*typed.span(2))) if typed is not None else {}
    if typed is None or not types:
        return None
    return Entry([LocatedValue(typed[1], Span(*typed.span(1)))], typed.end(), types, certain=True)


def required_by(parameters: list[Parameter], entry: Entry, required: bool | None) -> list[Parameter]:
    """Add what the label of a list says of all its entries."""
    if required and not entry.stated:
        for each in parameters:
            each.required = each.span
    return parameters


def _is_argument(flat: str, claim: Claim, end: int) -> bool:
    """Return whether a parameter is called `args` or the like; the label of a list is followed by nothing."""
    return claim.name in _CONTAINERS and flat[claim.span.end : end].strip(" \t:*`_") != ""


def is_data(flat: str, line: Line) -> bool:
    """Return whether a line is one of YAML, which gives a value to a key: `- name: path`, `type: object`."""
    return (_KEY if line.kind == "entry" else _SCHEMA_KEY).match(flat[line.at : line.end]) is not None


def _several(flat: str, first: re.Match[str], end: int) -> Entry | None:
    """Return the entry of several names side by side, or of one with words right after it."""
    names: list[LocatedValue] = []
    found: re.Match[str] | None = first
    at = first.end()
    while found is not None:
        group = 1 if found[1] is not None else 3
        if is_label_word(found[group]) and found[group][:1].isupper():
            return None
        names.append(LocatedValue(found[group], Span(*found.span(group))))
        at = found.end()
        joint = _SEVERAL.match(flat, at, end)
        found = _QUOTED.match(flat, joint.end(), end) if joint is not None and len(names) < _SIDE_BY_SIDE else None
    return Entry(names, at, quoted=True)


def _details(flat: str, entry: Entry, end: int) -> Entry:
    """Take what is between the name and the description: brackets, a type, `Required.`"""
    at = entry.rest
    for _ in range(8):
        at = _skip(flat, at, end)
        after = _detail(flat, at, end, entry) if at < end else None
        if after is None:
            break
        at = after
    entry.rest = at
    return entry


def _detail(flat: str, at: int, end: int, entry: Entry) -> int | None:
    """Take one piece that says something about the parameter; return the offset after it, None where there is none."""
    if flat[at] in "([":
        close = closing(flat, at, end)
        return close + 1 if close is not None and bracket(flat, Span(at + 1, close), entry) else None
    word = _STATED.match(flat, at, end)
    if word is not None and (stated := _REQUIRED_WORD.fullmatch(word[1])) is not None:
        entry.require(Span(*word.span(1)) if flag(stated[0]) else None)
        if _CONDITION.match(flat, word.end(), end) is not None:
            entry.require(None)
        return word.end()
    if entry.schema:
        return None
    if flat[at] == "`":
        ticks = 2 if flat.startswith("``", at) else 1
        close = flat.find("`", at + ticks, min(end, at + 90))
        span, after = Span(at + ticks, max(close, at + ticks)), close + ticks
        if _ANOTHER.match(flat, after, end) is not None:
            # The first of several choices: `text` is not a type there.
            return None
    else:
        kind = _TYPE.match(flat, at, end)
        if kind is None:
            return None
        span, after = Span(*kind.span()), kind.end()
    types = read_types(flat, span)
    if not types:
        return None
    entry.schema.update(types)
    entry.certain = True
    return after


def _skip(flat: str, at: int, end: int) -> int:
    """Return the offset after what separates a name, its type and its description."""
    while at < end:
        character = flat[at]
        if character == "*" and flat[at - 1] in " \t" and flat[at + 1 : at + 2] not in (" ", "", ":"):
            # Emphasis begins here; it is part of the description but for a word that says `required`.
            return at
        if (
            (character in " \t:*=.,;?" and not flat.startswith("...", at))
            or character in "–—"
            or (character == "-" and flat[at + 1 : at + 2] in (" ", "-", ">", ""))
            or (character == ">" and flat[at - 1] == "-")
        ):
            at += 1
        else:
            break
    return at


def bracket(flat: str, inside: Span, entry: Entry, *, force: bool = False, strict: bool = False) -> bool:
    """Take what is in brackets; False where that is part of a description: none of it is understood, or with
    `strict` not all of it."""
    if inside.end - inside.start > 300:
        return False
    read = _Bracket(flat, inside)
    if not force and (not read.understood or (strict and read.strange)):
        return False
    for key, part in read.schema.items():
        entry.schema.setdefault(key, part)
    kind = entry.schema.get("type")
    choices = typed_choices(read.choices, kind) if read.choices is not None else None
    if choices is not None:
        entry.schema.setdefault("enum", choices)
    default = default_in(flat, inside, kind)
    if default is not None:
        entry.schema.setdefault("default", default)
    if read.stated:
        entry.require(read.required)
    entry.certain = entry.certain or bool(read.schema)
    return True


class _Bracket:
    """What is in brackets after a name, piece by piece."""

    def __init__(self, flat: str, inside: Span) -> None:
        self.schema: dict[str, LocatedValue] = {}
        self.required: Span | None = None
        self.stated = False
        self.understood = self.strange = 0
        self.choices = choices_in(flat, inside, alone=True)
        open_ended = False
        for piece in pieces(flat, inside, "[,;]", QUOTES):
            if self.choices is not None and self.choices.span.start < piece.end and piece.start < self.choices.span.end:
                self.understood += 1
                continue
            keyed = _KEYED.match(flat, piece.start, piece.end)
            own = Span(keyed.end() if keyed is not None else piece.start, piece.end).trimmed(flat, AROUND)
            if _CONDITION.match(flat, own.start, own.end) is not None:
                open_ended = True
            elif keyed is not None and "req" in keyed[0].lower() and flag(own.of(flat)) is not None:
                self._write(own if flag(own.of(flat)) else None)
            elif _REQUIRED_WORD.search(flat, own.start, own.end) is not None:
                self._required(flat, own)
            elif self.choices is None and "|" in own.of(flat) and (found := choices_in(flat, own, alone=True)):
                self.choices = found
                self.understood += 1
            elif _DEFAULT.match(flat, own.start, own.end) or own.of(flat).lower() in ("nullable", "enum"):
                self.understood += 1
            elif not self.schema and (types := read_types(flat, own)):
                self.schema = types
                self.understood += 1
            else:
                self.strange += 1
        if open_ended:
            self.required = None

    def _write(self, required: Span | None) -> None:
        self.required = required if not self.stated or self.required is not None else None
        self.stated = True
        self.understood += 1

    def _required(self, flat: str, piece: Span) -> None:
        """Take a piece about being required, with the type that is beside the word."""
        word = stated_in_brackets(flat, piece)
        if word is None:
            # It is required of some calls.
            self._write(None)
            return
        self._write(word[1] if word[0] else None)
        for side in (Span(piece.start, word[1].start), Span(word[1].end, piece.end)):
            if not self.schema:
                self.schema = read_types(flat, side.trimmed(flat, AROUND))


def closing(flat: str, at: int, end: int) -> int | None:
    """Return where the bracket that opens at `at` is closed, None where it is not."""
    inside = bracketed(flat, at, min(end, at + _MAX_BRACKET_LENGTH))
    return inside.end if inside is not None else None


def states_at_end(flat: str, line: Line, entry: Entry) -> bool:
    """Return whether an entry says at the end of its line whether the parameter is required."""
    if entry.stated or not (entry.certain or entry.quoted):
        return entry.stated
    tail = _TAIL.search(flat, max(entry.rest, line.end - _MAX_TAIL_LENGTH), line.end)
    if tail is None:
        return False
    own = Entry(entry.names, entry.rest)
    return bracket(flat, Span(*tail.span(1)), own, strict=True) and own.stated


def describe(page: Page, entry: Entry, end: int) -> None:
    """Take the description, which ends at `end`, and what it says of the parameter."""
    start = min(entry.rest, end)
    text, flat = page.text, page.flat
    for _ in range(3):
        tail = _TAIL.search(flat, max(start, end - _MAX_TAIL_LENGTH), end)
        if tail is None or not bracket(flat, Span(*tail.span(1)), entry, strict=True):
            break
        if flat[max(start, tail.start() - 1) : tail.start()] == ":":
            break
        end = tail.start()
    description = text_part(text, Span(start, end))
    if not description.value:
        return
    if not entry.stated and (stated := stated_in_remark(flat, description.span)) is not None:
        entry.require(stated[1] if stated[0] else None)
    entry.schema.setdefault("description", description)
    kind = entry.schema.get("type")
    if "enum" not in entry.schema and (choices := choices_in(flat, description.span)) is not None:
        typed = typed_choices(choices, kind)
        if typed is not None:
            entry.schema["enum"] = typed
    if "default" not in entry.schema and (default := default_in(flat, description.span, kind)) is not None:
        entry.schema["default"] = default
