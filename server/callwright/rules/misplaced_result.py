"""The rule `misplaced-result`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Answer, Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic
from callwright.rules.support.demands import DemandRule, named
from callwright.transcripts.support.profiles import Wants


class MisplacedResult(DemandRule):
    """A result is in a place where its provider does not expect it.

    Why is this bad: providers expect the results directly after the message with the calls; some also require them in
    one message, before its text, or in the order of the calls. Otherwise they reject the request, or assign a result to
    another call. The rule applies if the setting `provider` names the provider that will read the transcript.

    Settings
        provider = "openai"

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "user", "content": "Are you still there?"},
          {"role": "tool", "tool_call_id": "call_1", "content": "print(1)"}
                                           ^^^^^^^^ TC705 "The result of `read_file` does not directly follow the message with the call. `openai` rejects this."
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "print(1)"},
          {"role": "user", "content": "Are you still there?"}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC705"
    fast_path = FastPath.PLAIN  # plain results follow their calls, in their order

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each result that is too late, apart from the other results, or after text."""
        if subject.snapshot.settings.provider is None:
            # The shape alone does not say which provider will read the transcript.
            return
        profile, ledger = subject.profile, subject.ledger
        demands = profile.demands
        homes: dict[int, int] = {}
        parted: set[int] = set()
        last: dict[int, int] = {}
        for answer in ledger.answers:
            asked = answer.asked
            if asked is None or not asked.demanded or asked.index == answer.index:
                continue
            batch = ledger.batches[asked.index]
            home = homes.setdefault(batch, answer.index)
            before, last[batch] = last.get(batch, -1), asked.number
            if Wants.ADJACENT in demands and not ledger.is_adjacent(answer, asked, merges=profile.merges):
                message = f"The result of {named(answer.tool)} does not directly follow the message with the call."
                yield from self.unmet(subject, Wants.ADJACENT, answer.span, message)
            elif Wants.TOGETHER in demands and home != answer.index and answer.turn.part.whole:
                if answer.index not in parted:
                    parted.add(answer.index)
                    message = "The results of one message's calls are in several messages. Put them into one."
                    yield from self.unmet(subject, Wants.TOGETHER, answer.span, message)
            elif Wants.ORDER in demands and answer.id is None and asked.number < before:
                message = "Results without ids are not in the order of the calls."
                yield from self.unmet(subject, Wants.ORDER, answer.span, message)
            elif Wants.RESULTS_FIRST in demands and _is_after_text(answer):
                message = "Text precedes the results of this message. Move it after them."
                yield from self.unmet(subject, Wants.RESULTS_FIRST, answer.span, message)


def _is_after_text(answer: Answer) -> bool:
    texts = answer.turn.turn.texts
    first = answer.result is answer.turn.turn.results[0]
    return first and bool(texts) and texts[0].place.span.start < answer.result.place.span.start
