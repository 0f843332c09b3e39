"""What tools returned, wherever a format puts it.

Owns: the way from a result's content to what a tool said. Must not know: any single format.
"""

from __future__ import annotations

from typing import Any

from callwright.syntax.json_views import JsonView


def returned(content: JsonView | None) -> tuple[JsonView | None, Any]:
    """Return the place and the value of what a tool returned.

    Of a list with one block of text it is that text, for formats mean the same by a string and by such a list.
    """
    if content is None:
        return None, None
    value = content.value
    if isinstance(value, list) and len(value) == 1:
        only = next(content.items())
        text = only.get("text")
        if text is not None and isinstance(text.value, str):
            return text, text.value
    return content, value


def flag(view: JsonView, *keys: str) -> bool | None:
    """Return the boolean under the first of `keys` that an object has, None where none is there, or no boolean."""
    found = view.get(*keys)
    return found.value if found is not None and isinstance(found.value, bool) else None


def list_under(view: JsonView, key: str) -> JsonView | None:
    """Return the list under a key that an object has, None where none is there."""
    found = view.get(key)
    return found if found is not None and isinstance(found.value, list) else None
