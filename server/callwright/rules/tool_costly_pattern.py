"""The rule `tool-costly-pattern`."""

from collections.abc import Iterator, Mapping

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_schemas import parts_of
from callwright.tools.patterns import read_pattern

#: A search that grows with this power of the text's length is slow on a text that a model can well write.
_SLOW = 3


class ToolCostlyPattern(ToolRule):
    """A pattern takes many engines exponentially long on some short texts.

    Why is this bad: where a repetition can take the same text in several ways, an engine that tries one way after the
    other (those of Python, JavaScript and Java do) tries them all before it says no, and every further character doubles
    their number. Some thirty characters keep a server busy for minutes. A pattern that is slow, but not so slow, is
    mentioned as an info: its time grows with the third power of the text's length, or worse.

    Example
        [
          {
            "name": "find_user",
            "description": "Finds a user.",
            "inputSchema": {
              "type": "object",
              "properties": {"name": {"type": "string", "description": "The user.", "pattern": "^(\\\\w+\\\\s?)*$"}}
                                                                                               ^^^^^^^^^^^^^^^ TC521 "`(\\w+\\s?)*` can take the same text in several ways, so a search may take exponentially long: let each repetition begin with what the one before it cannot take."
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
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC521"
    fast_path = FastPath.PLAIN  # a plain schema has no pattern
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a finding for each pattern whose search may run away."""
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
                f"`{shown}` can take the same text in several ways, so a search may take exponentially long: let each "
                "repetition begin with what the one before it cannot take.",
            )
        elif known.inner_degree is not None and known.inner_degree >= _SLOW:
            yield self.diagnostic(
                span,
                f"The repetitions in `{shown}` can take each other's text, so the time of a search grows with power "
                f"{known.inner_degree} of the text's length: let each begin with what the one before it cannot take.",
                severity=Severity.INFO,
            )
