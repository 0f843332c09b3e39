"""Schemas and values that were made to keep a validator busy, each of which must get a verdict or a refusal soon.

The tests run them in a process that can be killed; the benchmark gives their times.
"""

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

CASES: dict[str, tuple[Any, Any]] = {
    "redos": ({"pattern": "^(a+)+$"}, "a" * 100000 + "!"),
    "redos many": ({"items": {"pattern": "^(a+)+$"}}, [A] * 50000),
    "backref": ({"pattern": r"^(a+)+\1$"}, "a" * 100000 + "!"),
    "backref many": ({"items": {"pattern": r"^(a+)+\1$"}}, [A] * 50000),
    "lookahead many": ({"items": {"pattern": r"^(?=(a+)+$)"}}, [A] * 50000),
    "patprops": ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 5000 + "!": 1}),
    "patprops many": (
        {"patternProperties": {f"^x{i}.*y$": {"type": "null"} for i in range(1000)}},
        {f"x{i}": 1 for i in range(20000)},
    ),
    "unique": ({"uniqueItems": True}, [{"n": i} for i in range(3000)]),
    "unique100k": ({"uniqueItems": True}, [{"n": i} for i in range(100000)]),
    "uniquebig": ({"uniqueItems": True}, [list(range(i, i + 200)) for i in range(3000)]),
    "unique nested": ({"items": {"uniqueItems": True}}, [[{"n": i} for i in range(300)] for _ in range(100)]),
    "allOf bomb": (bomb(40), "x"),
    "allOf 14": (bomb(14), "x"),
    "allOf 13 items": ({"items": bomb(13), "$defs": bomb(13)["$defs"]}, ["x"] * 10000),
    "cycle": ({"$ref": "#"}, 1),
    "cycle2": (
        {
            "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}},
            "$ref": "#/$defs/a",
        },
        1,
    ),
    "deep100k": (deep(100000), []),
    "deep100k allOf": (deep(100000, "allOf"), []),
    "deep190": (deep(99), nest(99)),
    "ref chain 60": (chain(60), 1),
    "ref chain 10k": (chain(10000), 1),
    "ref chain 19k": (chain(19000), 1),
    "pattern 1e6": ({"pattern": "a" * 10**6}, "a"),
    "pattern 1e6 alt": ({"pattern": "(a|b)" * 200000}, "a"),
    "pattern counts": ({"pattern": "((((a{100}){100}){100}){100}){100}"}, "a"),
    "pattern \\w counts": ({"pattern": r"(\w{1,100}){1,100}$"}, "a" * 10000 + "!"),
    "many patterns": (
        {"properties": {f"p{i}": {"pattern": rf"^\w{{1,200}}{i}$"} for i in range(300)}},
        {f"p{i}": "x" for i in range(300)},
    ),
    "enum huge": ({"items": {"enum": [f"v{i}" for i in range(100000)]}}, ["nope"] * 1000),
    "enum objs": ({"items": {"enum": [{"v": i} for i in range(20000)]}}, [{"v": -1}] * 2000),
    "multipleOf tiny": ({"multipleOf": 1e-300}, 1e300),
    "multipleOf tiny int": ({"multipleOf": 1e-308}, 10**308),
    "multipleOf huge": ({"multipleOf": 1e308}, 3),
    "multipleOf bigint": ({"multipleOf": 7}, 10**5000),
    "minLength 1e308": ({"minLength": 1e308}, "a"),
    "maxLength 1e308": ({"maxLength": 1e308}, "a"),
    "minItems 1e308": ({"minItems": 1e308, "minProperties": 10**400}, []),
    "props many": (
        {"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
        {f"a{i}": 1 for i in range(100000)},
    ),
    "dynamicRef deep": ({"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "type": "array"}, nest(200)),
    "dynamicRef wide": (
        {"$dynamicAnchor": "n", "items": {"anyOf": [{"$dynamicRef": "#n"}] * 5}, "type": ["array", "null"]},
        nest(60),
    ),
    "rec twice": ({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "minProperties": 1}, nestd(60)),
    "rec anyOf": (
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
    "rec anyOf 12": (
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
    "rec + chain": (
        {**chain(60), "$defs": {**chain(60)["$defs"], "x60": {"items": {"$ref": "#"}, "type": "array"}}},
        nest(250),
    ),
    "oneOf many": (
        {"items": {"oneOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(1000)]}},
        [{"k": -1}] * 500,
    ),
    "anyOf many": (
        {"items": {"anyOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(1000)]}},
        [{"k": -1}] * 500,
    ),
    "unevaluated": (
        {"allOf": [{"properties": {f"p{i}": {}}} for i in range(500)], "unevaluatedProperties": False},
        {f"q{i}": 1 for i in range(500)},
    ),
    "unevaluated nest": (
        {
            "items": {
                "allOf": [{"anyOf": [{"properties": {f"p{i}{j}": {}}} for j in range(20)]} for i in range(50)],
                "unevaluatedProperties": False,
            }
        },
        [{f"q{i}": 1 for i in range(50)}] * 100,
    ),
    "unevaluatedItems": ({"allOf": [{"prefixItems": [{}] * 500}] * 50, "unevaluatedItems": False}, [1] * 2000),
    "unevaluated deep": ({"unevaluatedProperties": False, "allOf": [{"properties": {"a": {"$ref": "#"}}}]}, nestd(200)),
    "contains": ({"contains": {"contains": {"contains": {"const": 1}}}}, [[[0] * 100] * 100] * 50),
    "many refs anchors": (
        {
            "$defs": {f"d{i}": {"$anchor": f"a{i}"} for i in range(15000)},
            "properties": {f"p{i}": {"$ref": f"#a{i}"} for i in range(15000)},
        },
        {"p1": 1},
    ),
    "nodes 49k": ({"properties": {str(i): {"type": "string", "minLength": 1} for i in range(49000)}}, {"1": 1}),
    "nodes 200k": ({"properties": {str(i): {"type": "string"} for i in range(200000)}}, {"1": 1}),
    "errors 500k": ({"items": {"type": "string"}}, list(range(500000))),
    "errors objs": ({"items": {"type": "string"}}, [{"a": list(range(100))} for _ in range(10000)]),
    "required many": ({"items": {"required": [f"r{i}" for i in range(1000)]}}, [{}] * 5000),
    "required huge": ({"required": [f"r{i}" for i in range(100000)]}, {}),
    "depRequired": (
        {"dependentRequired": {f"a{i}": [f"b{j}" for j in range(300)] for i in range(300)}},
        {f"a{i}": 1 for i in range(300)},
    ),
    "propnames": ({"propertyNames": {"pattern": "^(a|b|ab)*$"}}, {"ab" * 2000 + str(i): 1 for i in range(100)}),
    "big value plain": ({"not": {"const": 1}}, list(range(1000000))),
    "deep enum": ({"enum": [nest(5000)]}, nest(5000)),
    "deep const": ({"const": nest(100)}, nest(100)),
    "title 10MB": ({"title": "x" * 10**7, "minProperties": 1}, {}),
    "id many": (
        {
            "$id": "http://x/",
            "$defs": {f"d{i}": {"$id": f"r{i}"} for i in range(10000)},
            "properties": {f"p{i}": {"$ref": f"r{i}"} for i in range(10000)},
        },
        {"p1": 1},
    ),
    "id deep refs": ({"$defs": {"a": {"$id": "http://["}}, "$ref": "http://["}, 1),
    "p cat": ({"pattern": "^" + "".join(f"\\p{{{c}}}" for c in ("L", "N", "P", "S", "Z", "M"))}, "x"),
    "metaschema": ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, deep(100)),
    "metaschema big": (
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"properties": {str(i): {"type": "string", "anyOf": [{}, {}]} for i in range(20000)}},
    ),
    "lookbehind": ({"items": {"pattern": r"(?<=a+)b"}}, ["a" * 100] * 100),
    "if nest": (
        {"if": {"if": {"if": {"type": "string"}, "then": False}, "then": False}, "then": {"minLength": 3}},
        "x",
    ),
    "nulls": (
        {"patternProperties": {"": {"patternProperties": {"": {"patternProperties": {"": {"type": "null"}}}}}}},
        {str(i): {str(j): {str(k): 1 for k in range(30)} for j in range(30)} for i in range(30)},
    ),
}
