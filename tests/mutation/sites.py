"""Where a module's source can be changed a little, and what it is then: the operators of mutation testing.

Owns: the kinds of change. Must not know: which tests notice one, and how they are run.

Left alone is what no test of behaviour could notice or what would not run: docstrings, annotations, decorators,
assertions, the words of an exception, what only a type checker reads.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
#: Comparisons of which the other one is the negation.
_OPPOSITES = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_SIGNS: dict[type[ast.operator] | type[ast.cmpop], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
#: Calls whose arguments only a type checker reads.
_TYPING = {"cast", "TypeVar", "NewType", "ParamSpec"}
_ANOTHER_CHARACTER = "~"


@dataclass(frozen=True)
class Site:
    """One possible change: its line, and what it is.

    `function` is the line at which the innermost function around it begins, 0 outside; `statement` is that of the
    innermost statement. `change` changes the tree that the site was found in.
    """

    line: int
    function: int
    statement: int
    operator: str
    describe: Callable[[], str]
    change: Callable[[], None]

    @property
    def what(self) -> str:
        """What the change is, in words; to be asked for before the change is made."""
        return self.describe()


def sites(tree: ast.Module) -> list[Site]:
    """Return the places in a tree that can be changed, in the order in which they are; the same for equal sources."""
    finder = _Finder()
    finder.block(tree.body)
    return finder.found


def mutant(source: str, number: int, filename: str) -> CodeType:
    """Return the code of a module with its change of this number, as counted by `sites`."""
    tree = ast.parse(source, filename)
    sites(tree)[number].change()
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


class _Finder(ast.NodeVisitor):
    """Walks through a module and remembers where it could be changed."""

    def __init__(self) -> None:
        self.found: list[Site] = []
        self._function = 0
        self._statement = 0
        #: Names that the function at hand binds more than once, so that one binding less still runs.
        self._again: set[str] = set()

    def _add(
        self, node: ast.expr | ast.stmt, operator: str, describe: Callable[[], str], change: Callable[[], None]
    ) -> None:
        self.found.append(Site(node.lineno, self._function, self._statement, operator, describe, change))

    def block(self, body: list[ast.stmt]) -> None:
        outside = self._statement
        for position, statement in enumerate(body):
            self._statement = statement.lineno
            if self._removable(statement):

                def remove(position: int = position, statement: ast.stmt = statement) -> None:
                    body[position] = ast.copy_location(ast.Pass(), statement)

                self._add(
                    statement,
                    "statement",
                    partial(_reported, "without {}", statement),
                    remove,
                )
            self.visit(statement)
        self._statement = outside

    def _removable(self, statement: ast.stmt) -> bool:
        if not self._function:
            return False
        if isinstance(statement, ast.Assign):
            return any(not isinstance(each, ast.Name) or each.id in self._again for each in statement.targets)
        if isinstance(statement, ast.Expr):
            return not isinstance(statement.value, ast.Constant)
        return isinstance(statement, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Delete)

    def generic_visit(self, node: ast.AST) -> None:
        """Visit what is in a node, and statements as the blocks that they are."""
        for _, value in ast.iter_fields(node):
            if isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    self.block(value)
                else:
                    for each in value:
                        if isinstance(each, ast.AST):
                            self.visit(each)
            elif isinstance(value, ast.AST):
                self.visit(value)

    # Statements

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]:
            self.visit(default)
        outside = self._function, self._again
        # A code object begins at its first decorator.
        self._function = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        self._again = _bound_again(node.body)
        self.block(node.body)
        self._function, self._again = outside

    visit_FunctionDef = _visit_function  # noqa: N815 -- the names are those of the tree
    visit_AsyncFunctionDef = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.block(node.body)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        del node

    def visit_Raise(self, node: ast.Raise) -> None:
        del node

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if value is None:
            return
        if not (isinstance(value, ast.Constant) and value.value is None):

            def forget() -> None:
                node.value = ast.copy_location(ast.Constant(None), value)

            self._add(node, "return", lambda: f"`return None` for `{ast.unparse(node)[:60]}`", forget)
        self.visit(value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._condition(node)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node)
        self.generic_visit(node)

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node)
        self.generic_visit(node)

    def _condition(self, node: ast.If | ast.While | ast.IfExp) -> None:
        test = node.test
        if _has_its_negation(test) or isinstance(test, ast.Constant):
            return

        def negate() -> None:
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)

        self._add(test, "condition", partial(_reported, "`not` before {}", test), negate)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for position, test in enumerate(node.ifs):
            if not _has_its_negation(test):

                def negate(position: int = position, test: ast.expr = test) -> None:
                    node.ifs[position] = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)

                self._add(test, "condition", partial(_reported, "`not` before {}", test), negate)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):

            def affirm() -> None:
                # `not not x` is what `x` means where a condition is.
                node.operand = ast.copy_location(ast.UnaryOp(ast.Not(), node.operand), node.operand)

            self._add(node, "condition", lambda: f"`{ast.unparse(node.operand)[:60]}` without its `not`", affirm)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for position, operator in enumerate(node.ops):
            other = _COMPARISONS[type(operator)]

            def swap(position: int = position, other: type[ast.cmpop] = other) -> None:
                node.ops[position] = other()

            signs = f"`{_SIGNS[other]}` for `{_SIGNS[type(operator)]}`"
            self._add(node, "comparison", partial(_reported, f"{signs} in {{}}", node), swap)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or if isinstance(node.op, ast.And) else ast.And

        def swap() -> None:
            node.op = other()

        self._add(node, "boolean", lambda: f"`{other.__name__.lower()}` in `{ast.unparse(node)[:60]}`", swap)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._arithmetic(node, node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._arithmetic(node, node)
        self.visit(node.value)

    def _arithmetic(self, place: ast.expr | ast.stmt, node: ast.BinOp | ast.AugAssign) -> None:
        other = _ARITHMETIC.get(type(node.op))
        # Outside functions `|` joins types.
        if other is None or (isinstance(node.op, ast.BitOr) and not self._function):
            return

        def swap() -> None:
            node.op = other()

        signs = f"`{_SIGNS[other]}` for `{_SIGNS[type(node.op)]}`"
        self._add(place, "arithmetic", partial(_reported, f"{signs} in {{}}", node), swap)

    def visit_Call(self, node: ast.Call) -> None:
        if not (isinstance(node.func, ast.Name) and node.func.id in _TYPING):
            self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is None:
                continue
            for step in (1, -1):

                def move(bound: ast.expr = bound, step: int = step) -> None:
                    moved = ast.BinOp(bound, ast.Add(), ast.Constant(step))
                    if node.lower is bound:
                        node.lower = ast.copy_location(moved, bound)
                    else:
                        node.upper = ast.copy_location(moved, bound)

                # `x[-1:]` and `x[:-1]` would turn into another thing altogether, and be noticed at once.
                if isinstance(bound, ast.UnaryOp) and step == 1:
                    continue
                self._add(bound, "slice", partial(_reported, f"bound {step:+d} in {{}}", node), move)
            if not isinstance(bound, ast.Constant | ast.UnaryOp):
                self.visit(bound)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                self.visit(each.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        changed: bool | int | str
        if isinstance(value, bool):
            changed = not value
        elif isinstance(value, int):
            changed = value + 1
        elif isinstance(value, str) and value:
            changed = value[:-1] if len(value) > 1 else _ANOTHER_CHARACTER
        else:
            return

        def change() -> None:
            node.value = changed

        self._add(node, "constant", lambda: f"`{changed!r:.40}` for `{value!r:.40}`", change)


def _reported(words: str, node: ast.AST) -> str:
    return words.format(f"`{ast.unparse(node)[:60]}`")


def _has_its_negation(test: ast.expr) -> bool:
    """Say whether another change of this condition is its negation, so that it need not be made twice."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], _OPPOSITES)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _bound_again(body: Iterable[ast.stmt]) -> set[str]:
    bound = Counter(
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return {name for name, times in bound.items() if times > 1}
