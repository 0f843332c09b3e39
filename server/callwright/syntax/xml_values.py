"""Broken XML inside one value: the value's text, and the problems in it.

Owns: the nodes of a value whose markup is broken, the places that a parser would reject, the repair if there is only
one. Must not know: how the value's end is found, parameters, rules.
"""

from callwright.syntax.problem import Problem
from callwright.syntax.xml_names import NAME, NamePattern, exactly
from callwright.syntax.xml_nodes import XmlCData, XmlElement, XmlInstruction, XmlNode, XmlReference, XmlText
from callwright.syntax.xml_strict import Finder, is_declaration, special_at
from callwright.syntax.xml_tags import CLOSE_TAG, OPEN_TAG, REFERENCE, SPACE, character_of, skip_space, tag_at
from callwright.text.budget import yield_point
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert

#: How many places of one value are listed as offending.
MAX_PLACES = 200
#: A run of `<`, such as the markers of a diff; the last one may begin a tag.
_SIGNS = f"<(?=<)(?:<(?!/?{NAME}|!))*+"
_BARE_TOKEN = NamePattern(f"<(?:/?{NAME}[^<>\r\n]*+>?|[^ \t\r\n<>&]{{0,40}}+)")


def read_value(element: XmlElement, finder: Finder) -> list[Problem]:
    """Set the children of `element` from its content as text; return the problems of its markup."""
    value = _Value(element, finder)
    value.read()
    return value.problems


