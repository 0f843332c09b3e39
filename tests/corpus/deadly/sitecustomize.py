"""Kills every process that begins a unit of the shard named by `DEADLY_SHARD`, as a system does that lacks memory."""

import os
import signal
from typing import Any

import callwright.corpus.work as work
from callwright.corpus.parts import UnitPart
from callwright.corpus.tasks.base import task_of

_do_unit = work.do_unit


def _do(unit: Any, run_options: Any, judge: Any) -> Any:
    if unit.source.endswith(os.environ["DEADLY_SHARD"]):
        UnitPart(unit, run_options, task_of(run_options.task))
        os.kill(os.getpid(), signal.SIGKILL)
    return _do_unit(unit, run_options, judge)


setattr(work, "do_unit", _do)  # noqa: B010 - it is exported as it is
