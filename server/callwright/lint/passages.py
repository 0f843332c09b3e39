"""The pass over a passage: its problems, its calls, and in a reply the parts that are not read as calls.

Owns: `check_passage`, `check_reply`, `check_read`. Must not know: blocks, documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.document.blocks import ReadPassage, binding_of
from callwright.document.evidence import Evidence
from callwright.lint.evidence import borne_out, needing
from callwright.lint.placing import diagnostic_order, source_of
from callwright.lint.reporting import check_call, report
from callwright.text.budget import yield_point
from callwright.tools.names import is_handoff

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.rules.base import Diagnostic
    from callwright.rules.support.fix_resolver import FixResolver
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry

#: The evidence of a single text: only what its calls show.
_NOTHING_ELSE = Evidence(xml=False, attributes=Counter())
_ATTRIBUTES = "attribute-argument"
#: The diagnostics for an unknown tool and an unknown parameter.
_UNKNOWN_TOOL, _MISSING_ARGUMENT, _UNKNOWN_ARGUMENT = "TC301", "TC302", "TC303"
#: The diagnostic for a call that parsers do not read.
_SKIPPED = "TC114"


def check_passage(
    read: ReadPassage, registry: ToolRegistry, settings: Settings, *, whole: bool | None = None
) -> list[Diagnostic]:
    """Return the diagnostics of one passage in offsets of its text, each once, in the order of the text.

    `whole` says that the passage is a complete reply; by default it is if it is a reply. The rest of the document or
    stream is not known: each call must contain the evidence for its own diagnostics.
    """
    if not settings.placeholders and whole is not False:
        return check_reply(read, registry, settings)[0]
    return borne_out(check_read(read, registry, settings, whole=whole), _NOTHING_ELSE)


def check_read(
    read: ReadPassage, registry: ToolRegistry, settings: Settings, *, whole: bool | None = None
) -> list[Diagnostic]:
    """Return the diagnostics of one passage, whatever evidence they need."""
    if not settings.placeholders and whole is not False:
        return check_reply(read, registry, settings)[0]
    return _checked_by_call(_stated_once(read, registry, settings), read, registry, settings)


def check_reply(
    read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the diagnostics of a whole reply, and those that stay if more text follows, which a stream reports.

    Both are in the order of the text, in its offsets.
    """
    found = borne_out(_stated_once(read, registry, settings), _NOTHING_ELSE)
    certain = _checked_by_call(found, read, registry, settings)
    return sorted(_whole_reply([*found], read, registry, settings), key=diagnostic_order), certain


def _stated_once(read: ReadPassage, registry: ToolRegistry, settings: Settings) -> list[Diagnostic]:
    seen: set[tuple[str, int, int, str]] = set()
    found: list[Diagnostic] = []
    for diagnostic in _check_passage(read, registry, settings):
        key = (diagnostic.code, *diagnostic.span, diagnostic.message)
        if key not in seen:
            seen.add(key)
            found.append(diagnostic)
    return found


