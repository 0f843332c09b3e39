"""The rule `tool-required-undeclared`."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import change_array, replace_value
from callwright.rules.support.tool_schemas import SchemaPart, facets_of, is_refused, parts_of
from callwright.rules.support.tool_words import quoted
from callwright.tools.names import nearest

#: A schema that more objects share is not checked, and no more names of one schema are reported.
_MAX_SHARED: Final = 50
_MAX_REPORTED: Final = 50


class ToolRequiredUndeclared(ToolRule):
    """A schema requires a parameter that it does not declare.

    Why is this bad: a model does not know about the parameter and omits it, so every call is rejected. Usually the name
    was changed in only one of the two places.

    Example
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["paths"]
                           ^^^^^^^ TC511 "`paths` is required but not declared; did you mean `path`?"
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
    of_declarations = True
    fast_path = FastPath.PLAIN  # a plain schema declares what it requires
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each required name that no schema for the same object declares."""
        parts = parts_of(subject)
        if not any("required" in part.schema for part in parts):
            return
        declared = _declared(subject, parts)
        if declared is None:
            return
        for part in parts:
            names = part.schema.get("required")
            if part.asked or not isinstance(names, list) or is_refused(subject, (*part.path, "required")):
                continue
            known = declared.get(id(part.schema), [])
            if len(known) > _MAX_SHARED or any(one.is_open for one in known):
                continue
            if not (part.is_root or any(one.names for one in known)):
                continue
            absent = (
                index
                for index, name in enumerate(names)
                if isinstance(name, str) and not any(one.has(name) for one in known)
            )
            for index in islice(absent, _MAX_REPORTED):
                yield self._diagnostic(subject, part, known, names, index)

    def _diagnostic(
        self, subject: ToolSubject, part: SchemaPart, known: "list[_Names]", names: list[Any], index: int
    ) -> Diagnostic:
        name = str(names[index])
        taken = {one for one in names if isinstance(one, str)}
        free = [one for each in known for one in each.names if one not in taken]
        meant = nearest(name, free)
        remedy = (
            f"; did you mean {quoted(meant)}?"
            if meant
            else ": declare it under `properties`, or remove it from `required`."
        )
        # Without further properties no call is valid.
        never = part.schema.get("additionalProperties") is False
        path = (*part.path, "required", index)

        def fixes() -> Iterator[Fix]:
            if meant is not None:
                safe = _fits_examples(subject, part, meant)
                applicability = Applicability.SAFE if safe else Applicability.UNSAFE
                yield from with_edits(f"Require `{meant}`", replace_value(subject.document, path, meant), applicability)
            edits = change_array(subject.document, path[:-1], drop=(index,))
            yield from with_edits(f"Remove `{name}` from `required`", edits, Applicability.UNSAFE)

        return self.diagnostic(
            subject.at(path),
            f"{quoted(name)} is required but not declared{remedy}",
            fixes,
            severity=Severity.ERROR if never else None,
        )


class _Names:
    """The names that an object may have by its schemas; `is_open` where one of them describes any name."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.patterns: list[str] = []
        self.is_open = False

    def take(self, schema: Mapping[str, Any]) -> None:
        """Add the names that one schema declares."""
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if isinstance(properties, Mapping):
            self.names.update(dict.fromkeys(properties))
        if isinstance(patterns, Mapping):
            self.patterns += patterns
        others = schema.get("additionalProperties")
        self.is_open = self.is_open or (isinstance(others, Mapping) and bool(others)) or "$dynamicRef" in schema

    def has(self, name: str) -> bool:
        """Return whether a name is declared; a pattern that is more than a plain prefix counts as a match."""
        return name in self.names or any(_may_match(pattern, name) for pattern in self.patterns)


def _may_match(pattern: str, name: str) -> bool:
    plain = re.fullmatch(r"\^([\w-]*+)", pattern)
    return plain is None or name.startswith(plain[1])


def _declared(subject: ToolSubject, parts: tuple[SchemaPart, ...]) -> dict[int, list[_Names]] | None:
    """Return the declared names for each schema of an object; None where there are too many schemas.

    A schema that several schemas refer to applies to several objects, and any of those may complete it.
    """
    found: dict[int, list[_Names]] = {}
    for part in parts:
        if part.whole is not None:
            continue
        together = facets_of(subject, part)
        if together is None:
            return None
        names = _Names()
        for facet in together:
            names.take(facet)
            found.setdefault(id(facet), []).append(names)
    return found


def _fits_examples(subject: ToolSubject, part: SchemaPart, name: str) -> bool:
    """Return whether every example has the parameter that is to be required."""
    examples = subject.definition.tool.examples
    return not (part.is_root and part.is_input) or all(name in example for example in examples)
