"""Chat templates: one that is opened or saved in a trusted workspace is rendered and checked, in the background.

Owns: `ChatTemplates`: which documents are checked so and when, and the thread that renders. Must not know: how
templates are rendered, what rules say of them, how diagnostics are sent.

The check is long work of the scheduler, one document at a time. Where it needs a rendering it waits for the thread,
without a turn, so neither a keystroke nor a request waits for a template.
"""

from __future__ import annotations

import importlib
import importlib.util
import queue
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import RefusedError
from callwright.lsp.connection import INFO, WARNING
from callwright.lsp.deadlines import Deadline
from callwright.lsp.settings import CHAT_TEMPLATES

if TYPE_CHECKING:
    from callwright.chat_templates.model import Failed, Job, Outcome, Variables
    from callwright.chat_templates.renderer import Renderer
    from callwright.document.settings import Settings
    from callwright.lsp.connection import Connection
    from callwright.lsp.scheduler import Scheduler
    from callwright.lsp.session import OpenDocument, Session
    from callwright.lsp.slices import Slices
    from callwright.rules.base import Diagnostic
    from callwright.text.document import TextDocument

#: A longer document is not rendered, in characters.
MAX_LENGTH: Final = 1_000_000
#: How long the process that renders is kept while there is nothing to render, in seconds.
IDLE: Final = 600.0
#: Under which key of the scheduler templates are checked: one at a time.
_KEY: Final = "chat template"
#: What a check needs beyond what diagnostics have imported.
_IMPORTED: Final = (
    "callwright.chat_templates.files",
    "callwright.chat_templates.proving",
    "callwright.lint.chat_templates",
    "callwright.lint.rendered",
)
#: What an untitled document in Jinja is taken for.
_UNTITLED: Final = "chat_template.jinja"

_NO_TEMPLATE: Final = (
    "This document is not a chat template: expected a Jinja file that renders `messages`, or a "
    "`tokenizer_config.json`, `chat_template.json` or `processor_config.json` with a `chat_template`."
)
_UNTRUSTED: Final = (
    "The workspace is not trusted, so its chat templates are not rendered. Trust it in VS Code; in other editors, set "
    "`trusted` to true in `initializationOptions`."
)
_TOO_LONG: Final = f"A chat template of more than {MAX_LENGTH:,} characters is not rendered."


@dataclass(frozen=True, slots=True)
class Checked:
    """What comes of the chat templates in a document; `probes` counts the outcomes of their probes."""

    diagnostics: tuple[Diagnostic, ...]
    templates: int
    probes: Mapping[str, int]

    @property
    def summary(self) -> str:
        """The message for the user who ran the command."""
        if not self.templates:
            return _NO_TEMPLATE
        count = len(self.diagnostics)
        found = f"{count} diagnostic{'' if count == 1 else 's'}" if count else "no diagnostics"
        outcomes = ", ".join(f"{number} {outcome}" for outcome, number in self.probes.items())
        return f"The chat template has {found}." + (f" Probes: {outcomes}." if outcomes else "")


@dataclass(slots=True)
class _About:
    """What the scheduler knows of a check: it has no deadline."""

    version: int = 0
    deadline: Deadline = field(default_factory=Deadline)


