"""The rule `consecutive-assistant`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation, PlacedTurn
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity
from callwright.rules.support.demands import DemandRule
from callwright.text.span import Span
from callwright.transcripts.support.profiles import Wants


class ConsecutiveAssistant(DemandRule):
    """An assistant message follows another one, although the provider requires another message between them.

    Why is this bad: some APIs and many chat templates reject two messages of the same role in a row, and others
    silently join them. Gemini requires a message with calls to follow a user message or results directly.

    Settings
        provider = "huggingface"

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "I will have a look."},
          {"role": "assistant", "content": "It prints 1."}
                   ^^^^^^^^^^^ TC706 "Two assistant messages in a row; merge them. `huggingface` may reject this."
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "I had a look. It prints 1."}
        ]
    """

    code = "TC706"
    fast_path = FastPath.PLAIN  # a plain conversation has no two assistant messages in a row
    severity = Severity.WARNING

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each assistant message where the provider allows none."""
        before: PlacedTurn | None = None
        for placed in subject.turns:
            turn = placed.turn
            follows = before is not None and before.turn.role == "assistant" and turn.role == "assistant"
            if follows and before is not None and placed.part.whole:
                if not turn.calls and not before.turn.calls:
                    message = "Two assistant messages in a row; merge them."
                    yield from self.unmet(subject, Wants.ALTERNATION, _place(placed), message)
                if turn.calls and not before.turn.results:
                    message = "A message with calls follows another assistant message."
                    yield from self.unmet(subject, Wants.CALLS_AFTER_USER, _place(placed), message)
            before = placed


def _place(placed: PlacedTurn) -> Span:
    if placed.turn.role_place is not None:
        return placed.span(placed.turn.role_place)
    whole = placed.span(placed.turn.place)
    return Span(whole.start, min(whole.start + 1, whole.end))
