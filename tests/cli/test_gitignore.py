"""What git ignores, held against git itself."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.cli.support.gitignore import Ignored, _Rule
from support.sampling import tries

TEXT = b"<read_file><path>a</path></read_file>\n"


def git(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    result = subprocess.run(
        ["git", *words], cwd=folder, env=environment, input=stdin, capture_output=True, check=False, timeout=60
    )
    assert result.returncode in (0, 1), result.stderr
    return result.stdout


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def left(folder: Path) -> set[str]:
    """The files that are not ignored, found by walking from the top."""
    ignored = Ignored(folder)
    found = set()
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if name != ".git" and not ignored.ignores(here / name, folder=True)]
        found |= {
            (here / name).relative_to(folder).as_posix()
            for name in files
            if not ignored.ignores(here / name, folder=False)
        }
    return found


def left_by_git(folder: Path) -> set[str]:
    listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z", ".")
    return {name.decode() for name in listed.split(b"\0") if name}


FILES = (
    "a.log", "b.txt", "!x", "#c", "sp ", "a b", "build/o.txt", "build/sub/a.log", "sub/build/x", "sub/a.log",
    "sub/deep/er/b.txt", "foo/bar", "foo/x/bar", "x/foo/bar", "ab", "abc", "a-c", "a]c", "a\\c", "[a]", "é.txt", "*",
)  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return folder


LINES = st.one_of(
    st.sampled_from([
        "*.log", "build/", "/build", "!a.log", "foo/**", "**/bar", "foo/**/bar", "**", "*", "/*", "!/sub", "!sub/",
        "sub/*", "a?c", "a[b-]c", "[!a]b", "a[]-]c", "[[:alpha:]]b", "a\\\\c", "\\#c", "\\!x", "sp\\ ", "sp ", "#c",
        "!", "/", "", "a[", "a\\", "*.txt  ", "[[]a]", "a[z-a]c", "deep/er", "deep/", "**/deep/**", "x/**/",
        "b.txt\r", "?????", "[é]*", "[/*]", "foo\\/bar", "sub[/]a.log", "[/a]b",
        "[a-\\]]b", "é*", "***", "foo/*", "*/bar", "**foo/bar", "foo**", "/**/x", "\\*", "[^a]b", "*b*",
        "a*c*", "//", "foo//bar", "/ab/",
    ]),
    st.text(st.sampled_from("ab*/?![]\\-#. c^"), max_size=7),
)  # fmt: skip


@needs_git
@settings(deadline=None, max_examples=tries(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=st.lists(LINES, max_size=5), sub=st.lists(LINES, max_size=3), own=st.lists(LINES, max_size=2))
def test_what_is_left_is_what_git_leaves(top: list[str], sub: list[str], own: list[str], repository: Path) -> None:
    for place, lines in ((".gitignore", top), ("sub/.gitignore", sub), (".git/info/exclude", own)):
        (repository / place).parent.mkdir(exist_ok=True)
        (repository / place).write_bytes("\n".join(lines).encode())
    assert left(repository) == left_by_git(repository)


#: Names that patterns distinguish: by case, by escapes, by spaces at their ends, by what a star or a set takes.
NAMES = ("a", "A", "b", "ab", "a.b", ".a", "a ", " a", "#a", "!a", "a*", "a?", "[a]", "a\\b", "a-b", "^", "é", "ä")

SPECIAL = st.sampled_from([
    "*", "*", "**", "?", "??", "*b", "a*", "*.*", "[ab]", "[!a]", "[^a]", "[A-Z]",
    "[[:upper:]]", "[a-]", "[\\]a]", "[b", "a\\",
])  # fmt: skip


@st.composite
def patterns(draw: st.DrawFn, names: list[str]) -> str:
    """A line of an ignore file: perhaps negated, anchored, for folders only, with spaces after it."""
    lead = draw(st.sampled_from(["", "", "", "", "/", "**/", "!", "!/"]))
    end = draw(st.sampled_from(["", "", "", "/", "/", "/**", "/*", "  ", "\\ ", "\t", "\r"]))
    name = st.sampled_from(names)
    part = st.one_of(name.map(lambda one: re.sub(r"([*?\[\]\\#! ])", r"\\\1", one)), name, SPECIAL)
    return lead + "/".join(draw(st.one_of(st.tuples(part), st.lists(part, min_size=2, max_size=3)))) + end


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, bytes], frozenset[str]]:
    """The files of a folder with their contents, ignore files in any folder among them, and all its folders."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    paths = draw(st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=4), min_size=3, max_size=12))
    folders = {"/".join(path[:length]) for path in paths for length in range(1, len(path))}
    files = {"/".join(path): b"" for path in paths if "/".join(path) not in folders}
    for place in ["", *draw(st.lists(st.sampled_from(["", *sorted(folders)]), max_size=3))]:
        lines = draw(st.lists(patterns(names), min_size=1, max_size=4))
        files[f"{place}/.gitignore".lstrip("/")] = "\n".join([*lines, ""]).encode()
    return files, frozenset(folders)


