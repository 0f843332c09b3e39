"""The rule `unclosed-section`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.sections import Misnamed, section_faults
from callwright.rules.base import Diagnostic, DocumentRule, Fix, Severity
from callwright.text.span import Edit, insert

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


class UnclosedSection(DocumentRule):
    """A section of the prompt has no closing tag, or one with another name, while similar sections are paired.

    Why is this bad: a model, and a program that cuts the prompt into its sections, reads what follows as part of this
    section. A tag around prose is not a call: only the prompt's own style is evidence, so a prompt that never closes
    its sections is not reported.

    Example
        <review_comment>
        This reads well.
        </review_comment>
        <reviw_comment>
        Please add a test.
        </review_comment>
        ^^^^^^^^^^^^^^^^^ TC115 "`</review_comment>` closes `<reviw_comment>`. Write `<review_comment>` for `<reviw_comment>`."

    Use instead
        <review_comment>
        This reads well.
        </review_comment>
        <review_comment>
        Please add a test.
        </review_comment>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC115"
    fast_path = FastPath.PLAIN  # a prompt has sections, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each section that is not closed as others of its name are."""
        for fault in section_faults(subject):
            if isinstance(fault, Misnamed):
                right = fault.closer if fault.wrong is fault.opener else fault.opener
                slash = "/" if fault.wrong.closing else ""
                yield self.diagnostic(
                    fault.closer.span,
                    f"`</{fault.closer.name}>` closes `<{fault.opener.name}>`. "
                    f"Write `<{slash}{right.name}>` for `<{slash}{fault.wrong.name}>`.",
                    (Fix(f"Rename to `{right.name}`", (Edit(fault.wrong.name_span, right.name),)),),
                    related=((fault.opener.span, f"`<{fault.opener.name}>` is opened here."),),
                )
                continue
            name = fault.opener.name
            yield self.diagnostic(
                fault.opener.span,
                f"`<{name}>` is never closed, while {fault.paired} others are. Insert `</{name}>` where it ends.",
                (Fix(f"Insert `</{name}>`", (insert(_line_start(subject, fault.insert_at), f"</{name}>\n"),)),),
            )


def _line_start(snapshot: Snapshot, at: int) -> int:
    document = snapshot.document
    start = document.line_start(document.line_at(at))
    return start if not document.slice(start, at).strip() else at
