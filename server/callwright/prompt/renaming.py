"""Renaming: the edits that give a tool or a parameter another name, in one document after the other.

Owns: what a new name may be, the edits of one document, and the proof that nothing but the name changes by them.
Must not know: files on a disk, protocols, how the edits are shown.

The edits of a document with calls are proved by reading it again: each call must be what it was but for the name. What
cannot be proved is left as it is and reported with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from callwright.calls.model import dotted
from callwright.declarations.documents import placed
from callwright.declarations.reading import declarations_in
from callwright.document.snapshot import Origin, Snapshot
from callwright.hosts.base import RecordHost
from callwright.prompt.named import Kind, Occurrence, Target, Uncertainty, document_of
from callwright.prompt.occurrences import occurrences, of_call
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span, apply_edits, insert
from callwright.tools.profiles import ToolWants, tool_profile
from callwright.tools.property_places import mentions, property_places
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.document.blocks import PlacedCall
    from callwright.document.settings import Settings
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry as Registry

#: A name that no dialect need escape; providers allow fewer characters.
_NAME: Final = re.compile(r"[^\W\d][\w.:/-]*+")
#: The longest name that any of them takes.
_MAX_LENGTH: Final = 128
#: How many changes of one document are given up one after another before all of them are.
_MAX_ROUNDS: Final = 20
#: The member of a file that records what live servers answered.
_LOCKED: Final = "lockVersion"
_OF_A_SERVER: Final = (
    "the file records a server's tools; rename the tool on the server, lock again, then rename the calls"
)
#: How much text is read and how many calls are compared before other work may be done.
_PIECE: Final = 1 << 16
_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Change:
    """One occurrence with the edits that rename it; none of them overlaps another change's."""

    occurrence: Occurrence
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """An occurrence that cannot be renamed, and why."""

    occurrence: Occurrence
    reason: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """What is to be done to one document; `left` lists what cannot be done."""

    snapshot: Snapshot
    changes: Sequence[Change]
    left: Sequence[Left] = ()

    def text(self, *, uncertain: bool = True) -> str:
        """Return the document as it is afterwards, with or without the changes that a person has to confirm."""
        wanted = [one for one in self.changes if uncertain or one.occurrence.uncertainty is Uncertainty.NONE]
        return apply_edits(self.snapshot.document.text(), [edit for one in wanted for edit in one.edits])


@dataclass(frozen=True, slots=True)
class Replaced:
    """The tools that a renaming changes, by file and place, as they are afterwards."""

    tools: Mapping[tuple[str | None, str], ToolSchema]

    def registry(self, registry: Registry) -> Registry:
        """Return a registry with the tools as they are afterwards."""
        tools = [self.tools.get((tool.origin.file, tool.origin.pointer), tool) for tool in registry]
        return ToolRegistry(tools, closed=registry.closed, problems=registry.problems)


NOTHING_REPLACED: Final = Replaced({})


def refusal(target: Target, new: str, registry: Registry, provider: str | None, *, shipped: str = "") -> str | None:
    """Return in a sentence why the target cannot have the new name, None where it can.

    `shipped` is the folder of the tool sets that travel with Callwright.
    """
    what = "parameter" if target.path else "tool"
    if new == target.word:
        return f"The name is already `{new}`."
    if not _NAME.fullmatch(new):
        return (
            f"`{new}` is not a valid name for a {what}: use letters, digits, `_`, `-` and `.`, and begin with a letter."
        )
    if len(new) > _MAX_LENGTH:
        return f"The name is longer than {_MAX_LENGTH} characters, which no provider accepts."
    fixed = stalled(target, shipped)
    if fixed is not None:
        return fixed
    if target.path:
        return _parameter_refusal(target, new)
    profile = tool_profile(provider, "")
    demand = profile.demand(ToolWants.NAME)
    if demand is not None and demand.severity == "error" and not profile.accepts_name(new):
        allowed = f"up to {profile.name_length} {profile.name_stated}"
        return f"{profile.title} does not accept `{new}` as a tool name: a name may have {allowed}."
    if registry.has(new) and not follows(target, new, registry):
        owner = registry.get(new)[0].name
        other = f"an alias of the tool `{owner}`" if owner != new else "a tool"
        return f"There is already {other} named `{new}`. Choose another name, or remove that one first."
    return None


