"""Lists and tables of parameters in prose, with what is said of each: type, choices, default, members.

Owns: `entry_of`, `read_list`, `read_inline`: which lines describe parameters, and what they say. Must not know: any
single style, tools, what announces a list. What a single line says of a name is told by
`declarations.documented_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from callwright.declarations.documented_lines import (
    Claim,
    Line,
    bracketed,
    cells,
    is_separator,
    may_be_parameter,
    read_line,
)
from callwright.declarations.styles.support.built_tools import Parameter, schema_part, text_part
from callwright.declarations.styles.support.prose_page import (
    REQUIRED_WORDS,
    Page,
    description_label,
    group_label,
    is_label_word,
    is_other_label,
    parameter_label,
)
from callwright.declarations.styles.support.said_values import (
    choices_in,
    default_in,
    default_value,
    read_types,
    typed_choices,
)
from callwright.declarations.styles.support.said_words import flag, said_in_brackets, said_in_remark
from callwright.text.span import Span
from callwright.tools.parts import Part, sequence

#: A list has no more entries than that, and members nest no deeper.
_MOST: Final = 300
_MOST_INLINE: Final = 80
_DEPTH: Final = 6
#: Brackets at the end of a description are no longer.
_LONGEST_TAIL: Final = 200
#: A bracket is closed within so many characters.
_LONGEST_BRACKET: Final = 320
#: In a list that is indented so far, an entry may have so many lines that are not.
_INDENTED: Final = 2
_BETWEEN: Final = 40
_NAME: Final = r"[A-Za-z_$][\w$]{0,99}+(?:[.\-]\w{1,60}+){0,4}+"
#: A name that says which member of what a parameter is: `series[].points`.
_PATH: Final = r"[A-Za-z_$][\w$]{0,99}+(?:\[\])?+(?:[.\-]\w{1,60}+(?:\[\])?+){0,8}+"
_CODE: Final = re.compile(
    rf"[*]{{0,2}}+`({_NAME})(\?)?[ \t]*+"
    r"(?::[ \t]*+([^`\n]{1,120}+)|\(([^`()\n]{1,120}+)\)|=[ \t]*+([^`\n]{1,60}+))`"
)
_QUOTED: Final = re.compile(rf"[*]{{0,2}}+`({_PATH})(\?)?`[*]{{0,2}}+|\*\*({_PATH})(\?)?\*\*")
_SEVERAL: Final = re.compile(r"[ \t]*+(?:/|,|&|\band\b|\bor\b)[ \t]*+(?=[*`])")
_SIDE: Final = re.compile(rf"{_NAME}(?:/{_NAME}){{1,8}}+(?=[ \t]*+(?:[:(]|[-–—][ \t]|\Z))")
_PLAIN_NAME: Final = re.compile(_NAME)
_TYPED: Final = re.compile(rf"({_NAME})[ \t]++([a-z]{{3,8}}+(?:\[\])?)(?=[ \t]*+(?:[(:]|[-–—][ \t]|\Z))")
_TYPE: Final = re.compile(
    r"(?:(?:array|list)[ \t]of[ \t][a-z]{3,12}s?|[A-Za-z]{3,12}+(?:\[\]|\[[\w, \[\]]{1,60}\]|<[\w, <>]{1,60}>)?"
    r"(?:[ \t]*+\|[ \t]*+[A-Za-z]{3,12}+(?:\[\])?|[ \t]or[ \t][a-z]{3,12}+)*|[\u0400-\u04ff]{4,9}+"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,8}+)"
    r"(?=[ \t]*+(?:[,.;(\[:]|[-–—][ \t]|[–—]|\Z))",
)
_SAID: Final = re.compile(r"[*_]{0,3}+([^\W\d_]{2,15}+)[*_]{0,3}+(?=[ \t]*+(?:[.,;:!)]|[-–—][ \t]|[–—]|\Z))")
#: What follows a code span that is the first of a list.
_ANOTHER: Final = re.compile(r"[ \t]*+(?:[,/|]|(?:or|and|oder|und|ou|o|y|e|et)\b|或|和|と|또는)[^`\n]{0,12}+`")
_TAIL: Final = re.compile(r"[ \t\n]*+[(\[]((?:[^()\[\]\n]|\[\]){1,120}+)[)\]][ \t.]*+\Z")
_KEY: Final = re.compile(
    r"(?:name|in|id|key|\$ref):[ \t]*+(?!(?:string|str|number|integer|int|boolean|array)\Z)[^\s]*+\Z"
)
_SCHEMA_KEY: Final = re.compile(r"(?:type|properties|required|schema|items|\$ref|name|in):")
#: So many names may share one description.
_SIDE_BY_SIDE: Final = 12
_DEFAULT: Final = re.compile(
    r"\s*+(?:the )?(?:defaults?\b|standard\b|vorgabe|par défaut|por defecto|padrão|по умолчанию|默认|デフォルト"
    r"|기본값)",
    re.IGNORECASE,
)
_REQUIRED_WORD: Final = re.compile(rf"(?<![\w-])(?:{REQUIRED_WORDS})(?![\w-])", re.IGNORECASE)
_CONDITION: Final = re.compile(
    r"\s*+(?:(?:only |but )?(?:if|when|unless|except|for|with|without|depend\w*|in case)\b|wenn|falls|si\b|cuando"
    r"|если|当|如果)",
    re.IGNORECASE,
)
_KEYED: Final = re.compile(r"\s*+(?:type|typ|tipo|required|req|类型|型)[ \t]*+[:=][ \t]*+", re.IGNORECASE)
_HAS_LIST: Final = re.compile(
    r"\b(?:array|list)s?\b|数组|列表|陣列|配列|리스트|배열|\b(?:liste|tableau|lista|arreglo|массив|список)\b",
    re.IGNORECASE,
)
_HAS_OBJECT: Final = re.compile(
    r"\b(?:object|dictionary|dict|map)\b|对象|物件|オブジェクト|객체|\b(?:objekt|objet|objeto|oggetto|объект)\b",
    re.IGNORECASE,
)
#: The end of a remark below which choices are listed.
_HAS_CHOICES: Final = re.compile(
    r"\b(?:one of|values?|options?|choices|can be|must be|either|enum|are"
    r"|(?:available|allowed|valid|possible|accepted)[ ]\w+|werte|valeurs|valores|значения)\b[^.\n]{0,30}:\s*\Z"
    r"|(?:取值|可选值|值|選択肢|값)[^.\n]{0,12}:\s*\Z",
    re.IGNORECASE,
)
_IS_EXAMPLE: Final = re.compile(r"\b(?:e\.?g|examples?|such as|like|including)\b|例如|比如|例", re.IGNORECASE)
_MORE: Final = re.compile(r"\b(?:e\.?g|such as|etc|including|for example)\b", re.IGNORECASE)
_CHOICE: Final = re.compile(
    r"[*]{0,2}+(?:`[\"']?(?P<code>[\w.\-]{1,60}+)[\"']?`|[\"'](?P<quoted>[^\"'\n]{1,60}+)[\"']"
    r"|(?P<bare>[A-Za-z0-9_][\w.\-]{0,60}+))[*]{0,2}+"
    r"[ \t]*+(?P<default>\((?:the )?default\))?[ \t]*+(?=[:–—(]|[-=][ \t]|->|\Z)",
    re.IGNORECASE,
)
_COLUMNS: Final = {
    "name": "name", "parameter": "name", "parameters": "name", "param": "name", "argument": "name", "arg": "name",
    "field": "name", "input": "name", "property": "name", "key": "name", "parameter name": "name", "参数": "name",
    "参数名": "name", "参数名称": "name", "名称": "name", "參數": "name", "引数": "name", "パラメータ": "name",
    "パラメーター": "name", "名前": "name", "매개변수": "name", "파라미터": "name", "이름": "name", "nom": "name",
    "paramètre": "name", "nombre": "name", "parámetro": "name", "nome": "name", "parâmetro": "name",
    "parametro": "name", "имя": "name", "параметр": "name",
    "type": "type", "data type": "type", "typ": "type", "tipo": "type", "类型": "type", "類型": "type", "型": "type",
    "타입": "type", "유형": "type", "тип": "type",
    "required": "required", "required?": "required", "req": "required", "mandatory": "required", "必填": "required",
    "是否必填": "required", "必需": "required", "是否必需": "required", "必须": "required", "必須": "required",
    "필수": "required", "erforderlich": "required", "pflicht": "required", "obligatoire": "required",
    "requis": "required", "obligatorio": "required", "requerido": "required", "obrigatório": "required",
    "обязательный": "required", "обязателен": "required",
    "optional": "optional", "default": "default", "default value": "default", "standard": "default", "默认": "default",
    "默认值": "default", "デフォルト": "default", "기본값": "default", "défaut": "default", "predeterminado": "default",
    "padrão": "default", "values": "values", "allowed values": "values", "options": "values", "enum": "values",
    "可选值": "values", "description": "text", "desc": "text", "meaning": "text", "notes": "text", "purpose": "text",
    "details": "text", "beschreibung": "text", "descripción": "text", "descrição": "text", "descrizione": "text",
    "описание": "text", "描述": "text", "说明": "text", "說明": "text", "説明": "text", "설명": "text",
}  # fmt: skip
#: Names that are as well words of labels.
_CONTAINERS: Final = frozenset({"args", "arguments", "params", "parameters", "inputs", "output", "format", "result"})
#: Columns that tables about other things have as well.
_ANY_NAMES: Final = frozenset(
    {"name", "field", "property", "key", "input", "名称", "名前", "이름", "nom", "nombre", "nome", "имя"}
)
_YES: Final = frozenset(
    {"y", "x", "✓", "✔", "✅", "✔️", "☑", "●", "ja", "oui", "sí", "si", "sim", "да", "是", "はい", "예", "○"}
)
_CELL_NAME: Final = re.compile(
    rf"[ \t]*+[*`'\"]{{0,4}}+({_NAME})(?:\[\])?(\?|\*)?[*`'\"]{{0,4}}+(?:[ \t]*+\(([^()]{{1,60}}+)\))?[ \t]*+\Z"
)


@dataclass(slots=True)
class Entry:
    """One line that describes one parameter, or several with the same words.

    `rest` is where its description begins. `certain` tells that the line is about a parameter whatever is around
    it, `said` that it says whether the parameter is required, `open` that it says so of some calls only, or of none.
    """

    names: list[Part]
    rest: int
    schema: dict[str, Part] = field(default_factory=dict)
    required: Span | None = None
    certain: bool = False
    quoted: bool = False
    said: bool = False
    open: bool = False

    def require(self, span: Span | None) -> None:
        """Note that the parameter is said to be required, at the span; with None, that it need not be."""
        self.said = self.certain = True
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
    at, end = line.at, line.end
    claim = line.claim
    if claim is not None:
        if not (may_be_parameter(claim) or _is_argument(flat, claim, end)) or (
            is_label_word(claim.name) and claim.name[:1].isupper() and claim.required is None
        ):
            return None
        after = claim.behind or claim.span.end
        entry = Entry([Part(claim.name, claim.span)], after, certain=claim.certain, quoted=claim.quoted)
        return _details(flat, entry, end)
    code = _CODE.match(flat, at, end)
    if code is not None:
        entry = Entry([Part(code[1], Span(*code.span(1)))], code.end(), certain=code[2] is not None, quoted=True)
        for group in (3, 4):
            if code[group] is not None:
                _bracket(flat, Span(*code.span(group)), entry, force=True)
        return _details(flat, entry, end)
    quoted = _QUOTED.match(flat, at, end)
    if quoted is not None:
        return _several(flat, quoted, end)
    side = _SIDE.match(flat, at, end)
    if side is not None:
        names = [Part(found[0], Span(*found.span())) for found in _PLAIN_NAME.finditer(flat, *side.span())]
        return _details(flat, Entry(names[:_SIDE_BY_SIDE], side.end()), end)
    typed = _TYPED.match(flat, at, end)
    types = read_types(flat, Span(*typed.span(2))) if typed is not None else {}
    if typed is None or not types:
        return None
    return _details(flat, Entry([Part(typed[1], Span(*typed.span(1)))], typed.end(), types, certain=True), end)


def _is_argument(flat: str, claim: Claim, end: int) -> bool:
    """Return whether a parameter is called `args` or the like; the label of a list is followed by nothing."""
    return claim.name in _CONTAINERS and flat[claim.span.end : end].strip(" \t:*`_") != ""


def is_data(flat: str, line: Line) -> bool:
    """Return whether a line is one of YAML, which gives a value to a key: `- name: path`, `type: object`."""
    return (_KEY if line.kind == "entry" else _SCHEMA_KEY).match(flat[line.at : line.end]) is not None


def _several(flat: str, first: re.Match[str], end: int) -> Entry | None:
    """Return the entry of several names side by side, or of one with words right after it."""
    names: list[Part] = []
    found: re.Match[str] | None = first
    at = first.end()
    while found is not None:
        group = 1 if found[1] is not None else 3
        if is_label_word(found[group]) and found[group][:1].isupper():
            return None
        names.append(Part(found[group], Span(*found.span(group))))
        at = found.end()
        joint = _SEVERAL.match(flat, at, end)
        found = _QUOTED.match(flat, joint.end(), end) if joint is not None and len(names) < _SIDE_BY_SIDE else None
    return _details(flat, Entry(names, at, quoted=True), end)


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
        close = _closing(flat, at, end)
        return close + 1 if close is not None and _bracket(flat, Span(at + 1, close), entry) else None
    word = _SAID.match(flat, at, end)
    if word is not None and (said := _REQUIRED_WORD.fullmatch(word[1])) is not None:
        entry.require(Span(*word.span(1)) if flag(said[0]) else None)
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
            # The first of several choices: `text` is no type there.
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


def _bracket(flat: str, inside: Span, entry: Entry, *, force: bool = False, strict: bool = False) -> bool:
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
    if read.said:
        entry.require(read.required)
    entry.certain = entry.certain or bool(read.schema)
    return True


class _Bracket:
    """What is in brackets after a name, piece by piece."""

    def __init__(self, flat: str, inside: Span) -> None:
        self.schema: dict[str, Part] = {}
        self.required: Span | None = None
        self.said = False
        self.understood = self.strange = 0
        self.choices = choices_in(flat, inside, alone=True)
        open_ended = False
        for piece in _pieces(flat, inside):
            if self.choices is not None and self.choices.span.start < piece.end and piece.start < self.choices.span.end:
                self.understood += 1
                continue
            keyed = _KEYED.match(flat, piece.start, piece.end)
            own = Span(*_stripped(flat, Span(keyed.end() if keyed is not None else piece.start, piece.end)))
            if _CONDITION.match(flat, own.start, own.end) is not None:
                open_ended = True
            elif keyed is not None and "req" in keyed[0].lower() and flag(own.of(flat)) is not None:
                self._say(own if flag(own.of(flat)) else None)
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

    def _say(self, required: Span | None) -> None:
        self.required = required if not self.said or self.required is not None else None
        self.said = True
        self.understood += 1

    def _required(self, flat: str, piece: Span) -> None:
        """Take a piece about being required, with the type that is beside the word."""
        word = said_in_brackets(flat, piece)
        if word is None:
            # It is required of some calls.
            self._say(None)
            return
        self._say(word[1] if word[0] else None)
        for side in (Span(piece.start, word[1].start), Span(word[1].end, piece.end)):
            if not self.schema:
                self.schema = read_types(flat, Span(*_stripped(flat, side)))


def _stripped(flat: str, span: Span) -> tuple[int, int]:
    start, end = span
    while start < end and flat[start] in " \t*`:-–—":
        start += 1
    while end > start and flat[end - 1] in " \t*`:-–—":
        end -= 1
    return start, end


def _pieces(flat: str, span: Span) -> Iterator[Span]:
    """Yield the parts between commas and semicolons that are in no inner bracket and no quotes."""
    depth, start, quote = 0, span.start, ""
    for at in range(span.start, span.end):
        character = flat[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in '"`':
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth = max(depth - 1, 0)
        elif depth == 0 and character in ",;":
            yield Span(start, at)
            start = at + 1
    yield Span(start, span.end)


def _closing(flat: str, at: int, end: int) -> int | None:
    inside = bracketed(flat, at, min(end, at + _LONGEST_BRACKET))
    return inside.end if inside is not None else None


def says_at_end(flat: str, line: Line, entry: Entry) -> bool:
    """Return whether an entry says at the end of its line whether the parameter is required."""
    if entry.said or not (entry.certain or entry.quoted):
        return entry.said
    tail = _TAIL.search(flat, max(entry.rest, line.end - _LONGEST_TAIL), line.end)
    if tail is None:
        return False
    own = Entry(entry.names, entry.rest)
    return _bracket(flat, Span(*tail.span(1)), own, strict=True) and own.said


def _describe(page: Page, entry: Entry, end: int) -> None:
    """Take the description, which ends at `end`, and what it says of the parameter."""
    start = min(entry.rest, end)
    text, flat = page.text, page.flat
    for _ in range(3):
        tail = _TAIL.search(flat, max(start, end - _LONGEST_TAIL), end)
        if tail is None or not _bracket(flat, Span(*tail.span(1)), entry, strict=True):
            break
        if flat[max(start, tail.start() - 1) : tail.start()] == ":":
            break
        end = tail.start()
    description = text_part(text, Span(start, end))
    if not description.value:
        return
    if not entry.said and (said := said_in_remark(flat, description.span)) is not None:
        entry.require(said[1] if said[0] else None)
    entry.schema.setdefault("description", description)
    kind = entry.schema.get("type")
    if "enum" not in entry.schema and (choices := choices_in(flat, description.span)) is not None:
        typed = typed_choices(choices, kind)
        if typed is not None:
            entry.schema["enum"] = typed
    if "default" not in entry.schema and (default := default_in(flat, description.span, kind)) is not None:
        entry.schema["default"] = default


def read_inline(page: Page, rest: Span, number: int | None = None) -> list[Parameter] | None:
    """Return the parameters of a list on one line; None where something else is there.

    A single word that nothing is said of may be anything. Below the line `number`, the members of the one may be
    listed.
    """
    flat = page.flat
    end = rest.end
    while end > rest.start and flat[end - 1] in ' \t.,"':
        end -= 1
    entries: list[Entry] = []
    pieces = list(islice(_pieces(flat, Span(rest.start, end)), _MOST_INLINE + 1))
    for piece in pieces if len(pieces) <= _MOST_INLINE else ():
        start, stop = piece
        while start < stop and flat[start] in " \t":
            start += 1
        while stop > start and flat[stop - 1] in " \t":
            stop -= 1
        if start == stop:
            continue
        # What follows a piece is no part of its line.
        entry = entry_of(flat[:stop], read_line(flat[:stop], start, start, stop))
        if entry is None or flat[start] in "\"'":
            entries = []
            break
        if entry.rest < stop:
            if flat[entry.rest] != "(" or _closing(flat, entry.rest, stop) != stop - 1:
                entries = []
                break
            entry.schema.setdefault("description", text_part(page.text, Span(entry.rest + 1, stop - 1)))
        entries.append(entry)
    types = [name for entry in entries for name in entry.names if read_types(flat, name.span)]
    if types and not any(entry.said or entry.quoted for entry in entries):
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
    _describe(page, single, end)
    return single.parameters()


def _take_below(page: Page, entry: Entry, number: int) -> None:
    """Take the members of a parameter on the line `number`."""
    block = _block(page, number, page.lines[number].indent, bare=False)
    if block.after > block.own:
        _take_nested(page, entry, block, 0)


def read_list(page: Page, index: int, *, indent: int = 0, required: bool | None = None, depth: int = 0) -> Listing:
    """Return the list that begins on the next line with text from `index` on; `indent` is how far its label is
    indented, `required` what that says of all its entries."""
    nothing = Listing([], index)
    first = index
    while first < len(page.lines) and page.lines[first].kind == "blank":
        first += 1
    if first == len(page.lines) or page.fenced[first] or depth > _DEPTH:
        return nothing
    line = page.lines[first]
    if line.indent < indent or is_data(page.flat, line):
        return nothing
    if line.kind == "row":
        return _read_table(page, first, required)
    entry = entry_of(page.flat, line) if line.kind in ("entry", "text") else None
    if entry is None and group_label(page.flat, line) is None:
        return nothing
    if line.kind == "text" and (entry is None or not entry.certain):
        return nothing
    return _read_entries(page, first, required, depth)


class _Block(NamedTuple):
    """An entry's lines by number: its own end at `own`, those of what is nested in it at `after`."""

    first: int
    own: int
    after: int


