"""The language server: starts, hands every message to whoever answers it, and ends.

Owns: the life of the process, the loop, the methods that concern the session as a whole, and the order of work:
messages first, then diagnostics, then preparing for what may come. Must not know: how a feature works, positions.

One thread does all work, another only reads. Whatever is asked of a long document, and reading it in the first place,
is done in slices (see `slices`), in place of the loop and never beside it; so a message waits for one slice at most. A
request about a document that is still being read waits until it has been, or, where somebody is typing, is answered
from what is known by then. A request that was cancelled before its turn is not begun. What is sent at
every keystroke (`didChange`, diagnostics) is handled here as plain data; every other request passes through pygls, see
`gateway`. Nothing heavy is imported before `initialize` is answered.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright import __version__
from callwright.features import all_features
from callwright.features.base import Client, RefusedError, Request
from callwright.lsp import deadlines, wire
from callwright.lsp import settings as editor_settings
from callwright.lsp.connection import (
    CANCELLED,
    ERROR,
    INFO,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MAX_WAITING,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    SERVER_CANCELLED,
    WARNING,
    Connection,
    Encoded,
    End,
    InvalidParamsError,
    Message,
    RequestId,
    ResponseError,
    say,
)
from callwright.lsp.frames import INVALID_REQUEST, Fault
from callwright.lsp.garbage import Garbage
from callwright.lsp.notebooks import OPTIONS as NOTEBOOKS
from callwright.lsp.notebooks import Notebook, Notebooks
from callwright.lsp.slices import Slices, Work
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from pathlib import Path

    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Feature
    from callwright.lsp.gateway import Gateway
    from callwright.lsp.session import OpenDocument, Session
    from callwright.lsp.workspace import Files, Workspace
    from callwright.rules.base import Diagnostic
    from callwright.text.document import TextDocument
    from callwright.text.positions import PositionEncoding

STATUS: Final = "callwright/status"
#: Told to a client that asks for it: tools or settings are not what they were.
CHANGED: Final = "callwright/changed"
DIAGNOSTIC: Final = "textDocument/diagnostic"
RESOLVE: Final = "codeAction/resolve"
#: How long the first documents wait for the editor's settings, in seconds: findings made without them would flash up.
SETTINGS_WAIT: Final = 1.0
#: How long diagnostics may be put off while messages keep coming, in seconds.
PATIENCE: Final = 0.3
#: What a first completion, hover or fix needs, beyond what diagnostics have imported by then.
SOON: Final = (
    "callwright.lsp.session",
    "callwright.lint.linter",
    "callwright.lsp.gateway",
    "callwright.cursor.cursor",
    "callwright.cursor.framed",
    "callwright.prompt.occurrences",
    "callwright.features.support.markdown",
    "callwright.features.support.snippets",
    "callwright.features.support.call_drafts",
    "callwright.features.support.comments",
    "callwright.features.support.differences",
    "callwright.features.support.hints",
    "callwright.features.support.offers",
    "callwright.features.support.pieces",
    "callwright.features.support.tokens",
    "callwright.features.support.values",
    "callwright.features.support.verdicts",
    "callwright.fix.fixer",
    "rapidfuzz.distance.OSA",
)
#: Under which name a client is told that the first load goes on.
LOADING: Final = "callwright-loading"
#: How long nothing must have been asked for a moment to be quiet, in seconds.
QUIET: Final = 1.0
#: How often a client is told how far a search is, in seconds.
TELL: Final = 0.2
#: Which files a client tells of when it makes, moves or removes them: a folder may hold a tool file, too.
ANY_FILE: Final = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
#: How many requests may be under way, and how many may wait for documents; those that come later are refused.
MAX_REQUESTS: Final = 256
#: What is asked about a place or a range, which an edit moves.
_PLACES: Final = ("position", "positions", "range", "ranges")
#: Error codes of the protocol for what a person is told, and for an answer that an edit has overtaken.
REQUEST_FAILED: Final = -32803
CONTENT_MODIFIED: Final = -32801


@dataclass(slots=True, eq=False)
class _Job:
    """A request that is answered in several steps, between which other messages are."""

    request: RequestId
    method: str
    steps: Generator[None, None, Any]
    workspace: Workspace | None = None
    token: Any = None
    told: float = 0.0


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request that waits until documents are read; `version` is that of its document, None without one."""

    message: Message
    uri: str | None
    version: int | None


@dataclass(slots=True, eq=False)
class _Slow:
    """What is done in slices for a document: reading it, or finding what is to be said of it."""

    work: Work
    done: Callable[[Any], object]
    what: str


