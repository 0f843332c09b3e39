"""Lines of prose that document tools: what one line says by itself.

Owns: how names of tools, lists of parameters, signatures and tables are written in prompts, line by line. Must not
know: tools that exist, what is on other lines, rules, documents.

The forms are those of public prompts: Markdown headings and lists with `(required)` after a name (Cline, Roo,
https://github.com/cline/cline), numbered parameters between `BEGIN FUNCTION` and `END FUNCTION` (OpenHands,
https://github.com/All-Hands-AI/OpenHands), TypeScript types in a namespace (OpenAI,
https://github.com/openai/harmony), signatures of functions (LangChain, https://github.com/langchain-ai/langchain).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from callwright.declarations.named_types import pieces, type_parts
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass
from callwright.text.span import Span
from callwright.tools.schema_check import meant_type

#: A name that a tool or a parameter can have.
_NAME: Final = r"[A-Za-z_]\w{0,99}+(?:[.\-]\w{1,100}+){0,6}+"
_QUOTES: Final = r"[*`'\"]{0,4}+"
_LEAD: Final = " \t>"
_LINE: Final = compile_later(rf"(([{_LEAD}]*+)[^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_ENTRY: Final = compile_later(r"(?:[-*+•◦–]|\d{1,3}[.)]|\(\d{1,3}\))[ \t]++(?=\S)")
_HEADING: Final = compile_later(r"(#{1,6})[ \t]++(?=\S)")
_FENCE: Final = compile_later(r"(`{3,}+|~{3,}+)[ \t]*+([\w+#.-]*+)([^`\r\n]*+)\Z")
_HEAD: Final = compile_later(
    r"(?P<number>\d{1,3}[.):]?[ \t]++)?"
    r"(?P<word>(?:tool|function|command)(?:[ _]?name)?[ \t]*+(?:#?\d{1,3}[ \t]*+)?[:\-–—][ \t]*+|name:[ \t]++)?"
    rf"(?P<open>{_QUOTES})(?P<name>{_NAME})",
    re.IGNORECASE,
)
_AFTER_NAME: Final = compile_later(
    r"[ \t]*+(?:\Z|[:–—=→]|-{1,2}(?!\w)|\((?!\))|\[|(?:tool|function|command)\b[ \t]*+(?:\Z|[:\-–—(]))", re.IGNORECASE
)
_BEGIN: Final = compile_later(rf"[-=*]{{2,}}+[ \t]*+BEGIN (?:FUNCTION|TOOL)(?: #?\d{{1,4}})?:[ \t]*+({_NAME})")
_ELEMENT: Final = compile_later(rf"<tool[ \t]++name=[\"']({_NAME})[\"']")
_CODE: Final = compile_later(
    r"(?:export[ \t]++)?(?:(?P<type>type)|(?:async[ \t]++)?(?P<def>def|function))[ \t]++"
    rf"(?P<name>{_NAME})[ \t]*+(?P<after>[=(])"
)
_TYPE_BODY: Final = compile_later(r"[ \t]*+\([ \t]*+(?:_[ \t]*+:[ \t]*+(\{))?")
_MEMBER: Final = compile_later(rf"[ \t]*+(?:[,;][ \t]*+)?(?P<open>[\"']?)({_NAME})[\"']?(\?)?[ \t]*+:[ \t]*+")
_LABEL: Final = compile_later(
    r"(?:#{1,6}[ \t]++)?[*_]{0,3}+"
    r"(?:(?:all|the|required|optional|mandatory|input|tool|function|method)[ \t]++){0,2}+"
    r"(?P<word>parameters|params|arguments|args|inputs?)(?![ \t]*+=)[*_]{0,3}+"
    r"(?:[ \t]*+\((?P<note>[^()\r\n]{0,80}+)\))?[*_]{0,3}+[ \t]*+(?P<colon>:?)[*_]{0,3}+[ \t]*+(?P<rest>[^\r\n]*+)\Z",
    re.IGNORECASE,
)
_NOTHING: Final = compile_later(r"[(*_]{0,3}+(?:none|no (?:parameters|arguments)|not? needed|n/a)\b", re.IGNORECASE)
_PARAMETER: Final = compile_later(rf"(?P<open>{_QUOTES})(?P<name>{_NAME})(?P<symbol>\??)")
_AFTER_PARAMETER: Final = compile_later(r"[ \t]*+(?P<colon>:?)[*`]{0,3}+[ \t]*+(?P<paren>[(\[])?")
_DASH: Final = compile_later(r"(?:[ \t]++[-–—]{1,2}(?!\w)|[ \t]*+[–—])(?:[ \t\-–—]*+(?P<paren>\())?+")
#: `string or null`, whose `or` is not a condition, and defaults.
_NO_CONDITION: Final = compile_later(r"\b\w+ or \w+\b|\bdefaults?\b[^,;]*+", re.IGNORECASE)
_DIRECT: Final = compile_later(
    r"(?:[-–—][ \t]*+)?`?(?P<type>[A-Za-z]++(?:\[\]|\[[A-Za-z, ]{1,40}+\]|<[A-Za-z, ]{1,40}+>)?)`?[ \t]*+"
    r"(?:(?=\()|,[ \t]*+(?P<word>required|optional)\b|[-–—.](?!\w)|\Z)",
    re.IGNORECASE,
)
_REQUIRED: Final = compile_later(r"(?<![\w-])(required|mandatory|optional)(?![\w-])", re.IGNORECASE)
_CONDITION: Final = compile_later(
    r"\b(?:if|when|unless|except|for|either|or|one|only|with|without|not|conditional\w*|depend\w*|at least)\b",
    re.IGNORECASE,
)
_ATTRIBUTE: Final = compile_later(r"\b(name|type|required)=([\"'])((?:(?!\2)[^<>]){0,100}+)\2")
_PARAMETER_TAG: Final = compile_later(r"<(?:parameter|param|argument|arg)[ \t]++[^<>]{1,300}+>")
_BRACKETS: Final = compile_later(r"[()\[\]{}]")
_CELL: Final = compile_later(r"((?:[^|\\]|\\.)*+)(?:\||\Z)")
_SEPARATOR: Final = compile_later(r"\|?[ \t]*+:?-{2,}+[|: \t-]*+\Z")
_CELL_NAME: Final = compile_later(rf"[ \t]*+({_QUOTES})({_NAME}){_QUOTES}[ \t]*+\Z")

#: How most lines begin: a word and another one, of which none announces anything. Such a line says nothing by itself.
_PLAIN_PROSE: Final = compile_later(
    r"(?!(?:tool|function|command|name|export|type|async|def|parameters?|params?|arguments?|args?|inputs?|required"
    r"|optional|mandatory|method)\b)"
    r"(?!(?:all|the)[ \t]++(?:all|the|required|optional|mandatory|input|tool|function|method|param|arg))"
    r"[A-Za-z]\w{0,40}+[ \t]++(?!(?:tool|function|command)\b)[A-Za-z0-9]",
    re.IGNORECASE,
)

#: The names that Python gives to types, for a prompt that uses them.
PYTHON_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "dict": "object"}
#: Words above a list of members of something else than a tool: a file, a table, a component.
_NO_TOOL: Final = frozenset({"fields", "properties", "attributes", "options"})
#: What a list under a label may begin entries with, and is not a parameter.
_NO_PARAMETER: Final = frozenset(
    {
        "note",
        "notes",
        "example",
        "examples",
        "default",
        "defaults",
        "none",
        "returns",
        "return",
        "warning",
        "tip",
        "tips",
    }
    | {
        "usage",
        "important",
        "description",
        "type",
        "required",
        "optional",
        "format",
        "values",
        "see",
        "output",
        "result",
    }
    | {"parameters", "arguments", "args", "params", "inputs"}
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One parameter as a prompt documents it: its name, its type, and whether it is required.

    `types` are JSON types, None where the text does not state them, as for `required`. A span is None where no single
    word states it. `certain` is true if the line is about a parameter whatever is around it. `quoted` is true if the
    name is in quotes, which end at `after`; `again` are further spans of the name.
    """

    name: str
    span: Span
    types: frozenset[str] | None = None
    type_span: Span | None = None
    required: bool | None = None
    required_span: Span | None = None
    certain: bool = False
    quoted: bool = False
    after: int = 0
    again: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """A line that names a tool: `form` says how, `claims` are the parameters of a signature, None without one."""

    name: str
    span: Span
    form: Literal["title", "word", "line", "begin", "element", "code", "type"]
    quoted: str = ""
    signature: tuple[Claim, ...] | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A line that announces parameters; `required` where it says so of them all, `claims` where it lists them.

    `open` is true if they are on the lines below, `whole` if the claims list all parameters.
    """

    required: bool | None
    claims: tuple[Claim, ...] = ()
    nothing: bool = False
    open: bool = True
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `[start, end)` without its terminator, `at` the offset of what is after indentation and marker.

    `kind` is how it begins, `level` the level of a heading, `marker` the fence's characters, `info` its language.
    """

    start: int
    end: int
    kind: Literal["blank", "fence", "heading", "entry", "row", "text"]
    indent: int = 0
    at: int = 0
    level: int = 0
    marker: str = ""
    info: str = ""
    head: Head | None = None
    label: Label | None = None
    claim: Claim | None = None


