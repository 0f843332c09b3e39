"""The tree of a YAML text: mappings, sequences, scalars and aliases with their places.

Owns: the nodes. Must not know: how they are read, what the values mean, calls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from callwright.text.records import NamedTuple
from callwright.text.yaml_scalars import (
    BlockHeader,
    BlockLines,
    BlockScalar,
    DoubleQuoted,
    Plain,
    SingleQuoted,
    YamlScalar,
    block_text,
)

if TYPE_CHECKING:
    from callwright.text.span import Span


@dataclass(slots=True, eq=False)
class YamlMapping:
    """A mapping, with all duplicate keys. A key that is not a scalar is None.

    `end` is where its brackets end, -1 if it has none; `last` where the part that was read ends. `elided` says that
    `...` replaces some of its entries.
    """

    start: int
    column: int
    entries: list[YamlEntry] = field(default_factory=list)
    end: int = -1
    anchor: str = ""
    tag: str = ""
    last: int = -1
    elided: bool = False

    def get(self, key: str) -> YamlNode | None:
        """Return the value of the last entry of that key, None if there is none."""
        return next((entry.value for entry in reversed(self.entries) if entry.key == key), None)


@dataclass(slots=True, eq=False)
class YamlEntry:
    """A key and its value, None if it is missing. `span` is the key's, `column` where it is.

    `after` is where its colon ends, -1 if it has none. While its mapping is read, a key after a question mark is the
    value of an entry with this `marker`, and the value after the colon that of the next.
    """

    key: str | None
    span: Span
    column: int
    value: YamlNode | None = None
    marker: str = ""
    after: int = -1


@dataclass(slots=True, eq=False)
class YamlSequence:
    """A sequence; an item is None if there is nothing after its dash. `dashes` are the places of these.

    `end`, `last` and `elided` are as those of a mapping. In brackets an item may be a key with a value: `keys` has, by
    the item's index, the entry of which the item is the value.
    """

    start: int
    items: list[YamlNode | None] = field(default_factory=list)
    end: int = -1
    anchor: str = ""
    tag: str = ""
    keys: dict[int, YamlEntry] = field(default_factory=dict)
    dashes: list[int] = field(default_factory=list)
    last: int = -1
    elided: bool = False


@dataclass(slots=True, eq=False)
class YamlAlias:
    """A reference to a value with an anchor; the name is empty if it is missing."""

    name: str
    span: Span


class YamlBlock(NamedTuple):
    """The other data of a literal or folded scalar: its header and where that begins, and where its lines are.

    `end` is where its last character that is not a line end is.
    """

    header: BlockHeader
    begin: int
    lines: BlockLines
    end: int


@dataclass(slots=True, eq=False)
class YamlText:
    """A scalar: `span` is its text in the document, quotes included, the header of a block left out.

    `style` is its quote, `|` or `>` of a block, and empty for text without quotes. `indent` is the column of the
    collection that it is in, `flow` says that this is one in brackets, and `is_open` that the closing quote is missing.
    """

    source: str
    span: Span
    style: str
    indent: int
    flow: bool
    block: YamlBlock | None = None
    anchor: str = ""
    tag: str = ""
    is_open: bool = False
    _projection: YamlScalar | None = None

    @property
    def projection(self) -> YamlScalar:
        """The value of the scalar, with the projection onto the document."""
        if self._projection is None:
            self._projection = self._projected()
        return self._projection

    def _projected(self) -> YamlScalar:
        low = self.span.start
        if self.block is not None:
            lines = self.block.lines
            return BlockScalar(self.source, lines, self.indent, self.block.header, lines.begin - low)
        if self.style == '"':
            return DoubleQuoted(self._inner, low + 1)
        if self.style == "'":
            return SingleQuoted(self._inner, low + 1, self.indent + 2)
        return Plain(self._inner, low, self.indent + 2, flow=self.flow)

    @property
    def _inner(self) -> str:
        """What is written, without the quotes."""
        low, high = self.span
        return self.source[low + 1 : high if self.is_open else high - 1] if self.style else self.source[low:high]

    @property
    def text(self) -> str:
        """The value of the scalar."""
        if self.block is not None:
            return block_text(self.source, self.block.lines, self.block.header)
        raw = self._inner
        if ("\n" in raw or "\r" in raw) or (self.style and ("'" if self.style == "'" else "\\") in raw):
            return self.projection.text
        # Most scalars are on one line and equal their source.
        return raw


YamlNode = YamlMapping | YamlSequence | YamlText | YamlAlias
