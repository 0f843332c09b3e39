"""Requests while a long document is read again: answered at once, from little text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.cursor import cursor
from callwright.cursor.cursor_outline import Outline, outline_of
from callwright.document.blocks import Block, ReadPassage
from callwright.document.reader import FoundCall, ReadResult, read_segment
from callwright.prompt import mentions
from callwright.text.span import Span
from lsp.driven import Driven
from support.sampling import crossed

pytestmark = pytest.mark.usefixtures("named_sets")

PROSE = "Look at the failing test before you change anything.\n\n"
TAGS = '<read_file>\n<path>src/a.py</path>\n</read_file>\n\n```json\n{"tool": "read_file", "arguments": {}}\n```\n\n'
BRANCH = "{% if verbose %}\nSay what you do, {{ name }}.\n{% endif %}\n\n"
#: What changes the state of all that follows, by the ending of a document's name.
OPENERS = {"md": ("~~~~~\n", PROSE + TAGS), "jinja": ("{% raw %}\n", BRANCH + PROSE + TAGS)}
#: How much text before the place asked about may be scanned, how much of it may be read, and how many calls may be
#: located.
MAX_TEXT = 48 * 1024
MAX_READ = 2_000
MAX_CALLS = 800


class Watched(Driven):
    """A server that does a given number of slices, and counts what an answer takes."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root)
        self.read = self.text = 0
        watched = self

        def counting_read(text: str, *args: Any, stop_after: int, **options: Any) -> ReadResult:
            watched.read += stop_after
            return read_segment(text, *args, stop_after=stop_after, **options)

        def counting_text(text: str, cursor: int, *args: Any) -> Outline:
            watched.text += cursor
            return outline_of(text, cursor, *args)

        monkeypatch.setattr("callwright.cursor.cursor_markup.read_segment", counting_read)
        monkeypatch.setattr("callwright.cursor.cursor_markup.outline_of", counting_text)
        self.server.scheduler.slices.seconds = 0

    def begin(self, method: str, params: object) -> None:
        """Hand over a notification, and do nothing of what it makes."""
        self.server.take({"jsonrpc": "2.0", "method": method, "params": params})

    def slices(self, count: int) -> None:
        """Do some of the work that waits, as long as there is any."""
        for _ in range(count):
            if self.server.scheduler.timeout() != 0:
                break
            self.server.scheduler.idle()

    def asked_about(self, method: str, uri: str, line: int, character: int) -> tuple[object, int, int]:
        """Return the answer that comes before anything else is done, and how much text it took, and was read."""
        self.sent, self.read, self.text = [], 0, 0
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        self.asked += 1
        self.server.take({"jsonrpc": "2.0", "id": 1000 + self.asked, "method": method, "params": params})
        answers = [message["result"] for message in self.sent if message.get("id") == 1000 + self.asked]
        assert len(answers) == 1, f"`{method}` was not answered before the document was read"
        return answers[0], self.text, self.read


@pytest.mark.parametrize(("slices", "units", "ending"), crossed([0, 40, 600], [500, 1_500], sorted(OPENERS)))
def test_a_place_is_answered_about_from_the_text_around_it(
    ending: str, units: int, slices: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener, unit = OPENERS[ending]
    talk = Watched(tmp_path, monkeypatch)
    uri = (tmp_path / f"long.{ending}").as_uri()
    (tmp_path / "callwright.toml").write_text('files = ["*"]\n', encoding="utf-8")
    text = unit * units
    item = {"uri": uri, "languageId": "", "version": 1, "text": text}
    talk.server.scheduler.slices.seconds = 1.0
    talk.notify("textDocument/didOpen", {"textDocument": item})
    talk.server.scheduler.slices.seconds = 0
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": top, "text": opener}]}
    talk.begin("textDocument/didChange", change)
    talk.slices(slices)
    lines, tag = unit.count("\n"), unit[: unit.index("<read_file>")].count("\n")
    for number in (1, units // 2, units - 1):
        for method in ("textDocument/completion", "textDocument/hover"):
            stated, scanned, read = talk.asked_about(method, uri, 1 + number * lines + tag, 3)
            assert "read_file" in str(stated)
            assert scanned <= MAX_TEXT
            assert 0 < read <= MAX_READ
    talk.close(uri)


def test_no_slice_looks_through_more_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = {"name": "read_file", "description": "", "inputSchema": {"properties": {"path": {"type": "string"}}}}
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
    talk = Watched(tmp_path, monkeypatch)
    scanned: list[int] = []
    names, one = mentions._names_dialect, talk.server.scheduler._slice

    def counting(text: str) -> bool:
        scanned[-1] += 1
        return names(text)

    def slice_of(uri: str) -> None:
        scanned.append(0)
        one(uri)

    monkeypatch.setattr(mentions, "_names_dialect", counting)
    monkeypatch.setattr(talk.server.scheduler, "_slice", slice_of)
    talk.open((tmp_path / "long.prompt").as_uri(), OPENERS["md"][1] * 500)
    # All blocks were checked for the word that a rule about the whole document seeks, and no two at once.
    assert sum(scanned) > 20
    assert max(scanned) == 1


def test_in_a_line_without_end_only_calls_nearby_are_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Watched(tmp_path, monkeypatch)
    uri = (tmp_path / "line.prompt").as_uri()
    call = "<read_file><path>src/a.py</path></read_file> and then "
    talk.server.scheduler.slices.seconds = 1.0
    talk.open(uri, call * 5_000)
    scanned = 0
    between = cursor._calls_between

    def counting(block: Block, low: int, high: int) -> Iterator[tuple[Span, ReadPassage, FoundCall]]:
        nonlocal scanned
        for found in between(block, low, high):
            scanned += 1
            yield found

    monkeypatch.setattr(cursor, "_calls_between", counting)
    stated, text, _ = talk.asked_about("textDocument/completion", uri, 0, call.index("file") + 2_500 * len(call))
    assert "read_file" in str(stated)
    assert 0 < scanned <= MAX_CALLS
    assert text <= MAX_TEXT
