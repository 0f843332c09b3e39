"""Schemas and values that were made to keep a validator busy, each of which must get an outcome or a refusal soon.

The tests run them in a process that can be killed; the benchmark gives their times.
"""

from collections.abc import Callable
from typing import Any


def deep(n: int, k: str = "items") -> Any:
    s: dict[str, Any] = {}
    for _ in range(n):
        s = {k: s} if k != "allOf" else {k: [s]}
    return s


def chain(n: int) -> dict[str, Any]:
    return {
        "$ref": "#/$defs/x0",
        "$defs": {**{f"x{i}": {"$ref": f"#/$defs/x{i + 1}"} for i in range(n)}, f"x{n}": {"type": "string"}},
    }


def bomb(n: int) -> dict[str, Any]:
    return {
        "$ref": f"#/$defs/x{n}",
        "$defs": {
            "x0": {"type": "string"},
            **{f"x{i}": {"allOf": [{"$ref": f"#/$defs/x{i - 1}"}] * 2} for i in range(1, n + 1)},
        },
    }


def nest(n: int) -> Any:
    x: list[Any] = []
    for _ in range(n):
        x = [x]
    return x


def nestd(n: int) -> Any:
    x: dict[str, Any] = {}
    for _ in range(n):
        x = {"a": x}
    return x


A = "a" * 30 + "!"

