"""Fixes of calls whose tags or markers are damaged: the one slip that explains the text, in place of guesses.

Owns: for which findings the search for the slip is made, and what becomes of the readers' own repairs. Must not know:
which slips are tried, any single rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.analysis.marker_repairs import MarkerRepair
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings
    from callwright.analysis.snapshot import ReadPassage
    from callwright.tools.registry import ToolRegistry

#: Codes of findings about tags, markers, sections and fences.
_MARKUP = "TC1"


def mended(found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings) -> list[Diagnostic]:
    """Return a passage's findings with fixes that know of damaged marks; nothing is tried before one is asked for."""
    if not any(is_about_marks(each) for each in found):
        return found
    names = [settings.dialect] if settings.dialect is not None else [each.call.dialect for each in read.calls]
    tools = [each.call.tool for each in read.calls if each.call.tool is not None]
    repair = MarkerRepair(read.passage.text, [name for name in names if name], tools, registry, settings)
    return [_with_repair(each, repair) for each in found]


def is_about_marks(diagnostic: Diagnostic) -> bool:
    """Tell whether a finding says that a tag, marker, section or fence is at fault."""
    return diagnostic.code.startswith(_MARKUP) and diagnostic.severity in (Severity.ERROR, Severity.WARNING)


def _with_repair(diagnostic: Diagnostic, repair: MarkerRepair) -> Diagnostic:
    def fixes() -> Iterator[Fix]:
        own = diagnostic.fixes
        sole = repair.sole
        if sole is None and not repair.doubtful:
            yield from own
            return
        if sole is not None and is_about_marks(diagnostic):
            yield Fix(sole.title, sole.edits)
        for fix in own:
            if sole is None or fix.edits != sole.edits:
                yield replace(fix, applicability=Applicability.UNSAFE) if fix.is_safe else fix

    return replace(diagnostic, _fixes=fixes)
