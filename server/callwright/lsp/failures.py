"""Failures: what goes wrong with one message is answered and logged, and ends nothing.

Owns: which error of Python is which error of the protocol, and its words. Must not know: methods, documents.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from callwright.features.base import RefusedError
from callwright.lsp.connection import (
    ERROR,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    REQUEST_FAILED,
    InvalidParamsError,
    ResponseError,
    log_line,
)

if TYPE_CHECKING:
    from callwright.lsp.connection import Connection, RequestId


class Failures:
    """What is done about errors in one conversation."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def guard(self, request: RequestId, what: str, work: Callable[[], object]) -> None:
        """Do a piece of work; what it raises is reported, and ends nothing."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a fault in one message must not take the others with it
            self.report(request, what, error)

    def report(self, request: RequestId, what: str, error: Exception) -> None:
        """Answer a request that failed, where it was one, and log why."""
        named = f"`{what}`" if what else "a request"
        if isinstance(error, InvalidParamsError):
            code, words = INVALID_PARAMS, f"{named}: {error}"
        elif isinstance(error, RefusedError):
            # An answer like any other, for the person who asked.
            self._connection.fail(request, REQUEST_FAILED, str(error))
            return
        elif isinstance(error, ResponseError):
            code, words = error.code, str(error)
        else:
            code, words = INTERNAL_ERROR, f"{named} failed: {type(error).__name__}: {error}"
            log_line("".join(traceback.format_exception(error)))
        if request is not None:
            self._connection.fail(request, code, words)
        self._connection.log(ERROR, words)
