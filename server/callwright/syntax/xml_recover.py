"""Broken XML: finds the reading of an element that its author most likely meant.

Owns: the reading of a broken element, what is reported and how it can be fixed. Must not know: which closer belongs to
which opener (`xml_closers`); rules, codes, messages; registries (`XmlHints` gives names and schemas).

The work is done in frames. A frame is an element whose children are named values: the outermost element, and those of
its children that a schema says are objects or arrays. Every other child is a value; if it is broken, all of it is text.
Nothing here recurses, and every search is cached or bounded by the text it consumes.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from callwright.syntax.problem import Problem
from callwright.syntax.xml_closers import MAX_TOKENS, TAIL, Closers, ValueElement, is_misspelt
from callwright.syntax.xml_hints import MAX_DEPTH, XmlHints
from callwright.syntax.xml_lexer import CLOSE, CUT_CLOSER, SECTION
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

#: The maximum length of text between two closing tags of one name in one value.
_MAX_REMARK = 10_000
#: How many nodes after a wrong closer are scanned for the parameters inside it.
_MAX_SWALLOWED = 40

_LINE_START = re.compile("[ \t]*+")
_NAME_AT = NamePattern(NAME)


def kind_of(schema: Mapping[str, Any] | None) -> str:
    """Return what an element with this schema contains: `"text"`, `"structure"`, or `"any"` if that is unknown."""
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


class Recovery(Closers):
    """One reading of one broken element; `read` is called once."""

    def __init__(self, memory: TextMemory, hints: XmlHints, budget: Budget = UNLIMITED) -> None:
        super().__init__(memory, hints, budget)
        self.memory = memory
        self.strict = memory.strict
        self.problems: list[Problem] = []
        #: Values read as text: problems that the strict reader noted inside them do not count.
        self.opaque: list[Span] = []
        self._pos = 0

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
            self._frames.append(ValueElement(root, self.hints.parameters, None))
            self._pos = tag.end
            while self._frames:
                self.budget.check()
                self._step(self._frames[-1])
        scanned = self.end if self._lexer.unended else self._lexer.pos
        # A closing tag without its `>` was recognised by the text after it.
        cut = not self.text.startswith(">", root.end - 1)
        seen = skip_space(text, root.end, self.end) + 1 if cut else root.end
        self.reach = max(self.reach, scanned, min(seen, self.end))
        return root

    # Frames

    def _is_frame(self, root: XmlElement) -> bool:
        """Return whether the outermost element contains named values, and not text."""
        text, names = self.text, self.hints.parameters
        at = self._skip_filler(root.open_end)
        if at >= self.end or OPEN_TAG.match(text, at, self.end) is not None:
            return True
        if not self.hints.call and names is None:
            return tag_at(text, at, self.end) is not None
        if TAIL.match(text, at, self.end) is not None:
            return True
        lexer = self._lexer
        lexer.grow_to(root.open_end, self.budget)
        first = lexer.index(root.open_end)
        for index in range(first, first + MAX_TOKENS):
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

    def _step(self, frame: ValueElement) -> None:
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
        symbol = text[at + 1 : at + 2]
        if not self.hints.raw and symbol in ("!", "?"):
            self._frame_special(frame, at)
            return
        tail = TAIL.match(text, at, self.end)
        if tail is not None and (symbol == "" or symbol == "/" or tag_at(text, at, self.end) is not None):
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
            # `<name` and then another `<`: an incomplete tag, or a character in text.
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

    def _frame_text(self, frame: ValueElement, start: int, stop: int) -> None:
        """Add text beside the children of a frame; its problems are reported at once."""
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

    def _bare(self, frame: ValueElement, start: int, stop: int) -> None:
        """Read the character at `start`, which resembles the markup `[start, stop)` but is not, as text."""
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

    def _frame_special(self, frame: ValueElement, at: int) -> None:
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
        tail = TAIL.match(text, at, self.end)
        if tail is not None:
            self._truncate(at)
            return
        self._bare(frame, at, at + 2)

    def _frame_closer(self, frame: ValueElement, tag: XmlTag, at: int, stop: int) -> None:
        """Read a closing tag that closes no child of the innermost frame."""
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
        if is_misspelt(name, element.name):
            after = self._skip_filler(stop)
            mine = CLOSE_TAG.match(self.text, after, self.end)
            if mine is None or mine[1] != element.name:
                closer = -1
        if closer < 0 and not self._misplaced(frame, name):
            self._wrong_closer(element, Span(at, stop), tag.name_span, frame)
            self._close(frame, at, stop)
            return
        self.problems.append(
            Problem("unmatched-closing-tag", Span(at, stop), {"name": name}, (delete(at, stop),), True),
        )
        element.children.append(XmlFault(self.text, at, stop))
        self._pos = stop

    def _misplaced(self, frame: ValueElement, name: str) -> bool:
        """Return whether a closer rather belongs to a parameter: then it does not close the frame in the wrong name."""
        return frame.names is not None and name in frame.names and name != frame.element.name

    def _ends_frames(self, frame: ValueElement, tag: XmlTag, at: int) -> bool:
        """Return whether an opener shows that frames are not closed, and close them."""
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

    def _schema(self, frame: ValueElement, name: str) -> Mapping[str, Any] | None:
        if frame.names is not None and name in frame.names:
            found = frame.names[name]
            return found if isinstance(found, Mapping) else None
        return frame.items

    def _close(self, frame: ValueElement, at: int, stop: int) -> None:
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

    def _abandon(self, frame: ValueElement, at: int) -> None:
        """End the innermost frame, which has no closing tag, before `at`."""
        element = frame.element
        stop = self._trim(element.open_end, at)
        self._unclosed(element, stop, certain=True)
        self._end_at(element, stop)
        self._pos = stop
        self._pop()

    def _abandon_all(self, at: int) -> None:
        """End all frames, which have no closing tags, before `at`."""
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
        """Return `stop` without the whitespace before it, not below `start`."""
        while stop > start and self.text[stop - 1] in SPACE:
            stop -= 1
        return stop

    # Values

    def _child(self, frame: ValueElement, child: XmlElement, tag: XmlTag) -> None:
        """Read the content of a child of a frame, and continue after it."""
        raw = self.hints.raw
        if not raw:
            found = self.strict.read_content(child) if tag.broken else self.strict.read(child.start)
            if found is not None and not self._goes_on(found):
                frame.element.children[-1] = found
                self._pos = found.end
                return
            # Its content is read again, as text.
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
        """Return whether the closing tag of a well-formed child is text: more text and the same closing tag follow."""
        at = self.text.find("<", found.end, found.end + _MAX_REMARK)
        closer = f"</{found.name}>"
        return at >= 0 and self.text.startswith(closer, at) and bool(self.text[found.end : at].strip(SPACE))

    def _value(self, frame: ValueElement, child: XmlElement) -> None:
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
            # One error with one repair: the section's end and the closing tag belong at the same place.
            last = self.problems.pop()
            repair = (insert(stop, f"]]></{child.name}>"),)
            self.problems.append(Problem(last.kind, last.span, {**last.data, "closer": True}, repair, known))
        else:
            self._unclosed(child, stop, certain=known)

    def _closes(self, bound: int) -> bool:
        """Return whether a closing tag of a frame is at `bound`."""
        closed = CLOSE_TAG.match(self.text, bound, self.end) or CUT_CLOSER.match(self.text, bound, self.end)
        return closed is not None and any(outer.element.name == closed[1] for outer in self._frames)

    def _abused_section(self, child: XmlElement) -> bool:
        """Read the tags inside the first section of a value again as tags, if the value's closer can only be there."""
        lexer = self._lexer
        bound = self._bound(child.open_end)
        index = lexer.index(child.open_end)
        last = index + MAX_TOKENS
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
        """Create the children of a value from its content, and report its problems."""
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
        frame = ValueElement(root, None, None)
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
        self, element: XmlElement, closer: Span, name_span: Span, frame: ValueElement, *, certain: bool = True
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
        """End everything at `at`: the end of the text, or an incomplete tag."""
        frame = self._frames[-1]
        if at < self.end:
            frame.element.children.append(XmlFault(self.text, at, self.end))
            self._report_open(self.end, truncated=True, values=(), tail=Span(at, self.end))
        else:
            self._report_open(self._trim(frame.element.open_end, self.end), truncated=True, values=())

    def _truncate_value(self, child: XmlElement, bound: int) -> None:
        """End an unclosed value at `bound`, and with it every frame."""
        text, content = self.text, child.open_end
        truncated = bound >= self.end
        section = self._open_section(content, bound) if not self.hints.raw else -1
        tail: Span | None = None
        stop = bound
        if truncated and section < 0:
            last = text.rfind("<", content, bound)
            if last >= 0 and TAIL.match(text, last, bound) and self._begins_closer(text[last:bound], child):
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
        """Return whether an incomplete tag may be the beginning of the closing tag of a value."""
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
        """End every frame at `at` and report all open elements as one problem: the text is truncated."""
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
                    # The incomplete closing tag ends the value and is part of the element, like a complete one.
                    element.close_start = tail.start
                    element.end = tail.end
                elif element not in values:
                    self._end_at(element, at)
        self._pos = at
        while self._frames:
            self._pop()

    def _closer_text(self, element: XmlElement) -> str:
        """Return the closing tag of an element, on a line of its own if its first child is on one."""
        indent = self._indent(element.start)
        if indent is None or not element.has_elements:
            return f"</{element.name}>"
        match = _BREAK.match(self.text, element.open_end)
        return f"</{element.name}>" if match is None else f"{match[1]}{indent}</{element.name}>"

    def _cut_opener(self, root: XmlElement, tag: XmlTag) -> None:
        """Report an outermost tag that is truncated."""
        span = Span(root.start, root.open_end)
        data = {"name": root.name, "names": (root.name,), "text": span.of(self.text), "closing": False}
        certain = tag.end < self.end and not tag.attributes
        repair = (insert(tag.end, ">"),) if certain else ()
        self.problems.append(Problem("truncated-tag", span, data, repair, False))
        self.reach = min(skip_space(self.text, tag.end, self.end) + 1, self.end)


_BREAK = re.compile("[ \t]*+(\r\n|\r|\n)")


def _frame_of(element: XmlElement, schema: Mapping[str, Any]) -> ValueElement:
    """Return the frame of an element that is an object or an array."""
    properties = schema.get("properties")
    items = schema.get("items")
    if isinstance(properties, Mapping):
        additional = schema.get("additionalProperties")
        return ValueElement(element, properties, additional if isinstance(additional, Mapping) else None)
    if isinstance(items, Mapping):
        return ValueElement(element, None, items)
    additional = schema.get("additionalProperties")
    return ValueElement(element, None, additional if isinstance(additional, Mapping) else None)
