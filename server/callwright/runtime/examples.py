"""The example call in the feedback for a rejected reply.

Owns: which tool the example shows. Must not know: why a reply was rejected.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from callwright.calls.protocol import RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.teaching.section import examples_in
from callwright.tools.hints import only_reads

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: How many tools are tried for an example where the reply names none.
_MAX_TRIED = 20


def example_call(
    dialect: str,
    registry: ToolRegistry,
    tool: ToolSchema | None = None,
    shown: tuple[tuple[str, ...], ...] = (),
) -> str | None:
    """Return a call of `tool` in `dialect`, or, without one, of the first tool with arguments that can be shown.

    Tools that change nothing come first, since a model may repeat the example. `shown` are the paths of arguments that
    the example contains, if possible. None where no call can be written in the dialect. The result reads back without a
    diagnostic.
    """
    return _example(dialect, registry, tool.name if tool is not None else None, shown)


@lru_cache(maxsize=256)
def _example(dialect: str, registry: ToolRegistry, name: str | None, shown: tuple[tuple[str, ...], ...]) -> str | None:
    format_ = find_dialect(dialect)
    if format_ is None:
        return None
    if name is not None:
        tools = registry.get(name)
    else:
        tools = tuple(
            sorted(
                (each for each in registry if each.deprecated is None),
                key=lambda each: (not each.parameters, not only_reads(each)),
            )
        )
    texts = (text for _, text in examples_in(format_, tools[:_MAX_TRIED], RenderStyle(), shown))
    return next(texts, None)
