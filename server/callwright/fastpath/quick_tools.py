"""The tools of plain transcripts, and what is known of names, texts and arguments under them.

Owns: `KnownTools`, which tells whether calls and what is said around them are surely faultless, and the plans of simple
schemas. Must not know: the forms of conversations, lines, files, rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from callwright.document.reader import ANGLE, BRACE, BRACKET, opener_words, read_context, read_stretch
from callwright.fastpath.quick_lines import UnsureError
from callwright.recovery.unread_calls import stray_call
from callwright.schema.validation import validate
from callwright.text.holes import HOLE
from callwright.text.line_ends import LINE_START
from callwright.transcripts.support.text_results import RESULT_MARKS

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.document.settings import Settings
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: How many names and texts are remembered.
_KEPT_NAMES: Final = 4_096
_KEPT_TEXTS: Final = 256
#: A text that is longer is not remembered.
_LONG: Final = 65_536
#: Numbers from here on are not the same to every parser.
_LARGE: Final = 1e15
#: Values that nest deeper are left to others.
_DEPTH: Final = 60
#: Words that have so many first characters in common are sought together.
_ALIKE: Final = 3
#: What the pattern of brackets has beside them, which is sought as a word.
_AFTER_BRACKET: Final = r"|\]<\]"
# Each alone begins with one literal character, which makes a search fast.
_BRACES, _TAGS = re.compile(BRACE), re.compile(ANGLE)
#: What leads a line as a call of Python does.
_CALLED = re.compile(rf"{LINE_START}[ \t>]*+(?:await[ \t]++)?+(?:\w++\.)*+(\w++)\(", re.MULTILINE)
_BRACKETS = re.compile(BRACKET.removesuffix(_AFTER_BRACKET))
#: A colon that stands off its name, or seems to.
_COLON_OFF: Final = re.compile(r'"[ \t\r\n]++:')
_NAME: Final = re.compile(r"[\w.:/-]++")
#: Plain elements on lines of their own, a parameter in one, and what may set them off from the rest of a text.
ELEMENTS: Final = re.compile(
    r"<(?<![^\n]<)([A-Za-z_]\w*+)>\n((?:<[A-Za-z_]\w*+>[^<]*+</[A-Za-z_]\w*+>\n)++)</\1>(?![^\n])", re.ASCII
)
_PARAMETERS: Final = re.compile(r"<(\w++)>([^<]*+)</\1>\n", re.ASCII)
#: An element that is closed and holds no other.
_CLOSED: Final = re.compile(r"<([A-Za-z_]\w{0,40}+)>[^<]*+</\1>", re.ASCII)
_TAG: Final = re.compile(r"</?([A-Za-z_][\w.-]*+)")
#: What stands in every mark of a call, in what is quoted at length, and in objects.
_STRICT: Final = (*"<[{|｜~", "``")
_SET_OFF: Final = (*"~<>&|\\\r",)
_SET_OFF_LINE: Final = re.compile(r"\n[ \t\d*+-]")
#: What no XML can hold.
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: An ampersand that begins none of the entities that everybody knows, and what these stand for.
_ODD_ENTITY: Final = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_WHOLE: Final = re.compile(r"-?[1-9][0-9]{0,14}|0", re.ASCII)


class DoubtfulError(Exception):
    """Somebody has to look closely at a call, and at nothing else."""


def is_alike(value: Any, depth: int = 0) -> bool:
    """Return whether every parser reads the numbers in a value alike, and it is not too deep for any."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        return depth < _DEPTH and all(is_alike(each, depth + 1) for each in value.values())
    if kind is list:
        return depth < _DEPTH and all(is_alike(each, depth + 1) for each in value)
    return bool(-_LARGE < value < _LARGE)


#: What may end a code span, or begin something else, at the beginning of a line.
_ODD_LINES: Final = re.compile(r"\n[\n \t]")


