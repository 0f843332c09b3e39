"""What shows that functions are a prompt's tools, and not a sample of code.

Owns: `are_offered`: what the lines above a function say of it. Must not know: any single style, how functions are read.

A tag such as `<tools>`, a heading or a sentence that offers tools, a label such as `Function:`, or another declaration
right before. Sentences that speak of writing functions show the opposite.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.declarations.styles.base import MAX_BEFORE, View
from callwright.declarations.styles.support.python_stub import TYPE
from callwright.text.patterns import compile_later
from callwright.text.span import Span

#: At most this many lines above a function are read, so many of prose among them, and so many with other functions.
_LINES: Final = 80
_PROSE: Final = 12
_DEFS: Final = 2
#: At most this many sentences at the end of a paragraph may offer what is below it.
_SENTENCES_READ: Final = 3
#: A line of more characters is read from its end.
_MAX_LENGTH: Final = 800

_TOOLS: Final = (
    r"\btools?\b|\bteam members\b|\boutils?\b|\bwerkzeug\w*|\bherramientas?\b|\bferramentas?\b|\bstrument[oi]\b"
    r"|\bинструмент\w*|工具|ツール|도구"
)
_FUNCTIONS: Final = (
    r"\bfunctions?\b|\bapis?\b|\bactions?\b|\bskills?\b|\bcommands?\b|\blibrar(?:y|ies)\b|\bfonctions?\b"
    r"|\bfunktion(?:en)?\b|\bfunción\b|\bfunciones\b|\bfunç(?:ão|ões)\b|\bfunzion[ei]\b|\bфункци\w*|函[数數式]|関数|함수"
)
#: What is stated about tools that one has.
_GIVEN: Final = (
    r"\byou\b|\byour\b|\bavailable\b|\bfollowing\b|\bthese\b|\bbelow\b|\buse\b|\bcall(?:ed|s)?\b|\bhave\b|\bverfügbar\w*"
    r"|\bfolgende\w*|\bdir\b|\bdu\b|\bdisponibles?\b|\bsuivante?s?\b|\bvous\b|\btu\b|\bsiguientes?\b|\bseguintes?\b|\bseguenti\b"
    r"|\bдоступн\w*|\bследующ\w*|可用|可以|以下|下列|使用|利用|사용|다음"
)
#: What is stated about functions that can be called, and not about those of a library that a text is about.
_CALLABLE: Final = (
    r"\byou\b[^.]{0,60}\b(?:call|use|using|invoke|access|execute|run)\b|\baccess to\b|\bavailable\b"
    r"|\bat your disposal\b|\bprovided (?:to|for|with)\b"
    r"|\bus(?:e|ing) (?:one of |any of |only )?(?:the following|these)\b"
    r"|\bcall (?:one of |any of |only )?(?:the following|these)\b|\bbelow\b"
    r"|\bleverage\b|\bverfügbar\w*|\b(?:kannst|können|darfst)\b"
    r"|\bdisponibles?\b|\b(?:puedes?|pode[ms]?|peux|pouvez|puoi)\b|\bдоступн\w*|\bмож(?:ешь|ете)\b|可用|可以(?:使用|调用)|可调用|[利使]用(?:でき|可能)"
    r"|呼び出せ|[사이]용 ?(?:할 수|가능)|호출 ?(?:할 수|가능)"
)
_TOOL: Final = compile_later(_TOOLS, re.IGNORECASE)
#: Headings that are about tools, and not about one or about what is done with them.
_TITLE: Final = compile_later(
    r"\btools\b|\btool (?:definitions?|descriptions?|signatures?|list|reference|documentation|functions|set)\b"
    r"|\btool (?:specs?|apis?)\b|\boutils\b|\bwerkzeuge\b|\bherramientas\b|\bferramentas\b|\bstrumenti\b"
    r"|\bинструменты\b|工具|ツール|도구",
    re.IGNORECASE,
)
_FUNCTION: Final = compile_later(_FUNCTIONS, re.IGNORECASE)
_IS_GIVEN: Final = compile_later(_GIVEN, re.IGNORECASE)
_IS_CALLABLE: Final = compile_later(_CALLABLE, re.IGNORECASE)
_WRITTEN: Final = compile_later(
    r"\b(?:(?:defin|creat|writ|decorat)(?:e[sd]?|ing)|written|(?:implement|register|build|add|turn|convert)(?:s|ed|ing)?"
    r"|built|wrap(?:s|ped|ping)?|schreib(?:e|en|t|st)|erstell(?:e|en|t|st)|définir|définissez|créer?|créez|crear?|criar?"
    r"|definir|escrib(?:e|ir|a)|escrev(?:a|er))\s+(?:(?!(?:code|scripts?|programs?|snippets?|that|which|calls?)\b)[\w'-]++\s+){0,5}"
    rf"(?:{_TOOLS}|{_FUNCTIONS})",
    re.IGNORECASE,
)
_SHOWN: Final = compile_later(
    r"\bexamples?\b|\bcustom\b|\bdecorator\b|\btutorial\b|\bhelper\b|\bbeispiel\w*|\bexemples?\b|\bejemplos?\b"
    r"|\bexemplos?\b|\bпример\w*|定义|定義|创建|創建|编写|編寫|注册|实现|示例|例如|作成|実装|登録|例えば|정의|작성|구현|예시",
    re.IGNORECASE,
)
_LABEL: Final = compile_later(
    r"[*_]{0,2}(?:functions?|tools?|option|fonctions?|outils?|funktion(?:en)?|werkzeuge?|herramientas?|función|funciones"
    r"|ferramentas?|função|funções|функци[яи]|инструменты?|函数|函數|工具|関数|ツール|함수|도구)(?: \d{1,3})?"
    r"[*_]{0,2}[:：][*_]{0,2}",
    re.IGNORECASE,
)
_TAG: Final = compile_later(r"<(?P<shut>/?)(?P<name>[A-Za-z][\w:.-]{0,60})(?:[ \t][^<>\n]{0,200})?>\Z")
_TOOLS_TAG: Final = compile_later(
    r"(?:\A|[_.:-])(?:tools?|functions?|apis?)(?:\Z|[_.:-](?!calls?|results?|outputs?|responses?|code|use|examples?))",
    re.IGNORECASE,
)
_SAMPLE_TAG: Final = compile_later(r"example|sample|code|output|result|answer|response|user|assistant", re.IGNORECASE)
_FENCE: Final = compile_later(r"(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_LANGUAGES: Final = frozenset({"", "python", "py", "python3", "pyi", "tool_code", "text", "txt", "plaintext", "code"})
_HEADING: Final = compile_later(r"(#{1,6})[ \t]+(?=\S)")
_STRONG: Final = compile_later(r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?\Z")
#: Lines of Python that may be between a sentence and a function that it speaks of, or between two functions.
_PYTHON: Final = compile_later(
    r"(?:import|from) [\w.]+|@[\w.]+|\.\.\.\Z|pass\Z|raise NotImplementedError|class \w+"
    rf"|[A-Za-z_]\w*+: {TYPE}(?: ?\| ?{TYPE})*+(?: = [^\n]+)?+\Z|[A-Za-z_]\w*+ = \S+\Z"
    r"|\"\"\"|'''|[)\]}]|-{3,}\Z|={3,}\Z|[\w.]{1,40}:\Z"
)
#: Statements of a program: what is among them is a part of it.
_CODE: Final = compile_later(
    r"(?:if|elif|for|while|with|try|except|else|finally|return|await|yield|assert|del|print)\b[^.]*[:)\]]\Z|(?:try|else):\Z"
    r"|return\b|[\w.]+\([^`]*\)\Z|[\w.\[\]\"', ]{1,60} [-+*/|]?= \S"
)
_INDENT: Final = compile_later(r"[ \t]*+(?=(?P<symbol>(?:[-*+•]|\d{1,3}[.)])[ \t])?)")
_SENTENCES: Final = compile_later(r"[.!?](?=\s)|[。！？]")


def are_offered(view: View, marker: int, at: int, name: str, entry: int | None = None) -> bool:
    """Return whether the lines above the one at `at` say that the function of that name there can be called.

    `marker` is what the view is around. Where the function is an entry of a list, `entry` is how far that is indented:
    the entries before it say nothing.
    """
    prose: list[str] = []
    level = 7
    read = named = False
    blank = False
    below = defs = 0
    for number, line in enumerate(view.lines_before(at)):
        if number == _LINES:
            return False
        if entry is not None and _is_entry(view.text, line, entry):
            continue
        written = view.text[max(line.start, line.end - _MAX_LENGTH) : line.end].rstrip().lstrip("> \t")
        heading = _HEADING.match(written)
        if prose and (not written or heading is not None or _FENCE.match(written) or _TAG.match(written)):
            stated = _paragraph(prose) if not read else None
            if stated is not None:
                return stated
            prose, read = [], True
        above_blank, blank = blank, not written or _FENCE.match(written) is not None
        if not written:
            continue
        fence, tag = _FENCE.match(written), _TAG.match(written)
        if fence is not None:
            if fence[1].lower() not in _LANGUAGES:
                return False
        elif tag is not None:
            if _TOOLS_TAG.search(tag["name"]) is not None:
                return not tag["shut"]
            if tag["shut"] or _SAMPLE_TAG.search(tag["name"]) is not None:
                return False
        elif written.startswith("#") and not _is_heading(written, heading, above_blank=above_blank):
            continue
        elif heading is not None or _STRONG.match(written) is not None:
            rank = len(heading[1]) if heading is not None else 7
            stated = _title(written)
            if stated is not None and rank <= level:
                return stated
            if heading is not None:
                level, read = min(level, rank), True
                named = named or name in re.split(r"\W+", written)
        elif not read and not prose and _LABEL.fullmatch(written) is not None:
            return True
        elif written.startswith(("def ", "async def ")):
            # Functions that are offered were found before.
            defs += 1
            if defs > _DEFS:
                return False
        elif prose or read or _PYTHON.match(written) is None:
            if _CODE.match(written) is not None:
                return False
            prose.append(written)
            below += 1
            if below > _PROSE:
                return False
    if prose and not read:
        return _paragraph(prose) is True
    # Nothing but lines of Python, or a heading with its name, is between the function and the declaration before it.
    return 0 < view.floor != marker - MAX_BEFORE and (named or not (read or prose))


def _is_heading(written: str, heading: re.Match[str] | None, *, above_blank: bool) -> bool:
    """Return whether a line that begins with `#` is a heading, and no comment: that is right above code, or another."""
    if heading is None:
        return False
    return len(heading[1]) > 1 or above_blank or (_TITLE.search(written) is not None and len(written.split()) <= 4)


def _is_entry(text: str, line: Span, indent: int) -> bool:
    """Return whether a line is a part of a list whose entries are indented so far."""
    lead = _INDENT.match(text, line.start, line.end)
    assert lead is not None
    width = len(lead[0].expandtabs())
    return lead.end() < line.end and (width > indent or (width == indent and lead["symbol"] is not None))


def _paragraph(lines: list[str]) -> bool | None:
    """Return whether the end of a paragraph offers functions, None where it does not speak of them. Its lines are given
    from the last to the first."""
    ends = [each for each in _SENTENCES.split(lines[0]) if each.strip()][-1:]
    sentences = [each for each in _SENTENCES.split(" ".join(reversed(lines))) if each.strip()]
    for sentence in (*ends, *reversed(sentences[-_SENTENCES_READ:])):
        stated = _offers(sentence)
        if stated is not None:
            return stated
    return None


def _offers(sentence: str) -> bool | None:
    if _WRITTEN.search(sentence) is not None or _SHOWN.search(sentence) is not None:
        return False
    if _TOOL.search(sentence) is not None and _IS_GIVEN.search(sentence) is not None:
        return True
    return True if _FUNCTION.search(sentence) is not None and _IS_CALLABLE.search(sentence) is not None else None


def _title(written: str) -> bool | None:
    """Return whether a heading says that what is below it are tools, None where it does not speak of them."""
    if _WRITTEN.search(written) is not None or _SHOWN.search(written) is not None:
        return False
    if _TITLE.search(written) is not None:
        return True
    return True if _FUNCTION.search(written) is not None and _IS_CALLABLE.search(written) is not None else None
