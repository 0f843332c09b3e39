"""Dispatch: a request goes to its feature, on the snapshot of its document, and the feature's result is the answer.

Owns: which requests are answered at once, which wait until a document has been read, and which are answered in steps.
Must not know: any single feature, the order of work, how a document changes.

A request about a document that is still being read waits until it has been; one that is asked while text is typed is
answered from what is known by then. A feature is given an immutable snapshot, so an answer that takes several steps is
about one version of each document; where one of them was changed meanwhile, the client gets an error that says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Request
from callwright.lsp.connection import CONTENT_MODIFIED, INFO, METHOD_NOT_FOUND, ResponseError
from callwright.lsp.params import has_place, is_whole_action, named_in, offsets_of, span_of, spans_of, uri_of
from callwright.lsp.publish import Reporter, shown
from callwright.lsp.scheduler import Steps

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Edge, Feature
    from callwright.lsp.connection import Connection, Message
    from callwright.lsp.context import Context
    from callwright.lsp.failures import Failures
    from callwright.lsp.gateway import Gateway
    from callwright.lsp.scheduler import Scheduler
    from callwright.lsp.session import OpenDocument
    from callwright.lsp.workspace import Workspace

#: Answers a request from its parameters, as they came.
Direct = Callable[[Any], Any]
_RESOLVE: Final = "codeAction/resolve"


class Dispatcher:
    """The requests of one client.

    What is sent at every keystroke is handled by `direct` as plain data; every other request passes through pygls, see
    `gateway`, which is imported only then.
    """

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        failures: Failures,
        context: Context,
        features: Mapping[str, Feature[Any]],
        direct: Mapping[str, Direct],
    ) -> None:
        self._connection = connection
        self._scheduler = scheduler
        self._failures = failures
        self._context = context
        self._session = context.session
        self._features = features
        self._direct = direct
        self._gateway: Gateway | None = None

    # Requests

    def request(self, message: Message) -> None:
        """Have a request answered, now or later."""
        request, method = message["id"], message["method"]
        direct, feature = self._direct.get(method), self._features.get(method)
        if self._must_wait(feature, message):
            return
        if direct is not None:
            result = direct(message.get("params"))
            if isinstance(result, Steps):
                self._scheduler.begin_job(request, method, result)
            else:
                self._connection.reply(request, result)
        elif feature is None:
            self._connection.fail(request, METHOD_NOT_FOUND, f"this server has no method `{method}`")
        elif method == _RESOLVE and is_whole_action(message.get("params")):
            self._connection.reply(request, message["params"])
        else:
            self._through_gateway().handle(message)

    def _through_gateway(self) -> Gateway:
        if self._gateway is None:
            from callwright.lsp.gateway import Gateway

            handlers: dict[str, Direct] = {
                method: partial(self.answer, method) for method in self._features if method not in self._direct
            }
            self._gateway = Gateway(self._connection, handlers, self._failures.report, self._scheduler.begin_job)
        return self._gateway

    def warm_up(self) -> None:
        """Do now what the first request would wait for."""
        self._through_gateway().warm_up()

    # Requests that wait for documents

    def _must_wait(self, feature: Feature[Any] | None, message: Message) -> bool:
        """Return whether a request asks about a document that is being read, and put it by if it does."""
        if feature is not None and feature.at_once:
            return False
        documents = self._session.documents
        if not any(each.is_being_read for each in documents.values()):
            return False
        uri = named_in(message.get("params"))
        document = documents.get(uri) if uri is not None else None
        across = feature is not None and feature.across
        if document is not None and not document.is_being_read and not across:
            return False
        if document is None and uri is not None:
            return False
        version = document.version if document is not None else None
        again = partial(self._take_up, message, uri, version)
        self._scheduler.put_by(message["id"], message["method"], again)
        return True

    def _take_up(self, message: Message, uri: str | None, version: int | None) -> None:
        """Resume a request that waited; the positions in it are valid for that version alone."""
        request, method = message["id"], message["method"]
        if self._connection.drop_cancelled(request, method):
            return
        document = self._session.documents.get(uri) if uri is not None else None
        moved = version is not None and (document is None or document.version != version)
        if moved and has_place(message.get("params")):
            words = f"the document was changed before `{method}` was answered"
            self._connection.fail(request, CONTENT_MODIFIED, words)
        else:
            self._failures.guard(request, method, lambda: self.request(message))

    # Answers of features

    def answer(self, method: str, params: Any) -> Any:
        """Return a feature's result as plain data; a document that is not open or not diagnosed gets nothing."""
        feature, context = self._features[method], self._context
        if feature.of_workspace:
            workspace = context.workspace(None)
            request = Request(client=context.client, params=params, workspace=workspace, memory=context.memory)
            return self._stated(feature, None, request, workspace, context.edge_of_nothing())
        document = self._session.documents.get(uri_of(params))
        if document is None or document.out_of_step is not None:
            return None
        snapshot = document.snapshot or self._known_of(document, feature, params)
        if snapshot is None and not (feature.of_rendered and document.rendered):
            return None
        workspace = context.workspace(document)
        request = self._asked(document, params, workspace)
        edge = context.edge(document)
        slow = not feature.at_once or snapshot is None or not snapshot.host.flow
        if document.is_long and document.progress is None and slow and feature.to_apply is None:
            return self._in_steps(feature, self._handling(feature, snapshot, request), edge, workspace, params)
        return self._stated(feature, snapshot, request, workspace, edge)

    def _asked(self, document: OpenDocument, params: Any, workspace: Workspace) -> Request:
        """Return what the parameters of a request ask of a document."""
        text, encoding = document.text, self._context.encoding
        return Request(
            span=span_of(text, params, encoding),
            client=self._context.client,
            params=params,
            workspace=workspace,
            offsets=offsets_of(text, params, encoding),
            memory=document.memory,
            spans=spans_of(text, params, encoding),
            turned_off=self._session.turned_off_in(document),
            rendered=document.rendered,
        )

    def _known_of(self, document: OpenDocument, feature: Feature[Any], params: Any) -> Snapshot | None:
        """Return what is known of a document that is not read to its end, for what is asked while text is typed."""
        if document.progress is None or not feature.at_once:
            return None
        return document.progress.around(span_of(document.text, params, self._context.encoding).start)

    def _handling(
        self, feature: Feature[Any], snapshot: Snapshot | None, request: Request
    ) -> Generator[Any, None, Any]:
        """Do in slices what a feature does about a long document."""
        result = yield from self._scheduler.in_slices(lambda: feature.handle(snapshot, request))
        if isinstance(result, Generator):
            result = yield from result
        return result

    def _stated(
        self, feature: Feature[Any], snapshot: Snapshot | None, request: Request, workspace: Workspace, edge: Edge
    ) -> Any:
        """Return a feature's result as plain data, or the steps that lead to it; edits that it wants applied are
        sent."""
        result = feature.handle(snapshot, request)
        if isinstance(result, Generator):
            return self._in_steps(feature, result, edge, workspace, request.params)
        if result is None:
            return None
        for edit in feature.to_apply(result, edge) if feature.to_apply is not None else ():
            self._connection.request("workspace/applyEdit", edit)
        return shown(feature, result, edge)

    def _in_steps(
        self, feature: Feature[Any], work: Generator[Any, None, Any], edge: Edge, workspace: Workspace, params: Any
    ) -> Steps:
        reporter = Reporter(self._connection, feature, params, workspace)
        return Steps(self._steps(feature, work, edge, workspace, reporter), reporter.report)

    def _steps(
        self,
        feature: Feature[Any],
        work: Generator[Any, None, Any],
        edge: Edge,
        workspace: Workspace,
        reporter: Reporter,
    ) -> Generator[None, None, Any]:
        """Do the work of a feature step by step, and return its result as it is sent.

        A client that wants parts is sent them as they are found, and nothing in the end.
        """
        parts: list[Any] = []

        def go_on() -> tuple[Any, bool]:
            try:
                return next(work), False
            except StopIteration as stop:
                return stop.value, True

        garbage = self._scheduler.garbage
        passing = garbage.passing() if feature.join is not None else contextlib.nullcontext()
        with contextlib.closing(work), passing as forget:
            while True:
                # One file may be long: what is typed meanwhile does not wait for all of it.
                part, ended = yield from self._scheduler.in_slices(go_on)
                if ended:
                    result = part
                    break
                if feature.join is not None and not workspace.settle():
                    # A document was changed while it was read: its own diagnostics follow, and the others count.
                    part = None
                if feature.join is not None and part is not None and not reporter.sends_parts:
                    parts.append(shown(feature, part, edge))
                else:
                    reporter.send_part(part, edge)
                found = part is not None
                del part
                if found and forget is not None:
                    forget()
                yield
        if reporter.sends_parts and result is not None:
            result = feature.nothing
        if not workspace.is_current:
            raise ResponseError(CONTENT_MODIFIED, f"a document was changed while `{feature.method}` was answered")
        if result is None:
            self._report_beside([], workspace, asks=False)
            return None
        if feature.join is not None and not reporter.sends_parts:
            sent = feature.join(parts)
            if not any(each.is_long for each in self._session.documents.values()):
                garbage.rest()
        else:
            sent = yield from self._scheduler.in_slices(lambda: shown(feature, result, edge))
        notes = feature.notes(result) if feature.notes is not None else ()
        self._report_beside(notes, workspace, asks=feature.notes is not None)
        return sent

    def _report_beside(self, notes: Sequence[str], workspace: Workspace, *, asks: bool) -> None:
        """Show the message that comes with an answer; `asks` where a person must know what was left out."""
        for path, reason in workspace.left_out:
            self._connection.log(INFO, f"{path} was not searched: {reason}")
        reported = [*notes]
        if workspace.left_out and asks:
            # The author of a change has to know of what was not changed.
            (path, reason), *more = workspace.left_out
            others = f", and {len(more)} more, which the log names," if more else ""
            reported.append(f"{path}{others} was not searched and is unchanged: {reason}.")
        for words in reported:
            self._connection.notify("window/showMessage", {"type": INFO, "message": f"Callwright: {words}"})
