"""Document links: the files that a configuration names, and what the references in a tool file lead to.

Owns: `textDocument/documentLink`. Must not know: positions.

A file is only looked for, never opened, and only inside the folder that the configuration may name files of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind, empty_answer
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.schema_places import Reference
    from callwright.tools.documents import ToolDocument
    from callwright.tools.references import SchemaPath


#: Keys of a configuration whose values are paths or patterns of files.
_FILES: Final = frozenset({"tools", "extend_tools", "extend"})
#: What makes a pattern of a path.
_PATTERN: Final = frozenset("*?[{")


@dataclass(frozen=True, slots=True)
class Link:
    """A place that leads somewhere: to a file, or to a place in the same document."""

    span: Span
    file: str | None = None
    place: Span | None = None


def _of_configuration(snapshot: Snapshot, _request: Request) -> Sequence[Link]:
    """Return the files that a configuration names, in the order of the text."""
    return sorted(_files_named(snapshot), key=lambda link: link.span)


def _of_tools(snapshot: Snapshot, _request: Request) -> Sequence[Link]:
    """Return the references of schemas, in the order of the text."""
    return sorted(_links_in(snapshot), key=lambda link: link.span)


def _files_named(snapshot: Snapshot) -> Iterator[Link]:
    import tomllib

    from callwright.config.tool_files import inside
    from callwright.syntax.toml_places import TomlPlaces

    if snapshot.path is None:
        return
    text = snapshot.document.text()
    try:
        stated = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return
    folder = Path(snapshot.path).parent
    boundary = snapshot.origin.boundary or str(folder)
    places = TomlPlaces(text)
    for path, value in _named(stated):
        span = places.value(path)
        file = folder / value
        if span is None or _PATTERN & set(value) or "\0" in value:
            continue
        try:
            known = inside(file, boundary) and file.is_file()
        except OSError:
            continue
        if known:
            yield Link(_bare(span, text), str(file.resolve()))


def _named(stated: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the paths and patterns that a configuration names, each with its place."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), stated)]
    while pending:
        at, node = pending.pop()
        members = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in members:
            named = next((step for step in reversed((*at, key)) if isinstance(step, str)), "")
            if isinstance(value, str) and named.replace("-", "_") in _FILES:
                yield (*at, key), value
            elif isinstance(value, dict | list):
                pending.append(((*at, key), value))


def _links_in(snapshot: Snapshot) -> Iterator[Link]:
    from callwright.features.support.schema_places import references_of
    from callwright.prompt.named import document_of

    document = document_of(snapshot)
    for each in references_of(document):
        target = _target(each, document)
        bare = _bare(document.places.value(each.place), document.text)
        if target is not None:
            yield Link(bare, place=document.places.value(target))
        elif snapshot.path is not None and (file := _file(each.written, snapshot.path)) is not None:
            yield Link(bare, file)


def _target(given: Reference, document: ToolDocument) -> SchemaPath | None:
    """Return the path of what a pointer leads to, in the schema or, as OpenAPI has it, in the document."""
    from urllib.parse import unquote

    reference = given.written
    if not reference.startswith("#") or (len(reference) > 1 and reference[1] != "/"):
        return None
    steps = [step.replace("~1", "/").replace("~0", "~") for step in unquote(reference[1:]).split("/")[1:]]
    for start, root in ((given.base, given.schema), ((), document.value)):
        path: list[str | int] = []
        node: Any = root
        for step in steps:
            if isinstance(node, Mapping) and step in node:
                path.append(step)
                node = node[step]
            elif isinstance(node, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(node):
                path.append(int(step))
                node = node[int(step)]
            else:
                break
        else:
            return (*start, *path)
    return None


def _file(reference: str, path: str) -> str | None:
    """Return the file beside the tool file that a reference names, None where there is none."""
    from callwright.config.tool_files import inside

    name = reference.partition("#")[0]
    if not name or "://" in name or "\0" in name:
        return None
    folder = Path(path).parent
    try:
        file = folder / name
        return str(file.resolve()) if inside(file, folder) and file.is_file() else None
    except (OSError, ValueError):
        return None


def _bare(span: Span, text: str) -> Span:
    """Return the span of a string without its quotes."""
    quoted = span.end - span.start >= 2 and text[span.start] in "\"'" and text[span.end - 1] == text[span.start]
    return Span(span.start + 1, span.end - 1) if quoted else span


def to_lsp(result: Sequence[Link], edge: Edge) -> list[dict[str, Any]]:
    """Return the links; a place in the document is written as editors accept it: its line and column, from 1."""
    shown: list[dict[str, Any]] = []
    for link in result:
        target = edge.uri
        if link.place is not None:
            start = edge.to_lsp_range(link.place)["start"]
            target = f"{edge.uri}#L{start['line'] + 1},{start['character'] + 1}"
        elif link.file is not None:
            target = Path(link.file).as_uri()
        shown.append({"range": edge.to_lsp_range(link.span), "target": target})
    return shown


handle = by_kind(calls=empty_answer, tools=_of_tools, configuration=_of_configuration)

FEATURE: Final = Feature(
    method="textDocument/documentLink",
    capability="documentLinkProvider",
    options={"resolveProvider": False},
    handle=handle,
    to_lsp=to_lsp,
)
