"""How many faults in calls of real files are found: precision is not silence.

Run it by hand over a folder of files that others wrote:

    python tests/benchmarks/wild_faults.py FOLDER [--kinds NAME,...] [--most N] [--seed S] [--show]

Every call in the files that is not a sketch, has no error or warning of its own and bears no example's excuse is
damaged in one place at a time: its closer is misspelt, a brace, quote or colon is lost, a brace is one too many; where
the tools in force have its tool, a parameter or the tool itself is misspelt wherever the call writes it. A fault is
found where an error or a warning that was not there before is within two lines of it. Calls in provider
fields (native calls) are data of programs, and are left out. Printed is the share found by kind and by dialect.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from callwright.calls.model import NATIVE, JsonValue
from callwright.config import default_project
from callwright.document.blocks import PlacedCall
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.prompt.named import Target as Wanted
from callwright.prompt.occurrences import of_call
from callwright.rules.base import Severity
from callwright.text.span import Span

#: How far from the fault a diagnostic may be, in lines.
NEAR: Final = 2
#: Longer files take too long to be read once for each fault.
MAX_LENGTH: Final = 300_000
_CLOSER: Final = re.compile(r"</([A-Za-z_|｜][\w|｜.:\-]{2,})")


def state_text(line: str) -> None:
    sys.stdout.write(line + "\n")


class Fault(NamedTuple):
    """One change of a text: the kind, where it is, how many characters go, and what comes for them; `places` are all
    places of the same change, where there are several."""

    kind: str
    at: int
    gone: int
    new: str
    places: tuple[int, ...] = ()

    def made_in(self, text: str) -> str:
        """Return the text with the fault."""
        for at in sorted(self.places or (self.at,), reverse=True):
            text = text[:at] + self.new + text[at + self.gone :]
        return text


class Target(NamedTuple):
    """A call: its dialect and span, the span of its JSON, and where it writes the names of known arguments, and of a
    known tool: each name with all of its spans."""

    dialect: str
    span: Span
    body: Span | None
    parameters: tuple[tuple[Span, ...], ...] = ()
    tool: tuple[Span, ...] = ()


#: Every misspelling of a shorter name may be another name.
SHORTEST: Final = 4


def misspelt(kind: str, spans: tuple[Span, ...]) -> Fault:
    """Return the fault that a letter is missing in a name wherever it is written."""
    middle = (spans[0].end - spans[0].start) // 2
    places = tuple(span.start + middle for span in spans)
    return Fault(kind, places[0], 1, "", places)


def faults_in(text: str, target: Target, random: Random) -> Iterator[Fault]:
    """Yield one fault of each kind that a call has a place for."""
    call, body = target.span, target.body
    if target.parameters:
        yield misspelt("parameter misspelt", random.choice(target.parameters))
    if target.tool:
        yield misspelt("tool misspelt", target.tool)
    closers = list(_CLOSER.finditer(text, call.start, call.end))
    if closers:
        last = closers[-1]
        middle = last.start(1) + len(last[1]) // 2
        yield Fault("closer misspelt", middle, 1, "" if text[middle] != "_" else "-")
    if body is None or not body.of(text).startswith("{"):
        return
    inside = body.of(text)
    braces = [at for at, char in enumerate(inside) if char == "}"]
    if braces:
        yield Fault("brace lost", body.start + braces[-1], 1, "")
        yield Fault("brace too many", body.start + braces[-1], 0, "}")
    keys = list(re.finditer(r'"(?:[^"\\\r\n]|\\.)*"[ \t]*(:)', inside))
    if keys:
        key = random.choice(keys)
        yield Fault("colon lost", body.start + key.start(1), 1, "")
        yield Fault("quote lost", body.start + key.start(1) - 1 - (key[0][-2:-1] in " \t"), 1, "")


def serious(text: str, path: str) -> Counter[tuple[str, int]]:
    """Return the code and line of each error and warning in a document, with how many there are."""
    project = default_project()
    snapshot = open_snapshot(text, path=path, registry=project.registry, settings=project.settings)
    found = [each for each in diagnostics(snapshot) if each.severity in (Severity.ERROR, Severity.WARNING)]
    return Counter((each.code, snapshot.document.line_at(each.span.start)) for each in found)


def names_in(placed: PlacedCall, text: str) -> Iterator[tuple[Span, ...]]:
    """Yield where a call writes the name of its tool, and then of each argument that the tool knows, all spans of one
    name together; a name that is too short, or not written as it is, has none."""
    binding = placed.binding
    name = placed.call.tool or ""
    parameters = [each for each in binding.arguments if binding.tool is not None and each in binding.tool.parameters]
    for path in ((), *((each,) for each in parameters)):
        word = path[-1] if path else name
        found = next(iter(of_call(placed, Wanted(name, path, binding.tool))), None)
        spans = found.spans if found is not None and not found.reason else ()
        yield spans if len(word) >= SHORTEST and all(span.of(text) == word for span in spans) else ()


def targets(text: str, path: str) -> Iterator[Target]:
    """Yield the calls of a document that are written as they are read."""
    project = default_project()
    snapshot = open_snapshot(text, path=path, registry=project.registry, settings=project.settings)
    known = {snapshot.document.line_at(each.span.start) for each in diagnostics(snapshot)}
    for placed in snapshot.placed_calls():
        call = placed.call
        if call.dialect == NATIVE or call.sketch or call.problems or not call.complete:
            continue
        span = placed.raw_span(call.frame or call.span)
        first, last = snapshot.document.line_at(span.start), snapshot.document.line_at(max(span.end - 1, span.start))
        raw = span.of(text)
        if raw != (call.frame or call.span).of(placed.passage.text) or known & set(
            range(first - NEAR, last + NEAR + 1)
        ):
            continue
        body = placed.raw_span(call.arguments.span) if isinstance(call.arguments, JsonValue) else None
        tool, *parameters = names_in(placed, text) if placed.binding.tool is not None else ((),)
        yield Target(call.dialect, span, body, tuple(filter(None, parameters)), tool)


def main() -> None:
    """Damage calls and print what is found."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--kinds", default="")
    options.add_argument("--most", type=int, default=40, help="so many calls of a file at most")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", action="store_true", help="print each fault that is missed")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    kinds = set(filter(None, given.kinds.split(",")))
    tried: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for file in sorted(path for path in given.folder.rglob("*") if path.is_file()):
        try:
            text = file.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        if len(text) > MAX_LENGTH or "\r" in text:
            continue
        random = Random(f"{given.seed} {file.name}")  # noqa: S311 - a sample
        calls = list(targets(text, str(file)))
        before = serious(text, str(file)) if calls else Counter()
        for target in random.sample(calls, min(given.most, len(calls))):
            dialect = target.dialect
            for fault in faults_in(text, target, random):
                if kinds and fault.kind not in kinds:
                    continue
                damaged = fault.made_in(text)
                line = text.count("\n", 0, fault.at)
                after = serious(damaged, str(file))
                hit = any(abs(at - line) <= NEAR for _, at in after - before)
                tried[fault.kind, dialect] += 1
                found[fault.kind, dialect] += hit
                if given.show and not hit:
                    around = damaged[max(fault.at - 60, 0) : fault.at + 60]
                    state_text(f"missed {fault.kind} {dialect} {file.relative_to(given.folder)}:{line + 1} {around!r}")
    report(tried, found)
    if given.json is not None:
        rows = [[*key, tried[key], found[key]] for key in sorted(tried)]
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def report(tried: Counter[tuple[str, str]], found: Counter[tuple[str, str]]) -> None:
    """Print the shares by kind and by dialect."""
    for place, title in ((0, "kind"), (1, "dialect")):
        state_text(f"\nby {title}")
        for name in sorted({key[place] for key in tried}):
            own = [key for key in tried if key[place] == name]
            whole, part = sum(tried[key] for key in own), sum(found[key] for key in own)
            state_text(f"  {name:24} {part:5} of {whole:5}  {part / whole:6.1%}")
    whole, part = sum(tried.values()), sum(found.values())
    state_text(f"\nall {part} of {whole}: {part / max(whole, 1):.1%}")


if __name__ == "__main__":
    main()
