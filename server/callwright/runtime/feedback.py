"""Feedback: the message to the model when its reply is rejected.

Owns: `Feedback`, the content of the message and its order, what is left out where there is little room. Must not know:
how a reply is read, how a model is asked; the words are in `Words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from callwright.runtime.feedback_texts import ENGLISH, Words

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseError
    from callwright.runtime.report import Facts

#: The smallest limit of a message: it must have room for the error and the remedy.
LEAST: Final = 200
#: How much room the errors and the request take beside a correction.
_BESIDE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Makes the message for the model from the error of its rejected reply. Immutable; threads may share it.

    The message says which calls have errors and where, shows the place in the model's own text, states the error and
    what the tool accepts, shows the corrected call, or an example, and asks for the call again in the demanded dialect.
    A correction is shown only where safe fixes make the whole reply valid; an example is labelled as one.

    The message has `limit` characters at most. If that is too little for everything, parts are left out in this order:
    other calls and further errors, what the tools accept, the excerpt, the correction or example; at last the request
    is a single sentence. The heading and the error stay.

    The same error always gives the same message. No quotation in it can be read as a call: `callwright.parse` finds
    only the calls of the correction or the example in it, and no diagnostic.

    `words` are its sentences, `example` says whether a correction or an example is shown. With `template`, a Jinja
    template, the message is the rendered template; it is run in a sandbox with these variables:

    - `error`: `ParseError.to_dict()`
    - `heading`: the first line
    - `calls`: for each invalid call `number`, `tool`, `what` (the kind of error, with its place), `diagnostics`, and
      `schema`, the signature of its tool, or None. Where errors are outside of calls, `number` and `tool` are None.
    - `diagnostics`: those of all calls: `code`, `name`, `message`, `line`, `column`, `position` (in the call's own
      JSON, else None), `excerpt` and `carets` (a line of the model's text in back-ticks, and the line below it, both
      without a margin; else None), `diagnosis` (a list of sentences)
    - `tools`: the signatures of the tools there are, where the model named none of them or wrote no call
    - `corrected`, `example`: the text of calls, or None; at most one of them is set
    - `asks`: the sentences that describe the dialect
    - `request`: the closing request
    - `final`: True where no further attempt is made
    - `cut_off`: True where the reply was cut off
    - `limit`: how many characters the message may have

    The template is rendered with less and less in its variables until the result is within the limit, and cut at last.
    An undefined variable is an error.
    """

    limit: int = 2000
    template: str | None = None
    words: Words = ENGLISH
    example: bool = True

    def __post_init__(self) -> None:
        """Check the options.

        Raises ValueError where the limit is too small or the template is invalid, TypeError where `words` or
        `template` is of a wrong type, ImportError where Jinja is not installed.
        """
        words, template = cast("tuple[object, object]", (self.words, self.template))
        if not (isinstance(words, Words) and isinstance(template, str | None)):
            raise TypeError("`words` must be `Words`, such as `ENGLISH`, and `template` a text or None")
        if type(self.limit) is not int or self.limit < LEAST:
            raise ValueError(f"the limit is {self.limit!r} characters, but a message needs at least {LEAST}")
        if self.template is not None:
            from callwright.runtime.templated import compiled

            compiled(self.template)

    def __call__(self, error: ParseError, *, cut_off: bool = False) -> str:
        """Return the message for the model; it does not end with a newline.

        `cut_off` says that the reply ended because it was too long: the model is then asked for a shorter one, and a
        possibly unfinished call is not shown as corrected. Raises ValueError where the template fails.
        """
        from callwright.runtime.report import Facts

        # A message with a correction must still state the error.
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


#: The default feedback.
DEFAULT: Final = Feedback()
