"""Which unknown names in a list of tools were meant as tools of the registry.

Owns: the evidence that a listed name is meant as one of the author's tools. Must not know: how lists are read,
messages.

A list also names tools of the product that reads the file, of servers and of extensions, which the registry does not
know. So an unknown name alone is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.text.budget import yield_point
from callwright.tools.names import MAX_LENGTH, nearest
from callwright.tools.product_names import product_names

if TYPE_CHECKING:
    from callwright.prompt.listed_tools import ListedTool
    from callwright.tools.registry import ToolRegistry

#: A shorter name of one word is near too many others.
_REPORTING = 6


def uncertain_names(listed: Sequence[ListedTool], registry: ToolRegistry) -> Iterator[tuple[ListedTool, str | None]]:
    """Yield the unknown names that were meant as a tool's, each with the one tool whose name is near, if any.

    A name near a tool's is reported if another listed name is a tool's, or if the registry has every tool. Any other
    name is reported if the registry has every tool, a known name is spelled with the same separators, and no more names
    are unknown than known. A name with a qualifier is reported if a known name has the qualifier.
    """
    known = [each for each in listed if is_known(each, registry)]
    present = {each.name for each in known}
    origins = {each.origin for each in known} | set(registry.tool_sets) | {""}
    separators = {separator for each in known for separator in _separators(each.name)}
    strangers: list[ListedTool] = []
    for each in listed:
        yield_point()
        if is_known(each, registry) or each.origin not in origins or _is_foreign(each, registry):
            continue
        near = registry.near(each.name)
        if near in present:
            # A tool that is listed under its own name was not misspelt here.
            near = None
        if near is not None:
            own = nearest(each.name, product_names())
            reporting = len(each.name) >= _REPORTING or bool(_separators(each.name))
            if own in (None, near) and reporting and (known or registry.closed):
                yield each, near
        elif registry.closed and not separators.isdisjoint(_separators(each.name)):
            strangers.append(each)
    if len({each.name for each in strangers}) <= len(present):
        yield from ((each, None) for each in strangers)


def is_known(each: ListedTool, registry: ToolRegistry) -> bool:
    """Return whether a listed name is a tool's, with or without its qualifier."""
    return registry.has(each.name) or registry.has(each.whole)


def _is_foreign(each: ListedTool, registry: ToolRegistry) -> bool:
    """Return whether a name is that of a product's tool, or of a known one with a server's name before it."""
    if each.name in product_names() or each.name.startswith("mcp_") or len(each.name) > MAX_LENGTH:
        return True
    at = each.name.find("_")
    while at >= 0:
        if registry.has(each.name[at + 1 :]):
            return True
        at = each.name.find("_", at + 1)
    return False


def _separators(name: str) -> frozenset[str]:
    """Return the separators of the words in a name; capitals do not count, since they do not distinguish products'
    names.
    """
    return frozenset(name.strip("_-.")) & frozenset("_-.")
