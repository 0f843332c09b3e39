"""The tutorial and the pages for its readers: every command on them is run, and prints what they say."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from callwright.runtime import FeedbackLoop, Session, StrictParser
from support.pages import PATIENCE, Fence, Reported, carried_out, fences
from support.sampling import sampled

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "server" / "docs"
#: Each page with the commands that it shows at least.
PAGES = {
    "../../README.md": 2,
    "ci.md": 3,
    "tutorial.md": 12,
    "prompt-authors.md": 12,
    "declarations.md": 8,
    "agent-developers.md": 6,
    "data-curators.md": 7,
    "chat-templates.md": 5,
}


@pytest.mark.parametrize("name", sampled(PAGES), ids=lambda name: Path(name).name)
def test_every_command_prints_what_the_page_states(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    # No configuration above the folder counts.
    (tmp_path / ".git").mkdir()
    reported = carried_out(page, tmp_path)
    assert len(reported.commands) >= PAGES[name]
    _can_be_installed(reported)
    if request.config.getoption("--update-cases"):
        (DOCS / name).write_text(reported.page, encoding="utf-8")
    assert reported.page == page


def _can_be_installed(reported: Reported) -> None:
    """Hold commands that need a package index against the project's own names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for command in reported.installs:
        match = re.fullmatch(r"(?:pip install|uv tool install|pipx install) '?([\w-]+)(?:\[([\w,]+)\])?'?", command)
        assert match is not None, command
        assert match[1] == project["name"]
        assert {*filter(None, (match[2] or "").split(","))} <= project["optional-dependencies"].keys()


def test_every_command_that_the_readme_lists_can_be_run(tmp_path: Path) -> None:
    _fill(tmp_path)
    # The others need a package index, or run until they are interrupted.
    shown = [line for fence in fences((ROOT / "README.md").read_text(encoding="utf-8")) for line in _listed(fence)]
    assert len(shown) > 20
    first = ["callwright check . --baseline known.json --write-baseline", "callwright init"]
    others = [line for line in shown if not line.startswith("callwright init")]
    for line in [*first, *sampled(others, keep=5)]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        ran = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "NO_COLOR": "1"},
            input="",
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert (ran.returncode in (0, 1), "Traceback" in ran.stderr) == (True, False), (line, ran.stderr)


def _listed(fence: Fence) -> list[str]:
    lines = fence.body.splitlines() if fence.kind == "sh" else []
    return [line for line in lines if line.startswith("callwright ") and "--watch" not in line]


def _fill(folder: Path) -> None:
    """Write the files that the commands of the README name."""
    (folder / ".git").mkdir()
    call = '<read_file>{"path": "a.py"}</read_file>\n'
    tool = {
        "name": "read_file",
        "description": "Reads.",
        "input_schema": {"type": "object", "properties": {"path": {}}},
    }
    parser = StrictParser(tools=[tool], dialect="xml-json")
    replies = iter([call, "Done."])
    asked = [{"role": "user", "content": "Go."}]
    result = FeedbackLoop(model=lambda _: next(replies), parser=parser).run(asked)
    Session.of(parser, result).dump(folder / "session.json")
    (folder / "tools").mkdir()
    (folder / "tools" / "files.json").write_text(json.dumps([tool]), encoding="utf-8")
    (folder / "model").mkdir()
    template = "{% for message in messages %}{{ message.content or '' }}{% endfor %}"
    (folder / "model" / "chat_template.jinja").write_text(template, encoding="utf-8")
    (folder / "prompts").mkdir()
    for name in ("prompts/a.prompt", "prompt.txt", "reply.md"):
        (folder / name).write_text(f"Read it:\n\n{call}", encoding="utf-8")
    turns = {"messages": [*asked, {"role": "assistant", "content": call}]}
    (folder / "data").mkdir()
    for name in ("session.jsonl", "run.json", "data/rows.jsonl"):
        (folder / name).write_text(f"{json.dumps(turns)}\n", encoding="utf-8")