class Server:
    """One session with one client, from the first message to the exit code."""

    def __init__(self, connection: Connection, watch: Callable[[int], None] | None = None) -> None:
        """Serve `connection`; `watch` is told the process that this one must not outlive."""
        self._connection = connection
        self._watch = watch
        self._features: dict[str, Feature] = {feature.method: feature for feature in all_features()}
        self._capabilities: Mapping[str, Any] = {}
        self._client = Client()
        self._encoding_name = "utf-16"
        self._initialized = False
        self._shutdown = False
        self._exit: int | None = None
        self._due: dict[str, float] = {}
        self._backlog: list[Message] | None = None
        self._backlog_until = 0.0
        self._backlog_weight = 0
        #: Documents that are looked at again for where it is defined what their findings are held against.
        self._again: set[str] = set()
        self._published: set[str] = set()
        self._of_projects: dict[str, list[dict[str, Any]]] = {}
        self._told: set[str] = set()
        self._first: Mapping[str, Any] = {}
        self._warm = False
        self._loaded = False
        #: The configurations of the documents that are open, as a view of the tools was last told of them.
        self._project_files: set[Path | None] = set()
        self._jobs: deque[_Job] = deque()
        self._slices = Slices()
        #: How long the analysis of a document may take before what is known is told, in seconds of slices.
        self.deadline = deadlines.DEADLINE
        self._garbage = Garbage()
        self._slow: dict[str, _Slow] = {}
        self._waiting: list[_Waiting] = []
        self._stepped = 0.0
        self._alternate = False
        self._direct: dict[str, Callable[[Any], Any]] = {
            "initialize": self._initialize,
            "initialized": self._on_initialized,
            "shutdown": self._on_shutdown,
            "textDocument/didOpen": self._did_open,
            "textDocument/didChange": self.change_document,
            "textDocument/didClose": self._did_close,
            "textDocument/didSave": self._did_save,
            "workspace/didChangeWatchedFiles": self._did_change_watched_files,
            "workspace/didCreateFiles": self._did_move_files,
            "workspace/didRenameFiles": self._did_move_files,
            "workspace/didDeleteFiles": self._did_move_files,
            "workspace/didChangeConfiguration": self._did_change_configuration,
            "workspace/didChangeWorkspaceFolders": self._did_change_workspace_folders,
            **dict(Notebooks(self).handlers()),
            DIAGNOSTIC: self._pull,
            STATUS: self._status,
        }

    # The loop

    def serve(self) -> int:
        """Answer messages until the client says `exit` or is gone; return the exit code.

        It is 0 only after `shutdown`: anything else means that the client did not end the session as it should.
        """
        while self._exit is None:
            message = self._connection.receive(self._timeout())
            if message is None:
                self._idle()
            elif isinstance(message, End):
                break
            elif callable(message):
                self._guarded(None, "preparing", message)
            else:
                self._take(message)
                if (self._due or self._slow) and not self._connection.idle:
                    self._overdue()
            if self._connection.writer.closed:
                break
        self._abandon_all()
        return self._exit if self._exit is not None else int(not self._shutdown)

    def _timeout(self) -> float | None:
        """Return how long to wait for a message before turning to other work; None where there is none."""
        if self._backlog is not None:
            return max(0.0, self._backlog_until - time.monotonic())
        if self._due or self._jobs or self._slow or self._garbage.pending:
            return 0
        if not self._initialized:
            return None
        if not self._warm:
            return 0.05
        return QUIET if self._garbage.overdue else None

    def _idle(self) -> None:
        """Do one piece of the work that no message is waiting for."""
        if self._backlog is not None:
            self._release()
        elif self._due:
            self._publish(next(iter(self._due)))
        elif self._jobs or self._slow:
            self._turn_about()
        elif self._garbage.pending:
            self._garbage.sweep()
        elif not self._warm:
            self._warm = True
            threading.Thread(target=self._import, name="callwright-imports", daemon=True).start()
        elif self._garbage.overdue:
            self._garbage.look_at_all()

    def _turn_about(self) -> None:
        """Do one step of a request that takes several, or one slice of what is done for a document, by turns."""
        self._alternate = not self._alternate
        if self._jobs and (self._alternate or not self._slow):
            self._step(self._jobs[0])
            if len(self._jobs) > 1:
                self._jobs.rotate(-1)
        elif self._slow:
            self._slice(next(iter(self._slow)))
        self._drop_cancelled()
        self._garbage.after_slice()

    def _slice(self, uri: str) -> None:
        """Do one slice of what is done for a document."""
        slow = self._slow.pop(uri)
        self._stepped = time.monotonic()
        if slow.work.step():
            self._guarded(None, slow.what, lambda: slow.done(slow.work.result()))
            return
        # Behind the others: each has its turn.
        self._slow[uri] = slow
        document, spent = self._session.documents.get(uri), time.monotonic() - self._stepped
        if document is not None and document.deadline.passes(document.version, spent, self.deadline):
            self._guarded(None, "diagnostics", lambda: self._tell_so_far(document))

    def _begin_slow(
        self, document: OpenDocument, what: str, do: Callable[[], Any], done: Callable[[Any], object]
    ) -> None:
        """Begin what takes long for a document, in place of what was under way for it."""
        self._abandon(document.uri)
        self._slow[document.uri] = _Slow(self._slices.begin(do), done, what)

    def _abandon(self, uri: str) -> None:
        """End what is under way for a document: it is not wanted any more."""
        slow = self._slow.pop(uri, None)
        if slow is not None:
            slow.work.abandon()

    def _abandon_all(self) -> None:
        """End everything that is under way."""
        for uri in list(self._slow):
            self._abandon(uri)
        while self._jobs:
            self._jobs.popleft().steps.close()
        self._slices.close()

    def _in_slices(self, do: Callable[[], Any]) -> Generator[None, None, Any]:
        """Do something in slices, one at each step, and return what it returns."""
        work = self._slices.begin(do)
        try:
            while not work.step():
                yield
        finally:
            work.abandon()
        return work.result()

    def _must_wait(self, method: str, message: Message) -> bool:
        """Tell whether a request asks about a document that is being read, and put it by if it does."""
        session: Session | None = self.__dict__.get("session")
        feature = self._features.get(method)
        if session is None or method == "shutdown" or (feature is not None and feature.at_once):
            return False
        being_read = [each for each in session.documents.values() if each.is_being_read]
        if not being_read:
            return False
        params = message.get("params")
        uri = _named_in(params)
        document = session.documents.get(uri) if uri is not None else None
        if document is not None and not document.is_being_read and not (feature is not None and feature.across):
            return False
        if document is None and uri is not None:
            return False
        if len(self._waiting) >= MAX_REQUESTS:
            self._give_up(message["id"], method)
        else:
            self._waiting.append(_Waiting(message, uri, document.version if document is not None else None))
        return True

    def _begin_job(self, job: _Job) -> None:
        """Take a request that is answered in several steps."""
        if len(self._jobs) >= MAX_REQUESTS:
            job.steps.close()
            self._give_up(job.request, job.method)
        else:
            self._jobs.append(job)

    def _give_up(self, request: RequestId, method: str) -> None:
        """Answer a request that comes while more wait for an answer than can be kept."""
        words = f"`{method}` is not answered: {MAX_REQUESTS} requests wait for an answer"
        self._connection.fail(request, SERVER_CANCELLED, words)

    def _release_waiting(self) -> None:
        """Take up the requests that waited for documents; those that must wait for others wait again."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            request, method, params = each.message["id"], each.message["method"], each.message.get("params")
            document = self._session.documents.get(each.uri) if each.uri is not None else None
            moved = each.version is not None and (document is None or document.version != each.version)
            if moved and isinstance(params, Mapping) and any(place in params for place in _PLACES):
                words = f"the document was changed before `{method}` was answered"
                self._connection.fail(request, CONTENT_MODIFIED, words)
            else:
                self._dispatch(each.message)

    def _drop_cancelled(self) -> None:
        """Answer those who wait and no longer want to."""
        for each in [each for each in self._waiting if self._connection.is_cancelled(each.message["id"])]:
            self._waiting.remove(each)
            self._connection.fail(each.message["id"], CANCELLED, f"`{each.message['method']}` was cancelled")

    def _step(self, job: _Job) -> None:
        """Do one step of a request that takes several, and answer it after the last one."""
        if self._connection.is_cancelled(job.request):
            self._end(job)
            self._connection.fail(job.request, CANCELLED, f"`{job.method}` was cancelled")
            return
        try:
            next(job.steps)
        except StopIteration as stop:
            result = stop.value
            self._end(job)
            self._guarded(job.request, job.method, lambda: self._connection.reply(job.request, result))
        except Exception as error:  # noqa: BLE001 - as in `_guarded`
            self._end(job)
            self._failed(job.request, job.method, error)
        else:
            self._tell(job)

    def _end(self, job: _Job) -> None:
        """Forget a request that is about to be answered."""
        self._jobs.remove(job)
        job.steps.close()
        self._tell(job, last=True)

    def _tell(self, job: _Job, *, last: bool = False) -> None:
        """Tell a client that gave a token for it how far a request is."""
        now = time.monotonic()
        if job.token is None or (not last and now - job.told < TELL):
            return
        value: dict[str, Any] = {"kind": "end"}
        if not last:
            value = {"kind": "report" if job.told else "begin"}
            if not job.told:
                value.update(title="Callwright looks through the workspace", cancellable=True)
            if job.workspace is not None and job.workspace.total:
                value["message"] = f"{job.workspace.done} of {job.workspace.total} files"
                value["percentage"] = 100 * job.workspace.done // job.workspace.total
        elif not job.told:
            return
        job.told = now
        self._connection.notify("$/progress", {"token": job.token, "value": value})

    def _overdue(self) -> None:
        """Publish what has been put off for too long by messages that keep coming."""
        if self._backlog is not None:
            return
        now = time.monotonic()
        uri, since = next(iter(self._due.items()), ("", now))
        if now - since > PATIENCE:
            self._publish(uri)
        elif self._slow and now - self._stepped > PATIENCE:
            self._turn_about()

    def _import(self) -> None:
        """Import, beside the work, what the next request would wait for."""
        for name in SOON:
            try:
                importlib.import_module(name)
            except ImportError as error:
                # Whoever needs it will say so where it matters.
                say(f"{name} cannot be imported: {error}")
        self._connection.post(self._warm_up)

    def _warm_up(self) -> None:
        """Prepare what was imported, and take what is loaded by now out of the collector's sight."""
        self._gateway.warm_up()
        gc.collect()
        gc.freeze()

    def _take(self, message: Message | Fault) -> None:
        """Handle one message, or put it by while the editor's settings are awaited."""
        if isinstance(message, Fault):
            self._connection.fail(message.request, message.code, message.message)
            self._connection.log(ERROR, message.message)
        elif "method" not in message:
            self._guarded(None, "an answer", lambda: self._connection.answer(message))
        elif self._backlog is not None and message["method"] != "exit":
            self._backlog.append(message)
            self._backlog_weight += self._connection.weight
            if self._backlog_weight > MAX_WAITING:
                self._release()
        else:
            self._dispatch(message)

    def _release(self) -> None:
        """Handle what was put by."""
        backlog, self._backlog = self._backlog or [], None
        for message in backlog:
            if self._exit is None:
                self._take(message)

    def _dispatch(self, message: Message) -> None:
        """Answer a request or obey a notification; whatever fails is said, and nothing else happens."""
        method = message["method"]
        if method == "exit":
            self._exit = int(not self._shutdown)
            return
        if "id" not in message:
            self._notification(method, message.get("params"))
            return
        request: RequestId = message["id"]
        if self._connection.is_cancelled(request):
            self._connection.fail(request, CANCELLED, f"`{method}` was cancelled")
        elif self._shutdown:
            self._connection.fail(request, INVALID_REQUEST, f"`{method}` came after `shutdown`")
        elif self._initialized == (method == "initialize"):
            code = INVALID_REQUEST if self._initialized else NOT_INITIALIZED
            words = "is sent once" if self._initialized else "came before `initialize`"
            self._connection.fail(request, code, f"`{method}` {words}")
        else:
            self._guarded(request, method, lambda: self._request(request, method, message))

    def _request(self, request: RequestId, method: str, message: Message) -> None:
        handler = self._direct.get(method)
        feature = self._features.get(method)
        if self._must_wait(method, message):
            return
        if method == DIAGNOSTIC and (document := self._long(message)) is not None:
            # As `_pull` does, in slices.
            params = message.get("params")
            self._begin_job(_Job(request, method, self._pulling(document, params)))
        elif handler is not None:
            self._connection.reply(request, handler(message.get("params")))
        elif feature is None:
            self._connection.fail(request, METHOD_NOT_FOUND, f"this server has no method `{method}`")
        elif method == RESOLVE and _is_whole(message.get("params")):
            self._connection.reply(request, message["params"])
        else:
            self._gateway.handle(message)

    def _notification(self, method: str, params: Any) -> None:
        handler = self._direct.get(method)
        if not self._initialized or self._shutdown or handler is None:
            # A client may send what a server does not know; only what it must know is worth a word.
            return
        self._guarded(None, method, lambda: handler(params))

    def _guarded(self, request: RequestId, method: str, work: Callable[[], object]) -> None:
        """Do a piece of work; what it raises is answered and logged, and ends nothing."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a fault in one message must not take the others with it
            self._failed(request, method, error)

    def _failed(self, request: RequestId, method: str, error: Exception) -> None:
        """Answer a request that failed, where it was one, and log why."""
        what = f"`{method}`" if method else "a request"
        if isinstance(error, InvalidParamsError):
            code, words = INVALID_PARAMS, f"{what}: {error}"
        elif isinstance(error, RefusedError):
            # An answer like any other, for whoever asked.
            self._connection.fail(request, REQUEST_FAILED, str(error))
            return
        elif isinstance(error, ResponseError):
            code, words = error.code, str(error)
        else:
            code, words = INTERNAL_ERROR, f"{what} failed: {type(error).__name__}: {error}"
            say("".join(traceback.format_exception(error)))
        if request is not None:
            self._connection.fail(request, code, words)
        self._connection.log(ERROR, words)

    # Features

    def _gateway_handlers(self) -> dict[str, Callable[[Any], Any]]:
        def handler(method: str) -> Callable[[Any], Any]:
            return lambda params: self._answer(self._features[method], params)

        return {method: handler(method) for method in self._features if method not in self._direct}

    @property
    def _gateway(self) -> Gateway:
        gateway: Gateway | None = self.__dict__.get("gateway")
        if gateway is None:
            from callwright.lsp.gateway import Gateway

            gateway = Gateway(self._connection, self._gateway_handlers(), self._failed, self._later)
            self.__dict__["gateway"] = gateway
        return gateway

    def _answer(self, feature: Feature, params: Any) -> Any:
        """Return what a feature says, as plain data; a document that is not open or not diagnosed gets nothing."""
        if feature.of_workspace:
            return self._answer_of_workspace(feature, params)
        document = self._session.documents.get(_uri_of(params))
        if document is None or document.out_of_step is not None:
            return None
        snapshot = document.snapshot or self._known_of(document, feature, params)
        if snapshot is None:
            return None
        workspace = self._workspace(document)
        span, offsets = _span_of(document, params, self._encoding), _offsets_of(document, params, self._encoding)
        spans, turned_off = _spans_of(document, params, self._encoding), self._session.turned_off_in(document)
        request = Request(span, self._client, params, workspace, offsets, document.memory, spans, turned_off)
        edge = self._edge(document)
        slow = not feature.at_once or not snapshot.host.flow
        if document.is_long and document.progress is None and slow and feature.to_apply is None:
            return self._steps(feature, self._handling(feature, snapshot, request), edge, workspace, params)
        return self._said(feature, snapshot, request, workspace, edge)

    def _known_of(self, document: OpenDocument, feature: Feature, params: Any) -> Snapshot | None:
        """Return what is known of a document that is not read to its end, for what is asked while somebody types."""
        if document.progress is None or not feature.at_once:
            return None
        return document.progress.around(_span_of(document, params, self._encoding).start)

    def _handling(self, feature: Feature, snapshot: Snapshot, request: Request) -> Generator[Any, None, Any]:
        """Do in slices what a feature does about a long document."""
        result = yield from self._in_slices(lambda: feature.handle(snapshot, request))
        if isinstance(result, Generator):
            result = yield from result
        return result

    def _answer_of_workspace(self, feature: Feature, params: Any) -> Any:
        """Return what a feature says about all there is."""
        from callwright.text.document import TextDocument

        workspace = self._workspace(None)
        request = Request(client=self._client, params=params, workspace=workspace)
        edge = wire.DocumentEdge(
            TextDocument.from_text(""),
            uri="",
            version=None,
            encoding=self._encoding,
            client=self._client,
            versions=self._version_of,
        )
        return self._said(feature, None, request, workspace, edge)

    def _said(
        self,
        feature: Feature,
        snapshot: Snapshot | None,
        request: Request,
        workspace: Workspace,
        edge: wire.DocumentEdge,
    ) -> Any:
        """Return what a feature says, as plain data, or the steps that lead to it; what it wants applied is sent."""
        result = feature.handle(snapshot, request)
        if isinstance(result, Generator):
            return self._steps(feature, result, edge, workspace, request.params)
        if result is None:
            return None
        for edit in feature.to_apply(result, edge) if feature.to_apply is not None else ():
            self._connection.request("workspace/applyEdit", edit)
        return _shown(feature, result, edge)

    def _workspace(self, document: OpenDocument | None) -> Workspace:
        from callwright.lsp.workspace import Files, Workspace

        files: Files | None = self.__dict__.get("files")
        if files is None:
            files = self.__dict__["files"] = Files()
        return Workspace(self._session, files, document, self._encoding)

    def _steps(
        self,
        feature: Feature,
        work: Generator[Any, None, Any],
        edge: wire.DocumentEdge,
        workspace: Workspace,
        params: Any,
    ) -> Generator[Any, None, Any]:
        """Do the work of a feature step by step; the first step tells `_later` what it should know of it.

        A client that gives a token for it is sent the parts of the result as they are found, and nothing in the end.
        """
        yield workspace, getattr(params, "work_done_token", None)
        token = getattr(params, "partial_result_token", None) if feature.nothing is not None else None
        with contextlib.closing(work):
            while True:
                try:
                    part = next(work)
                except StopIteration as stop:
                    result = stop.value
                    break
                if token is not None and part is not None:
                    self._connection.notify("$/progress", {"token": token, "value": _shown(feature, part, edge)})
                yield
        if token is not None and result is not None:
            result = feature.nothing
        if not workspace.is_current:
            raise ResponseError(CONTENT_MODIFIED, f"a document was changed while `{feature.method}` was answered")
        shown = None
        if result is not None:
            shown = yield from self._in_slices(lambda: _shown(feature, result, edge))
        for path, reason in workspace.left_out:
            self._connection.log(INFO, f"{path} was not looked into: {reason}")
        notes = [*feature.notes(result)] if feature.notes is not None and result is not None else []
        if workspace.left_out and feature.notes is not None and result is not None:
            # Whoever changes a workspace has to know of what was not changed.
            (path, reason), *more = workspace.left_out
            others = f", and {len(more)} more, which the log names," if more else ""
            notes.append(f"{path}{others} was not looked into, and stays as it is: {reason}.")
        for note in notes:
            self._connection.notify("window/showMessage", {"type": INFO, "message": f"Callwright: {note}"})
        return shown

    def _later(self, request: RequestId, method: str, steps: Generator[Any, None, Any]) -> None:
        """Take a request that is answered in several steps."""
        workspace, token = next(steps)
        self._begin_job(_Job(request, method, steps, workspace, token))

    def _version_of(self, uri: str) -> int | None:
        """Return the version of a document that is open, None for any other."""
        document = self._session.documents.get(uri)
        return document.version if document is not None else None

    def _edge(self, document: OpenDocument) -> wire.DocumentEdge:
        return wire.DocumentEdge(
            document.text,
            uri=document.uri,
            version=document.version,
            encoding=self._encoding,
            client=self._client,
            versions=self._version_of,
        )

    # The session's own methods

    def _initialize(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, Mapping):
            raise InvalidParamsError("the parameters must be an object")
        capabilities = params.get("capabilities")
        self._capabilities = capabilities if isinstance(capabilities, Mapping) else {}
        self._client = Client.of(self._capabilities, params.get("locale"))
        self._encoding_name = wire.choose_encoding(self._capabilities)
        self._initialized = True
        self._first = params
        process = params.get("processId")
        if self._watch is not None and isinstance(process, int) and not isinstance(process, bool):
            self._watch(process)
        return {
            "capabilities": self._server_capabilities(),
            "serverInfo": {"name": "callwright", "version": __version__},
        }

    def _server_capabilities(self) -> dict[str, Any]:
        capabilities: dict[str, Any] = {
            "positionEncoding": self._encoding_name,
            # A saved document comes with its text: the way back for one that has fallen out of step.
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": True}},
            "workspace": {
                "workspaceFolders": {"supported": True, "changeNotifications": True},
                "fileOperations": {operation: dict(ANY_FILE) for operation in ("didCreate", "didRename", "didDelete")},
            },
        }
        if self._can("notebookDocument.synchronization") is not None:
            capabilities["notebookDocumentSync"] = dict(NOTEBOOKS)
        for feature in self._features.values():
            if feature.capability and not self._is_registered(feature):
                _announce(capabilities, feature.capability.split("."), feature.options)
        if editor_settings.wants_workspace_diagnostics(self._first.get("initializationOptions")):
            _announce(capabilities, ["diagnosticProvider"], {"workspaceDiagnostics": True})
        if not self._client.prepare_rename and "renameProvider" in capabilities:
            # Options are said to those alone who know of preparing.
            capabilities["renameProvider"] = True
        return capabilities

    def _is_registered(self, feature: Feature) -> bool:
        """Tell whether a feature is registered for its own languages alone, with a client that can do so."""
        path = f"{feature.method.replace('/', '.')}.dynamicRegistration"
        return bool(feature.languages) and self._can(path) is True

    @property
    def _session(self) -> Session:
        session: Session | None = self.__dict__.get("session")
        if session is None:
            session = self.__dict__["session"] = self._begin()
        return session

    def _begin(self) -> Session:
        """Return a new session, from what `initialize` brought; imported only now, behind the answer to it."""
        from callwright.lsp.session import Session

        session = Session(settings=self._initial_settings, turned_off=self._initially_turned_off, sliced=True)
        folders = self._first.get("workspaceFolders")
        root = self._first.get("rootUri")
        if isinstance(folders, list):
            for folder in folders:
                if isinstance(folder, Mapping):
                    session.add_folder(folder)
        elif isinstance(root, str):
            session.add_folder({"uri": root})
        return session

    @property
    def _encoding(self) -> PositionEncoding:
        from callwright.text.positions import PositionEncoding

        return PositionEncoding(self._encoding_name)

    @property
    def _initial_settings(self) -> dict[str, Any]:
        """What the client said of our settings when it started us."""
        return editor_settings.from_initialization(self._first.get("initializationOptions"))

    @property
    def _initially_turned_off(self) -> frozenset[str]:
        """What the client did not want to be shown when it started us."""
        return editor_settings.turned_off(editor_settings.initial(self._first.get("initializationOptions")))

    def _can(self, path: str) -> Any:
        """Return what the client says of one of its capabilities."""
        value: Any = self._capabilities
        for step in path.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        return value

    def _on_initialized(self, _params: Any) -> None:
        registrations: list[dict[str, Any]] = []
        if self._can("workspace.didChangeWatchedFiles.dynamicRegistration"):
            # What a configuration builds on and what defines tools may have any of these endings.
            patterns = ["**/*.toml", "**/*.json", "**/*.{yaml,yml}", "**/*.py"]
            watchers = [{"globPattern": pattern} for pattern in patterns]
            options: dict[str, Any] = {"watchers": watchers}
            registrations.append(
                {"id": "callwright-files", "method": "workspace/didChangeWatchedFiles", "registerOptions": options}
            )
        if self._can("workspace.didChangeConfiguration.dynamicRegistration"):
            options = {"section": editor_settings.SECTION}
            registrations.append(
                {"id": "callwright-settings", "method": "workspace/didChangeConfiguration", "registerOptions": options}
            )
        for feature in self._features.values():
            if self._is_registered(feature):
                languages = [{"language": name} for name in feature.languages]
                options = {**feature.options, "documentSelector": languages}
                registrations.append({"id": feature.method, "method": feature.method, "registerOptions": options})
        if registrations:
            self._connection.request("client/registerCapability", {"registrations": registrations})
        if self._can("workspace.configuration"):
            self._backlog, self._backlog_weight = [], 0
            self._backlog_until = time.monotonic() + SETTINGS_WAIT
            self._ask_for_settings()

    def _ask_for_settings(self) -> None:
        """Ask the editor for its settings: of the whole, then of each folder."""
        folders = [folder.uri for folder in self._session.folders]
        items: list[dict[str, Any]] = [{"section": editor_settings.SECTION}]
        items += [{"scopeUri": uri, "section": editor_settings.SECTION} for uri in folders]

        def take(result: Any) -> None:
            values = result if isinstance(result, list) else []
            before = (self._session.settings, self._session.folder_settings)
            shown = self._session.turned_off_everywhere()
            if values:
                own, *others = [editor_settings.from_section(value) for value in values]
                # An answer counts, even one that sets nothing any more; null is none.
                self._session.settings = own if isinstance(values[0], Mapping) else self._initial_settings
                # Nothing set is nothing new: what was read before the first answer need not be read again.
                self._session.folder_settings = {uri: one for uri, one in zip(folders, others, strict=False) if one}
                off, *others_off = [
                    editor_settings.turned_off(value) if isinstance(value, Mapping) else None for value in values
                ]
                self._session.turned_off = off if off is not None else self._initially_turned_off
                self._session.folder_turned_off = {
                    uri: one for uri, one in zip(folders, others_off, strict=False) if one is not None
                }
            if before != (self._session.settings, self._session.folder_settings):
                self._reload()
            elif shown != self._session.turned_off_everywhere():
                self._refresh_views()
            if self._backlog is not None:
                self._release()

        self._connection.request("workspace/configuration", {"items": items}, take)

    def _on_shutdown(self, _params: Any) -> None:
        self._shutdown = True
        for each in self._waiting:
            words = f"`{each.message['method']}` was not answered before `shutdown`"
            self._connection.fail(each.message["id"], CANCELLED, words)
        self._waiting.clear()
        while self._jobs:
            job = self._jobs[0]
            self._end(job)
            self._connection.fail(job.request, CANCELLED, f"`{job.method}` was not answered before `shutdown`")

    def _did_open(self, params: Any) -> None:
        self.open_document(wire.member(params, "textDocument"))

    def open_document(self, item: Any, notebook: Notebook | None = None) -> None:
        """Take a document that the client has opened, the cell of a notebook where one is given."""
        uri = wire.text_member(item, "uri")
        text = wire.text_member(item, "text")
        language = wire.text_member(item, "languageId")
        version = wire.number_member(item, "version")
        if uri in self._session.documents:
            self._connection.log(WARNING, f"{uri} was opened twice; the later text counts")
        if self._session.is_stale():
            self._reload()
        with self._told_of_the_first_load():
            document = self._session.open(uri, language, version, text, notebook)
        self._touch(document)
        self._due_projects()
        if document.too_long is not None:
            self._connection.notify(
                "window/showMessage", {"type": INFO, "message": f"Callwright: {_too_long(document)}"}
            )

    @contextlib.contextmanager
    def _told_of_the_first_load(self) -> Iterator[None]:
        """Let a client that shows progress say that tools and settings are read, which the first document waits for."""
        if self._loaded or self._can("window.workDoneProgress") is not True:
            yield
            return
        self._loaded = True
        self._connection.request("window/workDoneProgress/create", {"token": LOADING})
        begin = {"kind": "begin", "title": "Callwright reads tools and settings"}
        self._connection.notify("$/progress", {"token": LOADING, "value": begin})
        try:
            yield
        finally:
            self._connection.notify("$/progress", {"token": LOADING, "value": {"kind": "end"}})

    def is_open(self, uri: str) -> bool:
        """Tell whether there is such a document."""
        return uri in self._session.documents

    def change_document(self, params: Any) -> None:
        """Take changes of a document, one after another."""
        uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        if document is None:
            raise InvalidParamsError(f"{uri} is not open")
        changes = wire.member(params, "contentChanges")
        if not isinstance(changes, list):
            raise InvalidParamsError("`contentChanges` must be a list")
        given = wire.member(params, "textDocument").get("version")
        version = wire.number_member(params, "textDocument", "version") if given is not None else document.version + 1
        whole = [at for at, change in enumerate(changes) if isinstance(change, Mapping) and change.get("range") is None]
        if version < document.version and not whole:
            self._lose_step(document, f"version {version} came after version {document.version}")
            return
        if whole and (document.out_of_step is not None or version < document.version):
            # A whole text needs nothing from before it.
            self._session.replace(document, wire.text_member(changes[whole[-1]], "text"), version)
            changes = changes[whole[-1] + 1 :]
            self._connection.log(INFO, f"{uri} is in step again")
        if document.out_of_step is not None:
            document.version = version
            return
        text = document.text
        edits: list[Edit] = []
        try:
            for change in changes:
                edit = wire.from_lsp_change(text, change, self._encoding)
                text = text.replace(edit.span, edit.text)
                edits.append(edit)
        except (wire.OutOfStepError, InvalidParamsError) as error:
            document.version = version
            self._lose_step(document, str(error))
            return
        self._session.edit(document, text, edits, version)
        self._touch(document)

    def lose_document(self, uri: str, reason: str) -> None:
        """Stop answering from a text that is not the editor's."""
        document = self._session.documents.get(uri)
        if document is not None:
            self._lose_step(document, reason)

    def _lose_step(self, document: OpenDocument, reason: str) -> None:
        """Stop answering from a text that is not the editor's, and say how to mend it."""
        first = document.out_of_step is None
        document.out_of_step = reason
        words = (
            f"{document.uri}: a change does not fit the text that the server holds ({reason}), so nothing is said "
            "about this document until it is saved or opened again"
        )
        self._connection.log(ERROR, words)
        if first:
            self._connection.notify("window/showMessage", {"type": WARNING, "message": f"Callwright: {words}."})
        self._touch(document)

    def _did_save(self, params: Any) -> None:
        from callwright.lsp.uris import to_path

        uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        text = params.get("text")
        if document is not None and document.out_of_step is not None and isinstance(text, str):
            self._session.replace(document, text, document.version)
            self._connection.log(INFO, f"{uri} is in step again")
            self._touch(document)
            self._refresh()
        self.after_saving(to_path(uri))

    def after_saving(self, path: str | None = None) -> None:
        """Take notice that a file was written, the one at `path` where that is known."""
        if self._session.is_stale() or (path is not None and self._session.asks(path)):
            self._reload()

    def _did_close(self, params: Any) -> None:
        self.close_document(wire.text_member(params, "textDocument", "uri"))

    def close_document(self, uri: str) -> None:
        """Forget a document, and take back what was said about it."""
        document = self._session.close(uri)
        self._due.pop(uri, None)
        self._again.discard(uri)
        self._abandon(uri)
        if document is None:
            raise InvalidParamsError(f"{uri} is not open")
        if uri in self._published:
            self._send_diagnostics(uri, [], None)
        if document.taken:
            # What was not saved is gone, and the file counts again.
            self._reload()
        else:
            self._tools_may_have_moved(document)
        self._due_projects()
        self._release_waiting()
        if document.snapshot is not None:
            self._garbage.drop(document.snapshot.blocks)
        if document.kept is not None:
            self._garbage.drop(block for shelf in document.kept.waiting for block in shelf.blocks)
        if document.is_long and not any(each.is_long for each in self._session.documents.values()):
            self._garbage.rest()

    def _did_change_watched_files(self, params: Any) -> None:
        from callwright.lsp.uris import to_path

        changes = wire.member(params, "changes")
        paths = [to_path(wire.text_member(change, "uri")) for change in changes if isinstance(change, Mapping)]
        if any(path is not None and self._session.concerns(path) for path in paths):
            self._reload()

    def _did_move_files(self, params: Any) -> None:
        """Take files or folders that the editor has made, moved or removed, without waiting to be told by a watcher."""
        from callwright.lsp.uris import to_path

        files = wire.member(params, "files")
        keys = ("uri", "oldUri", "newUri")
        moved = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
        paths = [to_path(file[key]) for file in moved for key in keys if isinstance(file.get(key), str)]
        if self._session.is_stale() or any(
            path is not None and (self._session.concerns(path) or self._session.concerns_folder(path)) for path in paths
        ):
            self._reload()

    def _did_change_configuration(self, params: Any) -> None:
        if self._can("workspace.configuration"):
            self._ask_for_settings()
            return
        pushed = params.get("settings") if isinstance(params, Mapping) else None
        said = editor_settings.is_said(pushed)
        self._session.settings = editor_settings.from_section(pushed) if said else self._initial_settings
        self._session.turned_off = editor_settings.turned_off(pushed) if said else self._initially_turned_off
        self._reload()

    def _did_change_workspace_folders(self, params: Any) -> None:
        for kind, take in (("removed", self._session.remove_folder), ("added", self._session.add_folder)):
            folders = wire.member(params, "event", kind)
            for folder in folders if isinstance(folders, list) else ():
                if isinstance(folder, Mapping):
                    take(folder)
        self._reload()
        if self._can("workspace.configuration"):
            self._ask_for_settings()

    def _reload(self) -> None:
        """Read the projects anew and say what has changed by it."""
        self._session.reload()
        for document in self._session.documents.values():
            self._touch(document)
        self._due_projects()
        self._refresh()

    def _refresh(self) -> None:
        """Ask a client that fetches diagnostics itself to do so, and whatever else it may ask for again."""
        self._refresh_views()
        if self._can("experimental.callwrightChanged"):
            self._connection.notify(CHANGED, {})
        if self._pulls and (
            self._can("workspace.diagnostics.refreshSupport") or self._can("workspace.diagnostic.refreshSupport")
        ):
            self._connection.request("workspace/diagnostic/refresh", None)

    def _refresh_views(self) -> None:
        """Ask a client to ask again for what is shown beside the text."""
        for feature in self._features.values():
            capability = f"{feature.refresh.removesuffix('/refresh').replace('/', '.')}.refreshSupport"
            if feature.refresh and self._can(capability):
                self._connection.request(feature.refresh, None)

    def _status(self, params: Any) -> dict[str, Any] | None:
        uri = params.get("uri") if isinstance(params, Mapping) else None
        if not isinstance(uri, str):
            uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        if document is None:
            return None
        if not document.is_long:
            document.findings = len(self._items(document))
        return self._session.status(document)

    # Diagnostics

    @property
    def _pulls(self) -> bool:
        """Whether the client fetches diagnostics itself; then none are pushed for the documents it has open."""
        return isinstance(self._can("textDocument.diagnostic"), Mapping)

    def _touch(self, document: OpenDocument) -> None:
        """Note that a document's diagnostics are to be published, once there is time."""
        self._abandon(document.uri)
        self._again.discard(document.uri)
        self._due.setdefault(document.uri, time.monotonic())

    def _due_projects(self) -> None:
        """Note that the findings in configurations and tool files are to be published."""
        self._due.setdefault("", time.monotonic())

    def _publish(self, uri: str) -> None:
        """Publish what is due for a document, or, under the empty name, for the files of all projects."""
        del self._due[uri]
        if not uri:
            self._guarded(None, "configuration", self._publish_projects)
            return
        document = self._session.documents.get(uri)
        if document is None:
            return
        self._guarded(None, "diagnostics", lambda: self._check(document))

    def _check(self, document: OpenDocument) -> None:
        """Find what there is in a document, which is read first where it has not been, and say it."""
        if document.is_being_read:
            if document.progress is not None:
                self._begin_slow(document, "reading", document.progress.run, lambda _: self._has_read(document))
        elif document.is_long and document.too_long is None:
            find = lambda: self._items(document)  # noqa: E731
            self._begin_slow(document, "diagnostics", find, lambda items: self._checked(document, items))
        else:
            self._checked(document, self._items(document))

    def _tell_so_far(self, document: OpenDocument) -> None:
        """Push what is known of a document whose analysis takes long, and that more is to come.

        A client that fetches findings keeps those of the version before until it has been answered.
        """
        from callwright.lint.linter import diagnostics_so_far

        if self._pulls and document.shown is not None:
            return
        progress, size = document.progress, len(document.text)
        snapshot, read = (document.snapshot, size) if progress is None else (progress.so_far(), progress.at)
        found = diagnostics_so_far(snapshot, deadlines.MOST) if snapshot is not None else []
        if not found and document.uri in self._published:
            # What is shown there is of the version before, which says more than nothing.
            return
        edge, place = self._edge(document), {"line": 0, "character": 0}
        words = deadlines.still_reading(read, size, len(found))
        note = {"range": {"start": place, "end": place}, "severity": 3, "source": wire.SOURCE, "message": words}
        self._send_diagnostics(document.uri, [note, *map(edge.to_lsp_diagnostic, found)], document.version)

    def _has_read(self, document: OpenDocument) -> None:
        """Take up what waited for a document to be read."""
        spare = document.progress.spare if document.progress is not None else ()
        self._session.finish(document)
        if document.kept is None:
            self._garbage.drop(spare)
        self._touch(document)
        self._release_waiting()

    def _checked(self, document: OpenDocument, items: list[dict[str, Any]]) -> None:
        """Push what was found in a document to a client that does not fetch it, and tell how things stand."""
        told_before = document.deadline.met()
        before, document.elsewhere = document.elsewhere, _places_elsewhere(document.uri, items)
        if document.uri in self._again:
            self._again.discard(document.uri)
            if document.elsewhere != before:
                self._send_diagnostics(document.uri, items, document.version)
        elif not self._pulls:
            self._send_diagnostics(document.uri, items, document.version)
        elif told_before and document.uri in self._published:
            # The client has fetched it, or is about to.
            self._send_diagnostics(document.uri, [], document.version)
        document.findings = len(items)
        if self._session.take_tools(document):
            for other in self._session.documents.values():
                self._touch(other)
            self._due_projects()
            self._refresh()
        else:
            self._tools_may_have_moved(document)
        status = self._session.status(document)
        if status != document.shown:
            document.shown = status
            self._connection.notify(STATUS, status)

    def _tools_may_have_moved(self, document: OpenDocument) -> None:
        """Publish again, of a tool file that was changed, what says where in it a tool is defined."""
        if self._pulls:
            return
        others = [each for each in self._session.documents.values() if each is not document and each.findings]
        if not others or not self._session.is_tool_file(document):
            return
        for other in others:
            if other.uri not in self._slow and other.uri not in self._due:
                self._touch(other)
                self._again.add(other.uri)

    def _send_diagnostics(self, uri: str, items: list[dict[str, Any]], version: int | None) -> None:
        if not items:
            self._published.discard(uri)
        else:
            self._published.add(uri)
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._connection.notify("textDocument/publishDiagnostics", params)

    def _items(self, document: OpenDocument) -> list[dict[str, Any]]:
        """Return a document's diagnostics as plain data."""
        if document.out_of_step is not None:
            place = {"line": 0, "character": 0}
            words = "Callwright has lost step with the editor. Save the document, or close it and open it again."
            return [{"range": {"start": place, "end": place}, "severity": 3, "source": wire.SOURCE, "message": words}]
        if document.too_long is not None:
            place = {"line": 0, "character": 0}
            words = _too_long(document)
            return [{"range": {"start": place, "end": place}, "severity": 3, "source": wire.SOURCE, "message": words}]
        shown: list[dict[str, Any]] = []
        if document.snapshot is not None:
            feature = self._features[DIAGNOSTIC]
            request = Request(client=self._client, workspace=self._workspace(document))
            shown = feature.to_lsp(feature.handle(document.snapshot, request), self._edge(document))
        return shown

    def _pull(self, params: Any) -> dict[str, Any]:
        """Return a document's diagnostics, or that they are those that the client has already."""
        document = self._session.documents.get(wire.text_member(params, "textDocument", "uri"))
        return self._pulled(params, self._items(document) if document is not None else [])

    def _pulling(self, document: OpenDocument, params: Any) -> Generator[None, None, dict[str, Any]]:
        """Do what `_pull` does, in slices."""
        snapshot = document.snapshot
        items = yield from self._in_slices(lambda: self._items(document))
        if document.snapshot is not snapshot:
            raise ResponseError(CONTENT_MODIFIED, f"the document was changed while `{DIAGNOSTIC}` was answered")
        return self._pulled(params, items)

    def _long(self, message: Message) -> OpenDocument | None:
        """Return the document that a request names, if it is long and read; None for any other."""
        uri = _named_in(message.get("params"))
        document = self._session.documents.get(uri) if uri is not None else None
        if document is None or not document.is_long or document.snapshot is None:
            return None
        return document

    @staticmethod
    def _pulled(params: Any, items: list[dict[str, Any]]) -> dict[str, Any]:
        """Return diagnostics, or that they are those that the client has already."""
        import hashlib

        result = hashlib.blake2b(json.dumps(items).encode("ascii"), digest_size=12).hexdigest()
        if params.get("previousResultId") == result:
            return {"kind": "unchanged", "resultId": result}
        return {"kind": "full", "resultId": result, "items": items}

    def _file_items(self, found: tuple[TextDocument, list[Diagnostic]] | None) -> list[dict[str, Any]]:
        """Return what is found in one file as a part of a project: its configuration, or one of its tool files."""
        if found is None:
            return []
        text, diagnostics = found
        edge = wire.DocumentEdge(text, uri="", version=None, encoding=self._encoding, client=self._client)
        return [edge.to_lsp_diagnostic(diagnostic) for diagnostic in diagnostics]

    def _publish_projects(self) -> None:
        """Publish what is found in configurations and tool files, and take back what no longer is.

        A file that is open is a document like any other, whose findings are pushed or fetched with its own.
        """
        from callwright.lsp.uris import from_path

        is_open = {document.path for document in self._session.documents.values()}
        shown: dict[str, list[dict[str, Any]]] = {}
        for loaded in self._session.projects():
            for path, found in loaded.findings().items():
                if path not in is_open:
                    shown[from_path(path)] = self._file_items(found)
            for words in loaded.said_wrongly():
                if words not in self._told:
                    self._told.add(words)
                    self._connection.log(WARNING, f"the editor's settings: {words}")
        for uri in self._of_projects.keys() - shown.keys():
            self._send_diagnostics(uri, [], None)
        for uri, items in shown.items():
            if self._of_projects.get(uri) != items:
                self._send_diagnostics(uri, items, None)
        files = {loaded.project.file for loaded in self._session.projects()}
        if (files, shown) != (self._project_files, self._of_projects) and self._can("experimental.callwrightChanged"):
            self._connection.notify(CHANGED, {})
        self._project_files, self._of_projects = files, shown


