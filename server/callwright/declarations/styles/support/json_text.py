"""JSON texts of declarations: their values, and where the parts of these are.

Owns: JSON as a format of definitions, with braces doubled where the text is a format string, and `read_value`. Must not
know: where such a text begins, what it defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from callwright.declarations.styles.base import Body
from callwright.declarations.styles.support.objects import Attempt, Reading, key_of_schema, paths_of, without_open
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_fast import MAX_TOKEN_LENGTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import clean_node
from callwright.text.line_ends import LINE_START
from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.json_places import TreePlaces

#: What ends the surroundings of a value with faults.
STOP: Final = compile_later(rf"</[A-Za-z_][\w:.-]{{0,80}}+>|{LINE_START}[ \t]*+(?:`{{3}}|~{{3}})", re.MULTILINE)
#: The longest text whose braces are taken to be doubled.
_MAX_DOUBLED_LENGTH: Final = 65_536
_TOKEN: Final = compile_later(r"[{}\[\]]|\"(?:[^\"\\]++|\\[\s\S])*+\"")
_WORD: Final = compile_later(r"[:\[,][ \t\r\n]{0,80}+(?:true|false|null)[ \t\r\n]{0,80}+[,}\]]")
#: What is not JSON, and hides nothing.
_MILD: Final = frozenset({"comment"})
#: Faults that do not hide where a string ends.
_IN_STRINGS: Final = frozenset({"raw-newline", "bad-escape", "lone-surrogate"})
#: A value that a program computes.
_COMPUTED: Final = compile_later(r"[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)++")
#: Faults of JSON that Python has no objection to; the first of them show that Python is meant.
_PYTHON: Final = frozenset({"python-literal", "single-quotes", "triple-quotes"})
_PYTHON_TOO: Final = _PYTHON | {"string-concatenation", "trailing-comma", "comment", "duplicate-key"}


class JsonFormat:
    """JSON; in a text that a program formats, each brace is written twice."""

    opener = re.compile(r"\{[ \t\r\n]*+\"")
    schema = key_of_schema('"', "null")

    def sound(self, text: str, start: int, limit: int) -> Attempt:
        """Read the value at `start` if it has no faults."""
        try:
            value, end = scan_clean(text, start, limit)
        except NotCleanError as error:
            reach = limit if error.at is None else min(error.at + MAX_TOKEN_LENGTH, limit)
            return Attempt(None, reach)
        span = Span(start, end)
        return Attempt(Reading(value, span, TreePlaces(clean_node(text, span, value))), end + 1)

    def faulty(self, text: str, start: int, limit: int) -> Iterator[Attempt]:
        """Yield what the value at `start` can be read as; None where it is written as Python has it."""
        if start and text[start - 1] == "{":
            single = _undoubled(text[start : min(limit, start + _MAX_DOUBLED_LENGTH)])
            found, reach = self.sound(single, 0, len(single))
            if found is not None:
                end = start + found.span.end
                end += text.startswith("}", end)
                places = TreePlaces(clean_node(single, found.span, found.value), start)
                yield Attempt(Reading(found.value, Span(start, end), places), start + reach)
        closed = _closed(text, start, limit)
        inner = read_json(text, start, closed, stop=STOP) if closed is not None else None
        if inner is not None and {problem.kind for problem in inner.problems} <= _IN_STRINGS:
            yield Attempt(_reading(inner), inner.reach)
        if inner is not None and _is_python(text, inner):
            yield Attempt(None, inner.reach)
            return
        read = read_json(text, start, limit, stop=STOP)
        if _is_python(text, read):
            yield Attempt(None, read.reach)
            return
        yield Attempt(_reading(read), read.reach)
        if inner is not None:
            yield Attempt(_reading(inner), inner.reach)


def read_value(text: str) -> Body | None:
    """Return the value of a JSON text, with faults as far as it can be read; None where there is none."""
    json = JsonFormat()
    found, _ = json.sound(text, 0, len(text))
    if found is None:
        single = _undoubled(text)
        found, _ = json.sound(single, 0, len(single)) if text.endswith("}}") else Attempt(None, 0)
    if found is None:
        found = _reading(read_json(text))
    return found.body if isinstance(found.value, dict | list) else None


def read_schema(text: str, start: int, end: int) -> Reading | None:
    """Return the object that a segment holds, with faults as far as it can be read; None where there is none."""
    found, _ = JSON.sound(text, start, end)
    if found is None:
        read = read_json(text, start, end)
        found = _reading(read)
    return found if isinstance(found.value, dict) else None


def _reading(read: JsonRead) -> Reading:
    computed = {each.span for each in read.problems if each.kind == "unquoted-string" and _is_computed(each.data)}
    wild = (*read.wild, *paths_of(read.root, computed))
    more = any("properties" in path or path[-1:] == ("parameters",) for path in (*read.elided, *wild))
    value = without_open(deepcopy(read.value), wild, read.elided) if wild or read.elided else read.value
    broken = any(problem.kind not in _MILD for problem in read.problems)
    return Reading(value, read.span, TreePlaces(read.root), broken=broken, open=more)


def _is_computed(data: Mapping[str, Any]) -> bool:
    return _COMPUTED.fullmatch(str(data["text"])) is not None


def _closed(text: str, start: int, limit: int) -> int | None:
    """Return where the braces of a value are balanced, if its strings are in order but for line ends in them."""
    depth = 0
    for found in _TOKEN.finditer(text, start, limit):
        if found[0] in "{[":
            depth += 1
        elif found[0] in "}]":
            depth -= 1
            if depth <= 0:
                return found.end()
    return None


def _undoubled(text: str) -> str:
    """Return a text of the same length with single braces where they are written twice."""
    return text.replace("{{", " {").replace("}}", "} ") if "{{" in text else text


def _is_python(text: str, read: JsonRead) -> bool:
    kinds = {problem.kind for problem in read.problems}
    if "triple-quotes" in kinds:
        kinds -= {"raw-newline"}
    if not kinds & _PYTHON or not kinds <= _PYTHON_TOO:
        return False
    return _WORD.search(text, read.span.start, read.span.end) is None


JSON: Final = JsonFormat()
