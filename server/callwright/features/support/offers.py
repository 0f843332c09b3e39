"""What can be done at a place of a document that no fix does: ignore a diagnostic, complete a call, write it otherwise.

Owns: these offers, found cheaply, and their edits, computed once an offer is chosen. Must not know: protocols, the
fixes of diagnostics.

An offer's `key` is plain data: with it and the same version of the document the edits are computed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE, MarkupValue
from callwright.config import PYPROJECT
from callwright.features.support.differences import edits_between
from callwright.features.support.whole_document import EXTRACT, QUICK_FIX, REWRITE
from callwright.syntax.xml import XmlElement
from callwright.text.line_ends import LINE_START, NEWLINE
from callwright.text.span import Edit, Span, apply_edits, insert, with_newlines
from callwright.tools.definitions import Definition

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Workspace
    from callwright.rules.base import Diagnostic
    from callwright.tools.documents import ToolDocument

#: The dialects that are offered where no targets are set: a simple one of each family.
_COMMON: Final = ("xml-children", "xml-json", "fenced-json", "hermes")
_CDATA: Final = "<![CDATA["
_ENDS: Final = (".json", ".yaml", ".yml")
#: The rule that speaks of values that are no XML.
_MARKUP: Final = "TC104"
_UNESCAPED: Final = "unescaped-markup"
_HEADER: Final = re.compile(rf"{LINE_START}[ \t]*+\[tool\.callwright\][^\r\n]*+{NEWLINE}", re.MULTILINE)
_ENTRY: Final = re.compile(r"[ \t]*+-[ \t]++")


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be done: what a person reads, its kind in the protocol's words, and how it is found again."""

    title: str
    kind: str
    key: Mapping[str, Any]
    diagnostic: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """The edits of an offer that was taken, and the document that they change; `refused` is why there are none."""

    snapshot: Snapshot
    edits: tuple[Edit, ...]
    refused: str = ""


def disputed(dispute: Disagreement) -> str:
    """Return why an edit is not made with which lxml reads a call otherwise; a clause."""
    return f"with this change {dispute}"


def not_done(reason: str) -> dict[str, str]:
    """Return why an action cannot be taken, as the protocol has it."""
    return {"reason": f"The text is unchanged: {reason}."}


def ignoring_at(snapshot: Snapshot, span: Span) -> Iterator[Offer]:
    """Yield the offers to ignore what is found at a place: one for each rule."""
    from callwright.document.suppressions import own_comments
    from callwright.lint.linter import diagnostics

    own = snapshot.host.texts != "turns" and own_comments(snapshot.host, snapshot.path or "", snapshot.template)
    if not own and not any(block.embedded for block in snapshot.blocks):
        return
    reported: set[str] = set()
    for each in diagnostics(snapshot):
        if each.span.touches(span) and each.code not in reported and not each.code.startswith("TC9"):
            reported.add(each.code)
            key = {"offer": "ignore", "code": each.code, "start": each.span.start, "end": each.span.end}
            yield Offer(f"Ignore {each.code} ({each.name}) here", QUICK_FIX, key, each)


def literal_at(snapshot: Snapshot, span: Span, workspace: Workspace | None) -> Iterator[Offer]:
    """Yield the offer to set in the configuration that values are literal, where one is not XML.

    Without a configuration to write into there is none.
    """
    from callwright.lint.linter import diagnostics

    if snapshot.settings.markup is not None:
        return
    found = next((each for each in diagnostics(snapshot) if each.code == _MARKUP and each.span.touches(span)), None)
    if found is not None and _literal(snapshot, workspace) is not None:
        yield Offer('Set `markup = "raw"` in the configuration', QUICK_FIX, {"offer": "literal"}, found)


def rewriting_at(snapshot: Snapshot, span: Span) -> Iterator[Offer]:
    """Yield the offers to write the call at a place otherwise; none of them fixes a diagnostic."""
    placed = _call_at(snapshot, span.start)
    if placed is None:
        return
    at = span.start
    if _left_out(placed):
        yield Offer("Fill in the required parameters", REWRITE, {"offer": "fill", "at": at})
    element = _value_at(placed, at)
    if element is not None:
        yield Offer(f"Wrap `{element.name}` in CDATA", REWRITE, {"offer": "cdata", "at": at})
    for name in _targets(snapshot, placed):
        yield Offer(f"Convert this call to `{name}`", REWRITE, {"offer": "convert", "at": at, "to": name})
    tool = placed.binding.tool
    file = (tool.origin.file or "") if tool is not None else ""
    if tool is None or not tool.examples or not file.lower().endswith(_ENDS):
        return
    coerced = placed.binding.coerced
    whole = placed.binding.fits and not (placed.call.sketch or coerced.wild or coerced.elided or _left_out(placed))
    if whole and placed.binding.arguments not in tool.examples:
        yield Offer(f"Add this call to the examples of `{tool.name}`", EXTRACT, {"offer": "extract", "at": at})


