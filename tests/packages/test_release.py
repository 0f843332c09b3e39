"""The steps of a release that need no build: what stops it, what it packs, and what it leaves to a person."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from packages import release, versions
from packages.locked import ROOT
from packages.test_action import read

FILES = {"a/b.txt": b"b", "a.txt": b"a"}


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(release, "OUT", tmp_path)
    return tmp_path


def wheel(**files: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return content.getvalue()


def test_what_is_packed_depends_on_the_files_alone(out: Path) -> None:
    release.packed("a.tar.gz", FILES, "1700000000")
    release.packed("b.tar.gz", dict(reversed(FILES.items())), "1700000000")
    assert (out / "a.tar.gz").read_bytes() == (out / "b.tar.gz").read_bytes()
    with tarfile.open(out / "a.tar.gz") as archive:
        assert [(each.name, each.mtime, each.uname) for each in archive] == [
            ("a.txt", 1_700_000_000, ""),
            ("a/b.txt", 1_700_000_000, ""),
        ]


def test_the_table_and_the_checksums_have_every_file(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release.packed("a.tar.gz", FILES, "1700000000")
    (out / "NOTES.md").write_text("- A.\n", encoding="utf-8")
    release.checksums()
    digests = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in ("NOTES.md", "a.tar.gz")}
    listed = (out / "SHA256SUMS").read_text(encoding="utf-8")
    assert listed == "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    printed = capsys.readouterr().out
    assert all(re.search(rf"^{re.escape(name)} .*{digest}$", printed, re.MULTILINE) for name, digest in digests.items())


def test_the_extension_must_carry_the_released_wheel() -> None:
    released = wheel(a__b=b"1", d__WHEEL=b"Generator: x 1", d__RECORD=b"")
    release.same_wheel(released, wheel(a__b=b"1", d__WHEEL=b"Generator: x 2", d__RECORD=b"r"))
    for other in (wheel(a__b=b"2"), wheel(), wheel(a__b=b"1", c=b"")):
        with pytest.raises(release.ReleaseError, match=r"carries another wheel; these differ: (?:a/b|c)"):
            release.same_wheel(released, other)


def test_a_tree_that_is_not_ready_stops_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(release, "run", lambda *_: " M README.md\n")
    monkeypatch.setattr(release, "unlocked", lambda: ["uv.lock is old"])
    monkeypatch.setattr(versions, "undated", lambda _: ["CHANGELOG.md: the section `Unreleased` is open"])
    with pytest.raises(release.ReleaseError, match="the tree is not ready"):
        release.ready(strict=True)
    stated = capsys.readouterr().out
    assert [line.strip() for line in stated.splitlines()] == [
        "not committed: README.md",
        "CHANGELOG.md: the section `Unreleased` is open",
        "uv.lock is old",
    ]
    release.ready(strict=False)


def test_the_notes_are_the_section_of_the_changelog(out: Path) -> None:
    version = versions.current()
    release.notes(version)
    text = (out / "NOTES.md").read_text(encoding="utf-8")
    assert text in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert not re.search(r"^## ", text, re.MULTILINE)
    with pytest.raises(release.ReleaseError, match=r"no section for 9\.9\.9"):
        release.notes("9.9.9")


def test_a_person_is_asked_for_all_that_the_workflow_needs() -> None:
    stated = release.remaining(versions.current())
    jobs = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"].values()
    environments = [job["environment"] for job in jobs if "environment" in job]
    names = {each["name"] if isinstance(each, dict) else each for each in environments}
    assert names == {"pypi", "marketplaces", "release"}
    assert all(f"`{name}`" in stated for name in names)
    secrets = set(re.findall(r"secrets\.(\w+)", (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")))
    assert secrets == {"VSCE_PAT"}
    assert all(secret in stated for secret in secrets)
    assert f"git tag --sign v{versions.current()}" in stated


def test_an_unknown_option_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--upload"]) == 2
    assert capsys.readouterr().err.startswith("usage:")
