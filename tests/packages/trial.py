"""Tries what a release publishes: installed without a network on each Python that is here, and run.

Owns: what is tried, and what must come of it. Must not know: how anything is built.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from packages.locked import ROOT
from packages.test_action import act, checked_out, commit, git
from packages.versions import current
from support.interpreters import PYTHONS, interpreter

#: What runs a sample of the tests beside an installed package.
TESTERS: Final = (
    "execnet",
    "hypothesis",
    "iniconfig",
    "packaging",
    "pluggy",
    "pygments",
    "pytest",
    "pytest-asyncio",
    "ruamel-yaml",
    "sortedcontainers",
    "typing-extensions",
)
#: Folders of tests that need the installed package alone.
SAMPLE: Final = ("tests/dialects", "tests/syntax", "tests/text")
FAULTY: Final = "<read_file><pth>src/app.py</pth></read_file>\n"
REPORTED: Final = "error TC303 [unknown-argument] [*] `read_file` has no parameter `pth`; did you mean `path`?"
#: Packages that only extras bring.
_OF_EXTRAS: Final = (
    "anyio",
    "daft",
    "httpx2",
    "jinja2",
    "markupsafe",
    "mcp",
    "mcp_types",
    "pyarrow",
    "pydantic",
    "ray",
)
_IMPORTS: Final = f"""
import importlib, pkgutil, sys, warnings
warnings.simplefilter("error")
import callwright
assert "site-packages" in callwright.__file__, callwright.__file__
names = [each.name for each in pkgutil.walk_packages(callwright.__path__, "callwright.", onerror=lambda name: None)]
missing = 0
for name in names:
    if name.endswith("__main__"):
        continue
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name.partition(".")[0] in {_OF_EXTRAS!r}, error
        missing += 1
    except ImportError as error:
        assert "install" in str(error), error
        missing += 1
