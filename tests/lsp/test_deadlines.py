"""Deadlines: what is known of a long document is published while it is being read, and is replaced by what is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.lsp.deadlines import Deadline, still_reading
from lsp.conversation import CAPABILITIES, Conversation, at, between, codes, conversation
from lsp.test_long_documents import CALL, FAULT, SYMBOLS, TEXT

pytestmark = pytest.mark.usefixtures("named_sets")

PUSHED = "textDocument/publishDiagnostics"
BOTH = FAULT + TEXT
END = BOTH.count("\n")


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Conversation]:
    with conversation() as talk:
        begin(talk, tmp_path)
        yield talk


def begin(talk: Conversation, root: Path, capabilities: dict[str, Any] = CAPABILITIES) -> None:
    talk.initialize(capabilities, root=root)
    # Whatever is loaded on first use is loaded before anything is counted.
    talk.open("file:///warm.prompt", FAULT)
    talk.request(SYMBOLS, {"textDocument": {"uri": "file:///warm.prompt"}})
    talk.server.scheduler.slices.seconds = 0


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "long.prompt").as_uri()


def deadline_after(talk: Conversation, slices: int) -> None:
    """Let the deadline pass with so many slices, whatever the clock says."""
    passes = Deadline.passes

    def counted(self: Deadline, version: int, _seconds: float, _limit: float) -> bool:
        return passes(self, version, 1, slices)

    talk.patch.setattr(Deadline, "passes", counted)  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def patched(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.patch = monkeypatch  # type: ignore[attr-defined]


def stated_of(talk: Conversation, uri: str, version: int) -> dict[str, Any]:
    stated: dict[str, Any] = talk.wait(PUSHED, lambda params: params["uri"] == uri and params["version"] == version)
    return stated


def is_note(item: dict[str, Any]) -> bool:
    return "is still being read" in item["message"]


def lines_of(items: list[dict[str, Any]]) -> set[int]:
    return {item["range"]["start"]["line"] for item in items if not is_note(item)}


def test_a_deadline_passes_once_for_a_version() -> None:
    deadline = Deadline()
    assert [deadline.passes(1, 0.2, 0.5) for _ in range(5)] == [False, False, True, False, False]
    assert [deadline.passes(2, 0.3, 0.5) for _ in range(3)] == [False, True, False]
    assert deadline.met()
    assert not deadline.met()
    assert not deadline.passes(2, 0.3, 0.5)
    assert deadline.passes(2, 0.3, 0.5)


def test_the_words_report_how_far_it_is() -> None:
    assert still_reading(25, 100, 0) == (
        "This document is still being read: 25 % of it so far. No diagnostics so far; the others follow."
    )
    assert "The one diagnostic found so far is shown" in still_reading(1, 3, 1)
    assert "The 1,200 diagnostics found so far are shown" in still_reading(1, 3, 1_200)


def test_what_is_known_at_the_deadline_is_reported_and_replaced_in_the_end(talk: Conversation, uri: str) -> None:
    deadline_after(talk, 400)
    talk.open(uri, BOTH)
    so_far = stated_of(talk, uri, 1)["diagnostics"]
    assert is_note(so_far[0])
    assert so_far[0]["severity"] == 3
    assert lines_of(so_far)
    assert max(lines_of(so_far)) < END // 2
    hover = talk.begin("textDocument/hover", {"textDocument": {"uri": uri}, "position": at(END - 7, 3)})
    whole = talk.begin(SYMBOLS, {"textDocument": {"uri": uri}})
    assert "read_file" in str(talk.answer(hover)["result"])
    found = stated_of(talk, uri, 1)["diagnostics"]
    assert not any(map(is_note, found))
    assert lines_of(so_far) < lines_of(found)
    assert max(lines_of(found)) > END - 6
    assert len(talk.answer(whole)["result"]) == 2 * 402


def test_an_edit_ends_what_was_under_way_and_has_a_deadline_of_its_own(talk: Conversation, uri: str) -> None:
    deadline_after(talk, 400)
    talk.open(uri, BOTH)
    assert is_note(stated_of(talk, uri, 1)["diagnostics"][0])
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": "More.\n\n"})
    pushed = [stated_of(talk, uri, 2)["diagnostics"]]
    while any(map(is_note, pushed[-1])):
        pushed.append(stated_of(talk, uri, 2)["diagnostics"])
    assert len(pushed) <= 2
    other = uri.replace("long", "other")
    talk.patch.setattr(Deadline, "passes", lambda *_: False)  # type: ignore[attr-defined]
    talk.open(other, "More.\n\n" + BOTH)
    assert str(pushed[-1]) == str(talk.diagnostics(other, 1)).replace(other, uri)


def test_what_was_found_before_an_edit_stays_until_it_is_read_again(talk: Conversation, uri: str) -> None:
    talk.open(uri, BOTH)
    before = lines_of(stated_of(talk, uri, 1)["diagnostics"])
    deadline_after(talk, 10)
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": "````\n"})
    so_far = stated_of(talk, uri, 2)["diagnostics"]
    assert is_note(so_far[0])
    # The last call lies far after what has been read again.
    assert max(lines_of(so_far)) == max(before) + 1


def test_what_a_comment_takes_away_is_not_reported_either(talk: Conversation, uri: str) -> None:
    deadline_after(talk, 400)
    quiet = "<!-- callwright: ignore-file[TC303, TC302] -->\n\n"
    talk.open(uri, quiet + BOTH + CALL)
    so_far = stated_of(talk, uri, 1)["diagnostics"]
    assert is_note(so_far[0])
    assert codes(stated_of(talk, uri, 1)["diagnostics"]) == codes([item for item in so_far if not is_note(item)]) == []


def test_a_client_that_fetches_diagnostics_is_reported_until_it_has_them(tmp_path: Path, uri: str) -> None:
    capabilities = {**CAPABILITIES, "textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {}}}
    with conversation() as talk, pytest.MonkeyPatch.context() as patch:
        begin(talk, tmp_path, capabilities)
        talk.patch = patch  # type: ignore[attr-defined]
        deadline_after(talk, 400)
        talk.open(uri, BOTH)
        asked = talk.begin("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert is_note(stated_of(talk, uri, 1)["diagnostics"][0])
        assert stated_of(talk, uri, 1)["diagnostics"] == []
        assert max(lines_of(talk.answer(asked)["result"]["items"])) > END - 6
