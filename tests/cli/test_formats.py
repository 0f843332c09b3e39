"""Output formats: reports that their readers take, whatever is found; and the file that they go to."""

import json
import os
import re
import stat
from collections.abc import Callable, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator  # type: ignore[import-untyped] # it has no types
from lxml import etree  # type: ignore[import-untyped] # it has no types

import callwright.cli.formats as room
from callwright.cli.formats.base import Spool
from callwright.cli.main import main
from callwright.cli.support import large, pieces
from callwright.cli.support.checking import Layout
from callwright.cli.support.formats import find_format, format_names
from callwright.cli.support.report import Tally, key_of
from callwright.cli.support.terminal import Style
from callwright.rules.base import SETTLED, Applicability, Diagnostic, Fix, Severity
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from cli.test_process import run as run_process
from support.sampling import tries

pytestmark = pytest.mark.usefixtures("named_sets")

SCHEMAS = Path(__file__).with_name("schemas")
PLAIN = Style(on=False)
FAULTY = (
    b'<debug_launch>{"program": "a\x1b<&>.py",}</debug_launch>\n<debug_launch>{"progam": "\\ud800"}</debug_launch>\n'
)
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=30)


@cache
def sarif_validator() -> Draft4Validator:
    return Draft4Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")))


@cache
def junit_schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd"))


def printed(name: str, diagnostics: list[tuple[str, TextDocument, list[Diagnostic]]]) -> str:
    """What a format makes of diagnostics."""
    out = StringIO()
    writer = find_format(name).writer(out)
    layout = Layout(name, PLAIN)
    tally = Tally()
    tally.files = len(diagnostics)
    for path, document, found in diagnostics:
        for reported in layout.of(path, document, found):
            tally.count_one(reported.severity, reported.fixable)
            writer.put(reported)
    writer.close(tally, quiet=False)
    return out.getvalue()


def check_sarif(text: str) -> list[dict[str, Any]]:
    log = json.loads(text)
    assert [error.message for error in sarif_validator().iter_errors(log)] == []
    found: list[dict[str, Any]] = log["runs"][0]["results"]
    named = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert len(named) == len(set(named))
    return found


def check_junit(text: str) -> list[Any]:
    root = etree.fromstring(text.encode("utf-8"))
    junit_schema().assertValid(root)
    for suite in root:
        assert int(suite.get("tests")) == len(suite)
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert int(root.get("tests")) == len(root.findall("testsuite/testcase"))
    assert int(root.get("failures")) == len(root.findall("testsuite/testcase/failure"))
    return list(root.iter("testcase"))


