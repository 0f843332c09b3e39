"""Starting: a worker that cannot start, or that ends before its first word, ends the command with what is wrong.

An engine waits for that word without end, so without this each of these would hang."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corpus.running import Run, ray_environment

ROW = {"messages": [{"role": "user", "content": "a"}]}
#: Keeps a package from being imported by a process that is not a command.
NO_ENGINE = "import sys\nif 'callwright' not in sys.orig_argv: sys.modules['daft.execution.udf_worker'] = None\n"
#: Ends a worker of the engine as soon as it runs.
STILLBORN = "import os, sys\nif 'daft.execution.udf_worker' in sys.orig_argv: os._exit(3)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text(f"{json.dumps(ROW)}\n" * 3)
    return tmp_path


def started(folder: Path, code: str, *words: str, environment: dict[str, str] | None = None) -> Run:
    """Begin a check whose processes run something before all else."""
    own = folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text(code)
    return Run(folder, folder / "out", *words, environment={**(environment or os.environ), "PYTHONPATH": str(own)})


def test_a_worker_that_cannot_import_the_engine_is_reported(folder: Path) -> None:
    code, stated = started(folder, NO_ENGINE, "--jobs", "2").end()
    assert code == 2
    assert stated == (
        "callwright: a worker cannot start: ModuleNotFoundError: import of daft.execution.udf_worker halted; None in "
        "sys.modules\n"
    )


@pytest.mark.whole(reason="it waits until a plan has stood still for seconds")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_worker_that_ends_before_its_first_word_ends_the_command(jobs: str, folder: Path) -> None:
    code, stated = started(folder, STILLBORN, "--jobs", jobs).end()
    assert code == 2
    assert stated == (
        "callwright: a worker ended before it could start, possibly for lack of memory. Finished work is kept: run the"
        " same command again to continue.\n"
    )


@pytest.mark.whole(reason="it starts Ray")
def test_a_worker_that_cannot_start_on_a_node_is_reported_with_its_name(folder: Path) -> None:
    # Ray's own processes are started with the file of a program, those of Daft with the name of a module.
    lacking = "import sys\nif sys.orig_argv[1] == '-c': sys.modules['daft'] = None\n"
    with ray_environment() as environment:
        run = started(folder, lacking, "--engine", "ray", "--jobs", "2", environment=environment)
        code, stated = run.end()
    assert code == 2
    assert stated.startswith("callwright: a worker cannot start on `")
    assert "No module named 'daft" in stated
