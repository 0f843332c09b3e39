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
from callwright.cli.support.failure import CLEAN, FINDINGS, TROUBLE, CommandError
from callwright.cli.support.option_groups import ColorOptions
from callwright.cli.support.options import option, words
from callwright.cli.support.terminal import Style, style_for, visible

if TYPE_CHECKING:
    from callwright.mcp.configuration import Entry, Input
    from callwright.mcp.lock import Changes, Locked
    from callwright.mcp.servers import Server

_LOCK: Final = "tools.lock.json"
#: The longest time in seconds that somebody may mean.
_LONGEST: Final = 3_600.0
#: The version of the SDK that is spoken to, as far as it counts.
_SDK: Final = "2"


class LockOptions(ColorOptions):
    """What `callwright tools lock` takes."""

    servers: tuple[str, ...] = words(
        "Names of servers. Without any: the only one that is named, or those that the lock file already has.",
        default=(),
    )
    command: tuple[str, ...] = option(
        "A command that starts a server, word for word: everything behind `--`.", default=()
    )
    url: str | None = option("The address of a server that speaks streamable HTTP.", default=None)
    file: tuple[str, ...] = option(
        "A file that names servers, in place of `.mcp.json` and `.vscode/mcp.json`; may be given several times.",
        default=(),
    )
    all_: bool = option("Ask every server that is named.", default=False)
    name: str | None = option(
        "What to call a server that is given by its command or address. Without it: its package, program or host.",
        default=None,
    )
    input_: tuple[str, ...] = option(
        "An answer to what a file asks for, as `ID=VALUE`; may be given several times.", default=()
    )
    env: tuple[str, ...] = option(
        "A variable for the server, as `NAME=VALUE`, or `NAME` to pass on your own; may be given several times.",
        default=(),
    )
    header: tuple[str, ...] = option(
        "A header for `--url`, as `NAME: VALUE`; may be given several times. `${NAME}` stands for a variable of yours.",
        default=(),
    )
    yes: bool = option("Ask the servers without a question. What runs is shown all the same.", default=False)
    check: bool = option(
        "Write nothing; say what differs from the lock file, and exit with 1 where something does.", default=False
    )
    timeout: str = option("Seconds that a server may take to greet, and again to list its tools.", default="60")
    output: str = option("The lock file, inside this folder.", default=_LOCK)


def run(options: LockOptions) -> int:
    """Ask servers of the Model Context Protocol for their tools and keep the answer in a lock file.

    Each server's whole command line is shown first, and nothing runs before you say yes. The servers are those that
    `.mcp.json` and `.vscode/mcp.json` name, or one given by its command, as in
    `callwright tools lock -- npx -y some-server`, or by its address. No other command and no editor asks a server.
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
        raise CommandError("nothing was run: there is no terminal to ask on; give `--yes` if all of the above may run")
    return TROUBLE if run.failed else FINDINGS if options.check and run.drifted else CLEAN


def _refuse_contradictions(options: LockOptions) -> None:
    """Raise CommandError where one option makes no sense with or without another."""
    given = bool(options.command) or options.url is not None
    if options.command and options.url is not None:
        raise CommandError("give a command behind `--` or an address with `--url`, not both")
    if given and (options.servers or options.all_ or options.file):
        raise CommandError("a server given by its command or address stands alone; leave out the names and `--file`")
    if options.name is not None and not given:
        raise CommandError("`--name` names a server that is given by its command or address; give one")
    if options.header and options.url is None:
        raise CommandError("`--header` goes with `--url`; a file's own servers have their `headers`")


def _wanted(options: LockOptions, locked: "Mapping[str, Locked]", folder: Path) -> "Iterator[Server | str]":
    """Return the servers that are meant; in place of one that cannot be asked, why."""
    more = dict(_variable(one) for one in options.env)
    asked = _Asked(dict(_assigned(one, "--input", "ID=VALUE") for one in options.input_))
    if options.command or options.url is not None:
        return iter([_given(options, more, folder)])
    entries = _chosen(_entries(options.file, folder), options.servers, locked, every=options.all_)
    return (_resolved(one, asked, more) for one in entries)


class _Run:
    """One run over servers; one that cannot be asked is told on standard error, and the others go on."""

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
            _say(f"callwright: {server}")
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
    if not 0.0 < seconds <= _LONGEST:
        raise CommandError(f"`--timeout {word}`: give a number of seconds, at most {_LONGEST:g}")
    return seconds


def _assigned(word: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise CommandError(f"`{option} {word}`: write `{form}`")
    return name, value


def _variable(word: str) -> tuple[str, str]:
    """Return a variable for the server: as it is given, or the user's own of that name."""
    if "=" in word:
        return _assigned(word, "--env", "NAME=VALUE")
    if word not in os.environ:
        raise CommandError(f"`--env {word}`: there is no such variable in the environment; write `{word}=VALUE`")
    return word, os.environ[word]


def _inside(output: str, folder: Path) -> Path:
    """Return the path of the lock file. Raises CommandError where it lies outside the folder, links followed."""
    if not output:
        raise CommandError("`--output`: an empty path names nothing; name a file in this folder")
    place = Path(os.path.realpath(folder / output))
    if not place.is_relative_to(os.path.realpath(folder)) or place == Path(os.path.realpath(folder)):
        raise CommandError(f"`--output {output}`: the lock file lies inside this folder; name a file in it")
    if not place.parent.is_dir():
        raise CommandError(f"`--output {output}`: there is no folder {place.parent}; make it first")
    return place


def _read_lock(target: Path, shown: str) -> "dict[str, Locked]":
    from callwright.cli.support.files import FileError, read_source
    from callwright.mcp.lock import LockError, parse

    if not target.exists():
        return {}
    if not target.is_file():
        # A pipe would be waited for.
        raise CommandError(f"{shown}: is no regular file; remove it, or name another one with `--output`")
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
            f"no servers are named here: there is neither {' nor '.join(FILES)}; write one, name another with `--file`,"
            " or give a command as in `callwright tools lock -- npx -y some-server`"
        )
    try:
        return [entry for one in given for entry in read_configuration(folder / one, one)]
    except ServerError as error:
        raise CommandError(str(error)) from None


def _chosen(
    entries: "list[Entry]", names: tuple[str, ...], locked: "Mapping[str, Locked]", *, every: bool
) -> "list[Entry]":
    """Return the servers that are meant. Raises CommandError where that cannot be told."""
    from callwright.cli.support.names import unknown

    if every and names:
        raise CommandError("give names or `--all`, not both")
    present = [entry for entry in entries if not entry.disabled]
    listed = ", ".join(f"`{visible(entry.name)}`" for entry in present) or "none"
    if every:
        chosen = present
    elif names:
        for name in names:
            if all(entry.name != name for entry in entries):
                raise unknown("server", name, [entry.name for entry in entries], f"These are named here: {listed}.")
        chosen = [entry for entry in entries if entry.name in names]
    elif len(present) == 1:
        chosen = present
    else:
        chosen = [entry for entry in present if entry.name in locked]
        if not chosen:
            raise CommandError(f"say which server, or `--all`: {listed}")
    for index, entry in enumerate(chosen):
        twin = next((one for one in chosen[:index] if one.name == entry.name), None)
        if twin is not None:
            raise CommandError(
                f"`{entry.name}` is named in both {twin.shown} and {entry.shown}; say which one with `--file`"
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
            raise ServerError(f"`{wanted.id}` is asked for; give it with `--input {wanted.id}=…`")
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
                raise CommandError("`--header`: write `NAME: VALUE`")
            headers[key.strip()] = filled(value.strip(), os.environ)
        return connected(options.name or name_of_address(options.url), Text.plain(options.url), folder, headers)
    except ServerError as error:
        raise CommandError(str(error)) from None


def _need_sdk() -> None:
    """Raise CommandError where the SDK is not installed, or is one that speaks another language."""
    from importlib.metadata import PackageNotFoundError, version

    remedy = "install Callwright with it: `pip install 'callwright[mcp]'`"
    try:
        release = version("mcp")
    except PackageNotFoundError:
        raise CommandError(f"asking a server needs the `mcp` package, which is not installed; {remedy}") from None
    if release.partition(".")[0] != _SDK:
        raise CommandError(
            f"asking a server needs version {_SDK} of the `mcp` package, and {release} is here; {remedy}"
        )


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _say(text: str) -> None:
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
    _say(f"`{server.name}` was not asked.")
    return False


def _prompt(question: str, *, secret: bool = False) -> str:
    """Return the line that a person answers; the question stands on standard error."""
    if secret:
        from getpass import getpass

        with suppress(EOFError):
            return getpass(question, stream=sys.stderr)
        return ""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().rstrip("\n")


def _ask(server: "Server", seconds: float, locked: "Mapping[str, Locked]") -> "Locked | None":
    """Return what a server's part of the lock file is now, or None where it could not be asked, which is told."""
    from datetime import UTC, datetime

    from callwright.mcp.client import ask
    from callwright.mcp.limits import Limits
    from callwright.mcp.lock import LockError, lock_server, render_server
    from callwright.mcp.servers import ServerError

    try:
        answer = ask(server, Limits.of_seconds(seconds), __version__)
        said: dict[str, Any] = {
            "server": {"name": answer.server_name, "version": answer.server_version},
            "protocol": answer.protocol,
            "sdk": answer.sdk,
            "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        fresh = lock_server(server.name, server.written, answer.tools, said, locked.get(server.name))
        render_server(fresh)
    except ServerError as error:
        _say(f"callwright: {error}")
        return None
    except LockError as error:
        _say(f"callwright: `{server.name}` cannot be locked: {error}")
        return None
    return fresh


def _report(before: "Locked | None", fresh: "Locked", style: Style) -> bool:
    """Print what differs from what was locked; tell whether anything does."""
    from callwright.cli.support.report import plural
    from callwright.mcp.lock import compare

    if before is not None and before.edited:
        _say(f"callwright: the tools of `{fresh.name}` in the lock file are not those that were locked; it was edited")
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
    from callwright.cli.support.files import FileError, Source, read_source, replace_file, write_file
    from callwright.mcp.lock import render

    if dict(before) == dict(after):
        return
    text = render(after)
    try:
        if target.exists():
            from dataclasses import replace

            source: Source = replace(read_source(target), shown=shown)
            replace_file(source, text)
        else:
            write_file(target, text, shown)
    except FileError as error:
        raise CommandError(str(error)) from None
    print(f"Wrote {visible(shown)}.")
