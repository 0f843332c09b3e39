"""Definitions that list their parameters by name, without a schema around them, brought into the usual shape.

Owns: `with_schemas`. Must not know: notations, where definitions are.

The form is that of Meta's prompts for Llama 3 (https://github.com/meta-llama/llama-models), with `param_type` and
`required` in each parameter, and of xLAM (https://github.com/SalesforceAIResearch/xLAM).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from callwright.declarations.styles.base import Body
from callwright.declarations.styles.support.definition_shapes import inner_of, is_parameter_map
from callwright.text.span import Span
from callwright.tools.definitions import Places
from callwright.tools.sources.base import Path

_TYPES: Final = {
    **{name: name for name in ("string", "number", "integer", "boolean", "array", "object")},
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


class _MovedPlaces:
    """The places of a value in which some schemas are put together of their parameters."""

    def __init__(self, places: Places, required: Mapping[Path, list[str]]) -> None:
        self._places = places
        self._required = required

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        return self._places.value(self._written(path))

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self._places.key(self._written(path))

    def _written(self, path: Path) -> Path:
        for length in range(1, len(path) + 1):
            names = self._required.get(path[:length])
            if names is None:
                continue
            own, rest = path[:length], path[length:]
            if rest[:1] == ("properties",):
                return own + tuple("param_type" if self._is_type(own, rest, step) else step for step in rest[1:])
            if rest[:1] == ("required",) and len(rest) > 1 and isinstance(rest[1], int) and rest[1] < len(names):
                return (*own, names[rest[1]], "required")
            return own
        return path

    def _is_type(self, own: Path, rest: Path, step: str | int) -> bool:
        if step != "type" or len(rest) != 3:
            return False
        parameter = self._places.value((*own, rest[1]))
        # Where there is no such key, its place is that of the parameter.
        return self._places.key((*own, rest[1], "type")) == parameter


def with_schemas(body: Body) -> Body:
    """Return the same definitions with schemas for their parameters."""
    required: dict[Path, list[str]] = {}
    value = _with_schemas(body.value, (), required)
    return replace(body, value=value, places=_MovedPlaces(body.places, required)) if required else body


def _with_schemas(value: Any, path: Path, required: dict[Path, list[str]]) -> Any:
    if isinstance(value, list):
        return [_with_schemas(one, (*path, index), required) for index, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    inner = inner_of(value)
    key = next((key for key, one in value.items() if one is inner), None)
    own = path if key is None else (*path, key)
    if not is_parameter_map(inner.get("parameters")):
        return value
    schema = _schema(inner["parameters"])
    required[(*own, "parameters")] = schema["required"]
    changed = {**inner, "parameters": schema}
    return changed if key is None else {**value, key: changed}


def _schema(parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: dict(_property(said)) for name, said in parameters.items()},
        "required": [name for name, said in parameters.items() if said.get("required") is True],
    }


def _property(said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in said.items():
        if key in ("type", "param_type") and isinstance(value, str):
            named = value.partition(",")[0].partition("[")[0].strip().lower()
            if named in _TYPES:
                yield "type", _TYPES[named]
        elif key in ("description", "enum", "default", "items", "properties"):
            yield key, value
