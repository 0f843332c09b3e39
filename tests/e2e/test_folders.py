"""Folders in a real VS Code: several in one workspace, one without a configuration, and one that is not trusted.

Owns: what lies in the last two, and how each is opened. Must not know: what a case asserts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import SETTINGS, CodeServer, required, serving
from e2e.stdio import WORKSPACE
from e2e.test_vscode import DRIVERS, Results, chosen, drive, report

pytestmark = pytest.mark.editor


def cases(suite: str) -> list[str]:
    return sorted(path.stem for path in (DRIVERS / "host" / suite).glob("*.cjs"))


# --- several folders ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def in_several_folders(code_server: CodeServer, request: pytest.FixtureRequest) -> Results:
    folder = code_server.workspace("several")
    described = folder / "both.code-workspace"
    described.write_text(json.dumps({"folders": [{"path": "debug"}, {"path": "report"}]}), encoding="utf-8")
    selected = chosen(request.session, test_several_folders)
    return drive("host.mjs", code_server, described, selected, timeout=420, suite="several_folders")


@pytest.mark.parametrize("case", cases("several_folders"))
def test_several_folders(case: str, in_several_folders: Results) -> None:
    report(case, in_several_folders)


# --- a folder without a configuration -------------------------------------------------------------------------------

#: What a prompt says that documents its tools, has sections, and speaks of tools that it does not document.
PROMPT = """# Pages

<role>
You keep the pages of a wiki. Use `grep` for the sources, and never `<b>` in a page.
</role>

<rules>
- Read a page before you change it.
- Answer in one paragraph.
</rules>

# Tools

## find_page
Description: Finds pages of the wiki.
Parameters:
- text: (required) What to look for
- limit: (optional, integer) How many pages, default 10
Usage:
<find_page>
<text>Text to look for</text>
</find_page>

## read_page
Description: Reads a page.
Parameters:
- title: (required) The page's title
Usage:
<read_page>
<title>Title here</title>
</read_page>

<output_format>
<summary>One sentence.</summary>
<details>What you have found.</details>
</output_format>

# Example

<find_page>
<text>roadmap</text>
</find_page>
"""
#: The front matter of each kind of prompt.
FRONTS = {
    "AGENTS.md": "",
    "review.prompt.md": "---\nmode: agent\ndescription: Reviews a page.\ntools: ['codebase', 'fetch']\n---\n",
    "planner.agent.md": "---\ndescription: Plans pages.\ntools: [search, find_page]\n---\n",
    "skills/pages/SKILL.md": "---\nname: pages\nallowed-tools: Bash(git log:*) Read mcp__wiki__find_page\n---\n",
    ".cursor/rules/style.mdc": "---\ndescription: Style\nglobs: **/*.md\nalwaysApply: false\n---\n",
    "team.instructions.md": "---\napplyTo: '**'\n---\n",
}


def unconfigured(folder: Path) -> Path:
    """Write a folder as a project has it that has not heard of Callwright."""
    texts = {name: front + PROMPT for name, front in FRONTS.items()}
    texts["README.md"] = "# Wiki\n\nInstall it with `pip install wiki`.\n"
    texts["main.py"] = "import json\n"
    texts["pyproject.toml"] = '[project]\nname = "wiki"\n'
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def without_configuration(code_server: CodeServer, request: pytest.FixtureRequest) -> Results:
    selected = chosen(request.session, test_a_folder_without_a_configuration)
    folder = unconfigured(code_server.folder / "wiki")
    return drive("host.mjs", code_server, folder, selected, timeout=420, suite="first_contact")


@pytest.mark.parametrize("case", cases("first_contact"))
def test_a_folder_without_a_configuration(case: str, without_configuration: Results) -> None:
    report(case, without_configuration)


# --- a folder that is not trusted -----------------------------------------------------------------------------------


def hostile(folder: Path) -> Path:
    """Write a folder in which everything that could be run leaves a trace in `canary`, which lies beside it."""
    canary = folder.parent / "canary"
    program = f"#!/bin/sh\necho \"$0 $*\" >>'{canary}'\n"
    code = f"with open({str(canary)!r}, 'a') as canary:\n    canary.write(__file__)\n"
    texts = {
        "agent.prompt": (WORKSPACE / "debug" / "agent.prompt").read_text(encoding="utf-8"),
        "tools/debug.json": (WORKSPACE / "debug" / "tools" / "debug.json").read_text(encoding="utf-8"),
        "tools/listed.py": f'{code}\n\ndef listed(where: str) -> str:\n    """List."""\n    return where\n',
        "callwright.toml": 'extend = "../outside.toml"\ndialect = "xml-json"\n'
        'tools = ["tools/*.json", "tools/listed.py", "../outside.json"]\n',
        **dict.fromkeys(
            ("json.py", "sitecustomize.py", "lxml.py", "callwright/__init__.py", "pygls/__init__.py"), code
        ),
    }
    executables = [".venv/bin/python", ".venv/bin/callwright", "python3", "callwright.sh", "server.sh"]
    texts |= dict.fromkeys(executables, program)
    servers = {"hostile": {"command": str(folder / "server.sh"), "args": []}}
    texts[".mcp.json"] = json.dumps({"mcpServers": servers})
    texts[".vscode/mcp.json"] = json.dumps({"servers": servers})
    texts[".vscode/settings.json"] = json.dumps(
        {
            "callwright.path": str(folder / "callwright.sh"),
            "callwright.interpreter": str(folder / "python3"),
            "callwright.importStrategy": "useBundled",
            "callwright.tools": ["../outside.json"],
            "python.defaultInterpreterPath": str(folder / ".venv" / "bin" / "python"),
            "security.workspace.trust.enabled": False,
        }
    )
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name in executables:
        (folder / name).chmod(0o755)
    outside = [{"name": "outside_tool", "description": "Not of this folder.", "inputSchema": {"type": "object"}}]
    (folder.parent / "outside.json").write_text(json.dumps({"tools": outside}), encoding="utf-8")
    (folder.parent / "outside.toml").write_text('dialect = "tool-call-json"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def without_trust(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Results:
    """What the cases found in a VS Code that asks for trust, with the package for every platform installed."""
    folder = tmp_path_factory.mktemp("untrusted")
    settings = json.loads(SETTINGS) | {
        "security.workspace.trust.enabled": True,
        "security.workspace.trust.startupPrompt": "never",
        "security.workspace.trust.untrustedFiles": "open",
    }
    selected = chosen(request.session, test_a_folder_that_is_not_trusted)
    opened = hostile(folder / "opened" / "hostile")
    with serving(folder / "server", required("CALLWRIGHT_UNIVERSAL_VSIX"), settings=json.dumps(settings)) as server:
        results = drive("host.mjs", server, opened, selected, timeout=420, suite="untrusted")
    assert not (opened.parent / "canary").exists()
    return results


@pytest.mark.parametrize("case", cases("untrusted"))
def test_a_folder_that_is_not_trusted(case: str, without_trust: Results) -> None:
    report(case, without_trust)
