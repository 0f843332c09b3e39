"""The rule `consecutive-assistant`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation, PlacedTurn
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity
from callwright.rules.support.demands import DemandRule
from callwright.text.span import Span
from callwright.transcripts.support.profiles import Wants


class ConsecutiveAssistant(DemandRule):
    """An assistant's message follows another one, where the provider wants somebody to speak between them.

    Why is this bad: some interfaces and many chat templates refuse two messages of one role in a row, and others join
    them silently. Gemini wants a message with calls right behind the user's, or behind results.

    Settings
        provider = "huggingface"

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "I will have a look."},
          {"role": "assistant", "content": "It prints 1."}
                   ^^^^^^^^^^^ TC706 "Two messages of the assistant follow each other. `huggingface` may refuse that."
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "I had a look. It prints 1."}
        ]
    """

    code = "TC706"
    fast_path = FastPath.PLAIN  # plain assistants do not speak twice in a row
    severity = Severity.WARNING

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a finding for each message of the assistant that stands where the provider wants none."""
        before: PlacedTurn | None = None
        for placed in subject.turns:
            turn = placed.turn
            follows = before is not None and before.turn.role == "assistant" and turn.role == "assistant"
            if follows and before is not None and placed.part.whole:
                if not turn.calls and not before.turn.calls:
                    message = "Two messages of the assistant follow each other."
                    yield from self.unmet(subject, Wants.ALTERNATION, _place(placed), message)
                if turn.calls and not before.turn.results:
                    message = "A message with calls follows another message of the assistant."
                    yield from self.unmet(subject, Wants.CALLS_AFTER_USER, _place(placed), message)
            before = placed


def _place(placed: PlacedTurn) -> Span:
    if placed.turn.role_place is not None:
        return placed.span(placed.turn.role_place)
    whole = placed.span(placed.turn.place)
    return Span(whole.start, min(whole.start + 1, whole.end))
