"""The rule `unknown-role`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation, PlacedTurn
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, ConversationRule, Diagnostic, Fix, with_edits
from callwright.rules.support.demands import refusal, severity_of
from callwright.syntax.json_views import JsonView
from callwright.text.span import Edit
from callwright.tools.names import nearest
from callwright.transcripts.support.profiles import Wants

#: Other formats' names of the roles, each with the names that a provider may have for it.
_MEANT = {
    "model": "assistant", "ai": "assistant", "gpt": "assistant", "bot": "assistant", "chatgpt": "assistant",
    "assistant": "model", "human": "user", "tool_result": "tool", "observation": "tool", "function_response": "tool",
    "ipython": "tool", "developer": "system",
}  # fmt: skip


class UnknownRole(ConversationRule):
    """A message has a role that its provider does not know.

    Why is this bad: the provider rejects the request. Each provider has its own names: the assistant is `model` for
    Gemini and `gpt` in ShareGPT's data; Anthropic has no system role, because the system text is a field of the
    request.

    Example path=chat.json
        [
          {"role": "human", "content": "What does a.py do?"},
                   ^^^^^^^ TC707 "Unknown role `human` for `openai`; expected one of `assistant`, `developer`, `function`, `system`, `tool`, `user`."
          {"role": "asistant", "content": "It prints 1."}
                   ^^^^^^^^^^ TC707 "Unknown role `asistant` for `openai`; did you mean `assistant`?"
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": "It prints 1."}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC707"
    fast_path = FastPath.PLAIN  # plain roles are those of the shape

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each role that the provider does not define."""
        profile = subject.profile
        severity = severity_of(profile, Wants.ROLES)
        if severity is None:
            return
        for placed in subject.turns:
            place = placed.turn.role_place
            if not isinstance(place, JsonView):
                continue
            role = place.value
            if isinstance(role, str) and role in profile.roles:
                continue
            if not isinstance(role, str):
                message = f"The role of a message must be a string. {refusal(profile, severity)}"
                yield self.diagnostic(placed.span(place), message, severity=severity)
                continue
            near = nearest(role, sorted(profile.roles))
            shown = role if len(role) <= 60 else role[:57] + "…"
            message = f"Unknown role `{shown}` for `{profile.name}`"
            if near is not None:
                message += f"; did you mean `{near}`?"
            else:
                message += "; expected one of " + ", ".join(f"`{name}`" for name in sorted(profile.roles)) + "."
            meant = near or _MEANT.get(role.lower())
            yield self.diagnostic(
                placed.span(place),
                message,
                lambda placed=placed, place=place, meant=meant, near=near: _fixes(  # type: ignore[misc]
                    placed, place, meant if meant in profile.roles else None, safe=near is not None
                ),
                severity=severity,
            )


def _fixes(placed: PlacedTurn, place: JsonView, meant: str | None, *, safe: bool) -> Iterator[Fix]:
    if meant is None:
        return
    edits = placed.encode((Edit(place.span, f'"{meant}"'),))
    yield from with_edits(f"Change to `{meant}`", edits, Applicability.SAFE if safe else Applicability.UNSAFE)
