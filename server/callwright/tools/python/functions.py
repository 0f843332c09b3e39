"""Functions and classes as tool definitions, in the format of the Model Context Protocol.

Owns: which decorators make a tool, which parameters are the caller's, and what a docstring adds. Must not know: how a
source is searched for them, how annotations are read.

Decorators are recognized by the last part of their names, which many libraries share; see the documentation of tool
sources for the examined ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence, with_members
from callwright.tools.python.annotations import Schemas
from callwright.tools.python.docstrings import Docstring, Remark, read_docstring
from callwright.tools.python.module import Function, Module

DECORATORS: Final = frozenset(
    [
        *("tool", "tool_plain", "function_tool", "beta_tool", "beta_async_tool", "kernel_function", "ai_callable"),
        *("ai_function", "llm_tool", "register_tool", "mcp_tool", "agent_tool", "as_tool"),
    ]
)
#: Types of parameters that a library fills in, and that are not in the tool's schema.
_INJECTED: Final = frozenset(
    [
        *("Context", "RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime", "RunnableConfig", "Request"),
        *(
            "CallbackManagerForToolRun",
            "AsyncCallbackManagerForToolRun",
            "Kernel",
            "KernelArguments",
            "InvocationContext",
        ),
    ]
)
_INJECTED_BESIDE: Final = frozenset(
    ["InjectedToolArg", "InjectedToolCallId", "InjectedState", "InjectedStore", "Depends"]
)
#: How deep the values of a definition are followed.
_DEPTH: Final = 40
_NAMES: Final = ("name", "name_override", "tool_name")
_DESCRIPTIONS: Final = ("description", "description_override", "desc")
_SCHEMA_MODELS: Final = ("args_schema", "input_schema", "input_model", "parameters_model")
#: The members of a tool that a decorator, or a class, may state explicitly.
_STATED: Final = ("title", "annotations", "output_schema", "deprecated", "examples", "tags", "meta", "icons")
_MEMBERS: Final = {"output_schema": "outputSchema", "meta": "_meta"}


class Tools:
    """Makes definitions of one module's functions and classes."""

    def __init__(self, module: Module, schemas: Schemas) -> None:
        self._module = module
        self._schemas = schemas

    def decorator(self, node: Function) -> ast.expr | None:
        """Return the decorator that makes a function a tool."""
        for one in node.decorator_list:
            called = one.func if isinstance(one, ast.Call) else one
            if self._module.last(called) in DECORATORS:
                return one
        return None

    def function(self, node: Function, call: ast.Call | None = None, *, method: bool = False) -> LocatedValue:
        """Return the definition of a function; `call` is the decorator or another call that makes a tool of it."""
        module = self._module
        name_span = module.name_span(node)
        whole = record(module.span(node), {})
        documented = self._docstring(node)
        settings = {each.arg: each.value for each in call.keywords if each.arg is not None} if call is not None else {}
        self._name(whole, node.name, name_span, call, settings)
        self._description(whole, documented, settings)
        model = next((settings[key] for key in _SCHEMA_MODELS if key in settings), None)
        owner = module.class_of(model) if model is not None else None
        if owner is not None and self._schemas.kind(owner) is not None:
            whole.put("inputSchema", self._schemas.of_class(owner), module.span(model))
        elif model is not None and isinstance(model, ast.Dict):
            whole.put("inputSchema", self.value(model, _DEPTH), module.span(model))
        else:
            whole.put("inputSchema", self._parameters(node, documented, method=method), name_span)
        self._settings(whole, settings)
        if "outputSchema" not in whole.value:
            self._returns(whole, node)
        self._deprecation(whole, node)
        return whole

    def model(self, node: ast.ClassDef, call: ast.Call | None = None) -> LocatedValue:
        """Return the definition of a model: a tool that takes its fields."""
        schema = self._schemas.of_class(node)
        whole = record(self._module.span(node), {})
        settings = {each.arg: each.value for each in call.keywords if each.arg is not None} if call is not None else {}
        self._name(whole, node.name, self._module.name_span(node), None, settings)
        stated = next((self._text(settings[key]) for key in _DESCRIPTIONS if key in settings), None)
        described = stated or schema.parts.get("description")
        found = self._module.docstring(node)
        if described is None and found is not None:
            described = LocatedValue(found[0].strip(), self._module.span(found[1]))
        if described is not None:
            whole.put("description", described)
        whole.put("inputSchema", schema, self._module.name_span(node))
        return whole

    def tool_class(self, node: ast.ClassDef) -> LocatedValue | None:
        """Return the definition of a class with `name` and `args_schema`, `inputs` or `_run`; None for others."""
        stated: dict[str, ast.expr] = {}
        methods: dict[str, Function] = {}
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                stated[statement.target.id] = statement.value
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                stated[statement.targets[0].id] = statement.value
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                methods[statement.name] = statement
        name = self._text(stated["name"]) if "name" in stated else None
        if name is None:
            return None
        whole = record(self._module.span(node), {"name": name})
        described = self._text(stated["description"]) if "description" in stated else None
        if described is not None:
            whole.put("description", described)
        owner = self._module.class_of(stated.get("args_schema"))
        run = next((methods[each] for each in ("_run", "run", "forward", "_arun", "execute") if each in methods), None)
        if owner is not None and self._schemas.kind(owner) is not None:
            whole.put("inputSchema", self._schemas.of_class(owner))
        elif isinstance(stated.get("inputs"), ast.Dict):
            properties = self.value(stated["inputs"], _DEPTH)
            required = [
                key for key, one in properties.value.items() if not (isinstance(one, dict) and one.get("nullable"))
            ]
            whole.put(
                "inputSchema",
                record(properties.span, {"type": "object", "properties": properties, "required": required}),
            )
        elif run is not None:
            whole.put("inputSchema", self._parameters(run, self._docstring(run), method=True))
        else:
            return None
        return whole

    def definition(self, node: ast.Dict | ast.Call) -> LocatedValue:
        """Return the object of a definition; for a call of any function, its keywords."""
        span = self._module.span(node)
        return self._keywords(node, span, _DEPTH) if isinstance(node, ast.Call) else self._dict(node, span, _DEPTH)

    def value(self, node: ast.expr, depth: int) -> LocatedValue:
        """Return the value of an expression in a definition: unknown parts are left out, or open, and noted.

        A schema of a class (`Model.model_json_schema()`), and types of the definition that are written as calls of
        keywords (`Schema(type=…)`), are read as well.
        """
        module, span = self._module, self._module.span(node)
        if depth <= 0 or not module.spend():
            return LocatedValue(None, span)
        if isinstance(node, ast.Name) and isinstance(
            module.constants.get(node.id), ast.Dict | ast.List | ast.Tuple | ast.Call
        ):
            return self.value(module.constants[node.id], depth - 1)
        if isinstance(node, ast.Dict):
            return self._dict(node, span, depth)
        if isinstance(node, ast.List | ast.Tuple):
            whole = LocatedValue([], span)
            for item in node.elts:
                inner = item.value if isinstance(item, ast.Starred) else item
                part = self.value(inner, depth - 1)
                for each in part.parts.values() if isinstance(item, ast.Starred) else (part,):
                    whole.put(len(whole.value), each)
            return whole
        if isinstance(node, ast.Call):
            made = self._made(node, span, depth)
            if made is not None:
                return made
        if isinstance(node, ast.Attribute) and module.last(node.value) == "Type":
            # A member of an enumeration of types, as in `Type.OBJECT`.
            return LocatedValue(node.attr, span)
        known = self._schemas.literal(node)
        if known is None:
            self._schemas.note(span, "this value is not known without running the file")
            return LocatedValue(None, span)
        return known

    def _dict(self, node: ast.Dict, span: Span, depth: int) -> LocatedValue:
        whole = LocatedValue({}, span)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread = self.value(value, depth - 1)
                for step, inner in spread.parts.items():
                    if isinstance(step, str):
                        whole.put(step, inner, spread.keys.get(step))
                continue
            name = self._schemas.literal(key)
            if name is None or isinstance(name.value, dict | list):
                self._schemas.note(self._module.span(key), "this key is not known without running the file")
                continue
            part = self._member(str(name.value), value, depth)
            if part.value is not None or (isinstance(value, ast.Constant) and value.value is None):
                whole.put(str(name.value), part, name.span)
            elif name.value in ("inputSchema", "input_schema", "parameters"):
                whole.put(str(name.value), record(part.span, {"type": "object"}), name.span)
        return whole

    def _member(self, key: str, node: ast.expr, depth: int) -> LocatedValue:
        """Return the value of a member; a concatenated text may have gaps."""
        if isinstance(node, ast.JoinedStr) and key in ("description", "title"):
            return self._worded(node)
        return self.value(node, depth - 1)

    def _worded(self, node: ast.JoinedStr) -> LocatedValue:
        """Return a text with an ellipsis for each unknown piece."""
        known = [self._schemas.literal(each) if isinstance(each, ast.Constant) else None for each in node.values]
        return LocatedValue(
            "".join("…" if each is None else str(each.value) for each in known), self._module.span(node)
        )

    def _made(self, node: ast.Call, span: Span, depth: int) -> LocatedValue | None:
        """Return the value of a call: the schema of a class, or an object of its keywords."""
        name = self._module.last(node.func)
        if isinstance(node.func, ast.Attribute) and name in ("model_json_schema", "schema", "json_schema"):
            called = node.func.value
            if isinstance(called, ast.Call) and self._module.last(called.func) == "TypeAdapter" and called.args:
                return self._schemas.of(called.args[0]).at(span)
            owner = self._module.class_of(called)
            if owner is not None and self._schemas.kind(owner) is not None:
                return self._schemas.of_class(owner).at(span)
            return None
        if name == "dict" or (node.keywords and not node.args and name[:1].isupper()):
            return self._keywords(node, span, depth)
        return None

    def _keywords(self, node: ast.Call, span: Span, depth: int) -> LocatedValue:
        """Return the keywords of a call as an object."""
        whole = LocatedValue({}, span)
        for each in node.keywords:
            if each.arg is None:
                continue
            part = self._member(each.arg, each.value, depth)
            if part.value is not None:
                start = self._module.span(each).start
                whole.put(each.arg, part, Span(start, start + len(each.arg)))
        return whole

    # -- parts of a definition -----------------------------------------------------------------------------------------

    def _text(self, node: ast.expr) -> LocatedValue | None:
        part = self._schemas.literal(node)
        return part if part is not None and isinstance(part.value, str) else None

    def _name(
        self, whole: LocatedValue, name: str, span: Span, call: ast.Call | None, settings: dict[str, ast.expr]
    ) -> None:
        stated = next((self._text(settings[key]) for key in _NAMES if key in settings), None)
        if stated is None and call is not None and call.args:
            stated = self._text(call.args[0])
        whole.put("name", stated or LocatedValue(name, span))

    def _description(
        self, whole: LocatedValue, documented: tuple[Docstring, ast.Constant] | None, settings: dict[str, ast.expr]
    ) -> None:
        for key in _DESCRIPTIONS:
            if key in settings:
                stated = self._text(settings[key])
                if stated is not None:
                    whole.put("description", stated)
                else:
                    self._schemas.note(
                        self._module.span(settings[key]), "the description is not known without running the file"
                    )
                return
        if documented is not None and documented[0].description is not None:
            whole.put("description", self._remark(documented[0].description, documented[1]))

    def _remark(self, remark: Remark, node: ast.Constant) -> LocatedValue:
        return LocatedValue(remark.text, self._module.text_span(node, remark.span))

    def _docstring(self, node: Function) -> tuple[Docstring, ast.Constant] | None:
        found = self._module.docstring(node)
        return (read_docstring(found[0]), found[1]) if found is not None else None

    def _settings(self, whole: LocatedValue, settings: dict[str, ast.expr]) -> None:
        for key in _STATED:
            if key not in settings or key == "tags":
                continue
            node = settings[key]
            if isinstance(node, ast.Constant) and node.value is None:
                continue
            part = self.value(node, _DEPTH)
            if part.value is not None:
                whole.put(_MEMBERS.get(key, key), part, self._module.span(node))

    def _deprecation(self, whole: LocatedValue, node: Function) -> None:
        for one in node.decorator_list:
            called = one.func if isinstance(one, ast.Call) else one
            if self._module.last(called) == "deprecated":
                stated = self._text(one.args[0]) if isinstance(one, ast.Call) and one.args else None
                whole.put("deprecated", stated or LocatedValue(True, self._module.span(one)))

    def _returns(self, whole: LocatedValue, node: Function) -> None:
        """Add the output schema, where the function returns an object of a class of the module."""
        returned = node.returns
        while isinstance(returned, ast.Subscript) and self._module.last(returned.value) in ("Awaitable", "Annotated"):
            inner = returned.slice
            returned = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
        if isinstance(returned, ast.Constant) and isinstance(returned.value, str):
            returned = self._module.parsed(returned)
        owner = self._module.class_of(returned)
        if owner is not None and self._schemas.kind(owner) in ("model", "dataclass", "typed-dict"):
            whole.put("outputSchema", self._schemas.of_class(owner))

    def _parameters(
        self, node: Function, documented: tuple[Docstring, ast.Constant] | None, *, method: bool
    ) -> LocatedValue:
        """Return the schema of a function's arguments."""
        span = self._module.name_span(node)
        properties, required = record(span, {}), sequence(span, [])
        needs: list[str] = []
        for index, (argument, default) in enumerate(_arguments(node)):
            if self._is_injected(argument, default, first=index == 0, method=method):
                continue
            call = self._schemas.field_call(default)
            facts = self._schemas.field_facts(argument.annotation, call)
            part, more = self._parameter(argument, call)
            needs += more
            if documented is not None and "description" not in part.value:
                remark = documented[0].parameters.get(argument.arg)
                if remark is not None:
                    described = self._remark(remark, documented[1])
                    part = with_members(part, {"description": (described, None)})
            if call is None:
                facts.default, facts.required = default or facts.default, default is None and facts.required
            part = self._schemas.with_default(part, facts)
            start = self._module.span(argument).start
            at = Span(start, start + len(argument.arg))
            name = facts.name or argument.arg
            properties.put(name, part, at)
            if facts.required:
                required.put(len(required.value), LocatedValue(name, at))
        if node.args.vararg is not None:
            self._schemas.note(self._module.span(node.args.vararg), "a call cannot pass values without names")
        whole = record(span, {"type": "object", "properties": properties})
        if required.value:
            whole.put("required", required)
        return self._schemas.complete(whole, needs)

    def _parameter(self, argument: ast.arg, call: ast.Call | None) -> tuple[LocatedValue, list[str]]:
        span = self._module.span(argument)
        if argument.annotation is None:
            self._schemas.note(span, f"`{argument.arg}` has no annotation, so a call may pass any value")
            return record(span, {}), []
        metadata = [call] if call is not None else []
        return self._schemas.fragment(argument.annotation, metadata=metadata, remarks=True)

    def _is_injected(self, argument: ast.arg, default: ast.expr | None, *, first: bool, method: bool) -> bool:
        """Return whether a parameter is filled in by the program, not by a call."""
        if first and (argument.arg in ("self", "cls") or method):
            return True
        if argument.annotation is None:
            return argument.arg in ("ctx", "context", "run_manager")
        called = default.func if isinstance(default, ast.Call) else None
        if self._module.last(called) in _INJECTED_BESIDE:
            return True
        return any(
            self._module.last(each) in _INJECTED or self._module.last(each) in _INJECTED_BESIDE
            for each in _names_in(argument.annotation)
        )


def _arguments(node: Function) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the parameters that have names, with their defaults."""
    given = [*node.args.posonlyargs, *node.args.args]
    missing = len(given) - len(node.args.defaults)
    yield from zip(given, [*([None] * missing), *node.args.defaults], strict=True)
    yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _names_in(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield the types that an annotation names at its top, and their metadata."""
    waiting: list[ast.expr] = [annotation]
    for _ in range(200):
        if not waiting:
            return
        one = waiting.pop()
        if isinstance(one, ast.Subscript):
            waiting.append(one.value)
            inner = one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
            if isinstance(one.value, ast.Name | ast.Attribute) and _last(one.value) in (
                "Annotated",
                "Optional",
                "Union",
            ):
                waiting += inner
        elif isinstance(one, ast.BinOp):
            waiting += [one.left, one.right]
        elif isinstance(one, ast.Call):
            waiting.append(one.func)
        elif isinstance(one, ast.Name | ast.Attribute):
            yield one


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr
