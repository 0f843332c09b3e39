"""The rule `call-without-result`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic
from callwright.rules.support.demands import DemandRule, named
from callwright.transcripts.support.profiles import Wants


class CallWithoutResult(DemandRule):
    """A transcript calls a tool and continues without a result.

    Why is this bad: providers reject a request with an unanswered call, so a conversation stored like this cannot be
    continued. It happens when a run is stopped between a call and its result, or when a history is shortened.

    The calls of the last message may be unanswered: the tools may still be running. What is required, and how strictly,
    depends on the provider; the setting `provider` names one.

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
                                                                       ^^^^^^^^^ TC701 "The call of `read_file` has no result, but the conversation continues. `openai` rejects this."
          ]},
          {"role": "user", "content": "Never mind."}
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "print(1)"},
          {"role": "user", "content": "Thank you."}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC701"
    fast_path = FastPath.PLAIN  # plain calls are answered, or the last message

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each call without a result that is followed by further messages."""
        for asked in subject.ledger.asked:
            if not asked.demanded or asked.answers or asked.cut_off or subject.ledger.is_meant(asked):
                continue
            if subject.ledger.continues_after(asked, merges=subject.profile.merges):
                message = f"The call of {named(asked.tool)} has no result, but the conversation continues."
                yield from self.unmet(subject, Wants.ANSWERED, asked.span, message)
