"""The commands that render chat templates: which files they mean, how often these are read, how long one may take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from callwright.chat_templates import renderer as module
from callwright.chat_templates.model import Failed, Job, Outcome
from callwright.chat_templates.renderer import Renderer
from callwright.cli.main import main
from support.chat_templates import ENCODES_TWICE

NOT_RENDERED = "not rendered; add `--render`"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("jinja2")
    (tmp_path / ".git").mkdir()
    (tmp_path / "callwright.toml").write_text('exclude = ["old/**"]\n')
    (tmp_path / ".gitignore").write_text("downloads/\n")
    for name in ("chat_template.jinja", "old/chat_template.jinja", "downloads/chat_template.jinja"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ENCODES_TWICE)
    (tmp_path / "page.jinja").write_text("{{ title }}\n")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": ENCODES_TWICE}))
    (tmp_path / "processor_config.json").write_text(json.dumps({"model": {"chat_template": None}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_template_that_renders_nothing_is_neither_shown_nor_passed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "page.jinja").write_text("{% for each in messages %}{{ raise_exception('No roles.') }}{% endfor %}")
    for more in ((), ("--json",)):
        assert main(["chat-template", "show", "page.jinja", *more]) == 1
        stated = "callwright: page.jinja: no conversation can be rendered: No roles.\n"
        assert capsys.readouterr() == ("", stated)
    assert main(["chat-template", "check", "page.jinja"]) == 2
    assert stated in capsys.readouterr().err


@pytest.mark.parametrize("command", [("chat-template", "check"), ("check", "--render")])
def test_what_is_excluded_is_rendered_only_where_it_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], command: Sequence[str]
) -> None:
    def rendered(*paths: str) -> set[str]:
        capsys.readouterr()
        assert main([*command, *paths, "--output-format", "concise"]) == 1
        out = capsys.readouterr().out
        return {line.partition(":")[0] for line in out.splitlines() if "TC836" in line}

    assert rendered(".") == {"chat_template.jinja", "tokenizer_config.json"}
    for name in ("old", "downloads"):
        path = f"{name}/chat_template.jinja"
        assert rendered(path) == {path}
    assert rendered("downloads") == {"downloads/chat_template.jinja"}


def test_a_file_is_read_and_counted_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads: Counter[str] = Counter()
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        reads[path.name] += 1
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    assert main(["check", "--render", "chat_template.jinja"]) == 1
    assert reads["chat_template.jinja"] == 1
    assert capsys.readouterr().out.endswith("Checked 1 file: 1 error. 1 fixable with `--fix`.\n")
    assert main(["check", "--render", "."]) == 1
    # One that is only rendered counts, too.
    assert "Checked 2 of 5 files: 2 errors." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "noted"), [("chat_template.jinja", 1), ("tokenizer_config.json", 1), ("processor_config.json", 0)]
)
def test_without_rendering_a_template_is_noticed_and_not_parsed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, noted: int
) -> None:
    parsed: list[str] = []
    monkeypatch.setattr("callwright.chat_templates.files.templates_in", lambda name, _text: parsed.append(name))
    assert main(["check", name]) == 0
    assert capsys.readouterr().err.count(NOT_RENDERED) == noted
    assert not parsed


@pytest.mark.parametrize("command", [("chat-template", "check", "--fix"), ("check", "--render")])
def test_the_time_of_a_template_is_spent_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: Sequence[str]
) -> None:
    """Values are tried after the layouts of conversations; a template that takes its time for these is not tried on."""
    asked: list[str] = []

    def slow(_self: Renderer, source: str, jobs: Sequence[Job], *, seconds: float | None = None) -> list[Outcome]:
        assert seconds is not None
        asked.append(source)
        clock.now += seconds
        return [Failed("time", "it takes longer than 3 s") for _ in jobs]

    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            """Return a time that passes only where something is rendered."""
            return self.now

    clock = Clock()
    monkeypatch.setattr(Renderer, "render", slow)
    monkeypatch.setattr(module.TimedRenderer, "_now", staticmethod(clock.monotonic))
    assert main([*command, "chat_template.jinja"]) == 1
    assert asked == [ENCODES_TWICE]
    assert capsys.readouterr().out.count("it takes longer than 3 s") == 1


def test_a_report_states_what_could_not_be_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["chat-template", "check", "--output-format", "sarif"]
    assert main([*words, "chat_template.jinja", "nowhere.jinja"]) == 2
    (invocation,) = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert "nowhere.jinja" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert main([*words, "nowhere.jinja", "-o", "report.sarif"]) == 2
    assert capsys.readouterr().err.endswith("nothing was checked, so no report is written\n")
    assert not (folder / "report.sarif").exists()
