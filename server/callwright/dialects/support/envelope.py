"""The family of dialects that write calls as JSON objects between markers, or bare.

Owns: `EnvelopeDialect`, which makes a dialect of envelopes and keys. Must not know: any single dialect.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope, read_enveloped, render_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.plain_form import PlainCalls
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.dialects.base import JSON_RULE, Dialect

TYPED = "Values have the types of JSON: string, number, boolean, list, object or `null`."
ESCAPED = (
    "Text is in JSON strings, with JSON escapes. A marker inside a string is written with one of its characters"
    " escaped, because some engines search for the first marker without parsing the JSON."
)
#: What engines do with calls of every dialect of the family.
_DROPPED = (
    "Most engines drop a call that is truncated, that is not valid JSON, or that lacks its name or its arguments, often"
    " with all other calls of the message. Callwright reads as much of it as possible and reports it."
)


class EnvelopeDialect(Dialect):
    """A dialect that is data: `envelopes` are its pairs of markers, the first is the one that is written, `form` its
    keys.

    `envelope` is that first one. What begins without a marker is read by `read_other`. `is_plain` is whether a call of
    that envelope with only these keys is plainly written. `asks` and `peers` are extended by what applies to every
    dialect of the family.
    """

    envelopes: Sequence[Envelope] = ()
    form: Form = Form()
    is_plain: bool = False
    typed = True
    typing = TYPED
    escaping = ESCAPED

    @property
    def envelope(self) -> Envelope:
        """The envelope that calls are written in."""
        return self.envelopes[0]

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The literal pairs of markers around a call."""
        return tuple((each.opener, each.closer) for each in self.envelopes if each.opener)

    @property
    def markers(self) -> Sequence[str]:
        """The literal markers that a call contains."""
        found = (marker for each in self.envelopes for marker in (each.opener, each.between, each.closer))
        return tuple(marker for marker in found if marker.startswith(("<", "[")))

    def __init__(self) -> None:
        self.peers = f"{self.peers.rstrip()}\n\n{_DROPPED}"
        self.asks = (*self.asks, JSON_RULE)
        self.frames = tuple(each.tag for each in self.envelopes if each.tag is not None)
        if self.is_plain:
            self.plain = PlainCalls(self.envelope.opener, self.envelope.closer, (self.form.name, self.form.arguments))

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`."""
        for envelope in self.envelopes:
            if text.startswith(envelope.opener, start) and self.takes(text, start, envelope, context):
                reading = read_enveloped(text, start, envelope, self.form, context, self.name)
                if reading is not None:
                    return reading
        return self.read_other(text, start, context)

    def takes(self, text: str, start: int, envelope: Envelope, context: ReadContext) -> bool:
        """Return whether what begins like an envelope is this dialect's, not that of another with the same markers."""
        del text, start, envelope, context
        return True

    def read_other(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read what begins at `start` without one of the envelopes' markers; None where it is no call."""
        del text, start, context
        return None

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls that follow each other: in one envelope where it contains several, else one below the other."""
        if self.gathers or len(calls) == 1:
            return render_enveloped(calls, self.envelope, self.form, style)
        return super().render_all(calls, style)
