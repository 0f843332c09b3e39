"""What all tests share: the flag that rewrites case files, how much runs, and how properties are sought.

Without `--whole` a sample of the tests runs. On a developer's machine every run tries another sample and other
examples. With `CI` set it tries the same ones every time, so that a run is red for what changed and not by chance.
"""

import gc
import os
from collections import Counter
from collections.abc import Callable
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support import sampling
from support.cases import Case, Outputs, Producer, may_update
from support.network import refuse_network
from support.timings import Timings

# A run remembers what it found; tests leave nothing, and remember nothing but where that is what they test.
os.environ["CALLWRIGHT_NO_CACHE"] = "1"


#: Documents of a corpus are read and never run, whatever their names.
collect_ignore_glob = ["hosts/*/corpus/*", "transcripts/*/corpus/*"]
#: How many kinds of what was counted are listed one by one.
MANY = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write what is produced into the case files")
    parser.addoption("--whole", action="store_true", help="run everything, and not a sample")
    parser.addoption("--sample-seed", type=int, help="the seed that chooses the sample; printed in the header")
    parser.addoption("--timings", metavar="NAME", help="keep the CPU time of each room as that of `make NAME`")


def pytest_configure(config: pytest.Config) -> None:
    """No test reaches a network, but those that drive an editor: there an extension is installed as users do it.

    Tests that are named one by one, and case files that are rewritten, are never sampled.
    """
    if str(config.getoption("markexpr")).strip() != "editor":
        refuse_network()
    option = config.option
    option.whole |= option.update_cases or any("::" in word for word in config.args)
    worker = getattr(config, "workerinput", {})
    if "sample_seed" in worker:
        option.sample_seed = worker["sample_seed"]
    elif option.sample_seed is None:
        option.sample_seed = 0 if os.environ.get("CI") else SystemRandom().randrange(1_000_000)
    sampling.choose(None if option.whole else option.sample_seed)
    # How fast a machine is says nothing of what is right.
    timeless = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("sought", timeless, max_examples=sampling.tries(100))
    settings.register_profile("ci", settings.get_profile("sought"), derandomize=True, database=None, print_blob=True)
    settings.load_profile("ci" if os.environ.get("CI") else "sought")
    if option.timings:
        config.pluginmanager.register(Timings(config, option.timings))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each worker of pytest-xdist the same seed."""
    node.workerinput["sample_seed"] = node.config.option.sample_seed


def pytest_report_header(config: pytest.Config) -> str:
    """Say what is run, and how to run the same once more."""
    if sampling.whole():
        return "sample: none, everything runs"
    return f"sample: --sample-seed={config.option.sample_seed} (--whole runs everything)"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have workers look for garbage less often, and never among modules and tests, which stay until the end.

    Otherwise a sixth of the time goes there.
    """
    if hasattr(session.config, "workerinput"):
        gc.collect()
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests that are marked `whole` out of a sample, with their reason."""
    if sampling.whole():
        return
    for item in items:
        marker = item.get_closest_marker("whole")
        if marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"runs in `make test-all`: {marker.kwargs['reason']}"))


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


@pytest.fixture
def named_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the projects of a test be those of an author whose configuration names the shipped sets among others.

    For tests about something else than which tools judge a text: they need no configuration beside their files.
    """
    from callwright.config import files, project, tool_files
    from callwright.tools.shipped import shipped_registry

    for module in (files, project, tool_files):
        monkeypatch.setattr(module, "offered_tools", shipped_registry)
