"""The rule `duplicate-argument`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.editing import remove_element
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix
from callwright.syntax.xml import XmlElement

if TYPE_CHECKING:
    from callwright.schema.binding import Binding


class DuplicateArgument(CallRule):
    """An argument is given twice where the tool takes it once.

    Why is this bad: some readers take the first, some the last, some refuse the call. Whichever it is, a value is lost
    without a word. A parameter that is an array may be repeated: each element is one entry. Of a tool that is not known
    nothing is said.

    Example
        <read_file><path>a.py</path><path>b.py</path></read_file>
                                     ^^^^ TC307 "`path` is given twice. Readers keep the first or the last of them."

    Use instead
        <read_file><path>b.py</path></read_file>
    """

    code = "TC307"
    fast_path = FastPath.NEEDS_FAULT  # the binding has a problem for it
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a finding for each repetition."""
        if subject.tool is None:
            # Without a schema an array may be meant.
            return
        for path, first, again in subject.coerced.repeated:
            yield self.diagnostic(
                again.name_span,
                f"`{path[-1]}` is given twice. Readers keep the first or the last of them.",
                lambda first=first, again=again: _fixes(subject, first, again),  # type: ignore[misc]
                related=((first.name_span, f"`{path[-1]}` is given here first."),),
            )


def _fixes(binding: "Binding", first: "XmlElement", again: "XmlElement") -> Iterator[Fix]:
    same = first.content.of(first.source).strip() == again.content.of(again.source).strip()
    applicability = Applicability.SAFE if same else Applicability.UNSAFE
    yield Fix("Remove the repetition", (remove_element(binding.text, again),), applicability)
    if not same:
        yield Fix("Remove the first one", (remove_element(binding.text, first),), applicability)
