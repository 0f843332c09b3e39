"""Faults of calls whose parameters are between tags: what models and people do to tags, text and sections.

Owns: the kinds of the group `xml`. Must not know: how calls are read, what is reported of a fault.
"""
# ruff: noqa: ARG002  # every kind is asked in the same way

from __future__ import annotations

import json
import re
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final
from xml.sax.saxutils import escape  # writes text, reads none

from benchmarks.faults.base import Injected, Kind, Sample
from benchmarks.faults.markup import (
    XML,
    Markup,
    Pair,
    Tag,
    is_plain,
    is_well_formed,
    markup_of,
    name_of,
    replaced,
    several,
    value_of,
)
from callwright.text.span import Span

if TYPE_CHECKING:
    from random import Random

_SECTION: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFERENCE: Final = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|\w+);")


def _is_literal(sample: Sample) -> bool:
    """Return whether the values of the tool's calls are literal text, without references and sections."""
    return any(tool.markup == "raw" for tool in sample.registry.get(sample.tool))


class _XmlKind(Kind):
    """A kind of fault in the tags of a call.

    Where no tool is known and no dialect is asked for, a tag is a call only where it holds elements alone: what other
    text is in makes prose of it, and is not a fault.
    """

    group: ClassVar = "xml"
    #: Whether only dialects that are XML know the fault; in the others, what is done is text.
    xml_only: ClassVar[bool] = False

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Damage the tags of the sample, where it has such."""
        markup = markup_of(sample)
        if markup is None or (self.xml_only and (not markup.xml or _is_literal(sample))):
            return None
        return self.damage(sample, markup, random)

    def is_sound(self, sample: Sample, injected: Injected, mode: str) -> bool:
        """Return whether nothing says that a call was meant."""
        del injected
        return mode == "plain" and not sample.registry and sample.dialect in ("xml-children", "xml-json")

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """Return whether a parser for XML refuses the text; in other dialects every damage to a tag is a fault."""
        if injected.text == sample.text:
            return False
        if sample.dialect not in XML:
            return True
        if self.xml_only and _is_literal(sample):
            return False
        end = len(injected.text) - (len(sample.text) - sample.span.end)
        sound = is_well_formed(sample.span.of(sample.text))
        return sound and not is_well_formed(injected.text[sample.span.start : end])

    @abstractmethod
    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Return the sample's text with the fault in one of its tags."""


class _ValueKind(_XmlKind):
    """A kind of fault in one parameter."""

    #: Whether the value must be separated from the text around it without one of its tags.
    plain: ClassVar[bool] = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Damage one parameter."""
        pairs = [pair for pair in markup.values if not self.plain or is_plain(sample, pair)]
        return self.damage_value(sample, random.choice(pairs), random) if pairs else None

    @abstractmethod
    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Return the sample's text with the fault in one parameter."""


def _schema(sample: Sample, pair: Pair) -> dict[str, object]:
    """Return the schema of the parameter that a pair holds, empty where it is unknown."""
    tools = sample.registry.get(sample.tool)
    name = name_of(sample, pair)
    for tool in tools:
        if name in tool.parameters:
            return dict(tool.parameters[name].schema)
    return {}


def _is_known(sample: Sample, pair: Pair) -> bool:
    """Return whether a parameter is one that the tool has: only then tags are certainly distinct from text."""
    parameters = sample.registry.parameters(sample.tool)
    named = name_of(sample, pair)
    if parameters is None:
        return False
    return named in parameters or named in ("parameter", "param", "arg_key", "arg_value")


class DroppedValueCloser(_ValueKind):
    """The closing tag of a parameter is left out."""

    name = "value closer dropped"

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Leave it out."""
        closer = pair.closer
        return replaced(sample, closer.start, closer.end, "", keeps=_is_known(sample, pair))


class DroppedValueOpener(_ValueKind):
    """The opening tag of a parameter is left out."""

    name = "value opener dropped"

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Leave it out; only a closing tag with a name shows which it was."""
        named = name_of(sample, pair) not in ("parameter", "param", "arg_value")
        keeps = named and _is_known(sample, pair) and pair.depth <= 2 and not _is_item(sample, pair)
        return replaced(sample, pair.opener.start, pair.opener.end, "", keeps=keeps)


