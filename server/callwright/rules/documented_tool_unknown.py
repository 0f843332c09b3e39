"""The rule `documented-tool-unknown`."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Applicability, Diagnostic, DocumentRule, Fix, Severity, with_edits
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.taught import TaughtTool


class DocumentedToolUnknown(DocumentRule):
    """The prompt documents a tool that is not in the registry.

    Why is this bad: the model calls the tool as documented, and the agent answers that there is no such tool.

    A name counts as that of a tool if it looks like one and is written like the names of two tools next to it.

    Example
        # Tools

        ## read_file
        Reads a file.

        ## wite_file
           ^^^^^^^^^ TC813 "`wite_file` is documented as a tool, but there is no such tool; did you mean `write_file`?"
        Writes a file.

        ## list_files
        Lists a folder.

    Use instead
        # Tools

        ## read_file
        Reads a file.

        ## write_file
        Writes a file.

        ## list_files
        Lists a folder.
    """

    code = "TC813"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each documented tool that the registry does not have."""
        if not documents_tools(subject):
            return
        from callwright.prompt.teachings import teaching_of
        from callwright.rules.support.taught import unknown_tools

        documented = {taught.name for taught in teaching_of(subject).tools}
        for taught in unknown_tools(subject):
            near = subject.registry.near(taught.name)
            hint = f"; did you mean `{near}`?" if near is not None else "."
            yield self.diagnostic(
                taught.raw,
                f"`{taught.name}` is documented as a tool, but there is no such tool{hint}",
                partial(_fixes, taught, near, certain=near not in documented),
            )


def _fixes(taught: "TaughtTool", near: str | None, *, certain: bool) -> Iterator[Fix]:
    edits = taught.place.edits([Edit(taught.span, near)]) if near is not None else None
    yield from with_edits(f"Rename to `{near}`", edits, Applicability.SAFE if certain else Applicability.UNSAFE)
