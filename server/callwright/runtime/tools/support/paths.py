"""Paths that a model writes: which of them are allowed, and which files may be changed.

Owns: `parts_of`, `is_usable`, `check_writable`. Must not know: the file system, tools.

The rules are the same on every system, so that a path means the same everywhere and a path that is harmless on one
system cannot leave the folder on another: on Windows, `a:b` is a stream of `a`, `nul.txt` a device and `x. ` is `x`
(https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from callwright.runtime.tools.base import ToolError
from callwright.text.shown import is_hidden

#: The maximum length of a path, in characters.
MAX_LENGTH: Final = 4_096
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*+(?:\..*+)?+", re.IGNORECASE | re.DOTALL
)
#: Folders of version control: a file that is written there may be run by the next command (a hook, a pager, a file
#: monitor), and no diff shows it. Windows has a second, short name for each; a work tree may have a file of the name.
_VERSION_CONTROL: Final = re.compile(r"\.(?:git|hg|svn|bzr|jj)|(?:git|hg|svn|bzr|jj)~[0-9]++", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\x80-\x9f\u2028\u2029\ud800-\udfff]")


def parts_of(path: str) -> list[str]:
    """Return the names that lead from the root to a path's place; none where it is the root.

    Raises ToolError where the path may lead out of the root on some system, or has no meaning.
    """
    if not path.strip():
        raise ToolError("The path is empty. Give one relative to the root, such as `src/main.py`.")
    if len(path) > MAX_LENGTH:
        raise ToolError(f"The path {_shown(path)} is longer than {MAX_LENGTH} characters.")
    if path.startswith("/"):
        raise ToolError(f"The path {_shown(path)} is absolute. Give one relative to the root.")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for part in parts:
        reason = _fault(part)
        if reason is not None:
            raise ToolError(f"The path {_shown(path)} cannot be used: {reason}.")
    return parts


def check_writable(parts: Sequence[str]) -> None:
    """Raise ToolError where a path of these parts may be read, but not written.

    A name with invisible characters could be mistaken for another one by the person who approves the call.
    """
    shown = _shown("/".join(parts))
    for part in parts:
        hidden = next((char for char in part if is_hidden(char)), None)
        if hidden is not None:
            raise ToolError(
                f"The path {shown} cannot be written: it contains U+{ord(hidden):04X}, which is invisible. Remove it."
            )
        if _VERSION_CONTROL.fullmatch(part):
            raise ToolError(
                f"The path {shown} cannot be written: `{part}` belongs to version control. Write another file."
            )


def is_usable(name: str) -> bool:
    """Return whether an entry of a folder has a name that a path can contain."""
    return _fault(name) is None


def _shown(path: str) -> str:
    """Return a path as errors show it, with invisible characters made visible."""
    seen = "".join("\ufffd" if is_hidden(char) else char for char in path[:200])
    return f"`{seen}{'…' if len(path) > 200 else ''}`"


def _fault(name: str) -> str | None:
    if name == "..":
        return "`..` is not allowed"
    if _CONTROL.search(name):
        return "it contains a control character"
    if "\\" in name:
        return r"it contains a `\`; separate names with `/`"
    if ":" in name:
        return "it contains a `:`"
    if name.endswith((".", " ")):
        return "a name ends with a space or a dot"
    if _RESERVED.fullmatch(name):
        return f"`{name}` is a device name"
    return None
