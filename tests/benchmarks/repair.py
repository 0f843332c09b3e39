"""How often a fault in a call is found, where it is reported, and what safe fixes make of it; beside `json-repair`.

Run it by hand:

    python tests/benchmarks/repair.py [--per-kind N] [--seed S] [--kind NAME ...] [--json FILE]
        [--corpora NAME,...] [--corpus FILE ...] [--show wrong|missed|unlocated|unrestored] [--most N]

Every sound call of the corpora is a sample. Each kind of fault is done to samples that are drawn by the seed, of all
dialects in turn. A referee that is none of our readers says whether the damage is a fault; what is none is
counted and left out. Each fault is read twice: with the dialect of the call demanded, and as plain text.

- found: there is a diagnostic that is more than a hint, and the strict parser does not take the text for other calls.
- located: the first diagnostic touches the place of the fault.
- restored: with all safe fixes applied, the calls of the sound text are read, with the same values of the same types;
  counted where what was there follows from the damaged text.
- wrong: with all safe fixes applied, other calls are read, without a diagnostic against them.

What is a fault in one way to read it and none in the other (a kind's `is_sound` says why) is counted as "not here".

With `--corpus` a file of JSON lines (`input`, `tools`), or any document that calls shipped tools, is used as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.faults.base import Injected, Kind, Sample
from benchmarks.faults.catalogue import all_kinds, damaged_body, json_value, judge, same
from benchmarks.faults.corpora import CORPORA, parser_of, samples
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic, Severity

Calls = list[tuple[str | None, dict[str, Any]]]
SHOWN = ("wrong", "missed", "unlocated", "unrestored")
MODES = ("demanded", "plain")
#: How often a kind is tried on other samples and places before it is taken to fit no more.
TRIES = 40


class Trial(NamedTuple):
    """One fault in one text, read in one way."""

    kind: Kind
    sample: Sample
    injected: Injected
    mode: str
    diagnostics: Sequence[Diagnostic]
    fixed: str
    found: bool
    located: bool
    restored: bool
    wrong: bool


@dataclass
class Tally:
    """What came of the trials of one kind."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, trial: Trial) -> None:
        """Count one trial."""
        self.counts["trials"] += 1
        self.counts["found"] += trial.found
        self.counts["located"] += trial.located
        self.counts["wrong"] += trial.wrong
        self.counts["lossless"] += trial.injected.keeps_information
        self.counts["restored"] += trial.restored and trial.injected.keeps_information
        self.counts["restored anyway"] += trial.restored and not trial.injected.keeps_information

    def share(self, what: str) -> float:
        """Return how often something held, of the trials that it could hold for."""
        of = self.counts["lossless" if what == "restored" else "trials"]
        return self.counts[what] / of if of else 1.0


def draw(
    kinds: Sequence[Kind], pool: Sequence[Sample], per_kind: int, seed: str
) -> Iterator[tuple[Kind, Sample, Injected | None]]:
    """Yield faults of each kind in samples of all dialects in turn; None for an injection that was not a fault."""
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in pool:
        groups[sample.dialect].append(sample)
    for kind in kinds:
        random = Random(zlib.crc32(f"{seed}/{kind.name}".encode()))  # noqa: S311  # chooses places, keeps no secret
        made = 0
        barren: Counter[str] = Counter()
        seen: set[str] = set()
        dialects = sorted(groups)
        while made < per_kind and dialects:
            for dialect in list(dialects):
                if made >= per_kind:
                    break
                sample = random.choice(groups[dialect])
                injected = kind.inject(sample, random)
                if injected is None or injected.text in seen:
                    barren[dialect] += 1
                    if barren[dialect] >= TRIES:
                        dialects.remove(dialect)
                    continue
                seen.add(injected.text)
                if judge(kind, sample, injected):
                    made += 1
                    yield kind, sample, injected
                else:
                    barren[dialect] += 1
                    yield kind, sample, None


