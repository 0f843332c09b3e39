"""The cache: outputs are the same with and without, whatever changes and whatever is in its files."""

import copy
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import callwright.lint.linter
from callwright import __version__
from callwright.cli.main import main
from callwright.cli.support import cache as cache_module
from callwright.config import find_project
from cli.test_process import environment
from cli.test_process import run as run_process
from support.sampling import sampled

FAULTY = (
    '<debug_launch>{"program": "a.py",}</debug_launch>\n<debug_launch>{"progam": "\\ud800é😀"}</debug_launch>\r\n'
    "<debug_launch>\n"
)
TOOLS = '[{"name": "read_file", "input_schema": {"type": "object", "properties": {"%s": {"type": "string"}}}}]'


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's that keeps entries."""
    home = tmp_path_factory.mktemp("user")
    monkeypatch.delenv("CALLWRIGHT_NO_CACHE")
    monkeypatch.delenv("CALLWRIGHT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home / "callwright" / "diagnostics"


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Another process may be changing the code meanwhile.
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
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the texts that were really checked."""
    names: list[str] = []
    whole = callwright.lint.linter.diagnostics

    def diagnostics(snapshot: object) -> object:
        names.append(Path(snapshot.path).name)  # type: ignore[attr-defined] # it is a snapshot
        return whole(snapshot)  # type: ignore[arg-type] # as above

    monkeypatch.setattr(callwright.lint.linter, "diagnostics", diagnostics)
    return names


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["check", ".", *words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("name", ["text", "json", "sarif", "gitlab", "junit"])
def test_what_is_remembered_is_printed_alike(
    name: str, folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], scanned: list[str]
) -> None:
    without = check(capsys, "--output-format", name, "--no-cache")
    assert not cache.exists()
    first = check(capsys, "--output-format", name)
    scanned.clear()
    assert check(capsys, "--output-format", name) == first == without
    assert scanned == ["tools.json"]  # what is a project's own is checked each time


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


def test_what_changed_is_checked_again(folder: Path, capsys: pytest.CaptureFixture[str], scanned: list[str]) -> None:
    def seen() -> set[str]:
        scanned.clear()
        assert check(capsys) == check(capsys, "--no-cache")
        found = set(scanned)
        assert {"a.prompt", "b.prompt", "c.md", "tools.json"} == found
        # What was checked twice was not remembered.
        return {one for one in found if scanned.count(one) == 2} - {"tools.json"}

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
    folder: Path, capsys: pytest.CaptureFixture[str], scanned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(capsys)
    scanned.clear()
    monkeypatch.setattr(cache_module, "__version__", "999")
    check(capsys)
    assert {"a.prompt", "b.prompt", "c.md"} <= set(scanned)


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
def test_broken_entries_are_ignored(
    content: bytes, folder: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = check(capsys)
    [file] = cache.glob("*.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    path = next(name for name in entries if name.endswith("a.prompt"))
    broken = content.replace(b"%s", json.dumps(path)[1:-1].encode()).replace(b"%d", entries[path][0].encode())
    file.write_bytes(broken)
    assert check(capsys) == expected
    # And they are fixed.
    assert path in json.loads(file.read_text(encoding="utf-8"))


def test_the_folder_looks_after_itself(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_KEPT", 12)
    check(capsys)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert (cache / ".gitignore").read_text(encoding="utf-8").endswith("*\n")
    assert (
        (cache / "CACHEDIR.TAG").read_text(encoding="utf-8").startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )
    [file] = cache.glob("*.json")
    (folder / "b.prompt").unlink()
    (folder / "a.prompt").write_text("", encoding="utf-8")
    check(capsys)
    assert not any(name.endswith("b.prompt") for name in json.loads(file.read_text(encoding="utf-8")))
    for number in range(20):
        (folder / "callwright.toml").write_text(f"max_mistakes = {number + 1}\n", encoding="utf-8")
        check(capsys)
    assert len(list(cache.glob("*.json"))) == 12


def test_the_cache_holds_no_tool_files(folder: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text('tools = ["**/*.json"]\n', encoding="utf-8")
    expected = check(capsys)
    assert list(cache.glob("*.json"))
    assert check(capsys) == expected
    assert find_project(folder).tool_files == (folder / "tools.json",)


def test_one_file_needs_no_cache(folder: Path, cache: Path) -> None:
    assert main(["check", "b.prompt"]) == 0
    assert not cache.exists()
    assert main(["check", "b.prompt", "--cache-dir", "elsewhere"]) == 0
    assert (folder / "elsewhere" / ".gitignore").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_does_no_harm(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.mkdir(parents=True)
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert check(capsys) == check(capsys, "--no-cache")
    finally:
        cache.chmod(0o755)


def test_a_file_in_the_place_of_the_folder_does_no_harm(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"")
    assert check(capsys) == check(capsys, "--no-cache")


def test_processes_share_a_cache(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], scanned: list[str]
) -> None:
    expected = check(capsys, "--no-cache")
    scanned.clear()
    assert check(capsys, "--jobs", "2") == expected
    # Other processes read the files; this one only warms them up.
    assert {*scanned}.isdisjoint(each.name for each in folder.iterdir())
    [file] = cache.glob("*.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(Path(name).name for name in entries) == ["a.prompt", "b.prompt", "c.md"]


def test_end_to_end(folder: Path, cache: Path) -> None:
    first = run_process("check", ".", env=environment())
    assert run_process("check", ".", env=environment()) == first
    assert list(cache.glob("*.json"))
    assert (folder / "a.prompt").stat().st_size == len(FAULTY.encode())


def entries_of(cache: Path) -> tuple[Path, dict[str, Any]]:
    [file] = cache.glob("*.json")
    return file, json.loads(file.read_text(encoding="utf-8"))


def test_what_a_folder_brings_along_is_not_believed(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = check(capsys)
    file, entries = entries_of(cache)
    green = json.dumps({name: [digest, []] for name, (digest, _) in entries.items()})
    for place in (".callwright_cache", f".callwright_cache/{__version__}", ".cache/callwright/diagnostics"):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / file.name).write_text(green, encoding="utf-8")
    assert check(capsys) == expected
    # A home inside what is checked is not a place of the user's: a container may have one there.
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    assert check(capsys) == expected
    assert (folder / ".cache" / "callwright" / "diagnostics" / file.name).read_text(encoding="utf-8") == green


def test_nothing_is_left_in_what_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.rglob("*"))
    check(capsys)
    assert sorted(folder.rglob("*")) == before


def test_projects_know_nothing_of_each_other(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], scanned: list[str]
) -> None:
    for name in ("one", "two"):
        (folder / name / ".git").mkdir(parents=True)
        (folder / name / "a.prompt").write_text("Nothing.\n", encoding="utf-8")
        assert main(["check", name]) == 0
        assert scanned == ["a.prompt"]
        scanned.clear()
    assert len(list(cache.glob("*.json"))) == 2


#: What may be in the place of each part of a diagnostic, as an entry writes it.
ODD: Final[list[Any]] = [None, True, 1.5, -1, 10**9, "TC999", "\x1b]8;;http://x\x07", [], [1], [[0, 0]], [[9, 1, "x"]]]


def test_an_entry_that_makes_no_sense_is_as_good_as_none(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = check(capsys)
    file, entries = entries_of(cache)
    name = next(one for one in entries if one.endswith("a.prompt"))
    found = entries[name][1]
    for path, odd in sampled([(path, odd) for path in _places(found) for odd in ODD], keep=2, by=lambda one: one[0]):
        changed = copy.deepcopy(entries)
        holder = changed[name][1]
        for index in path[:-1]:
            holder = holder[index]
        old, holder[path[-1]] = holder[path[-1]], odd
        file.write_text(json.dumps(changed), encoding="utf-8")
        code, out, err = check(capsys)
        assert (code, err) == (expected[0], expected[2]), (path, odd)
        assert not {one for one in out if one < " " and one != "\n"}, (path, odd)
        # Words are free, and so is what a diagnostic need not have.
        if not (isinstance(old, str) and isinstance(odd, str)) and odd is not None and odd != []:
            assert out == expected[1], (path, odd)


def _places(value: list[Any], at: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the indices that lead to each part of a list of lists."""
    for index, one in enumerate(value):
        yield (*at, index)
        if isinstance(one, list):
            yield from _places(one, (*at, index))


@pytest.mark.parametrize(
    ("system", "environment", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/callwright/diagnostics"),
        ("linux", {"XDG_CACHE_HOME": "x", "HOME": "/home/a"}, "/home/a/.cache/callwright/diagnostics"),
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache/callwright/diagnostics"),
        ("linux", {"HOME": "a"}, None),
        ("darwin", {"HOME": "/Users/a"}, "/Users/a/Library/Caches/callwright/diagnostics"),
        ("win32", {"LOCALAPPDATA": "/a/Local"}, "/a/Local/callwright/Cache/diagnostics"),
    ],
)
def test_the_folder_is_where_the_system_has_caches(
    system: str, environment: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert cache_module.users_folder() == (None if expected is None else Path(expected))


@pytest.mark.parametrize("package", ["server/callwright", "lib/site-packages/callwright"])
def test_the_code_counts_however_it_is_installed(package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / package
    (place / "rules").mkdir(parents=True)
    (place / "rules" / "a.py").write_bytes(b"1")
    monkeypatch.setattr(cache_module, "_PACKAGE", place)
    monkeypatch.syspath_prepend(str(tmp_path))

    def engine() -> str:
        cache_module._engine.cache_clear()
        return cache_module._engine()

    seen = {engine()}
    assert engine() in seen
    state = (place / "rules" / "a.py").stat()
    (place / "rules" / "a.py").write_bytes(b"2")
    os.utime(place / "rules" / "a.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    seen.add(engine())
    (place / "rules" / "a.py").rename(place / "rules" / "b.py")
    seen.add(engine())
    (tmp_path / "lxml-99.dist-info").mkdir()
    seen.add(engine())
    assert len(seen) == 4
    cache_module._engine.cache_clear()


def test_a_file_is_no_folder_for_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.prompt"
    file.write_text(FAULTY.replace("\ud800", ""), encoding="utf-8")
    assert main(["check", str(file), "--cache-dir", str(file)]) == 2
    assert capsys.readouterr().err == f"callwright: `--cache-dir {file}`: this is a file; name a folder\n"
