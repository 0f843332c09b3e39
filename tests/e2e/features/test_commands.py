"""Commands that need no document, over standard input and output."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from callwright.dialects.catalogue import all_dialects


@pytest.mark.asyncio
async def test_the_dialects_are_reported_with_their_summaries(client: LanguageClient) -> None:
    reported = await client.workspace_execute_command_async(types.ExecuteCommandParams("callwright.dialects"))
    assert [(one["name"], one["summary"]) for one in reported or []] == [
        (one.name, one.summary) for one in all_dialects()
    ]
