"""Elements of a page: how they are made, so that no text of a document can become markup.

Owns: building and writing elements. Must not know: what a page shows.

Texts and attributes are escaped by the library that writes them. A character that HTML cannot hold is shown by a
picture of it, or by the sign for a character that is unknown.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree.ElementTree import Element, tostring

#: Control characters but tab and line ends, halves of surrogate pairs, and what is not a character at all.
_NOT_SHOWN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
#: What makes a text run the other way, or hides in it: it would be shown otherwise than it is.
_MISLEADING: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def shown(text: str) -> str:
    """Return a text as a page can show it."""
    if _NOT_SHOWN.search(text) is not None:
        text = _NOT_SHOWN.sub(lambda match: chr(0x2400 + ord(match[0])) if match[0] < " " else "\ufffd", text)
    return _MISLEADING.sub(lambda match: f"‹U+{ord(match[0]):04X}›", text)


def element(tag: str, *children: Element | str | None, **attributes: str | None) -> Element:
    """Return an element; `class_` means `class`, and `_` in the name of an attribute `-`. None is left out."""
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-") if name != "viewBox" else name, shown(value))
    for child in children:
        add(made, child)
    return made


def add(parent: Element, child: Element | str | None) -> None:
    """Put an element or a text after what is in `parent`."""
    if child is None:
        return
    if isinstance(child, Element):
        parent.append(child)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + shown(child)
    else:
        parent.text = (parent.text or "") + shown(child)


def to_html(root: Element) -> str:
    """Return an element as HTML."""
    return tostring(root, encoding="unicode", method="html")
