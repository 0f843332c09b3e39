"""Cases of dialects: what they must hold, and the tree of calls that they show.

Owns: the form of a `tree`, the diagnostics that are marked in the source itself, the files that every dialect must
have. Must not know: any single dialect.

A case lies in the folder of its dialect. Its diagnostics are marked by annotation lines in the `source` fence itself,
or in a `diagnostics` fence where there is one; each must be marked. Its calls must all be of the folder's dialect, and
there must be one, unless the fence says `reads=NAME,NAME` or `reads=none`; in `not-calls.md` there must be no call of
that dialect at all. `tools=values` gives the tools in `tools.json` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from callwright.document.blocks import PlacedCall
from callwright.lint.linter import diagnostics
from callwright.text.span import Span
from support.cases import Case, Fence, Producer, annotate, annotated, diagnostics_of
from support.engine import PRODUCERS as ENGINE
from support.engine import case_snapshot

FOLDER = Path(__file__).parent
TOOLS = FOLDER / "tools.json"
NOT_CALLS = "not-calls"
#: The files that each dialect has; the cases in them show their trees.
KINDS = ("calls", "traps", "truncation", NOT_CALLS)


def prepared(case: Case) -> Case:
    """Return the case as it is run: with the tools that it names, and its marked source as an expected output."""
    given = dict(case.given)
    if case.info.get("tools") == "values":
        body = TOOLS.read_text(encoding="utf-8")
        given["tools"] = Fence("tools", "", {}, body, 0, 0)
    fence = case.source_fence
    if any(each.name == "diagnostics" for each in case.expected):
        return replace(case, given=given)
    plain = replace(fence, body=annotated(fence.body).source)
    marked = replace(fence, name="diagnostics")
    return replace(case, given=given, source_fence=plain, expected=[marked, *case.expected])


def expected_dialects(case: Case) -> frozenset[str] | None:
    """Return the dialects whose calls must be in a case, None where any may be but the folder's."""
    words = case.info.get("reads")
    if words is not None:
        return frozenset() if words == "none" else frozenset(words.split(","))
    return None if case.file.stem == NOT_CALLS else frozenset({case.file.parent.name})


def found_dialects(case: Case) -> frozenset[str]:
    """Return the dialects whose calls are read in a prepared case."""
    return frozenset(placed.call.dialect for placed in case_snapshot(case).placed_calls())


def _diagnostics(case: Case, fence: Fence) -> str:
    found = diagnostics_of(diagnostics(case_snapshot(case)))
    # A hole is as long as the expression that it means, which is what the file shows.
    shown = case.source_fence.body if "holes" in case.info else case.source
    return annotate(shown, found)


def _tree(case: Case, fence: Fence) -> str:
    """Return each call with its dialect and span, and each value below it with its own."""
    snapshot = case_snapshot(case)
    places = Places(case.source)
    return "\n".join(line for placed in snapshot.placed_calls() for line in call_lines(placed, places)) or "no call"


class Places:
    """Offsets of a text as `line:column`, both counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for at, char in enumerate(text):
            if char == "\n" or (char == "\r" and not text.startswith("\n", at + 1)):
                self._starts.append(at + 1)

    def span(self, span: Span) -> str:
        """Return a span as `line:column-line:column`; the end is the place after its last character."""
        return f"{self._place(span.start)}-{self._place(span.end)}"

    def _place(self, offset: int) -> str:
        line = max(index for index, start in enumerate(self._starts) if start <= offset)
        return f"{line + 1}:{offset - self._starts[line] + 1}"


def call_lines(placed: PlacedCall, places: Places) -> Iterator[str]:
    """Yield the lines that show one call."""
    call, binding = placed.call, placed.binding
    words = [call.tool if call.tool is not None else "?", f"({call.dialect})", places.span(placed.span)]
    if call.frame is not None and call.frame != call.span:
        words.append(f"in {places.span(placed.raw_span(call.frame))}")
    if call.call_id is not None:
        words.append(f"id={call.call_id}")
    words += ["counted"] * bool(call.details.get("counted")) + ["sketch"] * call.sketch
    words += ["cut off"] * (not call.complete)
    yield " ".join(words)
    if isinstance(binding.value, dict):
        for name, value in binding.arguments.items():
            yield from _value_lines(placed, places, (name,), value)
    elif call.arguments is not None:
        span = places.span(placed.raw_span(call.arguments.span))
        yield f"  arguments {span} = {json.dumps(binding.value, ensure_ascii=False)}"


def _value_lines(placed: PlacedCall, places: Places, path: tuple[str | int, ...], value: Any) -> Iterator[str]:
    lead = "  " * len(path) + (str(path[-1]) or '""')
    own = _own_span(placed, path)
    if own is not None:
        lead += f" {places.span(placed.raw_span(own))}"
    entries = [*value.items()] if isinstance(value, dict) else [*enumerate(value)] if isinstance(value, list) else []
    if entries and any(_own_span(placed, (*path, key)) is not None for key, _ in entries):
        yield lead
        for key, entry in entries:
            yield from _value_lines(placed, places, (*path, key), entry)
    else:
        yield f"{lead} = {json.dumps(value, ensure_ascii=False)}"


def _own_span(placed: PlacedCall, path: tuple[str | int, ...]) -> Span | None:
    """Return where the value at `path` itself is; None where only a value around it has a place."""
    binding = placed.binding
    node = binding.node_at(path)
    if node is not None:
        return node.span
    place = binding.coerced.places.get(path)
    return place.span if place is not None else None


PRODUCERS: dict[str, Producer] = {**ENGINE, "diagnostics": _diagnostics, "tree": _tree}
