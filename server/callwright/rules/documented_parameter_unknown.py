"""The rule `documented-parameter-unknown`."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Applicability, Diagnostic, DocumentRule, Fix, Severity, with_edits

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.taught import TaughtParameter


class DocumentedParameterUnknown(DocumentRule):
    """The prompt documents a parameter that the tool does not have.

    Why is this bad: the model follows the prompt and passes the argument. The tool rejects the call or ignores the
    argument; if the parameter was renamed, every call lacks the new one.

    Only documentation of a tool is checked: a heading, a list, a table, a signature or a definition with the tool's
    name, and the parameters listed there. Managed blocks have a rule of their own.

    Example
        ## read_file

        Parameters:
        - path: (required) The file to read.
        - encodng: (optional) Its encoding.
          ^^^^^^^ TC810 "`read_file` has no parameter `encodng`; did you mean `encoding`?"

    Use instead
        ## read_file

        Parameters:
        - path: (required) The file to read.
        - encoding: (optional) Its encoding.
    """

    code = "TC810"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each documented parameter that no tool of the name has."""
        if not documents_tools(subject):
            return
        from callwright.rules.support.taught import documented_tools

        for documented in documented_tools(subject):
            free = ", ".join(f"`{each}`" for each in documented.free[:5]) if documented.unknown else ""
            for parameter in documented.unknown:
                name = parameter.claim.name
                meant, certain = documented.intended(name)
                message = f"`{documented.name}` has no parameter `{name}`"
                if meant is not None:
                    message += f"; did you mean `{meant}`?"
                else:
                    message += f"; its undocumented parameters are {free}." if free else "."
                yield self.diagnostic(
                    parameter.place.raw(parameter.claim.span),
                    message,
                    partial(_fixes, parameter, meant, certain=certain),
                )


def _fixes(parameter: "TaughtParameter", meant: str | None, *, certain: bool) -> Iterator[Fix]:
    if meant is not None:
        applicability = Applicability.SAFE if certain else Applicability.UNSAFE
        yield from with_edits(f"Rename to `{meant}`", parameter.renamed(meant), applicability)
