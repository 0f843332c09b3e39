"""`callwright stream`: standard input as it comes, events as lines of JSON.

Owns: the options, the shape of the lines, bytes that are no UTF-8. Must not know: how calls are read.
"""

import codecs
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError
from callwright.cli.support.files import STDIN, InputFile, absolute
from callwright.cli.support.judging import strict_tools
from callwright.cli.support.option_groups import DialectOptions, InputOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import option
from callwright.cli.support.output import to_json_line
from callwright.cli.support.projects import Projects
from callwright.config import Project
from callwright.rules.base import Diagnostic

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.runtime.events import Event

Line = dict[str, Any]
_AT_ONCE: Final = 1 << 16
#: What a byte is decoded to that is no UTF-8, and what is read in its place.
_NO_TEXT: Final = re.compile("[\udc80-\udcff]+")
_REPLACED: Final = "\ufffd"


class StreamOptions(
    ToolOptions,
    DialectOptions,
    InputOptions,
    ProjectOptions,
    wording={
        "strict": "Allow only the expected dialects, and reject the reply at the first error.",
        "stdin_filename": "Treat standard input as the content of this file, and use its configuration.",
    },
    examples=("callwright stream --dialect hermes < reply.md",),
):
    """What `callwright stream` takes."""

    require_call: bool = option("With `--strict`, also reject a reply without a call.", default=False)


def run(options: StreamOptions) -> int:
    r"""Parse standard input as it arrives, and print events as JSON lines.

    Each line is an object with the key `event`. Offsets and spans count code points. Calls are numbered from 0.

    `text`: `text` outside calls.

    `call_opened`: `index`, `tool`, `dialect`, `offset`. For each argument follow `argument_opened`, any number of
    `argument_text` with the next piece of `text`, and `argument_closed`, each with `index` and `name`. The call ends
    with `call_closed`: `index` and `call` (`tool`, `arguments`, `dialect`, `span`, `id`), or with `call_dropped`:
    `index`, if the text turns out not to be a call.

    `diagnostic`: `code`, `name`, `severity`, `message`, `span`.

    `invalid_bytes`: `bytes` in hexadecimal that are not UTF-8, and their `offset`. Each byte is read as `U+FFFD`.

    `end`, the last line: the numbers of `calls`, `errors` and `warnings`.

    With `--strict`, only the stated dialects are read and every call must be valid. `error` is printed as soon as the
    reply is certain to be rejected (`type`, `message`, `diagnostics`, `schema`, `example` and more), and reading stops.
    The last line is `result`: the valid `calls`, and `error`, which is null if there is none.

    Exit code: 0 without errors and warnings, 1 with errors or warnings, 2 for a usage error.
    """
    projects = Projects(options)
    if sys.stdin is None:
        raise CommandError("standard input is closed; pipe a text into the command")
    source = InputFile(
        options.stdin_filename or STDIN,
        absolute(Path(options.stdin_filename)) if options.stdin_filename else None,
        "",
        stdin=True,
    )
    project = projects.of(source)
    if options.require_call and not options.strict:
        raise CommandError("`--require-call` needs `--strict`; add it, or remove `--require-call`")
    reading: _Reading = _Strict(project, require_call=options.require_call) if options.strict else _Tolerant(project)
    wrong = False
    for text, notes in _decoded():
        wrong = wrong or bool(notes)
        _print([*notes, *reading.feed(text)])
        if reading.decided:
            break
    _print(reading.finish())
    return HAS_DIAGNOSTICS if wrong or reading.wrong else CLEAN


class _Reading(Protocol):
    """One way to read: what is printed of each piece, and in the end."""

    #: Nothing that follows changes what comes of it.
    decided: bool
    #: Something is wrong so far.
    wrong: bool

    def feed(self, text: str) -> Iterable[Line]:
        """Return the lines that the next piece of the text gives."""

    def finish(self) -> Iterable[Line]:
        """Return the last lines."""


class _Tolerant:
    """Any call, with diagnostics about it."""

    decided = False

    def __init__(self, project: "Project") -> None:
        from callwright.runtime.streaming import StreamingParser

        self._parser = StreamingParser(tools=project.registry.without_problems(), settings=project.settings)
        self.wrong = False

    def feed(self, text: str) -> Iterator[Line]:
        return map(_line, self._parser.feed(text))

    def finish(self) -> Iterator[Line]:
        from callwright.rules.base import Severity

        yield from map(_line, self._parser.finish())
        severities = [one.severity for one in self._parser.diagnostics]
        errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
        self.wrong = bool(errors or warnings)
        yield {"event": "end", "calls": len(self._parser.calls), "errors": errors, "warnings": warnings}


