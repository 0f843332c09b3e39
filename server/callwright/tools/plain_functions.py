"""Functions whose annotations are the types that JSON has: their definitions and their arguments, without pydantic.

Owns: `plain_definition`, `argument_types`, `converted`, which annotations are plain. Must not know: pydantic, what
calls a function.

The signature is written as source, and read by the reader of Python tool files, so that both give one schema.
"""

from __future__ import annotations

import ast
import enum
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from callwright.text.words import quoted
from callwright.tools.python.annotations import Schemas
from callwright.tools.python.functions import Tools
from callwright.tools.python.module import Module
from callwright.tools.python.plain_types import LISTS, MAPS

_SCALARS: Final = {str: "str", int: "int", float: "float", bool: "bool", type(None): "None", None: "None"}
_ANYTHING: Final = (Any, object, inspect.Parameter.empty)
#: How deep types are followed.
_DEPTH: Final = 40
_INSTALL: Final = "which is not installed: run `pip install pydantic`"


def plain_definition(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the definition of a function: name, description, `inputSchema`.

    Raises ImportError where an annotation is not plain.
    """
    hints = argument_types(function)
    parameters = [
        f"{each.name}: {_written(hints[each.name], each.name)}{_default(each.default)}"
        for each in inspect.signature(function).parameters.values()
    ]
    documented = inspect.cleandoc(getattr(function, "__doc__", None) or "")
    source = f"def function({', '.join(['*', *parameters] if parameters else [])}):\n    {documented!r}\n"
    tree = ast.parse(source)
    module = Module(source, 0, tree)
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef), "it is what was written"
    found: Mapping[str, Any] = Tools(module, Schemas(module)).function(node).value
    description = found.get("description", "")
    return {"name": function.__name__, "description": description, "inputSchema": {**found["inputSchema"]}}


def argument_types(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function's parameters, `Any` where there is no annotation.

    Raises ImportError where an annotation is not known when the function is made into a tool.
    """
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError, AttributeError) as error:
        raise ImportError(f"its annotations cannot be resolved without pydantic, {_INSTALL} ({error})") from None
    return {name: hints.get(name, Any) for name in inspect.signature(function).parameters}


def converted(value: Any, hint: Any) -> Any:
    """Return an argument as its type, for a value that the schema of the type accepts: members of enumerations."""
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_enumeration(hint):
        return next((each for each in hint if _same(each.value, value)), value)
    if _is_union(origin):
        members = (converted(value, each) for each in arguments if _accepts(each, value))
        return next(members, value)
    if isinstance(value, list) and len(arguments) == 1:
        return [converted(each, arguments[0]) for each in value]
    if isinstance(value, dict) and len(arguments) == 2:
        return {key: converted(each, arguments[1]) for key, each in value.items()}
    return value


def _accepts(hint: Any, value: Any) -> bool:
    """Return whether a member of a union is the type of a value."""
    if _is_enumeration(hint):
        return any(_same(each.value, value) for each in hint)
    origin = get_origin(hint)
    if origin is Literal:
        return any(_same(each, value) for each in get_args(hint))
    kind = origin or hint
    if kind in _ANYTHING:
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(kind, type) and isinstance(value, kind)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _is_enumeration(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, enum.Enum)


def _is_union(origin: Any) -> bool:
    return origin is Union or origin is types.UnionType


def _written(hint: Any, parameter: str) -> str:
    """Return a plain type as the source of an annotation. Raises ImportError where it is not plain."""
    text = _source(hint, _DEPTH)
    if text is None:
        shown = inspect.formatannotation(hint)
        raise ImportError(f"the type of `{parameter}`, {quoted(shown[:80])}, needs pydantic, {_INSTALL}")
    return text


def _source(hint: Any, depth: int) -> str | None:
    if depth <= 0:
        return None
    if hint in _ANYTHING:
        return "Any"
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None:
        if _is_enumeration(hint):
            return _choices([each.value for each in hint])
        if hint in _SCALARS:
            return _SCALARS[hint]
        return hint.__name__ if hint in (list, dict) else None
    if origin is Literal:
        return _choices([each.value if isinstance(each, enum.Enum) else each for each in arguments])
    inner = [_source(each, depth - 1) for each in arguments]
    if None in inner:
        return None
    stated = ", ".join(str(each) for each in inner)
    if _is_union(origin):
        return f"Union[{stated}]"
    name = getattr(origin, "__name__", "")
    is_map = name in MAPS and issubclass(dict, origin) and arguments[:1] == (str,)
    is_list = name in LISTS and issubclass(list, origin) and len(arguments) == 1
    return f"{name}[{stated}]" if is_map or is_list else None


def _choices(values: list[Any]) -> str | None:
    plain = all(value is None or type(value) in (str, int, bool, float) for value in values)
    return f"Literal[{', '.join(repr(value) for value in values)}]" if plain and values else None


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    stated = value.value if isinstance(value, enum.Enum) else value
    return f" = {stated!r}" if all(_is_plain(each) for each in _values(stated)) else " = unknown"


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (str, int, bool, float, list, dict)


def _values(value: Any) -> Iterator[Any]:
    """Yield a value and all values in it; one that is not plain may repeat."""
    waiting, left = [value], 1_000
    while waiting:
        one = waiting.pop()
        left -= 1
        yield one if left > 0 else ...
        if left <= 0:
            return
        if type(one) is list:
            waiting += one
        elif type(one) is dict:
            waiting += [*one.keys(), *one.values()]
