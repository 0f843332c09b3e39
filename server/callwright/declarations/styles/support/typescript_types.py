"""Types of TypeScript as JSON Schemas, with the places of their parts.

Owns: `TypeReader`: types, members and their comments, names of types that the same text declares. Must not know: where
a declaration begins and ends, what makes a type a tool.

What JSON Schema cannot express, or the text does not state, is left open (`{}`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from callwright.declarations.styles.support.typescript_tokens import Token, is_elsewhere, tokens
from callwright.text.javascript_literals import JavaScriptString
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence

#: How deep types are followed.
_DEPTH: Final = 30
#: A schema of more values than this is left open: names of types may double it at each step.
_LARGEST: Final = 20_000
_PLAIN: Final = {
    "string": "string", "str": "string", "String": "string", "number": "number", "float": "number", "double": "number",
    "Number": "number", "integer": "integer", "int": "integer", "long": "integer", "bigint": "integer",
    "boolean": "boolean", "bool": "boolean", "Boolean": "boolean", "object": "object", "Object": "object",
    "null": "null", "array": "array", "Array": "array", "ReadonlyArray": "array",
}  # fmt: skip
_SAME: Final = frozenset({"Readonly", "Required", "NonNullable"})
_ARRAYS: Final = frozenset({"Array", "ReadonlyArray"})
_WORDS: Final = {"true": True, "false": False}
_DEFAULT: Final = re.compile(
    r"(?:defaults? to|(?:default(?: value)?|standard(?:wert)?|par défaut|por defecto|padrão|по умолчанию|默认值?"
    r"|デフォルト|기본값)[ \t]*+[:：=])[ \t]*+(?P<value>.*\S)",
    re.IGNORECASE | re.DOTALL,
)
_END: Final = Token("end", 0, 0, 1)
_QUOTED: Final = re.compile(r"\A['`“](.*)['`”]\Z", re.DOTALL)
_DECODER: Final = json.JSONDecoder()
#: The schema of `undefined`: no value of JSON.
_NOTHING: Final[dict[str, Any]] = {"not": {}}


@dataclass(slots=True)
class _Member:
    """One member of an object type while it is read."""

    name: LocatedValue
    key: Span
    optional: bool
    comments: list[Token] = field(default_factory=list)
    type: LocatedValue | None = None


class TypeReader:
    """Reads types from the tokens of a text. Attribute `at` is the number of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = [*tokens(text, 0, len(text))]
        self.at = 0
        #: Whether anything was not understood.
        self.broken = False
        #: The numbers of the tokens at which the named types begin.
        self.named: dict[str, int] = {}
        #: Comments within a type.
        self._loose: list[Token] = []
        self._known: dict[str, LocatedValue] = {}
        self._open: set[str] = set()
        self._end = _END._replace(start=len(text), end=len(text))

    # -- tokens --------------------------------------------------------------------------------------------------------

    def peek(self) -> Token:
        """Return the next token that is not a comment, as if the comments before it were none."""
        at, breaks = self.at, 0
        while at < len(self.tokens) and self.tokens[at].kind == "comment":
            breaks = max(breaks, self.tokens[at].breaks)
            at += 1
        token = self.tokens[at] if at < len(self.tokens) else self._end
        return token if token.breaks >= breaks else token._replace(breaks=breaks)

    def take(self) -> None:
        """Go past the next token that is not a comment; comments before it are kept as parts of the type."""
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "comment":
            self._loose.append(self.tokens[self.at])
            self.at += 1
        self.at = min(self.at + 1, len(self.tokens))

    def word(self, token: Token) -> str:
        """Return the text of a token."""
        return self.text[token.start : token.end]

    def takes(self, word: str) -> Token | None:
        """Return the next token and go past it where it is this word."""
        token = self.peek()
        if self.word(token) != word:
            return None
        self.take()
        return token

    def ahead(self, count: int) -> list[str]:
        """Return the words of so many of the next tokens."""
        found: list[str] = []
        for token in self.tokens[self.at : self.at + count + 50]:
            if token.kind != "comment" and len(found) < count:
                found.append(self.word(token))
        return found

    def _last_end(self, least: int) -> int:
        """Return where the last token ends that was passed, `least` where that is before it."""
        return max(self.tokens[self.at - 1].end if self.at else 0, least)

    def _skip_rest(self, *, first: bool = True) -> None:
        """Go past what is left of a member: to a separator, a closing bracket, or a new line; `first` takes the next
        token even on a new line."""
        depth = 0
        while True:
            token = self.peek()
            word = self.word(token)
            if token.kind == "end" or is_elsewhere(self.text, token):
                return
            if depth == 0 and (word in (",", ";") or token.kind == "close" or (token.breaks and not first)):
                return
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
            first = False
            self.take()

    def _skip_line(self) -> None:
        """Go past what is left of a line that is not understood, or to the brace that closes an object on it."""
        depth = 0
        while True:
            token = self.peek()
            if token.kind == "end" or token.breaks or (depth == 0 and self.word(token) == "}"):
                return
            depth = max(depth + {"open": 1, "close": -1}.get(token.kind, 0), 0)
            self.take()

    # -- types ---------------------------------------------------------------------------------------------------------

    def type(self, depth: int = _DEPTH) -> LocatedValue:
        """Return the schema of the type that begins at the next token."""
        self.takes("|")
        start = self.peek().start
        variants = [self._joined(depth)]
        while self.takes("|") is not None:
            if self.peek().breaks and self._has_label():
                # The next variant is about to be written: the next line is another member.
                self.broken = True
                variants.append(record(Span(start, start), {}))
                break
            variants.append(self._joined(depth))
        if len(variants) == 1:
            return variants[0]
        return _union(variants, Span(start, self._last_end(start)))

    def _joined(self, depth: int) -> LocatedValue:
        """Return the schema of a type that is not a union; of several that are joined by `&`, that of their members."""
        self.takes("&")
        first = self._with_brackets(depth)
        parts = [first]
        while self.takes("&") is not None:
            parts.append(self._with_brackets(depth))
        if len(parts) == 1:
            return first
        return _merged(parts, Span(first.span.start, self._last_end(first.span.start)))

    def _with_brackets(self, depth: int) -> LocatedValue:
        part = self._single(depth)
        while self.word(self.peek()) == "[" and not self.peek().breaks:
            self.take()
            inner = self.peek()
            if self.takes("]") is None:
                # `Type["member"]` is the type of a member of another.
                self._skip_to_close()
                part = record(part.span, {})
                continue
            span = Span(part.span.start, inner.end)
            part = record(
                span, {"type": LocatedValue("array", span), "items": part} if part.value else {"type": "array"}
            )
        return part

    def _skip_to_close(self) -> None:
        """Go past the bracket that closes the one that was opened last."""
        depth = 1
        while depth:
            token = self.peek()
            if token.kind == "end" or is_elsewhere(self.text, token):
                self.broken = True
                return
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
            self.take()

    def _single(self, depth: int) -> LocatedValue:
        token = self.peek()
        word, span = self.word(token), Span(token.start, token.end)
        if token.kind == "open":
            self.take()
            if depth <= 0:
                self._skip_to_close()
                return record(span, {})
            if word == "{":
                return self.members(token, depth - 1)
            return self._tuple(token, depth - 1) if word == "[" else self._in_parentheses(token, depth - 1)
        if token.kind == "string":
            self.take()
            inner = Span(token.start + 1, token.end - 1)
            value = JavaScriptString(inner.of(self.text), inner.start, self.text[token.start]).text
            return _literal(value, "string", inner, span)
        if token.kind == "number":
            self.take()
            number = _number(word)
            return _literal(number, "integer" if isinstance(number, int) else "number", span, span)
        if token.kind == "name":
            return self._name(token, word, span, depth)
        if token.kind == "template":
            self.take()
            return record(span, {"type": "string"})
        if token.kind in ("dots", "hole"):
            # There are more than are listed.
            self.take()
            return record(span, {})
        # Where the type is missing, an author is about to write it.
        self.broken = True
        return record(Span(token.start, token.start), {})

    def _name(self, token: Token, word: str, span: Span, depth: int) -> LocatedValue:
        self.take()
        if word in _WORDS:
            return _literal(_WORDS[word], "boolean", span, span)
        if word in ("readonly", "unique"):
            return self._with_brackets(depth)
        if word in ("keyof", "typeof", "infer"):
            self._with_brackets(depth)
            return record(span, {})
        if word == "undefined":
            return record(span, _NOTHING)
        arguments: list[LocatedValue] = []
        if self.word(self.peek()) == "<" and depth > 0:
            arguments = self._arguments(depth - 1)
            span = Span(span.start, self._last_end(span.end))
        if word in _ARRAYS and len(arguments) == 1 and arguments[0].value:
            return record(span, {"type": LocatedValue("array", Span(token.start, token.end)), "items": arguments[0]})
        if word in _ARRAYS and not arguments and self.word(self.peek()) == "{" and depth > 0:
            # Renderers of Markdown take `<` for a tag's, and drop it.
            self.broken = True
            items = self._single(depth - 1)
            self.takes(">")
            return record(span, {"type": LocatedValue("array", span), "items": items})
        if word == "Record" and len(arguments) == 2:
            values = arguments[1] if arguments[1].value else True
            return record(span, {"type": LocatedValue("object", span), "additionalProperties": values})
        if word in _SAME and len(arguments) == 1:
            return arguments[0]
        if word == "Partial" and len(arguments) == 1:
            return _without(arguments[0], "required")
        if word in _PLAIN and word not in self.named:
            return record(span, {"type": LocatedValue(_PLAIN[word], Span(token.start, token.end))})
        return self._of_name(word, span, depth)

    def _of_name(self, word: str, span: Span, depth: int) -> LocatedValue:
        """Return the schema of the type of that name."""
        known = self._known.get(word)
        if known is None:
            at = self.named.get(word)
            if at is None or word in self._open or depth <= 0:
                return record(span, {})
            here, loose = self.at, self._loose
            self.at, self._loose = at, []
            self._open.add(word)
            known = self._declared(depth - 1)
            self._open.discard(word)
            self.at, self._loose = here, loose
            self._known[word] = known
        return known if known.size <= _LARGEST else record(span, {})

    def _declared(self, depth: int) -> LocatedValue:
        """Return the schema of an alias or an interface, whose type or `extends` begins at the next token."""
        bases: list[LocatedValue] = []
        if self.takes("extends") is not None:
            bases.append(self._with_brackets(depth))
            while self.takes(",") is not None:
                bases.append(self._with_brackets(depth))
        own = self.type(depth)
        return _merged([*bases, own], own.span) if bases else own

    def _arguments(self, depth: int) -> list[LocatedValue]:
        """Return the types between `<` and `>`."""
        self.take()
        found: list[LocatedValue] = []
        while self.takes(">") is None:
            token = self.peek()
            if token.kind in ("end", "close") or self.word(token) == ";" or is_elsewhere(self.text, token):
                self.broken = True
                break
            before = self.at
            found.append(self.type(depth))
            self.takes(",")
            if self.at == before:
                self.broken = True
                break
        return found

    def _tuple(self, opener: Token, depth: int) -> LocatedValue:
        items: list[LocatedValue] = []
        fixed = True
        while True:
            token = self.peek()
            closer = self.takes("]")
            if closer is not None:
                break
            if token.kind in ("end", "close") or is_elsewhere(self.text, token):
                self.broken = True
                break
            if token.kind == "dots":
                self.take()
                fixed = False
            before = self.at
            if self._has_label():
                self.take()
                fixed = self.takes("?") is None and fixed
                self.takes(":")
            items.append(self.type(depth))
            fixed = self.takes("?") is None and fixed
            if self.takes(",") is None:
                self.takes(";")
            if self.at == before:
                self.broken = True
                self.take()
        span = Span(opener.start, self._last_end(opener.end))
        whole = record(span, {"type": "array"})
        if fixed and items:
            whole.put("prefixItems", sequence(span, items))
        return whole

    def _has_label(self) -> bool:
        """Return whether the next token is a name with a colon: a member, a parameter, or an entry of a tuple."""
        if self.peek().kind not in ("name", "string"):
            return False
        following = self.ahead(3)[1:]
        return following[:1] == [":"] or following == ["?", ":"]

    def _in_parentheses(self, opener: Token, depth: int) -> LocatedValue:
        word = self.word(self.peek())
        if word == ")" or self._has_label():
            # A function: no value of JSON.
            self._skip_to_close()
            if self.takes("=>") is not None:
                self.type(depth)
            return record(Span(opener.start, self._last_end(opener.end)), {})
        inner = self.type(depth)
        if self.takes(")") is None:
            self.broken = True
        return inner

    # -- objects -------------------------------------------------------------------------------------------------------

    def members(self, opener: Token, depth: int) -> LocatedValue:
        """Return the schema of an object type whose brace was passed."""
        properties = LocatedValue({}, Span(opener.start, opener.end))
        required: dict[str, LocatedValue] = {}
        others: LocatedValue | bool | None = None
        loose, self._loose = self._loose, []
        waiting: list[Token] = []
        member: _Member | None = None
        while True:
            waiting, member = self._comments(waiting, member), None if self._is_fresh() else member
            token = self.peek()
            word = self.word(token)
            if word == "}":
                self.take()
                break
            if token.kind in ("end", "close") or is_elsewhere(self.text, token):
                self.broken = True
                break
            if word in (",", ";"):
                self.take()
                continue
            if token.kind in ("dots", "hole"):
                others = True
                self.take()
                self._skip_rest(first=False)
            elif word == "[":
                others = self._index(depth)
            else:
                member = self._member(waiting, depth)
                if member is not None:
                    self._put(member, properties, required)
            waiting = []
        self._loose = loose
        end = self._last_end(opener.end)
        span = Span(opener.start, end)
        properties.cover(end)
        whole = record(span, {"type": "object", "properties": properties})
        if required:
            whole.put("required", sequence(span, [*required.values()]))
        if others is not None:
            whole.put(
                "additionalProperties", others if isinstance(others, LocatedValue) else LocatedValue(others, span)
            )
        return whole

    def _is_undefined(self, first: int) -> bool:
        """Return whether a variant of the type from the token of a number on is that there is none."""
        depth = 0
        for token in self.tokens[first : self.at]:
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
            if depth == 0 and token.kind == "name" and self.word(token) == "undefined":
                return True
        return False

    def _is_fresh(self) -> bool:
        return self.at >= len(self.tokens) or self.tokens[self.at].breaks > 0

    def _comments(self, waiting: list[Token], member: _Member | None) -> list[Token]:
        """Return the comments before the next member; those on the line of the last one are its own."""
        own = member is not None
        mine: list[Token] = []
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "comment":
            token = self.tokens[self.at]
            own = own and not token.breaks
            (mine if own else waiting).append(token)
            self.at += 1
        if member is not None and mine:
            self._describe(member, mine)
        return waiting

    def _member(self, waiting: list[Token], depth: int) -> _Member | None:
        token = self.peek()
        if self.word(token) == "readonly" and self.ahead(2)[1:] not in ([":"], ["?"], [","], [";"], ["}"], []):
            self.take()
            token = self.peek()
        if token.kind not in ("name", "string", "number"):
            self.broken = True
            before = self.at
            self._skip_rest()
            if self.at == before:
                self.take()
            return None
        self.take()
        key = Span(token.start, token.end) if token.kind != "string" else Span(token.start + 1, token.end - 1)
        name = key.of(self.text)
        optional = self.takes("?") is not None
        member = _Member(LocatedValue(name, key), key, optional, close_comments(self.text, waiting, token))
        self._loose = []
        following = self.peek()
        word = self.word(following)
        if self.takes(":") is not None:
            following = self.peek()
            cut = following.kind == "end" or (following.breaks > 0 and self._has_label())
            if cut or self.word(following) in (",", ";", "}"):
                # The type is about to be written.
                self.broken = True
                member.type = record(Span(key.end, key.end), {})
            else:
                first = self.at
                member.type = _without(self.type(depth), "")
                member.optional = member.optional or self._is_undefined(first)
                if not self._finish():
                    if not member.type.value and following.kind == "name" and not optional:
                        # A sentence with a colon.
                        return None
                    if "enum" in member.type.value:
                        # What follows may be further choices.
                        member.type = record(member.type.span, {})
        elif word in ("(", "<"):
            # A method is nothing that a call can give.
            self._skip_rest()
            return None
        elif word in (",", ";", "}") or following.breaks or following.kind == "end":
            member.type = record(key, {})
        else:
            # A sentence.
            self.broken = True
            self._skip_line()
            return None
        if member.type.size > _LARGEST:
            member.type = record(member.type.span, {})
        extra, self._loose = self._loose, []
        self._describe(member, [*member.comments, *extra], first=True)
        return member

    def _finish(self) -> bool:
        """Go past what follows a type and is not part of it as far as is known; return whether that is nothing."""
        token = self.peek()
        word = self.word(token)
        if word == "extends" and not token.breaks:
            # A choice among types.
            self._skip_line()
            return True
        if not (token.breaks or word in (",", ";") or token.kind in ("close", "end")):
            self.broken = True
            self._skip_line()
            return False
        # A comment on a line of its own is the next member's, unless a separator follows it.
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "comment":
            if self.tokens[self.at].breaks and word not in (",", ";"):
                break
            self._loose.append(self.tokens[self.at])
            self.at += 1
        return True

    def _put(self, member: _Member, properties: LocatedValue, required: dict[str, LocatedValue]) -> None:
        assert member.type is not None
        name = str(member.name.value)
        if member.type.value == _NOTHING:
            member.type = record(member.type.span, {})
        # Of two statements, the last one counts.
        properties.value.pop(name, None)
        required.pop(name, None)
        properties.put(name, member.type, member.key)
        if not member.optional:
            required[name] = member.name

    def _describe(self, member: _Member, comments: Sequence[Token], *, first: bool = False) -> None:
        """Add to a member's schema what comments say of it."""
        if not first:
            comments = [*member.comments, *comments]
        member.comments = [*comments]
        if member.type is None or not comments:
            return
        stated: list[str] = []
        default: LocatedValue | None = None
        for token in comments:
            for line, start in comment_lines(self.text, token):
                found = _DEFAULT.fullmatch(line) if default is None else None
                known = _default(found["value"], member.type.value) if found is not None else None
                if known is None or found is None:
                    stated.append(line)
                    continue
                value, rest = known
                at = start + found.start("value")
                default = LocatedValue(value, Span(at, at + len(found["value"]) - len(rest)))
                if rest.strip(" ,.;"):
                    stated.append(rest.strip(" ,;"))
        text = "\n".join(stated).strip()
        whole = record(member.type.span, {})
        for step, inner in member.type.parts.items():
            if step not in ("description", "default"):
                whole.put(step, inner, member.type.keys.get(step))
        if text:
            whole.put("description", LocatedValue(text, Span(comments[0].start, comments[-1].end)))
        if default is not None:
            whole.put("default", default)
        # The last comments come after the member was put where it belongs: it stays the same object.
        member.type.value.clear()
        member.type.value.update(whole.value)
        member.type.parts, member.type.keys, member.type.size = whole.parts, whole.keys, whole.size

    def _index(self, depth: int) -> LocatedValue | bool:
        """Return the schema of the members that are not listed, from `[key: string]: T` on."""
        self.take()
        self._skip_to_close()
        self.takes("?")
        if self.takes(":") is None:
            self.broken = True
            self._skip_rest()
            return True
        part = self.type(depth)
        self._finish()
        self._loose = []
        return part if part.value else True


