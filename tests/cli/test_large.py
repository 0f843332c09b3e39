"""Files that are read line by line: the diagnostics, fixes and outputs are those of files that are held whole."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from callwright.cli.check import CheckOptions
from callwright.cli.main import main
from callwright.cli.support import large, pieces, workers
from callwright.cli.support.checking import CheckPlan, Layout
from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import InputFile
from callwright.cli.support.terminal import Style
from callwright.cli.support.workers import Workers, jobs_of
from callwright.config import default_project
from callwright.document.settings import Settings
from callwright.fastpath.quick import LineCheck, SuspectParts
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic
from fastpath.plain_transcripts import DECLARING, REGISTRY, blocks, chat, dumped, elements, texts
from invariants.corpus import seeded
from support.sampling import sampled, tries

TOOLS = [
    {
        "name": "read_file",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    }
]


def record(*arguments: str, stated: str = "Read it: 😀 é.") -> str:
    messages: list[dict[str, object]] = [{"role": "user", "content": stated}]
    for number, text in enumerate(arguments):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": text}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "Zeile\n" * 3})
    return json.dumps({"messages": [*messages, {"role": "assistant", "content": "Done."}]}, ensure_ascii=False)


def entry(role: str, stated: str) -> str:
    return json.dumps({"role": role, "content": stated}, ensure_ascii=False)


CLEAN = record('{"path": "a"}', '{"path": "b", "limit": 1}')
LINES = [
    CLEAN,
    record('{"path": "a",}', stated="Nothing."),
    record('{"path": "a"}', '{"paht": "ü😀"}'),
    record('{"path": 1, "limit": "x"}', stated="<read_file><path>a</path></read_file>\n<raed_file><path>a</path>"),
    '{"messages": [{"role": "user", "content": "a"},]}',
    '{"messages": [{"role": "user", "content": "a", "content": "b"}]}',
    "",
    "no JSON at all",
    '{"other": [1, 2, {"a": "😀"}]}',
    '{"conversations": [{"from": "gpt", "value": "<tool_call>\\n{\\"name\\": \\"read_file\\", \\"arguments\\": {}}"}]}',
]
#: A fix that helps nothing is taken where another one helps at the same time, in this line or anywhere in the text.
RIDING = (LINES[3], LINES[-1])
LOG = [
    entry("user", "Read it."),
    entry("assistant", "<read_file><path>a</path></read_file>"),
    entry("assistant", "<read_file><paht>a</paht></read_file>"),
    entry("assistant", '{"tool": "read_file", "arguments": {"path": "a",}}'),
    (
        '{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": '
        '{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}}]}'
    ),
    '{"role": "tool", "tool_call_id": "1", "content": "text"}',
    '{"role": "tool", "tool_call_id": "2", "content": "text"}',
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
    return tmp_path


def run(data: bytes, words: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]) -> tuple[object, ...]:
    """Check a file that holds `data`; return the exit code, both outputs, and what is in the file then."""
    path = Path("a.jsonl")
    path.write_bytes(data)
    capfdbinary.readouterr()
    code = main(["check", *words, "a.jsonl"])
    sys.stdout.flush()
    return (code, *capfdbinary.readouterr(), path.read_bytes())


WORDS: list[tuple[str, ...]] = [
    (),
    ("--output-format", "json"),
    ("--diff",),
    ("--diff", "--unsafe-fixes", "--output-format", "json"),
    ("--fix",),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=tries(25), deadline=None)
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=12) | st.lists(st.sampled_from(LINES + LOG), max_size=12),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
    bom=st.booleans(),
    size=st.sampled_from([1, 100, 1_000]),
)
# A row whose fix makes it JSON says nothing else of the other rows.
@example(lines=[LINES[4], "no JSON at all"], newline="\n", last=False, bom=False, size=1)
def test_a_file_in_pieces_is_checked_like_a_whole_one(
    words: tuple[str, ...],
    lines: list[str],
    newline: str,
    last: bool,
    bom: bool,
    size: int,
    folder: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    if "--diff" in words:
        # Where no line ends in LF, the whole file is one line to those who read differences.
        newline = newline.replace("\r", "\r\n").replace("\n\n", "\n")
    if set(words) & {"--fix", "--diff"}:
        # Where a fixed line is what another is already, there are several ways to say what changed.
        lines = [line for line in lines if line not in (*RIDING, LOG[1])]
    is_log = any(line in LOG for line in lines)
    if is_log and set(words) & {"--fix", "--diff"}:
        # Diagnostics about the conversation of a log are not fixed.
        words = (*words, "--ignore", "TC7")
    text = newline.join(lines) + (newline if last else "")
    data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    whole = run(data, words, capfdbinary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LARGE", 0)
        patch.setattr(pieces, "PIECE", size)
        assert run(data, words, capfdbinary) == whole


@pytest.mark.parametrize("words", [("--fix",), ("--diff",)], ids=" ".join)
def test_a_fix_that_lxml_disputes_is_reported_as_of_a_whole_file(
    words: tuple[str, ...], folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    stated = "<read_file><path>a</path><a:b:c>1</a:b:c>"
    data = "".join(
        f"{line}\n" for line in (record('{"path": "a",}'), record("{}", stated=stated), entry("assistant", stated))
    )
    whole = run(data.encode(), words, capfdbinary)
    assert b"is not applied, because with it lxml rejects the XML of `read_file`" in bytes(whole[2])  # type: ignore[call-overload]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LARGE", 0)
        patch.setattr(pieces, "PIECE", 100)
        assert run(data.encode(), words, capfdbinary) == whole


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_one_small_file_is_checked_alike_by_many_processes(
    words: tuple[str, ...], folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = f"{LINES[1]}\n{LINES[2]}\n".encode()
    assert run(data, ("--jobs", "2", *words), capfdbinary) == run(data, words, capfdbinary)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.lists(st.sampled_from([*"ab\n\r", "\r\n", "é", "😀"]), max_size=40).map("".join),
    bom=st.booleans(),
    size=st.sampled_from([1, 2, 3, 7]),
)
def test_pieces_are_whole_lines_and_know_their_offsets(text: str, bom: bool, size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = text.encode()
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", size)
        found = list(pieces.cut(path))
    assert [line for _, part in found for line in part.splitlines(True)] == data.splitlines(True)
    before = b""
    for piece, part in found:
        assert pieces.read_piece(path, piece) == part
        assert (piece.line, piece.offset) == (len(before.splitlines()), len(before.decode()))
        before += part


@pytest.mark.parametrize(("batch", "native"), sampled(product(range(4), (True, False)), by=itemgetter(1)))
def test_a_record_with_one_faulty_call_is_read_in_part_and_reported_like_a_whole_one(batch: int, native: bool) -> None:
    random = seeded(f"doubts{batch}{native}")
    registry = DECLARING if batch == 2 else REGISTRY
    settings = Settings(strict=batch == 3)
    project = replace(default_project(), registry=registry, settings=settings)
    source = InputFile("a.jsonl", Path("a.jsonl"), "")
    outcome = LineCheck(registry, settings)
    uncertainties = 0
    for _ in range(400):
        value = random.choice((chat, blocks) if native else (texts, elements))(random)
        calls = list(_calls_in(value))
        for call in random.sample(calls, min(len(calls), random.choice((0, 1, 1, 2)))):
            (_spoil_text if "value" in call else _spoil)(call, random)
        line = dumped(value, random) + random.choice(("", "\n", "\r\n"))
        data = line.encode()
        uncertainty = outcome.judge(data)
        if isinstance(uncertainty, SuspectParts):
            assert uncertainty.native == native
            uncertainties += 1
        snapshot = open_snapshot(line, path="a.jsonl", registry=registry, settings=settings)
        whole = [reported(each, 100) for each in diagnostics(snapshot)]
        records = large.Records(source, project, snapshot.document.newline)
        found = [
            reported(each, 0) for _, own in records.check(pieces.Piece(0, len(data), 7, 100), data) for each in own
        ]
        assert found == whole, line
    assert uncertainties > (50 if native else 40) // (5 if registry is DECLARING else 1)


def reported(one: Diagnostic, by: int) -> tuple[object, ...]:
    """Return all of a diagnostic, in offsets of a document in which it is further on."""
    return (
        (one.code, one.severity, one.message, one.span.shift(by)),
        [(span.shift(by), text) for span, text in one.related],
        [(fix.title, fix.applicability, [(edit.span.shift(by), edit.text) for edit in fix.edits]) for fix in one.fixes],
    )


def _calls_in(value: Any) -> Iterator[dict[str, Any]]:
    yield from (entry for entry in value.get("conversations", ()) if entry["from"] == "gpt")
    for message in value.get("messages", ()):
        yield from (entry["function"] for entry in message.get("tool_calls", ()))
        if isinstance(message["content"], list):
            yield from (block for block in message["content"] if block["type"] == "tool_use")


def _spoil(call: dict[str, Any], random: Random) -> None:
    """Put a fault into a call, or something odd that is none."""
    if random.random() < 0.3:
        call["name"] = random.choice(("raed_file", "set_unit", "unknown", "plan", "", "tool_name"))
    elif "input" in call:
        call["input"] = random.choice(
            [{"paht": "a"}, {"path": 1}, {}, {"unit": "k", "exact": 1}, {"path": "...", "x": 1}]
        )
    else:
        text = str(call["arguments"])
        odd = [text[:-1], text + "}", text[:-1] + ",}", text.replace('"', "'"), text.upper(), json.dumps(text)]
        call["arguments"] = random.choice((*odd, *_ODD))


def _spoil_text(entry: dict[str, Any], random: Random) -> None:
    """Put a fault into what an assistant says, or something odd that is none."""
    text = str(entry["value"])
    at = random.randrange(len(text) + 1)
    markers = [index for index, marker in enumerate(text) if marker in '{}"<>,:']
    cut = random.choice(markers) if markers else 0
    written = random.choice(('{"name": "raed_file", "arguments": {"path": "a"}}', '{"tool": "plan", "arguments": {}}'))
    entry["value"] = random.choice(
        [
            *(text[:cut] + text[cut + 1 :], text[:cut] + random.choice('{}",<\\n') + text[cut:]),
            *(text[:at], text[at:], text.replace("read_file", "raed_file"), text.replace('"path"', '"paht"')),
            *(
                f"{text}\n<tool_call>\n{written}\n</tool_call>",
                f"{text}\n{written}",
                f"{text}\n```json\n{written}\n```",
            ),
            *(f"{text}\n<read_file><paht>a</paht></read_file>", f"`<tool_call>` {text}", f"{text}\n</tool_call>"),
            f'<tool_response>{{"name": "plan", "content": "x"}}</tool_response>{text}',
        ]
    )


_ODD = [
    "", " ", "null", "[]", "{}", '{"path": "a", "path": "b"}', '{"path": NaN}', '{"path": "\\u0022"}', "{...}",
    '{"limit": 1e400}', "\ufdd0", '{"path": "a", "limit": {{n}}}', '{"unit": "K"}', "{'unit': 'c'}",
]  # fmt: skip


def test_the_conversation_of_a_log_is_seen_across_windows(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []
    for number in range(60):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
        lines.append(entry("user", f"Read {number}."))
        lines.append(json.dumps({"role": "assistant", "content": None, "tool_calls": [call]}))
        if number % 7:
            lines.append(json.dumps({"role": "tool", "tool_call_id": f"c{number}", "content": "text"}))
    data = ("\n".join(lines) + "\n").encode()
    whole = run(data, (), capfdbinary)
    for name, size in (("LARGE", 0), ("DUE", 1_500), ("AFTER", 600), ("AHEAD", 600)):
        monkeypatch.setattr(large, name, size)
    monkeypatch.setattr(pieces, "PIECE", 700)
    assert run(data, (), capfdbinary) == whole


@pytest.mark.parametrize("words", sampled([(), ("--output-format", "json"), ("--diff",), ("--fix",)]), ids=" ".join)
def test_workers_report_what_one_process_states(
    words: tuple[str, ...], folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [line for line in LINES if line not in RIDING] if set(words) & {"--fix", "--diff"} else LINES

    def write() -> None:
        for name, lines in (("a.jsonl", known * 5), ("b.jsonl", known[:3] + LOG), ("d.jsonl", known)):
            Path(name).write_text("\n".join(lines), encoding="utf-8")
        Path("c.jsonl").write_bytes(b'{"messages": []}\n' * 90 + b"\xff")
        Path("e.prompt").write_text("<raed_file><path>a</path></raed_file>", encoding="utf-8")

    def outcome(*more: str) -> tuple[object, ...]:
        write()
        capfdbinary.readouterr()
        code = main(["check", *words, *more, "a.jsonl", "b.jsonl", "c.jsonl", "missing.jsonl", "."])
        sys.stdout.flush()
        return (code, *capfdbinary.readouterr(), [path.read_bytes() for path in sorted(Path().glob("?.*"))])

    words = (*words, "--ignore", "TC7")
    one = outcome()
    assert outcome("--jobs", "2") == one
    # The file that is not UTF-8 is reported where the reading reaches the fault.
    monkeypatch.setattr(large, "LARGE", 400)
    monkeypatch.setattr(pieces, "PIECE", 1_000)
    assert outcome("--jobs", "2") == outcome() == one


def test_workers_that_are_copies_report_what_one_process_states(folder: Path) -> None:
    Path("a.jsonl").write_text("\n".join(LINES * 9), encoding="utf-8")
    Path("b.jsonl").write_text("\n".join(LINES[:3] + LOG), encoding="utf-8")
    program = (
        "import sys; from callwright.cli.support import large, pieces; large.LARGE, pieces.PIECE = 400, 1_000; "
        "from callwright.cli.support import workers; made = []; begin = workers.get_context; "
        "workers.get_context = lambda method: made.append(method) or begin(method); "
        "from callwright.cli.main import main; code = main(sys.argv[1:]); "
        "print(*made, file=sys.stderr); sys.exit(code)"
    )

    def outcome(*words: str) -> tuple[int, bytes, bytes]:
        command = [sys.executable, "-c", program, "check", *words, "a.jsonl", "b.jsonl"]
        done = subprocess.run(command, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    code, output, errors = outcome()
    method = b"fork\n" if sys.platform == "linux" else b"spawn\n"
    assert code == 1
    assert outcome("--jobs", "2") == (code, output, errors.removesuffix(b"\n") + method)


def test_a_process_in_which_threads_run_is_not_copied() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert workers.start_method() == "spawn"
    finally:
        done.set()
        thread.join()


def test_a_worker_that_dies_is_reported(folder: Path) -> None:
    layout = Layout("text", Style(on=False))
    with Workers(2, CheckOptions(), CheckPlan(fix=False, diff=False, unsafe=False), layout) as workers:
        tasks = iter([(os._exit, (3,))])
        with pytest.raises(CommandError, match="a worker process died"):
            list(workers.ordered(tasks))


def test_jobs_is_a_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert jobs_of("3") == 3
    assert jobs_of("auto") == jobs_of("0") >= 1
    assert main(["check", "--jobs", "many", "."]) == 2
    assert "`--jobs many`: expected a number of processes" in capsys.readouterr().err


def test_a_large_file_that_changes_while_it_is_fixed_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "LARGE", 0)
    path = Path("a.jsonl")
    path.write_text(LINES[1] + "\n", encoding="utf-8")
    fix = large.fix_piece

    def interfere(*words: object, **named: object) -> object:
        path.write_text(CLEAN, encoding="utf-8")
        return fix(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("callwright.cli.support.streamed.fix_piece", interfere)
    assert main(["check", "--fix", "a.jsonl"]) == 2
    assert "the file changed during the check" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == CLEAN
    assert sorted(each.name for each in folder.iterdir() if "a.jsonl" in each.name) == ["a.jsonl"]


@pytest.mark.whole(reason="checks files of many megabytes")
def test_memory_does_not_grow_with_the_file(folder: Path) -> None:
    program = (
        "import resource, sys; from callwright.cli.main import main; code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
    )

    def peak(megabytes: int) -> int:
        line = (CLEAN + "\n").encode()
        faulty = (LINES[1] + "\n").encode()
        with Path("a.jsonl").open("wb") as file:
            file.writelines(
                faulty if number % 1_000 == 0 else line for number in range(megabytes * 1_000_000 // len(line))
            )
        words = [sys.executable, "-c", program, "check", "--output-format", "json", "a.jsonl"]
        done = subprocess.run(words, capture_output=True, check=False)
        assert done.returncode == 1, done.stderr
        return int(done.stderr.split()[-1]) * (1 if sys.platform != "darwin" else 1024) // 1024

    assert peak(40) < peak(10) + 15
