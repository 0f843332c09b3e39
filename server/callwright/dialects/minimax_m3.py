"""The `minimax-m3` dialect: nested elements with `]<]minimax[>[` in front of every tag.

Owns: this notation's marker. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.tagged.nested import NestedMarkers, read_nested
from callwright.dialects.base import Dialect

MARKERS: Final = NestedMarkers("]<]minimax[>[")


class MiniMaxM3(Dialect):
    """`<invoke name="…">` holds an element named after each argument; every tag has `]<]minimax[>[` in front of it.

    Objects are nested elements, arrays are `<item>` elements. What has no marker in front of it is text.
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
    typing = (
        "Values carry no type. The schema says what their text means: `null`, numbers, booleans (in any case), then"
        " text. Elements in an element are an array or an object; where the schema also allows a string they are text,"
        " tags and markers included. Without a schema text stays text, several elements of one name or `<item>` are an"
        " array, and others an object."
    )
    escaping = "Nothing can be escaped, and nothing needs to be but the marker itself. White space in text is kept."
    ambiguity = (
        "The marker is taken for a tag's wherever it stands, so a value ends at the first closing tag of its own name."
        " An argument that lacks its closing tag ends where the next argument of the tool begins, or where the call"
        " ends."
    )
    peers = (
        "llama.cpp reads elements as text where the schema allows a string, as is done here; vLLM reads an object. vLLM"
        " keeps text beside elements under `$text`, drops every argument after a broken one, and reads calls in"
        " `<tool_call>` only; here a call without it is read, too."
    )
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
