"""Tables of parameters: a row describes one, and the head says what is in which column.

Owns: `is_table_head`, `read_table`. Must not know: lists, any single style, tools.
"""

from __future__ import annotations

from typing import Final

from callwright.declarations.documented_lines import Line, cells, is_separator
from callwright.declarations.styles.support.built_tools import Parameter
from callwright.declarations.styles.support.parameter_entries import (
    AROUND,
    MAX_ENTRIES,
    PARAMETER_NAME,
    Entry,
    Listing,
    bracket,
    describe,
    required_by,
)
from callwright.declarations.styles.support.prose_page import Page
from callwright.declarations.styles.support.stated_values import choices_in, default_value, typed_choices
from callwright.declarations.styles.support.stated_words import flag
from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue

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
#: Columns that tables about other things have as well.
_ANY_NAMES: Final = frozenset(
    {"name", "field", "property", "key", "input", "名称", "名前", "이름", "nom", "nombre", "nome", "имя"}
)
_YES: Final = frozenset(
    {"y", "x", "✓", "✔", "✅", "✔️", "☑", "●", "ja", "oui", "sí", "si", "sim", "да", "是", "はい", "예", "○"}
)
_CELL_NAME: Final = compile_later(
    rf"[ \t]*+[*`'\"]{{0,4}}+({PARAMETER_NAME})(?:\[\])?(\?|\*)?[*`'\"]{{0,4}}+"
    r"(?:[ \t]*+\(([^()]{1,60}+)\))?[ \t]*+\Z"
)


def is_table_head(flat: str, line: Line, *, labelled: bool = False) -> bool:
    """Return whether a row names the columns of a table of parameters; below a label, `Name` is enough for that."""
    titles = [cell.of(flat).strip(" \t*`").lower() for cell in cells(flat, line)]
    known = [_COLUMNS.get(title) for title in titles]
    if len(titles) < 2 or known[0] != "name" or (titles[0] in _ANY_NAMES and not labelled):
        return False
    return any(each not in (None, "name") for each in known)


def read_table(page: Page, first: int, required: bool | None) -> Listing:
    """Return the parameters of a table, one a row."""
    flat, lines = page.flat, page.lines
    columns: dict[str, int] = {}
    for number, cell in enumerate(cells(flat, lines[first])):
        known = _COLUMNS.get(cell.of(flat).strip(" \t*`").lower())
        if known is not None:
            columns.setdefault(known, number)
    found: list[Parameter] = []
    at = first + 1
    while at < len(lines) and lines[at].kind == "row" and len(found) < MAX_ENTRIES:
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
    entry = Entry([LocatedValue(named[1], name)], name.end)
    if named[2] == "*":
        entry.require(name)
    if named[3] is not None:
        bracket(flat, Span(*named.span(3)).shift(row[at].start), entry)

    def cell(column: str) -> Span | None:
        number = columns.get(column)
        if number is None or number >= len(row):
            return None
        span = row[number].trimmed(flat, AROUND)
        return span if span.start < span.end else None

    if (kind := cell("type")) is not None:
        bracket(flat, kind, entry, force=True)
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
        describe(page, entry, text.end)
    return required_by(entry.parameters(), entry, required)
