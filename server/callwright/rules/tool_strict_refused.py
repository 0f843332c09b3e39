"""The rule `tool-strict-refused`."""

from collections.abc import Iterator, Mapping
from typing import Any

from callwright.rules.base import Applicability, Diagnostic, Fix, Rule, Scope, Severity, ToolSubject
from callwright.rules.support.json_edits import change_object
from callwright.rules.support.tool_schemas import SchemaPart, parts_of
from callwright.text.span import Edit

Path = tuple[str | int, ...]

#: What strict mode of each provider does not take, as of November 2026:
#: https://platform.openai.com/docs/guides/structured-outputs and
#: https://docs.claude.com/en/docs/build-with-claude/structured-outputs.
_REFUSED: dict[str, frozenset[str]] = {
    "openai": frozenset({"allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"}),
    "anthropic": frozenset({"minimum", "maximum", "multipleOf", "minLength", "maxLength"}),
}
_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic"}
#: How deep objects may nest, and how many properties all of them may have together.
_LEVELS, _PROPERTIES = 10, 5_000


class ToolStrictRefused(Rule):
    """A tool asks for strict mode, and its schema has what the provider's strict mode refuses.

    Why is this bad: the whole request fails. With `"strict": true` OpenAI wants `"additionalProperties": false` in every
    object, every property in `required` (one that may be left out allows `null`), an object at the top that is no
    `anyOf`, at most 5,000 properties and 10 levels of objects, and none of `allOf`, `not`, `if` and the like. Anthropic wants
    `"additionalProperties": false` in every object, and no limits of numbers and of lengths of texts.

    Example
        [
          {
            "type": "function",
            "strict": true,
            "name": "read_file",
            "description": "Reads a file.",
            "parameters": {
              "type": "object",
              ^^^^^^ TC520 "The schema has no `additionalProperties: false`, which OpenAI's strict mode wants in every object."
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
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC520"
    name = "tool-strict-refused"
    scope = Scope.TOOLS
    severity = Severity.ERROR

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a finding for each place that strict mode refuses, where the definition asks for strict mode."""
        provider = subject.definition.source
        if provider not in _REFUSED or not _asks_for_strict(subject.definition.value):
            return
        whose = f"{_NAMES[provider]}'s strict mode"
        parts = [part for part in parts_of(subject) if part.is_input]

        def fixes() -> Iterator[Fix]:
            return _fixes(subject, parts, provider)

        properties = 0
        for part in parts:
            schema = part.schema
            where = "The schema" if part.is_root else f"`{part.path[-1]}`"
            if _is_object(schema):
                if schema.get("additionalProperties") is not False:
                    lacks = "has no `additionalProperties: false`, which"
                    yield self.diagnostic(
                        _place(subject, part), f"{where} {lacks} {whose} wants in every object.", fixes
                    )
                named = schema.get("properties")
                names = list(named) if isinstance(named, Mapping) else []
                properties += len(names)
                for name in names if provider == "openai" else ():
                    if name not in _required(schema):
                        message = (
                            f"`{name}` is not in `required`, and {whose} wants all there: let it be `null` instead."
                        )
                        yield self.diagnostic(subject.at_key((*part.path, "properties", name)), message, fixes)
            for keyword in schema:
                if keyword in _REFUSED[provider]:
                    message = f"`{keyword}` is not taken by {whose}: say it in the description, or check it afterwards."
                    yield self.diagnostic(subject.at_key((*part.path, keyword)), message)
            if provider == "openai":
                yield from self._at_the_top(subject, part, whose)
        if provider == "openai" and properties > _PROPERTIES:
            message = f"The schema has {properties:,} properties, and {whose} takes {_PROPERTIES:,}: split the tool."
            yield self.diagnostic(subject.at_key(parts[0].path), message)

    def _at_the_top(self, subject: ToolSubject, part: SchemaPart, whose: str) -> Iterator[Diagnostic]:
        if part.is_root and "anyOf" in part.schema:
            message = f"The schema is an `anyOf`, and {whose} wants an object at the top: put it into a property."
            yield self.diagnostic(subject.at_key((*part.path, "anyOf")), message)
        levels = sum(1 for step in part.path if step == "properties")
        if levels == _LEVELS + 1 and part.via == "properties" and _is_object(part.schema):
            message = f"The objects nest deeper than the {_LEVELS} levels that {whose} takes: make them flatter."
            yield self.diagnostic(_place(subject, part), message)


def _asks_for_strict(value: Mapping[str, Any]) -> bool:
    function = value.get("function")
    return value.get("strict") is True or (isinstance(function, Mapping) and function.get("strict") is True)


def _is_object(schema: Mapping[str, Any]) -> bool:
    named = schema.get("type")
    return named == "object" or "properties" in schema or (isinstance(named, list) and "object" in named)


def _required(schema: Mapping[str, Any]) -> list[Any]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _place(subject: ToolSubject, part: SchemaPart) -> Any:
    return subject.at_key((*part.path, "type")) if "type" in part.schema else subject.at_key(part.path)


def _fixes(subject: ToolSubject, parts: list[SchemaPart], provider: str) -> Iterator[Fix]:
    """Yield one fix for all objects of a definition, a guess where a property that was optional becomes nullable."""
    puts: dict[Path, dict[str, Any]] = {}
    guessed = False
    for part in parts:
        schema = part.schema
        if not _is_object(schema):
            continue
        if schema.get("additionalProperties", False) not in (False, True):
            # Named members beyond those that are listed: nothing strict says the same.
            return
        named = schema.get("properties")
        members: Mapping[str, Any] = named if isinstance(named, Mapping) else {}
        lacking = [name for name in members if name not in _required(schema)] if provider == "openai" else []
        if lacking:
            guessed = True
            puts.setdefault(part.path, {})["required"] = [*_required(schema), *lacking]
        if schema.get("additionalProperties") is not False:
            guessed = guessed or schema.get("additionalProperties") is True
            puts.setdefault(part.path, {})["additionalProperties"] = False
        for name in lacking:
            nullable = _nullable(members[name])
            if nullable is None:
                return
            if nullable:
                puts.setdefault((*part.path, "properties", name), {}).update(nullable)
    edits: list[Edit] = []
    for path, put in puts.items():
        changed = change_object(subject.document, path, put=put)
        if changed is None:
            return
        edits += changed
    if edits:
        title = "Make the schema strict" + (" (what was optional may be `null`)" if guessed else "")
        yield Fix(title, tuple(edits), Applicability.UNSAFE if guessed else Applicability.SAFE)


def _nullable(schema: Any) -> dict[str, Any] | None:
    """Return what makes a schema take `null`, too: nothing where it does, None where that takes more than a word."""
    if not isinstance(schema, Mapping) or "const" in schema or "$ref" in schema:
        return None
    named = schema.get("type")
    types = [named] if isinstance(named, str) else named
    if not isinstance(types, list):
        return None
    if "null" in types:
        return {}
    put: dict[str, Any] = {"type": [*types, "null"]}
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        put["enum"] = [*values, None]
    return put