class _Value:
    """The content `[start, stop)` of an element whose markup is broken: its nodes, and its problems."""

    def __init__(self, element: XmlElement, finder: Finder) -> None:
        self.text = element.source
        self.element = element
        self.start, self.stop = element.content
        self.finder = finder
        self.problems: list[Problem] = []
        self.places: list[Span] = []
        self.characters: set[str] = set()
        self.tags = False
        self.pieces: list[XmlNode] = []

    def read(self) -> None:
        """Set the element's children, and add the problems to the reading."""
        if self.start == self.stop or self._broken_section():
            return
        sections = self._scan()
        at = self.start
        for section in sections:
            self._plain(at, section.start)
            self.pieces.append(section)
            at = section.end
        self._plain(at, self.stop)
        self.element.children.extend(self.pieces)
        if self.places:
            self._report()

    def _broken_section(self) -> bool:
        """Read a value that is one CDATA section, closed too early or not closed."""
        text, element = self.text, self.element
        first = skip_space(text, self.start, self.stop)
        if not text.startswith("<![CDATA[", first) or first + 9 > self.stop:
            return False
        last = self.stop
        while last > first and text[last - 1] in SPACE:
            last -= 1
        early = text.find("]]>", first + 9, self.stop)
        whole = Span(first, last)
        if early < 0:
            closers = (insert(self.stop, "]]>"),)
            data = {"by_truncation": False, "cdata": Span(first, self.stop), "names": (element.name,)}
            # A character at its end may be a part of the section's end.
            certain = not text.endswith(("]", ">"), first, last)
            self.problems.append(Problem("unterminated-cdata", Span(first, first + 9), data, closers, certain))
            section = XmlCData(text, first, self.stop, self.stop)
        elif early + 3 >= last or not text.endswith("]]>", first, last) or text.find("<![CDATA[", early, last) >= 0:
            return False
        else:
            repair: list[Edit] = []
            at = early
            while at < last - 3:
                repair.append(Edit(Span(at, at + 3), "]]]]><![CDATA[>"))
                at = text.find("]]>", at + 3, last)
            data = {"cdata": whole, "value": Span(self.start, self.stop), "parameter": element.name}
            self.problems.append(Problem("cdata-end", Span(early, early + 3), data, tuple(repair), True))
            section = XmlCData(text, first, last, last - 3)
        if first > self.start:
            element.children.append(XmlText(text, self.start, first))
        element.children.append(section)
        if section.end < self.stop:
            element.children.append(XmlText(text, section.end, self.stop))
        return True

    def _scan(self) -> list[XmlCData]:
        """Find the problems of the value, and its complete CDATA sections."""
        text, stop = self.text, self.stop
        sections: list[XmlCData] = []
        openers: list[tuple[str, Span]] = []
        open_names: dict[str, int] = {}
        plain = at = self.start
        while at < stop:
            yield_point()
            at = text.find("<", at, stop)
            if at < 0:
                break
            if text.startswith("<![CDATA[", at):
                close = text.find("]]>", at + 9, stop)
                if close >= 0:
                    sections.append(XmlCData(text, at, close + 3, close))
                    self._characters(plain, at)
                    plain = at = close + 3
                    continue
            self.tags = self.tags or text[at + 1 : at + 2] in ("!", "?")
            opened = OPEN_TAG.match(text, at, stop)
            if opened is not None:
                self.tags = True
                if opened[3] != "/":
                    openers.append((opened[1], Span(at, opened.end())))
                    open_names[opened[1]] = open_names.get(opened[1], 0) + 1
                at = opened.end()
                continue
            closed = CLOSE_TAG.match(text, at, stop)
            if closed is not None:
                self.tags = True
                if open_names.get(closed[1]):
                    while openers:
                        name, span = openers.pop()
                        open_names[name] -= 1
                        if name == closed[1]:
                            break
                        self._place(span, "<")
                else:
                    self._place(Span(at, closed.end()), "<")
                at = closed.end()
                continue
            special = self._special_end(at)
            if special > at:
                at = special
                continue
            run = exactly(_SIGNS).match(text, at, stop)
            if run is not None:
                self._place(Span(*run.span()), "<")
                at = run.end()
                continue
            token = _BARE_TOKEN.match(text, at, stop)
            ending = at + 1 if token is None else max(token.end(), at + 1)
            if tag_at(text, at, stop) is not None:
                self.tags = True
                ending = min(ending, self._first_break(at, ending))
            self._place(Span(at, ending), "<")
            at += 1
        self._characters(plain, stop)
        for _, span in openers:
            self._place(span, "<")
        return sections

    def _first_break(self, start: int, stop: int) -> int:
        """Return the end of text that resembles a tag: its `>`, or the first whitespace."""
        if self.text.startswith(">", stop - 1):
            return stop
        for at in range(start + 1, min(stop, start + 60)):
            if self.text[at] in SPACE:
                return at
        return stop

    def _special_end(self, at: int) -> int:
        """Return the end of the well-formed comment or instruction at `at`, or -1."""
        text = self.text
        for opener, closer in (("<!--", "-->"), ("<?", "?>")):
            if text.startswith(opener, at):
                found = special_at(text, at, self.finder)
                if found is None or found.end > self.stop or not text.endswith(closer, at, found.end):
                    return -1
                if not (isinstance(found, XmlInstruction) and is_declaration(text, found)):
                    return found.end
        return -1

    def _characters(self, start: int, stop: int) -> None:
        """Find ampersands that do not begin a reference, and `]]>`, in text outside CDATA."""
        text = self.text
        at = text.find("&", start, stop)
        while at >= 0:
            yield_point()
            reference = REFERENCE.match(text, at, stop)
            if reference is None or (character_of(reference) is None and HOLE not in reference[0]):
                self._place(Span(at, at + 1 if reference is None else reference.end()), "&")
            at = text.find("&", at + 1, stop)
        at = text.find("]]>", start, stop)
        while at >= 0:
            self._place(Span(at, at + 3), "]]>")
            at = text.find("]]>", at + 3, stop)

    def _place(self, span: Span, characters: str) -> None:
        self.characters.add(characters)
        self.places.append(span)

    def _plain(self, start: int, stop: int) -> None:
        """Add the text in `[start, stop)`: as it is if the value contains tags, else with its references decoded."""
        text = self.text
        done = start
        at = -1 if self.tags else text.find("&", start, stop)
        while at >= 0:
            yield_point()
            reference = REFERENCE.match(text, at, stop)
            value = None if reference is None else character_of(reference)
            if reference is None or value is None:
                at = text.find("&", at + 1, stop)
                continue
            if at > done:
                self.pieces.append(XmlText(text, done, at))
            done = reference.end()
            self.pieces.append(XmlReference(text, at, done, value))
            at = text.find("&", done, stop)
        if done < stop:
            self.pieces.append(XmlText(text, done, stop))

    def _report(self) -> None:
        self.places.sort()
        first = self.places[0]
        repair: tuple[Edit, ...] = ()
        if len(self.places) == 1:
            repair = (_escape(self.text, first),)
        element = self.element
        data = {
            "parameter": element.name,
            "value": element.content,
            "text": element.text(),
            "chars": "".join(character for character in ("<", "&", "]]>") if character in self.characters),
            "spans": tuple(self.places[:MAX_PLACES]),
            "beside": False,
        }
        # A tag may be intended markup, but a bare character can only be text.
        certain = bool(repair) and not self.tags
        self.problems.append(Problem("unescaped-markup", first, data, repair, certain))


def _escape(text: str, place: Span) -> Edit:
    """Return the edit that turns the offending character of a place into an entity."""
    if text.startswith("]]>", place.start):
        return Edit(Span(place.start + 2, place.start + 3), "&gt;")
    if text.startswith("&", place.start):
        return Edit(Span(place.start, place.start + 1), "&amp;")
    signs = place.start + 1
    while signs < place.end and text[signs] == "<":
        signs += 1
    return Edit(Span(place.start, signs), "&lt;" * (signs - place.start))
