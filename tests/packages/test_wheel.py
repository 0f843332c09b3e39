"""The wheel: just what belongs into it, the same bytes each time, and bounds that say what it needs."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOST = "https://github.com/callwright/callwright"
ABOUT = f"callwright-{PROJECT['version']}.dist-info"
#: What would be worth stealing, or would show whose machine this was made on.
SECRETS = {
    "a private key": re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    "a token of a code host": re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20})"),
    "a key of a provider": re.compile(
        rb"\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|AKIA[0-9A-Z]{16}|hf_[A-Za-z]{34})\b"
    ),
    "a token of a registry": re.compile(rb"\b(?:pypi-[\w-]{50,}|npm_[A-Za-z0-9]{36})"),
    "a password in an address": re.compile(rb"https?://[^/\s:@'\"{}<>]+:[^/\s:@'\"{}<>]+@"),
}


def copied(folder: Path) -> Path:
    """Copy what the wheel is made of, so that what changes in the tree meanwhile changes nothing here."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore"):
        shutil.copyfile(ROOT / name, folder / name)
    for name in ("server", "schemas"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def build(tree: Path, folder: Path, target: str = "wheel") -> bytes:
    """Build the wheel, or the sdist, of a tree; nothing is fetched, since the builder is in the environment."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=tree,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
        check=True,
        capture_output=True,
        timeout=300,
    )
    (built,) = folder.iterdir()
    assert built.name == f"callwright-{PROJECT['version']}{'-py3-none-any.whl' if target == 'wheel' else '.tar.gz'}"
    return built.read_bytes()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def content(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build(tree, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel(content: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(content))


def travelling(tree: Path) -> dict[str, Path]:
    """Return each file that belongs into the wheel by its name there."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "server", "schemas"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    places = {
        "server/callwright/": "callwright/",
        "schemas/": "callwright/schemas/",
        "server/docs/rules/": "callwright/docs/rules/",
    }
    return {
        place + name.removeprefix(folder): tree / name
        for name in listed
        for folder, place in places.items()
        if name.startswith(folder) and (tree / name).is_file()
    }


def test_it_holds_what_belongs_into_it_and_nothing_else(wheel: zipfile.ZipFile, tree: Path) -> None:
    names = wheel.namelist()
    assert len(names) == len(set(names))
    inside = {name for name in names if not name.startswith(f"{ABOUT}/")}
    if not (ROOT / ".git").exists():
        pytest.skip("what belongs into the wheel is what git knows, and this is no checkout")
    expected = travelling(tree)
    assert inside == set(expected)
    for name, file in expected.items():
        assert wheel.read(name) == file.read_bytes(), name
    assert set(names) - inside == {
        f"{ABOUT}/{each}" for each in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }
    assert wheel.read(f"{ABOUT}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_what_the_package_reads_is_inside(wheel: zipfile.ZipFile, tree: Path) -> None:
    names = set(wheel.namelist())
    for needed in ("py.typed", "_index.json", "report/page.css", "report/page.js", "docs/rules/unknown-tool.md"):
        assert f"callwright/{needed}" in names
    assert {f"callwright/schemas/{file.name}" for file in (tree / "schemas").glob("*.json")} <= names
    package = tree / "server" / "callwright"
    assert {f"callwright/{file.relative_to(package).as_posix()}" for file in package.rglob("*.py")} <= names


def test_no_tests_no_leftovers_no_other_packages(wheel: zipfile.ZipFile) -> None:
    assert {name.partition("/")[0] for name in wheel.namelist()} == {"callwright", ABOUT}
    for name in wheel.namelist():
        parts = name.split("/")
        assert not {"tests", "__pycache__", "node_modules"} & set(parts), name
        assert not any(part.startswith((".", "test_", "conftest")) for part in parts), name
        assert name.endswith((".py", ".json", ".md", ".css", ".js", "py.typed")) or name.startswith(ABOUT), name


def test_it_holds_no_secret_and_no_place_of_the_machine(wheel: zipfile.ZipFile, tree: Path) -> None:
    home = str(Path.home()).encode() + b"/"
    for name in wheel.namelist():
        content = wheel.read(name)
        for what, pattern in SECRETS.items():
            found = pattern.search(content)
            assert found is None, f"{name} holds {what}"
        assert str(tree).encode() not in content, name
        assert str(ROOT).encode() not in content, name
        assert home == b"/root/" or home not in content, name


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a private key", b"-----BEGIN OPENSSH PRIVATE KEY-----"),
        ("a token of a code host", b"ghp_" + b"a1" * 18),
        ("a key of a provider", b"'sk-ant-" + b"a1" * 20 + b"'"),
        ("a token of a registry", b"npm_" + b"a1" * 18),
        ("a password in an address", b"https://me:secret@host.invalid/"),
    ],
)
def test_a_secret_would_be_found(what: str, text: bytes) -> None:
    assert SECRETS[what].search(text)


