"""The rule `tool-example-invalid`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity, ToolRule, ToolSubject, with_edits
from callwright.rules.support.json_edits import rename_key, replace_value, value_at
from callwright.rules.support.schema_words import expected_types, other_types
from callwright.rules.support.tool_schemas import errors_of, is_impossible, parts_of
from callwright.rules.support.tool_values import choice_of, problem_of
from callwright.schema.errors import SchemaError
from callwright.schema.validation import validate
from callwright.tools.names import nearest
from callwright.tools.profiles import ToolWants, tool_profile

Path = tuple[str | int, ...]

#: How many faults of one example are reported, and how many examples of one schema are checked.
_FAULTS = 20
_EXAMPLES = 200


class ToolExampleInvalid(ToolRule):
    """An example does not match its schema.

    Why is this bad: a model follows examples more closely than schemas, so it learns a call that is rejected. Anthropic
    rejects a tool with such an example. The rule checks a tool's examples and those of every schema in it.

    Example
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "input_schema": {
              "type": "object",
              "properties": {
                "path": {"type": "string", "description": "The file."},
                "limit": {"type": "integer", "description": "How many lines."}
              },
              "required": ["path"]
            },
            "input_examples": [{"path": "a.py", "limit": "20"}]
                                                         ^^^^ TC514 "In this example `limit` is a string, but the schema requires an integer."
          }
        ]

    Use instead
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "input_schema": {
              "type": "object",
              "properties": {
                "path": {"type": "string", "description": "The file."},
                "limit": {"type": "integer", "description": "How many lines."}
              },
              "required": ["path"]
            },
            "input_examples": [{"path": "a.py", "limit": 20}]
          }
        ]
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC514"
    fast_path = FastPath.PLAIN  # a plain definition has no examples
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each fault of an example."""
        definition = subject.definition
        path, examples = definition.examples_path, definition.examples
        demand = tool_profile(subject.settings.provider, definition.source).demand(ToolWants.EXAMPLES)
        severity = Severity(demand.severity) if demand is not None else self.severity
        schema = definition.tool.input_schema
        if path is not None and isinstance(examples, list) and definition.tool.checked:
            for index, example in enumerate(examples[:_EXAMPLES]):
                if _is_example(subject, example):
                    errors = validate(schema, example)
                    yield from self._faults(subject, (*path, index), example, errors, severity, schema)
        for part in parts_of(subject):
            shown = part.schema.get("examples")
            if not isinstance(shown, list) or part.asked or is_impossible(part.schema):
                continue
            if (*part.path, "examples") == path:
                continue
            for index, example in enumerate(shown[:_EXAMPLES]):
                errors = errors_of(subject, part, example)
                yield from self._faults(subject, (*part.path, "examples", index), example, errors, self.severity, None)

    def _faults(
        self,
        subject: ToolSubject,
        place: Path,
        example: Any,
        errors: "list[SchemaError]",
        severity: Severity,
        schema: Mapping[str, Any] | None,
    ) -> Iterator[Diagnostic]:
        for error in errors[:_FAULTS]:
            value = value_at(example, error.path)
            unexpected = [str(name) for name in error.data.get("unexpected", ())]
            path = (*place, *error.path)
            span = subject.at_key((*path, unexpected[0])) if len(unexpected) == 1 else subject.at(path)
            stated = problem_of(error, value)
            yield self.diagnostic(
                span,
                f"{'In this example' if error.path else 'This example'} {stated}.",
                lambda error=error, path=path, value=value: _fixes(subject, error, path, value, schema),  # type: ignore[misc]
                severity=severity,
            )


def _is_example(subject: ToolSubject, example: Any) -> bool:
    """Return whether the example is meant as the arguments of a call.

    Beside a schema of their own, examples may be anything: calls with their results, questions, labelled answers.
    """
    if subject.definition.source not in ("plain", "tool-set", "") or example == {}:
        return True
    if not isinstance(example, Mapping):
        return False
    names = list(subject.definition.tool.parameters)
    return any(name in names or nearest(name, names) for name in example)


def _fixes(
    subject: ToolSubject, error: SchemaError, path: Path, value: Any, schema: Mapping[str, Any] | None
) -> Iterator[Fix]:
    document = subject.document
    meant = choice_of(error, value)
    expected = expected_types(error)
    if meant is not None:
        yield from with_edits(
            f"Change to `{json.dumps(meant, ensure_ascii=False)}`", replace_value(document, path, meant)
        )
    elif expected is not None:
        written = subject.at(path).of(document.text)
        found = [each for name in expected for each in other_types(name, value, written)]
        for new, certain in found:
            applicability = Applicability.SAFE if certain and len(found) == 1 else Applicability.UNSAFE
            title = f"Change to `{json.dumps(new, ensure_ascii=False)}`"
            yield from with_edits(title, replace_value(document, path, new), applicability)
    elif error.keyword == "additionalProperties" and not error.path and schema is not None:
        name = str(error.data["unexpected"][0])
        absent = [one for one in subject.definition.tool.parameters if one not in value]
        near = nearest(name, absent)
        if near is not None and not _refuses(schema, value, name, near):
            yield from with_edits(f"Rename to `{near}`", rename_key(document, (*path, name), near))


def _refuses(schema: Mapping[str, Any], value: Mapping[str, Any], old: str, new: str) -> bool:
    """Return whether a value is still wrong at a member that gets another name."""
    renamed = {new if name == old else name: each for name, each in value.items()}
    return any(error.path[:1] == (new,) for error in validate(schema, renamed))