print(len(names) - missing, missing)
"""

Step = Callable[[str], AbstractContextManager[None]]


class TrialError(Exception):
    """Something that is published does not work; the text states what."""


def _run(
    words: list[str],
    folder: Path,
    *,
    code: int = 0,
    stdin: bytes = b"",
    given: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Run a program without the variables that lead Python elsewhere, and return its output."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "PIP_", "UV_"))
    }
    done = subprocess.run(
        words,
        cwd=folder,
        env=kept | {"NO_COLOR": "1", **given},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=900,
    )
    output = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != code:
        raise TrialError(f"{' '.join(words)[:300]} ended with {done.returncode}, not {code}\n{output[-3000:]}")
    return output


def _alone() -> list[str]:
    """Return what runs a program without any network, where this machine can; nothing elsewhere."""
    words = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        return []
    return words


def _expect(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise TrialError(f"{what}: {found!r}, not {expected!r}")


def installed(python: str, wheel: Path, wheels: Path, folder: Path, *extra: str) -> Path:
    """Install the wheel into a new environment from the collected wheels alone; return the folder of its programs."""
    _run([python, "-m", "venv", str(folder)], folder.parent)
    programs = folder / "bin"
    pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check"]
    where = ["--no-index", "--find-links", str(wheels), "--find-links", str(wheel.parent)]
    _run([*_alone(), *pip, "install", "--quiet", *where, f"callwright=={current()}", *extra], folder.parent)
    _run([*pip, "check"], folder.parent)
    return programs


def try_commands(programs: Path, folder: Path) -> None:
    """Run the first screen of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    prompt = re.search(r"```markdown file=prompt\.md\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert prompt is not None
    folder.mkdir()
    (folder / "prompt.md").write_text(prompt[1], encoding="utf-8")
    callwright = str(programs / "callwright")
    cache = {"CALLWRIGHT_CACHE_DIR": str(folder.parent / f"{folder.name}-cache")}
    _expect(_run([callwright, "--version"], folder).strip(), f"callwright {current()}", "the version")
    report = _run([*_alone(), callwright, "check", ".", "--output-format", "concise"], folder, code=1, given=cache)
    _expect(report.splitlines()[0], f"prompt.md:14:13: {REPORTED}", "the first diagnostic")
    fixed = _run([callwright, "check", ".", "--fix"], folder, given=cache).strip()
    _expect(fixed, "Checked 1 file: no diagnostics. Fixed 1.", "the fix")


def try_server(programs: Path, folder: Path) -> None:
    """Start the language server, initialize it, and end it as an editor does."""
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    answered = _run([*_alone(), str(programs / "callwright"), "server"], folder, stdin=stream)
    answers = [json.loads(each) for each in re.findall(r"\{\"jsonrpc\".*?\}(?=Content-Length|\Z)", answered, re.DOTALL)]
    (first,) = [each["result"] for each in answers if each.get("id") == 1]
    _expect(first["serverInfo"], {"name": "callwright", "version": current()}, "what the server states of itself")
    if not first["capabilities"].get("hoverProvider"):
        raise TrialError("the server announces no hover")
    _expect([each["result"] for each in answers if each.get("id") == 2], [None], "the answer to shutdown")


def try_python(version: str, wheel: Path, wheels: Path, scratch: Path) -> str | None:
    """Install and run on one version of Python; return what was seen, or None where there is no such Python."""
    python = interpreter(version)
    if python is None:
        return None
    programs = installed(python, wheel, wheels, scratch / f"python{version}", *TESTERS)
    try_commands(programs, scratch / f"project{version}")
    try_server(programs, scratch)
    loaded, missing = _run([str(programs / "python"), "-I", "-c", _IMPORTS], scratch).split()
    words = [str(programs / "python"), "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *SAMPLE]
    tests = _run(words, ROOT, given={"CI": "true", "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch / "hypothesis")})
    closing = tests.strip().splitlines()[-1]
    return f"{loaded} modules imported ({missing} need an extra), check, --fix, server; tests: {closing}"


def try_extra(wheel: Path, wheels: Path, scratch: Path) -> None:
    """Install an extra, and use it."""
    python = next(filter(None, map(interpreter, PYTHONS)))
    programs = installed(python, wheel, wheels, scratch / "templates", "callwright[templates]")
    template = scratch / "chat_template.jinja"
    text = "{%- for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    template.write_text(text, encoding="utf-8")
    shown = _run([str(programs / "callwright"), "chat-template", "show", template.name], scratch)
    if not shown.strip():
        raise TrialError("chat-template show prints nothing")


def try_sdist(wheel: Path, wheels: Path, scratch: Path) -> None:
    """Build the wheel from the sdist as an installer does: isolated, without a network."""
    (sdist,) = wheel.parent.glob(f"callwright-{current()}.tar.gz")
    python = next(filter(None, map(interpreter, PYTHONS)))
    _run([python, "-m", "venv", str(scratch / "builder")], scratch)
    pip = [str(scratch / "builder" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    where = ["--no-index", "--find-links", str(wheels), "--no-deps", "--wheel-dir", str(scratch / "from-sdist")]
    epoch = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True)
    _run([*_alone(), *pip, *where, str(sdist)], scratch, given={"SOURCE_DATE_EPOCH": epoch.stdout.strip()})
    if (scratch / "from-sdist" / wheel.name).read_bytes() != wheel.read_bytes():
        raise TrialError("pip builds another wheel from the sdist")


def try_hooks(programs: Path, wheels: Path, scratch: Path) -> str:
    """Run the hooks with the real pre-commit, from this repository, in one of its own; return its version."""
    work = scratch / "hooks"
    work.mkdir()
    git(work, "init", "--quiet")
    hooks = ["callwright-check", "callwright-project", "callwright-fix"]
    lines = [
        f"- repo: file://{ROOT}",
        f"  rev: {git(ROOT, 'rev-parse', 'HEAD')}",
        "  hooks:",
        *(f"  - id: {each}" for each in hooks),
    ]
    (work / ".pre-commit-config.yaml").write_text("\n".join(["repos:", *lines, ""]), encoding="utf-8")
    (work / "callwright.toml").write_text('shipped = ["cline"]\nfiles = ["docs/*.md"]\n', encoding="utf-8")
    (work / "docs").mkdir()
    (work / "docs" / "a.md").write_text(FAULTY, encoding="utf-8")
    (work / "a.prompt").write_text(FAULTY, encoding="utf-8")
    (work / "clean.prompt").write_text(FAULTY.replace("pth", "path"), encoding="utf-8")
    git(work, "add", "--all")
    pre_commit = str(programs / "pre-commit")
    given = {
        "PRE_COMMIT_HOME": str(scratch / "pre-commit"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "CALLWRIGHT_NO_CACHE": "1",
    }

    def hook(name: str, *, code: int) -> str:
        return _run([pre_commit, "run", name, "--all-files"], work, code=code, given=given)

    if "a.prompt:1:" not in hook("callwright-check", code=1):
        raise TrialError("the hook callwright-check does not name the prompt")
    if "docs/a.md:1:" not in hook("callwright-project", code=1):
        raise TrialError("the hook callwright-project does not name the file that the configuration adds")
    hook("callwright-fix", code=1)
    _expect(
        (work / "a.prompt").read_text(encoding="utf-8"), FAULTY.replace("pth", "path"), "what callwright-fix writes"
    )
    (work / "docs" / "a.md").write_text(FAULTY.replace("pth", "path"), encoding="utf-8")
    git(work, "add", "--all")
    for name in hooks:
        hook(name, code=0)
    return _run([pre_commit, "--version"], work).strip()


def try_action(wheel: Path, wheels: Path, scratch: Path) -> str:
    """Run the action's steps in a shallow clone with a recorded push; it installs the released wheel by its version."""
    origin = scratch / "action" / "origin"
    origin.mkdir(parents=True)
    beside = origin.parent / "bin"
    beside.mkdir()
    python = next(filter(None, map(interpreter, PYTHONS)))
    (beside / "python3").symlink_to(python)
    git(origin, "init", "--quiet")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    base = commit(origin, {"callwright.toml": 'shipped = ["cline"]\n', "old.prompt": FAULTY})
    head = commit(origin, {"new.prompt": FAULTY, "README.txt": "x\n"})
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"{wheels} {wheel.parent}", "PYTHONPATH": ""}
    before = {name: os.environ.get(name) for name in offline}
    os.environ.update(offline)
    try:
        done = act(checked_out(origin), "push", (base, head), version="", changed_only="true", sarif_file="a.sarif")
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    _expect((done.code, done.annotated), (1, ["new.prompt"]), f"what the action shows\n{done.stdout}{done.stderr}")
    _expect(done.outputs, {"exit-code": "1", "sarif-file": "a.sarif"}, "the action's outputs")
    log = json.loads((origin.parent / "work" / "a.sarif").read_text(encoding="utf-8"))
    driver = log["runs"][0]["tool"]["driver"]
    _expect((driver["name"], driver["semanticVersion"]), ("Callwright", current()), "who wrote the SARIF log")
    _expect([each["ruleId"] for each in log["runs"][0]["results"]], ["TC303"], "the results in the SARIF log")
    return done.stdout.strip()


def all_of_it(wheel: Path, wheels: Path, scratch: Path, step: Step, say: Callable[[str], None]) -> None:
    """Try everything; raise TrialError for the first that does not work."""
    if not _alone():
        say("this machine cannot cut off the network: pip is told to use no index, and that is all")
    tried = 0
    for version in PYTHONS:
        with step(f"install without a network, and run: Python {version}"):
            seen = try_python(version, wheel, wheels, scratch)
            tried += seen is not None
            say(seen or f"NOT TRIED: this machine has no Python {version}; its wheels were collected")
    if not tried:
        raise TrialError(f"this machine has no Python of {', '.join(PYTHONS)}")
    with step("an extra; the sdist as an installer builds it"):
        try_extra(wheel, wheels, scratch)
        try_sdist(wheel, wheels, scratch)
        say("callwright[templates] shows a chat template; pip builds the released wheel from the sdist")
    with step("the hooks, by pre-commit"):
        say(f"{try_hooks(ROOT / '.venv' / 'bin', wheels, scratch)}: three hooks fail, fix and pass")
    with step("the action, with a recorded push"):
        say(try_action(wheel, wheels, scratch))
