"""The rule `ignored-error`."""

import re
from collections.abc import Iterator
from typing import Final

from callwright.conversation.conversation import Answer, Conversation, PlacedTurn
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic, Severity
from callwright.rules.support.demands import named

#: Stems of English words for a failure, or for what is done about it.
_REPORTED: Final = re.compile(
    r"err|fail|fault|wrong|issue|problem|trouble|bug|crash|exception|invalid|missing|unable|unavail|unexpect|unfortun"
    r"|cannot|can't|can’t|couldn|could not|can not|didn|doesn|don't|don’t|isn't|isn’t|wasn|won't|not |n't|n’t|no "
    r"|none|nothing|sorry|apolog|oops|hmm|retry|again|instead|another|different|alternativ|however|but |though|den"
    r"|reject|refus|timeout|timed out|blocked|abort|incorrect|correct|fix|check|seems|look|let me|try|without|unless"
    r"|skip|not$|never|lack|expire|exist|unknown|limit|warn|permission|forbid",
    re.IGNORECASE,
)
#: Words that nearly every English sentence contains.
_ENGLISH: Final = re.compile(r"\b(?:the|is|was|are|has|have|been|and|of|to|it|your|I)\b")
_WORD: Final = re.compile(r"[^\W_]{4,}")
#: How many characters of either text are scanned.
_READ: Final = 4_000


class IgnoredError(ConversationRule):
    """A tool reports an error, and the assistant's answer ignores it.

    Why is this bad: the answer claims something that never happened. Users believe it, and a model trained on such a
    transcript learns to ignore errors.

    Only a person can decide whether an error was handled, so the rule reports clear cases only: every result of the
    message is an error; the assistant's next message calls no tool and is in English; and it contains neither a word
    that admits failure (`failed`, `could not`, `instead`, `but` …) nor a word of the error's text.

    Example path=chat.json
        [
          {"role": "user", "content": "Write a.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "write_file", "arguments": "{\\"path\\": \\"a.py\\", \\"content\\": \\"print(1)\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Error: read-only file system"},
                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC712 "`write_file` reports an error here, but the answer ignores it."
          {"role": "assistant", "content": "Done. The program is in place and prints 1."}
        ]

    Use instead
        [
          {"role": "user", "content": "Write a.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "write_file", "arguments": "{\\"path\\": \\"a.py\\", \\"content\\": \\"print(1)\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Error: read-only file system"},
          {"role": "assistant", "content": "I could not write a.py: the file system is read-only."}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC712"
    fast_path = FastPath.PLAIN  # a result that reports a failure is not plain
    severity = Severity.INFO

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for the last failed result before an answer that does not mention it."""
        waiting: list[Answer] = []
        answers = iter(subject.ledger.answers)
        following = next(answers, None)
        for index, placed in enumerate(subject.turns):
            if placed.turn.role == "assistant" and waiting and not placed.turn.results:
                if all(answer.failed for answer in waiting) and _ignores(placed, waiting):
                    last = waiting[-1]
                    place = last.result.content
                    yield self.diagnostic(
                        last.turn.span(place) if place is not None else last.span,
                        f"{named(last.tool) if last.tool is not None else 'A tool'} reports an error here,"
                        " but the answer ignores it.",
                        related=((placed.span(placed.turn.texts[0].place), "the answer"),),
                    )
                waiting = []
            elif placed.turn.role not in ("tool", "assistant") and not placed.turn.results:
                waiting = []
            while following is not None and following.index <= index:
                waiting.append(following)
                following = next(answers, None)


def _ignores(placed: PlacedTurn, waiting: "list[Answer]") -> bool:
    """Return whether an answer is in plain English and mentions no failure."""
    text = " ".join(stated.value for stated in placed.turn.texts)[:_READ]
    if placed.calls or placed.turn.calls or not text.strip():
        return False
    if _REPORTED.search(text) or len(_ENGLISH.findall(text)) < 2:
        return False
    words = {word.lower() for word in _WORD.findall(text)}
    stated = {word.lower() for answer in waiting for word in _WORD.findall(_text_of(answer))}
    return words.isdisjoint(stated)


def _text_of(answer: Answer) -> str:
    value = answer.result.value
    if isinstance(value, dict):
        value = " ".join(each for each in value.values() if isinstance(each, str))
    return value[:_READ] if isinstance(value, str) else ""
