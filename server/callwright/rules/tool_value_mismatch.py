"""The rule `tool-value-mismatch`."""

import json
from collections.abc import Iterator
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import replace_value, value_at
from callwright.rules.support.schema_words import TYPE_WORDS, other_types
from callwright.rules.support.tool_schemas import (
    SchemaPart,
    errors_of,
    is_impossible,
    is_refused,
    misfits,
    parts_of,
    type_names,
)
from callwright.rules.support.tool_values import choice_of, problem_of
from callwright.rules.support.tool_words import quoted
from callwright.text.words import listed
from callwright.tools.parameters import type_name

#: How many values of one schema are reported.
_MAX_REPORTED: Final = 50
#: What a default may lack: the program that uses it adds the rest.
_INCOMPLETE: Final = frozenset({"required", "dependentRequired", "minItems", "minProperties"})


class ToolValueMismatch(ToolRule):
    """A value in a schema has a type or a form that the schema itself does not allow.

    Why is this bad: a choice of the wrong type can never be used, because a call with it is rejected. A default that
    does not match is rejected as soon as it is filled in, and it shows a model an invalid value. If a parameter that
    cannot be `null` has `null` as its default, that usually means that there is no default; it is reported only as a
    hint.

    Example
        [
          {
            "name": "set_level",
            "description": "Sets the level.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "level": {"type": "integer", "description": "The level.", "enum": [1, 2, "3"], "default": 1}
                                                                                         ^^^ TC513 "The value `\"3\"` of `enum` is a string, but the schema allows only an integer."
              }
            }
          }
        ]

    Use instead
        [
          {
            "name": "set_level",
            "description": "Sets the level.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "level": {"type": "integer", "description": "The level.", "enum": [1, 2, 3], "default": 1}
              }
            }
          }
        ]
    """  # noqa: E501  # the message quotes a string of JSON; a diagnostic is quoted on one line

    code = "TC513"
    of_declarations = True
    fast_path = FastPath.PLAIN  # a plain default has the type that is declared

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each value of `enum` and `const`, and each default, that the schema does not allow."""
        gemini = subject.definition.source == "gemini"
        for part in parts_of(subject):
            wrong = [] if part.asked or is_refused(subject, part.path) else misfits(part.schema)
            for step in wrong[:_MAX_REPORTED]:
                # Gemini's schemas list choices as strings, whatever their type.
                if not (gemini and step[0] == "enum" and isinstance(value_at(part.schema, step), str)):
                    yield self._choice(subject, part, step)
            if "default" in part.schema and not part.asked and not wrong and not is_impossible(part.schema):
                yield from self._default(subject, part)

    def _choice(self, subject: ToolSubject, part: SchemaPart, step: tuple[str | int, ...]) -> Diagnostic:
        value, names = value_at(part.schema, step), type_names(part.schema)
        got = TYPE_WORDS[type_name(value)]
        wanted = listed([TYPE_WORDS.get(name, f"`{name}`") for name in names], "or")
        what = f"The value {_shown(value)} of `enum`" if step[0] == "enum" else f"The `const` {_shown(value)}"
        stated = "" if value is None or isinstance(value, bool) else f" is {got}, but"
        message = (
            f"{what}{stated} the schema allows only {wanted}."
            if stated
            else f"{what}: the schema allows only {wanted}."
        )
        path = (*part.path, *step)
        taken = part.schema.get("enum") if step[0] == "enum" else []
        return self.diagnostic(subject.at(path), message, lambda: _retyped(subject, path, value, names, taken or []))

    def _default(self, subject: ToolSubject, part: SchemaPart) -> Iterator[Diagnostic]:
        value = part.schema["default"]
        errors = [error for error in errors_of(subject, part, value) if error.keyword not in _INCOMPLETE]
        if not errors:
            return
        error = errors[0]
        path = (*part.path, "default", *error.path)
        message = (
            f"{'In the default' if error.path else 'The default'} {problem_of(error, value_at(value, error.path))}."
        )
        severity = Severity.WARNING
        if value is None:
            message = "The default is `null`, which the schema does not allow: remove it, or allow `null`."
            severity = Severity.HINT
        names = type_names(part.schema) if not error.path else []

        def fixes() -> Iterator[Fix]:
            if value is None:
                return
            meant = choice_of(error, value_at(value, error.path))
            if meant is not None:
                edits = replace_value(subject.document, path, meant)
                yield from with_edits(f"Change to `{json.dumps(meant, ensure_ascii=False)}`", edits)
            elif error.keyword == "type" and not error.path:
                for fix in _retyped(subject, path, value, names, []):
                    new = _value_of(fix)
                    if not errors_of(subject, part, new):
                        yield fix

        yield self.diagnostic(subject.at(path), message, fixes, severity=severity)


def _retyped(
    subject: ToolSubject, path: tuple[str | int, ...], value: Any, names: list[str], taken: list[Any]
) -> Iterator[Fix]:
    """Yield the one value of an allowed type that a value means, unless it is a choice already."""
    written = subject.at(path).of(subject.document.text)
    found = [
        (new, certain)
        for name in names
        if name not in ("array", "object")
        for new, certain in other_types(name, value, written)
    ]
    for new, certain in found:
        if any(new == other and type(new) is type(other) for other in taken):
            continue
        applicability = Applicability.SAFE if certain and len(found) == 1 else Applicability.UNSAFE
        edits = replace_value(subject.document, path, new)
        yield from with_edits(f"Change to `{json.dumps(new, ensure_ascii=False)}`", edits, applicability)


def _value_of(fix: Fix) -> Any:
    return json.loads(fix.edits[0].text)


def _shown(value: Any) -> str:
    return quoted(json.dumps(value, ensure_ascii=False))
