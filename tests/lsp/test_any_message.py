"""Any message at all: every request is answered exactly once, and the session continues."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.features import all_features
from lsp.conversation import at, between, conversation
from support.sampling import tries

URI = "file:///nowhere/a.prompt"
METHODS = [
    *(feature.method for feature in all_features()),
    *("initialize", "callwright/status", "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"),
    *("textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "nothing/known"),
    *("workspace/didChangeWorkspaceFolders", "workspace/executeCommand", "$/setTrace", "initialized"),
]
NUMBERS = st.one_of(st.integers(-2, 5), st.sampled_from([2**31 - 1, 2**31, 2**70, -(2**40)]))
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=5,
)
PLACES = st.one_of(st.builds(at, NUMBERS, NUMBERS), JUNK)
RANGES = st.one_of(st.fixed_dictionaries({"start": PLACES, "end": PLACES}), st.just(between((0, 0), (0, 5))), JUNK)
TEXTS = st.sampled_from(["", "<read_file>", '{"tool": "', "</", "\n", "\N{GRINNING FACE}", "\ud800", "<![CDATA["])
DOCUMENTS = st.one_of(
    st.fixed_dictionaries(
        {"uri": st.sampled_from([URI, "untitled:x", "file:", "not a uri", "file:///%00"])},
        optional={"version": NUMBERS, "languageId": st.just("callwright-prompt"), "text": TEXTS},
    ),
    JUNK,
)
PARAMS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "textDocument": DOCUMENTS,
            "position": PLACES,
            "range": RANGES,
            "context": st.one_of(st.just({"diagnostics": []}), JUNK),
            "contentChanges": st.lists(st.fixed_dictionaries({"text": TEXTS}, optional={"range": RANGES}), max_size=3),
            "text": TEXTS,
            "settings": JUNK,
            "changes": st.lists(st.fixed_dictionaries({"uri": st.just("file:///x/callwright.toml")}), max_size=2),
            "event": st.fixed_dictionaries({"added": JUNK, "removed": JUNK}),
            "title": JUNK,
            "data": st.one_of(st.just({"uri": URI}), JUNK),
            "previousResultId": JUNK,
        },
    ),
    JUNK,
)
MESSAGES = st.lists(st.tuples(st.sampled_from(METHODS), PARAMS, st.booleans()), max_size=12)


@given(MESSAGES)
@settings(deadline=None, max_examples=tries(120))
def test_every_request_is_answered_once(messages: list[tuple[str, Any, bool]]) -> None:
    with conversation() as talk:
        talk.initialize()
        talk.open(URI, "<read_file><path>a</path></read_file>\n")
        asked: list[int] = []
        for method, params, is_request in messages:
            if is_request:
                asked.append(talk.begin(method, params))
            else:
                talk.notify(method, params)
        last = talk.begin("callwright/status", {"uri": "file:///other"})
        for identity in asked:
            answer = talk.answer(identity)
            assert ("result" in answer) != ("error" in answer)
            assert "error" not in answer or answer["error"]["code"] != -32603, answer
        assert talk.answer(last)["result"] is None
        assert not [message for message in talk.kept if "id" in message and "method" not in message]
        # An error with a reason of its own, not in the message's form, has these words.
        assert not [message for message in talk.kept if " failed: " in str(message.get("params"))]


@pytest.mark.parametrize(
    "places",
    [
        {"position": []},
        {"position": {"line": None, "character": 0}},
        {"range": {"start": {"line": 0, "character": 0}}},
        {"range": "all"},
        {"positions": 7},
        {"positions": [7]},
        {"ranges": {"start": 1}},
        {"ranges": [None]},
    ],
    ids=str,
)
def test_places_that_are_none_are_refused_in_requests_of_our_own(places: dict[str, Any]) -> None:
    with conversation() as talk:
        talk.initialize()
        talk.open(URI, "<read_file><path>a</path></read_file>\n")
        answer = talk.answer(talk.begin("callwright/preview", {"textDocument": {"uri": URI}, **places}))
        assert answer["error"]["code"] == -32602, answer
