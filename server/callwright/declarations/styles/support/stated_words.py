"""Words with which prompts announce descriptions and parameters, and say that an argument is required.

Owns: these words in the languages that prompts are written in, and what a remark says of an argument. Must not know:
any single style, definitions.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Span

#: Announce what a tool does.
DESCRIPTIONS: Final = (
    "description", "beschreibung", "descripción", "descripcion", "descrição", "descricao", "descrizione", "описание",
    "опис", "omschrijving", "opis", "açıklama", "描述", "说明", "說明", "説明", "설명",
)  # fmt: skip
#: Announce the arguments that it takes.
PARAMETERS: Final = (
    "parameters", "parameter", "params", "arguments", "argumente", "args", "attributes", "attribute", "paramètres",
    "paramètre", "parámetros", "parametros", "parâmetros", "argumentos", "parametri", "parametry", "параметры",
    "аргументы", "параметри", "parametreler", "参数", "參數", "パラメータ", "パラメーター", "引数", "매개변수",
    "파라미터", "인수",
)  # fmt: skip
_REQUIRED: Final = (
    "required", "mandatory", "erforderlich", "pflicht", "obligatorisch", "notwendig", "obligatoire", "requis",
    "requise", "requerido", "requerida", "obligatorio", "obligatoria", "obrigatório", "obrigatória", "obbligatorio",
    "обязательный", "обязательно", "обязателен", "обязательное", "verplicht", "vereist", "wymagany", "wymagane",
    "zorunlu", "必填", "必需", "必须", "必須", "필수",
)  # fmt: skip
_OPTIONAL: Final = (
    "optional", "optionnel", "optionnelle", "facultatif", "facultative", "opcional", "opzionale", "facoltativo",
    "необязательный", "необязательно", "необязательное", "опционально", "optioneel", "opcjonalny", "opcjonalne",
    "可选", "可選", "选填", "任意", "省略可", "선택",
)  # fmt: skip
_ALL: Final = "|".join(sorted((*_REQUIRED, *_OPTIONAL), key=len, reverse=True))
_WORD: Final = compile_later(rf"(?<![\w-])(?:{_ALL})(?![\w-])", re.IGNORECASE)
#: A remark that is about being required and about nothing else: it is in brackets, or is a sentence of its own.
_FIRST: Final = compile_later(
    rf"[\s:*_`-]*+(?:[(（\[*_]++({_ALL})[)）\]*_]++|({_ALL})(?:[.;。]|[ \t]*+[-–—:])(?=\s|\Z))", re.IGNORECASE
)
_LAST: Final = compile_later(rf"(?:[.!?;。]\s*+|[ \t][(\[]|（)({_ALL})[)）\].。]{{0,2}}\s*\Z", re.IGNORECASE)
_CONDITION: Final = compile_later(
    r"\b(?:if|when|unless|except|for|either|one of|only|with|without|not|wenn|falls|bei|si|se|sauf|cuando|quando|если"
    r"|когда)\b|当|當|如果|若|場合|경우",
    re.IGNORECASE,
)
_NOTHING: Final = compile_later(
    r"[\s(*_`-]*+(?:none|no (?:parameters|arguments|attributes)|nothing|n/a|keine|aucune?|ninguno|nessuno|нет|无|無"
    r"|なし|없음)\b[^\n]{0,40}+\s*\Z",
    re.IGNORECASE,
)
_YES: Final = frozenset({"true", "yes", "1", "ja", "oui", "sí", "sim", "да", "是", "はい", "예", *_REQUIRED})
_NO: Final = frozenset({"false", "no", "0", "nein", "non", "não", "нет", "否", "いいえ", "아니오", *_OPTIONAL})
#: At most this much of a remark's end is read.
_TAIL: Final = 40
#: Names that mean a tool's name in a sketch of a definition.
_SKETCHES: Final = frozenset(
    {
        *("tool_name", "toolname", "tool-name", "function_name", "functionname", "function-name", "your_tool"),
        *("your_tool_name", "actual_tool_name", "example_tool_name", "name_of_tool", "tool_name_here", "name"),
        *("command_name", "action_name"),
    }
)


def flag(word: str) -> bool | None:
    """Return whether a word is a yes or a no to the question whether an argument is required; None for any other."""
    plain = word.strip(" \t\n\"'`*.").lower()
    return True if plain in _YES else False if plain in _NO else None


def stated_in_brackets(text: str, inside: Span) -> tuple[bool, Span] | None:
    """Return whether what is in brackets after a name says that it is required, and where; None where neither.

    What depends on something else says neither.
    """
    found = _WORD.search(text, inside.start, inside.end)
    if found is None:
        return None
    if _CONDITION.search(text, inside.start, inside.end) is not None:
        return None
    return found[0].lower() in _YES, Span(*found.span())


def stated_in_remark(text: str, remark: Span) -> tuple[bool, Span] | None:
    """Return whether a description says that its argument is required, at its beginning or its end, and where.

    `Required if …` says neither.
    """
    first = _FIRST.match(text, remark.start, remark.end)
    if first is not None:
        group = 1 if first[1] is not None else 2
        return first[group].lower() in _YES, Span(*first.span(group))
    last = _LAST.search(text, max(remark.start, remark.end - _TAIL), remark.end)
    if last is not None:
        return last[1].lower() in _YES, Span(*last.span(1))
    return None


def states_nothing(text: str) -> bool:
    """Return whether a text says that there are no arguments."""
    return len(text) < 100 and _NOTHING.match(text) is not None


def is_sketch(name: str) -> bool:
    """Return whether a name means the name of any tool, in a sketch of how one is defined."""
    return name.lower() in _SKETCHES
