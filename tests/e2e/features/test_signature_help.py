"""Signature help over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = '🐞 <debug_launch>{"program": "main.py", "mode": \n'


@pytest.mark.asyncio
async def test_the_parameter_that_is_written_is_reported(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "signature.prompt", TEXT)
    asked = types.SignatureHelpParams(opened.identifier, opened.position('"mode": '))
    found = await client.text_document_signature_help_async(asked)
    assert found is not None
    (signature,) = found.signatures
    assert signature.label.startswith('debug_launch(program: string, mode?: "script" | "pytest" | "module", ')
    assert found.active_parameter == 1
    parameter = (signature.parameters or [])[1]
    assert isinstance(parameter.label, tuple | list)
    assert signature.label[slice(*parameter.label)].startswith("mode?")
    nowhere = types.SignatureHelpParams(opened.identifier, types.Position(0, 0))
    assert await client.text_document_signature_help_async(nowhere) is None
