"""Broken XML: finds the reading of an element that its author most likely meant.

Owns: where a value ends whose markup is broken, which closer belongs to which opener, what is reported and how it can
be mended. Must not know: rules, codes, words for people; registries (it is told names and schemas by `XmlHints`).

The work is done in frames. A frame is an element whose children are named values: the outermost element, and those of
its children that a schema says are objects or arrays. Every other child is a value, and what is broken in it makes it
text as a whole. Nothing here recurses, and every search is remembered or bounded by what it consumes.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callwright.syntax.problem import Problem
from callwright.syntax.xml_hints import MAX_DEPTH, XmlHints
from callwright.syntax.xml_lexer import CLOSE, CUT_CLOSER, OPEN, SECTION, Lexer
from callwright.syntax.xml_memory import TextMemory
from callwright.syntax.xml_names import NAME, NamePattern
from callwright.syntax.xml_nodes import (
    XmlCData,
    XmlComment,
    XmlElement,
    XmlFault,
    XmlInstruction,
    XmlReference,
    XmlText,
)
from callwright.syntax.xml_strict import comment_problem, is_declaration, special_at
from callwright.syntax.xml_tags import (
    CLOSE_TAG,
    OPEN_TAG,
    REFERENCE,
    SPACE,
    XmlTag,
    character_of,
    reference_problem,
    skip_space,
    tag_at,
)
from callwright.syntax.xml_values import read_value
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert

#: How many closers of a name are looked at for one that belongs to an element whose first closer turned out to be text.
_MAX_CLOSERS = 1000
#: How long text may be between two closing tags of one name that still belong to one value.
_MAX_REMARK = 10_000
#: How many tags are looked at for a section that swallowed a closer, or for the first parameter behind text.
_MAX_TOKENS = 20
#: How many nodes behind a wrong closer are looked at for the parameters that it swallows.
_MAX_SWALLOWED = 40

_TAIL = NamePattern(f"<(?:/?|/?{NAME}[^<>]*+|!(?:-|\\[[CDAT]*+\\[?)?)\\Z")
_LINE_START = re.compile("[ \t]*+")
_NAME_AT = NamePattern(NAME)


@dataclass(slots=True)
class _Frame:
    """An element whose children are named values.

    `names` are the children it may have, None for any; `items` is the schema of children that are not in it.
    `closer` is where its own closer stands (-1: nowhere), as far as is known from `closer_from` on.
    """

    element: XmlElement
    names: Mapping[str, Any] | None
    items: Mapping[str, Any] | None
    closer: int = -2
    closer_from: int = -1
    first_structural: dict[tuple[str, bool], tuple[int, int]] = field(default_factory=dict)
    structural: dict[tuple[int, bool], bool] = field(default_factory=dict)
    swallowed: list[tuple[dict[str, Any], int]] = field(default_factory=list)


def kind_of(schema: Mapping[str, Any] | None) -> str:
    """Return what an element with this schema holds: `"text"`, `"structure"`, or `"any"` where that is not said."""
    if not isinstance(schema, Mapping):
        return "any"
    types = schema.get("type")
    if types is None:
        if "properties" in schema or "items" in schema:
            return "structure"
        options = schema.get("enum")
        if isinstance(options, list) and options and not any(isinstance(option, dict | list) for option in options):
            return "text"
        return "any"
    named = {types} if isinstance(types, str) else set(types) if _all_strings(types) else set()
    named.discard("null")
    if not named:
        return "any"
    if named <= {"object", "array"}:
        return "structure"
    return "any" if named & {"object", "array"} else "text"


def _all_strings(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


class Recovery:
    """One reading of one broken element; `read` is called once."""

    def __init__(self, memory: TextMemory, hints: XmlHints, budget: Budget = UNLIMITED) -> None:
        self.text = memory.text
        self.end = memory.end
        self.memory = memory
        self.strict = memory.strict
        self.finder = memory.finder
        self.hints = hints
        self.budget = budget
        self.problems: list[Problem] = []
        self.reach = 0
        #: Values read as text: what the strict reader noted inside them does not count.
        self.opaque: list[Span] = []
        self._frames: list[_Frame] = []
        self._others = hints.siblings.difference(hints.parameters or ())
        self._pos = 0
        self._lexer: Lexer

    def read(self, tag: XmlTag, start: int) -> XmlElement:
        """Read the element whose opening tag is `tag`."""
        text = self.text
        root = XmlElement(text, tag.name, start, tag.end, tag.self_closing)
        if tag.truncated:
            self._cut_opener(root, tag)
            return root
        self.problems.extend(tag.problems)
        if tag.self_closing:
            return root
        self._lexer = self.memory.lexer(start, sections=not self.hints.raw)
        if self.hints.text or not self._is_frame(root):
            self._leaf(root)
        else:
            self._frames.append(_Frame(root, self.hints.parameters, None))
            self._pos = tag.end
            while self._frames:
                self.budget.check()
                self._step(self._frames[-1])
        looked = self.end if self._lexer.unended else self._lexer.pos
        # That a closing tag ends without its sign was seen from what stands behind it.
        cut = not self.text.startswith(">", root.end - 1)
        seen = skip_space(text, root.end, self.end) + 1 if cut else root.end
        self.reach = max(self.reach, looked, min(seen, self.end))
        return root

    # Frames

    def _is_frame(self, root: XmlElement) -> bool:
        """Tell whether the outermost element holds named values, and not text."""
        text, names = self.text, self.hints.parameters
        at = self._skip_filler(root.open_end)
        if at >= self.end or OPEN_TAG.match(text, at, self.end) is not None:
            return True
        if not self.hints.call and names is None:
            return tag_at(text, at, self.end) is not None
        if _TAIL.match(text, at, self.end) is not None:
            return True
        lexer = self._lexer
        lexer.grow_to(root.open_end, self.budget)
        first = lexer.index(root.open_end)
        for index in range(first, first + _MAX_TOKENS):
            if index == len(lexer.starts) and not lexer.grow():
                return False
            name, kind, start = lexer.names[index], lexer.kinds[index], lexer.starts[index]
            if kind == CLOSE and name == root.name:
                return False
            if kind not in (CLOSE, SECTION):
                if name in self._others and self._at_line_start(start):
                    return False
                if (name in names) if names is not None else lexer.grow_until_closed(start, self.budget) is not None:
                    return True
        return False

    def _skip_filler(self, at: int) -> int:
        """Skip white space and comments."""
        while True:
            at = skip_space(self.text, at, self.end)
            comment = special_at(self.text, at, self.finder) if self.text.startswith("<!--", at) else None
            if comment is None or self.hints.raw:
                return at
            at = comment.end

    def _step(self, frame: _Frame) -> None:
        """Read the next thing in the innermost frame."""
        text, pos = self.text, self._pos
        into = frame.element.children
        at = text.find("<", pos, self.end)
        stop = self.end if at < 0 else at
        if stop > pos:
            self._frame_text(frame, pos, stop)
            self._pos = stop
        if at < 0:
            self._truncate(self.end)
            return
        mark = text[at + 1 : at + 2]
        if not self.hints.raw and mark in ("!", "?"):
            self._frame_special(frame, at)
            return
        tail = _TAIL.match(text, at, self.end)
        if tail is not None and (mark == "" or mark == "/" or tag_at(text, at, self.end) is not None):
            self._truncate(at)
            return
        tag = tag_at(text, at, self.end)
        if tag is None:
            self._bare(frame, at, at + 1)
            return
        self.reach = max(self.reach, min(skip_space(text, tag.end, self.end) + 1, self.end))
        if tag.closing:
            closed = CLOSE_TAG.match(text, at, self.end) or CUT_CLOSER.match(text, at, self.end)
            if closed is None and tag.truncated:
                self._bare(frame, at, tag.name_span.end)
            else:
                self._frame_closer(frame, tag, at, tag.end if closed is None else closed.end())
            return
        if tag.truncated:
            # `<name` and then another `<`: half a tag, or a sign in text.
            self._bare(frame, at, tag.end)
            return
        if self._ends_frames(frame, tag, at):
            return
        self.problems.extend(tag.problems)
        child = XmlElement(text, tag.name, at, tag.end, tag.self_closing)
        into.append(child)
        self._pos = tag.end
        if not tag.self_closing:
            self._child(frame, child, tag)

    def _frame_text(self, frame: _Frame, start: int, stop: int) -> None:
        """Add text beside the children of a frame; what is wrong in it is reported at once."""
        text, into = self.text, frame.element.children
        if self.hints.raw:
            into.append(XmlText(text, start, stop))
            return
        done = start
        at = text.find("&", start, stop)
        while at >= 0:
            self.budget.check()
            reference = REFERENCE.match(text, at, stop)
            if reference is None:
                self._markup_problem(frame.element, Span(at, at + 1), "&", (Edit(Span(at, at + 1), "&amp;"),))
                at = text.find("&", at + 1, stop)
                continue
            if at > done:
                into.append(XmlText(text, done, at))
            done = reference.end()
            value = character_of(reference)
            if value is None and HOLE not in reference[0]:
                self.problems.append(reference_problem(reference))
            into.append(XmlReference(text, at, done, reference[0] if value is None else value))
            at = text.find("&", done, stop)
        if done < stop:
            into.append(XmlText(text, done, stop))
        wrong = text.find("]]>", start, stop)
        while wrong >= 0:
            repair = (Edit(Span(wrong + 2, wrong + 3), "&gt;"),)
            self._markup_problem(frame.element, Span(wrong, wrong + 3), "]]>", repair)
            wrong = text.find("]]>", wrong + 3, stop)

    def _bare(self, frame: _Frame, start: int, stop: int) -> None:
        """Take the sign at `start`, which looks like the markup `[start, stop)` and is none, for text."""
        frame.element.children.append(XmlText(self.text, start, start + 1))
        if not self.hints.raw:
            self._markup_problem(frame.element, Span(start, stop), "<", (Edit(Span(start, start + 1), "&lt;"),))
        self._pos = start + 1

    def _markup_problem(self, element: XmlElement, span: Span, characters: str, repair: tuple[Edit, ...]) -> None:
        data = {
            "parameter": element.name,
            "value": span,
            "text": span.of(self.text),
            "chars": characters,
            "spans": (span,),
            "beside": True,
        }
        self.problems.append(Problem("unescaped-markup", span, data, repair, True))

    def _frame_special(self, frame: _Frame, at: int) -> None:
        """Read a comment, section, instruction or declaration beside the children of a frame."""
        text, into = self.text, frame.element.children
        found = special_at(text, at, self.finder)
        if found is not None and not (isinstance(found, XmlInstruction) and is_declaration(text, found)):
            if isinstance(found, XmlComment) and (problem := comment_problem(text, found, self.finder)) is not None:
                self.problems.append(problem)
            into.append(found)
            self._pos = found.end
            return
        if text.startswith(("<![CDATA[", "<!--"), at):
            marker = "<!--" if text.startswith("<!--", at) else "<![CDATA["
            kind = "unterminated-comment" if marker == "<!--" else "unterminated-cdata"
            self.reach = self.end
            stop = at + len(marker)
            self.problems.append(Problem(kind, Span(at, stop), {"by_truncation": False}, (delete(at, stop),), False))
            into.append(XmlFault(text, at, stop))
            self._pos = stop
            return
        if text.startswith(("<!DOCTYPE", "<!doctype"), at) or found is not None:
            close = -1 if found is not None else self.finder.find(">", at)
            stop = found.end if found is not None else at + 9 if close < 0 else close + 1
            what = "declaration" if found is not None else "doctype"
            self.problems.append(Problem("doctype", Span(at, stop), {"what": what}, (delete(at, stop),), False))
            into.append(XmlFault(text, at, stop))
            self._pos = stop
            return
        tail = _TAIL.match(text, at, self.end)
        if tail is not None:
            self._truncate(at)
            return
        self._bare(frame, at, at + 2)

    def _frame_closer(self, frame: _Frame, tag: XmlTag, at: int, stop: int) -> None:
        """Meet a closing tag that closes no child of the innermost frame."""
        name = tag.name
        element = frame.element
        if name == element.name:
            if not self.text.startswith(">", stop - 1):
                data = {"name": name, "closing": True, "text": self.text[at:stop], "names": ()}
                self.problems.append(Problem("truncated-tag", Span(at, stop), data, (insert(stop, ">"),), True))
            self.problems.extend(tag.problems)
            self._close(frame, at, stop)
            return
        for depth in range(len(self._frames) - 2, -1, -1):
            if self._frames[depth].element.name == name:
                self._abandon(frame, at)
                return
        if name in self.hints.enclosing:
            self._abandon_all(at)
            return
        closer = self._closer_of_frame(frame, at)
        if self._near(name, element.name):
            after = self._skip_filler(stop)
            mine = CLOSE_TAG.match(self.text, after, self.end)
            if mine is None or mine[1] != element.name:
                closer = -1
        if closer < 0 and not self._misplaced(frame, name):
            self._wrong_closer(element, Span(at, stop), tag.name_span, frame)
            self._close(frame, at, stop)
            return
        self.problems.append(
            Problem("stray-closing-tag", Span(at, stop), {"name": name}, (delete(at, stop),), True),
        )
        element.children.append(XmlFault(self.text, at, stop))
        self._pos = stop

    def _misplaced(self, frame: _Frame, name: str) -> bool:
        """Tell whether a closer rather belongs to a parameter: then it does not close the frame in the wrong name."""
        return frame.names is not None and name in frame.names and name != frame.element.name

    def _ends_frames(self, frame: _Frame, tag: XmlTag, at: int) -> bool:
        """Tell whether an opener shows that frames were never closed; they are closed then."""
        name = tag.name
        own = frame.names is not None and name in frame.names
        if len(self._frames) > 1 and not own and self._closer_of_frame(frame, at) < 0:
            for depth in range(len(self._frames) - 2, -1, -1):
                outer = self._frames[depth]
                if outer.names is not None and name in outer.names:
                    self._abandon(frame, at)
                    return True
        if name not in self.hints.siblings or own:
            return False
        root = self._frames[0]
        if not self._at_line_start(at) or self._closer_of_frame(root, at) >= 0:
            return False
        self._abandon_all(at)
        return True

    def _schema(self, frame: _Frame, name: str) -> Mapping[str, Any] | None:
        if frame.names is not None and name in frame.names:
            found = frame.names[name]
            return found if isinstance(found, Mapping) else None
        return frame.items

    def _close(self, frame: _Frame, at: int, stop: int) -> None:
        """End the innermost frame with the closing tag at `[at, stop)`."""
        element = frame.element
        element.close_start = element.content_end = at
        element.end = stop
        self._pos = stop
        self._pop()

    def _pop(self) -> None:
        frame = self._frames.pop()
        for data, count in frame.swallowed:
            nodes = frame.element.children[count : count + _MAX_SWALLOWED]
            following = [node.name for node in nodes if isinstance(node, XmlElement)]
            data["swallows"] = tuple(dict.fromkeys(following))

    def _abandon(self, frame: _Frame, at: int) -> None:
        """End the innermost frame before `at`, for want of its closing tag."""
        element = frame.element
        stop = self._trim(element.open_end, at)
        self._unclosed(element, stop, certain=True)
        self._end_at(element, stop)
        self._pos = stop
        self._pop()

    def _abandon_all(self, at: int) -> None:
        """End every frame before `at`, for want of their closing tags."""
        self._report_open(self._trim(self._frames[-1].element.open_end, at), truncated=False, values=())

    def _end_at(self, element: XmlElement, stop: int) -> None:
        """Cut an element's content off at `stop`."""
        element.content_end = element.end = stop
        children = element.children
        while children and children[-1].start >= stop:
            children.pop()
        if children and children[-1].end > stop:
            last = children[-1]
            if isinstance(last, XmlText | XmlFault):
                children[-1] = type(last)(self.text, last.start, stop)

    def _trim(self, start: int, stop: int) -> int:
        """Return `stop` without the white space before it, not below `start`."""
        while stop > start and self.text[stop - 1] in SPACE:
            stop -= 1
        return stop

    def _at_line_start(self, at: int) -> bool:
        line = max(self.text.rfind("\n", max(0, at - 200), at), self.text.rfind("\r", max(0, at - 200), at)) + 1
        if line == 0 and at > 200:
            return False
        return not self.text[line:at].strip(" \t")

    def _indent(self, at: int) -> str | None:
        """Return the white space before `at` on its line, or None where something else stands there."""
        if not self._at_line_start(at):
            return None
        line = max(self.text.rfind("\n", max(0, at - 200), at), self.text.rfind("\r", max(0, at - 200), at)) + 1
        return self.text[line:at]

    # Where things end

    def _closer_of_frame(self, frame: _Frame, at: int) -> int:
        """Return the offset at or behind `at` of the closer that belongs to the frame, or -1."""
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
        """Return the offset that no value in the frame can pass: the frame's closer, another call, or the end."""
        for outer in reversed(self._frames):
            closer = self._closer_of_frame(outer, at)
            if closer >= 0:
                return closer
        return self._sibling(at)

    def _sibling(self, at: int) -> int:
        """Return the first opener of another call at the start of a line behind `at`, or the end of the text.

        A closer of an element around the call counts as well, unless it closes something behind `at`.
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

    def _follows(self, frame: _Frame, stop: int, name: str, *, loosely: bool) -> bool:
        """Tell whether what stands behind a closer of the child `name` shows that it closes it.

        That is the end of the text, a closer of a frame, or the opener of a parameter; `loosely`: any opener.
        """
        key = (stop, loosely)
        known = frame.structural.get(key)
        if known is None:
            known = frame.structural[key] = self._follows_now(frame, stop, name, loosely)
        return known

    def _follows_now(self, frame: _Frame, stop: int, name: str, loosely: bool) -> bool:
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
            # A closer that nobody asked for: of the frame itself, in a wrong name.
            return loosely and self._near(closed[1], frame.element.name)
        opened = OPEN_TAG.match(text, at, self.end)
        if opened is None:
            return _TAIL.match(text, at, self.end) is not None
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

    def _first_structural(self, frame: _Frame, name: str, start: int, stop: int, *, loosely: bool = False) -> int:
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

    def _choose_closer(self, frame: _Frame, child: XmlElement) -> int:
        """Return the closing tag that ends the broken value of `child`, or -1 where none does."""
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
        """Return where the next tag opens an element `name` behind `start`, or `bound`."""
        openers = self._lexer.openers.get(name, [])
        index = bisect_left(openers, start)
        return openers[index] if index < len(openers) and openers[index] < bound else bound

    def _beyond(self, frame: _Frame, name: str, closed: int) -> int:
        """Return the closer of `name` behind the frame's first closer, if that one is only text in the value."""
        lexer = self._lexer
        stop = self._sibling(closed)
        index = len(lexer.closers.get(name, []))
        lexer.grow_to(stop, self.budget)
        if index == len(lexer.closers.get(name, [])) and not index:
            return -1
        for opener in (name, frame.element.name, self._frames[0].element.name):
            stop = self._reopened(opener, closed, stop)
        return self._first_structural(frame, name, closed, stop)

    def _text_then_parameter(self, frame: _Frame, stop: int, bound: int) -> bool:
        """Tell whether behind a closer only text stands before a parameter, or before the frame's closer."""
        at = self.text.find("<", stop, bound)
        if at < 0:
            return bound < self.end
        opened = OPEN_TAG.match(self.text, at, self.end)
        return opened is not None and frame.names is not None and opened[1] in frame.names

    def _mistaken(
        self, frame: _Frame, child: XmlElement, bound: int, *, implicit: bool = True
    ) -> tuple[str, int, int] | None:
        """Look for what ends a value without a closer of its own name, before `bound`.

        Returns `("closer", at, stop)` for a closer with a wrong name, `("opener", at, stop)` for an opener that stands
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
                if self._near(name, child.name) or self._follows(frame, stop, child.name, loosely=False):
                    return ("closer", at, stop)
            elif kind != SECTION:
                if frame.names is not None:
                    parameter = name in frame.names
                else:
                    parameter = mine is not None and self._indent(at) == mine
                if parameter or name == child.name:
                    if name == child.name and kind == OPEN and self._is_slip(frame, child, at, stop):
                        return ("opener", at, stop)
                    if following >= 0:
                        break
                    if parameter:
                        following = at
        return ("next", following, following) if following >= 0 and implicit else None

    def _is_slip(self, frame: _Frame, child: XmlElement, at: int, stop: int) -> bool:
        """Tell whether a second opener of a value was meant to be its closer: `<path>a<path>`."""
        if self.text[at:stop] != f"<{child.name}>" or not self.text[child.open_end : at].strip(SPACE):
            return False
        after = self._skip_filler(stop)
        opened = OPEN_TAG.match(self.text, after, self.end)
        if opened is not None:
            return opened[1] != child.name and frame.names is not None and opened[1] in frame.names
        closed = CLOSE_TAG.match(self.text, after, self.end)
        return closed is not None and closed[1] == frame.element.name

    def _near(self, first: str, second: str) -> bool:
        """Tell whether two names differ by a slip of the pen."""
        if first.lower() == second.lower():
            return True
        shorter = min(len(first), len(second))
        if shorter < 3 or abs(len(first) - len(second)) > 2 or shorter > 200:
            return False
        from rapidfuzz.distance import OSA

        limit = 1 if shorter < 5 else 2
        return OSA.distance(first, second, score_cutoff=limit) <= limit

    # Values

    def _child(self, frame: _Frame, child: XmlElement, tag: XmlTag) -> None:
        """Read the content of a child of a frame, and go on behind it."""
        raw = self.hints.raw
        if not raw:
            found = self.strict.read_content(child) if tag.broken else self.strict.read(child.start)
            if found is not None and not self._goes_on(found):
                frame.element.children[-1] = found
                self._pos = found.end
                return
            # What was read into it is read again, as its text.
            child.children.clear()
        schema = self._schema(frame, child.name)
        named_text = len(self._frames) == 1 and child.name in self.hints.text_parameters
        if not named_text and kind_of(schema) == "structure" and len(self._frames) < MAX_DEPTH - 1:
            at = self._skip_filler(child.open_end)
            inner = tag_at(self.text, at, self.end)
            if inner is not None and not inner.closing:
                self._frames.append(_frame_of(child, schema or {}))
                return
        self._value(frame, child)

    def _goes_on(self, found: XmlElement) -> bool:
        """Tell whether the closing tag of a well-formed child is text: more text and the same closing tag follow."""
        at = self.text.find("<", found.end, found.end + _MAX_REMARK)
        closer = f"</{found.name}>"
        return at >= 0 and self.text.startswith(closer, at) and bool(self.text[found.end : at].strip(SPACE))

    def _value(self, frame: _Frame, child: XmlElement) -> None:
        """Read the content of a child as text, and find out where it ends."""
        text, content = self.text, child.open_end
        closer = self._choose_closer(frame, child)
        if closer < 0 and not self.hints.raw and self._abused_section(child):
            closer = self._choose_closer(frame, child)
        if closer >= 0:
            stop = self._closer_end(closer)
            child.close_start, child.content_end, child.end = closer, closer, stop
            self._pos = stop
            if not text.startswith(">", stop - 1):
                data = {"name": child.name, "closing": True, "text": text[closer:stop], "names": ()}
                self.problems.append(Problem("truncated-tag", Span(closer, stop), data, (insert(stop, ">"),), True))
            if self.hints.raw:
                self._ambiguous(child, closer)
            self._fill(child)
            return
        bound = self._bound(content)
        mistaken = self._mistaken(frame, child, bound)
        if mistaken is not None and mistaken[0] != "next":
            at, stop = mistaken[1], mistaken[2]
            child.close_start, child.content_end, child.end = at, at, stop
            start = at + (2 if mistaken[0] == "closer" else 1)
            named = _NAME_AT.match(text, start)
            self._wrong_closer(child, Span(at, stop), Span(start, start if named is None else named.end()), frame)
            self._pos = stop
            self._fill(child)
            return
        if mistaken is None and not self._closes(bound):
            self._truncate_value(child, bound)
            return
        stop = self._trim(content, bound if mistaken is None else mistaken[1])
        child.content_end = child.end = stop
        known = mistaken is None or frame.names is not None
        self._pos = stop
        count = len(self.problems)
        self._fill(child)
        if len(self.problems) > count and self.problems[-1].kind == "unterminated-cdata":
            # One fault with one repair: the section's end and the closing tag belong at the same place.
            last = self.problems.pop()
            repair = (insert(stop, f"]]></{child.name}>"),)
            self.problems.append(Problem(last.kind, last.span, {**last.data, "closer": True}, repair, known))
        else:
            self._unclosed(child, stop, certain=known)

    def _closes(self, bound: int) -> bool:
        """Tell whether a closing tag of a frame stands at `bound`."""
        closed = CLOSE_TAG.match(self.text, bound, self.end) or CUT_CLOSER.match(self.text, bound, self.end)
        return closed is not None and any(outer.element.name == closed[1] for outer in self._frames)

    def _abused_section(self, child: XmlElement) -> bool:
        """Read the tags inside the first section of a value again as tags, if the value's closer can only be there."""
        lexer = self._lexer
        bound = self._bound(child.open_end)
        index = lexer.index(child.open_end)
        last = index + _MAX_TOKENS
        while index < min(len(lexer.starts), last) and lexer.starts[index] < bound:
            if lexer.kinds[index] == SECTION:
                inside = self.text.find(f"</{child.name}", lexer.starts[index], lexer.ends[index])
                if inside < 0:
                    return False
                opener = self.text.find("<", lexer.starts[index] + 1, lexer.ends[index])
                self._lexer = self.memory.lexer(opener, sections=True)
                for frame_ in self._frames:
                    frame_.closer = frame_.closer_from = -1
                    frame_.structural.clear()
                    frame_.first_structural.clear()
                return True
            index += 1
        return False

    def _fill(self, child: XmlElement) -> None:
        """Make the children of a value out of its content, and report what breaks it."""
        child.opaque = True
        start, stop = child.content
        self.opaque.append(Span(start, stop))
        if self.hints.raw:
            if stop > start:
                child.children.append(XmlText(self.text, start, stop))
            return
        self.problems.extend(read_value(child, self.finder))

    def _leaf(self, root: XmlElement) -> None:
        """Read an outermost element whose content is text."""
        frame = _Frame(root, None, None)
        self._frames.append(frame)
        closer = self._closer_of_frame(frame, root.open_end)
        if closer < 0:
            bound = self._sibling(root.open_end)
            closers = self._lexer.closers.get(root.name, [])
            index = bisect_left(closers, root.open_end)
            closer = closers[index] if index < len(closers) and closers[index] < bound else -1
        if closer >= 0:
            root.close_start = root.content_end = closer
            root.end = self._closer_end(closer)
            if not self.text.startswith(">", root.end - 1):
                data = {"name": root.name, "closing": True, "text": self.text[closer : root.end], "names": ()}
                problem = Problem("truncated-tag", Span(closer, root.end), data, (insert(root.end, ">"),), True)
                self.problems.append(problem)
            self._fill(root)
        else:
            bound = self._sibling(root.open_end)
            mistaken = self._mistaken(frame, root, bound, implicit=False)
            if mistaken is not None:
                root.close_start = root.content_end = mistaken[1]
                root.end = mistaken[2]
                named = Span(mistaken[1] + 2, root.end - 1)
                self._wrong_closer(root, Span(mistaken[1], root.end), named, frame, certain=not self.hints.call)
                self._fill(root)
            else:
                self._frames.clear()
                self._truncate_value(root, bound)
        self._frames.clear()

    def _ambiguous(self, child: XmlElement, used: int) -> None:
        closers = self._lexer.closers.get(child.name, [])
        first = closers[bisect_left(closers, child.open_end)]
        if first != used:
            spans = {"first": Span(first, self._closer_end(first)), "used": Span(used, child.end)}
            data = {"name": child.name, **spans}
            self.problems.append(Problem("ambiguous-closer", spans["first"], data))

    # What is missing

    def _unclosed(self, element: XmlElement, at: int, *, certain: bool) -> None:
        data = {"name": element.name, "names": (element.name,), "insert_at": at, "by_truncation": False}
        repair = (insert(at, f"</{element.name}>"),)
        self.problems.append(Problem("unclosed-tag", element.open_span, data, repair, certain))

    def _wrong_closer(
        self, element: XmlElement, closer: Span, name_span: Span, frame: _Frame, *, certain: bool = True
    ) -> None:
        data: dict[str, Any] = {
            "expected": element.name,
            "found": name_span.of(self.text),
            "open": element.open_span,
            "swallows": (),
        }
        if frame.element is not element:
            frame.swallowed.append((data, len(frame.element.children)))
        self.problems.append(
            Problem("mismatched-tag", closer, data, (Edit(closer, f"</{element.name}>"),), certain),
        )

    def _truncate(self, at: int) -> None:
        """End everything at `at`: the end of the text, or half a tag that stands there."""
        frame = self._frames[-1]
        if at < self.end:
            frame.element.children.append(XmlFault(self.text, at, self.end))
            self._report_open(self.end, truncated=True, values=(), tail=Span(at, self.end))
        else:
            self._report_open(self._trim(frame.element.open_end, self.end), truncated=True, values=())

    def _truncate_value(self, child: XmlElement, bound: int) -> None:
        """End a value that is never closed at `bound`, and with it every frame."""
        text, content = self.text, child.open_end
        truncated = bound >= self.end
        section = self._open_section(content, bound) if not self.hints.raw else -1
        tail: Span | None = None
        stop = bound
        if truncated and section < 0:
            last = text.rfind("<", content, bound)
            if last >= 0 and _TAIL.match(text, last, bound) and self._begins_closer(text[last:bound], child):
                tail = Span(last, bound)
                stop = last
        if tail is None and section < 0:
            stop = self._trim(content, stop)
        child.content_end = stop
        child.end = stop if tail is None else tail.end
        if tail is not None:
            child.close_start = -1
        self._fill_open(child, section)
        self._report_open(child.end, truncated=truncated, values=(child,), tail=tail, section=section)

    def _begins_closer(self, tail: str, child: XmlElement) -> bool:
        """Tell whether half a tag may be the beginning of the closing tag of a value."""
        expected = f"</{child.name}>"
        return expected.startswith(tail) or (tail.startswith("</") and tail.rstrip(SPACE) == expected[:-1])

    def _open_section(self, content: int, stop: int) -> int:
        """Return where a CDATA section opens in `[content, stop)` that is not closed there, or -1."""
        last = self.text.rfind("<![CDATA[", content, stop)
        if last < 0 or self.text.find("]]>", last, stop) >= 0:
            return -1
        return last

    def _fill_open(self, child: XmlElement, section: int) -> None:
        if section < 0:
            self._fill(child)
            return
        stop = child.content_end
        child.content_end = section
        if section > child.open_end:
            self._fill(child)
        child.content_end = stop
        child.opaque = True
        child.children.append(XmlCData(self.text, section, stop, stop))

    def _report_open(
        self,
        at: int,
        *,
        truncated: bool,
        values: tuple[XmlElement, ...],
        tail: Span | None = None,
        section: int = -1,
    ) -> None:
        """End every frame at `at` and report all that is open there as one problem: the text was cut."""
        if truncated:
            self.reach = self.end
        elements = [*values, *(frame.element for frame in reversed(self._frames))]
        names = tuple(element.name for element in elements)
        place = at
        closers = "".join(self._closer_text(element) for element in elements)
        outermost = elements[-1]
        data: dict[str, Any] = {
            "name": outermost.name,
            "names": names,
            "insert_at": place,
            "by_truncation": truncated,
        }
        certain = not values
        if section >= 0:
            repair = (insert(place, "]]>" + closers),)
            data["cdata"] = Span(section, place)
            self.problems.append(Problem("unterminated-cdata", Span(section, section + 9), data, repair, False))
        elif tail is not None:
            half = tail.of(self.text)
            data |= {"text": half, "closing": half.startswith("</")}
            expected = f"</{elements[0].name}>"
            if expected.startswith(half):
                closers = expected[len(half) :] + closers[len(self._closer_text(elements[0])) :]
                self.problems.append(Problem("truncated-tag", tail, data, (insert(tail.end, closers),), not values))
            else:
                start = self._trim(elements[0].open_end, tail.start)
                repair = (Edit(Span(start, tail.end), closers),)
                self.problems.append(Problem("truncated-tag", tail, data, repair, False))
        else:
            repair = (insert(place, closers),)
            span = outermost.open_span
            self.problems.append(Problem("unclosed-tag", span, data, repair, certain))
        for element in elements:
            if element.close_start < 0:
                if element in values and tail is not None:
                    # The half closing tag ends the value and is part of the element, as a whole one would be.
                    element.close_start = tail.start
                    element.end = tail.end
                elif element not in values:
                    self._end_at(element, at)
        self._pos = at
        while self._frames:
            self._pop()

    def _closer_text(self, element: XmlElement) -> str:
        """Return the closing tag of an element, on a line of its own if its first child stands on one."""
        indent = self._indent(element.start)
        if indent is None or not element.has_elements:
            return f"</{element.name}>"
        match = _BREAK.match(self.text, element.open_end)
        return f"</{element.name}>" if match is None else f"{match[1]}{indent}</{element.name}>"

    def _cut_opener(self, root: XmlElement, tag: XmlTag) -> None:
        """Report an outermost tag that is cut off."""
        span = Span(root.start, root.open_end)
        data = {"name": root.name, "names": (root.name,), "text": span.of(self.text), "closing": False}
        certain = tag.end < self.end and not tag.attributes
        repair = (insert(tag.end, ">"),) if certain else ()
        self.problems.append(Problem("truncated-tag", span, data, repair, False))
        self.reach = min(skip_space(self.text, tag.end, self.end) + 1, self.end)


_BREAK = re.compile("[ \t]*+(\r\n|\r|\n)")


def _frame_of(element: XmlElement, schema: Mapping[str, Any]) -> _Frame:
    """Return the frame of an element that holds an object or an array."""
    properties = schema.get("properties")
    items = schema.get("items")
    if isinstance(properties, Mapping):
        additional = schema.get("additionalProperties")
        return _Frame(element, properties, additional if isinstance(additional, Mapping) else None)
    if isinstance(items, Mapping):
        return _Frame(element, None, items)
    additional = schema.get("additionalProperties")
    return _Frame(element, None, additional if isinstance(additional, Mapping) else None)
