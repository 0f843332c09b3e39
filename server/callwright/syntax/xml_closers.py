"""Closers of broken XML: where a value ends whose markup is broken, and which closer belongs to which opener.

Owns: `Closers`, `Frame`. Must not know: nodes, what is reported, rules; registries (`XmlHints` gives names and
schemas).

A frame is an element whose children are named values. Nothing here recurses, and every search is cached or bounded by
the text it consumes.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callwright.syntax.xml_lexer import CLOSE, SECTION, Lexer
from callwright.syntax.xml_names import NAME, NamePattern
from callwright.syntax.xml_strict import special_at
from callwright.syntax.xml_tags import CLOSE_TAG, OPEN_TAG, SPACE, skip_space
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.records import dataclass, field

if TYPE_CHECKING:
    from callwright.syntax.xml_hints import XmlHints
    from callwright.syntax.xml_memory import TextMemory
    from callwright.syntax.xml_nodes import XmlElement

#: How many closers of a name are scanned for that of an element whose first closer is text.
_MAX_CLOSERS = 1000
#: How many tags are scanned for a section with a closer in it, or for the first parameter after text.
MAX_TOKENS = 20

TAIL = NamePattern(f"<(?:/?|/?{NAME}[^<>]*+|!(?:-|\\[[CDAT]*+\\[?)?)\\Z")


@dataclass(slots=True)
class ValueElement:
    """An element whose children are named values.

    `names` are the children it may have, None for any; `items` is the schema of other children. `closer` is where its
    own closer is (-1: nowhere), searched from `closer_from` on.
    """

    element: XmlElement
    names: Mapping[str, Any] | None
    items: Mapping[str, Any] | None
    closer: int = -2
    closer_from: int = -1
    first_structural: dict[tuple[str, bool], tuple[int, int]] = field(default_factory=dict)
    structural: dict[tuple[int, bool], bool] = field(default_factory=dict)
    swallowed: list[tuple[dict[str, Any], int]] = field(default_factory=list)


class Closers:
    """Finds the closer of each element of one broken element, by the elements that are open."""

    def __init__(self, memory: TextMemory, hints: XmlHints, budget: Budget = UNLIMITED) -> None:
        self.text = memory.text
        self.end = memory.end
        self.finder = memory.finder
        self.hints = hints
        self.budget = budget
        self.reach = 0
        self._frames: list[ValueElement] = []
        self._others = hints.siblings.difference(hints.parameters or ())
        self._lexer: Lexer

    def _skip_filler(self, at: int) -> int:
        """Skip whitespace and comments."""
        while True:
            at = skip_space(self.text, at, self.end)
            comment = special_at(self.text, at, self.finder) if self.text.startswith("<!--", at) else None
            if comment is None or self.hints.raw:
                return at
            at = comment.end

    def _at_line_start(self, at: int) -> bool:
        line = max(self.text.rfind("\n", max(0, at - 200), at), self.text.rfind("\r", max(0, at - 200), at)) + 1
        if line == 0 and at > 200:
            return False
        return not self.text[line:at].strip(" \t")

    def _indent(self, at: int) -> str | None:
        """Return the whitespace before `at` on its line, or None if there is other text."""
        if not self._at_line_start(at):
            return None
        line = max(self.text.rfind("\n", max(0, at - 200), at), self.text.rfind("\r", max(0, at - 200), at)) + 1
        return self.text[line:at]

    # Where things end

    def _closer_of_frame(self, frame: ValueElement, at: int) -> int:
        """Return the offset at or after `at` of the closer that belongs to the frame, or -1."""
        if frame.closer_from >= 0 and (frame.closer == -1 or frame.closer >= at):
            return frame.closer
        lexer = self._lexer
        element = frame.element
        closer = -1
        if frame.closer == -2 and lexer.holds(element.start):
            closer = -1 if (found := lexer.grow_until_closed(element.start, self.budget)) is None else found
        if closer < at:
            closer = -1
            index = 0
            for _ in range(_MAX_CLOSERS):
                closers = lexer.closers.get(element.name, [])
                index = max(index, bisect_left(closers, at))
                if index >= len(closers):
                    if not lexer.grow():
                        break
                    continue
                opener = lexer.opener_of.get(closers[index])
                if opener is None or opener < at:
                    closer = closers[index]
                    break
                index += 1
        frame.closer, frame.closer_from = closer, at
        if closer < 0:
            self.reach = self.end
        return closer

    def _bound(self, at: int) -> int:
        """Return the offset at which every value in the frame must end: the frame's closer, another call, or the
        end."""
        for outer in reversed(self._frames):
            closer = self._closer_of_frame(outer, at)
            if closer >= 0:
                return closer
        return self._sibling(at)

    def _sibling(self, at: int) -> int:
        """Return the first opener of another call at the start of a line after `at`, or the end of the text.

        A closer of an element around the call counts as well, unless it closes something after `at`.
        """
        lexer = self._lexer
        others, enclosing = self._others, self.hints.enclosing
        known = lexer.landmarks.get((others, enclosing))
        if known is not None and known[0] <= at <= known[1]:
            found = known[1]
        else:
            found = self.end
            lexer.grow_to(at, self.budget)
            index = lexer.index(at) if others or enclosing else sys.maxsize
            while index < len(lexer.starts) or (index == len(lexer.starts) and lexer.grow()):
                self.budget.check()
                name, start, kind = lexer.names[index], lexer.starts[index], lexer.kinds[index]
                index += 1
                if kind == CLOSE:
                    if name in enclosing and lexer.opener_of.get(start, -1) < at:
                        found = start
                        break
                elif kind != SECTION and name in others and self._at_line_start(start):
                    found = start
                    break
            lexer.landmarks[others, enclosing] = (at, found)
        if found == self.end:
            self.reach = self.end
        return found

    def _follows(self, frame: ValueElement, stop: int, name: str, *, loosely: bool) -> bool:
        """Return whether the text after a closer of the child `name` shows that it closes it.

        That is the end of the text, a closer of a frame, or the opener of a parameter; `loosely`: any opener.
        """
        key = (stop, loosely)
        known = frame.structural.get(key)
        if known is None:
            known = frame.structural[key] = self._follows_now(frame, stop, name, loosely)
        return known

    def _follows_now(self, frame: ValueElement, stop: int, name: str, loosely: bool) -> bool:
        text = self.text
        at = self._skip_filler(stop)
        self.reach = max(self.reach, min(at + 1, self.end))
        if at >= self.end:
            return True
        if text[at] != "<":
            return False
        closed = CLOSE_TAG.match(text, at, self.end)
        if closed is not None:
            self.reach = max(self.reach, closed.end())
            if closed[1] in self.hints.enclosing or any(outer.element.name == closed[1] for outer in self._frames):
                return True
            # An unexpected closer: that of the frame itself, with a wrong name.
            return loosely and is_misspelt(closed[1], frame.element.name)
        opened = OPEN_TAG.match(text, at, self.end)
        if opened is None:
            return TAIL.match(text, at, self.end) is not None
        self.reach = max(self.reach, opened.end())
        following = opened[1]
        if loosely or following == name:
            return True
        if frame.names is not None:
            if following in frame.names:
                return True
        elif self._indent(at) is not None or stop == at:
            return True
        return following in self.hints.siblings and self._at_line_start(at)

    def _first_structural(self, frame: ValueElement, name: str, start: int, stop: int, *, loosely: bool = False) -> int:
        """Return the first closer of `name` in `[start, stop)` with which a value can end, or -1."""
        closers = self._lexer.closers.get(name, [])
        low, high = bisect_left(closers, start), bisect_left(closers, stop)
        key = (name, loosely)
        known = frame.first_structural.get(key)
        index = known[1] if known is not None and known[0] <= low <= known[1] else low
        begin = low
        while index < high:
            if self._follows(frame, self._closer_end(closers[index]), name, loosely=loosely):
                break
            index += 1
        frame.first_structural[key] = (begin, index)
        return closers[index] if index < high else -1

    def _closer_end(self, at: int) -> int:
        lexer = self._lexer
        return lexer.ends[lexer.index(at)]

    def _choose_closer(self, frame: ValueElement, child: XmlElement) -> int:
        """Return the closing tag that ends the broken value of `child`, or -1 if there is none."""
        name, start, content = child.name, child.start, child.open_end
        bound = self._bound(content)
        lexer = self._lexer
        lexer.grow_to(bound, self.budget)
        closers = lexer.closers.get(name, [])
        low, high = bisect_left(closers, content), bisect_left(closers, bound)
        own = lexer.closer_of.get(start, -1)
        if own >= bound:
            own = -1
        if low < high:
            if own >= 0 and self._follows(frame, self._closer_end(own), name, loosely=False):
                return own
            limit = bound
            reopened = self._reopened(name, own if own >= 0 else content, bound)
            if own >= 0:
                limit = reopened
            elif reopened < bound:
                indent = self._indent(start)
                if indent is not None and self._indent(reopened) == indent:
                    limit = reopened
                elif self._mistaken(frame, child, reopened, implicit=False) is not None:
                    return -1
            found = self._first_structural(frame, name, content, limit)
            if found >= 0:
                return found
            if limit < bound and own < 0:
                return -1
            if own >= 0 and self._follows(frame, self._closer_end(own), name, loosely=True):
                return own
        closed = self._closer_of_frame(frame, content)
        if closed >= 0:
            found = self._beyond(frame, name, closed)
            if found >= 0:
                return found
        if low >= high:
            return -1
        if self._mistaken(frame, child, closers[low], implicit=False) is not None:
            return -1
        for index in range(low, high):
            if index - low > 50:
                break
            if self._text_then_parameter(frame, self._closer_end(closers[index]), bound):
                return closers[index]
        return own if own >= 0 else closers[high - 1]

    def _reopened(self, name: str, start: int, bound: int) -> int:
        """Return where the next tag opens an element `name` after `start`, or `bound`."""
        openers = self._lexer.openers.get(name, [])
        index = bisect_left(openers, start)
        return openers[index] if index < len(openers) and openers[index] < bound else bound

    def _beyond(self, frame: ValueElement, name: str, closed: int) -> int:
        """Return the closer of `name` after the frame's first closer, if that one is only text in the value."""
        lexer = self._lexer
        stop = self._sibling(closed)
        index = len(lexer.closers.get(name, []))
        lexer.grow_to(stop, self.budget)
        if index == len(lexer.closers.get(name, [])) and not index:
            return -1
        for opener in (name, frame.element.name, self._frames[0].element.name):
            stop = self._reopened(opener, closed, stop)
        return self._first_structural(frame, name, closed, stop)

    def _text_then_parameter(self, frame: ValueElement, stop: int, bound: int) -> bool:
        """Return whether after a closer only text is before a parameter, or before the frame's closer."""
        at = self.text.find("<", stop, bound)
        if at < 0:
            return bound < self.end
        opened = OPEN_TAG.match(self.text, at, self.end)
        return opened is not None and frame.names is not None and opened[1] in frame.names

    def _mistaken(
        self, frame: ValueElement, child: XmlElement, bound: int, *, implicit: bool = True
    ) -> tuple[str, int, int] | None:
        """Search for what ends a value without a closer of its own name, before `bound`.

        Returns `("closer", at, stop)` for a closer with a wrong name, `("opener", at, stop)` for an opener that is
        where the closer should, `("next", at, at)` for the next parameter, or None.
        """
        lexer = self._lexer
        content = child.open_end
        index = lexer.index(content)
        following = -1
        mine = self._indent(child.start)
        while index < len(lexer.starts) and lexer.starts[index] < bound:
            at, stop, name, kind = lexer.starts[index], lexer.ends[index], lexer.names[index], lexer.kinds[index]
            index += 1
            if kind == CLOSE:
                opener = lexer.opener_of.get(at, -1)
                if opener >= content:
                    if opener == following:
                        break
                    continue
                if name == child.name or any(outer.element.name == name for outer in self._frames):
                    continue
                if is_misspelt(name, child.name) or self._follows(frame, stop, child.name, loosely=False):
                    return ("closer", at, stop)
            elif kind != SECTION:
                if frame.names is not None:
                    parameter = name in frame.names
                else:
                    parameter = mine is not None and self._indent(at) == mine
                if parameter or name == child.name:
                    if name == child.name and self._is_misspelling(frame, child, at, stop):
                        return ("opener", at, stop)
                    if following >= 0:
                        break
                    if parameter:
                        following = at
        return ("next", following, following) if following >= 0 and implicit else None

    def _is_misspelling(self, frame: ValueElement, child: XmlElement, at: int, stop: int) -> bool:
        """Return whether a second tag of a value was meant to be its closer: `<path>a<path>`, `<path>a<path/>`."""
        if self.text[at:stop] not in (f"<{child.name}>", f"<{child.name}/>") or not self.text[
            child.open_end : at
        ].strip(SPACE):
            return False
        after = self._skip_filler(stop)
        opened = OPEN_TAG.match(self.text, after, self.end)
        if opened is not None:
            return opened[1] != child.name and frame.names is not None and opened[1] in frame.names
        closed = CLOSE_TAG.match(self.text, after, self.end)
        return closed is not None and closed[1] == frame.element.name


def is_misspelt(first: str, second: str) -> bool:
    """Return whether two names differ only by a typing error."""
    if first.lower() == second.lower():
        return True
    shorter = min(len(first), len(second))
    if shorter < 3 or abs(len(first) - len(second)) > 2 or shorter > 200:
        return False
    from rapidfuzz.distance import OSA

    limit = 1 if shorter < 5 else 2
    return OSA.distance(first, second, score_cutoff=limit) <= limit
