"""Holes: template expressions inside a passage, as readers see them.

Owns: the character that stands for a hole. A host replaces every character of an expression by it, so offsets stay and
each reader can treat a run of it as one atom that fits any value: as a name, a value, a piece of text.
Must not know: template languages.
"""

from typing import Final

#: A Unicode noncharacter: never assigned, valid in XML and JSON, so that no reader has to treat it as a fault.
HOLE: Final = "\ufdd0"


def has_hole(text: str) -> bool:
    """Return whether `text` holds a hole."""
    return HOLE in text
