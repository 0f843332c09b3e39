"""Values that prose says of a parameter: its choices, and what is taken where it is left out.

Owns: `choices_in`, `default_in`, `read_types`. Must not know: any single style, lines, lists.

What is open ("e.g. `a`, `b`", "such as …", "…, etc.") is not a choice, and words that describe a value are not a
default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from callwright.declarations.named_types import type_parts
from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence

#: Longer remarks are read so far.
_MAX_LENGTH: Final = 2_000
_LITERAL: Final = r"(?:`[^`\n]{1,60}+`|\"[^\"\n]{1,60}+\"|'[^'\n]{1,60}+')"
_MARKED: Final = r"(?:[ \t]*+\((?:the )?default\))?+"
_JOINT: Final = r"(?:or|and|oder|und|ou|et|o|y|e)\b[ \t]*+"
_NEXT: Final = rf"[ \t]*+(?:,[ \t]*+(?:{_JOINT})?+|[|/][ \t]*+|\b{_JOINT}|或者?|和|と|또는[ \t]*+)"
_LITERALS: Final = compile_later(rf"{_LITERAL}{_MARKED}(?:{_NEXT}{_LITERAL}{_MARKED}){{1,40}}+")
_ONE_LITERAL: Final = compile_later(rf"({_LITERAL})({_MARKED})")
_LEAD_IN: Final = (
    r"(?:one of(?: the following)?(?: values)?|either"
    r"|(?:(?:allowed|possible|valid|supported|accepted|available)[ \t])"
    r"(?:values|options|choices|modes|actions|types|formats)(?:[ \t]are|[ \t]include)?"
    r"|values|options|choices|enum|can be|must be|should be|may be"
    r"|eine[rs]? von|entweder|erlaubte werte|mögliche werte|l'un de|valeurs(?: possibles)?"
    r"|uno de|valores(?: posibles| possíveis)?|um de|одно из|取值|可选值|值为|可以是|いずれか|値"
    r"|다음 중 하나|가능한 값)"
)
_LEADS: Final = compile_later(rf"(?<![\w-]){_LEAD_IN}[ \t]*+[:=]?[ \t]*+[(\[{{]?[ \t]*+", re.IGNORECASE)
_PLAIN: Final = r"[A-Za-z0-9_](?:[\w.\-]{0,40}\w)?(?:[ \t]*+\(default\))?"
_BARE: Final = compile_later(
    rf"{_PLAIN}(?:(?:,[ \t]*+(?:or[ \t]++)?|[ \t]*+[|/][ \t]*+|[ \t]++or[ \t]++){_PLAIN}){{1,40}}"
    r"(?=[ \t]*+(?:[)\]};\n]|\.(?:\s|\Z)|\Z))"
)
_BARE_WORD: Final = compile_later(r"([A-Za-z0-9_](?:[\w.\-]{0,40}\w)?)(?:[ \t]*+\((default)\))?")
_BARS: Final = compile_later(r"[A-Za-z0-9_][\w.\-]{0,40}+(?:[ \t]*+\|[ \t]*+[A-Za-z0-9_][\w.\-]{0,40}+){1,40}+")
#: Lead-ins that need words without quotes to be a list of values, and no part of a sentence.
_PLAIN_LEADS: Final = compile_later(
    r"(?<![\w-])(?:one of(?: the following)?(?: values)?"
    r"|(?:allowed |possible |valid |supported |accepted )?(?:values|options|choices)(?: are)?"
    r"|enum|erlaubte werte|mögliche werte|valeurs(?: possibles)?|valores(?: posibles| possíveis)?"
    r"|取值|可选值|値|가능한 값)[ \t]*+[:=][ \t]*+[(\[{]?[ \t]*+"
    r"|(?<![\w-])one of(?: the following)?(?: values)?:?[ \t]++[(\[{]?[ \t]*+",
    re.IGNORECASE,
)
_OPEN: Final = compile_later(
    r"(?:\be\.?g\b|\bsuch as\b|\bfor example\b|\bexamples?\b|\blike\b|\bincluding\b|\bz\. ?B\b|\bpar exemple\b"
    r"|\bpor ejemplo\b|例如|比如|など|예:)[^.;]{0,30}\Z",
    re.IGNORECASE,
)
_GOES_ON: Final = compile_later(
    r"[ \t]*+(?:,?[ \t]*+(?:etc|and (?:so|other|more)|or (?:a|an|any|other|another|custom|some|the|your)\b|\.\.\.|…"
    r"|usw|等)|,[ \t]*+(?:\.\.\.|…))",
    re.IGNORECASE,
)
_DEFAULT: Final = compile_later(
    r"(?<![\w-])(?:(?:the )?defaults?(?:[ \t]value)?(?:[ \t](?:is|are|to|as|of|value))?|standard(?:wert)?(?:[ \t]ist)?"
    r"|vorgabe|par défaut|por defecto|predeterminado|por padrão|padrão|по умолчанию"
    r"|默认值?(?:为|是)?|預設值?(?:為|是)?|默认为|デフォルト(?:値)?(?:は)?|既定値?(?:は)?|기본값(?:은|은 )?)"
    r"[ \t]*+[:=]?[ \t]*+(?=[^\s)\]])",
    re.IGNORECASE,
)
_DEFAULT_VALUE: Final = compile_later(
    r"(?P<quoted>`[^`\n]{0,80}+`|\"[^\"\n]{0,80}+\"|'[^'\n]{0,80}+')|(?P<number>-?\d+(?:\.\d+)?)(?![\w.:/-]*\w|,\d)"
    r"|(?P<word>[A-Za-z_][^\s,;()\[\]]{0,60}+)"
)
_LITERAL_VALUE: Final = compile_later(r"-?\d+(?:\.\d+)?|true|false|null|none", re.IGNORECASE)
_ENDS: Final = compile_later(r"[ \t]*+(?:[)\],;\n]|\.(?:\s|\Z)|\Z|,)")
_ARTICLE: Final = compile_later(r"(?:an? |a single |valid |json |non-empty |positive |non-negative )++", re.IGNORECASE)
_WORD_TYPES: Final[Mapping[str, str]] = {
    "json": "object", "dictionary": "object", "hash": "object", "json object": "object", "json array": "array",
    "字符串": "string", "字串": "string", "文本": "string", "整数": "integer", "整數": "integer",
    "整型": "integer", "数字": "number", "數字": "number", "浮点数": "number", "布尔": "boolean",
    "布尔值": "boolean", "布爾": "boolean", "布尔型": "boolean", "数组": "array", "陣列": "array",
    "列表": "array", "对象": "object", "物件": "object", "文字列": "string", "数値": "number",
    "真偽値": "boolean", "ブール値": "boolean", "配列": "array", "リスト": "array", "オブジェクト": "object",
    "문자열": "string", "정수": "integer", "숫자": "number", "불리언": "boolean", "배열": "array",
    "객체": "object", "zeichenkette": "string", "ganzzahl": "integer", "zahl": "number",
    "wahrheitswert": "boolean", "liste": "array", "objekt": "object", "chaîne": "string", "chaine": "string",
    "entier": "integer", "nombre": "number", "booléen": "boolean", "tableau": "array", "objet": "object",
    "cadena": "string", "entero": "integer", "número": "number", "booleano": "boolean", "lista": "array",
    "arreglo": "array", "objeto": "object", "inteiro": "integer", "stringa": "string", "intero": "integer",
    "numero": "number", "oggetto": "object", "строка": "string", "целое": "integer",
    "целое число": "integer", "число": "number", "булево": "boolean", "логический": "boolean",
    "массив": "array", "список": "array", "объект": "object",
}  # fmt: skip


def read_types(text: str, span: Span) -> dict[str, LocatedValue]:
    """Return the keywords of the schema for an expression that names a type; none where it names no JSON type."""
    start, end = span.trimmed(text, " \t*`")
    if start == end or end - start > 120:
        return {}
    article = _ARTICLE.match(text, start, end)
    if article is not None and article.end() < end and text[start:end].lower() not in _WORD_TYPES:
        start = article.end()
    word = text[start:end].lower()
    known = _WORD_TYPES.get(word)
    if known is not None:
        return {"type": LocatedValue(known, Span(start, end))}
    for tail in (" array", " list", "数组", "の配列"):
        if word.endswith(tail):
            items = read_types(text, Span(start, end - len(tail)))
            where = Span(end - len(tail.strip()), end)
            return {"type": LocatedValue("array", where), "items": record(Span(start, end), items)} if items else {}
    if word.startswith("enum "):
        return read_types(text, Span(start + 5, end))
    if word.endswith(" enum"):
        return read_types(text, Span(start, end - 5))
    found = type_parts(text, Span(start, end))
    if "enum" not in found:
        return found
    return found if len(found["enum"].parts) > 1 else {}


def choices_in(text: str, span: Span, *, alone: bool = False) -> LocatedValue | None:
    """Return the values that a remark says a parameter has one of, None where it says none.

    `alone` is true if the remark is where a type may be: words between bars are choices there.
    """
    start, end = span.start, min(span.end, span.start + _MAX_LENGTH)
    words = text[start:end]
    quoted = "`" in words or '"' in words or "'" in words
    for found in _LITERALS.finditer(text, start, end) if quoted else ():
        lead = text[max(start, found.start() - 60) : found.start()]
        if _OPEN.search(lead) is not None or _GOES_ON.match(text, found.end(), end) is not None:
            continue
        led = next((each for each in _LEADS.finditer(lead) if each.end() == len(lead)), None)
        if led is None and not (found.start() == start and _ends_remark(text, found.end(), end)):
            continue
        parts = _parts(_ONE_LITERAL, text, found.span(), quoted=True)
        if parts is not None:
            return parts
    for lead_in in _PLAIN_LEADS.finditer(text, start, end) if _may_list(words) else ():
        if _OPEN.search(text[max(start, lead_in.start() - 60) : lead_in.start()]) is not None:
            continue
        bare = _BARE.match(text, lead_in.end(), end)
        if bare is None or _GOES_ON.match(text, bare.end(), end) is not None:
            continue
        return _parts(_BARE_WORD, text, bare.span(), quoted=False)
    if alone:
        bars = _BARS.fullmatch(text, start, end)
        if bars is not None and not read_types(text, span):
            return _parts(_BARE_WORD, text, bars.span(), quoted=False)
    return None


def _may_list(words: str) -> bool:
    """Return cheaply whether a remark may list words without quotes."""
    return "of" in words or ":" in words or "=" in words or "enum" in words


def _ends_remark(text: str, at: int, end: int) -> bool:
    """Return whether a list of values is all that a remark says, but for a default."""
    rest = text[at:end].strip(" \t.;)")
    return not rest or rest.lower().startswith(("(default", "default", "(optional", "(required"))


def _parts(pattern: re.Pattern[str], text: str, span: tuple[int, int], *, quoted: bool) -> LocatedValue | None:
    values: list[LocatedValue] = []
    for found in pattern.finditer(text, *span):
        inner = Span(*found.span(1))
        if quoted:
            inner = Span(inner.start + 1, inner.end - 1)
            if text[inner.start] in "\"'" and inner.end - inner.start > 2 and text[inner.end - 1] == text[inner.start]:
                inner = Span(inner.start + 1, inner.end - 1)
        word = inner.of(text)
        if not quoted and word in ("or", "default"):
            continue
        if "\n" in word or any(word == each.value for each in values):
            return None
        values.append(LocatedValue(word, inner))
    return sequence(Span(*span), values) if len(values) > 1 else None


def typed_choices(choices: LocatedValue, types: LocatedValue | None) -> LocatedValue | None:
    """Return choices as values of the type that a parameter is stated to have, None where they do not match it.

    Where no type is stated, numbers and `true` may be texts or not.
    """
    if types is None:
        return None if any(_LITERAL_VALUE.fullmatch(str(each)) for each in choices.value) else choices
    if types.value == "string":
        return choices
    if types.value not in ("integer", "number"):
        return None
    values = [_number(str(each)) for each in choices.value]
    if any(each is None for each in values):
        return None
    return sequence(choices.span, [LocatedValue(value, choices.parts[at].span) for at, value in enumerate(values)])


def default_in(text: str, span: Span, types: LocatedValue | None) -> LocatedValue | None:
    """Return the value that a remark says is taken where a parameter is left out; None where it says none plainly."""
    start, end = span.start, min(span.end, span.start + _MAX_LENGTH)
    words = text[start:end].lower()
    if words.isascii() and not any(word in words for word in ("default", "standard", "vorgabe", "defecto", "predeter")):
        return None
    for lead_in in _DEFAULT.finditer(text, start, end):
        found = _DEFAULT_VALUE.match(text, lead_in.end(), end)
        if found is None or not _announces_value(text, start, lead_in):
            continue
        kind = types.value if types is not None else None
        stated = found[0]
        place = Span(*found.span())
        if found["quoted"]:
            place = Span(place.start + 1, place.end - 1)
            stated = stated[1:-1]
            if len(stated) > 1 and stated[0] in "\"'" and stated[-1] == stated[0]:
                stated, place = stated[1:-1], Span(place.start + 1, place.end - 1)
                kind = kind or "string"
            elif found[0][0] != "`":
                kind = kind or "string"
        elif found["word"]:
            stated = stated.rstrip(".:")
            place = Span(place.start, place.start + len(stated))
            if _ENDS.match(text, place.end, end) is None or not stated:
                continue
        elif kind not in ("integer", "number") and _ENDS.match(text, place.end, end) is None:
            continue
        value = _value(stated, kind)
        if value is not None:
            return LocatedValue(value, place)
    return None


def _announces_value(text: str, start: int, lead_in: re.Match[str]) -> bool:
    """Return whether a value follows the word `default`: `default: 5`, `defaults to 5`, `(default 5)`, not `the default
    branch`."""
    if not lead_in[0].strip().lower().endswith(("default", "standard", "padrão")):
        return True
    before = text[max(start - 1, 0) : lead_in.start()].rstrip()
    return not before or before[-1] in "(,;[|"


def default_value(text: str, span: Span, types: LocatedValue | None) -> LocatedValue | None:
    """Return the value of a cell that holds a default, None where it holds words."""
    found = _DEFAULT_VALUE.fullmatch(text, *span)
    if found is None:
        return None
    stated, place = found[0], span
    if found["quoted"]:
        stated, place = stated[1:-1], Span(span.start + 1, span.end - 1)
    value = _value(stated, types.value if types is not None else None)
    return LocatedValue(value, place) if value is not None else None


def _value(stated: str, kind: Any) -> Any:
    """Return a literal as a value of a type, None where it is none of that type, and where it says that there is
    none."""
    lower = stated.lower()
    if lower in ("none", "null", "nil", "undefined", "n/a", "empty", "auto-generated"):
        return None
    if kind == "string":
        return stated
    if kind == "boolean":
        return {"true": True, "false": False}.get(lower)
    if kind in ("integer", "number"):
        number = _number(stated)
        return None if kind == "integer" and isinstance(number, float) and number % 1 else number
    if kind in ("array", "object"):
        return _structure(stated, list if kind == "array" else dict)
    if kind is not None:
        return None
    if lower in ("true", "false"):
        return lower == "true"
    number = _number(stated)
    return stated if number is None else number


def _structure(stated: str, kind: type) -> Any:
    if len(stated) > 200 or stated.count("[") + stated.count("{") > 20:
        return None
    try:
        value = json.loads(stated)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, kind) else None


def _number(stated: str) -> int | float | None:
    if re.fullmatch(r"-?\d{1,18}", stated):
        return int(stated)
    return float(stated) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", stated) else None
