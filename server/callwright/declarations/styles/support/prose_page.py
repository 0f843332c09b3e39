"""The lines of a segment of prose, and the words that announce what is below them.

Owns: `Page`, `parameter_label`, `group_label`, `is_other_label`, `description_label`. Must not know: any single style,
what a parameter looks like. `declarations.documented_lines` reads what a single line states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, overload

from callwright.declarations.documented_lines import Line, read_line
from callwright.declarations.styles.support.stated_words import DESCRIPTIONS, PARAMETERS, flag, states_nothing
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass
from callwright.text.span import Span

#: Punctuation of Chinese and Japanese, each as the one character that means the same.
_FULL_WIDTH: Final = str.maketrans("（）：［］，、；｜“”　", '():[],,;|"" ')
_LEAD: Final = compile_later(r"[ \t>]*+")


#: Announce arguments, beside the words that other styles know.
_MORE_INPUTS: Final = (
    r"param|argument|arg|input|inputs|argomenti|eingabe|eingaben|eingabeparameter|entrées|entradas|parametreleri"
    r"|输入|输入参数|输入參數|輸入參數|入参|入力|入力パラメータ|입력"
)
_INPUTS: Final = "|".join((*PARAMETERS, _MORE_INPUTS))
#: What precedes such a word.
_MODIFIERS: Final = (
    r"all|the|required|optional|mandatory|input|tool|function|method|usage|command|available|expected|accepted"
    r"|supported|call|request|its|key|main|erforderliche|optionale|requis|requeridos|opcionales|obligatorios|必填"
    r"|可选|请求|工具|函数|必須|任意|필수|선택|도구"
)
_REQUIRED: Final = compile_later(
    r"\b(?:required|mandatory|erforderliche?|requis(?:es)?|obligatoires?|requeridos?|obligatorios?|obrigatórios?)\b"
    r"|必填|必需|必须|必須|필수",
    re.IGNORECASE,
)
_OPTIONAL: Final = compile_later(
    r"\b(?:optional(?:e[nr]?)?|optionnels?|facultatifs?|opcion(?:al|ales)|opcionais)\b|可选|可選|选填|任意|선택",
    re.IGNORECASE,
)
#: What says of one parameter that it is required or not; longer words first.
REQUIRED_WORDS: Final = (
    r"required|mandatory|optional|erforderlich|pflicht|obligatorisch|notwendig|obligatoire|requise?|facultatif"
    r"|optionnel(?:le)?|obligatori[oa]|requerid[oa]|opcional|obrigatóri[oa]|обязательн?\w*|необязательн?\w*"
    r"|опционально|必填|必需|必须|必須|필수|可选|可選|选填|任意|省略可|선택"
)
_CONDITION: Final = compile_later(r"\b(?:if|when|unless|except|for|one|depend\w*|at least)\b", re.IGNORECASE)
_LABEL: Final = compile_later(
    rf"(?P<hash>#{{1,6}}[ \t]++)?(?P<open>[*_`]{{0,3}}+)(?P<mods>(?:(?:{_MODIFIERS})(?![A-Za-z0-9_-])[ \t]*+){{0,3}})"
    rf"(?P<word>{_INPUTS})(?![A-Za-z0-9_-])(?:[ \t]++(?:list|details|descriptions?|reference|definitions?))?"
    r"(?:说明|說明|列表|描述|表|一覧|목록|설명|定义)?[*_`]{0,3}+(?:[ \t]*+\((?P<note>[^()\n]{0,80}+)\))?[*_`]{0,3}+"
    r"[ \t]*+(?P<colon>:?)[*_`]{0,3}+[ \t]*+(?P<rest>.*+)\Z",
    re.IGNORECASE,
)
_GROUP: Final = compile_later(
    r"(?:#{1,6}[ \t]++)?[*_`]{0,3}+(?P<words>[^\W\d_]{2,20}(?:[ \t][^\W\d_]{2,20}){0,2})[*_`]{0,3}+[ \t]*+(?P<colon>:?)"
    r"[*_`]{0,3}+[ \t]*+\Z"
)
_SENTENCE: Final = compile_later(
    r"(?:\A|[.!]\s)[*_(]{0,3}+(?:(?:this|the) (?:tool|function|command|action) |it )?"
    r"(?:(?:takes?|requires?|accepts?|has|have|needs?) no|(?:does|do) not (?:take|require|accept|need|have) any|no)"
    r" (?:input )?(?:parameters?|arguments?|inputs?)(?: (?:is |are )?(?:required|needed|necessary))?"
    r"(?: for this (?:tool|function|command|action))?[.!*_)]{0,4}(?:\s|\Z)"
    r"|(?:无需|不需要|沒有|没有)(?:任何|输入)?参数|(?:引数|パラメータ)(?:は)?(?:不要|なし|ありません)"
    r"|매개변수(?:가)? ?(?:없음|없습니다)|\bkeine (?:Parameter|Argumente)\b|\b(?:aucun|sans) (?:paramètre|argument)"
    r"|\b(?:sin|sem|ningún) par[áâ]metros?",
    re.IGNORECASE,
)
_MORE_DESCRIPTIONS: Final = r"purpose|summary|what it does|details|zweck|objectif|propósito|用途|功能|作用|概要"
DESCRIPTION_WORDS: Final = "|".join((*DESCRIPTIONS, _MORE_DESCRIPTIONS))
_DESCRIPTION: Final = compile_later(
    rf"(?:#{{1,6}}[ \t]++)?[*_`]{{0,3}}+(?:(?:tool|function|short|brief)[ \t])?(?:{DESCRIPTION_WORDS})[*_`]{{0,3}}+"
    r"[ \t]*+(?P<colon>:?)[*_`]{0,3}+[ \t]*+:?[ \t]*+",
    re.IGNORECASE,
)
#: What else is announced below a tool: such words are not tools and no parameters.
_OTHERS: Final = (
    r"usage|example|examples|example usage|usage example|usage examples|sample|returns|return|return value"
    r"|return type|output|outputs|output format|response|responses|result|results|note|notes|usage notes|important"
    r"|important notes|warning|warnings|caution|tip|tips|errors|error handling|raises|throws|exceptions"
    r"|limitations|constraints|requirements|best practices|guidelines|rules|when to use|when not to use|how to use"
    r"|how it works|format|signature|syntax|schema|features|key features|capabilities|operations|actions|modes"
    r"|behavior|behaviour|permissions|scope|since|status|type|category|version|overview|instructions|input format"
    r"|restrictions|use cases|use when|see also|related|related tools|default|defaults|values|required|optional"
    r"|implementation|examples of use|call|calls|verwendung|beispiel|beispiele|rückgabe|hinweis|hinweise|ausgabe"
    r"|utilisation|exemple|exemples|retour|retourne|remarque|sortie|uso|ejemplo|ejemplos|devuelve|retorna|nota"
    r"|notas|salida|exemplo|exemplos|saída|esempio|esempi|использование|пример|примеры|возвращает|примечание|用法"
    r"|使用|使用方法|示例|例子|返回|返回值|输出|注意|注意事项|使い方|例|使用例|戻り値|出力|사용법|사용 예|예시|예"
    r"|반환|반환값|출력|참고"
)
_OTHER: Final = compile_later(
    rf"(?:#{{1,6}}[ \t]++)?[*_`]{{0,3}}+(?:{_OTHERS})(?![A-Za-z0-9_-])[ \t]*+[*_`]{{0,3}}+(?P<colon>:?)", re.IGNORECASE
)
_OTHER_WORDS: Final = frozenset("|".join((_OTHERS, DESCRIPTION_WORDS, _INPUTS)).split("|"))


def flattened(text: str) -> str:
    """Return a text of the same length in which full-width punctuation is that of ASCII."""
    return text if text.isascii() else text.translate(_FULL_WIDTH)


class Page:
    """The lines of a text, from the one at `start` on.

    `flat` is the text with plain punctuation, of the same length.
    """

    __slots__ = ("flat", "lines", "text")

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        # What is before the first line is not read.
        self.flat = text[:start] + flattened(text[start:])
        self.lines = _Lines(self.flat, start)

    def is_fenced(self, number: int) -> bool:
        """Return whether a line is in a fence, the lines of its ticks included."""
        return self.lines.is_fenced(number)


class _Lines(Sequence[Line]):
    """The lines of a text, each read when it is asked for: what is below a tool's parameters says nothing of them."""

    __slots__ = ("_fence", "_fenced", "_flat", "_next", "_read", "_size")

    def __init__(self, flat: str, start: int) -> None:
        self._flat = flat
        self._next = start
        self._size = flat.count("\n", start) + 1
        self._read: list[Line] = []
        self._fenced: list[bool] = []
        self._fence = ""

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._size))]
        if len(self._read) <= index < self._size:
            self._read_to(index)
        return self._read[index]

    def is_fenced(self, number: int) -> bool:
        self._read_to(number)
        return self._fenced[number]

    def _read_to(self, number: int) -> None:
        for _ in range(len(self._read), number + 1):
            stop = self._flat.find("\n", self._next)
            stop = len(self._flat) if stop < 0 else stop
            line = line_at(self._flat, self._next, stop)
            self._next = stop + 1
            ticks = line.kind == "fence"
            self._read.append(line)
            self._fenced.append(ticks or bool(self._fence))
            if ticks:
                self._fence = after_fence(self._fence, line)


