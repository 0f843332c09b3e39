"""Notebooks in an editor: each cell is a document, whatever order their events come in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from invariants.corpus import seeded
from invariants.host_documents import random_edit
from lsp.conversation import CAPABILITIES, Conversation, at, between, codes, conversation

ABLE: dict[str, Any] = {**CAPABILITIES, "notebookDocument": {"synchronization": {"dynamicRegistration": True}}}
WRONG = "<raed_file><path>a</path></raed_file>"
RIGHT = "<read_file><path>a</path></read_file>"
TOOLS = {
    "tools": [
        {
            "name": "read_file",
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        }
    ]
}


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "callwright.toml").write_text('files = ["*.ipynb"]\ntools = ["tools.json"]\n', encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    return tmp_path


class Notebook:
    """A notebook as an editor has it."""

    def __init__(self, talk: Conversation, file: Path, **cells: tuple[str, str]) -> None:
        """Open a notebook whose cells are named; each has a language and a text."""
        self.talk = talk
        self.uri = file.as_uri()
        self.path = file.as_posix()
        self.version = 1
        params = {
            "notebookDocument": {
                "uri": self.uri,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [self.cell(name) for name in cells],
            },
            "cellTextDocuments": [self.item(name, *each) for name, each in cells.items()],
        }
        talk.notify("notebookDocument/didOpen", params)

    def cell_uri(self, name: str) -> str:
        return f"vscode-notebook-cell:{self.path}#{name}"

    def cell(self, name: str) -> dict[str, Any]:
        return {"kind": 2, "document": self.cell_uri(name)}

    def item(self, name: str, language: str, text: str, version: int = 1) -> dict[str, Any]:
        return {"uri": self.cell_uri(name), "languageId": language, "version": version, "text": text}

    def change(self, cells: Any, version: int | None = None) -> None:
        self.version = self.version + 1 if version is None else version
        document = {"uri": self.uri, "version": self.version}
        self.talk.notify("notebookDocument/didChange", {"notebookDocument": document, "change": {"cells": cells}})

    def type(self, name: str, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": self.cell_uri(name), "version": version}
        self.change({"textContent": [{"document": document, "changes": list(changes)}]})

    def splice(self, start: int, gone: int, *come: str, opened: Any = (), closed: Any = ()) -> None:
        array = {"start": start, "deleteCount": gone, "cells": [self.cell(name) for name in come]}
        did_close = [{"uri": self.cell_uri(name)} for name in closed]
        self.change({"structure": {"array": array, "didOpen": list(opened), "didClose": did_close}})

    def close(self, *names: str) -> None:
        cells = [{"uri": self.cell_uri(name)} for name in names]
        params = {"notebookDocument": {"uri": self.uri}, "cellTextDocuments": cells}
        self.talk.notify("notebookDocument/didClose", params)

    def found(self, name: str) -> list[dict[str, Any]]:
        return self.talk.diagnostics(self.cell_uri(name))

    def pulled(self, name: str) -> list[str]:
        report = self.talk.request("textDocument/diagnostic", {"textDocument": {"uri": self.cell_uri(name)}})
        return codes(report["items"])


def test_the_capability_is_for_clients_that_know_notebooks(talk: Conversation) -> None:
    result = talk.initialize(ABLE)
    sync = result["capabilities"]["notebookDocumentSync"]
    assert sync == {"notebookSelector": [{"notebook": "*"}], "save": True}


def test_other_clients_are_reported_nothing_of_notebooks(talk: Conversation) -> None:
    assert "notebookDocumentSync" not in talk.initialize()["capabilities"]


def test_each_cell_is_read_in_its_own_language(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(
        talk,
        root / "a.ipynb",
        md=("markdown", f"`{WRONG}` is shown, and this is not: {WRONG}"),
        py=("python", f"# {WRONG}\nx = '''\n{WRONG}\n'''"),
        raw=("raw", WRONG),
        sh=("shellscript", f"echo '{WRONG}'"),
        magic=("python", f"%%markdown\n{WRONG}"),
        time=("python", f"%%time\n# callwright: ignore\nx = '{WRONG}'\ny = '{WRONG}'"),
    )
    (diagnostic,) = book.found("md")
    assert (diagnostic["code"], diagnostic["range"]) == ("TC301", between((0, 68), (0, 77)))
    (diagnostic,) = book.found("py")
    assert diagnostic["range"] == between((2, 1), (2, 10))
    assert codes(book.found("raw")) == ["TC301"]
    assert book.found("sh") == []
    (diagnostic,) = book.found("magic")
    assert diagnostic["range"] == between((1, 1), (1, 10))
    (diagnostic,) = book.found("time")
    assert diagnostic["range"]["start"]["line"] == 3


def test_features_answer_in_cells(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", py=("python", f"x = '''\n{WRONG}\n{RIGHT}\n'''"))
    (diagnostic,) = book.found("py")
    document = {"textDocument": {"uri": book.cell_uri("py")}}
    actions = talk.request(
        "textDocument/codeAction",
        {**document, "range": diagnostic["range"], "context": {"diagnostics": [diagnostic], "only": ["quickfix"]}},
    )
    action = next(each for each in actions if each["title"] == "Rename to `read_file`")
    edit = action.get("edit") or talk.request("codeAction/resolve", action)["edit"]
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": book.cell_uri("py"), "version": 1}
    hover = talk.request("textDocument/hover", {**document, "position": at(2, 4)})
    assert "read_file" in json.dumps(hover)
    offers = talk.request("textDocument/completion", {**document, "position": at(2, 1)})
    items = offers["items"] if isinstance(offers, dict) else offers
    assert "read_file" in [item["label"] for item in items]


def test_what_is_typed_in_a_cell_counts(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", one=("markdown", WRONG), two=("markdown", RIGHT))
    assert codes(book.found("one")) == ["TC301"]
    assert book.found("two") == []
    book.type("one", 2, {"range": between((0, 1), (0, 3)), "text": "re"}, {"text": RIGHT})
    assert book.found("one") == []
    opener, closer = between((0, 1), (0, 10)), between((0, 27), (0, 36))
    book.type("two", 2, {"range": closer, "text": "raed_file"}, {"range": opener, "text": "raed_file"})
    assert codes(book.found("two")) == ["TC301"]


def test_a_magic_line_that_is_typed_changes_how_a_cell_is_read(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", one=("python", WRONG))
    assert book.found("one") == []
    book.type("one", 2, {"range": between((0, 0), (0, 0)), "text": "%%markdown\n"})
    assert codes(book.found("one")) == ["TC301"]
    book.type("one", 3, {"range": between((0, 0), (0, 10)), "text": "%%bash"})
    assert book.found("one") == []


def test_cells_come_go_and_move(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG), b=("markdown", RIGHT))
    assert codes(book.found("a")) == ["TC301"]
    book.splice(2, 0, "c", opened=[book.item("c", "raw", WRONG)])
    assert codes(book.found("c")) == ["TC301"]
    # The first one moves to the end.
    book.splice(0, 3, "b", "c", "a")
    book.splice(1, 1, closed=["c"])
    assert book.found("c") == []
    assert book.pulled("a") == ["TC301"]
    assert book.pulled("c") == []
    # A client that forgets to say that a cell is closed.
    book.splice(1, 1)
    assert book.found("a") == []


def test_a_cell_whose_language_changes_is_closed_and_opened_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("python", WRONG), b=("markdown", RIGHT))
    assert book.found("a") == []
    book.splice(0, 1, "a", opened=[book.item("a", "markdown", WRONG)], closed=["a"])
    assert codes(book.found("a")) == ["TC301"]
    book.splice(0, 1, "a", opened=[book.item("a", "rust", WRONG)], closed=["a"])
    assert book.found("a") == []


def test_closing_takes_all_diagnostics_back(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG), b=("raw", WRONG))
    assert codes(book.found("a")) == codes(book.found("b")) == ["TC301"]
    book.close("a")
    assert book.found("a") == book.found("b") == []
    book.close()
    words = talk.wait("window/logMessage", lambda stated: "is not open" in stated["message"])
    assert book.uri in words["message"]


def test_a_notebook_that_no_configuration_names_is_left_alone(talk: Conversation, root: Path) -> None:
    (root / "callwright.toml").write_text('files = ["*.md"]\n', encoding="utf-8")
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG))
    assert book.found("a") == []


def test_a_saved_configuration_applies_to_cells(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG))
    assert codes(book.found("a")) == ["TC301"]
    (root / "tools.json").write_text(json.dumps(TOOLS).replace("read_file", "raed_file"), encoding="utf-8")
    talk.notify("notebookDocument/didSave", {"notebookDocument": {"uri": book.uri}})
    assert book.found("a") == []


def test_an_event_that_is_late_is_refused(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG), b=("markdown", RIGHT))
    assert codes(book.found("a")) == ["TC301"]
    assert book.found("b") == []
    book.change({}, version=5)
    book.change({"textContent": []}, version=4)
    stated = talk.wait("window/showMessage")
    assert "version 4 of its notebook came after version 5" in stated["message"]
    (diagnostic,) = book.found("a")
    assert "out of sync" in diagnostic["message"]
    # A whole text needs nothing from before it.
    book.version = 5
    book.type("a", 2, {"text": WRONG})
    assert codes(book.found("a")) == ["TC301"]


def test_a_change_that_does_not_fit_its_cell_leaves_the_others_alone(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG), b=("markdown", WRONG))
    assert codes(book.found("a")) == codes(book.found("b")) == ["TC301"]
    wild = {"range": between((0, 3), (0, 1)), "text": ""}
    book.change(
        {
            "structure": {"array": {"start": 9, "deleteCount": 1}},
            "textContent": [
                {"document": {"uri": book.cell_uri("gone"), "version": 2}, "changes": [{"text": "x"}]},
                {"document": {"uri": book.cell_uri("a"), "version": 2}, "changes": [wild]},
                {"document": {"uri": book.cell_uri("b"), "version": 2}, "changes": [{"text": RIGHT}]},
                7,
            ],
        }
    )
    stated = talk.wait("window/logMessage", lambda each: "notebookDocument/didChange" in each["message"])["message"]
    assert "cells 9 to 10 are not in a notebook of 2" in stated
    assert "#gone is not open" in stated
    assert "`textContent` must be a list of objects" in stated
    (diagnostic,) = book.found("a")
    assert "out of sync" in diagnostic["message"]
    assert book.found("b") == []


def test_a_cell_that_is_opened_both_ways_stays_a_cell(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    book = Notebook(talk, root / "a.ipynb", a=("markdown", WRONG))
    assert codes(book.found("a")) == ["TC301"]
    talk.open(book.cell_uri("a"), f"{WRONG}\n{WRONG}", "markdown")
    assert codes(book.found("a")) == ["TC301", "TC301"]


SESSIONS = 3
EVENTS = 60
TEXTS = (WRONG, RIGHT, f"x = '{WRONG}'", f"%%markdown\n{WRONG}", "# Title\n\n`<read_file>`\n", "")
LANGUAGES = ("python", "markdown", "raw", "rust", "javascript")


@pytest.mark.parametrize("session", range(SESSIONS))
def test_random_events_leave_every_cell_as_if_it_had_just_been_opened(
    talk: Conversation, root: Path, session: int
) -> None:
    random = seeded(f"notebook {session}")
    talk.initialize(ABLE, root=root)
    texts: dict[str, tuple[str, str, int]] = {
        f"c{number}": (random.choice(LANGUAGES), random.choice(TEXTS), 1) for number in range(4)
    }
    order = [*texts]
    book = Notebook(talk, root / "a.ipynb", **{name: each[:2] for name, each in texts.items()})
    for number in range(EVENTS):
        action = random.choice(("type", "type", "type", "add", "remove", "move", "language", "nonsense"))
        at_ = random.randrange(len(order)) if order else 0
        if action == "add" or not order:
            name = f"n{number}"
            texts[name] = (random.choice(LANGUAGES), random.choice(TEXTS), 1)
            book.splice(at_, 0, name, opened=[book.item(name, *texts[name])])
            order.insert(at_, name)
            continue
        name = order[at_]
        language, text, version = texts[name]
        if action == "type":
            edit = random_edit(text, random)
            text = (text[: edit.span.start] + edit.text + text[edit.span.end :]).encode("utf-8", "replace").decode()
            texts[name] = (language, text, version + 1)
            book.type(name, version + 1, {"text": text})
        elif action == "remove":
            book.splice(at_, 1, closed=[name])
            order.remove(name)
            del texts[name]
        elif action == "move":
            order.reverse()
            book.splice(0, len(order), *order)
        elif action == "language":
            texts[name] = (random.choice(LANGUAGES), text, version)
            book.splice(at_, 1, name, opened=[book.item(name, *texts[name])], closed=[name])
        else:
            wrong: Any = random.choice([None, 7, {"structure": 3}, {"structure": {"array": []}}, {"textContent": {}}])
            book.change(wrong)
    fresh = Notebook(talk, root / "b.ipynb", **{name: each[:2] for name, each in texts.items()})
    for name in order:
        assert book.pulled(name) == fresh.pulled(name), (name, texts[name])
