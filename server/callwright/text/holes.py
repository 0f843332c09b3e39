"""Holes: template expressions inside a passage, as parsers see them.

Owns: the character of holes. A host replaces every character of an expression by it, so offsets do not change, and each
parser can read a run of it as one atom that matches any value: a name, a value, a piece of text. Must not know:
template languages.
"""

from typing import Final

#: A Unicode noncharacter: never assigned, valid in XML and JSON, so no parser has to reject it.
HOLE: Final = "\ufdd0"


def has_hole(text: str) -> bool:
    """Return whether `text` contains a hole."""
    return HOLE in text