def _read_entries(page: Page, first: int, required: bool | None, depth: int) -> Listing:
    found: list[Parameter] = []
    at = first
    bare = page.lines[first].kind == "text"
    while at < len(page.lines) and len(found) < _MOST:
        line = page.lines[at]
        if line.kind == "blank":
            at += 1
            continue
        if at > first and not _goes_on(page, at, page.lines[first].indent, bare=bare):
            break
        entry = entry_of(page.flat, line)
        if bare and entry is not None and entry.quoted and entry.rest >= line.end:
            block = _paragraphs(page, at)
        else:
            block = _block(page, at, page.lines[first].indent, bare=bare)
        if entry is not None and not (bare and not entry.certain):
            _complete(page, entry, block, depth)
            found.extend(_required_by(entry.parameters(), entry, required))
        elif (grouped := group_label(page.flat, line)) is not None and not bare:
            found.extend(read_list(page, at + 1, indent=line.indent + 1, required=grouped, depth=depth + 1).parameters)
        elif bare or at == first or is_other_label(page.flat, line) or description_label(page.flat, line) is not None:
            break
        at = _resumed(page, block.after, page.lines[first].indent)
    while at > first and page.lines[at - 1].kind == "blank":
        at -= 1
    return Listing(found, at if found else first)


def _required_by(parameters: list[Parameter], entry: Entry, required: bool | None) -> list[Parameter]:
    """Add what the label of a list says of all its entries."""
    if required and not entry.said:
        for each in parameters:
            each.required = each.span
    return parameters


