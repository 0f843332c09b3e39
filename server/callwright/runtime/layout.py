"""The layout of the message for a model: one fact per line, within a limit, and nothing that reads as a call.

Owns: `laid_out`. Must not know: how the facts are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.api import parse
from callwright.dialects.catalogue import find_dialect
from callwright.teaching.field_texts import code
from callwright.text.shown import cells

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseError
    from callwright.runtime.excerpt import Excerpt
    from callwright.runtime.feedback_texts import Words
    from callwright.runtime.report import Facts
    from callwright.runtime.views import CallView, View


def laid_out(facts: Facts, words: Words, limit: int) -> str:
    """Return the most detailed message of `limit` characters at most."""
    last: View | None = None
    for view in facts.ladder():
        last = view
        text = _written(view, words, native=facts.native)
        if len(text) <= limit and _is_sound(text, view, facts.error):
            return text
    assert last is not None, "a ladder has a first step"
    return _least(last, words, limit)


def _written(view: View, words: Words, *, native: bool) -> str:
    lines = [view.heading, *view.stated]
    for call in view.calls:
        lines += _call_lines(call, words, native=native)
    if view.more_calls:
        lines.append(_counted(view.more_calls, words.more_call, words.more_calls))
    if view.tools:
        lines.append(words.tools.format(names=", ".join(view.tools)))
    elif view.names is not None:
        lines.append(words.tools.format(names=view.names))
    parts = ["\n".join(lines)]
    if view.sample is not None:
        parts += [view.label, view.sample]
    if view.request:
        parts.append(view.request)
    return "\n\n".join(parts)


def _call_lines(call: CallView, words: Words, *, native: bool) -> Iterator[str]:
    yield _headline(call, call.what, words)
    shown: set[str] = set()
    for index, diagnostic in enumerate(call.diagnostics):
        message = diagnostic.message
        if diagnostic.alike:
            message = _counted(diagnostic.alike, words.another_like_it, words.others_like_it, message=message)
        if index == 0:
            yield words.error.format(message=message)
        elif native:
            yield words.further_argument_error.format(position=diagnostic.position or 0, message=message)
        else:
            yield words.further_error.format(line=diagnostic.line, column=diagnostic.column, message=message)
        if diagnostic.excerpt is not None and diagnostic.excerpt.code not in shown:
            # The same line is shown once; for further errors only the place in it is given.
            shown.add(diagnostic.excerpt.code)
            yield from _excerpt_lines(diagnostic.label, diagnostic.excerpt)
        yield from diagnostic.diagnosis
    if call.more:
        yield _counted(call.more, words.more_error, words.more_errors)
    if call.takes is not None:
        yield call.takes


def _headline(call: CallView, what: str, words: Words) -> str:
    if call.number is None:
        return words.no_call.format(what=what)
    if call.tool is None:
        return words.call_without_tool.format(number=call.number, what=what)
    return words.call.format(number=call.number, tool=call.tool, what=what)


def _excerpt_lines(label: str, excerpt: Excerpt) -> Iterator[str]:
    line = label.format(excerpt=excerpt.code)
    yield line
    yield excerpt.carets(sum(cells(line[: line.index(excerpt.code)])))


def _counted(count: int, one: str, many: str, **named: str) -> str:
    return (one if count == 1 else many).format(count=count, **named)


def _is_sound(text: str, view: View, error: ParseError) -> bool:
    """Return whether a reader finds only the shown calls in a message, and no errors but theirs."""
    for dialect in (None, error.dialect):
        if dialect is not None and find_dialect(dialect) is None:
            continue
        alone = parse(view.sample or "", tools=error.registry, dialect=dialect)
        whole = parse(text, tools=error.registry, dialect=dialect)
        if len(whole.calls) not in (0, len(alone.calls)):
            return False
        if Counter(each.code for each in whole.diagnostics) - Counter(each.code for each in alone.diagnostics):
            return False
    return True


def _least(view: View, words: Words, limit: int) -> str:
    """Return the heading, the call, its error in one sentence, and the request in one."""
    head = [view.heading]
    message = " ".join(view.stated)
    for call in view.calls[:1]:
        head.append(_headline(call, call.bare, words))
        first = call.diagnostics[0]
        message = min((first.message, *(one.strip() for one in first.diagnosis)), key=len)
        if view.final:
            message = words.end
    tail = [view.plain] if view.plain else []
    room = limit - sum(len(line) + 1 for line in (*head, *tail))
    if len(message) > room:
        # A sentence cannot be cut at every place outside of back-ticks.
        message = code(message.replace("`", "")[: max(room - 3, 1)] + "…")
    return "\n".join([*head, message, *tail])[:limit]