def stalled(target: Target, shipped: str) -> str | None:
    """Return in a sentence why the target cannot be renamed whatever the name, None where it can.

    `shipped` is the folder of the tool sets that travel with Callwright.
    """
    if target.file is None or not shipped or not target.file.startswith(shipped):
        return None
    set_name = target.tool.origin.tool_set if target.tool is not None else ""
    return (
        f"`{target.name}` belongs to the tool set `{set_name}`, which is shipped with Callwright and is read-only. "
        "Copy the set into your project, name the copy under `tools`, and rename it there."
    )


def _parameter_refusal(target: Target, new: str) -> str | None:
    if target.tool is None:
        return f"No tool file defines `{target.name}`, so its parameters are not known."
    schema = target.tool.input_schema
    if not property_places(schema, target.path):
        if property_places(schema, (*target.path[:-1], new)):
            # The definition has the new name already, and the calls follow.
            return None
        return f"`{target.name}` has no parameter `{dotted(target.path)}`."
    if property_places(schema, (*target.path[:-1], new)):
        return f"`{dotted((target.name, *target.path[:-1]))}` already has a parameter `{new}`. Choose another name."
    return None


def follows(target: Target, new: str, registry: Registry) -> bool:
    """Return whether the definition has the new name already, so that only its uses still have the old one."""
    if not target.path:
        return target.tool is None and registry.has(new)
    if target.tool is None:
        return False
    schema = target.tool.input_schema
    known, wanted = property_places(schema, target.path), property_places(schema, (*target.path[:-1], new))
    return bool(wanted) and not known


class RefusedError(Exception):
    """The target cannot be renamed; the text says why, in a sentence or two for the person who asked for it."""


#: What looks for documents yields them one by one, and None wherever it may be interrupted.
Documents: TypeAlias = Iterable[Snapshot | None]


def concerns(snapshot: Snapshot, target: Target) -> bool:
    """Return whether the target's name means this very tool in a document, or may mean it."""
    if target.tool is None:
        return True
    if (snapshot.path or snapshot.uri) == target.file:
        return True
    return any(target.is_tool(tool) for tool in snapshot.registry.get(target.name))


def rename_everywhere(documents: Documents, target: Target, new: str) -> Generator[None, None, list[Renaming]]:
    """Return what is to be done to each document; yields wherever the work may be interrupted.

    `documents` begins with the tool files: how calls are read afterwards depends on them. Raises RefusedError where the
    new name is taken in one of the projects.
    """
    replaced: dict[tuple[str | None, str], ToolSchema] = {}
    found: list[Renaming] = []
    for snapshot in documents:
        if snapshot is None or not concerns(snapshot, target):
            yield
            continue
        if not target.path and snapshot.registry.has(new) and not follows(target, new, snapshot.registry):
            raise RefusedError(f"`{new}` is already a tool for `{snapshot.path or snapshot.uri}`.")
        if snapshot.host.holds == "tools":
            renaming, more = rename_definitions(snapshot, target, new)
            replaced.update(more.tools)
        else:
            renaming = yield from renaming_of_calls(snapshot, target, new, Replaced(replaced))
            if _declares(snapshot, target):
                replaced.update(_declared_after(snapshot, renaming.text()))
        if renaming.changes or renaming.left:
            found.append(renaming)
        yield
    return found


