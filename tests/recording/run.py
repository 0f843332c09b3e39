"""Records what Callwright says of folders of files, and compares two recordings.

    .venv/bin/python tests/recording/run.py record FOLDER… --out before.jsonl
    .venv/bin/python tests/recording/run.py record FOLDER… --out after.jsonl
    .venv/bin/python tests/recording/run.py compare before.jsonl after.jsonl
    .venv/bin/python tests/recording/run.py compare before.jsonl after.jsonl --without-words

A change of the code that is to leave the behaviour alone is held against this. For each file a line is written: what
`check` reports, the fixes and the text after them, the calls that `parse` reads, what `convert` makes of them, and what
a server answers to completion and hover at places drawn from the text. `--without-words` compares codes, places and
edits alone. Each folder is one project: a `tools.json` in it holds its tools.

Owns: what is recorded, and how two recordings are compared. Must not know: the inside of the package. Only the library,
the command line and the protocol are used, so that a recording of any commit can be made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import callwright

#: At how many places of a file completion and hover are asked for.
PLACES: Final = 8
#: Longer files are checked, and nothing is asked of a server about them.
MAX_LENGTH: Final = 300_000
#: The dialects that calls are converted to.
TARGETS: Final = ("xml-json", "xml-children", "hermes", "fenced-json")
LANGUAGES: Final = {
    ".md": "markdown", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "jsonl", ".jinja": "jinja",
    ".j2": "jinja", ".py": "python", ".ts": "typescript", ".js": "javascript", ".xml": "xml", ".toml": "toml",
}  # fmt: skip
#: Members of an answer that hold words for people, or a hash of them.
_WORDS: Final = frozenset(
    {"message", "title", "documentation", "detail", "contents", "reason", "relatedInformation", "resultId"}
)


def record(folders: list[Path], out: Path) -> None:
    """Write a line for each file of the folders."""
    with out.open("w", encoding="utf-8") as lines:
        for folder in folders:
            for entry in _recorded(folder):
                lines.write(json.dumps(entry, sort_keys=True) + "\n")


def _recorded(folder: Path) -> Iterator[dict[str, Any]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    tools_file = folder / "tools.json"
    tools = json.loads(tools_file.read_text("utf-8")) if tools_file.is_file() else None
    with tempfile.TemporaryDirectory() as scratch:
        config = Path(scratch, "callwright.toml")
        named = ""
        if tools is not None:
            shutil.copy(tools_file, scratch)
            named = 'tools = ["tools.json"]\n'
        config.write_text(f'files = ["**"]\n{named}', "utf-8")
        checked = _checked(folder, config)
        fixed = _diffs(folder, config)
        with Editor(folder, config) as editor:
            for path in files:
                try:
                    text = path.read_bytes().decode("utf-8")
                except UnicodeDecodeError:
                    continue
                name = str(path.relative_to(folder))
                yield {
                    "file": f"{folder.name}/{name}",
                    "check": checked.get(name, []),
                    "fix": fixed.get(name, ""),
                    "parse": _parsed(text, tools),
                    "convert": _converted(text, tools, path),
                    **(editor.asked(path, text) if len(text) <= MAX_LENGTH else {}),
                }


def _run(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "callwright", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False).stdout


def _checked(folder: Path, config: Path) -> dict[str, list[Any]]:
    stated = _run("check", ".", "--config", str(config), "--no-cache", "--output-format", "json-lines", cwd=folder)
    found: dict[str, list[Any]] = {}
    for line in stated.splitlines():
        entry = json.loads(line)
        name = str(entry.get("filename") or entry.get("path") or entry.get("file"))
        found.setdefault(name.removeprefix("./").removeprefix(f"{folder.resolve()}/"), []).append(entry)
    return found


def _diffs(folder: Path, config: Path) -> dict[str, str]:
    """Return for each file the digest of the diff that safe fixes make."""
    stated = _run("check", ".", "--config", str(config), "--no-cache", "--diff", cwd=folder)
    found: dict[str, list[str]] = {}
    name = ""
    for line in stated.split("\n"):
        if line.startswith("--- "):
            name = line[4:].split("\t")[0]
        found.setdefault(name, []).append(line)
    return {name: hashlib.sha256("\n".join(lines).encode()).hexdigest() for name, lines in found.items()}


def _parsed(text: str, tools: Any) -> dict[str, Any]:
    found = callwright.parse(text, tools=tools)
    return {
        "calls": [[call.tool, call.arguments, call.dialect, [*call.span], call.id] for call in found.calls],
        "diagnostics": [[each.code, [*each.span], each.severity.value, each.message] for each in found.diagnostics],
    }


def _converted(text: str, tools: Any, path: Path) -> dict[str, Any]:
    found = {}
    for target in TARGETS:
        try:
            made = callwright.convert(text, target, tools=tools, path=path.name)
        except Exception as fault:  # noqa: BLE001 - whatever it is, it is to be seen in the recording
            found[target] = repr(fault)
        else:
            found[target] = hashlib.sha256(made.text.encode("utf-8", "surrogatepass")).hexdigest()
    return found


class Editor:
    """A server over its standard streams, with one folder open."""

    def __init__(self, folder: Path, config: Path) -> None:
        self._folder, self._config = folder, config
        self._number = 0

    def __enter__(self) -> Editor:
        command = [sys.executable, "-m", "callwright", "server"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        # The project's settings lie in a folder of their own, and its files are opened as if they lay beside them.
        self._root = self._config.parent
        uri = self._root.as_uri()
        capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
        folders = [{"uri": uri, "name": "project"}]
        self._ask(
            "initialize",
            {"processId": os.getpid(), "rootUri": uri, "workspaceFolders": folders, "capabilities": capabilities},
        )
        self._send(method="initialized", params={})
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("shutdown", None)
        self._send(method="exit", params=None)
        self._process.wait(20)

    def asked(self, path: Path, text: str) -> dict[str, Any]:
        """Return what is answered about a document, at places that its text decides."""
        target = self._root / path.relative_to(self._folder)
        uri, language = target.as_uri(), LANGUAGES.get(path.suffix, "plaintext")
        document = {"uri": uri, "languageId": language, "version": 0, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})
        identifier = {"textDocument": {"uri": uri}}
        found: dict[str, Any] = {"pulled": self._ask("textDocument/diagnostic", identifier)}
        for place in _places(text):
            at = {**identifier, "position": place}
            for kind in ("completion", "hover"):
                answer = self._ask(f"textDocument/{kind}", at)
                found[f"{kind} {place['line']}:{place['character']}"] = _stripped(answer)
        self._send(method="textDocument/didClose", params=identifier)
        return found

    def _ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send(id=self._number, method=method, params=params)
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                self._send(id=message["id"], result=None)
            elif message.get("id") == self._number and "method" not in message:
                answer = json.dumps(message.get("result", message.get("error")))
                return json.loads(answer.replace(self._root.as_uri(), "file:///project"))

    def _send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        length = 0
        while header := self._process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the server is gone")
        return json.loads(self._process.stdout.read(length))


def _places(text: str) -> list[dict[str, int]]:
    """Return the same places of a text each time: where markup and words begin and end, and some others."""
    choose = random.Random(text)  # noqa: S311 - the same for the same text, no secret
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    places = []
    for _ in range(PLACES):
        number = choose.randrange(len(lines))
        line = lines[number]
        marked = [at + 1 for at, char in enumerate(line) if char in '<"{:(/'] or [len(line)]
        at = choose.choice(marked) if choose.random() < 0.7 else choose.randrange(len(line) + 1)
        places.append({"line": number, "character": len(line[:at].encode("utf-16-le")) // 2})
    return places


def _stripped(answer: Any) -> Any:
    """Return an answer without what only the running server understands."""
    if isinstance(answer, dict):
        return {key: _stripped(value) for key, value in answer.items() if key not in ("data", "resultId")}
    if isinstance(answer, list):
        return [_stripped(each) for each in answer]
    return answer


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_words(one) for key, one in value.items() if key not in _WORDS}
    if isinstance(value, list):
        if len(value) == 4 and isinstance(value[0], str) and isinstance(value[3], str):
            value = value[:3]
        return [_without_words(one) for one in value]
    return value


def compare(before: Path, after: Path, *, words: bool) -> int:
    """Print what differs, and return how many files do."""
    old, new = _entries(before), _entries(after)
    kinds: Counter[str] = Counter()
    differing = 0
    for name in sorted({*old, *new}):
        mine, other = old.get(name), new.get(name)
        if mine is None or other is None:
            sys.stdout.write(f"{name}: only {'after' if mine is None else 'before'}\n")
            differing += 1
            continue
        if not words:
            mine, other = _without_words(mine), _without_words(other)
        unlike = [key for key in sorted({*mine, *other}) if mine.get(key) != other.get(key)]
        if unlike:
            differing += 1
            kinds.update(key.split()[0] for key in unlike)
            shown = json.dumps([mine.get(unlike[0]), other.get(unlike[0])])
            sys.stdout.write(f"{name}: {', '.join(unlike)}\n    {shown[:400]}\n")
    sys.stdout.write(f"{len(old)} files, {differing} differ {dict(kinds) or ''}\n")
    return differing


def _entries(path: Path) -> Mapping[str, Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return {entry["file"]: entry for entry in map(json.loads, lines)}


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folders", nargs="+", type=Path)
    recording.add_argument("--out", type=Path, required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--without-words", action="store_true")
    options = parser.parse_args()
    if options.command == "record":
        record(options.folders, options.out)
        return 0
    return 1 if compare(options.before, options.after, words=not options.without_words) else 0


if __name__ == "__main__":
    sys.exit(main())
