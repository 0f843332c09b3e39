"""Whole numbers as `int`: in JSON Schema `5.0` is an integer, in the code of a tool it is not.

Owns: `with_whole_numbers`. Must not know: tools, what runs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callwright.schema.schema_facts import Schema, SchemaFacts


def with_whole_numbers(facts: SchemaFacts, arguments: Any) -> Any:
    """Return valid arguments with an `int` wherever their schema requires an integer; containers are changed in place.

    A value that may be any number is not changed. Time is linear in the arguments.
    """
    whole = [arguments]
    pending: list[tuple[Any, Any, Schema]] = [(whole, 0, facts.root)]
    # A call that was built by hand may contain one list twice, or a list that contains itself.
    seen: set[int] = set()
    while pending:
        holder, key, schema = pending.pop()
        value = holder[key]
        if isinstance(value, float):
            types = facts.types(schema)
            if value.is_integer() and types is not None and "integer" in types and "number" not in types:
                holder[key] = int(value)
            continue
        entries: Iterable[tuple[Any, Any]] = ()
        if isinstance(value, dict):
            entries = value.items()
        elif isinstance(value, list):
            entries = enumerate(value)
        if id(value) in seen:
            continue
        seen.add(id(value))
        for step, entry in entries:
            if isinstance(step, str | int) and isinstance(entry, float | dict | list):
                child = facts.child(schema, step)
                if child is not None:
                    pending.append((value, step, child))
    return whole[0]
