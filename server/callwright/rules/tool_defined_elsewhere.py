"""The rule `tool-defined-elsewhere`."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_words import quoted
from callwright.tools.model import ToolSchema

#: What a schema says to people, or leaves to a provider: two schemas may differ in it and take the same calls.
_STATED: Final = frozenset(
    {"description", "title", "examples", "default", "$schema", "$id", "$comment", "deprecated", "additionalProperties"}
)
_DEPTH: Final = 60


class ToolDefinedElsewhere(ToolRule):
    """Two tool files of a project define the same tool with different parameters.

    Why is this bad: a call is accepted if either definition accepts it, so a call that your system rejects is not
    reported. Usually one of the files is out of date.

    Tools
        [
          {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}}
          }
        ]

    Example path=tools.json
        [
          {
            "name": "read_file",
                    ^^^^^^^^^^^ TC518 "`read_file` is also defined in `base.json`, with other parameters: remove one of them, or make them agree."
            "description": "Reads a file.",
            "inputSchema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string", "description": "The file."}}}
          }
        ]

    Use instead
        [
          {
            "name": "read_notes",
            "description": "Reads a file.",
            "inputSchema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string", "description": "The file."}}}
          }
        ]
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC518"
    fast_path = FastPath.PLAIN  # a name that another file defines is not plain
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a finding where a tool of another file goes by this name and takes other arguments."""
        definition = subject.definition
        others = [tool for tool in subject.registry.get(definition.tool.name) if _is_elsewhere(subject, tool)]
        if not others:
            return
        own = _shape(definition.tool.input_schema)
        for other in others:
            if other.checked and definition.tool.checked and _shape(other.input_schema) != own:
                message = (
                    f"{quoted(definition.tool.name)} is also defined in {quoted(_shown(subject, other))}, with other "
                    "parameters: remove one of them, or make them agree."
                )
                yield self.diagnostic(subject.at_name(), message)
                return


def _is_elsewhere(subject: ToolSubject, tool: ToolSchema) -> bool:
    """Return whether a tool is of another file of the project; what is shipped has no place in it."""
    file, name = tool.origin.file, subject.definition.tool.name
    if file is None or tool.origin.span is None or tool.name != name:
        return False
    own = os.path.abspath(subject.document.file)  # noqa: PTH100 - the file need not exist, and links are kept as they are
    return os.path.abspath(file) != own  # noqa: PTH100


def _shown(subject: ToolSubject, tool: ToolSchema) -> str:
    """Return the other file's path as seen from this one's folder."""
    file = str(tool.origin.file)
    folder = os.path.dirname(subject.document.file)  # noqa: PTH120 - nothing is asked of the disk
    try:
        return os.path.relpath(file, folder or os.curdir).replace(os.sep, "/")
    except ValueError:
        # Another drive.
        return file


def _shape(schema: Mapping[str, Any]) -> str:
    """Return what two schemas have in common that take the same arguments, told apart by name, type and limits."""
    return json.dumps(_plain(schema, _DEPTH, names=False), sort_keys=True)


def _plain(value: Any, depth: int, *, names: bool) -> Any:
    """Return a schema without what is said to people; `names` says that the keys are names and no keywords."""
    if depth <= 0:
        return None
    if isinstance(value, Mapping):
        return {
            key: _plain(each, depth - 1, names=not names and key in ("properties", "$defs", "definitions"))
            for key, each in value.items()
            if names or not (key in _STATED or key.startswith("x-"))
        }
    if isinstance(value, list):
        plain = [_plain(each, depth - 1, names=False) for each in value]
        return sorted(plain) if all(isinstance(each, str) for each in plain) else plain
    return value