def rename_definitions(snapshot: Snapshot, target: Target, new: str) -> tuple[Renaming, Replaced]:
    """Return what is to be done to a tool file, and the tools that it then defines.

    All or nothing: where the definition itself cannot be written again, nothing in the file is changed.
    """
    document = document_of(snapshot)
    changes, left = _changes(snapshot, target, new)
    if isinstance(document.value, dict) and _LOCKED in document.value:
        kept = [Left(one.occurrence, _OF_A_SERVER) for one in changes]
        return Renaming(snapshot, (), [*left, *kept]), NOTHING_REPLACED
    certain = [one for one in changes if one.occurrence.uncertainty is not Uncertainty.PROSE]
    text = apply_edits(document.text, [edit for one in certain for edit in one.edits])
    after = document_of(finished(_opening(snapshot, text, snapshot.registry)))
    same = len(after.definitions) == len(document.definitions) and len(after.problems) == len(document.problems)
    replaced: dict[tuple[str | None, str], ToolSchema] = {}
    for old, now in zip(document.definitions, after.definitions, strict=False):
        touched = any(one.occurrence.frame == document.places.value(old.path) for one in certain)
        if not touched:
            same = same and old.tool.name == now.tool.name
            continue
        same = same and _is_renamed(old.tool, now.tool, target, new)
        replaced[old.tool.origin.file, old.tool.origin.pointer] = now.tool
    if not same:
        reason = "the file would not define the same tools any more"
        return Renaming(snapshot, (), [*left, *(Left(one.occurrence, reason) for one in changes)]), NOTHING_REPLACED
    return Renaming(snapshot, changes, left), Replaced(replaced)


def _is_renamed(old: ToolSchema, now: ToolSchema, target: Target, new: str) -> bool:
    """Return whether a tool is what it was but for the name."""
    if target.path:
        if old.name != now.name or property_places(now.input_schema, target.path):
            return False
        moved = (*target.path[:-1], new)
        before, after = mentions(old.input_schema, target.path), mentions(now.input_schema, moved)
        return sum(1 for _ in before) == sum(1 for _ in after)
    names = [new if name == target.name else name for name in (old.name, *old.aliases)]
    return names == [now.name, *now.aliases] and repr(old.input_schema) == repr(now.input_schema)


def rename_calls(snapshot: Snapshot, target: Target, new: str, replaced: Replaced = NOTHING_REPLACED) -> Renaming:
    """Return what is to be done to a document with calls; `replaced` are the tools as they are afterwards."""
    return finished(renaming_of_calls(snapshot, target, new, replaced))


Result = TypeVar("Result")


def finished(steps: Generator[None, None, Result]) -> Result:
    """Return what work that is done step by step comes to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def renaming_of_calls(
    snapshot: Snapshot, target: Target, new: str, replaced: Replaced
) -> Generator[None, None, Renaming]:
    """Return the same as `rename_calls`; yields wherever the work may be interrupted."""
    changes, left = _changes(snapshot, target, new)
    registry = snapshot.project_tools if snapshot.is_own else replaced.registry(snapshot.registry)
    before = list(snapshot.placed_calls())
    for _ in range(_MAX_ROUNDS):
        yield
        text = apply_edits(snapshot.document.text(), [edit for one in changes for edit in one.edits])
        if _declares(snapshot, target) and not snapshot.is_own:
            registry = Replaced(_declared_after(snapshot, text)).registry(snapshot.registry)
        after = yield from _opening(snapshot, text, registry)
        wrong = yield from _first_changed(before, changes, target, new, after)
        if wrong is None:
            return Renaming(snapshot, changes, left)
        left.append(Left(wrong.occurrence, _unwritable(wrong.occurrence, new)))
        changes = [one for one in changes if one is not wrong]
    left += [Left(one.occurrence, _unwritable(one.occurrence, new)) for one in changes]
    return Renaming(snapshot, (), left)


def _declares(snapshot: Snapshot, target: Target) -> bool:
    """Return whether a document with calls is what documents the target's tool."""
    return target.file is not None and target.file in (snapshot.path, snapshot.uri)


def _declared_after(snapshot: Snapshot, text: str) -> dict[tuple[str | None, str], ToolSchema]:
    """Return the tools that the text of a document declares, by file and place."""
    file = snapshot.path or snapshot.uri
    found = placed([*declarations_in(text)], file)
    return {(file, each.tool.origin.pointer): each.tool for each in found}


def _unwritable(occurrence: Occurrence, new: str) -> str:
    return f"with `{new}` it would not be read as the same call in `{occurrence.value_format}`"


