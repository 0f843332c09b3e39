"""The rule `tool-strict-refused`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from callwright.demands import Demand
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject
from callwright.rules.support.json_edits import rename_key, value_at
from callwright.rules.support.strict_fixes import (
    fixes_of_keyword,
    is_object,
    make_strict,
    one_type,
    required_of,
    text_choices,
)
from callwright.rules.support.tool_schemas import SchemaPart, parts_of, walk
from callwright.text.facts import FactFor
from callwright.text.span import Edit, Span
from callwright.tools.profiles import (
    MANY_CHOICES,
    SchemaDemands,
    SchemaLimit,
    SchemaWants,
    tool_profile,
)
from callwright.tools.references import target

Path = tuple[str | int, ...]

_HOW: Final = {
    "error": "is not accepted by {title}",
    "warning": "is not accepted everywhere by {title}",
    "info": "is not listed as supported by {title}",
}
_REPORT_IT: Final = "state it in the description, or validate it afterwards"
_LEAVE_OUT: Final = "remove it"
_ADVICE: Final = {
    "oneOf": "write `anyOf`",
    "allOf": "merge its parts into one schema",
    "const": "use an `enum` with this value",
    "$ref": "inline what it refers to",
    "$defs": "inline each schema where it is used",
    "definitions": "inline each schema where it is used",
    "prefixItems": "describe all items in `items`",
    "examples": "remove it, or use one `example`",
} | dict.fromkeys(
    ("$schema", "$id", "$comment", "$anchor", "additionalProperties", "readOnly", "writeOnly"), _LEAVE_OUT
)
#: Keywords whose content is kept when they are fixed.
_REWRITTEN: Final = frozenset({"oneOf", "allOf", "$defs", "definitions", "additionalProperties"})
_COUNTED: Final = {
    SchemaLimit.PROPERTIES: "properties",
    SchemaLimit.CHOICES: "values in its `enum`s",
    SchemaLimit.NAMES: "characters in its names and choices",
}
_OF_REQUESTS: Final = {
    SchemaLimit.TOOLS: "tools",
    SchemaLimit.OPTIONAL: "optional properties",
    SchemaLimit.UNIONS: "properties of several types",
}
#: What the strict tools of a file use together of each limit of a request, for each provider.
_TOGETHER: Final[FactFor[str, dict[SchemaLimit, int]]] = FactFor()
#: Keywords of Google's own schema format, and counts that it writes as strings.
_GOOGLE: Final = frozenset({"nullable", "example", "propertyOrdering", "property_ordering", "any_of"})
_SIZES: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")


class ToolStrictRefused(ToolRule):
    """A schema uses something that the provider rejects, in strict mode or always.

    Why is this bad: the whole request fails. With `"strict": true` OpenAI requires `"additionalProperties": false` in
    every object and every property in `required` (an optional one allows `null`), accepts none of `oneOf`, `allOf`,
    `not`, `if` and the like, and limits the number of properties, levels of objects and choices. Anthropic requires
    `"additionalProperties": false` in every object, and accepts neither recursion nor limits on numbers, string lengths
    and arrays. Even without strict mode, both reject a schema with `anyOf`, `oneOf` or `allOf` at its top, and Gemini
    accepts only some keywords under `parameters`, but all of them under `parametersJsonSchema`. The page about
    providers lists what each one requires, with sources.

    The provider is the one in the setting `provider`, or else the one in whose format the tool is written. A keyword
    that the provider does not list as supported is an info. A tool in another format that is checked for Gemini gets a
    warning, because your client may translate it.

    Example
        [
          {
            "type": "function",
            "strict": true,
            "name": "read_file",
            "description": "Reads a file.",
            "parameters": {
              "type": "object",
              ^^^^^^ TC520 "The schema has no `additionalProperties: false`, which OpenAI's strict mode requires in every object."
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["path"]
            }
          }
        ]

    Use instead
        [
          {
            "type": "function",
            "strict": true,
            "name": "read_file",
            "description": "Reads a file.",
            "parameters": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["path"],
              "additionalProperties": false
            }
          }
        ]

    Example
        {
          "functionDeclarations": [
            {
              "name": "set_mode",
              "description": "Sets the mode.",
              "parameters": {
                "type": "object",
                "properties": {"mode": {"const": "fast", "type": "string", "description": "The mode."}}
                                        ^^^^^^^ TC520 "`const` is not accepted by Gemini's `parameters`: use an `enum` with this value."
              }
            }
          ]
        }

    Use instead
        {
          "functionDeclarations": [
            {
              "name": "set_mode",
              "description": "Sets the mode.",
              "parameters": {
                "type": "object",
                "properties": {"mode": {"enum": ["fast"], "type": "string", "description": "The mode."}}
              }
            }
          ]
        }
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC520"
    fast_path = FastPath.PLAIN  # a plain definition does not ask for `strict`

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that the provider rejects, always or because the definition is strict."""
        definition = subject.definition
        profile = tool_profile(subject.settings.provider, definition.source)
        if profile.always is None and profile.strict is None:
            return
        parts = _parts_as_written(subject)
        if not parts:
            return
        reported: set[Path] = set()
        if profile.always is not None and not (profile.always.apart and _is_apart(subject, profile.always)):
            yield from self._judge(_Judged(subject, parts, profile.always, profile.name, reported))
        if profile.strict is not None and _asks_for_strict(definition.value):
            yield from self._judge(_Judged(subject, parts, profile.strict, profile.name, reported))

    def _judge(self, judged: _Judged) -> Iterator[Diagnostic]:
        for part in judged.scanned_at():
            yield from self._keywords(judged, part)
            yield from self._wants(judged, part)
        for path in judged.circles() if SchemaWants.NOT_RECURSIVE in judged.demands.wants else ():
            message = (
                f"This `$ref` refers to an enclosing schema, and {judged.title} does not accept recursion: write"
                " the levels out."
            )
            yield self.diagnostic(judged.subject.at_key(path), message)
        yield from self._limits(judged)
        yield from self._limits_of_requests(judged)

    def _keywords(self, judged: _Judged, part: SchemaPart) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each keyword that is rejected."""
        demands, subject = judged.demands, judged.subject
        refused = [
            keyword
            for keyword, value in part.schema.items()
            if keyword in demands.refused and not _is_taken(value, demands.taken.get(keyword, ()))
        ]
        certain = [keyword for keyword in refused if demands.refused[keyword].severity != "info"]
        at_top = [keyword for keyword in part.schema if keyword in demands.refused_at_top] if part.is_root else []
        for keyword in dict.fromkeys((*at_top, *refused)):
            path = (*part.path, keyword)
            if path in judged.reported:
                continue
            judged.reported.add(path)
            if keyword in at_top:
                demand = demands.refused_at_top[keyword]
                message = (
                    f"`{keyword}` is not accepted by {judged.title} at the top of the schema: move it into a property."
                )
                yield self.diagnostic(subject.at_key(path), message, severity=judged.severity(demand))
                continue
            demand = demands.refused[keyword]
            how = _HOW[demand.severity].format(title=judged.title)
            yield self.diagnostic(
                subject.at_key(path),
                f"`{keyword}` {how}: {_ADVICE.get(keyword, _REPORT_IT)}.",
                partial(_keyword_fixes, judged, part, keyword, certain),
                severity=judged.severity(demand),
            )

    def _wants(self, judged: _Judged, part: SchemaPart) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each requirement of the provider that one schema does not meet."""
        schema, subject, wants, title = part.schema, judged.subject, judged.demands.wants, judged.title
        where = "The schema" if part.is_root else f"`{part.path[-1]}`"
        if is_object(schema):
            if SchemaWants.CLOSED in wants and schema.get("additionalProperties") is not False:
                message = f"{where} has no `additionalProperties: false`, which {title} requires in every object."
                yield self.diagnostic(_place(subject, part), message, judged.strictly)
            if SchemaWants.ALL_REQUIRED in wants:
                for name in optional_of(schema):
                    message = (
                        f"`{name}` is not in `required`, but {title} requires every property: add it, and allow `null`."
                    )
                    yield self.diagnostic(subject.at_key((*part.path, "properties", name)), message, judged.strictly)
        if SchemaWants.ONE_TYPE in wants and isinstance(schema.get("type"), list):
            message = f"`type` is a list, but {title} accepts only one name: use `nullable` or `anyOf`."
            fixes = partial(_fixes_of_values, judged, part, one_type)
            severity = judged.severity(wants[SchemaWants.ONE_TYPE])
            yield self.diagnostic(subject.at((*part.path, "type")), message, fixes, severity=severity)
        values = schema.get("enum")
        values = values if isinstance(values, list) else []
        if SchemaWants.PLAIN_CHOICES in wants:
            for index, value in enumerate(values):
                if isinstance(value, dict | list):
                    message = (
                        f"This `enum` value is an object or an array, which {title} does not accept: write it as"
                        " a schema."
                    )
                    yield self.diagnostic(subject.at((*part.path, "enum", index)), message)
        if SchemaWants.TEXT_CHOICES in wants and not all(isinstance(value, str) for value in values):
            message = f"`enum` has values that are not strings, but {title} accepts only strings."
            severity = judged.severity(wants[SchemaWants.TEXT_CHOICES])
            fixes = partial(_fixes_of_values, judged, part, text_choices)
            yield self.diagnostic(subject.at_key((*part.path, "enum")), message, fixes, severity=severity)
        if SchemaWants.REFERENCES_APART in wants and part.via == "allOf" and "$ref" in schema:
            message = f"A `$ref` in an `allOf` is not accepted by {title}: inline what it refers to."
            yield self.diagnostic(subject.at_key((*part.path, "$ref")), message)

    def _limits(self, judged: _Judged) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each limit that one schema exceeds."""
        limits, subject, title = judged.demands.limits, judged.subject, judged.title
        if not limits:
            return
        counted = dict.fromkeys(SchemaLimit, 0)
        levels = limits.get(SchemaLimit.LEVELS)
        for part in judged.parts:
            for limit, number in _counts(part):
                counted[limit] += number
            characters = _characters_of_choices(part.schema.get("enum"))
            if characters > limits.get(SchemaLimit.LONG_CHOICES, characters):
                most = limits[SchemaLimit.LONG_CHOICES]
                message = (
                    f"The values of this `enum` have {characters:,} characters; {title} accepts at most {most:,} for"
                    f" more than {MANY_CHOICES} values: use a plain string and validate it afterwards."
                )
                yield self.diagnostic(subject.at_key((*part.path, "enum")), message)
            level = sum(1 for step in part.path if step == "properties") if levels is not None else 0
            if level - 1 == levels and part.via == "properties" and is_object(part.schema):
                message = f"Objects are nested deeper than the {levels} levels that {title} accepts: flatten them."
                yield self.diagnostic(_place(subject, part), message)
        for limit, words in _COUNTED.items():
            most = limits.get(limit, counted[limit])
            if counted[limit] > most:
                message = (
                    f"The schema has {counted[limit]:,} {words}, but {title} accepts at most {most:,}: split the tool."
                )
                yield self.diagnostic(subject.at_key(judged.parts[0].path), message)

    def _limits_of_requests(self, judged: _Judged) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a tool exceeds a limit of a request, alone or together with those above it in the
        file.
        """
        limits, subject, title = judged.demands.limits, judged.subject, judged.title
        if SchemaLimit.TOOLS not in limits:
            return
        own = dict.fromkeys((SchemaLimit.TOOLS, SchemaLimit.OPTIONAL, SchemaLimit.UNIONS), 0)
        own[SchemaLimit.TOOLS] = 1
        for part in judged.parts:
            if is_object(part.schema):
                own[SchemaLimit.OPTIONAL] += len(optional_of(part.schema))
            variants, named = part.schema.get("anyOf"), part.schema.get("type")
            several = isinstance(variants, list) or (isinstance(named, list) and len(named) > 1)
            own[SchemaLimit.UNIONS] += part.via == "properties" and several
        together = _TOGETHER.get(subject, title) or _TOGETHER.keep(subject, title, dict.fromkeys(own, 0))
        at = subject.at(subject.definition.name_path)
        for limit, number in own.items():
            before, most = together[limit], limits[limit]
            together[limit] += number
            words = _OF_REQUESTS[limit]
            if number > most:
                message = f"The schema has {number} {words}, but {title} accepts at most {most}: split the tool."
                yield self.diagnostic(subject.at_key(judged.parts[0].path), message)
            elif before <= most < together[limit]:
                message = (
                    f"From here on, the strict tools of this file have more than {most} {words}, the most that {title}"
                )
                message += " accepts in one request: make fewer tools strict."
                yield self.diagnostic(at, message, severity=Severity.WARNING)


class _Judged:
    """A definition that is checked against demands, and what has been reported about it."""

    def __init__(
        self, subject: ToolSubject, parts: list[SchemaPart], demands: SchemaDemands, provider: str, reported: set[Path]
    ) -> None:
        self.subject = subject
        self.parts = parts
        self.demands = demands
        self.title = demands.title
        self.reported = reported
        #: Whether the definition is in this provider's own format.
        self.is_own = subject.definition.source == provider
        self._strictly: list[Fix] | None = None
        self._passed_on: list[Fix] | None = None

    def severity(self, demand: Demand) -> Severity:
        """Return the severity; lower where others translate the definition, since they may fix it."""
        lower = demand.severity == "error" and self.demands.apart and not self.is_own
        return Severity.WARNING if lower else Severity(demand.severity)

    def strictly(self) -> list[Fix]:
        """Return the fix that makes all objects strict, computed once for all diagnostics."""
        if self._strictly is None:
            self._strictly = list(make_strict(self.subject, self.parts, self.demands))
        return self._strictly

    def passed_on(self) -> list[Fix]:
        """Return the fix that moves the schema under the key that accepts all of JSON Schema.

        It is one edit of the whole schema, so no other fix inside the schema can be applied with it.
        """
        if self._passed_on is None:
            self._passed_on = []
            document, path = self.subject.document, self.subject.definition.schema_path
            possible = self.is_own and self.demands.apart and not any(map(_is_not_json_schema, self.parts))
            renamed = rename_key(document, path, "parametersJsonSchema") if possible and path else None
            if renamed is not None and path:
                end = document.places.value(path).end
                edit = renamed[0]
                whole = Edit(Span(edit.span.start, end), edit.text + document.text[edit.span.end : end])
                self._passed_on = [Fix("Use `parametersJsonSchema` instead", (whole,), Applicability.UNSAFE)]
        return self._passed_on

    def scanned_at(self) -> Iterator[SchemaPart]:
        """Yield the parts that remain once the keywords around them are fixed; removed parts are not checked."""
        gone: set[int] = set()
        for part in self.parts:
            inside = part.around is not None and id(part.around) in gone
            if inside or part.asked or (part.via in self.demands.refused and part.via not in _REWRITTEN):
                gone.add(id(part))
            else:
                yield part

    def circles(self) -> Iterator[Path]:
        """Yield the path of each reference that leads, directly or through others, to a schema around it."""
        inner: dict[int, list[SchemaPart]] = {}
        first: dict[int, SchemaPart] = {}
        for part in self.parts:
            first.setdefault(id(part.schema), part)
            if part.around is not None:
                inner.setdefault(id(part.around), []).append(part)
        around: set[int] = set()
        done: set[int] = set()
        pending: list[tuple[SchemaPart, bool]] = [(self.parts[0], False)]
        while pending:
            part, leave = pending.pop()
            if leave:
                around.discard(id(part))
                continue
            if id(part) in done:
                continue
            done.add(id(part))
            around.add(id(part))
            pending.append((part, True))
            pending += [(child, False) for child in inner.get(id(part), ())]
            reference = part.schema.get("$ref")
            end = target(reference, part.root, part.schema) if isinstance(reference, str) else None
            other = first.get(id(end)) if end is not None else None
            if other is not None and id(other) in around:
                yield (*part.path, "$ref")
            elif other is not None:
                pending.append((other, False))


def _parts_as_written(subject: ToolSubject) -> list[SchemaPart]:
    """Return the schemas in the input schema; for a translated one, as the author wrote them."""
    definition = subject.definition
    path = definition.schema_path
    if path is not None and path[: len(definition.path)] == definition.path:
        written = value_at(definition.value, path[len(definition.path) :])
        if isinstance(written, Mapping) and written is not definition.input_schema:
            return list(walk(written, path, is_input=True))
    return [part for part in parts_of(subject) if part.is_input]


def _is_apart(subject: ToolSubject, demands: SchemaDemands) -> bool:
    path = subject.definition.schema_path
    return bool(path) and path is not None and path[-1] in demands.apart


def _asks_for_strict(value: Mapping[str, Any]) -> bool:
    function = value.get("function")
    return value.get("strict") is True or (isinstance(function, Mapping) and function.get("strict") is True)


def _is_taken(value: Any, taken: tuple[int, ...]) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in taken


def _keyword_fixes(judged: _Judged, part: SchemaPart, keyword: str, refused: list[str]) -> Iterator[Fix]:
    subject = judged.subject
    guess = bool(judged.demands.apart) and not judged.is_own
    for fix in fixes_of_keyword(subject, part, keyword, refused, at_top=judged.demands.refused_at_top):
        yield replace(fix, applicability=Applicability.UNSAFE) if guess else fix
    yield from judged.passed_on()


def _fixes_of_values(
    judged: _Judged, part: SchemaPart, fix: Callable[[ToolSubject, SchemaPart], Iterator[Fix]]
) -> Iterator[Fix]:
    if judged.is_own:
        yield from fix(judged.subject, part)
        yield from judged.passed_on()


def _is_not_json_schema(part: SchemaPart) -> bool:
    """Return whether a schema uses keywords that only Google's own format has."""
    named = part.schema.get("type")
    upper = isinstance(named, str) and not named.islower()
    return (
        upper or not _GOOGLE.isdisjoint(part.schema) or any(isinstance(part.schema.get(word), str) for word in _SIZES)
    )


