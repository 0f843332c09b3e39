"""Which values of a tree are unknown, and which objects and arrays may contain more than is written.

Owns: the walk that finds them. Must not know: dialects, parsers, what surrounds a tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.text.holes import HOLE

if TYPE_CHECKING:
    from callwright.syntax.json_nodes import JsonNode, JsonPath


def open_paths(root: JsonNode) -> tuple[list[JsonPath], list[JsonPath]]:
    """Return the paths of values that fit anything, and of objects and arrays that may contain more."""
    wild: list[JsonPath] = []
    elided: list[JsonPath] = []
    # Parents by index, so that a path is built only on demand.
    nodes: list[tuple[JsonNode, int, str | int]] = [(root, -1, 0)]
    index = 0
    while index < len(nodes):
        node = nodes[index][0]
        if node.elided:
            elided.append(_path_of(nodes, index))
        if (
            node.kind in ("hole", "elision", "missing")
            or (node.elided and not node.children)
            or (node.kind == "string" and HOLE in node.value)
        ):
            wild.append(_path_of(nodes, index))
        if node.kind == "object" and not node.is_clean:
            nodes.extend((member.value, index, member.key) for member in {m.key: m for m in node.members}.values())
        elif node.kind == "array" and not node.is_clean:
            nodes.extend((item, index, place) for place, item in enumerate(node.items))
        index += 1
    return wild, elided


def _path_of(nodes: list[tuple[JsonNode, int, str | int]], index: int) -> JsonPath:
    steps: list[str | int] = []
    while index > 0:
        _, parent, step = nodes[index]
        steps.append(step)
        index = parent
    return tuple(reversed(steps))
