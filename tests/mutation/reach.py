"""Which statements each test reaches: marks in the code of the modules that are to be changed.

Owns: the marks, and what is read off them. Must not know: how a module is changed, which tests are chosen.

A mark is one byte that a statement of a function sets before it runs, so that what is learnt costs little more than the
tests themselves.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

#: The name under which a module knows its marks.
_MARKERS = "__marks__"


class Reach(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives modules code with marks, and says which statements have run.

    `files` are the modules' files by the names under which they are imported.
    """

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files
        self._markers: dict[str, bytearray] = {}

    def install(self) -> None:
        """Have the modules imported with marks from now on."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        file = self._files.get(fullname)
        return importlib.util.spec_from_file_location(fullname, file, loader=self) if file is not None else None

    def exec_module(self, module: ModuleType) -> None:
        file = self._files[module.__name__]
        source = file.read_text(encoding="utf-8")
        self._markers[module.__name__] = module.__dict__[_MARKERS] = bytearray(source.count("\n") + 2)
        code = compile(marked(source), str(file), "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102

    def taken(self) -> dict[str, list[int]]:
        """Return the lines of the statements that have run since this was last asked, by module."""
        found: dict[str, list[int]] = {}
        for name, markers in self._markers.items():
            line = markers.find(1)
            while line >= 0:
                found.setdefault(name, []).append(line)
                markers[line] = 0
                line = markers.find(1, line + 1)
        return found


def marked(source: str) -> ast.Module:
    """Return the tree of a module in which each statement of a function first sets its mark."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A function in a function is met by the walk as well, and has its marks from the outer one by then.
            _marker(node)
    return ast.fix_missing_locations(tree)


def _marker(node: ast.AST) -> None:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            if any(_is_marker(each) for each in block):
                continue
            setattr(node, field, [each for statement in block for each in _with_marker(statement)])
            for statement in block:
                _marker(statement)
    for field in ("handlers", "cases"):
        for each in getattr(node, field, ()):
            _marker(each)


def _with_marker(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return [statement]
    place = ast.Subscript(ast.Name(_MARKERS, ast.Load()), ast.Constant(statement.lineno), ast.Store())
    return [ast.copy_location(ast.Assign([place], ast.Constant(1)), statement), statement]


def _is_marker(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript):
        return False
    place = statement.targets[0].value
    return isinstance(place, ast.Name) and place.id == _MARKERS
