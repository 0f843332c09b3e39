"""What a format of tool files is: the contract between a file format and the reader of tools.

Owns: `Format`, `Parsed`. Must not know: any single format, what a definition looks like, files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from callwright.syntax.problem import Problem
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.text.span import Span
    from callwright.tools.definitions import Places

INVALID = "tools-invalid-syntax"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of a text as JSON data, and the places of its parts.

    `broken` says that the text has faults, so that parts may be missing; `problems` lists them. A text without usable
    content has the value None and at least one problem.
    """

    value: Any
    places: Places
    problems: Sequence[Problem] = ()
    broken: bool = False


class Format(Protocol):
    """One format of tool files. A module in this room has exactly one, bound to the name `FORMAT`.

    `endings` are its file extensions, in lower case with the dot. A file that no format claims is read as JSON.
    """

    @property
    def name(self) -> str:
        """The format's name, in lower case."""

    @property
    def title(self) -> str:
        """The format's name for display."""

    @property
    def endings(self) -> Sequence[str]:
        """The extensions of its files."""

    def parse(self, text: str, start: int) -> Parsed:
        """Return the content of `text` from offset `start` on; spans are offsets of the whole text. Never raises."""


def invalid(span: Span, reason: str, remedy: str) -> Problem:
    """Return the problem of a text that is not in the expected format."""
    return Problem(INVALID, span, {"pointer": "", "reason": reason, "remedy": remedy})
