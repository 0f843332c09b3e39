"""The tools of plain transcripts, and what is known of names, texts and arguments with them.

Owns: `KnownTools`, which checks whether calls and the text around them are certainly clean, and the plans of simple
schemas. Must not know: the forms of conversations, lines, files, rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from callwright.document.reader import ANGLE, BRACE, BRACKET, opener_words, read_context, read_segment
from callwright.fastpath.codec import FLAT, FallbackNeeded
from callwright.fastpath.plain_calls import check_spans
from callwright.recovery.missed_calls import traces_of
from callwright.schema.plain_validity import Check, plain_check, required_alone
from callwright.schema.schema_facts import facts_of
from callwright.schema.validation import validate
from callwright.text.line_ends import LINE_START
from callwright.transcripts.support.text_results import RESULT_MARKERS

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
#: Numbers from here on differ between parsers.
_LARGE: Final = 1e15
#: Values that nest deeper are left to the full reading.
_DEPTH: Final = 60
#: Words with this many first characters in common are searched for together.
_ALIKE: Final = 3
#: What is searched for as a word, besides the pattern of brackets.
_AFTER_BRACKET: Final = r"|\]<\]"
# Each begins with one literal character, which makes a search fast.
_BRACES, _TAGS = re.compile(BRACE), re.compile(ANGLE)
#: The beginning of a line that is a call in Python's syntax.
_CALLED = re.compile(rf"{LINE_START}[ \t>]*+(?:await[ \t]++)?+(?:\w++\.)*+(\w++)\(", re.MULTILINE)
_BRACKETS = re.compile(BRACKET.removesuffix(_AFTER_BRACKET))
#: An element that is closed and contains no other.
_CLOSED: Final = re.compile(r"<([A-Za-z_]\w{0,40}+)>[^<]*+</\1>", re.ASCII)
#: What every marker of a call, every long quotation and every object contains.
_STRICT: Final = (*"<[{|｜~", "``")
#: An ampersand that does not begin one of the predefined entities, and the meanings of these.
_ODD_ENTITY: Final = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_WHOLE: Final = re.compile(r"-?[1-9][0-9]{0,14}|0", re.ASCII)


class SuspectCallError(Exception):
    """A call needs a full reading, and nothing else does."""


def is_alike(value: Any, depth: int = 0) -> bool:
    """Return whether every parser reads the numbers in a value alike, and its depth is safe for each of them."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        return depth < _DEPTH and all(is_alike(each, depth + 1) for each in value.values())
    if kind is list:
        return depth < _DEPTH and all(is_alike(each, depth + 1) for each in value)
    return bool(-_LARGE < value < _LARGE)


@cache
def _words_by_marker() -> tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]:
    """Return the words that calls in prose begin with, by a rare character in them and by their beginning."""
    # Two fences are openers, too, but begin with a marker that means nothing by itself.
    words = {word for words in opener_words().values() for word, _ in words} | {"tool_code", "BEGIN_ARG"}
    # Nor may a text contain a result; those that begin with a tag are found where tags are.
    words |= {marker for marker in RESULT_MARKERS if not marker.startswith("<")}
    words -= {word for word in words for other in words if word != other and other in word}
    # Words that are found where brackets are need no search either.
    words = {word for word in words if not _BRACKETS.match(word)}
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        alike = sum(other[:_ALIKE] == word[:_ALIKE] for other in words)
        markers = "=|>_" if alike > 1 else "{[=|>_"
        marker = next((marker for marker in markers if marker in word), None) or next(
            filter(str.isupper, word), word[0]
        )
        found.setdefault(marker, []).append(word)
    return tuple((marker, tuple(_by_beginning(each))) for marker, each in found.items())


