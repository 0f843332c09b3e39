"""Where the editor tests find their editors; they run only where they are asked for (`make e2e`).

Owns: the running code-server and what it is started with. Must not know: what is asserted in it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.stdio import WORKSPACE, client, workspace

__all__ = ["client", "workspace"]

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what drives an editor, unless the marker is named: it needs Node, Chromium and minutes."""
    if "editor" in str(config.getoption("markexpr")):
        return
    left_out = [item for item in items if item.get_closest_marker("editor")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("editor")]


@dataclass(frozen=True)
class CodeServer:
    """A running code-server with the packaged extension: its port, and a folder for what tests need beside it."""

    port: int
    folder: Path

    def workspace(self, name: str) -> Path:
        """Return a fresh copy of the workspace."""
        copy = self.folder / name
        shutil.copytree(WORKSPACE, copy)
        return copy


def required(variable: str) -> Path:
    """Return the path that `make e2e` passes in `variable`."""
    value = os.environ.get(variable)
    if not value or not Path(value).exists():
        pytest.fail(f"{variable} names nothing that exists; run this through `make e2e`, which installs the editors")
    return Path(value)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


SETTINGS = """{
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "editor.fontFamily": "'DejaVu Sans Mono'",
  "editor.accessibilitySupport": "off",
  "editor.minimap.enabled": false,
  "editor.unusualLineTerminators": "off",
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "files.simpleDialog.enable": true,
  "files.hotExit": "off"
}
"""


@pytest.fixture(scope="session")
def code_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A real VS Code on a server, everything of it in a fresh folder, with the packaged extension installed."""
    entry = required("CODE_SERVER") / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    extension = required("CALLWRIGHT_VSIX")
    folder = tmp_path_factory.mktemp("code-server")
    settings = folder / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS, encoding="utf-8")
    places = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    # The tests' own virtual environment must not lend its packages to the server that the extension starts.
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    environment |= {"XDG_DATA_HOME": str(folder / "share"), "XDG_CONFIG_HOME": str(folder / "config")}
    install = ["node", str(entry), *places, "--install-extension", str(extension)]
    subprocess.run(install, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=120)
    port = free_port()
    options = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    with (folder / "code-server.log").open("wb") as log:
        process = subprocess.Popen(
            ["node", str(entry), *places, *options, "--disable-workspace-trust"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz", process, folder / "code-server.log")
            yield CodeServer(port, folder)
        finally:
            process.terminate()
            process.wait(timeout=20)


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 -- the address is this machine's own
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"code-server did not answer: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
