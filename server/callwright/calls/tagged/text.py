"""The markers of a text whose parameters are in markers of their own.

Owns: `TaggedText`: heads, closers and halves of markers at a place, and how far the text was scanned. Must not know:
where values end, the call tree, dialect modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from callwright.calls.scanning import skip_space
from callwright.calls.tagged.heads import MAX_HEAD_LENGTH, Head
from callwright.syntax.problem import Problem
from callwright.syntax.xml_closers import is_misspelt
from callwright.text.holes import HOLE
from callwright.text.records import replace
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.calls.tagged.grammar import Grammar

WRONG_CLOSER = re.compile(r"</\s*+([A-Za-z_][\w.:\-]{0,100}+)\s*+>\s*+")
ELISION = re.compile(rf"(?:\.\.\.|…|{HOLE}++)\s*+")
#: What follows the name of a tag that has no attributes.
NAMELESS = re.compile(r"(?<=[a-z])[ \t]*+>")
#: A word in the place of a marker's own name.
_MARKER_WORD = re.compile(r"\w{3,40}+")
#: The attribute of a marker's name.
_NAME_KEY = re.compile(r'\s([\w\-]++)="\{name\}')


class TaggedText:
    """A text with markers: which of them is at a place, and how far the text was scanned to find that."""

    def __init__(self, text: str, context: ReadContext, grammar: Grammar, dialect: str) -> None:
        self.text = text
        self.context = context
        self.grammar = grammar
        self.dialect = dialect
        self.reach = 0
        #: The parameters of the current call, None if they are unknown.
        self.known: Mapping[str, Any] | None = None
        #: The current call's closing marker, misspelt as its opening one is; empty where that is not misspelt.
        self.misspelt_closer = ""

    def scanned(self, to: int) -> None:
        """Note that the text was scanned up to `to`."""
        self.reach = max(self.reach, to)

    def scanned_for(self, at: int, markers: Iterable[str]) -> None:
        """Note how far the text has to be scanned to know which of `markers` is at `at`, if any."""
        text = self.text
        for marker in markers:
            size = len(marker)
            if not text.startswith(marker, at):
                # Up to the first character that differs from the marker.
                size = next(n for n, char in enumerate(marker, 1) if text[at + n - 1 : at + n] != char)
            self.scanned(at + size)

    def _may_be_marker(self, at: int) -> bool:
        """Return whether a marker may begin at `at`."""
        return at >= len(self.text) or self.text[at] in self.grammar.firsts

    def space(self, at: int) -> int:
        """Return where whitespace that begins at `at` ends."""
        end = skip_space(self.text, at)
        self.scanned(end + 1)
        return end

    def call_head(self, at: int) -> Head | None:
        """Return the call's opening marker at `at`, or None."""
        head, scanned = self.grammar.call(self.text, at)
        self.scanned(scanned if self._may_be_marker(at) else at + 1)
        if head is not None and self.grammar.doubled:
            self._halve(head)
        if head is not None and head.name is None and head.attributes:
            self._name(head, self.grammar.call_form, self.context.tools.has)
        return head

    def _name(self, head: Head, form: str, is_known: Callable[[str], bool]) -> None:
        """Return the head with the name from the one attribute with a known name, if that has a wrong key."""
        key = _NAME_KEY.search(form)
        named = [name for name, value in head.attributes.items() if name != self.grammar.types and is_known(value)]
        if key is None or len(named) != 1 or key[1] in head.attributes:
            return
        span = head.attribute_spans[named[0]]
        place = self.text.rfind(named[0], head.start, span.start)
        if place < 0:
            return
        wrong = Span(place, place + len(named[0]))
        data = {"reason": "misnamed", "name": named[0], "found": key[1]}
        head.name, head.name_span = head.attributes[named[0]], span
        head.problems = (*head.problems, Problem("broken-attribute", wrong, data, (Edit(wrong, key[1]),), True))

    def _halve(self, head: Head) -> None:
        """Return the head with a single name if its name is written twice, as `f.f`, and is not a tool's as a whole."""
        first, dot, second = (head.name or "").partition(".")
        begin, end = head.name_span
        if not dot or first != second or end - begin != len(head.name or "") or self.context.tools.has(head.name or ""):
            return
        head.name, head.name_span = second, Span(end - len(second), end)
        head.again = (Span(begin, begin + len(first)),)

    def misspelt_head(self, at: int) -> Head | None:
        """Return the call's opening marker at `at` whose own name is misspelt, None where there is no such marker.

        Only inside a section: nothing else begins there.
        """
        grammar, text = self.grammar, self.text
        lead, word, tail = grammar.call_word
        if not word or not text.startswith(lead, at):
            return None
        begin = at + len(lead)
        written = _MARKER_WORD.match(text, begin)
        end = begin if written is None else written.end()
        self.scanned(end + len(tail) + 1)
        if written is None or written[0] == word or not is_misspelt(written[0], word):
            return None
        if grammar.section_at(text, at) is not None:
            return None  # the section's own marker, twice
        # The rest of the marker is read after the right name.
        moved = end + len(tail) - len(grammar.call_opener)
        head, scanned = grammar.call(grammar.call_opener + text[end + len(tail) : end + MAX_HEAD_LENGTH], 0)
        self.scanned(scanned + moved)
        if head is None or head.name is None or head.problems or not text.startswith(tail, end):
            return None
        if word in grammar.call_closer:
            self.misspelt_closer = grammar.call_closer.replace(word, written[0])
        place = Span(begin, end)
        data = {"reason": f"its opening tag is named `{written[0]}`", "remedy": f"Rename it to `{word}`"}
        return replace(
            head,
            start=at,
            end=head.end + moved,
            name_span=head.name_span.shift(moved),
            attribute_spans={name: span.shift(moved) for name, span in head.attribute_spans.items()},
            problems=(Problem("skipped-call", place, data, (Edit(place, word),), certain=True),),
        )

    def _is_misspelt_closer(self, at: int) -> bool:
        """Return whether the call's closing marker is at `at`, misspelt as its opening one is."""
        if not self.misspelt_closer:
            return False
        self.scanned_for(at, (self.misspelt_closer,))
        return self.text.startswith(self.misspelt_closer, at)

    def parameter_head(self, at: int) -> Head | None:
        """Return the parameter's opening marker at `at`, None if there is none or it has no name."""
        head, scanned = self.grammar.parameter(self.text, at)
        self.scanned(scanned if self._may_be_marker(at) else at + 1)
        if head is not None and head.name is None and head.attributes and self.known:
            self._name(head, self.grammar.parameter_form, self.known.__contains__)
        return head if head is not None and head.name is not None else None

    def faulty_head(self, at: int) -> Head | None:
        """Return the malformed opening marker of a parameter at `at`; it has no name if its value is missing."""
        if self.grammar.faulty is None or not self.text.startswith(self.grammar.parameter_opener, at):
            return None
        head, scanned = self.grammar.faulty(self.text, at)
        self.scanned(scanned)
        return head

    def _any_head(self, at: int) -> Head | None:
        """Return the parameter's opening marker at `at`, or the malformed one."""
        return self.parameter_head(at) or self.faulty_head(at)

    def _beyond(self, at: int, markers: tuple[str, ...], default: int | None = None) -> int:
        """Return where the markers that may be at `at` end, whitespace after them included."""
        moved = False
        for marker in markers:
            self.scanned_for(at, (marker,))
            if self.text.startswith(marker, at):
                end = at + len(marker)
                at, moved = self.space(end), True
                default = end if default is not None else None
        return at if moved and default is None else default if default is not None else at

    def _half(self, at: int, *markers: str) -> int | None:
        """Return the text's end if it ends inside one of `markers`, which begins at `at`; else None."""
        size, longest = len(self.text) - at, max(map(len, markers))
        self.scanned_for(at, markers)
        if not 0 < size < longest:
            return None
        rest = self.text[at:]
        return len(self.text) if any(marker.startswith(rest) for marker in markers) else None

    def _goes_on(self, at: int) -> bool:
        """Return whether the marker before `at` is a real one, because a parameter, the call's end or the text's end
        follows."""
        text, grammar = self.text, self.grammar
        self.scanned(at + max(len(grammar.call_closer), len(grammar.parameter_opener)))
        if at >= len(text) or text.startswith(grammar.call_closer, at):
            return True
        if text.startswith(grammar.parameter_opener, at) and (
            self.parameter_head(at) is not None
            or NAMELESS.match(text, at + len(grammar.parameter_opener)) is not None
            or self.faulty_head(at) is not None
        ):
            return True
        elision = ELISION.match(text, at)
        if elision is not None:
            self.scanned(elision.end() + len(grammar.call_closer))
            return text.startswith(grammar.call_closer, elision.end())
        return self._half(at, grammar.call_closer, grammar.parameter_opener) is not None or self._half_head(at)

    def _half_head(self, at: int) -> bool:
        """Return whether the text ends inside a parameter's opening marker that begins at `at`."""
        text, opener = self.text, self.grammar.parameter_opener
        if not text.startswith(opener, at):
            return False
        if self.grammar.half is not None:
            self.scanned(at + MAX_HEAD_LENGTH)
            return self.grammar.half(text, at)
        begin = at + len(opener)
        end, firsts = self.grammar.parameter_form.rstrip()[-1], self.grammar.firsts
        close = text.find(end, begin, begin + MAX_HEAD_LENGTH)
        if close >= 0 or len(text) > begin + MAX_HEAD_LENGTH:
            self.scanned(close + 1 if close >= 0 else begin + MAX_HEAD_LENGTH + 1)
            return False
        self.scanned(len(text))
        rest = text[begin:].replace("<|", "").rstrip(firsts)
        return not any(first in rest for first in firsts)

    def _names_call(self, at: int) -> bool:
        """Return whether a call's opening marker with a name is at `at`: text between parameters cannot contain one."""
        head = self.call_head(at)
        return head is not None and head.name is not None

    def structural(self, at: int) -> bool:
        """Return whether the call's opening marker at `at` begins a whole call and is not a mention of one."""
        head = self.call_head(at)
        if head is None or head.name is None:
            return False
        visible = self.space(head.end)
        if self.grammar.object_body and self.text.startswith("{", visible):
            return True
        return head.empty or self._goes_on(visible)

    def _closing_tag(self, at: int) -> re.Match[str] | None:
        """Return the closing tag of any name at `at`, or None."""
        match = WRONG_CLOSER.match(self.text, at)
        if match is not None:
            self.scanned(match.end() + 1)
        elif self.text.startswith("</", at):
            self.scanned(at + MAX_HEAD_LENGTH)
        else:
            self.scanned(at + 2)
        return match

    def _ends_section(self, at: int) -> bool:
        place = skip_space(self.text, at)
        closers = tuple(closer for _, closer in self.grammar.sections)
        self.scanned_for(place, closers)
        return place >= len(self.text) or self.text.startswith(closers, place)
