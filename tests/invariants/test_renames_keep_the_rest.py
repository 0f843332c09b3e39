"""A rename changes the name and nothing else, in every dialect and in whatever file the text is.

Calls are written in a dialect with the old name and with the new one; renaming the first text must give the second, as
the file's own parser reads it. No diagnostic comes by it, and renaming back gives the file as it was, byte for byte.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.prompt.named import Kind, Target
from callwright.prompt.occurrences import occurrences
from callwright.prompt.renaming import Renaming, Replaced, rename_calls, rename_definitions
from callwright.prompt.targets import target_at
from callwright.tools.documents import read_tool_document
from callwright.tools.registry import ToolRegistry
from invariants.corpus import BATCHES, seeded
from invariants.embeddings import EMBEDDINGS, Embedding
from invariants.host_documents import mutants
from invariants.test_fixes_in_every_host import present
from invariants.texts import DEFINITIONS
from support.sampling import crossed, sampled, whole

FILE: Final = "/project/tools.json"
#: How many dialects are tried in each kind of file: more where it counts; each comes in several kinds.
FEW: Final = 12 if whole() else 4


class Rename(NamedTuple):
    """A target as it is written on a command line, and its new name."""

    target: str
    new: str


#: Names of equal length, since how a call is laid out depends on that.
RENAMES: Final = (
    Rename("read_file", "open_file"),
    Rename("read_file.path", "file"),
    Rename("edit_file.edits", "tasks"),
    Rename("edit_file.edits.old", "was"),
)
CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("read_file", {"path": "src/a.py", "limit": 40}),
    ("edit_file", {"path": "a path", "edits": [{"old": "path", "new": "y"}, {"old": "read_file", "new": "b"}]}),
    ("read_file", {"path": "old"}),
)


@cache
def registry(rename: Rename | None = None) -> ToolRegistry:
    """Return the tools, those after a rename with it."""
    text = json.dumps({"tools": DEFINITIONS}, indent=2)
    return read_tool_document(text if rename is None else renamed_file(rename), FILE).registry


def target_of(rename: Rename) -> Target:
    tool, *path = rename.target.split(".")
    return Target(tool, tuple(path), registry().get(tool)[0])


def back(rename: Rename) -> tuple[Target, str]:
    """Return the target that a rename makes, and the name that it had."""
    tool, *path = rename.target.split(".")
    if not path:
        return Target(rename.new, (), registry(rename).get(rename.new)[0]), tool
    return Target(tool, (*path[:-1], rename.new), registry(rename).get(tool)[0]), path[-1]


def tool_file(text: str) -> Snapshot:
    return open_snapshot(text, path=FILE, registry=registry(), settings=Settings(), host=find_host("tool-file"))


@cache
def definitions_of(rename: Rename) -> tuple[Renaming, Replaced]:
    return rename_definitions(tool_file(json.dumps({"tools": DEFINITIONS}, indent=2)), target_of(rename), rename.new)


def renamed_file(rename: Rename) -> str:
    return definitions_of(rename)[0].text()


def called(rename: Rename | None) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls as they are before or after a rename."""
    calls = json.loads(json.dumps(CALLS))
    if rename is None:
        return calls  # type: ignore[no-any-return]  # JSON has no types
    target = target_of(rename)

    def moved(value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, list):
            return [moved(item, path) for item in value]
        if not isinstance(value, dict) or not path:
            return value
        if len(path) == 1:
            return {rename.new if key == path[0] else key: item for key, item in value.items()}
        return {key: moved(item, path[1:]) if key == path[0] else item for key, item in value.items()}

    return [
        (rename.new if tool == target.name and not target.path else tool, moved(value, target.path))
        if tool == target.name
        else (tool, value)
        for tool, value in calls
    ]


@cache
def written(dialect: str, rename: Rename | None = None) -> str | None:
    """Return the calls in a dialect before or after a rename, None where it cannot hold them."""
    format_ = find_dialect(dialect)
    assert format_ is not None
    tools = registry(rename)
    parts = []
    for tool, arguments in called(rename):
        part = format_.render_all([Rendering(tool, arguments, tools.get(tool)[0])], RenderStyle())
        if isinstance(part, Refusal):
            return None
        parts.append(part)
    return "First.\n\n" + "\n\nThen.\n\n".join(parts)


def opened(text: str, path: str, tools: ToolRegistry, settings: Settings) -> Snapshot:
    return open_snapshot(text, path=path, registry=tools, settings=settings)


def codes(snapshot: Snapshot) -> list[str]:
    return sorted(each.code for each in diagnostics(snapshot))


@pytest.mark.parametrize("rename", RENAMES, ids=lambda rename: rename.target)
def test_a_tool_file_defines_the_same_but_for_the_name(rename: Rename) -> None:
    renaming, replaced = definitions_of(rename)
    assert not renaming.left
    assert len(replaced.tools) == 1
    tools = json.loads(renaming.text())["tools"]
    expected = json.dumps(DEFINITIONS)
    target = target_of(rename)
    if not target.path:
        expected = expected.replace(f'"{target.name}"', f'"{rename.new}"')
        assert tools == json.loads(expected)
    old, new = target.path[-1] if target.path else "", rename.new
    for before, after in zip(DEFINITIONS, tools, strict=True):
        if target.path and before["name"] == target.name:
            changed = json.dumps(before).replace(f'"{old}"', f'"{new}"')
            assert after == json.loads(changed)
        elif target.path:
            assert after == before
    there, name = back(rename)
    assert rename_definitions(tool_file(renaming.text()), there, name)[0].text() == renaming.snapshot.document.text()