def read_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text, each with what it says by itself."""
    for found in _LINE.finditer(text):
        start, end = found.span(1)
        if start < len(text):
            yield read_line(text, start, found.end(2), end, labelled=True)


def read_line(text: str, start: int, at: int, end: int, *, labelled: bool = False) -> Line:
    """Return the line `[start, end)`, of which `at` is the first character after its lead.

    Where it is not to be `labelled`, only a heading is asked whether it is a label: no tool is called so.
    """
    if at == end:
        return Line(start, end, "blank")
    indent = at - start
    if indent:
        indent += 3 * text.count("\t", start, at)
    if _PLAIN_PROSE.match(text, at, end) is not None:
        return Line(start, end, "text", indent, at)
    first = text[at]
    if first in "`~":
        fence = _FENCE.match(text[at:end])
        if fence is not None:
            info = "" if not fence[2] and fence[3].strip() else fence[2].lower()
            return Line(
                start, end, "fence", indent, at, marker=fence[1], info=info or ("?" if fence[3].strip() else "")
            )
    if first == "#":
        heading = _HEADING.match(text, at, end)
        if heading is not None:
            label = _label(text, at, end)
            head = None if label else _head(text, heading.end(), end, "title")
            return Line(start, end, "heading", indent, heading.end(), len(heading[1]), head=head, label=label)
    if first == "|":
        return Line(start, end, "row", indent, at)
    entry = _ENTRY.match(text, at, end)
    if entry is not None:
        inner = entry.end()
        if _PLAIN_PROSE.match(text, inner, end) is not None:
            return Line(start, end, "entry", indent, inner)
        label = _label(text, inner, end) if labelled else None
        head, claim = _head(text, inner, end, "title"), _claim(text, inner, end)
        return Line(start, end, "entry", indent, inner, head=head, label=label, claim=claim)
    label = _label(text, at, end) if labelled else None
    claim = _tag_claim(text, at, end) or _claim(text, at, end)
    return Line(start, end, "text", indent, at, head=_text_head(text, at, end), label=label, claim=claim)


def _text_head(text: str, at: int, end: int) -> Head | None:
    first = text[at]
    if first in "-=*":
        begin = _BEGIN.match(text, at, end)
        if begin is not None:
            return Head(begin[1], Span(*begin.span(1)), "begin")
    if first == "<":
        element = _ELEMENT.match(text, at, end)
        return Head(element[1], Span(*element.span(1)), "element") if element is not None else None
    code = _CODE.match(text, at, end)
    if code is not None:
        return _code_head(text, code, end)
    return _head(text, at, end, "title" if text.startswith("**", at) else "line")


def _code_head(text: str, code: re.Match[str], end: int) -> Head | None:
    span = Span(*code.span("name"))
    if code["type"] is None:
        if code["after"] != "(":
            return None
        inside = bracketed(text, code.end() - 1, end)
        claims, whole = _signature(text, Span(inside.start, inside.end)) if inside is not None else (None, False)
        return Head(code["name"], span, "code", "", claims, whole and claims is not None)
    if code["after"] != "=":
        return None
    body = _TYPE_BODY.match(text, code.end(), end)
    if body is None:
        return None
    if body[1] is None:
        return Head(code["name"], span, "type", "", (), whole=True)
    inside = bracketed(text, body.end() - 1, end)
    if inside is None:
        return Head(code["name"], span, "type")
    members = tuple(_members(text, inside.start, inside.end))
    return Head(code["name"], span, "type", "", members, whole=True)


def _members(text: str, start: int, end: int) -> Iterator[Claim]:
    """Yield the members of an object type that is on one line; those of inner objects are skipped."""
    for part in pieces(text, Span(start, end), "[,;]"):
        claim = member_claim(text, part.start, part.end)
        if claim is not None:
            yield claim


def member_claim(text: str, start: int, end: int) -> Claim | None:
    """Return the member of an object type that is on a line, None where none does."""
    found = _MEMBER.match(text, start, end)
    if found is None:
        return None
    stop = end
    for part in pieces(text, Span(found.end(), end), "[,;]"):
        stop = part.end
        break
    comment = text.find("//", found.end(), stop)
    stop = comment if comment >= 0 else stop
    types, type_span = _types(text, Span(found.end(), stop))
    return Claim(found[2], Span(*found.span(2)), types, type_span, found[3] is None, None, certain=True, quoted=True)


def _head(text: str, at: int, end: int, form: Literal["title", "line"]) -> Head | None:
    """Return the tool that a heading, an entry or a line names, None where it is about something else."""
    found = _HEAD.match(text, at, end)
    if found is None or (form == "line" and found["number"]):
        return None
    after = found.end()
    claims: tuple[Claim, ...] | None = None
    whole = False
    if after < end and text[after] == "(":
        inside = bracketed(text, after, end)
        if inside is not None:
            claims, whole = _signature(text, inside)
            after = inside.end + 1
    quotes = found["open"]
    closing = after
    while closing < end and text[closing] in "*`'\"" and closing - after < 4:
        closing += 1
    if bool(quotes) != (closing > after) and not (quotes and text.startswith(":", after)):
        # A colon may be inside the bold text: `**read_file:** …`.
        return None
    if _AFTER_NAME.match(text[closing : min(closing + 40, end)]) is None:
        return None
    span = Span(*found.span("name"))
    word = found["word"]
    if text[closing:end].strip(" \t*:") if word else found["name"].lower() in _NO_TOOL:
        return None
    kind: Literal["title", "word", "line"] = "word" if word else form
    return Head(found["name"], span, kind, quotes, claims, whole and claims is not None)


def _signature(text: str, inside: Span) -> tuple[tuple[Claim, ...] | None, bool]:
    """Return the parameters between brackets and whether these are all; None where something else is there."""
    claims: list[Claim] = []
    whole = True
    for part in (piece.trimmed(text) for piece in pieces(text, inside, ",")):
        bare = part.of(text)
        if not bare:
            continue
        if bare in ("...", "…", "*", "/", "**kwargs", "*args", "...args"):
            whole = whole and bare == "/"
            continue
        if bare in ("self", "cls", "ctx") or (claims and bare[0] in "\"'"):
            # What is quoted is one more choice of the parameter before it.
            continue
        optional = bare.startswith("[") and bare.endswith("]")
        end = part.end - optional
        found = _PARAMETER.match(text, part.start + optional, end)
        if found is None or found["open"]:
            return None, False
        claim = _signature_claim(text, found, end, optional=optional)
        if claim is None:
            return None, False
        claims.append(claim)
    return (tuple(claims), whole) if claims else (None, False)


def _signature_claim(text: str, found: re.Match[str], end: int, *, optional: bool) -> Claim | None:
    span = Span(*found.span("name"))
    rest = text[found.end() : end]
    stripped = rest.lstrip()
    at = found.end() + len(rest) - len(stripped)
    lenient = optional or bool(found["symbol"])
    if not stripped:
        return Claim(found["name"], span, None, None, False if lenient else None, certain=True, quoted=True)
    if not stripped.startswith(":"):
        return None
    default = text.find("=", at, end)
    types, type_span = _types(text, Span(at + 1, default if default >= 0 else end))
    required = not (lenient or default >= 0)
    return Claim(found["name"], span, types, type_span, required, certain=True, quoted=True)


def _label(text: str, at: int, end: int) -> Label | None:
    if text[at] not in "#*_aAtTrRoOmMiIfFpP":
        return None
    found = _LABEL.match(text[at:end])
    if found is None:
        return None
    words = f"{found[0][: found.start('word')]} {found['note'] or ''}".lower()
    required: bool | None = None
    if _CONDITION.search(found["note"] or "") is None:
        required = True if "required" in words or "mandatory" in words else False if "optional" in words else None
    rest = found["rest"]
    if _NOTHING.match(rest) or _NOTHING.match(found["note"] or ""):
        return Label(required, (), nothing=True)
    if not rest:
        # Without a colon it is a heading, or bold, or a word of some sentence.
        return Label(required) if found["colon"] or text[at] in "#*_" else None
    if not found["colon"]:
        return None
    start = at + found.start("rest")
    claims = _inline(text, start, end)
    if claims is not None:
        return Label(required, claims, open=False)
    if rest[0] == "(" and rest[-1] == ")":
        return Label(required)
    # After the first parameter is what it is for; there may be others.
    single = _claim(text, start, end)
    own = (single,) if single is not None and single.quoted and single.certain else ()
    return Label(required, own, open=False, whole=False)


def _inline(text: str, start: int, end: int) -> tuple[Claim, ...] | None:
    """Return the parameters of a list on the label's own line; None where it is a sentence."""
    claims: list[Claim] = []
    whole = Span(start, start + len(text[start:end].rstrip(" \t.")))
    for part in pieces(text, whole, ","):
        at = part.trimmed(text).start
        found = _PARAMETER.match(text, at, part.end)
        if found is None:
            return None
        claim = _claim(text, at, part.end)
        stop = found.end() + len(found["open"])
        rest = text[stop : part.end].strip()
        if rest and not (rest.startswith("(") and rest.endswith(")")):
            return None
        if claim is None:
            return None
        claims.append(claim)
    return tuple(claims)


