"""What rules of chat templates share: which probes a diagnostic is about, and where in the template it is.

Owns: `by_place`, `probes_named`, `failed_at`, `first_line`, `argument_expressions`. Must not know: any single rule, how templates
are rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.chat_templates.proof import Proof, Tried
from callwright.text.span import Span

#: How many probes a message names.
_MAX_NAMED: Final = 3
#: An expression for the arguments of a call.
_ARGUMENTS: Final = re.compile(r"[A-Za-z_][\w.]*?(?:\.arguments|\[['\"]arguments['\"]\])")


def by_place(tried: Iterable[tuple[Tried, Span]]) -> Iterator[tuple[Span, list[Tried]]]:
    """Yield each place in the template once, with all the probes that lead to it, in the order of the template."""
    places: dict[Span, list[Tried]] = {}
    for each, span in tried:
        places.setdefault(span, []).append(each)
    yield from sorted(places.items())


def probes_named(tried: Iterable[Tried]) -> str:
    """Return the names of the probes in words; of many, the first ones and how many more there are."""
    names = list(dict.fromkeys(f"`{each.probe.name}`" for each in tried))
    more = len(names) - _MAX_NAMED
    named = ", ".join(names[:_MAX_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def failed_at(proof: Proof, tried: Tried) -> Span:
    """Return where the template failed in a probe; its first line where that is not known."""
    failed = tried.failed
    return failed.span if failed is not None and failed.span is not None else first_line(proof)


def first_line(proof: Proof) -> Span:
    """Return the first line of the template: the place of what is about the whole."""
    return Span(0, len(proof.source.partition("\n")[0]))


def argument_expressions(source: str, span: Span) -> list[Span]:
    """Return the expressions for a call's arguments in a part of the template, such as `tool_call.arguments`."""
    return [Span(*found.span()) for found in _ARGUMENTS.finditer(source, span.start, span.end)]
