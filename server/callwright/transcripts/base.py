"""What a shape of transcripts is: the contract of one way to write a conversation as JSON.

Owns: `Shape`. Must not know: any single shape, hosts, dialects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from callwright.transcripts.support.contents import list_under

if TYPE_CHECKING:
    from callwright.calls.turns import Turn
    from callwright.syntax.json_views import JsonView
    from callwright.transcripts.support.plain_turns import PlainTurns


class Shape(ABC):
    """One way to write a conversation as JSON. A module in this room has exactly one, bound to the name `SHAPE`.

    `keys` are members of which an object of this shape (or the first object of a list of them) has at least one: a
    shape without any of its keys in the text is never loaded. `provider` is the profile that such a conversation is
    checked against. `whole` is True where one JSON value is one conversation, False where it is one entry of a log and
    the conversation continues in the next line; a shape that has both names the members that only a conversation has.
    `scanned_at` is how many entries of a list are checked to recognise the shape.

    `listed` are the names of the list of which each entry gives turns by itself; None where entries depend on each
    other, and without a name a list alone is one. `read` are the members of a conversation that are read: other
    conversations and calls may be in the others. `tools_at` are the places where a transcript may bring its tools
    along, each as keys with dots between them.

    `verbatim` is True where writers of the format keep text exactly as it was, lone surrogates included. `alone` is
    True where the turns are not a conversation: their order is not checked.

    `plain` is the plain form of conversations, for the fast path; None where all are read in full.

    `sources` are addresses of the published format, `about` is the page's text. Reading never raises, whatever the
    value: parts that are not in the form of the format are ignored.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[Sequence[str]]
    provider: ClassVar[str]
    whole: ClassVar[bool | tuple[str, ...]] = True
    scanned_at: ClassVar[int] = 8
    listed: ClassVar[tuple[str, ...] | None] = None
    read: ClassVar[frozenset[str]] = frozenset()
    tools_at: ClassVar[tuple[str, ...]] = ()
    verbatim: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    plain: ClassVar[PlainTurns | None] = None
    sources: ClassVar[Sequence[str]] = ()
    about: ClassVar[str] = ""

    @property
    def has_plain_form(self) -> bool:
        """Whether it declares the plain form of conversations."""
        return self.plain is not None

    def matches(self, value: Any) -> int:
        """Return how certainly a JSON value has this shape: 0 for not at all, else 1 to 100; the shape with the highest
        number reads it.

        Checks few members and few entries of lists only: it is called for every line of a log.
        """
        return self.certainty(value) if isinstance(value, list) else self.form(value)

    def form(self, value: Any) -> int:
        """Return how certainly a value is one entry of a list or of a log of this shape."""
        del value
        return 0

    def certainty(self, entries: list[Any]) -> int:
        """Return how certainly a list is of this shape: the highest certainty of its first entries."""
        return max(map(self.form, entries[: self.scanned_at]), default=0)

    @abstractmethod
    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turns of a value that matches, in the order of the conversation."""

    def conversations(self, root: JsonView) -> Iterator[JsonView]:
        """Yield the parts of a value that matches which are conversations of their own; by default it is one itself.

        `turns`, `tools`, `is_whole` and `is_certain` are asked about each of them.
        """
        yield root

    def entries(self, root: JsonView) -> JsonView | None:
        """Return the list of which each entry gives turns by itself, independently of the others and of what is around
        them; None where a value that matches has none."""
        if self.listed is None:
            return None
        return root if isinstance(root.value, list) else list_under(root, *self.listed)

    def others(self, value: dict[str, Any]) -> Iterable[str]:
        """Return the members of an object that matches which the shape does not read, so that other conversations and
        calls may be in them; none where it does not list what it reads, since a format may repeat content there.
        elsewhere."""
        return [key for key in value if key not in self.read] if self.read and self.is_whole(value) else ()

    def is_certain(self, value: Any) -> bool:
        """Return whether a value that matches could be of no other shape; a message of plain text could be of
        several."""
        del value
        return True

    def is_whole(self, value: Any) -> bool:
        """Return whether a value that matches is a conversation of its own, not one entry of a log."""
        if isinstance(self.whole, bool):
            return self.whole
        return not isinstance(value, dict) or any(key in value for key in self.whole)

    def tools(self, root: JsonView) -> JsonView | None:
        """Return the definitions of tools that the transcript itself brings along, None where it has none."""
        return next((found for path in self.tools_at if (found := root.at(*path.split("."))) is not None), None)
