"""Output: JSON and bytes on the standard streams or in a file, whatever the values hold.

Owns: `to_json`, `to_json_line`, `write_text`, `write_page`, `output_to`, `keep_input`. Must not know: what is written.
"""

import io
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO, cast

from callwright.cli.support.failure import CommandError
from callwright.cli.support.terminal import is_guarded, visible
from callwright.text.shown import unescaped

#: Beyond this depth lines are not indented any further, or the margin alone would take quadratic space.
_MAX_DEPTH: Final = 100


def write_page(html: str, output_file: str, more: str = "") -> None:
    """Write a page to a file, or to standard output for `-`; `more` follows its name in what is printed."""
    if output_file == "-":
        sys.stdout.write(html)
        return
    with output_to(output_file, None, folders=False) as out:
        out.write(html)
    print(f"Wrote {visible(output_file)}{more}.", file=sys.stderr)


def to_json(value: Any) -> str:
    """Return `value` as JSON in ASCII, indented by two spaces; strict JSON whatever is in it.

    Lone surrogates become escapes, numbers that JSON does not have become strings (`"NaN"`, `"Infinity"`), integers of
    any length keep their digits, and depth is limited by memory only.
    """
    try:
        return json.dumps(value, indent=2, allow_nan=False)
    except (ValueError, RecursionError):
        return _write_json(value)


def json_for_people(value: Any, stream: TextIO) -> str:
    """Return `value` as `to_json` does, with characters that the stream can show as they are and others escaped."""
    text = to_json(value)
    shown = unescaped(text)
    try:
        shown.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text
    return shown


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
        inner, outer = ("\n" + "  " * min(level, _MAX_DEPTH) for level in (depth + 1, depth))
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

    On a terminal it is shown, as all text is there.

    Raises CommandError where the text holds half a surrogate pair, which UTF-8 cannot write.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CommandError(
            f"the result has half a surrogate pair at offset {error.start}, which UTF-8 cannot encode; fix that value"
            " first."
        ) from None
    if sys.stdout is None:
        return
    if is_guarded(sys.stdout):
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write((b"\xef\xbb\xbf" if bom else b"") + data)
    sys.stdout.buffer.flush()


class _Nowhere(io.TextIOBase):
    """A stream whose output is dropped."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def output_to(
    path: str | None, stream: TextIO | None, *, option: str = "--output-file", folders: bool = True
) -> Iterator[TextIO]:
    """Return the stream to write to: `stream` where no file is named, else that file, as UTF-8.

    A file is written as `written` does; with `folders`, those above it are made. Anything but a regular file, such as a
    device or a pipe, is written to directly. `option` is what named the file. Raises CommandError where the file cannot
    be written.
    """
    if path is None:
        # A stream that was closed before the process began takes everything, to no effect.
        yield stream if stream is not None else cast("TextIO", _Nowhere())
        return
    if not path:
        raise CommandError(f"`{option}`: the path is empty (is a variable unset?); name a file")
    file = Path(path)
    if file.is_dir():
        raise CommandError(f"`{option} {path}`: this is a folder; name a file in it")
    from callwright.cli.support.files import FileError, absolute, written

    if str(absolute(file)).startswith(_STREAMS) or (file.exists() and not file.is_file()):
        with _open_as_it_is(file, path) as out:
            yield out
        return
    try:
        with written(file, path, folders=folders) as data:
            out = io.TextIOWrapper(data, encoding="utf-8", errors="backslashreplace", newline="")
            try:
                yield out
                out.flush()
            finally:
                with suppress(OSError):
                    out.detach()
    except FileError as error:
        raise CommandError(str(error)) from None


#: What a system calls the streams of a process, whatever file they lead to.
_STREAMS: Final = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


@contextmanager
def _open_as_it_is(file: Path, shown: str) -> Iterator[TextIO]:
    """Give what is written to as it comes, such as a device or a pipe."""
    try:
        with file.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        # What happened to another file has its name.
        if error.filename is not None and error.filename != str(file):
            raise
        raise CommandError(f"{shown}: not written: {error.strerror or error}") from None


def keep_input(path: str | None, source: Path | None, *, option: str = "--output-file") -> None:
    """See to it that no output takes the place of a file that is read. Raises CommandError where it would."""
    if path is None or source is None:
        return
    with suppress(OSError):
        if source.samefile(path):
            raise CommandError(
                f"`{option} {path}`: this file is also an input and would be overwritten; name another file, or skip it"
                " with `--exclude`"
            )
