"""The files in which a folder names its servers: `.mcp.json` and `.vscode/mcp.json`.

Owns: their shapes and their variables. Must not know: how a server is asked, terminals. Reading runs nothing; a
variable that cannot be answered is an error of that server alone.

Shapes and variables are those of "MCP configuration reference" (<https://code.visualstudio.com/docs/copilot/reference/>)
and "Connect Claude Code to tools via MCP" (<https://code.claude.com/docs/en/mcp>).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from callwright.mcp.servers import (
    Server,
    ServerError,
    Text,
    is_secret_name,
    public_address,
    shown_value,
    without_secrets,
)

#: Where servers are named, from the folder's top.
FILES: Final = (".mcp.json", ".vscode/mcp.json")
#: A file beyond this size in bytes is refused: it is not one.
LARGEST: Final = 1024 * 1024

#: What VS Code lets such a file have beyond JSON.
_ALLOWED: Final = frozenset({"comment", "trailing-comma"})
_VARIABLE = re.compile(r"\$\{([^{}]*+)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_ASSIGNMENT = re.compile(r"(?:export[ \t]++)?([A-Za-z_][A-Za-z0-9_.]*+)[ \t]*+=[ \t]*+(.*)")
_STREAMABLE: Final = frozenset({"http", "streamable-http", "streamablehttp", "streamable_http"})
#: Programs that run another one, and the words before its name.
_RUNNERS: Final = frozenset(
    {"npx", "bunx", "uvx", "uv", "node", "python", "py", "deno", "bun", "npm", "pnpm", "yarn", "pipx"}
)
_VERBS: Final = frozenset({"run", "exec", "dlx", "tool", "x"})


@dataclass(frozen=True, slots=True)
class Input:
    """Something that a file asks of its user: VS Code's `inputs`."""

    id: str
    description: str = ""
    default: str | None = None
    password: bool = False
    options: tuple[str, ...] = ()
    answerable: bool = True