class _Strict:
    """Calls without a fault in the dialects that are asked for, or one error."""

    def __init__(self, project: "Project", *, require_call: bool) -> None:
        from callwright.runtime.strict import StrictParser

        settings = project.settings
        if settings.dialect is None:
            raise CommandError("`--strict` needs a dialect; name one, as in `--dialect hermes`")
        dialects = dict.fromkeys((settings.dialect, *settings.accept))
        parser = StrictParser(
            tools=strict_tools(project),
            dialect=tuple(dialects),
            require_call=require_call,
            markup=settings.markup,
            reasoning=settings.reasoning,
            answer_tags=settings.answer_tags,
        )
        self._stream = parser.stream()
        self.wrong = self.decided = False

    def feed(self, text: str) -> Iterator[Line]:
        yield from map(_line, self._stream.feed(text))
        error = self._stream.error
        if error is not None:
            self.decided = True
            yield {"event": "error", **error.to_dict()}

    def finish(self) -> Iterator[Line]:
        result = self._stream.finish()
        yield from map(_line, self._stream.last)
        self.wrong = result.error is not None
        calls = [_call(call) for call in result.calls]
        yield {"event": "result", "calls": calls, "error": None if result.error is None else result.error.to_dict()}


def _print(lines: Iterable[Line]) -> None:
    """Print lines, and let nothing of them wait."""
    for line in lines:
        print(to_json_line(line))
    if sys.stdout is not None:
        sys.stdout.flush()


def _decoded() -> Iterator[tuple[str, list[Line]]]:
    """Yield the text of standard input as it comes, with a line for each run of bytes that are no UTF-8."""
    waiting, offset, first = b"", 0, True
    source: Any = sys.stdin.buffer
    while True:
        # What is there, be it little: no buffer is waited for.
        data = source.read1(_AT_ONCE)
        # Half a character waits for its other half, until there is none.
        text, taken = codecs.utf_8_decode(waiting + data, "surrogateescape", not data)
        waiting = (waiting + data)[taken:]
        if first and text:
            first, text = False, text.removeprefix("\ufeff")
        notes: list[Line] = []
        if not text.isascii():
            for found in _NO_TEXT.finditer(text):
                shown = found[0].encode("utf-8", "surrogateescape").hex(" ")
                notes.append({"event": "invalid_bytes", "offset": offset + found.start(), "bytes": shown})
            if notes:
                text = _NO_TEXT.sub(lambda found: _REPLACED * len(found[0]), text)
        offset += len(text)
        yield text, notes
        if not data:
            return


def _call(call: "Call") -> Line:
    return {
        "tool": call.tool,
        "arguments": call.arguments,
        "dialect": call.dialect,
        "span": [*call.span],
        "id": call.id,
    }


def _diagnostic(one: "Diagnostic") -> Line:
    return {
        "code": one.code,
        "name": one.name,
        "severity": one.severity.value,
        "message": one.message,
        "span": [*one.span],
    }


def _line(event: "Event") -> Line:
    """Return an event as what is printed of it."""
    from callwright.runtime import events

    match event:
        case events.Text(text):
            return {"event": "text", "text": text}
        case events.CallOpened(tool, dialect, index, offset):
            return {"event": "call_opened", "index": index, "tool": tool, "dialect": dialect, "offset": offset}
        case events.ArgumentOpened(index, name):
            return {"event": "argument_opened", "index": index, "name": name}
        case events.ArgumentText(index, name, text):
            return {"event": "argument_text", "index": index, "name": name, "text": text}
        case events.ArgumentClosed(index, name):
            return {"event": "argument_closed", "index": index, "name": name}
        case events.CallClosed(index, call):
            return {"event": "call_closed", "index": index, "call": _call(call)}
        case events.CallDropped(index):
            return {"event": "call_dropped", "index": index}
        case events.ProblemFound(diagnostic):
            return {"event": "diagnostic", **_diagnostic(diagnostic)}
