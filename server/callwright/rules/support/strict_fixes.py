"""Fixes that reduce an input schema to the part of JSON Schema that a provider accepts.

Owns: `make_strict`, `fixes_of_keyword`, `one_type`, `text_choices`, and whether the branches of a `oneOf` exclude each
other. Must not know: messages, which provider wants what (the caller passes that).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from callwright.rules.base import Applicability, Fix, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_array, change_object, rename_key, replace_value
from callwright.rules.support.tool_schemas import IN_PLACE, SchemaPart, type_names
from callwright.rules.support.tool_words import quoted_names
from callwright.text.span import Edit
from callwright.tools.profiles import SchemaDemands, SchemaWants
from callwright.tools.references import children, resolve

Path = tuple[str | int, ...]

#: Keywords that do not constrain values: without them a schema allows the same.
_STATES_NOTHING: Final = frozenset({"$schema", "$comment"})
#: Constraints as sentences of a description.
_COMPARED: Final = {
    "minimum": "At least",
    "maximum": "At most",
    "exclusiveMinimum": "Greater than",
    "exclusiveMaximum": "Less than",
    "multipleOf": "A multiple of",
}
_COUNTED: Final = {
    "minLength": ("At least", "character", "characters"),
    "maxLength": ("At most", "character", "characters"),
    "minItems": ("At least", "entry", "entries"),
    "maxItems": ("At most", "entry", "entries"),
    "minProperties": ("At least", "member", "members"),
    "maxProperties": ("At most", "member", "members"),
}
#: More branches are not compared with each other.
_MAX_BRANCHES: Final = 100


def is_object(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema is for objects."""
    named = schema.get("type")
    return named == "object" or "properties" in schema or (isinstance(named, list) and "object" in named)


def required_of(schema: Mapping[str, Any]) -> list[Any]:
    """Return the names that a schema requires."""
    required = schema.get("required")
    return required if isinstance(required, list) else []


def make_strict(subject: ToolSubject, parts: Sequence[SchemaPart], demands: SchemaDemands) -> Iterator[Fix]:
    """Yield one fix for all objects of a definition, a guess where it changes what the schema allows."""
    edits: list[Edit] = []
    puts: dict[Path, dict[str, Any]] = {}
    document = subject.document
    guessed = False
    optional: list[tuple[Path, Any]] = []
    for part in parts:
        schema = part.schema
        if not is_object(schema):
            continue
        if schema.get("additionalProperties", False) not in (False, True) or part.via == "allOf" or "allOf" in schema:
            # Members beyond the listed ones: no strict schema allows the same.
            return
        named = schema.get("properties")
        members: Mapping[str, Any] = named if isinstance(named, Mapping) else {}
        if SchemaWants.ALL_REQUIRED in demands.wants:
            present = set(filter(_is_text, required_of(schema)))
            lacking = [name for name in members if name not in present]
            if lacking:
                puts.setdefault(part.path, {})["required"] = [*required_of(schema), *lacking]
                optional += [((*part.path, "properties", name), members[name]) for name in lacking]
        if schema.get("additionalProperties") is not False:
            if not members.keys() >= set(filter(_is_text, required_of(schema))):
                # The provider would reject what it requires.
                return
            # An object without a description of its members allows any member, and so does one that is described in
            # several places.
            nothing = not (members or part.is_root)
            guessed = guessed or "additionalProperties" in schema or nothing or _is_in_several_places(part)
            puts.setdefault(part.path, {})["additionalProperties"] = False
    for path, schema in optional:
        nullable = _nullable(schema)
        if nullable is None:
            return
        keyword, value = nullable
        if keyword == "put":
            puts.setdefault(path, {}).update(value)
            continue
        made = change_array(document, (*path, "anyOf"), add=[value]) if keyword == "anyOf" else None
        made = replace_value(document, path, value) if keyword == "whole" else made
        if made is None:
            return
        edits += made
    for path, put in puts.items():
        changed = change_object(document, path, put=put) if put else ()
        if changed is None:
            return
        edits += changed
    if edits:
        title = "Make the schema strict" + (" (optional properties may be `null`)" if optional else "")
        unsafe = guessed or optional
        yield Fix(title, tuple(edits), Applicability.UNSAFE if unsafe else Applicability.SAFE)


