"""What a rule is, and what it reports: diagnostics with fixes.

Owns: `Rule`, `Scope`, `Severity`, `Diagnostic`, `Fix`, `MissingFix`, `Applicability`, `ErrorType` and the subjects that
rules are given. Must not know: any single rule, the linter, protocols.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from callwright.fastpath.fast_paths import FastPath
from callwright.text.records import NamedTuple, dataclass, field, replace

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.syntax.problem import Problem
    from callwright.text.facts import Facts
    from callwright.text.span import Edit, Span
    from callwright.tools.definitions import Definition
    from callwright.tools.documents import ToolDocument
    from callwright.tools.registry import ToolRegistry


class Severity(enum.StrEnum):
    """The severity of a diagnostic: an error breaks parsers of the stated dialect, a warning is fragile, the rest is
    style.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Applicability(enum.StrEnum):
    """Who may apply a fix: everyone (one candidate, result validates), callers that ask for guesses, only a person."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class ErrorType(enum.StrEnum):
    """The error type that a strict runtime reports.

    `NO_XML_BLOCKS` replaces `NO_CALLS` where the demanded dialect writes calls between tags and the reply has no such
    call; `general` is the same type for both.
    """

    MALFORMED_XML = "MALFORMED_XML"
    MALFORMED_JSON = "MALFORMED_JSON"
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    SCHEMA_VALIDATION = "SCHEMA_VALIDATION"
    NO_CALLS = "NO_CALLS"
    NO_XML_BLOCKS = "NO_XML_BLOCKS"
    MAX_MISTAKES = "MAX_MISTAKES"

    @property
    def general(self) -> ErrorType:
        """The type by the name that fits every dialect."""
        return ErrorType.NO_CALLS if self is ErrorType.NO_XML_BLOCKS else self


class Scope(enum.Enum):
    """What a rule is passed: one problem of a reader, one bound call, or something larger."""

    SYNTAX = "syntax"
    CALL = "call"
    CONVERSATION = "conversation"
    DOCUMENT = "document"
    TOOLS = "tools"
    CONFIG = "config"
    CORPUS = "corpus"
    CHAT_TEMPLATE = "chat-template"


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix one diagnostic: what a person reads, the edits, and who may apply them.

    The edits do not overlap; their spans are offsets of the same text as the diagnostic's span.
    """

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.SAFE

    @property
    def is_safe(self) -> bool:
        """Whether anyone may apply the fix unseen."""
        return self.applicability is Applicability.SAFE

    @property
    def renamed(self) -> str | None:
        """The one name that every edit writes in place of another, None where the fix does something else."""
        from callwright.text.word_loss import is_name

        new = {edit.text for edit in self.edits}
        name = next(iter(new)) if len(new) == 1 else ""
        replaces = all(edit.span.start < edit.span.end for edit in self.edits)
        return name if replaces and is_name(name) else None

    def as_guess(self) -> Fix:
        """Return the fix as a guess, which is applied on request only; a fix that is not safe is returned unchanged."""
        return replace(self, applicability=Applicability.UNSAFE) if self.is_safe else self


class MissingFix(NamedTuple):
    """A fix that this kind of diagnostic usually has and lacks here: its title, and the reason as a clause without a
    full stop.
    """

    title: str
    reason: str


class Needs(NamedTuple):
    """The evidence that a document must contain for a diagnostic to be shown to an author.

    `xml`: its values are written as XML. `elements`: arguments are not attributes, so no other tag of `tool` has any.
    `rows`: it is rows of JSON, some of them conversations.
    """

    xml: bool = False
    elements: bool = False
    tool: str = ""
    rows: bool = False


def _dialect_words() -> frozenset[str]:
    # Imported on demand, where words might be lost: it loads every dialect.
    from callwright.rules.support.dialect_words import dialect_words

    return dialect_words()


def SETTLED(span: Span) -> str:  # noqa: N802  it is used as a constant
    """The `source` of a diagnostic whose fixes come from another diagnostic, which has decided which are safe."""
    raise LookupError(f"{span}: the text is that of another diagnostic")


