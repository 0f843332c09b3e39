"""Writing in notations with a pair of markers around each parameter: names, values, whole parameters.

Owns: how a value is written between markers and a name in one, and what cannot be. Must not know: reading, dialect
modules, schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from callwright.calls.protocol import Refusal
from callwright.calls.render import guarded, json_text
from callwright.syntax.xml import cdata, escape_text
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.tagged.grammar import Grammar

_PLAIN_NAME = re.compile(r"[^\s<>\"'&=|/](?:[^\r\n<>\"'&|]*[^\s<>\"'&|/])?")
_ESCAPED_NAME = re.compile(r"[^\r\n]+")


class TaggedNotation:
    """How parameters are written in the notation of one grammar.

    It serves fixes both where values are untyped text and where the markers say the type; `strings` then says of each
    parameter that stands there whether its marker says that it is a string, and `marks` where the marker says so.
    """

    def __init__(
        self, grammar: Grammar, strings: Mapping[str, bool] | None = None, marks: Mapping[str, Span] | None = None
    ) -> None:
        self.grammar = grammar
        self.strings = strings or {}
        self.marks = marks or {}
        self.name = grammar.name

    @property
    def between(self) -> str:
        """What stands between two parameters."""
        return self.grammar.between

    def named(self, name: str) -> str | None:
        """Return a name as it stands in an opening marker."""
        return written_name(name, self.grammar)

    def content(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return what stands between the markers of a parameter."""
        del path
        text = content_of(value, self.grammar)
        if isinstance(text, Refusal) or (isinstance(value, str) and self.grammar.tokens.search(value)):
            return None
        return text

    def parameter(self, name: str, value: Any) -> str | None:
        """Return a whole parameter."""
        text = parameter_of(name, value, self.grammar)
        if isinstance(text, Refusal) or (isinstance(value, str) and self.grammar.tokens.search(value)):
            return None
        return text

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a typed value: a parameter's as its marker says the type, one inside it as JSON."""
        if len(path) > 1:
            text = json_text(value)
            return None if isinstance(text, Refusal) else guarded(text, self.grammar.tokens)
        marked = self.strings.get(str(path[0])) if path else None
        if marked is None or marked != isinstance(value, str) or self.grammar.types == "type":
            return None
        return self.content(value, path)

    def retyped(self, value: Any, path: Sequence[str | int], span: Span) -> tuple[Edit, ...]:
        """Return the edits that write a parameter's value over `span` and its type into its marker; none where the
        marker says no type, or cannot hold the value."""
        mark = self.marks.get(str(path[0])) if len(path) == 1 else None
        text = self.content(value, path)
        if mark is None or text is None:
            return ()
        return (Edit(mark, type_of(value, self.grammar)), Edit(span, text))

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return a parameter's name, or a key of a JSON object in its value."""
        if not path:
            return self.named(key)
        text = json_text(key)
        return None if isinstance(text, Refusal) else text

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a whole parameter, or a member of a JSON object in its value."""
        if not path:
            return self.parameter(key, value)
        name, text = self.key(key, path), self.value(value, (*path, key))
        return None if name is None or text is None else f"{name}: {text}"


def written_name(name: str, grammar: Grammar) -> str | None:
    """Return a name as it stands in an opening marker, None where none can hold it."""
    if grammar.escaped:
        if _ESCAPED_NAME.fullmatch(name) is None or "<|" in name:
            return None
        return escape_text(name).replace('"', "&quot;").replace("&lt;", "<").replace("&gt;", ">")
    return name if _PLAIN_NAME.fullmatch(name) is not None else None


def content_of(
    value: Any, grammar: Grammar, path: tuple[str | int, ...] = (), *, compact: bool = False
) -> str | Refusal:
    """Return what stands between the markers of a parameter, with the white space that belongs to the notation."""
    if isinstance(value, str):
        if "\r\n" in value:
            return Refusal("its line ends are CR LF, which a file may change", path)
        text = value
        if grammar.cdata and (("<" in text or "&" in text) or text != text.strip()):
            text = cdata(text)
    else:
        rendered = json_text(value)
        if isinstance(rendered, Refusal):
            return Refusal(rendered.reason, (*path, *rendered.path))
        text = guarded(rendered, grammar.tokens)
    led = grammar.style.newlines == "led" and (not compact or text.startswith("\n"))
    if not led:
        return grammar.open_gap + text + grammar.close_gap if not compact else text
    if text.endswith("\r"):
        return Refusal("it ends in CR, which would be read as a line end with the newline behind it", path)
    return f"\n{text}\n"


def type_of(value: Any, grammar: Grammar) -> str:
    """Return what the marker of a parameter says about the type of `value`."""
    if grammar.types == "string":
        return "true" if isinstance(value, str) else "false"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    return "array" if isinstance(value, list) else "object" if isinstance(value, Mapping) else "number"


def parameter_of(name: str, value: Any, grammar: Grammar, *, compact: bool = False) -> str | Refusal:
    """Return a whole parameter, or why it cannot be written."""
    written = written_name(name, grammar)
    if written is None:
        return Refusal(f"`{name}` is no name that the opening marker of a parameter can hold", (name,))
    content = content_of(value, grammar, (name,), compact=compact)
    if isinstance(content, Refusal):
        return content
    form = grammar.parameter_form
    if compact:
        form = form.replace("\n", "")
    opener = form.replace("{type}", type_of(value, grammar)).replace("{name}", written)
    return opener + content + grammar.parameter_closer
