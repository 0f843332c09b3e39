"""What a server that followed the edits says of a document, held against one that has just opened it.

Owns: what is observed, and the words of a difference. Must not know: edits, how a difference is made shorter.
"""

from __future__ import annotations

from typing import Any, Final

from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from lsp.driven import Driven

#: Requests about a document as a whole, whose answers are kept with its blocks in the form in which they are sent.
WHOLE: Final = [
    "textDocument/semanticTokens/full",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentLink",
]


def calls_of(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """Return everything that may be seen of a document's calls."""
    return [
        (
            placed.call.dialect,
            placed.span,
            placed.call.tool,
            placed.call.complete,
            repr(placed.binding.arguments),
            placed.raw_span(placed.call.body),
        )
        for placed in snapshot.placed_calls()
    ]


def found_in(snapshot: Snapshot, *, fixes: bool) -> list[tuple[Any, ...]]:
    """Return everything that may be seen of a document's diagnostics, with their fixes where these are asked for."""
    return [
        (
            *(each.code, each.span, each.severity, each.message, each.related),
            [(fix.title, fix.edits, fix.applicability) for fix in each.fixes] if fixes else [],
        )
        for each in diagnostics(snapshot)
    ]


def _first(what: str, one: Any, other: Any) -> str | None:
    """Return in words where two lists of observations part, None where they are equal."""
    if one == other:
        return None
    if not isinstance(one, list) or not isinstance(other, list):
        return f"{what}: {one!r} after the edits, {other!r} anew"
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return (
        f"{what} {at} of {len(one)} and {len(other)}: {one[at : at + 1]!r} after the edits, {other[at : at + 1]!r} anew"
    )


def _chain(snapshot: Snapshot) -> str | None:
    """Return in words what is wrong with the blocks: they tile the text, and each continues where one has ended."""
    size = sum(block.length for block in snapshot.blocks)
    if size != len(snapshot.document):
        return f"blocks have {size} characters of {len(snapshot.document)}"
    for number, (one, other) in enumerate(zip(snapshot.blocks, snapshot.blocks[1:], strict=False)):
        if one.after != other.state:
            return f"block {number} ends as {one.after}, the next begins as {other.state}"
    return None


def difference(edited: Driven, fresh: Driven, uri: str, text: str, *, deep: bool) -> str | None:
    """Return in words how a server that followed the edits differs from one that has just read `text`, None if not.

    `deep` compares fixes, lines and the answers to requests about the whole document, too.
    """
    followed, reload = edited.document(uri), fresh.document(uri)
    if followed.out_of_step is not None:
        return f"out of step: {followed.out_of_step}"
    if followed.text.text() != text:
        return _first("text", followed.text.text(), text)
    one, other = followed.snapshot, reload.snapshot
    if one is None or other is None:
        return _first("diagnosed", one is not None, other is not None)
    if one.document.text() != text:
        return _first("text of the snapshot", one.document.text(), text)
    stated = (
        _first("kind", (one.host.name, one.template, one.kind), (other.host.name, other.template, other.kind))
        or _chain(one)
        or _chain(other)
        or _first("call", calls_of(one), calls_of(other))
        or _first("finding", found_in(one, fixes=deep), found_in(other, fixes=deep))
        or _first("published", _published(edited, uri), _published(fresh, uri))
    )
    if stated is not None or not deep:
        return stated
    lines = [list(each.text.lines(0, each.text.line_count)) for each in (followed, reload)]
    stated = _first("line", *lines)
    for method in WHOLE:
        stated = stated or _first(method, *(_asked(driven, method, uri) for driven in (edited, fresh)))
    return stated


def _published(driven: Driven, uri: str) -> Any:
    return driven.published.get(uri, {}).get("diagnostics")


def _asked(driven: Driven, method: str, uri: str) -> Any:
    answer = driven.ask(method, {"textDocument": {"uri": uri}})
    assert answer.get("error", {}).get("code") != -32603, answer
    result = answer.get("result", answer.get("error"))
    return {**result, "resultId": ""} if isinstance(result, dict) else result
