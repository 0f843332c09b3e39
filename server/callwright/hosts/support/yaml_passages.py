"""Passages of YAML: the texts of a file or of front matter that may hold calls, with who speaks in them.

Owns: which scalars are checked, messages with a role, lists of calls that are YAML themselves, which mappings are
searched for calls, the template language that a file says its texts are in. Must not know: dialects, which files are
YAML.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from callwright.calls.turns import Spot, Turn, TurnText
from callwright.hosts.base import Passage, Record, TranscriptPart
from callwright.hosts.support.managed import is_managed, managed_segments
from callwright.hosts.support.mentions import only_mentions
from callwright.hosts.support.templated import templated_passages
from callwright.hosts.support.transcript import transcript_in_string
from callwright.hosts.support.transcript_search import is_closed, is_schema, names_calls
from callwright.hosts.support.yaml_native import call_passage, calls_in, is_list_of_dialect, plain
from callwright.syntax.yaml_lexer import lines_below
from callwright.syntax.yaml_reader import yaml_outline
from callwright.syntax.yaml_tree import YamlAlias, YamlEntry, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.templates.support.undeclared import UNDECLARED
from callwright.text.projection import Identity
from callwright.text.span import Span

#: What every opener of a dialect has one of; text without quotes on one line has fewer.
_MARKERS: Final = "<{[:=`~"
_MARKERS_IN_LINE: Final = "<{[`=~"
_ROLES: Final = {
    "developer": "system",
    "function": "tool",
    "tool_result": "tool",
    "model": "assistant",
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
}
#: The members by which a description of data or of an interface is known, and a result.
_DESCRIBING: Final = frozenset({"openapi", "swagger", "$schema", "type", "properties"})
#: Members that describe something to people: a marker on the one line of such a text is mentioned there, not used.
_ABOUT: Final = frozenset({"description", "summary", "title", "help", "comment", "note", "notes", "reason", "doc"})
#: Members in which a message says something; `role` beside none of them is something else.
_STATED: Final = frozenset({"content", "text", "parts", "message", "value", "tool_calls", "function_call"})
#: What files call the template languages.
_FORMATS: Final = {
    "jinja": "jinja",
    "jinja2": "jinja",
    "nunjucks": "jinja",
    "handlebars": "handlebars",
    "mustache": "handlebars",
    "f-string": "format",
}


@dataclass(slots=True)
class _Place:
    """What is known of a node: the message it is part of, the template language, whether it describes something else,
    and whether no calls in a provider's own fields are sought in it."""

    turn: Turn | None = None
    template: str | None = None
    about: bool = False
    closed: bool = False


