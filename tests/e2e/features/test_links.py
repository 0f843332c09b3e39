"""Document links and type definitions over standard input and output: both lead into files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TOOLS = json.dumps(
    {
        "tools": [
            {
                "name": "move",
                "inputSchema": {
                    "type": "object",
                    "properties": {"to": {"$ref": "#/$defs/point"}, "fast": {"type": "boolean"}},
                    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}}},
                },
            }
        ]
    },
    indent=2,
)


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n")


@pytest.mark.asyncio
async def test_a_configuration_links_its_files(client: LanguageClient, workspace: Path) -> None:
    folder = workspace / "debug"
    opened = written(client, folder / "callwright.toml", 'tools = ["tools/*.json", "tools/debug.json"]\n')
    found = await client.text_document_document_link_async(types.DocumentLinkParams(opened.identifier))
    (link,) = found or []
    assert link.target == (folder / "tools" / "debug.json").as_uri()
    assert (link.range.start, link.range.end) == (opened.position('json", "'), opened.position("tools/debug.json"))


@pytest.mark.asyncio
async def test_references_and_arguments_lead_to_schemas(client: LanguageClient, workspace: Path) -> None:
    folder = workspace / "debug"
    (folder / "tools" / "debug.json").write_text(TOOLS, encoding="utf-8")
    prompt = written(client, folder / "move.prompt", '🐞 <move>{"to": {"x": 1}, "fast": true}</move>')
    tools = Opened(client, folder / "tools" / "debug.json")
    found = await client.text_document_document_link_async(types.DocumentLinkParams(tools.identifier))
    (link,) = found or []
    assert link.target is not None
    line = line_of(tools.text, '"point": {') + 1
    assert link.target.startswith(f"{tools.uri}#L{line},")
    for pointed, expected in (('{"t', '"point": {'), ('"fast": tr', '"fast": {'), ("🐞 <mo", '"inputSchema": {')):
        asked = types.TypeDefinitionParams(prompt.identifier, prompt.position(pointed))
        places = await client.text_document_type_definition_async(asked)
        assert isinstance(places, list | tuple)
        (place,) = places
        assert isinstance(place, types.Location)
        assert place.uri == tools.uri
        assert place.range.start.line == line_of(tools.text, expected)
