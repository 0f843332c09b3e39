"""What rules of chat templates share: which probes a diagnostic is about, and where in the template it is.

Owns: the places of what is wrong, what was tried in words, and the fixes that several rules have. Must not know: any
single rule, how templates are rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.chat_templates.probes import FORMS, Form, Kind, shown
from callwright.chat_templates.proof import ProbeOutcome, Proof, Tried
from callwright.rules.base import Applicability, Fix
from callwright.text.span import Edit, Span

#: A word of every value of a probe that is a text, by which its place in a rendering is found.
_WORD: Final = "Brackwater"
#: Probes that say enough by themselves, since others have what they try.
_GENERAL: Final = ("no-tools", "tools-only", "one-call", "value: plain")
#: How many probes a message names.
_MAX_NAMED: Final = 3
#: Strings in an expression; members of a message; filters; a whole `{{ }}`; what sets a variable.
_STRING: Final = re.compile(r"(?<!\\)(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")")
_MEMBER: Final = r"(?:\.{0}\b|\[['\"]{0}['\"]\])"
_PATH: Final = r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+|\[['\"]\w+['\"]\])*?"
_ARGUMENTS: Final = re.compile(_PATH + _MEMBER.format("arguments"))
_CONTENT: Final = re.compile(rf"(?:{_PATH}{_MEMBER.format('content')}|(?<![\w.])content\b)(?!\s*(?:[=(\[]|\.\w+\s*\())")
_OR: Final = re.compile(r"\s*or\b")
_IN: Final = re.compile(r"\bin\s+\Z")
_TOJSON: Final = re.compile(r"(?<!\s)\s*+\|\s*+tojson\b(?:\([^()]*+\))?+")
_AS_TEXT: Final = re.compile(r"(?<!\s)\s*+\|\s*+string\b(?!\s*+\()")
_BARE: Final = re.compile(rf"\{{\{{([-+]?+)\s*+({_PATH})\s*+([-+]?+)\}}\}}")
_NO_FILTER: Final = re.compile(r"No filter named '(\w++)'")
_ESCAPE: Final = re.compile(r"(?<!\s)\s*+\|\s*+(?:e|escape|forceescape)\b(?:\(\))?+")
_OUTPUT: Final = re.compile(r"(\{\{[-+]?+)((?:[^{}]|\{(?!\{)|\}(?!\}))*+)\}\}")
_SET: Final = re.compile(r"\{%[-+]?+\s*+set\s++(\w++)\s*+=\s*+([^%]*+)%\}")
_SET_MEMBER: Final = re.compile(
    r"\{%[-+]?+\s*+set\s++(\w++)\s*+=\s*+([\w.\[\]'\"]++)(?:\s*+\|\s*+d(?:efault)?+\(\s*+(?:''|\"\")\s*+\))?+\s*+[-+]?+%\}"
)
#: How many characters before a place are checked.
_NEAR: Final = 8
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def by_place(tried: Iterable[tuple[Tried, Span]]) -> Iterator[tuple[Span, list[Tried]]]:
    """Yield each place in the template once, with all the probes that lead to it, in the order of the template."""
    places: dict[Span, list[Tried]] = {}
    for each, span in tried:
        places.setdefault(span, []).append(each)
    yield from sorted(places.items())


def essential(proof: Proof, tried: Iterable[Tried]) -> list[Tried]:
    """Return the probes without those of values whose form of arguments does not come back in a plain call, either."""
    forms = [
        form
        for form in FORMS
        if (one := proof.get("one-call", form)) is not None
        and one.outcome in (ProbeOutcome.DIFFERS, ProbeOutcome.UNREAD)
    ]
    return [each for each in tried if each.probe.kind is not Kind.VALUE or each.form not in forms]


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


def when(tried: Iterable[Tried]) -> str:
    """Return what `probed` does after a space; nothing where any call shows it."""
    each = list(tried)
    return "" if any(one.probe.name == "one-call" for one in each) else f" {probed(each)}"


def failed_at(proof: Proof, tried: Tried) -> Span:
    """Return where the template failed in a probe; its first line where that is not known."""
    failed = tried.failed
    return failed.span if failed is not None and failed.span is not None else first_line(proof)


def first_line(proof: Proof) -> Span:
    """Return the first line of the template that is not empty: the place of what is about the whole."""
    start = len(proof.source) - len(proof.source.lstrip())
    return Span(start, start + len(proof.source[start:].partition("\n")[0]))


def place_of(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the value of a probe, else its call, else the beginning of its reply."""
    begin = max((tried.reply_text.find(call.name) for call in tried.probe.calls), default=0)
    for word in _words(tried):
        at = tried.reply_text.find(word, max(begin, 0))
        if at >= 0:
            return proof.span_of(tried, tried.reply.start + at)
    return proof.span_of(tried, tried.reply.start) if tried.reply_text else first_line(proof)


