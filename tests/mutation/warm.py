"""Changes tried in a process that has collected all tests already.

Owns: the exchange of a function's code and of a module's values, and the run of single tests. Must not know: how a
module is changed, which tests are chosen.

A child of such a process costs a fraction of one that imports the package. What was made of a function or a value when
the package was imported stays, so a change may go unnoticed here that a fresh import would show.
"""

from __future__ import annotations

import gc
import importlib
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

from mutation.children import ELSEWHERE, INVALID, KILLED, PATIENCE, SLOWER, SURVIVED, limit

#: A function, whatever holds it: its file, its qualified name, the line at which it begins.
Key = tuple[str, str, int]


class Collected:
    """Collects tests, and instead of running them does `work` with them and with every function that is loaded."""

    def __init__(
        self,
        modules: Sequence[str],
        work: Callable[[Mapping[str, pytest.Item], Mapping[Key, list[FunctionType]]], None],
    ) -> None:
        self._modules, self._work = modules, work

    def pytest_collection(self) -> None:
        quiet_hypothesis()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for each in self._modules:
            importlib.import_module(each)
        functions: dict[Key, list[FunctionType]] = {}
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                functions.setdefault(_key(each.__code__), []).append(each)
        gc.collect()
        gc.freeze()
        self._work({item.nodeid: item for item in session.items}, functions)
        return True


def quiet_hypothesis() -> None:
    """Have properties end at the first example against them, and never because the machine is slow."""
    settings.register_profile(
        "mutation",
        parent=settings.get_profile("ci"),
        phases=(Phase.explicit, Phase.generate),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutation")


def try_inside(
    file: Path,
    code: CodeType,
    functions: Mapping[Key, list[FunctionType]],
    items: Mapping[str, pytest.Item],
    stages: Sequence[Mapping[str, float]],
) -> tuple[Any, int]:
    """Run the tests of each stage with the changed functions of a module, until one fails.

    Returns the test that failed and how many ran. A change that no loaded function has is `INVALID`; one
    that only a fresh import can make is `ELSEWHERE`.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    exchanged = 0
    for each in _within(code):
        for function in functions.get(_key(each), []):
            if function.__code__.co_filename == str(file) and function.__code__ != each:
                try:
                    function.__code__ = each
                except ValueError as error:
                    # It uses another number of names of the function around it, as one that calls `super()` does.
                    return {"error": repr(error)}, ELSEWHERE
                exchanged += 1
    if not exchanged:
        return {"error": "no function has the change"}, INVALID
    return _run(items, stages)


def try_values(
    module: str, code: CodeType, items: Mapping[str, pytest.Item], stages: Sequence[Mapping[str, float]]
) -> tuple[Any, int]:
    """Run the tests of each stage with the plain values that a changed module has when it is imported, until one fails.

    Where no plain value has the change, nothing is run, and it counts as survived.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    limit(PATIENCE)
    changed = ModuleType(module)
    changed.__file__ = sys.modules[module].__file__
    changed.__package__ = module.rpartition(".")[0]
    try:
        exec(code, changed.__dict__)  # noqa: S102
    except Exception as error:  # noqa: BLE001
        return {"error": repr(error)}, INVALID
    if not _exchange(sys.modules[module], changed):
        return {"ran": 0}, SURVIVED
    return _run(items, stages)


def _exchange(module: ModuleType, changed: ModuleType) -> int:
    """Take over plain values of a module and its classes, wherever the package holds them; return how many differed."""
    exchanged = 0
    for name, new in list(vars(changed).items()):
        old = vars(module).get(name)
        if isinstance(old, type) and isinstance(new, type) and old.__module__ == module.__name__:
            for attribute, value in vars(new).items():
                if not attribute.startswith("__") and _is_plain(value) and vars(old).get(attribute) != value:
                    setattr(old, attribute, value)
                    exchanged += 1
        elif not name.startswith("__") and _is_plain(new) and old != new:
            for each in list(sys.modules.values()):
                if each.__name__.startswith("callwright.") and vars(each).get(name) is old:
                    setattr(each, name, new)
            exchanged += 1
    return exchanged


def _is_plain(value: object) -> bool:
    """Say whether a value is nothing but what it holds, so that another one can be in its place."""
    if is_dataclass(value) and not isinstance(value, type):
        # A grammar or an envelope: what it is made of may be functions, and then it is another one each time.
        return True
    if isinstance(value, tuple | list | set | frozenset):
        return all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(_is_plain(each) for each in value) and all(_is_plain(each) for each in value.values())
    return value is None or isinstance(value, str | int | float | re.Pattern)


def _run(items: Mapping[str, pytest.Item], stages: Sequence[Mapping[str, float]]) -> tuple[Any, int]:
    order = [(items[nodeid], seconds) for stage in stages for nodeid, seconds in stage.items()]
    for number, (item, seconds) in enumerate(order):
        limit(max(PATIENCE, SLOWER * seconds))
        following = order[number + 1][0] if number + 1 < len(order) else None
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return {"test": item.nodeid, "ran": number + 1}, KILLED
    return {"ran": len(order)}, SURVIVED


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _within(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _within(each)
