"""What several targets share: blocks of other sizes, and documents of every kind of file.

Owns: `block_size`, `document_of`. Must not know: any single target.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from callwright.dialects.catalogue import dialect_names
from callwright.document import block_reading
from callwright.document.settings import Settings
from fuzz.inputs import Input
from invariants.host_documents import Document

#: Names of files, one for each kind that a text may be in, and for each template language.
PATHS: Final = (
    *("a.md", "a.txt", "a.prompt", "a.md.j2", "a.md.hbs", "a.transcript", "a.json", "a.jsonl", "a.ipynb", "a.yaml"),
    *("a.prompt.yaml", "a.py", "a.ts", "a.js", "a.xml", "a.poml", "a.log"),
)


@contextmanager
def block_size(block: int, window: int) -> Iterator[None]:
    """Let documents be read in blocks of another size; what they are must not change what is read."""
    before = (block_reading.BLOCK, block_reading.WINDOW)
    block_reading.BLOCK, block_reading.WINDOW = block, window
    try:
        yield
    finally:
        block_reading.BLOCK, block_reading.WINDOW = before


def document_of(given: Input) -> Document:
    """Return the document that an input describes: its file's name, its text, the settings that it is read under."""
    dialect = given.pick("dialect", ("any", *dialect_names()))
    template = given.pick("template", ("any", "jinja", "handlebars", "format", "dollar"))
    settings = Settings(
        dialect=None if dialect == "any" else dialect,
        template=None if template == "any" else template,
        strict=given.pick("strict", ("no", "yes")) == "yes",
    )
    return Document(given.pick("path", PATHS), given.text, settings)
