"""Where the editor tests find their editors; they run only where they are asked for (`make e2e`).

Owns: the running code-server, what it is started with, and what replaces the network there. Must not know: what is
asserted in it.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from e2e.stdio import WORKSPACE, client, workspace
from support.sampling import sampled

__all__ = ["client", "workspace"]

ROOT = Path(__file__).parents[2]
FEATURES = Path(__file__).parent / "features"
#: At most this many tests of features start a server in a sample.
SERVERS = 8


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what drives an editor, unless the marker is named: it needs Node, Chromium and minutes.

    Where `CASES` names some, the others are left out even then. A sample has a few of the tests of features.
    """
    ours = [item for item in items if item.path.parent == FEATURES]
    for item in set(ours) - set(sampled(ours, keep=SERVERS)):
        item.add_marker(pytest.mark.whole(reason="other tests start a server, and what it answers is tested without"))
    named = "editor" in str(config.getoption("markexpr"))
    left_out = [item for item in items if item.get_closest_marker("editor") and not (named and is_wanted(item))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def is_wanted(item: pytest.Item) -> bool:
    """Return whether `CASES` is empty, or names the item's case, its parameter or its function."""
    wanted = [word.strip() for word in os.environ.get("CASES", "").split(",") if word.strip()]
    function, _, parameter = item.name.removesuffix("]").partition("[")
    names = (function.removeprefix("test_"), parameter)
    return not wanted or any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in wanted)


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
  "workbench.quickOpen.closeOnFocusLost": false,
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
  "files.hotExit": "off",
  "files.autoSave": "off"
}
"""


@pytest.fixture(scope="session")
def code_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A real VS Code on a server, with the package for Linux installed; what is set up there fetches nothing."""
    with watched_index() as (variables, asked):
        folder = tmp_path_factory.mktemp("code-server")
        with serving(folder, required("CALLWRIGHT_VSIX"), "--disable-workspace-trust", variables=variables) as server:
            yield server
    # Elsewhere than on Linux the universal package is installed, which fetches what it needs.
    if required("CALLWRIGHT_VSIX") != required("CALLWRIGHT_UNIVERSAL_VSIX"):
        assert asked == [], "the package for Linux installs without a network"


@contextmanager
def serving(
    folder: Path, extension: Path, *options: str, settings: str = SETTINGS, variables: dict[str, str] | None = None
) -> Iterator[CodeServer]:
    """Run a code-server with an extension, everything of it in `folder`."""
    entry = required("CODE_SERVER") / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    chosen = folder / "data" / "User" / "settings.json"
    chosen.parent.mkdir(parents=True)
    chosen.write_text(settings, encoding="utf-8")
    places = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    # The tests' own virtual environment must not lend its packages to the server that the extension starts.
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    environment |= {"XDG_DATA_HOME": str(folder / "share"), "XDG_CONFIG_HOME": str(folder / "config")}
    environment |= variables or {}
    install = ["node", str(entry), *places, "--install-extension", str(extension)]
    subprocess.run(install, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=120)
    port = free_port()
    listen = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    with (folder / "code-server.log").open("wb") as log:
        process = subprocess.Popen(
            ["node", str(entry), *places, *listen, *options],
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


@contextmanager
def watched_index() -> Iterator[tuple[dict[str, str], list[str]]]:
    """Replace every package index: yield the variables that lead pip here, and what it then asks for."""
    asked: list[str] = []

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is that of the base
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/simple/",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
    }
    try:
        yield variables, asked
    finally:
        server.shutdown()
        server.server_close()


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
