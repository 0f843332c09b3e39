"""The rule `documented-parameter-differs`."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import documents_tools
from callwright.rules.base import Diagnostic, DocumentRule, Fix, Severity, with_edits
from callwright.text.span import Edit, Span
from callwright.text.words import listed

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.taught import PassagePlace, TaughtParameter, TaughtTool
    from callwright.tools.model import ToolSchema


class DocumentedParameterDiffers(DocumentRule):
    """The prompt documents a parameter with a type that differs from the tool's, or as optional where it is required.

    Why is this bad: the model writes the argument as the prompt says, or leaves it out, and the tool rejects the call.
    If an optional parameter is documented as required, the model invents a value for it.

    Conditions on other arguments (`required if …`) are not checked.

    Example
        ## write_file

        Parameters:
        - path (string, optional): The file to write.
                        ^^^^^^^^ TC811 "`path` is documented as optional, but `write_file` requires it."
        - content (integer, required): Its text.
                   ^^^^^^^ TC811 "`content` of `write_file` is a string, not an integer."

    Use instead
        ## write_file

        Parameters:
        - path (string, required): The file to write.
        - content (string, required): Its text.
    """

    code = "TC811"
    fast_path = FastPath.PLAIN  # prompts document tools, conversations are not checked
    severity = Severity.WARNING

    def check(self, subject: "Snapshot") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each claim about a parameter that is true for no tool of the name."""
        if not documents_tools(subject):
            return
        from callwright.rules.support.taught import documented_tools

        for documented in documented_tools(subject):
            taught, tools = documented.taught, documented.tools
            for parameter in taught.parameters:
                if any(parameter.claim.name in tool.parameters for tool in tools):
                    yield from self._type(taught, parameter, tools)
                    yield from self._required(taught.name, parameter, tools)

    def _type(
        self, taught: "TaughtTool", parameter: "TaughtParameter", tools: "Sequence[ToolSchema]"
    ) -> Iterator[Diagnostic]:
        from callwright.declarations.documented_lines import PYTHON_TYPES
        from callwright.rules.support.taught import allowed_types, fits

        claim, place = parameter.claim, parameter.place
        allowed = allowed_types(tools, claim.name) if claim.types else None
        if not claim.types or allowed is None or fits(claim.types, allowed):
            return
        span = claim.type_span or claim.span
        stated, wanted = _with_article(claim.types - {"null"}), _with_article(allowed)
        replacement: str | None = None
        if claim.type_span is not None and len(allowed) == 1:
            replacement = next(iter(allowed))
            word = claim.type_span.of(place.passage.text)
            if word in PYTHON_TYPES:
                replacement = next((own for own, meant in PYTHON_TYPES.items() if meant == replacement), replacement)
            elif taught.form == "type":
                # TypeScript has no integers, and writes an array as the type of its entries.
                replacement = {"integer": "number", "array": None, "object": None}.get(replacement, replacement)
        yield self.diagnostic(
            place.raw(span),
            f"`{claim.name}` of `{taught.name}` is {wanted}, not {stated}.",
            partial(_replaced, place, claim.type_span, replacement),
        )

    def _required(self, tool: str, parameter: "TaughtParameter", tools: "Sequence[ToolSchema]") -> Iterator[Diagnostic]:
        from callwright.rules.support.taught import required_in

        claim, place = parameter.claim, parameter.place
        required = required_in(tools, claim.name) if claim.required is not None else None
        if required is None or required == claim.required:
            return
        if required:
            message = f"`{claim.name}` is documented as optional, but `{tool}` requires it."
        else:
            message = f"`{claim.name}` is documented as required, but `{tool}` does not require it."
        yield self.diagnostic(
            place.raw(claim.required_span or claim.span),
            message,
            partial(_replaced, place, claim.required_span, "required" if required else "optional"),
            severity=None if required else Severity.INFO,
        )


def _replaced(place: "PassagePlace", span: Span | None, word: str | None) -> Iterator[Fix]:
    if span is None or word is None:
        return
    old = span.of(place.passage.text)
    if old[:1].isupper():
        word = word.upper() if old.isupper() else word.capitalize()
    yield from with_edits(f"Change to `{word}`", place.edits([Edit(span, word)]))


def _with_article(types: frozenset[str]) -> str:
    return listed([f"{'an' if name[0] in 'aio' else 'a'} {name}" for name in sorted(types)], "or")
