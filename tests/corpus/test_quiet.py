"""On a terminal a command about corpora shows what is ours, and nothing that its engine says of itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="this machine has no pseudo-terminals")

ROW = {"messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello."}]}
#: What Daft, Ray and Arrow say of themselves holds one of these.
OF_ENGINES = ("daft", "query id", "swordfish", "ray ", "arrow", "execution plan")


def shown(folder: Path, *arguments: str) -> str:
    """Run a command with a terminal for its output, and return what the terminal is given."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "callwright", *arguments], cwd=folder, stdout=theirs, stderr=theirs, stdin=theirs
        )
    finally:
        os.close(theirs)
    pieces = []
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        while True:
            try:
                piece = terminal.read(4096)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
    process.wait(60)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("command", ["check", "stats"])
def test_the_engine_states_nothing_on_a_terminal(command: str, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(ROW) + "\n" for _ in range(40)), encoding="utf-8")
    text = shown(tmp_path, "corpus", command, "rows.jsonl", "--jobs", "2")
    assert "40" in text
    assert [word for word in OF_ENGINES if word in text.lower()] == []
