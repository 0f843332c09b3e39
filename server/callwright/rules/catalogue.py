"""The list of rules, made by listing this room.

Owns: finding rule modules, and which rules word which problems. Must not know: what any of them says.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from callwright.rules.base import Rule, Scope

_OTHERS = frozenset({"__init__", "base", "catalogue"})


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, in the order of their codes."""
    rules: list[Rule] = []
    for file in Path(__file__).parent.glob("*.py"):
        if file.stem in _OTHERS:
            continue
        module = import_module(f"callwright.rules.{file.stem}")
        rules += [
            value()
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__
        ]
    return tuple(sorted(rules, key=lambda rule: rule.code))


@cache
def rules_of(scope: Scope) -> tuple[Rule, ...]:
    """Return the rules of one scope, in the order of their codes."""
    return tuple(rule for rule in all_rules() if rule.scope is scope)


@cache
def rules_by_problem() -> dict[str, tuple[Rule, ...]]:
    """Return the rules that word each kind of problem."""
    table: dict[str, tuple[Rule, ...]] = {}
    for rule in all_rules():
        for kind in rule.problems:
            table[kind] = (*table.get(kind, ()), rule)
    return table


def find_rule(code_or_name: str) -> Rule | None:
    """Return the rule of that code (in any case) or name, or None."""
    wanted = code_or_name.strip()
    return next((rule for rule in all_rules() if wanted.upper() == rule.code or wanted.lower() == rule.name), None)
