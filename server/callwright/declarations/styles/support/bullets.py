"""Lists of parameters in prose: a bullet for each, below a label or inside an element.

Owns: `read_bullets`: which lines are bullets of one list, and the parameters that they describe. Must not know: any
single style. What a single line says is told by `declarations.documented_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Final

from callwright.declarations.documented_lines import Claim, may_be_parameter, read_line
from callwright.declarations.styles.support.built_tools import Parameter, text_part, type_parts
from callwright.declarations.styles.support.said_words import said_in_brackets, said_in_remark
from callwright.text.span import Span
from callwright.tools.parts import Part, sequence

#: Longer lists are none.
_LINES: Final = 400
_LEAD: Final = re.compile(r"[ \t>]*+")
#: Punctuation of Chinese and Japanese, which stands for what is known.
_FULL_WIDTH: Final = {
    ord("（"): "(",
    ord("）"): ")",
    ord("："): ":",
    ord("［"): "[",
    ord("］"): "]",
    ord("，"): ",",
    ord("、"): ",",
}
_AFTER_NAME: Final = re.compile(
    r"[*`'\"\]]{0,4}+[ \t]*+([:–—-]?)[*`]{0,3}+[ \t]*+([(\[][^()\[\]\n]{0,200}+[)\]])?[*`]{0,3}+[ \t]*+[:–—-]{0,2}+"
    r"[*`]{0,3}+[ \t]*+"
)


@dataclass(slots=True)
class Bullets:
    """The parameters of a list, and where it ends; `reach` is how far was read: the line there ends the list."""

    parameters: list[Parameter] = field(default_factory=list)
    end: int = 0
    reach: int = 0


def read_bullets(text: str, start: int, end: int, known: Container[str] = ()) -> Bullets:
    """Return the list that begins on the line at `start`, blank lines before it included; nothing from `end` on is
    read. After a blank line it goes on with what is plainly a parameter, as those in `known` are."""
    found = Bullets(end=start, reach=start)
    own: int | None = None
    blank = False
    at = start
    pending: tuple[Parameter, int, bool] | None = None
    for _ in range(_LINES):
        if at >= end:
            break
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        found.reach = min(stop + 1, len(text))
        lead = _LEAD.match(text, at, stop)
        assert lead is not None
        first = lead.end()
        if not text[first:stop].strip():
            blank = True
        else:
            line = text[at:stop].translate(_FULL_WIDTH)
            read = read_line(line, 0, first - at, stop - at)
            indent = first - at
            if read.kind != "entry":
                if own is None or blank or indent <= own:
                    break
            elif own is None or indent <= own:
                claim = read.claim
                if claim is not None and not may_be_parameter(claim) and claim.name not in known:
                    claim = None
                if blank and own is not None and (claim is None or not (claim.certain or claim.name in known)):
                    break
                if own is not None and indent < own:
                    break
                own = indent
                if pending is not None:
                    _finish(text, *pending, found.end)
                    pending = None
                if claim is not None:
                    parameter, rest = _parameter(text, line, claim, at, stop)
                    found.parameters.append(parameter)
                    pending = (parameter, rest, claim.required is None)
            blank = False
            found.end = stop
        at = stop + 1
    if pending is not None:
        _finish(text, *pending, found.end)
    return found


def read_inline(text: str, start: int, end: int) -> Bullets:
    """Return the parameters that stand after their label on its own line: `Parameters: path, mode (optional)`."""
    lead = _LEAD.match(text, start, end)
    assert lead is not None
    line = text[start:end].translate(_FULL_WIDTH)
    label = read_line(line, 0, lead.end() - start, end - start).label
    found = Bullets(end=end)
    for claim in label.claims if label is not None else ():
        parameter, _ = _parameter(text, line, claim, start, end)
        if claim.required is None and label is not None and label.required:
            parameter.required = parameter.span
        found.parameters.append(parameter)
    return found


def _parameter(text: str, line: str, claim: Claim, at: int, stop: int) -> tuple[Parameter, int]:
    """Return the parameter of a bullet, and where its description begins."""
    span = claim.span.shift(at)
    parameter = Parameter(claim.name, span)
    if claim.required:
        parameter.required = claim.required_span.shift(at) if claim.required_span is not None else span
    if claim.types is not None and claim.type_span is not None and len(claim.types) == 1:
        where = claim.type_span.shift(at)
        parameter.schema.update(type_parts(text, where) or {"type": Part(next(iter(claim.types)), where)})
    elif claim.types is not None:
        names = sorted(claim.types)
        parts = [Part(name, span) for name in names]
        parameter.schema["type"] = parts[0] if len(parts) == 1 else sequence(span, parts)
    after = _AFTER_NAME.match(line, claim.span.end)
    assert after is not None
    if after[2] is not None and claim.required is None:
        said = said_in_brackets(text, Span(at + after.start(2) + 1, at + after.end(2) - 1))
        if said is not None and said[0]:
            parameter.required = said[1]
    return parameter, min(at + after.end(), stop)


def _finish(text: str, parameter: Parameter, start: int, left_open: bool, end: int) -> None:
    """Add the description, which may go on over further lines; where it is `left_open`, it may say `Required.`."""
    if not text[start:end].strip():
        return
    description = text_part(text, Span(start, end))
    parameter.schema["description"] = description
    if left_open and parameter.required is None:
        said = said_in_remark(text, description.span)
        if said is not None and said[0]:
            parameter.required = said[1]