@dataclass(slots=True)
class _Found:
    """What was found so far."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    parts: list[TranscriptPart] = field(default_factory=list)
    #: Where lists of calls and arguments are, in order; their scalars are not texts.
    lists: list[Span] = field(default_factory=list)
    #: Where every scalar is a text.
    managed: list[Span] = field(default_factory=list)

    def in_list(self, at: int) -> bool:
        """Return whether a place lies in a list of calls."""
        index = bisect_right(self.lists, (at, len(self.text) + 1)) - 1
        return index >= 0 and self.lists[index].end > at


def yaml_record(
    text: str,
    template: str | None = None,
    start: int = 0,
    end: int | None = None,
    wanted: Sequence[Span] = (),
) -> Record:
    """Take apart the YAML that is between `start` and `end`; never raises, whatever is there.

    `template` is the language that its texts are written in, None where only the file itself may say so. The scalars at
    the places that are `wanted` are texts whatever they look like.
    """
    stop = len(text) if end is None else end
    roots = yaml_outline(text, start, stop)
    found = _Found(text, managed=[*managed_segments(text), *wanted])
    closed = not names_calls(text)
    for root in roots:
        explicit = template not in (None, UNDECLARED.name)
        own = template if explicit else _language_of(root) or template
        _walk(root, _Place(template=own, closed=closed), found, explicit=explicit, stop=stop)
    return Record(found.passages, (), found.parts)


def _walk(root: YamlNode, place: _Place, found: _Found, *, explicit: bool, stop: int) -> None:
    waiting: list[tuple[YamlNode, _Place]] = [(root, place)]
    while waiting:
        node, place = waiting.pop()
        if isinstance(node, YamlText):
            if not found.in_list(node.span.start):
                _take(node, place, found)
        elif isinstance(node, YamlAlias):
            continue
        elif isinstance(node, YamlSequence):
            turns = [turn for item in node.items if isinstance(item, YamlMapping) for turn in _turn_of(item)]
            known: dict[int, Turn] = {}
            if turns:
                known = {id(mapping): turn for mapping, turn in turns}
                own = [turn for _, turn in turns]
                found.parts.append(TranscriptPart(own, "messages", "none", Identity(0, len(found.text))))
            for item in reversed(node.items):
                if item is not None:
                    turn = known.get(id(item), place.turn)
                    waiting.append((item, replace(place, turn=turn, about=False)))
        else:
            stated = None if explicit else _stated_language(node)
            own_place = place if stated is None else replace(place, template=stated)
            if not place.closed:
                closed = _describes(node)
                own_place = replace(own_place, closed=True) if closed else own_place
                if not closed and not found.in_list(node.start):
                    _take_native(node, own_place, found, stop)
            for entry in reversed(node.entries):
                if entry.value is None:
                    continue
                if is_list_of_dialect(entry):
                    span = None if found.in_list(entry.span.start) else _list_span(entry, found.text, stop)
                    if span is not None:
                        _take_list(span, place, found)
                if entry.key != "role" or own_place.turn is None:
                    closed = own_place.closed or is_closed(entry.key or "")
                    about = entry.key in _ABOUT
                    waiting.append((entry.value, _Place(own_place.turn, own_place.template, about, closed)))


def _language_of(root: YamlNode) -> str | None:
    """Return the template language that files with such members have by their format, None for all others."""
    if not isinstance(root, YamlMapping):
        return None
    keys = {entry.key for entry in root.entries}
    if "prompts" in keys and keys & {"providers", "targets", "tests", "scenarios"}:
        return "jinja"
    if "messages" in keys and keys & {"modelParameters", "testData", "evaluators"}:
        return "handlebars"
    return None


def _stated_language(node: YamlMapping) -> str | None:
    """Return the template language that a member of the mapping names."""
    named = node.get("template_format")
    return _FORMATS.get(named.text.strip().lower()) if isinstance(named, YamlText) else None


def _turn_of(node: YamlMapping) -> Iterator[tuple[YamlMapping, Turn]]:
    """Yield a mapping with its turn if it is a message."""
    role = node.get("role")
    if not isinstance(role, YamlText) or not any(entry.key in _STATED for entry in node.entries):
        return
    written = role.text.strip()
    if not written or len(written) > 40 or any(char.isspace() for char in written):
        return
    spot = Spot(role.span)
    yield node, Turn(spot, _ROLES.get(written, written), spot)


def _take(node: YamlText, place: _Place, found: _Found) -> None:
    """Take a scalar for a passage, or for more where it holds a transcript; none where it can hold no call."""
    if is_managed(node.span, found.managed):
        # A managed block is literal text: only a declared template language applies to it.
        declared = None if place.template == UNDECLARED.name else place.template
        found.passages += templated_passages(Passage(node.projection.text, node.projection), declared)
        return
    raw = node.span.of(node.source)
    markers = _MARKERS if node.style or "\n" in raw or "\r" in raw else _MARKERS_IN_LINE
    if not any(marker in raw for marker in markers) and not (node.style == '"' and "\\" in raw):
        return
    scalar = node.projection
    text = scalar.text
    if (
        not any(marker in text for marker in markers)
        or (place.about and "\n" not in text.strip())
        or only_mentions(text)
    ):
        return
    if text.lstrip()[:1] in ("{", "["):
        record = transcript_in_string(text, scalar)
        if record.passages or record.transcripts:
            found.parts += record.transcripts
            for passage in record.passages:
                found.passages += templated_passages(passage, place.template)
            return
    turn = place.turn
    if turn is not None:
        turn.texts.append(TurnText(Spot(node.span), text))
    passage = Passage(text, scalar, turn.role if turn is not None else None, turn=turn)
    found.passages += templated_passages(passage, place.template)


def _describes(node: YamlMapping) -> bool:
    """Return whether a mapping describes data or an interface, or is what a tool returned."""
    value = {entry.key: plain(entry.value, 1) for entry in node.entries if entry.key in _DESCRIBING}
    return "openapi" in value or "swagger" in value or is_schema(value) or is_closed(value.get("type"))


def _take_native(node: YamlMapping, place: _Place, found: _Found, stop: int) -> None:
    """Take the calls that a mapping is or holds in a provider's own fields."""
    for call in calls_in(node):
        if found.in_list(call.at):
            continue
        alone = Turn(Spot(call.name.span), "assistant") if place.turn is None else None
        turn = place.turn or alone
        assert turn is not None, "there is one or the other"
        taken = call_passage(call, found.text, stop, turn.role, turn)
        if taken is None:
            continue
        passage, span = taken
        found.passages.append(passage)
        insort(found.lists, span)
        if alone is not None:
            found.parts.append(
                TranscriptPart([alone], "single-calls", "none", Identity(0, len(found.text)), alone=True)
            )


def _list_span(entry: YamlEntry, text: str, stop: int) -> Span | None:
    """Return the lines of an entry whose key is first on its line, None for another."""
    if entry.column < 0:
        return None
    start = entry.span.start
    line = start - entry.column
    if line < 0 or text[line:start].strip(" ") or (line and text[line - 1] not in "\r\n\ufeff"):
        return None
    return Span(line, lines_below(text, start, entry.column, stop))


def _take_list(span: Span, place: _Place, found: _Found) -> None:
    """Take a list of calls for a passage as it is."""
    own = span.of(found.text)
    role = place.turn.role if place.turn is not None else None
    passage = Passage(own, Identity(span.start, len(own)), role, markdown=False, turn=place.turn)
    found.passages += templated_passages(passage, place.template)
    insort(found.lists, span)
