"""Completion: names of tools and parameters, values and closing tags, as the dialect wants them written.

Owns: `textDocument/completion`. Must not know: how a dialect writes a call (it is asked), positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Feature
from callwright.features.support.call_drafts import Draft, Writer, call_slots, documented, kind_of, opener_drafts
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.cursor.cursor import Place, Schemas, Spot
    from callwright.cursor.framed import FramedSpot
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Client, Edge, Request
    from callwright.features.support.configuration import Offer
    from callwright.features.support.known_values import KnownValue
    from callwright.features.support.snippets import Slots
    from callwright.tools.model import ToolSchema


#: What a character can have begun, of the places that are told apart; anywhere else it asks for nothing.
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
#: The dialect of a call where nothing says another.
_DEFAULT_DIALECT: Final = "xml-children"
#: What begins nothing in a configuration, though it does in a call.
_NOT_IN_TOML: Final = ("<", ">", ":", "|", "(", "{")
#: No call begins with a longer text than this on one line.
_LONGEST_OPENER: Final = 200
#: How many items are offered at most; nobody reads more, and what is typed filters them.
_LIMIT: Final = 2_000
#: What behind a tag's name is an attribute.
_ATTRIBUTE: Final = re.compile(r"[ \t]++[\w.:\-]++[ \t]*+=")
#: What may stand directly behind a call in prose; anything else behind a tag's name belongs to the tag.
_BEHIND_CALLS: Final = frozenset("<,.;!?)")


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can be written: what is shown, what is inserted where, and what it is found by.

    `edit` and `further` are in offsets of the document; `edit.text` is a snippet where `snippet` says so. `filter` is
    what a client compares with the text that the edit replaces; `commit` are the characters that take it and are
    written behind it. `about` are a tool and the path of a parameter in it, which are described when somebody asks;
    `documentation` is what is known without asking.
    """

    label: str
    kind: str
    edit: Edit
    filter: str
    snippet: bool = False
    detail: str = ""
    documentation: str = ""
    deprecated: bool = False
    further: tuple[Edit, ...] = ()
    commit: str = ""
    about: tuple[str, tuple[str | int, ...]] | None = None
    required: bool = False


def handle(snapshot: Snapshot, request: Request) -> list[Completion]:
    """Return what can be written at the place asked about, the likeliest first."""
    if snapshot.host.holds == "configuration":
        return _in_configuration(snapshot, request)
    written = _in_comment(snapshot, request)
    if written is None:
        written = _in_list(snapshot, request)
    if written is not None:
        return written
    from callwright.cursor.cursor import Role, place_at, place_at_spot, spot_at
    from callwright.cursor.framed import framed_spot

    framed = framed_spot(snapshot, request.span.start)
    spot = framed.spot if framed is not None else spot_at(snapshot, request.span.start)
    if spot is None:
        return []
    place = place_at_spot(snapshot, spot) if framed is None else place_at(spot.text, spot.offset, framed.registry)
    if framed is not None and place.role not in (Role.KEY, Role.VALUE, Role.CALL_TAG):
        return []
    context = getattr(request.params, "context", None)
    typed = getattr(context, "trigger_character", None)
    if typed in _BEGUN and place.role.name not in _BEGUN[typed]:
        return []
    completer = _Completer(snapshot, spot, place, request.client, framed)
    found = [completer.finish(draft) for draft in completer.drafts()]
    return [completion for completion in found if completion is not None][:_LIMIT]


def _in_configuration(snapshot: Snapshot, request: Request) -> list[Completion]:
    """Return what can be written in a configuration file."""
    from callwright.features.support.configuration import offers

    typed = getattr(getattr(request.params, "context", None), "trigger_character", None)
    if typed in _NOT_IN_TOML:
        return []
    return _offered(snapshot, request, offers(snapshot, request.span.start))


