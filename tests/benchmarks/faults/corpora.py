"""The sound calls that faults are done to: those of the tests, of the rules' pages and of the shipped tools.

Owns: where texts with calls are found, which of them are sound, `Sample`s of them. Must not know: any kind of fault,
what is measured.

A sample is a text in which `StrictParser` finds nothing to reject. Its calls are taken one by one; the body of a call
in JSON is its arguments object, and, as a second sample, the whole JSON text around it that names the tool.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchmarks.faults.base import Sample
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import all_dialects, dialect_names
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.rules.catalogue import all_rules
from callwright.rules.support.documentation import documentation_of
from callwright.runtime.strict import StrictParser
from callwright.teaching.examples import candidates
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry
from dialects.dialect_cases import FOLDER as DIALECTS
from dialects.dialect_cases import prepared
from invariants.corpus import registry, written
from invariants.texts import GOOD_CALLS, REGISTRY
from support.cases import load_cases
from support.engine import case_snapshot, registry_named

TRANSCRIPTS: Final = DIALECTS.parent / "transcripts"
#: Longer texts are left out: what is measured is faults, not size.
MAX_LENGTH: Final = 6000
#: How many shipped tools are called in each dialect.
SHIPPED: Final = 12
#: Dialects whose calls are code: a fault in it makes other code.
CODE: Final = frozenset({"python-action", "shell-action", "execute-tags"})
_DECODER: Final = json.JSONDecoder()


def samples(names: Iterable[str] = (), files: Iterable[Path] = (), *, named: bool = True) -> list[Sample]:
    """Return the samples of the corpora of these names (all without any), and of these files; each text once.

    Without `named`, those of the files alone.
    """
    chosen = (tuple(names) or tuple(CORPORA)) if named else ()
    found: dict[tuple[str, Span, str], Sample] = {}
    texts = [CORPORA[name]() for name in chosen] + [file_texts(file) for file in files]
    for corpus in texts:
        for origin, text, tools in corpus:
            for sample in samples_of(text, tools, origin):
                found.setdefault((sample.text, sample.body, sample.dialect), sample)
    return list(found.values())


def samples_of(text: str, tools: ToolRegistry, origin: str) -> Iterator[Sample]:
    """Yield the samples of a text; none where a strict parser has anything to say against it."""
    if not text.strip() or len(text) > MAX_LENGTH:
        return
    context = read_context(tools, Settings(placeholders=False))
    dialects = dict.fromkeys(found.call.dialect for found in read_segment(text, context).calls)
    if not dialects or not set(dialects) <= set(dialect_names()) - CODE:
        return
    calls, error = parser_of(tools, tuple(dialects)).parse(text)
    if error is not None or len(dialects) > 1:
        return
    read = {found.call.span: found.call for found in read_segment(text, context).calls}
    for call in calls:
        if call.span in read and call.tool is not None:
            for body in _bodies(text, read[call.span]):
                yield Sample(text, call.span, body, call.dialect, call.tool, call.arguments, tools, origin)


@cache
def parser_of(tools: ToolRegistry, dialects: tuple[str, ...]) -> StrictParser:
    """Return the parser that takes calls in these dialects."""
    return StrictParser(tools=tools, dialect=dialects)


def _bodies(text: str, call: ToolCall) -> Iterator[Span]:
    value = call.arguments
    if value is None:
        return
    if not isinstance(value, JsonValue):
        yield value.span
        return
    span = value.span
    if not _is_json(span.of(text)):
        # Not JSON: what is between the call's own markers, or the call itself.
        yield call.body if call.body.of(text).strip() else call.span
        return
    yield span
    around = _around(text, span, call)
    if around is not None:
        yield around


def _around(text: str, span: Span, call: ToolCall) -> Span | None:
    """Return the widest JSON text around the arguments that has the tool's name in it."""
    start = call.frame.start if call.frame is not None else call.span.start
    at = text.find("{", start)
    while 0 <= at < span.start:
        try:
            _, end = _DECODER.raw_decode(text, at)
        except ValueError:
            end = -1
        if end >= span.end:
            return Span(at, end)
        at = text.find("{", at + 1)
    return None


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# -- the corpora -------------------------------------------------------------------------------------------------------

Text = tuple[str, str, ToolRegistry]


def _dialect_cases() -> Iterator[Text]:
    for folder in sorted(path for path in DIALECTS.iterdir() if any(path.glob("*.md"))):
        for case in load_cases(folder):
            ready = prepared(case)
            yield f"dialects/{folder.name}", ready.source, case_snapshot(ready).registry


def _invariant_texts() -> Iterator[Text]:
    for text in GOOD_CALLS:
        yield "invariants", text, REGISTRY
    for text in written():
        yield "invariants", text, registry()


