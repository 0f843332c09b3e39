"""The `jinja` template language: Jinja, and what Django, Twig and Liquid templates share with it.

Owns: where its code begins and ends, and which of its tags open and close blocks. Must not know: other languages.
"""

import re
from collections.abc import Iterator
from typing import Final

from callwright.syntax.comments import JINJA
from callwright.templates.base import Tag, TagKind, Template
from callwright.text.records import NamedTuple

_OPENER: Final = re.compile(r"\{[{%#]")
#: What matters inside code: strings, braces, other openers and the two ends.
_TOKEN: Final = re.compile(r"[{}'\"]|%\}")
_STRING: Final = {
    "'": re.compile(r"'(?:[^'\\]++|\\[\s\S])*+'"),
    '"': re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"'),
}
_NAME: Final = re.compile(r"[-+]?\s*+(\w++)\s*+")
_SPACE_AFTER: Final = re.compile(r"\s*+")
_CONSTANT: Final = re.compile(
    r"[-+]?\s*+(?:'(?P<single>(?:[^'\\]++|\\['\"\\nrt])*+)'|\"(?P<double>(?:[^\"\\]++|\\['\"\\nrt])*+)\")"
    r"\s*+[-+]?\}\}"
)
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}
#: How many open blocks a closing tag may leave open.
_MAX_DEPTH: Final = 100
_NEGATED: Final = re.compile(r"not\b\s*+")


class _Block(NamedTuple):
    """What a tag that opens a block says of it."""

    choice: bool = False
    repeats: bool = False


_BLOCKS: Final = {
    "if": _Block(choice=True),
    "unless": _Block(choice=True),
    "ifchanged": _Block(choice=True),
    "case": _Block(choice=True),
    "for": _Block(choice=True, repeats=True),
    "tablerow": _Block(choice=True, repeats=True),
    **dict.fromkeys(
        (
            "macro",
            "call",
            "filter",
            "block",
            "with",
            "autoescape",
            "generation",
            "spaceless",
            "apply",
            "sandbox",
            "trans",
            "blocktrans",
            "blocktranslate",
            "embed",
            "cache",
            "language",
            "localize",
            "capture",
            "highlight",
        ),
        _Block(),
    ),
}
#: Tags after which everything up to their end is text, and whether that text is rendered.
_VERBATIM: Final = {"raw": True, "verbatim": True, "comment": False}
_END_OF: Final = {name: re.compile(rf"\{{%[-+]?\s*+end{name}\s*+[-+]?%\}}") for name in _VERBATIM}
_BRANCHES: Final = {
    "elif": ("if", "ifchanged"),
    "elseif": ("if",),
    "elsif": ("if", "unless"),
    "else": ("if", "for", "unless", "case", "tablerow", "ifchanged"),
    "empty": ("for",),
    "when": ("case",),
    "pluralize": ("trans",),
    "plural": ("blocktrans", "blocktranslate"),
}
#: Tags that yield nothing.
_SILENT: Final = frozenset(
    {"set", "do", "import", "from", "extends", "break", "continue", "debug", "load", "use", "assign", "flush"}
    | {"deprecated", "increment", "decrement", "layout", "regroup"}
)