def test_two_builds_are_the_same_bytes(content: bytes, tree: Path, tmp_path: Path) -> None:
    """Wherever the tree lies, and whenever its files were written."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(tree, elsewhere)
    for file in elsewhere.rglob("*.py"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    again = build(elsewhere, tmp_path / "wheel")
    assert hashlib.sha256(again).hexdigest() == hashlib.sha256(content).hexdigest()


def test_its_record_is_true(wheel: zipfile.ZipFile) -> None:
    rows = list(csv.reader(io.StringIO(wheel.read(f"{ABOUT}/RECORD").decode())))
    assert {name for name, _, _ in rows} == set(wheel.namelist())
    for name, hashed, size in rows:
        if name == f"{ABOUT}/RECORD":
            assert (hashed, size) == ("", "")
            continue
        content = wheel.read(name)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert (hashed, int(size)) == (f"sha256={digest}", len(content)), name


def test_its_metadata(wheel: zipfile.ZipFile) -> None:
    fields = HeaderParser().parsestr(wheel.read(f"{ABOUT}/METADATA").decode())
    assert (fields["Name"], fields["Version"]) == ("callwright", PROJECT["version"])
    assert (fields["License-Expression"], fields.get_all("License-File")) == ("MIT", ["LICENSE"])
    assert fields["Requires-Python"] == ">=3.11"
    needed = [each for each in fields.get_all("Requires-Dist") or [] if "extra ==" not in each]
    assert len(needed) == len(PROJECT["dependencies"])
    assert {_name(each) for each in needed} == {_name(each) for each in PROJECT["dependencies"]}
    for each in fields.get_all("Requires-Dist") or []:
        assert re.search(r">=\d", each), f"{each} says from which version on"
        assert "==" not in each.partition(";")[0], f"{each} leaves its user no choice"
        assert " @ " not in each, f"{each} comes from no index"
    assert set(fields.get_all("Provides-Extra") or []) == set(PROJECT["optional-dependencies"])
    python = "Programming Language :: Python :: 3."
    versions = [each for each in fields.get_all("Classifier") or [] if each.startswith(python)]
    assert versions == [f"{python}{minor}" for minor in range(11, 15)]
    assert "Typing :: Typed" in (fields.get_all("Classifier") or [])
    addresses = dict(each.split(", ") for each in fields.get_all("Project-URL") or [])
    assert set(addresses) == {"Homepage", "Documentation", "Source", "Changelog", "Issues"}
    for name, address in addresses.items():
        page = address.removeprefix(HOST).removeprefix("/blob/main/")
        assert address.startswith(HOST), name
        assert page in {"", "/issues"} or (ROOT / page).is_file(), name
    entry = wheel.read(f"{ABOUT}/entry_points.txt").decode().split()
    assert entry == ["[console_scripts]", "callwright", "=", "callwright.cli.main:main"]
    assert b"Root-Is-Purelib: true" in wheel.read(f"{ABOUT}/WHEEL")


def test_its_page_on_the_index_has_no_relative_link(wheel: zipfile.ZipFile) -> None:
    """The index shows the README alone: a link leads to a file of the tree at the tag of this version."""
    page = wheel.read(f"{ABOUT}/METADATA").decode().partition("\n\n")[2]
    links = {
        address
        for token in MarkdownIt("commonmark", {"html": True}).parse(page)
        for each in token.children or ()
        if isinstance(address := each.attrs.get("href") or each.attrs.get("src"), str)
    }
    assert len(links) > 15
    files = 0
    for address in links - {"#"}:
        assert address.startswith("https://"), address
        led = re.fullmatch(
            r"https://(?:github\.com/callwright/callwright/blob|raw\.githubusercontent\.com/callwright/callwright)"
            rf"/v{re.escape(PROJECT['version'])}/([^#]+)(?:#.*)?",
            address,
        )
        if led:
            files += 1
            assert (ROOT / led[1]).is_file(), address
    assert files > 15
    assert "not on the package index" not in page
    assert not re.search(r"<(?:img|a)\b", re.sub(r"`[^`]*`", "", page)), "such links are not rewritten"


def test_what_is_locked_is_within_the_bounds() -> None:
    locked = {
        each["name"]: each["version"]
        for each in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    }
    extras = [each for group in PROJECT["optional-dependencies"].values() for each in group]
    for each in [*PROJECT["dependencies"], *extras]:
        version = _numbers(locked[_name(each)])
        for sign, bound in re.findall(r"(>=|<)\s*([\d.]+)", each.partition(";")[0]):
            assert version >= _numbers(bound) if sign == ">=" else version < _numbers(bound), each


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].lower()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
