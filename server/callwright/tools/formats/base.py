"""What a format of tool files is: the contract between a language that files are written in and anyone who reads tools.

Owns: `Format`, `Parsed`. Must not know: any single format, what a definition looks like, files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.definitions import Places

INVALID = "tools-invalid-syntax"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of a text in JSON's terms, and where its parts are.

    `broken` says that the text has faults, so that parts may be missing; `problems` says which. A text that holds
    nothing usable has the value None and at least one problem.
    """

    value: Any
    places: Places
    problems: Sequence[Problem] = ()
    broken: bool = False


class Format(Protocol):
    """One language of tool files. A module in this room has exactly one, bound to the name `FORMAT`.

    `endings` are those of its files' names, in lower case with the dot. A name that no format claims is JSON.
    """

    @property
    def name(self) -> str:
        """The format's name, in lower case."""

    @property
    def title(self) -> str:
        """The format's name as people write it."""

    @property
    def endings(self) -> Sequence[str]:
        """The endings of its files' names."""

    def parse(self, text: str, start: int) -> Parsed:
        """Return what is in `text` from offset `start` on; spans are offsets of the whole text. Never raises."""


def invalid(span: Span, reason: str, remedy: str) -> Problem:
    """Return the problem of a text that is not in the language it should be in."""
    return Problem(INVALID, span, {"pointer": "", "reason": reason, "remedy": remedy})
