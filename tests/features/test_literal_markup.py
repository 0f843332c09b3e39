"""The offer to say in the configuration that values are literal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features.support.offers import literal_at, taken
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits
from callwright.tools.registry import ToolRegistry

TOOLS = ToolRegistry.of([{"name": "f", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}])
TAUGHT = "Write `&lt;` for a sign.\n\n<f><x>a < b</x></f>\n"


def opened(path: str, text: str, settings: Settings | None = None) -> Snapshot:
    host = find_host("configuration") if path.endswith(".toml") else None
    return open_snapshot(text, path=path, registry=TOOLS, settings=settings or Settings(), host=host)


def workspace_of(**files: str) -> Any:
    snapshots = [opened(f"/{name.replace('__', '/')}.toml", text) for name, text in files.items()]
    return cast("Any", SimpleNamespace(project_files=lambda: iter([None, *snapshots])))


def written(workspace: Any, settings: Settings | None = None, text: str = TAUGHT) -> tuple[str | None, str] | None:
    snapshot = opened("/work/a/prompt.md", text, settings)
    offers = [*literal_at(snapshot, Span(0, len(text)), workspace)]
    if not offers:
        return None
    (offer,) = offers
    assert offer.title == 'Set `markup = "raw"` in the configuration'
    assert offer.diagnostic is not None
    found = taken(offer.key, snapshot, workspace)
    assert found is not None
    return found.snapshot.path, apply_edits(found.snapshot.document.text(), found.edits)


def test_the_nearest_configuration_gets_the_key() -> None:
    workspace = workspace_of(
        callwright='dialect = "hermes"\n', work__callwright="strict = false\n", other__callwright=""
    )
    assert written(workspace) == ("/work/callwright.toml", 'markup = "raw"\nstrict = false\n')


def test_in_a_project_file_it_is_in_our_table() -> None:
    text = '[project]\nname = "x"\n\n[tool.callwright]\nstrict = false\n'
    wanted = text.replace("strict", 'markup = "raw"\nstrict')
    assert written(workspace_of(work__pyproject=text)) == ("/work/pyproject.toml", wanted)


@pytest.mark.parametrize(
    ("files", "settings", "text"),
    [
        ({}, None, TAUGHT),
        ({"other__callwright": ""}, None, TAUGHT),
        ({"work__callwright": 'markup = "xml"\n'}, None, TAUGHT),
        ({"work__pyproject": "[project]\n"}, None, TAUGHT),
        ({"work__callwright": ""}, Settings(markup="xml"), TAUGHT),
        ({"work__callwright": ""}, None, "<f><x>a < b</x></f>\n"),
    ],
)
def test_where_there_is_nothing_to_report_or_no_place_for_it(
    files: dict[str, str], settings: Settings | None, text: str
) -> None:
    assert written(workspace_of(**files), settings, text) is None


def test_without_a_workspace_there_is_none() -> None:
    assert written(None) is None
