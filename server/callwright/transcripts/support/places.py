"""Where the text of a place in a transcript is, and the projection to the transcript's own text.

Owns: `text_of_place`. Must not know: what is there, the shape of any transcript.
"""

from __future__ import annotations

from callwright.calls.turns import Located
from callwright.syntax.json_views import JsonView
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.span import Span
from callwright.transcripts.support.segments import Segment


def text_of_place(place: Located, *, decode: bool) -> tuple[str, Projection, Span] | None:
    """Return the text that a place is in, the projection to the turn's text, and the place's span in it.

    With `decode`, a JSON string's own text is meant. None where the text is not known.
    """
    if isinstance(place, Segment):
        projection = place.projection
        if projection is None:
            return None
        text = place.text
        if decode and text[:1] == '"' == text[-1:] and len(text) > 1:
            inner = JsonString(text[1:-1], 1)
            return inner.text, Composed(projection, inner), Span(0, inner.length)
        return text, projection, Span(0, len(text))
    if not isinstance(place, JsonView):
        return None
    source = place.read.text
    span = place.span
    if not source:
        return None
    if not decode:
        return source, Identity(0, len(source)), span
    if not isinstance(place.value, str) or span.end - span.start < 2 or source[span.start] != '"':
        return None
    string = JsonString(source[span.start + 1 : span.end - 1], span.start + 1)
    return string.text, string, Span(0, string.length)
