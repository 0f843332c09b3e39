"""The list of rules, made by listing this room.

Owns: listing rule modules, loading them on demand, and which rules report which problems. Must not know: what any rule
checks.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module

from callwright.fastpath.fast_paths import FastPath
from callwright.index import Entry, entries, module_names
from callwright.rules.base import Rule, Scope

ROOM = "rules"


def describe() -> Sequence[Entry]:
    """Return the entry of every rule; this loads all of them."""
    rules = [(module, _load(module)) for module in module_names(ROOM)]
    return [entry_of(rule, module) for module, rule in sorted(rules, key=lambda entry: entry[1].code)]


def entry_of(rule: Rule, module: str) -> Entry:
    """Return the entry of a rule; `module` is where it is defined."""
    return {
        "code": rule.code,
        "name": rule.name,
        "module": module,
        "scope": rule.scope.value,
        "severity": rule.severity.value,
        "problems": [*rule.problems],
        "fast_path": rule.fast_path.value,
    }


@cache
def _load(name: str) -> Rule:
    module = import_module(name)
    own = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Rule)]
    (rule,) = [kind for kind in own if kind.__module__ == name]
    return rule()


@cache
def _entries() -> tuple[Entry, ...]:
    return tuple(sorted(entries(ROOM), key=lambda entry: str(entry["code"])))


@cache
def rule_names() -> frozenset[str]:
    """Return the codes and names of all rules, without loading one."""
    return frozenset(str(entry[key]) for entry in _entries() for key in ("code", "name"))


@cache
def rule_codes() -> Mapping[str, str]:
    """Return the code of each rule by its code and by its name, without loading one."""
    return {str(entry[key]): str(entry["code"]) for entry in _entries() for key in ("code", "name")}


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, in the order of their codes."""
    return tuple(_load(entry["module"]) for entry in _entries())


@cache
def rules_of(scope: Scope) -> tuple[Rule, ...]:
    """Return the rules of one scope, in the order of their codes; no other rule is loaded."""
    return tuple(_load(entry["module"]) for entry in _entries() if entry["scope"] == scope.value)


@cache
def rules_of_sound_calls() -> tuple[Rule, ...]:
    """Return the rules that may report calls that fit their tool; no other rule is loaded."""
    wanted = (one for one in _entries() if one["scope"] == Scope.CALL.value)
    return tuple(_load(entry["module"]) for entry in wanted if entry["fast_path"] != FastPath.NEEDS_FAULT)


@cache
def rules_for(problem: str) -> tuple[Rule, ...]:
    """Return the rules that report a kind of problem; no other rule is loaded."""
    return tuple(_load(entry["module"]) for entry in _entries() if problem in entry["problems"])


def title_of(code: str) -> str:
    """Return a code with the name of its rule, or the code alone where there is no such rule."""
    return next((f"{code} {entry['name']}" for entry in _entries() if entry["code"] == code), code)


def find_rule(code_or_name: str) -> Rule | None:
    """Return the rule of that code (in any case) or name, or None."""
    wanted = code_or_name.strip()
    found = (entry for entry in _entries() if wanted.upper() == entry["code"] or wanted.lower() == entry["name"])
    return next((_load(entry["module"]) for entry in found), None)
