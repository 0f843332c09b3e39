"""The contract between parsers of calls: what they may ask, what they return, and why a call may not be writable.

Owns: `ToolNames`, `ToolLike`, `ReadContext`, `Reading`, `Rendering`, `RenderStyle`, `Refusal`, `Disagreement`, and
`collected`. Must not know: any single dialect, the registry's class, hosts.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from callwright.calls.scan_state import ScanState
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.syntax.problem import Problem
    from callwright.syntax.prose import Fence, FenceState

Part = TypeVar("Part")


class WindowEndError(Exception):
    """The end of a window was scanned: the text after it is needed, and what was read is discarded."""


class ToolNames(Protocol):
    """What a parser may ask about tools. The registry implements it; an empty registry answers no to everything.

    Derived data is cached by the object, since its answers do not change.
    """

    def __hash__(self) -> int:
        """Return the identity of the object."""

    @property
    def closed(self) -> bool:
        """Whether an unknown tool name is an error (False without a registry)."""

    def has(self, name: str) -> bool:
        """Return whether a tool has exactly this name."""

    def near(self, name: str) -> str | None:
        """Return the one tool name within two edits of `name`, or None if there is none or several are as near."""

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool with their JSON Schemas, or None if the tool is unknown."""

    def has_parameter(self, name: str) -> bool:
        """Return whether any tool has a parameter of this name."""

    def markup(self, name: str) -> str | None:
        """Return how element text of this tool is written, `"xml"` or `"raw"`; None if it is not specified."""

    def dialect(self, name: str) -> str | None:
        """Return the dialect that this tool's own system uses; None if none is known."""


class ToolLike(Protocol):
    """What rendering and teaching need to know of one tool."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def description(self) -> str:
        """What the tool does, in its author's words; empty if there is no description."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments object."""

    @property
    def markup(self) -> str | None:
        """How element text is written, `"xml"` or `"raw"`; None if it is not specified."""


def parameter_names(tools: ToolNames) -> Callable[[str], Sequence[str] | None]:
    """Return a function for the names of a tool's parameters, None if the tool is unknown."""

    def names(tool: str) -> Sequence[str] | None:
        found = tools.parameters(tool)
        return None if found is None else tuple(found)

    return names


def offers_nothing(_: str) -> bool:
    """Return False: the only known tools are those that may be called."""
    return False


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What surrounds a reading: the tools, the settings for reading, and the budget.

    `preferred` is the dialect that calls should be written in: a body that fits several is read as that one. `strict`
    is zero tolerance: text that resembles a call is read as one, except tags in `answer_tags`; `offered` says whether a
    name is that of a tool which programs offer elsewhere. `reasoning` is `"calls"` if a model's reasoning contains
    calls like any other text, and `"mentions"` if it contains none. `fence` is the fenced block around the place, None
    outside fences. `siblings` are the names whose opening tag begins another call. `scan` is the state of the scan of
    the text. `documented` is the evidence that a bare tag with an unknown name is a call: the names that the
    surrounding text documents; None if the shape of a call is evidence enough, as for listing the calls of a text.
    `stated` are the dialects that the settings name for the text: text that several dialects share, such as a fence of
    program text, is a call of one of these only.
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
        """Note that the text was scanned up to `to`: the result, even no call, depends on it.

        Raises WindowEndError if that is the end of a window.
        """
        scan = self.scan
        if to > scan.scanned:
            scan.scanned = to
            if scan.window is not None and to >= scan.window:
                raise WindowEndError

    def seek(self, to: int) -> None:
        """Note that something was not found up to `to`, the text's end: it is not after a later place either.

        Raises WindowEndError if that is the end of a window.
        """
        scan = self.scan
        if to > scan.sought:
            scan.sought = to
            if scan.window is not None and to >= scan.window:
                raise WindowEndError


@dataclass(slots=True)
class Reading:
    """What a dialect read at one opener: the calls, where reading continues, and problems outside single calls.

    Invariant: `end` is after the opener. `reach` is the offset up to which the text was scanned, besides the scans
    noted by `ReadContext.look`: an edit beyond both cannot change the reading.
    """

    calls: list[ToolCall]
    end: int
    reach: int
    problems: list[Problem] = field(default_factory=list)


class Dispute(enum.StrEnum):
    """The kind of disagreement with lxml."""

    #: lxml rejects it as XML.
    REJECTED = "rejected"
    ELEMENTS = "elements"
    ATTRIBUTES = "attributes"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call in XML that lxml reads differently: the kind, the element, and the error of lxml if it rejects the
    call."""

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

    `dispute` is the disagreement with lxml, None if that is not the reason.
    """

    reason: str
    path: tuple[str | int, ...] = ()
    dispute: Disagreement | None = None


class Rendering(NamedTuple):
    """One call to be written: its tool, its arguments, the tool's data, and the call's id if it has one."""

    tool: str
    arguments: Mapping[str, Any]
    schema: ToolLike | None = None
    call_id: str | None = None


def collected(parts: Iterable[Part | Refusal]) -> list[Part] | Refusal:
    """Return the written parts, or the first refusal; parts after that are not written."""
    written: list[Part] = []
    for part in parts:
        if isinstance(part, Refusal):
            return part
        written.append(part)
    return written


@dataclass(frozen=True, slots=True)
class RenderStyle:
    """How a rendered call is laid out: `indent` of one level, and `margin`, put before each further line.

    Lines end with LF; callers that insert the text into a document convert them to the document's line ends. `compact`
    asks for one line if the dialect and the values allow it. `fenced` is False if the call is written inside an
    existing fence or list. `call_id` is the id of the call, which is written if the dialect has a place for one.
    """

    indent: str = "  "
    margin: str = ""
    compact: bool = False
    fenced: bool = True
    call_id: str | None = None
