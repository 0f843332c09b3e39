"""Results in a conversation: what came of the calls of a reply, as the message that the model is given next.

Owns: `render_results`. Must not know: how results are written in each dialect, who runs tools.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callwright.calls.result_text import ResultDraft, write_results
from callwright.dialects.catalogue import find_dialect

if TYPE_CHECKING:
    from callwright.runtime.tools.base import ToolResult


def render_results(results: Sequence[ToolResult], dialect: str) -> list[dict[str, Any]]:
    """Return the message that tells a model what came of its calls, in their order; none where there are no results.

    The message is the user's, whatever role a model's own template has for results: every provider takes it, and no
    two messages of one role follow each other. The dialect is the one that models which write the dialect know; a
    failure is told as one. No text of a tool ends its result, begins another or is anyone's call.

    Raises ValueError where there is no such dialect.
    """
    found = find_dialect(dialect)
    if found is None:
        from callwright.document.settings import unknown_dialect

        raise ValueError(unknown_dialect(dialect))
    if not results:
        return []
    return [{"role": "user", "content": write_results(found.results, [_reported(result) for result in results])}]


def _reported(result: ToolResult) -> ResultDraft:
    call = result.call
    value = result.value if result.ok and result.shown is None else result.text
    about = next((given for given in call.arguments.values() if isinstance(given, str)), None)
    return ResultDraft(call.tool, value, not result.ok, call.id, about)
