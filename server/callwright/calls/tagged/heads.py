"""The opening markers of calls and parameters: one parser for each form of them.

Owns: `Head`, `Parameter`, and the parsers of opening markers. Must not know: which markers belong to one dialect,
dialect modules, tools.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from callwright.calls.marker_problems import half_written, mismatched, unclosed
from callwright.calls.scanning import skip_space
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.records import dataclass, field
from callwright.text.span import Edit, Span, delete, insert

#: The maximum length of an opening marker that is not closed.
MAX_HEAD_LENGTH: Final = 1000
_LINE = re.compile(r"[^\r\n]*+")
_ATTRIBUTE = re.compile(
    r"""(?P<lead>[\s\u0120]*+)(?P<key>[A-Za-z_][\w.\-]*+)(?P<equals>\s*+=\s*+|[ \t]*+:?[ \t]*+(?=["“]))
    (?:"(?P<double>[^"\r\n]*+)"(?=[\s\u0120/<>|]|\Z)|'(?P<single>[^'\r\n]*+)'
    |(?P<odd>["'“”‘’][^"'“”‘’<>|\r\n]*+["'“”‘’])(?=[\s/<>|])
    |(?P<bare>[^\s"'“”‘’<>|=/]++)(?P<unmatched>["”])?+|(?P<open>["'][^"'<>|\r\n]*+))""",
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos);")
_CHARACTERS: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
JSON_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_WORD = re.compile(rf"[\w.\-:/{HOLE}]++|\{{[A-Za-z][\w \-]{{0,60}}+\}}|")


@dataclass(slots=True)
class Head:
    """An opening marker: `[start, end)`, the name in it and where it is, and the other data in it.

    `name` is None where the marker has no name; `again` are further places where it is. `empty` says that the
    marker also closes what it opens (`…/>`).
    """

    start: int
    end: int
    name: str | None
    name_span: Span
    attributes: Mapping[str, str] = field(default_factory=dict)
    attribute_spans: Mapping[str, Span] = field(default_factory=dict)
    problems: Sequence[Problem] = ()
    empty: bool = False
    again: tuple[Span, ...] = ()


@dataclass(slots=True)
class Parameter:
    """One parameter: its opening marker, the content, and where the parameter ends."""

    head: Head
    content: Span
    end: int
    closed: bool


#: Reads the opening marker at an offset, or returns None if there is none; the second number is where its scan ended.
HeadReader: TypeAlias = Callable[[str, int], tuple[Head | None, int]]


def ends_as_marker(text: str) -> bool:
    """Return whether text ends like a marker: then a closing marker that seems missing may be there, but malformed."""
    return text[-MAX_HEAD_LENGTH:].rstrip()[-1:] in (">", "[", "|")


def unescape(text: str) -> str:
    """Return text of an attribute with XML's five entities decoded."""
    return _ENTITY.sub(lambda match: _CHARACTERS[match[1]], text) if "&" in text else text


def attribute_head(opener: str, key: str, closer: str = ">") -> HeadReader:
    """Return the parser of markers such as `<invoke name="f">`: the name is the value of the attribute `key`."""
    tail = re.compile(rf"\s*+(?P<empty>/)?(?P<close>{re.escape(closer)})")

    def read(text: str, start: int) -> tuple[Head | None, int]:
        if not text.startswith(opener, start):
            return None, start + len(opener)
        at = start + len(opener)
        values: dict[str, str] = {}
        spans: dict[str, Span] = {}
        problems: list[Problem] = []
        limit = min(len(text), start + MAX_HEAD_LENGTH)
        while (match := _ATTRIBUTE.match(text, at, limit)) is not None:
            name = match["key"]
            if not match["lead"] and not (at == start + len(opener) and name == key):
                break
            group = next(each for each in ("double", "single", "odd", "bare", "open") if match[each] is not None)
            begin, end = match.span(group)
            at = match.end()
            span = Span(match.start("key"), at)
            if "=" not in match["equals"]:
                problems.append(_broken("missing-equals", name, span, Edit(Span(*match.span("equals")), "=")))
            if group == "odd":
                repair = (Edit(Span(begin, begin + 1), '"'), Edit(Span(end - 1, end), '"'))
                problems.append(_broken("odd-quotes", name, Span(begin, end), *repair))
                begin, end = begin + 1, end - 1
            elif group == "bare":
                closing = match.span("unmatched") if match["unmatched"] else (end, end)
                repair = (insert(begin, '"'), Edit(Span(*closing), '"'))
                problems.append(_broken("missing-quotes", name, Span(begin, end), *repair))
            elif group == "open":
                begin += 1
                problems.append(_broken("unclosed-quote", name, span, insert(end, text[begin - 1])))
            if name not in values:
                values[name], spans[name] = unescape(text[begin:end]), Span(begin, end)
        end_match = tail.match(text, at)
        if end_match is None:
            line = _LINE.match(text, skip_space(text, at), limit)
            return None, (line.end() if line is not None else at) + len(closer) + 1
        value = values.get(key)
        name_span = spans.get(key, Span(at, at))
        empty = end_match["empty"] is not None
        head = Head(start, end_match.end(), value or None, name_span, values, spans, problems, empty)
        return head, end_match.end()

    return read


def _broken(reason: str, name: str, span: Span, *repair: Edit) -> Problem:
    return Problem("broken-attribute", span, {"reason": reason, "name": name}, repair, certain=True)


def equals_head(opener: str, closer: str = ">") -> HeadReader:
    """Return the parser of markers such as `<function=f>`: the name is between the equals sign and the `>`."""
    held = r"[^<>\r\n]*+" if closer == ">" else rf"(?:(?!{re.escape(closer)})[^\r\n])*+"
    pattern = re.compile(rf"{re.escape(opener)}[ \t]*+(?P<name>{held})(?P<close>{re.escape(closer)})?")

    def read(text: str, start: int) -> tuple[Head | None, int]:
        match = pattern.match(text, start, min(len(text), start + MAX_HEAD_LENGTH))
        if match is None:
            return None, start + len(opener)
        name = match["name"].rstrip(" \t")
        begin = match.start("name")
        span = Span(begin, begin + len(name))
        if match["close"]:
            return Head(start, match.end(), name or None, span), match.end()
        if not name or " " in name or match.end() >= len(text):
            return None, match.end() + 1
        marker = Span(start, span.end)
        problem = half_written(marker, marker.of(text), insert(span.end, closer), cut=False)
        return Head(start, span.end, name, span, problems=(problem,)), match.end() + 1

    return read


def plain_head(opener: str, follows: Sequence[str]) -> HeadReader:
    """Return the parser of a marker with a name as text after it, up to one of the markers in `follows`."""

    def read(text: str, start: int) -> tuple[Head | None, int]:
        if not text.startswith(opener, start):
            return None, start + len(opener)
        begin = skip_space(text, start + len(opener))
        word = _WORD.match(text, begin, min(len(text), begin + MAX_HEAD_LENGTH))
        end = word.end() if word is not None else begin
        after = skip_space(text, end)
        scanned = after + max(map(len, follows))
        if end == begin:
            return None, scanned
        rest = text[after : after + max(map(len, follows))]
        if not any(rest.startswith(marker) for marker in follows):
            at_end = scanned > len(text) and any(marker.startswith(rest) for marker in follows)
            if not at_end:
                return None, scanned
        return Head(start, end, text[begin:end], Span(begin, end)), scanned

    return read


def parted_head(opener: str, separator: str, follows: Sequence[str], *, required: bool = True) -> HeadReader:
    """Return the parser of a marker with a name as text after it, and with a separate marker after the name.

    That marker may be missing if one of `follows` is there instead. This is a problem if it is `required`.
    """
    plain = plain_head(opener, (separator, *follows))

    def read(text: str, start: int) -> tuple[Head | None, int]:
        head, scanned = plain(text, start)
        if head is None:
            return None, scanned
        after = skip_space(text, head.end)
        if text.startswith(separator, after):
            head.end = after + len(separator)
        elif required and text.startswith(tuple(follows), after):
            head.problems = (unclosed(Span(start, head.end), separator, head.end, place="after the name"),)
        return head, scanned

    return read


def key_head(opener: str, closer: str, value_opener: str, kind: tuple[str, str] | None = None) -> HeadReader:
    """Return the parser of a name in its own pair of markers, with the value's opening marker after it.

    `kind` is the pair of markers that may be between the two and say the value's type.
    """
    typed = rf"(?:{re.escape(kind[0])}\s*+(?P<kind>[^<>\r\n]*+){re.escape(kind[1])}\s*+)?+" if kind else ""
    pattern = re.compile(
        rf"{re.escape(opener)}\s*+(?P<name>[^<>\r\n]*+)(?P<close>{re.escape(closer)})?+\s*+{typed}"
        rf"(?P<value>{re.escape(value_opener)})?+"
    )
    longest = max(map(len, (value_opener, *(kind or ()))))

    def read(text: str, start: int) -> tuple[Head | None, int]:
        match = pattern.match(text, start)
        if match is None:
            return None, start + len(opener)
        scanned = match.end() + longest
        name = match["name"].rstrip()
        span = Span(match.start("name"), match.start("name") + len(name))
        if not match["value"] or not name:
            return None, scanned
        problems: tuple[Problem, ...] = ()
        if not match["close"]:
            problems = (unclosed(Span(start, span.end), closer, span.end, place="after the name"),)
        attributes, spans = {}, {}
        base = match["kind"].partition("[")[0].strip().lower() if kind and match["kind"] else ""
        if base in JSON_TYPES:
            begin = match.start("kind")
            attributes, spans = {"type": base}, {"type": Span(begin, begin + len(match["kind"].rstrip()))}
        return Head(start, match.end(), name, span, attributes, spans, problems), match.end()

    return read


def faulty_key(
    opener: str,
    closer: str,
    value_opener: str,
    value_closer: str,
    ends: Sequence[str],
    kind: tuple[str, str] | None = None,
) -> HeadReader:
    """Return the parser of a malformed marker of the form that `key_head` reads: the name's end is another marker, the
    value's opening marker is missing, or the value is, and one of `ends` or the next name follows.

    If the value is missing, the head has no name: it is a problem and not a parameter.
    """
    key = re.compile(rf"{re.escape(opener)}\s*+(?P<name>[\w.\-]++)\s*+(?P<close></?+[\w.:|\-]++>)\s*+")
    typed = re.compile(rf"(?P<stated>{re.escape(kind[0])}[^<>\r\n]*+{re.escape(kind[1])})\s*+") if kind else None
    bare = re.compile(rf"[^<]*+(?P<closer>{re.escape(value_closer)})?+")
    longest = max(map(len, (opener, value_opener, *ends)))

    def read(text: str, start: int) -> tuple[Head | None, int]:
        limit = min(len(text), start + MAX_HEAD_LENGTH)
        match = key.match(text, start, limit)
        if match is None:
            return None, limit
        name, span, at = match["name"], Span(*match.span("name")), match.end()
        if match["close"] != closer:
            if not text.startswith(value_opener, at) or match["close"] in (value_opener, value_closer):
                return None, limit
            problem = mismatched(Span(*match.span("close")), closer, Span(start, start + len(opener)))
            return Head(start, at + len(value_opener), name, span, problems=(problem,)), limit
        whole = Span(start, match.end("close"))
        if typed is not None and (stated := typed.match(text, at, limit)) is not None:
            whole, at = Span(start, stated.end("stated")), stated.end()
        if text.startswith((opener, *ends), at):
            problem = Problem(
                "missing-value", whole, {"key": name, "markers": (value_opener, value_closer)}, (delete(*whole),)
            )
            return Head(start, whole.end, None, span, problems=(problem,)), max(limit, at + longest)
        value = bare.match(text, at, limit)
        if value is None or not value["closer"] or value.start("closer") == at:
            return None, limit
        problem = unclosed(whole, value_opener, at, place="in front of the value")
        return Head(start, at, name, span, problems=(problem,)), limit

    return read


def half_key(
    opener: str, closer: str, value_opener: str, kind: tuple[str, str] | None = None
) -> Callable[[str, int], bool]:
    """Return a predicate for texts that end inside a marker of the form that `key_head` reads."""
    typed = rf"(?:{re.escape(kind[0])}[^<>\r\n]*+(?:{re.escape(kind[1])}\s*+)?+)?+" if kind else ""
    pattern = re.compile(rf"{re.escape(opener)}[^<>\r\n]*+(?:{re.escape(closer)}\s*+{typed})?+")
    markers = (value_opener, closer, *(kind or ()))

    def report(text: str, start: int) -> bool:
        match = pattern.match(text, start, min(len(text), start + MAX_HEAD_LENGTH))
        if match is None:
            return False
        rest = text[match.end() : match.end() + MAX_HEAD_LENGTH]
        return any(marker.startswith(rest) for marker in markers)

    return report