def rewriting_all(snapshot: Snapshot) -> Iterator[Offer]:
    """Yield the offers to write every call of a document in another dialect."""
    used = {placed.call.dialect for placed in snapshot.placed_calls()} - {NATIVE}
    for name in _wanted(snapshot) if used else ():
        if used != {name}:
            yield Offer(f"Convert every call to `{name}`", REWRITE, {"offer": "convert", "at": None, "to": name})


def taken(key: Mapping[str, Any], snapshot: Snapshot, workspace: Workspace | None) -> Taken | None:
    """Return what an offer changes; None where it is nothing, or the document is another one by now."""
    kind, at = key.get("offer"), key.get("at")
    if kind == "convert":
        return _converted(snapshot, str(key.get("to")), at)
    if kind == "ignore":
        return _ignored(snapshot, key)
    if kind == "literal":
        return _literal(snapshot, workspace)
    placed = _call_at(snapshot, at) if isinstance(at, int) else None
    if placed is None or not isinstance(at, int):
        return None
    if kind == "extract":
        return _extracted(placed, workspace)
    edits = _filled(placed) if kind == "fill" else _wrapped(placed, at) if kind == "cdata" else ()
    return _encoded(placed, edits)


def _call_at(snapshot: Snapshot, offset: int) -> PlacedCall | None:
    """Return the innermost call around an offset."""
    place = snapshot.block_at(offset)
    if place is None:
        return None
    calls = [each for each in snapshot.calls_of(*place) if each.span.start <= offset <= each.span.end]
    return min(calls, key=lambda each: each.span.end - each.span.start, default=None)


def _encoded(placed: PlacedCall, edits: tuple[Edit, ...]) -> Taken | None:
    """Return edits of a call as those of its document, none where lxml has something against the call as they leave
    it; None where the document cannot hold them."""
    from callwright.fix.disputes import dispute_after
    from callwright.text.projection import encode_all

    raw = encode_all(placed.passage.projection, edits) if edits else None
    if not raw:
        return None
    written = sorted(with_newlines(raw, placed.snapshot.document.newline), key=lambda edit: edit.span)
    dispute = dispute_after(placed.snapshot, written)
    if dispute is not None:
        return Taken(placed.snapshot, (), disputed(dispute))
    return Taken(placed.snapshot, tuple(written))


def _ignored(snapshot: Snapshot, key: Mapping[str, Any]) -> Taken | None:
    from callwright.fix.ignoring import ignore
    from callwright.lint.linter import diagnostics

    place = (key.get("start"), key.get("end"))
    meant = [each for each in diagnostics(snapshot) if each.code == key.get("code") and each.span == place]
    written = ignore(snapshot, meant) if meant else None
    return Taken(snapshot, written.edits) if written is not None and written.edits else None


def _literal(snapshot: Snapshot, workspace: Workspace | None) -> Taken | None:
    """Return the edit that sets the markup in the nearest configuration above a document; None where there is none."""
    from callwright.syntax.toml_places import TomlPlaces

    key: tuple[str, ...]
    file = _configuration(snapshot, workspace)
    if file is None:
        return None
    text = file.document.text()
    if PurePath(file.path or "").name == PYPROJECT:
        header, key = _HEADER.search(text), ("tool", "callwright", "markup")
        at = header.end() if header is not None else -1
    else:
        at, key = (1 if text.startswith("\ufeff") else 0), ("markup",)
    if at < 0 or TomlPlaces(text).value(key) is not None:
        return None
    return Taken(file, with_newlines((insert(at, 'markup = "raw"\n'),), file.document.newline))


def _configuration(snapshot: Snapshot, workspace: Workspace | None) -> Snapshot | None:
    """Return the configuration of the folder that is nearest to a document."""
    if workspace is None or snapshot.path is None:
        return None
    around = PurePath(snapshot.path)
    files = [each for each in workspace.project_files() if each is not None and each.host.holds == "configuration"]
    above = [each for each in files if each.path is not None and around.is_relative_to(PurePath(each.path).parent)]
    return max(above, key=lambda each: len(PurePath(each.path or "").parts), default=None)


def _left_out(placed: PlacedCall) -> list[str]:
    """Return the required parameters that are left out and need not be there; otherwise a diagnostic has a fix."""
    tool = placed.binding.tool
    if tool is None or placed.call.arguments is None:
        return []
    if any(error.keyword == "required" and not error.path for error in placed.binding.errors):
        return []
    given = placed.binding.arguments
    return [name for name, each in tool.parameters.items() if each.required and name not in given]


