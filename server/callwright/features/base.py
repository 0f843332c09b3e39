"""What a feature is: one method of the language server protocol, on spans and snapshots.

Owns: `Feature` (what every other module here exports), `Request`, `Client`, `Edge`. Must not know: any single feature,
pygls, position encodings.

A feature module has `handle`, `to_lsp`, and one `FEATURE` that declares all that the server needs to know. Modules
import at their top only what is cheap: all of them are listed while a client waits for its first answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from callwright.text.facts import Holder
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Client:
    """What the client can do, as far as a feature's answer depends on it."""

    snippets: bool = False
    label_details: bool = False
    hover_formats: frozenset[str] = frozenset()
    documentation_formats: frozenset[str] = frozenset()
    completion_tags: frozenset[int] = frozenset()
    insert_text_modes: frozenset[int] = frozenset()
    preferred: bool = False
    action_literals: bool = True
    disabled_actions: bool = False
    action_resolve: bool = False
    document_changes: bool = False
    related_information: bool = False
    tags: frozenset[int] = frozenset()
    prepare_rename: bool = False
    change_annotations: bool = False
    #: The language of the user, such as `fr-CA`; empty where the client does not state it.
    locale: str = ""
    #: The description as it came, for what one feature alone depends on.
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    def promises(self, path: str) -> bool:
        """Return whether the capability at `path` (steps with dots between them) is there: an object, or true."""
        value = _at(self.capabilities, path)
        return value is True or isinstance(value, Mapping)

    def words(self, path: str) -> frozenset[str]:
        """Return the strings of the list at `path`; none where there is no list."""
        value = _at(self.capabilities, path)
        return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()

    @classmethod
    def of(cls, capabilities: Mapping[str, Any], locale: Any = None) -> Client:
        """Return what a client's own description of its capabilities promises; anything malformed promises nothing."""

        described = cls(capabilities=capabilities, locale=locale if isinstance(locale, str) else "")

        def get(path: str) -> Any:
            return _at(capabilities, path)

        def numbers(path: str) -> frozenset[int]:
            value = get(path)
            return (
                frozenset(item for item in value if isinstance(item, int)) if isinstance(value, list) else frozenset()
            )

        item = "textDocument.completion.completionItem"
        action = "textDocument.codeAction"

        resolvable = get(f"{action}.resolveSupport.properties")
        return replace(
            described,
            snippets=get(f"{item}.snippetSupport") is True,
            label_details=get(f"{item}.labelDetailsSupport") is True,
            hover_formats=described.words("textDocument.hover.contentFormat"),
            documentation_formats=described.words(f"{item}.documentationFormat"),
            completion_tags=numbers(f"{item}.tagSupport.valueSet"),
            insert_text_modes=numbers(f"{item}.insertTextModeSupport.valueSet"),
            preferred=get(f"{action}.isPreferredSupport") is True,
            action_literals=get(f"{action}.codeActionLiteralSupport") is not None,
            disabled_actions=get(f"{action}.disabledSupport") is True,
            action_resolve=isinstance(resolvable, list) and "edit" in resolvable,
            document_changes=get("workspace.workspaceEdit.documentChanges") is True,
            related_information=get("textDocument.publishDiagnostics.relatedInformation") is True
            or get("textDocument.diagnostic.relatedInformation") is True,
            tags=numbers("textDocument.publishDiagnostics.tagSupport.valueSet")
            | numbers("textDocument.diagnostic.tagSupport.valueSet"),
            prepare_rename=get("textDocument.rename.prepareSupport") is True,
            change_annotations=get("workspace.workspaceEdit.changeAnnotationSupport") is not None,
        )


def _at(capabilities: Mapping[str, Any], path: str) -> Any:
    value: Any = capabilities
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


class RefusedError(Exception):
    """The request is refused; the text is the reason, in a sentence or two for the user."""


@dataclass(frozen=True, slots=True)
class ProjectTools:
    """The tools of one project: the file that configures it, None where none does, and the diagnostics in its tool
    files.

    `diagnostics` counts them by path and severity.
    """

    file: str | None
    registry: ToolRegistry
    diagnostics: Mapping[str, Mapping[str, int]]