def line_at(flat: str, start: int, stop: int) -> Line:
    """Return the line `[start, stop)`, without the white space at its end."""
    while stop > start and flat[stop - 1] in " \t\r":
        stop -= 1
    lead = _LEAD.match(flat, start, stop)
    assert lead is not None
    return read_line(flat, start, lead.end(), stop)


def after_fence(open_ticks: str, line: Line) -> str:
    """Return the ticks of the fence that is open after a line of ticks, empty where none is."""
    if not open_ticks:
        return line.marker
    closes = line.marker[0] == open_ticks[0] and len(line.marker) >= len(open_ticks) and not line.info
    return "" if closes else open_ticks


def _begin(flat: str, line: Line) -> int:
    """Return where the words of a line begin, or the signs of a heading before them."""
    return flat.index("#", line.start) if line.kind == "heading" else line.at


@dataclass(frozen=True, slots=True)
class Announced:
    """A line that announces parameters: `rest` is what follows on it after the label, `level` that of a heading.

    `required` says whether all of them are, None where that is left open; `nothing` is true if there are none, `remark`
    if this is stated in passing, after other words.
    """

    rest: Span
    required: bool | None = None
    nothing: bool = False
    level: int = 0
    bold: bool = False
    remark: bool = False


def parameter_label(flat: str, line: Line) -> Announced | None:
    """Return what a line announces where it is the label of parameters, None where it is none."""
    if line.kind in ("blank", "fence", "row"):
        return None
    start = _begin(flat, line)
    stated = flat[start : line.end]
    found = _LABEL.match(stated)
    if found is None:
        return _nothing(flat, line)
    note = found["note"] or ""
    words = f"{found['mods']} {note}"
    required: bool | None = None
    if _CONDITION.search(note) is None:
        required = True if _REQUIRED.search(words) else False if _OPTIONAL.search(words) else None
    rest = Span(start + found.start("rest"), line.end)
    level = line.level if line.kind == "heading" else 0
    bold = bool(found["open"])
    if states_nothing(found["rest"]) or (note and states_nothing(note)):
        return Announced(rest, required, nothing=True, level=level, bold=bold) if found["colon"] or note else None
    if not found["rest"]:
        plain = found["colon"] or level or (bold and "*" in found["open"])
        return Announced(rest, required, level=level, bold=bold) if plain else None
    if not found["colon"]:
        return None
    if found["rest"][0] == "(" and found["rest"][-1] == ")":
        inside = found["rest"][1:-1]
        stated_required = flag(inside.replace("all", "").strip())
        return Announced(
            Span(line.end, line.end), stated_required if required is None else required, level=level, bold=bold
        )
    return Announced(rest, required, level=level, bold=bold)


