"""What a host is: the contract of one kind of document.

Owns: `Passage`, `TranscriptPart`, `Embedded`, `Record`, `HostContext`, `FlowHost`, `RecordHost`. Must not know:
dialects, tools, any single host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from callwright.hosts.support.front_matter import front_length
from callwright.syntax.comments import HTML, Comment
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.turns import Turn
    from callwright.syntax.json_views import JsonView
    from callwright.syntax.problem import Problem
    from callwright.templates.support.versions import Version
    from callwright.text.projection import Projection
    from callwright.text.span import Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment of decoded text that may hold calls, and the way back to the raw document.

    `projection` maps offsets of `text` to offsets of the record (or block) that the passage was found in. `role` is who
    speaks (`"assistant"`, `"user"`, …), None where the document does not say, `turn` the message that this is part of.
    In `text` a template expression is a run of `HOLE` characters. `markdown` says whether fences, code spans and
    comments mean what Markdown says.

    `calls` is None where the dialects read the text. Where a provider's own fields hold a call, the host has read it:
    `calls` are then the calls of this passage, in offsets of `text`, and no dialect is asked. `problems` are faults
    that the host itself found in `text`.
    """

    text: str
    projection: Projection
    role: str | None = None
    markdown: bool = True
    turn: Turn | None = None
    calls: tuple[ToolCall, ...] | None = None
    version: Version | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TranscriptPart:
    """The turns that one text holds: `projection` maps their places to the record, `shape` names how it is written.

    `provider` is the profile that says what is demanded of it. `whole` is False where the conversation continues in the
    next record. `definitions` are the tools that the transcript carries, in whatever form. `certain` is False where the
    text could as well be of other shapes: in a log it is of whatever shape the conversation around it has. `tools` is
    where the definitions are, None where that is not in the transcript's own text. `joined` is true if its turns
    continue with those of the part before it. `alone` is true if they are not a conversation: no provider demands
    anything of them, whichever the settings name.
    """

    turns: Sequence[Turn]
    shape: str
    provider: str
    projection: Projection
    whole: bool = True
    definitions: Any = None
    certain: bool = True
    tools: JsonView | None = None
    joined: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Embedded:
    """A whole document of its own kind inside a record: `projection` maps its text to the record."""

    text: str
    projection: Projection
    host: Host


@dataclass(frozen=True, slots=True)
class Record:
    """One independent part of a document that is data: its passages, the turns they belong to, and its faults.

    `embedded` are the documents that it holds, in order, whose passages are among its own: an author's comments mean
    in each of them what they mean in a file of that kind. `value` is the whole of a transcript in JSON, None elsewhere.
    """

    passages: Sequence[Passage] = ()
    problems: Sequence[Problem] = ()
    transcripts: Sequence[TranscriptPart] = ()
    embedded: Sequence[Embedded] = ()
    value: JsonView | None = None


@dataclass(frozen=True, slots=True)
class HostContext:
    """What a host knows about a document.

    `template` is the language its texts are written in: None for none, `none` where an author says so, `undeclared`
    where only a text itself may show one. `names` are the names of the tools, where a host wants to skip strings that
    cannot hold a call. The strings at the places that are `wanted` are read whatever they look like.
    """

    template: str | None = None
    names: frozenset[str] = frozenset()
    wanted: tuple[Span, ...] = ()

    @property
    def declared(self) -> str | None:
        """The template language that is declared."""
        return None if self.template in ("none", "undeclared") else self.template


class _Named:
    """What every host states about itself.

    `suffixes` are file endings with their dot, `filenames` whole names of files, `languages` the editor's names. Where
    an editor gives a file one of the languages that it `refines`, the file's name counts all the same: it is more
    specific. `sniffs` is true if the host recognises its documents by their beginning: `claims` is asked about the
    first characters of a text whose name is not conclusive. `holds` says what its documents are about: texts with
    calls, the definitions of tools, or Callwright's own configuration; the last two are chosen only by a project's
    settings. `comments` are the forms of comments in which such a document may address Callwright. `texts` is how it
    contains its texts: as they are, with comments among them; in strings, with comments around and inside them; or as
    what a speaker wrote, in which comments have no meaning.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    suffixes: ClassVar[Sequence[str]] = ()
    filenames: ClassVar[Sequence[str]] = ()
    languages: ClassVar[Sequence[str]] = ()
    refines: ClassVar[Sequence[str]] = ()
    sniffs: ClassVar[bool] = False
    holds: ClassVar[Literal["calls", "tools", "configuration"]] = "calls"
    comments: ClassVar[Sequence[Comment]] = ()
    texts: ClassVar[Literal["plain", "quoted", "turns"]] = "quoted"

    def claims(self, head: str) -> bool:
        """Return whether a document that begins with `head` (a few thousand characters) is of this kind."""
        del head
        return False


class FlowHost(_Named):
    """A kind of document that is one passage, read from top to bottom in blocks.

    `template` is the language that such files are written in by themselves, None for none. `fronted` is true if front
    matter may be before the text.
    """

    flow: Literal[True] = True
    markdown: ClassVar[bool] = True
    fronted: ClassVar[bool] = False
    template: ClassVar[str | None] = None
    comments = (HTML,)
    texts = "plain"

    def front(self, text: str) -> int:
        """Return how many leading characters are front matter, which is not part of the text."""
        return front_length(text) if self.fronted else 0

    def read_front(self, front: str, context: HostContext) -> Record:
        """Take front matter apart; by default it holds no calls. Reading never raises."""
        del front, context
        return Record()


class RecordHost(_Named):
    """A kind of document that is data or a program: a sequence of records with passages in them. Reading never raises.

    `ahead` is how many characters after a record's end say that it ends there. `passes_over` is true if strings which
    hold no call and name no tool are not passages. `defers` is true if a record is one JSON value of which only
    transcripts are read, so that a clean one need not be taken apart to be checked.

    Invariant: what `read` returns depends on the record's text and on what the host is given alone.
    """

    flow: Literal[False] = False
    template: ClassVar[str | None] = None
    ahead: ClassVar[int] = 0
    passes_over: ClassVar[bool] = False
    defers: ClassVar[bool] = False

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return the length of the record that `text` begins with; None where more text is needed to say.

        By default the whole document is one record.
        """
        return len(text) if at_end else None

    def prompts(self, text: str) -> Sequence[Span] | None:
        """Return where in a whole document, of which each record is a turn, there is text for a model; None for a
        host whose records are texts of their own.

        Tools that are documented there are so for all of the document.
        """
        del text
        return None

    def strings(self, text: str) -> Sequence[Span]:
        """Return the segments of a record in which what looks like a comment is none, beside its passages; in order.

        Asked only where something looks like a comment that is meant for Callwright.
        """
        del text
        return ()

    def read(self, text: str, context: HostContext) -> Record:
        """Take one record apart; by default it holds no calls."""
        del text, context
        return Record()


#: A module in this room has exactly one, bound to the name `HOST`.
Host: TypeAlias = FlowHost | RecordHost