def _is_in_several_places(part: SchemaPart) -> bool:
    """Return whether other schemas describe the same object."""
    around = part.whole is not None and is_object(part.whole.schema)
    return around or "$ref" in part.schema or not IN_PLACE.isdisjoint(part.schema)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _nullable(schema: Any) -> tuple[str, Any] | None:
    """Return the change that makes a schema allow `null`: members to set, a branch for its `anyOf`, or another schema
    instead.

    None where it is not plain what the schema allows.
    """
    if not isinstance(schema, Mapping) or "oneOf" in schema or "allOf" in schema:
        return None
    variants = schema.get("anyOf")
    if isinstance(variants, list):
        if "type" in schema or "enum" in schema:
            return None
        known = any(isinstance(one, Mapping) and "null" in type_names(one) for one in variants)
        return ("put", {}) if known else ("anyOf", {"type": "null"})
    if "const" in schema or "$ref" in schema:
        if is_object(schema) or any(True for _ in children(schema)):
            return None
        outside = {key: value for key, value in schema.items() if key in ("title", "description")}
        inside = {key: value for key, value in schema.items() if key not in outside}
        return "whole", {**outside, "anyOf": [inside, {"type": "null"}]}
    named = schema.get("type")
    types = [named] if isinstance(named, str) else named
    if not isinstance(types, list):
        return None
    put: dict[str, Any] = {} if "null" in types else {"type": [*types, "null"]}
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        put["enum"] = [*values, None]
    return "put", put


def fixes_of_keyword(
    subject: ToolSubject, part: SchemaPart, keyword: str, refused: Sequence[str], *, at_top: Iterable[str] = ()
) -> Iterator[Fix]:
    """Yield the fixes for a keyword that the provider rejects.

    `refused` are all keywords that are certainly rejected in this schema, `at_top` those that are rejected in the
    outermost one.
    """
    document, schema, path = subject.document, part.schema, part.path
    value = schema[keyword]
    if keyword == "oneOf":
        if isinstance(value, list) and not (part.is_root and "anyOf" in at_top):
            apart = branches_exclude_each_other(value, part.root)
            kind = Applicability.SAFE if apart else Applicability.UNSAFE
            yield from with_edits("Write `anyOf`", rename_key(document, (*path, keyword), "anyOf"), kind)
    elif keyword == "const":
        renamed = rename_key(document, (*path, keyword), "enum")
        listed_value = replace_value(document, (*path, keyword), [value]) if isinstance(value, str) else None
        if renamed is not None and listed_value is not None:
            yield Fix("Write an `enum` with this value", (*renamed, *listed_value), Applicability.SAFE)
    elif keyword in _STATES_NOTHING or (keyword == "additionalProperties" and isinstance(value, bool)):
        kind = Applicability.UNSAFE if value is False else Applicability.SAFE
        yield from with_edits(f"Remove `{keyword}`", change_object(document, path, drop=(keyword,)), kind)
    elif keyword in refused and _stated(keyword, value) is not None:
        yield from _into_the_description(subject, part, refused)


def _into_the_description(subject: ToolSubject, part: SchemaPart, refused: Sequence[str]) -> Iterator[Fix]:
    """Yield the fix that moves the constraints into the description, all of one schema at once."""
    sentences = {keyword: _stated(keyword, part.schema[keyword]) for keyword in refused}
    stated = {keyword: sentence for keyword, sentence in sentences.items() if sentence is not None}
    description = part.schema.get("description", "")
    if not isinstance(description, str) or part.is_root:
        return
    before = description.rstrip()
    if before and before[-1] not in ".!?:;":
        before += "."
    text = " ".join([*filter(None, [before]), *stated.values()])
    edits = change_object(subject.document, part.path, put={"description": text}, drop=tuple(stated))
    what = quoted_names(stated)
    yield from with_edits(f"State {what} in the description instead", edits, Applicability.UNSAFE)


