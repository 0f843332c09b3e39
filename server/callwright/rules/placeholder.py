"""The rule `placeholder`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.calls.model import Path, dotted
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType

if TYPE_CHECKING:
    from callwright.schema.binding import Binding


class Placeholder(CallRule):
    """A placeholder replaces arguments in a text that is not a prompt.

    Why is this bad: in a prompt, `...` means values that the reader fills in. In a model's reply nothing replaces
    it: the call would be executed without these arguments. The rule applies only if the setting `placeholders` is
    false; a strict runtime always reads replies this way.

    Settings
        placeholders = false

    Example
        <read_file>{"path": "a.py", ...}</read_file>
                   ^^^^^^^^^^^^^^^^^^^^^ TC312 "`...` means omitted arguments. Write each of them."

    Use instead
        <read_file>{"path": "a.py"}</read_file>
    """

    code = "TC312"
    fast_path = FastPath.PLAIN  # no fast path runs where a placeholder is a fault
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each value that is a placeholder or is left out."""
        if subject.settings.placeholders:
            return
        for path in subject.coerced.elided:
            what = f"parts of `{dotted(path)}`" if path else "arguments"
            them = "Write it in full." if path else "Write each of them."
            yield self.diagnostic(subject.span_of(path), f"`...` means omitted {what}. {them}")
        for path in subject.coerced.wild - subject.coerced.elided:
            if not (_is_text(subject, path) or _is_nothing(subject, path)):
                message = f"The value of `{dotted(path)}` is a placeholder. Write the actual value."
                yield self.diagnostic(subject.span_of(path), message)


def _is_text(binding: Binding, path: Path) -> bool:
    """Return whether the placeholder is a text, and so a valid value itself."""
    try:
        return isinstance(binding.value_at(path), str)
    except (LookupError, TypeError):
        return False


def _is_nothing(binding: Binding, path: Path) -> bool:
    """Return whether the value is missing altogether, which another rule reports."""
    node = binding.node_at(path)
    return node is not None and node.kind == "missing"