class ChatTemplates:
    """The checks of one server. `changed` is called with a document whose diagnostics are others than before."""

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        session: Session,
        *,
        is_trusted: bool,
        changed: Callable[[OpenDocument], object],
    ) -> None:
        self._connection = connection
        self._scheduler = scheduler
        self._session = session
        self._is_trusted = is_trusted
        self._changed = changed
        #: The documents that are to be checked, and whether a person asked for it.
        self._due: dict[str, bool] = {}
        self._current: str | None = None
        self._is_asked = False
        self._thread: _Thread | None = None
        #: Why nothing can be rendered, once that was seen.
        self._unavailable: str | None = None
        self._closed = False

    # What is to be checked

    def take(self, document: OpenDocument) -> None:
        """Have a document checked that was opened or saved, where that is wanted and it may hold chat templates."""
        if self._is_wanted(document) and document.rendered_text is not document.text:
            if self._missing() is None:
                self._begin(document.uri, asked=False)
            elif self._unavailable is None:
                self._give_up(str(self._missing()))

    def check(self, uri: str) -> None:
        """Have a document checked because a person asks for it; raise RefusedError where that cannot be."""
        document = self._session.documents.get(uri)
        if not self._is_trusted:
            raise RefusedError(_UNTRUSTED)
        if document is None or document.out_of_step is not None or not _may_hold_templates(document):
            raise RefusedError(_NO_TEMPLATE)
        if len(document.text) > MAX_LENGTH:
            raise RefusedError(_TOO_LONG)
        missing = self._missing()
        if missing is not None:
            raise RefusedError(missing)
        self._begin(uri, asked=True)

    def settings_changed(self) -> None:
        """Take other settings: check again what is as it was checked, and take back what is not wanted any more."""
        for document in self._session.documents.values():
            if not self._is_wanted(document):
                self._take_back(document)
            elif document.rendered_text in (None, document.text):
                document.rendered_text = None
                self.take(document)

    def forget(self, uri: str) -> None:
        """End what is due or under way for a document that is closed."""
        self._due.pop(uri, None)
        if self._current == uri:
            self._abandon()

    def close(self) -> None:
        """End what is under way, and the process that renders."""
        self._closed = True
        self._due.clear()
        self._abandon()
        if self._thread is not None:
            self._thread.close()
            self._thread = None

    def _is_wanted(self, document: OpenDocument) -> bool:
        """Return whether a document is checked without a word of a person."""
        if not self._is_trusted or self._closed or document.out_of_step is not None:
            return False
        if CHAT_TEMPLATES in self._session.turned_off_in(document) or len(document.text) > MAX_LENGTH:
            return False
        if not _may_hold_templates(document):
            return False
        path = document.path
        if path is None:
            return True
        is_outside = self._session.folder_of(path) is None and any(each.path for each in self._session.folders)
        project = document.loaded.project
        return not is_outside and not project.excludes(path) and (project.discovers or project.covers(path))

    def _missing(self) -> str | None:
        """Return what is missing for rendering, in words; nothing is imported for that."""
        if importlib.util.find_spec("jinja2") is not None:
            return None
        from callwright.chat_templates.model import INSTALL

        return f"Chat templates are not rendered, because Jinja is not installed. Run `{INSTALL}`."

    def _take_back(self, document: OpenDocument) -> None:
        self.forget(document.uri)
        had, document.rendered, document.rendered_text = document.rendered, (), None
        if had:
            self._changed(document)

    # One check

    def _begin(self, uri: str, *, asked: bool) -> None:
        self._due[uri] = self._due.pop(uri, False) or asked
        if self._current == uri:
            # The newest text wins.
            self._due[uri] |= self._is_asked
            self._abandon()
        self._schedule()

    def _schedule(self) -> None:
        if self._due and self._current is None:
            self._scheduler.schedule(_KEY, "chat templates", self._next)

    def _abandon(self) -> None:
        self._current = None
        self._scheduler.forget(_KEY)
        self._schedule()

    def _next(self) -> None:
        while self._due and self._current is None:
            uri = next(iter(self._due))
            asked = self._due.pop(uri)
            document = self._session.documents.get(uri)
            if document is None or document.out_of_step is not None or (self._unavailable is not None and not asked):
                continue
            self._current, self._is_asked = uri, asked
            self._thread = self._thread or _Thread()
            work = _Work(
                _name_of(document) or _UNTITLED,
                document.text.text(),
                document.project.settings,
                self._tokens_file(document),
                _Waiting(self._scheduler.slices, self._thread, self._resume),
            )
            done = partial(self._done, document, document.text)
            self._scheduler.begin(_KEY, "a chat template", work.outcome, done=done, about=_About(), late=_no_word)

    def _tokens_file(self, document: OpenDocument) -> Path | None:
        """Return where a tokenizer beside the template states its tokens; nothing outside the folders is read."""
        from callwright.chat_templates.names import TOKENS_NAME

        path = document.path
        return Path(path).with_name(TOKENS_NAME) if path is not None and self._session.folder_of(path) else None

    def _resume(self) -> None:
        """Let the check continue; called on the thread that renders."""
        self._connection.post(partial(self._scheduler.resume, _KEY))

    def _done(self, document: OpenDocument, text: TextDocument, outcome: Checked | Exception) -> None:
        from callwright.chat_templates.model import ChatTemplateError
        from callwright.lint.rendered import after_rewrite

        asked, self._current = self._is_asked, None
        self._schedule()
        if isinstance(outcome, ChatTemplateError):
            self._give_up(str(outcome))
            if asked:
                self._show(WARNING, str(outcome))
            return
        if isinstance(outcome, Exception):
            raise outcome
        if self._session.documents.get(document.uri) is document:
            found = outcome.diagnostics
            if document.text is not text:
                found = after_rewrite(found, text.text(), document.text.text())
            before, document.rendered, document.rendered_text = document.rendered, found, text
            if before != found:
                self._changed(document)
        if asked:
            self._show(INFO, outcome.summary)

    def _give_up(self, reason: str) -> None:
        """Render nothing more unless a person asks, and say why once."""
        if self._unavailable is None:
            self._connection.log(INFO, reason)
        self._unavailable = reason

    def _show(self, severity: int, words: str) -> None:
        self._connection.notify("window/showMessage", {"type": severity, "message": f"Callwright: {words}"})


def _no_word() -> None:
    """Say nothing of a check that takes long."""


def _name_of(document: OpenDocument) -> str | None:
    """Return the name by which it is known how a document holds chat templates; None where it holds none."""
    if document.cell:
        return None
    is_jinja = document.language.startswith("jinja")
    if document.path is None:
        return _UNTITLED if is_jinja else None
    from callwright.chat_templates.names import is_template_file

    name = Path(document.path).name
    return name if is_template_file(name) or (is_jinja and not name.endswith(".json")) else None


def _may_hold_templates(document: OpenDocument) -> bool:
    """Return whether a document may hold chat templates; reading it, which takes longer, tells for certain."""
    name = _name_of(document)
    if name is None:
        return False
    from callwright.chat_templates.names import has_template

    return has_template(name, document.text.text())