#: Answers what a file asks; raises ServerError where that is impossible.
Ask = Callable[[Input], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """A server as a file writes it: `shown` is the file as the user knows it, `editor` says that it is VS Code's."""

    name: str
    shown: str
    folder: Path
    value: Any
    editor: bool
    inputs: Mapping[str, Input] = field(default_factory=dict)

    @property
    def disabled(self) -> bool:
        """Whether the file says that the server is not to be used."""
        return isinstance(self.value, Mapping) and self.value.get("disabled") is True


def read_configuration(path: Path, shown: str) -> list[Entry]:
    """Return the servers that a file names, in its order. Raises ServerError where it is no such file."""
    from callwright.syntax.json import read_json

    try:
        if path.exists() and not path.is_file():
            raise ServerError(f"{shown}: it is not a regular file")
        if path.stat().st_size > LARGEST:
            raise ServerError(f"{shown}: the file is larger than {LARGEST // 1024} KB")
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ServerError(f"{shown}: there is no such file; check the path") from None
    except UnicodeDecodeError:
        raise ServerError(f"{shown}: it is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise ServerError(f"{shown}: it cannot be read: {error.strerror or error}") from None
    read = read_json(text)
    fault = min((one for one in read.problems if one.kind not in _ALLOWED), key=lambda one: one.span, default=None)
    if fault is not None:
        line = text.count("\n", 0, fault.span.start) + 1
        raise ServerError(
            f"{shown}:{line}: the file is not valid JSON ({fault.kind.replace('-', ' ')}); correct it there"
        )
    document = read.value
    servers, editor = None, False
    if isinstance(document, Mapping):
        editor = "mcpServers" not in document
        servers = document.get("servers" if editor else "mcpServers")
    if not isinstance(servers, Mapping):
        raise ServerError(f"{shown}: there are no servers; add them under `mcpServers` (`servers` for VS Code)")
    folder = path.parent.parent if path.parent.name == ".vscode" else path.parent
    inputs = {one.id: one for one in _inputs(document.get("inputs"))}
    return [Entry(name, shown, folder, value, editor, inputs) for name, value in servers.items()]


def _inputs(value: Any) -> Iterator[Input]:
    for one in value if isinstance(value, list) else ():
        if not isinstance(one, Mapping) or not isinstance(one.get("id"), str):
            continue
        default, options = one.get("default"), one.get("options")
        yield Input(
            id=one["id"],
            description=one["description"] if isinstance(one.get("description"), str) else "",
            default=default if isinstance(default, str) else None,
            password=one.get("password") is True,
            options=tuple(map(_option, options)) if isinstance(options, list) else (),
            answerable=one.get("type") != "command",
        )


def _option(option: Any) -> str:
    """Return the value that means a choice, which may be written with a label."""
    return str(option.get("value", "")) if isinstance(option, Mapping) else str(option)


def resolve(entry: Entry, environment: Mapping[str, str], ask: Ask, *, more: Mapping[str, str] | None = None) -> Server:
    """Return the server that an entry means, every variable replaced.

    `environment` is the user's own; of it a server is given what is usual for a program, what its entry names, and
    `more`. Raises ServerError where something is missing.
    """
    where = f"{entry.shown}: `{entry.name}`"
    value = entry.value
    if not isinstance(value, Mapping):
        raise ServerError(f"{where} is not an object; write its `command` and `args`, or its `url`")
    texts = _Variables(entry, environment, ask, where)
    kind = value.get("type")
    kind = kind.lower() if isinstance(kind, str) else ("http" if "url" in value and "command" not in value else "stdio")
    if kind == "sse":
        raise ServerError(
            f"{where} uses the transport `sse`, which the protocol replaced with streamable HTTP; pass the address of "
            "its streamable HTTP endpoint with `--url`"
        )
    if kind in _STREAMABLE:
        return _connected(entry, value, texts, where)
    if kind != "stdio":
        raise ServerError(f"{where} has the type `{kind}`; expected `stdio` or `http`")
    command, args = value.get("command"), value.get("args", [])
    if not isinstance(command, str) or not command.strip():
        raise ServerError(f"{where} has no `command`; write the program that starts it")
    if not isinstance(args, list) or not all(isinstance(one, str | int | float) for one in args):
        raise ServerError(f"{where}: `args` must be a list of strings")
    written = [command, *map(str, args)]
    words = tuple(texts.expand(word) for word in written)
    folder = entry.folder
    origin: dict[str, Any] = {"file": entry.shown, "command": without_secrets(written)}
    if isinstance(value.get("cwd"), str):
        folder = folder / Path(texts.expand(value["cwd"]).value)
        origin["cwd"] = value["cwd"]
    env = _environment(entry, value, texts, where)
    if env:
        origin["env"] = sorted(env)
    return started(entry.name, words, folder, environment, {**env, **_plain(more)}, file=entry.shown, written=origin)


def started(
    name: str,
    words: Sequence[Text],
    folder: Path,
    environment: Mapping[str, str],
    env: Mapping[str, Text],
    *,
    file: str | None = None,
    written: Mapping[str, Any] | None = None,
) -> Server:
    """Return the server that a command starts. Raises ServerError where there is no such program or folder."""
    if not folder.is_dir():
        raise ServerError(f"`{name}` should run in {folder}, but there is no such folder; check its `cwd`")
    if any("\0" in one.value for one in (*words, *env.values())):
        raise ServerError(f"`{name}`: a command cannot contain a NUL character; remove it")
    search = env["PATH"].value if "PATH" in env else environment.get("PATH", "")
    command = words[0].value
    program = shutil.which(str(folder / command) if "/" in command or "\\" in command else command, path=search)
    if program is None:
        raise ServerError(f"`{name}`: the program `{words[0].shown}` was not found; install it, or correct the command")
    shown = {key: Text(text.value, shown_value(key, text)) for key, text in env.items()}
    origin = written if written is not None else {"command": without_secrets([one.value for one in words])}
    return Server(name, folder, file, program, tuple(words), shown, written=origin)


def connected(
    name: str,
    url: Text,
    folder: Path,
    headers: Mapping[str, Text],
    *,
    file: str | None = None,
    written: Mapping[str, Any] | None = None,
) -> Server:
    """Return the server at an address. Raises ServerError where it is none of HTTP."""
    try:
        parts = urlsplit(url.value)
        fit = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fit = False
    if not fit or any(one.isspace() for one in url.value):
        raise ServerError(f"`{name}`: `{url.shown}` is not an HTTP address; write `https://…`")
    for key, text in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]++", key) or not all(" " <= one <= "~" for one in text.value):
            raise ServerError(f"`{name}`: `{key}` is not a valid header; names and values must be ASCII")
    secret_free = Text(url.value, public_address(url.value) if url.shown == url.value else url.shown)
    shown = {key: Text(text.value, shown_value(key, text)) for key, text in headers.items()}
    origin = written if written is not None else _with_headers({"url": public_address(url.value)}, headers)
    return Server(name, folder, file, url=secret_free, headers=shown, written=origin)


def name_of_command(words: Sequence[str]) -> str:
    """Return what to call a server that a command starts: the package or file that is run, not what runs it."""
    first = _stem(words[0])
    if first.lower().rstrip("0123456789.") not in _RUNNERS:
        return first
    named = (word for word in words[1:] if not word.startswith("-") and word not in _VERBS)
    return _stem(next(named, words[0]))


def _stem(word: str) -> str:
    """Return a word without the folders or the scope before it and the version or the ending after it."""
    last = re.split(r"[/\\]", word.rstrip("/\\"))[-1]
    return re.sub(r"(?<=.)(?:@.*|==.*|\.(?:exe|cmd|py|js|mjs|cjs|ts|sh))\Z", "", last) or word


def name_of_address(url: str) -> str:
    """Return what to call the server at an address: its host."""
    try:
        return urlsplit(url).hostname or "server"
    except ValueError:
        return "server"


def filled(text: str, environment: Mapping[str, str]) -> Text:
    """Return a text of the command line with variables of the environment in it replaced, and not shown."""
    entry = Entry("server", "the command line", Path(), None, editor=False)
    found = _Variables(entry, environment, _none, "the header").expand(text)
    return Text(found.value, text) if found.value != text else found


def _none(wanted: Input) -> str:
    raise ServerError(f"`{wanted.id}` needs an input from an editor; use an environment variable instead")


def _connected(entry: Entry, value: Mapping[str, Any], texts: _Variables, where: str) -> Server:
    url, headers = value.get("url"), value.get("headers")
    if not isinstance(url, str):
        raise ServerError(f"{where} has no `url`; write the address of the server")
    if value.get("headersHelper") is not None:
        raise ServerError(
            f"{where} gets its headers from a program, which Callwright does not run; write them in `headers`"
        )
    if headers is not None and not isinstance(headers, Mapping):
        raise ServerError(f"{where}: `headers` must be an object of strings")
    given = {key: texts.expand(str(text)) for key, text in (headers or {}).items()}
    origin = _with_headers({"file": entry.shown, "url": public_address(url) if "${" not in url else url}, given)
    return connected(entry.name, texts.expand(url), entry.folder, given, file=entry.shown, written=origin)


def _with_headers(origin: dict[str, Any], headers: Mapping[str, Text]) -> dict[str, Any]:
    return {**origin, "headers": sorted(headers)} if headers else origin


def _plain(more: Mapping[str, str] | None) -> dict[str, Text]:
    return {name: Text.plain(value) for name, value in (more or {}).items()}


def _environment(entry: Entry, value: Mapping[str, Any], texts: _Variables, where: str) -> dict[str, Text]:
    """Return what an entry adds to the environment: the lines of its `envFile`, and over them its `env`."""
    env: dict[str, Text] = {}
    file = value.get("envFile")
    if isinstance(file, str):
        path = entry.folder / texts.expand(file).value
        try:
            # A pipe would be waited for, a device read without end, and both before a person is asked.
            usable = path.is_file() and path.stat().st_size <= LARGEST
            lines = path.read_text(encoding="utf-8-sig").splitlines() if usable else None
        except (OSError, ValueError):
            lines = None
        if lines is None:
            raise ServerError(f"{where}: its `envFile` {path} cannot be read; check the path")
        for line in lines:
            found = _ASSIGNMENT.fullmatch(line.strip())
            if found is not None:
                env[found[1]] = Text.plain(_unquoted(found[2].strip()))
    written = value.get("env")
    if written is not None and not isinstance(written, Mapping):
        raise ServerError(f"{where}: `env` must be an object of strings")
    for key, text in (written or {}).items():
        if "=" in key or "\0" in key or not key:
            raise ServerError(f"{where}: `{key}` is not a valid name for an environment variable")
        if text is None:
            env.pop(key, None)
        else:
            env[key] = texts.expand(str(text))
    return env


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


class _Variables:
    """Replaces the variables in the texts of one entry; each input is asked for once."""

    def __init__(self, entry: Entry, environment: Mapping[str, str], ask: Ask, where: str) -> None:
        self._entry = entry
        self._environment = environment
        self._ask = ask
        self._where = where
        self._answers: dict[str, str] = {}

    def expand(self, text: str) -> Text:
        """Return a text with its variables replaced; what is not shown is written as the file has it."""
        value: list[str] = []
        shown: list[str] = []
        at = 0
        for found in _VARIABLE.finditer(text):
            replaced, hidden = self._replaced(found[1], found[0])
            before = text[at : found.start()]
            value += (before, replaced)
            shown += (before, found[0] if hidden else replaced)
            at = found.end()
        return Text("".join([*value, text[at:]]), "".join([*shown, text[at:]]))

    def _replaced(self, word: str, written: str) -> tuple[str, bool]:
        """Return what a variable means, and whether that is the user's secret."""
        entry, environment = self._entry, self._environment
        name, marker, rest = word.partition(":")
        folder = str(entry.folder)
        places = {
            "workspaceFolder": folder, "workspaceRoot": folder, "cwd": folder, "userHome": str(Path.home()),
            "workspaceFolderBasename": entry.folder.name, "pathSeparator": _separator(), "/": _separator(),
        }  # fmt: skip
        if not entry.editor and _NAME.fullmatch(name) and (not marker or rest.startswith("-")):
            if environment.get(name):
                return environment[name], is_secret_name(name)
            if marker:
                return rest[1:], False
            if name not in places:
                raise ServerError(
                    f"{self._where} needs the environment variable `{name}`, which is not set; set it, or write a "
                    f"default as in `${{{name}:-…}}`"
                )
        if name == "env" and marker:
            return environment.get(rest, ""), is_secret_name(rest)
        if name == "input" and marker:
            return self._answer(rest)
        if not marker and name in places:
            return places[name], False
        raise ServerError(
            f"{self._where} uses the variable `{written}`, which only an editor can resolve; write its value"
        )

    def _answer(self, key: str) -> tuple[str, bool]:
        wanted = self._entry.inputs.get(key, Input(key))
        if key not in self._answers:
            self._answers[key] = self._ask(wanted)
        return self._answers[key], wanted.password or is_secret_name(key)


def _separator() -> str:
    import os

    return os.sep
