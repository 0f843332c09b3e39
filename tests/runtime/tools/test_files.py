"""The tools on files: what they read, write and list, and that nothing outside their root is ever touched."""

import os
import socket
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.api import Call
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import StrictTool, ToolError, ToolResult
from callwright.runtime.tools.list_files import ListFiles
from callwright.runtime.tools.manager import StrictToolManager
from callwright.runtime.tools.read_file import ReadFile
from callwright.runtime.tools.support.folders import WALKS
from callwright.runtime.tools.support.paths import parts_of
from callwright.runtime.tools.write_file import WriteFile
from callwright.text.span import Span
from callwright.tools.shipped import shipped_registry
from support.sampling import tries

SECRET = "the secret of the house"  # noqa: S105  # it is none


def manager_of(root: Path, *, walks: bool = WALKS, **bounds: Any) -> StrictToolManager:
    tools: list[StrictTool] = [ReadFile(root, walks=walks), WriteFile(root, walks=walks), ListFiles(root, walks=walks)]
    return StrictToolManager(tools, approve=lambda *_: True, **bounds)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run(manager: StrictToolManager, tool: str, **arguments: Any) -> ToolResult:
    return manager.run(Call(tool, arguments, "xml-json", Span(0, 0)))


@pytest.fixture(params=[WALKS, False], ids=["descriptors", "paths"])
def walks(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def manager(root: Path, walks: bool) -> StrictToolManager:
    return manager_of(root, walks=walks)


# -- reading -----------------------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_is(root: Path, manager: StrictToolManager) -> None:
    text = "a\r\nb\n\u2028c\x0bd\ré\n"
    (root / "src").mkdir()
    (root / "src" / "a.txt").write_bytes(text.encode())
    for path in ("src/a.txt", "./src/a.txt", "src//a.txt"):
        assert run(manager, "read_file", file_path=path).value == text
    assert run(manager, "read_file", path="src/a.txt").value == text


def test_a_byte_order_marker_is_left_out(root: Path, manager: StrictToolManager) -> None:
    (root / "a").write_bytes(b"\xef\xbb\xbfa\n")
    assert run(manager, "read_file", file_path="a").value == "a\n"
    (root / "empty").write_bytes(b"")
    assert run(manager, "read_file", file_path="empty").value == ""


def test_some_lines_of_a_file(root: Path, manager: StrictToolManager) -> None:
    (root / "a").write_bytes(b"1\n2\r\n3\r4\x0b\n5")
    assert run(manager, "read_file", file_path="a", limit=2).value == (
        "1\n2\r\n[… lines 1 to 2 of 5; continue with `offset` 2]"
    )
    assert run(manager, "read_file", file_path="a", offset=2, limit=2).value == (
        "3\r4\x0b\n[… lines 3 to 4 of 5; continue with `offset` 4]"
    )
    assert run(manager, "read_file", file_path="a", offset=4).value == "5"
    assert run(manager, "read_file", file_path="a", offset=0, limit=5).value == "1\n2\r\n3\r4\x0b\n5"
    assert run(manager, "read_file", file_path="a", offset=5).error == "`offset` is 5, but the file has 5 lines."
    assert run(manager, "read_file", file_path="a", limit=0).kind == "invalid"
    # Both are integers to JSON Schema.
    assert run(manager, "read_file", file_path="a", offset=4.0, limit=1.0).value == "5"
    assert run(manager, "read_file", file_path="a", offset=9.0).error == "`offset` is 9, but the file has 5 lines."


@pytest.mark.parametrize(
    ("data", "stated"),
    [
        (b"a\0b", "`a` is not a text file: it contains NUL bytes."),
        (b"\xff\xfea\0", "`a` is UTF-16, and only UTF-8 is read."),
        (b"\xfe\xff\0a", "`a` is UTF-16, and only UTF-8 is read."),
        (b"\xff\xfe\0\0a\0\0\0", "`a` is UTF-32, and only UTF-8 is read."),
        (b"caf\xe9", "`a` is not UTF-8: byte 3 is not."),
    ],
)
def test_what_is_no_utf_8_is_refused(root: Path, manager: StrictToolManager, data: bytes, stated: str) -> None:
    (root / "a").write_bytes(data)
    result = run(manager, "read_file", file_path="a")
    assert (result.kind, result.error) == ("error", stated)


def test_a_large_file_is_refused(root: Path, walks: bool) -> None:
    tool = ReadFile(root, max_bytes=4, walks=walks)
    (root / "a").write_bytes(b"1234")
    assert tool.execute({"file_path": "a"}) == "1234"
    (root / "a").write_bytes(b"12345")
    with pytest.raises(ToolError, match="`a` is larger than 4 bytes"):
        tool.execute({"file_path": "a"})


def test_what_is_no_file_is_reported(root: Path, manager: StrictToolManager) -> None:
    (root / "folder").mkdir()
    (root / "file").write_text("a")
    assert run(manager, "read_file", file_path="none.txt").error == "`none.txt` does not exist."
    assert run(manager, "read_file", file_path="no/file").error == "`no` does not exist."
    assert run(manager, "read_file", file_path="folder").error == "`folder` is a folder, not a file."
    assert run(manager, "read_file", file_path="folder/").error == "The path is a folder. Give the path of a file."
    assert run(manager, "read_file", file_path=".").error == "The path is a folder. Give the path of a file."
    assert run(manager, "read_file", file_path="file/inner").error == (
        "`file` is not a folder, or is a link; links are not followed."
    )
    assert "File name too long" in str(run(manager, "read_file", file_path="a" * 300).error)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes of this kind")
def test_a_pipe_a_socket_and_a_device_never_block(root: Path, manager: StrictToolManager) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "socket"))
        for name in ("pipe", "socket"):
            for tool, more in (("read_file", {}), ("write_file", {"content": "a"})):
                assert run(manager, tool, file_path=name, **more).error == f"`{name}` is not a regular file."
        assert run(manager, "list_files").value == "pipe=\nsocket="


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_not_opened(root: Path, manager: StrictToolManager) -> None:
    try:
        os.mknod(root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except OSError:
        pytest.skip("no devices can be made here")
    assert run(manager, "read_file", file_path="zero").error == "`zero` is not a regular file."


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_and_replaced(root: Path, manager: StrictToolManager) -> None:
    result = run(manager, "write_file", file_path="src/deep/a.txt", content="é\r\n")
    assert result.value == "Wrote 4 bytes to the new file `src/deep/a.txt`."
    assert (root / "src/deep/a.txt").read_bytes() == "é\r\n".encode()
    assert run(manager, "write_file", path="src/deep/a.txt", content="b").value == (
        "Replaced `src/deep/a.txt` with 1 byte."
    )
    assert (root / "src/deep/a.txt").read_bytes() == b"b"
    assert names_in(root / "src/deep") == ["a.txt"]


def test_a_file_keeps_its_mode_and_its_twins_their_content(root: Path, manager: StrictToolManager) -> None:
    (root / "a").write_text("old")
    (root / "a").chmod(0o640)
    os.link(root / "a", root / "twin")
    assert run(manager, "write_file", file_path="a", content="new").ok
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o640
    assert (root / "twin").read_text() == "old"
    (root / "a").chmod(0o4755)
    assert run(manager, "write_file", file_path="a", content="newer").ok
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755


def test_a_write_protected_file_is_left_alone(root: Path, manager: StrictToolManager) -> None:
    (root / "a").write_text("old")
    (root / "a").chmod(0o444)
    assert run(manager, "write_file", file_path="a", content="new").error == "`a` is write-protected."
    assert (root / "a").read_text() == "old"


def test_folders_are_made_only_where_that_is_wanted(root: Path, walks: bool) -> None:
    tool = WriteFile(root, create_parents=False, walks=walks)
    with pytest.raises(ToolError, match="`src` does not exist"):
        tool.execute({"file_path": "src/a", "content": ""})
    assert not (root / "src").exists()


def test_a_failed_write_leaves_nothing_over(
    root: Path, manager: StrictToolManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run(manager, "write_file", file_path="a", content="new").error == (
        "`a` cannot be used: No space left on device."
    )
    assert names_in(root) == ["a"]
    assert (root / "a").read_text() == "old"


def test_what_cannot_be_written_is_refused_before_confirmation(root: Path) -> None:
    asked: list[Call] = []

    def approve(call: Call, _: StrictTool) -> bool:
        asked.append(call)
        return True

    manager = StrictToolManager([WriteFile(root, max_bytes=3)], approve=approve)
    assert run(manager, "write_file", file_path="a", content="1234").error == (
        "`content` has 4 bytes, but at most 3 can be written."
    )
    assert run(manager, "write_file", file_path="a", content="\ud800").kind == "invalid"
    assert run(manager, "write_file", file_path="../a", content="").kind == "invalid"
    assert run(manager, "write_file", file_path="a/", content="").kind == "invalid"
    assert asked == []
    assert names_in(root) == []


def test_a_path_is_given_once(root: Path, manager: StrictToolManager) -> None:
    for tool, more in (("read_file", {}), ("write_file", {"content": "x"})):
        result = run(manager, tool, file_path="a", path="b", **more)
        assert (result.kind, result.error) == (
            "invalid",
            "`file_path` and `path` mean the same. Pass only one of them.",
        )
    assert names_in(root) == []


def test_writing_needs_leave(root: Path) -> None:
    manager = StrictToolManager([ReadFile(root), WriteFile(root), ListFiles(root)])
    assert [manager.needs_leave(name) for name in manager.registry.names] == [False, True, False]
    assert run(manager, "write_file", file_path="a", content="a").kind == "denied"
    assert names_in(root) == []


# -- listing -----------------------------------------------------------------------------------------------------------


def test_a_folder_is_listed_in_order(root: Path, manager: StrictToolManager) -> None:
    assert run(manager, "list_files").value == "[The folder is empty.]"
    for name in ("b/inner/deep.py", "b/a.py", "B.txt", ".hidden", "a"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / ".gitignore").write_text("*")
    (root / "link").symlink_to(root / "b")
    assert run(manager, "list_files").value == ".gitignore\n.hidden\nB.txt\na\nb/\nlink@"
    assert run(manager, "list_files", path="b").value == "b/a.py\nb/inner/"
    assert run(manager, "list_files", path=".", recursive=True).value == (
        ".gitignore\n.hidden\nB.txt\na\nb/\nb/a.py\nb/inner/\nb/inner/deep.py\nlink@"
    )
    assert run(manager, "list_files", path="none").error == "`none` does not exist."
    for path in ("a", "link"):
        assert run(manager, "list_files", path=path).error == (
            f"`{path}` is not a folder, or is a link; links are not followed."
        )


def test_a_listing_is_bounded(root: Path, walks: bool) -> None:
    for number in range(30):
        (root / f"{number:02}" / "inner").mkdir(parents=True)
    tool = ListFiles(root, max_entries=3, walks=walks)
    assert tool.execute({}) == "00/\n01/\n02/\n[… only the first 3 entries are listed; list a subfolder]"
    assert tool.execute({"recursive": True}) == (
        "00/\n00/inner/\n01/\n[… only the first 3 entries are listed; list a subfolder]"
    )


def test_a_tree_without_end_is_bounded(root: Path, manager: StrictToolManager) -> None:
    deep = root
    for _ in range(60):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (root / "self").symlink_to(root, target_is_directory=True)
    listed = str(run(manager, "list_files", recursive=True).value).splitlines()
    assert listed[0] == "d/"
    assert listed[-1] == "self@"
    assert len(listed) == 34


@pytest.mark.skipif(os.name == "nt", reason="there are no such names")
def test_names_that_no_path_can_hold_are_left_out(root: Path, manager: StrictToolManager) -> None:
    for name in (b"new\nline", b"colon:", b"back\\slash", b"\xff", b"aux.txt", b"dot."):
        os.close(os.open(os.fsencode(root) + b"/" + name, os.O_CREAT))
    (root / "fine").write_text("")
    assert run(manager, "list_files").value == "fine\n[… 6 with unusable names omitted]"


# -- paths -------------------------------------------------------------------------------------------------------------

HOSTILE = [
    "..", "../outside", "a/../../outside", "a/..", "/etc/passwd", "//server/share", "C:\\Windows", "C:a", "c:/a", "\\a",
    "a\\..\\..\\b", "a:b", "a.txt::$DATA", "nul", "NUL.txt", "a/con", "con.tar.gz", "COM1", "lpt¹", "CONIN$", "aux ",
    "a.", "a ", "a/b./c", "...", "a\0b", "a\nb", "\x7f", "\x9b", "\u2028", "\ud800", "", "   ", "a" * 5000,
    "file:///etc/passwd", "nul .txt",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_paths_are_refused_everywhere(root: Path, manager: StrictToolManager, path: str) -> None:
    with pytest.raises(ToolError):
        parts_of(path)
    for tool, arguments in (
        ("read_file", {"file_path": path}),
        ("read_file", {"path": path}),
        ("write_file", {"file_path": path, "content": SECRET}),
        ("list_files", {"path": path}),
    ):
        result = run(manager, tool, **arguments)
        assert result.kind == "invalid"
        result.text.encode()
        assert not set(result.text) & {"\0", "\n", "\x9b", "\u2028"}
    assert names_in(root) == []
    assert names_in(root.parent) == ["root"]


@pytest.mark.parametrize(
    "path", ["a b", "~", "~/.ssh", "%2e%2e/a", "a..b", "..a", "[id].tsx", "null", "com", "a*?", "é", "日本", "🎉.md"]
)
def test_unusual_paths_are_only_names(root: Path, manager: StrictToolManager, path: str) -> None:
    assert run(manager, "write_file", file_path=path, content="x").ok
    assert run(manager, "read_file", file_path=path).value == "x"
    assert (root / path).read_text() == "x"


OF_VERSION_CONTROL = [
    ".git", ".git/config", ".git/hooks/pre-commit", "a/b/.git/config", "./.git//config", ".GIT/config", ".gIt",
    "git~1/config", "GIT~1", "a/Git~12/x", ".hg/hgrc", "hg~1/hgrc", ".svn/wc.db", ".bzr/bzr.conf",
    ".jj/repo/config.toml",
]  # fmt: skip
#: Windows takes these for `.git` as well; no tool uses such names at all.
LIKE_GIT = [".git.", ".git ", ".git. . ", ".git:x", ".git::$INDEX_ALLOCATION/config", ".git\\config", "git~1.", ".GIT "]


@pytest.mark.parametrize("path", [*OF_VERSION_CONTROL, *LIKE_GIT])
def test_folders_of_version_control_are_not_written(root: Path, path: str) -> None:
    asked: list[Any] = []

    def approve(*call: Any) -> bool:
        asked.append(call)
        return True

    manager = StrictToolManager([WriteFile(root)], approve=approve)
    result = run(manager, "write_file", file_path=path, content="[core]\n\tfsmonitor = evil\n")
    assert result.kind == "invalid"
    assert "cannot be" in result.text
    # It is refused before a person is asked, who might say yes.
    assert (asked, names_in(root)) == ([], [])


@pytest.mark.parametrize(
    "path",
    [
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
        ".github/workflows/ci.yml",
        "git",
        "a/git",
        ".git~",
        "x.git",
        "git~x",
    ],
)
def test_files_about_version_control_are_written_and_shown_by_a_difference(root: Path, path: str) -> None:
    assert run(manager_of(root), "write_file", file_path=path, content="x").ok


def test_what_version_control_keeps_may_be_read(root: Path, manager: StrictToolManager) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert run(manager, "read_file", file_path=".git/HEAD").value == "ref: refs/heads/main\n"
    assert "HEAD" in str(run(manager, "list_files", path=".git").value)


UNSEEN = {
    "an override to the left": "\u202e", "an isolate": "\u2067", "a mark": "\u200f", "of Arabic letters": "\u061c",
    "a zero-width space": "\u200b", "a joiner": "\u200d", "a word joiner": "\u2060", "a byte-order mark": "\ufeff",
    "a soft hyphen": "\u00ad", "a filler": "\u3164", "a blank of Braille": "\u2800", "a selector": "\ufe0f",
    "a tag": "\U000e0041", "a selector of ideographs": "\U000e0100", "a joiner of graphemes": "\u034f",
}  # fmt: skip


@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_with_what_is_not_seen_is_not_written(root: Path, manager: StrictToolManager, name: str) -> None:
    for path in (f"cod{UNSEEN[name]}fdp.exe", f"{UNSEEN[name]}/a", f".gi{UNSEEN[name]}t/config"):
        result = run(manager, "write_file", file_path=path, content="x")
        assert result.kind == "invalid"
        assert f"U+{ord(UNSEEN[name]):04X}, which is invisible" in result.text
        assert UNSEEN[name] not in result.text
    assert names_in(root) == []


# -- confinement -------------------------------------------------------------------------------------------------------


def _snapshot(folder: Path) -> dict[str, Any]:
    """Return everything below a folder, links not followed."""
    found: dict[str, Any] = {}
    for where, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(where, name)
            state = path.lstat()
            link = str(path.readlink()) if path.is_symlink() else None
            data = path.read_bytes() if stat.S_ISREG(state.st_mode) else None
            found[str(path.relative_to(folder))] = (stat.S_IFMT(state.st_mode), link, data)
    return found


NAMES = ["a", "b", "file", "out", "up", "loop", "abs", "dangling", "secret.txt", "inside"]
STEPS = st.sampled_from([*NAMES, "..", ".", "", "root", "outside", "C:", "nul", "a\\b", "\0", "~"])
PATHS = st.one_of(
    st.lists(STEPS, min_size=1, max_size=6).map("/".join),
    st.lists(STEPS, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts)),
    st.text(alphabet="./\\ab~:\0 é", max_size=12),
    st.sampled_from(HOSTILE),
)
TARGETS = st.sampled_from(
    ["..", "../outside", "../outside/secret.txt", "../outside/new.txt", "../../outside", "a", "b", ".", "file", "/",
     "/etc", "OUTSIDE", "OUTSIDE/secret.txt", "OUTSIDE/new.txt", "loop", "a/b", "b/out"],
)  # fmt: skip
#: Folders, files and links of a tree, by their paths; what clashes is skipped.
TREES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join),
        st.one_of(st.just("folder"), st.just("file"), TARGETS.map(lambda target: f"-> {target}")),
    ),
    max_size=10,
)


