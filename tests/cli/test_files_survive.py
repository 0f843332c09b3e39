"""Files in odd places: links, second names, read-only ones, writers in between, what was left over."""

import ast
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from callwright import cli
from callwright.cli.main import main
from callwright.cli.support import baseline as baseline_module
from callwright.cli.support import cache as cache_module
from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import FileError, read_source, replace_file, walk
from callwright.path_patterns import UNFINISHED, find
from cli.test_process import environment
from support.disk import stepping

pytestmark = pytest.mark.usefixtures("named_sets")

FAULTY: Final = '<debug_launch>{"program": "a.py",}</debug_launch>\n'
FIXED: Final = '<debug_launch>{"program": "a.py"}</debug_launch>\n'
#: Commands that write a file that they are given by name, each with that name to be filled in.
OUTPUTS: Final = {
    "check": ["check", "a.prompt", "--output-file", "{}"],
    "baseline": ["check", "a.prompt", "--baseline", "{}", "--write-baseline"],
    "report": ["report", "a.prompt", "--output-file", "{}"],
    "export": ["tools", "export", "tools.json", "--output", "{}"],
}
BASELINE: Final = b'{"version": 1, "files": {}}\n'


#: Commands that write what a link leads to, each with the name of the link to be filled in.
THROUGH: Final = {
    **OUTPUTS,
    "fixing": ["check", "--fix", "{}"],
    "ignoring": ["check", "--add-ignore", "{}"],
    "converting": ["convert", "--to", "hermes", "--write", "{}"],
    "teaching": ["prompt", "--write", "--dialect", "hermes", "--tools", "tools.json", "{}"],
    "renaming": ["rename", "--write", "--tools", "tools.json", "one", "two", "{}"],
    "locking": ["tools", "lock", "--yes", "--output", "{}", "--name", "one", "--", sys.executable],
    "a corpus": ["corpus", "check", "rows.jsonl", "--out", "{}"],
    "beginning": ["init", "{}"],
    "a demo": ["demo", "{}"],
}
#: What is read through the link, for commands that change what they read.
READ: Final = {
    "fixing": FAULTY,
    "ignoring": FAULTY,
    "converting": FIXED,
    "teaching": "<!-- callwright:tools -->\n<!-- /callwright:tools -->\n",
    "renaming": "<invoke name='one'></invoke>\n",
    "baseline": BASELINE.decode(),
}
#: Commands that are given a folder.
FOLDERS: Final = ("a corpus", "beginning", "a demo")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.prompt").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "tools.json").write_text('[{"name": "one", "input_schema": {"type": "object"}}]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output(command: str, path: str) -> int:
    return main([word.format(path) for word in OUTPUTS[command]])


