"""The linter: text in, diagnostics out.

Owns: which rules run on what, what settings switch off, and the order of findings. Must not know: protocols, how
settings were written, what any rule says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any

from callwright.conversation.conversation import (
    Conversation,
    conversations,
    is_by_truncation,
    is_cut_off,
    was_cut_off,
    whole_conversations,
)
from callwright.declarations.documents import contradictions
from callwright.dialects.catalogue import find_dialect
from callwright.document.blocks import Block, ReadPassage, binding_of
from callwright.document.documented_names import AnyName
from callwright.document.evidence import Evidence, evidence_of, says_xml
from callwright.document.snapshot import Origin, Snapshot
from callwright.document.suppressions import WORD, reached, suppressions_in, suppressions_of
from callwright.hosts.base import FlowHost
from callwright.hosts.catalogue import find_host
from callwright.prompt.examples import bad_examples, is_test, touches
from callwright.prompt.mentions import mentions_of, notation_in
from callwright.prompt.sections import marks_of
from callwright.prompt.sketches import is_sketched, sketch_of
from callwright.rules.base import (
    SETTLED,
    Diagnostic,
    Fix,
    MissingFix,
    Needs,
    Rule,
    Scope,
    Severity,
    SyntaxSubject,
    ToolSubject,
)
from callwright.rules.catalogue import rule_codes, rule_names, rules_for, rules_of, rules_of_sound_calls
from callwright.text.budget import breathe, is_divided
from callwright.text.document import TextDocument
from callwright.text.holes import HOLE
from callwright.text.projection import Projection, encode_all
from callwright.text.span import Edit, Span, with_newlines

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.block_runs import Run
    from callwright.document.deferred import Outlook
    from callwright.document.settings import Settings
    from callwright.document.unchanged import Rereading
    from callwright.hosts.base import Host
    from callwright.rules.support.mending import Mender
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem
    from callwright.tools.documents import ToolDocument
    from callwright.tools.registry import ToolRegistry

#: Problems that leave it open what the author meant to write after them: schema errors there would be echoes.
_LOSSY = frozenset(
    {"unmatched-quote", "not-json", "unexpected-text", "too-deep", "markup-too-deep", "truncated-tag"}
    | {"unterminated-cdata"}
)
_HOLES = re.compile(f"(?:{HOLE}|{re.escape(HOLE.encode('unicode_escape').decode())})++")
#: How long a tool file is of which it is asked first whether it is plainly in order.
_WORTH_A_VERDICT = 65_536
#: How many comments are heeded in what is told before a document was read.
_FEW_COMMENTS = 50
#: What a text says that is alone: nothing but what its calls say themselves.
_NOTHING_ELSE = Evidence(xml=False, attributes=Counter())
#: The hosts of programs, how far from each other what is wrong with one call may be, and how much that is.
_PROGRAMS = frozenset({"python", "javascript"})
_ONE_CALL = 300
_OF_ONE_CALL = 3
#: Kinds of problems that are none where the text of a value is literal, and of attributes and dashes in comments.
_OF_XML = frozenset({"unescaped-markup", "unknown-entity"})
_ATTRIBUTES = "attribute-argument"
_DASHES = "comment-dashes"
#: What says that a name is none of a tool, and none of a parameter.
_UNKNOWN_TOOL, _MISSING_ARGUMENT, _UNKNOWN_ARGUMENT = "TC301", "TC302", "TC303"
#: The finding that says of a call that nobody reads it.
_SKIPPED = "TC114"
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2, Severity.HINT: 3}


def open_snapshot(
    text: str,
    *,
    path: str | None,
    registry: ToolRegistry,
    settings: Settings,
    language: str | None = None,
    host: Host | None = None,
    boundary: str | None = None,
    by_shape: bool = False,
) -> Snapshot:
    """Return the snapshot of a text, read by `host`, else by the host that its path or language asks for.

    With `by_shape`, the shape of a call is evidence enough that a tag of no known name is one.
    """
    document = TextDocument.from_text(text)
    return Snapshot.open(
        document,
        Origin(path or "", path, language, host, boundary, triage),
        registry=registry,
        settings=settings,
        documented=AnyName(document) if by_shape else None,
    )


def triage(text: str, registry: ToolRegistry, settings: Settings) -> Outlook | None:
    """Return what there may be to say about a long JSON text; the fast path is loaded where there is one."""
    from callwright.fastpath.triage import triage as answer

    return answer(text, registry, settings)


def diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return every finding of a document in the order of its text, in offsets of the document.

    A block's findings are kept with the block, so that after an edit only the blocks that were read again are checked.
    A file that holds tools or a configuration is judged as a whole.
    """
    if snapshot.host.holds != "calls":
        return _whole_diagnostics(snapshot)
    faultless = bool(snapshot.blocks) and all(block.faultless for block in snapshot.blocks)
    if faultless and not any(block.problems or block.doubtful for block in snapshot.blocks):
        return []
    found: list[Diagnostic] = []
    newline = snapshot.document.newline
    # Of a file of many records, each is a text of its own.
    rows = snapshot.is_of_rows
    for place, run in snapshot.blocks.placed_runs():
        for start, block in _faulty_in(run, snapshot):
            own = _block_diagnostics(block, snapshot)
            at = place + start
            shown = _placed_once(block, own, at, newline) if at or newline != "\n" else own
            found += borne_out(shown, _Known(snapshot, partial(_one, at, block))) if rows else shown
    # A host's own diagnostic is made before its place in the document is known.
    characters = _Characters(snapshot.document)
    for each in found:
        if each.source is None or isinstance(each.source, _Characters):
            each.source = characters
    found = _without_bad_places(snapshot, found)
    if not rows:
        found = borne_out(found, _Known(snapshot, lambda: zip(snapshot.starts, snapshot.blocks, strict=True)))
    if faultless:
        return _heeding(snapshot, found)
    more = _conversation_diagnostics(snapshot, newline) or list(_document_diagnostics(snapshot))
    more += _declared_diagnostics(snapshot)
    more = _without_bad_places(snapshot, more)
    return _heeding(snapshot, sorted(found + more, key=finding_order) if more else found)


