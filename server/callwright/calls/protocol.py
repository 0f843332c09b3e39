"""The contract between readers of calls: what they may ask, what they give, and why they may refuse to write.

Owns: `ToolNames`, `ToolLike`, `ReadContext`, `Reading`, `Rendering`, `RenderStyle`, `Refusal`, `Disagreement`, and
`collected`. Must not know: any single dialect, the registry's class, hosts.
"""

import enum
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from callwright.calls.model import ToolCall
from callwright.calls.scan_state import ScanState
from callwright.syntax.problem import Problem
from callwright.syntax.prose import Fence, FenceState
from callwright.text.budget import UNLIMITED, Budget

Part = TypeVar("Part")


class WindowEndError(Exception):
    """The end of a window was looked at: the text behind it is needed, and nothing that was read counts."""


class ToolNames(Protocol):
    """What a reader may ask about tools; the registry answers, and an empty registry answers no to everything.

    What is worked out of them is kept by the object: its answers do not change.
    """

    def __hash__(self) -> int:
        """Return what the object is kept by."""

    @property
    def closed(self) -> bool:
        """Whether a name that is no tool's is a fault (False without a registry)."""

    def has(self, name: str) -> bool:
        """Return whether a tool has exactly this name."""

    def near(self, name: str) -> str | None:
        """Return the one tool name within two edits of `name`, or None where there is none or several are as near."""

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool with their JSON Schemas, or None where the tool is not known."""

    def has_parameter(self, name: str) -> bool:
        """Return whether any tool has a parameter of this name."""

    def markup(self, name: str) -> str | None:
        """Return how element text of this tool is written, `"xml"` or `"raw"`; None where nobody says it."""

    def dialect(self, name: str) -> str | None:
        """Return the dialect that this tool's own system uses; None where none is known."""


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
    def markup(self) -> str | None:
        """How element text is written, `"xml"` or `"raw"`; None where nobody says it."""


def parameter_names(tools: ToolNames) -> Callable[[str], Sequence[str] | None]:
    """Return what gives the names of a tool's parameters, None where the tool is not known."""

    def names(tool: str) -> Sequence[str] | None:
        found = tools.parameters(tool)
        return None if found is None else tuple(found)

    return names


def offers_nothing(_: str) -> bool:
    """Return False: no tool is known beside those that may be called."""
    return False


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What surrounds a reading: the tools, the settings that bear on reading, and the budget.

    `preferred` is the dialect that calls should be written in: where a body fits several, it is taken to be that one.
    `strict` is zero tolerance: what merely resembles a call is read as one, but for tags that `answer_tags` names;
    `offered` says whether a name is that of a tool which programs offer elsewhere. `reasoning` is `"calls"` where what
    a model thinks aloud holds calls like any other text, and `"mentions"` where it holds none. `fence` is the fenced
    block that the place lies in, None outside fences. `siblings` are the names whose opening tag begins another call.
    `scan` is what is known of the text that is read.
    `documented` is the evidence that a bare tag which names no tool is a call all the same: the names that the text
    around documents; None where the shape of a call is evidence enough, as for whoever asks what calls a text holds.
    `stated` are the dialects that the settings name for the text: what others have as well, such as a fence of program
    text, is a call of one of these alone.
    """

    tools: ToolNames
    preferred: str | None = None
    strict: bool = False
    reasoning: str = "mentions"
    fence: Fence | FenceState | None = None
    siblings: frozenset[str] = frozenset()
    budget: Budget = UNLIMITED
    scan: ScanState = field(default_factory=ScanState)
    documented: Container[str] | None = None
    answer_tags: frozenset[str] = frozenset()
    offered: Callable[[str], bool] = offers_nothing
    stated: frozenset[str] = frozenset()

    def states(self, dialect: str) -> bool:
        """Return whether the settings say that the text may be written in this dialect."""
        return dialect == self.preferred or dialect in self.stated

    def look(self, to: int) -> None:
        """Note that the text was looked at up to `to`: whatever comes of it, even no call, depends on that much.

        Raises WindowEndError where that is the end of a window.
        """
        scan = self.scan
        if to > scan.scanned:
            scan.scanned = to
            if scan.window is not None and to >= scan.window:
                raise WindowEndError

    def seek(self, to: int) -> None:
        """Note that something was sought in vain up to `to`, the text's end: it stands behind no later place either.

        Raises WindowEndError where that is the end of a window.
        """
        scan = self.scan
        if to > scan.sought:
            scan.sought = to
            if scan.window is not None and to >= scan.window:
                raise WindowEndError


@dataclass(slots=True)
class Reading:
    """What a dialect read at one opener: the calls, where reading goes on, and problems that belong to no single call.

    Invariant: `end` lies behind the opener. `reach` is the offset up to which the text was looked at, what was noted by
    `ReadContext.look` left out: an edit beyond both cannot change the reading.
    """

    calls: list[ToolCall]
    end: int
    reach: int
    problems: list[Problem] = field(default_factory=list)


class Dispute(enum.StrEnum):
    """In what lxml disagrees."""

    #: lxml takes it for no XML.
    REJECTED = "rejected"
    ELEMENTS = "elements"
    ATTRIBUTES = "attributes"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call in XML that lxml reads otherwise: in what, in which element, and what lxml says where it rejects it."""

    kind: Dispute
    element: str
    reason: str = ""

    def __str__(self) -> str:
        if self.kind is Dispute.REJECTED:
            return f"lxml rejects the XML of `{self.element}`: {self.reason}"
        return f"lxml reads different {self.kind} in `{self.element}`"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call cannot be written in a dialect without losing a value: the argument's path and the reason.

    `dispute` is what lxml has against it, None where that is not the reason.
    """

    reason: str
    path: tuple[str | int, ...] = ()
    dispute: Disagreement | None = None


class Rendering(NamedTuple):
    """One call to be written: its tool, its arguments, what is known of the tool, and the call's id if it has one."""

    tool: str
    arguments: Mapping[str, Any]
    schema: ToolLike | None = None
    call_id: str | None = None


def collected(parts: Iterable[Part | Refusal]) -> list[Part] | Refusal:
    """Return what was written, part by part, or the first refusal; what follows that is not written."""
    written: list[Part] = []
    for part in parts:
        if isinstance(part, Refusal):
            return part
        written.append(part)
    return written


@dataclass(frozen=True, slots=True)
class RenderStyle:
    """How a rendered call is laid out: `indent` of one level, and `margin`, put before each further line.

    Lines end with LF; whoever puts the text into a document gives them the document's own line ends. `compact` asks for
    one line where the notation and the values allow it. `fenced` is False where the call is written inside a fence or a
    list that exists already. `call_id` is the id that the call bears, to be written where the notation has a place
    for one.
    """

    indent: str = "  "
    margin: str = ""
    compact: bool = False
    fenced: bool = True
    call_id: str | None = None