def _is_item(sample: Sample, pair: Pair) -> bool:
    return name_of(sample, pair) == "item" or pair.depth > (2 if sample.dialect == "tool-call-xml" else 1)


class DroppedCallCloser(_XmlKind):
    """The closing tag of a call, or of what is around calls, is left out."""

    name = "call closer dropped"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Leave one out."""
        closer = random.choice(markup.frames).closer
        return replaced(sample, closer.start, closer.end, "")


class DoubledValueCloser(_ValueKind):
    """The closing tag of a parameter is there twice."""

    name = "value closer doubled"
    plain = False

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Write it again; where nothing can be escaped, the first may be a text's."""
        closer = sample.text[pair.closer.start : pair.closer.end]
        keeps = sample.dialect in ("xml-children", "tool-call-xml")
        return replaced(sample, pair.closer.end, pair.closer.end, closer, keeps=keeps)


class DoubledCallCloser(_XmlKind):
    """The closing tag of a call is there twice."""

    name = "call closer doubled"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Write it again."""
        closer = random.choice(markup.frames).closer
        return replaced(sample, closer.end, closer.end, sample.text[closer.start : closer.end])


class OtherParametersCloser(_ValueKind):
    """A parameter is closed in the name of another one."""

    name = "closer of another parameter"
    xml_only = True

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Write the other name."""
        parameters = sample.registry.parameters(sample.tool) or {}
        own = name_of(sample, pair)
        others = [name for name in parameters if name != own and re.fullmatch(r"[A-Za-z_][\w.\-]*", name)]
        if not others or not _is_known(sample, pair):
            return None
        return replaced(sample, *pair.closer.name, random.choice(others))


def _closers(sample: Sample, markup: Markup, random: Random) -> Tag:
    pairs = [*[pair for pair in markup.values if is_plain(sample, pair) and _is_known(sample, pair)], *markup.frames]
    return random.choice(pairs).closer


def syntax_error(word: str, random: Random) -> str:
    """Return a word with one letter left out, doubled, changed, or two swapped."""
    at = random.randrange(len(word))
    choice = random.randrange(4)
    if choice == 0 and len(word) > 2:
        return word[:at] + word[at + 1 :]
    if choice == 1:
        return word[:at] + word[at] + word[at:]
    if choice == 2 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + ("q" if word[at] != "q" else "k") + word[at + 1 :]


class MisspeltCloser(_XmlKind):
    """A closing tag is misspelt by a letter."""

    name = "closer misspelt"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Misspell it."""
        closer = _closers(sample, markup, random)
        return replaced(sample, *closer.name, syntax_error(closer.name.of(sample.text), random))


class OtherCaseCloser(_XmlKind):
    """A closing tag is written in another case."""

    name = "closer in other case"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Write it in capitals, or with one."""
        closer = _closers(sample, markup, random)
        name = closer.name.of(sample.text)
        other = name.upper() if random.random() < 0.5 else name[:1].upper() + name[1:]
        return replaced(sample, *closer.name, other) if other != name else None


class CloserWithoutEnd(_XmlKind):
    """A closing tag lacks its `>`."""

    name = "closer lacks >"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Leave it out."""
        closer = _closers(sample, markup, random)
        return replaced(sample, closer.end - 1, closer.end, "")


class OpenerWithoutEnd(_ValueKind):
    """An opening tag lacks its `>`."""

    name = "opener lacks >"

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Leave it out, where what follows does not run together with the name."""
        after = sample.text[pair.opener.end]
        if re.match(r"[\w.\-:]", after) and sample.text[pair.opener.end - 2] not in "\"'":
            return None
        return replaced(sample, pair.opener.end - 1, pair.opener.end, "", keeps=after in "<\r\n")


class CloserWithoutStart(_XmlKind):
    """A closing tag lacks its `<`."""

    name = "closer lacks <"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Leave it out."""
        closer = _closers(sample, markup, random)
        return replaced(sample, closer.start, closer.start + 1, "")


class OpenerWithoutStart(_ValueKind):
    """An opening tag lacks its `<`."""

    name = "opener lacks <"

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Leave it out."""
        if not _is_known(sample, pair):
            return None
        return replaced(sample, pair.opener.start, pair.opener.start + 1, "")