def _changes(snapshot: Snapshot, target: Target, new: str) -> tuple[list[Change], list[Left]]:
    """Return the changes that the dialects can hold, and what they cannot."""
    changes: list[Change] = []
    left: list[Left] = []
    taken: list[Span] = []
    for each in occurrences(snapshot, target):
        if each.name != target.word:
            # Another name of the same tool stays.
            continue
        edits = each.write(new) if not each.reason else None
        if edits is None:
            left.append(Left(each, each.reason or f"`{new}` cannot be written there"))
        elif not any(edit.span.overlaps(span) for edit in edits for span in taken[-8:]):
            changes.append(Change(each, edits))
            taken += [edit.span for edit in edits]
    return changes, left


def _opening(snapshot: Snapshot, text: str, registry: Registry) -> Generator[None, None, Snapshot]:
    return (
        yield from open_in_steps(
            text, replace(snapshot.origin, host=snapshot.host), registry=registry, settings=snapshot.settings
        )
    )


def open_in_steps(
    text: str, origin: Origin, *, registry: Registry, settings: Settings
) -> Generator[None, None, Snapshot]:
    """Return the snapshot of a whole text, as `Snapshot.open` does.

    A long one of many records, where `origin` says so, is read piece by piece.

    Yields wherever the work may be interrupted.
    """
    size = len(text)
    end = size
    host = origin.host
    if size > 2 * _PIECE and isinstance(host, RecordHost) and type(host).cut is not RecordHost.cut:
        end = text.find("\n", _PIECE) + 1 or size
    snapshot = Snapshot.open(TextDocument.from_text(text[:end]), origin, registry=registry, settings=settings)
    while end < size:
        yield
        start, end = end, text.find("\n", end + _PIECE) + 1 or size
        snapshot = snapshot.edit([insert(start, text[start:end])], snapshot.version)
    return snapshot


def _first_changed(
    before: Sequence[PlacedCall], changes: Sequence[Change], target: Target, new: str, after: Snapshot
) -> Generator[None, None, Change | None]:
    """Return the change after which a call is not what it should be, None where all are.

    A tag that was read as a misspelt call of the tool need not be like the new name, and may be prose afterwards.
    """
    again = list(after.placed_calls())
    renamed = {span for one in changes if one.occurrence.kind is Kind.CALL for span in one.occurrence.spans}
    kept = 0
    for index, old in enumerate(before):
        if index % _AT_ONCE == _AT_ONCE - 1:
            yield
        now = again[kept] if kept < len(again) else None
        if now is not None and _same_call(old, now, renamed, target, new):
            kept += 1
        elif old.binding.tool is not None or old.call.tool in target.tool_names:
            return _nearest(changes, old.span)
    return _nearest(changes, before[-1].span) if len(again) > kept and before else None


def _nearest(changes: Sequence[Change], span: Span) -> Change | None:
    """Return the change in a call, else the last one before it, else the first of all."""
    inside = next((one for one in changes if span.covers(one.occurrence.span)), None)
    if inside is not None:
        return inside
    return next((one for one in reversed(changes) if one.occurrence.span.start < span.end), next(iter(changes), None))


def _same_call(old: PlacedCall, now: PlacedCall, renamed: set[Span], target: Target, new: str) -> bool:
    call = old.call
    if call.dialect != now.call.dialect or len(call.problems) != len(now.call.problems):
        return False
    here = [each for each in of_call(old, target) if each.span in renamed]
    name = new if here and not target.path else call.tool
    value = old.binding.value
    try:
        # The innermost first, for a name may be inside a value of the same name.
        for each in sorted(here, key=lambda each: -len(each.path)) if target.path else ():
            value = _moved(value, each.path, new)
        return now.call.tool == name and repr(value) == repr(now.binding.value)
    except RecursionError:
        # Deeper values cannot be proved.
        return False


def _moved(value: Any, path: Path, new: str) -> Any:
    """Return a plain value with the member at `path` under another name, the order of the members kept."""
    if len(path) == 1:
        return {new if key == path[0] else key: item for key, item in value.items()}
    inner = _moved(value[path[0]], path[1:], new)
    if isinstance(value, list):
        return [inner if index == path[0] else item for index, item in enumerate(value)]
    return {key: inner if key == path[0] else item for key, item in value.items()}
