"""The rule `repeated-failure`."""

from collections.abc import Iterator

from callwright.conversation.attempts import attempts
from callwright.conversation.conversation import Conversation
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import ConversationRule, Diagnostic, Severity
from callwright.rules.support.demands import named
from callwright.text.span import Span


class RepeatedFailure(ConversationRule):
    """A call that failed is made again without a change, and fails again.

    Why is this bad: the model is in a loop. A transcript with such a loop teaches it to other models, and in a run it
    wastes turns. The tool's error message should say what to change.

    Two calls are the same if they have the same tool and the same arguments. Any success in between resets the
    comparison.

    Example path=chat.json
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Error: there is no file a.py"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_2", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
                                                                       ^^^^^^^^^ TC713 "The same call of `read_file` failed before and fails again. Change the arguments."
          ]},
          {"role": "tool", "tool_call_id": "call_2", "content": "Error: there is no file a.py"}
        ]

    Use instead
        [
          {"role": "user", "content": "What does a.py do?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Error: there is no file a.py"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_2", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"src/a.py\\"}"}}
          ]},
          {"role": "tool", "tool_call_id": "call_2", "content": "print(1)"}
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC713"
    fast_path = FastPath.PLAIN  # a result that reports a failure is not plain
    severity = Severity.INFO

    def check(self, subject: Conversation) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each failed call that already failed in the same run of failures."""
        failed: dict[tuple[str, str], Span] = {}
        for attempt in attempts(subject):
            if not attempt.failed:
                failed.clear()
                continue
            key = attempt.key
            if key is None:
                continue
            before = failed.get(key)
            failed[key] = attempt.span
            if before is not None:
                yield self.diagnostic(
                    attempt.span,
                    f"The same call of {named(key[0])} failed before and fails again. Change the arguments.",
                    related=((before, "the call before"),),
                )
