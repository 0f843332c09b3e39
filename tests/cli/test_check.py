"""`check` on real files: what `--fix` writes, and what it leaves alone. Plain outputs are in `sessions.md`."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from support.sampling import tries

pytestmark = pytest.mark.usefixtures("named_sets")

FAULTY = b'<debug_launch>{"program": "a.py",}</debug_launch>'
FIXED = b'<debug_launch>{"program": "a.py"}</debug_launch>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbf", b""),
        (b"a\r\nb\rc\n\xe2\x80\xa8", b"\r\n\r\n  \t"),
        ("é😀\x00\x1b".encode(), b"\xef\xbb\xbf"),
    ],
)
def test_fix_keeps_every_other_byte_and_the_mode(before: bytes, after: bytes, folder: Path) -> None:
    path = folder / "a.prompt"
    path.write_bytes(before + FAULTY + after)
    path.chmod(0o604)
    assert main(["check", "--fix", "a.prompt"]) == 0
    assert files_in(folder) == {"a.prompt": before + FIXED + after}
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_file_without_diagnostics_is_not_written(folder: Path) -> None:
    path = folder / "a.prompt"
    path.write_bytes(FIXED)
    os.utime(path, ns=(1, 1))
    assert main(["check", "--fix", "."]) == 0
    assert path.stat().st_mtime_ns == 1


def test_a_diff_changes_nothing_and_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.prompt").write_bytes(FAULTY)
    assert main(["check", "--diff", "--fix", "."]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("--- a/a.prompt\n+++ b/a.prompt\n@@ -1,1 +1,1 @@\n")
    assert err == "Checked 1 file: 1 error. Would fix 1.\n"
    assert files_in(folder) == {"a.prompt": FAULTY}


def test_one_refused_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.prompt", "b.prompt", "d.prompt"):
        (folder / name).write_bytes(FAULTY)
    (folder / "c.prompt").write_bytes(b"\xff")
    (folder / "a.txt").hardlink_to(folder / "a.prompt")
    (folder / "d.prompt").chmod(0o444)
    assert main(["check", "--fix", "."]) == 2
    out, err = capsys.readouterr()
    assert files_in(folder) == {
        "a.prompt": FAULTY, "a.txt": FAULTY, "b.prompt": FIXED, "c.prompt": b"\xff", "d.prompt": FAULTY,
    }  # fmt: skip
    assert [line.partition(": ")[2].split(":")[0] for line in err.splitlines()] == ["a.prompt", "c.prompt", "d.prompt"]
    assert out.endswith("Checked 3 of 5 files: 2 errors. Fixed 1. 2 fixable with `--fix`.\n")


def test_a_file_is_checked_once_however_often_it_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.prompt").write_bytes(FIXED)
    (folder / "b.prompt").symlink_to("a.prompt")
    assert main(["check", "a.prompt", ".", "./a.prompt", str(folder), "b.prompt"]) == 0
    assert capsys.readouterr().out == "Checked 1 file: no diagnostics.\n"


def test_a_file_after_a_link_out_of_the_folder_is_read_but_not_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "there").mkdir()
    (folder.parent / "there" / "a.prompt").write_bytes(FAULTY)
    (folder / "linked").symlink_to("../there")
    assert main(["check", "linked/a.prompt"]) == 1
    assert main(["check", "--fix", "linked/a.prompt"]) == 2
    assert "a link leads out of the folder" in capsys.readouterr().err
    assert files_in(folder.parent / "there") == {"a.prompt": FAULTY}
    assert main(["check", "--fix", "../there/a.prompt"]) == 0
    assert files_in(folder.parent / "there") == {"a.prompt": FIXED}


def test_a_hostile_name_commands_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"a\x1b[2J\xff.prompt")
    (folder / name).write_bytes(FAULTY)
    assert main(["check", ".", "--diff"]) == 1
    assert main(["check", "."]) == 1
    assert capsys.readouterr().out.splitlines()[-7].startswith("a␛[2J�.prompt:1:33: error TC207 ")
    (folder / name).chmod(0o444)
    assert main(["check", ".", "--fix"]) == 2
    assert (
        capsys.readouterr().err == "callwright: a␛[2J�.prompt: not written: it is read-only; make it writable first\n"
    )


def test_a_guess_is_applied_only_where_it_is_asked_for(folder: Path) -> None:
    tools = [{"name": "copy", "input_schema": {"type": "object", "properties": {"to": {}}, "required": ["to"]}}]
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "a.prompt").write_bytes(b"<copy>{}</copy>")
    assert main(["check", "--tools", "tools.json", "--fix", "a.prompt"]) == 1
    assert (folder / "a.prompt").read_bytes() == b"<copy>{}</copy>"
    assert main(["check", "--tools", "tools.json", "--fix", "--unsafe-fixes", "a.prompt"]) == 0
    assert b'"to"' in (folder / "a.prompt").read_bytes()


def test_the_nearest_configuration_wins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text('dialect = "xml-json"', encoding="utf-8")
    for name in ("a/b", "c"):
        (folder / name).mkdir(parents=True)
        (folder / name / "x.prompt").write_bytes(b"<read_file><path>a</path></read_file>")
    (folder / "a" / "callwright.toml").write_text("", encoding="utf-8")
    assert main(["check", ".", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith(f"c{os.sep}x.prompt:1:2: error TC401 ")
    assert main(["check", ".", "--quiet", "--isolated"]) == 0
    assert main(["check", ".", "--quiet", "--config", "a/callwright.toml"]) == 0
    assert main(["check", "a", "--quiet", "--config", "callwright.toml"]) == 1


@settings(deadline=None, max_examples=tries(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(
        st.sampled_from([
            "<debug_launch>", "</debug_launch>", '{"program": ', '"a', '"', "}", "<![CDATA[", "]]>", "<read_file>",
            "<path>", "</path>", "</read_file>", "```json\n", "\r", "\n", "\u2028", "\x00", "😀", "\ufdd0", "&amp;",
        ]),
        max_size=25,
    ).map("".join)
)  # fmt: skip
def test_any_text_is_checked_fixed_parsed_and_converted_without_a_fault_of_ours(
    text: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.prompt").write_bytes(text.encode())
    for words in (
        ["check", "a.prompt"],
        ["check", "a.prompt", "--output-format", "json"],
        ["parse", "a.prompt", "--json"],
        ["convert", "a.prompt", "--to", "fenced-json"],
        ["check", "a.prompt", "--fix", "--unsafe-fixes"],
    ):
        assert main(words) in (0, 1)
        out, err = capsys.readouterr()
        assert "internal error" not in err
        if "json" in words:
            assert {"diagnostics"} <= set(json.loads(out))


@pytest.mark.parametrize(
    ("text", "severity", "code"),
    [
        ('<tool_call>{"name": "read_file", "arguments": {"path": "a",}}</tool_call>\n', "error", 1),
        ("Nothing.\n", "hint", 0),
    ],
)
def test_the_exit_code_counts_diagnostics_of_a_severity_or_a_higher_one(
    tmp_path: Path, text: str, severity: str, code: int
) -> None:
    (tmp_path / "a.prompt").write_text(text, encoding="utf-8")
    assert main(["check", str(tmp_path / "a.prompt"), "--isolated", "--exit-severity", severity]) == code


@pytest.mark.parametrize(("severity", "code"), [("error", 0), ("warning", 0), ("info", 1), ("hint", 1)])
def test_an_info_fails_where_the_exit_severity_asks_for_it(tmp_path: Path, severity: str, code: int) -> None:
    (tmp_path / "a.prompt").write_text(
        '<tool_call>{"name": "read_file", "arguments": {"path": "a",}}</tool_call>\n', encoding="utf-8"
    )
    words = ["--isolated", "--select", "TC2", "--severity", "TC2=info", "--exit-severity", severity]
    assert main(["check", str(tmp_path / "a.prompt"), *words]) == code
    assert main(["check", str(tmp_path / "a.prompt"), *words, "--exit-zero"]) == 0
