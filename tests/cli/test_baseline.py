"""Known diagnostics, statistics, and what a run that found something ends with."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main
from callwright.cli.support import large, pieces
from cli.test_process import run as run_process

pytestmark = pytest.mark.usefixtures("named_sets")

COMMA = '<debug_launch>{"program": "%s.py",}</debug_launch>\n'
NAME = '<debug_launch>{"progam": "%s.py"}</debug_launch>\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, name: str, *lines: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("".join(lines), encoding="utf-8")


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["check", ".", "--output-format", "concise", *words])
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


KNOWN = ("--baseline", "known.json")


def test_only_new_diagnostics_count_wherever_the_old_ones_move(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "a.prompt", COMMA % "a", "\n", COMMA % "b")
    write(folder, "sub/b.prompt", NAME % "c")
    assert check(capsys, *KNOWN, "--write-baseline") == (0, "Wrote 3 diagnostics to known.json.\n")
    assert check(capsys, *KNOWN) == (0, "Checked 2 of 3 files: no new diagnostics. 3 in the baseline.\n")
    # Lines move, and are indented.
    write(folder, "a.prompt", "New.\n" * 5, COMMA % "b", "\n", "  ", COMMA % "a")
    assert check(capsys, *KNOWN)[0] == 0
    # A third one of the same kind, and the second of two that are quite alike.
    write(folder, "a.prompt", COMMA % "a", COMMA % "b", COMMA % "new", COMMA % "a")
    code, out = check(capsys, *KNOWN)
    assert code == 1
    assert [line.partition(": ")[0] for line in out.splitlines()[:-1]] == ["a.prompt:3:35", "a.prompt:4:33"]
    assert out.endswith("Checked 2 of 3 files: 2 errors. 3 more in the baseline. 2 fixable with `--fix`.\n")


def test_what_was_fixed_is_reported_and_forgotten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "a.prompt", COMMA % "a", COMMA % "b")
    write(folder, "b.prompt", COMMA % "c")
    check(capsys, *KNOWN, "--write-baseline")
    write(folder, "a.prompt", COMMA % "b")
    write(folder, "b.prompt")
    assert check(capsys, *KNOWN)[1] == (
        "Checked 2 of 3 files: no new diagnostics. 1 in the baseline. 2 in the baseline no longer occur; "
        "`--write-baseline` removes them.\n"
    )
    assert check(capsys, *KNOWN, "--write-baseline")[1] == "Wrote 1 diagnostic to known.json.\n"


def test_a_baseline_keeps_what_it_knows_of_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.prompt", "b.prompt", "c.prompt"):
        write(folder, name, COMMA % "a")
    check(capsys, *KNOWN, "--write-baseline")
    (folder / "b.prompt").unlink()
    write(folder, "a.prompt")
    assert main(["check", "a.prompt", *KNOWN, "--write-baseline"]) == 0
    assert list(json.loads((folder / "known.json").read_text(encoding="utf-8"))["files"]) == ["c.prompt"]


def test_a_baseline_holds_from_every_folder_in_every_format(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "sub/a.prompt", COMMA % "a")
    check(capsys, *KNOWN, "--write-baseline")
    monkeypatch.chdir(folder / "sub")
    write(folder, "sub/a.prompt", COMMA % "a", NAME % "b")
    for name in ("json", "sarif", "gitlab", "junit", "text"):
        assert main(["check", str(folder), "--baseline", "../known.json", "--output-format", name]) == 1
        out = capsys.readouterr().out
        assert "TC303" in out
        assert "TC207" not in out
    assert main(["check", ".", "--baseline", "../known.json", "--output-format", "json"]) == 1
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert (summary["errors"], summary["baseline"]) == (1, 1)


def test_pieces_and_processes_know_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.dumps({"messages": [{"role": "assistant", "content": '<debug_launch>{"program": 1,}</debug_launch>'}]})
    write(folder, "a.jsonl", f"{line}\n" * 6)
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(pieces, "PIECE", 300)
    assert main(["check", "a.jsonl", *KNOWN, "--write-baseline"]) == 0
    write(folder, "a.jsonl", f"{line}\n" * 7)
    for jobs in ("1", "2"):
        capsys.readouterr()
        assert main(["check", "a.jsonl", *KNOWN, "--jobs", jobs, "--output-format", "json-lines"]) == 1
        found = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
        assert {one["range"]["start"]["line"] for one in found} == {7}


@pytest.mark.parametrize("more", [(), ("--write-baseline",)])
def test_a_folder_is_no_baseline(more: Sequence[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "known").mkdir()
    assert main(["check", ".", "--baseline", "known", *more]) == 2
    assert capsys.readouterr().err == "callwright: `--baseline known`: this is a folder; name a file in it\n"


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (None, "file not found; `--write-baseline` creates it"),
        ("no JSON", "not a baseline"),
        ("[" * 100_000, "not a baseline"),
        ("[]", "not a baseline"),
        ('{"version": 2, "files": {}}', "written by another version"),
        ('{"version": 1, "files": {"a": {"TC207": {"x": "y"}}}}', "not a baseline"),
    ],
)
def test_what_is_no_baseline_is_refused(
    content: str | None, stated: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "a.prompt", COMMA % "a")
    if content is not None:
        write(folder, "known.json", content)
    assert main(["check", ".", *KNOWN]) == 2
    assert stated in capsys.readouterr().err


def test_writing_a_baseline_needs_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "a.prompt", COMMA % "a")
    assert main(["check", ".", "--write-baseline"]) == 2
    assert main(["check", ".", "--baseline", "", "--write-baseline"]) == 2
    err = capsys.readouterr().err
    assert "as in `--baseline known.json`" in err
    assert "the path is empty" in err


def test_statistics_report_how_often_each_rule_found_something(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "a.prompt", *(COMMA % number for number in range(11)))
    write(folder, "b.prompt", NAME % "a", '<debug_launch>{"zzzzz": "a"}</debug_launch>\n')
    assert main(["check", ".", "--statistics"]) == 1
    assert capsys.readouterr().out == (
        "11  TC207  [*] trailing-comma\n"
        " 2  TC303  [-] unknown-argument\n"
        " 1  TC306  [ ] schema-constraint\n"
        "[*] fixable with `--fix`\n"
        "[-] 1 diagnostic of them fixable with `--fix`\n"
        "Checked 2 files: 14 errors. 12 fixable with `--fix`. 1 more with `--fix --unsafe-fixes`.\n"
    )
    assert main(["check", ".", "--statistics", "--output-format", "json"]) == 1
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert found[1] == {
        "code": "TC303",
        "name": "unknown-argument",
        "count": 2,
        "fixable": False,
        "fixable_count": 1,
    }
    assert main(["check", ".", "--statistics", "--output-format", "sarif"]) == 2
    assert main(["check", "a.prompt", "--statistics", "--fix"]) == 0


def test_what_a_run_ends_with(folder: Path) -> None:
    write(folder, "a.prompt", COMMA % "a")
    assert main(["check", ".", "--exit-zero"]) == 0
    assert main(["check", ".", "--diff"]) == 1
    assert main(["check", ".", "--diff", "--exit-zero"]) == 0
    assert main(["check", ".", "nowhere", "--exit-zero"]) == 2
    assert main(["check", ".", "--fix", "--exit-non-zero-on-fix"]) == 1
    assert main(["check", ".", "--fix", "--exit-non-zero-on-fix"]) == 0


def test_rules_are_selected_beside_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "a.prompt", COMMA % "a", NAME % "b")
    write(folder, "callwright.toml", 'select = ["TC207"]\n')
    assert check(capsys)[1].count("error TC") == 1
    assert check(capsys, "--extend-select", "unknown-argument")[1].count("error TC") == 2
    assert check(capsys, "--select", "TC1", "--extend-select", "TC303")[1].count("error TC") == 1


def test_files_are_shown_and_not_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "b.prompt", COMMA % "a")
    write(folder, "sub/a.prompt", "")
    write(folder, "c.md", "")
    assert main(["check", ".", "--show-files", "--files", "*.md"]) == 0
    assert capsys.readouterr() == (f"b.prompt\nc.md\n{Path('sub', 'a.prompt')}\n", "")
    assert main(["check", "nowhere", "b.prompt", "--show-files"]) == 2
    out, err = capsys.readouterr()
    assert out == "b.prompt\n"
    assert "nowhere: file or folder not found" in err


def test_end_to_end(folder: Path) -> None:
    write(folder, "a.prompt", COMMA % "a")
    write(folder, "callwright.toml", "shipped = true\n")
    assert run_process("check", ".", *KNOWN, "--write-baseline") == (b"Wrote 1 diagnostic to known.json.\n", b"", 0)
    assert run_process("check", ".", *KNOWN, "--quiet") == (b"", b"", 0)


def test_a_path_without_a_command_is_probably_to_be_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "a.prompt", "")
    assert main(["a.prompt"]) == 2
    assert "did you mean `callwright check a.prompt`?" in capsys.readouterr().err
    assert main(["chekc", "a.prompt"]) == 2
    assert 'Did you mean "check"?' in capsys.readouterr().err
    assert main(["check", "a.prompt", "--statistcs"]) == 2
    assert "Did you mean --statistics?" in capsys.readouterr().err
    assert main(["tools", "lokc"]) == 2
    assert "did you mean the command `callwright tools lock`?" in capsys.readouterr().err


def test_the_configuration_names_a_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "callwright.toml", 'baseline = "sub/known.json"\n')
    write(folder, "a.prompt", COMMA % "a")
    assert main(["check", "."]) == 2
    out, err = capsys.readouterr()
    known = Path("sub", "known.json")
    stated = f"callwright: callwright.toml: `baseline`: `{known}`: file not found; `--write-baseline` creates it\n"
    assert (out, err) == ("", stated)
    assert check(capsys, "--write-baseline") == (0, f"Wrote 1 diagnostic to {known}.\n")
    assert check(capsys) == (0, "Checked 1 of 2 files: no new diagnostics. 1 in the baseline.\n")
    # The option takes precedence, and no configuration counts with `--isolated`.
    assert check(capsys, "--baseline", "other.json", "--write-baseline")[1] == "Wrote 1 diagnostic to other.json.\n"
    assert check(capsys, "--isolated")[0] == 1
    # The path is relative to the configuration, wherever the command runs.
    for words in (["check", str(folder / "a.prompt")], ["check", str(folder)], ["check", "../a.prompt"]):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder / "sub")
            assert main([*words, "--output-format", "concise"]) == 0
        assert capsys.readouterr().out.endswith("no new diagnostics. 1 in the baseline.\n")


def test_the_baseline_of_a_configuration_is_one_and_inside(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "one/callwright.toml", 'baseline = "known.json"\n')
    write(folder, "two/callwright.toml", 'baseline = "known.json"\n')
    for name in ("one/a.prompt", "two/a.prompt"):
        write(folder, name, COMMA % "a")
    assert main(["check", "one", "two", "--write-baseline"]) == 2
    assert "name several baselines" in capsys.readouterr().err
    assert main(["check", "one", "two", "--write-baseline", *KNOWN]) == 0
    outside = tmp_path.parent / "known.json"
    write(folder, "callwright.toml", 'baseline = "../known.json"\n')
    assert main(["check", ".", "--write-baseline"]) == 2
    assert "is outside the project; name it with `--baseline`" in capsys.readouterr().err
    assert not outside.exists()
    write(folder, "callwright.toml", "baseline = 3\n")
    assert main(["check", ".", "--write-baseline"]) == 2
    assert "`--write-baseline` needs a file" in capsys.readouterr().err
