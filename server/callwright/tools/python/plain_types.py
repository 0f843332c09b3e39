"""The types with a JSON Schema, by the last part of their names.

Owns: the tables. Must not know: annotations. The schemas are those of pydantic 2
(https://docs.pydantic.dev/latest/concepts/json_schema/).
"""

from collections.abc import Mapping
from typing import Any, Final

_DATE_TIME: Final = {"type": "string", "format": "date-time"}
_URI: Final = {"type": "string", "format": "uri", "minLength": 1}
_ROWS: Final[tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...]] = (
    (("str", "StrictStr", "ImportString", "LiteralString", "Text", "complex"), {"type": "string"}),
    (("int", "StrictInt"), {"type": "integer"}),
    (("float", "StrictFloat", "FiniteFloat"), {"type": "number"}),
    (("bool", "StrictBool"), {"type": "boolean"}),
    (("None", "NoneType"), {"type": "null"}),
    (("Any", "object", "Hashable", "type", "Type"), {}),
    (("bytes", "bytearray", "StrictBytes"), {"type": "string", "format": "binary"}),
    (("datetime", "AwareDatetime", "NaiveDatetime", "FutureDatetime", "PastDatetime"), _DATE_TIME),
    (("date", "FutureDate", "PastDate"), {"type": "string", "format": "date"}),
    (("time",), {"type": "string", "format": "time"}),
    (("timedelta",), {"type": "string", "format": "duration"}),
    (("UUID",), {"type": "string", "format": "uuid"}),
    *(((f"UUID{number}",), {"type": "string", "format": f"uuid{number}"}) for number in (1, 3, 4, 5, 6, 7, 8)),
    (("Path", "PurePath", "PosixPath", "NewPath", "PathLike"), {"type": "string", "format": "path"}),
    (("FilePath",), {"type": "string", "format": "file-path"}),
    (("DirectoryPath",), {"type": "string", "format": "directory-path"}),
    (("Pattern",), {"type": "string", "format": "regex"}),
    (("EmailStr",), {"type": "string", "format": "email"}),
    (("NameEmail",), {"type": "string", "format": "name-email"}),
    (("AnyUrl", "AnyHttpUrl", "FileUrl", "FtpUrl", "AnyWebsocketUrl"), _URI),
    (("HttpUrl", "WebsocketUrl"), {**_URI, "maxLength": 2083}),
    (("IPv4Address",), {"type": "string", "format": "ipv4"}),
    (("IPv6Address",), {"type": "string", "format": "ipv6"}),
    (("IPv4Network",), {"type": "string", "format": "ipv4network"}),
    (("IPv6Network",), {"type": "string", "format": "ipv6network"}),
    (("IPv4Interface",), {"type": "string", "format": "ipv4interface"}),
    (("IPv6Interface",), {"type": "string", "format": "ipv6interface"}),
    (("IPvAnyAddress",), {"type": "string", "format": "ipvanyaddress"}),
    (("IPvAnyNetwork",), {"type": "string", "format": "ipvanynetwork"}),
    (("IPvAnyInterface",), {"type": "string", "format": "ipvanyinterface"}),
    (("SecretStr", "SecretBytes"), {"type": "string", "format": "password", "writeOnly": True}),
    (("Json",), {"type": "string", "contentMediaType": "application/json", "contentSchema": {}}),
    (("Base64Str", "Base64Bytes"), {"type": "string", "format": "base64"}),
    (("Decimal",), {"anyOf": [{"type": "number"}, {"type": "string"}]}),
    (("PositiveInt",), {"type": "integer", "exclusiveMinimum": 0}),
    (("NegativeInt",), {"type": "integer", "exclusiveMaximum": 0}),
    (("NonNegativeInt",), {"type": "integer", "minimum": 0}),
    (("NonPositiveInt",), {"type": "integer", "maximum": 0}),
    (("PositiveFloat",), {"type": "number", "exclusiveMinimum": 0}),
    (("NegativeFloat",), {"type": "number", "exclusiveMaximum": 0}),
    (("NonNegativeFloat",), {"type": "number", "minimum": 0}),
    (("NonPositiveFloat",), {"type": "number", "maximum": 0}),
)
PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {name: schema for names, schema in _ROWS for name in names}

LISTS: Final = frozenset(
    [
        "list",
        "List",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "Generator",
        "Collection",
        "Container",
        "deque",
        "Deque",
    ]
)
SETS: Final = frozenset(["set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet"])
MAPS: Final = frozenset(["dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"])
TUPLES: Final = frozenset(["tuple", "Tuple"])
#: Wrappers that do not change a type's schema.
WRAPPERS: Final = frozenset(
    [
        "Required",
        "NotRequired",
        "ReadOnly",
        "Final",
        "InitVar",
        "Awaitable",
        "Coroutine",
        "Secret",
        "SkipValidation",
        "FailFast",
        "OnErrorOmit",
    ]
)
#: Functions that return a type, and the type that they constrain.
CONSTRAINED: Final = {
    "conint": "int",
    "confloat": "float",
    "constr": "str",
    "conbytes": "bytes",
    "condecimal": "Decimal",
    "conlist": "list",
    "conset": "set",
    "confrozenset": "frozenset",
    "condate": "date",
}
BOUNDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
SIZES: Final = ("min_length", "max_length", "min_items", "max_items")
#: The constraint types of the package annotated-types, and pydantic's, with their positional parameters.
ANNOTATED: Final = {
    "Ge": ("ge",),
    "Gt": ("gt",),
    "Le": ("le",),
    "Lt": ("lt",),
    "MultipleOf": ("multiple_of",),
    "MinLen": ("min_length",),
    "MaxLen": ("max_length",),
    "Len": ("min_length", "max_length"),
    "Interval": (),
    "StringConstraints": (),
}