def _shown(feature: Feature, result: Any, edge: wire.DocumentEdge) -> Any:
    """Return a feature's result as it is sent."""
    return feature.to_lsp(result, edge) if feature.to_json is None else Encoded(feature.to_json(result, edge))


def _places_elsewhere(uri: str, items: Sequence[Mapping[str, Any]]) -> list[tuple[int, Any]]:
    """Return what findings say of places in other documents, each with the number of the finding."""
    return [
        (number, related)
        for number, item in enumerate(items)
        for related in item.get("relatedInformation", ())
        if related["location"]["uri"] != uri
    ]


def _announce(capabilities: dict[str, Any], path: list[str], options: Mapping[str, Any]) -> None:
    """Put a feature's options under their path, beside those of the features that share it."""
    *outer, last = path
    for step in outer:
        capabilities = capabilities.setdefault(step, {})
    known = capabilities.get(last)
    if not isinstance(known, Mapping):
        capabilities[last] = dict(options) if options else True
    else:
        capabilities[last] = {**known, **options}


def _named_in(params: Any) -> str | None:
    """Return the document that the parameters of a request name, as they came; None where they name none."""
    document = params.get("textDocument") if isinstance(params, Mapping) else None
    uri = document.get("uri") if isinstance(document, Mapping) else None
    return uri if isinstance(uri, str) else None


