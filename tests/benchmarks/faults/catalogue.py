"""The kinds of fault that there are, and the referees that say whether what was done to a text is a fault at all.

Owns: the list of kinds, `judge`. Must not know: how calls are read (the referees are `json`, `ast`, `lxml` and
`jsonschema`), what is measured.

A kind may have a method `is_fault(sample, injected) -> bool`, which then has the last word.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.faults.base import Injected, Kind, Sample

_NO_VALUE: Any = object()


@cache
def all_kinds() -> tuple[Kind, ...]:
    """Return every kind, in the order of their modules' names and then as they are listed there."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*_kinds.py"))
    return tuple(kind for name in names for kind in import_module(f"benchmarks.faults.{name}").KINDS)


def judge(kind: Kind, sample: Sample, injected: Injected) -> bool:
    """Return whether the damaged text is at fault, whatever our own readers say of it.

    A body that is sound and says something else is not a fault, unless the tool's schema refuses what it says.
    """
    own = getattr(kind, "is_fault", None)
    if own is not None:
        return bool(own(sample, injected))
    if injected.text == sample.text:
        return False
    if kind.group == "frame":
        return True
    before = sample.body.of(sample.text)
    after = damaged_body(sample, injected)
    if kind.group == "json":
        return _judged(before, after, json_value, sample)
    if kind.group == "python":
        return _judged(before, after, python_value, sample)
    if kind.group == "xml":
        return _judged(before, after, xml_value, sample)
    value = json_value(after)
    return value is not _NO_VALUE and not _fits(value, sample)


def damaged_body(sample: Sample, injected: Injected) -> str:
    """Return what is where the body was."""
    end = sample.body.end + len(injected.text) - len(sample.text)
    return injected.text[sample.body.start : max(end, sample.body.start)]


def _judged(before: str, after: str, read: Any, sample: Sample) -> bool:
    if read(before) is _NO_VALUE:
        return False  # the referee does not know the dialect
    value = read(after)
    if value is _NO_VALUE:
        return True
    if same(value, read(before)):
        return False
    return isinstance(value, dict) and same(read(before), sample.arguments) and not _fits(value, sample)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same, types included: `1`, `1.0` and `true` differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def json_value(text: str) -> Any:
    """Return what strict JSON says; `_NO_VALUE` where it is none, or has a key twice."""
    try:
        value = json.loads(text, parse_constant=_refused, object_pairs_hook=_members)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return _NO_VALUE
    return value


def _refused(word: str) -> Any:
    raise ValueError(word)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def python_value(text: str) -> Any:
    """Return the calls of Python's dialect as plain data; `_NO_VALUE` where they are none.

    The name in front of the parentheses may be left out.
    """
    text = text.strip()
    try:
        tree = ast.parse(f"f{text}" if text.startswith("(") else text, mode="eval").body
        calls = tree.elts if isinstance(tree, ast.List) else [tree]
        return [_python_call(call) for call in calls]
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return _NO_VALUE


def is_python(text: str) -> bool:
    """Return whether a text is calls in Python's dialect."""
    return python_value(text) is not _NO_VALUE


def _python_call(call: ast.expr) -> Any:
    if not isinstance(call, ast.Call) or call.args or any(each.arg is None for each in call.keywords):
        raise ValueError("no call with keywords alone")
    pairs = [(str(each.arg), ast.literal_eval(each.value)) for each in call.keywords]
    return [ast.unparse(call.func), _members(pairs)]


def xml_value(text: str) -> Any:
    """Return a tree of names and texts; `_NO_VALUE` where the text is not the content of an element."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
    try:
        root = etree.fromstring(f"<x>{text}</x>".encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return _NO_VALUE
    return _tree(root)


def _tree(element: Any) -> Any:
    return [str(element.tag), dict(element.attrib), element.text or "", [[_tree(e), e.tail or ""] for e in element]]


def _fits(value: Any, sample: Sample) -> bool:
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    tools = sample.registry.get(sample.tool)
    return not tools or any(Draft202012Validator(tool.input_schema).is_valid(value) for tool in tools)