def attempt(kind: Kind, sample: Sample, injected: Injected, mode: str) -> Trial:
    """Return what is found in a damaged text, and what its safe fixes make of it."""
    demanded = mode == "demanded"
    settings = _settings(sample.dialect, demanded=demanded)
    snapshot = open_snapshot(injected.text, path="reply.md", registry=sample.registry, settings=settings)
    # A diagnostic of the sound text as well is not about the fault.
    known = known_messages(sample, demanded)
    found_diagnostics = [each for each in diagnostics(snapshot) if each.severity is not Severity.HINT]
    own = [each for each in found_diagnostics if (each.code, each.message) not in known]
    fixed, _ = fix_all(snapshot)
    expected = calls_of(sample.text, sample, demanded=demanded)
    untouched = calls_of(injected.text, sample, demanded=demanded)
    got = calls_of(fixed, sample, demanded=demanded) if fixed != injected.text else None
    return Trial(
        kind,
        sample,
        injected,
        mode,
        found_diagnostics,
        fixed,
        found=bool(own) and untouched is None,
        located=bool(own) and own[0].span.touches(injected.place),
        restored=got is not None and equal(got, expected),
        wrong=got is not None and not equal(got, expected),
    )


def _settings(dialect: str, *, demanded: bool) -> Settings:
    """Return what a sample is read with: it is written as XML where its dialect does not say how values are."""
    known = find_dialect(dialect)
    markup = "xml" if known is not None and known.markup is None else None
    return Settings(dialect=dialect if demanded else None, markup=markup, placeholders=False)


@lru_cache(maxsize=4096)
def _known(text: str, dialect: str, registry: Any, demanded: bool) -> frozenset[tuple[str, str]]:
    settings = _settings(dialect, demanded=demanded)
    found = diagnostics(open_snapshot(text, path="reply.md", registry=registry, settings=settings))
    return frozenset((each.code, each.message) for each in found)


def known_messages(sample: Sample, demanded: bool) -> frozenset[tuple[str, str]]:
    """Return the diagnostics of the sound text."""
    return _known(sample.text, sample.dialect, sample.registry, demanded)


def calls_of(text: str, sample: Sample, *, demanded: bool) -> Calls | None:
    """Return the calls of a text, None where a strict parser rejects it or finds none."""
    others = () if demanded else tuple(name for name in dialect_names() if name != sample.dialect)
    calls, error = parser_of(sample.registry, (sample.dialect, *others)).parse(text)
    if error is not None or not calls:
        return None
    return [(call.tool, call.arguments) for call in calls]


def equal(one: Calls | None, other: Calls | None) -> bool:
    """Return whether the same tools are called with the same values of the same types."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(a[0] == b[0] and same_members(a[1], b[1]) for a, b in zip(one, other, strict=True))


def same_members(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two objects are the same, in whatever order their keys are."""
    return one.keys() == other.keys() and all(same(_sorted(one[key]), _sorted(other[key])) for key in one)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def json_repaired(sample: Sample, injected: Injected) -> str | None:
    """Return what `json-repair` makes of a damaged JSON body: restored, wrong or unread; None for other dialects."""
    import json_repair

    before = json_value(sample.body.of(sample.text))
    if not isinstance(before, dict):
        return None
    try:
        after = json_repair.loads(damaged_body(sample, injected))
    except (ValueError, RecursionError, IndexError, TypeError):
        return "unread"
    if isinstance(after, dict) and same(_sorted(after), _sorted(before)):
        return "restored"
    return "wrong" if isinstance(after, dict | list) and after else "unread"


def run(
    kinds: Sequence[Kind],
    pool: Sequence[Sample],
    per_kind: int,
    seed: str,
    modes: Sequence[str] = MODES,
    see: Callable[[Trial], None] | None = None,
) -> dict[str, Tally]:
    """Return the tally of each kind."""
    tallies = {kind.name: Tally() for kind in kinds}
    for kind, sample, injected in draw(kinds, pool, per_kind, seed):
        tally = tallies[kind.name]
        if injected is None:
            tally.counts["no fault"] += 1
            continue
        tally.counts["faults"] += 1
        if kind.group == "json":
            peer = json_repaired(sample, injected)
            if peer is not None:
                tally.counts[f"json-repair {peer}"] += 1
                tally.counts["json-repair"] += 1
        is_sound = getattr(kind, "is_sound", None)
        for mode in modes:
            if is_sound is not None and is_sound(sample, injected, mode):
                tally.counts[f"no fault, {mode}"] += 1
                continue
            trial = attempt(kind, sample, injected, mode)
            tally.add(trial)
            if see is not None:
                see(trial)
    return tallies


