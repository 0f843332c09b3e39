"""The `handlebars` template language: Handlebars, Mustache, and dotprompt's helpers.

Owns: where its code begins and ends, and which of its tags open and close blocks. Must not know: other languages.
"""

import re
from collections.abc import Iterator
from typing import Final

from callwright.syntax.comments import HANDLEBARS
from callwright.templates.base import Tag, TagKind, Template

#: A brace before the opener of a block is text: no block opens with three.
_OPENER: Final = re.compile(r"(?<!\{)(?:\{(?=\{\{~?[#^/!>&*]))?+(\{\{(?:\{\{)?)(?![}])")
#: What matters inside code: strings, other openers and the end.
_TOKEN: Final = re.compile(r"\{\{|\}\}|['\"\[]")
_STRING: Final = {
    '"': re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"'),
    "'": re.compile(r"'(?:[^'\\\r\n]++|\\[^\r\n])*+'"),
    "[": re.compile(r"\[[^\[\]\r\n]*+\]"),
}
_SPACE_AFTER: Final = re.compile(r"\s*+")
_WORD: Final = re.compile(r"[\s~]*+([^\s~|=]++)\s*+")
_DELIMITERS: Final = re.compile(r"=\s*+([^\s=]{1,16}+)\s++([^\s=]{1,16}+)\s*+=")
#: How many open blocks a closing tag may leave open.
_MAX_DEPTH: Final = 100
#: Helpers whose text is there once or not at all; the latter two are dotprompt's.
_CHOOSING: Final = frozenset({"if", "unless", "ifEquals", "unlessEquals"})
_REPEATING: Final = frozenset({"each", "list", "foreach", "eachIndex"})
_PLAIN: Final = frozenset({"with", "let", "raw", "section", "role", "block", "inline"})


class Handlebars(Template):
    """Handlebars and Mustache templates: `{{x}}` is a hole, `{{#if}}` has branches, `{{! … }}` is a comment."""

    name = "handlebars"
    title = "Handlebars or Mustache"
    suffixes = (".hbs", ".handlebars", ".mustache")
    front_suffixes = (".prompt",)
    languages = ("handlebars", "mustache", "dotprompt")
    comments = (HANDLEBARS,)
    about = (
        "`{{x}}`, `{{{x}}}`, `{{> partial}}` and dotprompt's `{{media}}`, `{{history}}` and `{{section}}` are "
        "placeholders for unknown text; `{{role}}` yields nothing. The branches of `{{#if}}`, of other blocks with "
        "`{{else}}`, and of a section followed by its inverted section exclude each other; every other block's body "
        "is read once. `~` strips whitespace, `\\{{` is text, and set delimiters are supported."
    )
    sources = (
        "The Handlebars guide, https://handlebarsjs.com/guide/",
        "Handlebars' lexer, https://github.com/handlebars-lang/handlebars-parser/blob/master/src/handlebars.l",
        "mustache(5), https://mustache.github.io/mustache.5.html",
        "The dotprompt template reference, https://google.github.io/dotprompt/reference/template/",
    )

    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the code of a Handlebars or Mustache template."""
        return _joined(text, _Lexer(text).tags(start))


def _joined(text: str, tags: Iterator[Tag]) -> Iterator[Tag]:
    """Yield the tags with a section's end and the beginning of its inverse as one tag between two branches."""
    before: Tag | None = None
    open_: list[tuple[str, str]] = []
    for tag in tags:
        if tag.kind is TagKind.OPEN:
            if before is not None and _goes_on(before, tag, text):
                before = Tag(TagKind.BRANCH, before.start, tag.end, name=tag.name)
                open_.append((tag.name, ""))
                continue
            open_.append((tag.name, tag.condition))
        elif tag.kind is TagKind.CLOSE:
            condition = ""
            while open_:
                name, condition = open_.pop()
                if name == tag.name:
                    break
            if before is not None:
                yield before
            before = tag._replace(condition=condition)
            continue
        elif tag.kind is TagKind.BRANCH and open_:
            # A section with an `else` has all its cases.
            open_[-1] = (open_[-1][0], "")
        if before is not None:
            yield before
        before = tag
    if before is not None:
        yield before


def _goes_on(end: Tag, opening: Tag, text: str) -> bool:
    """Return whether a block opens as the opposite of the one that ends right before it."""
    return (
        end.kind is TagKind.CLOSE
        and end.name == opening.name
        and bool(end.condition)
        and _opposite(end.condition, opening.condition)
        and not text[end.end : opening.start].strip()
    )


def _opposite(one: str, other: str) -> bool:
    return one == f"not {other}" or other == f"not {one}"