@dataclass(slots=True)
class Diagnostic:
    """One diagnostic: its rule's code and name, where it is, what is wrong, and how to fix it.

    `fixes` are computed on first use, best first. Offsets are code points of the text that was checked, and `source`
    returns the characters of a span of it. A fix is a guess, even if its rule calls it safe, where words of the text
    would be lost, where the diagnostic is an info or a hint and the fix changes more than white space, and, without a
    `source`, where it does more than insert. `missing_fixes` say why an expected fix is missing; they are computed on
    use, too. `needs` is the evidence that the document must contain for the diagnostic to be shown.
    """

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    error_type: ErrorType | None = None
    related: tuple[tuple[Span, str], ...] = ()
    tags: tuple[str, ...] = ()
    _fixes: Callable[[], Iterable[Fix]] | tuple[Fix, ...] = field(default=(), repr=False, compare=False)
    source: Callable[[Span], str] | None = field(default=None, repr=False, compare=False)
    needs: Needs | None = field(default=None, repr=False)
    missing: Callable[[], Iterable[MissingFix]] = field(default=tuple, repr=False, compare=False)
    _ready: tuple[Fix, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Every way to fix the diagnostic, best first."""
        if self._ready is None:
            self._ready = tuple(fix if self._may_be_safe(fix) else fix.as_guess() for fix in self._stated())
        return self._ready

    @property
    def missing_fixes(self) -> tuple[MissingFix, ...]:
        """The expected fixes that are missing, with the reasons."""
        return tuple(self.missing())

    def carried(self) -> tuple[Fix, ...]:
        """Return the fixes for a copy of the diagnostic at another place. Without a `source` they are returned as the
        rule gave them: the copy, which has one, decides which are safe.
        """
        return self.fixes if self.source is not None else tuple(self._stated())

    def _stated(self) -> Iterable[Fix]:
        return self._fixes if isinstance(self._fixes, tuple) else self._fixes()

    def _may_be_safe(self, fix: Fix) -> bool:
        """Return whether a fix that its rule calls safe may be applied unseen."""
        if self.source is SETTLED or not fix.is_safe:
            return True
        from callwright.text.word_loss import keeps_words, only_lays_out

        if self.severity in (Severity.INFO, Severity.HINT):
            return self.source is not None and only_lays_out(self.source, fix.edits)
        if self.source is None:
            return all(edit.span.start == edit.span.end for edit in fix.edits)
        return keeps_words(self.source, fix.edits, _dialect_words)

    def downgrade_unless(self, holds: Callable[[Fix], bool]) -> None:
        """Turn each safe fix for which `holds` returns false into a guess; `holds` is called when the fixes are first
        used.
        """
        fixes = self._fixes
        if fixes:
            self._ready = None
            self._fixes = lambda: (
                fix.as_guess() if fix.is_safe and not holds(fix) else fix
                for fix in (fixes if isinstance(fixes, tuple) else fixes())
            )

    @property
    def fix(self) -> Fix | None:
        """The best way to fix the diagnostic, or None."""
        fixes = self.fixes
        return fixes[0] if fixes else None


@dataclass(slots=True)
class SyntaxSubject:
    """One problem that a reader reported, with the text that was read and the call it belongs to, if any.

    `is_recorded` says that a model wrote the text in a transcript: its calls are made, and not shown as in a prompt.
    """

    problem: Problem
    text: str
    call: ToolCall | None
    tools: ToolRegistry
    settings: Settings
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class ToolSubject:
    """One definition in a tool file: the definition, the file around it, and the tools of the whole project.

    Paths of the definition lead from the top of the file's value. `facts` are shared by all definitions of the file: a
    rule reuses what another has derived.
    """

    definition: Definition
    document: ToolDocument
    registry: ToolRegistry
    settings: Settings
    facts: Facts = field(default_factory=dict)

    def at(self, path: tuple[str | int, ...]) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        return self.document.places.value(path)

    def at_name(self, definition: Definition | None = None) -> Span:
        """Return the span of the tool's name, or of that of another definition of the file."""
        own = definition or self.definition
        return self.at_key(own.name_path) if own.name_is_key else self.at(own.name_path)

    def at_key(self, path: tuple[str | int, ...]) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self.document.places.key(path)


class Rule:
    """One kind of diagnostic. The docstring is its documentation page; the examples in it are run as its tests.

    A rule is named after its file.

    A rule of scope SYNTAX lists in `problems` the problem kinds that it reports and is given a `SyntaxSubject`; a rule
    of scope CALL is given a `callwright.schema.binding.Binding`; with `needs_whole_call` it does not run on calls that
    are cut off or too damaged to know what is missing. A rule of scope CONVERSATION is given a
    `callwright.conversation.conversation.Conversation`. A rule of scope TOOLS that lists no `problems` is given a
    `ToolSubject` for each definition in a tool file, a rule of scope CHAT_TEMPLATE the
    `callwright.chat_templates.proof.Proof` of a chat template that was tried, a rule of scope DOCUMENT the
    `callwright.document.snapshot.Snapshot` of a text that is no transcript; its diagnostics must not depend on how the
    text is cut into blocks.

    `fast_path` says whether a fast path may report a text as clean without running the rule, and why: see `FastPath`. A
    rule that does not set it always runs, and while it is enabled no fast path does. One with `FastPath.NEEDS_FAULT`
    does not run on calls that were read without a problem and whose arguments fit their tool.

    A rule of scope TOOLS with `of_declarations` also runs on tools that a prompt documents, in any style: its
    diagnostics must hold where only a part of a schema is stated. Its fixes are left out there.
    """

    code: ClassVar[str]
    #: The name of the file, unless a class sets another.
    name: ClassVar[str]
    scope: ClassVar[Scope]
    severity: ClassVar[Severity] = Severity.ERROR
    error_type: ClassVar[ErrorType | None] = None
    problems: ClassVar[tuple[str, ...]] = ()
    needs_whole_call: ClassVar[bool] = False
    fast_path: ClassVar[FastPath] = FastPath.UNSAFE
    of_declarations: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "code" in vars(cls) and "name" not in vars(cls):
            cls.name = cls.__module__.rpartition(".")[2].replace("_", "-")

    def check(self, subject: Any) -> Iterator[Diagnostic]:
        """Yield the diagnostics of this rule for `subject`."""
        raise TypeError(f"{type(self).__name__} has no check for {type(subject).__name__}")

    def diagnostic(
        self,
        span: Span,
        message: str,
        fixes: Callable[[], Iterable[Fix]] | Iterable[Fix] = (),
        *,
        severity: Severity | None = None,
        related: tuple[tuple[Span, str], ...] = (),
        tags: tuple[str, ...] = (),
        missing: Callable[[], Iterable[MissingFix]] = tuple,
    ) -> Diagnostic:
        """Return a diagnostic of this rule; `fixes` may be a function, which is called on use only, as `missing` is."""
        return Diagnostic(
            self.code,
            self.name,
            severity or self.severity,
            message,
            span,
            self.error_type,
            related,
            tags,
            fixes if callable(fixes) else tuple(fixes),
            missing=missing,
        )


class CallRule(Rule):
    """A rule that checks bound calls."""

    scope = Scope.CALL


class ConversationRule(Rule):
    """A rule that checks conversations."""

    scope = Scope.CONVERSATION


class DocumentRule(Rule):
    """A rule that checks texts that are not transcripts."""

    scope = Scope.DOCUMENT


class ChatTemplateRule(Rule):
    """A rule that is given chat templates with what came of their probes."""

    scope = Scope.CHAT_TEMPLATE


class ToolRule(Rule):
    """A rule that checks the definitions of a tool file."""

    scope = Scope.TOOLS


def repair_fix(subject: SyntaxSubject, title: str) -> tuple[Fix, ...]:
    """Return the reader's own repair of a problem as a fix: safe where the reader is certain of it, else a guess."""
    problem = subject.problem
    if not problem.repair:
        return ()
    return (Fix(title, problem.repair, Applicability.SAFE if problem.certain else Applicability.UNSAFE),)


def with_edits(
    title: str, edits: tuple[Edit, ...] | None, applicability: Applicability = Applicability.SAFE
) -> Iterator[Fix]:
    """Yield the fix with `edits`; nothing where they are None, because the file cannot be edited so."""
    if edits:
        yield Fix(title, edits, applicability)


class ProblemRule(Rule):
    """A rule that reports problems of a reader: the kind of its own name, unless `problems` lists others.

    The default `check` reports the problem at its place and offers the reader's repair.
    """

    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and not cls.problems:
            cls.problems = (cls.name,)

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        raise TypeError(f"{type(self).__name__} has no words for {problem.kind}")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic for a problem."""
        message, title = self.words(subject.problem)
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title))


class FileProblemRule(ProblemRule):
    """A rule for a problem of a tool or configuration file; the reader supplies the reason and the remedy."""

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic for a problem."""
        problem = subject.problem
        reason, remedy = str(problem.data["reason"]), str(problem.data["remedy"])
        fixes = (
            repair_fix(subject, f"Change to `{problem.repair[0].text}`") if problem.repair and problem.certain else ()
        )
        yield self.diagnostic(problem.span, f"{reason}: {remedy}" if remedy else reason, fixes)