def _in_comment(snapshot: Snapshot, request: Request) -> list[Completion] | None:
    """Return what can be written in a comment that is ours, None where the place lies in none."""
    from callwright.features.support.comments import comment_offers

    found = comment_offers(snapshot, request.span.start)
    return None if found is None else _offered(snapshot, request, found)


def _in_list(snapshot: Snapshot, request: Request) -> list[Completion] | None:
    """Return the tools that a list of front matter can name, None where the place lies in none."""
    from callwright.features.support.listed import listed_offers

    found = listed_offers(snapshot, request.span.start)
    return None if found is None else _offered(snapshot, request, found)


def _offered(snapshot: Snapshot, request: Request, offers: Iterable[Offer]) -> list[Completion]:
    """Return offers as completions."""
    from callwright.features.support.configuration import CURSOR
    from callwright.features.support.snippets import escape

    found: list[Completion] = []
    for offer in offers:
        text = offer.text
        snippet = request.client.snippets and CURSOR in text
        text = escape(text).replace(CURSOR, "$0") if snippet else text.replace(CURSOR, "")
        # What a client compares with the filter is all that is replaced, quotes included.
        replaced = snapshot.document.slice(offer.span.start, offer.span.end)
        quote = replaced[:1] if replaced[:1] in ("'", '"') else ""
        found.append(
            Completion(
                label=offer.label,
                kind=offer.kind,
                edit=Edit(offer.span, text),
                filter=f"{quote}{offer.label}{quote}",
                snippet=snippet,
                documentation=offer.about,
            )
        )
    return found[:_LIMIT]


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


