"""Templates as Python code, which notes what writes each piece of text.

Owns: `Sites`, `Mode`, `Code`, `compiled`. Must not know: jobs, limits, processes.
"""

from __future__ import annotations

import enum
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from types import CodeType, TracebackType
from typing import Any, Final

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context, identity
from jinja2.runtime import new_context as jinja_context

from callwright.chat_templates.environment import Environment
from callwright.chat_templates.guard import COMPILING, PERMIT
from callwright.chat_templates.places import Place, Source
from callwright.chat_templates.tagged import Tagged, joined, leaf, lifted, within, written
from callwright.text.records import NamedTuple
from callwright.text.span import Span

#: What the code of a template is called in a traceback.
FILE: Final = "<template>"

#: Filters whose strings name attributes and tests: none of them is ever written.
_NAMING: Final = frozenset({"attr", "dictsort", "groupby", "map", "reject", "rejectattr", "select", "selectattr"})
#: Statements under which text is gathered in ways that are not followed.
_UNFOLLOWED: Final = (nodes.Block, nodes.EvalContextModifier, nodes.ScopedEvalContextModifier)
#: Filters and methods that make a text of their own. In a `{% set %}` it belongs to that, not to where it is written.
_MAKING: Final = frozenset({"e", "escape", "forceescape", "format", "pprint", "tojson", "urlencode", "xmlattr"})
#: Methods that return text of their arguments.
_LIFTED: Final = frozenset({"join", "replace"})


class Mode(enum.Enum):
    """How much is noted: nothing, what each outermost `{{ }}` writes, or all literals and expressions."""

    PLAIN = enum.auto()
    OUTERMOST = enum.auto()
    ALL = enum.auto()


class Site(NamedTuple):
    """A place that writes text: `[start, end)` in the normalized source.

    `characters` are the places of the single characters that it writes, where they need telling apart, and the end of
    the last one. They are consecutive where it is an empty list.
    """

    start: int
    end: int
    exact: bool = True
    characters: list[int] | None = None


