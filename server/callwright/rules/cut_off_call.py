"""The rule `cut-off-call`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic
from callwright.rules.support.demands import named


class CutOffCall(ConversationRule):
    """A call is not whole, because the model's reply was cut off inside it.

    Why is this bad: nobody can carry the call out, and mending its text would make up what the model never said. The
    transcript says that the reply ended for want of room (`finish_reason` `length`, `stop_reason` `max_tokens` and
    their like), so that is the one finding: what is missing at the end of the call is no fault of its own. Ask for the
    reply again with a higher limit, or for shorter arguments.

    Example path=reply.json
        {"choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"src/ma"}}
                                                                     ^^^^^^^^^ TC710 "The reply was cut off (`length`) inside the call of `read_file`. Ask for it again with more room."
        ]}}]}

    Use instead
        {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"src/main.py\\"}"}}
        ]}}]}
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC710"
    fast_path = FastPath.PLAIN  # a plain reply does not say that it was cut off

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a finding for each call that ends with a reply that ran out of room."""
        for asked in subject.ledger.asked:
            if asked.cut_off:
                turn = asked.turn.turn
                place = turn.finish_place
                related = ((asked.turn.span(place), "why the reply ended"),) if place is not None else ()
                yield self.diagnostic(
                    asked.span,
                    f"The reply was cut off (`{turn.finish}`) inside the call of {named(asked.tool)}."
                    " Ask for it again with more room.",
                    related=related,
                )
