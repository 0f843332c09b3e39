"""What a caller knows about an element before it is read.

Owns: the hints, and how deep elements may be nested. Must not know: how anything is read.
"""

from collections.abc import Mapping
from typing import Any, Final

from callwright.text.records import dataclass

MAX_DEPTH: Final = 256


@dataclass(frozen=True, slots=True)
class XmlHints:
    """What a caller knows about the element that is read.

    `parameters` are the names that are real parameters of the outermost element, with their JSON Schemas; None for an
    unknown tool. `text_parameters` are those whose content is text. `raw` says that values are literal text up to their
    closer: no entities, no CDATA. `siblings` are names that open another call: an unclosed element ends before such an
    opener at the start of a line. `enclosing` are names of elements around the outermost one: it ends before their
    closers. `call` says that the element is a call, so that attributes on it and text beside its parameters are errors;
    without it they are plain XML. `text` says that the whole content of the outermost element is one text, even with
    markup in it.
    """

    parameters: Mapping[str, Mapping[str, Any]] | None = None
    text_parameters: frozenset[str] = frozenset()
    raw: bool = False
    siblings: frozenset[str] = frozenset()
    enclosing: frozenset[str] = frozenset()
    call: bool = True
    text: bool = False


NO_HINTS = XmlHints(call=False)
