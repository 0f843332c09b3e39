"""What runs in the process that renders: a stranger's templates, one after the other, and nothing else.

Owns: `main`. Must not know: who asks, how long it waits.

A request is a line with the template and the number of jobs, and a line for each job. All of them are read before any
is answered, with a line each, so neither side waits for the other. Without jobs the variables are asked for.

A thread reads, so that the process ends at once when the parent is gone, in the midst of a template, too. On Linux the
kernel ends it even where a template computes for long in one step, in which no thread runs.
"""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
from _queue import SimpleQueue
from collections import OrderedDict
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from callwright.chat_templates.rendering import Compiled

#: Templates that stay compiled.
_MAX_KEPT: Final = 8
#: It uses what is imported where it is first used.
_WARM: Final = "{{ '\\N{BULLET}' }}"
#: What Jinja imports to find templates and to keep compiled ones. Nothing here does, and what they import in turn takes
#: a tenth of the time to start.
_LEFT_OUT: Final = ("jinja2.bccache", "jinja2.loaders")


class _LeftOut(ModuleType):
    """A module that is not loaded: all that is imported from it is None."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


def main() -> None:
    """Answer requests until the parent closes standard input, or is gone."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # What is loaded stays: looking for garbage in it would take longer than some of the loading.
    gc.disable()
    try:
        # Filters import these where they are first used, and strings with names of characters the last.
        import html  # noqa: F401
        import pprint  # noqa: F401
        import textwrap  # noqa: F401
        import unicodedata  # noqa: F401

        sys.modules.update((name, _LeftOut(name)) for name in _LEFT_OUT)
        import jinja2
        import jinja2.constants

        from callwright.chat_templates import guard, wire
        from callwright.chat_templates.environment import too_old
    except ImportError:
        stdout.write(b'{"missing":true}\n')
        return
    if too_old(jinja2.__version__):
        stdout.write(b'{"old":true}\n')
        return
    lines: SimpleQueue[bytes] = SimpleQueue()
    child = _Child(lines, stdout)
    child.warm_up()
    guard.end_with_parent()
    _thread.start_new_thread(_read, (stdin, lines))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.enable()
    guard.set_limits()
    guard.forbid()
    stdout.write(wire.to_line({"ready": True}))
    stdout.flush()
    while True:
        child.answer()
        stdout.flush()


def _read(stdin: BinaryIO, lines: SimpleQueue[bytes]) -> None:
    """Pass on what the parent sends, and end the process with it."""
    try:
        while line := stdin.readline():
            lines.put(line)
    finally:
        # Nothing is left to do, and ending in order would import and open.
        os._exit(0)


class _Child:
    """The process's answers."""

    def __init__(self, lines: SimpleQueue[bytes], stdout: BinaryIO) -> None:
        self._lines = lines
        self._stdout = stdout
        self._kept: OrderedDict[str, Compiled] = OrderedDict()

    def warm_up(self) -> None:
        """Load all that templates use."""
        from callwright.chat_templates import wire
        from callwright.chat_templates.model import Failed, Job
        from callwright.chat_templates.rendering import compile_template

        compiled = compile_template(_WARM)
        assert not isinstance(compiled, Failed), compiled
        job = Job([{"role": "user", "content": "a"}], None, {}, tagged=True)
        wire.to_outcome(compiled.render_tagged(wire.from_job(wire.to_job(job))))
        wire.to_variables(compiled.variables)

    def answer(self) -> None:
        """Answer the next request."""
        from callwright.chat_templates import guard, wire
        from callwright.chat_templates.model import Failed

        source, count, seconds = wire.from_line(self._lines.get())
        lines = [self._lines.get() for _ in range(count)]
        guard.limit_time(seconds)
        try:
            with guard.in_time(seconds):
                compiled = self._compiled(source)
        except MemoryError:
            compiled = Failed("memory", "the template needs too much memory")
        except guard.TimeLimitError as error:
            compiled = Failed("time", str(error))
        if not lines:
            self._stdout.write(wire.to_variables(compiled if isinstance(compiled, Failed) else compiled.variables))
        for line in lines:
            guard.limit_time(seconds)
            self._stdout.write(_outcome(compiled, line, seconds))
            self._stdout.flush()

    def _compiled(self, source: str) -> Any:
        from callwright.chat_templates.model import Failed
        from callwright.chat_templates.rendering import compile_template

        found = self._kept.pop(source, None) or compile_template(source)
        if not isinstance(found, Failed):
            self._kept[source] = found
            if len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
        return found


def _outcome(compiled: Any, line: bytes, seconds: float) -> bytes:
    """Return the outcome of a job as a line."""
    from callwright.chat_templates import guard, wire
    from callwright.chat_templates.model import Failed

    try:
        job = wire.from_job(line)
        if isinstance(compiled, Failed):
            return wire.to_outcome(compiled)
        with guard.in_time(seconds):
            outcome = compiled.render_tagged(job) if job.tagged else compiled.render(job)
        return wire.to_outcome(outcome)
    except MemoryError:
        return wire.to_outcome(Failed("memory", "the rendering needs too much memory"))
    except guard.TimeLimitError as error:
        return wire.to_outcome(Failed("time", str(error)))
    except (ValueError, RecursionError) as error:
        return wire.to_outcome(Failed("error", f"{type(error).__name__}: {error}"[:200]))