@pytest.mark.parametrize(
    ("dialect", "rename"), crossed(dialect_names(), RENAMES), ids=lambda each: getattr(each, "target", each)
)
def test_in_every_dialect(dialect: str, rename: Rename) -> None:
    before, after = written(dialect), written(dialect, rename)
    if before is None or after is None:
        pytest.skip("the dialect cannot hold such calls")
    check(before, after, "a.prompt", Settings(), rename)


@pytest.mark.parametrize(("number", "embedding"), sampled(enumerate(EMBEDDINGS), by=lambda each: each[1].host), ids=str)
def test_in_every_kind_of_file(number: int, embedding: Embedding) -> None:
    if not present(embedding):
        pytest.skip("nothing here reads such a file")
    names = dialect_names()
    chosen = [names[(number * FEW + step) % len(names)] for step in range(FEW)]
    tried = 0
    for place, dialect in enumerate(chosen):
        for rename in (RENAMES[0], RENAMES[1 + (number + place) % 3]):
            before, after = written(dialect), written(dialect, rename)
            file = embedding.write(before) if before is not None else None
            wanted = embedding.write(after) if after is not None else None
            if file is None or wanted is None:
                continue
            settings = Settings(**embedding.settings)
            read = opened(file, embedding.path, registry(), settings)
            if not any(each.kind is Kind.CALL for each in occurrences(read, target_of(rename))):
                # In such a file the dialect is not read.
                continue
            assert codes(read) == codes(opened(wanted, embedding.path, registry(rename), settings))
            renamed = check(file, None, embedding.path, settings, rename)
            assert embedding.decode([renamed]) == embedding.decode([wanted]), (dialect, rename)
            tried += 1
    assert tried or not whole()


def check(before: str, after: str | None, path: str, settings: Settings, rename: Rename) -> str:
    """Rename in a file and back again, hold the result against what it should be, and return it."""
    snapshot = opened(before, path, registry(), settings)
    renaming = rename_calls(snapshot, target_of(rename), rename.new, definitions_of(rename)[1])
    assert not renaming.left, renaming.left
    text = renaming.text()
    assert text != before
    assert after is None or text == after
    again = opened(text, path, registry(rename), settings)
    assert codes(again) == codes(snapshot)
    there, name = back(rename)
    restored = Replaced({(FILE, tool.origin.pointer): tool for tool in registry()})
    assert rename_calls(again, there, name, restored).text() == before
    pointed_at(snapshot, target_of(rename))
    return text


def pointed_at(snapshot: Snapshot, target: Target) -> None:
    """Hold every place that names the target against what is found by pointing at it."""
    for each in occurrences(snapshot, target):
        if each.kind is not Kind.CALL:
            continue
        for span in each.spans:
            found = target_at(snapshot, span.start)
            assert found is not None
            assert (found[0].name, found[0].path) == (target.name, target.path)
            assert span in found[1].spans


CORPORA: Final = sorted(
    file
    for room in ("transcripts", "hosts")
    for file in (Path(__file__).parents[1] / room).glob("*/corpus/*")
    if file.name != "SOURCES.md"
)


@pytest.mark.parametrize(
    "file", sampled(CORPORA, by=lambda file: file.parts[-3]), ids=lambda file: f"{file.parts[-3]}/{file.name}"
)
def test_in_whole_documents(file: Path) -> None:
    """Every tool that a document of the corpora calls is renamed and renamed back."""
    text = file.read_bytes().decode("utf-8-sig")
    if len(text) > 200_000:
        pytest.skip("such files take long, and show no more than others")
    snapshot = opened(text, file.name, ToolRegistry(), Settings())
    called = [placed.call.tool for placed in snapshot.placed_calls() if not placed.call.sketch]
    names = list(dict.fromkeys(name for name in called if name and re.fullmatch(r"[\w.-]+", name)))
    for name in names if whole() else names[:2]:
        new = f"other_{name}"[:60]
        renaming = rename_calls(snapshot, Target(name), new)
        assert not [left for left in renaming.left if "part of a larger text" not in left.reason], name
        assert new in renaming.text() or renaming.left or not renaming.changes
        again = opened(renaming.text(), file.name, ToolRegistry(), Settings())
        # A call that the provider itself carries out keeps its name.
        assert {name, new} & {placed.call.tool for placed in again.placed_calls()}
        assert rename_calls(again, Target(new), name).text() == text


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_whatever_is_named_anywhere_can_be_asked_for(batch: int) -> None:
    """What is pointed at in any text is where one points; renaming it fails nowhere, and says what it leaves."""
    random = seeded(f"pointed at {batch}")
    for mutant in mutants(batch, 200 if whole() else 12, "rename"):
        snapshot = mutant.opened()
        size = len(mutant.text)
        offsets = [random.randint(0, size), *(placed.span.start + 1 for placed in snapshot.placed_calls())][:4]
        for offset in offsets:
            found = target_at(snapshot, min(offset, size))
            if found is None:
                continue
            assert any(span.start <= offset <= span.end for span in found[1].spans), repr(mutant.text)
            renaming = rename_calls(snapshot, found[0], "zz_other")
            named = [each for each in occurrences(snapshot, found[0]) if each.name == found[0].word]
            assert len(renaming.changes) + len(renaming.left) == len(named), repr(mutant.text)
            assert (renaming.text() == mutant.text) == (not renaming.changes)
