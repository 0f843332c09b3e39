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
    """An argument is given twice although the tool accepts it once.

    Why is this bad: some parsers keep the first value, some keep the last, and some reject the call. In each case a
    value is silently lost. A parameter that is an array may be repeated: each element is one entry. Calls of unknown
    tools are not checked.

    Example
        <read_file><path>a.py</path><path>b.py</path></read_file>
                                     ^^^^ TC307 "`path` is given twice. Parsers keep either the first or the last. Remove one."

    Use instead
        <read_file><path>b.py</path></read_file>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC307"
    fast_path = FastPath.NEEDS_FAULT  # the binding has a problem for it
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each repetition."""
        if subject.tool is None:
            # Without a schema the repetition may mean an array.
            return
        for path, first, again in subject.coerced.repeated:
            yield self.diagnostic(
                again.name_span,
                f"`{path[-1]}` is given twice. Parsers keep either the first or the last. Remove one.",
                lambda first=first, again=again: _fixes(subject, first, again),  # type: ignore[misc]
                related=((first.name_span, f"`{path[-1]}` is given here first."),),
            )


def _fixes(binding: "Binding", first: "XmlElement", again: "XmlElement") -> Iterator[Fix]:
    same = first.content.of(first.source).strip() == again.content.of(again.source).strip()
    applicability = Applicability.SAFE if same else Applicability.UNSAFE
    yield Fix("Remove the duplicate", (remove_element(binding.text, again),), applicability)
    if not same:
        yield Fix("Remove the first one", (remove_element(binding.text, first),), applicability)
