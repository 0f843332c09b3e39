"""Single nodes of Python's syntax: fields, arguments, metadata of a type.

Owns: functions of one node. Must not know: schemas, kinds of classes.
"""

from __future__ import annotations

import ast
from typing import Final

from callwright.tools.python.module import Module
from callwright.tools.python.plain_types import WRAPPERS

#: How deep annotations are followed.
DEPTH: Final = 40


def fields_of(owner: ast.ClassDef) -> list[ast.AnnAssign]:
    """Return the annotated names of a class."""
    return [statement for statement in owner.body if isinstance(statement, ast.AnnAssign)]


def name_of(statement: ast.AnnAssign) -> str | None:
    """Return the annotated name, None where the target is not a name."""
    return statement.target.id if isinstance(statement.target, ast.Name) else None


def target_of(statement: ast.stmt) -> str | None:
    """Return the name that a statement assigns or annotates, None where there is none."""
    if isinstance(statement, ast.AnnAssign):
        return name_of(statement)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def subscripts_of(node: ast.Subscript) -> list[ast.expr]:
    """Return the expressions in brackets after a type."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def argument_of(call: ast.Call, name: str) -> ast.expr | None:
    """Return the first positional argument of a call, or else the keyword of that name; None where it has neither."""
    if call.args:
        return call.args[0]
    return next((each.value for each in call.keywords if each.arg == name), None)


def beside_type(module: Module, annotation: ast.expr | None) -> list[ast.expr]:
    """Return the metadata in `Annotated[…]`, with aliases followed."""
    for _ in range(DEPTH):
        if isinstance(annotation, ast.Name) and annotation.id in module.constants:
            annotation = module.constants[annotation.id]
        elif isinstance(annotation, ast.Subscript) and module.last(annotation.value) in WRAPPERS:
            annotation = subscripts_of(annotation)[-1]
        elif isinstance(annotation, ast.Subscript) and module.last(annotation.value) == "Annotated":
            return subscripts_of(annotation)[1:]
        else:
            break
    return []
