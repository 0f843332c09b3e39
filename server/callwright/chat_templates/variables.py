"""The variables that a template reads, and which of them are switches.

Owns: `variables`. Must not know: rendering.
"""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import meta, nodes

from callwright.chat_templates.model import Variables

#: Filters and tests that tell nothing of a variable's type, and tests that only a truth value passes.
_NEUTRAL = frozenset({"d", "default", "defined", "none", "undefined"})
_BOOLEAN = frozenset({"true", "false", "boolean"})


def variables(tree: nodes.Template) -> Variables:
    """Return the variables of a template; `booleans` are those that are truth values wherever they are used."""
    names = frozenset(meta.find_undeclared_variables(tree))
    # A name that is set in some branch may be read where it is not. It is meant to be given if its absence is handled.
    own: set[str] = {macro.name for macro in tree.find_all(nodes.Macro)}
    own.update(name.name for name in tree.find_all(nodes.Name) if name.ctx != "load")
    own.update(reference.name for reference in tree.find_all(nodes.NSRef))
    for asked in tree.find_all((nodes.Test, nodes.Filter)):
        if asked.name in _NEUTRAL and isinstance(asked.node, nodes.Name):
            own.discard(asked.node.name)
    names -= own
    switches: set[str] = set()
    others: set[str] = set()
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.If | nodes.CondExpr):
            switches.update(_switches(node.test))
        if isinstance(node, nodes.Not | nodes.And | nodes.Or):
            switches.update(_switches(node))
        if isinstance(node, nodes.CondExpr) and (_is_boolean(node.expr1) or _is_boolean(node.expr2)):
            switches.update(_switches(node.expr1))
            switches.update(_switches(node.expr2))
        if isinstance(node, nodes.Test | nodes.Compare | nodes.Filter):
            switches.update(_asked(node))
        others.update(_used(node))
    return Variables(names, names & frozenset(switches - others))


def _is_boolean(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, bool)


def _switches(node: nodes.Node | None) -> Iterator[str]:
    """Yield the variables that an expression takes for truth values, where it is one itself."""
    if isinstance(node, nodes.Name):
        yield node.name
    elif isinstance(node, nodes.Not):
        yield from _switches(node.node)
    elif isinstance(node, nodes.And | nodes.Or):
        yield from _switches(node.left)
        yield from _switches(node.right)
    elif isinstance(node, nodes.Filter) and node.name in ("default", "d") and node.node is not None:
        yield from _switches(node.node)


def _asked(node: nodes.Test | nodes.Compare | nodes.Filter) -> Iterator[str]:
    """Yield the variables that are compared with a truth value, or have one for a default."""
    if isinstance(node, nodes.Test):
        if node.name in _BOOLEAN:
            yield from _switches(node.node)
    elif isinstance(node, nodes.Compare):
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        if any(map(_is_boolean, sides)):
            for side in sides:
                yield from _switches(side)
    elif node.name in ("default", "d") and any(map(_is_boolean, node.args)) and node.node is not None:
        yield from _switches(node.node)


def _used(node: nodes.Node) -> Iterator[str]:
    """Yield the variables that are used as something else: text, a list, an object."""
    children: list[nodes.Node | None] = []
    if isinstance(node, nodes.For):
        children = [node.iter]
    elif isinstance(node, nodes.Getattr | nodes.Getitem):
        children = [node.node, node.arg if isinstance(node, nodes.Getitem) else None]
    elif isinstance(node, nodes.Output | nodes.Concat):
        children = list(node.nodes)
    elif isinstance(node, nodes.Add | nodes.Sub | nodes.Mul | nodes.Div | nodes.FloorDiv | nodes.Mod | nodes.Pow):
        children = [node.left, node.right]
    elif isinstance(node, nodes.Call):
        children = [node.node, *node.args, *(each.value for each in node.kwargs)]
    elif isinstance(node, nodes.Filter | nodes.Test) and node.name not in _NEUTRAL | _BOOLEAN:
        children = [node.node, *node.args]
    elif isinstance(node, nodes.Compare):
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        if not any(_is_boolean(side) or (isinstance(side, nodes.Const) and side.value is None) for side in sides):
            children = list(sides)
    for child in children:
        if isinstance(child, nodes.Name):
            yield child.name
