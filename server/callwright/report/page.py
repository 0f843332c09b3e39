"""The page: what a report shows, as one HTML file that needs nothing else.

Owns: the layout of the page, its words, what it may load (nothing) and run (its own script alone). Must not know: how
the figures came about, editors.

The page is made of elements, never of pieces of HTML, so nothing in a document becomes markup. Its policy names the
style and the script by their hashes: whatever else might get into the page would not run. It is deterministic.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from callwright import __version__
from callwright.report.charts import Row, bars, columns
from callwright.report.elements import element, to_html

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from callwright.report.model import (
        CallView,
        ConversationView,
        Counts,
        FileView,
        FindingView,
        ResultView,
        TurnView,
        VerdictView,
    )
    from callwright.text.span import Span

#: The four numbers of a range in the editor's units: line and character of its start and of its end, from 0.
Ranges = Callable[["Span"], tuple[int, int, int, int]]

#: A longer text is folded.
_FOLDED: Final = 1_500
_SIGNS: Final = {"error": "✗", "warning": "!", "info": "i", "hint": "·"}
_TONES: Final = {"error": "bad", "warning": "doubt", "info": "faint", "hint": "faint"}
#: What the columns of a chart are drawn for at most.
_TURNS: Final = 10_000


def page(views: Sequence[FileView], counts: Counts, *, title: str, ranges: Ranges | None = None, uri: str = "") -> str:
    """Return the page for documents and the counts of them all (there may be more than are shown).

    With `ranges` the page is an editor's: places are buttons that lead there, and `uri` names the document.
    """
    writer = _Writer(ranges)
    style, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=f"Callwright {__version__}"),
        element("title", title),
    )
    head.append(_own("style", style))
    body = element("body", element("a", "Skip to the content", href="#content", class_="skip"), data_uri=uri)
    body.append(element("header", element("h1", title), *_summary(counts), id="head"))
    body.append(writer.tools())
    content = element("main", id="content", tabindex="-1")
    for child in _charts(counts, opened=ranges is None):
        content.append(child)
    for number, view in enumerate(views, 1):
        content.append(writer.document(view, number, alone=len(views) == 1))
    body.append(content)
    body.append(_own("script", script))
    return "<!DOCTYPE html>\n" + to_html(element("html", head, body, lang="en")) + "\n"


def _own(tag: str, content: str) -> Element:
    """Return an element whose content is written as it is: ours, and no text of a document."""
    made = element(tag)
    made.text = content
    return made


@cache
def _resource(name: str) -> str:
    return files("callwright.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def _summary(counts: Counts) -> Iterator[Element]:
    words = [counted(counts.calls, "call", "calls")]
    if counts.conversations:
        words = [
            counted(counts.conversations, "conversation", "conversations"),
            counted(counts.turns, "turn", "turns"),
            *words,
        ]
    if counts.files > 1:
        words = [counted(counts.files, "file", "files"), *words]
    words += [
        counted(counts.severities[severity], severity, many)
        for severity, many in (("error", "errors"), ("warning", "warnings"), ("info", "notes"), ("hint", "hints"))
        if counts.severities[severity]
    ]
    if not counts.severities.total():
        words.append("no findings")
    yield element("p", ", ".join(words) + ".")
    if counts.verdicts.total():
        kinds = counts.verdicts
        yield element(
            "p",
            f"Of {counted(kinds.total(), 'reply', 'replies')} a strict runtime takes {kinds['calls']:,} with calls and "
            f"{kinds['talk']:,} without, and rejects {kinds['rejected']:,}.",
        )


def _charts(counts: Counts, *, opened: bool) -> Iterator[Element]:
    figures: list[Element] = []
    tools = sorted({*counts.sound, *counts.faulty})
    if tools:
        rows = (Row(tool, (counts.sound[tool], counts.faulty[tool])) for tool in tools)
        figures.append(bars("Calls per tool", ("sound", "faulty"), rows))
    if counts.rules:
        figures.append(
            bars(
                "Findings per rule",
                ("findings",),
                (Row(f"{code} {name}", (count,)) for (code, name), count in counts.rules.items()),
            )
        )
    if counts.turns and counts.along:
        last = min(max(counts.along), _TURNS)
        sizes = [(counts.along[number],) for number in range(1, last + 1)]
        if last > 1:
            figures.append(columns("Errors along the conversations", ("errors",), sizes, 1, "turn"))
    if figures:
        yield element("details", element("summary", "Figures"), *figures, id="figures", open="open" if opened else None)


class _Writer:
    """Writes documents; in an editor places lead there."""

    def __init__(self, ranges: Ranges | None) -> None:
        self._ranges = ranges
        self._document = 0

    def tools(self) -> Element:
        """Return the row of controls; it is shown where the script runs."""
        box = element("input", id="only-faults", type="checkbox")
        bar = element(
            "div",
            element("button", "Previous fault", id="previous", type="button", title="Key p"),
            element("button", "Next fault", id="next", type="button", title="Key n"),
            element("label", box, " Only faults"),
            id="tools",
            class_="bar",
            role="toolbar",
            aria_label="Faults",
            hidden="hidden",
        )
        if self._ranges is not None:
            bar.append(element("button", "Export session…", type="button", data_command="export"))
        bar.append(
            element(
                "span", id="status", class_="faint", role="status", aria_live="polite", data_none="There are no faults."
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
            section.append(element("p", f"Session {view.session}", class_="faint"))
        if not view.conversations and not view.rest:
            section.append(element("p", "There is no call in it, and nothing is wrong.", class_="faint"))
        for index, conversation in enumerate(view.conversations, 1):
            section.append(self._conversation(view, conversation, index))
        if view.rest:
            section.append(element("h2", "Findings outside of what is shown" if view.conversations else "Findings"))
            section.append(self._findings(view, view.rest))
        return section

    def _conversation(self, view: FileView, conversation: ConversationView, index: int) -> Element:
        turns = element("ol", class_="turns")
        for turn in conversation.turns:
            turns.append(element("li", self._turn(view, conversation, turn, index)))
        whole = element("section")
        if len(view.conversations) > 1:
            name = f"Conversation {index}"
            whole.set("aria-label", name)
            whole.append(element("h2", name))
        whole.append(turns)
        if conversation.total > len(conversation.turns):
            left = counted(conversation.total - len(conversation.turns), "more turn is", "more turns are")
            whole.append(element("p", f"{left} not shown; the figures count them.", class_="faint"))
        return whole

    def _turn(self, view: FileView, conversation: ConversationView, turn: TurnView, index: int) -> Element:
        name = f"d{self._document}-c{index}-t{turn.number}"
        classes = ["turn"]
        if turn.is_faulty:
            classes.append("faulty")
        if turn.verdict is not None and turn.verdict.stops:
            classes.append("stops")
        words = "Calls in the text" if conversation.shape is None else f"Turn {turn.number} · {turn.role or 'nobody'}"
        heading = element("h3", words, id=f"{name}-h")
        head = element("div", heading, class_="head")
        if turn.verdict is not None:
            for badge in _badges(turn.verdict):
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
                article.append(_text(part, f"{name}-p{number}"))
            else:
                article.append(self._call(view, part, f"{name}-p{number}"))
        for result in turn.results:
            article.append(self._result(view, result))
        if turn.findings:
            article.append(self._findings(view, turn.findings))
        if turn.verdict is not None:
            for child in self._verdict(turn.verdict, name):
                article.append(child)
        return article

    def _verdict(self, verdict: VerdictView, name: str) -> Iterator[Element]:
        if verdict.message:
            yield element("p", "Rejected: ", *_worded(verdict.message), class_="bad")
        if verdict.stops:
            yield element(
                "p", f"A strict runtime stops here: {verdict.maximum} mistakes in a row are allowed.", class_="bad"
            )
        if verdict.feedback is not None:
            told = element("details", element("summary", "What the model is told"), id=f"{name}-told")
            told.append(element("pre", verdict.feedback))
            if self._ranges is not None:
                told.append(element("button", "Copy feedback for the model", type="button", data_command="copy"))
            yield told
        if verdict.logged is not None:
            logged = verdict.logged
            box = element("details", element("summary", f"Logged when it happened: {logged.type}"), id=f"{name}-log")
            codes = f" ({', '.join(logged.codes)})" if logged.codes else ""
            box.append(element("p", *_worded(logged.message), codes))
            if logged.feedback is not None:
                box.append(element("pre", logged.feedback))
            yield box

    def _call(self, view: FileView, call: CallView, name: str) -> Element:
        head = element("div", class_="head")
        head.append(element("h4", "Call of " if not call.example else "", element("code", call.tool or "(no name)")))
        state = "faulty" if call.is_faulty else "sound"
        head.append(
            element("span", "✗ faulty" if call.is_faulty else "✓ sound", class_="bad" if call.is_faulty else "good")
        )
        head.append(element("span", call.dialect, class_="faint"))
        if call.answered is not None:
            head.append(element("span", f"answered in turn {call.answered}", class_="faint"))
        head.append(self._place(view, call.span))
        box = element("div", head, class_=f"call {state}", data_range=self._range(call.span))
        if call.arguments is not None:
            box.append(_text(call.arguments, f"{name}-a", what="arguments"))
        if call.written is not None:
            fold = element("details", element("summary", "As it is written"), element("pre", call.written))
            fold.set("id", f"{name}-w")
            if call.arguments is None:
                fold.set("open", "open")
            box.append(fold)
        if call.findings:
            box.append(self._findings(view, call.findings))
        return box

    def _result(self, view: FileView, result: ResultView) -> Element:
        head = element("div", element("h4", "Result", f" of {result.tool}" if result.tool else ""), class_="head")
        head.append(
            element("span", "✗ failed", class_="bad") if result.failed else element("span", "✓ returned", class_="good")
        )
        if result.asked is not None:
            head.append(element("span", f"called in turn {result.asked}", class_="faint"))
        head.append(self._place(view, result.span))
        box = element("div", head, class_="result", data_range=self._range(result.span))
        if result.text:
            box.append(_text(result.text, None, what="result"))
        return box

    def _findings(self, view: FileView, found: Iterable[FindingView]) -> Element:
        listed = element("ul", class_="findings")
        for each in found:
            sign = element("span", f"{_SIGNS[each.severity]} {each.severity}", class_=_TONES[each.severity])
            place = self._place(view, each.span)
            item = element("li", sign, " ", element("code", each.code), " ", *_worded(each.message), " ", place)
            listed.append(item)
        return listed

    def _place(self, view: FileView, span: Span) -> Element:
        line = view.document.line_at(span.start)
        column = span.start - view.document.line_start(line) + 1
        if self._ranges is None:
            full = f"{view.path}:{line + 1}:{column}"
            return element("span", f"{line + 1}:{column}", class_="place", title=full)
        words = f"line {line + 1}"
        return element("button", words, type="button", class_="place", data_range=self._range(span))

    def _range(self, span: Span) -> str | None:
        return ",".join(map(str, self._ranges(span))) if self._ranges is not None else None


def _badges(verdict: VerdictView) -> Iterator[Element]:
    if verdict.kind == "rejected":
        yield element("span", f"✗ rejected: {verdict.type}", class_="bad")
    elif verdict.kind == "calls":
        yield element("span", "✓ taken", class_="good")
    else:
        yield element("span", "– no call", class_="faint")
    if verdict.strikes:
        yield element("span", f"strikes: {verdict.strikes} of {verdict.maximum}", class_="doubt")


def _worded(message: str) -> Iterator[Element | str]:
    """Yield a message with what stands between back-ticks as code."""
    for index, piece in enumerate(message.split("`")):
        if piece:
            yield element("code", piece) if index % 2 else piece


def _text(text: str, name: str | None, what: str = "text") -> Element:
    """Return a text as it is, folded where it is long."""
    block = element("pre", text)
    if len(text) <= _FOLDED:
        return block
    fold = element("details", element("summary", f"The {what}, {len(text):,} characters"), block)
    if name is not None:
        fold.set("id", name)
    return fold
