"""Discovery: how often files are read, how much of them, and what is not text. What is found: `discovery.md`."""

import json
from collections import Counter
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.cli.support import discovery
from callwright.cli.support.discovery import HEAD, Ground, ground_of, text_of

CALL = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
DOCUMENTED = "## look_up\n\nLooks a word up.\n\nParameters:\n- word: (required) The word.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["check", *(words or (".",)), "--show-files"]) == 0
    return capsys.readouterr().out.splitlines()


def test_each_file_is_read_twice_at_most_however_many_there_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads: Counter[Path] = Counter()

    def counted(file: Path, **options: bool) -> str | None:
        reads[file] += 1
        return text_of(file, **options)

    monkeypatch.setattr(discovery, "text_of", counted)
    numbers = []
    for size in (20, 40):
        for number in range(size):
            (folder / f"{number}.md").write_text(DOCUMENTED.replace("look_up", f"look_{number}"))
            (folder / f"{number}.txt").write_text(f"<look_{number}><word>a</word></look_{number}>\n" * 5)
            (folder / f"{number}.rst").write_text(CALL)
            (folder / f"{number}.py").write_text("def f(parameters): ...\n")
        reads.clear()
        assert len(listed(capsys)) == 2 * size
        assert max(reads.values()) == 2
        assert not any(file.suffix == ".rst" for file in reads)
        numbers.append(reads.total())
    assert numbers[1] == 2 * numbers[0]


def test_of_a_long_file_the_beginning_alone_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = json.dumps({"text": "é" * 100}, ensure_ascii=False) + "\n"
    early, late = folder / "early.txt", folder / "late.txt"
    early.write_text(CALL + line * (HEAD // 100))
    late.write_text(line * (HEAD // 100) + CALL)
    text = text_of(late)
    assert text is not None
    assert HEAD - 4 <= len(text.encode()) <= HEAD
    assert listed(capsys) == ["early.txt"]


def test_a_long_document_is_not_read_unasked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text("max_characters = 100\n")
    (folder / "a.md").write_text(CALL * 9)
    (folder / "b.md").write_text(CALL)
    assert main(["check", ".", "--show-files"]) == 0
    out, err = capsys.readouterr()
    assert out == "b.md\n"
    assert err == "callwright: a.md: skipped because it is large; name it to check it\n"


@pytest.mark.parametrize("data", [b"\x89PNG\0", b"\xff\xfe", b"<tool_call>\0", b"\xc3("])
@pytest.mark.parametrize("name", ["prompts/a.png", "LICENSE", "a.md"])
def test_what_is_no_text_is_passed_over(
    name: str, data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    (folder / "b.md").write_text(CALL)
    assert listed(capsys) == ["b.md"]


@pytest.mark.parametrize(("encoding", "first"), [("latin-1", "invalid byte 0xe9"), ("utf-16", "looks like UTF-16")])
def test_a_call_in_another_encoding_is_not_passed_over(
    encoding: str, first: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "notes.md").write_text(f"Café\n{CALL}", encoding=encoding)
    (folder / "prose.md").write_text("Café", encoding=encoding)
    (folder / "b.md").write_text(CALL)
    assert main(["check", "."]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert errors[0].startswith("callwright: notes.md: not UTF-8")
    assert first in errors[0]


@pytest.mark.parametrize(
    ("path", "ground"),
    [
        ("a.prompt", Ground.NAME),
        ("SKILL.md", Ground.NAME),
        ("prompts/a.md.j2", Ground.NAME),
        ("prompts/a", Ground.NAME),
        ("prompts/a.py", Ground.CONTENT),
        ("prompts/a.json", Ground.CONTENT),
        ("prompts/a.toml", Ground.CONTENT),
        ("README.md", Ground.CONTENT),
        ("Modelfile", Ground.CONTENT),
        (".env", Ground.CONTENT),
        ("a.j2", Ground.CONTENT),
        ("a.go", None),
        ("a.png", None),
    ],
)
def test_what_a_name_states(path: str, ground: Ground | None) -> None:
    assert ground_of(path) is ground


def test_several_processes_find_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        (folder / f"{number}.md").write_text(CALL.replace("{}", "{,}"))
        (folder / f"{number}.txt").write_text("Nothing.\n")
    stated = []
    for jobs in ("1", "2"):
        assert main(["check", ".", "--no-cache", "--jobs", jobs]) == 1
        stated.append(capsys.readouterr().out)
    assert stated[0] == stated[1]
    assert "Checked 4 of 8 files: 4 errors." in stated[0]


def test_programs_are_reported_how_many_files_were_scanned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.md").write_text(CALL)
    (folder / "b.md").write_text("Nothing.\n")
    assert main(["check", ".", "--output-format", "json"]) == 0
    stated = json.loads(capsys.readouterr().out)
    assert (stated["files"], stated["summary"]["scanned"]) == (1, 2)


def test_other_commands_find_the_same_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.md").write_text(CALL)
    (folder / "b.md").write_text("Nothing.\n")
    assert main(["convert", ".", "--to", "xml-json", "--check"]) == 1
    assert "a.md:1:" in capsys.readouterr().out
