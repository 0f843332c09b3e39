"""The pass over a file of tools or a configuration file, which is checked as a whole.

Owns: `tool_file_diagnostics`, `configuration_diagnostics`, `tool_diagnostics`, `file_diagnostics`. Must not
know: calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from callwright.document.blocks import DIAGNOSTICS
from callwright.document.suppressions import WORD
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.lint.placing import diagnostic_order, placed, source_of
from callwright.lint.reporting import apply_severity, report
from callwright.lint.suppressed import apply_suppressions
from callwright.prompt.named import document_of
from callwright.rules.base import Diagnostic, Scope, ToolSubject
from callwright.rules.catalogue import rule_names, rules_of
from callwright.text.budget import is_time_sliced, yield_point

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Rule
    from callwright.syntax.problem import Problem
    from callwright.text.facts import Facts
    from callwright.text.span import Span
    from callwright.tools.documents import ToolDocument
    from callwright.tools.registry import ToolRegistry

#: How long a tool file must be for the fast path to be tried first.
_MIN_TRIAGE_LENGTH = 65_536


def tool_file_diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of a tool file; computed once."""
    return _made_once(snapshot, _of_tools)


def configuration_diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics of a configuration file; computed once."""
    return _made_once(snapshot, _of_configuration)


def _made_once(snapshot: Snapshot, make: Callable[[Snapshot, str, str], list[Diagnostic]]) -> list[Diagnostic]:
    block = snapshot.blocks[0]
    found = DIAGNOSTICS.get(block)
    if found is None:
        found = make(snapshot, snapshot.document.text(), snapshot.path or snapshot.uri)
        newline = snapshot.document.newline
        if newline != "\n":
            found = [placed(diagnostic, 0, newline) for diagnostic in found]
        DIAGNOSTICS.keep(block, found)
    return found


def _of_tools(snapshot: Snapshot, text: str, path: str) -> list[Diagnostic]:
    quick = _quick_tool_diagnostics(text, path, snapshot) if len(text) >= _MIN_TRIAGE_LENGTH else None
    return quick if quick is not None else tool_diagnostics(document_of(snapshot), snapshot.registry, snapshot.settings)


def _of_configuration(snapshot: Snapshot, text: str, path: str) -> list[Diagnostic]:
    if path.endswith("pyproject.toml") and "callwright" not in text:
        return []
    from callwright.config import read_config

    project = read_config(text, path, boundary=snapshot.origin.boundary, known_rules=rule_names())
    problems = [problem for file, problem in project.problems if file == str(project.file)]
    return file_diagnostics(problems, snapshot.registry, project.settings, text=text, path=path)


def _quick_tool_diagnostics(text: str, path: str, snapshot: Snapshot) -> list[Diagnostic] | None:
    """Return the diagnostics of a tool file that is plainly in order but for a few definitions or commas; None for any
    other.

    Only those few are checked in full.
    """
    if is_time_sliced():
        # The fast path cannot be interrupted, so it does not run in time slices.
        return None
    from callwright.declarations.documents import read_tools_of
    from callwright.rules.support.plain_tools import fault_alone, suspect_tools

    uncertain = suspect_tools(text, path, snapshot.registry, snapshot.settings)
    if uncertain is None:
        fault = fault_alone(text, path, snapshot.registry, snapshot.settings)
        return None if fault is None else file_diagnostics([fault], snapshot.registry, snapshot.settings, text=text)
    if not uncertain:
        return []
    document = read_tools_of(text, path, only=uncertain)
    return tool_diagnostics(document, snapshot.registry, snapshot.settings)


def tool_diagnostics(
    document: ToolDocument, registry: ToolRegistry, settings: Settings, rules: Sequence[Rule] | None = None
) -> list[Diagnostic]:
    """Return the diagnostics of a tool file: its problems, and those of the rules for each definition, all by default.

    `registry` has the tools of the whole project.
    """
    text = document.text
    found = [each for problem in document.problems for each in report(problem, None, text, registry, settings)]
    source = source_of(text)
    facts: Facts = {}
    subjects = [ToolSubject(definition, document, registry, settings, facts) for definition in document.definitions]
    for rule in rules_of(Scope.TOOLS) if rules is None else rules:
        if rule.problems:
            continue
        for subject in subjects:
            yield_point()
            for diagnostic in rule.check(subject):
                found += apply_severity(diagnostic, rule, settings, source)
    # A fault in a part that several definitions share, such as a schema that they refer to, is reported once.
    once = {(each.code, each.span, each.message): each for each in reversed(found)}
    ordered = sorted(once.values(), key=diagnostic_order)
    if WORD not in text:
        return ordered
    places = sorted(document.places.value(definition.path) for definition in document.definitions)
    return _apply_suppressions_in_file(text, document.file, "tool-file", ordered, registry, settings, places)


def file_diagnostics(
    problems: Iterable[Problem], registry: ToolRegistry, settings: Settings, *, text: str = "", path: str = ""
) -> list[Diagnostic]:
    """Return the diagnostics for problems of a tool file or a configuration file, in offsets of that file.

    Where its `text` is given, its suppressions are applied; `path` determines the format.
    """
    source = source_of(text)
    found = [each for problem in problems for each in report(problem, None, "", registry, settings, source)]
    found.sort(key=diagnostic_order)
    if WORD not in text:
        return found
    return _apply_suppressions_in_file(text, path, "configuration", found, registry, settings, ())


def _apply_suppressions_in_file(
    text: str,
    path: str,
    host: str,
    found: list[Diagnostic],
    registry: ToolRegistry,
    settings: Settings,
    subjects: Sequence[Span],
) -> list[Diagnostic]:
    """Apply the suppressions of a file without calls to its diagnostics."""
    snapshot = open_snapshot(text, path=path, registry=registry, settings=settings, host=find_host(host))
    return apply_suppressions(snapshot, found, subjects)