def _words(tried: Tried) -> Iterator[str]:
    """Yield the words by which the value of a probe is found, the best first: its text, its name, that of its tool."""
    yield _WORD
    arguments = [argument for call in tried.probe.calls for argument in call.arguments.items()]
    yield from (value for _, value in arguments if isinstance(value, str) and value)
    yield from (word for _, value in arguments if not isinstance(value, str) for word in (shown(value), str(value)))
    yield from (name for name, _ in arguments)
    yield from (call.name for call in tried.probe.calls)


def invalid_place(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote what is invalid in a probe's calls."""
    return proof.span_of(tried, tried.invalid_at)


def arguments_place(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the arguments of a probe's first call, else where it reads them."""
    name = tried.probe.calls[0].name
    begin = max(tried.reply_text.find(name), 0)
    for opener in ('{\\"', *(f'{{"{key}"' for call in tried.probe.calls for key in call.arguments)):
        at = tried.reply_text.find(opener, begin)
        if at >= 0:
            return proof.span_of(tried, tried.reply.start + at)
    called = place_of(proof, tried)
    found = _ARGUMENTS.search(proof.source, called.start) or _ARGUMENTS.search(proof.source)
    return Span(*found.span()) if found is not None else called


def mention_of(proof: Proof, pattern: str) -> Span | None:
    """Return the first place in the template that matches a pattern."""
    found = re.search(pattern, proof.source)
    return Span(*found.span()) if found is not None else None


def mention_of_variable(proof: Proof, name: str) -> Span:
    """Return where the template mentions a variable first; its first line where it does not."""
    return mention_of(proof, rf"(?<![\w.'\"]){name}\b") or first_line(proof)


def mention_of_text(proof: Proof, text: str) -> Span:
    """Return where the template has a string first; its first line where it does not."""
    return mention_of(proof, rf"(['\"]){text}\1") or first_line(proof)


def text_place(proof: Proof, tried: Tried) -> Span:
    """Return what in the template wrote the text of a probe's message."""
    at = tried.rendered.text.find(_WORD) if tried.rendered is not None else -1
    return proof.span_of(tried, at) if at >= 0 else first_line(proof)


def clause_of(tried: Tried) -> str:
    """Return why a probe failed, or what is read in place of its calls: a clause without a full stop."""
    return tried.message.rstrip(".")


def raising(proof: Proof, form: Form) -> list[Tried]:
    """Return the probes in a form of arguments that failed."""
    return [each for each in proof.tried if each.form == form and each.outcome is ProbeOutcome.RAISES]


def fails_alone(proof: Proof, tried: Tried) -> bool:
    """Return whether a failed probe with calls does not fail in the other form of its arguments."""
    other = proof.other_form(tried)
    return other is not None and other.outcome is not ProbeOutcome.RAISES


def in_both_forms(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix by which the arguments are written in either form, at each place that writes them as this one."""
    names = "|".join(each[1] for each in _SET.finditer(source) if _ARGUMENTS.search(each[2]) is not None)
    arguments = re.compile(rf"{_ARGUMENTS.pattern}|(?<![\w.])(?:{names})\b" if names else _ARGUMENTS.pattern)
    edits = [edit for each in _OUTPUT.finditer(source) for edit in _both_forms(source, Span(*each.span()), arguments)]
    encoded = {bool(_TOJSON.search(source, *edit.span)) for edit in edits if span.start <= edit.span.start < span.end}
    if len(encoded) == 1:
        alike = tuple(edit for edit in edits if bool(_TOJSON.search(source, *edit.span)) in encoded)
        yield Fix("Write a string as it is, and an object as JSON", alike)


def _both_forms(source: str, output: Span, arguments: re.Pattern[str]) -> Iterator[Edit]:
    """Yield the edit of an output that has the arguments once, not inside of brackets, and does not test them."""
    found = list(_in_code(source, output, arguments))
    if len(found) != 1 or _is_nested(source, output, found[0].start):
        return
    name = found[0].of(source)
    after = _TOJSON.match(source, found[0].end, output.end)
    end = after.end() if after is not None else found[0].end
    tojson = after[0].strip() if after is not None else "| tojson"
    rest = source[end : output.end].lstrip()
    if rest.startswith((".", "[", "(", "|", "is ")) and after is None:
        return
    yield Edit(Span(found[0].start, end), f"({name} if {name} is string else {name} {tojson})")


def _in_code(source: str, within: Span, pattern: re.Pattern[str]) -> Iterator[Span]:
    """Yield what matches in an expression and does not begin in one of its strings."""
    strings = [Span(*each.span()) for each in _STRING.finditer(source, within.start, within.end)]
    for found in pattern.finditer(source, within.start, within.end):
        if not any(each.start <= found.start() < each.end for each in strings):
            yield Span(*found.span())


def _is_nested(source: str, output: Span, at: int) -> bool:
    """Return whether a place of a `{{ }}` is inside of brackets of its expression."""
    text = _STRING.sub(lambda found: " " * len(found[0]), source[output.start + 2 : at])
    return sum(_BRACKETS.get(character, 0) for character in text) != 0


def with_content(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix by which content that is null, or is not there, is an empty text.

    A variable that is set to the same content is an empty text, too. In place of one, what it is set to is changed.
    """
    members = [each for each in _in_code(source, span, _CONTENT) if not _has_alternative(source, each)]
    found = [each for each in members if each.of(source) != "content"]
    sets = [each for each in _SET_MEMBER.finditer(source) if not span.start <= each.start(2) < span.end]
    if found:
        texts = {each.of(source) for each in found}
        found += [Span(*each.span(2)) for each in sets if each[2] in texts]
    elif members:
        before = [each for each in sets if each[1] == "content" and each.end() <= members[0].start]
        before = [each for each in before if _CONTENT.fullmatch(each[2]) is not None]
        found = [Span(*before[-1].span(2))] if before else members
    if found and not any(source.endswith(" for ", 0, each.start) for each in found):
        edits = tuple(Edit(each, f"({each.of(source)} or '')") for each in sorted(found))
        yield Fix("Write `or ''` after the content", edits)


def _has_alternative(source: str, content: Span) -> bool:
    """Return whether `or` after some content gives what to use in place of it; one after a test with `in` does not."""
    tested = _IN.search(source, max(0, content.start - _NEAR), content.start) is not None
    return not tested and _OR.match(source, content.end) is not None


def without_escape(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix that removes a filter which writes entities."""
    found = list(_in_code(source, span, _ESCAPE))
    if len(found) == 1:
        yield Fix(f"Remove `{found[0].of(source).strip()}`", (Edit(found[0], ""),))


def unknown_filter(message: str) -> str | None:
    """Return the filter that a template failed for since there is none of its name."""
    found = _NO_FILTER.search(message)
    return found[1] if found is not None else None


def not_as_python(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix that writes an object as JSON which a `{{ }}` writes as Python prints it.

    A model may have been trained with the text as it is, so it is not safe.
    """
    found = list(_in_code(source, span, _AS_TEXT))
    bare = _BARE.fullmatch(source, span.start, span.end)
    if len(found) == 1:
        yield Fix("Write it as JSON", (Edit(found[0], " | tojson"),), Applicability.UNSAFE)
    elif bare is not None:
        yield Fix("Write it as JSON", (Edit(Span(bare.end(2), bare.end(2)), " | tojson"),), Applicability.UNSAFE)


def as_json(source: str, span: Span) -> Iterator[Fix]:
    """Yield the fix that writes a value in quotes as JSON instead."""
    found = _OUTPUT.fullmatch(source, span.start, span.end)
    if found is not None and source[span.start - 1 : span.start] == '"' == source[span.end : span.end + 1]:
        dash = found[2][-1:] if found[2].endswith(("-", "+")) else ""
        text = f"{found[1]} {found[2].removesuffix(dash).strip()} | tojson {dash}}}}}"
        yield Fix("Write the value as JSON", (Edit(Span(span.start - 1, span.end + 1), text),))