def _without_bad_places(snapshot: Snapshot, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings, of a text that flows without those in examples of what not to do."""
    if not found or not snapshot.host.flow or not snapshot.settings.placeholders:
        return found
    from callwright.prompt.example_places import bad_example_places

    bad = bad_example_places(snapshot, max(each.span.start for each in found) + 1)
    return [each for each in found if not touches(bad, each.span)] if bad else found


class _Characters:
    """The source of a finding that stands in its place in a document."""

    __slots__ = ("_document",)

    def __init__(self, document: TextDocument) -> None:
        self._document = document

    def __call__(self, span: Span) -> str:
        """Return the characters of a span."""
        return self._document.slice(*span)


def diagnostics_so_far(snapshot: Snapshot, most: int) -> list[Diagnostic]:
    """Return what is known to be wrong in a document of which only a part was looked at, the first `most` findings.

    Nothing is looked at for their sake. What only a whole document tells is left out, and all of it where too many
    comments would have to be heeded.
    """
    if snapshot.host.holds != "calls":
        return []
    found: list[Diagnostic] = []
    newline = snapshot.document.newline
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        own = [each for each in block.cache.get("diagnostics", []) if each.needs is None]
        found += [placed(diagnostic, start, newline) for diagnostic in own[: most - len(found)]]
    found = _without_bad_places(snapshot, found)
    if not found:
        return []
    looked_at = [block for block in snapshot.blocks if "suppressions" in block.cache]
    if sum(len(block.cache["suppressions"]) for block in looked_at) > _FEW_COMMENTS:
        return []
    own_ones = {id(each) for each in found}
    return [each for each in _heeding(snapshot, found) if id(each) in own_ones]


def look(block: Block, snapshot: Snapshot, start: int) -> None:
    """Find what there is in a block that begins at `start`, and keep with it whatever else `diagnostics` asks of each.

    What was read in it is not needed after that, as a rule.
    """
    if snapshot.host.holds == "calls" and not block.faultless:
        _block_diagnostics(block, snapshot)
        suppressions_of(block, snapshot, start)
        mentions_of(block, snapshot, start)
        evidence_of(block, snapshot, start)
        notation_in(block)
        if snapshot.host.flow:
            marks_of(block)
            reached(block)


def _heeding(snapshot: Snapshot, found: list[Diagnostic], subjects: Sequence[Span] | None = None) -> list[Diagnostic]:
    """Return findings without those that the author's comments suppress, and with what is wrong with the comments.

    `subjects` are what a comment stands in front of where that is no call.
    """
    suppressions = suppressions_in(snapshot)
    if not suppressions:
        return found
    from callwright.document.suppressing import Codes, settle

    settings = snapshot.settings
    codes = rule_codes()
    names: dict[str, list[str]] = {}
    for name, code in codes.items():
        names.setdefault(code, []).append(name)

    def is_off(code: str) -> bool:
        return settings.is_off(code, names[code][-1])

    kept, problems = settle(snapshot, found, suppressions, Codes(codes, is_off), subjects)
    # What is said to Callwright in a comment is no word of the author's text.
    source = _source_without(
        snapshot, lambda: [each.projection.raw_span(each.removal).shift(at) for at, each in suppressions]
    )
    more = [each for problem in problems for each in _word(problem, None, "", snapshot.registry, settings, source)]
    if snapshot.host.holds == "calls":
        _only_guess_where_more_changes(snapshot, more)
    return sorted(kept + more, key=finding_order) if more else kept


def _only_guess_where_more_changes(snapshot: Snapshot, said: Sequence[Diagnostic]) -> None:
    """Have fixes of comments be guesses where something else would be read otherwise without the comment."""

    as_stated = [replace(each) for each in said]

    @cache
    def rereading() -> Rereading:
        from callwright.document.unchanged import Rereading

        fixes = (fix for each in as_stated for fix in each.fixes if fix.is_safe)
        return Rereading(snapshot, lambda: [edit for fix in fixes for edit in fix.edits])

    def is_same(fix: Fix) -> bool:
        return rereading().is_same_after(fix.edits)

    for each in said:
        each.only_guess_unless(is_same)


def _whole_diagnostics(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the findings of a tool file or a configuration file; made once."""
    block = snapshot.blocks[0]
    cached: list[Diagnostic] | None = block.cache.get("diagnostics")
    if cached is not None:
        return cached
    text, path = snapshot.document.text(), snapshot.path or snapshot.uri
    if snapshot.host.holds == "tools":
        quick = _quick_tool_diagnostics(text, path, snapshot) if len(text) >= _WORTH_A_VERDICT else None
        found = (
            quick if quick is not None else tool_diagnostics(tools_of(snapshot), snapshot.registry, snapshot.settings)
        )
    elif path.endswith("pyproject.toml") and "callwright" not in text:
        found = []
    else:
        from callwright.config import read_config

        project = read_config(text, path, boundary=snapshot.origin.boundary, known_rules=rule_names())
        problems = [problem for file, problem in project.problems if file == str(project.file)]
        found = file_diagnostics(problems, snapshot.registry, project.settings, text=text, path=path)
    newline = snapshot.document.newline
    if newline != "\n":
        found = [placed(diagnostic, 0, newline) for diagnostic in found]
    block.cache["diagnostics"] = found
    return found


def tools_of(snapshot: Snapshot) -> ToolDocument:
    """Return what a tool file defines; read once."""
    from callwright.declarations.documents import read_tools_of

    cache = snapshot.blocks[0].cache
    document: ToolDocument | None = cache.get("tools")
    if document is None:
        document = cache["tools"] = read_tools_of(snapshot.document.text(), snapshot.path or snapshot.uri)
    return document


def _quick_tool_diagnostics(text: str, path: str, snapshot: Snapshot) -> list[Diagnostic] | None:
    """Return the findings of a tool file of which all but a few definitions, or commas, are plainly in order; None of
    any other.

    Only those few are read closely.
    """
    if is_divided():
        # The verdict comes in one piece.
        return None
    from callwright.declarations.documents import read_tools_of
    from callwright.rules.support.plain_tools import doubtful_tools, fault_alone

    doubtful = doubtful_tools(text, path, snapshot.registry, snapshot.settings)
    if doubtful is None:
        fault = fault_alone(text, path, snapshot.registry, snapshot.settings)
        return None if fault is None else file_diagnostics([fault], snapshot.registry, snapshot.settings, text=text)
    if not doubtful:
        return []
    document = read_tools_of(text, path, only=doubtful)
    return tool_diagnostics(document, snapshot.registry, snapshot.settings)


def tool_diagnostics(document: ToolDocument, registry: ToolRegistry, settings: Settings) -> list[Diagnostic]:
    """Return the findings in a tool file: its problems, and what the rules say of each definition and of all of them.

    `registry` holds the tools of the whole project.
    """
    text = document.text
    found = [each for problem in document.problems for each in _word(problem, None, text, registry, settings)]
    cache: dict[Any, Any] = {}
    source = _source_of(text)
    subjects = [ToolSubject(definition, document, registry, settings, cache) for definition in document.definitions]
    for rule in rules_of(Scope.TOOLS):
        if rule.problems:
            continue
        for subject in subjects:
            breathe()
            for diagnostic in rule.check(subject):
                found += _settled(diagnostic, rule, settings, source)
    # What several definitions share, as a schema that they refer to, is told of once.
    once = {(each.code, each.span, each.message): each for each in reversed(found)}
    ordered = sorted(once.values(), key=finding_order)
    if WORD not in text:
        return ordered
    places = sorted(document.places.value(definition.path) for definition in document.definitions)
    return _heeding_in_file(text, document.file, "tool-file", ordered, registry, settings, places)


def _document_diagnostics(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield what the rules say of a text as a whole.

    Transcripts are told about as conversations instead, and of a file of many records each is a text of its own.
    """
    if snapshot.is_of_rows or snapshot.has_transcripts:
        return
    newline = snapshot.document.newline
    # Nor is what Callwright writes into the document itself.
    source = _source_without(snapshot, lambda: _managed(snapshot))
    for rule in rules_of(Scope.DOCUMENT):
        for diagnostic in rule.check(snapshot):
            for own in _settled(diagnostic, rule, snapshot.settings, source):
                yield own if newline == "\n" else placed(own, 0, newline)


def _declared_diagnostics(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield what is wrong with the tools that a document declares."""
    own = snapshot.own_tools.declarations
    if not own or not snapshot.is_own:
        return
    registry, settings = snapshot.registry, snapshot.settings
    for each in own:
        checked = each.read.checked
        if not checked or checked[0][0] is not settings:
            breathe()
            checked[:] = [(settings, [*_checked_declaration(each.read.document, registry, settings)])]
        for found in checked[0][1]:
            span, related = each.place(found.span), tuple((each.place(where), text) for where, text in found.related)
            yield replace(found, span=span, related=related)
    for problem in contradictions(own.found) if snapshot.own_tools.repeats else ():
        yield from _word(problem, None, "", registry, settings, SETTLED)


def _checked_declaration(document: ToolDocument, registry: ToolRegistry, settings: Settings) -> Iterator[Diagnostic]:
    """Yield what the rules that know declarations say of one, without fixes, in offsets of its text."""
    wanted = {rule.code for rule in rules_of(Scope.TOOLS) if rule.of_declarations}
    for found in tool_diagnostics(document, registry, settings):
        if found.code in wanted:
            yield replace(found, _fixes=(), source=SETTLED)


def _managed(snapshot: Snapshot) -> list[Span]:
    """Return where the text of managed blocks stands in a document."""
    from callwright.teaching.blocks import managed_blocks

    blocks = managed_blocks(snapshot)[0]
    return [edit.span for block in blocks if block.text is not None for edit in block.write(block.text) or ()]


def _conversation_diagnostics(snapshot: Snapshot, newline: str) -> list[Diagnostic]:
    """Return what the rules say about whole conversations, in offsets of the document.

    A conversation is looked at once while its turns stay as they are, and, where it lies in several blocks, where they
    are.
    """
    if isinstance(snapshot.host, FlowHost) or not snapshot.has_transcripts:
        return []
    told = [(place, _told_in(run, snapshot, place)) for place, run in snapshot.blocks.placed_runs()]
    if all(own is not None for _, own in told):
        return [
            placed(each, place + start, newline) for place, own in told for start, found in own or () for each in found
        ]
    return [
        placed(each, conversation.start, newline)
        for conversation in conversations(snapshot)
        for each in _told_of(conversation, snapshot)
    ]


def _told_in(run: Run, snapshot: Snapshot, place: int) -> Sequence[tuple[int, Sequence[Diagnostic]]] | None:
    """Return what is said about each conversation of a run that begins at `place`, behind where its block begins; None
    where one may go on in other blocks."""

    def told(run: Run) -> Sequence[tuple[int, Sequence[Diagnostic]]] | None:
        if not all(part.whole for block in run.blocks for part in block.transcripts):
            return None
        return [
            (start, found)
            for start, block in run.placed()
            if block.transcripts
            for conversation in whole_conversations(block, place + start, snapshot)
            if (found := _told_of(conversation, snapshot))
        ]

    return run.known("told", told)


def _told_of(conversation: Conversation, snapshot: Snapshot) -> Sequence[Diagnostic]:
    """Return what is said about a conversation; kept with its block, or with the first of them."""
    breathe()
    block = conversation.block or conversation.turns[0].block
    own: dict[int, tuple[Conversation, list[Diagnostic]]] | None = block.cache.get("conversations")
    if own is None:
        own = block.cache["conversations"] = {}
        block.on_release += (partial(block.cache.pop, "conversations", None),)
    first = id(conversation.turns[0].turn)
    seen = own.get(first)
    if seen is None or not seen[0].same_as(conversation):
        source = _source_at(snapshot, partial(_shifted, conversation.start))
        own[first] = seen = (conversation, list(_check_conversation(conversation, snapshot, source)))
    return seen[1]


def _check_conversation(
    conversation: Conversation, snapshot: Snapshot, source: Callable[[Span], str]
) -> Iterator[Diagnostic]:
    for rule in rules_of(Scope.CONVERSATION):
        for diagnostic in rule.check(conversation):
            breathe()
            yield from _settled(diagnostic, rule, snapshot.settings, source)


def _source_without(snapshot: Snapshot, spans: Callable[[], Sequence[Span]]) -> Callable[[Span], str]:
    """Return what returns the characters of a span of the document, those left out that are in one of `spans`."""
    document = snapshot.document
    ordered: list[Span] = []

    def source(span: Span) -> str:
        if not ordered:
            ordered.extend(sorted(spans()))
        pieces: list[str] = []
        at = span.start
        first = bisect_left(ordered, span.start, key=lambda each: each.end)
        for start, end in takewhile(lambda each: each.start < span.end, islice(ordered, first, None)):
            pieces.append(document.slice(at, max(at, start)))
            at = min(max(at, end), span.end)
        return "".join((*pieces, document.slice(at, span.end)))

    return source


def _shifted(by: int, span: Span) -> Span:
    return span.shift(by)


def _source_at(snapshot: Snapshot, where: Callable[[Span], Span]) -> Callable[[Span], str]:
    """Return what returns the characters of a span, which stands at `where(span)` in the document."""
    document = snapshot.document
    return lambda span: document.slice(*where(span))


def _placed_once(block: Block, own: list[Diagnostic], start: int, newline: str) -> list[Diagnostic]:
    """Return a block's findings in offsets of the document: the same objects while the block stays in its place."""
    known: tuple[int, str, list[Diagnostic]] | None = block.cache.get("placed")
    if known is None or known[0] != start or known[1] != newline:
        known = (start, newline, [placed(diagnostic, start, newline) for diagnostic in own])
        block.cache["placed"] = known
    return known[2]


def file_diagnostics(
    problems: Iterable[Problem], registry: ToolRegistry, settings: Settings, *, text: str = "", path: str = ""
) -> list[Diagnostic]:
    """Return the findings for problems of a tool file or a configuration file, in offsets of that file.

    Where its `text` is given, the comments in it are heeded; `path` says in which language it is written.
    """
    source = _source_of(text)
    found = [each for problem in problems for each in _word(problem, None, "", registry, settings, source)]
    found.sort(key=finding_order)
    if WORD not in text:
        return found
    return _heeding_in_file(text, path, "configuration", found, registry, settings, ())


def _heeding_in_file(
    text: str,
    path: str,
    host: str,
    found: list[Diagnostic],
    registry: ToolRegistry,
    settings: Settings,
    subjects: Sequence[Span],
) -> list[Diagnostic]:
    """Return findings in a file that holds no calls as its own comments want them."""
    snapshot = open_snapshot(text, path=path, registry=registry, settings=settings, host=find_host(host))
    return _heeding(snapshot, found, subjects)


def _faulty_in(run: Run, snapshot: Snapshot) -> Sequence[tuple[int, Block]]:
    """Return the blocks of a run that have findings, behind where each begins in it."""
    known: Sequence[tuple[int, Block]] | None = run.kept.get("faulty")
    if known is None:
        known = [(start, block) for start, block in run.placed() if _block_diagnostics(block, snapshot)]
        # What is said of a block that waits may change once it is taken apart.
        if not any(block.faultless for block in run.blocks):
            run.kept["faulty"] = known
    return known


def _block_diagnostics(block: Block, snapshot: Snapshot) -> list[Diagnostic]:
    cached: list[Diagnostic] | None = block.cache.get("diagnostics")
    if cached is None:
        breathe()
        if block.is_patched:
            return _patched_diagnostics(block, snapshot)
        cached = [*_check_block(block, snapshot)]
        if _tests_faults(cached, snapshot):
            cached = []
        for start, part in block.doubtful:
            alone = snapshot.part(part, start)
            own = _block_diagnostics(part, alone) + _conversation_diagnostics(alone, "\n")
            cached += [placed(each, start, "\n") for each in own]
        cached.sort(key=finding_order)
        block.cache["diagnostics"] = cached
    return cached


def _tests_faults(found: list[Diagnostic], snapshot: Snapshot) -> bool:
    """Return whether a program is a test that holds faulty calls in several places, so that they are what it is about.

    Where tools or a dialect are named, or a comment speaks to Callwright, its author has said what is to be checked.
    """
    if len(found) < 2 or snapshot.host.name not in _PROGRAMS or not is_test(snapshot.path or ""):
        return False
    if snapshot.registry.closed or snapshot.settings.dialect is not None or not snapshot.settings.placeholders:
        return False
    faults = [each.span.start for each in found if each.severity in (Severity.ERROR, Severity.WARNING)]
    apart = any(after - before > _ONE_CALL for before, after in pairwise(sorted(faults)))
    return (apart or len({*faults}) > _OF_ONE_CALL) and WORD not in snapshot.document.text()


def _patched_diagnostics(block: Block, snapshot: Snapshot) -> list[Diagnostic]:
    """Return all that is to be said of a patched block, and keep it: what was found in its base, at its places now, but
    for the entries that were read again, and what is found in these."""
    from callwright.conversation.patched import patched_conversation
    from callwright.document.patched import PatchedBlock

    assert isinstance(block, PatchedBlock), "it says so"
    base = block.plan.base
    found: list[Diagnostic] = []
    faults: dict[int, list[Diagnostic]] = {}
    shown: dict[int, Diagnostic] = {}
    whole = snapshot.with_blocks([base])
    own = _block_diagnostics(base, whole)
    for each in own if block.plan.whole is not None else own + _base_conversations(base, whole):
        if block.keeps(each.span.start):
            shown[id(each)] = moved = _moved(each, block.moved_span)
            found.append(moved)
    said = [base.cache["faults"]]
    for patch in block.patches:
        alone = snapshot.with_blocks([patch.block])
        known = _block_diagnostics(patch.block, alone)
        said.append(patch.block.cache["faults"])
        if block.plan.whole is None:
            known = known + _conversation_diagnostics(alone, "\n")
        for each in known:
            shown[id(each)] = moved = placed(each, patch.shift, "\n")
            found.append(moved)
    for by_turn in said:
        for turn, about in by_turn.items():
            kept = [shown[id(each)] for each in about if id(each) in shown]
            if kept:
                faults[turn] = kept
    conversation = patched_conversation(block, snapshot)
    if conversation is not None:
        source = _source_at(snapshot, block.moved_span)
        found += [_moved(each, block.moved_span) for each in _check_conversation(conversation, snapshot, source)]
    found.sort(key=finding_order)
    block.cache["faults"], block.cache["diagnostics"] = faults, found
    return found


def _base_conversations(base: Block, whole: Snapshot) -> list[Diagnostic]:
    """Return what is to be said of the conversations of a base, kept with it."""
    known: list[Diagnostic] | None = base.cache.get("said of conversations")
    if known is None:
        known = base.cache["said of conversations"] = _conversation_diagnostics(whole, "\n")
    return known


def finding_order(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
    """Return what a passage's findings are sorted by."""
    return (diagnostic.span.start, _RANK[diagnostic.severity], diagnostic.span.end, diagnostic.code)


def _check_block(block: Block, snapshot: Snapshot) -> Iterator[Diagnostic]:
    for problem in block.problems:
        yield from _word(problem, None, "", snapshot.registry, snapshot.settings)
    if block.faultless:
        block.cache["faults"] = {}
        return
    faults: dict[int, list[Diagnostic]] = {}
    seen: set[tuple[str, int, int, str]] = set()
    for read in block.passages:
        projection = read.passage.projection
        own = [shown(projected(each, projection)) for each in _checked(read, snapshot.registry, snapshot.settings)]
        if read.passage.version is not None:
            own = list(_not_said_before(own, seen))
        if own and snapshot.settings.placeholders and not snapshot.host.flow:
            own = _without_bad_examples(own, read)
        if read.passage.turn is not None and own:
            faults.setdefault(id(read.passage.turn), []).extend(each for each in own if each.needs is None)
        yield from own
    block.cache["faults"] = faults


def _without_bad_examples(found: list[Diagnostic], read: ReadPassage) -> list[Diagnostic]:
    """Return the findings of a text in a record, without those in examples of what not to do."""
    passage = read.passage
    if passage.calls is not None:
        return found
    places = bad_examples(passage.text, lambda: [each.call.place for each in read.calls])[0]
    bad = [passage.projection.raw_span(place) for place in places]
    return [each for each in found if not touches(bad, each.span)]


def _not_said_before(found: Iterable[Diagnostic], seen: set[tuple[str, int, int, str]]) -> Iterator[Diagnostic]:
    """Yield the findings that no earlier version of a template has."""
    for diagnostic in found:
        key = (diagnostic.code, *diagnostic.span, diagnostic.message)
        if key not in seen:
            seen.add(key)
            yield diagnostic


def check_passage(
    read: ReadPassage, registry: ToolRegistry, settings: Settings, *, whole: bool | None = None
) -> list[Diagnostic]:
    """Return the findings of one passage in offsets of its text, each once, in the order of the text.

    `whole` says that it is a reply and nothing of it is still to come; without a word, that a reply is. What else there
    is of a document is not known, nor what a stream is still to bring: each call bears out its findings by itself.
    """
    if not settings.placeholders and whole is not False:
        return check_reply(read, registry, settings)[0]
    return borne_out(_checked(read, registry, settings, whole=whole), _NOTHING_ELSE)


def _checked(
    read: ReadPassage, registry: ToolRegistry, settings: Settings, *, whole: bool | None = None
) -> list[Diagnostic]:
    """Return the findings of one passage, whatever they need to be shown."""
    if not settings.placeholders and whole is not False:
        return check_reply(read, registry, settings)[0]
    return _checked_by_call(_said_once(read, registry, settings), read, registry, settings)


def check_reply(
    read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the findings of a whole reply, and those that it has even if more text follows: what a stream says.

    Both are in the order of the text, in its offsets.
    """
    found = borne_out(_said_once(read, registry, settings), _NOTHING_ELSE)
    certain = _checked_by_call(found, read, registry, settings)
    return sorted(_whole_reply([*found], read, registry, settings), key=finding_order), certain


def _said_once(read: ReadPassage, registry: ToolRegistry, settings: Settings) -> list[Diagnostic]:
    seen: set[tuple[str, int, int, str]] = set()
    found: list[Diagnostic] = []
    for diagnostic in _check_passage(read, registry, settings):
        key = (diagnostic.code, *diagnostic.span, diagnostic.message)
        if key not in seen:
            seen.add(key)
            found.append(diagnostic)
    return found


def _checked_by_call(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return findings with the fixes that each call allows by itself, in the order of the text."""
    if found:
        # Loaded where something is wrong, and nothing is tried before somebody asks for a fix.
        from callwright.rules.support.marker_mending import mended_by_call

        tools = registry if read.registry is None else read.registry
        found = mended_by_call(found, read, tools, settings)
    return sorted(found, key=finding_order)


def _whole_reply(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return the findings of a reply, which is whole: also what its calls do not say, for nobody reads them.

    Of a text that may go on, as a document's block does and a stream, none of this could be said.
    """
    from callwright.recovery.stray_marks import doubled_closers, doubled_openers, text_behind, torn_closers
    from callwright.recovery.unread_calls import stray_call, unread_calls

    text = read.passage.text
    tools = registry if read.registry is None else read.registry
    for problem in (
        *doubled_openers(text, read.calls),
        *doubled_closers(text, read.calls),
        *text_behind(text, read.calls),
        *torn_closers(text, read.calls),
    ):
        found += _word(problem, None, text, registry, settings)
    stray = stray_call(text, read.calls, tools, settings)
    about_marks = any(each.code.startswith("TC1") and each.error_type is not None for each in found)
    if found:
        from callwright.rules.support.marker_mending import mended

        unread = stray is not None and stray.is_certain and not any(each.code == _SKIPPED for each in found)
        found = mended(found, read, registry, settings, unread=unread)
    if stray is not None and not about_marks:
        for problem in unread_calls(text, read.calls, stray, tools, settings):
            found += _word(problem, None, text, registry, settings)
    return found


def _check_passage(read: ReadPassage, registry: ToolRegistry, settings: Settings) -> Iterator[Diagnostic]:
    text = read.passage.text
    turn = read.passage.turn
    if read.registry is not None:
        # What a call was meant to be is decided by the tools that it is bound to.
        registry = read.registry
    cut_off = turn is not None and was_cut_off(turn)
    for problem in read.problems:
        if settings.placeholders and is_sketched(problem, text):
            continue
        if not (cut_off and is_by_truncation(problem)):
            yield from _word(problem, None, text, registry, settings)
    for found in read.calls:
        breathe()
        call = found.call
        mender = _mender(call, text, registry, settings) if call.problems else None
        if cut_off and is_cut_off(read, found, binding_of(read, found, registry, settings)):
            # It is said once, of the conversation, that the reply ran out of room here.
            continue
        binding = binding_of(read, found, registry, settings)
        own = [] if call.sketch and settings.placeholders else list(_call_findings(binding, settings, _source_of(text)))
        if not settings.strict and any(map(_may_hold_arguments, call.problems)):
            # The text between its tags may be the argument that is missing, or give it.
            own = [each for each in own if each.code != _MISSING_ARGUMENT]
        doubtful = bool(call.problems or binding.problems or own)
        sketch = sketch_of(binding) if settings.placeholders and doubtful else None
        for problem in call.problems:
            if problem.data.get("unnamed") and not settings.strict:
                # No argument is named for the text; what it is for is said elsewhere.
                continue
            if sketch is None or sketch.keeps(problem):
                said = _word(problem, call, text, registry, settings)
                said = said if mender is None else mender.mended(said, problem)
                yield from said if settings.strict else _needing(said, problem, call, text, registry, settings)
        for problem in binding.problems:
            if sketch is None or sketch.keeps(problem):
                yield from _word(problem, call, text, registry, settings)
        if sketch is not None:
            # A placeholder stands for a value, or for any name: not for one that is nearly a tool's or a parameter's.
            own = [each for each in own if not sketch.lost and _is_slip(each, binding)]
        said = iter(own) if mender is None else mender.mended(own, None)
        attributes = next((each for each in call.problems if each.kind == _ATTRIBUTES), None)
        if attributes is None or settings.strict:
            yield from said
        else:
            # Where the arguments are attributes, none of them is missing, and none is written twice.
            yield from _needing(said, attributes, call, text, registry, settings)


def _may_hold_arguments(problem: Problem) -> bool:
    """Return whether a problem is about a text that may be an argument, or that gives some as JSON."""
    among = problem.kind == "text-between-parameters" and str(problem.data.get("text", "")).startswith("{")
    return among or bool(problem.data.get("unnamed"))


def _is_slip(diagnostic: Diagnostic, binding: Binding) -> bool:
    """Return whether what is said of a call is that a name in it is a slip of a known one."""
    tool = binding.call.tool
    if tool is not None and not binding.candidates:
        return diagnostic.code == _UNKNOWN_TOOL and binding.registry.near(tool) is not None
    return diagnostic.code == _UNKNOWN_ARGUMENT and diagnostic.span in binding.slips


def _needing(
    said: Iterable[Diagnostic],
    problem: Problem,
    call: ToolCall,
    text: str,
    registry: ToolRegistry,
    settings: Settings,
) -> Iterator[Diagnostic]:
    """Yield what is said of a problem with what the document has to bear out, if nobody has said it; none of it where
    that is not enough."""
    needs: Needs | None = None
    if problem.kind in _OF_XML:
        markup = _markup_of(problem, call, text, registry, settings)
        if markup == "raw":
            # The call of a tool that is not known was read as XML all the same.
            return
        needs = Needs(xml=True) if markup is None else None
    elif problem.kind == _ATTRIBUTES:
        if call.tool is None or not registry.has(call.tool):
            return
        needs = Needs(elements=True, tool=call.tool)
    elif problem.kind == _DASHES and _markup_of(problem, call, text, registry, settings) != "xml":
        # Every reader but one of XML passes over the comment.
        return
    for each in said:
        each.needs = needs
        yield each


def _markup_of(problem: Problem, call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> str | None:
    """Return how the text of a value is written, None where neither a setting, the tool, the dialect nor the value says
    it."""
    known = settings.markup or (registry.markup(call.tool) if call.tool is not None else None)
    if known is not None:
        return known
    dialect = find_dialect(call.dialect)
    if dialect is not None and dialect.markup is not None:
        return dialect.markup
    value = problem.data.get("value")
    return "xml" if isinstance(value, Span) and says_xml(value.of(text)) else None


def borne_out(found: list[Diagnostic], evidence: Evidence | _Known) -> list[Diagnostic]:
    """Return the findings that a text bears out."""
    if all(each.needs is None for each in found):
        return found
    return [each for each in found if each.needs is None or _bears_out(evidence, each.needs)]


def _bears_out(evidence: Evidence | _Known, needs: Needs) -> bool:
    if needs.xml and not evidence.xml:
        return False
    if needs.rows and not (isinstance(evidence, _Known) and evidence.rows):
        return False
    return not needs.elements or evidence.attributes[needs.tool] <= 1


def _one(start: int, block: Block) -> list[tuple[int, Block]]:
    return [(start, block)]


class _Known:
    """The evidence of a document, or of one record, looked for once it is asked for."""

    def __init__(self, snapshot: Snapshot, parts: Callable[[], Iterable[tuple[int, Block]]]) -> None:
        self._snapshot = snapshot
        self._parts = parts

    @cached_property
    def _found(self) -> list[Evidence]:
        return [evidence_of(block, self._snapshot, start) for start, block in self._parts()]

    @cached_property
    def xml(self) -> bool:
        """Whether XML's escapes are written or taught."""
        return any(part.xml for part in self._found)

    @property
    def rows(self) -> bool:
        """Whether the document is rows of JSON with conversations among them."""
        return self._snapshot.is_of_conversations

    @cached_property
    def attributes(self) -> Counter[str]:
        """How many tags of each name have attributes."""
        return sum((part.attributes for part in self._found), Counter())


def _mender(call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> Mender | None:
    """Return what decides over the fixes of a call that was hard to read, None for other calls."""
    # Loaded where something is wrong, and nothing is tried before somebody asks for a fix.
    from callwright.rules.support.mending import Mender

    return Mender.of(call, text, registry, settings)


def _call_findings(binding: Binding, settings: Settings, source: Callable[[Span], str]) -> Iterator[Diagnostic]:
    lossy = any(
        problem.kind in _LOSSY or problem.data.get("by_truncation") or problem.data.get("truncated")
        for problem in binding.call.problems
    )
    for rule in rules_of_sound_calls() if binding.fits else rules_of(Scope.CALL):
        if lossy and rule.needs_whole_call:
            continue
        for diagnostic in rule.check(binding):
            yield from _settled(diagnostic, rule, settings, source)


def _word(
    problem: Problem,
    call: ToolCall | None,
    text: str,
    registry: ToolRegistry,
    settings: Settings,
    source: Callable[[Span], str] | None = None,
) -> Iterator[Diagnostic]:
    """Let the rules that know a problem's kind say it; `source` is needed where the `text` is not at hand."""
    source = source or (_source_of(text) if text else None)
    for rule in rules_for(problem.kind):
        for diagnostic in rule.check(SyntaxSubject(problem, text, call, registry, settings)):
            yield from _settled(diagnostic, rule, settings, source)


def _source_of(text: str) -> Callable[[Span], str]:
    return lambda span: span.of(text)


def _settled(
    diagnostic: Diagnostic, rule: Rule, settings: Settings, source: Callable[[Span], str] | None
) -> Iterator[Diagnostic]:
    """Yield a finding as the settings want it: switched off, with another severity, or as it is.

    `source` returns the characters of a span of the text that the rule was asked about, None where nobody knows them.
    """
    if settings.is_off(rule.code, rule.name):
        return
    diagnostic.source = source
    wanted = settings.severity_of(rule.code, rule.name) if settings.severity else None
    if wanted is not None:
        diagnostic.severity = Severity(wanted)
    elif settings.strict and diagnostic.severity is Severity.WARNING:
        diagnostic.severity = Severity.ERROR
    yield diagnostic


def shown(diagnostic: Diagnostic) -> Diagnostic:
    """Return a finding whose words show no holes."""
    if _HOLES.search(diagnostic.message):
        diagnostic.message = _HOLES.sub("…", diagnostic.message)
    if diagnostic.related and any(HOLE in text for _, text in diagnostic.related):
        diagnostic.related = tuple((span, _HOLES.sub("…", text)) for span, text in diagnostic.related)
    return diagnostic


def projected(diagnostic: Diagnostic, projection: Projection) -> Diagnostic:
    """Return a passage's finding in offsets of its block; a fix that the file's notation cannot hold is missing."""

    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.fixes:
            edits = encode_all(projection, fix.edits)
            if edits is not None:
                yield replace(fix, edits=edits, title=_without_holes(fix.title))

    def missing() -> Iterator[MissingFix]:
        for one in diagnostic.missing_fixes:
            yield MissingFix(_without_holes(one.title), _without_holes(one.reason))
        for fix in diagnostic.fixes:
            if encode_all(projection, fix.edits) is None:
                yield MissingFix(_without_holes(fix.title), "the file's own notation cannot hold the result")

    return replace(
        diagnostic,
        span=projection.raw_span(diagnostic.span),
        related=tuple((projection.raw_span(span), text) for span, text in diagnostic.related),
        _fixes=fixes,
        source=SETTLED,
        missing=missing,
    )


def _without_holes(text: str) -> str:
    return _HOLES.sub("…", text) if HOLE in text else text


def _moved(diagnostic: Diagnostic, where: Callable[[Span], Span]) -> Diagnostic:
    """Return a finding of which every part stands somewhere else."""

    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.carried():
            yield replace(fix, edits=tuple(Edit(where(span), text) for span, text in fix.edits))

    return Diagnostic(
        diagnostic.code,
        diagnostic.name,
        diagnostic.severity,
        diagnostic.message,
        where(diagnostic.span),
        diagnostic.error_type,
        tuple((where(span), text) for span, text in diagnostic.related),
        diagnostic.tags,
        fixes,
        None if diagnostic.source is None else SETTLED,
        diagnostic.needs,
        diagnostic.missing,
    )


def placed(diagnostic: Diagnostic, by: int, newline: str) -> Diagnostic:
    """Return a block's finding in offsets of the document: the block begins at `by`, and lines end with `newline`."""

    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.carried():
            edits = tuple(Edit(span.shift(by), text) for span, text in fix.edits)
            yield replace(fix, edits=with_newlines(edits, newline))

    # Every finding behind an edit is placed anew at each keystroke: `replace` would take most of that time.
    return Diagnostic(
        diagnostic.code,
        diagnostic.name,
        diagnostic.severity,
        diagnostic.message,
        diagnostic.span.shift(by),
        diagnostic.error_type,
        tuple((span.shift(by), text) for span, text in diagnostic.related),
        diagnostic.tags,
        fixes,
        None if diagnostic.source is None else SETTLED,
        diagnostic.needs,
        diagnostic.missing,
    )
