"""Whole commands, in process: files in, commands typed, output and exit code as in the sessions beside this file."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from callwright.cli.main import main
from support.cases import may_update
from support.sampling import sampled

#: Sessions of authors who name no shipped sets.
UNNAMED = {"discovery"}
CASES = sorted(
    file for file in Path(__file__).parent.glob("*.md") if "```console\n" in file.read_text(encoding="utf-8")
)
CASE = re.compile(r"^## (?P<title>[^\n]*)\n(?P<body>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def run(words: list[str], monkeypatch: pytest.MonkeyPatch, stdin: bytes = b"") -> tuple[str, str, int]:
    """Run one command; return what it wrote to standard output and standard error, and its exit code."""
    out, err = io.BytesIO(), io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        patch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8", write_through=True, newline=""))
        patch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8", write_through=True, newline=""))
        code = main(words)
        return out.getvalue().decode(), err.getvalue().decode(), code


def typed(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, int]:
    """Run a command as it is typed; `< name` at its end gives it a file as input. The folder is shown as `/w`."""
    words, _, stdin = command.partition(" < ")
    out, err, code = run(shlex.split(words)[1:], monkeypatch, (folder / stdin).read_bytes() if stdin else b"")
    return out.replace(str(folder), "/w"), err.replace(str(folder), "/w"), code


def shown(command: str, out: str, err: str, code: int) -> str:
    """The part of a session that one command makes."""
    lines = [f"$ {command}", *out.splitlines(), *(f"! {line}".rstrip() for line in err.splitlines())]
    return "\n".join([*lines, *([f"[exit {code}]"] if code else [])]) + "\n"


# The engine of corpora never closes the output of the processes that it has started.
@pytest.mark.filterwarnings("ignore:unclosed file <_io.BufferedReader:ResourceWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "cases", sampled(CASES, by=lambda file: file.stem.partition("_")[0]), ids=lambda file: file.stem
)
def test_every_session_reads_as_written(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if cases.stem not in UNNAMED:
        request.getfixturevalue("named_sets")
    before = cases.read_text(encoding="utf-8")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def replay(case: re.Match[str]) -> str:
        folder = tmp_path / str(case.start())
        (folder / ".git").mkdir(parents=True)
        monkeypatch.chdir(folder)

        def fence(match: re.Match[str]) -> str:
            kind, _, name = match["info"].partition(" ")
            if kind == "file":
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(match["text"], encoding="utf-8")
                return match[0]
            assert kind == "console"
            commands = re.findall(r"^\$ (callwright .*)$", match["text"], re.MULTILINE)
            session = "".join(shown(one, *typed(one, folder, monkeypatch)) for one in commands)
            return f"```{match['info']}\n{session}```"

        return f"## {case['title']}\n{FENCE.sub(fence, case['body'])}"

    after = CASE.sub(replay, before)
    if may_update(bool(request.config.getoption("--update-cases"))):
        cases.write_text(after, encoding="utf-8", newline="\n")
        return
    assert after == before
