"""Reading, walking and writing files: every byte is kept, every refusal is reported."""

import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.support.files import FileError, InputFile, read_source, replace_file, walk, write_file
from support.sampling import tries


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(path: Path, data: bytes = b"old") -> InputFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return read_source(path)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@settings(deadline=None, max_examples=tries(100))
@given(st.text(st.characters(codec="utf-8")), st.booleans())
def test_what_is_read_and_written_back_is_the_same_bytes(text: str, bom: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.prompt"
        data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
        source = written(path, data)
        assert source.bom == data.startswith(b"\xef\xbb\xbf")
        replace_file(source, source.text)
        assert files_in(Path(folder)) == {"a.prompt": data}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ab\xff", r"a\.prompt: not UTF-8: invalid byte 0xff at offset 2; save it as UTF-8"),
        (b"\xef\xbb\xbfab\xc3", r"a\.prompt: not UTF-8: invalid byte 0xc3 at offset 5"),
        ("ab".encode("utf-16"), r"a\.prompt: not UTF-8 \(it looks like UTF-16\)"),
    ],
)
def test_a_file_that_is_not_utf8_is_refused_with_the_byte(data: bytes, message: str, folder: Path) -> None:
    with pytest.raises(FileError, match=message):
        written(folder / "a.prompt", data)


def test_a_missing_file_and_a_folder_are_reported_apart(folder: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere\.prompt: file or folder not found; check the path"):
        read_source(Path("nowhere.prompt"))
    with pytest.raises(FileError, match=f"{re.escape(str(folder.parent))}: this is a folder"):
        read_source(folder.parent)


def test_the_mode_stays(folder: Path) -> None:
    source = written(folder / "a.prompt")
    (folder / "a.prompt").chmod(0o640)
    replace_file(source, "new")
    assert stat.S_IMODE((folder / "a.prompt").stat().st_mode) == 0o640
    assert files_in(folder) == {"a.prompt": b"new"}


def test_a_link_inside_the_folder_is_written_through(folder: Path) -> None:
    written(folder / "real" / "a.prompt")
    (folder / "a.prompt").symlink_to("real/a.prompt")
    replace_file(replace(read_source(folder / "a.prompt"), fence=folder), "new")
    assert (folder / "a.prompt").is_symlink()
    assert files_in(folder) == {"a.prompt": b"new", "real/a.prompt": b"new"}


def refused(source: InputFile, message: str) -> None:
    """Writing is refused with this message, and every file around stays as it is."""
    assert source.path is not None
    around = source.path.parent.resolve().parent
    before = files_in(around)
    with pytest.raises(FileError, match=message):
        replace_file(source, "new")
    assert files_in(around) == before


def test_a_file_that_changed_meanwhile_is_refused(folder: Path) -> None:
    source = written(folder / "x" / "a.prompt")
    (folder / "x" / "a.prompt").write_bytes(b"OLD")
    refused(source, "the file changed during the check; run the command again")


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_file_after_a_link_out_of_the_folder_is_refused(link: str, folder: Path) -> None:
    written(folder / "outside" / "a.prompt")
    (folder / "inside").mkdir()
    if link == "file":
        (folder / "inside" / "a.prompt").symlink_to("../outside/a.prompt")
        source = replace(read_source(folder / "inside" / "a.prompt"), fence=folder / "inside")
    else:
        (folder / "inside" / "linked").symlink_to("../outside")
        source = replace(read_source(folder / "inside" / "linked" / "a.prompt"), fence=folder / "inside")
    refused(source, "a link leads out of the folder")


def test_a_file_with_a_second_name_is_refused(folder: Path) -> None:
    source = written(folder / "x" / "a.prompt")
    (folder / "x" / "b.prompt").hardlink_to(folder / "x" / "a.prompt")
    refused(source, "it has a second name")


def test_a_read_only_file_is_refused(folder: Path) -> None:
    source = written(folder / "x" / "a.prompt")
    (folder / "x" / "a.prompt").chmod(0o444)
    refused(source, "it is read-only; make it writable first")


def test_a_pipe_is_read_but_not_written(folder: Path) -> None:
    path = folder / "x" / "pipe"
    path.parent.mkdir()
    os.mkfifo(path)
    refused(InputFile("pipe", path, "old", b"old"), "it is no regular file")


def test_a_text_that_utf8_cannot_hold_is_refused(folder: Path) -> None:
    source = written(folder / "a.prompt")
    with pytest.raises(FileError, match="half a surrogate pair"):
        replace_file(source, "\ud800")
    assert files_in(folder) == {"a.prompt": b"old"}


def test_a_write_that_fails_leaves_nothing_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(folder / "a.prompt")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="not written: No space left on device"):
        replace_file(source, "new")
    assert files_in(folder) == {"a.prompt": b"old"}


def test_a_walk_goes_by_name_skips_what_is_not_ours_and_follows_no_link_out(folder: Path) -> None:
    for name in (
        "b.prompt",
        "a/z.prompt",
        "a/b/c.prompt",
        "a.txt",
        ".git/x.prompt",
        "node_modules/x.prompt",
        ".venv/x.prompt",
        ".hidden/x.prompt",
    ):
        written(folder / "top" / name)
    written(folder / "outside.prompt")
    (folder / "top" / "loop").symlink_to(folder / "top")
    (folder / "top" / "out.prompt").symlink_to(folder / "outside.prompt")
    (folder / "top" / "broken.prompt").symlink_to("nowhere")
    (folder / "top" / "in.prompt").symlink_to("b.prompt")
    reported: list[str] = []
    found = list(
        walk(Path("top"), lambda path: path.suffix == ".prompt", report_error=pytest.fail, note=reported.append)
    )
    assert [str(path) for path in found] == [
        "top/.hidden/x.prompt",
        "top/a/b/c.prompt",
        "top/a/z.prompt",
        "top/b.prompt",
        "top/in.prompt",
    ]
    assert reported == ["top/out.prompt: skipped because it links out of the folder; name it to check it"]


def test_a_skipped_folder_that_is_named_is_walked(folder: Path) -> None:
    written(folder / ".venv" / "x.prompt")
    found = walk(Path(".venv"), lambda _: True, report_error=pytest.fail, note=pytest.fail)
    assert [str(path) for path in found] == [".venv/x.prompt"]


def test_a_file_comes_before_the_links_to_it(folder: Path) -> None:
    (folder / "b.prompt").write_text("b", encoding="utf-8")
    (folder / "a.prompt").symlink_to("b.prompt")
    found = walk(folder, lambda path: path.suffix == ".prompt", report_error=pytest.fail, note=pytest.fail)
    assert [path.name for path in found] == ["b.prompt", "a.prompt"]


@pytest.mark.parametrize("links", [True, False], ids=["with links", "without links"])
def test_a_new_file_is_written_whole_and_never_over_another(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "new.json"
    write_file(path, "é\n", "new.json")
    assert path.read_bytes() == "é\n".encode()
    (tmp_path / "usual").touch()
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode
    (tmp_path / "usual").unlink()
    with pytest.raises(FileError, match=r"new\.json: not written: the file was created meanwhile"):
        write_file(path, "other", "new.json")
    assert path.read_bytes() == "é\n".encode()
    with pytest.raises(FileError, match="not written: No such file or directory"):
        write_file(tmp_path / "nowhere" / "x", "", "x")
    assert [one.name for one in tmp_path.iterdir()] == ["new.json"]
