"""Prints which of the files that would be checked a pull request or a push changes.

usage: changed.py LISTED

LISTED has the files that would be checked, one on each line. The first line of the output is `changed`, and the changed
files follow; or it is `all`, and all files are to be checked. The reason is then printed as a notice.

Owns: reading the event of a workflow, and asking git. Must not know: what is checked, and how. Runs by itself, with
nothing but Python.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

#: Files whose change can change the diagnostics of others: the configuration, and what may define tools.
SHARED = re.compile(r"(?:^|/)(?:callwright|pyproject)\.toml$")
TOOLS = re.compile(r"\.(?:json|ya?ml|toml|py)$")
#: More arguments than these make no command line.
MAX_FILES = 500


class AllFilesError(Exception):
    """All files are to be checked; the text states why."""


def base(name: str, event: dict[str, Any]) -> str:
    """Return the commit that the event's changes are compared with."""
    if name.startswith("pull_request"):
        commit = event.get("pull_request", {}).get("base", {}).get("sha")
    elif name == "merge_group":
        commit = event.get("merge_group", {}).get("base_sha")
    else:
        commit = event.get("before") if name == "push" else None
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", commit) or not commit.strip("0"):
        raise AllFilesError(f"the event `{name}` names no commit to compare with")
    return commit


def git(*words: str) -> bytes:
    """Run git, and return its output."""
    done = subprocess.run(["git", *words], capture_output=True, check=False)
    if done.returncode:
        raise AllFilesError(f"`git {words[0]}` failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def changes(commit: str) -> tuple[set[str], bool]:
    """Return the files that differ from a commit, relative to this folder, and whether one was deleted."""
    try:
        git("cat-file", "-e", f"{commit}^{{commit}}")
    except AllFilesError:
        # A checkout of a workflow usually has one commit.
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit)
    fields = git("diff", "--name-status", "--no-renames", "--relative", "-z", commit, "HEAD").decode().split("\0")
    states = dict(zip(fields[1::2], fields[::2], strict=False))
    return set(states), "D" in states.values()


def chosen(listed: list[str], name: str, event: dict[str, Any]) -> list[str]:
    """Return the listed files that changed."""
    changed, deleted = changes(base(name, event))
    # What is listed is written as its user named it, as in `./a.prompt`.
    found = [file for file in listed if os.path.normpath(file).replace(os.sep, "/") in changed]
    if deleted:
        raise AllFilesError("a file was deleted")
    shared = [file for file in sorted(changed) if SHARED.search(file)]
    shared += [file for file in found if TOOLS.search(file)]
    if shared:
        raise AllFilesError(f"`{shared[0]}` changed, and it can affect other files")
    if len(found) > MAX_FILES:
        raise AllFilesError(f"{len(found)} files changed")
    return found


def main() -> None:
    """Print the answer."""
    listed = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    name = os.environ.get("GITHUB_EVENT_NAME", "")
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
        files = chosen(listed, name, event)
    except AllFilesError as reason:
        text = str(reason).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        sys.stderr.write(f"::notice title=Callwright::All files are checked: {text}.\n")
        sys.stdout.write("all\n")
    else:
        sys.stdout.write("\n".join(["changed", *files, ""]))


if __name__ == "__main__":
    main()
