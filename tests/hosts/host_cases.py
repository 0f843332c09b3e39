"""Cases and corpora of hosts and of transcripts' shapes: how they are prepared, and what they show.

Owns: the forms of `tree`, `turns` and `found`, which parser has the last word on a kind of file, and the entries of a
`corpus.md`. Must not know: any single host or shape.

A case lies in the folder of its host (`tests/hosts/<host>/`) or shape (`tests/transcripts/<shape>/`). Its diagnostics
are marked by annotation lines in the `source` fence itself, or in a `diagnostics` fence where there is one; each must
be marked. `path=` names the file; without it, it is `case` with the host's first ending, and `case.json` for a shape. A
case of a host must hold a call and one of a shape a turn, unless it says `reads=none`. `host=NAME` and `shape=NAME` say
that another one reads it, `shape=none` that it is not a transcript. `bom` puts a byte order mark in front.

The files in `corpus/` are whole documents; `corpus.md` beside that folder has an entry for each: a `source` fence with
the word `file=NAME` and nothing in it, and a `found` fence.
"""

from __future__ import annotations

import ast
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from callwright.conversation.conversation import Conversation, conversations
from callwright.document.snapshot import Snapshot
from callwright.hosts.catalogue import all_hosts, find_host
from callwright.lint.linter import diagnostics
from callwright.text.span import Span
from callwright.transcripts.catalogue import all_shapes
from dialects.dialect_cases import Places, call_lines
from dialects.dialect_cases import prepared as with_markers
from support.cases import Case, Fence, FoundDiagnostic, Producer, annotate, diagnostics_of, read_cases
from support.engine import PRODUCERS as ENGINE
from support.engine import case_snapshot

HOSTS = Path(__file__).parent
SHAPES = HOSTS.parent / "transcripts"
CORPUS = "corpus"
SOURCES = "SOURCES.md"
BOM = "\ufeff"


def folders(room: Path) -> list[Path]:
    """Return the folders of a room that hold cases."""
    return sorted(path for path in room.iterdir() if any(path.glob("*.md"))) if room.is_dir() else []


def case_files(folder: Path) -> list[Path]:
    """Return the files of cases in a folder: all but the list of its corpus."""
    return sorted(file for file in folder.glob("*.md") if file.stem != CORPUS)


def cases_in(room: Path) -> list[Case]:
    """Return the cases of a room, prepared."""
    return [prepared(case) for folder in folders(room) for file in case_files(folder) for case in _read(file)]


def corpus_files(folder: Path) -> list[Path]:
    """Return the whole documents in a folder's corpus."""
    place = folder / CORPUS
    return (
        sorted(file for file in place.rglob("*") if file.is_file() and file.name != SOURCES) if place.is_dir() else []
    )


def corpus_cases(room: Path) -> list[Case]:
    """Return the entries of the lists of a room's corpora, each with its file's text as source."""
    found: list[Case] = []
    for folder in folders(room):
        file = folder / f"{CORPUS}.md"
        for case in _read(file) if file.exists() else ():
            named = case.info.get("file")
            assert named is not None, f"{file}:{case.source_fence.first}: an entry says `source file=NAME`"
            place = folder / CORPUS / named
            text = place.read_bytes().decode("utf-8")
            info = {"path": named, **case.info}
            found.append(prepared(replace(case, source_fence=replace(case.source_fence, body=text, info=info))))
    return found


def _read(file: Path) -> list[Case]:
    return read_cases(file, file.read_text(encoding="utf-8"))


def room_of(case: Case) -> Path:
    """Return the room that a case belongs to."""
    return case.file.parent.parent


def prepared(case: Case) -> Case:
    """Return the case as it is run: with a path, its tools, and its marked source as an expected output."""
    path = case.info.get("path") or _usual_path(case)
    case = replace(case, source_fence=replace(case.source_fence, info={**case.info, "path": path}))
    return case if "file" in case.info else with_markers(case)


def _usual_path(case: Case) -> str:
    if room_of(case) == SHAPES:
        return "case.json"
    host = find_host(case.file.parent.name)
    assert host is not None, f"{case.file}: the folder is named after a host"
    return f"case{host.suffixes[0]}" if host.suffixes else host.filenames[0] if host.filenames else "case"


def snapshot_of(case: Case) -> Snapshot:
    """Return the snapshot of a prepared case."""
    return case_snapshot(case)


