"""The strict parser: from a reply to its calls, or one error.

Owns: `StrictParser`, the checks of its options, the counting of failures. Must not know: which diagnostics reject a
reply, the words of the message to the model, how a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.document.settings import settings_for
from callwright.runtime.errors import ParseError, ParseResult
from callwright.runtime.limits import DEFAULT, Limits
from callwright.runtime.strict_reader import StrictReader
from callwright.runtime.strikes import check_strikes
from callwright.tools.given import tools_given

if TYPE_CHECKING:
    from callwright.api import Tools
    from callwright.calls.call import Call
    from callwright.runtime.rejection import Rejection
    from callwright.runtime.strict_stream import StrictStream
    from callwright.runtime.strikes import Strikes

_MARKUPS: Final = ("xml", "raw")
_REASONINGS: Final = ("mentions", "calls")


class StrictParser:
    """Reads the calls of replies in one dialect, or in one of several, and rejects every reply with an error.

    Invariant: the returned calls are those that `callwright.parse` returns for the text, and no rule with an error type
    reports them. Without `strikes` a parser has no visible state, and may be used by many threads and tasks at once.
    """

    def __init__(
        self,
        *,
        tools: Tools,
        dialect: str | Sequence[str],
        require_call: bool = False,
        markup: str | None = None,
        reasoning: str = "mentions",
        answer_tags: Sequence[str] = (),
        strikes: Strikes | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        """Set the tools and the dialect, or several dialects, the demanded one first.

        Without any tool, arguments are inferred from the text and every name is accepted. With `require_call`, a reply
        without a call is rejected as `NO_CALLS`. `answer_tags` names tags that an answer may contain: any other tag in
        the form of a call is read as one. `markup` and `reasoning` are as in `Settings`. `strikes` counts failures: see
        `callwright.runtime.Strikes`.

        `tools` are definitions, functions and tools as a manager accepts them, a registry, or a tool manager.

        Raises ValueError where there is no such dialect, `markup` or `reasoning`, or where a definition cannot be used:
        all tools must be valid. Raises TypeError where `tools` or another argument is of a wrong type.
        """
        if markup not in (None, *_MARKUPS):
            raise ValueError(f"`markup` is {markup!r}: it must be one of {_listed(_MARKUPS)}, or None")
        if reasoning not in _REASONINGS:
            raise ValueError(f"`reasoning` is {reasoning!r}: it must be one of {_listed(_REASONINGS)}")
        if not isinstance(limits, Limits):
            raise TypeError(f"`limits` is a `{type(limits).__name__}`: pass `Limits(…)`")
        check_strikes(strikes)
        tags: Any = answer_tags
        listed = isinstance(tags, Iterable) and not isinstance(tags, str | bytes)
        if not listed or not all(isinstance(tag, str) and tag for tag in tags):
            raise TypeError('`answer_tags` must be a list of tag names, such as `answer_tags=("answer",)`')
        names = _dialects(dialect)
        if not names:
            raise ValueError("no dialect is given: pass the dialect in which calls must be written")
        for name in names:
            settings_for(name)
        self.strikes = strikes
        self.reader = StrictReader(
            tools_given(tools),
            names,
            markup=markup,
            reasoning=reasoning,
            answer_tags=answer_tags,
            require_call=require_call,
            limits=limits,
        )
        self.registry = self.reader.registry
        self.dialects = self.reader.dialects
        self.settings = self.reader.settings
        self.require_call = require_call
        self.limits = limits

    @property
    def dialect(self) -> str:
        """The demanded dialect; the others are accepted, too."""
        return self.dialects[0]

    def parse(self, text: str) -> ParseResult:
        """Return the calls of a reply, or the error that it is rejected with; never raises because of its content.

        With strikes, a failure that exceeds the maximum is `MAX_MISTAKES`, and a reply with calls resets the count.
        Raises TypeError where the reply is not text.
        """
        return self.judged(*self.reader.read(text))

    def parse_or_raise(self, text: str) -> list[Call]:
        """Return the calls of a reply, which may be none. Raises ParseError where it is rejected."""
        calls, error = self.parse(text)
        if error is not None:
            raise error
        return calls

    def stream(self) -> StrictStream:
        """Return a stream that reads one reply as it arrives and ends with the result of `parse`."""
        from callwright.runtime.strict_stream import StrictStream

        return StrictStream(self)

    def judged(self, calls: list[Call], rejection: Rejection | None) -> ParseResult:
        """Return the result of a reply that was read, and count it."""
        error = None if rejection is None else ParseError(rejection)
        if self.strikes is not None:
            if error is not None:
                error = self.strikes.failed(error)
            elif calls:
                self.strikes.succeeded()
        return ParseResult(calls, error)


def _dialects(named: Any) -> tuple[str, ...]:
    """Return the names of dialects, of one or several, in the given order."""
    names = (named,) if isinstance(named, str) else tuple(named) if isinstance(named, Iterable) else (None,)
    if isinstance(named, bytes) or not all(isinstance(name, str) for name in names):
        raise TypeError("`dialect` must be the name of a dialect, or a list of names")
    return names


def _listed(words: Sequence[str]) -> str:
    return " and ".join(f"`{word}`" for word in words)
