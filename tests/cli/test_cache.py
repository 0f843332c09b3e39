"""The cache: outputs are the same with and without, whatever changes and whatever is in its files."""

import json
import os
import stat
from pathlib import Path

import pytest

import callwright.linter
from callwright.cli.main import main
from callwright.cli.support import cache as cache_module
from callwright.config import find_project
from cli.test_process import environment
from cli.test_process import run as run_process

FAULTY = (
    '<debug_launch>{"program": "a.py",}</debug_launch>\n<debug_launch>{"progam": "\\ud800é😀"}</debug_launch>\r\n'
    "<debug_launch>\n"
)
TOOLS = '[{"name": "read_file", "input_schema": {"type": "object", "properties": {"%s": {"type": "string"}}}}]'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CALLWRIGHT_NO_CACHE")
    # In a checkout the code counts, and somebody may be working on it.
    monkeypatch.setattr(cache_module, "_engine", lambda: "")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.prompt").write_text(FAULTY, encoding="utf-8", newline="")
    (tmp_path / "b.prompt").write_text("Nothing.\n", encoding="utf-8")
    (tmp_path / "c.md").write_text("<read_file><path>a</path></read_file>\n", encoding="utf-8")
    (tmp_path / "tools.json").write_text(TOOLS % "path", encoding="utf-8")
    (tmp_path / "callwright.toml").write_text(
        'tools = ["tools.json"]\nshipped = true\nfiles = ["*.md"]\n', encoding="utf-8"
    )
    return tmp_path


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the texts that were really checked."""
    names: list[str] = []
    whole = callwright.linter.diagnostics

    def diagnostics(snapshot: object) -> object:
        names.append(Path(snapshot.path).name)  # type: ignore[attr-defined] # it is a snapshot
        return whole(snapshot)  # type: ignore[arg-type] # as above

    monkeypatch.setattr(callwright.linter, "diagnostics", diagnostics)
    return names


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["check", ".", *words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("name", ["text", "json", "sarif", "gitlab", "junit"])
def test_what_is_remembered_is_printed_alike(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str], looked: list[str]
) -> None:
    without = check(capsys, "--output-format", name, "--no-cache")
    assert not (folder / ".callwright_cache").exists()
    first = check(capsys, "--output-format", name)
    looked.clear()
    assert check(capsys, "--output-format", name) == first == without
    assert looked == ["tools.json"]  # what is a project's own is looked at each time


def test_why_there_is_no_fix_is_remembered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.md").write_text("<read_file><path>a</path><path>b</path></read_file>\n", encoding="utf-8")
    config = (folder / "callwright.toml").read_text(encoding="utf-8")
    (folder / "callwright.toml").write_text(f'dialect = "xml-json"\n{config}', encoding="utf-8")
    first = check(capsys)
    why = "no fix: Convert XML children to JSON: an argument is given twice, and one of the values would be lost"
    assert f"  = {why}\n" in first[1]
    assert check(capsys) == first
    shown = json.loads(check(capsys, "--output-format", "json")[1])["diagnostics"]
    missing = [fix for each in shown for fix in each.get("missing_fixes", [])]
    assert [f"no fix: {fix['title']}: {fix['reason']}" for fix in missing] == [why]


def test_what_changed_is_checked_again(folder: Path, capsys: pytest.CaptureFixture[str], looked: list[str]) -> None:
    def seen() -> set[str]:
        looked.clear()
        assert check(capsys) == check(capsys, "--no-cache")
        found = set(looked)
        assert {"a.prompt", "b.prompt", "c.md", "tools.json"} == found
        # What was looked at twice was not remembered.
        return {one for one in found if looked.count(one) == 2} - {"tools.json"}

    assert seen() == {"a.prompt", "b.prompt", "c.md"}
    assert seen() == set()
    (folder / "a.prompt").write_text("<debug_launch>{}</debug_launch>", encoding="utf-8")
    assert seen() == {"a.prompt"}
    # Other tools, other settings, and back again.
    (folder / "tools.json").write_text(TOOLS % "file", encoding="utf-8")
    assert seen() == {"a.prompt", "b.prompt", "c.md"}
    configuration = (folder / "callwright.toml").read_text(encoding="utf-8")
    (folder / "callwright.toml").write_text(configuration + 'ignore = ["TC3"]\n', encoding="utf-8")
    assert seen() == {"a.prompt", "b.prompt", "c.md"}
    (folder / "callwright.toml").write_text(configuration, encoding="utf-8")
    assert seen() == set()
    assert check(capsys, "--select", "TC1") == check(capsys, "--select", "TC1", "--no-cache")


def test_another_version_remembers_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(capsys)
    looked.clear()
    monkeypatch.setattr(cache_module, "__version__", "999")
    check(capsys)
    assert {"a.prompt", "b.prompt", "c.md"} <= set(looked)


def test_what_is_fixed_is_fixed_with_a_cache_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = check(capsys, "--diff", "--no-cache")
    check(capsys)
    assert check(capsys, "--diff") == before
    code, out, _ = check(capsys, "--fix")
    assert "Fixed 2." in out
    assert check(capsys) == check(capsys, "--no-cache")
    assert check(capsys)[0] == code


@pytest.mark.parametrize(
    "content",
    [
        b"", b"no JSON", b"[]", b"\xff", b"[" * 100_000, b'{"%s": 1}', b'{"%s": []}', b'{"%s": ["%d"]}',
        b'{"%s": ["%d", [[1]]]}', b'{"%s": ["%d", 1]}', b'{"%s": ["%d", [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]]}',
    ],
)  # fmt: skip
def test_broken_entries_are_ignored(content: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = check(capsys)
    [file] = (folder / ".callwright_cache").glob("*/*.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    path = next(name for name in entries if name.endswith("a.prompt"))
    broken = content.replace(b"%s", json.dumps(path)[1:-1].encode()).replace(b"%d", entries[path][0].encode())
    file.write_bytes(broken)
    assert check(capsys) == expected
    # And they are mended.
    assert path in json.loads(file.read_text(encoding="utf-8"))


def test_the_folder_looks_after_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys)
    home = folder / ".callwright_cache"
    assert (home / ".gitignore").read_text(encoding="utf-8").endswith("*\n")
    assert (home / "CACHEDIR.TAG").read_text(encoding="utf-8").startswith("Signature: 8a477f597d28d172789f06886806bc55")
    [file] = home.glob("*/*.json")
    (folder / "b.prompt").unlink()
    (folder / "a.prompt").write_text("", encoding="utf-8")
    check(capsys)
    assert not any(name.endswith("b.prompt") for name in json.loads(file.read_text(encoding="utf-8")))
    for number in range(20):
        (folder / "callwright.toml").write_text(f"max_mistakes = {number + 1}\n", encoding="utf-8")
        check(capsys)
    assert len(list(home.glob("*/*.json"))) == 12


def test_the_cache_holds_no_tool_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text('tools = ["**/*.json"]\n', encoding="utf-8")
    expected = check(capsys)
    assert list((folder / ".callwright_cache").glob("*/*.json"))
    assert check(capsys) == expected
    assert find_project(folder).tool_files == (folder / "tools.json",)


def test_one_file_needs_no_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "b.prompt"]) == 0
    assert not (folder / ".callwright_cache").exists()
    assert main(["check", "b.prompt", "--cache-dir", "elsewhere"]) == 0
    assert (folder / "elsewhere" / ".gitignore").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_does_no_harm(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert check(capsys) == check(capsys, "--no-cache")
    finally:
        folder.chmod(0o755)


def test_a_file_in_the_place_of_the_folder_does_no_harm(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".callwright_cache").write_bytes(b"")
    assert check(capsys) == check(capsys, "--no-cache")


def test_processes_share_a_cache(folder: Path, capsys: pytest.CaptureFixture[str], looked: list[str]) -> None:
    expected = check(capsys, "--no-cache")
    looked.clear()
    assert check(capsys, "--jobs", "2") == expected
    # Others looked at the files; this process only at what warms them up.
    assert {*looked}.isdisjoint(each.name for each in folder.iterdir())
    [file] = (folder / ".callwright_cache").glob("*/*.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(Path(name).name for name in entries) == ["a.prompt", "b.prompt", "c.md"]


def test_end_to_end(folder: Path) -> None:
    first = run_process("check", ".", env=environment())
    assert run_process("check", ".", env=environment()) == first
    assert list((folder / ".callwright_cache").glob("*/*.json"))
    assert (folder / "a.prompt").stat().st_size == len(FAULTY.encode())


def test_code_without_a_version_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    monkeypatch.setattr(cache_module, "_PACKAGE", tmp_path)
    before = cache_module._engine()
    os.utime(tmp_path / "a.py", ns=(1, 2**62))
    assert cache_module._engine() != before
    monkeypatch.setattr(cache_module, "_PACKAGE", Path("lib", "site-packages", "callwright"))
    assert cache_module._engine() == ""