class Made(NamedTuple):
    """What was made of one document; `version` is that of an open one, None for a file."""

    uri: str
    version: int | None
    value: Any


class Workspace(Protocol):
    """The documents around the one that is asked about: what the editor has open, and the files of its folders."""

    def search(self, words: Iterable[str]) -> Iterator[Snapshot | None]:
        """Yield the documents that contain one of the words, tool files first, and None where work may pause."""

    def made(
        self, make: Callable[[Snapshot, Edge], Any], passed: Callable[[str, Hashable], bool]
    ) -> Iterator[Made | None]:
        """Yield what is made of every document, in any order, and None where work may pause.

        `make` is a function of a module that returns plain data: other processes may call it. A file of which `passed`
        returns true is not read; it is given the file's address, and a state that differs once the file or its project
        changes.
        """

    def place(self, uri: str, position: Any) -> tuple[Snapshot, int] | None:
        """Return an open document and the offset of a position in it, the start without one; None for any other."""

    def tool_file(self, path: str) -> Snapshot | None:
        """Return a file that defines tools, None where there is no such file any more."""

    def document(self, uri: str) -> Snapshot | None:
        """Return an open document, or a file of the folders; None for any other."""

    def project_files(self) -> Iterator[Snapshot | None]:
        """Yield the configurations of the folders and their tool files, and None where work may pause."""

    def path_of(self, uri: str) -> str | None:
        """Return the path of a document that is a file, None for any other."""

    @property
    def check_chat_template(self) -> Callable[[str], None]:
        """What has the chat templates in an open document rendered and checked; it raises RefusedError with the reason
        where that is not done."""

    def registries(self) -> Iterator[ProjectTools]:
        """Yield the tools of each project that has an open document, and of those in the folders."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks about: the place in the document, and the parameters of its message as they came.

    `span` covers the range asked about; a position is an empty span, `offsets` are the positions where several are
    asked about, `spans` the ranges. `params` is of the protocol's own type. `workspace` is None where there are no
    other documents. `memory` lasts while the document is open, for the workspace as long as the session: what the
    client was sent last, for those who answer with differences.
    `turned_off` are settings of the editor, by their names, that a person has set to false. `rendered` are the
    diagnostics of the document's chat templates that were rendered.
    """

    span: Span = field(default=Span(0, 0))
    client: Client = field(default_factory=Client)
    params: Any = None
    workspace: Workspace | None = None
    offsets: tuple[int, ...] = ()
    memory: Holder = field(default_factory=Holder)
    spans: tuple[Span, ...] = ()
    turned_off: frozenset[str] = frozenset()
    rendered: tuple[Diagnostic, ...] = ()


