"""The rule `tool-costly-pattern`."""

from collections.abc import Iterator, Mapping

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_schemas import parts_of
from callwright.tools.patterns import read_pattern

#: A search that grows with this power of the text's length is slow on a text that a model may write.
_SLOW = 3


class ToolCostlyPattern(ToolRule):
    """A pattern takes exponential time in many engines on some short texts.

    Why is this bad: if a repetition can match the same text in several ways, a backtracking engine (such as those of
    Python, JavaScript and Java) tries all of them before it fails, and every further character doubles their number.
    Some thirty characters can block a server for minutes. A pattern whose time grows with the third or a higher power
    of the text's length is reported as an info.

    Example
        [
          {
            "name": "find_user",
            "description": "Finds a user.",
            "inputSchema": {
              "type": "object",
              "properties": {"name": {"type": "string", "description": "The user.", "pattern": "^(\\\\w+\\\\s?)*$"}}
                                                                                               ^^^^^^^^^^^^^^^ TC521 "`(\\w+\\s?)*` can match the same text in several ways, so a search may take exponential time: begin each repetition with a character that the one before it cannot match."
            }
          }
        ]

    Use instead
        [
          {
            "name": "find_user",
            "description": "Finds a user.",
            "inputSchema": {
              "type": "object",
              "properties": {"name": {"type": "string", "description": "The user.", "pattern": "^\\\\w+(\\\\s\\\\w+)*$"}}
            }
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC521"
    fast_path = FastPath.PLAIN  # a plain schema has no pattern
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each pattern whose search time may grow too fast."""
        for part in parts_of(subject):
            pattern = part.schema.get("pattern")
            if isinstance(pattern, str):
                yield from self._judged(subject, (*part.path, "pattern"), pattern)
            named = part.schema.get("patternProperties")
            if isinstance(named, Mapping):
                for name in named:
                    yield from self._judged(subject, (*part.path, "patternProperties", name), name, is_key=True)

    def _judged(
        self, subject: ToolSubject, path: tuple[str | int, ...], pattern: str, *, is_key: bool = False
    ) -> Iterator[Diagnostic]:
        known = read_pattern(pattern)
        span = subject.at_key(path) if is_key else subject.at(path)
        blamed = pattern[slice(*known.ambiguous)] or pattern
        shown = blamed if len(blamed) <= 60 else blamed[:59] + "…"
        if known.exponential:
            yield self.diagnostic(
                span,
                f"`{shown}` can match the same text in several ways, so a search may take exponential time: begin "
                "each repetition with a character that the one before it cannot match.",
            )
        elif known.inner_degree is not None and known.inner_degree >= _SLOW:
            yield self.diagnostic(
                span,
                f"The repetitions in `{shown}` can match each other's text, so search time grows with power "
                f"{known.inner_degree} of the text's length: begin each with a character that the one before it "
                "cannot match.",
                severity=Severity.INFO,
            )
