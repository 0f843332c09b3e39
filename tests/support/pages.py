"""Pages of the documentation that are carried out as they are read: files are written, commands run, outputs compared.

Owns: what the fences of such a page mean. Must not know: what any page is about.

| Fence | Means |
|---|---|
| any language and `file=PATH` | the file is written, and its name is in back-ticks right above the fence |
| `diff` with a `---` line | the lines are changed in that file; they are there just once |
| `console` | each line that begins with `$ ` is run by a shell; the lines below it are all that it prints |
| `console install` | commands that are not run, for they would need a package index |
| `text offers=PATH` | what is typed at the end of that file, up to the line of `‸`, and what is then offered |

A line that holds `…` alone means any lines of an output. How long pytest took and how many tests it left out is not
shown. Every other fence is an illustration.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from callwright.config import find_project
from callwright.features import text_document_completion as completion
from callwright.features.base import Client, Request
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span

FENCE = re.compile(
    r"^(?P<ticks>`{3,}+)(?P<kind>[a-z]++)(?P<words>[^\n`]*+)\n(?P<body>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
#: How long a command may take, in seconds; only one that hangs takes as long.
PATIENCE = 900
#: What pytest says at the end of a run of the tests that it left out, and of the time.
_OTHERS = re.compile(r"(?:, \d+ deselected)? in \d+\.\d\ds(?: \(\d+:\d\d:\d\d\))?$", re.MULTILINE)
CURSOR = "‸"
LEFT_OUT = "…\n"


@dataclass(frozen=True)
class Fence:
    """One fence of a page; `words` are what is after the language, `at` is where the body begins."""

    kind: str
    words: dict[str, str]
    body: str
    at: int


@dataclass
class Reported:
    """What a page turned out to be: its text as it should be, and how much of it was carried out."""

    page: str
    files: int = 0
    commands: list[str] = field(default_factory=list)
    installs: list[str] = field(default_factory=list)


def fences(page: str) -> list[Fence]:
    """Return the fences of a page, in order."""
    found = []
    for each in FENCE.finditer(page):
        words = dict((*word.split("=", 1), "")[:2] for word in each["words"].split())
        found.append(Fence(each["kind"], words, each["body"], each.start("body")))
    return found


def carried_out(
    page: str,
    folder: Path,
    programs: Path = Path(sys.executable).parent,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Reported:
    """Do in a folder what a page says, with the commands of a folder of programs, and return the page with what is then
    printed."""
    reported = Reported(page)
    shell = partial(_shell, folder=folder, programs=programs, environment=environment)
    fresh: dict[int, str] = {}
    for fence in fences(page):
        if "file" in fence.words:
            _name_is_above(page, fence)
            path = folder / fence.words["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fence.body, encoding="utf-8")
            reported.files += 1
        elif "install" in fence.words:
            reported.installs += [line.removeprefix("$ ") for line in fence.body.splitlines() if line.startswith("$ ")]
        elif "offers" in fence.words:
            fresh[fence.at] = _offered(fence, folder)
        elif fence.kind == "diff" and fence.body.startswith("--- "):
            _change(fence, folder)
            reported.files += 1
        elif fence.kind == "console":
            fresh[fence.at] = _run(fence, reported, shell)
    for fence in reversed(fences(page)):
        if fence.at in fresh:
            reported.page = reported.page[: fence.at] + fresh[fence.at] + reported.page[fence.at + len(fence.body) :]
    return reported


def _name_is_above(page: str, fence: Fence) -> None:
    above = page[: fence.at].split("\n\n")[-2]
    assert f"`{fence.words['file']}`" in above, f"the text above the fence does not name `{fence.words['file']}`"


def _change(fence: Fence, folder: Path) -> None:
    lines = fence.body.splitlines(keepends=True)
    path = folder / lines[0].removeprefix("--- ").strip()
    old = "".join(line[1:] for line in lines[1:] if line[0] in " -")
    new = "".join(line[1:] for line in lines[1:] if line[0] in " +")
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"`{path.name}` does not hold once what is to be changed: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


class _Shell(Protocol):
    def __call__(self, command: str, status: int) -> tuple[int, str]:
        """Run a command after one that ended with `status`, and return its own status and what it prints."""


def _run(fence: Fence, reported: Reported, shell: _Shell) -> str:
    """Run the commands of a fence, and return it with what they print; what was left out stays so where it may."""
    out = ""
    status = 0
    for part in re.split(r"^\$ ", fence.body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        number = 1
        while lines[number - 1].endswith("\\\n"):
            number += 1
        command, shown = "".join(lines[:number]), "".join(lines[number:])
        reported.commands.append(command.strip())
        status, printed = shell(command, status)
        out += f"$ {command}{shown if _is_placeholder_text(shown, printed) else printed}"
    return out


def _shell(
    command: str, status: int, *, folder: Path, programs: Path, environment: Mapping[str, str]
) -> tuple[int, str]:
    """Run a command after one that ended with `status`, as in a person's terminal without colours."""
    others = ("CALLWRIGHT_", "GITHUB_", "PYTEST_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(others) and key != "CI"}
    path = os.pathsep.join([str(programs), kept.get("PATH", "")])
    shown = {"PATH": path, "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8", "CALLWRIGHT_NO_CACHE": "1"}
    ran = subprocess.run(
        ["bash", "-c", f"(exit {status})\n{command}"],
        cwd=folder,
        env={**kept, **shown, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in ran.stdout, ran.stdout
    # The command must be there, and used as it wants to be.
    assert ran.returncode in (0, 1), (command, ran.returncode, ran.stdout)
    text = _OTHERS.sub("", ran.stdout.replace(str(folder), "…/project"))
    return ran.returncode, text if not text or text.endswith("\n") else f"{text}\n"


def _is_placeholder_text(shown: str, printed: str) -> bool:
    """Return whether an output is shown truly: word for word, but for lines that `…` replaces."""
    parts = re.split(r"^…\n", shown, flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(re.escape(part) for part in parts), printed) is not None


def _offered(fence: Fence, folder: Path) -> str:
    before, after = fence.body.split(CURSOR)
    typed = f"{before}{CURSOR}{after[: after.index(chr(10)) + 1]}"
    path = folder / fence.words["offers"]
    text = path.read_text(encoding="utf-8") + typed.replace(CURSOR, "")
    cursor = len(text) - len(typed) + typed.index(CURSOR) + 1
    project = find_project(path, root=folder)
    assert project.problems == ()
    snapshot = open_snapshot(text, path=str(path), registry=project.registry, settings=project.settings)
    items = completion.handle(snapshot, Request(Span(cursor, cursor), Client(snippets=True)))
    return typed + "".join(f"  {item.label}{f'  ({item.detail})' if item.detail else ''}\n" for item in items)
