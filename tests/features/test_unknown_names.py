"""A command that names something unknown is refused with the name that was probably meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from callwright.features import workspace_execute_command as execute
from callwright.features.base import Client, RefusedError, Request
from support.engine import snapshot_of

CLIENT = Client.of({"workspace": {"applyEdit": True}})


def refused(command: str, *arguments: Any) -> str:
    """Return why a command about a document with one call is refused."""
    snapshot = snapshot_of("<read_file><path>a</path></read_file>\n")
    around: Any = SimpleNamespace(place=lambda _uri, _position: (snapshot, 0))
    params = SimpleNamespace(command=command, arguments=["file:///a.md", None, *arguments])
    with pytest.raises(RefusedError) as error:
        execute.handle(None, Request(client=CLIENT, params=params, workspace=around))
    return str(error.value)


def test_a_misspelt_dialect_is_answered_with_the_one_that_was_meant() -> None:
    stated = refused("callwright.convert", "hermse")
    assert stated.startswith("There is no dialect `hermse`; did you mean `hermes`? There are `anthropic-json`, ")


@pytest.mark.parametrize("name", ["zzz", 7])
def test_a_dialect_that_is_near_none_is_answered_with_all(name: object) -> None:
    assert refused("callwright.convert", name).startswith(f"There is no dialect `{name}`; there are `anthropic-json`, ")


def test_a_misspelt_command_is_answered_with_the_one_that_was_meant() -> None:
    assert refused("callwright.convrt") == "There is no command `callwright.convrt`; did you mean `callwright.convert`?"
    assert "the commands are callwright.convert, " in refused("other.command")
