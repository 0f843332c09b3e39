"""Tool files in Python: functions, models and literals that define tools, read without being imported or run.

Owns: which parts of a source define tools, and their order. Must not know: how annotations, docstrings and literals are
read, other formats.

Explicit definitions exclude all others: decorated functions, classes of tools, literals and calls in a shape that some
API accepts, and functions and models that are passed on as tools. In a file without any, the tools are its functions
with annotations and a docstring, else its models.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.parts import LocatedValue, PartPlaces
from callwright.tools.python.annotations import Schemas
from callwright.tools.python.constraints import Note
from callwright.tools.python.functions import Tools
from callwright.tools.python.module import Fault, Function, Module, parse

#: The message for a value that is known only at run time.
UNKNOWN: Final = "tool-part-unknown"

_SCHEMA_KEYS: Final = frozenset(
    ["inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema", "args_schema"]
)
#: Every definition has one of these members; an unknown name is reported, and nothing else.
_NAMED: Final = frozenset(["name", "function", "toolSpec", "functionDeclarations", "function_declarations"])
_TOOL_BASES: Final = frozenset(["BaseTool", "Tool", "StructuredTool", "AsyncBaseTool"])
#: Functions that make a tool of a function or model argument.
_MAKERS: Final = frozenset(
    [
        *("pydantic_function_tool", "from_function", "from_defaults", "FunctionTool", "function_to_schema", "add_tool"),
        *("convert_to_openai_tool", "convert_to_openai_function", "function_tool", "tool", "Tool", "from_callable"),
    ]
)
_LISTS: Final = frozenset(["tools", "functions", "tool_list", "available_tools", "all_tools"])


class PythonFormat:
    """Python sources."""

    name = "python"
    title = "Python"
    endings = (".py", ".pyi")

    def parse(self, text: str, start: int) -> Parsed:
        """Return the definitions as a list, in the order of the text; for a source with a fault, only that fault."""
        found = parse(text, start)
        if isinstance(found, Fault):
            offset = min(found.offset, len(text))
            end = offset + 1 if text[offset : offset + 1].strip() else offset
            problem = invalid(
                Span(offset, end), f"the file is not valid Python: {found.reason}", "correct the file there"
            )
            return Parsed(None, PartPlaces(LocatedValue(None, Span(start, len(text)))), (problem,), broken=True)
        reader = _Reader(found)
        parts = sorted(reader.definitions(), key=lambda part: part.span.start)
        top = LocatedValue([], Span(start, len(text)))
        for part in parts:
            top.put(len(top.value), part)
        return Parsed(top.value, PartPlaces(top), tuple(_problems(reader.schemas.notes)))


class _Reader:
    """Finds the definitions in one source."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.schemas = Schemas(module)
        self._tools = Tools(module, self.schemas)
        self._seen: set[int] = set()

    def definitions(self) -> list[LocatedValue]:
        marked = [*self._marked()]
        if marked:
            return marked
        functions = [*self._documented()]
        return functions or [self._tools.model(node) for node in self._models()]

    def _marked(self) -> Iterator[LocatedValue]:
        """Yield the explicit definitions."""
        module = self.module
        passed: list[tuple[ast.expr, ast.Call | None]] = []
        inner: set[int] = set()
        methods = {id(each) for node in module.nodes if isinstance(node, ast.ClassDef) for each in node.body}
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                decorator = self._tools.decorator(node)
                if decorator is not None and self._is_new(node):
                    call = decorator if isinstance(decorator, ast.Call) else None
                    yield self._tools.function(node, call, method=id(node) in methods and _is_bound(node))
            elif isinstance(node, ast.ClassDef):
                if any(module.last(base) in _TOOL_BASES for base in node.bases) and self._is_new(node):
                    part = self._tools.tool_class(node)
                    if part is not None:
                        yield part
            elif isinstance(node, ast.Dict | ast.Call) and id(node) not in inner:
                if _is_definition(node):
                    # A node inside a definition is a part of it.
                    inner.update(id(each) for each in ast.walk(node))
                    part = self._tools.definition(node)
                    if not _NAMED.isdisjoint(part.value):
                        yield part
                elif isinstance(node, ast.Call):
                    passed += self._handed(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(_is_list_name(each) for each in targets):
                    passed += [(each, None) for each in _items(node.value)]
        for named, made in passed:
            part = self._of_name(named, made)
            if part is not None:
                yield part

    def _handed(self, node: ast.Call) -> Iterator[tuple[ast.expr, ast.Call | None]]:
        """Yield the functions and models that a call turns into tools, or passes on as tools."""
        if self.module.last(node.func) in _MAKERS:
            given = [
                *node.args[:1],
                *(each.value for each in node.keywords if each.arg in ("func", "fn", "coroutine", "model")),
            ]
            yield from ((each, node) for each in given if isinstance(each, ast.Name))
        for keyword in node.keywords:
            if keyword.arg in _LISTS:
                yield from ((each, None) for each in _items(keyword.value))

    def _of_name(self, named: ast.expr, made: ast.Call | None) -> LocatedValue | None:
        if not isinstance(named, ast.Name):
            return None
        function, owner = self.module.functions.get(named.id), self.module.classes.get(named.id)
        if function is not None and self._is_new(function):
            return self._tools.function(function, _keywords_only(made))
        if (
            owner is not None
            and self.schemas.kind(owner) in ("model", "typed-dict", "dataclass")
            and self._is_new(owner)
        ):
            return self._tools.model(owner, made)
        return None

    def _is_new(self, node: ast.AST) -> bool:
        new = id(node) not in self._seen
        self._seen.add(id(node))
        return new

    def _documented(self) -> Iterator[LocatedValue]:
        """Yield the top-level functions with a docstring and annotated parameters."""
        for node in self.module.tree.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
                continue
            if node.name == "main" or node.name.startswith(("_", "test_")):
                continue
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if self.module.docstring(node) is not None and all(each.annotation is not None for each in given):
                yield self._tools.function(node)

    def _models(self) -> list[ast.ClassDef]:
        """Return the models that are not part of another; typed dictionaries and dataclasses where there is no
        model.
        """
        module = self.module
        named: set[str] = set()
        tops = [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
        for owner in tops:
            for node in ast.walk(owner):
                if isinstance(node, ast.Name) and node.id != owner.name:
                    named.add(node.id)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                    named.add(node.value)
        for wanted in (("model",), ("typed-dict", "dataclass")):
            of_kind = [node for node in tops if self.schemas.kind(node) in wanted and not node.name.startswith("_")]
            roots = [node for node in of_kind if node.name not in named]
            if of_kind:
                return roots or of_kind
        return []


def _problems(notes: list[Note]) -> Iterator[Problem]:
    """Yield a problem for each place with an unknown value."""
    seen: set[Span] = set()
    for note in sorted(notes, key=lambda each: each.span):
        if note.span not in seen:
            seen.add(note.span)
            remedy = "calls may pass any value; write it out here, or export the tools with `callwright tools export`"
            yield Problem(UNKNOWN, note.span, {"pointer": "", "reason": note.reason, "remedy": remedy})


def _is_bound(node: Function) -> bool:
    """Return whether the first parameter of a method is the object itself."""
    return not any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)


def _keywords_only(call: ast.Call | None) -> ast.Call | None:
    """Return a call without its positional arguments, which are the function itself."""
    return ast.copy_location(ast.Call(call.func, [], call.keywords), call) if call is not None else None


def _is_list_name(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lower() in _LISTS or name.lower().endswith("_tools")


def _items(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []


def _is_definition(node: ast.Dict | ast.Call) -> bool:
    """Return whether an expression has the shape of a tool definition of some API."""
    if isinstance(node, ast.Call):
        stated = {each.arg: each.value for each in node.keywords if each.arg is not None}
        if node.args or not stated:
            return False
    else:
        stated = {
            key.value: value
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if "functionDeclarations" in stated or "function_declarations" in stated or "toolSpec" in stated:
        return True
    function = stated.get("function")
    if function is not None and "type" in stated:
        keys = function.keys if isinstance(function, ast.Dict) else []
        names = [key.value for key in keys if isinstance(key, ast.Constant)]
        return "arguments" not in names and isinstance(function, ast.Dict | ast.Name | ast.Call)
    schema = next((stated[key] for key in _SCHEMA_KEYS if key in stated), None)
    return "name" in stated and isinstance(schema, ast.Dict | ast.Name | ast.Call | ast.Attribute)


FORMAT: Format = PythonFormat()
