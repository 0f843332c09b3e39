"""Code lenses and their commands over standard input and output."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TEXT = "🐞 <debug_launch><program>a.py</program></debug_launch>\n\n<debug_launch>{}</debug_launch>\n"


async def commands_of(client: LanguageClient, opened: Opened) -> list[types.Command]:
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(opened.identifier))
    return [lens.command for lens in lenses or [] if lens.command is not None]


def asked(command: types.Command) -> types.ExecuteCommandParams:
    return types.ExecuteCommandParams(command.command, command.arguments)


@pytest.mark.asyncio
async def test_a_call_is_converted_by_its_lens(client: LanguageClient, workspace: Path) -> None:
    applied: asyncio.Future[types.ApplyWorkspaceEditParams] = asyncio.get_running_loop().create_future()

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        applied.set_result(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
    opened = written(client, workspace / "debug" / "lens.prompt", TEXT)
    convert = next(each for each in await commands_of(client, opened) if each.title.startswith("Convert"))
    assert await client.workspace_execute_command_async(asked(convert)) == {"converted": 1}
    edit = (await asyncio.wait_for(applied, 10)).edit
    (change,) = edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    opened.change([each for each in change.edits if isinstance(each, types.TextEdit)])
    assert opened.text == TEXT.replace("<program>a.py</program>", '{"program": "a.py"}')


@pytest.mark.asyncio
async def test_feedback_is_returned(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "lens.toolcall", TEXT)
    *_, feedback = [each for each in await commands_of(client, opened) if each.title.startswith("Copy")]
    reported = await client.workspace_execute_command_async(asked(feedback))
    assert isinstance(reported, str)
    assert "`program`" in reported


@pytest.mark.asyncio
async def test_what_cannot_be_done_is_refused_in_words(client: LanguageClient) -> None:
    for command in (types.ExecuteCommandParams("callwright.none"), types.ExecuteCommandParams("callwright.feedback")):
        with pytest.raises(JsonRpcException, match=r"no command|requires the URI"):
            await client.workspace_execute_command_async(command)