def _claim(text: str, at: int, end: int) -> Claim | None:
    """Return the parameter that an entry is about, None where it is about something else."""
    found = _PARAMETER.match(text, at, end)
    if found is None:
        return None
    quotes, lenient = found["open"], bool(found["symbol"])
    closing = found.end()
    colon_inside = bool(quotes) and text.startswith(":", closing)
    closing += colon_inside
    shut = closing
    while shut < end and text[shut] in "*`'\"" and shut - closing < 4:
        shut += 1
    if bool(quotes) != (shut > closing):
        return None
    after = _AFTER_PARAMETER.match(text, shut, end)
    assert after is not None
    dash = _DASH.match(text, shut, min(shut + 12, end))
    if not (after["colon"] or after["paren"] or dash or colon_inside or shut == end):
        return None
    name, span = found["name"], Span(*found.span("name"))
    colon = bool(after["colon"]) or colon_inside
    stated: _ParameterFacts | None
    dashed = dash is not None and dash["paren"] is not None
    opened = dash if dashed else after if after["paren"] else None
    if opened is not None:
        inside = bracketed(text, opened.end() - 1, end)
        if inside is None:
            return Claim(name, span, quoted=bool(quotes), after=shut)
        stated = _in_brackets(text, inside, end, lenient=lenient, colon=colon or dashed)
        if stated is None:
            return None
    else:
        stated = _direct(text, after.end(), end) if colon else _ParameterFacts()
        stated.certain = lenient or stated.types is not None
    if lenient and stated.required is None:
        stated.required = False
    return Claim(
        name, span, stated.types, stated.type_span, stated.required, stated.span, stated.certain, bool(quotes), shut
    )


