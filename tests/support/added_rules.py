"""Rules that a test adds while it runs, as a file in `rules/` would.

Owns: installing rule classes in the catalogue and taking them out again, and the way without any fast path. Must not
know: what the rules check.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from callwright import index
from callwright.fastpath import fast_paths, quick, triage
from callwright.rules import catalogue
from callwright.rules.base import Rule
from callwright.rules.support import plain_tools
from callwright.runtime import strict_reader
from support.added_modules import added_modules

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
    modules = {f"callwright.rules.added_{rule.code.lower()}": rule for rule in rules}
    entries = [catalogue.entry_of(rule(), module) for module, rule in modules.items()]
    for name, rule in modules.items():
        rule.__module__ = name
    held = {name: (rule.__name__, rule) for name, rule in modules.items()}
    with added_modules("rules", held, entries, _forget):
        yield


@contextmanager
def without_fast_paths() -> Iterator[None]:
    """Have every text read closely and every rule asked until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (quick, triage, plain_tools, strict_reader):
            patch.setattr(module, "may_answer", lambda *_: False)
        triage._latest = None
        yield
    triage._latest = None


def _forget() -> None:
    for each in _CACHES:
        each.cache_clear()
    triage._latest = None
