"""What a template language is: the contract of one way to write expressions and tags into a text.

Owns: `Template`, `Tag`, `TagKind`. Must not know: any single language, hosts, dialects, how a text is read without its
tags (`text/templated.py` and `support/versions.py` do that).
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.syntax.comments import Comment


class TagKind(enum.Enum):
    """What a piece of template code means for the text that comes out.

    `EXPRESSION`: text that is not known yet, a hole. `NOTHING`: yields nothing (a comment, an assignment). `TEXT`:
    yields a fixed text (`{{` for `{` in a format string). `OPEN`, `BRANCH`, `CLOSE`: a block of text that is there
    once, several times or not at all. `UNFINISHED`: text that looks like code and is none, because it never ends.
    """

    EXPRESSION = "expression"
    NOTHING = "nothing"
    TEXT = "text"
    OPEN = "open"
    BRANCH = "branch"
    CLOSE = "close"
    UNFINISHED = "unfinished"


class Tag(NamedTuple):
    """One piece of template code: `[start, end)` in code points, with the white space that it takes away with it.

    `text` is what a TEXT yields. `name` pairs OPEN, BRANCH and CLOSE (`if`, `for`). `choice` is true for an OPEN whose
    branches exclude each other and may all be absent; the text of any other block is there as it is written. `repeats`
    is true for one whose text may be there several times. `condition` is what makes a branch of a choice the one that
    is there, as it is written, with `not ` in front where it is denied; the last branch of a choice has none if it
    means all other cases. Of an UNFINISHED, `end` is how far its end was sought.
    """

    kind: TagKind
    start: int
    end: int
    text: str = ""
    name: str = ""
    choice: bool = False
    repeats: bool = False
    condition: str = ""


class Template(ABC):
    """One template language. A module in this room has exactly one, bound to the name `TEMPLATE`.

    `suffixes` are the endings by which files in it are known, `languages` the editor's names. `front_suffixes` are
    endings of files that are in it where they begin with front matter. `comments` are the forms of its comments, which
    no reader of the text that comes out ever sees. What is not template code (an opener that is never closed) is
    text.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    suffixes: ClassVar[Sequence[str]] = ()
    front_suffixes: ClassVar[Sequence[str]] = ()
    languages: ClassVar[Sequence[str]] = ()
    sources: ClassVar[Sequence[str]] = ()
    about: ClassVar[str] = ""
    comments: ClassVar[Sequence[Comment]] = ()

    @abstractmethod
    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the template code in `text` after `start`, in order; never raises, and takes time linear in the text.

        For a text that begins after some tag outside all blocks the same is yielded as for the whole.
        """

    def escape(self, text: str) -> str:
        """Return `text` as it is written in a template to come out as it is; it may be impossible."""
        return text
