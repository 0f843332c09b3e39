"""`moved OLD>NEW…`: the document after its edits for files that move, or `nothing`; all in one folder."""

from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from callwright.config import CONFIGURATION_NAMES
from callwright.features import workspace_will_rename_files as feature
from callwright.features.base import Request
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.text.span import apply_edits
from support.cases import Case, Fence, Producer
from support.engine import registry_of, settings_of


def _moved(case: Case, fence: Fence) -> str:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        path = folder / case.info["path"]
        host = find_host("configuration" if path.name in CONFIGURATION_NAMES else "tool-file")
        settings, registry = settings_of(case.info), registry_of(case)
        snapshot = open_snapshot(case.source, path=str(path), registry=registry, settings=settings, host=host)
        files = []
        for pair in fence.about.split():
            old, new = pair.split(">")
            files.append(SimpleNamespace(old_uri=str(folder / old), new_uri=str(folder / new)))
        around: Any = SimpleNamespace(project_files=lambda: iter([None, snapshot]), path_of=lambda uri: uri)
        steps = feature.handle(None, Request(params=SimpleNamespace(files=files), workspace=around))
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                found = stop.value
                break
    if found is None:
        return "nothing"
    ((document, edits),) = found
    assert document is snapshot
    return apply_edits(case.source, edits).removesuffix("\n")


PRODUCERS: dict[str, Producer] = {"moved": _moved}
