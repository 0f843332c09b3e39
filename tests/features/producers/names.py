"""What is known of a name, in a workspace of the source and of a tool file, `tools.json`, that holds the case's tools.

`highlighted`: the source with every place in guillemets. `referenced`: each place as `file:line: text of the line`;
with `uses` without the definition. `prepared`: the name that an editor offers for change, or why it must stay.
`renamed NEW`: each line that is another one afterwards, as `file:line: text`; `asked` before one that a person is asked
about; then what is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from callwright.analysis.snapshot import Snapshot
from callwright.features import text_document_document_highlight as highlight
from callwright.features import text_document_prepare_rename as prepare
from callwright.features import text_document_references as references
from callwright.features import text_document_rename as rename
from callwright.features.base import Client, RefusedError, Request
from callwright.hosts.catalogue import find_host
from callwright.linter import open_snapshot
from callwright.text.span import Edit, Span, apply_edits, line_and_column
from callwright.tools.load import load_tools
from support.cases import Case, Fence, Producer
from support.engine import settings_of

ASKING = Client.of({"workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}})


@dataclass(frozen=True)
class Opened:
    """The source and the tool file, open in one workspace; `asked` is what a client asks at the cursor."""

    here: Snapshot
    tools: Snapshot
    case: Case

    def asked(self, **params: Any) -> Request:
        documents = [self.tools, None, self.here]
        around: Any = SimpleNamespace(search=lambda _words: iter(documents), tool_file=lambda _path: self.tools)
        at = Span(self.case.cursor, self.case.cursor)
        return Request(at, ASKING, SimpleNamespace(**params), around)

    def name_of(self, document: Snapshot) -> str:
        return "tools.json" if document is self.tools else self.case.info["path"]


@contextmanager
def opened(case: Case) -> Iterator[Opened]:
    with TemporaryDirectory() as name:
        file = Path(name).resolve() / "tools.json"
        text = case.given["tools"].body
        file.write_text(text, encoding="utf-8", newline="\n")
        registry = load_tools(file)
        own = settings_of({})
        tools = open_snapshot(text, path=str(file), registry=registry, settings=own, host=find_host("tool-file"))
        path = str(file.with_name(case.info["path"]))
        here = open_snapshot(case.source, path=path, registry=registry, settings=settings_of(case.info))
        yield Opened(here, tools, case)


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
    marks = [Edit(each.span, f"«{each.span.of(case.source)}»") for each in found]
    return apply_edits(case.source, marks).removesuffix("\n")


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
                asked = f"asked ({change.occurrence.doubt.value}) " if change.occurrence.doubt.value else ""
                out.append(f"{asked}{at.name_of(one.snapshot)}:{number}: {after}")
        out += found.notes if found is not None else []
    return "\n".join(out) or "nothing"


PRODUCERS: dict[str, Producer] = {
    "highlighted": _highlighted,
    "referenced": _referenced,
    "prepared": _prepared,
    "renamed": _renamed,
}