class Lines(Protocol):
    """The lines of a segment of a document: positions in it, counted from its first line."""

    @property
    def first(self) -> int:
        """The line of the document in which the segment begins, from 0."""

    @property
    def key(self) -> Any:
        """What the positions depend on beside the text of the segment."""

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and character of an offset that counts from where the segment begins."""


class Edge(Protocol):
    """The boundary to the protocol: turns offsets of one document into what goes over the wire."""

    @property
    def client(self) -> Client:
        """What the client can do."""

    @property
    def uri(self) -> str:
        """The document."""

    @property
    def version(self) -> int | None:
        """Which version of the document the offsets belong to."""

    def of(self, snapshot: Snapshot) -> Edge:
        """Return the boundary for another document."""

    def to_lsp_range(self, span: Span) -> dict[str, Any]:
        """Return a span as a range in the client's position encoding."""

    def lines(self, span: Span) -> Lines:
        """Return the lines of a segment of the document, for positions that are kept over an edit above it."""

    def to_lsp_edit(self, edit: Edit) -> dict[str, Any]:
        """Return an edit as a text edit."""

    def to_lsp_diagnostic(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """Return a diagnostic as the client is shown it."""

    def to_lsp_workspace_edit(self, edits: Sequence[Edit]) -> dict[str, Any]:
        """Return edits of this document as an edit of the workspace, bound to the document's version if possible."""


_Result = TypeVar("_Result")


def no_answer(_snapshot: Snapshot, _request: Request) -> None:
    """Return no answer for a kind of document."""


def empty_answer(_snapshot: Snapshot, _request: Request) -> tuple[()]:
    """Return an empty answer for a kind of document."""
    return ()


def by_kind(
    *,
    calls: Callable[[Snapshot, Request], _Result],
    tools: Callable[[Snapshot, Request], _Result],
    configuration: Callable[[Snapshot, Request], _Result],
) -> Callable[[Snapshot, Request], _Result]:
    """Return a handler that asks another one by what the document holds."""
    handlers = {"calls": calls, "tools": tools, "configuration": configuration}

    def handle(snapshot: Snapshot, request: Request) -> _Result:
        """Return the answer for the document's kind."""
        return handlers[snapshot.host.holds](snapshot, request)

    return handle


def to_lsp_edits(result: Sequence[Edit], edge: Edge) -> list[dict[str, Any]]:
    """Return edits of the document as text edits."""
    return [edge.to_lsp_edit(edit) for edit in result]


def to_lsp_locations(result: Sequence[tuple[Snapshot, Span]], edge: Edge) -> list[dict[str, Any]]:
    """Return places in documents as locations."""
    return [{"uri": document.uri, "range": edge.of(document).to_lsp_range(span)} for document, span in result]


def of_json(to_json: Callable[[_Result, Edge], str]) -> Callable[[_Result, Edge], Any]:
    """Return the `to_lsp` of a feature whose answer is written as JSON."""

    def to_lsp(result: _Result, edge: Edge) -> Any:
        """Return the answer as plain data."""
        return json.loads(to_json(result, edge))

    return to_lsp


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature(Generic[_Result]):
    """One method of the protocol, and all that the server needs to know of it.

    `_Result` is what `handle` returns and all others are given.
    """

    method: str
    #: Returns what the client asks for, in spans and offsets; None where there is no answer. It is given the document's
    #: snapshot, None for a feature of the workspace. A generator yields wherever other messages may be answered in
    #: between, and returns its result in the end.
    handle: Callable[[Any, Request], _Result | Generator[_Result | None, None, _Result | None] | None]
    #: Returns a result of `handle` as plain data in the protocol's form.
    to_lsp: Callable[[_Result, Edge], Any]
    #: Its key among the server's capabilities, steps of a path with dots between them; empty where it needs none.
    capability: str = ""
    #: What is announced under that key, plain data; several features may share one.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: The request that asks a client to ask again when settings or tools have changed.
    refresh: str = ""
    #: Whether the method names no document; `handle` is then given None in place of a snapshot.
    of_workspace: bool = False
    #: Whether it is asked while text is typed: it is answered from what is known of a document, however little.
    at_once: bool = False
    #: Whether it also answers for a document that is not read and of which chat templates were rendered; `handle` is
    #: then given None in place of a snapshot.
    of_rendered: bool = False
    #: Whether it reads other documents than the one that it names.
    across: bool = False
    #: Where a client can do so, it is registered for these languages alone: it would compete with other servers.
    languages: tuple[str, ...] = ()
    #: Returns what `to_lsp` does as JSON in ASCII, for answers that are long and of which most is kept.
    to_json: Callable[[_Result, Edge], str] | None = None
    #: Returns what a client is asked to change beside the answer.
    to_apply: Callable[[_Result, Edge], Iterable[Mapping[str, Any]]] | None = None
    #: Returns the sentences of a result that the client shows beside the answer.
    notes: Callable[[_Result], Sequence[str]] | None = None
    #: An empty result, for a generator that yields None or the part of its result that it has found since: a client
    #: that wants to see parts at once is sent these, and nothing in the end.
    nothing: _Result | None = None
    #: Makes one answer of the parts as `to_lsp` returned them, for such a generator whose parts are the whole result:
    #: what it found is then forgotten part by part.
    join: Callable[[Sequence[Any]], Any] | None = None
