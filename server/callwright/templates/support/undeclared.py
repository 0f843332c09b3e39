"""Undeclared templates: what in a text is template code whatever its language is.

Owns: distinguishing expressions and statements of Jinja, Go, Handlebars and format strings from the text around them
where no file name, setting or comment names the language. Must not know: hosts, documents.

It takes what can be nothing else. An expression is a hole. A statement that opens a block has branches only where the
block is closed nearby; a lone one, as prose mentions it, is a hole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.templates.base import Tag, TagKind, Template
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass

#: A text without any of these holds no such code.
MAY_HOLD: Final = re.compile(r"\{[{%]")
_STRINGS: Final = r"\"(?:[^\"\\\r\n]|\\.){0,400}+\"|'(?:[^'\\\r\n]|\\.){0,400}+'"
_CODE: Final = compile_later(
    rf"""
    \{{%[-+~]?\s*+(?P<statement>\w++(?:[^{{}}%"']|%(?!\}})|{_STRINGS}|\{{[^{{}}%]{{0,200}}+\}}){{0,400}}+)%\}}
    |\{{\{{!(?:--)?+[^{{}}]{{0,1000}}+\}}\}}
    |\{{\{{-?\s*+`[^`]{{0,1000}}+`\s*+-?\}}\}}
    |(?P<third>\{{)?\{{\{{(?!\{{)[-~]?\s*+(?P<expression>(?!["'][^"'\r\n]{{0,100}}+["']\s*+:|[\w.\-]++\s*+:)(?:[\w.$@(\[#/^&>|*]|{_STRINGS})
      (?:[^{{}}"']|{_STRINGS}|\{{[^{{}}]{{0,200}}+\}}){{0,400}}+)\}}\}}(?(third)\}})
    """,
    re.VERBOSE,
)
#: How far a tag is checked for its end, and how far a block may continue for its own.
_MAX_LENGTH: Final = 12_000
_FARTHEST: Final = 6_000
#: How many open blocks a closing tag may leave open.
_MAX_DEPTH: Final = 50
_DOUBLED: Final = compile_later(r"\{\{(?=\s*+[\"'])")
_BRACES: Final = compile_later(r"\{++|\}++")
_FIELD: Final = compile_later(r"[A-Za-z_][\w.\[\]]{0,80}+(?:![rsa])?(?::[^{}\r\n]{0,20})?\}")
_JINJA: Final = frozenset(
    {"if", "unless", "for", "case", "macro", "call", "filter", "block", "with", "autoescape", "generation", "raw"}
    | {"capture", "trans", "tablerow", "verbatim"}
)
_GO: Final = frozenset({"if", "range", "with", "block", "define"})
_REPEATS: Final = frozenset({"for", "range", "each", "tablerow"})
_PLAIN: Final = frozenset({"macro", "call", "filter", "block", "define", "autoescape", "generation", "raw", "verbatim"})
_WORD: Final = compile_later(r"[#/^]?\s*+[\w.\-]*+")


@dataclass(slots=True)
class _Piece:
    """A tag with what it does to blocks: `opens` and `closes` name its family and word, `divides` begins a branch."""

    tag: Tag
    opens: str = ""
    closes: str = ""
    divides: bool = False
    condition: str = ""
    matched: bool = False


class Undeclared(Template):
    """The code of all template languages together, as far as it is no other text."""

    name = "undeclared"
    title = "undeclared templates"

    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the code that is in a text."""
        pieces = list(_pieces(text, start))
        _match(pieces)
        open_: list[_Piece] = []
        for piece in pieces:
            tag = piece.tag
            if piece.opens and piece.matched:
                open_.append(piece)
                word = piece.opens.partition(" ")[2]
                choice, repeats = word not in _PLAIN, word in _REPEATS
                yield Tag(TagKind.OPEN, tag.start, tag.end, "", piece.opens, choice, repeats, piece.condition)
            elif piece.closes and piece.matched:
                open_.pop()
                yield Tag(TagKind.CLOSE, tag.start, tag.end, name=piece.closes)
            elif piece.divides and open_:
                yield Tag(TagKind.BRANCH, tag.start, tag.end, name=open_[-1].opens, condition=piece.condition)
            else:
                if piece.opens:
                    yield Tag(TagKind.UNFINISHED, tag.start, min(tag.start + _FARTHEST, len(text)))
                yield tag


#: The one there is.
UNDECLARED: Final = Undeclared()


def _pieces(text: str, start: int) -> Iterator[_Piece]:
    at = start
    while (found := MAY_HOLD.search(text, at)) is not None:
        begin = found.start()
        code = _CODE.match(text, begin)
        if code is not None:
            yield _piece(code)
            at = code.end()
            continue
        doubled = _doubled(text, begin)
        for tag in doubled:
            yield _Piece(tag)
        at = doubled[-1].end if doubled else begin + 1
        if not doubled:
            yield _Piece(Tag(TagKind.UNFINISHED, begin, min(begin + _MAX_LENGTH, len(text))))


def _piece(code: re.Match[str]) -> _Piece:
    tag = Tag(TagKind.EXPRESSION, *code.span())
    statement = code["statement"]
    if statement is not None:
        name = _first_word(statement)
        rest = statement[len(name) :].rstrip("-+~ \t\r\n").strip()
        if name == "set" and "=" not in rest and rest:
            return _Piece(tag, opens="jinja set")
        if name.startswith("end") and len(name) > 3:
            return _Piece(tag, closes=f"jinja {name[3:]}")
        if name in ("else", "elif", "elseif", "elsif", "when", "empty"):
            return _Piece(tag, divides=True, condition="" if name == "else" else rest)
        return _Piece(tag, opens=f"jinja {name}", condition=rest) if name in _JINJA else _Piece(tag)
    expression = (code["expression"] or "").rstrip("-~ \t\r\n")
    name = _first_word(expression)
    rest = expression[len(name) :].strip()
    if name[:1] in ("#", "^"):
        word = name[1:].strip()
        return _Piece(tag, opens=f"mustache {word}", condition=f"{name[:1]}{word} {rest}")
    if name[:1] == "/":
        return _Piece(tag, closes=f"mustache {name[1:].strip()}")
    if name == "else":
        return _Piece(tag, divides=True, condition=rest)
    if name == "end" and not rest:
        return _Piece(tag, closes="go end")
    if name in _GO and rest:
        return _Piece(tag, opens=f"go {name}", condition=rest)
    return _Piece(tag)


def _first_word(code: str) -> str:
    found = _WORD.match(code)
    return "" if found is None else found[0].strip()


def _match(pieces: list[_Piece]) -> None:
    """Pair what opens and closes a block; what crosses another pair or lies too far from its own has none."""
    open_: list[_Piece] = []
    for piece in pieces:
        if piece.opens:
            open_.append(piece)
        elif piece.closes:
            go = piece.closes == "go end"
            at, lowest = len(open_) - 1, max(len(open_) - _MAX_DEPTH, 0)
            while at >= lowest and not (open_[at].opens.startswith("go ") if go else open_[at].opens == piece.closes):
                at -= 1
            if at < lowest or piece.tag.start - open_[at].tag.start > _FARTHEST:
                continue
            opener = open_[at]
            piece.closes = opener.opens
            opener.matched = piece.matched = True
            del open_[at:]


def _doubled(text: str, begin: int) -> list[Tag]:
    """Return the doubled braces and the fields of an object in a format string; none where some are not doubled."""
    if _DOUBLED.match(text, begin) is None:
        return []
    tags: list[Tag] = []
    depth = 0
    at, limit = begin, min(begin + _FARTHEST, len(text))
    while (found := _BRACES.search(text, at, limit)) is not None:
        place, at = found.span()
        while at - place >= 2:
            tags.append(Tag(TagKind.TEXT, place, place + 2, text[place]))
            depth += 1 if text[place] == "{" else -1
            place += 2
            if not depth:
                return tags
        if depth > _MAX_DEPTH:
            return []
        if place == at:
            continue
        field = _FIELD.match(text, at) if text[place] == "{" else None
        if field is None:
            return []
        tags.append(Tag(TagKind.EXPRESSION, place, field.end()))
        at = field.end()
    return []
