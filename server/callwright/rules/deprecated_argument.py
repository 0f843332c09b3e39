"""The rule `deprecated-argument`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, Fix, Severity, with_edits
from callwright.schema.validation import validate

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.schema.binding import Binding
    from callwright.tools.model import ToolSchema

#: Arguments that nest deeper are not checked.
_DEPTH = 32


class DeprecatedArgument(CallRule):
    """The call gives an argument that the tool's schema marks as deprecated.

    Why is this bad: the parameter will be removed, and a model learns it from every example. Where the schema says
    which parameter it is an alias of, the fix writes that one; both mean the same.

    Tools
        [
          {
            "name": "read_file",
            "inputSchema": {
              "type": "object",
              "properties": {
                "file_path": {"type": "string"},
                "path": {"type": "string", "deprecated": true, "x-alias-of": "file_path"}
              }
            }
          }
        ]

    Example
        <read_file>{"path": "a.py"}</read_file>
                    ^^^^^^ TC531 "The parameter `path` of `read_file` is deprecated: write `file_path`."

    Use instead
        <read_file>{"file_path": "a.py"}</read_file>
    """

    code = "TC531"
    fast_path = FastPath.PLAIN  # a deprecated argument is not plain
    severity = Severity.WARNING

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each deprecated argument, at any depth."""
        if subject.tool is None or not subject.tool.has_deprecations:
            return
        for path in _paths(subject.value, (), _DEPTH):
            schema = subject.schema_at(path)
            if schema is None or not isinstance(path[-1], str) or not schema.get("deprecated"):
                continue
            if any(_takes(tool, subject.arguments) for tool in subject.candidates if tool is not subject.tool):
                # Another tool of the same name has the parameter and does not deprecate it.
                return
            yield self._diagnostic(subject, path, schema)

    def _diagnostic(self, binding: Binding, path: Path, schema: Mapping[str, Any]) -> Diagnostic:
        owner = f"`{binding.call.tool}`" if len(path) == 1 else f"`{'.'.join(map(str, path[:-1]))}`"
        word = "parameter" if len(path) == 1 else "property"
        other = schema.get("x-alias-of")
        remedy = f"write `{other}`" if isinstance(other, str) else _remedy(schema)
        message = f"The {word} `{path[-1]}` of {owner} is deprecated" + (f": {remedy}." if remedy else ".")
        span = binding.key_span_of(path) or binding.span_of(path)
        severity = self.severity if binding.registry.closed else Severity.INFO

        def fixes() -> Iterator[Fix]:
            from callwright.prompt.editing import rename_argument

            if isinstance(other, str) and other not in binding.value_at(path[:-1]):
                yield from with_edits(f"Rename to `{other}`", rename_argument(binding, path, other))

        return self.diagnostic(span, message, fixes, severity=severity, tags=("deprecated",))


def _takes(tool: ToolSchema, arguments: dict[str, Any]) -> bool:
    """Return whether a tool accepts the arguments without a deprecated part."""
    if tool.has_deprecations or not tool.checked or not arguments.keys() <= tool.parameters.keys():
        return False
    return not validate(tool.input_schema, arguments)


def _remedy(schema: Mapping[str, Any]) -> str:
    """Return the remedy that a schema states under one of the usual keys for deprecation messages."""
    for keyword in ("deprecated", "deprecationMessage", "x-deprecation-message"):
        stated = schema.get(keyword)
        if isinstance(stated, str) and stated.strip():
            return " ".join(stated.split()).rstrip(".")
    return ""


def _paths(value: Any, path: Path, depth: int) -> Iterator[Path]:
    """Yield the paths of all members in a value, outer ones first."""
    if depth <= 0:
        return
    members: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    for step, inner in members:
        yield (*path, step)
        yield from _paths(inner, (*path, step), depth - 1)
