"""The rule `tool-defined-elsewhere`."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Severity, ToolRule, ToolSubject
from callwright.rules.support.tool_words import quoted
from callwright.tools.model import ToolSchema

#: Keywords for people or for one provider: two schemas that differ only in these accept the same calls.
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
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC518"
    fast_path = FastPath.PLAIN  # a name that another file defines is not plain
    severity = Severity.WARNING

    def check(self, subject: ToolSubject) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a tool in another file has this name and takes other arguments."""
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
    """Return whether a tool is in another file of the project; shipped tools are not."""
    file, name = tool.origin.file, subject.definition.tool.name
    if file is None or tool.origin.span is None or tool.name != name:
        return False
    own = os.path.abspath(subject.document.file)  # noqa: PTH100 - the file need not exist, and links are kept as they are
    return os.path.abspath(file) != own  # noqa: PTH100


def _shown(subject: ToolSubject, tool: ToolSchema) -> str:
    """Return the other file's path as seen from this one's folder."""
    file = str(tool.origin.file)
    folder = os.path.dirname(subject.document.file)  # noqa: PTH120 - no access to the disk
    try:
        return os.path.relpath(file, folder or os.curdir).replace(os.sep, "/")
    except ValueError:
        # The file is on another drive.
        return file


def _shape(schema: Mapping[str, Any]) -> str:
    """Return a key that is equal for schemas that take the same arguments, by name, type and limits."""
    return json.dumps(_plain(schema, _DEPTH, names=False), sort_keys=True)


def _plain(value: Any, depth: int, *, names: bool) -> Any:
    """Return a schema without the keywords for people; `names` says that the keys are names, not keywords."""
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
