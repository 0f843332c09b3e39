"""`callwright tools lock`: the tools of live servers, asked for by name and kept in a file.

Owns: the options, which servers are meant, showing what will run and asking whether it may, the report. Must not know:
how a server is asked, the files that name servers, the shape of the lock file.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright import __version__
from callwright.cli.support.failure import CLEAN, FAILURE, HAS_DIAGNOSTICS, CommandError
from callwright.cli.support.option_groups import ColorOptions
from callwright.cli.support.options import option, words
from callwright.cli.support.terminal import Style, style_for, visible

if TYPE_CHECKING:
    from callwright.mcp.configuration import Entry, Input
    from callwright.mcp.lock import Changes, Locked
    from callwright.mcp.servers import Server

_LOCK: Final = "tools.lock.json"
#: The longest accepted time in seconds.
_MAX_LENGTH: Final = 3_600.0
#: The supported version of the SDK, as far as it counts.
_SDK: Final = "2"


class LockOptions(
    ColorOptions,
    examples=("callwright tools lock", "callwright tools lock --check", "callwright tools lock -- npx -y some-server"),
):
    """What `callwright tools lock` takes."""

    servers: tuple[str, ...] = words(
        "The names of servers. Default: the only configured one, or those in the lock file.",
        default=(),
    )
    command: tuple[str, ...] = option(
        "The command that starts a server: everything after `--`.", default=(), value="WORD"
    )
    url: str | None = option("The address of a server with streamable HTTP.", default=None)
    file: tuple[str, ...] = option(
        "Read servers from this file instead of `.mcp.json` and `.vscode/mcp.json`. Repeatable.",
        default=(),
        value="PATH",
    )
    all_: bool = option("Contact all configured servers.", default=False)
    name: str | None = option(
        "The name of a server given by command or address. Default: its package, program or host.",
        default=None,
    )
    input_: tuple[str, ...] = option(
        "The value of an input variable of the file. Repeatable.", default=(), value="ID=VALUE"
    )
    env: tuple[str, ...] = option(
        "An environment variable for the server; `NAME` alone passes on the current value. Repeatable.",
        default=(),
        value="NAME=VALUE",
    )
    header: tuple[str, ...] = option(
        "A header for `--url`; `${NAME}` inserts an environment variable. Repeatable.",
        default=(),
        value="NAME: VALUE",
    )
    yes: bool = option("Do not ask for confirmation; what runs is still shown.", default=False)
    check: bool = option(
        "Compare with the lock file without writing it, and exit with 1 if they differ.", default=False
    )
    timeout: str = option("The time limit for connecting, and again for listing tools.", default="60", value="SECONDS")
    output: str = option("The lock file, in this folder.", default=_LOCK, value="PATH")


def run(options: LockOptions) -> int:
    """Request the tools of MCP servers and record them in a lock file.

    Servers come from `.mcp.json` and `.vscode/mcp.json`, or from a command, as in
    `callwright tools lock -- npx -y some-server`, or from an address. The full command line of each server is shown
    first, and nothing runs until you confirm. No other command and no editor contacts a server.
    """
    folder = Path.cwd()
    seconds = _seconds(options.timeout)
    target = _inside(options.output, folder)
    locked = _read_lock(target, options.output)
    _refuse_contradictions(options)
    wanted = _wanted(options, locked, folder)
    _need_sdk()
    run = _Run(options, seconds, locked)
    for server in wanted:
        run.take(server)
    if not options.check:
        _write(target, options.output, locked, run.result)
    if not options.yes and not run.terminal:
        raise CommandError(
            "nothing was run because there is no terminal for the confirmation; use `--yes` to run all of the above"
        )
    return FAILURE if run.failed else HAS_DIAGNOSTICS if options.check and run.drifted else CLEAN


def _refuse_contradictions(options: LockOptions) -> None:
    """Raise CommandError where one option makes no sense with or without another."""
    given = bool(options.command) or options.url is not None
    if options.command and options.url is not None:
        raise CommandError("a command after `--` and `--url` cannot be combined; choose one")
    if given and (options.servers or options.all_ or options.file):
        raise CommandError(
            "a command or `--url` cannot be combined with server names, `--all` or `--file`; remove them"
        )
    if options.name is not None and not given:
        raise CommandError("`--name` needs a command after `--` or `--url`")
    if options.header and options.url is None:
        raise CommandError("`--header` needs `--url`; set the headers of other servers under `headers` in their file")


def _wanted(options: LockOptions, locked: "Mapping[str, Locked]", folder: Path) -> "Iterator[Server | str]":
    """Return the servers that are meant; in place of one that cannot be asked, why."""
    more = dict(_variable(one) for one in options.env)
    asked = _Asked(dict(_assigned(one, "--input", "ID=VALUE") for one in options.input_))
    if options.command or options.url is not None:
        return iter([_given(options, more, folder)])
    entries = _chosen(_entries(options.file, folder), options.servers, locked, every=options.all_)
    return (_resolved(one, asked, more) for one in entries)


class _Run:
    """One run over servers; one that cannot be queried is reported on standard error, and the run continues."""

    def __init__(self, options: LockOptions, seconds: float, locked: "Mapping[str, Locked]") -> None:
        self.terminal = _is_terminal()
        self.failed = False
        self.drifted = False
        self.result = dict(locked)
        self._options = options
        self._seconds = seconds

    def take(self, server: "Server | str") -> None:
        """Ask a server, if it may be asked, and report what differs from what was locked."""
        if isinstance(server, str):
            _print(f"callwright: {server}")
            self.failed = True
            return
        _show(server, style_for(sys.stderr, self._options.color))
        agreed = self._options.yes or (self.terminal and _agreed(server))
        fresh = _ask(server, self._seconds, self.result) if agreed else None
        if fresh is None:
            self.failed = True
            return
        drifted = _report(self.result.get(fresh.name), fresh, style_for(sys.stdout, self._options.color))
        self.drifted = self.drifted or drifted
        self.result[fresh.name] = fresh


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= _MAX_LENGTH:
        raise CommandError(f"`--timeout {word}`: expected a number of seconds, at most {_MAX_LENGTH:g}")
    return seconds


def _assigned(word: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise CommandError(f"`{option} {word}`: expected `{form}`")
    return name, value


def _variable(word: str) -> tuple[str, str]:
    """Return a variable for the server: as it is given, or the user's own of that name."""
    if "=" in word:
        return _assigned(word, "--env", "NAME=VALUE")
    if word not in os.environ:
        raise CommandError(f"`--env {word}`: this variable is not set; set it, or write `{word}=VALUE`")
    return word, os.environ[word]


def _inside(output: str, folder: Path) -> Path:
    """Return the path of the lock file. Raises CommandError where it lies outside the folder, links followed."""
    if not output:
        raise CommandError("`--output`: the path is empty; name a file in this folder")
    place = Path(os.path.realpath(folder / output))
    if not place.is_relative_to(os.path.realpath(folder)) or place == Path(os.path.realpath(folder)):
        raise CommandError(f"`--output {output}`: the lock file must be in this folder; name a file in it")
    if not place.parent.is_dir():
        raise CommandError(f"`--output {output}`: folder {place.parent} not found; create it first")
    return place


def _read_lock(target: Path, shown: str) -> "dict[str, Locked]":
    from callwright.cli.support.files import FileError, read_source
    from callwright.mcp.lock import LockError, parse

    if not target.exists():
        return {}
    if not target.is_file():
        # A pipe would be waited for.
        raise CommandError(f"{shown}: not a regular file; remove it, or name another file with `--output`")
    try:
        return parse(read_source(target).text)
    except LockError as error:
        raise CommandError(f"{shown}: {error}") from None
    except FileError as error:
        raise CommandError(str(error)) from None


def _entries(files: tuple[str, ...], folder: Path) -> "list[Entry]":
    """Return all servers that are named here."""
    from callwright.mcp.configuration import FILES, read_configuration
    from callwright.mcp.servers import ServerError

    given = files or tuple(one for one in FILES if (folder / one).is_file())
    if not given:
        raise CommandError(
            f"no servers are configured: there is neither {' nor '.join(FILES)}. Create one, name another file with"
            " `--file`, or give a command as in `callwright tools lock -- npx -y some-server`"
        )
    try:
        return [entry for one in given for entry in read_configuration(folder / one, one)]
    except ServerError as error:
        raise CommandError(str(error)) from None