def _in_brackets(text: str, inside: Span, end: int, *, lenient: bool, colon: bool) -> _ParameterFacts | None:
    """Return what the brackets after a name say of the parameter, None where they are part of a sentence."""
    stated = _parenthesis(text, inside)
    tail = text[inside.end + 1 : min(inside.end + 6, end)].lstrip(" \t*`")
    goes_on = tail or text[inside.end + 1 : end].strip()
    if not stated.certain and not colon and goes_on and tail[:1] not in (":", "-", "–", "—"):
        return None
    if stated.types is None and (lenient or stated.required is not None) and (colon or tail[:1] == ":"):
        after = inside.end + 1
        while after < end and text[after] in " \t:*":
            after += 1
        typed = _direct(text, after, end)
        stated.types, stated.type_span = typed.types, typed.type_span
    return stated


@dataclass(slots=True)
class _ParameterFacts:
    """What a line states about a parameter: its types, and whether it is required, each with its span.

    `certain` is true if that shows that the name is a parameter's.
    """

    types: frozenset[str] | None = None
    type_span: Span | None = None
    required: bool | None = None
    span: Span | None = None
    certain: bool = False


def _direct(text: str, at: int, end: int) -> _ParameterFacts:
    """Return the type that is after a name's colon as a word of its own, and what the line states after it."""
    found = _DIRECT.match(text[at : min(end, at + 120)])
    if found is None:
        return _ParameterFacts()
    types, type_span = _types(text, Span(*found.span("type")).shift(at))
    if types is None:
        return _ParameterFacts()
    stated = _ParameterFacts(types, type_span)
    after = at + found.end()
    if found["word"]:
        if _CONDITION.match(text[after : min(end, after + 30)].lstrip()) is None:
            stated.required = found["word"].lower() == "required"
            stated.span = Span(*found.span("word")).shift(at)
    elif after < end and text[after] == "(" and (inside := bracketed(text, after, end)) is not None:
        own = _parenthesis(text, inside)
        stated.required, stated.span = own.required, own.span
    return stated


