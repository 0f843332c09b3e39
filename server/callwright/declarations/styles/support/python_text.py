"""Python literals of declarations: their values, and where the parts of these are.

Owns: Python as a format of definitions. Must not know: where such a text begins, what it defines.

The reader of calls reads them: a literal is the argument of a call that is put around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from callwright.declarations.styles.base import Body
from callwright.declarations.styles.support.json_text import STOP
from callwright.declarations.styles.support.objects import Attempt, Reading, key_of_schema, paths_of, without_open
from callwright.syntax.python_calls import MILD, read_calls
from callwright.text.patterns import compile_later
from callwright.tools.json_places import TreePlaces

_CALL: Final = "f(x="
_TOKEN: Final = compile_later(
    r"\"\"\"(?:[^\"\\]++|\\[\s\S]|\"{1,2}(?!\"))*+\"\"\"|'''(?:[^'\\]++|\\[\s\S]|'{1,2}(?!'))*+'''"
    r"|\"(?:[^\"\\\n]++|\\[\s\S])*+\"|'(?:[^'\\\n]++|\\[\s\S])*+'|(?P<open>[\[{(])|(?P<close>[\]})])"
    r"|(?P<comment>#[^\n]*+)|(?P<odd>[\"'])|[^\"'\[\]{}()#]++"
)
#: What is in no JSON.
_PYTHON: Final = compile_later(r"[{,][ \t\r\n]*+'[\w$-]++'[ \t]*+:|[:\[,][ \t\r\n]*+(?:True|False|None)\b")
#: Parts whose value is known only when the program runs.
_UNKNOWN: Final = frozenset({"not-a-literal", "unquoted-string"})


class PythonFormat:
    """Dictionaries and lists as Python has them."""

    opener = re.compile(r"\{[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)?[\"']")
    schema = key_of_schema("\"'", "None")

    def sound(self, text: str, start: int, limit: int) -> Attempt:
        """Read the value at `start` if it has no faults."""
        end, reach = _balanced(text, start, limit)
        if end is None:
            return Attempt(None, reach)
        found, clean = _read(text[start:end], start)
        return Attempt(found if clean else None, end + 1)

    def faulty(self, text: str, start: int, limit: int) -> Iterator[Attempt]:
        """Yield what the value at `start` can be read as; None where nothing shows that it is Python."""
        end, reach = _balanced(text, start, limit)
        fragment = text[start : limit if end is None else end]
        found, _ = _read(fragment, start) if _PYTHON.search(fragment) is not None else (None, False)
        yield Attempt(found, max(reach, limit))


def read_value(text: str) -> Body | None:
    """Return the value of a Python literal, with faults as far as it can be read; None where there is none."""
    end, _ = _balanced(text, 0, len(text))
    found, _ = _read(text if end is None else text[:end], 0)
    return found.body if found is not None and isinstance(found.value, dict | list) else None


def _balanced(text: str, start: int, limit: int) -> tuple[int | None, int]:
    """Return where the bracket at `start` is closed, None where it is not, and how far was looked."""
    depth = 0
    at = start
    while at < limit:
        found = _TOKEN.match(text, at, limit)
        if found is None or found["odd"]:
            # A string that does not end.
            return None, limit
        at = found.end()
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
            if depth <= 0:
                return at, at
    return None, limit


def _read(literal: str, start: int) -> tuple[Reading | None, bool]:
    """Return what a literal is that begins at `start`, and whether it has no faults."""
    calls = read_calls(_CALL + literal + ")", stop=STOP).calls
    if not calls or not calls[0].closed:
        # The parenthesis is in a string that does not end.
        calls = read_calls(_CALL + literal, stop=STOP).calls
    node = calls[0].read.root.child("x") if calls else None
    if node is None or node.kind not in ("object", "array"):
        return None, False
    by = start - len(_CALL)
    read = calls[0].read
    kinds = {problem.kind for problem in read.problems}
    unknown = {problem.span for problem in read.problems if problem.kind in _UNKNOWN}
    wild = [path[1:] for path in read.wild if len(path) > 1] + [*paths_of(node, unknown)]
    elided = [path[1:] for path in read.elided if len(path) > 1]
    value = without_open(deepcopy(node.value), wild, elided) if wild or elided else node.value
    more = any("properties" in path for path in (*elided, *wild))
    found = Reading(value, node.span.shift(by), TreePlaces(node, by), broken=not kinds <= MILD, open=more)
    return found, kinds <= MILD


PYTHON: Final = PythonFormat()
