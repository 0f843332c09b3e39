"""Which modules are changed, and which tests cover them.

Owns: the table. Must not know: how a module is changed, how tests are run.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "server" / "callwright"

#: What a run is asked for with `--only`: modules of the package, by pattern.
GROUPS = {
    "syntax": ["syntax/*.py"],
    "fixer": ["fix/fixer.py"],
    "dialects": ["dialects/hermes.py", "dialects/invoke.py", "dialects/pythonic.py"],
}
#: The tests that are asked about a change, folders and files below `tests/`: first those of the group, then the rest.
OWN = {
    "syntax": ["syntax"],
    "fixer": ["test_fixer.py", "rules", "invariants/test_fixes_converge.py"],
    "dialects": ["dialects", "docs/test_dialect_pages.py"],
}
REST = [
    "calls",
    "config",
    "dialects",
    "docs/test_dialect_pages.py",
    "features/test_cursor.py",
    "hosts/test_host_cases.py",
    "hosts/test_source_strings.py",
    "invariants/test_fixes_converge.py",
    "invariants/test_lxml_agreement.py",
    "rules",
    "suites/test_json_test_suite.py",
    "suites/test_xml_suite.py",
    "syntax",
    "test_fixer.py",
    "text",
]


def modules(group: str) -> list[Path]:
    """Return the files of a group's modules, sorted; one pattern without a file is an error."""
    found: list[Path] = []
    for pattern in GROUPS[group]:
        files = sorted(PACKAGE.glob(pattern))
        assert files, f"no module is called {pattern}"
        found += files
    return found


def name(module: Path) -> str:
    """Return the name by which a module's file is imported."""
    parts = module.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files_of_tests() -> list[str]:
    """Return the files of all tests in the table, from the root on."""
    tests = ROOT / "tests"
    asked = {each for group in OWN.values() for each in group} | set(REST)
    found = {file for each in asked for file in (sorted((tests / each).rglob("test_*.py")) or [tests / each])}
    return sorted(file.relative_to(ROOT).as_posix() for file in found if file.exists())


def is_own(group: str, nodeid: str) -> bool:
    """Say whether a test belongs to a group's own."""
    return any(nodeid.startswith(f"tests/{each}") for each in OWN[group])
