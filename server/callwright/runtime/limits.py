"""Limits of a reply: its length, the length of a call, the depth of arguments, the number of calls.

Owns: `Limits`, and the rejection of a reply that exceeds one. Must not know: how a reply is read, streams.

A limit is exceeded at a place, and no later text changes that, so a stream can be interrupted there. Every check takes
time linear in the text, without recursion, however deep a value is nested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callwright.calls.model import JsonValue
from callwright.dialects.catalogue import find_dialect
from callwright.document.bounds import Bounds
from callwright.rules.base import ErrorType
from callwright.runtime.rejection import FailedCall, Rejection

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Limits(Bounds):
    """The limits of replies, and the rejection of one that exceeds them."""

    def check(
        self,
        text: str,
        calls: Iterable[ToolCall] | None = None,
        *,
        dialects: Sequence[str],
        registry: ToolRegistry,
        settings: Settings,
    ) -> Rejection | None:
        """Return why a reply is rejected that exceeds a limit, None where it exceeds none.

        Without `calls` only the length of the text is checked; do this before reading it. `calls` are the calls that
        were read. The rejection's text ends at `max_text`. The dialects, the demanded one first, the tools and the
        settings are those that the reply is read with.
        """
        long = self.too_long(text)
        if long is not None:
            return _rejection(long, text[: self.max_text], dialects, registry, settings)
        if calls is None:
            return None
        ordered = [*calls]
        if len(ordered) > 1:
            ordered.sort(key=lambda each: each.span)
        for number, call in enumerate(ordered, 1):
            excess = self.exceeded(number, call, text)
            if excess is not None:
                return _rejection(excess, text, dialects, registry, settings, (number, call))
        return None


def _rejection(
    message: str,
    text: str,
    dialects: Sequence[str],
    registry: ToolRegistry,
    settings: Settings,
    numbered: tuple[int, ToolCall] | None = None,
) -> Rejection:
    failed = tool = None
    if numbered is not None:
        number, call = numbered
        failed = FailedCall(number, call.tool, call.dialect, call.span)
        tool = next(iter(registry.get(call.tool)), None) if call.tool is not None else None
        tagged = not isinstance(call.arguments, JsonValue)
    else:
        format_ = find_dialect(dialects[0])
        tagged = format_ is not None and format_.is_xml
    return Rejection(
        type=ErrorType.MALFORMED_XML if tagged else ErrorType.MALFORMED_JSON,
        message=message,
        text=text,
        dialects=dialects,
        registry=registry,
        settings=settings,
        call=failed,
        tool=tool,
    )


#: The default limits.
DEFAULT: Final = Limits()
