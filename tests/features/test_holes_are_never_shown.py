"""The character for a template expression inside of the engine is shown by no feature and by no command."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from callwright.cli.main import main
from callwright.text.holes import HOLE
from features.feature_cases import PRODUCERS
from support.cases import Case, Fence
from support.engine import case_snapshot
from support.sampling import sampled

#: Texts with expressions in every place that a call has: its tool, its keys, its values and parts of them.
TEXTS: Final = {
    "page.jinja": (
        "<read_file><path>{{ folder }}/{{ file }}.py</path><{{ key }}>{{ n }}</{{ key }}></read_file>\n"
        '<tool_call>{"name": "{{ tool }}", "arguments": {"path": "{{ a }}", "{{ k }}": {{ n }}}}</tool_call>\n'
        "<section_{{ n }}>\n# Of {{ title }}\n</section_{{ n }}>\n"
    ),
    "page.ts": (
        "const a = `<read_file><path>${folder}/${file}.py</path><limit>${n}</limit></read_file>`;\n"
        'const b = `<tool_call>{"name": "${tool}", "arguments": {"path": "${a}", "n": ${n}}}</tool_call>`;\n'
        "const c = `<${tool}><path>a</path></${tool}>`;\n"
    ),
    "page.py": (
        'a = f"""<read_file><pth>{folder}/{file}.py</pth></read_file>\n'
        '<tool_call>{{"name": "{tool}", "arguments": {{"path": "{a}", "n": {n}}}}}</tool_call>"""\n'
        'b = f"""```json\n{{"tool": "run_{n}", "arguments": {{"code": {code}, "{k}": 1}}}}\n```"""\n'
    ),
}
#: Fences that say what a feature answers at a cursor, and need no words of their own.
FENCES: Final = tuple(
    sorted(
        PRODUCERS.keys()
        & {"actions", "completion", "found", "hierarchy", "hints", "hover", "lenses", "pulled", "signature", "symbols"}
    )
)


def case_of(path: str, text: str) -> Case:
    info = {"path": path, "tools": "examples"}
    return Case(Path(path), path, Fence("source", f"path={path} tools=examples", info, text, 0, 0), ())


@pytest.mark.parametrize("path", TEXTS)
def test_the_texts_hold_calls_with_expressions(path: str) -> None:
    snapshot = case_snapshot(case_of(path, TEXTS[path]))
    placed = list(snapshot.placed_calls())
    assert len(placed) >= 2
    assert any(HOLE in json.dumps([each.call.tool, each.binding.arguments], ensure_ascii=False) for each in placed)


PLACES: Final[Sequence[tuple[str, int]]] = [(path, at) for path, text in TEXTS.items() for at in range(0, len(text), 3)]


@pytest.mark.parametrize(("path", "at"), sampled(PLACES, keep=5, by=lambda place: place[0]))
def test_no_feature_shows_them_wherever_the_cursor_is(path: str, at: int) -> None:
    text = TEXTS[path]
    case = case_of(path, f"{text[:at]}‸{text[at:]}")
    for name in FENCES:
        shown = PRODUCERS[name](case, Fence(name, "", {}, "", 0, 0))
        assert HOLE not in shown, (name, shown)
        assert "fdd0" not in shown.lower(), (name, shown)


COMMANDS: Final = (
    ("check", "--isolated"),
    *(
        ("check", "--isolated", "--output-format", name)
        for name in ("json", "json-lines", "sarif", "github", "concise")
    ),
    ("check", "--isolated", "--diff"),
    ("parse", "--isolated"),
    ("parse", "--isolated", "--json"),
    ("convert", "--isolated", "--to", "yaml"),
    ("convert", "--isolated", "--to", "yaml", "--check"),
    ("convert", "--isolated", "--to", "yaml", "--check", "--json"),
    ("feedback", "--isolated", "--dialect", "xml-json"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("path", TEXTS)
def test_no_command_shows_them(
    path: str, words: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).write_text(TEXTS[path], encoding="utf-8")
    (tmp_path / "tools.json").write_text(
        json.dumps(
            [
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
        )
    )
    main([words[0], path, "--tools", "tools.json", *words[1:]])
    shown: Any = SimpleNamespace(**capsys.readouterr()._asdict())
    assert HOLE not in shown.out + shown.err
    assert "fdd0" not in (shown.out + shown.err).lower()