class CloserWithoutSlash(_XmlKind):
    """A closing tag lacks its `/`, so that it opens again."""

    name = "closer lacks /"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Leave it out."""
        closer = _closers(sample, markup, random)
        return replaced(sample, closer.start + 1, closer.start + 2, "")


class BackslashInCloser(_XmlKind):
    """A closing tag has a backslash in place of its slash."""

    name = "closer with backslash"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Turn it."""
        closer = _closers(sample, markup, random)
        return replaced(sample, closer.start + 1, closer.start + 2, "\\")


class SlashAfterCloser(_XmlKind):
    """The slash of a closing tag is at its end."""

    name = "closer with slash at its end"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Move it."""
        closer = _closers(sample, markup, random)
        inner = sample.text[closer.start + 2 : closer.end - 1]
        return replaced(sample, closer.start, closer.end, f"<{inner}/>")


class SpaceInCloser(_XmlKind):
    """A closing tag has a space where none may be."""

    name = "space in closer"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Put one in."""
        closer = _closers(sample, markup, random)
        at = closer.start + random.choice((1, 2))
        return replaced(sample, at, at, " ")


class SpaceInOpener(_ValueKind):
    """An opening tag begins with a space."""

    name = "space in opener"

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Put one in."""
        at = pair.opener.start + 1
        return replaced(sample, at, at, " ") if _is_known(sample, pair) else None


class SpaceInName(_ValueKind):
    """A tag's name is split in two."""

    name = "space in name"
    xml_only = True

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Put a space for an underscore, or between two letters."""
        name, begin = name_of(sample, pair), pair.opener.name.start
        if len(name) < 4 or not _is_known(sample, pair):
            return None
        marker = name.find("_", 1)
        if 0 < marker < len(name) - 1:
            return replaced(sample, begin + marker, begin + marker + 1, " ")
        at = begin + len(name) // 2
        return replaced(sample, at, at, " ")


class DoubledBracket(_XmlKind):
    """A tag begins or ends with two brackets."""

    name = "bracket doubled"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Write one again, where it can be no text."""
        pair = random.choice(markup.pairs)
        closer = pair.closer
        places = [closer.end]
        if pair not in markup.values:
            places += [closer.start]
        at = random.choice(places)
        # A sign that is between elements is well-formed text where it is `>`.
        return replaced(sample, at, at, "<" if at == closer.start else ">", keeps=True)


class SwappedClosers(_XmlKind):
    """The closing tags of a call and of its last parameter change places."""

    name = "closers swapped"

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Swap the two."""
        text = sample.text
        for frame in reversed(markup.frames):
            inner = [pair for pair in markup.values if frame.content.start <= pair.opener.start < frame.content.end]
            last = max(inner, key=lambda pair: pair.closer.end, default=None)
            if last is None or text[last.closer.end : frame.closer.start].strip():
                continue
            if not is_plain(sample, last) or not _is_known(sample, last):
                return None
            one, other = last.closer, frame.closer
            edits = [
                (one.start, one.end, text[other.start : other.end]),
                (other.start, other.end, text[one.start : one.end]),
            ]
            return several(sample, edits)
        return None


class OpenedTwice(_ValueKind):
    """The opening tag of a parameter is there twice."""

    name = "opened twice"
    xml_only = True

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Write it again."""
        opener = sample.text[pair.opener.start : pair.opener.end]
        return replaced(sample, pair.opener.end, pair.opener.end, opener, keeps=_is_known(sample, pair))


# Text and sections


def _sections(sample: Sample, markup: Markup) -> list[Pair]:
    """Return the values that are one CDATA section."""
    return [pair for pair in markup.values if _SECTION.fullmatch(value_of(sample, pair).strip()) is not None]


def _is_json(text: str) -> bool:
    try:
        json.loads(text.lower())
    except ValueError:
        return False
    return True


