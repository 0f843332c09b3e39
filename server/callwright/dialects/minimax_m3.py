"""The `minimax-m3` dialect: nested elements with `]<]minimax[>[` in front of every tag.

Owns: this dialect's marker. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.tagged.nested import NestedMarkers, read_nested
from callwright.dialects.base import Dialect

MARKERS: Final = NestedMarkers("]<]minimax[>[")


class MiniMaxM3(Dialect):
    """`<invoke name="…">` contains an element named after each argument. Every tag has `]<]minimax[>[` in front of it.

    Objects are nested elements, arrays are `<item>` elements. A tag without the marker in front of it is text.
    """

    name = "minimax-m3"
    title = "MiniMax M3 elements"
    summary = '`<invoke name="…">` with nested elements for the arguments, `]<]minimax[>[` before every tag.'
    used_by: Sequence[str] = ("MiniMax M3",)
    openers: Sequence[str] = MARKERS.openers
    pairs = (MARKERS.section,)
    markers = (*MARKERS.section, f"{MARKERS.call_opener} name=", MARKERS.call_closer)
    typed = False
    gathers = True
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), and
        else as text. Elements in an element are an array or an object; if the schema also allows a string, they are
        text, tags and markers included. Without a schema, text is text, several elements of one name or `<item>` are an
        array, and others an object.
    """
    escaping = "There are no escapes, and only the marker itself would need one. Whitespace in text is kept."
    ambiguity = """
        Every marker is read as that of a tag, so a value ends at the first closing tag of its own name. An argument
        without its closing tag ends where the next argument of the tool begins, or where the call ends.
    """
    peers = """
        llama.cpp reads elements as text if the schema allows a string, like Callwright; vLLM reads an object. vLLM
        keeps text next to elements under `$text`, drops every argument after a broken one, and reads only calls in
        `<tool_call>`; Callwright also reads a call without it.
    """
    asks: Sequence[str] = (
        "Write `]<]minimax[>[` before every tag.",
        'Write calls as `<invoke name="NAME">` elements inside `<tool_call>`, with an element for each argument.',
        "Write objects as nested elements and arrays as `<item>` elements. Escape nothing.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call, or the section of calls, that begins at `start`."""
        return read_nested(text, start, context, MARKERS, self.name)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls that follow each other as text in one section."""
        return MARKERS.render(calls, style)


DIALECT: Dialect = MiniMaxM3()
