"""The rule `duplicate-id`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Asked, Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic, Severity
from callwright.rules.support.demands import named
from callwright.transcripts.support.profiles import Wants


class DuplicateId(ConversationRule):
    """Two calls have the same id, or two results answer the same call.

    Why is this bad: a result identifies its call by the call's id. Where two calls share an id, a reader of the
    transcript assigns the result to the wrong call or rejects the whole transcript. Some providers accept ids that
    start over in every message, and others do not.

    Example path=chat.json
        [
          {"role": "user", "content": "Compare a.py and b.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}},
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"b.py\\"}"}}
                   ^^^^^^^^ TC703 "Another call already has the id `call_1`. Give each call a unique id."
          ]}
        ]

    Use instead
        [
          {"role": "user", "content": "Compare a.py and b.py."},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}},
            {"id": "call_2", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"b.py\\"}"}}
          ]}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC703"
    fast_path = FastPath.PLAIN  # plain ids are used once

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each id that is used already, and for each further result of one call."""
        demanded = subject.profile.severity(Wants.UNIQUE)
        if demanded is None:
            return
        ledger = subject.ledger
        first: dict[str, Asked] = {}
        for asked in ledger.asked:
            if not asked.demanded or asked.id is None:
                continue
            other = first.setdefault(asked.id, asked)
            if other is asked:
                continue
            together = ledger.batches[other.index] == ledger.batches[asked.index]
            severity = Severity.ERROR if together or demanded == "error" else Severity.INFO
            yield self.diagnostic(
                asked.id_span,
                f"Another call already has the id {named(asked.id)}. Give each call a unique id.",
                severity=severity,
                related=((other.id_span, "the first call with this id"),),
            )
        for asked in ledger.asked:
            for answer in asked.answers[1:]:
                yield self.diagnostic(
                    answer.span,
                    f"The call of {named(asked.tool)} already has a result. Keep one.",
                    severity=Severity(demanded),
                    related=((asked.answers[0].span, "the first result of the call"),),
                )