def look_at_spans(prose: str) -> None:
    """Look at code spans beside calls; raises `UnsureError` where one might reach over a call."""
    if "~~~" in prose:
        raise UnsureError
    if "`" in prose and (
        prose.count("`") % 2
        or "``" in prose
        or "\\" in prose
        or "\r" in prose
        or ("\n" in prose and _ODD_LINES.search(prose))
    ):
        raise UnsureError


def look_beside(joined: str, said: list[str]) -> None:
    """Look at what is said around elements on lines of their own, `joined` and by itself; raises `UnsureError` where it
    may quote one or set it off. What stands on either side of a NUL is a text by itself."""
    for mark in _SET_OFF:
        if mark in joined:
            raise UnsureError
    # Where nothing is quoted or set off, every element is.
    if _SET_OFF_LINE.search(f"\n{joined}"):
        raise UnsureError
    if "`" in joined:
        for each in said:
            for prose in each.split("\0"):
                look_at_spans(prose)


def may_hold_no_xml(text: str) -> bool:
    """Return whether a text has a character that no XML can hold, or a hole."""
    return _NO_XML.search(text) is not None or HOLE in text


@cache
def _words_by_mark() -> tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]:
    """Return the words that calls in prose begin with, by a character in them that is rare and by how they begin."""
    # The fence is an opener, too, but begins with a mark that means nothing by itself.
    words = {word for words in opener_words().values() for word, _ in words} | {"tool_code"}
    # Nor may a text hold a result; those that begin with a tag are met where tags are.
    words |= {mark for mark in RESULT_MARKS if not mark.startswith("<")}
    words -= {word for word in words for other in words if word != other and other in word}
    # Nor need a word be sought that is met where brackets are.
    words = {word for word in words if not _BRACKETS.match(word)}
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        alike = sum(other[:_ALIKE] == word[:_ALIKE] for other in words)
        marks = "=|>_" if alike > 1 else "{[=|>_"
        mark = next((mark for mark in marks if mark in word), None) or next(filter(str.isupper, word), word[0])
        found.setdefault(mark, []).append(word)
    return tuple((mark, tuple(_by_beginning(each))) for mark, each in found.items())