@needs_git
@settings(deadline=None, max_examples=tries(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=trees())
def test_every_file_and_folder_of_a_tree_is_ignored_where_git_ignores_it(
    tree: tuple[dict[str, bytes], frozenset[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files, folders = tree
    folder = tmp_path_factory.mktemp("tree")
    git(folder, "init", "-q")
    for place in folders:
        (folder / place).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    assert left(folder) == left_by_git(folder)
    every = sorted([*files, *folders])
    stated = git(folder, "check-ignore", "--no-index", "-z", "--stdin", stdin="\0".join(every).encode())
    assert ignored_below(folder, every) == {name.decode() for name in stated.split(b"\0") if name}


def ignored_below(folder: Path, names: list[str]) -> set[str]:
    """Those names of files and folders that are ignored, or lie in a folder that is."""
    ignored = Ignored(folder)
    found: set[str] = set()
    for name in names:
        path = folder / name
        if name.rpartition("/")[0] in found or ignored.ignores(path, folder=path.is_dir()):
            found.add(name)
    return found


def test_a_pattern_takes_linear_time() -> None:
    rule = _Rule.of("*a" * 2_000 + "b")
    assert rule is not None
    assert not rule.fits(("a" * 20_000,), folder=False)
    deep = _Rule.of("**/a/" * 200 + "b")
    assert deep is not None
    assert not deep.fits(("a",) * 2_000, folder=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    (here / ".git").mkdir(parents=True)
    monkeypatch.chdir(here)
    for name in ("a.prompt", "build/b.prompt", "sub/c.prompt", "sub/d.prompt"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(TEXT)
    (here / ".gitignore").write_bytes(b"build/\nd.*\n")
    return here


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["check", "--show-files", *words]) == 0
    return [line.replace(os.sep, "/") for line in capsys.readouterr().out.splitlines()]


def test_ignored_files_are_not_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, ".") == ["a.prompt", "sub/c.prompt"]
    assert shown(capsys, "sub") == ["sub/c.prompt"]
    (folder / "sub" / ".gitignore").write_bytes(b"!d.prompt\nc.*\n")
    assert shown(capsys, ".") == ["a.prompt", "sub/d.prompt"]


def test_what_is_named_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "build/b.prompt", "sub/d.prompt") == ["build/b.prompt", "sub/d.prompt"]
    assert shown(capsys, "build") == ["build/b.prompt"]


def test_nothing_above_the_repository_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / ".gitignore").write_bytes(b"*\n")
    assert shown(capsys, ".") == ["a.prompt", "sub/c.prompt"]


def test_the_setting_and_the_option_turn_it_off(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    every = ["a.prompt", "build/b.prompt", "sub/c.prompt", "sub/d.prompt"]
    assert shown(capsys, ".", "--no-respect-gitignore") == every
    (folder / "callwright.toml").write_text("respect_gitignore = false\n", encoding="utf-8")
    assert shown(capsys, ".") == every
