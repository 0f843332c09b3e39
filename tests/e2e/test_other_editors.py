"""The server in editors without a screen, started by the files in `server/editors` that users copy.

Neovim 0.11 counts columns in UTF-8, Neovim 0.7 and Emacs with eglot or lsp-mode count them in UTF-16.

Owns: how the editors are started and what has to come out. Must not know: how the server works inside.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import ROOT
from e2e.stdio import WORKSPACE

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent
FILES = ROOT / "server" / "editors"


@dataclass(frozen=True)
class Editor:
    """An editor: its program, the words it is started with, and the encoding of positions that it has to agree on.

    `copied` is the folder of `server/editors` that its user copies, as the whole of its configuration. An editor that
    miscounts characters outside the BMP, whatever encoding it agrees on, gets a text without them.
    """

    program: str
    words: tuple[str, ...]
    encoding: str
    copied: str = ""
    miscounts: bool = False


def _neovim(program: str, client: str, encoding: str, copied: str) -> Editor:
    return Editor(program, ("--headless", "-n", "-S", str(HERE / "neovim" / client)), encoding, copied)


def _emacs(client: str, *, miscounts: bool = False) -> Editor:
    words = ("--batch", "-Q", "-L", str(FILES / "emacs"), "-l", str(HERE / "emacs" / client))
    return Editor("/usr/bin/emacs", words, "utf-16", miscounts=miscounts)


EDITORS = {
    "neovim": _neovim(str(Path(sys.executable).with_name("nvim")), "client.lua", "utf-8", "neovim"),
    "neovim-0.7": _neovim("/usr/bin/nvim", "old_client.lua", "utf-16", "neovim-0.7"),
    "emacs-eglot": _emacs("eglot_client.el"),
    "emacs-lsp-mode": _emacs("lsp_client.el", miscounts=True),
}
#: Prompts by their names, in a folder without a configuration; each holds a call that breaks off.
PROMPTS = (
    *(
        "review.prompt.md",
        "planner.agent.md",
        "team.instructions.md",
        "SKILL.md",
        "AGENTS.md",
        "CLAUDE.md",
        "style.mdc",
    ),
    *(".cursorrules", ".clinerules", "a.toolcall"),
)
BROKEN = '<tool_call>\n{"name": "find_page", "arguments": {"text": "a"}\n</tool_call>\n'


@pytest.fixture(scope="module", params=EDITORS)
def editor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def seen(editor: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the editor saw, in one session."""
    folder = tmp_path_factory.mktemp(editor)
    chosen = EDITORS[editor]
    workspace = Path(shutil.copytree(WORKSPACE, folder / "workspace"))
    prompt = workspace / "debug" / "agent.prompt"
    if chosen.miscounts:
        prompt.write_text(prompt.read_text(encoding="utf-8").replace("🚀 ", ""), encoding="utf-8")
    results = folder / "results.json"
    if not Path(chosen.program).exists():
        pytest.fail(f"{chosen.program} is missing; run `make e2e`, and install what `tests/e2e/packages` names")
    if chosen.copied:
        shutil.copytree(FILES / chosen.copied, folder / "config" / "nvim")
    for name in PROMPTS:
        (workspace / "wiki").mkdir(exist_ok=True)
        (workspace / "wiki" / name).write_text(f"# Pages\n\n{BROKEN}", encoding="utf-8")
    environment = os.environ | {
        # The files start `callwright`, which the user has installed.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PROMPTS": "\n".join(f"wiki/{name}" for name in PROMPTS),
        "WORKSPACE": str(workspace),
        "RESULTS": str(results),
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_DATA_HOME": str(folder / "share"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LC_ALL": "C.UTF-8",
    }
    run = subprocess.run(
        [chosen.program, *chosen.words],
        env=environment,
        cwd=workspace,
        timeout=180,
        capture_output=True,
        text=True,
        check=False,
    )
    if not results.exists():
        pytest.fail(f"{editor} ended without results:\n{run.stdout}\n{run.stderr}")
    found: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
    if "failure" in found:
        log = folder / "state" / "nvim" / "lsp.log"
        stated = log.read_text(encoding="utf-8")[-2000:] if log.exists() else ""
        pytest.fail(f"{found['failure']}\n{stated}", pytrace=False)
    return found


def test_the_encoding_of_positions_is_agreed_on(editor: str, seen: dict[str, Any]) -> None:
    assert seen["encoding"] == EDITORS[editor].encoding


def test_the_root_is_the_folder_of_the_configuration(seen: dict[str, Any]) -> None:
    assert Path(seen["root"]).parts[-2:] == ("workspace", "debug")


def test_a_diagnostic_after_an_emoji_is_at_its_byte_column(seen: dict[str, Any]) -> None:
    (diagnostic,) = seen["diagnostics"]
    line = seen["before"].split("\n")[2]
    assert diagnostic["source"] == "callwright"
    assert diagnostic["severity"] == "ERROR"
    assert "`xml-json`" in diagnostic["message"]
    assert diagnostic["lnum"] == 2
    assert diagnostic["col"] == len(line[: line.index("debug_launch>")].encode())


def test_the_code_action_converts_the_call_and_nothing_else(seen: dict[str, Any]) -> None:
    before, after = seen["before"].split("\n"), seen["after"].split("\n")
    call = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>'
    assert after[2] == before[2][: before[2].index("<debug_launch>")] + call
    assert after[:2] + after[3:] == before[:2] + before[3:]


def test_completion_replaces_what_was_typed(seen: dict[str, Any]) -> None:
    assert "debug_set_breakpoint" in seen["completion"]
    assert seen["completed"].removeprefix("🐞 ").startswith("<debug_set_breakpoint>{")
    assert seen["completed"].count("debug_set") == 2


def test_hover_reports_what_the_tool_does(seen: dict[str, Any]) -> None:
    assert "Starts a program under the debugger" in seen["hover"]


def test_prompts_are_read_by_their_names(seen: dict[str, Any]) -> None:
    assert {name: len(found) for name, found in seen["prompts"].items()} == {f"wiki/{name}": 1 for name in PROMPTS}


def test_the_files_for_emacs_compile_without_a_warning(tmp_path: Path) -> None:
    copied = shutil.copytree(FILES / "emacs", tmp_path / "emacs")
    strict = ["--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile"]
    files = [str(file) for file in sorted(copied.glob("*.el"))]
    compiled = subprocess.run(
        ["/usr/bin/emacs", "--batch", "-Q", "-L", str(copied), *strict, *files],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (compiled.returncode, compiled.stderr) == (0, "")
    assert len(list(copied.glob("*.elc"))) == len(files) == 3
