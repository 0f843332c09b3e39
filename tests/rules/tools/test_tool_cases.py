"""What the rules say about tool files: the files `*.md` here.

The words of a `source` fence: `path=` (the file's name, which says its language; `tools.json` without one), and the
settings, as elsewhere. A `tools` fence holds the tools of another file of the same project, `base.json`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.declarations.load import read_tools
from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import fix_all
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from support.cases import Case, Fence, Producer, annotate, diagnostics_of, load_cases
from support.engine import settings_of


def tool_snapshot(case: Case) -> Snapshot:
    path = case.info.get("path", "tools.json")
    registry = read_tools(case.source, path)
    if "tools" in case.given:
        registry = registry.merge(read_tools(case.given["tools"].body, "base.json"))
    return open_snapshot(
        case.source, path=path, registry=registry, settings=settings_of(case.info), host=find_host("tool-file")
    )


def _diagnostics(case: Case, fence: Fence) -> str:
    del fence
    return annotate(case.source, diagnostics_of(diagnostics(tool_snapshot(case))))


def _found_diagnostics(case: Case, fence: Fence) -> str:
    """Return each diagnostic with its severity, and what can be done about it."""
    del fence
    out: list[str] = []
    for found in diagnostics(tool_snapshot(case)):
        out.append(f"{found.severity.value} {found.code} {found.name}")
        out += [f"  {fix.applicability.value}: {fix.title}" for fix in found.fixes]
    return "\n".join(out) or "no finding"


def _fixed(case: Case, fence: Fence) -> str:
    return fix_all(tool_snapshot(case), unsafe="unsafe" in fence.info)[0].replace("\r\n", "\n").removesuffix("\n")


PRODUCERS: dict[str, Producer] = {"diagnostics": _diagnostics, "findings": _found_diagnostics, "fixed": _fixed}


@pytest.mark.parametrize("case", load_cases(Path(__file__).parent), ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
