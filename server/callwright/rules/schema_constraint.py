"""The rule `schema-constraint`."""

from collections.abc import Iterator

from callwright.calls.model import dotted
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType
from callwright.rules.support.damage import Related, place_of_missing
from callwright.rules.support.schema_words import (
    WORDED_ELSEWHERE,
    choice_of_required,
    constraint_words,
    is_type_choice,
)
from callwright.schema.binding import Binding


class SchemaConstraint(CallRule):
    """A value breaks a constraint of the tool's schema: a length, a range, a pattern, a choice of shapes.

    Why is this bad: the tool rejects the call, although every name and type in it is right.

    Example
        <read_file><path>a.py</path><limit>0</limit></read_file>
                                           ^ TC306 "`limit` must be at least 1, not 0."

    Use instead
        <read_file><path>a.py</path><limit>20</limit></read_file>
    """

    code = "TC306"
    fast_path = FastPath.NEEDS_FAULT  # a value that violates a constraint never fits
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each schema error that no other rule reports."""
        for error in subject.errors:
            if error.keyword in WORDED_ELSEWHERE or is_type_choice(error):
                continue
            choice = choice_of_required(error)
            if choice and not choice.isdisjoint(subject.misspelt(error.path)):
                continue  # `unknown-argument` reports it, and its fix supplies the name
            where = dotted(error.path)
            span = subject.span_of(error.path) if error.path else subject.call.tool_span
            related: Related = ()
            if choice and not error.path and subject.call.problems:
                span, related = place_of_missing(subject.call, subject.text, sorted(choice))
            yield self.diagnostic(span, f"`{where}` {constraint_words(error)}.", related=related)
