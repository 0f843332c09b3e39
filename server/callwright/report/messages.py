"""Saying: how the severity and the message of a diagnostic are shown.

Owns: their signs and tones, messages with code in them. Must not know: what a page shows beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from callwright.report.elements import element

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from callwright.report.labels import Words

_SIGNS: Final = {"error": "✗", "warning": "!", "info": "i", "hint": "·"}
_TONES: Final = {"error": "bad", "warning": "caution"}


def severity_sign(severity: str, words: Words) -> Element:
    """Return a severity as a sign and a word."""
    return element("span", f"{_SIGNS.get(severity, '·')} {words(severity)}", class_=_TONES.get(severity, "faint"))


def worded(message: str) -> Iterator[Element | str]:
    """Yield a message with what is between back-ticks as code."""
    for index, piece in enumerate(message.split("`")):
        if piece:
            yield element("code", piece) if index % 2 else piece
