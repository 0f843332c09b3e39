"""What is known of a name, in a workspace of the source and of the file that holds the case's tools.

That is `tools.json`, or what the `tools` fence says with `path=`, which may be a prompt; a case without that fence has
the source alone. `highlighted`: the source with every place in guillemets. `referenced`: each place as
`file:line: text of the line`; with `uses` without the definition. `prepared`: the name that an editor offers for
change, or why it must stay. `renamed NEW`: each line that is another one afterwards, as `file:line: text`; `asked`
before one that a person is asked about; then what is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from callwright.declarations.load import load_tools
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_document_highlight as highlight
from callwright.features import text_document_prepare_rename as prepare
from callwright.features import text_document_references as references
from callwright.features import text_document_rename as rename
from callwright.features.base import Client, RefusedError, Request
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span, apply_edits, line_and_column
from callwright.tools.formats.catalogue import is_claimed
from support.cases import Case, Fence, Producer
from support.engine import registry_of, settings_of

ASKING = Client.of({"workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}})


@dataclass(frozen=True)
class Opened:
    """The source and the tool file, if any, in one workspace; `asked` is what a client asks at the cursor."""

    here: Snapshot
    tools: Snapshot | None
    case: Case

    @property
    def documents(self) -> list[Snapshot | None]:
        """The documents in the order in which a workspace is searched."""
        return [self.tools, None, self.here] if self.tools is not None else [None, self.here]

    def asked(self, **params: Any) -> Request:
        documents = self.documents
        around: Any = SimpleNamespace(search=lambda _words: iter(documents), tool_file=lambda _path: self.tools)
        at = Span(self.case.cursor, self.case.cursor)
        return Request(at, ASKING, SimpleNamespace(**params), around)

    def name_of(self, document: Snapshot) -> str:
        return Path(document.path or "").name if document is self.tools else self.case.info["path"]


@contextmanager
def opened(case: Case) -> Iterator[Opened]:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tools = tool_file(case, folder) if "tools" in case.given else None
        registry = tools.registry if tools is not None else registry_of(case)
        path = str(folder / case.info["path"])
        here = open_snapshot(case.source, path=path, registry=registry, settings=settings_of(case.info))
        yield Opened(here, tools, case)


def tool_file(case: Case, folder: Path) -> Snapshot:
    """Return the file of the case's tools, written into a folder and opened."""
    given = case.given["tools"]
    file = folder / given.info.get("path", "tools.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(given.body, encoding="utf-8", newline="\n")
    host = find_host("tool-file") if is_claimed(str(file)) else None
    return open_snapshot(given.body, path=str(file), registry=load_tools(file), settings=settings_of({}), host=host)


def finished(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def _highlighted(case: Case, fence: Fence) -> str:
    with opened(case) as at:
        found = highlight.handle(at.here, at.asked())
    if found is None:
        return "nothing"
    markers = [Edit(each.span, f"«{each.span.of(case.source)}»") for each in found]
    return apply_edits(case.source, markers).replace("\r\n", "\n").removesuffix("\n")


def _referenced(case: Case, fence: Fence) -> str:
    with opened(case) as at:
        context = SimpleNamespace(include_declaration=fence.about != "uses")
        found = finished(references.handle(at.here, at.asked(context=context)))
        lines = [_line(at.name_of(document), document, each.span) for document, each in found or ()]
    return "\n".join(lines) or "nothing"


def _line(name: str, document: Snapshot, span: Span) -> str:
    text = document.document.text()
    number = line_and_column(text, span.start)[0]
    return f"{name}:{number}: {text.splitlines()[number - 1].strip()}"


def _prepared(case: Case, fence: Fence) -> str:
    with opened(case) as at:
        try:
            found = prepare.handle(at.here, at.asked())
        except RefusedError as refused:
            return f"refused: {refused}"
    return f"{found.span.of(case.source)} as {found.name}" if found is not None else "nothing"


def _renamed(case: Case, fence: Fence) -> str:
    out: list[str] = []
    with opened(case) as at:
        try:
            found = finished(rename.handle(at.here, at.asked(new_name=fence.about)))
        except RefusedError as refused:
            return f"refused: {refused}"
        for one in found.renamings if found is not None else ():
            for change in one.changes:
                text = one.snapshot.document.text()
                number = line_and_column(text, change.occurrence.span.start)[0]
                after = apply_edits(text, list(change.edits)).splitlines()[number - 1].strip()
                asked = f"asked ({change.occurrence.uncertainty.value}) " if change.occurrence.uncertainty.value else ""
                out.append(f"{asked}{at.name_of(one.snapshot)}:{number}: {after}")
        out += found.notes if found is not None else []
    return "\n".join(out) or "nothing"


PRODUCERS: dict[str, Producer] = {
    "highlighted": _highlighted,
    "referenced": _referenced,
    "prepared": _prepared,
    "renamed": _renamed,
}
