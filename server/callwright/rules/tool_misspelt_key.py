"""The rule `tool-misspelt-key`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import rename_key, value_at
from callwright.rules.support.tool_schemas import SchemaPart, is_impossible, misfits, parts_of, type_names, walk
from callwright.rules.support.tool_words import quoted
from callwright.schema.validation import validate
from callwright.text.facts import Fact, derived
from callwright.tools.names import fold, nearest
from callwright.tools.schema_check import check_schema, meant_type, object_schema

Path = tuple[str | int, ...]
Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return all(isinstance(name, str) and meant_type(name) is not None for name in names)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(child, Mapping | bool) for child in value.values())


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping | bool)


def _anything(value: Any) -> bool:
    del value
    return True


def _each(words: str, check: Check) -> dict[str, Check]:
    return dict.fromkeys(words.split(), check)


#: The types of a keyword's value: an unknown key is taken for the keyword only with such a value.
_KEYWORDS: Final[Mapping[str, Check]] = {
    **_each("type", _is_type),
    **_each("description title pattern format $ref $schema $id $comment $anchor contentEncoding", _is_text),
    **_each("contentMediaType $dynamicRef", _is_text),
    **_each("properties patternProperties $defs definitions dependentSchemas", _are_schemas),
    **_each("dependentRequired", _is_object),
    **_each("items additionalProperties unevaluatedProperties unevaluatedItems propertyNames contains", _is_schema),
    **_each("required", _are_names),
    **_each("enum examples allOf anyOf oneOf prefixItems", _is_list),
    **_each("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", _is_number),
    **_each("minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains", _is_number),
    **_each("uniqueItems deprecated readOnly writeOnly", _is_flag),
    **_each("default const", _anything),
}
#: Known extension keys, which are not taken for misspelt keywords.
_OTHERS: Final = frozenset(
    {"if", "then", "else", "not", "id", "$vocabulary", "$recursiveRef", "$recursiveAnchor", "$dynamicAnchor"}
    | {"contentSchema", "dependencies", "additionalItems", "nullable", "discriminator", "xml", "externalDocs"}
    | {"example", "propertyOrdering", "strict", "errorMessage", "enumNames", "enumDescriptions", "defaultSnippets"}
    | {"markdownDescription", "markdownEnumDescriptions", "deprecationMessage", "tsType", "instanceof", "optional"}
    | {"option", "options", "order", "unit", "units", "label", "labels", "hint", "name", "names", "value", "values"}
    | {"note", "notes", "mode", "model", "tags", "icon", "group", "widget", "ui", "alias", "aliases", "version"}
    | {"formats", "placeholder", "tool"}
)
#: Abbreviations of one keyword.
_SHORT: Final = {
    "desc": "description",
    "descr": "description",
    "enums": "enum",
    "item": "items",
    "props": "properties",
    "property": "properties",
    "require": "required",
}
#: Shorter words are near too many others; only `type` is recognized, by its value.
_SHORTEST: Final = 5
_LONG: Final = 8
#: How many unknown keys of one file are compared; a file with more of them uses a vocabulary of its own.
_MAX_KEYS: Final = 2_000
#: How many schemas of one file are checked to find out whether a new name is safe.
_MAX_SCANNED: Final = 300_000
_SCANNED: Final[Fact[int]] = Fact()

_COMMON: Final = {"name": _is_text, "description": _is_text, "title": _is_text}
_ANNOTATIONS: Final = _each("readOnlyHint destructiveHint idempotentHint openWorldHint", _is_flag) | {"title": _is_text}
#: The members of a definition, by its format.
_MEMBERS: Final[Mapping[str, Mapping[str, Check]]] = {
    "mcp": _COMMON | _each("inputSchema outputSchema annotations execution _meta", _is_object) | {"icons": _is_list},
    "tool-set": _COMMON
    | _each("inputSchema outputSchema annotations", _is_object)
    | _each("examples aliases", _is_list)
    | {"deprecated": _anything, "markup": _is_text, "dialect": _is_text},
    "anthropic": _COMMON
    | _each("input_schema output_schema cache_control", _is_object)
    | {"input_examples": _is_list, "strict": _is_flag, "type": _is_text},
    "openai": _COMMON | {"parameters": _is_object, "strict": _is_flag, "type": _is_text},
    "gemini": _COMMON | _each("parameters parametersJsonSchema response responseJsonSchema", _is_object),
    "converse": _COMMON | {"inputSchema": _is_object, "strict": _is_flag},
    "plain": _COMMON | _each("inputSchema input_schema parameters outputSchema", _is_object) | {"examples": _is_list},
}
_SCHEMAS: Final = frozenset({"inputSchema", "input_schema", "parameters", "parametersJsonSchema"})
#: The keywords that decide whether a required name is declared.
_DECLARING: Final = frozenset({"required", "properties", "additionalProperties"})
#: Keywords for people: their value changes nothing else.
_STATED: Final = frozenset({"description", "title", "deprecated", "$comment", *_ANNOTATIONS})


class ToolMisspeltKey(ToolRule):
    """A key of a schema or of a definition is a misspelling of a known one.

    Why is this bad: an unknown key is silently ignored: parameters are not required, a description is not sent to the
    model, or the schema has no effect. A key is reported only if its value fits the known key, and if the known key is
    absent.

    Example
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "requierd": ["path"]
              ^^^^^^^^^^ TC516 "`requierd` is not a JSON Schema keyword and is ignored; did you mean `required`?"
            }
          }
        ]

    Use instead
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["path"]
            }
          }
        ]
    """

    code = "TC516"
    fast_path = FastPath.PLAIN  # plain definitions have only known keys
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each unknown key that is certainly a misspelt known one."""
        yield from self._members(subject)
        snake = subject.definition.source == "gemini"
        for part in parts_of(subject):
            for key, value in part.schema.items():
                if key in _KEYWORDS or key in _OTHERS or key.startswith(("x-", "_")):
                    continue
                meant = self._meant(subject, key, value, _KEYWORDS, part.schema)
                # Google's libraries write `min_items` for `minItems`.
                if meant is not None and not (snake and "_" in key and fold(key) == fold(meant)):
                    yield self._diagnostic(subject, (*part.path, key), meant, "JSON Schema keyword", part)

    def _members(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        definition = subject.definition
        known = _MEMBERS.get(definition.source)
        if known is None or definition.schema_path == definition.path:
            return
        place = definition.description_path[:-1]
        around = value_at(subject.document.value, place)
        if not isinstance(around, Mapping):
            return
        if definition.input_schema is not None:
            known = {key: check for key, check in known.items() if key not in _SCHEMAS or key in around}
        yield from self._unknown(subject, place, around, known, "member of a tool definition")
        annotations = around.get("annotations")
        if definition.source in ("mcp", "tool-set") and isinstance(annotations, Mapping):
            yield from self._unknown(subject, (*place, "annotations"), annotations, _ANNOTATIONS, "annotation")

    def _unknown(
        self, subject: ToolSubject, place: Path, around: Mapping[str, Any], known: Mapping[str, Check], what: str
    ) -> Iterator[Diagnostic]:
        for key, value in around.items():
            if key not in known and key not in _OTHERS:
                meant = self._meant(subject, key, value, known, around)
                if meant is not None:
                    yield self._diagnostic(subject, (*place, key), meant, what, None)

    def _meant(
        self, subject: ToolSubject, key: str, value: Any, known: Mapping[str, Check], around: Mapping[str, Any]
    ) -> str | None:
        """Return the one known key that a key is meant as, where its value fits and the known key is not present."""
        cache = _meant_by(subject)
        memo = (key, len(known))
        if memo not in cache and len(cache) < _MAX_KEYS:
            cache[memo] = _near(key, known)
        meant = cache.get(memo)
        return meant if meant is not None and meant not in around and known[meant](value) else None

    def _diagnostic(
        self, subject: ToolSubject, path: Path, meant: str, what: str, part: SchemaPart | None
    ) -> Diagnostic:
        key = str(path[-1])

        def fixes() -> Iterator[Fix]:
            safe = meant in _STATED or (part is not None and _stays_sound(subject, part, key, meant))
            edits = rename_key(subject.document, path, meant)
            applicability = Applicability.SAFE if safe else Applicability.UNSAFE
            yield from with_edits(f"Rename to `{meant}`", edits, applicability)

        message = f"{quoted(key)} is not a {what} and is ignored; did you mean `{meant}`?"
        return self.diagnostic(subject.at_key(path), message, fixes)


@derived
def _meant_by(_subject: ToolSubject) -> dict[tuple[str, int], str | None]:
    """Return which known keys unknown keys are meant as, each with the number of known keys."""
    return {}


def _near(key: str, known: Iterable[str]) -> str | None:
    names = list(known)
    if _SHORT.get(key) in names:
        return _SHORT[key]
    meant = nearest(key, names)
    if meant is None or fold(key) == fold(meant):
        return meant
    if min(len(key), len(meant)) < _SHORTEST and meant != "type":
        return None
    from rapidfuzz.distance import OSA

    distance = OSA.distance(key, meant)
    return meant if distance <= (2 if min(len(key), len(meant)) >= _LONG else 1) else None


def _stays_sound(subject: ToolSubject, part: SchemaPart, key: str, meant: str) -> bool:
    """Return whether a schema has no new fault once a key gets its right name."""
    scanned = _SCANNED.keep(subject, (_SCANNED.get(subject) or 0) + len(parts_of(subject)))
    if scanned > _MAX_SCANNED:
        return False
    renamed = {meant if name == key else name: value for name, value in part.schema.items()}
    whole = _with_part(part.root, part.path[len(part.base) :], renamed)
    if check_schema(whole) or (part.is_root and part.is_input and object_schema(whole) is None):
        return False
    for inner in walk(renamed, part.path, is_input=part.is_input):
        if is_impossible(inner.schema) or misfits(inner.schema):
            return False
        if "array" in type_names(inner.schema) and "items" not in inner.schema:
            return False
        shared = {name: whole[name] for name in ("$defs", "definitions") if name in whole and name not in inner.schema}
        if "default" in inner.schema and validate({**inner.schema, **shared}, inner.schema["default"]):
            return False
    required, properties = renamed.get("required"), renamed.get("properties")
    declared = properties if isinstance(properties, Mapping) else {}
    if meant in _DECLARING and any(name not in declared for name in required or ()):
        return False
    return not (part.is_input and any(validate(whole, example) for example in subject.definition.tool.examples))


def _with_part(value: Any, path: Path, part: Mapping[str, Any]) -> Any:
    """Return a copy of a schema in which another part is at `path`."""
    if not path:
        return part
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = _with_part(value[path[0]], path[1:], part)
    return copy
