"""The server in editors without a screen: Neovim 0.11, which counts columns in UTF-8, Neovim 0.7, and Emacs with eglot.

Owns: how the editors are started and what has to come out. Must not know: how the server works inside.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import ROOT
from e2e.stdio import WORKSPACE

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent
#: For each editor its program, the words it is started with, and the encoding of positions that it has to agree on.
EDITORS = {
    "neovim": (
        str(Path(sys.executable).with_name("nvim")),
        ["--headless", "--clean", "-n", "-S", str(HERE / "neovim" / "client.lua")],
        "utf-8",
    ),
    "neovim-0.7": (
        "/usr/bin/nvim",
        ["--headless", "--clean", "-n", "-S", str(HERE / "neovim" / "old_client.lua")],
        "utf-16",
    ),
    "emacs": ("/usr/bin/emacs", ["--batch", "-Q", "-l", str(HERE / "emacs" / "client.el")], "utf-16"),
}


PAGE = ROOT / "server" / "docs" / "editors.md"
#: The heading or sentence of the page below which an editor's set-up is, and how the server's command is written there.
SETUPS = {
    "neovim": ("In version 0.11 or newer:", '{ "callwright", "server" }', "{{ {} }}", ", "),
    "neovim-0.7": ("Versions 0.7 to 0.10", '{ "callwright", "server" }', "{{ {} }}", ", "),
    "emacs": ("With eglot,", '("callwright" "server")', "({})", " "),
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


def setup_of(editor: str, command: list[str]) -> str:
    """Return the set-up that the page has for an editor, with the command that starts the server here."""
    place, written, form, between = SETUPS[editor]
    text = PAGE.read_text(encoding="utf-8").split(place, 1)[1]
    code = re.search(r"^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert code is not None
    assert written in code[1]
    return code[1].replace(written, form.format(between.join(map(json.dumps, command))))


@pytest.fixture(scope="module", params=EDITORS)
def editor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def seen(editor: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the editor saw, in one session."""
    folder = tmp_path_factory.mktemp(editor)
    workspace = Path(shutil.copytree(WORKSPACE, folder / "workspace"))
    results = folder / "results.json"
    command = [sys.executable, "-P", "-m", "callwright", "server"]
    for name in PROMPTS:
        (workspace / "wiki").mkdir(exist_ok=True)
        (workspace / "wiki" / name).write_text(f"# Pages\n\n{BROKEN}", encoding="utf-8")
    environment = os.environ | {
        "SERVER": "\n".join(command),
        "SETUP": setup_of(editor, command),
        "PROMPTS": "\n".join(f"wiki/{name}" for name in PROMPTS),
        "WORKSPACE": str(workspace),
        "RESULTS": str(results),
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_DATA_HOME": str(folder / "share"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LC_ALL": "C.UTF-8",
    }
    program, words, _ = EDITORS[editor]
    if not Path(program).exists():
        pytest.fail(f"there is no {program}; run this through `make e2e`, and install what `tests/e2e/packages` names")
    run = subprocess.run(
        [program, *words], env=environment, cwd=workspace, timeout=180, capture_output=True, text=True, check=False
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
    assert seen["encoding"] == EDITORS[editor][2]


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
    assert seen["completed"].startswith("🐞 <debug_set_breakpoint>{")
    assert seen["completed"].count("debug_set") == 2


def test_hover_reports_what_the_tool_does(seen: dict[str, Any]) -> None:
    assert "Starts a program under the debugger" in seen["hover"]


def test_prompts_are_read_by_their_names_with_the_set_up_of_the_page(seen: dict[str, Any]) -> None:
    assert {name: len(found) for name, found in seen["prompts"].items()} == {f"wiki/{name}": 1 for name in PROMPTS}
