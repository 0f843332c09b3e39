"""Completion: names of tools and parameters, values and closing tags, as the dialect wants them written.

Owns: `textDocument/completion`. Must not know: what is written at a place (`support/completing/` does), positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.completing.items import Completion

#: The places that a character can have begun; typed anywhere else it requests no completion.
_IN_CALL: Final = frozenset({"TOOL_NAME", "KEY", "FRAME_KEY", "VALUE", "ARGUMENT", "CALL"})
_BEGUN: Final = {
    "<": frozenset({"CALL_TAG", "FRAME_TAG", "CHILD_TAG", "ARGUMENT", "CALL", "END"}),
    "/": frozenset({"CLOSING_TAG", "END"}),
    '"': frozenset({"KEY", "FRAME_KEY", "VALUE", "TOOL_NAME"}),
    "'": frozenset({"KEY", "VALUE", "TOOL_NAME"}),
    ">": frozenset({"TEXT", "TOOL_NAME", "KEY", "VALUE", "ARGUMENT", "CALL"}),
    ":": frozenset({"VALUE", "TOOL_NAME"}),
    "=": frozenset({"VALUE", "TOOL_NAME", "KEY"}),
    "|": _IN_CALL,
    "(": _IN_CALL,
    "[": _IN_CALL,
    "{": _IN_CALL,
    ",": frozenset({"KEY", "FRAME_KEY", "ARGUMENT"}),
}
_KINDS: Final = {
    "tool": 3, "parameter": 10, "value": 12, "enum": 20, "tag": 14, "snippet": 15, "key": 10, "table": 9, "rule": 21,
    "file": 17, "folder": 19,
}  # fmt: skip
_PLAIN, _SNIPPET = 1, 2
_ADJUST_INDENTATION = 2
_DEPRECATED = 1
#: What begins nothing in a configuration, though it does in a call.
_NOT_IN_TOML: Final = ("<", ">", ":", "|", "(", "{")


def _of_text(snapshot: Snapshot, request: Request) -> list[Completion]:
    """Return what can be written at the place asked about, the likeliest first."""
    from callwright.features.support.comments import comment_offers
    from callwright.features.support.completing.items import offered
    from callwright.features.support.listed import listed_offers

    # A comment that is ours, and a list of tools in front matter, are places of their own.
    found = comment_offers(snapshot, request.span.start)
    if found is None:
        found = listed_offers(snapshot, request.span.start)
    return _of_calls(snapshot, request) if found is None else offered(snapshot, request.client, found)


def _of_calls(snapshot: Snapshot, request: Request) -> list[Completion]:
    """Return what can be written in a call, or where one may begin."""
    from callwright.cursor.cursor import Role, place_at, place_at_spot, spot_at
    from callwright.cursor.framed import framed_spot
    from callwright.features.support.completing.drafts import drafts
    from callwright.features.support.completing.items import LIMIT, finish
    from callwright.features.support.completing.site import Site

    framed = framed_spot(snapshot, request.span.start)
    spot = framed.spot if framed is not None else spot_at(snapshot, request.span.start)
    if spot is None:
        return []
    place = place_at_spot(snapshot, spot) if framed is None else place_at(spot.text, spot.offset, framed.registry)
    if framed is not None and place.role not in (Role.KEY, Role.VALUE, Role.CALL_TAG):
        return []
    typed = _typed(request)
    if typed in _BEGUN and place.role.name not in _BEGUN[typed]:
        return []
    site = Site(snapshot, spot, place, request.client, framed)
    found = [finish(site, draft) for draft in drafts(site)]
    return [completion for completion in found if completion is not None][:LIMIT]


def _of_configuration(snapshot: Snapshot, request: Request) -> list[Completion]:
    """Return what can be written in a configuration file."""
    from callwright.features.support.completing.items import offered
    from callwright.features.support.configuration import offers

    if _typed(request) in _NOT_IN_TOML:
        return []
    return offered(snapshot, request.client, offers(snapshot, request.span.start))


def _typed(request: Request) -> str | None:
    """Return the character that a client asks after, where it asks because of one."""
    context = getattr(request.params, "context", None)
    typed: str | None = getattr(context, "trigger_character", None)
    return typed


def to_lsp(result: Sequence[Completion], edge: Edge) -> dict[str, Any]:
    """Return the completions as a list that is complete: typing on only narrows it."""
    return {"isIncomplete": False, "items": [_item(at, completion, edge) for at, completion in enumerate(result)]}


def _item(at: int, completion: Completion, edge: Edge) -> dict[str, Any]:
    from callwright.features.support.markdown import markup_content, plain

    item: dict[str, Any] = {
        "label": completion.label,
        "kind": _KINDS[completion.kind],
        "sortText": f"{at:05}",
        "filterText": completion.filter,
        "insertTextFormat": _SNIPPET if completion.snippet else _PLAIN,
        "textEdit": edge.to_lsp_edit(completion.edit),
    }
    if "\n" in completion.edit.text and _ADJUST_INDENTATION in edge.client.insert_text_modes:
        item["insertTextMode"] = _ADJUST_INDENTATION
    if completion.detail:
        if edge.client.label_details:
            item["labelDetails"] = {"description": completion.detail}
        else:
            item["detail"] = completion.detail
    data, documentation = _described(completion, edge)
    if data is not None:
        item["data"] = data
    if completion.commit and edge.client.promises("textDocument.completion.completionItem.commitCharactersSupport"):
        item["commitCharacters"] = list(completion.commit)
    if documentation:
        formats = edge.client.documentation_formats
        # A client that names no format is given what every version of the protocol knows: a string.
        item["documentation"] = markup_content(documentation, formats) if formats else plain(documentation)
    if completion.deprecated and _DEPRECATED in edge.client.completion_tags:
        item["tags"] = [_DEPRECATED]
    if completion.further:
        item["additionalTextEdits"] = [edge.to_lsp_edit(edit) for edit in completion.further]
    return item


def _described(completion: Completion, edge: Edge) -> tuple[dict[str, Any] | None, str]:
    """Return what a completion is asked for by when it is to be described, or at once its description."""
    if completion.about is None or completion.documentation:
        return None, completion.documentation
    tool, path = completion.about
    wanted = edge.client.words("textDocument.completion.completionItem.resolveSupport.properties")
    data = {"uri": edge.uri, "tool": tool, "path": list(path), "required": completion.required}
    return (data, "") if "documentation" in wanted else (None, "")


handle = by_kind(calls=_of_text, tools=_of_text, configuration=_of_configuration)

FEATURE: Final = Feature(
    method="textDocument/completion",
    capability="completionProvider",
    options={
        "triggerCharacters": ["<", "/", '"', "'", ">", ":", "=", "|", "(", "[", "{", ","],
        "resolveProvider": True,
        "completionItem": {"labelDetailsSupport": True},
    },
    handle=handle,
    to_lsp=to_lsp,
    at_once=True,
)