def _filled(placed: PlacedCall) -> tuple[Edit, ...]:
    from callwright.calls.teach import example_value
    from callwright.prompt.editing import insert_arguments

    binding = placed.binding
    values = {name: example_value(binding.schema_at((name,))) for name in _left_out(placed)}
    return insert_arguments(binding, (), values)


def _value_at(placed: PlacedCall, offset: int) -> XmlElement | None:
    """Return the element at a place whose text could be in a CDATA section and is not."""
    binding, arguments = placed.binding, placed.call.arguments
    if not isinstance(arguments, MarkupValue) or arguments.style is not None:
        return None
    if any(problem.kind != _UNESCAPED for problem in placed.call.problems):
        return None
    if (binding.tool.markup if binding.tool is not None else binding.settings.markup) == "raw":
        return None
    inner = placed.passage.projection.to_decoded(offset)
    for element in arguments.element.elements:
        if inner is not None and element.span.start <= inner <= element.span.end:
            written = element.content.of(binding.text)
            plain = bool(written.strip()) and _CDATA not in written
            return element if plain and isinstance(binding.arguments.get(element.name), str) else None
    return None


def _wrapped(placed: PlacedCall, offset: int) -> tuple[Edit, ...]:
    from callwright.syntax.xml import cdata

    element = _value_at(placed, offset)
    if element is None:
        return ()
    return (Edit(element.content, cdata(placed.binding.arguments[element.name])),)


def _wanted(snapshot: Snapshot) -> tuple[str, ...]:
    settings = snapshot.settings
    asked = (*((settings.dialect,) if settings.dialect is not None else ()), *settings.accept)
    return tuple(dict.fromkeys(asked)) or _COMMON


def _targets(snapshot: Snapshot, placed: PlacedCall) -> Iterator[str]:
    """Yield the dialects that a call could be written in; for one in a wrong dialect, a diagnostic names the right
    one."""
    current, settings = placed.call.dialect, snapshot.settings
    wrong = settings.dialect is not None and current not in (settings.dialect, *settings.accept)
    if current == NATIVE or placed.call.tool is None:
        return
    for name in _wanted(snapshot):
        if name != current and not (wrong and name == settings.dialect):
            yield name


def _converted(snapshot: Snapshot, name: str, at: Any) -> Taken | None:
    from callwright.conversion import convert_document
    from callwright.dialects.catalogue import dialect_names

    if name not in dialect_names() or not (at is None or isinstance(at, int)):
        return None
    conversion = convert_document(snapshot, name, at=at)
    edits = edits_between(snapshot.document.text(), conversion.text)
    return Taken(snapshot, edits) if edits else None


def _extracted(placed: PlacedCall, workspace: Workspace | None) -> Taken | None:
    """Return the edit that adds a call's arguments to the examples of its tool, in the file that defines it."""
    from callwright.declarations.documents import read_tools_of
    from callwright.prompt.named import document_of

    tool = placed.binding.tool
    if tool is None or tool.origin.file is None or workspace is None:
        return None
    snapshot = workspace.tool_file(tool.origin.file)
    if snapshot is None:
        return None
    document = document_of(snapshot)
    found = _defining(document, tool.name)
    edit = _entry(document, found, placed.binding.arguments) if found is not None else None
    if found is None or edit is None:
        return None
    after = _defining(read_tools_of(apply_edits(document.text, [edit]), document.file), tool.name)
    wanted = [*found.examples, placed.binding.arguments]
    return Taken(snapshot, (edit,)) if after is not None and after.examples == wanted else None


def _defining(document: ToolDocument, name: str) -> Definition | None:
    return next((each for each in document.definitions if each.tool.name == name), None)


def _entry(document: ToolDocument, definition: Definition, arguments: Mapping[str, Any]) -> Edit | None:
    """Return the edit that adds an entry after the last one, laid out as that is."""
    path, examples = definition.examples_path, definition.examples
    if path is None or not isinstance(examples, list) or not examples:
        return None
    text, written = document.text, json.dumps(arguments, ensure_ascii=False)
    whole = document.places.value(path)
    last = document.places.value((*path, len(examples) - 1))
    if text[whole.start : whole.start + 1] == "[":
        before = document.places.value((*path, len(examples) - 2)).end if len(examples) > 1 else whole.start + 1
        lead = text[before : last.start].removeprefix(",")
        return insert(last.end, f",{lead or ' '}{written}")
    line = max(text.rfind("\n", 0, last.start), text.rfind("\r", 0, last.start)) + 1
    entry = _ENTRY.match(text, line, last.start)
    if entry is None or entry.end() != last.start:
        return None
    end = last.start + len(last.of(text).rstrip())
    newline = "\r\n" if "\r\n" in text else "\n"
    return insert(end, f"{newline}{entry[0]}{written}")
