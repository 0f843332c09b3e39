"""Checks whether a schema can be used: well-formed, local, and of bounded cost.

Owns: `check_schema`. Must not know: how definitions are written, files. A plain schema is accepted without importing a
validator; only an unusual one is validated with its meta-schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from callwright.text.patterns import compile_later
from callwright.text.records import dataclass
from callwright.tools.names import nearest
from callwright.tools.references import REFERENCES, Schema, SchemaPath, children, is_remote, target, targets

#: How deep schemas may nest. Validators recurse, in C at worst.
DEPTH = 100
#: How many schemas one tool may contain.
NODES = 20_000
#: How many times a validator may visit one value, counting every way through references and variants.
PATHS = 20_000
#: How many characters the patterns of one tool may have.
PATTERNS = 100_000
#: How many values a schema may have for the slow library to validate it with its meta-schema.
_LARGE = 1_500
#: How often a pattern with lookarounds or backreferences may be retried on one text.
BACKTRACKS = 10_000

INVALID = "tool-schema-invalid"
REMOTE = "tool-remote-ref"

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
#: Other languages' names of the JSON types.
_MEANT = {"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number"}
_MEANT |= {"bool": "boolean", "list": "array", "tuple": "array", "dict": "object", "map": "object", "none": "null"}
_MEANT |= {name: name for name in _TYPES}
_DRAFTS = compile_later(r"https?://json-schema\.org/(?:draft-0[3467]/|draft/20(?:19-09|20-12)/)schema#?")
_STRINGS = frozenset({"description", "title", "$comment", "$id", "$anchor", "format", "contentEncoding"})
_FLAGS = frozenset({"deprecated", "readOnly", "writeOnly", "uniqueItems"})
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_DATA = frozenset({"default", "const"})
_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "items", "prefixItems", "additionalProperties", "not"}
    | {"allOf", "anyOf", "oneOf", "if", "then", "else", "propertyNames", "contains"}
)
#: Keywords whose schemas apply to the same value, not to a part of it.
_REFERENCE_WORDS = frozenset(REFERENCES)
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"})
#: Without any of these, a schema applies to the parts of a value alone, and is visited once for each.
_AT_ONE_VALUE = _IN_PLACE | _REFERENCE_WORDS


#: Python's names of types, which data sets for training and evaluation use in schemas.
_CONVENTION = frozenset({"dict", "float", "str", "int", "list", "any", "tuple", "bool"})


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """Why a schema cannot be used: the kind of problem, where in the schema, the reason, what to do.

    `convention` says that data sets write it so on purpose.
    """

    kind: str
    path: SchemaPath
    reason: str
    remedy: str
    convention: bool = False


def check_schema(schema: Any) -> list[SchemaFault]:
    """Return the faults of a schema: remote references first, then those that make it invalid.

    Never raises and never fetches; the work is bounded for any JSON value.
    """
    if not isinstance(schema, Mapping):
        return [
            SchemaFault(INVALID, (), f"a schema must be an object, not {_word(schema)}", "write a JSON Schema object")
        ]
    walk = _SchemaScan(schema)
    if walk.faults:
        # A convention is reported once, at its first place; the walk ends there.
        first = next((fault for fault in reversed(walk.faults) if fault.convention), None)
        return [fault for fault in walk.faults if fault is first or not fault.convention]
    costly = _cost_fault(schema, walk.nodes)
    if costly is not None:
        return [costly]
    return [] if walk.plain else _library_faults(schema)


def bounded(schema: Any) -> bool:
    """Return whether a schema is local and of bounded size and cost, well-formed or not."""
    if not isinstance(schema, Mapping):
        return isinstance(schema, bool)
    walk = _SchemaScan(schema)
    return not walk.faults and _cost_fault(schema, walk.nodes) is None


def is_plain(schema: Schema) -> bool:
    """Return whether a schema is so plain that it need not be validated with its meta-schema."""
    walk = _SchemaScan(schema)
    return walk.plain and not walk.faults


def meant_type(name: str) -> str | None:
    """Return the JSON type that `name` is, or means in another language; None where it means none."""
    return _MEANT.get(name.strip().casefold())


def object_schema(schema: Schema) -> Schema | None:
    """Return the schema with an explicit `type: object`, or None where it does not describe objects."""
    named = schema.get("type")
    if named == "object":
        return schema
    if named is None or (isinstance(named, list) and "object" in named):
        return {**schema, "type": "object"}
    return None


def known_draft(schema: Schema) -> Schema:
    """Return the schema, without its `$schema` where that is not a published draft: the newest is then assumed."""
    named = schema.get("$schema")
    if named is None or (isinstance(named, str) and _DRAFTS.fullmatch(named)):
        return schema
    return {key: value for key, value in schema.items() if key != "$schema"}


class _SchemaScan:
    """One pass over every schema inside a schema: collects the nodes and the obvious faults."""

    def __init__(self, root: Schema) -> None:
        self.nodes: list[Schema] = []
        self.faults: list[SchemaFault] = []
        self.plain = True
        patterns = 0
        referring: list[tuple[SchemaPath, Schema]] = []
        pending: list[tuple[SchemaPath, Any]] = [((), root)]
        while pending:
            path, node = pending.pop()
            if isinstance(node, bool):
                continue
            if type(node) is not dict and not isinstance(node, Mapping):
                self._fault(path, f"expected a schema, not {_word(node)}", "write an object, `true` or `false`")
                return
            if len(self.nodes) >= NODES or len(path) > 2 * DEPTH:
                self._fault((), "the schema is too large or nested too deep", "split it or simplify it")
                return
            self.nodes.append(node)
            if not _REFERENCE_WORDS.isdisjoint(node):
                referring.append((path, node))
            self._type(node, path)
            patterns += _pattern_length(node)
            if patterns > PATTERNS:
                self._fault(
                    path,
                    "the patterns of this schema are too long",
                    "shorten them, or describe the format in the description",
                )
                return
            self.plain = self.plain and _is_plain(node)
            pending.extend(((*path, *step), child) for step, child in islice(children(node), NODES + 1))
        # References are followed only in a schema within the limit of size.
        for path, node in referring:
            self._references(node, path, root)

    def _references(self, node: Schema, path: SchemaPath, root: Schema) -> None:
        for keyword in REFERENCES:
            reference = node.get(keyword)
            if reference is None:
                continue
            where = (*path, keyword)
            if not isinstance(reference, str):
                self._fault(
                    where,
                    f"`{keyword}` must be a string, not {_word(reference)}",
                    "write a reference such as `#/$defs/x`",
                )
            elif is_remote(reference, root, node):
                remedy = "copy what it refers to under `$defs` and refer to it by `#/$defs/…`"
                reason = f"`{_short(reference)}` is outside this file, and Callwright fetches nothing"
                self.faults.insert(0, SchemaFault(REMOTE, where, reason, remedy))
            elif keyword == "$ref" and not isinstance(target(reference, root, node), Mapping | bool):
                self._fault(
                    where, f"`{_short(reference)}` refers to no schema", "define it under `$defs`, or correct the path"
                )
            elif keyword != "$ref" or not reference.startswith("#"):
                self.plain = False

    def _type(self, node: Schema, path: SchemaPath) -> None:
        named = node.get("type")
        names = named if isinstance(named, list) else [named]
        for index, name in enumerate(names):
            if isinstance(name, str) and name not in _TYPES:
                where = (*path, "type", index) if isinstance(named, list) else (*path, "type")
                meant = meant_type(name) or nearest(name, _TYPES)
                remedy = (
                    f"write `{meant}`" if meant else f"write one of {', '.join(f'`{one}`' for one in sorted(_TYPES))}"
                )
                self._fault(where, f"`{_short(name)}` is not a JSON type", remedy, convention=name in _CONVENTION)

    def _fault(self, path: SchemaPath, reason: str, remedy: str, *, convention: bool = False) -> None:
        self.faults.append(SchemaFault(INVALID, path, reason, remedy, convention))


def _pattern_length(node: Schema) -> int:
    """Return the length that the patterns of one schema add to the total; an excessive one exceeds the limit alone."""
    pattern, named = node.get("pattern"), node.get("patternProperties")
    lengths = [len(pattern)] if isinstance(pattern, str) else []
    lengths += [len(name) for name in named] if isinstance(named, Mapping) else []
    if not lengths:
        return 0
    from callwright.tools.patterns import MAX_LENGTH

    return sum(length if length <= MAX_LENGTH else PATTERNS + 1 for length in lengths)


def _is_plain(node: Schema) -> bool:
    """Return whether every keyword of one schema is a common one with a value of the right kind."""
    for keyword, value in node.items():
        if keyword in _SCHEMAS:
            fine = _holds_schemas(keyword, value)
        elif keyword == "type":
            names = [value] if isinstance(value, str) else value
            fine = (
                isinstance(names, list)
                and 0 < len(names) == len(set(map(str, names)))
                and _TYPES.issuperset(map(str, names))
            )
        elif keyword == "required":
            fine = (
                isinstance(value, list)
                and all(isinstance(name, str) for name in value)
                and len(set(value)) == len(value)
            )
        elif keyword in ("enum", "examples"):
            fine = isinstance(value, list)
        elif keyword == "pattern":
            fine = isinstance(value, str) and re.fullmatch(r"[\^\w\-. /:,$]*+", value) is not None
        elif keyword in _STRINGS:
            fine = isinstance(value, str)
        elif keyword in _FLAGS:
            fine = isinstance(value, bool)
        elif keyword in _NUMBERS:
            fine = isinstance(value, int | float) and not isinstance(value, bool)
        elif keyword in _COUNTS:
            fine = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        elif keyword == "$schema":
            fine = isinstance(value, str)
        else:
            fine = keyword in _DATA or keyword.startswith("x-") or (keyword == "$ref" and isinstance(value, str))
        if not fine:
            return False
    return True


def _holds_schemas(keyword: str, value: Any) -> bool:
    if keyword in ("properties", "$defs", "definitions"):
        return isinstance(value, Mapping)
    if keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        return isinstance(value, list) and bool(value)
    return keyword != "patternProperties" and isinstance(value, Mapping | bool)


def _cost_fault(root: Schema, nodes: list[Schema]) -> SchemaFault | None:
    """Return the fault of a schema that refers to itself without end, or that multiplies the visits of one value over
    the limit.

    For each schema, the ways through its references and variants that stay at the same value are counted.
    """
    if all(_AT_ONE_VALUE.isdisjoint(node) for node in nodes):
        return None
    looks: dict[int, int] = {}
    depths: dict[int, int] = {}
    for start in nodes:
        # An iterative post-order walk: `None` marks that all children of the node are counted.
        pending: list[tuple[Schema, list[Schema] | None]] = [(start, None)]
        open_nodes: set[int] = set()
        while pending:
            node, below = pending.pop()
            if below is not None:
                open_nodes.discard(id(node))
                looks[id(node)] = min(1 + sum(looks[id(child)] for child in below), PATHS + 1)
                depths[id(node)] = 1 + max((depths[id(child)] for child in below), default=0)
                continue
            if id(node) in looks:
                continue
            if id(node) in open_nodes:
                return SchemaFault(
                    INVALID,
                    (),
                    "the schema refers to itself endlessly",
                    "make the reference apply to a part of the value",
                )
            open_nodes.add(id(node))
            if len(open_nodes) > DEPTH:
                return _too_far()
            below = _in_place(node, root)
            pending.append((node, below))
            pending.extend((child, None) for child in below if id(child) not in looks)
    if max(depths.values(), default=0) > DEPTH:
        return _too_far()
    if max(looks.values(), default=0) > PATHS:
        return SchemaFault(
            INVALID, (), "validating one value would take too many steps", "use fewer nested `allOf`, `anyOf`, `oneOf`"
        )
    return None


def _too_far() -> SchemaFault:
    reason = "there are too many references and variants in a row"
    return SchemaFault(INVALID, (), reason, "refer to the final schema directly")


def _in_place(node: Schema, root: Schema) -> list[Schema]:
    """Return the schemas that apply to the same value as `node`."""
    found = [child for step, child in children(node) if step[0] in _IN_PLACE]
    found.extend(targets(node, root))
    return [child for child in found if isinstance(child, Mapping)]


def _library_faults(schema: Schema) -> list[SchemaFault]:
    """Validate a schema with its meta-schema, and build a validator from it."""
    schema = known_draft(schema)
    try:
        import jsonschema_rs
    except ImportError:
        return _slow_faults(schema)
    try:
        jsonschema_rs.meta.validate(dict(schema))
        fast_validator(schema)
    except jsonschema_rs.ValidationError as error:
        return [SchemaFault(INVALID, tuple(error.instance_path), _short(error.message), _REMEDY)]
    except (jsonschema_rs.ReferencingError, ValueError, TypeError, RecursionError) as error:
        return [SchemaFault(INVALID, (), _short(str(error)), _REMEDY)]
    return []


def fast_validator(schema: Schema) -> Any:
    """Return the fast library's validator of a schema. Raises that library's errors, such as ValueError.

    Patterns run in an engine with linear time. Only if one has lookarounds or backreferences, which that engine lacks,
    all of them run in a backtracking engine with a limit.
    """
    import jsonschema_rs

    whole = schema if isinstance(schema, dict) else dict(schema)
    try:
        options: Any = jsonschema_rs.RegexOptions(size_limit=2_000_000)
        return jsonschema_rs.validator_for(whole, offline=True, validate_formats=False, pattern_options=options)
    except jsonschema_rs.ValidationError:
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKS)
        return jsonschema_rs.validator_for(whole, offline=True, validate_formats=False, pattern_options=options)


def is_large(schema: Any) -> bool:
    """Return whether a schema has so many parts that the slow library would take long to check it."""
    pending, seen = [schema], 0
    while pending and seen <= _LARGE:
        part = pending.pop()
        seen += 1
        if isinstance(part, dict):
            pending.extend(islice(part.values(), _LARGE + 1))
        elif isinstance(part, list):
            pending.extend(part[: _LARGE + 1])
    return seen > _LARGE


def _slow_faults(schema: Schema) -> list[SchemaFault]:
    """Do the same without the fast library, which has no wheels for some Python versions."""
    import jsonschema  # type: ignore[import-untyped] # it ships no types

    if is_large(schema):
        return []
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        # A pattern that `re` rejects may be valid: JSON Schema's patterns are those of ECMA 262.
        validator.check_schema(schema, format_checker=jsonschema.FormatChecker(()))
    except jsonschema.SchemaError as error:
        return [SchemaFault(INVALID, tuple(error.absolute_path), _short(error.message), _REMEDY)]
    except RecursionError:
        return [SchemaFault(INVALID, (), "the schema is nested too deep", _REMEDY)]
    return []


_REMEDY = "correct the schema; the meta-schema defines the values of each keyword"


def _word(value: Any) -> str:
    if value is None:
        return "`null`"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, Mapping) else "a number"


def _short(text: str) -> str:
    """Return at most 200 characters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"