def is_shown(trial: Trial, what: str) -> bool:
    """Return whether a trial is one of those that were asked for."""
    if what == "wrong":
        return trial.wrong
    if what == "missed":
        return not trial.found
    if what == "unlocated":
        return not trial.located
    return trial.injected.keeps_information and not trial.restored


def shown(trial: Trial) -> str:
    """Return a trial as a person reads it."""
    start, end = trial.injected.place
    text = trial.injected.text
    lossy = "" if trial.injected.keeps_information else " (loses information)"
    lines = [
        f"== {trial.kind.name} [{trial.sample.dialect}, {trial.mode}] {trial.sample.origin}{lossy}",
        f"   sound   {trial.sample.text!r}",
        f"   damaged {text[:start]!r} ⟦{text[start:end]!r}⟧ {text[end:]!r}",
    ]
    for each in trial.diagnostics:
        fixes = ", ".join(f"{fix.applicability}: {fix.title}" for fix in each.fixes)
        lines.append(f"   {each.code} {tuple(each.span)} {each.message} [{fixes}]")
    if trial.fixed != text:
        lines.append(f"   fixed   {trial.fixed!r}")
    return "\n".join(lines)


def table(tallies: dict[str, Tally]) -> str:
    """Return the figures, one line for each kind and one for all."""
    head = f"{'kind':34}{'faults':>7}{'none':>6}{'not here':>9}{'found':>8}{'located':>9}{'restored':>10}{'wrong':>7}"
    head += "   json-repair"
    lines = [head, "-" * len(head)]
    total = Tally()
    for name, tally in tallies.items():
        total.counts.update(tally.counts)
        lines.append(_line(name, tally))
    lines += ["-" * len(head), _line("all", total)]
    return "\n".join(lines)


def _line(name: str, tally: Tally) -> str:
    counts = tally.counts
    if not counts["faults"]:
        return f"{name:34}{0:7}{counts['no fault']:6}{0:9}"
    restored = f"{tally.share('restored'):.1%}" if counts["lossless"] else "–"
    elsewhere = sum(counts[f"no fault, {mode}"] for mode in MODES)
    line = f"{name:34}{counts['faults']:7}{counts['no fault']:6}{elsewhere:9}"
    line += f"{tally.share('found'):8.1%}{tally.share('located'):9.1%}"
    line += f"{restored:>10}{counts['wrong']:7}"
    if counts["json-repair"]:
        of = counts["json-repair"]
        line += f"   {counts['json-repair restored'] / of:.1%}, {counts['json-repair wrong']} wrong"
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-kind", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kind", action="append", default=[], help="a kind's name, or its group")
    parser.add_argument("--corpora", default="", help=f"some of {', '.join(CORPORA)}")
    parser.add_argument("--corpus", action="append", default=[], type=Path)
    parser.add_argument("--only-files", action="store_true", help="use the files of --corpus alone")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--show", choices=SHOWN)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    kinds = [
        kind for kind in all_kinds() if not options.kind or kind.name in options.kind or kind.group in options.kind
    ]
    names = [name for name in options.corpora.split(",") if name]
    pool = samples(names, options.corpus) if not options.only_files else samples((), options.corpus, named=False)
    left = options.most

    def see(trial: Trial) -> None:
        nonlocal left
        if options.show and left and is_shown(trial, options.show):
            left -= 1
            sys.stdout.write(shown(trial) + "\n")

    modes = (options.mode,) if options.mode else MODES
    tallies = run(kinds, pool, options.per_kind, options.seed, modes, see)
    sys.stdout.write(f"{len(pool)} samples in {len({sample.dialect for sample in pool})} dialects\n")
    sys.stdout.write(table(tallies) + "\n")
    if options.json:
        figures = {name: dict(tally.counts) for name, tally in tallies.items()}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    whole = Tally()
    for tally in tallies.values():
        whole.counts.update(tally.counts)
    good = not whole.counts["wrong"] and whole.share("found") == 1 and whole.share("located") >= 0.98
    return 0 if good and whole.share("restored") >= 0.9 else 1


if __name__ == "__main__":
    raise SystemExit(main())