def _checked_by_call(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return diagnostics with the fixes for each call by itself, in the order of the text."""
    if found:
        # Imported only where there are diagnostics; the search runs only when a fix is requested.
        from callwright.rules.support.marker_fixes import with_marker_fixes_by_call

        tools = registry if read.registry is None else read.registry
        found = with_marker_fixes_by_call(found, read, tools, settings)
    return sorted(found, key=diagnostic_order)


def _whole_reply(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return the diagnostics of a complete reply, including those about text that looks like a call and is not read.

    For a text that may continue, such as a document's block or a stream, these could not be reported.
    """
    from callwright.recovery.missed_calls import missed_calls, traces_of
    from callwright.recovery.unmatched_markers import doubled_closers, doubled_openers, text_after, truncated_closers

    text = read.passage.text
    tools = registry if read.registry is None else read.registry
    for problem in (
        *doubled_openers(text, read.calls),
        *doubled_closers(text, read.calls),
        *text_after(text, read.calls),
        *truncated_closers(text, read.calls),
    ):
        found += report(problem, None, text, registry, settings)
    traces = traces_of(text, read.calls, tools, settings)
    about_markers = any(each.code.startswith("TC1") and each.error_type is not None for each in found)
    if found:
        from callwright.rules.support.marker_fixes import with_marker_fixes

        unread = traces is not None and traces.is_certain and not any(each.code == _SKIPPED for each in found)
        found = with_marker_fixes(found, read, registry, settings, unread=unread)
    if traces is not None and not about_markers:
        for problem in missed_calls(text, read.calls, traces, tools, settings):
            found += report(problem, None, text, registry, settings)
    return found


def _check_passage(read: ReadPassage, registry: ToolRegistry, settings: Settings) -> Iterator[Diagnostic]:
    if not (read.problems or read.calls):
        return
    from callwright.conversation.conversation import is_by_truncation, is_cut_off, was_cut_off
    from callwright.prompt.sketches import is_sketched, sketch_of

    text = read.passage.text
    turn = read.passage.turn
    if read.registry is not None:
        # The tools that a call is bound to decide what it was meant as.
        registry = read.registry
    cut_off = turn is not None and was_cut_off(turn)
    recorded = turn is not None and read.passage.role == "assistant"
    for problem in read.problems:
        if settings.placeholders and is_sketched(problem, text):
            continue
        if not (cut_off and is_by_truncation(problem)):
            yield from report(problem, None, text, registry, settings)
    for found in read.calls:
        yield_point()
        call = found.call
        resolver = _resolver(call, text, registry, settings) if call.problems else None
        if cut_off and is_cut_off(read, found, binding_of(read, found, registry, settings)):
            # The conversation's rule reports once that the reply was cut off here.
            continue
        binding = binding_of(read, found, registry, settings)
        own = [] if call.sketch and settings.placeholders else list(check_call(binding, settings, source_of(text)))
        if not settings.strict and any(map(_may_hold_arguments, call.problems)):
            # The text between its tags may be the missing argument, or contain it.
            own = [each for each in own if each.code != _MISSING_ARGUMENT]
        if recorded and not settings.strict and is_handoff(call.tool, binding.registry.names):
            # The runtime makes the tool, and no list of tools has it.
            own = [each for each in own if each.code != _UNKNOWN_TOOL]
        uncertain = bool(call.problems or binding.problems or own)
        sketch = sketch_of(binding) if settings.placeholders and uncertain else None
        for problem in call.problems:
            if problem.data.get("unnamed") and not settings.strict:
                # The text has no parameter name; another diagnostic reports that.
                continue
            if sketch is None or sketch.keeps(problem):
                stated = report(problem, call, text, registry, settings, is_recorded=recorded)
                stated = stated if resolver is None else resolver.resolved(stated, problem)
                yield from stated if settings.strict else needing(stated, problem, call, text, registry, settings)
        for problem in binding.problems:
            if sketch is None or sketch.keeps(problem):
                stated = report(problem, call, text, registry, settings)
                yield from stated if settings.strict else needing(stated, problem, call, text, registry, settings)
        if sketch is not None:
            # A placeholder replaces a value or any name, but a near miss of a tool's or a parameter's name is a
            # misspelling.
            own = [each for each in own if not sketch.lost and _is_misspelling(each, binding)]
        stated = iter(own) if resolver is None else resolver.resolved(own, None)
        attributes = next((each for each in call.problems if each.kind == _ATTRIBUTES), None)
        if attributes is None or settings.strict:
            yield from stated
        else:
            # Where the arguments are attributes, none is missing or repeated.
            yield from needing(stated, attributes, call, text, registry, settings)


def _may_hold_arguments(problem: Problem) -> bool:
    """Return whether a problem is about a text that may be an argument, or that contains some as JSON."""
    among = problem.kind == "text-between-parameters" and str(problem.data.get("text", "")).startswith("{")
    return among or bool(problem.data.get("unnamed"))


def _is_misspelling(diagnostic: Diagnostic, binding: Binding) -> bool:
    """Return whether a diagnostic reports a name in a call as a misspelling of a known one."""
    tool = binding.call.tool
    if tool is not None and not binding.candidates:
        return diagnostic.code == _UNKNOWN_TOOL and binding.registry.near(tool) is not None
    return diagnostic.code == _UNKNOWN_ARGUMENT and diagnostic.span in binding.misspellings


def _resolver(call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> FixResolver | None:
    """Return the resolver for the fixes of a call with syntax errors, None for other calls."""
    # Imported only where there are diagnostics; the search runs only when a fix is requested.
    from callwright.rules.support.fix_resolver import FixResolver

    return FixResolver.of(call, text, registry, settings)
