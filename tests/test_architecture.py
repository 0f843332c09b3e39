"""The layers hold, and what is not used costs nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What takes long to import and is of no use to a clean file.
HEAVY = {
    "pygls",
    "lsprotocol",
    "lxml",
    "jsonschema",
    "jsonschema_rs",
    "rapidfuzz",
    "rich",
    "cyclopts",
    "mcp",
    "anyio",
    "httpx2",
    "pydantic",
    "daft",
    "pyarrow",
    "ray",
    "jinja2",
    "markupsafe",
}

TOOLS = """[{"name": "read_file", "inputSchema": {
    "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false
}}]"""
CLEAN = "Read it:\n\n<read_file>\n<path>a.py</path>\n</read_file>\n"
FENCED = 'Read it:\n\n```json\n{"tool": "read_file", "arguments": {"path": "a.py"}}\n```\n'


def run(program: str, folder: Path) -> tuple[str, set[str]]:
    """Run a program in a process of its own; return its output and the packages that it imported."""
    ending = "import sys; print('\\n' + ' '.join({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{ending}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    output, _, packages = done.stdout.rstrip("\n").rpartition("\n")
    return output, set(packages.split())


def test_imports_run_downward_only() -> None:
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize("text", [CLEAN, FENCED, "Nothing is called here.\n"], ids=["markup", "json", "prose"])
@pytest.mark.parametrize("configured", [True, False], ids=["own-tools", "shipped-tools"])
def test_check_of_a_clean_file_imports_nothing_heavy(tmp_path: Path, text: str, configured: bool) -> None:
    (tmp_path / "a.prompt").write_text(text, encoding="utf-8")
    if configured:
        (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
        (tmp_path / "tools.json").write_text(TOOLS, encoding="utf-8")
    output, packages = run(
        "from callwright.cli.main import main; assert main(['check', 'a.prompt']) == 0", folder=tmp_path
    )
    assert "1 file" in output
    assert packages & HEAVY == set()


def test_check_of_a_text_without_calls_imports_nothing_that_reads_one(tmp_path: Path) -> None:
    (tmp_path / "a.prompt").write_text("Nothing is called here.\n", encoding="utf-8")
    program = "import sys; from callwright.cli.main import main; main(['check', 'a.prompt'])\n"
    output, packages = run(program + "print(*sys.modules)", folder=tmp_path)
    unused = (
        "callwright.schema", "callwright.syntax.json_reader", "callwright.conversation", "callwright.prompt.examples",
        "callwright.tools.definitions", "callwright.config.reading", "callwright.hosts.support.transcript",
    )  # fmt: skip
    assert [name for name in output.split() if name.startswith(unused)] == []
    assert packages & {"dataclasses", "inspect"} == set()


def test_the_library_imports_nothing_heavy_for_a_clean_text(tmp_path: Path) -> None:
    program = f"import json, callwright\nparsed = callwright.parse({CLEAN!r}, tools=json.loads({TOOLS!r}))\n"
    output, packages = run(program + "print(parsed.calls[0].arguments, parsed.diagnostics)", folder=tmp_path)
    assert output.strip() == "{'path': 'a.py'} []"
    assert packages & HEAVY == set()


def test_the_package_itself_imports_nothing_of_ours(tmp_path: Path) -> None:
    program = "import sys, callwright\nprint(*(name for name in sys.modules if name.startswith('callwright.')))"
    output, packages = run(program, folder=tmp_path)
    assert output.strip() == ""
    assert packages & HEAVY == set()
