"""The wording for a value that its schema does not allow, and which value was meant.

Owns: `stated_of`, `choice_of`. Must not know: any single rule, where the value is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from callwright.rules.support.schema_words import TYPE_WORDS, constraint_words, expected_types
from callwright.rules.support.tool_words import quoted, where
from callwright.text.words import listed
from callwright.tools.names import nearest_choice
from callwright.tools.parameters import type_name

if TYPE_CHECKING:
    from callwright.schema.errors import SchemaError

#: More choices than this are not listed in a message.
_MAX_COUNT = 8


def problem_of(error: SchemaError, value: Any) -> str:
    """Return what is wrong with a value, to be read after what it is: `is a string, and …`, `lacks …`."""
    place = where(error.path)
    begin = f"{quoted(place)} " if place else ""
    expected = expected_types(error)
    if expected is not None:
        wanted = listed([TYPE_WORDS.get(name, f"`{name}`") for name in expected], "or")
        return f"{begin}is {TYPE_WORDS[type_name(value)]}, but the schema requires {wanted}"
    if error.keyword == "required":
        return f"{begin}lacks {quoted(str(error.data.get('missing')))}, which is required"
    if error.keyword in ("additionalProperties", "unevaluatedProperties"):
        names = [quoted(str(name)) for name in error.data.get("unexpected", ())]
        return f"{begin}has {listed(names)}, which the schema does not declare"
    if error.keyword in ("enum", "const"):
        options = error.data.get("options")
        options = options if isinstance(options, list) else [options]
        shown = [quoted(json.dumps(one, ensure_ascii=False)) for one in options]
        choice = f": {listed(shown, 'or')}" if 0 < len(shown) <= _MAX_COUNT else ""
        verb = f"{begin}is" if begin else "is"
        return f"{verb} {quoted(json.dumps(value, ensure_ascii=False))}, which the schema does not allow{choice}"
    return f"{begin}{constraint_words(error)}"


def choice_of(error: SchemaError, value: Any) -> str | None:
    """Return the one choice of an `enum` that a text was meant to be, None where there is none or several."""
    options = error.data.get("options")
    return nearest_choice(value, options) if error.keyword == "enum" and isinstance(options, list) else None
