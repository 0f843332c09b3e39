"""The rule `unknown-argument`."""

from collections.abc import Iterator

from callwright.calls.model import Path
from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.editing import remove_argument, rename_argument
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix, Severity, with_edits
from callwright.schema.binding import Binding
from callwright.tools.parameters import required_of


class UnknownArgument(CallRule):
    """The call gives an argument that the tool does not have.

    Why is this bad: a strict tool rejects the call, a lenient one ignores the argument, and the author believes it has
    an effect. It happens in prompts when a tool's parameter is renamed or removed. Where one required argument is
    missing and the value fits it, that argument is meant.

    Example
        <read_file><path>a.py</path><encodng>utf-8</encodng></read_file>
                                     ^^^^^^^ TC303 "`read_file` has no parameter `encodng`; did you mean `encoding`?"

    Use instead
        <read_file><path>a.py</path><encoding>utf-8</encoding></read_file>
    """

    code = "TC303"
    fast_path = FastPath.NEEDS_FAULT  # an argument that the tool does not have never fits
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each member that no schema names."""
        for error in subject.errors:
            for name in error.data.get("unexpected", ()):
                yield self._diagnostic(subject, (*error.path, str(name)), Severity.ERROR)
        for path in subject.unknown:
            # The schema does not forbid it: only a misspelling is certainly wrong.
            near = subject.meant_by(path)
            yield self._diagnostic(subject, path, Severity.ERROR if near is not None else self._severity(subject))

    def _severity(self, binding: Binding) -> Severity:
        """Return the severity of a name that is not a misspelling."""
        tool = binding.tool
        return Severity.INFO if tool is not None and not tool.whole else Severity.WARNING

    def _is_required(self, binding: Binding, path: Path) -> bool:
        """Return whether the member at `path` is required; without the misspelt one it would be missing."""
        owner = binding.schema_at(path[:-1]) or {}
        return path[-1] in required_of(owner, binding.schema or {})

    def _diagnostic(self, binding: Binding, path: Path, severity: Severity) -> Diagnostic:
        name, near = str(path[-1]), binding.meant_by(path)
        owner = f"`{binding.call.tool}`" if len(path) == 1 else f"`{'.'.join(map(str, path[:-1]))}`"
        word = "parameter" if len(path) == 1 else "property"
        message = f"{owner} has no {word} `{name}`"
        if near is not None:
            message += f"; did you mean `{near}`?"
        else:
            free = binding.free_names(path[:-1])
            if free:
                message += "; it also accepts " + ", ".join(f"`{each}`" for each in free[:5])
            message += "."
        span = binding.key_span_of(path) or binding.span_of(path)
        return self.diagnostic(span, message, lambda: self._fixes(binding, path, near), severity=severity)

    def _fixes(self, binding: Binding, path: Path, near: str | None) -> Iterator[Fix]:
        if near is not None:
            edits = rename_argument(binding, path, near)
            if edits:
                # Two names may be misspellings of the same parameter: either may be meant.
                safe = Applicability.SAFE if binding.is_sole(path) else Applicability.UNSAFE
                yield Fix(f"Rename to `{near}`", edits, safe)
            if not edits or self._is_required(binding, (*path[:-1], near)):
                return
        # Its value may be that of a missing argument.
        removal = Applicability.DISPLAY if binding.lacks_any(path[:-1]) else Applicability.UNSAFE
        yield from with_edits(f"Remove `{path[-1]}`", remove_argument(binding, path), removal)
