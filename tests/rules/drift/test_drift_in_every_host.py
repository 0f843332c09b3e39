"""Diagnostics of documentation are the same in every kind of file that holds prompts, and are fixed there.

Transcripts and data are not prompts: a tool's documentation there records what was sent.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from invariants.embeddings import EMBEDDINGS, SHAPES, Embedding, Material
from invariants.test_fixes_in_every_host import Held, Trial, disagreements, present
from support.cases import load_cases
from support.engine import registry_of, settings_of

#: Kinds of files in which prompts are; in branches of a template nothing is demanded for certain.
HOLDING: Final = [
    each
    for each in EMBEDDINGS
    if each.name.removesuffix(" in ASCII") not in SHAPES
    and not any(word in each.name for word in ("JSON", "chat log", "plain YAML"))
]
#: How many texts may say less: some of them have nothing that shows the host that they are for a reader.
SILENT: Final = 5


@cache
def material() -> tuple[Material, ...]:
    """Return the texts of the cases here that are in Markdown."""
    found: list[Material] = []
    for case in load_cases(Path(__file__).parent):
        if Path(case.info.get("path", "a.md")).suffix == ".md":
            settings = replace(settings_of(case.info), select=("TC81",))
            found.append(Material(f"{case.file.stem}: {case.title}", case.source, settings, registry_of(case)))
    return tuple(found)


@pytest.mark.parametrize("embedding", HOLDING, ids=str)
def test_documentation_is_judged_as_in_markdown(embedding: Embedding) -> None:
    if not present(embedding):
        pytest.skip(f"nothing here reads {embedding.path} files, or says what they hold")
    written = [(source, embedding.context(source.text), embedding.write(source.text)) for source in material()]
    texts = [Held(source, text, file) for source, text, file in written if file is not None]
    read = embedding.decode([each.file for each in texts])
    trial = Trial(embedding)
    differ = [
        failure for each, text in zip(texts, read, strict=True) if text == each.text and (failure := trial.run(each))
    ]
    assert differ + disagreements(trial.expected, embedding.decode) == []
    assert trial.diagnostics > 5
    assert trial.refused == []
    assert len(trial.silent) <= SILENT, trial.silent[0]
