"""The rule `assistant-first`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity
from callwright.rules.support.demands import DemandRule
from callwright.text.span import Span
from callwright.transcripts.support.profiles import Wants


class AssistantFirst(DemandRule):
    """A conversation begins with the assistant, although its provider requires a user message first.

    Why is this bad: the provider may reject the request. This happens when the beginning of a history is cut off, or
    when a greeting is inserted before it. A single reply is not a conversation and is not reported.

    Settings
        provider = "anthropic"

    Example path=chat.json
        {"messages": [
          {"role": "assistant", "content": "Hello! What can I do for you?"},
                   ^^^^^^^^^^^ TC708 "The conversation begins with an assistant message; begin it with a user message. `anthropic` may reject this."
          {"role": "user", "content": "What does a.py do?"}
        ]}

    Use instead
        {"messages": [
          {"role": "user", "content": "What does a.py do?"}
        ]}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC708"
    fast_path = FastPath.PLAIN  # a plain conversation does not begin with an assistant
    severity = Severity.WARNING

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the first turn is not the user's."""
        first = next((placed for placed in subject.turns if placed.turn.role != "system"), None)
        if first is None or first.turn.role != "assistant" or not first.part.whole or first.turn.continues:
            return
        if not any(placed.turn.role == "user" for placed in subject.turns):
            return
        place = first.turn.role_place
        whole = first.span(place if place is not None else first.turn.place)
        span = whole if place is not None else Span(whole.start, min(whole.start + 1, whole.end))
        message = "The conversation begins with an assistant message; begin it with a user message."
        yield from self.unmet(subject, Wants.USER_FIRST, span, message)
