"""The packaged extension in a real VS Code: inside its extension host, and on its screen.

Owns: which programs drive the editor and how their results become tests. Must not know: what a case asserts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from e2e.conftest import ROOT, CodeServer, required

pytestmark = pytest.mark.editor

DRIVERS = Path(__file__).parent / "vscode"
ARTIFACTS = ROOT / "artifacts"
CASES = sorted(path.stem for path in (DRIVERS / "host" / "cases").glob("*.cjs"))
STEPS = sorted(path.stem for path in (DRIVERS / "screen" / "steps").glob("*.mjs"))
Results = dict[str, str | None]


@cache
def reports(folder: Path) -> Mapping[str, str]:
    """Write the pages that the commands make, once, and return the variables that name them."""
    transcripts = ROOT / "tests" / "transcripts"
    sources = [transcripts / "callwright-session" / "corpus", transcripts / "anthropic" / "corpus"]
    files = [str(file) for source in sources for file in sorted(source.glob("*.json*"))]
    checked, corpus = folder / "checked", ROOT / "tests" / "corpus" / "fixtures" / "*.parquet"
    pages = {"REPORT": str(folder / "report.html"), "CORPUS_REPORT": str(folder / "corpus-report.html")}
    commands = [
        (["report", *files, "--output-file", pages["REPORT"], "--title", "Report"], 0),
        (["corpus", "check", str(corpus), "--isolated", "--quiet", "--out", str(checked)], 1),
        (["corpus", "report", str(checked), "-o", pages["CORPUS_REPORT"]], 0),
    ]
    for words, code in commands:
        assert subprocess.run([sys.executable, "-m", "callwright", *words], timeout=120, check=False).returncode == code
    return pages


def drive(
    program: str, server: CodeServer, workspace: Path, selected: list[str], timeout: float, suite: str = "cases"
) -> Results:
    """Run a driver for the selected cases and return what it wrote: for each None, or what went wrong."""
    ARTIFACTS.mkdir(exist_ok=True)
    results = server.folder / f"{Path(program).stem}-{suite}.json"
    shown = reports(server.folder)
    environment = os.environ | {
        "PORT": str(server.port),
        "WORKSPACE": str(workspace),
        "SUITE": suite,
        "RESULTS": str(results),
        "SELECTED": ",".join(selected),
        "SCREENSHOTS": str(ARTIFACTS),
        **shown,
        "CHROMIUM": str(required("CHROMIUM")),
    }
    run = subprocess.run(
        ["node", str(DRIVERS / program)],
        env=environment,
        timeout=timeout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    (ARTIFACTS / f"{results.stem}.log").write_text(run.stdout, encoding="utf-8")
    if not results.exists():
        pytest.fail(f"{program} ended without results:\n{run.stdout[-4000:]}")
    found: Results = json.loads(results.read_text(encoding="utf-8"))
    return found


def chosen(session: pytest.Session, test: Callable[..., None]) -> list[str]:
    """Return the parameters with which a test of this run is called."""
    functions = [item for item in session.items if isinstance(item, pytest.Function) and item.function is test]
    return [str(value) for function in functions for value in function.callspec.params.values()]


@pytest.fixture(scope="module")
def in_the_host(code_server: CodeServer, request: pytest.FixtureRequest) -> Results:
    selected = chosen(request.session, test_in_the_extension_host)
    return drive("host.mjs", code_server, code_server.workspace("host"), selected, timeout=420)


@pytest.mark.parametrize("case", CASES)
def test_in_the_extension_host(case: str, in_the_host: Results) -> None:
    report(case, in_the_host)


@pytest.fixture(scope="module")
def on_the_screen(code_server: CodeServer, request: pytest.FixtureRequest) -> Results:
    selected = chosen(request.session, test_on_the_screen)
    return drive("screen.mjs", code_server, code_server.workspace("screen"), selected, timeout=900)


@pytest.mark.parametrize("step", STEPS)
def test_on_the_screen(step: str, on_the_screen: Results) -> None:
    report(step, on_the_screen)


def report(case: str, results: Results) -> None:
    """Pass where the case found nothing wrong, else fail with its own words."""
    wrong = results.get(case, "it did not run")
    if wrong is not None:
        pytest.fail(wrong, pytrace=False)