def _parenthesis(text: str, inside: Span) -> _ParameterFacts:
    """Return what is in brackets after a parameter."""
    found = _ParameterFacts()
    if inside.end - inside.start > 200:
        return found
    for number, part in enumerate(pieces(text, inside, "[,;/]")):
        piece = part.of(text)
        stated = _REQUIRED.search(piece)
        if stated is not None:
            found.certain = True
            if (
                _CONDITION.search(piece[: stated.start()] + piece[stated.end() :]) is not None
                or found.required is not None
            ):
                found.required = found.span = None
                break
            found.required = stated[1].lower() != "optional"
            found.span = Span(*stated.span(1)).shift(part.start)
            leading = Span(part.start, part.start + stated.start())
            if found.types is None and leading.of(text).strip(" \t*`:-–—"):
                found.types, found.type_span = _types(text, leading)
        elif found.types is None and number < 2:
            found.types, found.type_span = _types(text, part)
            found.certain = found.certain or found.types is not None
    if found.required is not None and _CONDITION.search(_NO_CONDITION.sub("", inside.of(text))) is not None:
        found.required = found.span = None
    return found


def _types(text: str, span: Span) -> tuple[frozenset[str] | None, Span | None]:
    """Return the JSON types that an expression names, with its span where it is a single word; None where they are
    uncertain."""
    span = span.trimmed(text, " \t`*\"'")
    span = Span(span.start, span.start + len(span.of(text).rstrip(" \t`*\"':")))
    if span.end - span.start > 80:
        return None, None
    kind = type_parts(text, span).get("type")
    if kind is None:
        return None, None
    types = [kind.value] if isinstance(kind.value, str) else kind.value
    return frozenset(types), span if meant_type(span.of(text)) is not None else None


