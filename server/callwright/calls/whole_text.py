"""Text that is the only argument of a call, whose name is not written.

Owns: the tree of such an argument, which parameter it is, and how a fix may replace it. Must not know: where the text
is, dialect modules.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.protocol import RenderStyle
from callwright.calls.render import json_body
from callwright.syntax.json import JsonMember, JsonNode, JsonRead
from callwright.text.holes import HOLE
from callwright.text.span import Span


class TextFormat:
    """How a fix writes beside an argument that has no name in the text: it may change only the value.

    With `lined`, a text may have several lines, and is text whatever its first character is.
    """

    name = "text"

    def __init__(self, *, lined: bool = False) -> None:
        self.lined = lined

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a text that needs no escapes; the whole input as JSON if text is distinguished from JSON."""
        if isinstance(value, dict) and not path and not self.lined:
            body = json_body(value, RenderStyle(compact=True), 0)
            return body if isinstance(body, str) else None
        plain = isinstance(value, str) and value == value.strip() and value and "\n" not in value
        return value if plain and (self.lined or value[0] not in '{["`~') else None

    def key(self, key: str, path: Sequence[str | int]) -> None:
        """Return None: the name is not written."""
        del key, path

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> None:
        """Return None: there is no place for a second argument."""
        del key, value, path


TEXT: Final = TextFormat()
LINES: Final = TextFormat(lined=True)


def only_parameter(parameters: Mapping[str, Mapping[str, Any]] | None) -> str | None:
    """Return the name of a tool's only parameter, None if it has none or several, or is unknown."""
    return next(iter(parameters)) if parameters is not None and len(parameters) == 1 else None


def named_node(name: str, node: JsonNode) -> JsonNode:
    """Return the object whose only member is `node`; its name has a place and no characters."""
    span = node.span
    owner = JsonNode("object", span, {name: node.value})
    owner.members.append(JsonMember(name, Span(span.start, span.start), node))
    return owner


def tree(root: JsonNode, end: int, value_format: TextFormat = TEXT) -> JsonRead:
    """Return arguments like the JSON parser; text with a template expression in it is wild."""
    wild: list[tuple[str, ...]] = [()] if root.kind == "missing" else []
    if root.kind == "object":
        wild = [(member.key,) for member in root.members if _has_hole(member.value.value)]
    elif _has_hole(root.value):
        wild = [()]
    return JsonRead(root, end, end, [], list(wild), [], value_format)


def _has_hole(value: Any) -> bool:
    return isinstance(value, str) and HOLE in value
