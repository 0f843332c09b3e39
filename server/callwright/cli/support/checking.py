"""Checking: one source with its project becomes diagnostics as they are printed, fixed where that is requested.

Owns: what is done to a source that is held whole, and in which order. Must not know: options, streams, workers, what
comes of a source in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.cli.formats.base import DiagnosticToPrint, RenderedDiagnostic
from callwright.cli.support.engine import diagnostics_in, fixed_text, ignored, open_source
from callwright.cli.support.failure import CommandError, internal_error
from callwright.cli.support.files import FileError, InputFile, read_source, replace_file
from callwright.cli.support.formats import find_format
from callwright.cli.support.report import Tally, fixability, key_of
from callwright.text.records import dataclass, field, replace

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.cli.support.cache import Cache, Fresh
    from callwright.cli.support.projects import Projects
    from callwright.cli.support.terminal import Style
    from callwright.config import Project
    from callwright.corpus.rows import Rows
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.text.document import TextDocument
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Layout:
    """How diagnostics are printed; `silent` where only their number counts, `keyed` where they must be recognised
    later."""

    output_format: str
    style: Style
    silent: bool = False
    keyed: bool = False

    @property
    def offsets(self) -> bool:
        """Whether the code points in front of a diagnostic are to be counted."""
        return find_format(self.output_format).offsets

    def of(self, path: str, document: TextDocument, diagnostics: list[Diagnostic]) -> list[RenderedDiagnostic]:
        """Return diagnostics as they are printed."""
        if not diagnostics:
            return []
        laid = find_format(self.output_format)
        reported: list[RenderedDiagnostic] = []
        for one in diagnostics:
            key = key_of(document, one) if self.keyed or laid.keyed else ""
            text = "" if self.silent else laid.lay_out(DiagnosticToPrint(path, document, one, key), self.style)
            reported.append(RenderedDiagnostic(path, one.code, one.name, one.severity, fixability(one), key, text))
        return reported


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What is to be done to each source."""

    fix: bool
    diff: bool
    unsafe: bool
    #: Whether the cache is used, and its folder where one is given.
    cached: bool = False
    cache_dir: str | None = None
    #: Why everything that is found is to be ignored from now on; None where it is not.
    reason: str | None = None

    @property
    def fixes(self) -> bool:
        """Whether fixes are looked for."""
        return self.fix or (self.diff and self.reason is None)

    @property
    def writes(self) -> bool:
        """Whether a text with diagnostics may become another one."""
        return self.fixes or self.reason is not None


@dataclass(slots=True)
class Outcome:
    """The result for a source or a part of it: diagnostics as they are printed, the counts of all else, and the
    failures. `checked` are the files that are done, `fresh` is what the cache may keep. `idle_tools` are the names that
    a tool file defines which is not in force, as nothing is configured. `text` belongs on standard output, with a byte
    order mark where `bom` is true."""

    reported: list[RenderedDiagnostic] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    errors: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    fresh: list[Fresh] = field(default_factory=list)
    idle_tools: frozenset[str] = frozenset()
    text: str | None = None
    bom: bool = False

    def done(self, source: InputFile) -> None:
        """Count a source that was checked to its end."""
        self.tally.files += 1
        self.checked.append(source.shown)

    def take(self, layout: Layout, path: str, document: TextDocument, diagnostics: list[Diagnostic]) -> None:
        """Lay diagnostics out."""
        self.reported += layout.of(path, document, diagnostics)


def not_applied(source: InputFile, diagnostic: Diagnostic, dispute: Disagreement) -> str:
    """Return the message about a fix that lxml rejects."""
    from callwright.fix.fixer import why_not_applied

    return f"{source.shown}: {why_not_applied(diagnostic, dispute)}; change the call by hand, and report this"


