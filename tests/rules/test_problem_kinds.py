"""Every kind of problem that a reader emits is worded by a rule, and every kind that a rule words is emitted.

Kinds are strings, and nothing but this test keeps readers and rules together: a kind without a rule would be a fault
that is found and never reported.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from callwright.index import HERE
from callwright.rules.catalogue import all_rules, rules_for
from support.engine import check

#: What reads text, or builds calls from what was read.
ROOMS = (
    "syntax",
    "calls",
    "dialects",
    "hosts",
    "schema",
    "document",
    "conversation",
    "prompt",
    "recovery",
    "declarations",
    "tools",
    "config",
    "corpus",
)
#: What makes a problem of its first argument.
MAKERS = {"Problem", "_report"}
#: Problems of tool files and configurations are named by constants that begin so.
FILES = ("tool-", "tools-", "config-")
#: Kinds that two rules word, each leaving to the other what it does not mean.
SHARED = {"mismatched-tag"}
#: Constants that look like a kind and are the name of something else: a family of calls, a dialect of results.
OTHERS = {"tool-block", "tool-result"}
_KIND = re.compile(r"[a-z]+(?:-[a-z]+)*+")


@cache
def modules() -> tuple[ast.Module, ...]:
    files = [file for room in ROOMS for file in sorted((HERE / room).rglob("*.py"))]
    return tuple(ast.parse(file.read_text(encoding="utf-8"), file.name) for file in files)


def strings(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


@cache
def every_string() -> frozenset[str]:
    return frozenset(each for module in modules() for each in strings(module))


@cache
def seen() -> frozenset[str]:
    return frozenset(emitted())


def emitted() -> Iterator[str]:
    """Yield the kinds that are written where a problem is made, or into a name that says it holds one."""
    for node in (node for module in modules() for node in ast.walk(module)):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKERS:
                yield from (each for each in strings(node.args[0]) if _KIND.fullmatch(each))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            name = target.id if isinstance(target, ast.Name) else ""
            if name == "kind":
                yield from (each for each in strings(node.value) if "-" in each and _KIND.fullmatch(each))
            elif name.isupper() and isinstance(node.value, ast.Constant):
                yield from (each for each in strings(node.value) if each.startswith(FILES) and each not in OTHERS)


def test_a_kind_that_is_emitted_is_worded() -> None:
    assert {kind: len(rules_for(kind)) for kind in seen()} == {kind: 2 if kind in SHARED else 1 for kind in seen()}


def test_the_kinds_that_a_rule_words_are_emitted() -> None:
    assert {kind for rule in all_rules() for kind in rule.problems} <= every_string()


def test_the_kinds_of_every_room_are_seen() -> None:
    assert {"unclosed-tag", "trailing-comma", "unclosed-fence", "tool-remote-ref", "config-unknown-key"} <= seen()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"<read_file><path>{'<a>' * 400}{'</a>' * 400}</path></read_file>", "TC111"),
        (f'<debug_launch>{{"args": {"[" * 400}{"]" * 400}}}</debug_launch>', "TC220"),
    ],
    ids=["markup", "json"],
)
def test_nesting_too_deep_is_stated_once(text: str, code: str) -> None:
    found = [diagnostic for diagnostic in check(text) if "levels deep" in diagnostic.message]
    assert [diagnostic.code for diagnostic in found] == [code]
