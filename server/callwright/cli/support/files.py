"""Files: which ones are checked, how they are read, and how a fixed text replaces one.

Owns: the walk through a folder, strict UTF-8 with the byte order mark kept, the one way to write a file and what it
rejects. Must not know: diagnostics, commands, what is in a file.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from callwright.cli.support.failure import CommandError
from callwright.path_patterns import UNFINISHED
from callwright.text.records import dataclass

#: The word that means standard input.
STDIN: Final = "-"
#: Folders of tools and of other people's files, never entered unless named.
SKIPPED: Final = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", "site-packages",
    ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".callwright_cache",
})  # fmt: skip

#: A file beyond this size in bytes is not read as one text.
LARGEST: Final = 512 * 1024 * 1024

_MARKER: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One text to work on: `shown` is its path as the user knows it, `data` the bytes that were read.

    `path` is None for standard input without a name. `fence` is the folder that a link must not lead out of when the
    file is written, where it is not that of `fence_of`. `text` has no byte order mark, and its newlines are not
    translated. A `streamed` source is too large for memory: it has neither text nor data, and is read in pieces.
    """

    shown: str
    path: Path | None
    text: str
    data: bytes = b""
    bom: bool = False
    fence: Path | None = None
    stdin: bool = False
    streamed: bool = False


class FileError(Exception):
    """A file cannot be read or must not be written: `shown` is its path, the message is the reason and the remedy."""

    def __init__(self, shown: str, reason: str) -> None:
        # As they are, so that one process can send it to another.
        super().__init__(shown, reason)

    def __str__(self) -> str:
        return "{}: {}".format(*self.args)


def read_source(path: Path) -> InputFile:
    """Read one file. Raises FileError where it cannot be read or is not UTF-8."""
    shown = shown_path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(
                shown,
                f"larger than {LARGEST // 2**20} MB; split it, or store it as JSON Lines, which are read line by line",
            )
        data = path.read_bytes()
    except IsADirectoryError:
        raise FileError(shown, "this is a folder; name a file in it") from None
    except FileNotFoundError:
        raise FileError(shown, "file or folder not found; check the path") from None
    except PermissionError:
        raise FileError(shown, "permission denied; change its mode or leave it out") from None
    except OSError as error:
        raise FileError(shown, f"cannot be read: {error.strerror or error}") from None
    text, bom = _decode(data, shown)
    return InputFile(shown, path, text, data, bom)


def read_stdin(name: str | None = None) -> InputFile:
    """Read standard input; `name` is the file it is to be taken for. Raises FileError where it is not UTF-8."""
    shown = name or STDIN
    if sys.stdin is None:
        raise FileError(shown, "standard input is closed; pipe a text into the command")
    data = sys.stdin.buffer.read()
    text, bom = _decode(data, shown)
    return InputFile(shown, absolute(Path(name)) if name else None, text, data, bom, stdin=True)


def _decode(data: bytes, shown: str) -> tuple[str, bool]:
    bom = data.startswith(_MARKER)
    try:
        return (data[len(_MARKER) :] if bom else data).decode(), bom
    except UnicodeDecodeError as error:
        at = error.start + (len(_MARKER) if bom else 0)
        wide = " (it looks like UTF-16)" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
        raise FileError(
            shown, f"not UTF-8{wide}: invalid byte 0x{data[at]:02x} at offset {at}; save it as UTF-8"
        ) from None


def shown_path(path: Path) -> str:
    """Return a path as the user knows it: relative to the working folder where it lies below it."""
    with suppress(ValueError):
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else str(path)
    return str(path)


def named(word: str) -> Path:
    """Return the path that a word of the command line names. Raises CommandError where it names nothing."""
    if not word:
        raise CommandError("a path is empty (is a variable unset?); name a file, a folder, or `-`")
    return Path(word)


