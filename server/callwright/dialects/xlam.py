"""The `xlam` dialect: a bare JSON list of calls.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.bare_json import read_bare_list
from callwright.calls.envelopes import Envelope
from callwright.calls.protocol import ReadContext, Reading
from callwright.dialects.support.envelope import EnvelopeDialect


class XLam(EnvelopeDialect):
    """All calls of a message stand in one bare JSON list, as a rule alone in the message or in a json fence."""

    name = "xlam"
    title = "xLAM"
    summary = '`[{"name": …, "arguments": …}]`, with no marker.'
    used_by: Sequence[str] = ("xLAM", "many prompts that ask for a JSON list")
    openers: Sequence[str] = ('[{"name"', "[")
    envelopes = (Envelope("", array=True),)
    gathers = True
    placement = "line"
    ambiguity = """
        A list is read as calls where each of its objects has a name and arguments and nothing foreign beside them; a
        list of anything else is data. A list that does not lead its line must be faultless, or its tools known.

        Behind `[TOOL_CALLS]` the list is `mistral`'s, in `<tool_call>` it is `hermes`' or `granite`'s.
    """
    peers = """
        vLLM's `xlam` parser looks for a fence, for `[TOOL_CALLS]`, for `<tool_call>` and for text after `</think>`
        before it takes the whole message for a list. Objects without `name` or `arguments` are left out there; here the
        whole list is data where the first lacks them.
    """
    alone = True
    asks = ("Write all calls in one JSON list of objects with the keys `name` and `arguments`, and nothing else.",)

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the list that begins at `start`."""
        return read_bare_list(text, start, self.form, context, self.name)


DIALECT = XLam()