def reader_failure(case: Case) -> str:
    """Return in words how a prepared case is not read as it says; empty where it is."""
    snapshot = snapshot_of(case)
    own = case.file.parent.name
    shapes = sorted({part.shape for block in snapshot.blocks for part in block.transcripts})
    calls = any(True for _ in snapshot.placed_calls())
    out: list[str] = []
    host = case.info.get("host") or (own if room_of(case) == HOSTS else snapshot.host.name)
    if snapshot.host.name != host:
        out.append(f"it is read by the host `{snapshot.host.name}` and not by `{host}` (say `host=` if that is right)")
    shape = case.info.get("shape") or (own if room_of(case) == SHAPES else None)
    if shape is not None and shapes != ([] if shape == "none" else sorted(shape.split(","))):
        out.append(f"its shapes are {shapes} and not `{shape}` (say `shape=` if that is right)")
    if "file" not in case.info:
        none = case.info.get("reads") == "none"
        if none and calls:
            out.append("it says `reads=none`, and holds a call")
        if not none and room_of(case) == HOSTS and not calls:
            out.append("it holds no call (say `reads=none` if that is right)")
    return "; ".join(out)


def _shown(source: str, reported_diagnostics: Sequence[FoundDiagnostic]) -> str:
    """Return a source with its diagnostics marked; a byte order mark takes no column."""
    if not source.startswith(BOM):
        return annotate(source, reported_diagnostics)
    moved = [
        each._replace(span=Span(max(each.span.start - 1, 0), max(each.span.end - 1, 0)))
        for each in reported_diagnostics
    ]
    return annotate(source[1:], moved)


def _diagnostics(case: Case, fence: Fence) -> str:
    return _shown(case.source, diagnostics_of(diagnostics(snapshot_of(case))))


def _tree(case: Case, fence: Fence) -> str:
    """Return each call as cases of dialects do, with the role of its speaker."""
    places = Places(case.source.removeprefix(BOM))
    lead = len(case.source) - len(case.source.removeprefix(BOM))
    return "\n".join(_call_trees(snapshot_of(case), places, lead)) or "no call"


class _Moved:
    """Places of a text whose byte order mark has no column."""

    def __init__(self, places: Places, lead: int) -> None:
        self._places = places
        self._lead = lead

    def span(self, span: Span) -> str:
        """Return a span as `line:column-line:column`."""
        return self._places.span(Span(max(span.start - self._lead, 0), max(span.end - self._lead, 0)))


def _call_trees(snapshot: Snapshot, places: Places, lead: int) -> Iterator[str]:
    moved: Any = _Moved(places, lead) if lead else places
    for placed in snapshot.placed_calls():
        first, *rest = call_lines(placed, moved)
        role = placed.read.passage.role
        yield first if role is None else f"{first} by {role}"
        yield from rest


def _turns(case: Case, fence: Fence) -> str:
    """Return each conversation: its shape and profile, then a line for each turn."""
    snapshot = snapshot_of(case)
    places = Places(case.source)
    return "\n".join(line for each in conversations(snapshot) for line in turn_lines(each, places)) or "no turn"


def turn_lines(conversation: Conversation, places: Places) -> Iterator[str]:
    """Yield the lines that show one conversation."""
    yield f"{conversation.shape} ({conversation.provider})"
    for placed in conversation.turns:
        turn = placed.turn
        parts = [f"{turn.role or '?'} {places.span(placed.span(turn.place).shift(conversation.start))}"]
        for call in placed.calls:
            name = call.call.tool or "?"
            parts.append(f"call {name} ({call.call.dialect})" + _id(call.call.call_id))
        for result in turn.results:
            words = ["result"] if result.tool is None else [f"result of {result.tool}"]
            words += ["failed"] * (result.failed is True) + ["ok"] * (result.failed is False)
            parts.append(" ".join(words) + _id(result.id))
        parts += [f"finish {turn.finish}"] * (turn.finish is not None)
        parts += [f"in {turn.conversation}"] * (turn.conversation is not None)
        parts += ["begins"] * turn.begins + ["ends"] * turn.ends
        yield "  " + "; ".join(parts)


def _id(written: str | None) -> str:
    return "" if written is None else f" id={written}"


