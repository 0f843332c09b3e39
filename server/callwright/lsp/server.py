"""The language server: starts, passes every message to its handler, and ends.

Owns: the life of the session and the loop, which only puts the parts together. Must not know: how a feature works, what
a document is, positions.

    didChange ─▶ sync ─▶ session ─▶ document ┐
                                             ├─▶ scheduler ─▶ publish ─▶ lint ─▶ publishDiagnostics
    requests ─▶ dispatch ─▶ gateway ─▶ features ─▶ answer

One thread does all work, another only reads. `scheduler` decides what is done while no message waits; long work is done
in slices in place of the loop, never beside it. The parts are imported and made once `initialize` has been answered,
and nothing heavy is imported before.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callwright import __version__
from callwright.features import all_features
from callwright.lsp.connection import ERROR, NOT_INITIALIZED, Connection, End, Message
from callwright.lsp.failures import Failures
from callwright.lsp.frames import INVALID_REQUEST, Fault
from callwright.lsp.handshake import Handshake, registrations, server_capabilities
from callwright.lsp.notebooks import Notebooks
from callwright.lsp.scheduler import Scheduler
from callwright.lsp.warming import warm

if TYPE_CHECKING:
    from callwright.features.base import Feature
    from callwright.lsp.chat_templates import ChatTemplates
    from callwright.lsp.dispatch import Direct, Dispatcher
    from callwright.lsp.session import Session
    from callwright.lsp.sync import Sync


@dataclass(frozen=True, slots=True)
class Parts:
    """What serves a client that is initialized; `direct` are the methods that are handled as plain data."""

    session: Session
    dispatcher: Dispatcher
    chat_templates: ChatTemplates
    direct: Mapping[str, Direct]


class Server:
    """One session with one client, from the first message to the exit code."""

    def __init__(self, connection: Connection, watch: Callable[[int], None] | None = None) -> None:
        """Serve `connection`; `watch` is called with the process that this one must not outlive."""
        self._connection = connection
        self._watch = watch
        self._features: dict[str, Feature[Any]] = {feature.method: feature for feature in all_features()}
        self._failures = Failures(connection)
        self.scheduler = Scheduler(connection, self._failures, self.take)
        self._handshake: Handshake | None = None
        self._parts: Parts | None = None
        self._shutdown = False
        self._exit: int | None = None

    # The loop

    def serve(self) -> int:
        """Answer messages until the client sends `exit` or is gone; return the exit code.

        It is 0 only after `shutdown`: anything else means that the client did not end the session as it should.
        """
        while self._exit is None:
            message = self._connection.receive(self.scheduler.timeout())
            if message is None:
                self.scheduler.idle()
            elif isinstance(message, End):
                break
            elif callable(message):
                self._failures.guard(None, "preparing", message)
            else:
                self.take(message)
                self.scheduler.keep_up()
            if self._connection.writer.closed:
                break
        self._end_rendering()
        self.scheduler.close()
        return self._exit if self._exit is not None else int(not self._shutdown)

    def take(self, message: Message | Fault) -> None:
        """Handle one message, or hold it back while the editor's settings are awaited."""
        if isinstance(message, Fault):
            self._connection.fail(message.request, message.code, message.message)
            self._connection.log(ERROR, message.message)
        elif "method" not in message:
            self._failures.guard(None, "an answer", lambda: self._connection.answer(message))
        elif message["method"] == "exit":
            self._exit = int(not self._shutdown)
        elif self.scheduler.holds:
            self.scheduler.hold_back(message)
        elif "id" in message:
            self._request(message)
        else:
            self._notification(message["method"], message.get("params"))

    def _request(self, message: Message) -> None:
        """Answer a request; what concerns the life of the session is answered here."""
        request, method = message["id"], message["method"]
        if self._connection.drop_cancelled(request, method):
            return
        if self._shutdown:
            self._connection.fail(request, INVALID_REQUEST, f"`{method}` came after `shutdown`")
        elif self._handshake is None and method != "initialize":
            self._connection.fail(request, NOT_INITIALIZED, f"`{method}` came before `initialize`")
        elif self._handshake is not None and method == "initialize":
            self._connection.fail(request, INVALID_REQUEST, f"`{method}` is sent once")
        elif method in ("initialize", "shutdown"):
            answer = self._initialize if method == "initialize" else self._on_shutdown
            params = message.get("params")
            self._failures.guard(request, method, lambda: self._connection.reply(request, answer(params)))
        else:
            self._failures.guard(request, method, lambda: self.parts.dispatcher.request(message))

    def _notification(self, method: str, params: Any) -> None:
        """Obey a notification; one that the server does not know is worth no word."""
        if self._handshake is None or self._shutdown:
            return
        handler = self.parts.direct.get(method)
        if handler is not None:
            self._failures.guard(None, method, lambda: handler(params))

    # The life of the session

    def _initialize(self, params: Any) -> dict[str, Any]:
        """Return what the server can do for this client."""
        self._handshake = handshake = Handshake.of(params)
        if self._watch is not None and handshake.process is not None:
            self._watch(handshake.process)
        self.scheduler.preparation = self._prepare
        return {
            "capabilities": server_capabilities(self._features.values(), handshake),
            "serverInfo": {"name": "callwright", "version": __version__},
        }

    def _prepare(self) -> None:
        """Import, beside the work, what the next request would wait for."""
        warm(lambda: self._connection.post(self._prepared))

    def _prepared(self) -> None:
        """Prepare what was imported, and take what is loaded by now out of the collector's sight."""
        self.parts.dispatcher.warm_up()
        gc.collect()
        gc.freeze()

    @property
    def parts(self) -> Parts:
        """What serves the client; made when the first message after `initialize` needs it."""
        if self._parts is None:
            assert self._handshake is not None
            self._parts = self._made(self._handshake)
        return self._parts

    def _made(self, handshake: Handshake) -> Parts:
        from callwright.lsp.chat_templates import ChatTemplates
        from callwright.lsp.context import Context
        from callwright.lsp.dispatch import Dispatcher
        from callwright.lsp.publish import DIAGNOSTIC, STATUS, Publisher
        from callwright.lsp.sync import Sync, begin_session

        connection, scheduler = self._connection, self.scheduler
        context = Context(begin_session(handshake), handshake)
        publisher = Publisher(connection, scheduler, context, handshake, self._features)
        chat_templates = ChatTemplates(
            connection,
            scheduler,
            context.session,
            is_trusted=handshake.is_trusted,
            changed=publisher.rendered,
        )
        context.check_chat_template = chat_templates.check
        sync = Sync(connection, scheduler, context, handshake, publisher, chat_templates)
        direct: dict[str, Direct] = {
            "initialized": lambda _params: self._on_initialized(handshake, sync),
            "shutdown": self._on_shutdown,
            "textDocument/didOpen": sync.did_open,
            "textDocument/didChange": sync.change_document,
            "textDocument/didClose": sync.did_close,
            "textDocument/didSave": sync.did_save,
            "workspace/didChangeWatchedFiles": sync.did_change_watched_files,
            "workspace/didCreateFiles": sync.did_move_files,
            "workspace/didRenameFiles": sync.did_move_files,
            "workspace/didDeleteFiles": sync.did_move_files,
            "workspace/didChangeConfiguration": sync.did_change_configuration,
            "workspace/didChangeWorkspaceFolders": sync.did_change_workspace_folders,
            **dict(Notebooks(sync).handlers()),
            DIAGNOSTIC: publisher.pull,
            STATUS: publisher.status,
        }
        dispatcher = Dispatcher(connection, scheduler, self._failures, context, self._features, direct)
        return Parts(context.session, dispatcher, chat_templates, direct)

    def _on_initialized(self, handshake: Handshake, sync: Sync) -> None:
        found = registrations(self._features.values(), handshake)
        if found:
            self._connection.request("client/registerCapability", {"registrations": found})
        if handshake.can("workspace.configuration"):
            sync.await_settings()

    def _on_shutdown(self, _params: Any) -> None:
        self._shutdown = True
        self._end_rendering()
        self.scheduler.cancel_requests("was not answered before `shutdown`")

    def _end_rendering(self) -> None:
        if self._parts is not None:
            self._parts.chat_templates.close()
