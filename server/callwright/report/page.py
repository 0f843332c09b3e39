"""The page: what a report shows, as one HTML file that needs nothing else.

Owns: the layout of the page, its words. Must not know: how the figures came about, editors.

The page is made of elements, never of pieces of HTML, so nothing in a document becomes markup. It is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.report.charts import Row, bars, columns
from callwright.report.elements import element
from callwright.report.frame import framed
from callwright.report.labels import Words
from callwright.report.messages import severity_sign, worded

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from callwright.report.model import (
        CallView,
        ConversationView,
        Counts,
        DiagnosticView,
        FileView,
        OutcomeView,
        ResultView,
        TurnView,
    )
    from callwright.text.span import Span

#: The four numbers of a range in the editor's units: line and character of its start and of its end, from 0.
Ranges = Callable[["Span"], tuple[int, int, int, int]]

#: A longer text is folded.
_FOLDED: Final = 1_500
#: What the columns of a chart are drawn for at most.
_TURNS: Final = 10_000


def page(
    views: Sequence[FileView],
    counts: Counts,
    *,
    title: str,
    ranges: Ranges | None = None,
    uri: str = "",
    locale: str = "",
) -> str:
    """Return the page for documents and the counts of them all (there may be more than are shown).

    With `ranges` the page is an editor's: places are buttons that lead there, and `uri` names the document. What the
    page itself says is in the language of `locale`; messages of diagnostics and texts for models are English.
    """
    words = Words(locale)
    writer = _Writer(ranges, words)
    body = element("body", element("a", words("Skip to the content"), href="#content", class_="skip"), data_uri=uri)
    body.append(element("header", element("h1", title), *_summary(counts, words), id="head"))
    body.append(writer.tools())
    content = element("main", id="content", tabindex="-1")
    for child in _charts(counts, words, opened=ranges is None):
        content.append(child)
    for number, view in enumerate(views, 1):
        content.append(writer.document(view, number, alone=len(views) == 1))
    body.append(content)
    return framed(body, title=title, language=words.language, script="page.js")


def _summary(counts: Counts, words: Words) -> Iterator[Element]:
    parts = [words.counted(counts.calls, "{0} call", "{0} calls")]
    if counts.conversations:
        parts = [
            words.counted(counts.conversations, "{0} conversation", "{0} conversations"),
            words.counted(counts.turns, "{0} turn", "{0} turns"),
            *parts,
        ]
    if counts.files > 1:
        parts = [words.counted(counts.files, "{0} file", "{0} files"), *parts]
    parts += [
        words.counted(counts.severities[severity], one, many)
        for severity, one, many in (
            ("error", "{0} error", "{0} errors"),
            ("warning", "{0} warning", "{0} warnings"),
            ("info", "{0} info", "{0} notes"),
            ("hint", "{0} hint", "{0} hints"),
        )
        if counts.severities[severity]
    ]
    if not counts.severities.total():
        parts.append(words("no diagnostics"))
    yield element("p", ", ".join(parts) + ".")
    if counts.outcomes.total():
        kinds = counts.outcomes
        yield element(
            "p",
            words(
                "Of {0}, a strict runtime accepts {1} with calls and {2} without, and rejects {3}.",
                words.counted(kinds.total(), "{0} reply", "{0} replies"),
                words.number(kinds["calls"]),
                words.number(kinds["talk"]),
                words.number(kinds["rejected"]),
            ),
        )


def _charts(counts: Counts, words: Words, *, opened: bool) -> Iterator[Element]:
    figures: list[Element] = []
    tools = sorted({*counts.sound, *counts.faulty})
    if tools:
        rows = (Row(tool, (counts.sound[tool], counts.faulty[tool])) for tool in tools)
        figures.append(bars(words("Calls per tool"), (words("valid"), words("invalid")), rows, words))
    if counts.rules:
        figures.append(
            bars(
                words("Diagnostics per rule"),
                (words("diagnostics"),),
                (Row(f"{code} {name}", (count,)) for (code, name), count in counts.rules.items()),
                words,
            )
        )
    if counts.turns and counts.along:
        last = min(max(counts.along), _TURNS)
        sizes = [(counts.along[number],) for number in range(1, last + 1)]
        if last > 1:
            figures.append(
                columns(words("Errors over the course of the conversations"), (words("errors"),), sizes, 1, words)
            )
    if figures:
        yield element(
            "details", element("summary", words("Figures")), *figures, id="figures", open="open" if opened else None
        )


class _Writer:
    """Writes documents; in an editor places lead there."""

    def __init__(self, ranges: Ranges | None, words: Words) -> None:
        self._ranges = ranges
        self._words = words
        self._document = 0

    def tools(self) -> Element:
        """Return the row of controls; it is shown where the script runs."""
        box = element("input", id="only-faults", type="checkbox")
        bar = element(
            "div",
            element(
                "button",
                self._words("Previous problem"),
                id="previous",
                type="button",
                title=self._words("Key {0}", "p"),
            ),
            element("button", self._words("Next problem"), id="next", type="button", title=self._words("Key {0}", "n")),
            element("label", box, " ", self._words("Only problems")),
            id="tools",
            class_="bar",
            role="toolbar",
            aria_label=self._words("Problems"),
            hidden="hidden",
        )
        if self._ranges is not None:
            bar.append(element("button", self._words("Export session…"), type="button", data_command="export"))
        bar.append(
            element(
                "span",
                id="status",
                class_="faint",
                role="status",
                aria_live="polite",
                data_none=self._words("There are no problems."),
            )
        )
        return bar

    def document(self, view: FileView, number: int, *, alone: bool) -> Element:
        """Return the section of one document."""
        self._document = number
        section = element("section", aria_label=view.path)
        if not alone:
            section.append(element("h2", view.path))
        if view.session:
            section.append(element("p", self._words("Session {0}", view.session), class_="faint"))
        if not view.conversations and not view.rest:
            section.append(element("p", self._words("There are no calls and no problems."), class_="faint"))
        for index, conversation in enumerate(view.conversations, 1):
            section.append(self._conversation(view, conversation, index))
        if view.rest:
            outside = (
                self._words("Diagnostics outside the turns shown") if view.conversations else self._words("Diagnostics")
            )
            section.append(element("h2", outside))
            section.append(self._found_diagnostics(view, view.rest))
        return section

    def _conversation(self, view: FileView, conversation: ConversationView, index: int) -> Element:
        turns = element("ol", class_="turns")
        for turn in conversation.turns:
            turns.append(element("li", self._turn(view, conversation, turn, index)))
        whole = element("section")
        if len(view.conversations) > 1:
            name = self._words("Conversation {0}", index)
            whole.set("aria-label", name)
            whole.append(element("h2", name))
        whole.append(turns)
        if conversation.total > len(conversation.turns):
            left = self._words.counted(
                conversation.total - len(conversation.turns),
                "{0} more turn is not shown; the figures include it.",
                "{0} more turns are not shown; the figures include them.",
            )
            whole.append(element("p", left, class_="faint"))
        return whole

    def _turn(self, view: FileView, conversation: ConversationView, turn: TurnView, index: int) -> Element:
        name = f"d{self._document}-c{index}-t{turn.number}"
        classes = ["turn"]
        if turn.is_faulty:
            classes.append("faulty")
        if turn.outcome is not None and turn.outcome.stops:
            classes.append("stops")
        words = self._words
        title = words("Turn {0} · {1}", turn.number, turn.role or words("unknown"))
        heading = element("h3", words("Calls in the text") if conversation.shape is None else title, id=f"{name}-h")
        head = element("div", heading, class_="head")
        if turn.outcome is not None:
            for badge in _badges(turn.outcome, words):
                head.append(badge)
        head.append(self._place(view, turn.span))
        article = element(
            "article",
            head,
            id=name,
            class_=" ".join(classes),
            tabindex="-1",
            aria_labelledby=f"{name}-h",
            data_range=self._range(turn.span),
        )
        for number, part in enumerate(turn.parts, 1):
            if isinstance(part, str):
                article.append(_text(part, f"{name}-p{number}", "The text, {0} characters", words))
            else:
                article.append(self._call(view, part, f"{name}-p{number}"))
        for result in turn.results:
            article.append(self._result(view, result))
        if turn.diagnostics:
            article.append(self._found_diagnostics(view, turn.diagnostics))
        if turn.outcome is not None:
            for child in self._outcome(turn.outcome, name):
                article.append(child)
        return article

    def _outcome(self, outcome: OutcomeView, name: str) -> Iterator[Element]:
        if outcome.message:
            yield element("p", self._words("Rejected: "), *worded(outcome.message), class_="bad")
        if outcome.stops:
            stops = self._words("A strict runtime stops here: {0} mistakes in a row are allowed.", outcome.maximum)
            yield element("p", stops, class_="bad")
        if outcome.feedback is not None:
            reported = element("details", element("summary", self._words("Feedback for the model")), id=f"{name}-told")
            reported.append(element("pre", outcome.feedback))
            if self._ranges is not None:
                copy = self._words("Copy feedback for the model")
                reported.append(element("button", copy, type="button", data_command="copy"))
            yield reported
        if outcome.logged is not None:
            logged = outcome.logged
            happened = self._words("Logged at the time: {0}", logged.type)
            box = element("details", element("summary", happened), id=f"{name}-log")
            codes = f" ({', '.join(logged.codes)})" if logged.codes else ""
            box.append(element("p", *worded(logged.message), codes))
            if logged.feedback is not None:
                box.append(element("pre", logged.feedback))
            yield box

    def _call(self, view: FileView, call: CallView, name: str) -> Element:
        words = self._words
        head = element("div", class_="head")
        name_shown = element("code", call.tool or words("(no name)"))
        head.append(element("h4", words("Call of ") if not call.example else "", name_shown))
        state = "faulty" if call.is_faulty else "sound"
        judged = words("✗ invalid") if call.is_faulty else words("✓ valid")
        head.append(element("span", judged, class_="bad" if call.is_faulty else "good"))
        head.append(element("span", call.dialect, class_="faint"))
        if call.answered is not None:
            head.append(element("span", words("answered in turn {0}", call.answered), class_="faint"))
        head.append(self._place(view, call.span))
        box = element("div", head, class_=f"call {state}", data_range=self._range(call.span))
        if call.arguments is not None:
            box.append(_text(call.arguments, f"{name}-a", "The arguments, {0} characters", words))
        if call.written is not None:
            fold = element("details", element("summary", words("As written")), element("pre", call.written))
            fold.set("id", f"{name}-w")
            if call.arguments is None:
                fold.set("open", "open")
            box.append(fold)
        if call.diagnostics:
            box.append(self._found_diagnostics(view, call.diagnostics))
        return box

    def _result(self, view: FileView, result: ResultView) -> Element:
        words = self._words
        title = words("Result of {0}", result.tool) if result.tool else words("Result")
        head = element("div", element("h4", title), class_="head")
        judged = words("✗ failed") if result.failed else words("✓ returned")
        head.append(element("span", judged, class_="bad" if result.failed else "good"))
        if result.asked is not None:
            head.append(element("span", words("called in turn {0}", result.asked), class_="faint"))
        head.append(self._place(view, result.span))
        box = element("div", head, class_="result", data_range=self._range(result.span))
        if result.text:
            box.append(_text(result.text, None, "The result, {0} characters", words))
        return box

    def _found_diagnostics(self, view: FileView, found: Iterable[DiagnosticView]) -> Element:
        listed = element("ul", class_="diagnostics")
        for each in found:
            sign = severity_sign(each.severity, self._words)
            place = self._place(view, each.span)
            item = element("li", sign, " ", element("code", each.code), " ", *worded(each.message), " ", place)
            listed.append(item)
        return listed

    def _place(self, view: FileView, span: Span) -> Element:
        line = view.document.line_at(span.start)
        column = span.start - view.document.line_start(line) + 1
        if self._ranges is None:
            full = f"{view.path}:{line + 1}:{column}"
            return element("span", f"{line + 1}:{column}", class_="place", title=full)
        return element(
            "button", self._words("line {0}", line + 1), type="button", class_="place", data_range=self._range(span)
        )

    def _range(self, span: Span) -> str | None:
        return ",".join(map(str, self._ranges(span))) if self._ranges is not None else None


def _badges(outcome: OutcomeView, words: Words) -> Iterator[Element]:
    if outcome.kind == "rejected":
        yield element("span", words("✗ rejected: {0}", outcome.type), class_="bad")
    elif outcome.kind == "calls":
        yield element("span", words("✓ accepted"), class_="good")
    else:
        yield element("span", words("– no call"), class_="faint")
    if outcome.strikes:
        yield element("span", words("strikes: {0} of {1}", outcome.strikes, outcome.maximum), class_="caution")


def _text(text: str, name: str | None, stated: str, words: Words) -> Element:
    """Return a text as it is, folded where it is long; a summary then says how long it is."""
    block = element("pre", text)
    if len(text) <= _FOLDED:
        return block
    fold = element("details", element("summary", words(stated, words.number(len(text)))), block)
    if name is not None:
        fold.set("id", name)
    return fold
