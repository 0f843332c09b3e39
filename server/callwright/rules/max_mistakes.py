"""The rule `max-mistakes`."""

from collections.abc import Iterator

from callwright.conversation.attempts import attempts
from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic, ErrorType, Severity

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class MaxMistakes(ConversationRule):
    """So many calls have failed in a row that a strict runtime stops at the next failure.

    Why is this bad: runtimes that count mistakes report three of them to the model, stop at the next one, and discard
    the conversation. A transcript that continues after that shows a model that is stuck.

    A call fails if it has a diagnostic of severity error, if it is cut off, or if its result says so. Any success
    resets the count. The setting `max_mistakes` is the limit, 3 by default; each failure after it is reported, too.

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "<read_file><file>a.py</file></read_file>"},
                                                        ^^^^ TC303
          {"role": "user", "content": "Error: `path` is missing."},
          {"role": "assistant", "content": "<read_file><name>a.py</name></read_file>"},
                                                        ^^^^ TC303
          {"role": "user", "content": "Error: `path` is missing."},
          {"role": "assistant", "content": "<read_file><file_name>a.py</file_name></read_file>"}
                                             ^^^^^^^^^ TC714 "Max mistakes reached: three calls in a row have failed; a strict runtime stops at the next failure."
                                                        ^^^^^^^^^ TC303
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "<read_file><path>a.py</path></read_file>"}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC714"
    fast_path = FastPath.PLAIN  # a plain conversation has no failure, or one
    severity = Severity.WARNING
    error_type = ErrorType.MAX_MISTAKES

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each failure that exceeds the allowed number of failures in a row."""
        most = subject.snapshot.settings.max_mistakes
        row = 0
        for attempt in attempts(subject):
            row = row + 1 if attempt.failed else 0
            if row >= most:
                count = _NUMBERS[row] if row < len(_NUMBERS) else str(row)
                calls = "call" if row == 1 else "calls in a row"
                have = "has" if row == 1 else "have"
                yield self.diagnostic(
                    attempt.span,
                    f"Max mistakes reached: {count} {calls} {have} failed; a strict runtime stops at the next failure.",
                )