def _by_beginning(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield words that begin alike, with their common beginning, so that most are searched for together."""
    for _, group in groupby(words, key=lambda word: word[:_ALIKE]):
        alike = tuple(group)
        length = next(
            (at for at, each in enumerate(zip(*alike, strict=False)) if len({*each}) > 1), min(map(len, alike))
        )
        yield alike[0][:length], alike


class KnownTools:
    """The tools of some transcripts, and what is known of names and texts with them."""

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self.registry = registry
        self._settings = settings
        #: What parsers are given of these tools.
        self.context = read_context(registry, settings)
        self._of_prompts = replace(self.context, strict=False) if settings.strict else self.context
        self._words = _words_by_marker()
        self._listed = tuple(registry.names)
        #: The names of the tools that declare their output: their results have to be checked.
        self.declares = frozenset(
            each
            for name in registry.names
            for tool in registry.get(name)
            if tool.output_schema
            for each in (name, tool.name, *tool.aliases)
        )
        self._texts: dict[tuple[str, bool], bool] = {}
        self._first: str | None = None
        self._names: dict[str, tuple[ToolSchema, ...] | None] = {}
        self.plans: dict[str, Plan] = {}

    def check_text(self, text: str) -> None:
        """Check a text; raises `FallbackNeeded` where it is not a string, or may contain a call or a damaged one."""
        if type(text) is not str:
            raise FallbackNeeded
        if self.may_hold_call(text):
            self._read(text)

    def check_beside_call(self, text: str) -> None:
        """Check the text before a call or after it, as `check_text` does; raises `FallbackNeeded` also where a call may
        open there that contains the one beside it."""
        if self.may_hold_call(text):
            if self.is_open(text):
                raise FallbackNeeded
            self._read(text)

    def is_open(self, text: str) -> bool:
        """Return whether a text has, outside of closed elements, anything that calls begin with."""
        return self.may_hold_call(_CLOSED.sub("", text))

    def check_texts(self, texts: list[str]) -> None:
        """Check several texts, each as `check_text` does."""
        # What is in a text is also found in all of them together; a line feed between them keeps their beginnings.
        if self.may_hold_call("\n".join(texts)):
            for text in texts:
                self.check_text(text)

    def check_first(self, text: str) -> None:
        """Check the prompt at the beginning of a conversation, which is often that of the previous one, and is not a
        reply."""
        if text != self._first:
            if type(text) is not str:
                raise FallbackNeeded
            if self.may_hold_call(text):
                self._read(text, self._of_prompts)
            self._first = text

    def check_strictly(self, texts: list[str]) -> None:
        """Check the text of replies beside their calls, which may not contain anything like a part of a call; raises
        `FallbackNeeded` where it might."""
        joined = "\n".join(texts)
        for marker in _STRICT:
            if marker in joined:
                raise FallbackNeeded
        for name in self._listed:
            if name in joined:
                raise FallbackNeeded
        if "`" in joined:
            for text in texts:
                check_spans(text)
        if self._has_words(joined) or self._calls_alone(joined):
            raise FallbackNeeded

    def may_hold_call(self, text: str) -> bool:
        """Return whether a text contains anything that calls begin with."""
        return bool(
            ("<" in text and (_TAGS.search(text) or "]<]" in text))
            or ("{" in text and _BRACES.search(text))
            or ("[" in text and (_BRACKETS.search(text) or "[ARGS]" in text or "[/TOOL" in text))
            or (self._settings.strict and self._calls_alone(text))
            or (self._settings.dialect is not None and any(marker in text for marker in "<|｜[`~"))
            or self._has_words(text)
        )

    def _calls_alone(self, text: str) -> bool:
        """Return whether a line begins like a call in Python's syntax with a known tool's name."""
        return "(" in text and any(
            self.registry.has(match[1]) or self.context.offered(match[1]) for match in _CALLED.finditer(text)
        )

    def _has_words(self, text: str) -> bool:
        """Return whether a text has a word that calls begin with."""
        for marker, groups in self._words:
            if marker in text:
                for beginning, words in groups:
                    if beginning in text and any(word in text for word in words):
                        return True
        return False

    def _read(self, text: str, context: ReadContext | None = None) -> None:
        """Read a text; raises `FallbackNeeded` where it contains anything. Prompts occur again and again."""
        context = context or self.context
        key = (text, context.strict)
        known = self._texts.get(key)
        if known is None:
            known = not any(marker in text for marker in RESULT_MARKERS)
            if known:
                found = read_segment(text, context)
                known = not (found.calls or found.problems or found.quoted)
                known = known and traces_of(text, (), self.registry, self._settings) is None
            if len(text) <= _LONG:
                if len(self._texts) >= _KEPT_TEXTS:
                    self._texts.clear()
                self._texts[key] = known
        if not known:
            raise FallbackNeeded

    def plan_of(self, name: str) -> Plan | None:
        """Return the plan of a tool, None where there is none."""
        plan = self.plans.get(name)
        if plan is None and name not in self._names:
            if len(self._names) >= _KEPT_NAMES:
                self._names.clear()
            self._names[name] = self._candidates(name)
            plan = self.plans.get(name)
        return plan

    def check(self, name: str, arguments: Any) -> None:
        """Check a call; raises `SuspectCallError` where it may have a diagnostic."""
        plan = self.plans.get(name)
        if plan is not None and type(arguments) is dict and plan.fits(arguments):
            return
        if type(name) is not str:
            raise FallbackNeeded
        self.plan_of(name)
        candidates = self._names[name]
        if candidates is None or type(arguments) is not dict or not is_alike(arguments):
            raise SuspectCallError
        if candidates and not any(_fits(tool, arguments) for tool in candidates):
            raise SuspectCallError

    def _candidates(self, name: str) -> tuple[ToolSchema, ...] | None:
        """Return the tools of a name; empty where an unknown name is no problem, None where it might be one."""
        found = self.registry.get(name)
        if any(tool.output_schema for tool in found):
            # Its results have to be checked, too.
            raise FallbackNeeded
        if any(tool.has_deprecations for tool in found):
            return None
        if found:
            plan = Plan.of(found[0]) if len(found) == 1 else None
            if plan is not None:
                self.plans[name] = plan
            return found
        minds = not name.strip() or self.registry.closed or self.registry.near(name) is not None
        return None if minds else ()


class Plan:
    """What calls of one tool may contain, derived from the plain check of its schema."""

    __slots__ = ("_check", "_kinds", "_limits", "_names", "_needed", "_raw")

    def __init__(self, tool: ToolSchema) -> None:
        schema = tool.input_schema
        self._check = plain_check(schema)
        self._names = tool.parameters.keys()
        self._raw = tool.markup == "raw"
        #: The types of parameters that have only a type and limits, and the checks of those with limits.
        self._kinds: dict[str, type] = {}
        self._limits: dict[str, Check] = {}
        #: The required parameters, where nothing else is demanded of all parameters together.
        self._needed = required_alone(schema)
        properties = schema.get("properties")
        for name, own in properties.items() if isinstance(properties, dict) else ():
            kind = _KINDS.get(str(own.get("type"))) if isinstance(own, dict) and name in self._names else None
            if kind is not None and own.keys() <= _STATED | _LIMITS[kind]:
                self._kinds[name] = kind
                if not own.keys() <= _STATED:
                    self._limits[name] = plain_check(own)

    @classmethod
    def of(cls, tool: ToolSchema) -> Plan | None:
        """Return the plan of a tool, None where calls of it have to be bound."""
        return cls(tool) if tool.checked and not facts_of(tool.input_schema).aliases else None

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether arguments certainly match; False means unknown."""
        kinds, limits, needed = self._kinds, self._limits, self._needed
        if needed is not None:
            for name, value in arguments.items():
                if kinds.get(name) is not type(value) or (name in limits and not limits[name](value)):
                    break
            else:
                return needed <= arguments.keys()
        if not arguments.keys() <= self._names or not self._check(arguments):
            return False
        return FLAT.issuperset(map(type, arguments.values())) or is_alike(arguments)

    def takes(self, parameters: list[tuple[str, str]]) -> bool:
        """Return whether parameters, each with its name and its text, are certainly arguments that match."""
        kinds, limits = self._kinds, self._limits
        given: dict[str, Any] = {}
        for name, text in parameters:
            kind = kinds.get(name)
            if kind is str:
                if name in limits and text != text.strip():
                    return False
                if "&" in text:
                    if self._raw or _ODD_ENTITY.search(text):
                        return False
                    for entity, character in _ENTITIES:
                        text = text.replace(entity, character)  # noqa: PLW2901 - each works on what the last one left
                given[name] = text
            elif kind is int and _WHOLE.fullmatch(text):
                given[name] = int(text)
            elif kind is bool and (text == "true" or text == "false"):
                given[name] = text == "true"
            else:
                return False
        return len(given) == len(parameters) and self.fits(given)


_KINDS: Final[Mapping[str, type]] = {"string": str, "boolean": bool, "integer": int}
_STATED: Final = frozenset({"type", "description", "title", "default", "examples"})
_LIMITS: Final[Mapping[type, frozenset[str]]] = {
    str: frozenset({"enum", "minLength", "maxLength"}), int: frozenset({"minimum", "maximum"}), bool: frozenset()
}  # fmt: skip


def _fits(tool: ToolSchema, arguments: dict[str, Any]) -> bool:
    if not tool.checked:
        return True
    if not arguments.keys() <= tool.parameters.keys():
        return False
    return not validate(tool.input_schema, arguments)
