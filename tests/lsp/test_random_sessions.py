"""Random sessions: whatever a client asks, wherever, between edits of any document, is answered without a fault."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from lsprotocol import types

from callwright.features import all_features
from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding, PositionWriter
from callwright.text.span import Edit, Span, apply_edits
from invariants.corpus import seeded
from invariants.host_documents import documents, random_edit
from lsp.conversation import CAPABILITIES, Conversation, conversation

SESSIONS = 4
DOCUMENTS = 6
EDITS = 3
#: What only says that something cannot be done, in words for a person.
REFUSED = -32803
METHODS = [
    feature.method
    for feature in all_features()
    if feature.method in types.METHOD_TO_TYPES
    and not feature.method.endswith("/resolve")
    and feature.method != "workspace/diagnostic"
]


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        talk.initialize({**CAPABILITIES, "workspace": {"applyEdit": True}})
        yield talk


def params_of(uri: str, text: str, random: Random) -> dict[str, Any]:
    document = TextDocument.from_text(text)
    start = random.randint(0, len(text))
    ends = [start, min(len(text), start + random.choice((0, 1, 40)))]
    places = [
        dict(zip(("line", "character"), PositionWriter(document, PositionEncoding.UTF16).position(end), strict=True))
        for end in ends
    ]
    return {
        "textDocument": {"uri": uri},
        "position": places[0],
        "positions": places,
        "range": {"start": places[0], "end": places[1]},
        "ranges": [{"start": places[0], "end": places[1]}],
        "files": [{"oldUri": uri, "newUri": f"{uri}.old"}],
        "context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1, "isRetrigger": False},
        "newName": "renamed",
        "query": random.choice(("", "read")),
        "ch": random.choice((">", "/")),
        "options": {"tabSize": 2, "insertSpaces": True},
        "previousResultId": "1",
        "item": {
            "name": "x",
            "kind": 12,
            "uri": uri,
            "range": {"start": places[0], "end": places[1]},
            "selectionRange": {"start": places[0], "end": places[1]},
            "data": random.choice(({"tool": "read_file"}, {"uri": uri, "place": -1}, {"place": "x"})),
        },
        "command": random.choice(("callwright.feedback", "callwright.convert")),
        "arguments": [uri, places[0], "xml-json"],
    }


@pytest.mark.parametrize("session", range(SESSIONS))
def test_everything_that_is_asked_is_answered(talk: Conversation, session: int) -> None:
    random = seeded(f"session {session}")
    for number in range(DOCUMENTS):
        document = random.choice(documents())
        text = document.text[:8_000].replace("\x00", "").encode("utf-8", "replace").decode()
        uri = f"file:///nowhere/{session}-{number}/{document.path.rpartition('/')[2]}"
        talk.open(uri, text)
        for version in range(2, EDITS + 2):
            edit = random_edit(text, random)
            text = apply_edits(text, [Edit(Span(*edit.span), edit.text)]).encode("utf-8", "replace").decode()
            talk.change(uri, version, {"text": text})
            asked = {method: talk.begin(method, params_of(uri, text, random)) for method in METHODS}
            for method, request in asked.items():
                answer = talk.answer(request)
                code = answer.get("error", {}).get("code", REFUSED)
                assert code == REFUSED, (method, answer, text)
        talk.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
