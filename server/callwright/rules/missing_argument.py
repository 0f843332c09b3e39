"""The rule `missing-argument`."""

from collections.abc import Iterator, Mapping
from typing import Any

from callwright.calls.model import MarkupValue, Path
from callwright.calls.teach import example_value
from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.editing import insert_arguments
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix, with_edits
from callwright.rules.support.damage import Related, place_of_missing
from callwright.rules.support.tool_words import quoted_names
from callwright.schema.binding import Binding
from callwright.text.span import Span, insert


class MissingArgument(CallRule):
    """The call lacks a required argument.

    Why is this bad: the tool rejects the call or fails while running. In a prompt, the example teaches a model to omit
    the argument.

    Example
        <write_file><path>a.py</path></write_file>
         ^^^^^^^^^^ TC302 "`write_file` requires `content`, which is missing."

    Use instead
        <write_file><path>a.py</path><content>print(1)</content></write_file>
    """

    code = "TC302"
    fast_path = FastPath.NEEDS_FAULT  # a call without a required argument never fits its tool
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield one diagnostic for each object that lacks required members."""
        missing: dict[Path, list[str]] = {}
        for error in subject.errors:
            if error.keyword == "required":
                missing.setdefault(error.path, []).append(str(error.data["missing"]))
        for path, required in missing.items():
            misspelt = subject.misspelt(path)
            names = [name for name in required if name not in misspelt]
            if not names:
                continue  # `unknown-argument` reports it, and its fix supplies the name
            if subject.call.arguments is None and not path and subject.call.details.get("family"):
                continue  # `missing-arguments` reports it
            owner = f"`{subject.call.tool}`" if not path else f"`{'.'.join(map(str, path))}`"
            listed = quoted_names(names)
            verb = "which is missing" if len(names) == 1 else "which are missing"
            span = _place(subject, path)
            related: Related = ()
            if not path and subject.call.problems:
                span, related = place_of_missing(subject.call, subject.text, names)
            yield self.diagnostic(
                span,
                f"{owner} requires {listed}, {verb}.",
                lambda path=path, names=names: _insert(subject, path, names),  # type: ignore[misc]
                related=related,
            )


def _place(binding: Binding, path: Path) -> Span:
    if not path:
        return binding.call.tool_span
    return binding.key_span_of(path) or binding.span_of(path)


def _insert(binding: Binding, path: Path, names: list[str]) -> Iterator[Fix]:
    arguments = binding.call.arguments
    if not path and len(names) == 1 and isinstance(arguments, MarkupValue) and not arguments.element.elements:
        content = arguments.element.content
        text = content.of(binding.text)
        if text.strip() and arguments.style is None:
            at = content.start + len(text) - len(text.lstrip())
            around = (insert(at, f"<{names[0]}>"), insert(content.start + len(text.rstrip()), f"</{names[0]}>"))
            yield Fix(f"Put the text into `<{names[0]}>`", around, Applicability.UNSAFE)
    values = {}
    settled = True
    for name in names:
        schema = binding.schema_at((*path, name))
        settled = settled and _is_settled(schema)
        values[name] = example_value(schema)
    edits = insert_arguments(binding, path, values)
    applicability = Applicability.SAFE if settled else Applicability.UNSAFE
    if binding.has_unplaced(path):
        # The value may be there under an unknown name, which would be removed as soon as nothing is missing.
        applicability = Applicability.DISPLAY
    yield from with_edits(f"Add the missing {quoted_names(names)}", edits, applicability)


def _is_settled(schema: Mapping[str, Any] | None) -> bool:
    """Return whether the schema allows exactly one value."""
    if schema is None:
        return False
    options = schema.get("enum")
    return "const" in schema or (isinstance(options, list) and len(options) == 1)