def absolute(path: Path) -> Path:
    """Return a path from the root, without dots in it and without following links."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links


def walk(
    folder: Path,
    wanted: Callable[[Path], bool],
    *,
    report_error: Callable[[str], None],
    note: Callable[[str], None],
    ignored: Callable[[Path, bool], bool] = lambda _path, _is_folder: False,
) -> Iterator[Path]:
    """Yield the files below `folder` that are wanted, in the order of their names, links last.

    What is `ignored`, a file or, by the second argument, a folder, is left out with all that is in it. Links to folders
    are not followed, and links to files only where they stay inside; a folder that cannot be listed is reported to
    `report_error`, a link that leads out to `note`.
    """
    inside = os.path.realpath(folder)
    pending = [_entries(folder, report_error)]
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED and not ignored(path, True):
                pending.append(_entries(path, report_error))
        elif entry.name.endswith(UNFINISHED):
            continue
        elif entry.is_file() and wanted(path) and not ignored(path, False):
            if entry.is_symlink() and not _is_inside(os.path.realpath(path), inside):
                note(f"{shown_path(path)}: skipped because it links out of the folder; name it to check it")
            else:
                yield path


def _entries(folder: Path, report_error: Callable[[str], None]) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            # Links come last, so that a file that has two names is called by its own.
            return iter(sorted(entries, key=lambda entry: (entry.is_symlink(), entry.name)))
    except OSError as error:
        report_error(f"{shown_path(folder)}: cannot be listed: {error.strerror or error}")
        return iter(())


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def replace_file(source: InputFile, text: str) -> None:
    """Write `text` in place of the file that `source` was read from, all of it or nothing.

    The byte order mark, the mode, the owner and extended attributes stay. Raises FileError where the file changed since
    it was read, or must not be written, as `written` does.
    """
    try:
        data = (_MARKER if source.bom else b"") + text.encode()
    except UnicodeEncodeError:
        raise FileError(
            source.shown, "not written: the result has half a surrogate pair, which UTF-8 cannot encode"
        ) from None
    replace_file_by(source, lambda file: _write_all(file, data), lambda real: real.read_bytes() == source.data)


def replace_file_by(source: InputFile, write: Callable[[BinaryIO], None], unchanged: Callable[[Path], bool]) -> None:
    """Put what `write` writes in place of a file that is too large to be held, as `replace_file` does.

    `unchanged` returns whether the file at a path is still the one that was read. Raises FileError as that one does.
    """
    if source.path is None or source.stdin:
        raise FileError(source.shown, "not written: it came from standard input")
    with written(source.path, source.shown, fence=source.fence, unchanged=unchanged) as file:
        write(file)


def _write_all(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def write_file(path: Path, text: str, shown: str) -> None:
    """Write a new file, all of it or nothing. Raises FileError where it is there already or must not be written."""
    with written(path, shown, new=True) as file:
        file.write(text.encode())


@contextmanager
def written(
    path: Path,
    shown: str,
    *,
    fence: Path | None = None,
    unchanged: Callable[[Path], bool] | None = None,
    new: bool = False,
    folders: bool = False,
    ours: bool = False,
) -> Iterator[BinaryIO]:
    """Return a file that replaces the file at `path` once all of it is written; until then the old one stays.

    This is the only way in which a command writes a file. The new file keeps the owner, the mode and the extended
    attributes of the one that it replaces. A link is written through where it stays inside the `fence`, that of
    `fence_of` by default. `unchanged` returns whether the file is still the one that was read; a `new` one must not be
    there. With `folders`, those above it are made. One that is `ours`, such as the cache, may be anywhere and
    read-only, and may be lost in a power failure. Raises FileError where the file must not be or cannot be written.
    """
    try:
        real = Path(os.path.realpath(path)) if ours else writable(path, shown, fence)
        if folders:
            real.parent.mkdir(parents=True, exist_ok=True)
        old = real.exists()
        handle, temporary = open_beside(real)
    except OSError as error:
        raise _not_written(shown, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if old:
                make_alike(handle, temporary, real)
            else:
                temporary.chmod(0o666 & ~_umask())
            if not ours:
                os.fsync(handle)
        if unchanged is not None and not unchanged(real):
            raise FileError(shown, "not written: the file changed during the check; run the command again")
        if new:
            _give_name(temporary, real, shown)
        else:
            temporary.replace(real)
    except BrokenPipeError:
        raise
    except OSError as error:
        # What happened to another file has its name.
        other = error.filename is not None and str(error.filename) not in (str(temporary), str(real))
        if other and error.errno not in _FULL:
            raise
        raise _not_written(shown, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink()
    if not ours:
        sync_folder(real.parent)


def _not_written(shown: str, error: OSError) -> FileError:
    return FileError(shown, f"not written: {error.strerror or error}")


def writable(path: Path, shown: str, fence: Path | None = None) -> Path:
    """Return the real path of a file that may be written, or made, under the name `path`.

    Raises FileError where `keep_inside` does, and where the file is no regular one, has a second name or is read-only.
    """
    real = keep_inside(path, shown, fence)
    reason = kept_from(real) if real.exists() else None
    if reason is not None:
        raise FileError(shown, f"not written: {reason}")
    return real


def keep_inside(path: Path, shown: str, fence: Path | None = None) -> Path:
    """Return the real path of a file or folder that is to be written.

    Raises FileError where a link leads out of the `fence`, that of `fence_of` by default.
    """
    real = os.path.realpath(path)
    if not _is_inside(real, os.path.realpath(fence or fence_of(path))):
        raise FileError(shown, f"not written: a link leads out of the folder, to {real}; name that path to write it")
    return Path(real)


def keep_folder_inside(folder: Path) -> None:
    """See to it that what is written into a folder stays there. Raises FileError where a link leads out of it."""
    real = keep_inside(folder, shown_path(folder))
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink():
                keep_inside(path, shown_path(path), real)


def fence_of(path: Path) -> Path:
    """Return the folder that a named file must lie in, once links are followed, to be written.

    It is the nearest one that is the working folder, a repository or the home of a configuration; without any of them
    above the file, the folder of the file itself.
    """
    folder = absolute(path).parent
    here = Path.cwd()
    return next((one for one in (folder, *folder.parents) if one == here or _begins_a_project(one)), folder)


def fence_of_folder(path: Path) -> Path:
    """Return the folder that the files of a named folder must lie in to be written: itself, unless it is a link out."""
    fence = fence_of(path)
    return path if _is_inside(os.path.realpath(path), os.path.realpath(fence)) else fence


def _begins_a_project(folder: Path) -> bool:
    if (folder / ".git").exists() or (folder / "callwright.toml").is_file():
        return True
    other = folder / "pyproject.toml"
    with suppress(OSError):
        return other.is_file() and b"tool.callwright" in other.read_bytes()
    return False


#: The errors of a system for a full disk or an exhausted quota.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def open_beside(path: Path) -> tuple[int, Path]:
    """Make a file for what is to take the place of another one, in the same folder, and open it.

    No walk reads it as a text if it is left over. The name is not much longer than necessary, however long the other
    one is: a file system takes 255 bytes, and some fewer.
    """
    from tempfile import mkstemp

    handle, name = mkstemp(prefix=f".{path.name[:24]}.", suffix=UNFINISHED, dir=path.parent)
    return handle, Path(name)


def _give_name(temporary: Path, path: Path, shown: str) -> None:
    """Let a new file have its name. Raises FileError where that is taken."""
    try:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError as error:
            # Not every file system has links.
            if os.path.lexists(path):
                raise FileExistsError from error
            temporary.replace(path)
    except FileExistsError:
        raise FileError(shown, "not written: the file was created meanwhile; run the command again") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def kept_from(real: Path) -> str | None:
    """Return why another file must not take the place of the one at a real path; None where it may."""
    state = real.stat()
    if not stat.S_ISREG(state.st_mode):
        return "it is no regular file"
    if state.st_nlink > 1:
        return "it has a second name (a hard link), and writing would part the two; remove one of them"
    if not state.st_mode & 0o222 or not os.access(real, os.W_OK):
        return "it is read-only; make it writable first"
    return None


def make_alike(handle: int, temporary: Path, real: Path) -> None:
    """Give an open file the owner, the mode and the extended attributes of the one whose place it is going to take."""
    state = real.stat()
    if hasattr(os, "fchown"):
        made = os.fstat(handle)
        if (made.st_uid, made.st_gid) != (state.st_uid, state.st_gid):
            try:
                os.fchown(handle, state.st_uid, state.st_gid)
            except PermissionError as error:
                reason = "it belongs to another user or group, and writing would make it yours; let its owner do it"
                raise PermissionError(error.errno, reason) from None
    temporary.chmod(stat.S_IMODE(state.st_mode))
    if sys.platform == "linux":
        # Access lists are among them. Not every file system has any, and some the system alone may set.
        with suppress(OSError):
            for name in os.listxattr(real):
                with suppress(OSError):
                    os.setxattr(handle, name, os.getxattr(real, name))


def sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