def _too_long(document: OpenDocument) -> str:
    """Return in words what is not done for a document that is too long."""
    return (
        f"This document has {len(document.text):,} characters, more than the {document.too_long:,} up to which all of"
        " it is read. Nothing in it is checked; completion, hover and signatures look at what stands around the"
        " cursor. `max_characters` in `callwright.toml` changes the limit."
    )


def _is_whole(action: Any) -> bool:
    """Tell whether a code action has its edits: some clients ask to have any action resolved."""
    return (
        isinstance(action, Mapping) and isinstance(action.get("title"), str) and isinstance(action.get("edit"), Mapping)
    )


def _uri_of(params: Any) -> str:
    """Return the document that a request is about; an item that we handed out carries it in its data."""
    # Methods of the protocol come in types of lsprotocol's, our own as they were written.
    document = getattr(params, "text_document", None) or getattr(params, "textDocument", None)
    uri = getattr(document, "uri", None)
    if isinstance(uri, str):
        return uri
    item = getattr(params, "item", params)
    data = getattr(item, "data", None)
    if isinstance(data, Mapping) and isinstance(data.get("uri"), str):
        return str(data["uri"])
    raise InvalidParamsError("it names no document")


def _span_of(document: OpenDocument, params: Any, encoding: PositionEncoding) -> Span:
    """Return the place that a request is about; the whole document where it names none."""

    position, asked = getattr(params, "position", None), getattr(params, "range", None)
    if position is not None:
        offset = wire.from_lsp_position(document.text, _plain(position), encoding)
        return Span(offset, offset)
    if asked is not None:
        return wire.from_lsp_range(document.text, _plain_range(asked), encoding)
    return Span(0, len(document.text))


def _offsets_of(document: OpenDocument, params: Any, encoding: PositionEncoding) -> tuple[int, ...]:
    """Return the positions of a request that is about several."""
    return tuple(
        wire.from_lsp_position(document.text, _plain(each), encoding) for each in _several(params, "positions")
    )


def _spans_of(document: OpenDocument, params: Any, encoding: PositionEncoding) -> tuple[Span, ...]:
    """Return the ranges of a request that is about several."""
    return tuple(
        wire.from_lsp_range(document.text, _plain_range(each), encoding) for each in _several(params, "ranges")
    )


def _several(params: Any, key: str) -> Sequence[Any]:
    found = getattr(params, key, None) or ()
    if not isinstance(found, list | tuple):
        raise InvalidParamsError(f"`{key}` must be a list")
    return found


def _plain_range(asked: Any) -> dict[str, Any]:
    return {key: _plain(getattr(asked, key, None)) for key in ("start", "end")}


def _plain(position: Any) -> dict[str, Any]:
    """Return a position as plain data; of a request of our own nobody has looked at what it holds."""
    return {key: getattr(position, key, None) for key in ("line", "character")}
