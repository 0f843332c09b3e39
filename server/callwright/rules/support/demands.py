"""What rules about conversations share: the severity of a provider's demand, and its wording in messages.

Owns: `DemandRule`, `severity_of`, `refusal`, `named`. Must not know: any single rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from callwright.rules.base import ConversationRule, Diagnostic, Fix, Severity

if TYPE_CHECKING:
    from callwright.conversation.conversation import Conversation
    from callwright.text.span import Span
    from callwright.transcripts.support.profiles import Profile, Wants

_STATED = {
    Severity.ERROR: "`{}` rejects this.",
    Severity.WARNING: "`{}` may reject this.",
    Severity.INFO: "`{}` expects another form.",
}


class DemandRule(ConversationRule):
    """A rule about what a provider demands of a conversation; one that the provider does not make counts as met."""

    def unmet(
        self,
        subject: Conversation,
        wanted: Wants,
        span: Span,
        message: str,
        fixes: Callable[[], Iterable[Fix]] | Iterable[Fix] = (),
    ) -> Iterator[Diagnostic]:
        """Yield a diagnostic for an unmet demand, with the provider's severity; nothing where the provider does not
        make it.
        """
        severity = severity_of(subject.profile, wanted)
        if severity is not None:
            yield self.diagnostic(span, f"{message} {refusal(subject.profile, severity)}", fixes, severity=severity)


def severity_of(profile: Profile, wanted: Wants) -> Severity | None:
    """Return the severity of an unmet demand, None where the provider does not make it."""
    severity = profile.severity(wanted)
    return Severity(severity) if severity is not None else None


def refusal(profile: Profile, severity: Severity) -> str:
    """Return the sentence that says what a provider does where its demand is not met."""
    return _STATED.get(severity, _STATED[Severity.WARNING]).format(profile.name)


def named(tool: str | None) -> str:
    """Return the tool of a call as messages show it."""
    if tool is None:
        return "a tool without a name"
    shown = tool if len(tool) <= 60 else tool[:57] + "…"
    return f"`{shown}`"
