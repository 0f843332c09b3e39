"""The rule `documented-parameter-missing`."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Applicability, Diagnostic, DocumentRule, Fix, Severity, with_edits
from callwright.rules.support.tool_words import quoted_names
from callwright.text.patterns import compile_later
from callwright.text.span import insert

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.taught import TaughtTool
    from callwright.tools.parameters import Parameter

_NUMBER = compile_later(r"\d{1,3}")


class DocumentedParameterMissing(DocumentRule):
    """The prompt lists a tool's parameters but omits one that the tool requires.

    Why is this bad: a model that learns the tool from the prompt cannot know the parameter, so every call it writes is
    rejected.

    Example
        ## write_file
           ^^^^^^^^^^ TC812 "`write_file` requires `content`, which is not among the parameters listed here."

        Parameters:
        - path: (required) The file to write.

    Use instead
        ## write_file

        Parameters:
        - path: (required) The file to write.
        - content: (required) The file's whole text.
    """

    code = "TC812"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each tool whose list lacks required parameters."""
        if not documents_tools(subject):
            return
        from callwright.rules.support.taught import documented_tools

        for documented in documented_tools(subject):
            taught, missing = documented.taught, documented.missing
            if missing:
                verb = "is" if len(missing) == 1 else "are"
                names = quoted_names(parameter.name for parameter in missing)
                yield self.diagnostic(
                    taught.raw,
                    f"`{taught.name}` requires {names}, which {verb} not among the parameters listed here.",
                    partial(_fixes, taught, missing),
                )


def _fixes(taught: "TaughtTool", missing: "Sequence[Parameter]") -> Iterator[Fix]:
    """Yield the fix that adds lines in the form of the last parameter's line, where the parameters are a list."""
    sample = next((each for each in reversed(taught.parameters) if each.line is not None), None)
    if sample is None or sample.line is None or taught.last is None or sample.line.kind not in ("entry", "text"):
        return
    place, end = taught.last
    text, claim = sample.place.passage.text, sample.claim
    lead = text[sample.line.start : claim.span.start]
    closing = text[claim.span.end : claim.after]
    in_brackets = text[claim.after : claim.after + 2] == " ("
    lines: list[str] = []
    for number, parameter in enumerate(missing, 1):
        own = _NUMBER.sub(lambda found, by=number: str(int(found[0]) + by), lead, count=1)  # type: ignore[misc]
        lines.append(own + parameter.name + closing.rstrip("?") + _stated(parameter, in_brackets=in_brackets))
    edits = place.edits([insert(end, "".join(f"\n{line}" for line in lines))])
    names = quoted_names(parameter.name for parameter in missing)
    yield from with_edits(f"Document {names}", edits, Applicability.UNSAFE)


def _stated(parameter: "Parameter", *, in_brackets: bool) -> str:
    kind = parameter.schema.get("type")
    typed = f"{kind}, required" if in_brackets and isinstance(kind, str) else "required"
    description = " ".join(parameter.description.split())
    if in_brackets:
        return f" ({typed}): {description}" if description else f" ({typed})"
    return f": ({typed}) {description}".rstrip()
