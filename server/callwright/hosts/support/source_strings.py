"""Programs: which of their strings may hold calls, and the passages that these are.

Owns: the quick scan of a source, the choice of strings, what a program states about a string (a pattern, a template, a
part of a larger text). Must not know: the lexical rules of any language, dialects, kinds of files.

Much text in programs only looks like calls, so a string is read only where something in it is evidence by itself: a
marker of a dialect, a tag or a list with a tool's name, JSON with a tool and arguments; or a heading or entry with a
tool's name, since documentation is compared with the tools.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final

from callwright.calls.markers import openers
from callwright.hosts.base import HostContext, Passage, Record
from callwright.hosts.support.managed import is_managed, managed_segments
from callwright.hosts.support.templated import templated_passages
from callwright.hosts.support.transcript import transcript_in_string
from callwright.templates.support.versions import Loose, Version
from callwright.text.holes import HOLE
from callwright.text.projection import Composed, Projection
from callwright.text.source_literals import Adjacent, SourceLiteral
from callwright.text.span import Span
from callwright.text.templated import Cut, Templated

if TYPE_CHECKING:
    from callwright.syntax.source_strings import SourceString

#: What follows `<` in markers that frame a call whatever it is named.
_FRAMES: Final = (
    r"[|｜](?=[^\s|｜])",
    r"(?:tool_calls?|invoke)\b",
    r"function(?:=|call\b|\s+name)",
    r"[a-z]{1,20}+:(?:tool_?call|function_call|invoke)",
)
#: A tag whose name holds `_` may be a tool's; in the source of a string a backslash may begin what is after it.
_SNAKE: Final = r"[a-z][a-z\d]*+_\w++"
_AHEAD: Final = rf"(?=[\s/>\\{HOLE}])"
#: Markers in the midst of a call, or of an example of one, as they are written.
_PARTS: Final = ("<end_code>", "]<]minimax[>[", "tool_code", "Action Input")
#: Openers of dialects that programs write for many other reasons.
_COMMON: Final = frozenset(
    {"Action", "Action:", "Thought:", "Code:", "DISCUSSION", "<code>", "<function"}
    | {"```py", "```python", "```bash", "```sh", "```shell"}
)
#: An opener with fewer letters opens other texts, too.
_LETTERS: Final = 4
_LISTED: Final = re.compile(r"\[\s{0,20}+([A-Za-z_][\w.]{0,200}+)\(")
_ACTION: Final = re.compile(r"Action[*_]{0,3}:[ \t*_`\"'\[]{0,8}+([\w.\-]{1,200}+)")
#: A name after the marker of a heading or an entry: a text that documents tools is one that a model reads.
_DOCUMENTED: Final = re.compile(
    r"(?:(?:#{1,6}|(?<!\w)[-*+|]|\d{1,3}[.):]|\btype|\bTool:)[ \t]{1,4}+[*`\\]{0,4}+|(?<![\w*])\*\*`?|\bname=\\?[\"'])"
    r"([A-Za-z_][\w.\-]{1,100}+)(?=[*`:\\\s(\"'|])"
)
_NAMED_LINE: Final = re.compile(r">>>[A-Za-z_][\w.]{0,200}+(?=[\r\n\\])")
#: After a key in JSON; in the source of a string a backslash may be before its quote.
_END: Final = r"(?=\\{0,8}+[\"'“”]\s*+:)"
_TOOL_KEY: Final = re.compile(
    rf"tool(?<=[\"'“”]tool)(?:_name|_calls)?{_END}|function(?<=[\"'“”]function)(?:_call|Call){_END}"
    r"|tool_use(?<=[\"'“”]tool_use)(?=\\{0,8}+[\"'“”]\s*+,)"
)
_NAME_KEYS: Final = tuple(re.compile(rf"{key}(?<=[\"'“”]{key}){_END}") for key in ("name", "function", "action"))
_ARGUMENTS_KEYS: Final = tuple(
    re.compile(rf"{key}(?<=[\"'“”]{key}){_END}") for key in ("arguments", "parameters", "args", "action_input")
)
#: What surrounds a marker in a pattern that is to match calls: a group.
_PATTERN: Final = re.compile(
    r"[>\]](?:\\[ns][*+]?|\s)*+\((?:\?(?:P?<|[:=!])|\\?\{?(?:\.[*+]|\[\^|\[?\\[sSwWdD]))|[.\]][*+]\??\)(?:\\[ns][*+]?)?<"
    r"|=\"?\((?:\[\^|\\w)|<\\/"
)
#: What only Jinja has, and only templates of Go.
_JINJA_TAG: Final = re.compile(r"\{%-?\s*+[a-z]")
_GO_TEMPLATE: Final = re.compile(r"\{\{-?\s*+end\s*+-?\}\}")
_CODE_TEMPLATE: Final = re.compile(r"\{%-?\s*+\w|\{#|\{\{-?\s*+[#/^]")
_DOUBLED_JSON: Final = re.compile(r"(?<!\{)\{\{\s*+[\"']")
_SINGLE_JSON: Final = re.compile(r"(?<!\{)\{\s*+[\"'](?!\s*+\})")
_DOUBLED_NAME: Final = re.compile(r"\{\{-?\s*+[A-Za-z_]")
_CONVERSION: Final = re.compile(
    r"%%|%(?:\([^()\r\n]{0,100}\))?[-+ #0]{0,9}+(?:\d{1,9}|\*)?(?:\.(?:\d{1,9}|\*))?[diouxXeEfFgGcrsa]"
)
#: A name in braces is filled in later, and is neither JSON nor markup; so is one with a dollar before it.
_PLACEHOLDER: Final = re.compile(r"(?<![{\\$])\$?+\{[A-Za-z_][\w.\- ]{0,60}+\}(?!\})")
#: What shows an interpreter's session, in which strings are cut in two.
_SESSION: Final = re.compile(r"(?:\A|[\r\n])[ \t]*+(?:>>>|\.\.\.) ")
_UNREADABLE: Final = "unreadable"
_PERCENT: Final = "percent"
#: At most this much of the source around a string shows its purpose.
AROUND: Final = 120


@lru_cache(maxsize=8)
def _tags(names: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of tags that begin a call by themselves."""
    words = [re.escape(name) for name in sorted(names) if re.fullmatch(_SNAKE, name) is None]
    known = "|".join([_SNAKE, *words])
    return re.compile(f"<(?:{'|'.join(_FRAMES)}|(?:{known}){_AHEAD})")


