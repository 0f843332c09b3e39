"""What all tests share: the flag that rewrites case files, and how properties are sought.

On a developer's machine every run tries other examples. With `CI` set each property tries the same ones every time, so
that a run is red for what changed and not by chance.
"""

import os
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import settings

from support.cases import Case, Outputs, Producer, may_update
from support.network import refuse_network

# A run remembers what it found; tests leave nothing behind, and remember nothing but where that is what they test.
os.environ["CALLWRIGHT_NO_CACHE"] = "1"

settings.register_profile("ci", derandomize=True, database=None, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


#: Documents of a corpus are read and never run, whatever their names.
collect_ignore_glob = ["hosts/*/corpus/*", "transcripts/*/corpus/*"]
#: How many kinds of what was counted are listed one by one.
MANY = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write what is produced into the case files")


def pytest_configure(config: pytest.Config) -> None:
    """No test reaches a network, but those that drive an editor: there an extension is installed as users do it."""
    if str(config.getoption("markexpr")).strip() != "editor":
        refuse_network()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what tests counted: each records `(what, of which kind, how many)` as its property `counted`."""
    totals: dict[str, Counter[str]] = {}
    for report in [each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, ())]:
        for name, value in report.user_properties:
            if name == "counted":
                what, kind, number = value
                totals.setdefault(what, Counter())[kind] += number
    if totals:
        terminalreporter.section("counted")
    for what, counts in sorted(totals.items()):
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        kinds = kinds if len(counts) <= MANY else f"of {len(counts)} kinds"
        terminalreporter.write_line(f"{what}: {counts.total()} ({kinds})")


@pytest.fixture(scope="session")
def _outputs(request: pytest.FixtureRequest) -> dict[str, Outputs]:
    """One record of rewritings for the session: a fence that grew moves those below it."""
    del request
    return {}


@pytest.fixture
def check_case(
    request: pytest.FixtureRequest, _outputs: dict[str, Outputs]
) -> Callable[[Case, dict[str, Producer]], None]:
    """Return the function that checks a case, or rewrites it with `--update-cases`."""
    update = may_update(bool(request.config.getoption("--update-cases")))

    def check(case: Case, producers: dict[str, Producer]) -> None:
        outputs = _outputs.setdefault(str(case.file), Outputs({}, update))
        outputs.producers = producers
        outputs.check(case)

    return check