#: Each schema with a value, made when it is asked for: some have a million parts.
CASES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "redos": lambda: ({"pattern": "^(a+)+$"}, "a" * 100000 + "!"),
    "redos many": lambda: ({"items": {"pattern": "^(a+)+$"}}, [A] * 50000),
    "backref": lambda: ({"pattern": r"^(a+)+\1$"}, "a" * 100000 + "!"),
    "backref many": lambda: ({"items": {"pattern": r"^(a+)+\1$"}}, [A] * 50000),
    "lookahead many": lambda: ({"items": {"pattern": r"^(?=(a+)+$)"}}, [A] * 50000),
    "patprops": lambda: ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 5000 + "!": 1}),
    "patprops many": lambda: (
        {"patternProperties": {f"^x{i}.*y$": {"type": "null"} for i in range(1000)}},
        {f"x{i}": 1 for i in range(20000)},
    ),
    "unique": lambda: ({"uniqueItems": True}, [{"n": i} for i in range(3000)]),
    "unique100k": lambda: ({"uniqueItems": True}, [{"n": i} for i in range(100000)]),
    "uniquebig": lambda: ({"uniqueItems": True}, [list(range(i, i + 200)) for i in range(3000)]),
    "unique nested": lambda: ({"items": {"uniqueItems": True}}, [[{"n": i} for i in range(300)] for _ in range(100)]),
    "allOf bomb": lambda: (bomb(40), "x"),
    "allOf 14": lambda: (bomb(14), "x"),
    "allOf 13 items": lambda: ({"items": bomb(13), "$defs": bomb(13)["$defs"]}, ["x"] * 10000),
    "cycle": lambda: ({"$ref": "#"}, 1),
    "cycle2": lambda: (
        {
            "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}},
            "$ref": "#/$defs/a",
        },
        1,
    ),
    "deep100k": lambda: (deep(100000), []),
    "deep100k allOf": lambda: (deep(100000, "allOf"), []),
    "deep190": lambda: (deep(99), nest(99)),
    "ref chain 60": lambda: (chain(60), 1),
    "ref chain 10k": lambda: (chain(10000), 1),
    "ref chain 19k": lambda: (chain(19000), 1),
    "pattern 1e6": lambda: ({"pattern": "a" * 10**6}, "a"),
    "pattern 1e6 alt": lambda: ({"pattern": "(a|b)" * 200000}, "a"),
    "pattern counts": lambda: ({"pattern": "((((a{100}){100}){100}){100}){100}"}, "a"),
    "pattern \\w counts": lambda: ({"pattern": r"(\w{1,100}){1,100}$"}, "a" * 10000 + "!"),
    "many patterns": lambda: (
        {"properties": {f"p{i}": {"pattern": rf"^\w{{1,200}}{i}$"} for i in range(300)}},
        {f"p{i}": "x" for i in range(300)},
    ),
    "enum huge": lambda: ({"items": {"enum": [f"v{i}" for i in range(100000)]}}, ["nope"] * 1000),
    "enum objs": lambda: ({"items": {"enum": [{"v": i} for i in range(20000)]}}, [{"v": -1}] * 2000),
    "multipleOf tiny": lambda: ({"multipleOf": 1e-300}, 1e300),
    "multipleOf tiny int": lambda: ({"multipleOf": 1e-308}, 10**308),
    "multipleOf huge": lambda: ({"multipleOf": 1e308}, 3),
    "multipleOf bigint": lambda: ({"multipleOf": 7}, 10**5000),
    "minLength 1e308": lambda: ({"minLength": 1e308}, "a"),
    "maxLength 1e308": lambda: ({"maxLength": 1e308}, "a"),
    "minItems 1e308": lambda: ({"minItems": 1e308, "minProperties": 10**400}, []),
    "props many": lambda: (
        {"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
        {f"a{i}": 1 for i in range(100000)},
    ),
    "dynamicRef deep": lambda: ({"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "type": "array"}, nest(200)),
    "dynamicRef wide": lambda: (
        {"$dynamicAnchor": "n", "items": {"anyOf": [{"$dynamicRef": "#n"}] * 5}, "type": ["array", "null"]},
        nest(60),
    ),
    "rec twice": lambda: (
        {"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "minProperties": 1},
        nestd(60),
    ),
    "rec anyOf": lambda: (
        {
            "anyOf": [
                {"type": "integer"},
                {"items": {"$ref": "#"}},
                {"items": {"$ref": "#"}},
                {"items": {"$ref": "#"}},
            ],
            "not": {"const": 1},
        },
        nest(100),
    ),
    "rec anyOf 12": lambda: (
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
                {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
                {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
            ]
        },
        nest(10),
    ),
    "rec + chain": lambda: (
        {**chain(60), "$defs": {**chain(60)["$defs"], "x60": {"items": {"$ref": "#"}, "type": "array"}}},
        nest(250),
    ),
    "oneOf many": lambda: (
        {"items": {"oneOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(1000)]}},
        [{"k": -1}] * 500,
    ),
    "anyOf many": lambda: (
        {"items": {"anyOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(1000)]}},
        [{"k": -1}] * 500,
    ),
    "unevaluated": lambda: (
        {"allOf": [{"properties": {f"p{i}": {}}} for i in range(500)], "unevaluatedProperties": False},
        {f"q{i}": 1 for i in range(500)},
    ),
    "unevaluated nest": lambda: (
        {
            "items": {
                "allOf": [{"anyOf": [{"properties": {f"p{i}{j}": {}}} for j in range(20)]} for i in range(50)],
                "unevaluatedProperties": False,
            }
        },
        [{f"q{i}": 1 for i in range(50)}] * 100,
    ),
    "unevaluatedItems": lambda: ({"allOf": [{"prefixItems": [{}] * 500}] * 50, "unevaluatedItems": False}, [1] * 2000),
    "unevaluated deep": lambda: (
        {"unevaluatedProperties": False, "allOf": [{"properties": {"a": {"$ref": "#"}}}]},
        nestd(200),
    ),
    "contains": lambda: ({"contains": {"contains": {"contains": {"const": 1}}}}, [[[0] * 100] * 100] * 50),
    "many refs anchors": lambda: (
        {
            "$defs": {f"d{i}": {"$anchor": f"a{i}"} for i in range(15000)},
            "properties": {f"p{i}": {"$ref": f"#a{i}"} for i in range(15000)},
        },
        {"p1": 1},
    ),
    "nodes 49k": lambda: ({"properties": {str(i): {"type": "string", "minLength": 1} for i in range(49000)}}, {"1": 1}),
    "nodes 200k": lambda: ({"properties": {str(i): {"type": "string"} for i in range(200000)}}, {"1": 1}),
    "errors 500k": lambda: ({"items": {"type": "string"}}, list(range(500000))),
    "errors objs": lambda: ({"items": {"type": "string"}}, [{"a": list(range(100))} for _ in range(10000)]),
    "required many": lambda: ({"items": {"required": [f"r{i}" for i in range(1000)]}}, [{}] * 5000),
    "required huge": lambda: ({"required": [f"r{i}" for i in range(100000)]}, {}),
    "depRequired": lambda: (
        {"dependentRequired": {f"a{i}": [f"b{j}" for j in range(300)] for i in range(300)}},
        {f"a{i}": 1 for i in range(300)},
    ),
    "propnames": lambda: ({"propertyNames": {"pattern": "^(a|b|ab)*$"}}, {"ab" * 2000 + str(i): 1 for i in range(100)}),
    "big value plain": lambda: ({"not": {"const": 1}}, list(range(1000000))),
    "deep enum": lambda: ({"enum": [nest(5000)]}, nest(5000)),
    "deep const": lambda: ({"const": nest(100)}, nest(100)),
    "title 10MB": lambda: ({"title": "x" * 10**7, "minProperties": 1}, {}),
    "id many": lambda: (
        {
            "$id": "http://x/",
            "$defs": {f"d{i}": {"$id": f"r{i}"} for i in range(10000)},
            "properties": {f"p{i}": {"$ref": f"r{i}"} for i in range(10000)},
        },
        {"p1": 1},
    ),
    "id deep refs": lambda: ({"$defs": {"a": {"$id": "http://["}}, "$ref": "http://["}, 1),
    "p cat": lambda: ({"pattern": "^" + "".join(f"\\p{{{c}}}" for c in ("L", "N", "P", "S", "Z", "M"))}, "x"),
    "metaschema": lambda: ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, deep(100)),
    "metaschema big": lambda: (
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"properties": {str(i): {"type": "string", "anyOf": [{}, {}]} for i in range(20000)}},
    ),
    "lookbehind": lambda: ({"items": {"pattern": r"(?<=a+)b"}}, ["a" * 100] * 100),
    "if nest": lambda: (
        {"if": {"if": {"if": {"type": "string"}, "then": False}, "then": False}, "then": {"minLength": 3}},
        "x",
    ),
    "nulls": lambda: (
        {"patternProperties": {"": {"patternProperties": {"": {"patternProperties": {"": {"type": "null"}}}}}}},
        {str(i): {str(j): {str(k): 1 for k in range(30)} for j in range(30)} for i in range(30)},
    ),
}