def _by_beginning(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield words that begin alike, with what they begin with, so that most are sought at once."""
    for _, group in groupby(words, key=lambda word: word[:_ALIKE]):
        alike = tuple(group)
        length = next(
            (at for at, each in enumerate(zip(*alike, strict=False)) if len({*each}) > 1), min(map(len, alike))
        )
        yield alike[0][:length], alike


class KnownTools:
    """The tools of some transcripts, and what is known about names and texts under them."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self.registry = registry
        self._settings = settings
        #: What readers are told of these tools.
        self.context = read_context(registry, settings, frozenset(registry.names))
        self._of_prompts = replace(self.context, strict=False) if settings.strict else self.context
        self._words = _words_by_mark()
        self._listed = tuple(registry.names)
        #: The names of the tools that say what they return: their results are to be looked at.
        self.declares = frozenset(
            each
            for name in registry.names
            for tool in registry.get(name)
            if tool.output_schema
            for each in (name, tool.name, *tool.aliases)
        )
        self._names_words = all(_NAME.fullmatch(name) for name in self.declares)
        self._texts: dict[tuple[str, bool], bool] = {}
        self._first: str | None = None
        self._names: dict[str, tuple[ToolSchema, ...] | None] = {}
        self.plans: dict[str, Plan] = {}

    def may_be_named(self, text: str) -> bool:
        """Return whether a result may be of a tool that says what it returns."""
        return not self._names_words or not self.declares.isdisjoint(_NAME.findall(text))

    def look(self, text: str) -> None:
        """Look at what somebody says; raises `UnsureError` where it is no text, or a call or a fault of one may stand
        there."""
        if type(text) is not str:
            raise UnsureError
        if self.is_moved(text):
            self._read(text)

    def look_beside_call(self, text: str) -> None:
        """Look at what somebody says in front of a call or behind it, as `look` does; raises `UnsureError` also where a
        call may open there that holds the one beside it."""
        if self.is_moved(text):
            if self.is_open(text):
                raise UnsureError
            self._read(text)

    def is_open(self, text: str) -> bool:
        """Return whether anything that calls begin with stands in a text outside of elements that are closed."""
        return self.is_moved(_CLOSED.sub("", text))

    def look_all(self, texts: list[str]) -> None:
        """Look at several texts, as `look` does at each."""
        # What stands in a text is found in all of them together, too; a line feed between them keeps their beginnings.
        if self.is_moved("\n".join(texts)):
            for text in texts:
                self.look(text)

    def are_calm(self, texts: list[str]) -> bool:
        """Return whether there is surely nothing in any of some texts; False says nothing.

        Raises TypeError where one is no text.
        """
        try:
            self.look_all(texts)
        except UnsureError:
            return False
        return True

    def look_first(self, text: str) -> None:
        """Look at the prompt that a conversation begins with, which is often what the last one began with, and which is
        no reply."""
        if text is not self._first:
            if type(text) is not str:
                raise UnsureError
            if self.is_moved(text):
                self._read(text, self._of_prompts)
            self._first = text

    def look_strictly(self, texts: list[str]) -> None:
        """Look at what replies say beside their calls, of which nothing may look like a part of one; raises
        `UnsureError` where anything might."""
        joined = "\n".join(texts)
        for mark in _STRICT:
            if mark in joined:
                raise UnsureError
        for name in self._listed:
            if name in joined:
                raise UnsureError
        if "`" in joined:
            for text in texts:
                look_at_spans(text)
        if self._has_words(joined) or self._calls_alone(joined):
            raise UnsureError

    def is_moved(self, text: str) -> bool:
        """Return whether there is anything in a text that calls begin with."""
        return bool(
            ("<" in text and (_TAGS.search(text) or "]<]" in text))
            or ("{" in text and _BRACES.search(text))
            or ("[" in text and (_BRACKETS.search(text) or "[ARGS]" in text or "[/TOOL" in text))
            or (self._settings.strict and self._calls_alone(text))
            or (self._settings.dialect is not None and any(mark in text for mark in "<|｜[`~"))
            or self._has_words(text)
        )

    def _calls_alone(self, text: str) -> bool:
        """Return whether a line begins as a call of Python does that has a known tool's name."""
        return "(" in text and any(
            self.registry.has(match[1]) or self.context.offered(match[1]) for match in _CALLED.finditer(text)
        )

    def _has_words(self, text: str) -> bool:
        """Return whether a text has a word that calls begin with."""
        for mark, groups in self._words:
            if mark in text:
                for beginning, words in groups:
                    if beginning in text and any(word in text for word in words):
                        return True
        return False

    def _read(self, text: str, context: ReadContext | None = None) -> None:
        """Read a text; raises `UnsureError` where there is anything in it. Prompts come again and again."""
        context = context or self.context
        key = (text, context.strict)
        known = self._texts.get(key)
        if known is None:
            known = not any(mark in text for mark in RESULT_MARKS)
            if known:
                found = read_stretch(text, context)
                known = not (found.calls or found.problems or found.quoted)
                known = known and stray_call(text, (), self.registry, self._settings) is None
            if len(text) <= _LONG:
                if len(self._texts) >= _KEPT_TEXTS:
                    self._texts.clear()
                self._texts[key] = known
        if not known:
            raise UnsureError

    def calls_by_elements(self, text: str) -> bool:
        """Return whether a text calls tools by plain elements that surely fit, each at the beginning of a line, and
        there is surely nothing else in it. Raises `UnsureError` where tools are named by elements in any other way.
        """
        parts = ELEMENTS.split(text)
        if len(parts) == 1:
            if any(name in self.registry for name in _TAG.findall(text)):
                raise UnsureError
            return False
        self.look_around(parts[::3])
        if not text.replace("\n", "").isprintable() and _NO_XML.search(text):
            raise UnsureError
        for name, inside in zip(parts[1::3], parts[2::3], strict=True):
            plan = self.plans.get(name) or self.plan_of(name)
            parameters = _PARAMETERS.findall(inside)
            if plan is None or len(parameters) != inside.count("</") or not plan.takes(parameters):
                raise UnsureError
        return True

    def takes_elements(self, calls: list[tuple[str, str]]) -> bool:
        """Return whether calls by plain elements, each with its name and what is in it, surely fit.

        The texts are UTF-8 in Latin-1, and hold whatever XML can.
        """
        plans = self.plans
        for name, inside in calls:
            plan = plans.get(name) or self.plan_of(name)
            parameters = _PARAMETERS.findall(inside)
            if plan is None or len(parameters) != inside.count("</") or "\0" in inside:
                return False
            if not inside.isascii():
                parameters = [(each, value.encode("latin-1").decode()) for each, value in parameters]
            if not plan.takes(parameters):
                return False
        return True

    def look_around(self, said: list[str]) -> None:
        """Look at what is said around elements that stand on lines of their own; raises `UnsureError` where one may not
        be read for itself."""
        joined = "\n".join(said)
        look_beside(joined, said)
        if self.is_moved(joined):
            raise UnsureError

    def surely_calls_by_elements(self, text: str) -> bool:
        """Return whether a text is one that `calls_by_elements` is sure of; False says nothing."""
        try:
            return self.calls_by_elements(text)
        except UnsureError:
            return False

    def plan_of(self, name: str) -> Plan | None:
        """Return the plan of a tool, None where there is none."""
        if name not in self._names:
            if len(self._names) >= _KEPT_NAMES:
                self._names.clear()
            self._names[name] = self._candidates(name)
        return self.plans.get(name)

    def check(self, name: str, arguments: Any) -> None:
        """Look at a call; raises `DoubtfulError` where something may be said about it."""
        plan = self.plans.get(name)
        if plan is not None and type(arguments) is dict and plan.fits(arguments):
            return
        if type(name) is not str:
            raise UnsureError
        if name in self._names:
            candidates = self._names[name]
        else:
            if len(self._names) >= _KEPT_NAMES:
                self._names.clear()
            candidates = self._names[name] = self._candidates(name)
        if candidates is None or type(arguments) is not dict or not is_alike(arguments):
            raise DoubtfulError
        if candidates and not any(_fits(tool, arguments) for tool in candidates):
            raise DoubtfulError

    def _candidates(self, name: str) -> tuple[ToolSchema, ...] | None:
        """Return the tools of a name; none where nobody minds that it is not known, None where somebody might."""
        found = self.registry.get(name)
        if any(tool.output_schema for tool in found):
            # Its results are to be looked at, too.
            raise UnsureError
        if any(tool.has_deprecations for tool in found):
            return None
        if found:
            plan = Plan.of(found[0]) if len(found) == 1 else None
            if plan is not None:
                self.plans[name] = plan
            return found
        minds = not name.strip() or self.registry.closed or self.registry.near(name) is not None
        return None if minds else ()


class _Lengths:
    """The texts of some lengths."""

    __slots__ = ("_least", "_most")

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def __contains__(self, text: object) -> bool:
        """Return whether a text is as long as it may be."""
        return isinstance(text, str) and self._least <= len(text) <= self._most


class Plan:
    """What simple schemas say: which arguments there may be, of which types and within which limits, and which there
    must be."""

    __slots__ = ("_limits", "_needed", "_raw", "_types")

    _KINDS: Final[Mapping[str, type]] = {"string": str, "boolean": bool, "integer": int}
    _SAID: Final = frozenset({"type", "description", "title", "default", "examples"})
    _KNOWN: Final = frozenset({"type", "properties", "required", "additionalProperties", "description", "title"})

    def __init__(self, tool: ToolSchema) -> None:
        self._types: dict[str, type] = {}
        self._limits: dict[str, Container[Any]] = {}
        self._raw = tool.markup == "raw"
        self._needed = frozenset(tool.input_schema.get("required", ()))
        for name, schema in tool.input_schema["properties"].items():
            self._take(name, schema)

    @classmethod
    def of(cls, tool: ToolSchema) -> Plan | None:
        """Return the plan of a tool, None where its schema says more than a plan can."""
        schema = tool.input_schema
        properties, needed = schema.get("properties"), schema.get("required", [])
        if not tool.checked or not schema.keys() <= cls._KNOWN or schema.get("type") != "object":
            return None
        if (
            not isinstance(properties, dict)
            or not isinstance(needed, list)
            or not properties.keys() <= tool.parameters.keys()
        ):
            return None
        return cls(tool)

    def _take(self, name: str, schema: Any) -> None:
        """Note what is said of one argument; what is not noted is left to a validator where it is given."""
        kind = self._KINDS.get(str(schema.get("type"))) if isinstance(schema, dict) else None
        if kind is None:
            return
        more = schema.keys() - self._SAID
        if kind is str and more == {"enum"}:
            self._limits[name] = frozenset(each for each in schema["enum"] if type(each) is str)
        elif kind is str and more and more <= {"minLength", "maxLength"}:
            least, most = schema.get("minLength", 0), schema.get("maxLength", 10**15)
            if type(least) is not int or type(most) is not int:
                return
            self._limits[name] = _Lengths(least, most)
        elif kind is int and more and more <= {"minimum", "maximum"}:
            low, high = schema.get("minimum", -(10**15)), schema.get("maximum", 10**15)
            if type(low) is not int or type(high) is not int:
                return
            self._limits[name] = range(low, high + 1)
        elif more:
            return
        self._types[name] = kind

    def reads(self, text: str, loads: Callable[[str], Any]) -> bool:
        """Return whether a text is surely JSON of arguments that fit; False says nothing."""
        if not text.isascii() and HOLE in text:
            return False
        try:
            arguments = loads(text)
        except ValueError:
            return False
        # What fits holds no object, so every name in the text is one of an argument.
        return (
            type(arguments) is dict
            and self.fits(arguments)
            and text.count('":') - text.count('\\":') == len(arguments)
            and not _COLON_OFF.search(text)
        )

    def takes(self, parameters: list[tuple[str, str]]) -> bool:
        """Return whether parameters, each with its name and its text, are surely arguments that fit."""
        types, limits = self._types, self._limits
        given = set()
        for name, text in parameters:
            given.add(name)
            kind = types.get(name)
            if kind is str:
                if "&" in text and (self._raw or _ODD_ENTITY.search(text)):
                    return False
                # Some of the space may not belong to the value.
                if name in limits and (text != text.strip() or _decoded(text) not in limits[name]):
                    return False
            elif kind is int:
                if not _WHOLE.fullmatch(text) or (name in limits and int(text) not in limits[name]):
                    return False
            elif kind is not bool or (text != "true" and text != "false"):
                return False
        return len(given) == len(parameters) and self._needed <= given

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether arguments surely fit; False says nothing."""
        types, limits = self._types, self._limits
        for name, value in arguments.items():
            if type(value) is not types.get(name) or (name in limits and value not in limits[name]):
                return False
        return self._needed <= arguments.keys()


def _decoded(text: str) -> str:
    """Return a text without entities; all of them are those that everybody knows."""
    if "&" not in text:
        return text
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _fits(tool: ToolSchema, arguments: dict[str, Any]) -> bool:
    if not tool.checked:
        return True
    if not arguments.keys() <= tool.parameters.keys():
        return False
    return not validate(tool.input_schema, arguments)
