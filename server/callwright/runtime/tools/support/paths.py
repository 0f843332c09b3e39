"""Paths that a model writes: which of them may be used at all.

Owns: `parts_of`, `is_usable`. Must not know: the file system, tools.

The rules are the same on every system, so that a path means the same everywhere and nothing that is harmless here
leads out of the folder there: Windows takes `a:b` for a stream of `a`, `nul.txt` for a device and `x. ` for `x`
(https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file).
"""

from __future__ import annotations

import re
from typing import Final

from callwright.runtime.tools.base import ToolError

#: No path is longer, in characters.
LONGEST: Final = 4_096
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*+(?:\..*+)?+", re.IGNORECASE | re.DOTALL
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\x80-\x9f\u2028\u2029\ud800-\udfff]")


def parts_of(path: str) -> list[str]:
    """Return the names that lead from the root to the place that a path means; none where it means the root.

    Raises ToolError where the path may lead out of the root on some system, or has no meaning.
    """
    shown = f"`{_CONTROL.sub('�', path[:200])}{'…' if len(path) > 200 else ''}`"
    if not path.strip():
        raise ToolError("The path is empty. Give one relative to the root, such as `src/main.py`.")
    if len(path) > LONGEST:
        raise ToolError(f"The path {shown} is longer than {LONGEST} characters.")
    if path.startswith("/"):
        raise ToolError(f"The path {shown} is absolute. Give one relative to the root.")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for part in parts:
        reason = _fault(part)
        if reason is not None:
            raise ToolError(f"The path {shown} cannot be used: {reason}.")
    return parts


def is_usable(name: str) -> bool:
    """Tell whether an entry of a folder has a name that a path can hold."""
    return _fault(name) is None


def _fault(name: str) -> str | None:
    if name == "..":
        return "`..` is not allowed"
    if _CONTROL.search(name):
        return "it holds a control character"
    if "\\" in name:
        return r"it holds a `\`; names are parted by `/`"
    if ":" in name:
        return "it holds a `:`"
    if name.endswith((".", " ")):
        return "a name ends with a space or a dot"
    if _RESERVED.fullmatch(name):
        return f"`{name}` is the name of a device"
    return None