class Checker:
    """Checks sources one after another."""

    def __init__(self, projects: Projects, run_options: CheckPlan, layout: Layout, cache: Cache | None = None) -> None:
        self.projects = projects
        self.run_options = run_options
        self.layout = layout
        self.cache = cache
        if cache is None and run_options.cached:
            from callwright.cli.support.cache import Cache

            self.cache = Cache(run_options.cache_dir)
        self._rows: tuple[ToolRegistry, Settings, Rows] | None = None

    def rows(self, project: Project) -> Rows:
        """Return the rows of a project; what is learnt of one large file serves for the next."""
        from callwright.corpus.rows import Rows

        known = self._rows
        if known is None or known[0] is not project.registry or known[1] != project.settings:
            known = (project.registry, project.settings, Rows(project.registry, project.settings))
            self._rows = known
        return known[2]

    def outcomes(self, source: InputFile) -> Iterator[Outcome]:
        """Yield what comes of a source that is held whole."""
        return self.guarded(source, self._outcomes(source))

    def whole_outcomes(self, source: InputFile) -> list[Outcome]:
        """Return what comes of a source whose text was left out, and which is held whole."""
        assert source.path is not None
        try:
            read = replace(read_source(source.path), shown=source.shown, fence=source.fence)
        except FileError as error:
            return [Outcome(errors=[str(error)])]
        return list(self.outcomes(read))

    def _outcomes(self, source: InputFile) -> Iterator[Outcome]:
        outcome = self._remembered(source) or self._whole(source)
        outcome.idle_tools = self._idle_tools(source)
        yield outcome

    def _idle_tools(self, source: InputFile) -> frozenset[str]:
        """Return the names of the tools that a file defines where no configuration puts any in force."""
        project = self.projects.of(source)
        if source.path is None or project.file is not None or project.registry.closed:
            return frozenset()
        from callwright.tools.file_markers import may_hold_tools

        if not may_hold_tools(source.text, source.path.name):
            return frozenset()
        from callwright.tools.documents import holds_tools, read_tool_document

        if not holds_tools(source.text, source.path.name):
            return frozenset()
        return frozenset(read_tool_document(source.text, source.path.name).registry.names)

    @staticmethod
    def guarded(source: InputFile, outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield outcomes; an internal error in one file is reported, and must not hide the diagnostics in the
        others."""
        try:
            yield from outcomes
        except (CommandError, OSError):
            raise
        except FileError as error:
            yield Outcome(errors=[str(error)])
        except Exception as error:  # noqa: BLE001 - see above
            yield Outcome(errors=[f"{source.shown}: {internal_error(error)}"])

    def _remembered(self, source: InputFile) -> Outcome | None:
        """Return the cached result for a text; None where there is none, or the text is to be fixed."""
        if self.cache is None:
            return None
        found = self.cache.get(source, self.projects.of(source))
        if found is None or (self.run_options.fixes and any(one.fixes for one in found)):
            return None
        if found and self.run_options.reason is not None:
            return None
        outcome = Outcome()
        outcome.done(source)
        if found:
            from callwright.text.document import TextDocument

            outcome.take(self.layout, source.shown, TextDocument.from_text(source.text), found)
        return outcome

    def _whole(self, source: InputFile) -> Outcome:
        """Check one text, fix it where that is requested, and report what is left."""
        outcome = Outcome()
        project = self.projects.of(source)
        snapshot = open_source(source, project)
        if self.run_options.writes:
            text, fixed, suppressed = self._written(source, snapshot, outcome)
            if self.run_options.diff:
                from callwright.cli.support.differences import unified_diff

                outcome.text = unified_diff(source.text, text, source.shown)
            elif self._keep(source, text, outcome):
                snapshot = open_source(replace(source, text=text), project)
            else:
                fixed = suppressed = 0
            outcome.tally.fixed += fixed
            outcome.tally.ignored += suppressed
        outcome.done(source)
        found = diagnostics_in(snapshot)
        outcome.take(self.layout, source.shown, snapshot.document, found)
        if self.cache is not None and not (outcome.tally.fixed or outcome.tally.ignored):
            # What other files document is in no key.
            fresh = self.cache.fresh(source, project, found) if not snapshot.documented.asked_elsewhere else None
            outcome.fresh += [fresh] if fresh is not None else []
        return outcome

    def _written(self, source: InputFile, snapshot: Snapshot, outcome: Outcome) -> tuple[str, int, int]:
        """Return the text as it is to be, and how many diagnostics are fixed and ignored in it."""
        text, fixed, suppressed = source.text, 0, 0

        def refused(diagnostic: Diagnostic, dispute: Disagreement) -> None:
            outcome.errors.append(not_applied(source, diagnostic, dispute))

        if self.run_options.fixes:
            text, fixes = fixed_text(snapshot, unsafe=self.run_options.unsafe, refused=refused)
            fixed = len(fixes)
        if self.run_options.reason is not None:
            if text != source.text:
                snapshot = open_source(replace(source, text=text), self.projects.of(source))
            text, found = ignored(snapshot, self.run_options.reason)
            suppressed = len(found)
        return text, fixed, suppressed

    @staticmethod
    def _keep(source: InputFile, text: str, outcome: Outcome) -> bool:
        """Write the fixed text to its file or stream; return whether it was written."""
        if source.stdin:
            outcome.text, outcome.bom = text, source.bom
        elif text != source.text:
            try:
                replace_file(source, text)
            except FileError as error:
                outcome.errors.append(str(error))
                return False
        return True