# -- comments ----------------------------------------------------------------------------------------------------------


def close_comments(text: str, comments: Sequence[Token], token: Token) -> list[Token]:
    """Return those of the comments before a token that belong to it: no empty line is between."""
    found: list[Token] = []
    following = token
    for each in reversed(comments):
        if text.count("\n", each.end, following.start) > 1:
            break
        found.append(each)
        following = each
    return found[::-1]


def comment_lines(text: str, token: Token) -> Iterator[tuple[str, int]]:
    """Yield the lines of a comment without its markers, each with its place."""
    if text.startswith("//", token.start):
        start, end = token.start + 2, token.end
        while start < end and text[start] == "/":
            start += 1
        start += text.startswith(" ", start)
        yield text[start:end].rstrip(), start
        return
    at = token.start + 2
    for number, line in enumerate(text[at : token.end - 2].split("\n")):
        bare = line.lstrip(" \t")
        skipped = len(line) - len(bare)
        if bare.startswith("*"):
            stars = len(bare) - len(bare.lstrip("*")) if number == 0 else 1
            bare, skipped = bare[stars:], skipped + stars
            if bare.startswith(" "):
                bare, skipped = bare[1:], skipped + 1
        if bare.strip() or number:
            yield bare.rstrip(), at + skipped
        at += len(line) + 1


