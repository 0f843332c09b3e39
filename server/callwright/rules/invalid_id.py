"""The rule `invalid-id`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Answer, Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic
from callwright.rules.support.demands import DemandRule, named
from callwright.syntax.json_views import JsonView
from callwright.transcripts.support.profiles import Wants


class InvalidId(DemandRule):
    """A call or a result has no id although its provider requires one, or its id has the wrong form.

    Why is this bad: the provider rejects the request. Ids from one provider are often rejected by another: a
    conversation that moves to another provider needs new ones.

    Settings
        provider = "mistral"

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_98660886", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
                   ^^^^^^^^^^^^^^^ TC704 "The id of a call must be nine letters or digits. `mistral` rejects this."
          ]}
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "D681PevKs", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]}
        ]
    """

    code = "TC704"
    fast_path = FastPath.PLAIN  # plain ids match the pattern of the provider

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each call and each result without an id, and for each id that does not match the
        pattern.
        """
        profile = subject.profile
        for asked in subject.ledger.asked:
            if not asked.demanded or asked.legacy:
                continue
            if not asked.id:
                message = f"The call of {named(asked.tool)} has no id, so no result can refer to it."
                yield from self.unmet(subject, Wants.IDS, asked.id_span, message)
            elif profile.id_pattern is not None and not profile.id_pattern.fullmatch(asked.id):
                message = f"The id of a call must be {profile.id_stated}."
                yield from self.unmet(subject, Wants.ID_FORM, asked.id_span, message)
        for answer in subject.ledger.answers:
            if not answer.id and not _is_legacy(answer):
                message = "The result does not say which call it answers."
                yield from self.unmet(subject, Wants.IDS, answer.span, message)


def _is_legacy(answer: Answer) -> bool:
    """Return whether this is a result in OpenAI's legacy form, or one that is written in text."""
    if answer.result.tentative or answer.result.hosted:
        return True
    if answer.asked is not None and (answer.asked.legacy or answer.asked.native is None):
        return True
    role = answer.turn.turn.role_place
    return isinstance(role, JsonView) and role.value == "function"
