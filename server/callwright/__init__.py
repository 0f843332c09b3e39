"""Callwright: reads, checks, fixes and converts tool calls that are written in text.

The names below are imported on first use, so that a program loads only what it needs.
"""

# Type checkers read this as true; importing `typing` would be most of what a command imports before it can be
# interrupted.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from callwright.api import Call, Parsed, check, convert, instructions, parse
    from callwright.runtime.streaming import StreamingParser
    from callwright.tools.registry import ToolRegistry

__version__ = "0.1.0"
__all__ = [
    "Call",
    "Parsed",
    "StreamingParser",
    "ToolRegistry",
    "__version__",
    "check",
    "convert",
    "instructions",
    "parse",
]


def __getattr__(name: str) -> "Any":
    if name == "ToolRegistry":
        from callwright.tools.registry import ToolRegistry

        return ToolRegistry
    if name == "StreamingParser":
        from callwright.runtime.streaming import StreamingParser

        return StreamingParser
    if name in __all__:
        from callwright import api

        return getattr(api, name)
    raise AttributeError(f"module 'callwright' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