def _in_section(sample: Sample, pair: Pair) -> tuple[Sample, Pair] | None:
    """Return the sample with a plain value put into a section, which says the same."""
    written = value_of(sample, pair)
    if re.search(r"[<>&]", written) or written != written.strip() or not written:
        return None
    if sample.dialect not in (*XML, "minicpm") or not _is_known(sample, pair):
        return None
    if sample.dialect == "minicpm" and _is_json(written):
        return None  # what is a value of JSON is text in a section
    return _with_content(sample, pair, f"<![CDATA[{written}]]>")


def _with_content(sample: Sample, pair: Pair, new: str) -> tuple[Sample, Pair]:
    """Return the sample with another text in a pair of tags, and the pair as it is then."""
    (start, end), more = pair.content, len(new) - len(value_of(sample, pair))
    text = sample.text[:start] + new + sample.text[end:]
    closer = pair.closer
    name = Span(closer.name.start + more, closer.name.end + more)
    moved = replace(pair, closer=replace(closer, start=closer.start + more, end=closer.end + more, name=name))
    span = Span(sample.span.start, sample.span.end + more)
    return replace(sample, text=text, span=span, body=Span(sample.body.start, sample.body.end + more)), moved


class _SectionKind(_XmlKind):
    """A kind of fault in a value that is a CDATA section."""

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Damage one section."""
        if sample.dialect not in (*XML, "minicpm") or _is_literal(sample):
            return None  # what looks like a section is literal text
        found = _sections(sample, markup)
        if found:
            pair = random.choice(found)
        elif markup.values:
            made = _in_section(sample, random.choice(markup.values))
            if made is None:
                return None
            sample, pair = made
        else:
            return None
        section = _SECTION.search(sample.text, pair.content.start)
        return self.damage_section(sample, pair, section, random) if section is not None else None

    @abstractmethod
    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Return the sample's text with the fault in the section."""


def _holds_closers(sample: Sample, pair: Pair, inner: str) -> bool:
    """Return whether what is in a section holds a tag of the call, so that its end may be elsewhere."""
    names = {name_of(sample, pair), sample.tool, *(sample.registry.parameters(sample.tool) or ())}
    return any(f"<{name}" in inner or f"</{name}" in inner for name in names)


class SectionNotClosed(_SectionKind):
    """A CDATA section is never closed."""

    name = "CDATA not closed"

    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Leave out its end."""
        keeps = not _holds_closers(sample, pair, section[1]) and not section[1][-1:].isspace()
        return replaced(sample, section.end() - 3, section.end(), "", keeps=keeps)


class SectionHalfClosed(_SectionKind):
    """A CDATA section is closed with half of what closes it."""

    name = "CDATA closed by half"

    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Write a part of its end."""
        half = random.choice(("]>", "]]", ">", "]"))
        keeps = half == "]]" and not section[1].endswith(("]", ">")) and not _holds_closers(sample, pair, section[1])
        return replaced(sample, section.end() - 3, section.end(), half, keeps=keeps and "[" not in section[1])


class SectionClosedTwice(_SectionKind):
    """A CDATA section is closed twice."""

    name = "CDATA closed twice"
    xml_only = True

    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Write its end again."""
        keeps = "<![CDATA[" not in section[1]
        return replaced(sample, section.end(), section.end(), "]]>", keeps=keeps)


class SectionOpenedWrongly(_SectionKind):
    """The opening of a CDATA section is misspelt."""

    name = "CDATA opened wrongly"
    xml_only = True

    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Misspell it."""
        wrong = random.choice(
            (
                "<![CDATA ",
                "<![CDATA",
                "<!CDATA[",
                "<[CDATA[",
                "<![cdata[",
                "<![CDAT[",
                "<! [CDATA[",
                "<![CDATA[[",
                "![CDATA[",
            )
        )
        if wrong == "<![CDATA[[":
            return None
        keeps = not _holds_closers(sample, pair, section[1])
        return replaced(sample, section.start(), section.start() + len("<![CDATA["), wrong, keeps=keeps)


