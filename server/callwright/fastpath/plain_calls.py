"""Calls that are plainly written in text, taken out of it: the plain forms that dialects declare, compiled.

Owns: `read_calls`, which splits texts into their calls and the text around them. Must not know: any single dialect,
tools, shapes of transcripts. Where anything is not plain, `FallbackNeeded` is raised.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, TypeAlias

from callwright.calls.plain_form import TOOL, PlainCalls
from callwright.dialects.catalogue import plain_dialects
from callwright.fastpath.codec import FallbackNeeded
from callwright.text.holes import HOLE
from callwright.text.xml_text import NOT_XML

#: The arguments of a call as one object, in which a `<` or `&` with a space after it begins nothing, and as elements on
#: lines of their own.
_OBJECT: Final = r"(\{(?:[^<&\n]++|[<&](?=[ =]))*+)"
_ELEMENTS: Final = r"(\n(?:<[A-Za-z_]\w*+>[^<]*+</[A-Za-z_]\w*+>\n)++)"
_NAME: Final = r"([A-Za-z_]\w*+)"
_PARAMETERS: Final = re.compile(r"<(\w++)>([^<]*+)</\1>\n", re.ASCII)
#: What may separate elements from the rest of a text.
_SET_OFF: Final = (*"~<>&|\\\r",)
_SET_OFF_LINE: Final = re.compile(r"\n[ \t\d*+-]")
#: What may end a code span, or begin something else, at the beginning of a line.
_ODD_LINES: Final = re.compile(r"\n[\n \t]")
#: What every closing tag begins with.
_CLOSER: Final = "</"
#: What separates texts that are read together: whatever begins or ends a line or a text does so here, too.
_EDGE: Final = "\0"
BORDER: Final = f"\n{_EDGE}\n"


#: A call as it is written: its form and its tool; the body, which is JSON, or parameters with their texts; and its
#: length in characters. Where the tool is missing, the body has its name, under the first of the form's keys. There are
#: very many, and a tuple is the fastest to make.
WrittenCall: TypeAlias = "tuple[Form, str, str | list[tuple[str, str]], int]"


class Form:
    """The compiled plain form of a dialect."""

    def __init__(self, dialect: str, declared: PlainCalls) -> None:
        self.dialect = dialect
        self.keys = declared.keys
        self.is_named = declared.keys is None
        self._opener, self._closer, self._elements = declared.opener, declared.closer, declared.elements
        #: What every text with such a call contains; closing tags are rarer than what begins like tags.
        self.marker = self._closer.partition(TOOL)[0] if self.is_named else self._opener
        self._framing = len((self._opener + self._closer).replace(TOOL, ""))
        if self.is_named:
            opener = re.escape(self._opener).replace(re.escape(TOOL), _NAME)
            closer = re.escape(self._closer).replace(re.escape(TOOL), r"\1")
            first = re.escape(self._opener[0])
            body = _ELEMENTS if declared.elements else _OBJECT
            # It begins with one literal character, which makes a search fast.
            pattern = rf"{first}(?<![^\n]{first}){opener.removeprefix(first)}{body}{closer}(?![^\n])"
            self._pattern = re.compile(pattern, re.ASCII)

    def split(self, text: str) -> tuple[list[WrittenCall], list[str]] | None:
        """Return the calls in a text and the text around them; None where no call of this form is in it.

        Each side of a `BORDER` is a text by itself.
        """
        return self._named(text) if self.is_named else self._framed(text)

    def _framed(self, text: str) -> tuple[list[WrittenCall], list[str]] | None:
        opener, closer = self._opener, self._closer
        before, *parts = text.split(opener)
        if not parts:
            return None
        around = [before]
        calls: list[WrittenCall] = []
        framing = self._framing
        for part in parts:
            body, closed, after = part.partition(closer)
            if not closed:
                raise FallbackNeeded
            own = body.removeprefix("\n").removesuffix("\n")
            calls.append((self, "", own, framing + len(body)))
            around.append(after)
        joined = "\n".join(around)
        # An unmatched closer is a problem after a call, and prose elsewhere.
        if closer in joined or (
            _CLOSER in joined and any(_CLOSER in after.partition(_EDGE)[0] for after in around[1:])
        ):
            raise FallbackNeeded
        _check_spans_of(around, joined)
        return calls, around

    def _named(self, text: str) -> tuple[list[WrittenCall], list[str]] | None:
        parts = self._pattern.split(text)
        if len(parts) == 1:
            return None
        around = parts[::3]
        joined = "\n".join(around)
        # Where nothing is quoted or separated, every match is a call.
        for marker in _SET_OFF:
            if marker in joined:
                raise FallbackNeeded
        if _SET_OFF_LINE.search(f"\n{joined}"):
            raise FallbackNeeded
        _check_spans_of(around, joined)
        if self._elements:
            own = text.replace("\n", "").replace(_EDGE, "")
            # Checking that a text is printable is faster than checking that XML may contain it.
            if not own.isprintable() and (NOT_XML.search(own) or HOLE in own):
                raise FallbackNeeded
        framing = self._framing
        calls: list[WrittenCall] = []
        for name, inside in zip(parts[1::3], parts[2::3], strict=True):
            body: str | list[tuple[str, str]] = inside
            if self._elements:
                body = _PARAMETERS.findall(inside)
                if len(body) != inside.count(_CLOSER):
                    raise FallbackNeeded
            calls.append((self, name, body, framing + 2 * len(name) + len(inside)))
        return calls, around


@cache
def _forms() -> tuple[Form, ...]:
    """Return the compiled forms; those with longer markers come first."""
    found = [Form(dialect.name, dialect.plain) for dialect in plain_dialects() if dialect.plain is not None]
    return tuple(sorted(found, key=lambda form: (form.is_named, form.dialect)))


def read_calls(texts: list[str]) -> tuple[list[WrittenCall], list[str], list[str]]:
    """Return the calls in some texts, all of one form, the text around them, and the texts without such a call.

    The text around calls has a `BORDER` where one text ends and the next begins.
    """
    everything = BORDER.join(texts)
    for form in _forms():
        marker = form.marker
        if marker not in everything:
            continue
        own: list[str] = []
        rest: list[str] = []
        for text in texts:
            (own if marker in text else rest).append(text)
        found = form.split(BORDER.join(own) if rest else everything)
        if found is not None:
            if everything.count(_EDGE) != len(texts) - 1:
                raise FallbackNeeded
            return *found, rest
    return [], [], texts


def form_of(dialect: str) -> Form | None:
    """Return the compiled form of a dialect, None where it has none."""
    return next((form for form in _forms() if form.dialect == dialect), None)


def _check_spans_of(around: list[str], joined: str) -> None:
    if "`" in joined or "~~~" in joined:
        for stated in around:
            for prose in stated.split(_EDGE):
                check_spans(prose)


def check_spans(prose: str) -> None:
    """Check code spans beside calls; raises `FallbackNeeded` where one might reach over a call."""
    if "~~~" in prose:
        raise FallbackNeeded
    if "`" in prose and (
        prose.count("`") % 2
        or "``" in prose
        or "\\" in prose
        or "\r" in prose
        or ("\n" in prose and _ODD_LINES.search(prose))
    ):
        raise FallbackNeeded
