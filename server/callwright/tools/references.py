"""References inside one JSON Schema: following `$ref` to its target.

Owns: local pointers, anchors, and the resources that a schema embeds under an `$id` of their own. Must not know:
parameters, validation; it never fetches anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from callwright.text.lru import Kept, weight_of
from callwright.text.patterns import compile_later

Schema: TypeAlias = Mapping[str, Any]
SchemaPath: TypeAlias = tuple[str | int, ...]
#: A step of a reference: the value that it passes through, and the key that it continues with, None at its end.
Passed: TypeAlias = tuple[Any, str | None]

#: How many references of one chain are followed.
MAX_CHAIN_LENGTH = 64

_ONE = ("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not", "propertyNames")
_ONE_MORE = ("then", "unevaluatedItems", "unevaluatedProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
#: The value of a keyword with schemas: one, a list of them, either, or a map of them.
_KINDS: Final = (
    dict.fromkeys((*_ONE, *_ONE_MORE), "one")
    | dict.fromkeys(_LISTS, "list")
    | {"items": "either"}
    | dict.fromkeys(_MAPS, "map")
)


def children(schema: Schema) -> Iterator[tuple[SchemaPath, Any]]:
    """Yield each value of `schema` at a place for a schema, with its path; the value may be of any type.

    Places for data (`enum`, `const`, `default`, `examples`) are left out.
    """
    for keyword, value in schema.items():
        kind = _KINDS.get(keyword)
        if kind is None:
            continue
        if kind == "one" or (kind == "either" and not isinstance(value, list)):
            yield (keyword,), value
        elif kind != "map":
            if isinstance(value, list):
                for index, child in enumerate(value):
                    yield (keyword, index), child
        elif type(value) is dict or isinstance(value, Mapping):
            for name, child in value.items():
                if keyword != "dependencies" or not isinstance(child, list):
                    yield (keyword, name), child


def schemas_in(schema: Any) -> Iterator[Schema]:
    """Yield a schema and every one inside it that is an object; one at several places is yielded several times."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if type(node) is dict or isinstance(node, Mapping):
            yield node
            pending.extend(child for _, child in children(node))


def reached(names: Iterable[str], needs: Mapping[str, Iterable[str]]) -> set[str]:
    """Return names with all names that they need, directly or not."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return found


def with_children(schema: Schema, change: Callable[[SchemaPath, Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema with `change(path, child)` in place of each schema inside it."""
    copy = dict(schema)
    for step, child in children(schema):
        keyword = str(step[0])
        if len(step) == 1:
            copy[keyword] = change(step, child)
            continue
        if copy[keyword] is schema[keyword]:
            copy[keyword] = schema[keyword].copy()
        copy[keyword][step[1]] = change(step, child)
    return copy


def keywords_of(path: Sequence[str | int]) -> list[tuple[int, str]]:
    """Return the keywords on a schema path with their indexes, without the names and numbers that follow some of them.

    A property may be called `items`: on `("properties", "items", "type")` the keywords are `properties` and `type`.
    """
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(path):
        keyword = str(path[at])
        found.append((at, keyword))
        numbered = at + 1 < len(path) and isinstance(path[at + 1], int)
        at += 2 if keyword in _MAPS or numbered else 1
    return found


def target(reference: str, root: Schema, node: Any = None) -> Any:
    """Return the target of a reference, or None where it leads nowhere or out of the schema.

    `node` is the schema with the reference, which matters where `root` embeds resources: a reference is relative to the
    `$id` around it. A published meta-schema is known; its target is a schema that allows anything.
    """
    found = _resources_of(root).find(reference, node)
    return None if found is _OUTSIDE else found


def is_remote(reference: str, root: Schema, node: Any = None) -> bool:
    """Return whether a reference leads out of the schema."""
    return _resources_of(root).find(reference, node) is _OUTSIDE


def targets(node: Schema, root: Schema) -> list[Any]:
    """Return all possible targets of the references of one schema; a dynamic one may lead to each anchor of its
    name.
    """
    return [trail[-1][0] for trail in trails(node, root)]


def trails(node: Schema, root: Schema) -> list[list[Passed]]:
    """Return for each of the `targets` of one schema the steps of its reference, with the target at the end."""
    resources: _Resources | None = None
    found: list[list[Passed]] = []
    for keyword in REFERENCES:
        reference = node.get(keyword)
        if isinstance(reference, str):
            resources = resources or _resources_of(root)
            trail = resources.trail(reference, node)
            end = trail[-1][0] if trail else None
            if end is not None and end is not _OUTSIDE:
                found.append(trail)
            if keyword != "$ref":
                name = reference.partition("#")[2]
                found.extend([(one, None)] for one in resources.dynamic.get(name, ()) if one is not end)
    return found


def is_published(schema: Any) -> bool:
    """Return whether the target of a reference is a published meta-schema, which applies to every part of a value."""
    return schema is _ANYTHING


REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_OUTSIDE: Final = object()
#: The substitute for a published meta-schema: validators have it, and no other code needs its content.
_ANYTHING: Final[Schema] = {}
_PUBLISHED = compile_later(
    r"http://json-schema\.org/draft-0[467]/schema|https://json-schema\.org/draft/20(?:19-09|20-12)/(?:schema|meta/[a-z-]++)"
)
_LEGACY = compile_later(r"https?://json-schema\.org/draft-0[3467]/schema#?")
_WITH_BARE_ID = compile_later(r"https?://json-schema\.org/draft-0[34]/schema#?")
#: How many schemas are scanned for identifiers; larger schemas are rejected elsewhere.
_MAX_COUNT = 100_000


class _Resources:
    """The resources in one schema by address, the anchors in each, and which resource each schema belongs to."""

    __slots__ = ("_anchors", "_by_uri", "_homes", "_root", "dynamic")

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._by_uri: dict[str, Any] = {"": root}
        self._anchors: dict[tuple[int, str], Any] = {}
        self._homes: dict[int, tuple[str, Any]] = {}
        self.dynamic: dict[str, list[Any]] = {}
        draft = root.get("$schema")
        named = draft if isinstance(draft, str) else ""
        legacy = _LEGACY.fullmatch(named) is not None
        keyword = "id" if _WITH_BARE_ID.fullmatch(named) else "$id"
        pending: list[tuple[Any, str, Any]] = [(root, "", root)]
        seen = 0
        while pending and seen < _MAX_COUNT:
            node, base, home = pending.pop()
            if type(node) is not dict and not isinstance(node, Mapping):
                continue
            seen += 1
            given = node.get(keyword)
            # In the older drafts keywords beside a reference are ignored.
            if isinstance(given, str) and given and not (legacy and "$ref" in node):
                uri, anchor = _split(given, base)
                if uri is not None and not given.startswith("#"):
                    base, home = uri, node
                    self._by_uri.setdefault(uri, node)
                if anchor:
                    self._anchors.setdefault((id(home), anchor), node)
            for word in ("$anchor", "$dynamicAnchor"):
                if word in node and isinstance(node[word], str):
                    self._anchors.setdefault((id(home), node[word]), node)
                    if word == "$dynamicAnchor":
                        self.dynamic.setdefault(node[word], []).append(node)
            if node.get("$recursiveAnchor") is True:
                self.dynamic.setdefault("", []).append(node)
            if home is not root or base:
                self._homes[id(node)] = (base, home)
            pending.extend((child, base, home) for _, child in children(node))

    def find(self, reference: str, node: Any) -> Any:
        """Return the target of a reference in `node`, None where there is none, `_OUTSIDE` where it is not in the
        schema.
        """
        trail = self.trail(reference, node)
        return trail[-1][0] if trail else None

    def trail(self, reference: str, node: Any) -> list[Passed]:
        """Return the steps of a reference, with the result of `find` at the end; none where it leads nowhere."""
        base, home = self._homes.get(id(node)) or self._homes.get(id(self._root)) or ("", self._root)
        if reference.startswith("#"):
            fragment = reference[1:]
        else:
            uri, fragment = _split(reference, base)
            if uri is None or uri not in self._by_uri:
                return [(_ANYTHING if uri is not None and _PUBLISHED.fullmatch(uri) else _OUTSIDE, None)]
            home = self._by_uri[uri]
        if "%" in fragment:
            from urllib.parse import unquote

            fragment = unquote(fragment)
        if not fragment:
            return [(home, None)]
        if fragment.startswith("/"):
            return pointed(fragment, home)
        found = self._anchors.get((id(home), fragment))
        return [] if found is None else [(found, None)]


_resources: Final[Kept[int, _Resources]] = Kept(256, 200_000)


def _resources_of(root: Schema) -> _Resources:
    known = _resources.get(id(root))
    if known is None or known._root is not root:  # noqa: SLF001 - the module's own class
        known = _resources.keep(id(root), _Resources(root), weight_of(root))
    return known


def _split(reference: str, base: str) -> tuple[str | None, str]:
    """Return the absolute address and the fragment of a reference; no address where it is not well-formed."""
    from urllib.parse import urldefrag, urljoin

    try:
        uri, fragment = urldefrag(urljoin(base, reference) if base and not reference.startswith("#") else reference)
    except ValueError:
        return None, ""
    return (uri or base), fragment


def pointed(pointer: str, node: Any) -> list[Passed]:
    """Return the steps of a JSON Pointer from `node`, both ends included; none where it leads nowhere."""
    trail: list[Passed] = []
    for step in pointer[1:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        trail.append((node, key))
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isascii() and key.isdigit() and len(key) < 9 and int(key) < len(node):
            node = node[int(key)]
        else:
            return []
    return [*trail, (node, None)]


def resolve(schema: Any, root: Schema) -> Schema:
    """Return the schema itself, or the target of its reference with the keywords beside the reference merged over it.

    `true` and a reference that leads nowhere or in a circle give the empty schema, which allows anything.
    """
    beside: dict[str, Any] = {}
    for _ in range(MAX_CHAIN_LENGTH):
        if not isinstance(schema, Mapping):
            return beside if schema is not False else {"not": {}}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return {**schema, **beside} if beside else schema
        beside = {**{key: value for key, value in schema.items() if key != "$ref"}, **beside}
        schema = target(reference, root, schema)
    return beside