class SectionUnwrapped(_SectionKind):
    """Text with `<` or `&` is in a value, neither escaped nor in a section."""

    name = "raw markup in text"
    xml_only = True

    def damage_section(self, sample: Sample, pair: Pair, section: re.Match[str], random: Random) -> Injected | None:
        """Take the section's markers away."""
        inner = section[1]
        if not re.search(r"[<&]", inner) or _REFERENCE.search(inner) or "<!" in inner:
            return None
        if inner[:1] in "\r\n" or inner[-1:] in "\r\n" or _schema(sample, pair).get("type") not in ("string", None):
            return None
        own = name_of(sample, pair)
        keeps = f"</{own}>" not in inner and f"<{own}" not in inner and not _holds_closers(sample, pair, inner)
        return replaced(sample, section.start(), section.end(), inner, keeps=keeps)


class ReferenceUnescaped(_XmlKind):
    """One `<` or `&` of a text is not escaped, while the others are."""

    name = "one character not escaped"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Write the character for its entity."""
        sections = _sections(sample, markup)
        if sections:
            pair = random.choice(sections)
            inner = value_of(sample, pair).strip()[len("<![CDATA[") : -len("]]>")]
            if inner[:1] in "\r\n" or inner[-1:] in "\r\n":
                return None
            sample, pair = _with_content(sample, pair, escape(inner))
            markup = replace(markup, values=(pair,))
        found = [
            (pair, match)
            for pair in markup.values
            if "<![CDATA[" not in value_of(sample, pair)
            for match in re.compile("&(lt|amp);").finditer(sample.text, *pair.content)
        ]
        if not found:
            return None
        pair, match = random.choice(found)
        character = "<" if match[1] == "lt" else "&"
        damaged = (
            sample.text[pair.content.start : match.start()] + character + sample.text[match.end() : pair.content.end]
        )
        if _REFERENCE.match(damaged, match.start() - pair.content.start):
            return None
        return replaced(sample, match.start(), match.end(), character)


class ReferenceWithoutEnd(_XmlKind):
    """An entity lacks its semicolon."""

    name = "entity lacks ;"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Leave it out: whether the entity was meant or its text is a guess."""
        sections = _sections(sample, markup)
        if sections:
            pair = random.choice(sections)
            inner = value_of(sample, pair).strip()[len("<![CDATA[") : -len("]]>")]
            sample, pair = _with_content(sample, pair, escape(inner))
            markup = replace(markup, values=(pair,))
        found = [match for pair in markup.values for match in _outside_sections(sample, pair)]
        if not found:
            return None
        match = random.choice(found)
        return replaced(sample, match.end() - 1, match.end(), "", keeps=False)


class UnknownReference(_XmlKind):
    """An entity is misspelt, or one of HTML's."""

    name = "unknown entity"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Misspell one; which was meant is a guess."""
        found = [match for pair in markup.values for match in _outside_sections(sample, pair) if match[0][1] != "#"]
        if not found:
            return None
        match = random.choice(found)
        return replaced(sample, match.start() + 1, match.end() - 1, random.choice(("nbsp", "ltt", "less")), keeps=False)


def _outside_sections(sample: Sample, pair: Pair) -> list[re.Match[str]]:
    if "<![CDATA[" in value_of(sample, pair):
        return []
    return list(_REFERENCE.finditer(sample.text, *pair.content))


class SectionEndInText(_XmlKind):
    """`]]>` is in text."""

    name = "]]> in text"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Put it into text, where the value says otherwise: what it belongs to is a guess."""
        pairs = [pair for pair in markup.values if "<![CDATA[" not in value_of(sample, pair) and is_plain(sample, pair)]
        if not pairs:
            return None
        pair = random.choice(pairs)
        return replaced(sample, pair.closer.start, pair.closer.start, "]]>", keeps=False)


class CommentNotClosed(_XmlKind):
    """A comment between parameters is never closed."""

    name = "comment not closed"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Open one in front of a parameter: where it was meant to end is a guess."""
        if not markup.values:
            return None
        pair = random.choice(markup.values)
        return replaced(sample, pair.opener.start, pair.opener.start, "<!-- ", keeps=False)


class DashesInComment(_XmlKind):
    """A comment holds two dashes."""

    name = "dashes in comment"
    xml_only = True

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Put such a comment in front of a parameter."""
        if not markup.values:
            return None
        pair = random.choice(markup.values)
        return replaced(sample, pair.opener.start, pair.opener.start, "<!-- one -- two -->")


