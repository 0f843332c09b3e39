"""Views: walking a JSON text by its values, with the place of each at hand but not computed.

Owns: `JsonView`. Must not know: what the values mean.

Code that checks large data mostly needs only values, which the C parser returns; places matter only for diagnostics. A
view knows its parent, so its node is found by reading the parts of the values around it, each object and array once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.text.budget import yield_point

if TYPE_CHECKING:
    from callwright.syntax.json import JsonNode, JsonRead
    from callwright.text.span import Span


class JsonView:
    """One value of a JSON text: `value` as Python sees it, `path` from the root down.

    `parent` and `step` say how the view was reached; `known` is the node after its first use. Invariant: `node.value`
    equals `value`; of members with one name the last is meant.
    """

    __slots__ = ("known", "parent", "read", "step", "value")

    def __init__(self, read: JsonRead, value: Any, parent: JsonView | None = None, step: str | int = "") -> None:
        self.read = read
        self.value = value
        self.parent = parent
        self.step = step
        self.known: JsonNode | None = None

    @classmethod
    def of(cls, read: JsonRead) -> JsonView:
        """Return the view of the whole value that was read."""
        return cls(read, read.value)

    def get(self, *keys: str) -> JsonView | None:
        """Return the member under the first of `keys` that this object has; None if it has none, or is not an
        object."""
        value = self.value
        if isinstance(value, dict):
            for key in keys:
                if key in value:
                    return JsonView(self.read, value[key], self, key)
        return None

    def at(self, *path: str) -> JsonView | None:
        """Return the member that the names in `path` lead to, each in the one before; None if one is missing."""
        found: JsonView | None = self
        for key in path:
            found = found.get(key) if found is not None else None
        return found

    def given(self, *keys: str) -> JsonView | None:
        """Return the member under the first of `keys` that this object has; None where it is null or missing."""
        found = self.get(*keys)
        return found if found is not None and found.value is not None else None

    def text(self, *keys: str) -> str | None:
        """Return the string under the first of `keys` that this object has; None if there is none, or it is not a
        string."""
        value = self.value
        if isinstance(value, dict):
            for key in keys:
                if key in value:
                    found = value[key]
                    return found if isinstance(found, str) else None
        return None

    def items(self) -> Iterator[JsonView]:
        """Yield the views of an array's items in order; nothing for any other value."""
        if isinstance(self.value, list):
            for index, item in enumerate(self.value):
                yield_point()
                yield JsonView(self.read, item, self, index)

    def objects(self, *keys: str) -> Iterator[JsonView]:
        """Yield the items that are objects, of this array or, with `keys`, of the one that `list_at` finds."""
        for item in self.list_at(*keys) if keys else self.items():
            if isinstance(item.value, dict):
                yield item

    def each(self) -> Iterator[JsonView]:
        """Yield this view if it is an object, else the items of this array that are objects."""
        return iter((self,)) if isinstance(self.value, dict) else self.objects()

    def list_at(self, *keys: str) -> Iterator[JsonView]:
        """Yield the items of the array under the first of `keys` that this object has."""
        found = self.get(*keys)
        return found.items() if found is not None else iter(())

    @property
    def path(self) -> tuple[str | int, ...]:
        """The keys and indexes from the root to this view."""
        steps: list[str | int] = []
        view: JsonView | None = self
        while view is not None and view.parent is not None:
            steps.append(view.step)
            view = view.parent
        return tuple(reversed(steps))

    @property
    def node(self) -> JsonNode:
        """The node with its place; computed on first use."""
        if self.known is None:
            self.known = self._find()
        return self.known

    def _find(self) -> JsonNode:
        # Not by recursion through `node`: a deep text would go deeper than Python does.
        above: list[JsonView] = []
        view: JsonView = self
        while view.known is None and view.parent is not None:
            above.append(view)
            view = view.parent
        node = view.known if view.known is not None else self.read.root
        view.known = node
        for each in reversed(above):
            found = node.child(each.step)
            assert found is not None, "a view was made from a value that is there"
            each.known = node = found
        return node

    @property
    def span(self) -> Span:
        """The characters of the value, quotes and brackets included."""
        return self.node.span

    def __repr__(self) -> str:
        return f"<JsonView at {'.'.join(map(str, self.path)) or 'the root'}>"
