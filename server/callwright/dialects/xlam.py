"""The `xlam` dialect: a bare JSON list of calls.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.bare_json import read_bare_list
from callwright.calls.envelopes import Envelope
from callwright.calls.protocol import ReadContext, Reading
from callwright.dialects.support.envelope import EnvelopeDialect


class XLam(EnvelopeDialect):
    """All calls of a message are in one bare JSON list, usually alone in the message or in a json fence."""

    name = "xlam"
    title = "xLAM"
    summary = '`[{"name": …, "arguments": …}]`, without a marker.'
    used_by: Sequence[str] = ("xLAM", "many prompts that ask for a JSON list")
    openers: Sequence[str] = ('[{"name"', "[")
    envelopes = (Envelope("", array=True),)
    gathers = True
    placement = "line"
    ambiguity = """
        A list contains calls if each of its objects has a name, arguments and no unknown keys; any other list is data.
        A list that does not begin its line must be valid, or its tools known.

        After `[TOOL_CALLS]` the list is `mistral`, in `<tool_call>` it is `hermes` or `granite`.
    """
    peers = """
        vLLM's `xlam` parser searches for a fence, for `[TOOL_CALLS]`, for `<tool_call>` and for text after `</think>`
        before it reads the whole message as a list. It omits objects without `name` or `arguments`; for Callwright the
        whole list is data if the first lacks them.
    """
    alone = True
    asks = ("Write all calls in one JSON list of objects with the keys `name` and `arguments`, and nothing else.",)

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the list that begins at `start`."""
        return read_bare_list(text, start, self.form, context, self.name)


DIALECT = XLam()