#: Tools whose values are of every type, and calls of them with the texts that are hardest to write.
_HARD_TOOLS: Final = [
    {
        "name": "put_text",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}, "mode": {"enum": ["add", "new"]}},
            "required": ["path", "text"],
            "additionalProperties": False,
        },
    },
    {
        "name": "plan_trip",
        "inputSchema": {
            "type": "object",
            "properties": {
                "stops": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                        "required": ["city"],
                    },
                },
                "budget": {"type": "number"},
                "pets": {"type": "boolean"},
                "note": {"type": ["string", "null"]},
                "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                "extra": {"type": "object"},
            },
        },
    },
]
_HARD_TEXTS: Final = (
    'He said "hello there" and left.\nThen "she" said: "no".\n',
    "def main():\n\tprint('it is', \"so\")\n\treturn {'a': [1, 2], \"b\": None}\n",
    '{"name": "demo", "version": "1.0", "files": ["a", "b"]}\n',
    "C:\\Users\\dana\\new\\temp.txt",
    r"^(\d+)\s*[,;]\s*\"([^\"]*)\"$",
    "it's a \u0001 test, isn't it? 5\" disk",
    "first\r\nsecond\r\n",
    "",
    "a, b: c} d] e",
    'x = "',
    "𝒜 naïve “quote” — ünïcode 😀",
    "sed -i 's/\\(a\\)/\\1/' file && echo \"done\"",
    '<a href="x">link</a> & <b>',
    "don\\'t stop",
)


def _hard_texts() -> Iterator[Text]:
    tools = ToolRegistry.of(_HARD_TOOLS)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("put_text", {"path": f"notes/{number}.txt", "text": text, **({"mode": "add"} if number % 2 else {})})
        for number, text in enumerate(_HARD_TEXTS)
    ]
    calls += [
        ("plan_trip", {"stops": [{"city": "Oslo", "days": 2}, {"city": "Łódź"}], "budget": 1200.5, "pets": False}),
        ("plan_trip", {"note": None, "grid": [[1, 2], [3, 40]], "extra": {"a": {"b": [True, "x"]}, "c": 0.25}}),
        ("plan_trip", {"extra": {"deep": [{"k": [{"v": "w"}]}]}, "note": "no", "budget": 88}),
    ]
    for dialect in all_dialects():
        for tool, arguments in calls:
            for compact in (True, False):
                text = dialect.render(tool, arguments, tools.get(tool)[0], RenderStyle(compact=compact))
                if not isinstance(text, Refusal):
                    yield f"hard/{dialect.name}", text, tools


def _rule_pages() -> Iterator[Text]:
    for rule in all_rules():
        for example in documentation_of(rule).examples:
            tools = ToolRegistry.of(json.loads(example.tools)) if example.tools else registry_named("examples")
            yield f"rules/{rule.name}", example.instead, tools


def _shipped_examples() -> Iterator[Text]:
    """Yield calls of shipped tools with as many arguments as can be made up, other tools in each dialect."""
    every = list(shipped_registry())
    for number, dialect in enumerate(all_dialects()):
        for tool in every[number % len(every) :: max(len(every) // SHIPPED, 1)]:
            arguments = max(islice(candidates(tool), 6), key=lambda made: len(str(made)), default=None)
            if arguments is None:
                continue
            for compact in (True, False):
                text = dialect.render(tool.name, arguments, tool, RenderStyle(compact=compact))
                if not isinstance(text, Refusal):
                    yield f"shipped/{dialect.name}", text, ToolRegistry([tool])


def _transcripts() -> Iterator[Text]:
    for folder in sorted(path for path in TRANSCRIPTS.iterdir() if any(path.glob("*.md"))):
        for case in load_cases(folder):
            snapshot = case_snapshot(case)
            for block in snapshot.blocks:
                for read in block.passages:
                    if read.calls:
                        tools = read.registry if read.registry is not None else snapshot.registry
                        yield f"transcripts/{folder.name}", read.passage.text, tools


def file_texts(file: Path) -> Iterator[Text]:
    """Yield the texts of a file: of JSON lines the `input` (or `text`) with its `tools`, of another file all of it."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".jsonl":
        snapshot = open_snapshot(text, path=str(file), registry=shipped_registry(), settings=Settings())
        for block in snapshot.blocks:
            for read in block.passages:
                yield file.name, read.passage.text, snapshot.registry
        return
    for line in text.splitlines():
        entry: dict[str, Any] = json.loads(line)
        yield file.name, str(entry.get("input", entry.get("text", ""))), ToolRegistry.of(entry.get("tools") or [])


CORPORA: Final = {
    "dialects": _dialect_cases,
    "hard": _hard_texts,
    "invariants": _invariant_texts,
    "rules": _rule_pages,
    "shipped": _shipped_examples,
    "transcripts": _transcripts,
}
