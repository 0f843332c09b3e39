"""The passes over a whole text: what it documents and teaches, and its examples of invalid calls.

Owns: `document_diagnostics`, `declared_diagnostics`, `without_bad_places`, `where_stated`. Must not know: blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.lint.placing import placed, source_without
from callwright.lint.reporting import apply_severity, report
from callwright.rules.base import SETTLED, Diagnostic, Scope
from callwright.rules.catalogue import rules_of
from callwright.text.budget import yield_point
from callwright.text.records import replace

if TYPE_CHECKING:
    from callwright.declarations.reading import Declaration
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Rule
    from callwright.syntax.problem import Problem
    from callwright.text.span import Span
    from callwright.tools.documents import ToolDocument
    from callwright.tools.registry import ToolRegistry

#: How the codes of the rules about a call and its tool begin.
_OF_TOOLS: Final = "TC3"


def without_bad_places(snapshot: Snapshot, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics; for flowing text without those in examples of what not to do."""
    if not found or not snapshot.host.flow or not snapshot.settings.placeholders:
        return found
    from callwright.prompt.example_places import bad_example_places
    from callwright.prompt.examples import touches

    bad = bad_example_places(snapshot, max(each.span.start for each in found) + 1)
    return [each for each in found if not touches(bad, each.span)] if bad else found


def where_stated(snapshot: Snapshot, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics; those about a call and its tool only where the document's own tools are in force."""
    if not any(each.code.startswith(_OF_TOOLS) for each in found):
        return found
    from callwright.prompt.examples import touches
    from callwright.prompt.stated_places import stated_places

    places = stated_places(snapshot)
    if places is None:
        return found
    return [each for each in found if not each.code.startswith(_OF_TOOLS) or touches(places, each.span)]


def document_diagnostics(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the rules for a text as a whole.

    Transcripts are checked as conversations instead, and in a file of many records each record is a separate text.
    """
    if snapshot.is_of_rows or snapshot.has_transcripts:
        return
    newline = snapshot.document.newline
    # Text that Callwright writes into the document is not checked either.
    source = source_without(snapshot, lambda: _managed(snapshot))
    for rule in rules_of(Scope.DOCUMENT):
        for diagnostic in rule.check(snapshot):
            for own in apply_severity(diagnostic, rule, snapshot.settings, source):
                yield own if newline == "\n" else placed(own, 0, newline)


def declared_diagnostics(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the tools that a document declares."""
    own = snapshot.own_tools.declarations
    if not own or not snapshot.is_own:
        return
    from callwright.declarations.documents import contradictions

    registry, settings = snapshot.registry, snapshot.settings
    for each in own:
        checked = each.read.checked
        if not checked or checked[0][0] is not settings:
            yield_point()
            checked[:] = [(settings, [*_checked_declaration(each.read.document, registry, settings)])]
        for found in checked[0][1]:
            span, related = each.place(found.span), tuple((each.place(where), text) for where, text in found.related)
            yield replace(found, span=span, related=related)
    repeated = contradictions(own.found) if snapshot.own_tools.repeats else []
    for problem in _in_one_text(repeated, own.found, snapshot):
        yield from report(problem, None, "", registry, settings, SETTLED)


def _in_one_text(
    repeated: Sequence[Problem], declarations: Sequence[Declaration], snapshot: Snapshot
) -> Iterator[Problem]:
    """Yield the problems of tools that are documented twice for one reader: in the text itself, in one fence or in one
    string. Other fences and strings are other examples, and other prompts."""
    if not repeated:
        return
    if not snapshot.host.flow:
        strings = {each.whole_place: id(each.projection) for each in declarations}
        places = sorted(strings)
        for problem in repeated:
            one, other = (bisect_right(places, at.start, key=lambda place: place.start) for at in _places(problem))
            if strings[places[one - 1]] == strings[places[other - 1]]:
                yield problem
        return
    from callwright.prompt.sections import fences_in

    edges = [at for at, _ in fences_in(snapshot.document.text())]
    for problem in repeated:
        one, other = (bisect_right(edges, at.start) for at in _places(problem))
        if one == other or not (one % 2 or other % 2):
            yield problem


def _places(problem: Problem) -> tuple[Span, Span]:
    """Return where a tool is documented, and where it is for the first time."""
    first: Span = problem.data["first"]
    return problem.span, first


def _checked_declaration(document: ToolDocument, registry: ToolRegistry, settings: Settings) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the rules for declarations for one of them, without fixes, in offsets of its text."""
    from callwright.lint.files import tool_diagnostics

    rules = _rules_of_declarations()
    wanted = {rule.code for rule in rules}
    for found in tool_diagnostics(document, registry, settings, rules):
        if found.code in wanted:
            yield replace(found, _fixes=(), source=SETTLED)


@cache
def _rules_of_declarations() -> Sequence[Rule]:
    return tuple(rule for rule in rules_of(Scope.TOOLS) if rule.of_declarations)


def _managed(snapshot: Snapshot) -> list[Span]:
    """Return where the text of managed blocks is in a document."""
    from callwright.teaching.blocks import managed_blocks

    blocks = managed_blocks(snapshot)[0]
    return [edit.span for block in blocks if block.text is not None for edit in block.write(block.text) or ()]
