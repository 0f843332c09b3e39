"""Feedback: the message that a model is sent when its reply was rejected.

Owns: `Feedback`, what is told and in which order, what is left out where there is little room. Must not know: how a
reply is read, how a model is asked; the words are those of `Words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callwright.runtime.feedback_texts import ENGLISH, Words

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseError
    from callwright.runtime.report import Facts

#: The least that a message may be limited to: what is wrong and what to do must have room.
LEAST: Final = 200
#: How much room what is wrong and the request take beside a correction.
_BESIDE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Makes the message for the model from the error that its reply was rejected with. Immutable; threads may share it.

    The message says which calls are at fault and where, shows the place in the model's own text, says what is wrong
    there and what the tool takes, shows the call corrected, or an example, and asks for the call again in the dialect
    that is asked for. A correction is shown only where safe fixes make the whole reply sound; an example is called one.

    The message has `limit` characters at most. Where that is too little for all, what is told grows less in this order:
    other calls and further faults, what the tools take, the excerpt, the correction or example; at last the request is
    a single sentence. The heading and what is wrong stay.

    For one error the message is always the same. Nothing that is quoted in it can be read as a call: `callwright.parse`
    finds the calls of the correction or the example in it, and no fault.

    `words` are its sentences, `example` tells whether a correction or an example is shown. With `template`, a Jinja
    template, the message is what that gives; it is run in a sandbox and told these variables:

    - `error`: `ParseError.to_dict()`
    - `heading`: the first line
    - `calls`: for each call at fault `number`, `tool`, `what` (what kind of fault, with its place), `findings`, and
      `schema`, the signature of its tool, or None. Where faults are in no call, `number` and `tool` are None.
    - `findings`: those of all calls: `code`, `name`, `message`, `line`, `column`, `position` (in the call's own JSON,
      else None), `excerpt` and `carets` (a line of the model's text in back-ticks, and the line below it, both without
      a margin; else None), `diagnosis` (a list of sentences)
    - `tools`: the signatures of the tools there are, where the model named none of them or wrote no call
    - `corrected`, `example`: the text of calls, or None; at most one of them is given
    - `asks`: the sentences that describe the dialect
    - `request`: the closing request
    - `final`: True where no further attempt is made
    - `cut_off`: True where the reply was cut off
    - `limit`: how many characters the message may have

    What such a template gives is tried with less and less in its variables until it is within the limit, and cut at
    last. A variable that is not defined is an error.
    """

    limit: int = 2000
    template: str | None = None
    words: Words = ENGLISH
    example: bool = True

    def __post_init__(self) -> None:
        """Check the options.

        Raises ValueError where the limit is too small or the template no template, ImportError where Jinja is absent.
        """
        if self.limit < LEAST:
            raise ValueError(f"the limit is {self.limit} characters, but a message needs at least {LEAST}")
        if self.template is not None:
            from callwright.runtime.templated import compiled

            compiled(self.template)

    def __call__(self, error: ParseError, *, cut_off: bool = False) -> str:
        """Return the message for the model; it does not end with a newline.

        `cut_off` says that the reply ended because it was too long: the model is then asked for a shorter one, and
        nothing that it may not have finished is shown as corrected. Raises ValueError where a template of the user's
        fails.
        """
        from callwright.runtime.report import Facts

        # Anyone who gets a correction must still be told what was wrong.
        longest = max(self.limit - _BESIDE, self.limit // 2)
        facts = Facts(error, self.words, cut_off=cut_off, example=self.example, longest=longest)
        if self.template is not None:
            return self._templated(facts)
        from callwright.runtime.layout import laid_out

        return laid_out(facts, self.words, self.limit)

    def _templated(self, facts: Facts) -> str:
        from callwright.runtime.templated import rendered

        assert self.template is not None, "the caller has looked"
        text = ""
        for view in facts.ladder():
            text = rendered(self.template, {**view.variables(), "limit": self.limit}).rstrip("\n")
            if len(text) <= self.limit:
                return text
        return text[: self.limit - 1].rstrip() + "…"


#: The feedback that is given where no other is asked for.
DEFAULT: Final = Feedback()
