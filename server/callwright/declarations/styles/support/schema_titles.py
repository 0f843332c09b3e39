"""Lines above a schema: those that name a tool, and those that say what the schema is one of.

Owns: `Title`, `read_title`, and the words of headings and labels, in the languages that prompts are written in. Must
not know: where a schema is, which of several titles is its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Span

#: The levels of titles that are not headings.
BOLD: Final = 7
ENTRY: Final = 8
_MAX_LENGTH: Final = 300

_NAME: Final = r"[^\W\d]\w{0,99}+(?:[.:/-]\w{1,99}+){0,6}+"
#: What a tool is called.
TOOL: Final = (
    r"(?:tool|function|command|werkzeug|funktion|outil|fonction|herramienta|funci[oó]n|ferramenta|função|strumento"
    r"|инструмент|функция|工具|函数|函數|ツール|関数|도구|함수)"
)
_TITLE: Final = compile_later(
    r"(?:\d{1,3}[.)][ \t]++)?(?:[^\w\s*`\"'<>\[\](){}|#=:.,;/\\-]{1,4}[ \t]++)?"
    rf"(?P<word>{TOOL}(?:[ _]?name)?[ \t]*+(?:#?\d{{1,3}})?[ \t]*+[:：—–-][ \t]*+)?"
    rf"(?P<open>[*`\"']{{0,4}}+)(?P<name>{_NAME})(?P<inner>:(?=[*`\"']))?(?P<args>\([^()\n]{{0,200}}+\))?(?P<close>[*`\"']{{0,4}}+)"
    rf"(?P<after>[ \t]++{TOOL}(?!\w)|[ \t]*+[(（]{TOOL}[)）])?"
    r"(?:[ \t]*+[:：](?:[ \t]++(?P<colon>\S.*))?|[ \t]++(?:[—–]|-{1,2})[ \t]++(?P<dash>\S.*))?[ \t]*+",
    re.IGNORECASE,
)
_ENTRY: Final = compile_later(r"[ \t]*+(?:[-*+•◦–]|\d{1,3}[.)])[ \t]++(?=\S)")
_HEADING: Final = compile_later(r"(#{1,6})[ \t]++(?=\S)")

#: A heading of a section of tools.
_TOOLS: Final = compile_later(
    r"(?<!\w)(?:tools?|functions?|commands?|actions?|werkzeuge?n?|funktionen|aktionen|outils?|fonctions?|herramientas?"
    r"|funciones|acciones|ferramentas?|funções|ações|strumenti|инструмент\w*|функци\w*)(?!\w)"
    r"|工具|函数|函數|操作|ツール|関数|アクション|도구|함수",
    re.IGNORECASE,
)
#: A heading of a section whose schemas are of something else.
_OTHERS: Final = compile_later(
    r"(?<!\w)(?:schemas?|models?|config\w*|settings?|options?|propert(?:y|ies)|fields?|responses?|requests?|events?"
    r"|payloads?|messages?|tables?|outputs?|data|databases?|objects?|types?|resources?|entit(?:y|ies)|errors?|webhooks?"
    r"|endpoints?|api|formats?|konfiguration\w*|einstellung\w*|antwort\w*|modelle?|daten\w*|réponses?|données|modèles?"
    r"|respuestas?|configuraci[oó]n\w*|datos|modelos?)(?!\w)"
    r"|配置|设置|响应|回應|返回|设定|設定|模型|数据|応答|モデル|データ|설정|응답|모델|데이터",
    re.IGNORECASE,
)
#: A part of a tool's section whose schemas are not those of its parameters.
_PARTS: Final = compile_later(
    r"(?:config|(?:settings?|responses?|events?|webhooks?|errors?|returns?)\b)", re.IGNORECASE
)
#: Words on a line after which something else than parameters follows.
_ANSWER: Final = compile_later(
    r"(?<!\w)(?:outputs?|returns?|returned|responses?|results?|responds?|reply|answers?|config\w*|settings?|events?"
    r"|payloads?|ausgabe\w*|rückgabe\w*|antwort\w*|ergebnis\w*|sorties?|retour\w*|réponses?|résultats?|salidas?"
    r"|devuelve|respuestas?|resultados?|retorno|saída|ответ\w*|результат\w*|возвращает\w*)(?!\w)"
    r"|返回|输出|輸出|响应|回應|结果|結果|出力|戻り値|返り値|応答|응답|반환|출력|결과",
    re.IGNORECASE,
)
_PARAMETERS: Final = (
    r"(?:inputs?|parameters?|params?|arguments?|args|eingabe\w*|parameter\w*|argumente?|entrées?|param[èe]tres?"
    r"|entradas?|par[aâá]metros?|argumentos?|ввод|параметры|аргументы|输入|輸入|参数|參數|入力|パラメータ|引数|입력"
    r"|매개변수|인수)"
)
_INPUT: Final = compile_later(rf"(?<!\w){_PARAMETERS}(?!\w)|输入|参数|入力|引数|입력|매개변수", re.IGNORECASE)
#: The end of a line that announces the schema of the parameters.
_LABEL: Final = compile_later(
    r"(?:\A[ \t#*_`+•-]*+|[.!?;:)。；：！？）—–][ \t]*+[*_`]{0,3}+)"
    rf"(?P<label>(?:(?:the|its|tool|function|json|all)[ \t]++){{0,2}}+{_PARAMETERS}"
    r"(?:[ \t_-]?(?:json|schema|schéma|esquema|схема|模式|スキーマ|스키마|format))*+"
    r"(?:[ \t]*+[(（][^()（）\n]{0,60}[)）])?)[*_`]{0,3}+[ \t]*+(?P<colon>[:：]?)[*_`]{0,3}+\Z",
    re.IGNORECASE,
)
_LABEL_MARKERS: Final = " \t*_`-"
_BEFORE_LABEL: Final = " \t#*_`-+•"
#: How far before a schema its label begins at most.
_LABEL_LENGTH: Final = 100
#: The label of a description.
PROSE_LABEL: Final = compile_later(
    r"(?:(?P<heading>#{1,6}[ \t]++)|[*_]{0,2})"
    r"(?:description|beschreibung|descripci[oó]n|descrição|описание|描述|说明|説明|설명)[*_]{0,2}[ \t]*+"
    r"(?(heading)(?:[:：]|(?=\n))|[:：])[*_]{0,2}\s*+",
    re.IGNORECASE,
)
_THIS: Final = (
    r"(?:this|dieses|cet|esta|questo|этот)[ \t]++(?:tool|werkzeug|outil|herramienta|ferramenta|strumento|инструмент)"
    r"|(?:此|该|該|本|这个|這個)工具|このツール|이[ \t]?도구"
)
#: Headings within the description of a tool, and adjectives: no tool is called that.
_NO_NAMES: Final = frozenset(
    [
        *("parameter", "parameters", "params", "param", "arguments", "argument", "args", "input", "inputs", "output"),
        *("outputs", "return", "returns", "response", "responses", "request", "requests", "result", "results"),
        *("schema", "schemas", "example", "examples", "usage", "notes", "note", "description", "behavior", "behaviour"),
        *("requirements", "requirement", "configuration", "config", "settings", "options", "option", "tools", "tool"),
        *("functions", "function", "overview", "introduction", "errors", "error", "limitations", "limitation"),
        *("security", "tips", "tip", "scope", "warning", "warnings", "important", "summary", "details", "background"),
        *("context", "instructions", "guidelines", "rules", "when", "what", "how", "why", "api", "reference"),
        *("properties", "fields", "constraints", "caveats", "prerequisites", "definition", "definitions", "format"),
        *("custom", "new", "available", "builtin", "built-in", "each", "every", "this", "the", "another", "sample"),
        *("your", "my", "our", "any", "all", "other", "mcp", "adding", "using", "defining", "creating", "calling"),
        *("beschreibung", "beispiel", "beispiele", "hinweise", "hinweis", "ausgabe", "eingabe", "rückgabe"),
        *("verwendung", "werkzeuge", "konfiguration", "einstellungen", "antwort", "paramètres", "paramètre", "entrée"),
        *("sortie", "retour", "exemple", "exemples", "outils", "utilisation", "remarques", "réponse", "parámetros"),
        *("parámetro", "entrada", "salida", "ejemplo", "ejemplos", "herramientas", "uso", "notas", "respuesta"),
        *("descripción", "parâmetros", "saída", "exemplo", "exemplos", "ferramentas", "descrição", "параметры"),
        *("пример", "примеры", "описание", "инструменты", "вывод", "ввод", "ответ"),
        *("参数", "參數", "输入", "输出", "返回", "示例", "说明", "描述", "工具", "用法", "注意", "响应", "配置"),
        *("パラメータ", "入力", "出力", "戻り値", "例", "説明", "ツール", "注意事項", "設定"),
        *("매개변수", "입력", "출력", "반환", "예시", "설명", "도구"),
    ]
)


@dataclass(frozen=True, slots=True)
class Title:
    """A line that may name a tool: `level` is that of a heading, `BOLD` or `ENTRY` for a bold line or an entry.

    `certain` is true if the line itself says so, `strong` if a word of prose is not written like its name. `prose` is
    where its line begins to say what the tool does, -1 where it does not.
    """

    line: Span
    name: Span
    level: int
    certain: bool
    strong: bool
    prose: int = -1


def read_title(text: str, line: Span, level: int) -> Title | None:
    """Return the tool that a line may name; None where it is about something else."""
    start, end = line.trimmed(text, " \t#")
    if level == ENTRY and (entry := _ENTRY.match(text, *line)) is not None:
        start, end = entry.end(), max(end, entry.end())
    if end - start > _MAX_LENGTH and level != ENTRY:
        return None
    found = _TITLE.match(text, start, end)
    if found is None or found.end() != end:
        return None
    quotes, name = found["open"], found["name"]
    if bool(quotes) != bool(found["close"]) or (found["inner"] and not quotes):
        return None
    if name.lower() in _NO_NAMES or (level == BOLD and "**" not in quotes):
        return None
    certain = bool(found["word"] or found["after"]) or (len(name) > 4 and name.endswith("Tool"))
    strong = "`" in quotes or "_" in name.strip("_") or "." in name or ":" in name
    prose = max(found.start("colon"), found.start("dash"))
    # What an entry says besides a name is what the tool does; a heading that continues is a sentence.
    if not (certain or strong) and (prose >= 0) != (level == ENTRY):
        return None
    return Title(line, Span(*found.span("name")), level, certain, strong, prose)


def is_entry(text: str, line: Span) -> bool:
    """Return whether a line is an entry of a list."""
    return _ENTRY.match(text, line.start, line.end) is not None


def level_of(text: str, line: Span) -> int:
    """Return the level of a heading, `BOLD` for a bold line, 0 for any other."""
    start = line.start + width(text, line)
    heading = _HEADING.match(text, start, line.end)
    return len(heading[1]) if heading is not None else BOLD if text.startswith("**", start) else 0


def width(text: str, line: Span) -> int:
    """Return how much space a line begins with."""
    return line.end - line.start - len(line.of(text).lstrip(" \t"))


def label_before(text: str, start: int, end: int) -> int | None:
    """Return where the label of parameters begins that a segment of a line ends with; None where it ends otherwise."""
    end = start + len(text[start:end].rstrip(_LABEL_MARKERS))
    low = max(start, end - _LABEL_LENGTH)
    found = _LABEL.search(text[low:end])
    if found is None:
        return None
    begin = low + found.start("label")
    # A line says it with a colon, a heading by being one.
    return begin if found["colon"] or text[start:begin].lstrip().startswith("#") else None


def is_label(text: str, line: Span) -> bool:
    """Return whether a line says that parameters follow, and nothing else."""
    label = label_before(text, line.start, line.end)
    return label is not None and not text[line.start : label].strip(_BEFORE_LABEL)


def announces_other(text: str, line: Span) -> bool:
    """Return whether the line right before a schema says that it is one of something else than parameters."""
    words = line.of(text).strip(" \t*_#")
    if len(words) > _MAX_LENGTH or _ANSWER.search(words) is None or _INPUT.search(words) is not None:
        return False
    level = level_of(text, line)
    if not level:
        return words.endswith((":", "："))
    return read_title(text, line, level) is None


def is_of_tools(words: str) -> bool:
    """Return whether a heading is one of a section of tools."""
    return _TOOLS.search(words) is not None


def is_of_others(words: str) -> bool:
    """Return whether the schemas in the section of a heading are of something else than tools."""
    return _OTHERS.search(words) is not None


def is_other_part(words: str) -> bool:
    """Return whether the schemas below a heading in a tool's section are not those of its parameters."""
    return _PARTS.match(words) is not None


def states_tool(text: str, name: str, start: int, end: int) -> bool:
    """Return whether prose calls what it is about a tool."""
    named = rf"(?<![\w-])(?:{_THIS}|{re.escape(name)}[*`\"']{{0,3}}[ \t]++tool)(?![\w-])"
    return re.search(named, text[start:end], re.IGNORECASE) is not None