def optional_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the properties of a schema that it does not require."""
    named = schema.get("properties")
    required = {name for name in required_of(schema) if isinstance(name, str)}
    return [name for name in named if name not in required] if isinstance(named, Mapping) else []


def _counts(part: SchemaPart) -> Iterator[tuple[SchemaLimit, int]]:
    """Yield what one schema adds to each total of all schemas."""
    schema = part.schema
    named, values = schema.get("properties"), schema.get("enum")
    if isinstance(named, Mapping) and is_object(schema):
        yield SchemaLimit.PROPERTIES, len(named)
        yield SchemaLimit.NAMES, sum(map(len, named))
    if isinstance(values, list):
        yield SchemaLimit.CHOICES, len(values)
    if part.via in ("$defs", "definitions"):
        yield SchemaLimit.NAMES, len(str(part.path[-1]))
    for value in (*(values if isinstance(values, list) else ()), schema.get("const")):
        if isinstance(value, str):
            yield SchemaLimit.NAMES, len(value)


def _characters_of_choices(values: Any) -> int:
    """Return the total length of the strings of a long `enum`, 0 where there are fewer or other values."""
    if not isinstance(values, list) or len(values) <= MANY_CHOICES or not all(isinstance(one, str) for one in values):
        return 0
    return sum(map(len, values))


def _place(subject: ToolSubject, part: SchemaPart) -> Any:
    return subject.at_key((*part.path, "type")) if "type" in part.schema else subject.at_key(part.path)