def check_gitlab(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)
    for one in found:
        assert set(one) == {"fingerprint", "check_name", "description", "severity", "location"}
        assert one["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert one["location"]["positions"]["begin"]["line"] >= 1
    assert len({one["fingerprint"] for one in found}) == len(found)
    return found


#: How a workflow command looks: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:\r\n]*,?)+)::([^\r\n]*)")


def check_github(text: str) -> list[dict[str, str]]:
    found = []
    for line in text.splitlines():
        parts = COMMAND.fullmatch(line)
        assert parts is not None, line
        properties = dict(part.split("=", 1) for part in parts[2].split(","))
        found.append({name: unquote(value) for name, value in properties.items()} | {"said": unquote(parts[3])})
    return found


def check_json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def check_json(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["diagnostics"]
    return found


def check_concise(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("Checked ")]


def check_text(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if part and not part.startswith("Checked ")]


CHECKS: dict[str, Callable[[str], Sequence[object]]] = {
    "text": check_text,
    "concise": check_concise,
    "json": check_json,
    "json-lines": check_json_lines,
    "sarif": check_sarif,
    "github": check_github,
    "gitlab": check_gitlab,
    "junit": check_junit,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.prompt").write_bytes(FAULTY)
    return tmp_path


def test_the_formats_are_what_their_folder_holds() -> None:
    assert set(format_names()) == set(CHECKS)
    assert format_names()[0] == "text"
    for name in format_names():
        assert find_format(name).name == name
        assert find_format(name).summary


def test_a_new_file_is_a_new_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "terse.py").write_text(
        "from callwright.cli.formats.base import Lines, OutputFormat\n"
        "def laid_out(finding, style): return finding.diagnostic.code\n"
        "FORMAT = OutputFormat(name='terse', summary='codes', lay_out=laid_out, writer=Lines)\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(room, "__path__", [str(tmp_path)])
    format_names.cache_clear()
    try:
        assert format_names() == ("terse",)
        assert printed("terse", [("a", TextDocument.from_text("x"), [diagnostic(Span(0, 1))])]) == "TC301\n"
    finally:
        format_names.cache_clear()
        find_format.cache_clear()


def diagnostic(
    span: Span, message: str = "it is wrong", *fixes: Fix, severity: Severity = Severity.ERROR
) -> Diagnostic:
    return Diagnostic("TC301", "unknown-tool", severity, message, span, _fixes=fixes, source=SETTLED)


@st.composite
def diagnostics(draw: st.DrawFn) -> list[tuple[str, TextDocument, list[Diagnostic]]]:
    files = []
    for path in draw(st.lists(ANYTHING.filter(bool).map(lambda name: name.replace("\0", "")), max_size=3, unique=True)):
        text = draw(ANYTHING)
        spans = [
            Span(*sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))) for _ in range(draw(st.integers(0, 3)))
        ]
        found = []
        for span in spans:
            fix = Fix(draw(ANYTHING), (Edit(span, draw(ANYTHING)),), draw(st.sampled_from(Applicability)))
            one = diagnostic(span, draw(ANYTHING), fix, severity=draw(st.sampled_from(Severity)))
            one.related = ((span, draw(ANYTHING)),) if draw(st.booleans()) else ()
            found.append(one)
        files.append((path or "-", TextDocument.from_text(text), found))
    return files


@pytest.mark.parametrize("name", [name for name in format_names() if name != "text"])
@settings(deadline=None, max_examples=tries(40))
@given(diagnostics())
def test_whatever_is_found_the_report_is_sound(
    name: str, found: list[tuple[str, TextDocument, list[Diagnostic]]]
) -> None:
    report = printed(name, found)
    report.encode("utf-8")  # nothing in it that no file could hold
    total = sum(len(each) for _, _, each in found)
    assert len(CHECKS[name](report)) == (total or (name == "junit"))


@pytest.mark.parametrize("name", format_names())
def test_real_diagnostics_in_every_format(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.prompt", "--output-format", name]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert len(CHECKS[name](out)) == 4


@pytest.mark.parametrize("name", format_names())
def test_nothing_found_is_a_report_too(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.prompt").write_bytes(b"Nothing.")
    assert main(["check", "a.prompt", "--output-format", name]) == 0
    assert len(CHECKS[name](capsys.readouterr().out)) == (name == "junit")


def test_a_sarif_result_states_where_and_how_it_is_fixed() -> None:
    document = TextDocument.from_text("a\r\n😀 é<b>\n")
    fix = Fix("drop it", (Edit(Span(6, 9), "<c>"),))
    one = diagnostic(Span(6, 9), "wrong", fix)
    one.related = ((Span(0, 1), "because of this"),)
    [result] = check_sarif(printed("sarif", [("sub dir/ü.prompt", document, [one])]))
    file = {"uri": "sub%20dir/%C3%BC.prompt", "uriBaseId": "SRCROOT"}
    region = {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 7}
    assert result == {
        "ruleId": "TC301",
        "level": "error",
        "message": {"text": "wrong"},
        "locations": [{"physicalLocation": {"artifactLocation": file, "region": region}}],
        "relatedLocations": [
            {
                "physicalLocation": {
                    "artifactLocation": file,
                    "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2},
                },
                "message": {"text": "because of this"},
            }
        ],
        "partialFingerprints": {"callwrightFinding/v1": key_of(document, one)},
        "fixes": [
            {
                "description": {"text": "drop it"},
                "artifactChanges": [
                    {
                        "artifactLocation": file,
                        "replacements": [{"deletedRegion": region, "insertedContent": {"text": "<c>"}}],
                    }
                ],
            }
        ],
    }


def test_infos_pass_in_a_junit_report() -> None:
    document = TextDocument.from_text("x")
    found = [diagnostic(Span(0, 1), severity=severity) for severity in Severity]
    cases = check_junit(printed("junit", [("a.prompt", document, found[:2]), ("b.prompt", document, found[2:])]))
    assert [(case.get("classname"), [part.tag for part in case]) for case in cases] == [
        ("a.prompt", ["failure"]),
        ("a.prompt", ["failure"]),
        ("b.prompt", ["system-out"]),
        ("b.prompt", ["system-out"]),
    ]


def test_a_workflow_command_is_not_ended_by_what_is_in_it() -> None:
    document = TextDocument.from_text("one\ntwo\n")
    report = printed("github", [("a,b:c%.prompt", document, [diagnostic(Span(1, 6), "50% of ::error::\nis wrong")])])
    assert report == (
        "::error title=Callwright (TC301),file=a%2Cb%3Ac%25.prompt,line=1,endLine=2::"
        "a,b:c%25.prompt:1:2: TC301 [unknown-tool] 50%25 of ::error:: is wrong\n"
    )


def test_gitlab_knows_a_diagnostic_again_whatever_line_it_moves_to() -> None:
    def prints(text: str) -> list[str]:
        document = TextDocument.from_text(text)
        found = [diagnostic(Span(at, at + 3)) for at in [match.start() for match in re.finditer("<a>", text)]]
        return [one["fingerprint"] for one in check_gitlab(printed("gitlab", [("a", document, found)]))]

    before = prints("<a> one\n<a> two\n<a> two\n")
    assert len(set(before)) == 3
    assert prints("new\n\n<a> one\n  <a> two\nx\n<a> two\n") == before
    assert prints("<a> two\n<a> two\n") == before[1:]
    assert prints("<a> six\n")[0] not in before


def test_keys_look_at_some_hundred_characters_only() -> None:
    line = "<a>" * 300_000
    document = TextDocument.from_text(line)
    keys = {key_of(document, diagnostic(Span(at, len(line)))) for at in range(0, len(line), 300)}
    assert len(keys) < 10


@pytest.mark.parametrize("name", format_names())
def test_processes_and_pieces_change_no_report(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.dumps({"messages": [{"role": "assistant", "content": '<debug_launch>{"program": 1,}</debug_launch>'}]})
    (folder / "b.jsonl").write_text(f"{line}\n" * 12, encoding="utf-8")
    reports = set()
    for at_least, size in ((1 << 30, 1 << 20), (1, 300)):
        monkeypatch.setattr(large, "LARGE", at_least)
        monkeypatch.setattr(pieces, "PIECE", size)
        assert main(["check", "a.prompt", "b.jsonl", "--output-format", name]) == 1
        reports.add(capsys.readouterr().out)
    assert len(reports) == 1
    assert len(CHECKS[name](reports.pop())) > 12


def test_workers_lay_out_what_one_process_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.prompt").write_bytes(FAULTY)
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    for name in ("sarif", "junit"):
        main(["check", ".", "--output-format", name])
        alone = capsys.readouterr().out
        main(["check", ".", "--output-format", name, "--jobs", "2"])
        assert capsys.readouterr().out == alone


def test_what_waits_in_a_file_comes_back_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spool, "HELD", 10)
    spool = Spool()
    texts = ["\ud800\r\n", "é" * 30, "\r", "x", "\udfff😀" * 5]
    for text in texts:
        spool.add(text)
    assert "".join(spool.parts()) == "".join(texts)
    assert spool.empty


def test_a_report_in_a_file_takes_the_place_of_the_old_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = folder / "reports" / "callwright.sarif"
    words = ["check", "a.prompt", "--output-format", "sarif", "--output-file", str(report)]
    assert main(words) == 1
    summary = "Checked 1 file: 3 errors, 1 warning. 3 fixable with `--fix`. 1 more with `--fix --unsafe-fixes`."
    assert capsys.readouterr() == ("", f"{summary} Wrote {report}.\n")
    assert main([*words, "--quiet"]) == 1
    assert capsys.readouterr() == ("", "")
    assert len(check_sarif(report.read_text(encoding="utf-8"))) == 4
    report.chmod(0o640)
    (folder / "a.prompt").write_bytes(b"")
    assert main(words) == 0
    assert check_sarif(report.read_text(encoding="utf-8")) == []
    assert stat.S_IMODE(report.stat().st_mode) == 0o640
    # What goes wrong leaves the report as it was, and nothing beside it.
    before = report.read_bytes()
    assert main(["check", "nothing*", "--output-file", str(report), "--config", "nowhere.toml"]) == 2
    assert main(["check", str(folder / "reports"), "--output-file", str(report)]) == 2
    assert os.listdir(report.parent) == ["callwright.sarif"]  # noqa: PTH208
    assert report.read_bytes() == before


@pytest.mark.parametrize("laid", sorted(CHECKS))
@pytest.mark.parametrize("words", ["nowhere.prompt", "nowhere.prompt --jobs 2", "a.prompt --baseline known.json"])
def test_no_report_is_written_where_nothing_was_checked(
    words: str, laid: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = folder / "report"
    for old in (None, "old"):
        if old is not None:
            report.write_text(old, encoding="utf-8")
        assert main(["check", *words.split(), "--output-format", laid, "--output-file", str(report)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "file not found" in err or "nothing was checked, so no report is written" in err
        assert (report.read_text(encoding="utf-8") if report.exists() else None) == old
    if laid not in ("text", "concise"):
        assert main(["check", *words.split(), "--output-format", laid]) == 2
        assert capsys.readouterr().out == ""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_reports_for_programs_state_what_could_not_be_done(
    jobs: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = "nowhere.prompt: file or folder not found; check the path"
    # In a file, as another process reads it.
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")

    def report(laid: str, *paths: str) -> str:
        code = main(["check", "a.prompt", *paths, "--output-format", laid, "--jobs", jobs])
        out, err = capsys.readouterr()
        assert (code, err) == ((2, f"callwright: {stated}\n") if paths else (1, ""))
        return out

    failed, done = (report("sarif", *paths) for paths in (["nowhere.prompt"], []))
    assert len(check_sarif(failed)) == len(check_sarif(done)) == 4
    assert json.loads(done)["runs"][0]["invocations"] == [{"executionSuccessful": True}]
    assert json.loads(failed)["runs"][0]["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": stated}}],
        }
    ]
    failed, done = (report("junit", *paths) for paths in (["nowhere.prompt"], []))
    assert len(check_junit(done)) == 4
    assert 'errors="1"' in failed.partition(">")[2].partition(">")[0]
    assert len(check_junit(failed)) == 5
    assert f'<error type="failure" message="{stated}"/>' in failed
    assert "<error" not in done
    failed, done = (report("json", *paths) for paths in (["nowhere.prompt"], []))
    assert json.loads(failed)["failures"] == [stated]
    assert "failures" not in json.loads(done)


@pytest.mark.parametrize(("place", "stated"), [(".", "this is a folder"), ("", "the path is empty")])
def test_a_report_needs_a_file(place: str, stated: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.prompt", "--output-file", place]) == 2
    assert stated in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["check a.prompt", "check .", "check . --jobs 2", "check a.prompt --fix", "report a.prompt", "report ."]
)
def test_no_report_takes_the_place_of_what_it_is_about(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "a.prompt").read_bytes()
    (folder / "link").symlink_to("a.prompt")
    for place in ("a.prompt", str(folder / "a.prompt"), "link"):
        assert main([*command.split(), "--output-file", place]) == 2
        reported = capsys.readouterr().err
        assert (
            f"`--output-file {place}`: this file is also an input and would be overwritten; name another file"
            in reported
        )
        assert (folder / "a.prompt").read_bytes() == before


@pytest.mark.skipif(not Path("/dev/stderr").exists(), reason="there are no devices with names")
def test_a_report_may_go_to_a_device(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    out, err, code = run_process("check", "a.prompt", "--output-format", "concise", "--output-file", "/dev/stderr")
    assert (out, code) == (b"", 1)
    assert len(CHECKS["concise"](err.decode())) == 4


def test_a_report_end_to_end(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    out, err, code = run_process("check", ".", "--output-format", "junit", "--output-file", "report.xml")
    assert (out, code) == (b"", 1)
    assert err.startswith(b"Checked 1 file: 3 errors, 1 warning.")
    assert err.endswith(b" Wrote report.xml.\n")
    assert len(check_junit((folder / "report.xml").read_text(encoding="utf-8"))) == 4


def test_an_unknown_format_is_refused_with_those_that_there_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "a.prompt", "--output-format", "sarrif"]) == 2
    err = capsys.readouterr().err
    assert all(name in err for name in format_names())