class Jinja(Template):
    """Jinja templates: `{{ … }}` is a hole, `{% if %}` has branches, `{% raw %}` is text, `{# … #}` is a comment."""

    name = "jinja"
    title = "Jinja"
    suffixes = (".j2", ".jinja", ".jinja2", ".jnj", ".prompty", ".liquid", ".twig", ".njk")
    languages = ("jinja", "jinja-md", "jinja-html", "jinja-json", "jinja-yaml", "jinja-xml", "liquid", "twig")
    comments = (JINJA,)
    about = (
        "`{{ … }}` is a placeholder for unknown text, or for its own text where it is a quoted string. The branches"
        " of `{% if %}` exclude each other, the body of `{% for %}`, `{% macro %}` and other blocks is read once, what"
        " `{% raw %}` holds is text, and `{% include %}` yields unknown text. Dashes strip whitespace."
        " Liquid, Django and Twig templates are read as well. Line statements are text."
    )
    sources = (
        "Jinja's template designer documentation, https://jinja.palletsprojects.com/en/stable/templates/",
        "Jinja's lexer, https://github.com/pallets/jinja/blob/main/src/jinja2/lexer.py",
    )

    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the code of a Jinja template."""
        return _Lexer(text).tags(start)

    def escape(self, text: str) -> str:
        """Return `text` with each of its openers as an expression that yields it."""
        return _OPENER.sub(r"{{ '\g<0>' }}", text)


class _Lexer:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: Searches that found nothing up to the text's end, and need not be made again.
        self.not_found: set[str] = set()
        #: The names of the blocks that are open, for tags that mean something in some of them alone.
        self.open: list[str] = []

    def tags(self, start: int) -> Iterator[Tag]:
        text = self.text
        floor = at = start
        while (opener := _OPENER.search(text, at)) is not None:
            begin = opener.start()
            end = self._comment(begin) if text[begin + 1] == "#" else self._code(begin)
            if end < 0:
                yield Tag(TagKind.UNFINISHED, begin, -end)
                at = begin + 2
                continue
            outer = self._outer(floor, begin, end)
            floor = at = outer[1]
            if text[begin + 1] == "#":
                yield Tag(TagKind.NOTHING, *outer)
            elif text[begin + 1] == "{":
                yield from self._expression(begin, end, outer)
            else:
                for tag in self._statement(text[begin + 2 : end - 2], outer):
                    yield tag
                    floor = at = tag.end

    def _outer(self, floor: int, begin: int, end: int) -> tuple[int, int]:
        """Return the span of a tag with the white space that its dashes take away."""
        text = self.text
        if text.startswith("-", begin + 2) and end - begin > 4:
            while begin > floor and text[begin - 1].isspace():
                begin -= 1
        if text[end - 3] == "-":
            space = _SPACE_AFTER.match(text, end)
            end = space.end() if space is not None else end
        return begin, end

    def _comment(self, begin: int) -> int:
        """Return where the comment at `begin` ends; minus the text's length where it does not."""
        end = -1 if "#}" in self.not_found else self.text.find("#}", begin + 2)
        if end < 0:
            self.not_found.add("#}")
            return -len(self.text)
        return end + 2

    def _code(self, begin: int) -> int:
        """Return where the code at `begin` ends; minus where it was sought up to, where it does not."""
        text = self.text
        closer = "%}" if text[begin + 1] == "%" else "}}"
        depth = 0
        at = begin + 2
        while (token := _TOKEN.search(text, at)) is not None:
            place, delimiter = token.start(), token[0]
            at = token.end()
            if delimiter == "%}":
                if closer == "%}":
                    return at
            elif delimiter == "{":
                if text[at : at + 1] in ("{", "%", "#"):
                    # Another tag begins: this one was never closed.
                    return -(at + 1)
                depth += 1
            elif delimiter == "}":
                if depth:
                    depth -= 1
                elif closer == "}}" and text.startswith("}", at):
                    return at + 1
            elif delimiter not in self.not_found:
                string = _STRING[delimiter].match(text, place)
                if string is None:
                    self.not_found.add(delimiter)
                    # What follows depends on there being no other such mark.
                    return -len(text)
                at = string.end()
        return -len(text)

    def _expression(self, begin: int, end: int, outer: tuple[int, int]) -> Iterator[Tag]:
        """Yield a hole, or for a quoted string what is around its text and each escape in it."""
        constant = _CONSTANT.match(self.text, begin + 2, end)
        if constant is None:
            yield Tag(TagKind.EXPRESSION, *outer)
            return
        start, stop = constant.span("single" if constant["single"] is not None else "double")
        yield Tag(TagKind.OPEN, outer[0], start, name="'")
        for escape in _ESCAPE.finditer(self.text, start, stop):
            yield Tag(TagKind.TEXT, *escape.span(), _ESCAPED.get(escape[1], escape[1]))
        yield Tag(TagKind.CLOSE, stop, outer[1], name="'")

    def _statement(self, code: str, outer: tuple[int, int]) -> Iterator[Tag]:
        """Yield the tags that a statement means: itself, and the end of what it holds verbatim."""
        named = _NAME.match(code)
        name = named[1] if named is not None else ""
        rest = code[named.end() :].rstrip("-+ \t\r\n") if named is not None else ""
        if name in _VERBATIM:
            yield from self._verbatim(name, outer)
        elif name == "set" and "=" not in rest and rest:
            self.open.append("set")
            yield Tag(TagKind.OPEN, *outer, name="set")
        elif name in _BLOCKS:
            self.open.append(name)
            block = _BLOCKS[name]
            condition = "" if block.repeats else _denied(_plain(rest)) if name == "unless" else _plain(rest)
            yield Tag(TagKind.OPEN, *outer, "", name, block.choice, block.repeats, condition)
        elif (of := self._divided(name)) is not None:
            yield Tag(TagKind.BRANCH, *outer, name=of, condition=_plain(rest))
        elif name.startswith("end") and name[3:] in self.open[-_MAX_DEPTH:]:
            while self.open.pop() != name[3:]:
                pass
            yield Tag(TagKind.CLOSE, *outer, name=name[3:])
        elif name in _SILENT or name.startswith("end") or name in _BRANCHES or not name:
            yield Tag(TagKind.NOTHING, *outer)
        else:
            # What an extension's tag yields is unknown.
            yield Tag(TagKind.EXPRESSION, *outer)

    def _divided(self, name: str) -> str | None:
        """Return the innermost open block that a tag of that name divides, None where it divides none."""
        blocks = _BRANCHES.get(name, ())
        return next((each for each in self.open[:-_MAX_DEPTH:-1] if each in blocks), None)

    def _verbatim(self, name: str, outer: tuple[int, int]) -> Iterator[Tag]:
        """Yield a tag with verbatim text after it and the tag that ends it."""
        end = None
        if name not in self.not_found:
            end = _END_OF[name].search(self.text, outer[1])
        if end is None:
            self.not_found.add(name)
            yield Tag(TagKind.OPEN, *outer, name=name)
            yield Tag(TagKind.UNFINISHED, outer[1], len(self.text))
            return
        if _VERBATIM[name]:
            yield Tag(TagKind.OPEN, *outer, name=name)
            yield Tag(TagKind.CLOSE, *self._outer(outer[1], end.start(), end.end()), name=name)
        else:
            yield Tag(TagKind.NOTHING, outer[0], self._outer(outer[1], end.start(), end.end())[1])


def _plain(condition: str) -> str:
    """Return a condition as it is compared with others."""
    condition = " ".join(condition.split())
    return _denied(condition[found.end() :]) if (found := _NEGATED.match(condition)) is not None else condition


def _denied(condition: str) -> str:
    if condition.startswith("not "):
        return condition[4:]
    # What `not` binds is all of it only where nothing weaker is in it.
    return f"not {condition}" if " or " not in condition and " and " not in condition else f"not ({condition})"


TEMPLATE = Jinja()
