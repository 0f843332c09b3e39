"""Well-formed XML: reads one element by the rules of XML, or reports where it stops being well-formed.

Owns: the strict pass, which builds the tree, and its cache of earlier attempts, which keeps repeated attempts linear.
Must not know: how broken markup is fixed, tools.
"""

import re
from bisect import bisect_left, insort

from callwright.syntax.problem import Problem
from callwright.syntax.xml_names import NAME, NamePattern
from callwright.syntax.xml_nodes import (
    XmlCData,
    XmlComment,
    XmlElement,
    XmlInstruction,
    XmlNode,
    XmlReference,
    XmlText,
)
from callwright.syntax.xml_tags import (
    CLOSE_TAG,
    OPEN_TAG,
    REFERENCE,
    character_of,
    reference_problem,
    same_name,
    tag_at,
)
from callwright.text.budget import UNLIMITED
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete

_BUDGET_STEP = 4096
_MAX_DASHES = 50
_TARGET = NamePattern(f"{NAME}(?=[ \t\r\n]|\\?>)")
_DASHES = re.compile("-++")


class Finder:
    """Finds the next occurrence of some strings, and does not repeat a search that found nothing.

    `reach` is how far the results since it was set depend on the text; callers set it.
    """

    __slots__ = ("_known", "end", "reach", "text")

    def __init__(self, text: str, end: int) -> None:
        self.text = text
        self.end = end
        self.reach = 0
        self._known: dict[str, tuple[int, int]] = {}

    def find(self, needle: str, start: int) -> int:
        """Return the first offset of `needle` at or after `start`, or -1."""
        found = self._find(needle, start)
        self.reach = max(self.reach, self.end if found < 0 else found + len(needle))
        return found

    def _find(self, needle: str, start: int) -> int:
        known = self._known.get(needle)
        if known is not None and (known[1] < 0 or start <= known[1]):
            if known[0] <= start:
                return known[1]
            found = self.text.find(needle, start, min(known[0] + len(needle) - 1, self.end))
            if found >= 0:
                return found
            self._known[needle] = (start, known[1])
            return known[1]
        found = self.text.find(needle, start, self.end)
        self._known[needle] = (start, found)
        return found


