"""Why a reply was rejected.

Owns: `ParseError`, its plain form, and its description of the failed call; `ParseResult`. Must not know: how a reply is
read, the words of the message that a model is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callwright.document.settings import Settings
from callwright.rules.base import ErrorType
from callwright.text.records import NamedTuple
from callwright.text.shown import harmless
from callwright.text.span import lines_and_columns

if TYPE_CHECKING:
    from callwright.calls.call import Call
    from callwright.rules.base import Diagnostic
    from callwright.runtime.rejection import Rejection
    from callwright.text.span import Span


class ParseError(Exception):
    """A reply was rejected, and none of its calls may be run.

    `type` is one of `ErrorType`; `message` is one or two sentences for people and logs. Both are those of the first
    diagnostic that later text cannot revoke; a stream stops at the same one. `diagnostics` are those that the reply was
    rejected for, in the order of its text; they are empty where the reply contains no call. `call` is the call that
    contains the first of these, None where there is none. `tool` is the tool of that call, None where it is unknown.
    `calls` are all calls with diagnostics, in the order of the text. `dialect` is the demanded dialect, `dialects` all
    accepted ones, `settings` those that the reply was read with, `registry` the offered tools. For `MAX_MISTAKES`,
    `cause` is the failure that exceeded the maximum. `dispute` says how lxml reads a call in XML differently, where the
    reply is rejected for that. `rejection` has all of these facts.

    All spans are in code points of `text`, the reply, half-open.
    """

    def __init__(self, rejection: Rejection, cause: ParseError | None = None) -> None:
        # Logs and terminals get these texts, which quote the reply.
        self.message = harmless(rejection.message)
        super().__init__(f"{rejection.type.value}: {self.message}")
        self.rejection = rejection
        self.type = rejection.type
        self.text = rejection.text
        self.dialects = tuple(rejection.dialects)
        self.dialect = self.dialects[0]
        self.registry = rejection.registry
        self.diagnostics = tuple(rejection.diagnostics)
        self.call = rejection.call
        self.tool = rejection.tool
        self.cause = cause
        self.calls = tuple(rejection.calls) or (() if self.call is None else (self.call,))
        self.settings = rejection.settings or Settings(dialect=self.dialect, strict=True, placeholders=False)
        self.dispute = rejection.dispute

    def __reduce__(self) -> tuple[Any, ...]:
        # Fixes are closures, which cannot be sent to another process; the diagnostics themselves can.
        plain = tuple(replace(diagnostic, _fixes=(), source=None, missing=tuple) for diagnostic in self.diagnostics)
        return ParseError, (replace(self.rejection, diagnostics=plain), self.cause)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans of the diagnostics, in code points of the reply."""
        return tuple(diagnostic.span for diagnostic in self.diagnostics)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the rules that rejected the reply, each once, in the order of the diagnostics."""
        return tuple(dict.fromkeys(diagnostic.code for diagnostic in self.diagnostics))

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of the arguments of the failed call's tool, None where no tool is known.

        It includes the definitions that it refers to, and no others of its tool set.
        """
        from callwright.tools.used_definitions import without_unused

        return None if self.tool is None else without_unused(self.tool.input_schema)

    @cached_property
    def details(self) -> str:
        """Every diagnostic on a line of its own: line and column (from 1), code, message."""
        lines = []
        for diagnostic in self.diagnostics:
            line, column = self._places[diagnostic.span.start]
            lines.append(f"{line}:{column} {diagnostic.code} {harmless(diagnostic.message)}")
        return "\n".join(lines)

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        return lines_and_columns(self.text, (diagnostic.span.start for diagnostic in self.diagnostics))

    @cached_property
    def example(self) -> str | None:
        """A call in the demanded dialect: of the failed call's tool, else of the first tool that can be shown."""
        from callwright.runtime.examples import example_call

        return example_call(self.dialect, self.registry, self.tool)

    def feedback(self) -> str:
        """Return the message for the model; `callwright.runtime.Feedback` makes others."""
        from callwright.runtime.feedback import DEFAULT

        return DEFAULT(self)

    def is_of(self, type: ErrorType | str) -> bool:  # noqa: A002  # as above
        """Return whether the error is of a type; `NO_CALLS` and `NO_XML_BLOCKS` are the same here.

        Raises ValueError where there is no such type.
        """
        return ErrorType(type).general is self.type.general

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain JSON data.

        The keys are `type`, `message`, `details`, `dialect`, `tool`, `call` (number, tool, dialect, span),
        `diagnostics` (code, name, message, span, line, column), `schema`, `example`, `dispute` (kind, element, reason)
        and `cause`; unknown values are null.
        """
        return {
            "type": self.type.value,
            "message": self.message,
            "details": self.details,
            "dialect": self.dialect,
            "tool": self.tool.name if self.tool is not None else None,
            "call": None
            if self.call is None
            else {
                "number": self.call.number,
                "tool": self.call.tool,
                "dialect": self.call.dialect,
                "span": [*self.call.span],
            },
            "diagnostics": [self._diagnostic(diagnostic) for diagnostic in self.diagnostics],
            "schema": self.schema,
            "example": self.example,
            "dispute": None
            if self.dispute is None
            else {
                "kind": self.dispute.kind.value,
                "element": self.dispute.element,
                "reason": self.dispute.reason,
            },
            "cause": None if self.cause is None else self.cause.to_dict(),
        }

    def _diagnostic(self, diagnostic: Diagnostic) -> dict[str, Any]:
        line, column = self._places[diagnostic.span.start]
        return {
            "code": diagnostic.code,
            "name": diagnostic.name,
            "message": harmless(diagnostic.message),
            "span": [*diagnostic.span],
            "line": line,
            "column": column,
        }


class ParseResult(NamedTuple):
    """The outcome of a reply: `(calls, None)`, `([], error)`, or `([], None)` for a reply without calls."""

    calls: list[Call]
    error: ParseError | None
