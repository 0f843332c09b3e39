"""The engine as cases and examples see it: a source and some settings in, diagnostics, calls and texts out.

Owns: how the words of a `source` fence become a project. Must not know: what any rule or dialect says.

Words: `dialect=`, `accept=a,b`, `strict`, `markup=`, `reasoning=`, `provider=`, `template=`, `path=` (the file's name
chooses the host; Markdown without one), `tools=examples` (the tools of the rules' examples, the default),
`tools=shipped`, `tools=none`; a `tools` fence goes before them.
"""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from callwright.config import CONFIGURATION_NAMES
from callwright.conversion import convert_document
from callwright.declarations.load import read_tools
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import fix_all
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic
from callwright.tools.registry import EMPTY, ToolRegistry
from callwright.tools.shipped import shipped_registry
from support.cases import Case, Fence, Producer, annotate, diagnostics_of

EXAMPLE_TOOLS = Path(__file__).parents[1] / "rules" / "tools.json"


@cache
def registry_named(name: str) -> ToolRegistry:
    """Return the registry that a case asks for by name."""
    if name == "none":
        return EMPTY
    if name == "shipped":
        return shipped_registry()
    if name == "examples":
        registry = ToolRegistry.of(json.loads(EXAMPLE_TOOLS.read_text(encoding="utf-8")))
        assert not registry.problems
        return registry
    raise ValueError(f"a case can have the tools `examples`, `shipped` or `none`, not `{name}`")


def settings_of(words: Mapping[str, Any]) -> Settings:
    """Return settings from lines of a configuration or the words of a fence."""
    known: dict[str, Any] = {}
    for key in ("dialect", "markup", "severity", "reasoning", "provider", "template"):
        if key in words:
            known[key] = words[key]
    for key in ("accept", "select", "ignore"):
        if key in words:
            value = words[key]
            known[key] = tuple(value.split(",") if isinstance(value, str) else value)
    if "placeholders" in words:
        known["placeholders"] = words["placeholders"] in (True, "yes", "true")
    if "max_mistakes" in words:
        known["max_mistakes"] = int(words["max_mistakes"])
    if "strict" in words:
        known["strict"] = words["strict"] in (True, "yes", "true")
    return Settings(**known)


def toml_settings(lines: str) -> Settings:
    """Return the settings that lines of `callwright.toml` state."""
    return settings_of(tomllib.loads(lines))


def registry_of(case: Case) -> ToolRegistry:
    """Return the tools that a case is read with: those of its `tools` fence, else those that its source asks for."""
    given = case.given.get("tools")
    if given is None:
        return registry_named(case.info.get("tools", "examples"))
    if "path" in given.info:
        return read_tools(given.body, given.info["path"])
    return ToolRegistry.of(json.loads(given.body))


def snapshot_of(
    text: str, *, tools: str = "examples", settings: Settings | None = None, path: str = "case.md"
) -> Snapshot:
    """Return the snapshot of a text."""
    return open_snapshot(text, path=path, registry=registry_named(tools), settings=settings or Settings())


def case_snapshot(case: Case) -> Snapshot:
    """Return the snapshot of a case's source under the project that its words describe."""
    path = case.info.get("path", "case.md")
    host = find_host("configuration") if Path(path).name in CONFIGURATION_NAMES else None
    return open_snapshot(case.source, path=path, registry=registry_of(case), settings=settings_of(case.info), host=host)


def check(text: str, settings: Settings | None = None, path: str = "case.md", tools: str = "") -> list[Diagnostic]:
    """Return the diagnostics in a text (Markdown, if `path` says nothing else) that may call the tools of the examples.

    `tools` is a tool file in JSON that takes the place of those.
    """
    if not tools:
        return diagnostics(snapshot_of(text, settings=settings, path=path))
    registry = ToolRegistry.of(json.loads(tools))
    assert not registry.problems
    return diagnostics(open_snapshot(text, path=path, registry=registry, settings=settings or Settings()))


def _diagnostics(case: Case, fence: Fence) -> str:
    return annotate(case.source, diagnostics_of(diagnostics(case_snapshot(case))))


def _found_diagnostics(case: Case, fence: Fence) -> str:
    """Return each diagnostic with its severity, and what can be done about it."""
    out: list[str] = []
    for found in diagnostics(case_snapshot(case)):
        out.append(f"{found.severity.value} {found.code} {found.name}")
        out += [f"  {fix.applicability.value}: {fix.title}" for fix in found.fixes]
    return "\n".join(out) or "no finding"


def _fixed(case: Case, fence: Fence) -> str:
    return _lines(fix_all(case_snapshot(case), unsafe="unsafe" in fence.info)[0])


def _converted(case: Case, fence: Fence) -> str:
    conversion = convert_document(case_snapshot(case), fence.info["to"])
    refused = [f"refused: {one.tool}: {one.reason}" for one in conversion.refused]
    return "\n".join([_lines(conversion.text), *refused])


def _tree(case: Case, fence: Fence) -> str:
    """Return the calls: each with its dialect and the place of its first character, and its arguments as JSON."""
    out: list[str] = []
    source = case.source
    for placed in case_snapshot(case).placed_calls():
        call = placed.call
        before = source[: placed.span.start].replace("\r\n", "\n").replace("\r", "\n")
        place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        words = [call.tool or "?", f"({call.dialect})", place]
        words += ["sketch"] * call.sketch + ["cut off"] * (not call.complete)
        words += [f"id={call.call_id}"] if call.call_id is not None else []
        out.append(" ".join(words))
        for name, value in placed.binding.arguments.items():
            out.append(f"  {name} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(out) or "no call"


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")


#: What the engine can say about a source.
PRODUCERS: dict[str, Producer] = {
    "diagnostics": _diagnostics,
    "findings": _found_diagnostics,
    "fixed": _fixed,
    "converted": _converted,
    "tree": _tree,
}