def described(text: str, comments: Sequence[Token]) -> LocatedValue | None:
    """Return what comments say, None where they say nothing."""
    stated = "\n".join(line for token in comments for line, _ in comment_lines(text, token)).strip()
    return LocatedValue(stated, Span(comments[0].start, comments[-1].end)) if stated else None


def _default(written: str, schema: dict[str, Any]) -> tuple[Any, str] | None:
    """Return the default that a comment gives and what follows it; None where it does not suit the type."""
    value: Any = None
    rest = ""
    try:
        value, end = _DECODER.raw_decode(written)
        rest = written[end:]
        is_whole = not rest.strip() or rest.lstrip()[0] in ",.;"
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        word = written.split(",", 1)[0].strip(" `'\"")
        rest = written[len(written.split(",", 1)[0]) :]
        if word in ("True", "False", "None"):
            value = {"True": True, "False": False, "None": None}[word]
        elif word in schema.get("enum", ()):
            value = word
        elif "enum" not in schema and schema.get("type") in ("string", ["string", "null"]):
            value, rest = _QUOTED.sub(r"\1", written.strip()), ""
        else:
            return None
    return (value, rest) if _suits(value, schema) else None


def _suits(value: Any, schema: dict[str, Any]) -> bool:
    if "enum" in schema:
        return any(type(value) is type(each) and value == each for each in schema["enum"])
    kinds = schema.get("type")
    if kinds is None:
        return not isinstance(value, float) or math.isfinite(value)
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind == "string" and isinstance(value, str):
            return True
        if kind in ("number", "integer") and isinstance(value, int) and not isinstance(value, bool):
            return True
        if kind == "number" and isinstance(value, float) and math.isfinite(value):
            return True
        if (kind == "boolean" and isinstance(value, bool)) or (kind == "null" and value is None):
            return True
        if (kind == "array" and isinstance(value, list)) or (kind == "object" and isinstance(value, dict)):
            return True
    return False