class ControlCharacter(_ValueKind):
    """A character that XML does not know is in a value or between two."""

    name = "control character"
    xml_only = True

    def damage_value(self, sample: Sample, pair: Pair, random: Random) -> Injected | None:
        """Put one in; in a value its meaning is unknown."""
        inside = random.random() < 0.5
        at = (pair.content.start + pair.content.end) // 2 if inside else pair.opener.start
        if inside and ("&" in value_of(sample, pair) or "<" in value_of(sample, pair)):
            return None
        return replaced(sample, at, at, random.choice("\x00\x01\x08\x0b\x0c\x1f\ufffe"), keeps=not inside)


# Attributes


class _AttributeKind(_XmlKind):
    """A kind of fault in `name="…"`."""

    def damage(self, sample: Sample, markup: Markup, random: Random) -> Injected | None:
        """Damage one attribute."""
        found = [
            match
            for pair in markup.pairs
            for match in re.compile(r'name="([^"<>]+)"').finditer(sample.text, pair.opener.start, pair.opener.end)
        ]
        return self.damage_attribute(sample, random.choice(found), random) if found else None

    @abstractmethod
    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Return the sample's text with the fault in the attribute."""


class FirstQuoteDropped(_AttributeKind):
    """An attribute's value lacks its first quote."""

    name = "attribute lacks first quote"

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Leave it out."""
        at = match.start(1)
        return replaced(sample, at - 1, at, "")


class LastQuoteDropped(_AttributeKind):
    """An attribute's value lacks its last quote."""

    name = "attribute lacks last quote"

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Leave it out."""
        at = match.end(1)
        return replaced(sample, at, at + 1, "")


class QuotesDropped(_AttributeKind):
    """An attribute's value has no quotes."""

    name = "attribute lacks quotes"

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Leave them out."""
        return replaced(sample, match.start(1) - 1, match.end(1) + 1, match[1])


class OddQuotes(_AttributeKind):
    """An attribute's value is in typographic or in two different quotes."""

    name = "attribute in odd quotes"

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Write such quotes."""
        first, last = random.choice((("“", "”"), ('"', "'"), ("'", '"'), ('"', "”")))
        return replaced(sample, match.start(1) - 1, match.end(1) + 1, first + match[1] + last)


class EqualsDropped(_AttributeKind):
    """An attribute has a colon, or nothing, in place of its equals sign."""

    name = "attribute lacks ="

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Write the other."""
        at = match.start() + len("name")
        return replaced(sample, at, at + 1, random.choice((":", " ", "")))


class AttributeMisnamed(_AttributeKind):
    """The attribute that holds the name bears another name."""

    name = "attribute misnamed"

    def damage_attribute(self, sample: Sample, match: re.Match[str], random: Random) -> Injected | None:
        """Write a misspelling, or a word that means the same."""
        return replaced(sample, match.start(), match.start() + 4, random.choice(("nmae", "Name", "id", "key", "tool")))


KINDS: Final = tuple(
    kind()
    for kind in (
        DroppedValueCloser,
        DroppedValueOpener,
        DroppedCallCloser,
        DoubledValueCloser,
        DoubledCallCloser,
        OtherParametersCloser,
        MisspeltCloser,
        OtherCaseCloser,
        CloserWithoutEnd,
        OpenerWithoutEnd,
        CloserWithoutStart,
        OpenerWithoutStart,
        CloserWithoutSlash,
        BackslashInCloser,
        SlashAfterCloser,
        SpaceInCloser,
        SpaceInOpener,
        SpaceInName,
        DoubledBracket,
        SwappedClosers,
        OpenedTwice,
        SectionNotClosed,
        SectionHalfClosed,
        SectionClosedTwice,
        SectionOpenedWrongly,
        SectionUnwrapped,
        ReferenceUnescaped,
        ReferenceWithoutEnd,
        UnknownReference,
        SectionEndInText,
        CommentNotClosed,
        DashesInComment,
        ControlCharacter,
        FirstQuoteDropped,
        LastQuoteDropped,
        QuotesDropped,
        OddQuotes,
        EqualsDropped,
        AttributeMisnamed,
    )
)
