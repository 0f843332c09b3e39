"""Rendering a chat template, plainly or with the origin of each character.

Owns: `compile_template`, `Compiled`. Must not know: processes. Nothing here limits time or memory: for that,
templates are rendered by `Renderer`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateNotFound, TemplateSyntaxError

from callwright.chat_templates.compiling import Code, Mode, compiled, followed, span_of, token_span
from callwright.chat_templates.environment import Environment, RaisedError, TaggedEnvironment, variables_of
from callwright.chat_templates.guard import DENIED, PERMIT, TRACING, DeniedError, TimeLimitError
from callwright.chat_templates.model import Failed, FailureKind, Job, Outcome, Rendered, Run, Variables
from callwright.chat_templates.places import Source
from callwright.chat_templates.tagged import Via, joined, node_of, segments
from callwright.chat_templates.variables import variables
from callwright.text.span import Span

#: Characters of a rendering, and of a message.
MAX_OUTPUT: Final = 10_000_000
MAX_MESSAGE: Final = 2_000
#: More runs than this are not distinguished.
MAX_RUNS: Final = 500_000

#: Whatever a stranger's template leads to.
_ERRORS: Final = (Exception, DeniedError, TimeLimitError)

_PLAIN: Final = Environment()
_TAGGED: Final = TaggedEnvironment()
#: Statements that ask for another template, by their names.
_FOREIGN: Final = {
    nodes.Include: "include",
    nodes.Import: "import",
    nodes.FromImport: "import",
    nodes.Extends: "extends",
}


class OutputLimitError(Exception):
    """A rendering is too long."""


def compile_template(text: str) -> Compiled | Failed:
    """Return a template, ready to be rendered, or why it is none."""
    source = Source(text)
    PERMIT.denied = None
    try:
        tree = _PLAIN.read(source)
        foreign = next(tree.find_all(tuple(_FOREIGN)), None)
        if foreign is not None:
            name = _FOREIGN[type(foreign)]
            return Failed("refused", f"a chat template cannot use `{{% {name} %}}`", span_of(source, foreign.lineno))
        return Compiled(tree, source)
    except TemplateSyntaxError as error:
        return Failed("syntax", _shortened(error.message or ""), token_span(source, error.lineno))
    except _ERRORS as error:
        failed = _failed(error, None)
        return Failed("syntax", failed.message) if failed.kind == "error" else failed


class Compiled:
    """A template that can be rendered."""

    def __init__(self, tree: nodes.Template, source: Source) -> None:
        self._tree = tree
        self._source = source
        self._modes = (Mode.ALL, Mode.OUTERMOST) if followed(tree) else (Mode.OUTERMOST,)
        self._codes: dict[Mode, Code] = {}
        self._code(Mode.PLAIN)

    def _code(self, mode: Mode) -> Code:
        if mode not in self._codes:
            environment = _TAGGED if mode is Mode.ALL else _PLAIN
            self._codes[mode] = compiled(self._tree, self._source, environment, mode)
        return self._codes[mode]

    @property
    def variables(self) -> Variables:
        """The variables that the template reads."""
        return variables(self._tree)

    def render(self, job: Job) -> Outcome:
        """Return the text that the template makes, without its origins."""
        code = self._code(Mode.PLAIN)
        try:
            return Rendered("".join(_limited(self._pieces(code, job))))
        except _ERRORS as error:
            with PERMIT.allow(TRACING):
                place = code.place(error.__traceback__)
            return _failed(error, place)

    def render_tagged(self, job: Job) -> Outcome:
        """Return the text that the template makes, with the origin of each character.

        The text is that of a plain rendering. Where the template notices that its text is tagged, as one does that
        tests for types, the runs are those of the outermost `{{ }}`.
        """
        plain = self.render(job)
        if isinstance(plain, Failed) or not plain.text:
            return plain
        for mode in self._modes:
            runs = self._runs(job, mode, plain.text)
            if runs is not None:
                return Rendered(plain.text, runs)
        return Rendered(plain.text, (Run(0, len(plain.text), Span(0, len(self._source.original)), exact=False),))

    def _runs(self, job: Job, mode: Mode, text: str) -> tuple[Run, ...] | None:
        """Return the origins of a rendering; None where it is another one than `text`."""
        try:
            code = self._code(mode)
            whole = joined(_limited(self._pieces(code, job)))
            if whole != text:
                return None
            ends, found = segments(node_of(whole))
        except (Exception, DeniedError):  # noqa: BLE001 - the plain rendering went well
            return None
        if len(ends) > MAX_RUNS:
            return None
        runs: list[Run] = []
        passed: dict[int, tuple[Span, ...]] = {}
        start = 0
        for end, (site, offset, via) in zip(ends, found, strict=True):
            span, exact = code.sites.span(site, offset, end - start)
            if id(via) not in passed:
                passed[id(via)] = _spans(code, via)
            runs.append(Run(start, end, span, exact, passed[id(via)]))
            start = end
        return tuple(runs)

    def _pieces(self, code: Code, job: Job) -> Iterator[Any]:
        # `random` and `lipsum` are the same each time.
        random.seed(0)
        PERMIT.denied = None
        yield from code.pieces({"messages": job.messages, "tools": job.tools, **variables_of(job.variables)})
        if PERMIT.denied is not None:
            raise DeniedError(PERMIT.denied)


def _limited(pieces: Iterator[Any]) -> Iterator[Any]:
    """Yield pieces of output up to the limit."""
    length = 0
    for piece in pieces:
        length += len(piece[1]) if type(piece) is tuple else len(piece)
        if length > MAX_OUTPUT:
            raise OutputLimitError(f"more than {MAX_OUTPUT:,} characters")
        yield piece


def _spans(code: Code, via: Via | None) -> tuple[Span, ...]:
    spans: list[Span] = []
    while via is not None:
        spans.append(code.sites.span(via.site, 0, 0)[0])
        via = via.outer
    return tuple(spans)


def _failed(error: BaseException, place: Span | None) -> Failed:
    """Return what an exception means."""
    kind: FailureKind = "error"
    message = f"{type(error).__name__}: {_words(error)}"
    if PERMIT.denied is not None or isinstance(error, DeniedError):
        kind, message = "refused", f"{DENIED} `{PERMIT.denied or error}`"
    elif isinstance(error, RaisedError):
        kind, message = "raised", _words(error)
    elif isinstance(error, SecurityError | TemplateNotFound) or (
        isinstance(error, OverflowError) and _words(error).startswith("Range too big")
    ):
        kind, message = "refused", _words(error)
    elif isinstance(error, TimeLimitError):
        kind, message = "time", _words(error)
    elif isinstance(error, MemoryError):
        kind, message = "memory", "the rendering needs too much memory"
    elif isinstance(error, OutputLimitError):
        kind, message = "output", _words(error)
    return Failed(kind, _shortened(message), place)


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except _ERRORS:
        return ""


def _shortened(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
