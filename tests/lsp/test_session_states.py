"""A session as a machine: whatever an editor does, in any order, the server says what one says that has just begun.

Documents are opened, typed into, undone, redone, saved and closed; settings, configurations and tool files change, on
the disk and as they are typed; versions come out of order; anything is asked. After each step every document's text,
calls, diagnostics and answers are those that a new server has for the same folder and texts, and every request was
answered exactly once.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lsprotocol import types

from callwright.features import all_features
from invariants.texts import DEFINITIONS, pieces
from lsp.conversation import at, between
from lsp.driven import Driven
from lsp.typist import Typist
from soak.answers import difference
from support.sampling import tries

FAILED = -32603
CONFIGURATIONS = [
    'tools = ["tools.json"]\nfiles = ["**"]\n',
    'tools = ["tools.json"]\nfiles = ["**"]\ndialect = "xml-json"\n',
    'tools = ["tools.json"]\nfiles = ["*.md", "*.jsonl"]\nstrict = true\nignore = ["TC301"]\n',
    'tools = ["tools.json", "more.json"]\n',
    'tools = ["tools.json"]\n[[overrides]]\nfiles = ["b.*"]\ndialect = "hermes"\n',
    'tools = ["missing.json"]\nunknown = 1\n',
    'tools = ["tools.json"\n',
    "",
]
TOOLS = [
    json.dumps({"tools": DEFINITIONS}),
    json.dumps({"tools": DEFINITIONS[:2]}, indent=1),
    json.dumps({"tools": [*DEFINITIONS[2:], {"name": "raed_file", "inputSchema": {"type": "object"}}]}),
    json.dumps({"tools": []}),
]
#: What a tool file holds while someone is in the middle of it.
UNFINISHED = ['{"tools": [', "", TOOLS[0][:200]]
SETTINGS: list[Any] = [
    {},
    {"dialect": "tool-call-json"},
    {"strict": True},
    {"ignore": ["TC301"], "severity": {"unknown-argument": "info"}},
    {"dialect": 7},
    None,
]
NAMES = ["a.prompt", "b.prompt", "c.jsonl", "d.md", "e.toolcall", "f.md.j2"]
#: What is asked of one document, or of all of them.
METHODS = [
    feature.method
    for feature in all_features()
    if feature.method in types.METHOD_TO_TYPES and not feature.method.endswith("/resolve")
]
TEXTS = st.lists(pieces(), max_size=4).map(lambda parts: "\n\n".join(parts).encode("utf-8", "replace").decode())
NEW = st.one_of(
    st.sampled_from(
        ["x", "\n", "\r", "\r\n", "<", "`", "```\n", "😀", "\u2028", "\x0b", "\x85", "\ufeff", "}", '"', ""]
    ),
    pieces().map(lambda text: text.encode("utf-8", "replace").decode()),
)
FRACTION = st.floats(0, 1)


class Sessions(RuleBasedStateMachine):
    """An editor, its workspace, and the server that it talks to."""

    @initialize(encoding=st.sampled_from(["utf-16", "utf-8"]), configuration=st.sampled_from(CONFIGURATIONS))
    def begin(self, encoding: str, configuration: str) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="callwright-"))
        (self.root / "callwright.toml").write_text(configuration, "utf-8")
        (self.root / "tools.json").write_text(TOOLS[0], "utf-8")
        self.encoding = encoding
        self.settings: Any = {}
        self.documents: dict[str, Typist] = {}
        self.lost: set[str] = set()
        #: What the tool file held last that could be read, while it is open and something else is typed.
        self.typed: str | None = None
        self.server = self.started()

    def teardown(self) -> None:
        if hasattr(self, "root"):
            shutil.rmtree(self.root, ignore_errors=True)

    def started(self) -> Driven:
        driven = Driven(self.root, self.encoding)
        driven.notify("workspace/didChangeConfiguration", {"settings": {"callwright": self.settings}})
        return driven

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def some(self, number: int) -> str:
        names = sorted(self.documents)
        return names[number % len(names)]

    def report(self, name: str, changes: list[dict[str, Any]]) -> None:
        self.server.change(self.uri(name), self.documents[name].version, changes)
        if name in self.lost and any("range" not in change for change in changes):
            self.lost.discard(name)
        if name == "tools.json" and self.documents[name].text in TOOLS:
            self.typed = self.documents[name].text

    # What the editor does

    @rule(name=st.sampled_from(NAMES), text=TEXTS)
    def open(self, name: str, text: str) -> None:
        if name not in self.documents:
            self.documents[name] = Typist(text, self.encoding)
            self.server.open(self.uri(name), text, language="plaintext")

    @rule(
        number=st.integers(0, 9), start=FRACTION, length=st.sampled_from([0, 0, 1, 5, 60]), new=NEW, again=st.booleans()
    )
    @precondition(lambda self: bool(set(self.documents) - {"tools.json"}))
    def type(self, number: int, start: float, length: int, new: str, *, again: bool) -> None:
        name = self.some(number)
        if name == "tools.json":
            return
        size = len(self.documents[name].text)
        first = int(start * size)
        changes = [(first, min(size, first + length), new)]
        if again:
            changes.append((first, first, new))
        self.report(name, self.documents[name].type(changes))

    @rule(number=st.integers(0, 9), times=st.integers(1, 3))
    @precondition(lambda self: bool(self.documents))
    def undo(self, number: int, times: int) -> None:
        name = self.some(number)
        for _ in range(times):
            changes = self.documents[name].undo()
            if changes:
                self.report(name, changes)

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: bool(self.documents))
    def redo(self, number: int) -> None:
        name = self.some(number)
        changes = self.documents[name].redo()
        if changes:
            self.report(name, changes)

    @rule(number=st.integers(0, 9), text=TEXTS)
    @precondition(lambda self: bool(set(self.documents) - {"tools.json"}))
    def replace(self, number: int, text: str) -> None:
        name = self.some(number)
        if name != "tools.json":
            self.report(name, self.documents[name].replace(text))

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: bool(self.documents))
    def close(self, number: int) -> None:
        name = self.some(number)
        del self.documents[name]
        self.lost.discard(name)
        self.server.close(self.uri(name))
        if name == "tools.json":
            self.typed = None

    @rule(number=st.integers(0, 9), reported=st.booleans())
    @precondition(lambda self: bool(self.documents))
    def save(self, number: int, *, reported: bool) -> None:
        name = self.some(number)
        text = self.documents[name].text
        (self.root / name).write_bytes(text.encode("utf-8"))
        self.server.notify(
            "textDocument/didSave", {"textDocument": {"uri": self.uri(name)}, **({"text": text} if reported else {})}
        )
        if reported:
            self.lost.discard(name)

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: bool(set(self.documents) - {"tools.json"}))
    def an_older_version(self, number: int) -> None:
        name = self.some(number)
        if name == "tools.json":
            return
        place = between((0, 0), (0, 0))
        self.server.change(self.uri(name), self.documents[name].version - 1, [{"range": place, "text": "late"}])
        self.lost.add(name)

    @rule(number=st.integers(0, 9), line=st.integers(1, 9))
    @precondition(lambda self: bool(set(self.documents) - {"tools.json"}))
    def a_place_that_is_not_there(self, number: int, line: int) -> None:
        name = self.some(number)
        if name == "tools.json":
            return
        place = between((-line, 1), (-line, 2))
        self.documents[name].version += 1
        self.server.change(self.uri(name), self.documents[name].version, [{"range": place, "text": "x"}])
        self.lost.add(name)

    @rule(number=st.integers(0, 9), line=st.integers(1, 9))
    @precondition(lambda self: bool(set(self.documents) - {"tools.json"}))
    def a_place_past_the_end(self, number: int, line: int) -> None:
        name = self.some(number)
        if name == "tools.json":
            return
        there = self.documents[name].text.count("\n") + self.documents[name].text.count("\r") + line
        place = between((there, 1_000), (there, 2_000))
        self.documents[name].version += 1
        self.documents[name].text += "x"
        self.server.change(self.uri(name), self.documents[name].version, [{"range": place, "text": "x"}])

    # What happens to settings and tools

    @rule(value=st.sampled_from(SETTINGS))
    def other_settings(self, value: Any) -> None:
        self.settings = value
        self.server.notify("workspace/didChangeConfiguration", {"settings": {"callwright": value}})

    @rule(text=st.sampled_from(CONFIGURATIONS))
    def another_configuration(self, text: str) -> None:
        self.written("callwright.toml", text)

    @rule(text=st.sampled_from([*TOOLS, *UNFINISHED]), name=st.sampled_from(["tools.json", "more.json"]))
    def other_tools_on_the_disk(self, text: str, name: str) -> None:
        self.written(name, text)

    def written(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, "utf-8")
        change = {"uri": self.uri(name), "type": 2}
        self.server.notify("workspace/didChangeWatchedFiles", {"changes": [change]})

    @rule(text=st.sampled_from([*TOOLS, *UNFINISHED]))
    def other_tools_as_they_are_typed(self, text: str) -> None:
        if "tools.json" not in self.documents:
            first = (self.root / "tools.json").read_text("utf-8")
            self.documents["tools.json"] = Typist(first, self.encoding)
            self.server.open(self.uri("tools.json"), first, language="json")
            self.typed = first if first in TOOLS else None
        typist = self.documents["tools.json"]
        self.report("tools.json", typist.type([(0, len(typist.text), text)]))

    # What is asked

    @rule(number=st.integers(0, 9), method=st.sampled_from(METHODS), start=FRACTION)
    @precondition(lambda self: bool(self.documents))
    def ask(self, number: int, method: str, start: float) -> None:
        name = self.some(number)
        text = self.documents[name].text
        before = text[: int(start * len(text))].replace("\r\n", "\n").replace("\r", "\n")
        place = at(before.count("\n"), len(before) - before.rfind("\n") - 1)
        item = {"name": "x", "kind": 12, "uri": self.uri(name), "range": {"start": place, "end": place}}
        item |= {"selectionRange": item["range"], "data": {"tool": "read_file"}}
        params = {
            "textDocument": {"uri": self.uri(name)},
            "position": place,
            "positions": [place],
            "range": {"start": place, "end": place},
            "ranges": [{"start": place, "end": place}],
            "context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1, "isRetrigger": False},
            "options": {"tabSize": 2, "insertSpaces": True},
            "files": [{"oldUri": self.uri(name), "newUri": self.uri("z.prompt")}],
            "newName": "renamed",
            "query": "",
            "ch": ">",
            "previousResultId": "1",
            "previousResultIds": [],
            "item": item,
            "command": "callwright.dialects",
            "arguments": [],
        }
        answer = self.server.ask(method, params)
        assert answer.get("error", {}).get("code") != FAILED, (method, answer)

    # What always holds

    @invariant()
    def a_new_server_states_the_same(self) -> None:
        if not hasattr(self, "server"):
            return
        fresh = self.started()
        tools = self.documents.get("tools.json")
        if tools is not None:
            # What was typed last and can be read is what counts while something else is there.
            first = self.typed if self.typed is not None else tools.text
            fresh.open(self.uri("tools.json"), first, language="json")
            fresh.change(self.uri("tools.json"), 2, [{"text": tools.text}])
        for name, typist in self.documents.items():
            if name != "tools.json":
                fresh.open(self.uri(name), typist.text, language="plaintext")
        for name, typist in self.documents.items():
            uri = self.uri(name)
            stated = [one.published.get(uri, {}).get("diagnostics", []) for one in (self.server, fresh)]
            if name in self.lost:
                assert [item["severity"] for item in stated[0]] == [3], (name, stated)
                assert "out of sync" in stated[0][0]["message"]
                continue
            assert self.server.document(uri).text.text() == typist.text, name
            assert stated[0] == stated[1], (name, typist.text, stated)
            wrong = difference(self.server, fresh, uri, typist.text, deep=True)
            assert wrong is None, (name, typist.text, wrong)


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=tries(25), stateful_step_count=20, deadline=None)
