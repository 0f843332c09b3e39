"""Definitions as Python writes them: dictionaries with a name and a JSON Schema, in a section, a fence or on lines.

Owns: which keys show such a definition. Must not know: the shapes that definitions have (sources of tools know them),
what is JSON.

Programs that format a list of tools into a prompt leave Python's own format in it: single quotes, `True`, `None`
(Hermes, https://github.com/NousResearch/Hermes-Function-Calling).
"""

from __future__ import annotations

from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.definition_shapes import is_definition
from callwright.declarations.styles.support.objects import locate_definition
from callwright.declarations.styles.support.parameter_maps import with_schemas
from callwright.declarations.styles.support.python_text import PYTHON, read_value
from callwright.text.span import Span

_KEYS = ("parameters", "input_schema", "inputSchema", "function_declarations", "functionDeclarations")


class PythonDict:
    """A Python dictionary that defines a tool, or a list of such dictionaries."""

    name = "python-dict"
    title = "a Python dictionary"
    markers = tuple(f"{quote}{key}{quote}" for key in _KEYS for quote in "'\"")
    rank = 12

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the Python value around the key at `at`, where that value defines tools."""
        return locate_definition(view, at, PYTHON)

    def read(self, text: str) -> Body | None:
        """Return the definitions of a Python literal."""
        body = read_value(text)
        return with_schemas(body, text) if body is not None and is_definition(body.value) else None


STYLE: Style = PythonDict()