def _build(top: Path, tree: list[tuple[str, str]]) -> Path:
    root, outside = top / "root", top / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (outside / "hidden-name").mkdir()
    for path, what in tree:
        place = root / path
        parents = [root, *reversed(place.relative_to(root).parents[:-1])]
        # A tree is built inside the root alone: no way to a place leads through a link.
        if any((root / parent).is_symlink() for parent in parents[1:]) or place.is_symlink() or place.exists():
            continue
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            continue
        if what == "folder":
            place.mkdir()
        elif what == "file":
            place.write_text("inside")
        else:
            place.symlink_to(what.removeprefix("-> ").replace("OUTSIDE", str(outside)))
    return root


@settings(max_examples=tries(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=TREES, paths=st.lists(PATHS, min_size=1, max_size=6), walks=st.sampled_from([WALKS, False]))
def test_nothing_outside_the_root_is_ever_read_written_or_listed(
    tmp_path_factory: pytest.TempPathFactory,
    tree: list[tuple[str, str]],
    paths: list[str],
    walks: bool,
) -> None:
    top = tmp_path_factory.mktemp("tree")
    root = _build(top, tree)
    manager = manager_of(root, walks=walks)
    outside = _snapshot(top / "outside")
    beside = names_in(top)
    links = {path: state[1] for path, state in _snapshot(root).items() if state[1] is not None}
    for path in [*paths, *(path for path, _ in tree), *(f"{path}/secret.txt" for path, _ in tree)]:
        for tool, arguments in (
            ("list_files", {"path": path, "recursive": True}),
            ("read_file", {"file_path": path}),
            ("write_file", {"file_path": path, "content": "written"}),
            ("write_file", {"file_path": f"{path}/new.txt", "content": "written"}),
        ):
            result = run(manager, tool, **arguments)
            assert result.kind in ("ok", "error", "invalid")
            assert SECRET not in result.text
            assert "hidden-name" not in result.text
            if tool == "read_file" and result.ok:
                assert result.value in ("inside", "written")
    assert _snapshot(top / "outside") == outside
    assert names_in(top) == beside
    # No link was followed, and none was replaced.
    assert {path: state[1] for path, state in _snapshot(root).items() if state[1] is not None} == links


@pytest.mark.skipif(not WALKS, reason="this system cannot open names relative to a folder")
def test_swapping_a_folder_for_a_link_gains_nothing(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "a").mkdir(parents=True)
    outside.mkdir()
    for folder, text in ((root / "a", "inside"), (outside, SECRET)):
        (folder / "file").write_text(text)
    (root / "link").symlink_to(outside)
    manager = StrictToolManager([ReadFile(root), WriteFile(root, create_parents=False)], approve=lambda *_: True)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "a").rename(root / "kept")
            (root / "link").rename(root / "a")
            (root / "a").rename(root / "link")
            (root / "kept").rename(root / "a")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(150):
            assert SECRET not in run(manager, "read_file", file_path="a/file").text
            run(manager, "write_file", file_path="a/file", content="inside")
            run(manager, "write_file", file_path="a/new", content="inside")
    finally:
        stop.set()
        thread.join()
    assert (outside / "file").read_text() == SECRET
    assert names_in(outside) == ["file"]


