"""What a shape of transcripts is: the contract of one way to write a conversation as JSON.

Owns: `Shape`. Must not know: any single shape, hosts, dialects.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView


class Shape(ABC):
    """One way to write a conversation as JSON. A module in this room has exactly one, bound to the name `SHAPE`.

    `keys` are members of which an object of this shape (or the first object of a list of them) has at least one: a
    shape without any of its keys in the text is never loaded. `provider` is the profile that says what is demanded of
    such a conversation. `whole` is True where one JSON value is one conversation, False where it is one entry of a log
    and the conversation goes on in the next line; a shape that has both says for each value with `is_whole`.
    `verbatim` is True where whoever writes the format keeps what was said as it was, halves of characters included.
    `alone` is True where the turns are no conversation: nothing is said of how they follow each other.

    `sources` are addresses of the published format, `about` is the page's text. Reading never raises, whatever the
    value looks like: what has not the form that the format demands is passed over.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[Sequence[str]]
    provider: ClassVar[str]
    whole: ClassVar[bool] = True
    verbatim: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    sources: ClassVar[Sequence[str]] = ()
    about: ClassVar[str] = ""

    @abstractmethod
    def matches(self, value: Any) -> int:
        """Return how surely a JSON value has this shape: 0 for not at all, else 1 to 100; the surest shape reads it.

        Looks at few members and at few entries of lists only: it is asked about every line of a log.
        """

    @abstractmethod
    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turns of a value that matches, in the order of the conversation."""

    def conversations(self, root: JsonView) -> Iterator[JsonView]:
        """Yield the parts of a value that matches which are conversations of their own; by default it is one itself.

        `turns`, `tools`, `is_whole` and `is_certain` are asked about each of them.
        """
        yield root

    def entries(self, root: JsonView) -> JsonView | None:
        """Return the list of which each entry gives turns by itself, whatever stands in the others and around them;
        None where a value that matches has none."""
        del root
        return None

    def others(self, value: dict[str, Any]) -> Iterable[str]:
        """Return the members of an object that matches which the shape does not read, so that other conversations and
        calls may stand in them; by default none, for a format may repeat there what it says elsewhere."""
        del value
        return ()

    def is_certain(self, value: Any) -> bool:
        """Return whether a value that matches could be of no other shape; a message of plain text could be of
        several."""
        del value
        return True

    def is_whole(self, value: Any) -> bool:
        """Return whether a value that matches is a conversation of its own."""
        del value
        return self.whole

    def tools(self, root: JsonView) -> JsonView | None:
        """Return the definitions of tools that the transcript itself brings along, None where it has none."""
        del root
        return None
