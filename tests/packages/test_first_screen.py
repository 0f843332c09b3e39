"""The first screen of the README, from installing the wheel to the first diagnostic in a prompt of one's own."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from packages.test_wheel import ROOT, build, copied
from support.pages import PATIENCE, carried_out

#: A prompt that documents its tools in another way than the README's, under a name that agents read.
OWN = """---
description: Answers questions about orders.
---
You may call these tools:

<tools>
{"name": "find_order", "description": "Finds an order.", "parameters": {"type": "object", "properties":
  {"order_id": {"type": "string", "description": "Its number."}}, "required": ["order_id"]}}
</tools>

<tool_call>
{"name": "find_order", "arguments": {"orderid": "A-1042"}}
</tool_call>
"""


@pytest.mark.whole(reason="builds the wheel and makes an environment to install it into")
def test_a_minute_is_enough_for_the_first_diagnostic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for name in ("tree", "dist", "read", "own"):
        (tmp_path / name).mkdir()
    content = build(copied(tmp_path / "tree"), tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.stat().st_size == len(content)

    began = time.perf_counter()
    programs = installed(wheel, tmp_path / "environment")
    ready = time.perf_counter()

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = readme[: readme.index("\n## Install\n")]
    (tmp_path / "read" / ".git").mkdir()
    reported = carried_out(first, tmp_path / "read", programs)
    assert reported.page == first
    assert reported.installs == ["pip install callwright"]
    assert reported.commands == ["callwright check .", "callwright check . --fix"]

    started = time.perf_counter()
    (tmp_path / "own" / "AGENTS.md").write_text(OWN, encoding="utf-8")
    (tmp_path / "own" / "README.md").write_text("# Orders\n", encoding="utf-8")
    ran = subprocess.run(
        [programs / "callwright", "check", ".", "--output-format", "concise"],
        cwd=tmp_path / "own",
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    ended = time.perf_counter()
    assert ran.stdout.splitlines() == [
        (
            "AGENTS.md:12:38: error TC303 [unknown-argument] [*] `find_order` has no parameter `orderid`; "
            "did you mean `order_id`?"
        ),
        "Checked 1 of 2 files: 1 error. 1 fixable with `--fix`.",
    ]
    assert (ran.returncode, ran.stderr) == (1, "")
    with capsys.disabled():
        sys.stdout.write(f"\ninstalled in {ready - began:.1f} s, first check of a folder in {ended - started:.1f} s\n")


def installed(wheel: Path, environment: Path) -> Path:
    """Install a wheel into a new environment, and return the folder of its programs.

    Nothing is fetched: what the wheel depends on is that of the environment in which the tests run.
    """
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, capture_output=True, timeout=PATIENCE)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    python = shutil.which("python", path=str(programs))
    assert python is not None
    own = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout.strip()
    (Path(own) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    subprocess.run(
        [python, "-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall", "--quiet", str(wheel)],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    where = [python, "-c", "import callwright; print(callwright.__file__)"]
    shown = subprocess.run(where, check=True, capture_output=True, encoding="utf-8").stdout
    assert Path(shown.strip()).is_relative_to(environment), shown
    return programs