class Sites:
    """The sites of one template, by number."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.listed: list[Site] = []

    def add(self, site: Site) -> int:
        """Return the number of a new site."""
        self.listed.append(site)
        return len(self.listed) - 1

    def tag(self, node: nodes.Node) -> int:
        """Return a new site for the tag that a node is in, or for its lines where that is not known."""
        place = node.lineno
        found = self.source.tag(place.start) if isinstance(place, Place) else None
        if found is not None:
            return self.add(Site(*found))
        return self.add(Site(*self.source.line(place or 1), exact=False))

    def data(self, node: nodes.TemplateData) -> int:
        """Return a new site for template data."""
        place = node.lineno
        if isinstance(place, Place) and place.end - place.start == len(node.data):
            return self.add(Site(place.start, place.end, characters=[]))
        start, _ = self.source.line(place)
        _, end = self.source.line(place + node.data.count("\n"))
        return self.add(Site(start, end, exact=False))

    def string(self, place: Place, value: str) -> int:
        """Return a new site for a string in an expression."""
        start, end = self.source.string(place)
        characters = None
        if self.source.text.find("\n", start, end) >= 0:
            characters = self.source.characters(start, end, value)
        return self.add(Site(start, end, characters=characters))

    def span(self, number: int, offset: int, length: int) -> tuple[Span, bool]:
        """Return the span of some characters that a site wrote, and whether its columns are known."""
        if number < 0:
            return Span(0, len(self.source.original)), False
        start, end, exact, characters = self.listed[number]
        if characters is not None:
            if not characters:
                start, end = min(start + offset, end), min(start + offset + length, end)
            elif offset + length < len(characters):
                start, end = characters[offset], characters[offset + length]
        return self.source.span(start, end), exact


class Code:
    """The code of one template in one mode."""

    def __init__(self, generator: _Generator, code: CodeType, globals_: dict[str, Any]) -> None:
        self.sites = generator.sites
        environment = generator.environment
        namespace: dict[str, Any] = {
            "environment": environment,
            "__file__": FILE,
            "_pieces": generator.pieces,
            "_joined": joined,
            "_leaf": leaf,
            "_lifted": lifted,
            "_within": within,
            "_written": written,
        }
        exec(code, namespace)  # noqa: S102 - it is Jinja's translation of a sandboxed template, in a process of its own
        # Jinja marks functions for its tracebacks, which are not used, by what the guard denies.
        namespace["internalcode"] = identity
        self._root: Callable[[Context], Iterator[Any]] = namespace["root"]
        self._blocks = namespace["blocks"]
        self._globals = globals_
        self._environment = environment
        self._places = generator.debug_info

    def pieces(self, variables: dict[str, Any]) -> Iterator[Any]:
        """Yield what the template writes, piece by piece: texts, and pairs of a site and its text."""
        context = jinja_context(self._environment, None, self._blocks, variables, False, self._globals)
        return self._root(context)

    def place(self, trace: TracebackType | None) -> Span | None:
        """Return the span of the tag, or of the line, at which an exception came out of this template."""
        number = None
        while trace is not None:
            code = trace.tb_frame.f_code
            # A function for a filter that does not exist is written at the top: what counts is who called it.
            if code.co_filename == FILE and not code.co_name.startswith("t_"):
                number = trace.tb_lineno
            trace = trace.tb_next
        if number is None:
            return None
        index = bisect_right(self._places, number, key=lambda each: each[1]) - 1
        return span_of(self.sites.source, self._places[index][0]) if index >= 0 else None


def span_of(source: Source, line: int) -> Span:
    """Return the span of the tag around a place, or of a line where no more is known."""
    found = None
    if isinstance(line, Place):
        found = source.tag(line.start) or (line.start, line.end)
    return source.span(*(found or source.line(line)))


def token_span(source: Source, line: int) -> Span:
    """Return the span of the token at a place, or of a line where no more is known."""
    if not isinstance(line, Place):
        return source.span(*source.line(line))
    return source.span(line.start, line.start + len(source.text[line.start : line.end].rstrip()))


def compiled(tree: nodes.Template, source: Source, environment: Environment, mode: Mode) -> Code:
    """Return the code of a template; raises TemplateSyntaxError, SyntaxError and RecursionError."""
    generator = _Generator(tree, Sites(source), environment, mode)
    generator.visit(tree)
    with PERMIT.allow(COMPILING):
        code = compile(generator.stream.getvalue(), FILE, "exec")  # type: ignore[attr-defined]
        # It defines functions, and runs none of them.
        return Code(generator, code, dict(environment.globals))


def followed(tree: nodes.Template) -> bool:
    """Return whether all text of a template can be followed."""
    return next(tree.find_all(_UNFOLLOWED), None) is None


class _Generator(CodeGenerator):
    """Jinja's code generator, which also puts sites into the code.

    A piece of output is a pair of its site and its text, which `Environment.concat` puts together with what is known of
    the text. A literal is a constant that knows its site.
    """

    environment: Environment
    debug_info: list[tuple[int, int]]

    def __init__(self, tree: nodes.Template, sites: Sites, environment: Environment, mode: Mode) -> None:
        super().__init__(environment, None, FILE, optimized=False)
        self.sites = sites
        self.mode = mode
        self.pieces: list[str] = []
        #: The sites of the pieces that are being written.
        self._opened: list[int] = []
        #: The site of the `{% set %}` whose value is being written.
        self._assigned: int | None = None
        #: The expression of the `{{ }}` that is being written.
        self._whole: nodes.Expr | None = None
        self._macros: frozenset[str] = frozenset()
        self._names: frozenset[int] = frozenset()
        if mode is Mode.ALL:
            self._macros = frozenset(macro.name for macro in tree.find_all(nodes.Macro))
            self._names = frozenset(map(id, _names(tree)))

    def newline(self, node: nodes.Node | None = None, extra: int = 0) -> None:
        super().newline(node, extra)
        if node is not None and node.lineno is not None:
            # Also where the line is the same: the place is another one.
            self._write_debug_info = node.lineno

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        if isinstance(node, nodes.Stmt) and node.lineno is not None:
            # Some statements check something first, in a line of code that belongs to no node.
            self._write_debug_info = node.lineno
        return super().visit(node, *args, **kwargs)

    def _piece(self, text: str, site: int) -> str:
        self.pieces.append(leaf(text, site))
        return f"_pieces[{len(self.pieces) - 1}]"

    def _noted(self, frame: Frame) -> bool:
        """Return whether what is written in a frame is noted."""
        return self.mode is Mode.ALL or (self.mode is Mode.OUTERMOST and frame.buffer is None)

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> Any:
        if not isinstance(node, nodes.TemplateData):
            # Nothing of a template is computed before it is rendered: then there is a guard, and a limit of time.
            raise nodes.Impossible
        text = super()._output_child_to_const(node, frame, finalize)
        return leaf(text, self.sites.data(node)) if self._noted(frame) else text

    def _output_const_repr(self, group: Any) -> str:
        parts = list(group)
        if not any(type(part) is Tagged for part in parts):
            return super()._output_const_repr(parts)
        self.pieces.append(joined(parts))
        return f"_pieces[{len(self.pieces) - 1}]"

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self._whole = node
        if self._noted(frame):
            self._open(self.sites.data(node) if isinstance(node, nodes.TemplateData) else self.sites.tag(node))
        super()._output_child_pre(node, frame, finalize)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        super()._output_child_post(node, frame, finalize)
        self._whole = None
        if self._noted(frame):
            self._close()

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        super().start_write(frame, node)
        if isinstance(node, nodes.FilterBlock) and self._noted(frame):
            self._open(self.sites.tag(node))

    def end_write(self, frame: Frame) -> None:
        if self._opened:
            self._close()
        super().end_write(frame)

    def _open(self, site: int) -> None:
        """Begin a piece that a site writes."""
        self._opened.append(site)
        # Outside of `Mode.ALL` texts are put together by Jinja, which knows nothing of pairs.
        self.write(f"({site}, " if self.mode is Mode.ALL else "_leaf(")

    def _close(self) -> None:
        site = self._opened.pop()
        self.write(")" if self.mode is Mode.ALL else f", {site})")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        value, place = node.value, node.lineno
        if value == math.inf and self._whole is not None and _is_constant(self._whole):
            # Jinja writes out what it computed. Elsewhere, its code for a number that overflows fails.
            self.write("1e999")
        elif (
            self.mode is Mode.ALL
            and type(value) is str
            and value
            and isinstance(place, Place)
            and id(node) not in self._names
        ):
            self.write(self._piece(value, self.sites.string(place, value)))
        else:
            super().visit_Const(node, frame)

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        if self.mode is Mode.ALL:
            self._assigned = self.sites.tag(node)
        super().visit_Assign(node, frame)
        self._assigned = None

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        site = self._assigned if node.name in _MAKING else None
        if site is None:
            super().visit_Filter(node, frame)
            return
        self.write("_written(")
        super().visit_Filter(node, frame)
        self.write(f", {site})")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        if self.mode is not Mode.ALL:
            super().visit_Concat(node, frame)
            return
        self.write("_joined((")
        for each in node.nodes:
            self.write("str(")
            self.visit(each, frame)
            self.write("), ")
        self.write("))")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        if self.mode is not Mode.ALL or node.attr not in _LIFTED:
            super().visit_Getattr(node, frame)
            return
        self.write("environment.getattr(_lifted(")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r})")

    def visit_Call(  # noqa: N802 - Jinja's name
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        name = node.node
        site: int | None = None
        wrapper = "_within"
        if isinstance(name, nodes.Getattr):
            site = self._assigned if name.attr in _MAKING else None
            wrapper = "_written"
        elif isinstance(name, nodes.Name) and name.name in self._macros:
            start, at = name.lineno, node.lineno
            if isinstance(start, Place) and isinstance(at, Place):
                site = self.sites.add(Site(*self.sites.source.call(start.start, at)))
            else:
                site = self.sites.tag(node)
        if site is None:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write(f"{wrapper}(")
        super().visit_Call(node, frame, forward_caller=forward_caller)
        self.write(f", {site})")


def _is_constant(expression: nodes.Expr) -> bool:
    """Return whether an expression depends on nothing."""
    variable = (nodes.Name, nodes.Call)
    return not isinstance(expression, variable) and next(expression.find_all(variable), None) is None


def _names(tree: nodes.Template) -> Iterator[nodes.Node]:
    """Yield the strings that are keys, or names, or compared: none of them is ever written."""
    for node in tree.find_all((nodes.Getitem, nodes.Pair, nodes.Operand, nodes.Compare, nodes.Test, nodes.Filter)):
        if isinstance(node, nodes.Getitem):
            yield node.arg
        elif isinstance(node, nodes.Pair):
            yield node.key
        elif isinstance(node, nodes.Operand | nodes.Compare):
            yield node.expr
        elif isinstance(node, nodes.Test) or node.name in _NAMING:  # type: ignore[attr-defined]
            yield from node.args  # type: ignore[attr-defined]
