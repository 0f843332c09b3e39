"""What a dialect is: the contract between one notation's file and the reader that drives them all.

Owns: `Dialect`, `Reading`, `ReadContext`, `Refusal`. Must not know: any single dialect, the registry's class, hosts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from callwright.calls.model import ToolCall
from callwright.syntax.problem import Problem
from callwright.text.budget import UNLIMITED, Budget


class ToolNames(Protocol):
    """What a reader may ask about tools; the registry answers, and an empty registry answers no to everything."""

    @property
    def closed(self) -> bool:
        """Whether a name that is no tool's is a fault (False without a registry)."""

    def has(self, name: str) -> bool:
        """Tell whether a tool has exactly this name."""

    def near(self, name: str) -> str | None:
        """Return the one tool name within two edits of `name`, or None where there is none or several are as near."""

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool with their JSON Schemas, or None where the tool is not known."""

    def markup(self, name: str) -> str:
        """Return how element text of this tool is written: `"xml"` or `"raw"`."""


class ToolLike(Protocol):
    """What rendering and teaching need to know of one tool."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def description(self) -> str:
        """What the tool does, in its author's words; empty where nothing is said."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments object."""

    @property
    def markup(self) -> str:
        """How element text is written: `"xml"` or `"raw"`."""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What surrounds a reading: the tools, the accepted dialects (None: all), and the budget.

    `strict` is zero tolerance: what merely resembles a call is read as one. `language` is the info word of the fence
    that the place lies in, None outside fences.
    """

    tools: ToolNames
    accepted: frozenset[str] | None = None
    preferred: str | None = None
    strict: bool = False
    language: str | None = None
    budget: Budget = UNLIMITED


@dataclass(slots=True)
class Reading:
    """What a dialect read at one opener: the calls, where reading goes on, and problems that belong to no single call.

    Invariant: `end` lies behind the opener. `reach` is the offset up to which the text was looked at: an edit beyond it
    cannot change the reading. It is the text's length where a closer was sought and not found.
    """

    calls: list[ToolCall]
    end: int
    reach: int
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call cannot be written in a dialect without losing a value: the argument's path and the reason."""

    reason: str
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderStyle:
    """How a rendered call is laid out: `indent` of one level, `newline`, and `margin`, put before each further line.

    `compact` asks for one line where the notation and the values allow it. `fenced` is False where the call is written
    inside a fence or a list that exists already.
    """

    indent: str = "  "
    newline: str = "\n"
    margin: str = ""
    compact: bool = False
    fenced: bool = True


class Dialect(Protocol):
    """One notation of a call. A module in this room has exactly one, bound to the name `DIALECT`.

    `openers` are the literal strings with which a call in this notation can begin; the reader looks for nothing else.
    Reading never raises (but for an exhausted budget): any text gives a reading, or None where no call of this notation
    begins at `start`. `typed` says whether values carry their type in the notation itself.
    """

    name: str
    title: str
    summary: str
    used_by: Sequence[str]
    openers: Sequence[str]
    typed: bool
    cdata: bool

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`, where one of the openers stands."""

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text in this notation, or why a value cannot be written in it."""

    def teach(self, tools: Sequence[ToolLike]) -> str:
        """Return the paragraph of a prompt that tells a model to write calls in this notation, with an example."""
