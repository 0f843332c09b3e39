"""The rule `unknown-session`."""

from collections.abc import Iterator

from callwright.conversation.conversation import Conversation
from callwright.document.sessions import unknowns
from callwright.fastpath.fast_paths import FastPath
from callwright.hosts.catalogue import HEAD
from callwright.rules.base import ConversationRule, Diagnostic
from callwright.text.span import Span


class UnknownSession(ConversationRule):
    """A session has a format version or a dialect that this version of Callwright does not know.

    Why is this bad: the settings of a session decide how its replies are checked. If they are unknown, replies are
    checked like any other text, so the diagnostics may differ from what the runtime did. Check the file with a newer
    version. `callwright replay` and `callwright feedback` reject such a file.

    Example path=session.json
        {"callwright_session": {"version": 99, "dialect": "xml-children"}, "messages": [
                                           ^^ TC716 "This session has the form 99, and this version of Callwright knows forms up to 1: use a newer one."
          {"role": "assistant", "content": "<git_status></git_status>"}
        ]}

    Use instead
        {"callwright_session": {"version": 1, "dialect": "xml-children"}, "messages": [
          {"role": "assistant", "content": "<git_status></git_status>"}
        ]}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC716"
    fast_path = FastPath.PLAIN  # a plain recording is of a known version

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each unknown value in the session's header."""
        snapshot = subject.snapshot
        if not snapshot.is_session:
            return
        document = snapshot.document
        for span, fault in unknowns(document.slice(0, min(HEAD, len(document)))):
            moved = Span(span.start - subject.start, span.end - subject.start)
            end = "" if fault.endswith("?") else "."
            yield self.diagnostic(moved, f"{fault[:1].upper()}{fault[1:]}{end}")