def _goes_on(page: Page, at: int, base: int, *, bare: bool) -> bool:
    """Return whether a list has its next entry on this line."""
    line = page.lines[at]
    if page.fenced[at] or line.kind not in ("entry", "text") or abs(line.indent - base) > 1:
        return False
    if line.kind != ("text" if bare else "entry"):
        return False
    if entry_of(page.flat, line) is not None:
        return True
    label = parameter_label(page.flat, line)
    return label is None or (group_label(page.flat, line) is not None and not bare)


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
        if line.kind == "heading" and not page.fenced[number]:
            break
        if line.indent <= base + (1 if line.kind == "entry" and not page.fenced[number] else 0):
            if line.kind == "entry" and not page.fenced[number]:
                break
            if blank or bare or page.fenced[number] or line.kind == "row" or _begins_anew(page, line):
                break
        elif line.kind == "entry" and not page.fenced[number]:
            nested = True
        elif blank and bare:
            break
        after = number + 1
        if not nested:
            own = after
        blank = False
    return _Block(first, own, after)


def _resumed(page: Page, at: int, base: int) -> int:
    """Return the number of the line on which a list goes on after lines that are not indented as it is."""
    if base < _INDENTED:
        return at
    for number in range(at, min(len(page.lines), at + _BETWEEN)):
        line = page.lines[number]
        if page.fenced[number] or line.kind == "blank":
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
        if not page.fenced[number]:
            entry = entry_of(flat, line) if line.kind == "text" and flat[line.at] in "*`" else None
            if line.kind == "heading" or (entry is not None and entry.certain and entry.quoted):
                break
            if flat[line.at] == "<" or is_other_label(flat, line) or parameter_label(flat, line) is not None:
                break
        after = number + 1
    return _Block(first, after, after)