def _found(case: Case, fence: Fence) -> str:
    """Return who reads a whole document, how many calls and turns it holds, and each diagnostic with what is there."""
    snapshot = snapshot_of(case)
    places = Places(case.source)
    parts = [part for block in snapshot.blocks for part in block.transcripts]
    calls = Counter(placed.call.dialect for placed in snapshot.placed_calls())
    out = [f"host: {snapshot.host.name}"]
    if parts:
        out.append(f"shape: {', '.join(sorted({part.shape for part in parts}))}")
        out.append(f"turns: {sum(len(part.turns) for part in parts)}")
    out.append("calls: " + (", ".join(f"{count} {name}" for name, count in sorted(calls.items())) or "none"))
    for each in diagnostics(snapshot):
        shown = json.dumps(each.span.of(case.source), ensure_ascii=False)
        shown = shown if len(shown) <= 80 else f"{shown[:60]}…{shown[-16:]}"
        out.append(f"{places.span(each.span)} {each.severity.value} {each.code} {each.message} | {shown}")
    return "\n".join(out)


def _fixed(case: Case, fence: Fence) -> str:
    text = ENGINE["fixed"](case, fence)
    parse = parser_of(case.info["path"], snapshot_of(case).host.name)
    if parse is not None and _parses(parse, case.source):
        assert _parses(parse, text), f"{case}: the fixed text is no valid file of its kind any more:\n{text}"
    return text.removeprefix(BOM)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text.removeprefix(BOM))
    except Exception:  # noqa: BLE001  # parsers of a dozen kinds have a dozen ways to refuse
        return False
    return True


def parser_of(path: str, host: str) -> Callable[[str], object] | None:
    """Return what has the last word on whether a text is a valid file of its kind, None where nothing here has."""
    suffix = Path(path).suffix.lower()
    if host in ("json", "notebook"):
        return json.loads
    if host == "jsonl":
        return lambda text: [json.loads(line) for line in text.splitlines() if line.strip()]
    if host == "python":
        return ast.parse
    if host == "yaml":
        return _parse_yaml
    if host == "xml" and suffix in (".xml", ".poml"):
        return _parse_xml
    return None


def _parse_yaml(text: str) -> object:
    from ruamel.yaml import YAML

    return list(YAML(typ="safe", pure=True).load_all(io.StringIO(text)))


def _parse_xml(text: str) -> object:
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(text.encode("utf-8"), parser)


def host_names() -> list[str]:
    """Return the names of all hosts."""
    return [host.name for host in all_hosts() if host.holds == "calls"]


def shape_names() -> list[str]:
    """Return the names of all shapes of transcripts."""
    return [shape.name for shape in all_shapes()]


def missing(folder: Path) -> str:
    """Return in words what the folder of a host or a shape lacks; empty where it has all."""
    shown = folder.relative_to(HOSTS.parent)
    if not folder.is_dir() or not any(_read(file) for file in case_files(folder)):
        return f"{shown}/ needs a file of cases"
    if not corpus_files(folder):
        return f"{shown}/{CORPUS}/ needs realistic whole documents"
    sources = folder / CORPUS / SOURCES
    if not sources.exists() or "http" not in sources.read_text(encoding="utf-8"):
        return f"{shown}/{CORPUS}/{SOURCES} must name the address of the published format, or of the package"
    return ""


def unlisted(folder: Path) -> list[str]:
    """Return the names of a corpus' files that its list has no entry for."""
    file = folder / f"{CORPUS}.md"
    listed = {case.info.get("file") for case in _read(file)} if file.exists() else set()
    names = [each.relative_to(folder / CORPUS).as_posix() for each in corpus_files(folder)]
    return [name for name in names if name not in listed]


def add_entries(folder: Path, names: Sequence[str]) -> None:
    """Write empty entries for files of a corpus into its list."""
    file = folder / f"{CORPUS}.md"
    text = file.read_text(encoding="utf-8") if file.exists() else f"# The corpus of {folder.name}\n"
    entries = [f"\n## {name}\n\n```source file={name}\n```\n\n```found\n```\n" for name in names]
    file.write_text(text + "".join(entries), encoding="utf-8", newline="\n")


PRODUCERS: dict[str, Producer] = {
    **ENGINE,
    "diagnostics": _diagnostics,
    "tree": _tree,
    "turns": _turns,
    "found": _found,
    "fixed": _fixed,
}