@cache
def _markers() -> Sequence[str]:
    """Return the strings that are evidence of a call, other than those that a pattern of tags finds."""
    tags = _tags(frozenset())
    found = {
        opener
        for opener in openers() - _COMMON
        # What begins as JSON does is found by its keys.
        if '"' not in opener and sum(map(str.isalpha, opener)) >= _LETTERS and tags.match(opener) is None
    }
    every = found | {*_PARTS}
    return sorted(one for one in every if not any(other in one for other in every - {one}))


def _signs(text: str, names: frozenset[str]) -> Iterator[int]:
    """Yield the places in a text, or in the source that holds it, that are evidence of a call, in no order."""
    yield from (found.start() for found in _tags(names).finditer(text))
    for marker in _markers():
        at = text.find(marker)
        while at >= 0:
            yield at
            at = text.find(marker, at + 1)
    yield from (found.start() for found in _TOOL_KEY.finditer(text))
    if any(key.search(text) is not None for key in _ARGUMENTS_KEYS):
        for key in _NAME_KEYS:
            yield from (found.start() for found in key.finditer(text))
    yield from (found.start() for found in _NAMED_LINE.finditer(text))
    for pattern in (_LISTED, _ACTION, _DOCUMENTED):
        yield from (found.start() for found in pattern.finditer(text) if found[1] in names)


