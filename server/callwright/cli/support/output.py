"""Output: JSON and bytes on the standard streams or in a file, whatever the values hold.

Owns: `to_json`, `to_json_line`, `write_text`, `output_to`, `keep_input`. Must not know: what is written.
"""

import errno
import io
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO, cast

from callwright.cli.support.failure import CommandError

#: Beyond this depth lines are not indented any further, or the margin alone would take quadratic space.
_DEEPEST: Final = 100


def to_json(value: Any) -> str:
    """Return `value` as JSON in ASCII, indented by two spaces; strict JSON whatever is in it.

    Lone surrogates become escapes, numbers that JSON does not have become strings (`"NaN"`, `"Infinity"`), integers of
    any length keep their digits, and depth is limited by memory only.
    """
    try:
        return json.dumps(value, indent=2, allow_nan=False)
    except (ValueError, RecursionError):
        return _write_json(value)


def to_json_line(value: Any) -> str:
    """Return `value` as JSON in ASCII on one line; strict JSON whatever is in it, as `to_json` gives."""
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        # No line ends inside a string, where it would be escaped.
        return "".join(line.lstrip(" ") for line in _write_json(value).split("\n"))


def _write_json(value: Any) -> str:
    """Write JSON without recursion; `value` is a tree of plain values."""
    parts: list[str] = []
    # What is still to be written, last first: text as it is, or a value with its depth.
    pending: list[str | tuple[Any, int]] = [(value, 0)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        one, depth = item
        if not isinstance(one, (dict, list, tuple)) or not one:
            parts.append(_scalar(one))
            continue
        mapping = isinstance(one, dict)
        inner, outer = ("\n" + "  " * min(level, _DEEPEST) for level in (depth + 1, depth))
        queue: list[str | tuple[Any, int]] = ["{" if mapping else "["]
        for index, member in enumerate(one.items() if isinstance(one, dict) else one):
            queue.append(inner if index == 0 else "," + inner)
            if mapping:
                queue.append(json.dumps(str(member[0])) + ": ")
            queue.append((member[1] if mapping else member, depth + 1))
        queue.append(outer + ("}" if mapping else "]"))
        pending.extend(reversed(queue))
    return "".join(parts)


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    if isinstance(value, int) and not isinstance(value, bool):
        return _digits(value)
    return json.dumps(value)


def _digits(value: int) -> str:
    """Return an integer's decimal digits, also where Python refuses to print that many at once."""
    try:
        return str(value)
    except ValueError:
        count = value.bit_length() * 3 // 20
        high, low = divmod(abs(value), 10**count)
        return ("-" if value < 0 else "") + _digits(high) + _digits(low).rjust(count, "0")


def write_text(text: str, *, bom: bool = False) -> None:
    """Write `text` on standard output as UTF-8, byte for byte: no newline is translated and none is added.

    Raises CommandError where the text holds half a surrogate pair, which UTF-8 cannot write.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CommandError(
            f"the result holds half a surrogate pair at offset {error.start}, which no UTF-8 file can hold; mend that "
            "value first."
        ) from None
    if sys.stdout is None:
        return
    sys.stdout.flush()
    sys.stdout.buffer.write((b"\xef\xbb\xbf" if bom else b"") + data)
    sys.stdout.buffer.flush()


class _Nowhere(io.TextIOBase):
    """A stream that nobody reads."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def output_to(
    path: str | None, stream: TextIO | None, *, option: str = "--output-file", folders: bool = True, ours: bool = False
) -> Iterator[TextIO]:
    """Give what is to be written to: `stream` where no file is named, else that file, as UTF-8.

    A file has its new content when all of it is written, and its old one where something goes wrong before; with
    `folders`, those above it are made. What is no regular file, such as a device or a pipe, is written to as it comes.
    A file that is read-only or has a second name is refused, unless it is `ours`: then nobody minds, and it need not
    outlast a power cut. `option` is what named the file. Raises CommandError where the file cannot be written.
    """
    if path is None:
        # A stream that was closed before the process began takes everything, to no effect.
        yield stream if stream is not None else cast("TextIO", _Nowhere())
        return
    if not path:
        raise CommandError(f"`{option}` names nothing (an unset variable, perhaps?); name a file")
    file = Path(path)
    if file.is_dir():
        raise CommandError(f"`{option} {path}`: it is a folder; name a file in it")
    from callwright.cli.support.files import kept_from

    real = Path(os.path.realpath(file))
    try:
        if file.exists() and not file.is_file():
            with file.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
                yield out
            return
        reason = kept_from(real) if real.exists() and not ours else None
        if reason is not None:
            raise CommandError(f"{path}: not written: {reason}")
        with _replacing(real, folders=folders, ours=ours) as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        # What happened to another file has its name.
        if error.filename is not None and error.errno not in _FULL:
            raise
        raise CommandError(f"{path}: not written: {error.strerror or error}") from None


def keep_input(path: str | None, source: Path | None, *, option: str = "--output-file") -> None:
    """See to it that no output takes the place of a file that is read. Raises CommandError where it would."""
    if path is None or source is None:
        return
    with suppress(OSError):
        if source.samefile(path):
            raise CommandError(
                f"`{option} {path}`: this file is read, and its text would be lost; name another file, or leave it out "
                "with `--exclude`"
            )


#: What a system says of a disk, or of somebody's part of it, that takes no more.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def _replacing(real: Path, *, folders: bool, ours: bool) -> Iterator[TextIO]:
    """Give a file that takes the place of another one, or of none, when all of it is written."""
    from callwright.cli.support.files import make_alike, open_beside, sync_folder

    old = real.exists()
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        if folders:
            real.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = open_beside(real)
    except OSError as error:
        error.filename = None
        raise
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:  # noqa: PTH123 - it is open
            yield out
            out.flush()
            if old:
                make_alike(handle, temporary, real)
            else:
                temporary.chmod(0o666 & ~mask)
            if not ours:
                os.fsync(handle)
        temporary.replace(real)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if not ours:
        sync_folder(real.parent)
