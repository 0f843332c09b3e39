"""Tools as functions of Python: a signature, most often with a docstring, and no body.

Owns: which functions of a text are tools. Must not know: how functions are read (`support.python_stub` does), the
words that offer functions (`support.offered_functions` does).

Prompts of smolagents (https://github.com/huggingface/smolagents), Gemini, Gemma and NexusRaven list their tools so;
others give the signature alone, in an entry of a list: ``- `search(query: str) -> str`: finds pages``. A function
in a text most often is a sample of code, so that three things are asked: it has no body, it says what it takes or what
it does, and what is above it offers it. A decorator such as `@tool` offers nothing: pages that teach a library are full
of them, and prompts have none.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.offered_functions import are_offered
from callwright.declarations.styles.support.python_stub import (
    NAME,
    Stub,
    definition_of,
    parameters_of,
    signature_at,
    stub_at,
)
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, PartPlaces, sequence

#: How far before its marker the line of a signature may begin.
_BEFORE: Final = 700
_LEAD: Final = re.compile(r"(?P<indent>[ \t]*+)(?:async[ \t]++)?\Z")
#: A declaration's text up to its `def`.
_DEFINED: Final = re.compile(r"(?:[ \t]*+@[^\n]*+\n)*+[ \t]*+(?=(?:async[ \t]++)?def[ \t])")
_DECORATOR: Final = re.compile(r"[ \t]*+@[\w.]++[ \t]*+(?:\([^\n]*\))?[ \t]*+\Z")
#: A line that holds a signature: an entry of a list, code in quotes, or the signature alone.
_LINE: Final = re.compile(
    rf"(?P<indent>[ \t]*+)(?P<lead>(?:(?:[-*+•]|\d{{1,3}}[.)])[ \t]++)?+)\*{{0,2}}+(?P<quote>`?+)"
    rf"(?P<def>(?:(?:async[ \t]++)?def[ \t]++)?+)(?P<name>{NAME})(?=\()"
)
#: What follows a signature: the end of its quotes, and a remark.
_AFTER: Final = re.compile(r"(?P<shut>`?+\*{0,2}+)[ \t]*+[:：;–—-]{0,2}+\*{0,2}+[ \t]*+(?P<rest>[^\n]*+)")
_BETWEEN: Final = re.compile(
    r"[ \t]*+(?:\.\.\.|pass\b|raise NotImplementedError(?:\([^\n)]*+\))?+)?+"
    r"`?+\*{0,2}+[ \t]*+[:：;#–—-]{0,2}+\*{0,2}+[ \t]*+(?:#[ \t]*+)?+"
)
_ANNOTATED: Final = re.compile(rf"\s*+\*{{0,2}}{NAME}[ \t]*+:")
_PLAIN: Final = re.compile(r"\s*+[*/]\s*+\Z")
_OWNER: Final = re.compile(r"\s*+(?:self|cls)\b")
_NOT_TOOLS: Final = frozenset({"main", "setup", "teardown"})


class PythonSignature:
    """A function of Python without a body, which something above it offers as a tool."""

    name = "python-signature"
    title = "a Python function"
    markers = ("def ", ") -> ")
    rank = 60

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the function whose `def`, or whose `->`, is at an offset, where it is a tool."""
        return _function(view, at) if view.text.startswith("d", at) else _signature_line(view, at)

    def read(self, text: str) -> Body | None:
        """Return the tool that a function is."""
        defined = _DEFINED.match(text)
        line = _LINE.match(text) if defined is None else None
        stub = stub_at(text, defined.end()) if defined is not None else None
        if line is not None:
            stub = signature_at(text, line.start("name"))
        found = definition_of(text, stub) if stub is not None else None
        if stub is None or found is None:
            return None
        part, whole, broken = found
        remark = _remark(text, stub)
        if remark is not None and "description" not in part.value:
            part.put("description", remark)
        top = sequence(Span(0, len(text)), [part])
        return Body(top.value, PartPlaces(top), whole, broken)


def _function(view: View, at: int) -> Span | None:
    """Return the span of the function whose `def` is at an offset."""
    text = view.text
    start = max(text.rfind("\n", max(view.floor, at - 100), at) + 1, view.floor)
    view.saw(start - 1, at + 120)
    lead = _LEAD.match(text, start, at)
    if lead is None or (start and text[start - 1] != "\n"):
        return None
    opening = text.find("(", at, at + 120)
    name = text[at + 4 : opening].strip() if opening > 0 else "_"
    if name.startswith(("_", "test_")) or name in _NOT_TOOLS:
        return None
    stub = stub_at(text, lead.end("indent"))
    if stub is None:
        view.saw(at, at + 40_000)
        return None
    view.saw(at, stub.reach)
    if not _states_enough(text, stub):
        return None
    first = _decorated_from(view, start)
    if not are_offered(view, at, first, name):
        return None
    return Span(first, stub.end)


def _states_enough(text: str, stub: Stub) -> bool:
    """Return whether a function says what it does or what it takes, and is none of a class."""
    given = [span.of(text) for span in parameters_of(text, stub)]
    if given and _OWNER.match(given[0]) is not None:
        return False
    if stub.doc is not None or not stub.closed:
        return True
    return all(_ANNOTATED.match(each) is not None or _PLAIN.match(each) is not None for each in given)


def _decorated_from(view: View, start: int) -> int:
    """Return where the decorators of the function begin whose line begins at `start`."""
    for number, line in enumerate(view.lines_before(start)):
        if number == 5 or _DECORATOR.match(view.text, line.start, line.end) is None:
            break
        if line.start == view.floor and line.start and view.text[line.start - 1] != "\n":
            break
        start = line.start
    return start


def _signature_line(view: View, at: int) -> Span | None:
    """Return the span of a line with a signature whose list of parameters ends at an offset."""
    text = view.text
    start = max(text.rfind("\n", max(view.floor, at - _BEFORE), at) + 1, view.floor)
    view.saw(start - 1, at + 6)
    if start and text[start - 1] != "\n":
        return None
    line = _LINE.match(text, start, at + 1)
    if line is None or line["name"].startswith("_"):
        return None
    alone = not line["lead"] and not line["quote"]
    if alone and line["def"]:
        return None
    stub = signature_at(text, line.start("name"))
    if stub is None or stub.shut != at + 1:
        return None
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    view.saw(start, end + 1)
    given = [span.of(text) for span in parameters_of(text, stub)]
    if not all(_ANNOTATED.match(each) is not None or _PLAIN.match(each) is not None for each in given):
        return None
    after = _AFTER.match(text, stub.head, end)
    if after is None or bool(line["quote"]) != after["shut"].startswith("`"):
        return None
    if alone and after["rest"] and not after["rest"].startswith("#"):
        return None
    entry = len(line["indent"].expandtabs()) if line["lead"] else None
    return Span(start, end) if are_offered(view, at, start, line["name"], entry) else None


def _remark(text: str, stub: Stub) -> LocatedValue | None:
    """Return the description of a function on the line of its signature, after that."""
    if stub.doc is not None or not stub.closed:
        return None
    end = text.find("\n", stub.head)
    end = len(text) if end < 0 else end
    after = _BETWEEN.match(text, stub.head, end)
    start = after.end() if after is not None else stub.head
    stated = text[start:end].rstrip()
    return LocatedValue(stated, Span(start, start + len(stated))) if stated else None


STYLE: Style = PythonSignature()