def _begins_anew(page: Page, line: Line) -> bool:
    """Return whether a line that is not indented is no part of the entry before it."""
    flat = page.flat
    if flat[line.at] in "<#" or flat[line.end - 1] == ":" or flat.startswith(("**", "__", "---", "==="), line.at):
        return True
    return (
        is_other_label(flat, line)
        or description_label(flat, line) is not None
        or parameter_label(flat, line) is not None
    )


def _complete(page: Page, entry: Entry, block: _Block, depth: int) -> None:
    """Take the description of an entry, and its members or choices where these are a list in it."""
    lines = page.lines
    own_end = lines[block.own - 1].end
    last = lines[block.after - 1]
    if block.after > block.own and last.kind == "text" and page.flat[last.at] in "([":
        # What is said of the parameter is below its list.
        _bracket(page.flat, Span(last.at + 1, last.end - 1), entry, strict=True)
    if block.own - block.first > 1 and _take_words(page, entry, block):
        return
    if block.after > block.own and _take_nested(page, entry, block, depth):
        _describe(page, entry, own_end)
        return
    _describe(page, entry, lines[block.after - 1].end)


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
    _describe(page, entry, first_end)
    return True


def _choice_part(found: re.Match[str]) -> Part:
    group = next(name for name in ("code", "quoted", "bare") if found[name] is not None)
    return Part(found[group], Span(*found.span(group)))