def _tag_claim(text: str, at: int, end: int) -> Claim | None:
    """Return the parameter that an element of a listing describes: one that gives a type or says `required`."""
    if text[at] != "<":
        return None
    tag = _PARAMETER_TAG.match(text, at, end)
    if tag is None:
        return None
    stated = {found[1]: found for found in _ATTRIBUTE.finditer(text, at, tag.end())}
    name = stated.get("name")
    if name is None or ("type" not in stated and "required" not in stated):
        return None
    if re.fullmatch(_NAME, name[3]) is None:
        return None
    types, type_span = _types(text, Span(*stated["type"].span(3))) if "type" in stated else (None, None)
    value = stated["required"][3].lower() if "required" in stated else ""
    required = {"true": True, "yes": True, "false": False, "no": False}.get(value)
    return Claim(name[3], Span(*name.span(3)), types, type_span, required, None, certain=True, quoted=True)


def cells(text: str, line: Line) -> list[Span]:
    """Return the cells of a row of a table, without the bars."""
    start = line.at + text.startswith("|", line.at)
    end = start + len(text[start : line.end].rstrip(" \t").removesuffix("|"))
    found: list[Span] = []
    while start <= end:
        cell = _CELL.match(text, start, end)
        if cell is None:
            break
        found.append(Span(*cell.span(1)))
        if cell.end() == cell.end(1):
            break
        start = cell.end()
    return found


