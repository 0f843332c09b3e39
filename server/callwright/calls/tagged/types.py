"""Values whose type is in the opening marker of their parameter: the tree of them, as of a JSON object.

Owns: the step from marked text to typed nodes, and what the schema decides if it contradicts the marker. Must not know:
where parameters begin and end, dialect modules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.marker_problems import differ
from callwright.calls.tagged.grammar import Grammar, TaggedFormat
from callwright.syntax.json import JsonMember, JsonNode, JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.calls.tagged.heads import Head, Parameter

#: Syntax errors in JSON whose value is still unambiguous; other invalid JSON is text.
_CORRECTIONS: Final = frozenset({"python-literal", "trailing-comma", "single-quotes", "comment"})
_ELISIONS: Final = frozenset({"...", "…"})
_KINDS: Final = {"string": str, "boolean": bool, "null": type(None), "array": list, "object": dict}


def typed_arguments(
    text: str, body: Span, parameters: Sequence[Parameter], grammar: Grammar, context: ReadContext, tool: str
) -> JsonRead:
    """Return the arguments as the object whose members are the parameters in `body`."""
    schemas = context.tools.parameters(tool) or {}
    values: dict[str, Any] = {}
    root = JsonNode("object", body, values)
    problems: list[Problem] = []
    wild: list[tuple[str | int, ...]] = []
    elided: list[tuple[str | int, ...]] = []
    strings: dict[str, bool] = {}
    markers: dict[str, Span] = {}
    first: dict[str, Span] = {}
    at, reach = body.start, body.end
    for parameter in parameters:
        head = parameter.head
        name = head.name or ""
        if _elides(text[at : head.start]):
            elided.append(())
        at = parameter.end
        marked = _marked(head, grammar)
        read = _Typed(text, parameter.content, head, marked, schemas.get(name), grammar)
        node = read.node
        problems += read.problems
        wild += [(name, *path) for path in read.wild]
        elided += [(name, *path) for path in read.elided]
        reach = max(reach, read.reach)
        if name in first:
            data = {"key": name, "first": first[name]}
            problems.append(Problem("duplicate-key", head.name_span, data))
        first.setdefault(name, head.name_span)
        member = JsonMember(name, head.name_span, node)
        member.span = Span(head.start, parameter.end)
        root.members.append(member)
        values[name] = node.value
        strings[name] = marked is True
        if grammar.types in head.attribute_spans:
            markers[name] = head.attribute_spans[grammar.types]
    if _elides(text[at : body.end]):
        elided.append(())
    format_ = TaggedFormat(grammar, strings, markers)
    return JsonRead(root, body.end, min(len(text), reach), problems, wild, elided, format_)


def _elides(gap: str) -> bool:
    stripped = gap.strip()
    return stripped in _ELISIONS or (bool(stripped) and not stripped.strip(HOLE))


def _marked(head: Head, grammar: Grammar) -> bool | None:
    """Return whether the marker says that the value is a string; None if it does not say."""
    value = head.attributes.get(grammar.types)
    if value is None:
        return None
    return value.lower() == "true" if grammar.types == "string" else value == "string"


class _Typed:
    """One value: its node, and what is wrong with it."""

    def __init__(
        self,
        text: str,
        content: Span,
        head: Head,
        marked: bool | None,
        schema: Mapping[str, Any] | None,
        grammar: Grammar,
    ) -> None:
        self.text = text
        self.content = content
        self.head = head
        self.grammar = grammar
        self.problems: list[Problem] = []
        self.wild: list[tuple[str | int, ...]] = []
        self.elided: list[tuple[str | int, ...]] = []
        self.reach = content.end
        self.types = types_of(schema)
        written = content.of(text)
        string_only = self.types == frozenset({"string"})
        if marked is True or (marked is None and string_only):
            self.node = self._string(written)
            if marked is True and self.types is not None and "string" not in self.types and HOLE not in written:
                self._by_schema(written)
            return
        self.node = self._json(written, marked)
        if string_only and not isinstance(self.node.value, str) and self.node.kind not in ("hole", "elision"):
            shown = written.strip()
            # A value written as `null`, a list or an object may be intended: whether it or the marker is wrong is
            # unknown.
            scalar = isinstance(self.node.value, bool | int | float)
            self.node = self._string(written)
            self._differ(
                f"`{shown[:40]}` is read as text because the schema requires a string",
                "parsers that use only the marker get another type",
                self._change("true", "string"),
                certain=scalar,
            )

    def _string(self, written: str) -> JsonNode:
        if HOLE in written:
            self.wild.append(())
        return JsonNode("string", self.content, written.replace("\r\n", "\n"))

    def _by_schema(self, written: str) -> None:
        """Read a value that is marked as a string as JSON, if the schema requires another type and the JSON has it."""
        read = read_json(self.text, self.content.start, self.content.end)
        kind = _kind(read.value)
        types = self.types or frozenset()
        if read.problems or not written.strip() or not (kind in types or (kind == "integer" and "number" in types)):
            return
        self.node = read.root
        self._differ(
            f"The value is read as {_article(kind)} because the schema requires one",
            "parsers that use only the marker get a string",
            self._change("false", kind if kind != "integer" else "number"),
        )

    def _json(self, written: str, marked: bool | None) -> JsonNode:
        read = read_json(self.text, self.content.start, self.content.end)
        self.reach = max(self.reach, min(read.reach, self.content.end))
        bracketed = written.lstrip()[:1] in ("{", "[", '"')
        if not read.problems or bracketed or all(problem.kind in _CORRECTIONS for problem in read.problems):
            self.problems += [problem for problem in read.problems if problem.span.end <= self.content.end]
            self.wild += read.wild
            self.elided += read.elided
            self._check_type(read.root)
            return read.root
        if marked is False and HOLE not in written and written.strip() not in _ELISIONS:
            self._differ(
                "The value is not JSON and is read as text",
                "parsers that require JSON reject the call",
                self._change("true", "string"),
            )
        return self._string(written)

    def _check_type(self, node: JsonNode) -> None:
        """Report a value whose JSON type differs from that in the marker."""
        declared = self.head.attributes.get("type") if self.grammar.types == "type" else None
        if declared is None or node.kind in ("hole", "elision", "missing"):
            return
        kind = _kind(node.value)
        kind = "number" if kind == "integer" else kind
        if declared != kind and not (declared == "integer" and kind == "number"):
            self._differ(
                f"The marker says `{declared}`, but the value is {_article(kind)} and is read as such",
                "parsers that use the marker may reject it",
                self._change("", kind),
            )

    def _change(self, flag: str, kind: str) -> tuple[Edit, ...]:
        span = self.head.attribute_spans.get(self.grammar.types)
        if span is None:
            return ()
        return (Edit(span, flag if self.grammar.types == "string" else kind),)

    def _differ(self, reading: str, others: str, repair: tuple[Edit, ...], *, certain: bool = True) -> None:
        self.problems.append(differ(self.content, reading, others, repair, certain=certain))


def types_of(schema: Mapping[str, Any] | None) -> frozenset[str] | None:
    """Return the JSON types that a simple schema allows, None if it does not list them directly."""
    if not isinstance(schema, Mapping):
        return None
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(each for each in kind if isinstance(each, str))
    for keyword in ("anyOf", "oneOf"):
        options = schema.get(keyword)
        if isinstance(options, list) and options:
            found = [types_of(option) if isinstance(option, Mapping) else None for option in options]
            if all(each is not None for each in found):
                return frozenset().union(*(each for each in found if each is not None))
    return None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return next((name for name, kind in _KINDS.items() if isinstance(value, kind)), "null")


def _article(kind: str) -> str:
    return {"null": "null", "object": "an object", "array": "an array", "integer": "a number"}.get(kind, f"a {kind}")
