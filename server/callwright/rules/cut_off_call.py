"""The rule `cut-off-call`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic
from callwright.rules.support.demands import named


class CutOffCall(ConversationRule):
    """A call is incomplete because the model's reply was cut off inside it.

    Why is this bad: the call cannot be executed, and fixing its text would invent what the model never wrote. The
    transcript says that the reply reached its length limit (`finish_reason` `length`, `stop_reason` `max_tokens` and
    the like), so that is the only diagnostic: what is missing at the end of the call is not reported separately.
    Generate the reply again with a higher limit, or ask for shorter arguments.

    Example path=reply.json
        {"choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"src/ma"}}
                                                                     ^^^^^^^^^ TC710 "The reply was cut off (`length`) inside the call of `read_file`. Generate it again with a higher token limit."
        ]}}]}

    Use instead
        {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"src/main.py\\"}"}}
        ]}}]}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC710"
    fast_path = FastPath.PLAIN  # a plain reply does not say that it was cut off

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each call at the end of a reply that was cut off at the token limit."""
        for asked in subject.ledger.asked:
            if asked.cut_off:
                turn = asked.turn.turn
                place = turn.finish_place
                related = ((asked.turn.span(place), "why the reply ended"),) if place is not None else ()
                yield self.diagnostic(
                    asked.span,
                    f"The reply was cut off (`{turn.finish}`) inside the call of {named(asked.tool)}."
                    " Generate it again with a higher token limit.",
                    related=related,
                )
