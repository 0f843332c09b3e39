"""The house: no cycle of files, and no file, function or signature that is too large to hold in mind."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from callwright.index import HERE

ROOT = HERE.parent
#: Lines of a file and of a function, and parameters beside `self`.
LINES_OF_FILE: Final = 800
LINES_OF_FUNCTION: Final = 80
PARAMETERS: Final = 8
#: What may be larger, and why: five at most.
EXCEPTIONS: Final[Mapping[str, str]] = {
    "callwright.runtime.loop.__init__": "the keyword options of a public class: a group of them is worse to write",
}


@cache
def modules() -> Mapping[str, Path]:
    """Return the modules of the package by their full names."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in sorted(HERE.rglob("*.py"))
    }


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def imported(name: str) -> Iterator[str]:
    """Yield the modules of the package that a module imports, wherever it does, but for type checkers alone."""
    waiting: list[ast.AST] = [tree(modules()[name])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert not node.level, f"{name}: imports are absolute"
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                found = inner if inner in modules() else node.module
                if found in modules() and found != name:
                    yield found
        waiting += ast.iter_child_nodes(node)


def cycles(graph: Mapping[str, frozenset[str]]) -> Iterator[list[str]]:
    """Yield the groups of modules that import each other, by whatever way."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    for root in graph:
        if root in number:
            continue
        work = [(root, iter(graph[root]))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    group = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    lowest.update(dict.fromkeys(group, len(graph)))
                    if len(group) > 1:
                        yield sorted(group)
            elif following not in number:
                number[following] = lowest[following] = len(number)
                stack.append(following)
                work.append((following, iter(graph[following])))
            else:
                lowest[node] = min(lowest[node], lowest[following])


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {name: frozenset(imported(name)) for name in modules()}
    assert sum(map(len, graph.values())) > 2_000, "imports are seen"
    assert list(cycles(graph)) == []


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "b", "b": "a", "c": "a"}, [["a", "b"]]),
        ({"a": "b", "b": "c", "c": "a", "d": "ce", "e": "d"}, [["a", "b", "c"], ["d", "e"]]),
    ],
)
def test_a_circle_is_seen(graph: dict[str, str], found: list[list[str]]) -> None:
    assert list(cycles({name: frozenset(to) for name, to in graph.items()})) == found


def too_large() -> Iterator[tuple[str, str]]:
    """Yield what is too large, by its place, and how large it is."""
    for name, file in modules().items():
        lines = file.read_text(encoding="utf-8").count("\n")
        if lines > LINES_OF_FILE:
            yield name, f"{lines} lines"
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{name}.{node.name}"
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LINES_OF_FUNCTION:
                    yield place, f"{lines} lines"
                given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                count = len(given) - (given[:1] in (["self"], ["cls"]))
                if count > PARAMETERS:
                    yield place, f"{count} parameters"


def test_nothing_is_too_large_to_hold_in_mind() -> None:
    found = dict(too_large())
    assert {place: size for place, size in found.items() if place not in EXCEPTIONS} == {}
    assert found.keys() >= EXCEPTIONS.keys(), "an exception that is none any more"
    assert len(EXCEPTIONS) <= 5
