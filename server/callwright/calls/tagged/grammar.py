"""The grammars of dialects that write a pair of markers around each parameter, as data, and writing with them.

Owns: what opens and closes a call, a parameter and a section of calls; how names and values are written between
markers, and which cannot be written. Must not know: how a call is read with a grammar, dialect modules, tools, schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from callwright.calls.protocol import Refusal
from callwright.calls.render import guarded, json_text
from callwright.calls.tagged.heads import JSON_TYPES, HeadReader
from callwright.syntax.xml import cdata, escape_text
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.model import TextStyle

#: The markers in a form, each up to the name in it.
_MARKERS = re.compile(r"<[^<>{\"]*+(?:>|(?=\"?\{))")
#: A name that all parsers of opening markers read as it is written.
_EVERY_NAME: Final = r"[A-Za-z_][\w.\-]{0,99}+"
#: An opening marker whose name is long enough to be recognized where it is misspelt.
_MARKER_NAME = re.compile(r"(.*\W)(\w{5,})(\W*)", re.DOTALL)
_PLAIN_NAME = re.compile(r"[^\s<>\"'&=|/](?:[^\r\n<>\"'&|]*[^\s<>\"'&|/])?")
_ESCAPED_NAME = re.compile(r"[^\r\n]+")


def _loosely(marker: str) -> str:
    """Return the pattern of a piece of a marker, in which a newline matches any whitespace."""
    return r"\s*+".join(map(re.escape, marker.split("\n")))


@dataclass(frozen=True)
class Grammar:
    """One dialect: its markers, where names are in them, and what a value is.

    `sections` are the pairs of markers that hold one call or several; `lead` and `tail` are literal markers that may
    are around each call in a section. `call` and `parameter` read opening markers, which begin with `call_opener` and
    `parameter_opener`. `style` says how untyped text becomes values; with `types` the opening marker says the type
    (`"string"`: an attribute that is true or false, `"type"`: one that names a JSON type). `cdata` says that a CDATA
    section is part of the dialect, `markup` that the markers look like XML, so that XML parsers read them. `wraps` says
    that a call needs a section; `outside` then names the parsers that read a call without one, and those that do not.
    `separator` is the marker after a call's name, if there is one. `other` is what begins the body of another dialect
    whose call has the same tag without a name. `doubled` says that a name may be written twice, as
    `f.f`. `object_body` says that a JSON object may replace the parameters.

    `call_form` and `parameter_form` are how the opening markers are written, with `{name}` and, where there are types,
    `{type}`; `between` is between two markers, `open_gap` and `close_gap` between a value and its markers. `escaped`
    says that names are written with entities. `half` matches a text that ends inside a parameter's opening marker, and
    `faulty` matches a malformed one that is more than one tag.
    """

    name: str
    call_opener: str
    call_closer: str
    parameter_opener: str
    parameter_closer: str
    call: HeadReader
    parameter: HeadReader
    style: TextStyle
    call_form: str
    parameter_form: str
    sections: tuple[tuple[str, str], ...] = ()
    lead: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    types: Literal["", "string", "type"] = ""
    cdata: bool = False
    markup: bool = True
    wraps: bool = False
    separator: str = ""
    other: str = ""
    doubled: bool = False
    outside: str = "vLLM and llama.cpp read it too, SGLang reads it as text"
    object_body: bool = False
    between: str = "\n"
    open_gap: str = ""
    close_gap: str = ""
    escaped: bool = False
    half: Callable[[str, int], bool] | None = None
    faulty: HeadReader | None = None
    tokens: re.Pattern[str] = field(init=False)
    #: What a marker begins with: one character, where all of them begin with the same.
    firsts: str = field(init=False)

    def __post_init__(self) -> None:
        """Compile the pattern of all markers in or after a value, and set how fixes write."""
        object.__setattr__(self, "style", replace(self.style, value_format=TaggedFormat(self)))
        groups = [
            ("value", [self.parameter_closer]),
            ("close", [self.call_closer]),
            ("shut", [closer for _, closer in self.sections]),
            ("parameter", [self.parameter_opener]),
            ("section", [opener for opener, _ in self.sections if opener != self.call_opener]),
            ("call", [self.call_opener]),
            ("cdata", ["<![CDATA["] if self.cdata else []),
        ]
        firsts = "".join(dict.fromkeys(marker[0] for _, markers in groups for marker in markers))
        object.__setattr__(self, "firsts", firsts)
        # A pattern that begins with a literal is searched many times faster.
        first = firsts if len(firsts) == 1 else ""
        parts = [
            f"(?P<{name}>{'|'.join(re.escape(marker[len(first) :]) for marker in markers)})"
            for name, markers in groups
            if markers
        ]
        object.__setattr__(self, "tokens", re.compile(f"{re.escape(first)}(?:{'|'.join(parts)})"))

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """The pattern of a parameter that is written as calls are rendered, from the whitespace before it on.

        Its value contains no marker, and another such marker or the call's end (`last`) follows it. A match is what
        reading marker by marker would return.
        """
        name, _, kind = self.parameter_form.partition("{name}")
        opener = [_loosely(name), f"(?P<name>{_EVERY_NAME})"]
        if "{type}" in kind:
            kind, _, rest = kind.partition("{type}")
            kinds = "|".join(("true", "false") if self.types == "string" else sorted(JSON_TYPES))
            opener += [_loosely(kind), f"(?P<type>{kinds})", _loosely(rest)]
        else:
            opener.append(_loosely(kind))
        again = re.sub(r"\(\?P<\w+>", "(?:", "".join(opener))
        marker = re.sub(r"\(\?P<\w+>", "(?:", self.tokens.pattern)
        others = "".join(map(re.escape, self.firsts))
        value = f"(?P<value>[^{others}]*+(?:(?!{marker})[{others}][^{others}]*+)*+)"
        follows = rf"(?=\s*+(?:{again}|(?P<last>{re.escape(self.call_closer)})))"
        return re.compile(rf"\s*+{''.join(opener)}{value}{re.escape(self.parameter_closer)}{follows}")

    @cached_property
    def name_at(self) -> int:
        """The offset of the name in such a parameter."""
        return self.parameter_form.index("{name}")

    @cached_property
    def head_ends(self) -> str:
        """The characters that opening markers end with."""
        forms = (self.call_form.rstrip(), self.parameter_form.rstrip())
        return "".join(dict.fromkeys(form[-1] for form in forms if not form.endswith("}")))

    @cached_property
    def call_word(self) -> tuple[str, str, str]:
        """The name of the call's opening marker, with what is before and after it; empty where it is too short for a
        misspelling to be known."""
        parts = _MARKER_NAME.fullmatch(self.call_opener)
        return ("", "", "") if parts is None else (parts[1], parts[2], parts[3])

    @cached_property
    def openers(self) -> tuple[str, ...]:
        """What a call can begin with: the section's markers and the call's own."""
        return (*(opener for opener, _ in self.sections), self.call_opener)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of markers around calls and around one call, if they contain no name."""
        call = self.call_form.partition("{name}")[0].rstrip()
        return (*self.sections, *([(call, self.call_closer)] if call == self.call_opener and call[-1] == ">" else ()))

    @property
    def markers(self) -> tuple[str, ...]:
        """Every marker of a call; if it contains a name, the part before the name."""
        forms = (part for form in (self.call_form, self.parameter_form) for part in _MARKERS.findall(form))
        ends = (self.call_closer, self.parameter_closer, *self.lead, *self.tail)
        return (*(marker for pair in self.sections for marker in pair), *forms, *filter(_MARKERS.match, ends))

    def section_at(self, text: str, at: int) -> tuple[str, str] | None:
        """Return the section's markers whose opener is at `at`, or None."""
        return next((pair for pair in self.sections if text.startswith(pair[0], at)), None)


