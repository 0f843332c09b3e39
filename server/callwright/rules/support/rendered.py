"""What rules of chat templates share: which probes a diagnostic is about, and where in the template it is.

Owns: the places of what is wrong, what was tried in words, and the fixes that several rules have. Must not know: any
single rule, how templates are rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.chat_templates.probes import Form
from callwright.chat_templates.proof import ProbeOutcome, Proof, Tried
from callwright.rules.base import Fix
from callwright.text.span import Edit, Span

#: A word of every value of a probe that is a text, by which its place in a rendering is found.
_WORD: Final = "Brackwater"
#: Probes that say enough by themselves, since others have what they try.
_GENERAL: Final = ("no-tools", "tools-only", "one-call", "value: plain")
#: How many probes a message names.
_MAX_NAMED: Final = 3
#: An expression for the arguments of a call, the filter after it, filters that write entities, and a whole `{{ }}`.
_ARGUMENTS: Final = re.compile(
    r"[A-Za-z_][\w.]*(?:\[['\"]\w+['\"]\])*(?:\.arguments|\[['\"]arguments['\"]\])|\barguments\b"
)
_TOJSON: Final = re.compile(r"\s*\|\s*tojson(?:\([^()]*\))?")
_ESCAPE: Final = re.compile(r"\s*\|\s*(?:e|escape|forceescape)\b")
_OUTPUT: Final = re.compile(r"(\{\{-?)(.*?)(-?\}\})", re.DOTALL)


def by_place(tried: Iterable[tuple[Tried, Span]]) -> Iterator[tuple[Span, list[Tried]]]:
    """Yield each place in the template once, with all the probes that lead to it, in the order of the template."""
    places: dict[Span, list[Tried]] = {}
    for each, span in tried:
        places.setdefault(span, []).append(each)
    yield from sorted(places.items())


def probed(tried: Iterable[Tried]) -> str:
    """Return in words when something happens: the most general of the probes, else the first ones and how many more."""
    named = {each.probe.name: each.probe.about for each in tried if each.probe.about}
    if {"no-tools", "tools-only"} <= named.keys():
        return "on every conversation"
    general = next((named[name] for name in _GENERAL if name in named), None)
    if general is not None:
        return general
    about = list(dict.fromkeys(named.values()))
    more = len(about) - _MAX_NAMED
    return ", ".join(about[:_MAX_NAMED]) + (f", and in {more} more probes" if more > 0 else "")


def failed_at(proof: Proof, tried: Tried) -> Span:
    """Return where the template failed in a probe; its first line where that is not known."""
    failed = tried.failed
    return failed.span if failed is not None and failed.span is not None else first_line(proof)


def first_line(proof: Proof) -> Span:
    """Return the first line of the template: the place of what is about the whole."""
    return Span(0, len(proof.source.partition("\n")[0]))


def place_of(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the value of a probe, else its call, else the beginning of its reply."""
    for word in (_WORD, *(call.name for call in tried.probe.calls)):
        at = tried.reply_text.find(word)
        if at >= 0:
            return proof.span_of(tried, tried.reply.start + at)
    return proof.span_of(tried, tried.reply.start) if tried.reply_text else first_line(proof)


def mention_of(proof: Proof, pattern: str) -> Span:
    """Return where the template mentions a name first; its first line where it does not."""
    found = re.search(pattern, proof.source)
    return Span(*found.span()) if found is not None else first_line(proof)


def text_place(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the text of a probe's message."""
    at = tried.rendered.text.find(_WORD) if tried.rendered is not None else -1
    return proof.span_of(tried, at) if at >= 0 else first_line(proof)


def arguments_place(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the arguments of a probe's first call."""
    at = tried.reply_text.find('{\\"')
    return proof.span_of(tried, tried.reply.start + at) if at >= 0 else place_of(proof, tried)


def raising(proof: Proof, form: Form) -> list[Tried]:
    """Return the probes in a form of arguments that failed."""
    return [each for each in proof.tried if each.form == form and each.outcome is ProbeOutcome.RAISES]


def fails_alone(proof: Proof, tried: Tried) -> bool:
    """Return whether a failed probe with calls does not fail in the other form of its arguments."""
    other = proof.other_form(tried)
    return other is not None and other.outcome is not ProbeOutcome.RAISES


def mentions_calls(proof: Proof) -> bool:
    """Return whether a template has to do with tools at all; others support none, which is no fault."""
    return "tools" in proof.variables.names or "tool_calls" in proof.source


def in_both_forms(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix by which the arguments are written in either form, where the place has one expression for them."""
    found = [Span(*each.span()) for each in _ARGUMENTS.finditer(source, span.start, span.end)]
    if len(found) == 1:
        name = found[0].of(source)
        whole = _TOJSON.match(source, found[0].end, span.end)
        end = whole.end() if whole is not None else found[0].end
        tojson = whole[0].strip() if whole is not None else "| tojson"
        text = f"({name} if {name} is string else {name} {tojson})"
        yield Fix("Write a string as it is, and an object as JSON", (Edit(Span(found[0].start, end), text),))


def without_escape(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix that removes a filter which writes entities."""
    found = list(_ESCAPE.finditer(source, span.start, span.end))
    if len(found) == 1:
        yield Fix(f"Remove `{found[0][0].strip()}`", (Edit(Span(*found[0].span()), ""),))


def as_json(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix that writes a value in quotes as JSON instead."""
    found = _OUTPUT.fullmatch(source, span.start, span.end)
    if found is not None and source[span.start - 1 : span.start] == '"' == source[span.end : span.end + 1]:
        text = f"{found[1]} {found[2].strip()} | tojson {found[3]}"
        yield Fix("Write the value as JSON", (Edit(Span(span.start - 1, span.end + 1), text),))
