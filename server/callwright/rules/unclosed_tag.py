"""Rule TC101: an element is never closed.

Owns: the words and the fix for what the XML reader reports as `unclosed-tag`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import at_hole


class UnclosedTag(ProblemRule):
    """An element is opened and never closed.

    Why is this bad: a strict parser rejects the call; a lenient one reads what follows as part of the value. If the
    text ends inside a call, the model was cut off, and the last value may be incomplete.

    Example
        <read_file><path>src/main.py</read_file>
                   ^^^^^^^^^^^^^^^^^ TC101 "`<path>` is never closed. Insert `</path>` where its value ends."

    Use instead
        <read_file><path>src/main.py</path></read_file>

    Example
        <read_file><path>src/main.py</path>
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC101 "`<read_file>` is never closed: the text ends inside the call. Insert `</read_file>`."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC101"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        data = subject.problem.data
        marker = data.get("marker")
        if data.get("again"):
            opener = data["again"]
            message = (
                f"`{opener}` may contain only one call, and this is a second one. Write `{opener}` and `{marker}`"
                " around each."
            )
            title = f"Write `{opener}` and `{marker}` around each call"
            yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title))
            return
        if marker:
            reason = ": the text ends inside the call" if data.get("by_truncation") else ""
            where = data.get("place") or f"where the {'value' if data.get('value') else 'call'} ends"
            place = "" if reason else f" {where}"
            message = f"`{marker}` is missing{reason}. Insert it{place}."
            span, related = at_hole(subject, f"`{subject.problem.span.of(subject.text).strip()}` opens it here")
            yield self.diagnostic(span, message, repair_fix(subject, f"Insert `{marker}`"), related=related)
            return
        name, names = data["name"], data.get("names") or (data["name"],)
        closers = "".join(f"</{each}>" for each in names)
        if data.get("by_truncation"):
            message = f"`<{name}>` is never closed: the text ends inside the call. Insert `{closers}`."
        elif len(names) > 1:
            message = f"`<{name}>` is never closed, nor are the elements open in it. Insert `{closers}`."
        else:
            message = f"`<{name}>` is never closed. Insert `{closers}` where its value ends."
            if subject.call is not None and name == subject.call.tool:
                message = f"`<{name}>` is never closed. Insert `{closers}` where the call ends."
        span, related = at_hole(subject, f"`<{name}>` is opened here")
        yield self.diagnostic(span, message, repair_fix(subject, f"Insert `{closers}`"), related=related)