class TaggedFormat:
    """How parameters are written in the dialect of one grammar.

    Fixes use it for untyped values and for markers with types; `strings` then says whether the marker of each existing
    parameter gives the type string, and `markers` where the marker gives it.
    """

    def __init__(
        self, grammar: Grammar, strings: Mapping[str, bool] | None = None, markers: Mapping[str, Span] | None = None
    ) -> None:
        self.grammar = grammar
        self.strings = strings or {}
        self.markers = markers or {}
        self.name = grammar.name

    @property
    def between(self) -> str:
        """What is between two parameters."""
        return self.grammar.between

    def named(self, name: str) -> str | None:
        """Return a name as it is in an opening marker."""
        return written_name(name, self.grammar)

    def content(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return what is between the markers of a parameter."""
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
        """Return a typed value: a parameter's value by the type in its marker, a value inside it as JSON."""
        if len(path) > 1:
            text = json_text(value)
            return None if isinstance(text, Refusal) else guarded(text, self.grammar.tokens)
        marked = self.strings.get(str(path[0])) if path else None
        if marked is None or marked != isinstance(value, str) or self.grammar.types == "type":
            return None
        return self.content(value, path)

    def retyped(self, value: Any, path: Sequence[str | int], span: Span) -> tuple[Edit, ...]:
        """Return the edits that write a parameter's value over `span` and its type into its marker; none if the marker
        has no type, or cannot give that of the value."""
        marker = self.markers.get(str(path[0])) if len(path) == 1 else None
        text = self.content(value, path)
        if marker is None or text is None:
            return ()
        return (Edit(marker, type_of(value, self.grammar)), Edit(span, text))

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
    """Return a name as it is in an opening marker, None if no marker can contain it."""
    if grammar.escaped:
        if _ESCAPED_NAME.fullmatch(name) is None or "<|" in name:
            return None
        return escape_text(name).replace('"', "&quot;").replace("&lt;", "<").replace("&gt;", ">")
    return name if _PLAIN_NAME.fullmatch(name) is not None else None


def content_of(
    value: Any, grammar: Grammar, path: tuple[str | int, ...] = (), *, compact: bool = False
) -> str | Refusal:
    """Return what is between the markers of a parameter, with the whitespace of the dialect."""
    if isinstance(value, str):
        if "\r\n" in value:
            return Refusal("its line ends are CR LF, which saving the file may change", path)
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
        return Refusal("it ends in CR, which would be read as one line end with the newline after it", path)
    return f"\n{text}\n"


def type_of(value: Any, grammar: Grammar) -> str:
    """Return the type of `value` as the marker of a parameter gives it."""
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
    """Return a whole parameter, or the reason why it cannot be written."""
    written = written_name(name, grammar)
    if written is None:
        return Refusal(f"`{name}` is not a valid name for the opening marker of a parameter", (name,))
    content = content_of(value, grammar, (name,), compact=compact)
    if isinstance(content, Refusal):
        return content
    form = grammar.parameter_form
    if compact:
        form = form.replace("\n", "")
    opener = form.replace("{type}", type_of(value, grammar)).replace("{name}", written)
    return opener + content + grammar.parameter_closer
