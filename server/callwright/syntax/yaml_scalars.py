"""The types of YAML's scalars: what one without quotes is in the core schema, and in YAML 1.1.

Owns: the types. Must not know: where scalars end, collections, errors around them.
"""

import math
import re
from typing import Any, Final

from callwright.syntax.json_nodes import JsonKind

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]++")
_OCTAL: Final = re.compile(r"0o[0-7]++")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]++")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?+)(?:[eE][-+]?[0-9]++)?+")
_INFINITY: Final = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN: Final = re.compile(r"\.(?:nan|NaN|NAN)")
_OLD_BOOLEANS: Final = re.compile(r"(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)")
_OLD_OCTAL: Final = re.compile(r"[-+]?0[0-7]++")
_BASE_60: Final = re.compile(r"[-+]?[1-9][0-9]*+(?::[0-5]?[0-9])++(?:\.[0-9]*+)?+")
_DATE: Final = re.compile(r"\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]++)\d.*+)?+")
_GROUPED: Final = re.compile(r"[-+]?[0-9][0-9_]*+_[0-9_]*+")
#: The characters that begin a number.
_NUMERIC: Final = frozenset("+-.0123456789")


def core_value(word: str) -> tuple[JsonKind, Any]:
    """Return the value of a scalar without quotes in YAML 1.2's core schema."""
    if word in _WORDS:
        return "literal", _WORDS[word]
    if word[0] not in _NUMERIC:
        return "string", word
    if _INTEGER.fullmatch(word):
        return "number", int(word)
    if _OCTAL.fullmatch(word):
        return "number", int(word, 8)
    if _HEX.fullmatch(word):
        return "number", int(word, 16)
    if _FLOAT.fullmatch(word):
        return "number", float(word)
    infinity = _INFINITY.fullmatch(word)
    if infinity is not None:
        return "number", -math.inf if infinity[1] == "-" else math.inf
    if _NAN.fullmatch(word):
        return "number", math.nan
    return "string", word


def infinite(value: Any) -> bool:
    """Return whether a value is a number that JSON cannot write."""
    return isinstance(value, float) and not math.isfinite(value)


def differs_in_1_1(word: str) -> str | None:
    """Return the YAML 1.1 reading of a scalar if it differs from 1.2; None if both agree."""
    if len(word) > 64:
        return None
    if word[:1] not in _NUMERIC and len(word) > len("false"):
        return None
    if _OLD_BOOLEANS.fullmatch(word):
        return "a boolean"
    if _OLD_OCTAL.fullmatch(word):
        return "an octal number"
    if _BASE_60.fullmatch(word):
        return "a number in base 60"
    if _DATE.fullmatch(word):
        return "a date"
    if _GROUPED.fullmatch(word):
        return "a number"
    return None
