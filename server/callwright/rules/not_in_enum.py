"""The rule `not-in-enum`."""

from collections.abc import Iterator
from functools import partial

from callwright.calls.model import dotted
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType
from callwright.rules.support.value_fixes import choice_fixes, meant_choice, shown, shown_choices
from callwright.schema.binding import Binding


class NotInEnum(CallRule):
    """A value is not one of those that the tool's schema lists.

    Why is this bad: the tool rejects the call. Only the listed values are allowed; a similar one is as wrong as any
    other.

    Example
        <list_files><path>src</path><order>nmae</order></list_files>
                                           ^^^^ TC305 "`order` must be one of `"name"`, `"size"`, not `"nmae"`; did you mean `name`?"

    Use instead
        <list_files><path>src</path><order>name</order></list_files>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC305"
    fast_path = FastPath.NEEDS_FAULT  # another value never fits
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each value that is not among those listed."""
        for error in subject.errors:
            if error.keyword not in ("enum", "const"):
                continue
            options = list(error.data["options"])
            value = subject.value_at(error.path)
            meant = meant_choice(value, options)
            where = dotted(error.path)
            one = "must be" if len(options) == 1 else "must be one of"
            message = f"`{where}` {one} {shown_choices(options)}, not `{shown(value)}`"
            message += f"; did you mean `{meant.choice}`?" if meant.choice is not None else "."
            yield self.diagnostic(
                subject.span_of(error.path),
                message,
                partial(choice_fixes, subject, error.path, options, meant),
            )
