"""Problems with the markers of a call: missing, truncated, with another name, unmatched, ambiguous.

Owns: these problems with their repairs, for the rules, and text beside parameters. Must not know: where markers are in
a dialect, how a rule words a problem.

Where a marker is a plain tag, a problem says the tag's name; else the marker as it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert

if TYPE_CHECKING:
    from callwright.syntax.prose import Fence


def unclosed(
    opening: Span,
    marker: str,
    at: int,
    repair: Sequence[Edit] | None = None,
    *,
    cut: bool = False,
    certain: bool = True,
    **more: Any,
) -> Problem:
    """Return the problem of a marker that is missing at `at`; `cut` says that the text ends there.

    The repair inserts the marker, unless another is given. `more` is further data for the rule.
    """
    data = {"marker": marker, "insert_at": at, "by_truncation": cut, **more}
    return Problem("unclosed-tag", opening, data, _repair(repair, insert(at, marker)), certain)


def unclosed_tag(
    opening: Span, name: str, at: int, repair: Sequence[Edit] | None = None, *, cut: bool, certain: bool = True
) -> Problem:
    """Return the problem of the closing tag of `name` that is missing at `at`; `cut` says that the text ends there."""
    data = {"name": name, "names": (name,), "insert_at": at, "by_truncation": cut}
    return Problem("unclosed-tag", opening, data, _repair(repair, insert(at, f"</{name}>")), certain)


def unclosed_fence(fence: Fence, at: int) -> Problem:
    """Return the problem of a fence whose closing line is missing at `at`."""
    opening = Span(fence.marker, fence.marker + fence.length)
    return Problem("unclosed-fence", opening, {"insert_at": at, "marker": fence.char * fence.length})


def half_written(span: Span, written: str, repair: Edit | None, *, cut: bool = True, certain: bool = True) -> Problem:
    """Return the problem of a marker of which only a part is written; `cut` says that the text ends in it."""
    return Problem(
        "truncated-tag", span, {"text": written, "by_truncation": cut}, () if repair is None else (repair,), certain
    )


def half_marker(text: str, at: int, marker: str, more: str = "", *, certain: bool = True) -> Problem | None:
    """Return the problem of a closing marker inside which the text ends, None if it does not.

    `more` is the text that has to follow the whole marker.
    """
    half = text[at : at + len(marker)]
    if not half or at + len(half) < len(text) or half == marker or not marker.startswith(half):
        return None
    span = Span(at, at + len(half))
    return half_written(span, half, insert(span.end, marker[len(half) :] + more), certain=certain)


def mismatched(found: Span, marker: str, opening: Span, swallows: Sequence[str] = ()) -> Problem:
    """Return the problem of a marker instead of another one; `swallows` are the parameters that follow it."""
    data: dict[str, Any] = {"open": opening, "marker": marker}
    if swallows:
        data |= {"expected": marker.strip("</>"), "swallows": tuple(swallows)}
    return Problem("mismatched-tag", found, data, (Edit(found, marker),), certain=True)


def mismatched_tag(found: Span, name: str, opening: Span, named: Span | None = None) -> Problem:
    """Return the problem of a closing tag of another name than `name`; `named` is where that name is in it.

    Without it, the whole tag is replaced.
    """
    repair = Edit(named, name) if named is not None else Edit(found, f"</{name}>")
    return Problem("mismatched-tag", found, {"expected": name, "open": opening}, (repair,), certain=True)


def unmatched(span: Span, marker: str, name: str = "", *, certain: bool = True) -> Problem:
    """Return the problem of a closing marker that closes nothing; `name` is that of its tag."""
    data = {"name": name or marker, "marker": marker}
    return Problem("unmatched-closing-tag", span, data, (delete(*span),), certain)


def differ(span: Span, reading: str, others: str, repair: Sequence[Edit] = (), *, certain: bool = True) -> Problem:
    """Return the problem of a text that other parsers read differently."""
    return Problem("engines-differ", span, {"reading": reading, "others": others}, tuple(repair), certain)


def text_between(text: str, start: int, end: int, name: str) -> Problem | None:
    """Return the problem of the text between two places, where only parameters of `name` belong.

    None if there is no text, or if it says that more may be there.
    """
    written = text[start:end]
    stated = written.strip()
    if not stated or stated in ("...", "…") or not stated.strip(HOLE):
        return None
    begin = start + len(written) - len(written.lstrip())
    span = Span(begin, begin + len(stated))
    return Problem("text-between-parameters", span, {"name": name, "text": stated}, (delete(*span),))


def _repair(given: Sequence[Edit] | None, usual: Edit) -> tuple[Edit, ...]:
    return (usual,) if given is None else tuple(given)