def _take_nested(page: Page, entry: Entry, block: _Block, depth: int) -> bool:
    """Take the list below an entry; False where it is part of the description."""
    kind = entry.schema.get("type")
    intro = page.flat[entry.rest : page.lines[block.own - 1].end]
    below = [at for at in range(block.own, block.after) if page.lines[at].kind == "entry" and not page.fenced[at]]
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


def _named_structure(entry: Entry, intro: str) -> Part | None:
    """Return the type that the words before a list of members name: `An array of objects with:`."""
    if not intro.rstrip().endswith(":") or _IS_EXAMPLE.search(intro) is not None:
        return None
    found = [(each.start(), each.end(), kind) for each, kind in _structures(intro)]
    if not found:
        return None
    start, end, kind = min(found)
    return Part(kind, Span(entry.rest + start, entry.rest + end))


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
    if not literal and any((own := entry_of(flat, line)) is not None and own.said for line in children):
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


def is_table_head(flat: str, line: Line, *, labelled: bool = False) -> bool:
    """Return whether a row names the columns of a table of parameters; below a label, `Name` is enough for that."""
    titles = [cell.of(flat).strip(" \t*`").lower() for cell in cells(flat, line)]
    known = [_COLUMNS.get(title) for title in titles]
    if len(titles) < 2 or known[0] != "name" or (titles[0] in _ANY_NAMES and not labelled):
        return False
    return any(each not in (None, "name") for each in known)