class _Completer:
    """What can be written at one place."""

    def __init__(
        self, snapshot: Snapshot, spot: Spot, place: Place, client: Client, framed: FramedSpot | None = None
    ) -> None:
        from callwright.cursor.cursor import Schemas

        self.snapshot = snapshot
        self.registry = framed.registry if framed is not None else snapshot.offered
        self.relation = framed.relation if framed is not None else "argument of"
        self.framed = framed is not None
        # A client that asks again is told then; one that asks about a frame could not be told what it was about.
        lazy = client.words("textDocument.completion.completionItem.resolveSupport.properties")
        self.eager = self.framed or "documentation" not in lazy
        self.spot = spot
        self.place = place
        self.client = client
        self.schemas: Schemas = Schemas(self.registry)

    def drafts(self) -> Iterator[Draft]:
        """Yield what can be written, the likeliest first."""
        from callwright.cursor.cursor import Role

        writers = {
            Role.CALL_TAG: self._call_tags,
            Role.FRAME_TAG: self._frame_tags,
            Role.CHILD_TAG: self._child_tags,
            Role.CLOSING_TAG: self._closing_tags,
            Role.BODY: self._body,
            Role.TEXT: self._text,
            Role.TOOL_NAME: self._tool_names,
            Role.KEY: self._keys,
            Role.FRAME_KEY: self._frame_keys,
            Role.VALUE: self._values,
            Role.PROSE: self._prose,
        }
        if self.framed:
            # The name of a tool stands alone here: what a tag would bring along is there already.
            writers[Role.CALL_TAG] = self._bare_names
        if self.place.writing is not None:
            writers |= {
                Role.CALL: self._written_names,
                Role.ARGUMENT: self._written_arguments,
                Role.END: self._links,
            }
            if not self.place.json_text:
                writers |= {
                    Role.TOOL_NAME: self._written_names,
                    Role.KEY: self._written_arguments,
                    Role.VALUE: self._written_values,
                }
        writer = writers.get(self.place.role)
        if writer is not None:
            yield from writer()
        if self.place.writing is not None:
            arguments_to_come = self.place.role is Role.VALUE and not self.place.path
            linked = self.place.role is Role.END and next(self._links(), None) is not None
            if self.place.role is not Role.TOOL_NAME and not arguments_to_come and not linked:
                yield from self._writer().ends()
        elif self.place.role in (Role.CALL_TAG, Role.PROSE) and not self.place.in_code and not self.framed:
            yield from self._openers()

    # Calls of any dialect

    def _writer(self) -> Writer:
        return Writer(
            self.place,
            self.registry,
            tools=self._tools,
            members=self._members,
            listed=self._listed,
            cursor=self.spot.offset,
        )

    def _written_names(self) -> Iterator[Draft]:
        for draft, tool in self._writer().names():
            yield self._about(draft, tool)

    def _written_arguments(self) -> Iterator[Draft]:
        for draft, schemas, required in self._writer().arguments():
            yield self._argument(draft, schemas, required=required)

    def _written_values(self) -> Iterator[Draft]:
        if not self.place.path:
            yield from self._writer().all_arguments()
            return
        yield from self._writer().values()

    def _links(self) -> Iterator[Draft]:
        from callwright.features.support.markdown import type_words

        front = self.spot.text[max(0, self.spot.offset - _LONGEST_OPENER) : self.spot.offset]
        for draft, schemas, _ in self._writer().links(front):
            yield replace(draft, detail=type_words(schemas[0][0], schemas[0][1].input_schema) if schemas else "")

    def _openers(self) -> Iterator[Draft]:
        """Yield whole calls in other dialects than that of the tag which may have been begun."""
        from callwright.syntax.prose import line_start

        text, cursor = self.spot.text, self.spot.offset
        before = text[line_start(text, cursor) : cursor]
        if before.strip() and len(before) < _LONGEST_OPENER:
            settings = self.snapshot.settings
            stated = None if settings.dialect is None else (settings.dialect, *settings.accept, *settings.taken)
            own = settings.dialect or self._dialect_here
            yield from opener_drafts(before, cursor, own, self._tools(), stated)

    def finish(self, draft: Draft) -> Completion | None:
        """Return a draft as a completion of the document; None where its passage cannot hold it."""
        projection = self.spot.projection
        place = self.place
        span = draft.span or place.span
        # Lines are written with the margin that they have in the passage; its notation adds what it needs.
        margin = place.writing.margin if place.writing is not None else self._margin_in_passage(span.start)
        edit = projection.encode(Edit(span, draft.text.replace("\n", "\n" + margin)))
        further = [projection.encode(one) for one in draft.further]
        if edit is None or None in further:
            return None
        document = self.snapshot.document
        if document.line_at(edit.span.start) != document.line_at(edit.span.end):
            # The protocol takes no completion that replaces more than one line.
            return None
        snippets = self.client.snippets and draft.slots is not None
        text = edit.text
        if draft.slots is not None:
            text = draft.slots.fill(text, snippets=snippets, final=draft.final)
        if snippets and "\n" in text:
            # Whoever expands snippets indents their lines as the first; what is inserted plainly is inserted as it is.
            first, *lines = text.split("\n")
            own = self._margin(edit.span.start)
            text = "\n".join([first, *(line.removeprefix(own) for line in lines)])
        # What a client compares with the filter begins where the edit begins: with the quote of a JSON string.
        lead = span.start + (self.spot.text[span.start : span.start + 1] in ('"', "'") and span.end > span.start)
        before = self.snapshot.document.slice(edit.span.start, projection.raw_span(Span(lead, lead)).start)
        return Completion(
            label=draft.label,
            kind=draft.kind,
            edit=Edit(edit.span, text),
            filter=before + (draft.filter or draft.label),
            snippet=snippets,
            detail=draft.detail,
            documentation=documented(draft, self.registry, self.relation) if self.eager else "",
            deprecated=draft.deprecated,
            further=tuple(one for one in further if one is not None),
            commit="" if snippets else draft.commit,
            about=draft.about,
            required=draft.required,
        )

    def _margin_in_passage(self, offset: int) -> str:
        """Return the white space that the line of a passage's offset begins with."""
        from callwright.syntax.prose import line_start

        line = self.spot.text[line_start(self.spot.text, offset) : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _margin(self, offset: int) -> str:
        """Return the white space that the line of a document's offset begins with."""
        document = self.snapshot.document
        start = document.line_start(document.line_at(offset))
        line = document.slice(start, offset)
        return line[: len(line) - len(line.lstrip(" \t"))]

    # Tools

    def _tools(self) -> list[ToolSchema]:
        """Return the tool that each name means, those that are not deprecated first."""
        found = [self.registry.get(name)[0] for name in self.registry.names]
        return sorted(found, key=lambda tool: tool.deprecated is not None)

    def _about(self, draft: Draft, tool: ToolSchema) -> Draft:
        """Return a draft with what a person is told of a tool."""
        return replace(
            draft,
            detail=tool.title or tool.origin.tool_set,
            about=(tool.name, ()),
            deprecated=tool.deprecated is not None,
        )

    def _dialect(self, tool: ToolSchema) -> str:
        """Return the dialect that a new call should be written in."""
        from callwright.dialects.catalogue import find_dialect

        for name in (self.snapshot.settings.dialect, self._dialect_here, tool.dialect):
            if name is not None and find_dialect(name) is not None:
                return name
        return _DEFAULT_DIALECT

    @cached_property
    def _dialect_here(self) -> str | None:
        """The dialect of the last call before the cursor, as far as the reader's blocks around it tell."""
        from callwright.cursor.cursor import dialect_near

        return dialect_near(self.snapshot, self.spot.projection.to_raw(self.place.span.start))

    def _call(self, tool: ToolSchema, dialect_name: str, *, fenced: bool = True) -> tuple[str, Slots] | None:
        """Return a new call of a tool as text with slots, None where its dialect cannot write it."""
        from callwright.calls.protocol import Refusal, RenderStyle
        from callwright.dialects.catalogue import find_dialect
        from callwright.features.support.snippets import Slots, arguments_of

        dialect = find_dialect(dialect_name)
        if dialect is None:
            return None
        slots = Slots()
        own = call_slots(dialect_name, tool, slots)
        if own is not None:
            return own, slots
        slots = Slots()
        style = RenderStyle(fenced=fenced)
        text = dialect.render(tool.name, arguments_of(tool, slots, markup=not dialect.typed), tool, style)
        if isinstance(text, Refusal):
            return None
        return text, slots

    def _call_tags(self) -> Iterator[Draft]:
        """Yield the tools as calls, behind a `<`."""
        place = self.place
        for tool in self._tools():
            if place.in_code:
                closed = self.spot.text[place.span.end : place.span.end + 1] == ">"
                opened = self.spot.text[place.span.start - 1 : place.span.start] == "<"
                text = f"{tool.name}>" if opened and not closed else tool.name
                yield self._about(Draft(tool.name, "tool", text), tool)
                continue
            dialect = self._dialect(tool)
            written = self._call(tool, dialect)
            if written is None:
                continue
            text, slots = written
            further: tuple[Edit, ...] = ()
            if text.startswith("<"):
                text = text[1:]
            else:
                if not self._alone(place.span.start - 1):
                    continue
                further = (Edit(Span(place.span.start - 1, place.span.start), ""),)
            frames_itself = not text.startswith(tool.name)
            span, whole = self._tag_span(tool.name, frames_itself=frames_itself)
            draft = Draft(tool.name, "tool", text, slots, span, further=further)
            if not whole:
                draft = Draft(tool.name, "tool", tool.name, span=span)
            yield self._about(draft, tool)
        yield from self._closers()

    def _tag_span(self, name: str, *, frames_itself: bool = False) -> tuple[Span, bool]:
        """Return what an element replaces that is written at a tag's name, and whether it is written with its content.

        Around a name whose element has its content already, only the name is replaced. A `>` that the editor put behind
        the cursor, and the closing tag of an empty element, are taken along.
        """
        text, span = self.spot.text, self.place.span
        del name
        at = span.end
        if text[at : at + 1] != ">":
            rest = text[at : at + 1]
            if _ATTRIBUTE.match(text, at) is not None:
                return span, frames_itself
            return span, not rest or rest.isspace() or rest in _BEHIND_CALLS or frames_itself
        closer = f"</{text[span.start : span.end]}>"
        if text.startswith(closer, at + 1):
            return Span(span.start, at + 1 + len(closer)), True
        has_content = bool(span.end > span.start) and text.find(closer, at, at + 20_000) >= 0
        return (span, False) if has_content else (Span(span.start, at + 1), True)

    def _alone(self, at: int) -> bool:
        """Tell whether nothing but space stands before `at` on its line."""
        from callwright.syntax.prose import line_start

        return not self.spot.text[line_start(self.spot.text, at) : at].strip()

    def _prose(self) -> Iterator[Draft]:
        """Yield whole calls where a line holds nothing but, perhaps, the beginning of a tool's name."""
        from callwright.syntax.prose import line_end

        place, text = self.place, self.spot.text
        if not self._alone(place.span.start):
            return
        if text[place.span.end : line_end(text, place.span.end)].strip():
            return
        in_json_fence = place.fence in ("json", "jsonc", "json5")
        for tool in self._tools():
            dialect = "fenced-json" if in_json_fence else self._dialect(tool)
            written = self._call(tool, dialect, fenced=not in_json_fence and place.fence is None)
            if written is not None:
                yield self._about(Draft(tool.name, "tool", written[0], written[1]), tool)

    def _tool_names(self) -> Iterator[Draft]:
        """Yield the tools by name: in an element, or as a JSON string, with the rest of the call if it ends there."""
        import json

        from callwright.features.support.snippets import Slots

        place = self.place
        in_json = bool(place.path)
        for tool in self._tools():
            text, slots = json.dumps(tool.name) if in_json else tool.name, None
            if place.writing is not None:
                slots = Slots()
                rest = self._rest_of_call(tool, slots)
                text += rest
            draft = Draft(tool.name, "tool", text + self._comma_behind(), slots)
            yield self._about(draft, tool)

    def _rest_of_call(self, tool: ToolSchema, slots: Slots) -> str:
        """Return what belongs behind a tool's name in a JSON text that ends there: the arguments, and the ends."""
        from callwright.calls.protocol import Refusal
        from callwright.calls.render import json_text
        from callwright.features.support.snippets import arguments_of

        writing = self.place.writing
        assert writing is not None
        written = json_text(arguments_of(tool, slots, markup=False) or slots.members())
        if isinstance(written, Refusal):
            return ""
        key = writing.frame_keys[1]
        lead = f', "{key}": ' if key else ": "
        return f"{lead}{written}{writing.closer}"

    def _bare_names(self) -> Iterator[Draft]:
        """Yield the tools by name alone, in a field of their own."""
        for tool in self._tools():
            yield self._about(Draft(tool.name, "tool", tool.name), tool)

    # Elements

    def _closers(self) -> Iterator[Draft]:
        """Yield the closing tags of what is open, behind a `<`."""
        span = self._with_bracket(self.place.span)
        for name in self._open_names(span.start - 1):
            yield Draft(f"/{name}", "tag", f"/{name}>", span=span, filter=f"/{name}")

    def _closing_tags(self) -> Iterator[Draft]:
        """Yield what is open, behind a `</`."""
        span = self._with_bracket(self.place.span)
        for name in self._open_names(span.start - 2):
            yield Draft(name, "tag", f"{name}>", span=span)

    def _open_names(self, at: int) -> list[str]:
        """Return what can be closed by a tag that begins at a place, the likeliest first.

        In a call that is the innermost element alone: no other can be closed while it is open. A section that is open
        for good may lie in another, so all that lack a closer are named.
        """
        from callwright.cursor.section_tree import closers_at

        return [*self.place.open_names[:1]] or closers_at(self.snapshot, self.spot, at)

    def _with_bracket(self, span: Span) -> Span:
        """Return the span with the `>` that follows it."""
        return Span(span.start, span.end + 1) if self.spot.text[span.end : span.end + 1] == ">" else span

    def _frame_tags(self) -> Iterator[Draft]:
        """Yield what belongs into `<tool_call>` or `<tool_calls>`, behind a `<`."""
        for name, text, slots in self._frame_children():
            span, whole = self._tag_span(name, frames_itself=True)
            yield Draft(name, "tag", text[1:] if whole else name, slots if whole else None, span)
        if self.place.path == ("tool_calls",):
            yield from self._calls_of_list()
        if self.place.path != ("tool_call",) or {"tool_name", "arguments"} <= self.place.present:
            yield from self._closers()

    def _calls_of_list(self) -> Iterator[Draft]:
        for tool in self._tools():
            dialect = self._dialect(tool)
            written = self._call(tool, dialect if dialect.startswith("tool-call") else "tool-call-xml")
            if written is not None:
                yield self._about(Draft(tool.name, "tool", written[0][1:], written[1]), tool)

    def _frame_children(self) -> Iterator[tuple[str, str, Slots]]:
        """Yield the elements that are missing in the frame around the cursor: name, text, slots."""
        from callwright.features.support.snippets import Slots

        place = self.place
        if place.path != ("tool_call",):
            slots = Slots()
            name, arguments = slots.text(), slots.text()
            frame = f"<tool_call>\n  <tool_name>{name}</tool_name>\n  <arguments>{arguments}</arguments>\n</tool_call>"
            yield "tool_call", frame, slots
            return
        if "tool_name" not in place.present:
            slots = Slots()
            yield "tool_name", f"<tool_name>{slots.text()}</tool_name>", slots
        if "arguments" not in place.present:
            yield self._arguments_element()

    def _arguments_element(self) -> tuple[str, str, Slots]:
        """Return `<arguments>` with what the call's tool requires, as the dialect in force has it."""
        from callwright.features.support.snippets import Slots

        candidates = self.registry.get(self.place.tool) if self.place.tool is not None else ()
        if candidates:
            dialect = self._dialect(candidates[0])
            written = self._call(candidates[0], dialect if dialect.startswith("tool-call") else "tool-call-xml")
            if written is not None:
                start, end = written[0].find("<arguments>"), written[0].find("</arguments>")
                if 0 <= start < end:
                    lines = written[0][start : end + len("</arguments>")].split("\n  ")
                    return "arguments", "\n".join(lines), written[1]
        slots = Slots()
        return "arguments", f"<arguments>{slots.text()}</arguments>", slots

    def _child_tags(self) -> Iterator[Draft]:
        """Yield the arguments that are not there yet, as elements behind a `<`."""
        for draft in self._children():
            span, whole = self._tag_span(draft.label)
            text = draft.text[1:] if whole else draft.label
            yield replace(draft, text=text, slots=draft.slots if whole else None, span=span)
        if not any(draft.required for draft in self._children()):
            # What still lacks a required element is not at its end.
            yield from self._closers()

    def _children(self) -> Iterator[Draft]:
        """Yield the arguments that are not there yet, as elements."""
        from callwright.calls.protocol import Refusal, RenderStyle
        from callwright.calls.render import ITEM, element
        from callwright.features.support.snippets import Slots, value_of

        place = self.place
        if place.tool is None:
            return
        if self.schemas.is_array(place.tool, place.path):
            members = [(ITEM, self.schemas.at(place.tool, (*place.path, 0)), False)]
        else:
            members = [one for one in self._members(place.tool, place.path) if one[0] not in place.present]
        for name, schemas, required in members:
            slots = Slots()
            value = value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=True) if schemas else slots.text()
            text = element(
                name, value, RenderStyle(compact=True), (name,), markup=self.registry.markup(place.tool), depth=0
            )
            if not isinstance(text, Refusal):
                yield self._argument(Draft(name, "parameter", text, slots), schemas, required=required)

    def _members(self, tool: str, path: Path) -> list[tuple[str, list[tuple[Mapping[str, Any], ToolSchema]], bool]]:
        """Return the properties of the object at `path` with their schemas: required first, deprecated last."""
        from callwright.tools.parameters import required_of

        found: dict[str, bool] = {}
        for schema, owner in self.schemas.at(tool, path):
            needed = required_of(schema, owner.input_schema)
            properties = schema.get("properties")
            for name, value in properties.items() if isinstance(properties, Mapping) else ():
                if value is not False:
                    found[name] = found.get(name, False) or name in needed
        members = [(name, self.schemas.at(tool, (*path, name)), required) for name, required in found.items()]

        def order(member: tuple[str, list[tuple[Mapping[str, Any], ToolSchema]], bool]) -> tuple[bool, bool]:
            schemas = member[1]
            old = any(one.get("deprecated") is True or "x-alias-of" in one for one, _ in schemas)
            return old, not member[2]

        return sorted(members, key=order)

    def _argument(
        self, draft: Draft, schemas: Sequence[tuple[Mapping[str, Any], ToolSchema]], *, required: bool
    ) -> Draft:
        """Return a draft with what a person is told of an argument."""
        from callwright.features.support.markdown import type_words

        place = self.place
        if not schemas:
            return draft
        words = type_words(schemas[0][0], schemas[0][1].input_schema)
        return replace(
            draft,
            detail=f"{words}, required" if required else words,
            about=(place.tool or "", self.schemas.step(place.tool or "", place.path, draft.label)),
            required=required,
            deprecated=any(schema.get("deprecated") is True for schema, _ in schemas),
        )

    def _body(self) -> Iterator[Draft]:
        """Yield what can begin the content of a call: its arguments as JSON or as elements, as the dialect has it."""
        place = self.place
        if place.path in (("tool_call",), ("tool_calls",)):
            for name, text, slots in self._frame_children():
                yield Draft(name, "tag", text, slots, filter=name)
            return
        if place.tool is None or not self.registry.has(place.tool):
            return
        tool = self.registry.get(place.tool)[0]
        dialect = self._dialect(tool)
        stated = self.snapshot.settings.dialect or tool.dialect
        json_wanted = dialect in ("xml-json", "tool-call-json") or stated is None
        if json_wanted and not place.present and not place.typed:
            written = self._call(tool, "xml-json")
            if written is not None:
                text, slots = written
                inner = text[len(tool.name) + 2 : -len(tool.name) - 3].strip("\n")
                empty = Span(self.spot.offset, self.spot.offset)
                yield replace(
                    self._about(Draft("{…}", "snippet", inner, slots, empty, filter="{"), tool),
                    detail="JSON arguments",
                )
        if place.present or dialect not in ("xml-json", "tool-call-json"):
            yield from self._children()

    def _text(self) -> Iterator[Draft]:
        """Yield the values that an element's text can have, or the elements that belong into it."""
        from callwright.calls.protocol import Refusal
        from callwright.calls.render import value_text

        place = self.place
        if place.tool is None:
            return
        path = (*place.path, 0) if self.schemas.is_array(place.tool, place.path) else place.path
        for value, detail in self._listed(place.tool, path):
            text = value_text(value, (), markup=self.registry.markup(place.tool))
            if not isinstance(text, Refusal):
                label = value if isinstance(value, str) else text
                yield Draft(label, kind_of(detail), text, filter=text, detail=detail, commit="<")
        if not place.typed.strip() and not self.schemas.is_text(place.tool, place.path):
            for draft in self._children():
                yield replace(draft, span=Span(self.spot.offset, self.spot.offset))

    def _listed(self, tool: str, path: Path) -> list[KnownValue]:
        """Return the values that the schemas at `path` foresee, and for a path the files that there are."""
        from callwright.features.support.known_values import KnownValue, known_values, names_path, paths_under

        schemas = self.schemas.at(tool, path)
        found = known_values(schemas)
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        if names_path(name, schemas):
            typed = self.place.typed.lstrip("\"' \t")
            for text, is_folder in paths_under(self.snapshot, typed):
                found.append(KnownValue(text, "folder" if is_folder else "file"))
        return found

    # JSON

    def _keys(self) -> Iterator[Draft]:
        """Yield the arguments that are not there yet, as members of a JSON object."""
        from callwright.features.support.snippets import Slots, value_of

        place = self.place
        if place.tool is None:
            return
        for name, schemas, required in self._members(place.tool, place.path):
            if name in place.present:
                continue
            slots = Slots()
            value = (
                value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=False) if schemas else slots.text()
            )
            draft = self._member(name, value, slots)
            if draft is not None:
                yield self._argument(draft, schemas, required=required)

    def _member(self, name: str, value: Any, slots: Slots) -> Draft | None:
        """Return a member of a JSON object with the commas that its place needs."""
        from callwright.calls.protocol import Refusal
        from callwright.calls.render import json_text

        place = self.place
        key, written = json_text(name), json_text(value)
        if isinstance(key, Refusal) or isinstance(written, Refusal):
            return None
        if place.json.colon:
            return Draft(name, "parameter", key)
        text = f"{key}: {written}" + self._comma_behind()
        return Draft(name, "parameter", text, slots, final=False, further=self._comma_before())

    def _comma_behind(self) -> str:
        """Return the comma that must stand behind what is written here, with a space where none follows."""
        if not self.place.json.value_follows:
            return ""
        return "," if self.spot.text[self.place.span.end : self.place.span.end + 1].isspace() else ", "

    def _comma_before(self) -> tuple[Edit, ...]:
        """Return the edit that puts the missing comma behind the value before the cursor."""
        after = self.place.json.after
        return () if after is None else (Edit(Span(after, after), ","),)

    def _frame_keys(self) -> Iterator[Draft]:
        """Yield the keys of the object that holds a call."""
        from callwright.features.support.snippets import Slots, arguments_of

        place = self.place
        name_key, arguments_key = place.writing.frame_keys if place.writing is not None else ("tool", "arguments")
        if name_key and not place.present & {"tool", "tool_name", "tool_calls", "name"}:
            slots = Slots()
            draft = self._member(name_key, slots.text(), slots)
            if draft is not None:
                yield draft
        if arguments_key not in place.present:
            slots = Slots()
            candidates = self.registry.get(place.tool) if place.tool is not None else ()
            arguments = arguments_of(candidates[0], slots, markup=False) if candidates else {}
            draft = self._member(arguments_key, arguments or slots.members(), slots)
            if draft is not None:
                yield draft

    def _values(self) -> Iterator[Draft]:
        """Yield the values that a JSON member can have."""
        from callwright.calls.protocol import Refusal
        from callwright.calls.render import json_text
        from callwright.features.support.snippets import Slots, arguments_of, value_of

        place = self.place
        if place.tool is None:
            return
        tail = self._comma_behind()
        for value, detail in self._listed(place.tool, place.path):
            text = json_text(value)
            if not isinstance(text, Refusal):
                label, further = value if isinstance(value, str) else text, self._comma_before()
                commit = "" if tail else ",}]"
                yield Draft(label, kind_of(detail), text + tail, further=further, detail=detail, commit=commit)
        types = self.schemas.types(place.tool, place.path) or frozenset()
        schemas = self.schemas.at(place.tool, place.path)
        if place.name or not schemas or not types & {"object", "array"} or "string" in types:
            return
        slots = Slots()
        if not place.path and schemas:
            new: Any = arguments_of(schemas[0][1], slots, markup=False) or slots.members()
        else:
            new = value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=False)
        text = json_text(new)
        if not isinstance(text, Refusal):
            label = "[…]" if isinstance(new, list) else "{…}"
            yield Draft(
                label, "snippet", text + tail, slots, filter=label[:1], final=False, further=self._comma_before()
            )


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
