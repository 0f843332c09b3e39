"""Documents of every host and of every shape of transcripts, and mutations of them.

Owns: gathering the sources of their cases, their corpora, and texts written into every format; seeded mutation with
what these formats are made of. Must not know: any single host, what is asserted of the documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span
from hosts.host_cases import HOSTS, SHAPES, cases_in, corpus_cases
from invariants.corpus import registry, seeded
from invariants.embeddings import EMBEDDINGS, material
from support.engine import settings_of

#: What strings, scalars, markup and template code are made of, and the turns of transcripts.
PIECES: Final = [
    *"\"'`\\{}[]<>&|:,#-~$%()\t \n",
    *('"""', "'''", "\\\n", "\r\n", "\r", "\ufeff", "\u2028", "\ud83d", "\\ud83d", "\\u00", "\\x4", "\\N{", "😀", "é"),
    *("{{", "}}", "{%", "%}", "{#", "{% if x %}", "{% endif %}", "{{#if x}}", "{{/if}}", "${", "$$", "{x!r:>{w}}"),
    *(
        "&lt;",
        "&#x1F600;",
        "&#0;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?x?>",
        "</",
        "/>",
        "f'",
        'r"',
        "// ",
        "/*",
        "*/",
    ),
    *("|-\n", ">+2\n", "- ", ": ", "  ", "---\n", "...\n", "&a ", "*a", "!!str ", "? ", "<<: *a", "\n\n", "# "),
    *('"role": "tool", ', '"content": ', "null", "[]", "{}", '"x"', "1e999", '"role": 7, ', '"tool_calls": [{}], '),
]


class Document(NamedTuple):
    """A text, the name of its file, and the settings that it is read under."""

    path: str
    text: str
    settings: Settings

    def opened(self, text: str | None = None) -> Snapshot:
        """Return the snapshot of the document, or of another text in its place."""
        own = self.text if text is None else text
        return open_snapshot(own, path=self.path, registry=registry(), settings=self.settings)


@cache
def documents() -> tuple[Document, ...]:
    """Return all documents, each once, in a fixed order."""
    found: dict[tuple[str, str], Document] = {}
    for room in (HOSTS, SHAPES):
        for case in [*cases_in(room), *corpus_cases(room)]:
            document = Document(case.info["path"], case.source, settings_of(case.info))
            found.setdefault((Path(document.path).suffix, document.text), document)
    texts = material()
    for number, embedding in enumerate(EMBEDDINGS):
        for source in texts[number :: len(EMBEDDINGS)][:6]:
            file = embedding.write(source.text)
            if file is not None:
                document = Document(embedding.path, file, Settings(**embedding.settings))
                found.setdefault((document.path, document.text), document)
    return tuple(found.values())


def mutants(batch: int, count: int, salt: str = "") -> Iterator[Document]:
    """Yield `count` mutations of documents; a batch's number says which."""
    random = seeded(f"{salt}{batch}")
    known = documents()
    for _ in range(count):
        document = random.choice(known)
        text = document.text
        for _ in range(random.choice((1, 1, 2, 3, 6))):
            text = changed(text, random_edit(text, random))
        yield document._replace(text=text[:30_000])


def changed(text: str, edit: Edit) -> str:
    """Return the text after one edit."""
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


def random_edit(text: str, random: Random) -> Edit:
    """Return an edit somewhere: something taken away, put in, doubled, or cut off."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 0, 1, 2, 5, 12, 40)))
    kind = random.randrange(8)
    if kind == 0:
        return Edit(Span(start, len(text)), "")
    if kind == 1:
        return Edit(Span(start, end), "")
    if kind == 2:
        return Edit(Span(start, start), text[start : start + random.choice((1, 8, 60, 400))])
    if kind == 3:
        other = random.choice(documents()).text
        at = random.randint(0, len(other))
        return Edit(Span(start, end), other[at : at + random.choice((5, 50, 500))])
    return Edit(Span(start, end), random.choice(PIECES) * random.choice((1, 1, 1, 3)))
