"""The rule `parameter-without-description`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_schemas import SchemaPart, facets_of, parts_of
from callwright.rules.support.tool_words import is_placeholder, quoted


class ParameterWithoutDescription(ToolRule):
    """A parameter of a tool has no description.

    Why is this bad: a model has to guess the value from the name: whether a path is absolute, which unit a number has,
    which format a date has.

    Example
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string"}},
                             ^^^^^^ TC509 "The parameter `path` has no description: describe the value and its format."
              "required": ["path"]
            }
          }
        ]

    Use instead
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file, relative to the project."}},
              "required": ["path"]
            }
          }
        ]
    """  # a diagnostic is quoted on one line

    code = "TC509"
    fast_path = FastPath.PLAIN  # each plain parameter has a description
    severity = Severity.INFO

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each parameter whose descriptions are all missing, empty or placeholders."""
        silent: dict[str, SchemaPart] = {}
        described: set[str] = set()
        for part in parts_of(subject):
            if not part.is_parameter or part.asked:
                continue
            name = str(part.path[-1])
            if _is_described(subject, part) or "x-alias-of" in part.schema:
                described.add(name)
            else:
                silent.setdefault(name, part)
        for name, part in silent.items():
            if name in described:
                continue
            written = part.schema.get("description")
            placeholder = isinstance(written, str)
            span = subject.at((*part.path, "description")) if placeholder else subject.at_key(part.path)
            problem = "has no useful description" if placeholder and written else "has no description"
            yield self.diagnostic(span, f"The parameter {quoted(name)} {problem}: describe the value and its format.")


def _is_described(subject: ToolSubject, part: SchemaPart) -> bool:
    together = facets_of(subject, part)
    if together is None:
        return True
    stated = (facet.get("description") for facet in together)
    return any(isinstance(one, str) and not is_placeholder(one) for one in stated)