def _chosen(
    entries: "list[Entry]", names: tuple[str, ...], locked: "Mapping[str, Locked]", *, every: bool
) -> "list[Entry]":
    """Return the servers that are meant. Raises CommandError where that is not clear."""
    from callwright.cli.support.names import unknown

    if every and names:
        raise CommandError("server names and `--all` cannot be combined; choose one")
    present = [entry for entry in entries if not entry.disabled]
    listed = ", ".join(f"`{visible(entry.name)}`" for entry in present) or "none"
    if every:
        chosen = present
    elif names:
        for name in names:
            if all(entry.name != name for entry in entries):
                raise unknown("server", name, [entry.name for entry in entries], f"Configured servers: {listed}.")
        chosen = [entry for entry in entries if entry.name in names]
    elif len(present) == 1:
        chosen = present
    else:
        chosen = [entry for entry in present if entry.name in locked]
        if not chosen:
            raise CommandError(f"several servers are configured; name one of {listed}, or use `--all`")
    for index, entry in enumerate(chosen):
        twin = next((one for one in chosen[:index] if one.name == entry.name), None)
        if twin is not None:
            raise CommandError(
                f"`{entry.name}` is configured in both {twin.shown} and {entry.shown}; choose one with `--file`"
            )
    return chosen


class _Asked:
    """Answers what a file asks of its user: by an option, else on the terminal."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __call__(self, wanted: "Input") -> str:
        """Return the answer. Raises ServerError where there is none."""
        from callwright.mcp.servers import ServerError

        if wanted.id in self._given:
            return self._given[wanted.id]
        if not _is_terminal() or not wanted.answerable:
            raise ServerError(f"missing input `{wanted.id}`; pass it with `--input {wanted.id}=…`")
        about = visible(wanted.description or wanted.id)
        choices = f" ({', '.join(map(visible, wanted.options))})" if wanted.options else ""
        default = f" [{visible(wanted.default)}]" if wanted.default and not wanted.password else ""
        answer = _prompt(f"{about}{choices}{default}: ", secret=wanted.password)
        return answer or wanted.default or ""


def _resolved(entry: "Entry", ask: _Asked, more: Mapping[str, str]) -> "Server | str":
    """Return the server that an entry means, or why it cannot be asked."""
    from callwright.mcp.configuration import resolve
    from callwright.mcp.servers import ServerError

    try:
        return resolve(entry, os.environ, ask, more=more)
    except ServerError as error:
        return str(error)


def _given(options: LockOptions, more: Mapping[str, str], folder: Path) -> "Server":
    """Return the server that the command line describes."""
    from callwright.mcp.configuration import connected, filled, name_of_address, name_of_command, started
    from callwright.mcp.servers import ServerError, Text

    env = {key: Text.plain(value) for key, value in more.items()}
    try:
        if options.url is None:
            words = [Text.plain(word) for word in options.command]
            return started(options.name or name_of_command(options.command), words, folder, os.environ, env)
        headers = {}
        for one in options.header:
            key, colon, value = one.partition(":")
            if not colon or not key.strip():
                raise CommandError("`--header`: expected `NAME: VALUE`")
            headers[key.strip()] = filled(value.strip(), os.environ)
        return connected(options.name or name_of_address(options.url), Text.plain(options.url), folder, headers)
    except ServerError as error:
        raise CommandError(str(error)) from None


def _need_sdk() -> None:
    """Raise CommandError where the SDK is not installed, or is one that speaks another language."""
    from importlib.metadata import PackageNotFoundError, version

    remedy = "run `pip install 'callwright[mcp]'`"
    try:
        release = version("mcp")
    except PackageNotFoundError:
        raise CommandError(f"this command needs the package `mcp`, which is not installed; {remedy}") from None
    if release.partition(".")[0] != _SDK:
        raise CommandError(
            f"this command needs version {_SDK} of the package `mcp`, but {release} is installed; {remedy}"
        )


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _print(text: str) -> None:
    print("\n".join(visible(line) for line in text.split("\n")), file=sys.stderr, flush=True)


def _show(server: "Server", style: Style) -> None:
    """Show what is about to be run, whole."""
    origin = f" ({server.file})" if server.file else ""
    print(style("bold", visible(f"{server.name}{origin}")), file=sys.stderr)
    for line in server.described():
        # A line of its own each: nothing in a word of the command can look like a line of ours.
        print(f"  {visible(line)}", file=sys.stderr, flush=True)


def _agreed(server: "Server") -> bool:
    """Ask whether a server may be asked."""
    what = "Run this command" if server.url is None else "Connect"
    if _prompt(f"{what}? [y/N] ").strip().lower() in ("y", "yes"):
        return True
    _print(f"Skipped `{server.name}`.")
    return False


def _prompt(question: str, *, secret: bool = False) -> str:
    """Return the line that a person answers; the question is on standard error."""
    if secret:
        from getpass import getpass

        with suppress(EOFError):
            return getpass(question, stream=sys.stderr)
        return ""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().rstrip("\n")


def _ask(server: "Server", seconds: float, locked: "Mapping[str, Locked]") -> "Locked | None":
    """Return what a server's part of the lock file is now, or None where it could not be queried, which is reported."""
    from datetime import UTC, datetime

    from callwright.mcp.client import ask
    from callwright.mcp.limits import Limits
    from callwright.mcp.lock import LockError, lock_server, render_server
    from callwright.mcp.servers import ServerError

    try:
        answer = ask(server, Limits.of_seconds(seconds), __version__)
        stated: dict[str, Any] = {
            "server": {"name": answer.server_name, "version": answer.server_version},
            "protocol": answer.protocol,
            "sdk": answer.sdk,
            "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        fresh = lock_server(server.name, server.written, answer.tools, stated, locked.get(server.name))
        render_server(fresh)
    except ServerError as error:
        _print(f"callwright: {error}")
        return None
    except LockError as error:
        _print(f"callwright: `{server.name}` cannot be locked: {error}")
        return None
    return fresh


def _report(before: "Locked | None", fresh: "Locked", style: Style) -> bool:
    """Print what differs from what was locked; return whether anything does."""
    from callwright.cli.support.report import plural
    from callwright.mcp.lock import compare

    if before is not None and before.edited:
        _print(f"callwright: the tools of `{fresh.name}` in the lock file were edited")
    changes = compare(before, fresh)
    number = plural(len(fresh.tools), "tool", "tools")
    print(f"{style('bold', visible(fresh.name))}: {number}, {_summary(changes) if changes else 'nothing changed'}")
    for sign, color, names in (("+", "green", changes.added), ("-", "red", changes.removed)):
        for name in names:
            print(f"  {style(color, f'{sign} {visible(name)}')}")
    for name, members in changes.changed.items():
        print(f"  {style('yellow', f'~ {visible(name)}')}: {', '.join(map(visible, members))}")
    if before is not None and changes.changed:
        print(_difference(before, fresh, changes), end="")
    return bool(changes) or (before is not None and before.edited)


def _summary(changes: "Changes") -> str:
    counts = ((changes.added, "added"), (changes.removed, "removed"), (changes.changed, "changed"))
    return ", ".join(f"{len(names)} {word}" for names, word in counts if names)


def _difference(before: "Locked", fresh: "Locked", changes: "Changes") -> str:
    """Return the stanzas of changed tools as a unified diff, line for line as a terminal may show it."""
    from callwright.cli.support.differences import unified_diff
    from callwright.mcp.lock import stanzas

    old, new = stanzas(before, changes.changed), stanzas(fresh, changes.changed)
    lines = unified_diff(old, new, fresh.name).splitlines()
    return "".join(f"  {visible(line)}\n" for line in lines)


def _write(target: Path, shown: str, before: "Mapping[str, Locked]", after: "Mapping[str, Locked]") -> None:
    """Write the lock file, all of it or nothing, unless it would stay as it is."""
    from callwright.cli.support.files import FileError, InputFile, read_source, replace_file, write_file
    from callwright.mcp.lock import render

    if dict(before) == dict(after):
        return
    text = render(after)
    try:
        if target.exists():
            from dataclasses import replace

            source: InputFile = replace(read_source(target), shown=shown)
            replace_file(source, text)
        else:
            write_file(target, text, shown)
    except FileError as error:
        raise CommandError(str(error)) from None
    print(f"Wrote {visible(shown)}.")
