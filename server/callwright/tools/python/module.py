"""A Python source as known without running it: its names, its literals, and their places.

Owns: `Module`: places of nodes, the meaning of names, the values of literal expressions. Must not know: tools,
annotations. Nothing is imported or run, and no source raises.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import warnings
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from callwright.text.span import Span
from callwright.tools.parts import LocatedValue

#: How deep expressions are followed.
DEPTH: Final = 60
#: How many values literals may have beyond the written ones; a list that contains itself by name has no end.
_MAX_COUNT: Final = 20_000
_BREAK: Final = re.compile(r"\r\n|\n|\r")
_TRIMMED: Final = {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}
_EMPTY: Final[dict[str, type]] = {"dict": dict, **dict.fromkeys(("list", "set", "frozenset", "tuple"), list)}
_UNINDENTED: Final = {"dedent": textwrap.dedent, "cleandoc": inspect.cleandoc}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class UnknownError(Exception):
    """The value of an expression is known only at run time."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__("not known")
        self.node = node


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is not valid Python, and where."""

    reason: str
    offset: int


def parse(text: str, start: int) -> Module | Fault:
    """Return the module in `text` from `start` on, or the fault that makes it invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text[start:])
    except SyntaxError as error:
        lines = _line_starts(text, start)
        line = min(max((error.lineno or 1) - 1, 0), len(lines) - 1)
        offset = min(lines[line] + max((error.offset or 1) - 1, 0), len(text))
        return Fault(error.msg or "it cannot be read", offset)
    except (ValueError, RecursionError, MemoryError, UnicodeError) as error:
        deep = isinstance(error, RecursionError | MemoryError)
        return Fault("it is nested too deep" if deep else "it contains characters that Python does not accept", start)
    return Module(text, start, tree)


def _line_starts(text: str, start: int) -> list[int]:
    return [start, *(match.end() for match in _BREAK.finditer(text, start))]


def _byte_columns(line: str) -> array[int]:
    """Return for each byte of a line in UTF-8, and for its end, the character that it belongs to."""
    columns = array("l")
    for index, char in enumerate(line):
        code = ord(char)
        columns.extend([index] * (1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4))
    columns.append(len(line))
    return columns