def is_separator(text: str, line: Line) -> bool:
    """Return whether a row divides a table's head from its body."""
    return _SEPARATOR.match(text[line.at : line.end]) is not None


def row_claim(text: str, row: list[Span], columns: dict[str, int]) -> Claim | None:
    """Return the parameter that a row of a table is about; `columns` says in which cell `name`, `type` and `required`
    are."""
    name = cell_name(text, row, columns["name"])
    if name is None:
        return None
    types: frozenset[str] | None = None
    type_span: Span | None = None
    required: bool | None = None
    if "type" in columns and columns["type"] < len(row):
        types, type_span = _types(text, row[columns["type"]])
    if "required" in columns and columns["required"] < len(row):
        word = row[columns["required"]].of(text).strip(" \t*`").lower()
        required = {
            "yes": True, "true": True, "required": True, "✓": True, "✅": True, "y": True,
            "no": False, "false": False, "optional": False, "✗": False, "❌": False, "n": False,
        }.get(word)  # fmt: skip
    return Claim(name.of(text), name, types, type_span, required, None, certain=True, quoted=True)


def cell_name(text: str, row: list[Span], number: int) -> Span | None:
    """Return the span of the name that is all a cell holds, None where it holds something else."""
    if number >= len(row):
        return None
    found = _CELL_NAME.match(row[number].of(text))
    return Span(*found.span(2)).shift(row[number].start) if found is not None else None


def may_be_parameter(claim: Claim) -> bool:
    """Return whether an entry of a list of parameters is one: some are remarks that begin with a word and a colon."""
    if claim.certain or claim.quoted:
        return True
    return claim.name.lower() not in _NO_PARAMETER and not claim.name[:1].isupper()


def bracketed(text: str, at: int, end: int) -> Span | None:
    """Return what is between the bracket at `at` and the one that closes it before `end`."""
    depth = 0
    for found in _BRACKETS.finditer(text, at, min(end, at + 2_000)):
        depth += 1 if found[0] in "([{" else -1
        if depth == 0:
            return Span(at + 1, found.start())
    return None