def _open_descriptors() -> int:
    listed = Path("/proc/self/fd")
    return len(names_in(listed)) if listed.is_dir() else 0


def test_no_descriptor_is_left_open(root: Path, manager: StrictToolManager) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file").write_text("x")
    (root / "link").symlink_to("a")
    before = _open_descriptors()
    for path in ("a/file", "a/b", "a/file/c", "link/file", "none/a", "a/b/c/d"):
        run(manager, "read_file", file_path=path)
        run(manager, "write_file", file_path=path, content="y")
        run(manager, "list_files", path=path, recursive=True)
    assert _open_descriptors() == before


def test_the_root_may_be_named_by_a_link_and_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("x")
    (tmp_path / "name").symlink_to("real")
    assert ReadFile(tmp_path / "name").execute({"file_path": "a"}) == "x"
    for missing in (tmp_path / "none", tmp_path / "real" / "a"):
        with pytest.raises(ValueError, match="is not a folder"):
            ReadFile(missing)


# -- in the strict systems' own words ----------------------------------------------------------------------------------


def test_the_parameters_are_those_of_the_shipped_set(root: Path) -> None:
    shipped = shipped_registry(["accesslint"])
    for tool in (ReadFile(root), WriteFile(root)):
        (own,) = shipped.get(tool.name)
        assert tool.schema["properties"].keys() == own.input_schema["properties"].keys()
        assert tool.schema["required"] == own.input_schema["required"]


def test_calls_as_models_write_them(root: Path) -> None:
    manager = manager_of(root)
    parser = StrictParser(tools=manager.registry, dialect="xml-json")
    write, read = parser.parse_or_raise(
        '<write_file>\n{\n  "file_path": "index.html",\n  "content": "<!DOCTYPE html>\\n"\n}\n</write_file>\n'
        '<read_file>{"path": "index.html"}</read_file>'
    )
    assert manager.run(write).value == "Wrote 16 bytes to the new file `index.html`."
    assert manager.run(read).value == "<!DOCTYPE html>\n"
