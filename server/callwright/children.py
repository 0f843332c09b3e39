"""Child processes: the environment in which they import nothing of the current folder.

Owns: `processors`, `shut_out_folder`, `working_folder`. Must not know: who starts processes, what they do.

Python puts the current folder first in the import path of what is started with `-m` or `-c`, and `multiprocessing` and
engines start their workers and trackers in these ways. A stranger's folder may contain a `reprlib.py`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

#: Where this package was imported from.
_HOME: Final = Path(__file__).resolve().parents[1]


def processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def shut_out_folder() -> None:
    """Keep the current folder off the import path of all processes that this one starts from now on.

    A relative entry of `PYTHONPATH`, an empty one included, means the current folder too. It is left out, unless
    Callwright itself was imported from there.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    path = os.environ.get("PYTHONPATH")
    if path:
        kept = [entry for each in path.split(os.pathsep) if (entry := _kept(each))]
        os.environ["PYTHONPATH"] = os.pathsep.join(kept)


def _kept(entry: str) -> str | None:
    """Return an entry of the import path as child processes may have it."""
    if Path(entry).is_absolute():
        return entry
    return str(_HOME) if entry and Path(entry).resolve() == _HOME else None


def working_folder() -> str:
    """Return a folder in which processes may work without reading more than they read anyway.

    It is the folder of Python's own modules: for an engine that puts its working folder on the import path, nothing
    changes.
    """
    return str(Path(os.__file__).parent)
