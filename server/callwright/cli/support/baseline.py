"""The baseline: diagnostics that are known, so that only new ones count.

Owns: the file of the baseline, and which diagnostic is known. Must not know: options, how a diagnostic is printed.

A diagnostic is known by its file, its rule and its key (its message and its surroundings, whatever line they are in),
as often as it was there when the baseline was written. So lines may move; a diagnostic in another line counts. Paths
are relative to the folder of the baseline, so that it holds wherever the command runs.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from callwright.cli.formats.base import RenderedDiagnostic
from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import STDIN, FileError, written

_VERSION: Final = 1

#: For each file, for each code, how often each key was found.
_Known = dict[str, dict[str, dict[str, int]]]


class Baseline:
    """A baseline as it is read, or as it is going to be written."""

    def __init__(self, path: str, *, stated: str, write: bool) -> None:
        """Read the baseline at `path`; with `write`, one need not be there. Raises CommandError where it is none.

        `stated` is what named the file, as messages show it.
        """
        if not path:
            raise CommandError("`--baseline`: the path is empty (is a variable unset?); name a file")
        self.path = path
        self._stated = stated
        self._folder = Path(os.path.abspath(path)).parent  # noqa: PTH100 - resolve() would follow links
        #: The bytes that were read; None where there is no file yet.
        self._data: bytes | None = None
        self._known = self._read(must_be_there=not write)
        #: What is left of the known diagnostics of each file while it is checked.
        self._left: _Known = {}
        self._found: _Known = {}

    def knows(self, reported: RenderedDiagnostic) -> bool:
        """Return whether a diagnostic is known; each known one counts as often as it was there when it was written."""
        name = self._name(reported.path)
        if name not in self._left:
            known = self._known.get(name, {})
            self._left[name] = {code: dict(keys) for code, keys in known.items()}
        keys = self._left[name].get(reported.code, {})
        left = keys.get(reported.key, 0)
        if left:
            keys[reported.key] = left - 1
        return left > 0

    def gone(self, paths: Iterable[str]) -> int:
        """Return how many known diagnostics of checked files no longer occur."""
        names = {self._name(path) for path in paths}
        left = {**self._known, **self._left}
        return sum(number for name in names for keys in left.get(name, {}).values() for number in keys.values())

    def add(self, reported: RenderedDiagnostic) -> None:
        """Add a diagnostic to the baseline that will be written."""
        keys = self._found.setdefault(self._name(reported.path), {}).setdefault(reported.code, {})
        keys[reported.key] = keys.get(reported.key, 0) + 1

    def write(self, checked: Iterable[str]) -> int:
        """Write what was found; what is known of files that were not checked and still exist is kept.

        Returns how many diagnostics the baseline has then. Raises CommandError where the file changed meanwhile, for
        what another run put into it would be lost, or cannot be written.
        """
        names = {self._name(path) for path in checked}
        kept = {
            name: codes for name, codes in self._known.items() if name not in names and (self._folder / name).exists()
        }
        files = {
            name: {code: dict(sorted(keys.items())) for code, keys in sorted(codes.items())}
            for name, codes in sorted({**kept, **self._found}.items())
        }
        self._put(json.dumps({"version": _VERSION, "files": files}, indent=1) + "\n")
        return sum(number for codes in files.values() for keys in codes.values() for number in keys.values())

    def _put(self, text: str) -> None:
        path = Path(self.path)
        try:
            with written(
                path,
                self.path,
                unchanged=None if self._data is None else lambda real: real.read_bytes() == self._data,
                new=self._data is None,
                folders=True,
            ) as file:
                file.write(text.encode())
        except FileError as error:
            raise CommandError(str(error)) from None

    def _name(self, path: str) -> str:
        """Return a path as the baseline writes it."""
        if path == STDIN:
            return path
        try:
            return os.path.relpath(path, self._folder).replace(os.sep, "/")
        except ValueError:
            # Another drive.
            return os.path.abspath(path).replace(os.sep, "/")  # noqa: PTH100 - resolve() would follow links

    def _read(self, *, must_be_there: bool) -> _Known:
        try:
            self._data = Path(self.path).read_bytes()
            data = json.loads(self._data)
        except FileNotFoundError:
            if not must_be_there:
                return {}
            raise CommandError(f"{self._stated}: file not found; `--write-baseline` creates it") from None
        except IsADirectoryError:
            raise CommandError(f"{self._stated}: this is a folder; name a file in it") from None
        except OSError as error:
            raise CommandError(f"{self._stated}: not read: {error.strerror or error}") from None
        except (ValueError, RecursionError):
            raise self._no_baseline() from None
        if not isinstance(data, dict) or not isinstance(data.get("files"), dict):
            raise self._no_baseline()
        if data.get("version") != _VERSION:
            raise CommandError(
                f"{self._stated}: written by another version of Callwright; recreate it with `--write-baseline`"
            )
        if not all(_is_counts(codes) for codes in data["files"].values()):
            raise self._no_baseline()
        known: _Known = data["files"]
        return known

    def _no_baseline(self) -> CommandError:
        return CommandError(
            f"{self._stated}: not a baseline; name another file, or remove it and recreate it with `--write-baseline`"
        )


def _is_counts(codes: Any) -> bool:
    return isinstance(codes, dict) and all(
        isinstance(keys, dict) and all(type(number) is int for number in keys.values()) for keys in codes.values()
    )
