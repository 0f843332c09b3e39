"""The entry point: starts one command and turns whatever goes wrong into a message and an exit code.

Owns: `--version`, the last words of a process, exit codes. Must not know: any single command; nothing heavy is imported
here, so that a command pays only for what it uses. Before `main` runs nothing else is imported at all, for anyone who
presses Ctrl-C by then is shown Python's traceback.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The exit code for whatever goes wrong, and what a shell reports for a process that ended by SIGINT and by SIGPIPE.
_FAILURE = 2
_INTERRUPTED = 130
_PIPE_CLOSED = 141


def main(words: "Sequence[str] | None" = None) -> int:
    """Run the command line given by `words` (the process's own by default) and return the exit code.

    Never raises: 0 clean, 1 diagnostics, 2 wrong usage, unreadable input or an internal error, 130 interrupted, 141
    when the output is closed.
    """
    if not any(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr)):
        return _guided(words)
    from callwright.cli.support.terminal import guarded

    with guarded():
        return _guided(words)


def _guided(words: "Sequence[str] | None") -> int:
    """Run the command line as `main` does, on the streams that there are."""
    try:
        return _run_last(sys.argv[1:]) if words is None else _run(list(words))
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        _discard_output()
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}")
    except SystemExit as stop:
        # The help printer ends the process itself when the output is closed.
        if isinstance(stop.__context__, BrokenPipeError):
            return _unread()
        return stop.code if isinstance(stop.code, int) else _FAILURE
    except Exception as error:  # noqa: BLE001 - the last line of defence: a person gets a message, never a traceback
        from callwright.cli.support.failure import internal_error

        return _fail(internal_error(error))


def _run_last(given: list[str]) -> int:
    """Run the command line of a process that ends after it: there is no use in searching its memory for garbage."""
    code = _run(given)
    import gc

    gc.freeze()
    return code


def _run(given: list[str]) -> int:
    """Run the command line and return the exit code, or raise whatever goes wrong."""
    if given[:1] in (["--version"], ["-V"]):
        from callwright import __version__

        print(f"callwright {__version__}")
        return 0
    _survive_any_character()
    import gc

    # What is imported stays: looking through it for garbage again and again would take a tenth of a short run.
    gc.set_threshold(50_000, 20, 50)
    from callwright.cli.support.failure import CommandError

    try:
        from callwright.cli.support.arguments import dispatch

        code = dispatch(given)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CommandError as error:
        return _fail(str(error))
    return code


def _unread() -> int:
    """Drop an output that was closed; what is still buffered would fail once more at exit."""
    _discard_output()
    return _PIPE_CLOSED


def _fail(message: str, code: int = _FAILURE) -> int:
    """Write to standard error why the command ended, and return the exit code."""
    from callwright.cli.support.terminal import visible

    try:
        print(f"callwright: {visible(message)}", file=sys.stderr)
    except OSError:
        _discard_output()
    return code


def _survive_any_character() -> None:
    """Let a character that the terminal's encoding lacks be shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Point the output streams to nowhere, so that flushing them at exit cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
