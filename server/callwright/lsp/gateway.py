"""The gateway: pygls, which checks the parameters of a request against the protocol's types and calls its handler.

Owns: the only use of pygls and of lsprotocol. Importing them costs more than everything else before the first answer
(0.4 to 0.6 s), so this module is imported when a request needs it or when there is nothing better to do; what is sent
at every keystroke does not pass through here. Must not know: sessions, what a feature does.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from cattrs import transform_error
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from callwright import __version__
from callwright.lsp.connection import InvalidParamsError
from callwright.lsp.scheduler import Steps

if TYPE_CHECKING:
    from concurrent.futures import Future

    from cattrs import Converter

    from callwright.lsp.connection import Connection, Message, RequestId

#: Turns the parameters of a request, as the protocol's type, into the result as plain data.
Handler = Callable[[Any], Any]
#: Given a request whose answer takes several steps.
Later = Callable[["RequestId", str, Steps], None]
#: Called with a request whose handler or parameters failed; answers it.
Failed = Callable[["RequestId", str, Exception], None]


class _Protocol(LanguageServerProtocol):
    """pygls' dispatch over our connection.

    Stock pygls leaves a request with malformed parameters without an answer and hides other failures in the reply;
    here every failure goes one way, through `failed`.
    """

    connection: Connection
    failed: Failed
    later: Later
    #: The method of the request at hand; there is never more than one.
    method = ""

    def _send_data(self, data: Any) -> None:
        self.connection.writer.send_body(json.dumps(data, default=self._serialize_message).encode("ascii"))

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        self._request_futures.pop(msg_id, None)
        error = future.exception()
        if error is None:
            result = future.result()
            if isinstance(result, Steps):
                self.later(msg_id, self.method, result)
                return
            try:
                self.connection.reply(msg_id, result)
            except (TypeError, ValueError, RecursionError) as failure:
                # A result that JSON cannot hold is a failure of its handler; what is raised here would be lost.
                error = failure
        if error is None:
            return
        if isinstance(error, Exception):
            self.failed(msg_id, self.method, error)
        else:
            raise error


class Gateway:
    """The features that are dispatched by pygls."""

    def __init__(self, connection: Connection, handlers: dict[str, Handler], failed: Failed, later: Later) -> None:
        self._connection = connection
        self._handlers = handlers
        self._failed = failed
        self._later = later

    @cached_property
    def _protocol(self) -> _Protocol:
        # What pygls would log is logged by us where it matters, and its own reports would double it.
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
        server = LanguageServer("callwright", __version__, protocol_cls=_Protocol, converter_factory=_converter)
        for method, handler in self._handlers.items():
            server.feature(method)(_named(handler))
        protocol = cast("_Protocol", server.protocol)
        for method in self._handlers:
            # What pygls would answer itself, as it does commands, is ours.
            protocol.fm.builtin_features.pop(method, None)
        protocol.connection = self._connection
        protocol.failed = self._failed
        protocol.later = self._later
        return protocol

    def warm_up(self) -> None:
        """Do now what the first request would wait for."""
        protocol = self._protocol
        for method in self._handlers:
            params: dict[str, Any] = {}
            try:
                protocol.structure_message({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})
            except JsonRpcException:
                continue

    def handle(self, message: Message) -> None:
        """Check one request and have it answered."""
        request, method = message["id"], message["method"]
        logging.disable(logging.CRITICAL)
        try:
            # A message with no version, or another one, is read like all others: pygls would leave it without an
            # answer.
            structured = self._protocol.structure_message({**message, "jsonrpc": "2.0"})
        except JsonRpcException as error:
            self._failed(request, method, InvalidParamsError(_explain(error.__cause__ or error)))
            return
        finally:
            logging.disable(logging.NOTSET)
        self._protocol.method = method
        self._protocol.handle_message(structured)


def _converter() -> Converter:
    """Return pygls' converter, with scalars taken as they are: stock, a line `"0"` is 0 and a URI 5 is `"5"`."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls gives it no types

    def expect(kind: type) -> Callable[[Any, Any], Any]:
        def structure(value: Any, _: Any) -> Any:
            if type(value) is not kind:
                raise ValueError(f"{kind.__name__} expected, not {type(value).__name__}")
            return value

        return structure

    for kind in (str, int, bool):
        converter.register_structure_hook(kind, expect(kind))
    return converter


def _named(handler: Handler) -> Handler:
    """Return a function of its own for a handler: pygls writes attributes on what it is given."""

    def handle(params: Any) -> Any:
        return handler(params)

    return handle


def _explain(error: BaseException) -> str:
    """Return in words what is wrong with a message that does not have its method's form."""
    if not isinstance(error, Exception):
        return str(error)
    return "; ".join(transform_error(error, path="message"))