@dataclass(frozen=True, slots=True)
class _Work:
    """The check of one text, as long work; `tokens_file` may have the tokens of its model."""

    name: str
    text: str
    settings: Settings
    tokens_file: Path | None
    renderer: _Waiting

    def outcome(self) -> Checked | Exception:
        """Return what comes of the templates, or what the check failed with."""
        try:
            return self._checked()
        except Exception as error:  # noqa: BLE001 - `ChatTemplates` has to know of its end
            return error

    def _checked(self) -> Checked:
        self.renderer.prepare()
        from callwright.chat_templates.files import templates_in
        from callwright.chat_templates.proving import prove
        from callwright.chat_templates.renderer import TimedRenderer
        from callwright.lint.chat_templates import in_file, proved_diagnostics
        from callwright.lint.rendered import settled

        found: list[Diagnostic] = []
        probes: Counter[str] = Counter()
        templates = templates_in(self.name, self.text)
        tokens = self._tokens() if templates else {}
        timed = TimedRenderer(self.renderer)
        for template in templates:
            proved = partial(prove, renderer=timed, name=template.called, tokens=tokens)
            proof = proved(template.source)
            probes.update(each.outcome.value for each in proof.tried)
            # The fixes are computed and tried here: nothing is rendered when they are requested.
            found += map(settled, in_file(template, proved_diagnostics(proof, self.settings, proved)))
        return Checked(tuple(found), len(templates), probes)

    def _tokens(self) -> Mapping[str, object]:
        from callwright.chat_templates.files import TOKENS, tokens_in
        from callwright.chat_templates.names import TOKENS_NAME

        if self.name == TOKENS_NAME:
            return tokens_in(self.text)
        try:
            if self.tokens_file is None or not self.tokens_file.is_file():
                return TOKENS
            text = self.tokens_file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return TOKENS
        return tokens_in(text) if len(text) <= MAX_LENGTH else TOKENS


def _import() -> None:
    from callwright.rules.base import Scope
    from callwright.rules.catalogue import rules_of

    for name in _IMPORTED:
        importlib.import_module(name)
    rules_of(Scope.CHAT_TEMPLATE)


class _Waiting:
    """Renders in a thread, and waits for it without holding up other work."""

    def __init__(self, slices: Slices, thread: _Thread, then: Callable[[], object]) -> None:
        self._slices = slices
        self._thread = thread
        self._then = then

    def prepare(self) -> None:
        """Import what a check needs, which would hold up other work here."""
        self._ask(lambda _renderer: _import())

    def render(self, source: str, jobs: Sequence[Job], *, seconds: float | None = None) -> list[Outcome]:
        """Return what came of each job."""
        outcomes: list[Outcome] = self._ask(lambda renderer: renderer.render(source, jobs, seconds=seconds))
        return outcomes

    def variables(self, source: str) -> Variables | Failed:
        """Return the variables that the template reads, or why it does not compile."""
        found: Variables | Failed = self._ask(lambda renderer: renderer.variables(source))
        return found

    def _ask(self, do: Callable[[Renderer], Any]) -> Any:
        asked = _Asked(do, self._then)
        self._thread.put(asked)
        self._slices.wait(asked.is_answered)
        return asked.result()


class _Asked:
    """Something that is asked of the renderer; `then` is called on its thread once it is answered."""

    def __init__(self, do: Callable[[Renderer], Any], then: Callable[[], object]) -> None:
        self._do = do
        self._then = then
        self._result: Any = None
        self._error: Exception | None = None
        self._answered = threading.Event()

    def answer(self, renderer: Renderer) -> None:
        """Do what is asked."""
        try:
            self._result = self._do(renderer)
        except Exception as error:  # noqa: BLE001 - the caller that asks for the result gets it
            self._error = error
        self._answered.set()
        self._then()

    def is_answered(self) -> bool:
        """Return whether the result is there."""
        return self._answered.is_set()

    def result(self) -> Any:
        """Return the result, or raise what the renderer raised."""
        if self._error is not None:
            raise self._error
        return self._result


class _Thread:
    """The thread that renders, with one process that is started with the first template and stays warm."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        threading.Thread(target=self._loop, name="callwright-chat-templates", daemon=True).start()

    def put(self, asked: _Asked) -> None:
        """Have something answered, after what was asked before."""
        self._asked.put(asked)

    def close(self) -> None:
        """End the process once what is rendered is; where the server ends sooner, the process ends with it."""
        self._asked.put(None)

    def _loop(self) -> None:
        from callwright.chat_templates.model import ChatTemplateError
        from callwright.chat_templates.renderer import Renderer

        renderer = Renderer()
        with suppress(ChatTemplateError):
            # It starts while the check is imported; where it cannot, the first rendering says so.
            renderer.__enter__()
        while True:
            try:
                asked = self._asked.get(timeout=IDLE)
            except queue.Empty:
                renderer.close()
                asked = self._asked.get()
            if asked is None:
                renderer.close()
                return
            asked.answer(renderer)
