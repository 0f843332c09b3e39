"""What a heading or label says of the examples that follow it: whether it calls them bad.

Owns: the phrases that speak of an example or call itself, in the languages of prompts. Must not know: where a label is,
what is good.

A bad word alone ("Wrong:"), beside a word for an example or call ("a wrong call"), or of one ("this is wrong") counts,
and so does an order against it ("Do not write this:"). What is only a condition ("if the result is wrong"), and what is
said of something else ("the invoice is wrong", "do not escape it"), does not.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.text.patterns import compile_later

_BAD: Final = (
    r"(?:bad|wrong|incorrect|invalid|improper|malformed|broken|forbidden|prohibited|not\ (?:allowed|correct|valid|good)"
    r"|falsch\w{0,2}|schlecht\w{0,2}|ungültig\w{0,2}|fehlerhaft\w{0,2}|mauvais(?:e|es)?|incorrecte?s?|faux|fausses?"
    r"|invalides?|incorrect[oa]s?|mal|malos?|mal[ao]s?|erróne[oa]s?|inválid[oa]s?|incorret[oa]s?|errad[oa]s?|ruim|ruins"
    r"|неправильн\w{1,3}|плох\w{1,3}|неверн\w{1,3}|недопустим\w{1,3})"
)
#: What an example shows.
_SHOWN: Final = (
    r"(?:examples?|calls?|calling|invocations?|usages?|uses?|patterns?|formats?|formatting|syntax|forms?|ways?|styles?"
    r"|approach(?:es)?|practices?|snippets?|samples?|cases?|beispiele?|aufrufe?|verwendung|schreibweise|exemples?|appels?"
    r"|ejemplos?|llamadas?|exemplos?|chamadas?|usos?|formatos?|formas?|пример\w{0,3}|вызов\w{0,3})"
)
#: What a call consists of, and what it is in.
_PART: Final = (
    r"(?:json|xml|yaml|markup|tags?|parameters?|params?|arguments?|tools?|nesting|quotes?|quoting|escap(?:es?|ing)"
    r"|closing|opening|structure|outputs?|responses?|behaviou?rs?)"
)
#: Where a bad word or an order ends, so that it says nothing of what follows.
_STOP: Final = (
    r"(?=[\s*_`\"'”)\]]*+(?:\Z|[^\w\s*_`\"'”)\]<]"
    r"|(?:and|or|because|since|as\ it|und|oder|weil|et|ou|y|o|e|и)\b))"
)
#: Words in front that leave a phrase the first one.
_FIRST: Final = (
    r"\A[\W\d_]*+(?:(?:an?|the|some|these|this|another|other|more|very|also|here['’]s|here\ (?:is|are)"
    r"|this\ is|these\ are|examples?\ of|list\ of|ein[es]?|das|dies|die|so|ist|es"
    r"|un[ae]?|des|os|as|los|las|c['’]est|это)\b[\W_]*+)*+"
)
_NOT: Final = r"(?:do\ not|don['’]?t|never|avoid|must\ not|should\ not)"
_ACT: Final = r"(?:do|use|write|output|send|make|emit|produce|generate|try|format|invoke|return|call)(?:ing)?"
#: Words without a sign that ends their clause.
_WORDS: Final = r"(?:\s[^\s.,;:–—]++)"

_LABEL: Final = compile_later(
    rf"""{_FIRST}(?:{_BAD}|mistakes?){_STOP}
    |[(\[–—:/-]\s*+{_BAD}{_STOP}
    |{_FIRST}(?:very\ )?{_BAD}{_WORDS}{{0,2}}?\s(?:{_SHOWN}|{_PART})\b
    |\b(?:is|are|of|as|shows?|following|avoid|no|never|ist|sind)\s(?:an?\s|the\s|some\s)?{_BAD}{_WORDS}{{0,2}}?\s{_SHOWN}\b
    |\b{_SHOWN}\s{_BAD}\b
    |(?:\b(?:this|these|those|following|das|dies|ceci|esto|isto)|{_FIRST}(?:that|it)|\b{_SHOWN})
        (?:\s(?:{_SHOWN}|below|above|here))?
        \s(?:is|are|was|were|would\ be|will\ be|looks?|ist|sind|wäre|est|sont|es|son|está|é|são)
        (?:\s\w++)??\s{_BAD}{_STOP}
    |{_FIRST}(?:wrongly|incorrectly|improperly|badly)\s\w
    |\b(?:anti-?\s?patterns?|counter-?\s?examples?|pitfalls?|don['’]?ts|gegenbeispiele?|contre-exemples?
        |häufige\ fehler|erreurs\ (?:fréquentes|courantes)|errores\ (?:comunes|frecuentes)|erros\ comuns
        |(?:типичные|частые)\ ошибки|mistakes?\ to\ avoid
        |(?:common|frequent|typical|usual|classic|known|popular){_WORDS}{{0,3}}?\smistakes?)\b
    |{_FIRST}(?:what|where|how){_WORDS}{{0,2}}?\s(?:goes|go|went)\swrong{_STOP}
    |{_FIRST}(?:(?:tool|call|calling|usage|formatting|format|syntax|xml|json|possible)[\s-])*+mistakes?\b
    |{_FIRST}(?:{_NOT}|vermeiden?|évite[rz]?|evitar|evite|избегай(?:те)?)(?:\s{_ACT})?{_STOP}
    |\b{_NOT}\s(?:ever\s|just\s)?(?:{_ACT}\s)?(?:any\ of\s)?(?:this|these|that|those|so|such|the\ following)
        (?:{_STOP}|{_WORDS}{{0,2}}?\s{_SHOWN}{_STOP})
    |\b{_NOT}\b{_WORDS}{{1,9}}?
        \s(?:like\ (?:this|that|these|so)|this\ way|as\ follows|in\ this\ (?:form|format|way|style)){_STOP}
    |\bnot\s(?:like\s)?(?:this|that|so){_STOP}
    |\b(?:not\ to\ (?:do|call|write|use)|things\ to\ avoid|what\ to\ avoid){_STOP}
    |\b(?:nicht\ so|así\ no|так\ нельзя|не\ так|не\ делай(?:те)?(?:\ так)?|à\ éviter|à\ ne\ pas\ faire
        |ne\ faites\ pas\ (?:ça|ceci|cela)|no\ hagas\ esto|não\ faça\ (?:isso|isto)){_STOP}
    |错误(?:示例|示范|例子|用法|写法|做法|格式|案例|调用|的(?:示例|示范|例子|用法|写法|做法|格式|案例|调用|\W*+\Z)|\s*+[:：]|\s*+\Z)
    |\A\W*+(?:不正确|禁止|避免|不要){_STOP}|不正确的(?:示例|用法|写法|格式|调用)|反例|坏例|不要这样|常见错误
    |无效(?:示例|的(?:示例|用法|写法|格式|调用))|禁止这样
    |錯誤(?:示例|範例|用法|寫法|的(?:示例|範例|用法|寫法)|\s*+[:：]|\s*+\Z)
    |悪い例|NG例|ダメな例|よくある(?:ミス|間違い)|してはいけない(?:こと|例|\W*+\Z)
    |\A\W*+(?:間違[いっ]|誤り)|(?:間違った|誤った|不正な)(?:例|使い方|書き方|形式|呼び出し|ツール)
    |나쁜\s?예|흔한\s?실수|(?:잘못된|틀린|올바르지\s?않은)\s?(?:예|사용|호출|형식|\W*+\Z)|이렇게\s?하지\s?마세요
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: A clause that says when something holds: nothing in it is said of an example.
_CONDITION: Final = compile_later(
    r"\b(?:if|when|whenever|unless|once|in\ case|as\ soon\ as|after|before|wenn|falls|sobald|si|quand|lorsque|cuando|se"
    r"|quando|если|когда)\b[^,，:：;]*+(?:[,，]|(?=[:：;])|\Z)"
    r"|(?:如果|若|もし|만약)[^,，、:：;]*+[,，、]?+",
    re.IGNORECASE,
)


def labelled_bad(words: str) -> bool:
    """Return whether a heading or label calls its examples bad."""
    return _LABEL.search(without_conditions(words)) is not None


def without_conditions(words: str) -> str:
    """Return words without the clauses that say when something holds."""
    return _CONDITION.sub(" ", words)