def _stated(keyword: str, value: Any) -> str | None:
    """Return a constraint as a sentence, None where it cannot be worded."""
    if keyword == "uniqueItems" and value is True:
        return "No entry twice."
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if keyword in _COMPARED:
        return f"{_COMPARED[keyword]} {json.dumps(value)}."
    if keyword in _COUNTED:
        word, one, several = _COUNTED[keyword]
        return f"{word} {json.dumps(value)} {one if value == 1 else several}."
    return None


def one_type(subject: ToolSubject, part: SchemaPart) -> Iterator[Fix]:
    """Yield the fix that writes `nullable` in place of a list of a type and `null`."""
    named = part.schema.get("type")
    types = [name for name in named if name != "null"] if isinstance(named, list) else []
    if len(types) != 1 or not isinstance(types[0], str) or not type_names({"type": types[0]}):
        return
    put: dict[str, Any] = {"type": types[0]}
    if isinstance(named, list) and "null" in named:
        put["nullable"] = True
    values = part.schema.get("enum")
    if isinstance(values, list) and None in values:
        put["enum"] = [value for value in values if value is not None]
    yield from with_edits("Use one type", change_object(subject.document, part.path, put=put))


def text_choices(subject: ToolSubject, part: SchemaPart) -> Iterator[Fix]:
    """Yield the fix that writes every value of an `enum` as a string; whether it was meant so is a guess."""
    values = part.schema.get("enum")
    if isinstance(values, list) and all(isinstance(value, str | int | float) for value in values):
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
        edits = replace_value(subject.document, (*part.path, "enum"), texts) if len(set(texts)) == len(texts) else None
        yield from with_edits("Write the values as strings", edits, Applicability.UNSAFE)


def branches_exclude_each_other(branches: Sequence[Any], root: Mapping[str, Any]) -> bool:
    """Return whether plainly no value fits two of the branches, so that `oneOf` and `anyOf` mean the same."""
    if len(branches) > _MAX_BRANCHES:
        return False
    schemas = [resolve(branch, root) if isinstance(branch, Mapping) else {} for branch in branches]
    kinds = [_kinds(schema) for schema in schemas]
    if all(kinds) and _apart(kinds):
        return True
    if _apart_by_values(schemas):
        return True
    if any(kind != {"object"} for kind in kinds):
        return False
    shared = set.intersection(*(set(filter(_is_text, required_of(schema))) for schema in schemas))
    for name in sorted(shared):
        tags = [_property(schema, name, root) for schema in schemas]
        if _apart_by_values(tags):
            return True
    return False


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema allows; `integer` counts as `number`."""
    return {"number" if name == "integer" else name for name in type_names(schema)}


def _apart(sets: Sequence[set[Any]]) -> bool:
    return sum(map(len, sets)) == len(set().union(*sets))


def _apart_by_values(schemas: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each schema lists its values and no two list the same."""
    listed_values = [_values(schema) for schema in schemas]
    return all(listed_values) and _apart([each for each in listed_values if each is not None])


def _values(schema: Mapping[str, Any]) -> set[Any] | None:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return {_same(value) for value in values} if isinstance(values, list) else None


def _same(value: Any) -> Any:
    """Return a key that is equal for values that are equal in JSON."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ("number", value)
    return ("other", json.dumps(value, sort_keys=True))


def _property(schema: Mapping[str, Any], name: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    named = schema.get("properties")
    found = named.get(name) if isinstance(named, Mapping) else None
    return resolve(found, root) if isinstance(found, Mapping) else {}
