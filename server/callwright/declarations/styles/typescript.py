"""Tools as types of TypeScript: `type read_file = (_: { path: string }) => any`, most often in a namespace.

Owns: where such a type begins and ends in prose, what a namespace adds. Must not know: types and their comments
(`support.typescript_types` does).

The form is OpenAI's (https://github.com/openai/harmony), and that of the prompts which were made from it: comments
before a type or a member describe it, and calls of a namespace other than `functions` have its name before theirs. Each
type is a declaration of its own, so that an edit costs little. Where a type cannot be read by itself - its namespace is
part of its name, or other types are declared beside it -, the whole namespace is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.typescript_tokens import NAME, Token, is_elsewhere, reach_of, tokens
from callwright.declarations.styles.support.typescript_types import TypeReader, close_comments, described
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, PartPlaces, record, sequence

#: A type, or a namespace, is no longer than that.
_MAX_LENGTH: Final = 131_072
#: How far before its marker a type may begin.
_BEFORE: Final = 160
#: At most this many lines of comments before a type are read.
_LINES: Final = 400
#: The namespace whose name is not part of its tools' names.
_FUNCTIONS: Final = "functions"

_HEAD: Final = re.compile(
    rf"(?:\A|(?<=[\n{{}};/]))[ \t]*+"
    rf"(?P<head>(?:(?:export|declare)[ \t]++){{0,2}}type[ \t]++(?P<name>{NAME})[ \t]*+=[ \t]*+)\Z"
)
#: What follows `=` where the type is a tool: one parameter that has no name of its own, none, or text of any form.
_GIVEN: Final = re.compile(
    r"\((?:\s|//[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)*+"
    r"(?:(?P<one>_[ \t]*+\??[ \t]*+:)|(?P<none>\))\s*+=>[ \t]*+any\b|(?P<free>FREEFORM\s*+\)))"
)
_NAMESPACE: Final = re.compile(
    rf"[ \t]*+(?P<head>(?:(?:export|declare)[ \t]++){{0,2}}namespace[ \t]++(?P<name>{NAME})\s*+\{{)"
)
_DECLARED: Final = re.compile(
    rf"^[ \t]*+(?P<head>(?:(?:export|declare)[ \t]++){{0,2}}"
    rf"(?:interface[ \t]++(?P<interface>{NAME})|type[ \t]++(?P<alias>{NAME})[ \t]*+=(?![ \t]*+\()))",
    re.MULTILINE,
)
#: Anything that a namespace holds, at its beginning.
_ITEM: Final = re.compile(
    rf"(?:(?:export|declare)[ \t]++){{0,2}}"
    rf"(?:type[ \t]++{NAME}[ \t]*+=[ \t]*+(?P<paren>\()?|interface[ \t]++{NAME})"
)
#: A name as tools have it and types of programs do not.
_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)++")
_COMMENTS: Final = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")
#: Between types that are declared beside each other there is none of these.
_APART: Final = re.compile(r"^[ \t]*+(?:#{1,6}[ \t]|`{3}|~{3})", re.MULTILINE)
#: A name that is written as those of types are, in the place of a type.
_USED: Final = re.compile(r"[:|&<(]\s*+([A-Z]\w*+)")
#: What no type holds outside of strings and comments: the text is a part of some program or template.
_FOREIGN: Final = re.compile(r"\\[nrt]|\{[{%#]")


class TypeScript:
    """A type of TypeScript that a function's parameters are written as, or a namespace of such."""

    name = "typescript"
    title = "a TypeScript type"
    markers = ("(_", "() => any", "()=>any", "(FREEFORM)")
    rank = 20

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the type that the marker is in, or of its namespace where it needs that."""
        text = view.text
        view.saw(at - 1, at + 1)
        # Most of what looks like a marker is a call in some program.
        if at < view.floor + 6 or text[at - 1] not in "= ":
            return None
        begin = max(view.floor, at - _BEFORE)
        view.saw(begin, at)
        head = _HEAD.search(text, begin, at)
        if head is None or (head.start("head") == begin and begin > view.floor):
            return None
        given = _GIVEN.match(text, at, at + 2_000)
        view.saw(at, given.end() + 1 if given is not None else at + 2_000)
        if given is None or (given["none"] is not None and not head["name"][0].islower()):
            # Types of functions in programs have names that begin with capitals.
            return None
        end = _type_end(view, at)
        if end is None:
            return None
        start, braced = _described_from(view, head.start("head"))
        opened = _namespace_before(view, start)
        listed = given["none"] is None or braced or _SNAKE.fullmatch(head["name"]) is not None
        if not listed and not _is_next(view, opened, start):
            return None
        first = _block_start(view, opened, start)
        if first is not None:
            return Span(first, _block_end(view, first, end))
        used = {*_USED.findall(_COMMENTS.sub("", text[at:end]))}
        if used:
            last = _block_end(view, start, end)
            later = {found["interface"] or found["alias"] for found in _DECLARED.finditer(text, end, last)}
            end = end if used.isdisjoint(later) else last
        return Span(start, end)

    def read(self, text: str) -> Body | None:
        """Return the tools that the types of a text are."""
        reader = TypeReader(text)
        tools = _items(reader)
        if not tools:
            return None
        whole = True
        parts: list[LocatedValue] = []
        for tool in tools:
            part, closed = _tool(reader, tool)
            whole = whole and closed
            parts.append(part)
        top = sequence(Span(0, len(text)), parts)
        return Body(top.value, PartPlaces(top), whole, reader.broken)


def _type_end(view: View, paren: int) -> int | None:
    """Return where the type ends whose parameters begin at `paren`; None where the text is none of TypeScript."""
    text = view.text
    limit = min(len(text), paren + _MAX_LENGTH)
    depth, end = 0, paren
    stage = "parameters"
    object_end: int | None = None
    for token in tokens(text, paren, limit):
        view.saw(token.start, reach_of(text, token))
        if token.kind == "comment":
            continue
        if token.kind in ("open", "symbol") and _FOREIGN.match(text, token.start) is not None:
            return None
        if is_elsewhere(text, token):
            return end
        word = text[token.start : token.end]
        if stage == "arrow":
            if token.kind != "arrow":
                return end
            stage, end = "result", token.end
            continue
        if depth == 0 and stage == "result":
            if token.breaks or word in ("}", ")"):
                return end
            if word == ";":
                return token.end
        if stage == "parameters" and depth == 1 and object_end is not None:
            if token.kind not in ("close", "symbol", "open"):
                # The bracket after the object is missing.
                return object_end
            object_end = None
        if token.kind == "open":
            depth += 1
        elif token.kind == "close":
            depth -= 1
            if depth < 0:
                return end
            if stage == "parameters" and depth == 1 and word == "}":
                object_end = token.end
        end = token.end
        if stage == "parameters" and depth == 0:
            stage = "arrow"
    view.saw(limit - 1, limit + 1)
    return end


def _described_from(view: View, head: int) -> tuple[int, bool]:
    """Return where the comments right before a type begin, the type itself where there are none, and whether they
    come after the brace of a namespace, on its line."""
    text = view.text
    start = head
    in_block = False
    for number, line in enumerate(view.lines_before(head)):
        if number == _LINES:
            break
        written = line.of(text)
        bare = written.strip()
        at = line.start + len(written) - len(written.lstrip())
        if line.start == view.floor and line.start > 0 and text[line.start - 1] != "\n":
            # The rest of a line of which the first part is another declaration's.
            break
        if in_block:
            if bare.startswith("/*"):
                start, in_block = at, False
        elif bare.startswith("//") or (bare.startswith("/*") and bare.endswith("*/")):
            start = at
        elif bare.endswith("*/") and "/*" not in bare:
            in_block = True
        else:
            opened = _NAMESPACE.match(text, line.start, line.end)
            if opened is not None and text[opened.end() : line.end].lstrip().startswith("//"):
                return text.index("//", opened.end()), True
            break
    return start, False


def _namespace_before(view: View, start: int) -> re.Match[str] | None:
    """Return the opening of the namespace that the type at `start` is the first in, None where there is none."""
    text = view.text
    view.saw(view.floor, start)
    place = text.rfind("namespace", view.floor, start)
    while place >= 0:
        line = max(text.rfind("\n", view.floor, place) + 1, view.floor)
        opened = _NAMESPACE.match(text, line, start + 1)
        if opened is not None:
            return opened if _is_open(text, opened.end(), start) else None
        place = text.rfind("namespace", view.floor, place)
    return None


def _is_open(text: str, inner: int, start: int) -> bool:
    """Return whether the brace before `inner` is not closed before `start`."""
    depth = 1
    for token in tokens(text, inner, start):
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth == 0:
            return False
    return depth == 1


def _is_next(view: View, opened: re.Match[str] | None, start: int) -> bool:
    """Return whether a type comes right after the brace of a namespace, or after another declaration."""
    inner = opened.end() if opened is not None else view.floor
    return inner > 0 and not _COMMENTS.sub("", view.text[inner:start]).strip("; \t\n")


def _block_start(view: View, opened: re.Match[str] | None, start: int) -> int | None:
    """Return where a declaration begins of which the type at `start` is a part; None where it is one by itself."""
    text = view.text
    if opened is not None and opened["name"] != _FUNCTIONS:
        return opened.start("head")
    declared = _DECLARED.search(text, opened.end() if opened is not None else view.floor, start)
    if declared is None or _APART.search(text, declared.end(), start) is not None:
        return None
    return opened.start("head") if opened is not None else declared.start("head")


def _block_end(view: View, start: int, end: int) -> int:
    """Return where the types end that are declared one after another from `start` on, with the brace of their
    namespace; `end` where that comes later."""
    text = view.text
    opened = _NAMESPACE.match(text, start)
    at = opened.end() if opened is not None else start
    limit = min(len(text), start + _MAX_LENGTH)
    while at < limit:
        token = next((each for each in tokens(text, at, limit) if each.kind != "comment"), None)
        if token is None:
            view.saw(at, limit + 1)
            break
        view.saw(at, max(reach_of(text, token), token.end + 300))
        item = _ITEM.match(text, token.start, limit)
        word = text[token.start : token.end]
        if word in (";", ","):
            at = token.end
            continue
        if word == "}" and opened is not None:
            return max(token.end, end)
        if item is None:
            break
        if item["paren"]:
            last = _type_end(view, item.start("paren"))
            if last is None:
                break
        else:
            last = _alias_end(view, item.end(), limit)
        at = max(last, item.end())
        end = max(end, at)
    return end


def _alias_end(view: View, start: int, limit: int) -> int:
    """Return where an interface ends of which the name was passed, or an alias of which the `=` was."""
    text = view.text
    depth, end = 0, start
    joins = True
    for token in tokens(text, start, limit):
        view.saw(token.start, reach_of(text, token))
        if token.kind == "comment":
            continue
        word = text[token.start : token.end]
        if is_elsewhere(text, token) or (depth == 0 and token.breaks and not joins and word not in ("|", "&")):
            return end
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth < 0:
            return end
        end = token.end
        if depth == 0 and word == ";":
            return end
        joins = word in ("|", "&", "=", "extends", ",")
    return end


@dataclass(slots=True)
class _Tool:
    """A type that is a tool: the numbers of the tokens of its name and of the bracket of its parameters, the comments
    before it, and its namespace."""

    name: int
    given: int
    comments: list[Token]
    namespace: str | None


def _items(reader: TypeReader) -> list[_Tool]:
    """Return the tools among the types of a text, in order; other types are made known to the reader by their names."""
    found: list[_Tool] = []
    namespace: str | None = None
    comments: list[Token] = []
    at = 0
    listed = reader.tokens
    while at < len(listed):
        token = listed[at]
        word = reader.word(token)
        if token.kind == "comment":
            comments.append(token)
        elif word in ("export", "declare"):
            pass
        else:
            following = [reader.word(each) for each in listed[at + 1 : at + 4]]
            is_named = token.kind == "name" and len(following) > 1 and listed[at + 1].kind == "name"
            if is_named and word == "type" and following[1] == "=":
                if following[2:] == ["("] and _GIVEN.match(reader.text, listed[at + 3].start) is not None:
                    head = listed[at - 1] if at and reader.word(listed[at - 1]) in ("export", "declare") else token
                    found.append(_Tool(at + 1, at + 3, close_comments(reader.text, comments, head), namespace))
                else:
                    reader.named.setdefault(following[0], at + 3)
                at += 2
            elif is_named and word == "interface":
                reader.named.setdefault(following[0], at + 2)
            elif is_named and word == "namespace" and following[1] == "{":
                namespace = following[0]
                at += 2
            comments = []
        at += 1
    return found


def _tool(reader: TypeReader, tool: _Tool) -> tuple[LocatedValue, bool]:
    """Return the definition that a type is, and whether its parameters are all there are."""
    named = reader.tokens[tool.name]
    name = Span(named.start, named.end)
    reader.at = tool.given + 1
    schema, whole = _parameters(reader, name)
    end = reader.tokens[reader.at - 1].end
    part = record(Span(tool.comments[0].start if tool.comments else name.start, max(end, name.end)), {})
    part.put("name", LocatedValue(reader.word(named), name))
    about = described(reader.text, tool.comments) if tool.comments else None
    if about is not None:
        part.put("description", about)
    part.put("inputSchema", schema)
    if tool.namespace not in (None, _FUNCTIONS):
        part.put("aliases", sequence(name, [LocatedValue(f"{tool.namespace}.{reader.word(named)}", name)]))
    return part, whole


def _parameters(reader: TypeReader, name: Span) -> tuple[LocatedValue, bool]:
    """Return the schema of what a tool takes, and whether that is all it takes."""
    anything = record(name, {"type": "object"})
    if reader.takes(")") is not None:
        return record(name, {"type": "object", "properties": {}}), True
    if reader.takes("FREEFORM") is not None:
        return anything, False
    reader.take()
    reader.takes("?")
    reader.takes(":")
    if reader.peek().kind == "end":
        reader.broken = True
        return anything, False
    schema = reader.type()
    if reader.takes(")") is None or reader.takes("=>") is None:
        reader.broken = True
    kinds = schema.value.get("type")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        return anything, False
    whole = "properties" in schema.value and "additionalProperties" not in schema.value
    return schema, whole


STYLE: Style = TypeScript()
