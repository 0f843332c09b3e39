"""What YAML's scalars stand for: quotes, escapes, folding, block scalars, and the types of the core schema.

Owns: the text of a scalar, once it is known where it begins. Must not know: collections, faults around it.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from callwright.syntax.json_nodes import JsonKind
from callwright.text.escapes import YAML_ESCAPES
from callwright.text.span import Span

#: A scalar in single quotes, whose own quotes are doubled.
SINGLE: Final = re.compile(r"'(?:[^']++|'')*+'")
_DOUBLE: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"')
_PIECE: Final = re.compile(
    r"(?P<text>[^\\\r\n \t]++)"
    r"|(?P<fold>[ \t]*+(?>\r\n|\n|\r)(?:[ \t]*+(?>\r\n|\n|\r))*+[ \t]*+)"
    r"|(?P<space>[ \t]++)"
    r"|\\(?P<joined>(?>\r\n|\n|\r)[ \t]*+)"
    r"|\\(?:x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8}))"
    r"|\\(?P<one>[\s\S])"
)
_BREAK: Final = re.compile(r"\r\n|\n|\r")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LINE: Final = re.compile(r"(?>\r\n|\n|\r)( *+)([^\r\n]*+)")

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


class DoubleQuoted(NamedTuple):
    """A scalar in double quotes: where it ends, its value, and the escapes that YAML does not have."""

    end: int
    value: str
    bad: list[Span]


def double_quoted(text: str, at: int, limit: int) -> DoubleQuoted | None:
    """Read the scalar whose opening quote stands at `at`; None where it is never closed."""
    match = _DOUBLE.match(text, at, limit)
    if match is None:
        return None
    end = match.end()
    inner = text[at + 1 : end - 1]
    if "\\" not in inner and "\n" not in inner and "\r" not in inner:
        return DoubleQuoted(end, inner, [])
    parts: list[str] = []
    bad: list[Span] = []
    for piece in _PIECE.finditer(text, at + 1, end - 1):
        kind = piece.lastgroup
        if kind in ("text", "space"):
            parts.append(piece[0])
        elif kind == "fold":
            breaks = len(_BREAK.findall(piece[0]))
            parts.append("\n" * (breaks - 1) if breaks > 1 else " ")
        elif kind in ("two", "four", "eight"):
            code = int(piece[kind], 16)
            parts.append(chr(code) if code < 0x110000 else piece[0])
            if code >= 0x110000:
                bad.append(Span(*piece.span()))
        elif kind == "one":
            known = YAML_ESCAPES.get(piece["one"])
            parts.append(piece[0] if known is None else known)
            if known is None:
                bad.append(Span(*piece.span()))
    value = "".join(parts)
    if _PAIR.search(value) is not None:
        value = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value)
    return DoubleQuoted(end, value, bad)


def fold_lines(pieces: Sequence[str], breaks: Sequence[int]) -> str:
    """Return lines of a scalar as one text; `breaks` counts the line ends between each two."""
    out = [pieces[0]]
    for piece, count in zip(pieces[1:], breaks, strict=True):
        out.append("\n" * (count - 1) if count > 1 else " ")
        out.append(piece)
    return "".join(out)


@lru_cache(maxsize=64)
def _plain_lines(depth: int) -> re.Pattern[str]:
    """Return the pattern of lines that are empty or indented by so many spaces, each with the LF in front of it."""
    return re.compile(rf"(?:\n(?: {{{depth}}} *+[^ \t\r\n][^\r\n]*+|(?=\n)))++")


def block_scalar(
    text: str, at: int, limit: int, indent: int, *, folded: bool, chomp: str, explicit: int
) -> tuple[str, int, int]:
    """Read the lines of a literal or folded scalar whose header's line ends at `at`, deeper than `indent`.

    Returns the value, the end of its last line that is not empty, and how far the text was looked at.
    """
    depth = indent + explicit if explicit else -1
    lines: list[str] = []
    content = 0
    end = at
    ended = False
    looked = limit + 1
    while True:
        match = _LINE.match(text, at, limit)
        if match is None:
            break
        spaces, rest = len(match[1]), match[2]
        if not spaces and not rest and match.end() >= limit:
            break  # behind the last line end there is no line
        if rest.strip(" \t") or (rest and depth < 0):
            if depth < 0 and spaces > indent:
                depth = spaces
            if depth < 0 or spaces < depth:
                looked = match.start(2) + 1
                break
            lines.append(" " * (spaces - depth) + rest)
            content, end = len(lines), match.end()
            ended = end < limit
        else:
            blank = match[1][depth:] + rest if 0 <= depth < spaces else ""
            lines.append(blank)
            if blank:
                content, end = len(lines), match.end()
                ended = end < limit
        at = match.end()
        if depth >= 0 and (run := _plain_lines(depth).match(text, at, limit)) is not None:
            # Most lines are led by spaces alone and stand behind an LF: all that follow each other at once.
            lines += [line[depth:] for line in run[0][1:].split("\n")]
            written = run[0].rstrip("\n")
            if written:
                end = at + len(written)
                content, ended = len(lines) - (run.end() - end), end < limit
            at = run.end()
    if at < limit and looked > limit:
        looked = at + 1
    kept = lines[:content]
    value = _folded(kept) if folded else "\n".join(kept)
    trailing = len(lines) - content
    if chomp == "+":
        value += "\n" * (trailing + ended if content else trailing)
    elif chomp != "-" and content and ended:
        value += "\n"
    return value, end, looked


def _folded(lines: Sequence[str]) -> str:
    """Return the lines of a folded scalar as one text."""
    out: list[str] = []
    previous: str | None = None
    empty = 0
    for line in lines:
        if not line:
            empty += 1
            continue
        if previous is None:
            out.append("\n" * empty)
        elif previous[0] in " \t" or line[0] in " \t":
            out.append("\n" * (empty + 1))
        else:
            out.append("\n" * empty if empty else " ")
        out.append(line)
        previous, empty = line, 0
    return "".join(out)


def core_value(word: str) -> tuple[JsonKind, Any]:
    """Return what a scalar without quotes stands for in YAML 1.2's core schema."""
    if word in _WORDS:
        return "literal", _WORDS[word]
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
    """Return what readers of YAML 1.1 take a scalar for that is something else in 1.2; None where both agree."""
    if len(word) > 64:
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
