"""Strings in the source of a program, as the scanners of the languages return them.

Owns: `SourceString`. Must not know: any language, calls, projections.
"""

from dataclasses import dataclass, field

from callwright.text.span import Span


@dataclass(slots=True)
class SourceString:
    """One string literal: `[start, end)` is what is between its quotes, `[begin, stop)` with prefix and quotes.

    `fields` are the expressions in it, with their braces, as offsets of the source. `held` is False if the literal has
    no text that can be read: bytes, or a literal whose expressions cannot be delimited. `group` is the same for
    literals that follow each other and are one string. `within` is the innermost bracket that is open around it; of an
    expression in another literal it is `field` or `${`.
    """

    begin: int
    start: int
    end: int
    stop: int
    quote: str
    is_raw: bool = False
    formatted: bool = False
    held: bool = True
    group: int = 0
    within: str = ""
    fields: list[Span] = field(default_factory=list)
