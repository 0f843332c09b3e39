"""Failure: how a command reports that it could not do its work.

Owns: `CommandError`, `require_file`, `note`, `Run`, the exit codes, the text for an internal error. Must not
know: any command.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from callwright import __version__
from callwright.text.shown import visible

#: No diagnostics; diagnostics (error or warning); wrong usage or unreadable input.
CLEAN = 0
HAS_DIAGNOSTICS = 1
FAILURE = 2


class CommandError(Exception):
    """The command cannot continue: one message for a person, with the remedy in it. The process ends with `FAILURE`."""


def require_file(path: str, stated: str) -> None:
    """See to it that a named file is there. Raises CommandError where none is; `stated` is what named it."""
    if os.path.isdir(path):  # noqa: PTH112 - pathlib would cost an import
        raise CommandError(f"{stated}: this is a folder; name a file in it")
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib would cost an import
        raise CommandError(f"{stated}: file not found; check the path")


def internal_error(error: Exception) -> str:
    """Return the message about an internal error of Callwright: what, where, and how to report it."""
    if os.environ.get("CALLWRIGHT_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace is not None else ""  # noqa: PTH119 - pathlib would cost an import
    return (
        f"internal error: {type(error).__name__}: {error}{place}. This is a bug in Callwright {__version__}, not in"
        " your text. Please report it with the command line, the file if possible, and the output of the same command"
        " with CALLWRIGHT_TRACEBACK=1 in its environment."
    )


def note(message: str) -> None:
    """Write a message to standard error."""
    print(f"callwright: {visible(message)}", file=sys.stderr)


class Run:
    """One run over many files; a failure in one is reported, and the run continues."""

    has_failed = False

    def report_error(self, message: str) -> None:
        """Report what could not be done, and remember it for the exit code."""
        self.has_failed = True
        note(message)

    @contextmanager
    def guarded(self, shown: str) -> Iterator[None]:
        """Report an internal error in a file, so that the run continues with the others."""
        try:
            yield
        except (CommandError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self.report_error(f"{shown}: {internal_error(error)}")
