"""The rule `tools-marker`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import mentions_in
from callwright.rules.base import Diagnostic, DocumentRule, Fix

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.teaching.blocks import MarkerProblem


class ToolsMarker(DocumentRule):
    """A marker of a managed block is invalid.

    Why is this bad: a block without an end, with an unknown option, or without tools is never updated, although it
    looks as if it were. The options are `dialect`, `style`, `format`, `only`, `except`, `level`, `several`, `examples`
    and `deprecated`, the same as those of `callwright prompt`.

    Example
        These are the tools:
        <!-- callwright:tools dialect=xml-json -->
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC802 "The block that begins here is never closed: add a line with the comment `/callwright:tools` after it."

    Use instead
        These are the tools:
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC802"
    fast_path = FastPath.PLAIN  # a prompt has a block, a conversation has none

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each thing that is wrong with a marker."""
        if not mentions_in(subject).managed:
            return
        from callwright.teaching.blocks import MarkerProblem, managed_blocks, wanted_text

        blocks, problems = managed_blocks(subject)
        for problem in problems:
            yield self._diagnostic(problem)
        for block in blocks:
            for problem in block.problems:
                yield self._diagnostic(problem)
            if not block.problems:
                wanted = wanted_text(block, subject.registry, subject.settings.dialect)
                if wanted.text is None:
                    yield self._diagnostic(MarkerProblem(block.marker, wanted.reason, wanted.remedy))

    def _diagnostic(self, problem: "MarkerProblem") -> Diagnostic:
        message = f"{problem.reason[:1].upper()}{problem.reason[1:]}: {problem.remedy}."
        fixes = (Fix(f"Change to `{problem.edit.text}`", (problem.edit,)),) if problem.edit is not None else ()
        return self.diagnostic(problem.span, message, fixes)
