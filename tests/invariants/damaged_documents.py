"""Documents with damaged calls: calls of every dialect, one to three faults in them, in files of every kind.

Owns: how a document is made of a sound call, faults, words of an author and sound neighbours; the same number gives the
same document on every machine. Must not know: what is asserted of the documents.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from random import Random
from typing import Final, NamedTuple

from benchmarks.faults.base import Sample
from benchmarks.faults.catalogue import all_kinds
from benchmarks.faults.corpora import samples
from callwright.dialects.catalogue import find_dialect
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry
from invariants.corpus import changed_somewhere, corpus, seeded
from invariants.embeddings import EMBEDDINGS

#: What an author writes into a call although nothing of it is read.
REMARKS: Final = (
    *(" {} ", " {} {},", "/* {} */", " // {}\n", " # {}\n", "<!-- {} -->", "({} {})", "\n{} {}.\n", '"{}"', " true{} "),
    *("<{}>", "</{}>", '{}="{}" ', "{}: {}\n", ', "{}": "{}"', "'{}", "{}`", "[{}]", "\\{}"),
)
#: What is around the damaged call.
_FRAMES: Final = ("{}", "Well:\n\n{}\n", "{}\n\n{}", "First:\n\n{}\n\nand then\n\n{}\n\nDone.\n")
#: Longer texts cost more than they show.
_MAX_LENGTH: Final = 8_000
#: How many faults a document has.
_FAULTS: Final = (1, 1, 1, 2, 3)


class Damaged(NamedTuple):
    """A document, the project that it is read under, and what was done to it."""

    path: str
    text: str
    registry: ToolRegistry
    settings: Settings
    label: str

    def opened(self, text: str | None = None) -> Snapshot:
        """Return the snapshot of the document, or of another text in its place."""
        own = self.text if text is None else text
        return open_snapshot(own, path=self.path, registry=self.registry, settings=self.settings)


@cache
def _pool() -> dict[str, list[Sample]]:
    pool: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples(("dialects", "hard", "invariants", "shipped")):
        pool[sample.dialect].append(sample)
    return dict(sorted(pool.items()))


def damaged_document(number: int) -> Damaged:
    """Return the document of a number: dialects, and kinds of files, come in turn."""
    random = seeded(f"damaged {number}")
    pool = _pool()
    dialect = tuple(pool)[number % len(pool)]
    sample = random.choice(pool[dialect])
    text, done = _damaged(sample, random)
    frame = random.choice(_FRAMES)
    calls = [text]
    if frame.count("{}") > 1:
        neighbour = random.choice([each.text for each in pool[dialect] if each.registry is sample.registry])
        calls = [text, neighbour] if random.random() < 0.5 else [neighbour, text]
    whole = frame.format(*calls)
    embedding = EMBEDDINGS[number // len(pool) % len(EMBEDDINGS)]
    file = embedding.write(whole) if number % 3 else None
    known = find_dialect(dialect)
    is_xml = known is not None and known.markup is None and random.random() < 0.7
    demanded, markup = random.choice((None, dialect)), "xml" if is_xml else None
    if file is None:
        label = f"{number} {dialect} {done}"
        return Damaged("a.md", whole, sample.registry, Settings(dialect=demanded, markup=markup), label)
    settings = Settings(**{"dialect": demanded, "markup": markup, **embedding.settings})
    return Damaged(embedding.path, file, sample.registry, settings, f"{number} {dialect} {done} in {embedding}")


def _damaged(sample: Sample, random: Random) -> tuple[str, list[str]]:
    """Return a sample's text with faults, and what they are."""
    text, done = sample.text, []
    kinds = all_kinds()
    for at in range(random.choice(_FAULTS)):
        kind = random.choice(kinds) if at == 0 and random.random() < 0.5 else None
        injected = kind.inject(sample, random) if kind is not None else None
        if kind is not None and injected is not None:
            text, name = injected.text, kind.name
        elif random.random() < 0.6:
            place = random.randint(min(sample.span.start, len(text)), min(sample.span.end, len(text)))
            remark = random.choice(REMARKS).replace("{}", f"zq{random.choice('abcdef')}keep{at}")
            text, name = text[:place] + remark + text[place:], f"remark {remark!r}"
        else:
            text, name = changed_somewhere(text, corpus(), random), "mutation"
        done.append(name)
    return text[:_MAX_LENGTH], done