def _nothing(flat: str, line: Line) -> Announced | None:
    """Return the label that a sentence is which says that there are no parameters."""
    if line.end - line.at > 300 or line.kind == "heading":
        return None
    found = _SENTENCE.search(flat[line.at : line.end])
    if found is None:
        return None
    return Announced(Span(line.end, line.end), nothing=True, remark=found.start() > 0)


def group_label(flat: str, line: Line) -> bool | None:
    """Return whether the parameters below a line are required, where it announces that; None for any other line."""
    if line.kind in ("blank", "fence", "row"):
        return None
    start = _begin(flat, line)
    found = _GROUP.match(flat[start : line.end])
    if found is None or not (found["colon"] or line.kind == "heading" or flat[start] in "*_"):
        return None
    words = found["words"]
    if _REQUIRED.search(words):
        return True
    return False if _OPTIONAL.search(words) else None


def description_label(flat: str, line: Line) -> int | None:
    """Return the offset after the label of a description, None where a line has none."""
    start = _begin(flat, line)
    found = _DESCRIPTION.match(flat[start : line.end])
    if found is None:
        return None
    if not (found["colon"] or (start + found.end() == line.end and (line.kind == "heading" or flat[start] in "*_"))):
        return None
    return start + found.end()


def is_other_label(flat: str, line: Line) -> bool:
    """Return whether a line announces something else than parameters: how to use a tool, what it returns."""
    if line.kind == "blank":
        return False
    start = _begin(flat, line)
    found = _OTHER.match(flat[start : min(line.end, start + 100)])
    if found is None:
        return False
    return bool(found["colon"]) or ((line.kind == "heading" or flat[start] in "*_") and start + found.end() >= line.end)


def is_label_word(name: str) -> bool:
    """Return whether a name is one of the words that announce something."""
    return name.casefold().replace("_", " ") in _OTHER_WORDS
