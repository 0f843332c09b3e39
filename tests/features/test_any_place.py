"""Every feature at any place of any document: an answer that can be sent, with places inside the document."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from random import Random
from typing import Any

import pytest
from lsprotocol import converters, types

from callwright.document.snapshot import Snapshot
from callwright.features import all_features
from callwright.features.base import Client, Feature, Made, ProjectTools, RefusedError, Request
from callwright.features.support.commanding import command_names
from callwright.lsp.wire import DocumentEdge
from callwright.text.document import TextDocument
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span
from invariants.corpus import seeded
from invariants.host_documents import documents, mutants
from support.engine import snapshot_of
from support.sampling import sampled

BATCHES = 4
PER_BATCH = 60
#: The protocol's own methods.
FEATURES = {feature.method: feature for feature in all_features() if feature.method in types.METHOD_TO_TYPES}
COMMANDS = command_names()
CONVERTER = converters.get_converter()
#: A client that takes everything, one that folds whole lines, and one that says nothing of itself.
CLIENTS = (
    Client.of(
        {
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": True, "labelDetailsSupport": True}},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "tagSupport": {"valueSet": [1]}},
                "semanticTokens": {"multilineTokenSupport": True},
                "foldingRange": {"foldingRange": {"collapsedText": True}},
                "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
                "codeAction": {"codeActionLiteralSupport": {}, "resolveSupport": {"properties": ["edit"]}},
            },
            "workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}},
        }
    ),
    Client.of({"textDocument": {"foldingRange": {"lineFoldingOnly": True}}}),
    Client.of({}),
)


class Around:
    """A workspace of one document."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def search(self, words: Iterable[str]) -> Iterator[Snapshot | None]:
        assert [*words]
        yield None
        yield self.snapshot

    def made(self, make: Callable[[Snapshot, Any], Any], _passed: object) -> Iterator[Made | None]:
        yield None
        yield Made(self.snapshot.uri, None, make(self.snapshot, edge_of(self.snapshot, CLIENTS[0])))

    def registries(self) -> Iterator[Any]:
        yield ProjectTools(None, self.snapshot.registry, {})

    def place(self, uri: str, position: Any) -> tuple[Snapshot, int]:
        del uri, position
        return self.snapshot, len(self.snapshot.document) // 2

    def document(self, uri: str) -> Snapshot:
        del uri
        return self.snapshot

    def project_files(self) -> Iterator[Snapshot | None]:
        yield None
        yield self.snapshot

    def path_of(self, uri: str) -> str | None:
        return uri.removeprefix("file://")

    def tool_file(self, path: str) -> Snapshot | None:
        del path
        return None

    def check_chat_template(self, uri: str) -> None:
        raise RefusedError(f"`{uri}` is no chat template.")


def params_of(method: str, snapshot: Snapshot, span: Span, random: Random) -> Any:
    """Return the parameters of a request as a client sends them; every method finds its own among them."""
    edge = edge_of(snapshot, CLIENTS[0])
    place = edge.to_lsp_range(span)
    raw: dict[str, Any] = {
        "textDocument": {"uri": snapshot.uri},
        "position": place["start"],
        "positions": [place["start"], place["end"]],
        "range": place,
        "ranges": [place],
        "context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1, "isRetrigger": False},
        "newName": random.choice(("renamed", "a b", "")),
        "query": random.choice(("", "read", "x")),
        "ch": random.choice((">", "/", '"')),
        "options": {"tabSize": random.choice((2, 4)), "insertSpaces": True},
        "previousResultId": random.choice(("1", "gone")),
        "previousResultIds": [],
        "item": {
            "name": "x",
            "kind": 12,
            "uri": snapshot.uri,
            "range": place,
            "selectionRange": place,
            "data": random.choice(({"tool": "read_file", "file": None}, {"uri": snapshot.uri, "place": -1}, None)),
        },
        "title": "a title",
        "label": "a label",
        "data": {"uri": snapshot.uri},
        "command": random.choice(("callwright.none", *COMMANDS)),
        "arguments": [snapshot.uri, place],
        "files": [{"oldUri": snapshot.uri, "newUri": "file:///elsewhere/a.json"}, {"oldUri": "/w/x", "newUri": "/w/y"}],
    }
    wanted: Any = types.METHOD_TO_TYPES[method][2]
    return CONVERTER.structure(raw, wanted)


def edge_of(snapshot: Snapshot, client: Client) -> DocumentEdge:
    return DocumentEdge(snapshot.document, uri=snapshot.uri, version=1, encoding=PositionEncoding.UTF16, client=client)


def answer(feature: Feature[Any], snapshot: Snapshot, request: Request) -> Any:
    try:
        result = feature.handle(None if feature.of_workspace else snapshot, request)
        if isinstance(result, Generator):
            while True:
                try:
                    next(result)
                except StopIteration as stop:
                    result = stop.value
                    break
        return None if result is None else feature.to_lsp(result, edge_of(snapshot, request.client))
    except RefusedError as refused:
        return str(refused)


def positions_in(value: Any) -> Iterator[dict[str, int]]:
    if isinstance(value, dict):
        if value.keys() == {"line", "character"}:
            yield value
        for inner in value.values():
            yield from positions_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from positions_in(inner)


def check(document: TextDocument, found: Any, where: str) -> None:
    json.dumps(found)
    for position in positions_in(found):
        assert 0 <= position["line"] < document.line_count, (where, position)
        line = document.line(position["line"])
        assert 0 <= position["character"] <= len(line.encode("utf-16-le", "surrogatepass")) // 2, (where, position)


def ask_everything(snapshot: Snapshot, random: Random, where: str) -> int:
    size, asked = len(snapshot.document), 0
    around: Any = Around(snapshot)
    for method, feature in FEATURES.items():
        if method.endswith("/resolve"):
            continue
        start = random.randint(0, size)
        end = start if random.random() < 0.5 else random.randint(start, min(size, start + 200))
        span = Span(start, end)
        client = random.choice(CLIENTS)
        params = params_of(method, snapshot, span, random)
        memory = Holder()
        for _ in range(2):
            request = Request(span, client, params, around, (start, end), memory)
            found = answer(feature, snapshot, request)
            check(snapshot.document, found, f"{method} at {start}-{end} of {where}")
            asked += 1
    return asked


@pytest.mark.parametrize("batch", sampled(range(BATCHES)))
def test_every_feature_answers_at_any_place_of_any_document(batch: int, record_property: Any) -> None:
    random = seeded(f"any place {batch}")
    asked = 0
    for number, document in enumerate(mutants(batch, PER_BATCH, "features")):
        asked += ask_everything(document.opened(), random, f"mutant {number} ({document.path}): {document.text!r}")
    record_property("counted", ("requests", f"batch {batch}", asked))


@pytest.mark.parametrize("batch", sampled(range(BATCHES)))
def test_every_feature_answers_at_many_places_of_sound_documents(batch: int) -> None:
    random = seeded(f"sound {batch}")
    for document in documents()[batch :: BATCHES * 3]:
        snapshot = document.opened()
        for _ in range(2):
            ask_everything(snapshot, random, f"{document.path}: {document.text!r}")


def test_every_feature_answers_in_an_empty_document_and_after_the_last_line() -> None:
    random = seeded("empty")
    for text in ("", "\n", "<read_file>", "<read_file><path>a\n", "\r\n<read_file>\r"):
        ask_everything(snapshot_of(text), random, repr(text))
