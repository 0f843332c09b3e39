"""Lets every process of a measured run find the tasks of this folder beside those of the package, and writes down how
much of the processor each unit takes, in the file that `CALLWRIGHT_UNIT_SECONDS` names.

The first unit of a process is done twice, and the first time not counted: what is loaded once is no matter of rows.
"""

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import callwright.corpus.tasks

callwright.corpus.tasks.__path__.append(str(Path(__file__).parent))


def _timed(target: str) -> None:
    """Have the seconds of each unit added to a file."""
    import callwright.corpus.work as work

    do_unit = work.do_unit
    warm = False

    def timed(unit: Any, run_options: Any, judge: Any) -> Any:
        nonlocal warm
        if not warm:
            warm = True
            do_unit(unit, replace(run_options, out=f"{target}-{os.getpid()}"), judge)
        started = time.process_time()
        done = do_unit(unit, run_options, judge)
        with Path(target).open("a", encoding="ascii") as file:
            file.write(f"{time.process_time() - started}\n")
        return done

    setattr(work, "do_unit", timed)  # noqa: B010 - it is exported as it is


if "CALLWRIGHT_UNIT_SECONDS" in os.environ:
    _timed(os.environ["CALLWRIGHT_UNIT_SECONDS"])