class Module:
    """The content of a source."""

    def __init__(self, text: str, start: int, tree: ast.Module) -> None:
        self.text = text
        self.tree = tree
        self.nodes: list[ast.AST] = list(ast.walk(tree))
        self.imports: dict[str, str] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, Function] = {}
        #: Names that are bound to one expression throughout, and those that are bound again.
        self.constants: dict[str, ast.expr] = {}
        self._lines = _line_starts(text, start)
        #: For lines with non-ASCII characters, the offset in the line for each byte.
        self._wide: dict[int, array[int] | None] = {}
        self._left = _MAX_COUNT + 4 * len(self.nodes)
        self._moved: list[Span] = []
        # The walk is breadth-first, so that top-level nodes come first.
        for node in self.nodes:
            self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for name in node.names:
                self.imports.setdefault(
                    name.asname or name.name.partition(".")[0],
                    name.name if name.asname else name.name.partition(".")[0],
                )
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                self.imports.setdefault(name.asname or name.name, f"{node.module or ''}.{name.name}".lstrip("."))
        elif isinstance(node, ast.ClassDef):
            self.classes.setdefault(node.name, node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.functions.setdefault(node.name, node)
        elif isinstance(node, ast.Module):
            for statement in node.body:
                if isinstance(statement, ast.Assign):
                    for target in statement.targets:
                        if isinstance(target, ast.Name):
                            self.constants[target.id] = statement.value
                elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    if statement.value is not None:
                        self.constants[statement.target.id] = statement.value
                elif type(statement).__name__ == "TypeAlias":
                    self.constants[statement.name.id] = statement.value  # type: ignore[attr-defined] # Python 3.12 has it

    # -- places --------------------------------------------------------------------------------------------------------

    def span(self, node: Any) -> Span:
        """Return the span of a node."""
        if self._moved:
            return self._moved[-1]
        return Span(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place in Python's terms: lines from 1, columns in bytes of UTF-8."""
        start = self._lines[min(line, len(self._lines)) - 1]
        if line not in self._wide:
            end = self._lines[line] if line < len(self._lines) else len(self.text)
            own = self.text[start:end]
            self._wide[line] = None if own.isascii() else _byte_columns(own)
        columns = self._wide[line]
        if columns is None:
            return min(start + column, len(self.text))
        return start + columns[min(column, len(columns) - 1)]

    def name_span(self, node: Function | ast.ClassDef) -> Span:
        """Return the span of the name of a definition."""
        whole = self.span(node)
        if self._moved:
            return whole
        at = re.compile(rf"\b{re.escape(node.name)}\b").search(self.text, whole.start + 4, whole.end)
        return Span(*at.span()) if at is not None else whole

    def parsed(self, node: ast.Constant) -> ast.expr | None:
        """Return the expression in a string, such as an annotation in quotes."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(str(node.value).strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def moved(self, span: Span | None) -> None:
        """Place all nodes at `span` until this is called with None: for nodes that were parsed from a string."""
        if span is None:
            self._moved.pop()
        else:
            self._moved.append(self._moved[-1] if self._moved else span)

    def stay(self) -> list[Span]:
        """Place nodes where they are in the source, and return what `back` needs to undo that."""
        moved, self._moved = self._moved, []
        return moved

    def back(self, moved: list[Span]) -> None:
        """Undo what `stay` did."""
        self._moved = moved

    # -- names ---------------------------------------------------------------------------------------------------------

    def qualified(self, node: ast.AST | None) -> str:
        """Return the dotted name of an expression, with imported names expanded; empty for any other expression."""
        steps: list[str] = []
        while isinstance(node, ast.Attribute):
            steps.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        local = node.id in self.classes or node.id in self.constants
        steps.append(node.id if local else self.imports.get(node.id, node.id))
        return ".".join(reversed(steps))

    def last(self, node: ast.AST | None) -> str:
        """Return the last part of the dotted name of an expression."""
        return self.qualified(node).rpartition(".")[2]

    def class_of(self, node: ast.AST | None) -> ast.ClassDef | None:
        """Return the class in this source that an expression names."""
        if isinstance(node, ast.Name | ast.Attribute):
            return self.classes.get(self.last(node))
        return None

    # -- literals ------------------------------------------------------------------------------------------------------

    def literal(self, node: ast.expr, depth: int = DEPTH) -> LocatedValue:
        """Return the JSON value of an expression. Raises UnknownError at an unknown part."""
        if depth <= 0 or not self.spend():
            raise UnknownError(node)
        span = self.span(node)
        if isinstance(node, ast.Constant):
            if node.value is None or isinstance(node.value, str | bool | int | float):
                return LocatedValue(node.value, span)
            raise UnknownError(node)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            part = LocatedValue([], span)
            for item in node.elts:
                if isinstance(item, ast.Starred):
                    for inner in self._items(item.value, depth):
                        part.put(len(part.value), inner)
                else:
                    part.put(len(part.value), self.literal(item, depth - 1))
            return part
        if isinstance(node, ast.Dict):
            part = LocatedValue({}, span)
            for key, value in zip(node.keys, node.values, strict=True):
                self._member(part, key, value, depth)
            return part
        return self._computed(node, span, depth)

    def spend(self) -> bool:
        """Count a value; return False where there are too many."""
        self._left -= 1
        return self._left > 0

    def _items(self, node: ast.expr, depth: int) -> Iterator[LocatedValue]:
        spread = self.literal(node, depth - 1)
        if not isinstance(spread.value, list):
            raise UnknownError(node)
        yield from spread.parts.values()

    def _member(self, part: LocatedValue, key: ast.expr | None, value: ast.expr, depth: int) -> None:
        if key is None:
            spread = self.literal(value, depth - 1)
            if not isinstance(spread.value, dict):
                raise UnknownError(value)
            for step, inner in spread.parts.items():
                part.put(step, inner, spread.keys.get(step))
            return
        name = self.literal(key, depth - 1).value
        if isinstance(name, list | dict):
            raise UnknownError(key)
        part.put(name if isinstance(name, str) else str(name), self.literal(value, depth - 1), self.span(key))

    def _computed(self, node: ast.expr, span: Span, depth: int) -> LocatedValue:
        """Return the value of a name or of a simple operation."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.literal(self.constants[node.id], depth - 1)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self.literal(node.operand, depth - 1).value
            if isinstance(value, int | float) and not isinstance(value, bool):
                return LocatedValue(-value if isinstance(node.op, ast.USub) else value, span)
        elif isinstance(node, ast.BinOp):
            return self._operation(node, span, depth)
        elif isinstance(node, ast.Attribute):
            member = self._enum_member(node, depth)
            if member is not None:
                return member
        elif isinstance(node, ast.Call):
            return self._text_call(node, span, depth)
        elif isinstance(node, ast.JoinedStr):
            pieces = [each.value for each in node.values if isinstance(each, ast.Constant)]
            if len(pieces) == len(node.values):
                return LocatedValue("".join(map(str, pieces)), span)
        raise UnknownError(node)

    def _operation(self, node: ast.BinOp, span: Span, depth: int) -> LocatedValue:
        left, right = self.literal(node.left, depth - 1), self.literal(node.right, depth - 1)
        if isinstance(node.op, ast.Add) and isinstance(left.value, str) and isinstance(right.value, str):
            if len(left.value) + len(right.value) <= len(self.text):
                return LocatedValue(left.value + right.value, span)
        elif isinstance(node.op, ast.Add) and isinstance(left.value, list) and isinstance(right.value, list):
            part = LocatedValue([], span)
            for inner in (*left.parts.values(), *right.parts.values()):
                part.put(len(part.value), inner)
            return part
        elif isinstance(node.op, ast.BitOr) and isinstance(left.value, dict) and isinstance(right.value, dict):
            part = LocatedValue({}, span)
            for side in (left, right):
                for step, inner in side.parts.items():
                    part.put(step, inner, side.keys.get(step))
            return part
        elif isinstance(left.value, int | float) and isinstance(right.value, int | float):
            return LocatedValue(self._number(node, left.value, right.value), span)
        raise UnknownError(node)

    def _number(self, node: ast.BinOp, left: float, right: float) -> float:
        if max(abs(left), abs(right)) < 1e18:
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Pow) and isinstance(right, int) and 0 <= right <= 64 and abs(left) <= 1024:
                power: float = left**right
                return power
        raise UnknownError(node)

    def _text_call(self, node: ast.Call, span: Span, depth: int) -> LocatedValue:
        """Return the value of a call that trims or dedents a text, or makes an empty collection."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _TRIMMED and not node.args:
            value = self.literal(node.func.value, depth - 1).value
            if isinstance(value, str):
                return LocatedValue(_TRIMMED[node.func.attr](value), span)
        elif not node.args and not node.keywords and self.last(node.func) in _EMPTY:
            return LocatedValue(_EMPTY[self.last(node.func)](), span)
        elif len(node.args) == 1 and not node.keywords and self.last(node.func) in _UNINDENTED:
            value = self.literal(node.args[0], depth - 1).value
            if isinstance(value, str):
                return LocatedValue(_UNINDENTED[self.last(node.func)](value), span)
        raise UnknownError(node)

    def _enum_member(self, node: ast.Attribute, depth: int) -> LocatedValue | None:
        """Return the value of a member of an enumeration of this source (`Color.RED`, `Color.RED.value`)."""
        named = node.value if node.attr == "value" and isinstance(node.value, ast.Attribute) else node
        owner = self.class_of(named.value)
        if owner is None:
            return None
        for statement in owner.body:
            if not isinstance(statement, ast.Assign):
                continue
            if named.attr in [target.id for target in statement.targets if isinstance(target, ast.Name)]:
                if isinstance(statement.value, ast.Call) and self.last(statement.value.func) == "auto":
                    return LocatedValue(named.attr.lower(), self.span(node)) if self._is_text_enum(owner) else None
                return self.literal(statement.value, depth - 1).at(self.span(node))
        return None

    def _is_text_enum(self, owner: ast.ClassDef) -> bool:
        return any(self.last(base) == "StrEnum" for base in owner.bases)

    # -- docstrings ----------------------------------------------------------------------------------------------------

    def docstring(self, node: Function | ast.ClassDef) -> tuple[str, ast.Constant] | None:
        """Return the docstring of a definition, and its node."""
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return first.value.value, first.value
        return None

    def text_span(self, node: ast.Constant, part: Span) -> Span:
        """Return the span of a part of a string's text; it is exact where the string has no escapes."""
        whole = self.span(node)
        raw = whole.of(self.text)
        value = str(node.value)
        written = value if "\r\n" not in raw else value.replace("\n", "\r\n")
        at = raw.find(written)
        if at < 0 or not value:
            return whole
        start, end = part
        if written is not value:
            start += value.count("\n", 0, start)
            end += value.count("\n", 0, end)
        return Span(whole.start + at + start, whole.start + at + end)
