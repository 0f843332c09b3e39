"""Rules that a test adds while it runs, as a file in `rules/` would.

Owns: installing rule classes in the catalogue and taking them out again, and the way without any fast path. Must not
know: what the rules look at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

import pytest

from callwright import index
from callwright.analysis import deferred, fast_paths, quick
from callwright.rules import catalogue
from callwright.rules.base import Rule
from callwright.rules.support import plain_tools
from callwright.runtime import strict

_CACHES: Final[tuple[Any, ...]] = (
    index.entries,
    catalogue._load,
    catalogue._entries,
    catalogue.rule_names,
    catalogue.rule_codes,
    catalogue.all_rules,
    catalogue.rules_of,
    catalogue.rules_of_sound_calls,
    catalogue.rules_for,
    fast_paths._unsafe_rules,
)


@contextmanager
def added_rules(*rules: type[Rule]) -> Iterator[None]:
    """Let the catalogue know these rules, too, until the block ends; processes that are forked in it know them."""
    known = index._index()
    modules = {f"callwright.rules.added_{rule.code.lower()}": rule for rule in rules}
    entries = [catalogue.entry_of(rule(), module) for module, rule in modules.items()]
    listed: Callable[[str], list[str]] = index.module_names
    with pytest.MonkeyPatch.context() as patch:
        for name, rule in modules.items():
            module = ModuleType(name)
            rule.__module__ = name
            vars(module)[rule.__name__] = rule
            patch.setitem(sys.modules, name, module)
        patch.setattr(index, "_index", lambda: {**known, "rules": [*known["rules"], *entries]})
        patch.setattr(index, "module_names", lambda room: listed(room) + [*modules] * (room == "rules"))
        _forget()
        try:
            yield
        finally:
            patch.undo()
            _forget()


@contextmanager
def without_fast_paths() -> Iterator[None]:
    """Have every text read closely and every rule asked until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (quick, deferred, plain_tools, strict):
            patch.setattr(module, "may_answer", lambda *_: False)
        deferred._latest = None
        yield
    deferred._latest = None


def _forget() -> None:
    for each in _CACHES:
        each.cache_clear()
    deferred._latest = None
