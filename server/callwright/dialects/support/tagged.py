"""What the dialects with a pair of markers around each parameter share: reading and writing by their grammars.

Owns: `TaggedDialect`. Must not know: any single dialect, how a grammar is read.
"""

from collections.abc import Sequence

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.reader import read_tagged
from callwright.calls.tagged.render import render_tagged
from callwright.dialects.base import Dialect


class TaggedDialect(Dialect):
    """A dialect that is read and written by grammars.

    `grammars` are tried in order; calls are written by the first. Their markers, and the patterns that find them, are
    plain attributes, so that a streaming parser can use them.
    """

    grammars: Sequence[Grammar]

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The literal pairs of markers around a call."""
        return tuple(dict.fromkeys(pair for grammar in self.grammars for pair in grammar.pairs))

    @property
    def markers(self) -> Sequence[str]:
        """The literal markers that a call contains."""
        return tuple(dict.fromkeys(marker for grammar in self.grammars for marker in grammar.markers))

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call, or the section of calls, that begins at `start`."""
        for grammar in self.grammars:
            if text.startswith(grammar.openers, start):
                reading = read_tagged(text, start, context, grammar, self.name)
                if reading is not None:
                    return reading
        return None

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls that follow each other as text, in one section where the dialect has sections for several."""
        if self.gathers or len(calls) == 1:
            return render_tagged(calls, self.grammars[0], style)
        return super().render_all(calls, style)


def openers_of(grammars: Sequence[Grammar]) -> tuple[str, ...]:
    """Return every marker with which a call of one of the grammars can begin, each once."""
    return tuple(dict.fromkeys(opener for grammar in grammars for opener in grammar.openers))
