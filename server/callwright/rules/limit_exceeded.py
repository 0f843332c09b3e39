"""The rule `limit-exceeded`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.conversation.excesses import excesses
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic, ErrorType


class LimitExceeded(ConversationRule):
    """A reply exceeds the limits of its session: of text, of a call's length, of depth, or of the number of calls.

    Why is this bad: the runtime rejected the whole reply and ran none of its calls. A session states its limits in
    `limits`; other transcripts have none.

    Example path=session.json
        {"callwright_session": {"version": 1, "dialect": "xml-children", "limits": {"max_calls": 1}}, "messages": [
          {"role": "assistant", "content": "<git_status></git_status> <git_status></git_status>"}
                                                                       ^^^^^^^^^^ TC715 "There are more than 1 calls in one reply (`max_calls`). Make fewer at once."
        ]}

    Use instead
        {"callwright_session": {"version": 1, "dialect": "xml-children", "limits": {"max_calls": 1}}, "messages": [
          {"role": "assistant", "content": "<git_status></git_status>"}
        ]}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC715"
    fast_path = FastPath.PLAIN  # a plain recording exceeds no limit

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each reply that the runtime rejected for its size."""
        for excess in excesses(subject).values():
            found = self.diagnostic(excess.span, excess.message)
            found.error_type = ErrorType.MALFORMED_XML if excess.tagged else ErrorType.MALFORMED_JSON
            yield found