@pytest.fixture(params=OUTPUTS)
def command(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("governed", [False, True], ids=["alone", "below a configuration"])
@pytest.mark.parametrize("name", THROUGH)
def test_a_link_out_of_the_project_is_never_written_through(
    name: str, governed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By no command, to what is there or is to be, from inside the project and from above it."""
    monkeypatch.setattr("callwright.cli.tools_lock._need_sdk", lambda: None)
    project, outside = tmp_path / "project", tmp_path / "outside"
    for place in (project, outside):
        place.mkdir()
    if governed:
        (tmp_path / "callwright.toml").write_text("", encoding="utf-8")
    (project / "a.prompt").write_text(FAULTY, encoding="utf-8")
    (project / "rows.jsonl").write_text("{}\n", encoding="utf-8")
    if name in FOLDERS:
        (outside / "there").mkdir()
    elif name in READ:
        (outside / "there").write_text(READ[name], encoding="utf-8")
    monkeypatch.chdir(project)
    before = files_in(outside)
    for link, target in (("link.prompt", "../outside/there"), ("sub/link.prompt", "../../outside/there")):
        (project / link).parent.mkdir(exist_ok=True)
        (project / link).symlink_to(target)
        (project / "tools.json").write_text('[{"name": "one", "input_schema": {"type": "object"}}]', encoding="utf-8")
        capsys.readouterr()
        code = main([word.format(link) for word in THROUGH[name]])
        out, err = capsys.readouterr()
        assert code == 2, out + err
        assert "must be in this folder" in err or "a link leads out of the folder, to " in err
        assert "internal error" not in err
        assert files_in(outside) == before
        assert sorted(outside.rglob("*")) == ([outside / "there"] if name in READ or name in FOLDERS else [])
        (project / link).unlink()


def test_commands_write_files_in_one_way() -> None:
    """Through `written`, which refuses what must not be written; a device or a pipe is opened as it is."""
    found: list[str] = []
    for file in sorted(Path(cli.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            opens = name in ("open", "fdopen") and any(set(mode) & set("wax") and len(mode) < 4 for mode in modes)
            # The function `write_text` is that for standard output.
            method = name == "write_text" and isinstance(node.func, ast.Attribute)
            if opens or method or name in ("write_bytes", "mkstemp", "NamedTemporaryFile", "copyfile", "move"):
                found.append(f"{file.name}: {name}")
    assert sorted(found) == ["files.py: fdopen", "files.py: mkstemp", "output.py: open"]


def test_what_a_corpus_writes_stays_in_its_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (folder / "rows.jsonl").write_text("{}\n", encoding="utf-8")
    for link in (".parts", "clean", "clean/sub", "summary.json"):
        place = folder / "results" / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(outside)
        assert main(["corpus", "check", "rows.jsonl", "--clean", "--out", "results"]) == 2
        assert f"results/{link}: not written: a link leads out of the folder" in capsys.readouterr().err
        place.unlink()
    assert list(outside.iterdir()) == []


def test_standard_output_may_be_named_wherever_it_leads(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    if not Path("/dev/stdout").exists():
        pytest.skip("this system has no name for it")
    target = tmp_path_factory.mktemp("outside") / "found.txt"
    with target.open("wb") as out:
        process = subprocess.run(
            [sys.executable, "-m", "callwright", "check", "a.prompt", "--output-file", "/dev/stdout"],
            env=environment(),
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert process.stderr.endswith(b" Wrote /dev/stdout.\n")
    assert b"Checked 1 file" in target.read_bytes()
    assert folder.exists()


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_output_keeps_the_link_that_leads_to_it_and_its_mode(command: str, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "out").write_bytes(BASELINE)
    (folder / "real" / "out").chmod(0o640)
    (folder / "link").symlink_to("real/out")
    assert output(command, "link") < 2
    assert (folder / "link").readlink() == Path("real/out")
    assert (folder / "real" / "out").read_bytes() != BASELINE
    assert stat.S_IMODE((folder / "real" / "out").stat().st_mode) == 0o640
    assert sorted(file.name for file in (folder / "real").iterdir()) == ["out"]


def test_an_output_that_is_read_only_is_refused(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out").write_bytes(BASELINE)
    (folder / "out").chmod(0o444)
    before = files_in(folder)
    assert output(command, "out") == 2
    assert "out: not written: it is read-only; make it writable first" in capsys.readouterr().err
    assert files_in(folder) == before


def test_an_output_with_a_second_name_is_refused(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "out").write_bytes(BASELINE)
    (folder / "other").hardlink_to(folder / "out")
    before = files_in(folder)
    assert output(command, "out") == 2
    assert "out: not written: it has a second name (a hard link)" in capsys.readouterr().err
    assert files_in(folder) == before


def test_a_folder_that_takes_no_file_is_stated_by_the_name_that_was_given(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "out").write_bytes(BASELINE)
    before = files_in(folder)
    given = os.open

    def refuse(path: str, flags: int, *words: int) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", path)
        return given(path, flags, *words)

    monkeypatch.setattr(os, "open", refuse)
    assert output(command, "out") == 2
    assert capsys.readouterr().err == "callwright: out: not written: Permission denied\n"
    assert files_in(folder) == before


def test_a_name_may_be_as_long_as_the_system_takes(folder: Path) -> None:
    name = "é" * 124 + ".prompt"
    assert len(name.encode()) == 255
    (folder / "a.prompt").rename(folder / name)
    assert main(["check", "--fix", name]) == 0
    assert (folder / name).read_text(encoding="utf-8") == FIXED
    assert main(["check", name, "--output-file", "x" * 255]) == 0
    assert (folder / ("x" * 255)).stat().st_size


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("way", ["fix", "output"])
def test_the_owner_stays(way: str, folder: Path) -> None:
    file = folder / ("a.prompt" if way == "fix" else "out")
    file.write_text(FAULTY, encoding="utf-8")
    os.chown(file, 1234, 2345)
    file.chmod(0o4750)
    assert main(["check", "a.prompt", *(["--fix"] if way == "fix" else ["--output-file", "out"])]) < 2
    state = file.stat()
    assert file.read_text(encoding="utf-8") != FAULTY
    assert (state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (1234, 2345, 0o4750)


@pytest.mark.skipif(not hasattr(os, "fchown"), reason="this system has other owners")
def test_a_file_whose_owner_cannot_be_kept_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    given = os.fstat

    def another(handle: int) -> os.stat_result:
        state = list(given(handle))
        state[4] += 1
        return os.stat_result(state)

    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(os, "fstat", another)
    before = files_in(folder)
    assert main(["check", "--fix", "a.prompt"]) == 2
    reported = "it belongs to another user or group, and writing would make it yours; let its owner do it"
    assert capsys.readouterr().err == f"callwright: a.prompt: not written: {reported}\n"
    assert files_in(folder) == before


def test_extended_attributes_stay(folder: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems keep them otherwise")
    try:
        os.setxattr(folder / "a.prompt", "user.kind", b"prompt")
    except OSError:
        pytest.skip("this file system has none")
    assert main(["check", "--fix", "a.prompt"]) == 0
    assert os.getxattr(folder / "a.prompt", "user.kind") == b"prompt"


def test_what_another_program_writes_in_between_is_not_lost(folder: Path) -> None:
    """Until the very step that gives the new file its name, which is the only one that comes too late."""
    with stepping(folder) as steps:
        replace_file(read_source(Path("a.prompt")), FIXED)
    moved = steps.names.index("os.replace")
    assert moved > 3
    for number in range(1, moved + 1):
        (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
        source = read_source(Path("a.prompt"))

        def interfere(at: int, _name: str, when: int = number) -> None:
            if at == when:
                Path("a.prompt").write_bytes(b"theirs")

        with (
            stepping(folder, interfere),
            pytest.raises(FileError, match="the file changed during the check; run the command again"),
        ):
            replace_file(source, FIXED)
        assert files_in(folder)["a.prompt"] == b"theirs"
        assert not list(folder.glob(f".*{UNFINISHED}"))


def test_a_baseline_that_another_run_wrote_meanwhile_is_not_lost(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for known in (None, BASELINE):
        if known is not None:
            (folder / "known.json").write_bytes(known)
        mine = baseline_module.Baseline("known.json", stated="`--baseline known.json`", write=True)
        assert main(["check", "a.prompt", "--baseline", "known.json", "--write-baseline"]) == 0
        theirs = (folder / "known.json").read_bytes()
        with pytest.raises(
            CommandError, match=r"known\.json: not written: the file (was created|changed) .*run the command again"
        ):
            mine.write([])
        assert (folder / "known.json").read_bytes() == theirs
        assert len(json.loads(theirs)["files"]) == 1


def test_a_rename_counts_what_it_wrote_and_does_the_rest_later(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
    for name in ("b.prompt", "c.prompt"):
        (folder / name).write_text("<invoke name='one'></invoke>\n", encoding="utf-8")
    (folder / "b.prompt").chmod(0o444)
    words = ["rename", "one", "two", "tools.json", "b.prompt", "c.prompt", "--write"]
    assert main(words) == 2
    assert capsys.readouterr().err.splitlines() == [
        "callwright: b.prompt: not written: it is read-only; make it writable first",
        "Renamed `one` to `two` in 2 places in 2 files.",
    ]
    assert b"one" in files_in(folder)["b.prompt"]
    (folder / "b.prompt").chmod(0o644)
    assert main(words) == 0
    assert capsys.readouterr().err == "Renamed `one` to `two` in 1 place in 1 file.\n"
    assert not [name for name in ("tools.json", "b.prompt", "c.prompt") if b"one" in files_in(folder)[name]]


def test_what_a_killed_run_left_is_no_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text('files = ["**/*"]\ntools = ["tools*"]\nexclude = ["*.toml"]\n', "utf-8")
    main(["check", "."])
    expected = capsys.readouterr()
    for name in (".a.prompt.1a2b3c4d", ".tools.json.1a2b3c4d", "tools.1a2b3c4d"):
        (folder / f"{name}{UNFINISHED}").write_text(f"[{FAULTY}", encoding="utf-8")
    main(["check", "."])
    assert capsys.readouterr() == expected
    assert not [one for one in find("**/*", str(folder)) if one.endswith(UNFINISHED)]
    found = walk(folder, lambda _: True, report_error=pytest.fail, note=pytest.fail)
    assert not [one for one in found if one.name.endswith(UNFINISHED)]


class TestCache:
    """What is in the place where the cache is to be."""

    @pytest.fixture(autouse=True)
    def cache(self, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
        home = tmp_path_factory.mktemp("user")
        monkeypatch.delenv("CALLWRIGHT_NO_CACHE")
        monkeypatch.delenv("CALLWRIGHT_CACHE_DIR", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        monkeypatch.setattr(cache_module, "_engine", lambda: "")
        return home / "callwright" / "diagnostics"

    @pytest.mark.usefixtures("folder")
    @pytest.mark.parametrize("what", ["pipe", "folder"])
    def test_what_is_no_file_is_let_be(self, what: str, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
        main(["check", "."])
        expected = capsys.readouterr()
        [entries] = cache.glob("*.json")
        entries.unlink()
        if what == "folder":
            entries.mkdir()
        else:
            os.mkfifo(entries)
        main(["check", "."])
        assert capsys.readouterr() == expected
        assert entries.is_dir() or entries.is_fifo()

    def test_what_killed_runs_left_goes_with_time(
        self, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cache_module, "_KEPT", 12)
        main(["check", "."])
        [entries] = cache.glob("*.json")
        for number in range(30):
            (entries.parent / f".x.{number}{UNFINISHED}").touch()
        (folder / "a.prompt").write_text(FIXED, encoding="utf-8")
        main(["check", "."])
        assert len(list(entries.parent.glob(f".*{UNFINISHED}"))) == 12
        assert entries.exists()
