"""Definitions that list their parameters by name, without a schema around them, converted to the usual shape.

Owns: `with_schemas`. Must not know: formats, where definitions are, what is stated about one parameter.

The form is that of Meta's prompts for Llama 3 (https://github.com/meta-llama/llama-models), with `param_type` and
`required` in each parameter, and of xLAM (https://github.com/SalesforceAIResearch/xLAM).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from callwright.declarations.styles.base import Body
from callwright.declarations.styles.support.built_tools import json_part
from callwright.declarations.styles.support.definition_shapes import inner_of, is_parameter_map
from callwright.declarations.styles.support.described_parameters import read_parameters
from callwright.tools.parts import LocatedValue, PartPlaces


def with_schemas(body: Body, text: str) -> Body:
    """Return the same definitions with schemas for their parameters; `text` is what their places are in."""
    if not _lists(body.value):
        return body
    top = _with_schemas(json_part(body.value, body.places), text)
    return replace(body, value=top.value, places=PartPlaces(top))


def _lists(value: Any) -> bool:
    """Return whether a definition, or one of a list, lists its parameters by name."""
    if isinstance(value, list):
        return any(map(_lists, value))
    return isinstance(value, dict) and is_parameter_map(inner_of(value).get("parameters"))


def _with_schemas(part: LocatedValue, text: str) -> LocatedValue:
    if not _lists(part.value):
        return part
    found = LocatedValue([] if isinstance(part.value, list) else {}, part.span)
    own = None if isinstance(part.value, list) else inner_of(part.value)
    for step, inner in part.parts.items():
        changed = inner
        if own is None or (own is not part.value and inner.value is own):
            changed = _with_schemas(inner, text)
        elif own is part.value and step == "parameters" and (read := read_parameters(inner, text)) is not None:
            changed = read.schema
            properties = changed.parts["properties"]
            # Names of members are marked with their quotes.
            properties.keys.update((name, span) for name, span in inner.keys.items() if name in properties.parts)
        found.put(step, changed, part.keys.get(step))
    return found
