"""The rule `tool-required-undeclared`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.rules.base import Applicability, Diagnostic, Fix, Rule, Scope, Severity, ToolSubject
from callwright.rules.support.json_edits import change_array, replace_value
from callwright.rules.support.tool_schemas import SchemaPart, is_refused, parts_of
from callwright.rules.support.tool_words import quoted, with_edits
from callwright.tools.names import nearest
from callwright.tools.parameters import facets

#: How many schemas are looked at for one tool, references followed; of what lies beyond nothing is said.
_MOST: Final = 20_000


class ToolRequiredUndeclared(Rule):
    """A schema requires a parameter that it does not declare.

    Why is this bad: a model does not know of the parameter, leaves it out, and every call is refused. Mostly the name
    was changed in one of the two places only.

    Example
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["paths"]
                           ^^^^^^^ TC511 "`paths` is required and not declared; did you mean `path`?"
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
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["path"]
            }
          }
        ]
    """

    code = "TC511"
    name = "tool-required-undeclared"
    scope = Scope.TOOLS
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a finding for each required name that nothing declares which speaks of the same object."""
        parts = parts_of(subject)
        if not any("required" in part.schema for part in parts):
            return
        declared = _declared(parts)
        if declared is None:
            return
        for part in parts:
            names = part.schema.get("required")
            if part.asked or not isinstance(names, list) or is_refused(subject, (*part.path, "required")):
                continue
            known = declared.get(id(part.schema), _Names())
            if known.is_open or not (known.names or part.is_root):
                continue
            for index, name in enumerate(names):
                if isinstance(name, str) and not known.has(name):
                    yield self._finding(subject, part, known, names, index)

    def _finding(
        self, subject: ToolSubject, part: SchemaPart, known: "_Names", names: list[Any], index: int
    ) -> Diagnostic:
        name = str(names[index])
        meant = nearest(name, [one for one in known.names if one not in names])
        remedy = (
            f"; did you mean {quoted(meant)}?" if meant else ": declare it under `properties`, or do not require it."
        )
        # Without further properties no call is ever right.
        never = part.schema.get("additionalProperties") is False
        path = (*part.path, "required", index)

        def fixes() -> Iterator[Fix]:
            if meant is not None:
                safe = _fits_examples(subject, part, meant)
                applicability = Applicability.SAFE if safe else Applicability.UNSAFE
                edits = replace_value(subject.document, path, meant)
                yield from with_edits(f"Require `{meant}`", edits, applicability)
            edits = change_array(subject.document, path[:-1], drop=(index,))
            yield from with_edits(f"Do not require `{name}`", edits, Applicability.UNSAFE)

        return self.diagnostic(
            subject.at(path),
            f"{quoted(name)} is required and not declared{remedy}",
            fixes,
            severity=Severity.ERROR if never else None,
        )


class _Names:
    """The names that an object may have as its schemas say; `is_open` where any name is described by one of them."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.patterns: list[str] = []
        self.is_open = False

    def take(self, schema: Mapping[str, Any]) -> None:
        """Add what one schema declares."""
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if isinstance(properties, Mapping):
            self.names.update(dict.fromkeys(properties))
        if isinstance(patterns, Mapping):
            self.patterns += patterns
        others = schema.get("additionalProperties")
        self.is_open = self.is_open or (isinstance(others, Mapping) and bool(others)) or "$dynamicRef" in schema

    def has(self, name: str) -> bool:
        """Tell whether a name is declared; a pattern that is no plain beginning is taken to fit."""
        return name in self.names or any(_may_match(pattern, name) for pattern in self.patterns)


def _may_match(pattern: str, name: str) -> bool:
    plain = re.fullmatch(r"\^([\w-]*+)", pattern)
    return plain is None or name.startswith(plain[1])


def _declared(parts: tuple[SchemaPart, ...]) -> dict[int, _Names] | None:
    """Return for each schema what is declared by all that speak of the same object; None where they are too many."""
    found: dict[int, _Names] = {}
    seen = 0
    for part in parts:
        if part.whole is not None:
            continue
        together = facets(part.schema, part.root)
        seen += len(together)
        if seen > _MOST:
            return None
        names = _Names()
        for facet in together:
            names.take(facet)
        for facet in together:
            known = found.setdefault(id(facet), names)
            if known is not names:
                # A schema that several refer to may be completed by any of them.
                known.names.update(names.names)
                known.patterns += [one for one in names.patterns if one not in known.patterns]
                known.is_open = known.is_open or names.is_open
    return found


def _fits_examples(subject: ToolSubject, part: SchemaPart, name: str) -> bool:
    """Tell whether no example lacks the parameter that is to be required."""
    examples = subject.definition.tool.examples
    return not (part.is_root and part.is_input) or all(name in example for example in examples)
