"""The evidence that a document must contain for a diagnostic to be shown.

Owns: `borne_out`, `needing`, `Known`. Must not know: which rules there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from callwright.dialects.catalogue import find_dialect
from callwright.document.evidence import Evidence, evidence_of, states_xml
from callwright.rules.base import Diagnostic, Needs
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.blocks import Block
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry


#: Kinds of problems that do not apply where the text of a value is literal, and of attributes and dashes in comments.
_OF_XML = frozenset({"unescaped-markup", "unknown-entity"})
_ATTRIBUTES = "attribute-argument"
_DASHES = "comment-dashes"


def borne_out(found: list[Diagnostic], evidence: Evidence | Known) -> list[Diagnostic]:
    """Return the diagnostics for which a text contains the evidence."""
    if all(each.needs is None for each in found):
        return found
    return [each for each in found if each.needs is None or _bears_out(evidence, each.needs)]


def _bears_out(evidence: Evidence | Known, needs: Needs) -> bool:
    if needs.xml and not evidence.xml:
        return False
    if needs.rows and not (isinstance(evidence, Known) and evidence.rows):
        return False
    return not needs.elements or evidence.attributes[needs.tool] <= 1


def alone(start: int, block: Block) -> list[tuple[int, Block]]:
    """Return one block, at its place, as the only source of evidence."""
    return [(start, block)]


class Known:
    """The evidence in a document, or in one record, computed on use."""

    def __init__(self, snapshot: Snapshot, parts: Callable[[], Iterable[tuple[int, Block]]]) -> None:
        self._snapshot = snapshot
        self._parts = parts

    @cached_property
    def _found(self) -> list[Evidence]:
        return [evidence_of(block, self._snapshot, start) for start, block in self._parts()]

    @cached_property
    def xml(self) -> bool:
        """Whether XML's escapes are written or taught."""
        return any(part.xml for part in self._found)

    @property
    def rows(self) -> bool:
        """Whether the document is rows of JSON with conversations among them."""
        return self._snapshot.is_of_conversations

    @cached_property
    def attributes(self) -> Counter[str]:
        """How many tags of each name have attributes."""
        return sum((part.attributes for part in self._found), Counter())


def needing(
    stated: Iterable[Diagnostic],
    problem: Problem,
    call: ToolCall,
    text: str,
    registry: ToolRegistry,
    settings: Settings,
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a problem with the evidence that each needs; none where no evidence is enough."""
    from callwright.calls.model import BARE_OBJECT

    needs: Needs | None = None
    if problem.kind in _OF_XML and not problem.data.get("ends"):
        markup = _markup_of(problem, call, text, registry, settings)
        if markup == "raw":
            # The call of an unknown tool was read as XML nevertheless.
            return
        needs = Needs(xml=True) if markup is None else None
    elif problem.kind == _ATTRIBUTES:
        if call.tool is None or not registry.has(call.tool):
            return
        needs = Needs(elements=True, tool=call.tool)
    elif problem.data.get("json") and call.details.get("family") == BARE_OBJECT and not registry.has(call.tool or ""):
        # Several objects below each other: examples, or rows of data.
        return
    elif problem.kind == _DASHES and _markup_of(problem, call, text, registry, settings) != "xml":
        # Only XML parsers reject the comment.
        return
    for each in stated:
        each.needs = needs
        yield each


def _markup_of(problem: Problem, call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> str | None:
    """Return the markup of a value's text, None where neither a setting, the tool, the dialect nor the value
    shows it.
    """
    known = settings.markup or (registry.markup(call.tool) if call.tool is not None else None)
    if known is not None:
        return known
    dialect = find_dialect(call.dialect)
    if dialect is not None and dialect.markup is not None:
        return dialect.markup
    value = problem.data.get("value")
    return "xml" if isinstance(value, Span) and states_xml(value.of(text)) else None