class _Lexer:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: Searches that found nothing up to the text's end, and need not be made again.
        self.not_found: set[str] = set()
        self.unquoted: dict[str, int] = {}
        self.open: list[str] = []

    def tags(self, start: int) -> Iterator[Tag]:
        text = self.text
        floor = at = start
        while (opener := _OPENER.search(text, at)) is not None:
            begin = opener.start(1)
            backslashes = self._backslashes(floor, begin)
            if backslashes % 2:
                # An escaped opener: the backslash goes, the rest is text.
                yield Tag(TagKind.NOTHING, begin - 1, begin)
                floor = begin
                at = begin + 2
                continue
            if backslashes:
                yield Tag(TagKind.NOTHING, begin - 1, begin)
                floor = begin
            if len(opener[1]) == 4:
                raw = self._raw(begin)
                for tag in raw:
                    yield tag
                floor = at = raw[-1].end if raw[-1].kind is not TagKind.UNFINISHED else begin + 4
                continue
            end = self._end(begin)
            if end < 0 and text.startswith("{", begin + 2):
                # The first of three braces is text where no three close it.
                begin += 1
                end = self._end(begin)
            if end < 0:
                yield Tag(TagKind.UNFINISHED, begin, -end)
                at = begin + 2
                continue
            tag = self._tag(begin, end, floor)
            yield tag
            floor = at = tag.end
            if tag.name == "=" and tag.kind is TagKind.OPEN:
                for inner in self._custom(tag):
                    yield inner
                    floor = at = inner.end if inner.kind is not TagKind.UNFINISHED else len(text)

    def _backslashes(self, floor: int, begin: int) -> int:
        """Return how many of the two characters before an opener are backslashes, counted from it."""
        text = self.text
        if begin <= floor or text[begin - 1] != "\\":
            return 0
        return 2 if begin - 1 > floor and text[begin - 2] == "\\" else 1

    def _end(self, begin: int) -> int:
        """Return where the code at `begin` ends; minus where it was sought up to, where it does not."""
        text = self.text
        inner = begin + 3 if text.startswith("~", begin + 2) else begin + 2
        if text.startswith("!", inner):
            closer = "--" if text.startswith("--", inner + 1) else "}}"
            return self._comment(inner + 1, closer)
        at = inner
        triple = text.startswith("{", inner)
        if triple:
            at += 1
        while (token := _TOKEN.search(text, at)) is not None:
            delimiter = token[0]
            at = token.end()
            if delimiter == "}}":
                return at + 1 if triple and text.startswith("}", at) else -at if triple else at
            if delimiter == "{{":
                return -(at + 1)
            if token.start() < self.unquoted.get(delimiter, 0):
                continue
            string = _STRING[delimiter].match(text, token.start())
            if string is not None:
                at = string.end()
            else:
                # No such string ends on this line; a quote without its counterpart is an ordinary character.
                line = _LINE_END.search(text, at)
                self.unquoted[delimiter] = line.start() if line is not None else len(text)
        return -len(text)

    def _comment(self, at: int, closer: str) -> int:
        """Return where a comment ends: after two dashes and braces where it began with dashes."""
        if closer not in self.not_found:
            found = (_LONG_END if closer == "--" else _SHORT_END).search(self.text, at)
            if found is not None:
                return found.end()
            self.not_found.add(closer)
        return -len(self.text)

    def _raw(self, begin: int) -> list[Tag]:
        """Return the tags of a raw block, `{{{{name}}}} … {{{{/name}}}}`, or that it never ends."""
        text = self.text
        opening = _RAW_OPEN.match(text, begin)
        if opening is None:
            return [Tag(TagKind.UNFINISHED, begin, min(begin + 300, len(text)))]
        closer = "{{{{/" + opening[1]
        end = -1 if closer in self.not_found else text.find(closer, opening.end())
        closing = _RAW_CLOSE.match(text, end) if end >= 0 else None
        if closing is None:
            self.not_found.add(closer)
            return [Tag(TagKind.UNFINISHED, begin, len(text))]
        return [
            Tag(TagKind.OPEN, begin, opening.end(), name="raw"),
            Tag(TagKind.CLOSE, end, closing.end(), name="raw"),
        ]

    def _tag(self, begin: int, end: int, floor: int) -> Tag:
        text = self.text
        code = text[begin + 2 : end].rstrip("}")
        start, after = begin, end
        if code.startswith("~"):
            while start > floor and text[start - 1].isspace():
                start -= 1
        if code.endswith("~") and len(code) > 1:
            space = _SPACE_AFTER.match(text, end)
            after = space.end() if space is not None else end
        return self._meaning(code.strip("~").strip(), start, after)

    def _meaning(self, code: str, start: int, end: int) -> Tag:
        delimiter, rest = code[:1], code[1:].strip()
        if delimiter == "!":
            return Tag(TagKind.NOTHING, start, end)
        if delimiter == "=":
            return Tag(TagKind.OPEN if _DELIMITERS.fullmatch(code) else TagKind.NOTHING, start, end, code, "=")
        if delimiter == "#" and not rest.startswith("*"):
            return self._open(rest, start, end)
        if delimiter == "#":
            self.open.append("inline")
            return Tag(TagKind.OPEN, start, end, name="inline")
        if delimiter == "$" or delimiter == "<":
            # Mustache's inheritable blocks.
            self.open.append(rest)
            return Tag(TagKind.OPEN, start, end, name=rest)
        if delimiter == "^":
            if not rest:
                return self._branch("", start, end)
            self.open.append(_path(rest))
            return Tag(TagKind.OPEN, start, end, "", _path(rest), True, False, f"not {_path(rest)}")
        if delimiter == "/":
            name = _path(rest)
            if name not in self.open[-_MAX_DEPTH:]:
                return Tag(TagKind.NOTHING, start, end)
            while self.open.pop() != name:
                pass
            return Tag(TagKind.CLOSE, start, end, name=name)
        word = _WORD.match(code)
        if word is not None and word[1] == "else":
            return self._branch(code[word.end() :], start, end)
        if delimiter == "*" or (word is not None and word[1] == "role"):
            return Tag(TagKind.NOTHING, start, end)
        return Tag(TagKind.EXPRESSION, start, end)

    def _open(self, code: str, start: int, end: int) -> Tag:
        partial = code.startswith(">")
        word = _WORD.match(code.removeprefix(">").strip())
        name = word[1] if word is not None else ""
        self.open.append(name)
        if partial or name in _PLAIN:
            return Tag(TagKind.OPEN, start, end, name=name)
        if name in _CHOOSING:
            return Tag(TagKind.OPEN, start, end, "", name, True, False, _condition(code))
        if name in _REPEATING:
            return Tag(TagKind.OPEN, start, end, "", name, True, True)
        # A section is there once, several times or not at all.
        return Tag(TagKind.OPEN, start, end, "", name, True, True, " ".join(code.split()))

    def _branch(self, code: str, start: int, end: int) -> Tag:
        if not self.open:
            return Tag(TagKind.NOTHING, start, end)
        return Tag(TagKind.BRANCH, start, end, name=self.open[-1], condition=_condition(code.strip()))

    def _custom(self, opening: Tag) -> Iterator[Tag]:
        """Yield the tags up to where the delimiters are set back to braces, and the one that does so."""
        text = self.text
        delimiters = _DELIMITERS.fullmatch(opening.text)
        at = opening.end
        while delimiters is not None:
            left, right = delimiters[1], delimiters[2]
            begin = text.find(left, at)
            end = text.find(right, begin + len(left)) if begin >= 0 else -1
            if begin < 0 or end < 0:
                yield Tag(TagKind.UNFINISHED, max(begin, at), len(text))
                return
            code = text[begin + len(left) : end].strip()
            at = end + len(right)
            changed = _DELIMITERS.fullmatch(code)
            if changed is None:
                yield self._meaning(code, begin, at)
                continue
            if (changed[1], changed[2]) == ("{{", "}}"):
                yield Tag(TagKind.CLOSE, begin, at, name="=")
                return
            yield Tag(TagKind.NOTHING, begin, at)
            delimiters = changed


_LINE_END: Final = re.compile(r"[\r\n]")
_LONG_END: Final = re.compile(r"--~?+\}\}")
_SHORT_END: Final = re.compile(r"\}\}")
_RAW_OPEN: Final = re.compile(r"\{\{\{\{\s*+([\w.\-/]{1,100}+)[^{}]{0,200}+\}\}\}\}")
_RAW_CLOSE: Final = re.compile(r"\{\{\{\{/[\w.\-/]{1,100}+\s{0,100}+\}\}\}\}")


def _path(code: str) -> str:
    """Return the first word of a tag's code: what its block is called."""
    word = _WORD.match(code)
    return word[1] if word is not None else code


def _condition(code: str) -> str:
    """Return the condition that `if x`, `unless x` or a word by itself means."""
    words = code.split()
    if words[:1] == ["if"]:
        return " ".join(words[1:])
    return f"not {' '.join(words[1:])}" if words[:1] == ["unless"] else " ".join(words)


TEMPLATE = Handlebars()
