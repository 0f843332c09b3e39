"""The rule `result-without-call`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Answer, Asked, Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, ConversationRule, Diagnostic, Fix, Severity, with_edits
from callwright.rules.support.demands import named, refusal, severity_of
from callwright.syntax.json_views import JsonView
from callwright.text.projection import encode_json_string
from callwright.text.span import Edit
from callwright.transcripts.support.profiles import Wants


class ResultWithoutCall(ConversationRule):
    """A result does not belong to any call of the transcript.

    Why is this bad: providers reject a request with such a result. It happens when the call was cut from a history,
    when an id was copied wrongly, or when two results name the same call.

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "cal_1", "content": "print(1)"}
                                           ^^^^^^^ TC702 "The result refers to `cal_1`, but no call has that id; did you mean `call_1`? `openai` rejects this."
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "print(1)"}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC702"
    fast_path = FastPath.PLAIN  # plain results follow their calls

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each result that answers no call."""
        profile = subject.profile
        severity = severity_of(profile, Wants.ASKED)
        if severity is None:
            return
        ledger = subject.ledger
        for answer in ledger.answers:
            if answer.asked is not None or ledger.may_answer_others(answer) or len(subject.turns) == 1:
                continue
            if not answer.id and profile.severity(Wants.IDS) is not None:
                continue  # `invalid-id` reports it
            if not answer.turn.part.whole and not (ledger.asked and ledger.asked[0].index <= answer.index):
                continue  # a log may begin in the middle of a conversation
            meant, syntax_error = ledger.meant_by(answer)
            near = syntax_error.id if syntax_error is not None else None
            yield self._diagnostic(answer, meant, near, severity, refusal(profile, severity))

    def _diagnostic(
        self, answer: Answer, meant: "list[Asked]", near: str | None, severity: Severity, stated: str
    ) -> Diagnostic:
        if answer.id is not None:
            message = f"The result refers to {named(answer.id)}, but no call has that id"
        elif answer.result.tool is not None:
            message = f"The result is from {named(answer.result.tool)}, but no call of that tool is waiting for one"
        else:
            message = "The result does not belong to any call"
        message += f"; did you mean `{near}`?" if near is not None else "."
        wanted = near or (meant[0].id if len(meant) == 1 else None)
        return self.diagnostic(
            answer.span,
            f"{message} {stated}",
            lambda: _fixes(answer, wanted, safe=near is not None),
            severity=severity,
        )


def _fixes(answer: Answer, wanted: str | None, *, safe: bool) -> Iterator[Fix]:
    place = answer.result.call_id
    if wanted is None or not isinstance(place, JsonView) or not isinstance(place.value, str):
        return
    edits = answer.turn.encode((Edit(place.span, f'"{encode_json_string(wanted)}"'),))
    yield from with_edits(f"Change to `{wanted}`", edits, Applicability.SAFE if safe else Applicability.UNSAFE)
