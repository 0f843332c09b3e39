"""Folders that cannot be left: every step opens one name, and no link is ever followed.

Owns: `Root`, `Folder`, `Entry`. Must not know: tools, messages to a model beyond the sentence of an error.

On POSIX a folder is an open descriptor, and each step opens one name in it, without following a link; so no concurrent
change can lead elsewhere. Where the system has no such calls (Windows) a folder is a path whose parts were checked
before, and the opened file is compared with the entry at the path afterwards.

A hard link is not a link in this sense: its file belongs to the root.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from callwright.runtime.tools.base import ToolError
from callwright.text.records import NamedTuple

#: Whether names can be opened relative to an open folder.
WALKS: Final = (
    {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
_FLAGS: Final = (
    getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
)
#: Opening must never wait for the other end of a pipe.
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _FLAGS
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS
_ENTER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _FLAGS
_REPARSE: Final = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)


class Entry(NamedTuple):
    """An entry of a folder: its name, and whether it is a `"file"`, a `"folder"`, a `"link"` or `"else"`."""

    name: str
    kind: str


class Folder(ABC):
    """A folder inside the root. `shown` is its path from the root, `.` for the root itself."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def path_of(self, name: str) -> str:
        """Return the path of an entry, from the root."""
        return name if self.shown == "." else f"{self.shown}/{name}"

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of a file. Raises ToolError where it is not a plain file, or longer than `most` bytes."""
        shown = self.path_of(name)
        with _worded(shown):
            # Opening a device may have effects, so the entry is checked before, and again when it is open.
            self._require_file(self.look(name), shown)
            with _descriptor(self._open(name, _READ)) as descriptor:
                self._require_file(os.fstat(descriptor), shown)
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    data = file.read(most + 1)
        if len(data) > most:
            raise ToolError(f"`{shown}` is larger than {most} bytes, the maximum that is read.")
        return data

    def replace(self, name: str, data: bytes) -> bool:
        """Write data to a name atomically; return whether a file was there, whose mode is kept.

        Raises ToolError where the entry is not a plain file, or is a write-protected one.
        """
        shown = self.path_of(name)
        with _worded(shown):
            try:
                old: os.stat_result | None = self.look(name)
            except FileNotFoundError:
                old = None
            if old is not None:
                self._require_file(old, shown)
                if not old.st_mode & 0o222:
                    raise ToolError(f"`{shown}` is write-protected.")
            temporary = f".{secrets.token_hex(8)}.tmp"
            try:
                with _descriptor(self._open(temporary, _CREATE)) as descriptor:
                    self._fill(descriptor, data, old)
                self._rename(temporary, name)
            except BaseException:
                with suppress(OSError):
                    self._remove(temporary)
                raise
        return old is not None

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the folder, in no particular order; links are not followed."""
        with _worded(self.shown), self._scan() as found:
            for entry in found:
                if _is_link(entry):
                    kind = "link"
                elif entry.is_dir(follow_symlinks=False):
                    kind = "folder"
                else:
                    kind = "file" if entry.is_file(follow_symlinks=False) else "else"
                yield Entry(entry.name, kind)

    @staticmethod
    def _fill(descriptor: int, data: bytes, old: os.stat_result | None) -> None:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        if old is not None and hasattr(os, "fchmod"):
            # New content must not run with the rights of the file's owner.
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)
        os.fsync(descriptor)

    @staticmethod
    def _require_file(found: os.stat_result, shown: str) -> None:
        if stat.S_ISDIR(found.st_mode):
            raise ToolError(f"`{shown}` is a folder, not a file.")
        if stat.S_ISLNK(found.st_mode) or getattr(found, "st_file_attributes", 0) & _REPARSE:
            raise ToolError(f"`{shown}` is a link; links are not followed.")
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(f"`{shown}` is not a regular file.")

    @abstractmethod
    def enter(self, name: str) -> Folder:
        """Return the folder of that name. Raises OSError where there is none, or a link."""

    @abstractmethod
    def make(self, name: str) -> None:
        """Make a folder of that name; do nothing if the name exists already."""

    @abstractmethod
    def look(self, name: str) -> os.stat_result:
        """Return the status of an entry, of a link itself. Raises OSError where there is none."""

    @abstractmethod
    def close(self) -> None:
        """Release the folder."""

    @abstractmethod
    def _open(self, name: str, flags: int) -> int: ...

    @abstractmethod
    def _rename(self, name: str, to: str) -> None: ...

    @abstractmethod
    def _remove(self, name: str) -> None: ...

    @abstractmethod
    def _scan(self) -> os._ScandirIterator[str]: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Open(Folder):
    """A folder that is an open descriptor."""

    def __init__(self, descriptor: int, shown: str) -> None:
        super().__init__(shown)
        self._descriptor = descriptor

    def enter(self, name: str) -> Folder:
        return _Open(os.open(name, _ENTER, dir_fd=self._descriptor), self.path_of(name))

    def make(self, name: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self._descriptor)

    def look(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def close(self) -> None:
        os.close(self._descriptor)

    def _open(self, name: str, flags: int) -> int:
        return os.open(name, flags, 0o666, dir_fd=self._descriptor)

    def _rename(self, name: str, to: str) -> None:
        os.rename(name, to, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def _remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def _scan(self) -> os._ScandirIterator[str]:
        return os.scandir(self._descriptor)


class _Named(Folder):
    """A folder that is a path whose parts were checked."""

    def __init__(self, path: Path, shown: str) -> None:
        super().__init__(shown)
        self._path = path

    def enter(self, name: str) -> Folder:
        found = self.look(name)
        if not stat.S_ISDIR(found.st_mode) or getattr(found, "st_file_attributes", 0) & _REPARSE:
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", name)
        return _Named(self._inside(name), self.path_of(name))

    def make(self, name: str) -> None:
        self._inside(name).mkdir(exist_ok=True)

    def look(self, name: str) -> os.stat_result:
        return self._inside(name).lstat()

    def close(self) -> None:
        pass

    def _open(self, name: str, flags: int) -> int:
        path = self._inside(name)
        descriptor = os.open(path, flags, 0o666)
        if self._is_at(descriptor, path):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.ELOOP, "it was changed in the meantime", name)

    def _is_at(self, descriptor: int, path: Path) -> bool:
        """Return whether the opened file is still the entry at its path."""
        try:
            return os.path.samestat(os.fstat(descriptor), path.lstat()) and self._exists()
        except OSError:
            return False

    def _exists(self) -> bool:
        return os.path.realpath(self._path) == str(self._path)

    def _rename(self, name: str, to: str) -> None:
        self._inside(name).replace(self._inside(to))

    def _remove(self, name: str) -> None:
        self._inside(name).unlink()

    def _scan(self) -> os._ScandirIterator[str]:
        return os.scandir(self._inside("."))

    def _inside(self, name: str) -> Path:
        """Return the path of an entry. Raises OSError where the folder is no longer at its path."""
        if not self._exists():
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", name)
        return self._path / name


class Root:
    """The folder that tools are confined to.

    The root's own path may contain links, which are resolved once, here; below the root no link is followed.
    """

    def __init__(self, path: str | os.PathLike[str], *, walks: bool = WALKS) -> None:
        """Set the folder; `walks` says how folders are opened. Raises ValueError where there is no such folder."""
        self.path = Path(os.path.realpath(path))
        self._walks = walks
        if not self.path.is_dir():
            raise ValueError(f"`{self.path}` is not a folder: tools must be confined to an existing folder")

    @contextmanager
    def folder(self, parts: Iterable[str], *, make: bool = False) -> Iterator[Folder]:
        """Return the folder that names lead to from the root; with `make`, missing ones are made.

        Raises ToolError where one is missing, not a folder, or a link.
        """
        with _worded("."):
            current: Folder = _Open(os.open(self.path, _ENTER), ".") if self._walks else _Named(self.path, ".")
        try:
            for part in parts:
                with _worded(current.path_of(part)):
                    if make:
                        current.make(part)
                    inner = current.enter(part)
                current.close()
                current = inner
            yield current
        finally:
            current.close()


@contextmanager
def _descriptor(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_link(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():
        return True
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0) if os.name == "nt" else 0
    return bool(attributes & _REPARSE)


@contextmanager
def _worded(shown: str) -> Iterator[None]:
    """Convert an error of the system to a ToolError with a sentence for the model."""
    try:
        yield
    except OSError as error:
        raise ToolError(_words(error, shown)) from error


def _words(error: OSError, shown: str) -> str:
    if error.errno == errno.ENOENT:
        return f"`{shown}` does not exist."
    if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
        return f"`{shown}` is not a folder, or is a link; links are not followed."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"`{shown}` cannot be accessed: {error.strerror}."
    return f"`{shown}` cannot be used: {error.strerror or type(error).__name__}."