# -- schemas -----------------------------------------------------------------------------------------------------------


def _number(word: str) -> float:
    if "." in word:
        return float(word)
    return int(word) if len(word) < 20 else float(word[:300])


def _literal(value: Any, kind: str, at: Span, span: Span) -> LocatedValue:
    return record(span, {"type": LocatedValue(kind, span), "enum": sequence(span, [LocatedValue(value, at)])})


def _without(part: LocatedValue, key: str) -> LocatedValue:
    whole = record(part.span, {})
    for step, inner in part.parts.items():
        if step != key:
            whole.put(step, inner, part.keys.get(step))
    return whole


def _types(part: LocatedValue) -> list[LocatedValue]:
    kinds = part.parts.get("type")
    if kinds is None:
        return []
    return [kinds] if isinstance(kinds.value, str) else [*kinds.parts.values()]


def _union(variants: Sequence[LocatedValue], span: Span) -> LocatedValue:
    """Return the schema of a value that is one of several types."""
    # JSON has no `undefined`: a member that may be it may be left out.
    cleaned = [part for part in variants if part.value != _NOTHING]
    if len(cleaned) < 2:
        return cleaned[0] if cleaned else variants[0]
    if any(not part.value for part in cleaned):
        return record(span, {})
    kinds: dict[str, LocatedValue] = {}
    for part in cleaned:
        for kind in _types(part):
            kinds.setdefault(kind.value, kind)
    type_part = next(iter(kinds.values())) if len(kinds) == 1 else sequence(span, [*kinds.values()])
    limited = [part for part in cleaned if part.value.keys() - {"type"}]
    nulls = [part for part in cleaned if part.value == {"type": "null"}]
    if limited and all("enum" in part.value for part in limited) and len(limited) + len(nulls) == len(cleaned):
        choices: dict[str, LocatedValue] = {}
        for part in cleaned:
            for choice in (
                part.parts["enum"].parts.values() if "enum" in part.parts else [LocatedValue(None, part.span)]
            ):
                choices.setdefault(repr(choice.value), choice)
        return record(span, {"type": type_part, "enum": sequence(span, [*choices.values()])})
    plain = [part for part in cleaned if not part.value.keys() - {"type"}]
    distinct = len(kinds) == sum(len(_types(part)) for part in cleaned)
    if len(limited) <= 1 and len(limited) + len(plain) == len(cleaned) and (distinct or not limited):
        if not limited:
            return record(span, {"type": type_part})
        if "enum" not in limited[0].value and "anyOf" not in limited[0].value:
            whole = _without(limited[0], "type").at(span)
            whole.put("type", type_part)
            return whole
    return record(span, {"anyOf": sequence(span, cleaned)})


def _merged(parts: Sequence[LocatedValue], span: Span) -> LocatedValue:
    """Return the schema of an object that has the members of several; an open one where any is not an object."""
    if any("properties" not in part.value or "anyOf" in part.value for part in parts):
        return record(span, {})
    properties, required = LocatedValue({}, span), LocatedValue([], span)
    whole = record(span, {"type": "object"})
    for part in parts:
        own = part.parts["properties"]
        for name, inner in own.parts.items():
            properties.value.pop(name, None)
            properties.put(name, inner, own.keys.get(name))
        for name_part in part.parts["required"].parts.values() if "required" in part.parts else ():
            if name_part.value not in required.value:
                required.put(len(required.value), name_part)
        if "additionalProperties" in part.parts:
            whole.put("additionalProperties", part.parts["additionalProperties"])
    whole.put("properties", properties)
    if required.value:
        whole.put("required", required)
    return whole