class StrictReader:
    """Reads elements of one text as well-formed XML.

    Invariant: an opener is scanned at most twice, even if it is requested often. An attempt that fails at one place
    fails there for every element that was open, and those that were closed by then are kept. Errors that do not change
    the structure (unknown entities, dashes in comments) do not make an attempt fail.
    """

    def __init__(self, text: str, end: int, finder: Finder) -> None:
        self.text = text
        self.end = end
        self.reach = 0
        self.budget = UNLIMITED
        self._finder = finder
        self._soft: dict[int, Problem] = {}
        self._soft_at: list[int] = []
        self._failed: dict[int, int] = {}
        self._done: dict[int, XmlElement] = {}

    def failed_at(self, start: int) -> int:
        """Return where the element that opens at `start`, whose reading failed, stopped being well-formed."""
        return self._failed[start]

    def soft_in(self, start: int, end: int) -> list[Problem]:
        """Return the errors in `[start, end)` that do not change the structure."""
        first, last = bisect_left(self._soft_at, start), bisect_left(self._soft_at, end)
        return [self._soft[at] for at in self._soft_at[first:last]]

    def _note(self, problem: Problem) -> None:
        at = problem.span.start
        if at not in self._soft:
            insort(self._soft_at, at)
            self._soft[at] = problem

    def read(self, start: int) -> XmlElement | None:
        """Return the element that opens at `start` if it is well-formed up to its closing tag, else None."""
        done = self._done.get(start)
        if done is not None:
            return done
        if start in self._failed:
            self.reach = max(self.reach, self._failed[start])
            return None
        return self._finish(start, [])

    def read_content(self, element: XmlElement) -> XmlElement | None:
        """Return `element`, whose opening tag alone is known and may be broken, if its content is well-formed."""
        children = element.children
        found = self._finish(element.open_end, [element])
        if found is None:
            children.clear()
        return found

    def _finish(self, start: int, stack: list[XmlElement]) -> XmlElement | None:
        """Make an attempt and cache its result."""
        failure = self._attempt(start, stack)
        if failure is None:
            self.reach = max(self.reach, stack[0].end)
            return stack[0]
        self.reach = max(self.reach, failure)
        for element in stack:
            self._failed[element.start] = failure
            for child in element.children:
                if isinstance(child, XmlElement):
                    self._done[child.start] = child
        for element in stack:
            self._done.pop(element.start, None)
        if not stack:
            self._failed[start] = failure
        return None

    def _attempt(self, start: int, stack: list[XmlElement]) -> int | None:
        """Read from `start` with open elements in `stack`; return where it failed, or None and leave the root there.

        With an empty stack an element opens at `start`, else the content of the one in it begins there.
        """
        text, end = self.text, self.end
        find, open_tag, close_tag = text.find, OPEN_TAG.match, CLOSE_TAG.match
        failed, done = self._failed, self._done
        pos = start
        steps = 0
        siblings: list[XmlNode] = []
        if stack:
            siblings = stack[0].children
            pos = find("<", start, end)
            if pos < 0:
                return end
            failure = self._characters(start, pos, siblings) if pos > start else -1
            if failure >= 0:
                return failure
        while True:
            steps += 1
            if not steps % _BUDGET_STEP:
                self.budget.check()
            symbol = text[pos + 1 : pos + 2]
            if symbol == "/":
                closed = close_tag(text, pos, end)
                if closed is None:
                    return pos
                top = stack[-1]
                if closed[1] != top.name and not same_name(closed[1], top.name):
                    return pos
                top.close_start = top.content_end = pos
                top.end = pos = closed.end()
                if len(stack) == 1:
                    return None
                stack.pop()
                siblings = stack[-1].children
            elif symbol in ("!", "?"):
                pos = self._special(pos, siblings, bool(stack))
                if pos < 0:
                    return -pos - 1
            else:
                if stack and pos in failed:
                    return failed[pos]
                known = done.get(pos) if stack else None
                if known is not None:
                    siblings.append(known)
                    pos = known.end
                else:
                    opened = open_tag(text, pos, end)
                    if opened is None or (opened[2] and not self._attributes(pos, opened[2])):
                        return pos
                    element = XmlElement(text, opened[1], pos, opened.end(), opened[3] == "/")
                    pos = opened.end()
                    siblings.append(element)
                    if not element.self_closing:
                        stack.append(element)
                        siblings = element.children
                    elif not stack:
                        stack.append(element)
                        return None
            following = find("<", pos, end)
            if following < 0:
                return end
            if following > pos:
                failure = self._characters(pos, following, siblings)
                if failure >= 0:
                    return failure
            pos = following

    def _attributes(self, pos: int, attributes: str) -> bool:
        """Return whether the attributes of the tag at `pos` are well-formed; report invalid references."""
        if "&" not in attributes and attributes.count("=") == 1:
            # One attribute that the pattern of the tag matched: neither a duplicate nor with a reference.
            return True
        tag = tag_at(self.text, pos, self.end)
        if tag is None:
            return False
        for problem in tag.problems:
            if problem.kind == "broken-attribute":
                return False
        for problem in tag.problems:
            self._note(problem)
        return True

    def _characters(self, start: int, stop: int, into: list[XmlNode]) -> int:
        """Add the text in `[start, stop)` to `into`; return where it is not well-formed, or -1."""
        text = self.text
        wrong = text.find("]]>", start, stop)
        at = text.find("&", start, stop)
        done = start
        while at >= 0 and not 0 <= wrong < at:
            reference = REFERENCE.match(text, at, stop)
            if reference is None:
                return at
            if at > done:
                into.append(XmlText(text, done, at))
            done = reference.end()
            value = character_of(reference)
            if value is None and HOLE not in reference[0]:
                self._note(reference_problem(reference))
            into.append(XmlReference(text, at, done, reference[0] if value is None else value))
            at = text.find("&", done, stop)
        if wrong >= 0:
            return wrong
        if done < stop:
            into.append(XmlText(text, done, stop))
        return -1

    def _special(self, pos: int, into: list[XmlNode], inside: bool) -> int:
        """Add the comment, section or instruction at `pos`; return the offset after it, or -1 - `pos` in a failure."""
        found = special_at(self.text, pos, self._finder)
        if found is None or not inside:
            self.reach = max(self.reach, self.end if found is None else pos)
            return -1 - pos
        if isinstance(found, XmlComment) and (problem := comment_problem(self.text, found, self._finder)) is not None:
            self._note(problem)
        if isinstance(found, XmlInstruction) and is_declaration(self.text, found):
            return -1 - pos
        into.append(found)
        return found.end


def special_at(text: str, pos: int, finder: Finder) -> XmlCData | XmlComment | XmlInstruction | None:
    """Return the CDATA section, comment or processing instruction at `pos`; None if there is none, or it is not
    closed."""
    if text.startswith("<![CDATA[", pos) and pos + 9 <= finder.end:
        close = finder.find("]]>", pos + 9)
        return None if close < 0 else XmlCData(text, pos, close + 3, close)
    if text.startswith("<!--", pos) and pos + 4 <= finder.end:
        close = finder.find("-->", pos + 4)
        return None if close < 0 else XmlComment(text, pos, close + 3)
    if text.startswith("<?", pos):
        named = _TARGET.match(text, pos + 2, finder.end)
        close = -1 if named is None else finder.find("?>", named.end())
        return None if close < 0 else XmlInstruction(text, pos, close + 2)
    return None


def is_declaration(text: str, instruction: XmlInstruction) -> bool:
    """Return whether an instruction is an XML declaration, which may not be inside an element."""
    named = _TARGET.match(text, instruction.start + 2, instruction.end)
    return named is not None and named[0].strip().lower() == "xml"


def comment_problem(text: str, comment: XmlComment, finder: Finder) -> Problem | None:
    """Return the problem of a comment with two dashes in a row, or with a third dash at its end.

    Comments may overlap, so only a limited part of each is read.
    """
    end = comment.end - 3
    begin = min(finder.find("--", comment.start + 4), end - 1)
    first: Span | None = None
    repair: list[Edit] = []
    for run in _DASHES.finditer(text, max(begin, comment.start + 4), end):
        start, stop = run.span()
        if stop == end or stop - start > 1:
            first = first or Span(start, stop)
            repair.append(delete(start if stop == end else start + 1, stop))
        if len(repair) > _MAX_DASHES:
            repair.clear()
            break
    if first is None:
        return None
    return Problem("comment-dashes", first, {"comment": comment.span}, tuple(repair), bool(repair))