def _read_table(page: Page, first: int, required: bool | None) -> Listing:
    """Return the parameters of a table, one a row."""
    flat, lines = page.flat, page.lines
    columns: dict[str, int] = {}
    for number, cell in enumerate(cells(flat, lines[first])):
        known = _COLUMNS.get(cell.of(flat).strip(" \t*`").lower())
        if known is not None:
            columns.setdefault(known, number)
    found: list[Parameter] = []
    at = first + 1
    while at < len(lines) and lines[at].kind == "row" and len(found) < _MOST:
        if not is_separator(flat, lines[at]):
            found.extend(_row(page, cells(flat, lines[at]), columns, required))
        at += 1
    if "name" not in columns or len(columns) < 2:
        return Listing([], first)
    return Listing(found, at if found else first)


def _row(page: Page, row: list[Span], columns: dict[str, int], required: bool | None) -> list[Parameter]:
    flat = page.flat
    at = columns.get("name", 0)
    named = _CELL_NAME.match(flat[row[at].start : row[at].end]) if at < len(row) else None
    if named is None:
        return []
    name = Span(*named.span(1)).shift(row[at].start)
    entry = Entry([Part(named[1], name)], name.end)
    if named[2] == "*":
        entry.require(name)
    if named[3] is not None:
        _bracket(flat, Span(*named.span(3)).shift(row[at].start), entry)

    def cell(column: str) -> Span | None:
        number = columns.get(column)
        if number is None or number >= len(row):
            return None
        span = Span(*_stripped(flat, row[number]))
        return span if span.start < span.end else None

    if (kind := cell("type")) is not None:
        _bracket(flat, kind, entry, force=True)
    word = cell("required")
    if word is not None and (flag(word.of(flat)) or word.of(flat).lower() in _YES):
        entry.require(word)
    if (word := cell("optional")) is not None and flag(word.of(flat)) is False:
        entry.require(word)
    if (values := cell("values")) is not None:
        choices = choices_in(flat, values, alone=True)
        typed = typed_choices(choices, entry.schema.get("type")) if choices is not None else None
        if typed is not None:
            entry.schema["enum"] = typed
    if (default := cell("default")) is not None:
        value = default_value(flat, default, entry.schema.get("type"))
        if value is not None:
            entry.schema["default"] = value
    if (text := cell("text")) is not None:
        entry.rest = text.start
        _describe(page, entry, text.end)
    return _required_by(entry.parameters(), entry, required)


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
        owner.schema.setdefault("type", Part("object", owner.span))
    elif "items" not in owner.schema:
        owner.schema["items"] = schema
        owner.schema.setdefault("type", Part("array", owner.span))
