"""Folders in a real VS Code: one that is not trusted, and several in one workspace.

Owns: what lies in the hostile folder, and how both are opened. Must not know: what a case asserts.
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
