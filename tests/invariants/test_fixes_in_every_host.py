"""Diagnostics and fixes are those of the text, in whatever file the text is and however the file escapes it.

Every text with diagnostics that the rules' examples and all cases show is written into every format that can hold it.
The diagnostics must be the same, each must be on the characters that mean its own, and each fix, applied to the file,
must give a file that its own parser reads as the fixed text. What cannot be written so is refused, and no more of it
than the embedding says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import pytest

from callwright.document.blocks import placed_passage
from callwright.fix.fixer import fix_all
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic, Fix, Severity
from callwright.templates.catalogue import find_template
from callwright.text.span import Edit, Span, apply_edits
from callwright.transcripts.catalogue import all_shapes, find_shape
from hosts.host_cases import host_names
from invariants.corpus import seeded
from invariants.embeddings import (
    EMBEDDINGS,
    FIELDS,
    NODE,
    SHAPES,
    WITHOUT_TEXT,
    Decoder,
    Embedding,
    Field,
    Material,
    arguments,
    material,
)
from support.sampling import sampled

#: Other characters are in front of the text, on its first line, too.
LEADS = ("", "é 😀\te\u0301 \"q\" 'a' \\n &amp; ")


class Expected(NamedTuple):
    """A file, and the text that it must be read as by its own parser."""

    file: str
    text: str
    label: str


def present(embedding: Embedding) -> bool:
    """Return whether the package has what reads such a file, and the machine what has the last word on it."""
    if embedding.host == "javascript" and NODE is None:
        return False
    if embedding.template is not None and find_template(embedding.template) is None:
        return False
    shape = embedding.name.removesuffix(" in ASCII")
    return find_host(embedding.host) is not None and (shape not in SHAPES or find_shape(shape) is not None)


class Held(NamedTuple):
    """A text that a file can hold, with the file."""

    source: Material
    text: str
    file: str


def held(embedding: Embedding) -> list[Held]:
    """Return the texts that this kind of file can hold, as its own parser reads them."""
    found: list[Held] = []
    for number, source in enumerate(material()):
        text = LEADS[number % len(LEADS)] + source.text
        file = embedding.write(text)
        if file is not None and not reaches_out(source, embedding.context(text), embedding):
            found.append(Held(source, embedding.context(text), file))
    texts = embedding.decode([each.file for each in found])
    return [each for each, text in zip(found, texts, strict=True) if text == each.text]


def reaches_out(source: Material, text: str, embedding: Embedding) -> bool:
    """Return whether a call is not closed before what is after the text, which then belongs to it."""
    if not embedding.after:
        return False
    snapshot = open_snapshot(text, path=embedding.text_path, registry=source.registry, settings=source.settings)
    end = len(text) - embedding.after
    found = diagnostics(snapshot)
    edits = [edit.span.end for each in found for fix in each.fixes for edit in fix.edits]
    calls = [placed.raw_span(placed.call.frame or placed.call.span).end for placed in snapshot.placed_calls()]
    return max([*edits, *calls, *(each.span.end for each in found)], default=end + 1) > end


def marked(file: str, place: Span, text: str, span: Span) -> tuple[str, str]:
    """Return file and text with an `X` instead of both spans; line ends that the file writes as such stay."""
    shown = place.of(file)
    end = "\r\n" if shown.endswith("\r\n") else "\n" if shown.endswith("\n") else ""
    return (
        apply_edits(file, [Edit(place, f"X{end}")]),
        apply_edits(text, [Edit(span, "X\n" if end else "X")]),
    )


def alone(source: Material, text: str, path: str) -> tuple[list[Diagnostic], str]:
    """Return what is found in a text that is alone, and the text after its safe fixes; kept for all embeddings."""
    key = (source.name, text, path)
    if key not in _ALONE:
        snapshot = open_snapshot(text, path=path, registry=source.registry, settings=source.settings)
        _ALONE[key] = (source.read(text, path), fix_all(snapshot)[0])
    return _ALONE[key]


_ALONE: Final[dict[tuple[str, str, str], tuple[list[Diagnostic], str]]] = {}


def stated(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


def same(wanted: Sequence[Diagnostic], found: Sequence[Diagnostic]) -> bool:
    return [*map(stated, wanted)] == [*map(stated, found)]


def matched(wanted: Diagnostic, found: Diagnostic) -> Iterator[tuple[Fix, Fix | None]]:
    """Yield each fix of a text's diagnostic with that of the file's, None where the file has none such."""
    left = list(found.fixes)
    for fix in wanted.fixes:
        index = next((i for i, other in enumerate(left) if other.title == fix.title), None)
        yield fix, left.pop(index) if index is not None else None
    assert left == [], f"the file has a fix that the text has not: {left[0].title}"


class Trial:
    """One embedding with all the texts that it can hold."""

    def __init__(self, embedding: Embedding) -> None:
        self.embedding = embedding
        self.expected: list[Expected] = []
        self.texts = self.diagnostics = self.fixes = 0
        self.refused: list[str] = []
        self.silent: list[str] = []

    def run(self, each: Held) -> str:
        """Compare what is found and fixed; return in words what differs."""
        source, text, file = each
        settings = replace(source.settings, **self.embedding.settings)
        wanted, fixed_all = alone(source, text, self.embedding.text_path)
        found = source.read(file, self.embedding.path, settings)
        label = f"{self.embedding} {source.name}\n{file}"
        self.texts += 1
        if not same(wanted, found):
            if not Counter(map(stated, found)) - Counter(map(stated, wanted)):
                self.silent.append(label)
                return ""
            return (
                f"{label}\nfinds {[(f.code, f.message) for f in found]}\nnot   {[(w.code, w.message) for w in wanted]}"
            )
        refused = len(self.refused)
        for one, other in zip(wanted, found, strict=True):
            self.diagnostics += 1
            label_of_place = f"{label}\nplace of {one.code} {one.message}"
            # A folded block writes several line ends as one segment: no place lies between two of them.
            if not (self.embedding.name == "a folded YAML block" and one.span.of(text).endswith("\n")):
                self.expected.append(Expected(*marked(file, other.span, text, one.span), label_of_place))
            for fix, fixed in matched(one, other):
                if not fix.edits:
                    continue
                self.fixes += 1
                if fixed is None:
                    self.refused.append(f"{label}\nrefused {one.code} {fix.title}")
                    continue
                fixed_text = apply_edits(text, fix.edits)
                self.expected.append(
                    Expected(apply_edits(file, fixed.edits), fixed_text, f"{label}\nfix of {one.code}: {fix.title}")
                )
        severities = {(one.severity, other.severity) for one, other in zip(wanted, found, strict=True)}
        stricter = {(one, other) for one, other in severities if one is not other}
        if stricter - {(Severity.INFO, Severity.ERROR)}:
            return f"{label}\nsays {stricter}"
        # What a prompt may mean is an error in a recorded reply, whose safe fixes are then more.
        if len(self.refused) == refused and not self.embedding.after and not stricter:
            snapshot = open_snapshot(file, path=self.embedding.path, registry=source.registry, settings=settings)
            self.expected.append(Expected(fix_all(snapshot)[0], fixed_all, f"{label}\nall safe fixes"))
        return ""


def disagreements(expected: Sequence[Expected], decode: Decoder) -> list[str]:
    """Return in words where a file is read as another text than it must be."""
    read = decode([each.file for each in expected])
    return [
        f"{each.label}\ngave   {text!r}\nwanted {each.text!r}\nfile\n{each.file}"
        for each, text in zip(expected, read, strict=True)
        if text != each.text
    ]


@pytest.mark.parametrize("embedding", sampled(EMBEDDINGS, by=lambda each: each.host), ids=str)
def test_diagnostics_and_fixes_are_those_of_the_text(
    embedding: Embedding, record_property: Callable[[str, object], None]
) -> None:
    if not present(embedding):
        pytest.skip(f"nothing here reads {embedding.path} files, or says what they hold")
    trial = Trial(embedding)
    texts = held(embedding)
    differ = [failure for each in texts if (failure := trial.run(each))]
    differ += disagreements(trial.expected, embedding.decode)
    counts = {
        "texts": trial.texts,
        "findings": trial.diagnostics,
        "fixes": trial.fixes,
        "refused": len(trial.refused),
    }
    counts["texts that say less"] = len(trial.silent)
    for what, number in counts.items():
        record_property("counted", (f"{what} in every host", embedding.name, number))
    assert trial.texts > 30, "the material has more texts that this notation can hold"
    assert differ == [], f"{len(differ)} differ, the first:\n" + "\n\n".join(differ[:3])
    share, why = embedding.silent
    assert len(trial.silent) <= share * trial.texts, f"{len(trial.silent)} say less; {why}\n" + trial.silent[0]
    share, why = embedding.refused
    most = share * trial.fixes
    assert len(trial.refused) <= most, f"{len(trial.refused)} of {trial.fixes} refused; {why}\n" + trial.refused[0]


#: What edits write: what some format has to escape, fold, indent or refuse.
WRITTEN = [
    "x",
    "",
    "é😀",
    "\n",
    "\n\n  y",
    '"',
    "'",
    '"""',
    "\\",
    "`",
    ": ",
    " #",
    "<b>",
    "&",
    "]]>",
    "${",
    "{",
    "}",
    "\t",
    " ",
]