def reports(text: str, names: frozenset[str]) -> bool:
    """Return whether a text contains something that calls begin with."""
    return next(_signs(text, names), None) is not None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a program says of one string: the code before and after it, the bracket it is in directly, and in the
    whole source the names of which the text is formatted."""

    before: str
    after: str
    within: str
    formatted: frozenset[str] = field(default_factory=frozenset)


#: The template language of a string, known by what is around it; None where nothing does.
Evidence = Callable[[Surroundings], str | None]


@dataclass(frozen=True, slots=True)
class Language:
    """What a host defines for its language.

    `scan` finds the strings of a source, `literal` makes the projection of one, `is_pattern` matches the code in front
    of one that is a regular expression, `is_part` is true if a string is a part of a larger text. `evidence` is asked
    for the template language, `template` is the one that braces of templates mean. `formats` returns the names in whose
    text fields are filled.
    """

    scan: Callable[[str], list[SourceString]]
    literal: Callable[[str, SourceString], SourceLiteral]
    is_pattern: re.Pattern[str]
    evidence: Evidence
    template: str
    formats: Callable[[str], frozenset[str]]


def source_record(source: str, context: HostContext, language: Language) -> Record:
    """Take the strings out of a program that may hold calls."""
    signs = sorted(_signs(source, context.names))
    managed = [*managed_segments(source), *context.wanted]
    if not signs and not managed:
        return Record()
    formatted = language.formats(source)
    grown = _grown(source)
    strings = sorted(language.scan(source), key=lambda each: (each.group, each.begin))
    records: list[Record] = []
    for _, group in groupby(strings, key=lambda each: each.group):
        parts = list(group)
        is_block = any(is_managed(Span(part.begin, part.stop), managed) for part in parts)
        if not is_block and not any(_has_sign(part, signs) for part in parts):
            continue
        if not all(part.held for part in parts):
            continue
        around = Surroundings(
            source[max(parts[0].begin - AROUND, 0) : parts[0].begin],
            source[parts[-1].stop : parts[-1].stop + AROUND],
            parts[0].within,
            formatted,
        )
        records.append(_string(source, parts, around, context, language, grown, is_block=is_block))
    passages = [passage for record in records for passage in record.passages]
    passages.sort(key=lambda passage: passage.projection.to_raw(0))
    return Record(passages, (), [part for record in records for part in record.transcripts])


def _grown(source: str) -> frozenset[str]:
    """Return the names to whose text something is added later."""
    names = (_NAME.search(source, max(place.start() - 80, 0), place.start()) for place in _ADDED.finditer(source))
    return frozenset(name[1] for name in names if name is not None)


def _has_sign(string: SourceString, signs: Sequence[int]) -> bool:
    at = bisect_left(signs, string.start)
    return at < len(signs) and signs[at] < string.end


def _string(
    source: str,
    parts: Sequence[SourceString],
    around: Surroundings,
    context: HostContext,
    language: Language,
    grown: frozenset[str],
    *,
    is_block: bool,
) -> Record:
    """Return the passages of one string, and its turns where it holds a transcript in JSON.

    One that belongs to a managed block is a text whatever is in it.
    """
    if language.is_pattern.search(around.before) is not None:
        return Record()
    if not context.names and not is_block and _is_documentation(around):
        return Record()  # for a reader of the code, and no tools are stated to check it against
    literals = [language.literal(source, part) for part in parts]
    text = "".join(literal.text for literal in literals)
    reported = reports(text, context.names) and ("\n" in text or _PATTERN.search(text) is None)
    if not reported and not is_block:
        return Record()
    if _SESSION.search(text) is not None:
        return Record()
    projection: Projection = literals[0] if len(literals) == 1 else Adjacent(literals, source)
    passage = Passage(text, projection)
    template = None
    off = context.template == "none"
    if HOLE not in text and not off:
        template = context.declared or language.evidence(around)
        if template is None and not is_block:
            template = _own_template(text, language.template)
    if template == _UNREADABLE:
        return Record()
    if template == _PERCENT:
        inner = _filled(text, _CONVERSION)
        passage = replace(passage, text=inner.text, projection=Composed(projection, inner))
        template = None
    if is_block:
        # Its documentation is rendered as it is: only what the program does to the string counts.
        return Record(list(templated_passages(passage, template)))
    named = _ASSIGNED.search(around.before)
    is_part = (
        parts[-1].stop == parts[-1].end
        or _is_part(around)
        or (named is not None and named[1] in grown)
        or _is_fragment(text)
    )
    if template is None and not is_part and passage.text == text and text.lstrip()[:1] in ("{", "["):
        transcript = transcript_in_string(text, projection)
        if transcript.transcripts:
            return Record(transcript.passages, (), transcript.transcripts)
    if off:
        return Record([_settled(passage, is_part=is_part, filled=False)])
    return Record([_settled(each, is_part=is_part) for each in templated_passages(passage, template)])


def _filled(text: str, places: re.Pattern[str]) -> Templated:
    """Return a text in which places are filled in later: each is a hole, but for the doubled `%` of conversions."""
    cuts = [
        Cut(*found.span(), "%", literal=True) if found[0] == "%%" else Cut(*found.span(), hole=True)
        for found in re.finditer(f"{places.pattern}|{HOLE}++", text)
    ]
    return Templated(text, 0, cuts, (lambda new: new.replace("%", "%%")) if places is _CONVERSION else str)


def _settled(passage: Passage, *, is_part: bool, filled: bool = True) -> Passage:
    """Return a passage with what is uncertain of it: its expressions, and of a part whatever is cut off at its ends.

    Where nothing is `filled` in, a name in braces is text.
    """
    text = passage.text
    if filled and _PLACEHOLDER.search(text) is not None:
        # What a template writes as braces around a name is for the reader to fill in.
        inner = _filled(text, _PLACEHOLDER)
        passage = replace(passage, text=inner.text, projection=Composed(passage.projection, inner))
        text = inner.text
    branches = (Span(0, len(text)),) if is_part else ()
    holes = [Span(*found.span()) for found in re.finditer(f"{HOLE}++", text)]
    version = passage.version
    if version is not None:
        loose = version.loose._replace(holes=holes)
        loose = loose._replace(branches=branches) if is_part else loose
        return replace(passage, version=replace(version, stated=loose))
    if not holes and not is_part:
        return passage
    shown = Templated(text, 0, [Cut(*span, hole=True) for span in holes])
    return replace(passage, version=Version(shown, None, stated=Loose(holes, (), branches)))


_JOINED_BEFORE: Final = re.compile(r"\+=?\s*+\Z")
_JOINED_AFTER: Final = re.compile(r"\s*+(?:[)\]]\s*+)?\+(?![=+])")
#: A name that says that its text is a part, or is broken on purpose: `begin="…"`, `TOOL_PREFIX: str = "…`, `"end": "…`.
_PART_NAME: Final = re.compile(
    r"(?:\b|_)(?:begin|start|prefix|open|opener|opening|close|closer|end|suffix|trigger|stop|marker|token|tag|prefill"
    r"|chunk|delta|partial|incomplete|truncated|malformed|broken|invalid)s?(?:_\w{0,40})?[\"']?\s*+"
    r"(?::[^:=\"'\r\n]{1,40}=|[:=])\s*+(?:\(\s*+)?\Z",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(r"\+=")
_NAME: Final = re.compile(r"\b(\w++)\s{0,3}+\Z")
_ASSIGNED: Final = re.compile(r"\b(\w++)\s{0,3}+(?::[^:=\"'\r\n]{1,40})?\+?=\s*+(?:\(\s*+)?\Z")
#: A string that is a statement of its own documents what it is in.
_STATEMENT: Final = re.compile(r"(?:\A|(?<!\\)[\r\n])[ \t]*+\Z")
_STATEMENT_END: Final = re.compile(r"[ \t]*+(?:#|[\r\n]|\Z)")
#: At most this many lines are a text, whether its calls are closed or not.
_WHOLE_LINES: Final = 3
#: What ends a call that no closing tag ends, and a part of one that is whole.
_CLOSED: Final = re.compile(r"[}\])`]\s*+\Z|end[|｜]>\s*+\Z|</[\w.:\-]++>\s*+\Z")
_OPENS: Final = re.compile(r"<([A-Za-z_][\w:.\-]*+)")
_LISTED_AFTER: Final = re.compile(r"\s*+[,\]]")


def _is_documentation(around: Surroundings) -> bool:
    """Return whether a string is a statement of its own."""
    return (
        not around.within
        and _STATEMENT.search(around.before) is not None
        and _STATEMENT_END.match(around.after) is not None
    )


def _is_part(around: Surroundings) -> bool:
    """Return whether a string is a part of a larger text: added to another, an item of a list, inside an expression,
    or called so; what documents code shows parts, too."""
    if around.within in ("field", "${"):
        return True
    if _PART_NAME.search(around.before) is not None:
        return True
    if _is_documentation(around):
        return True
    if _JOINED_BEFORE.search(around.before) is not None or _JOINED_AFTER.match(around.after) is not None:
        return True
    return around.within == "[" and _LISTED_AFTER.match(around.after) is not None


def _is_fragment(text: str) -> bool:
    """Return whether a short text opens a call and closes none: what a program looks for, or puts together."""
    if text.lstrip().count("\n") >= _WHOLE_LINES or _CLOSED.search(text) is not None:
        return False
    first = _OPENS.search(text)
    if first is None:
        return True
    openers = sum(1 for _ in _OPENS.finditer(text))
    return f"</{first[1]}" not in text and text.count("</") + text.count("/>") < openers


def _own_template(text: str, braces: str) -> str | None:
    """Return the template language that is certain from a text itself; `_UNREADABLE` where it is ambiguous."""
    if "{{" not in text and "{%" not in text:
        return None
    if _GO_TEMPLATE.search(text) is not None:
        return _UNREADABLE
    doubled, single = _DOUBLED_JSON.search(text), _SINGLE_JSON.search(text)
    if _JINJA_TAG.search(text) is not None:
        return "jinja"
    if _CODE_TEMPLATE.search(text) is not None:
        return braces
    if doubled is None:
        return braces if _DOUBLED_NAME.search(text) is not None else None
    return "format" if single is None else _UNREADABLE
