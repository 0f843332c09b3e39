"""Results in a conversation: the results of a reply's calls as the next message to the model.

Owns: `render_results`. Must not know: how results are written in each dialect, what runs tools.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callwright.calls.result_text import ResultDraft, write_results
from callwright.dialects.catalogue import find_dialect

if TYPE_CHECKING:
    from callwright.runtime.tools.base import ToolResult


def render_results(results: Sequence[ToolResult], dialect: str) -> list[dict[str, Any]]:
    """Return the message with the results of a reply's calls, in their order; no message where there are no results.

    The message has the role `user`, whatever role a model's own template has for results: every provider accepts it,
    and no two messages of one role are adjacent. Results are written as models of the dialect expect them; a failure is
    marked as one. No text of a tool can end its result, begin another or be read as a call.

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