@pytest.mark.parametrize("embedding", [each for each in EMBEDDINGS if not each.after], ids=str)
def test_any_edit_is_written_as_its_format_has_it_or_refused(
    embedding: Embedding, record_property: Callable[[str, object], None]
) -> None:
    if not present(embedding):
        pytest.skip(f"nothing here reads {embedding.path} files, or says what they hold")
    random = seeded(embedding.name)
    expected: list[Expected] = []
    refused = 0
    for source, text, file in held(embedding)[::4]:
        settings = replace(source.settings, **embedding.settings)
        snapshot = open_snapshot(file, path=embedding.path, registry=source.registry, settings=settings)
        passages = [
            placed_passage(read.passage, start)
            for start, block in zip(snapshot.starts, snapshot.blocks, strict=True)
            for read in block.passages
        ]
        own = next((each for each in passages if each.text == text), None)
        for _ in range(4 if own is not None else 0):
            assert own is not None
            start = random.randint(0, len(text))
            edit = Edit(Span(start, min(len(text), start + random.choice((0, 0, 1, 6)))), random.choice(WRITTEN))
            encoded = own.projection.encode(edit)
            if encoded is None:
                refused += 1
                continue
            label = f"{embedding} {source.name}\n{file}\n{edit} as {encoded}"
            expected.append(Expected(apply_edits(file, [encoded]), apply_edits(text, [edit]), label))
    record_property("counted", ("edits in every host", embedding.name, len(expected)))
    record_property("counted", ("edits refused in every host", embedding.name, refused))
    assert len(expected) > 20
    assert disagreements(expected, embedding.decode) == []


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: str(field.name))
def test_arguments_in_a_providers_own_fields_are_fixed_as_in_a_text(
    field: Field, record_property: Callable[[str, object], None]
) -> None:
    if find_host(field.host) is None or find_shape(field.shape) is None:
        pytest.skip(f"nothing here reads {field.shape} in {field.path} files")
    expected: list[Expected] = []
    for source, span, tool in arguments():
        text, own = source.text, span.of(source.text)
        tail = len(text) - span.end
        wanted, found = alone(source, text, "case.md")[0], source.read(file := field.write(tool, own), field.path)
        # Where a span takes in the white space after the arguments, the string has none, and the order may be another.
        wanted, found = sorted(wanted, key=stated), sorted(found, key=stated)
        label = f"{field.name} {source.name}\n{file}"
        assert [(each.code, each.message) for each in found] == [(each.code, each.message) for each in wanted], label
        for one, other in zip(wanted, found, strict=True):
            inner = Span(one.span.start - span.start, one.span.end - span.start)
            expected.append(Expected(*marked(file, other.span, own, inner), f"{label}\nplace of {one.code}"))
            for fix, fixed in matched(one, other):
                within = all(span.covers(edit.span) for edit in fix.edits)
                if not fix.edits or not within:
                    continue
                assert fixed is not None, f"{label}\nrefused {fix.title}"
                fixed_text = apply_edits(text, fix.edits)
                fixed_text = fixed_text[span.start : len(fixed_text) - tail]
                expected.append(Expected(apply_edits(file, fixed.edits), fixed_text, f"{label}\nfix {fix.title}"))
    record_property("counted", ("places and fixes in arguments", field.name, len(expected)))
    assert len(expected) > 100
    assert disagreements(expected, field.decode) == []


def test_every_host_and_every_shape_is_written() -> None:
    """A new host or shape has an embedding here, or says why it has none."""
    written = {embedding.host for embedding in EMBEDDINGS}
    assert [name for name in host_names() if name not in written] == []
    known = {*SHAPES, *WITHOUT_TEXT}
    assert [shape.name for shape in all_shapes() if shape.name not in known] == []
