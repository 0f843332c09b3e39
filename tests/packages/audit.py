"""Asks for advisories about the locked packages: the server's and the extension's.

    make audit

Ends with 1 where an advisory is known, with 0 where none is or no service could be asked; which of the two is reported
for each lock file. A pipeline in which it must not go unasked gives `--strict`, for which not being able to ask is 1,
too.

Owns: what the programs' answers mean. Must not know: any advisory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Answer:
    """What came of asking: advisories by package, or why there is no answer."""

    advisories: tuple[str, ...] = ()
    unasked: str = ""


def read_uv(code: int, output: str, errors: str) -> Answer:
    """Read what `uv audit` says: 0 without advisories, 1 with some, another code where it could not ask."""
    if code == 0:
        return Answer()
    if code == 1 and output.strip():
        return Answer(tuple(output.strip().splitlines()))
    return Answer(unasked=_last(errors or output))


def read_npm(code: int, output: str, errors: str) -> Answer:
    """Read what `npm audit --json` says: a report, or an error in its stead."""
    try:
        report = json.loads(output)
    except ValueError:
        return Answer(unasked=_last(errors or output) or f"npm ended with {code}")
    found = report.get("vulnerabilities")
    if not isinstance(found, dict) or "error" in report:
        return Answer(unasked=str(report.get("message") or report.get("error") or f"npm ended with {code}"))
    return Answer(tuple(f"{name}: {entry.get('severity')}" for name, entry in sorted(found.items())))


def ask(command: list[str], folder: Path, read: Callable[[int, str, str], Answer]) -> Answer:
    """Run a program that asks, and read its answer."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answer(unasked=str(error))
    return read(done.returncode, done.stdout, done.stderr)


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def main(arguments: list[str]) -> int:
    """Ask about both lock files; `arguments` are the path of uv and perhaps `--strict`."""
    strict = "--strict" in arguments
    uv = next((each for each in arguments if not each.startswith("-")), "uv")
    failed = False
    for lock, answer in (
        ("uv.lock", ask([uv, "audit", "--frozen"], ROOT, read_uv)),
        ("client-vscode/package-lock.json", ask(["npm", "audit", "--json"], ROOT / "client-vscode", read_npm)),
    ):
        if answer.unasked:
            sys.stdout.write(f"{lock}: not audited, nobody could be asked: {answer.unasked}\n")
            failed |= strict
        elif answer.advisories:
            sys.stdout.write(f"{lock}: there are advisories\n")
            sys.stdout.writelines(f"  {each}\n" for each in answer.advisories)
            failed = True
        else:
            sys.stdout.write(f"{lock}: no advisory is known\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
