"""The `notebook` host: the cells of a Jupyter notebook, each read as a document of its own kind.

Owns: recognising such files, where their cells are, and which kind of document each cell is. Must not know: dialects,
other hosts, how any kind of document is read.

The format: https://nbformat.readthedocs.io/en/latest/format_description.html; cell magics:
https://ipython.readthedocs.io/en/stable/interactive/magics.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from callwright.hosts.base import Embedded, Host, HostContext, Passage, Record, RecordHost, TranscriptPart
from callwright.hosts.support.embedded import embedded_record, inner_host
from callwright.syntax.comments import HASH
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.json_lines import Deferred, JsonLines
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.span import Span

#: A program's output may hold half of a character, which is not a fault of the notebook's.
_HALF: Final = "lone-surrogate"
#: The first line of a code cell, where it states what the cell is.
_MAGIC: Final = re.compile(r"(?:[ \t]*+\r?\n)*+%%(?P<name>[\w!]++)(?P<rest>[^\r\n]*+)(?:\r\n|\n|\r|\Z)")
#: Magics of cells that are Python all the same.
_PYTHON: Final = frozenset(
    {"python", "python2", "python3", "pypy", "time", "timeit", "capture", "prun", "lprun", "mprun", "memit", "scalene"}
    | {"debug", "px", "skip", "heat", "snakeviz", "pyinstrument", "ipytest", "cache", "cython"}
)
#: Magics of other languages, by the editor's names for these; what is in none of these lists is left alone.
_LANGUAGES: Final = {
    "markdown": "markdown",
    "md": "markdown",
    "js": "javascript",
    "javascript": "javascript",
    "ai": "markdown",
}
#: Magics that write the cell into a file, whose name says what the cell is.
_FILES: Final = frozenset({"writefile", "file"})
_FILE_NAME: Final = re.compile(r"[ \t]*+(?:-a[ \t]++|--append[ \t]++)?+[\"']?([^\"'\r\n]*[^\"'\s])")
#: What a kernel calls its language, and what an editor does.
_KERNELS: Final = {"ipython": "python", "python3": "python", "node": "javascript", "nodejs": "javascript"}
_MARKDOWN: Final = frozenset({"markdown", "heading"})
#: A raw cell says by a media type what it is.
_RAW: Final = {"text/markdown": "markdown"}


class Notebook(RecordHost):
    """Jupyter notebooks: Markdown cells are read as Markdown, code cells as programs in their own language (the
    kernel's, or that of a `%%` line), raw cells as plain text. Outputs, and cells in languages that Callwright does
    not read, are skipped."""

    name = "notebook"
    title = "Jupyter notebook"
    suffixes = (".ipynb",)
    refines = ("json", "jsonc")

    def read(self, text: str, context: HostContext) -> Record:
        """Take the cells out of the notebook, and read each as what it is."""
        if '"cell_type"' not in text:
            return Record()
        read = read_json(text, 1 if text.startswith("\ufeff") else 0)
        root = JsonView.of(read)
        language = _kernel_language(root)
        problems = [problem for problem in read.problems if problem.kind != _HALF]
        passages: list[Passage] = []
        parts: list[TranscriptPart] = []
        embedded: list[Embedded] = []
        found = False
        for cell in _cells(root):
            found = True
            source = _source(cell)
            placed = None if source is None else _placed(source, text, sound=not read.problems)
            if placed is None:
                continue
            record = _cell_record(cell.value, *placed, language, context)
            passages += record.passages
            parts += record.transcripts
            embedded += record.embedded
        return Record(passages, problems if found else (), parts, embedded)


def _cells(root: JsonView) -> Iterator[JsonView]:
    """Yield the cells in order; up to version 3 of the format they lie in work sheets."""
    yield from root.objects("cells")
    for sheet in root.list_at("worksheets"):
        yield from sheet.objects("cells")


def _kernel_language(root: JsonView) -> str:
    """Return the language of the notebook's kernel, by the editor's name for it."""
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        stated = root.at("metadata", key, name)
        if stated is not None and isinstance(stated.value, str) and stated.value:
            return _KERNELS.get(stated.value.lower(), stated.value.lower())
    return "python"


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _source(cell: JsonView) -> JsonView | None:
    """Return the text of a cell, None of one that has none; up to version 3 that of code is its `input`."""
    source = cell.get("source", "input")
    if source is None:
        return None
    value = source.value
    lines = value if isinstance(value, list) else [value]
    whole = all(isinstance(line, str) for line in lines)
    return source if whole and any(line.strip() for line in lines) else None


def _placed(source: JsonView, text: str, *, sound: bool) -> tuple[str, Projection] | None:
    """Return a cell's text with the way to the notebook's; None where the file breaks off in it.

    In a sound notebook most cells have no diagnostics, so their places are not needed.
    """
    if sound:
        value = source.value
        own = "".join(value) if isinstance(value, list) else value
        return own, Deferred(len(own), partial(_sound_projection, source, text))
    projection = _projection(source, text, sound=False)
    return None if projection is None else (projection.text, projection)


def _sound_projection(source: JsonView, text: str) -> Projection:
    projection = _projection(source, text, sound=True)
    assert projection is not None, "a notebook without faults has its strings in quotes"
    return projection


def _projection(source: JsonView, text: str, *, sound: bool) -> JsonLines | JsonString | None:
    views = [*source.items()] if isinstance(source.value, list) else [source]
    strings: list[JsonString] = []
    for view in views:
        start, end = view.span
        if end - start < 2 or text[start] != '"' or text[end - 1] != '"':
            return None
        strings.append(JsonString(text[start + 1 : end - 1], start + 1))
    return JsonLines(strings, text, sound=sound) if isinstance(source.value, list) else strings[0]


def _cell_record(
    cell: dict[str, Any], text: str, projection: Projection, language: str, context: HostContext
) -> Record:
    """Return what a cell holds, by its own host."""
    host, start = _kind(cell, text, language)
    if host is None or start >= len(text):
        return Record()
    inner: Projection = projection if start == 0 else Composed(projection, Identity(start, len(text) - start))
    return embedded_record(host, text[start:], inner, context)


def _kind(cell: dict[str, Any], text: str, language: str) -> tuple[Host | None, int]:
    """Return the host of a cell, None for one that nothing reads, and where its text begins after a magic line."""
    kind = cell.get("cell_type")
    metadata = cell.get("metadata")
    if not isinstance(kind, str):
        return None, 0
    if kind in _MARKDOWN:
        return inner_host("markdown"), 0
    if kind == "raw":
        media = _member(metadata, "raw_mimetype") or _member(metadata, "format")
        return inner_host(_RAW.get(media, "plaintext") if isinstance(media, str) else "plaintext"), 0
    if kind != "code":
        return None, 0
    own = _member(_member(metadata, "vscode"), "languageId") or cell.get("language") or language
    own = own.lower() if isinstance(own, str) else language
    own = _KERNELS.get(own, own)
    magic = _MAGIC.match(text)
    if magic is None:
        return inner_host(own), 0
    name = magic["name"].lower()
    if name in _FILES:
        file = _FILE_NAME.match(magic["rest"])
        return (inner_host(path=file[1]) if file is not None else None), magic.end()
    return inner_host("python" if name in _PYTHON else _LANGUAGES.get(name, "")), magic.end()


class _PythonCell(RecordHost):
    """A cell of Python as an editor has it, by itself: what its magic line says it is, or a program."""

    name = "notebook-cell"
    title = "Python source"
    comments = (HASH,)

    def strings(self, text: str) -> Sequence[Span]:
        """Return the places of all strings; of a cell in another language it is all of it."""
        host = inner_host("python")
        if host is None or host.flow or _MAGIC.match(text) is not None:
            return [Span(0, len(text))]
        return host.strings(text)

    def read(self, text: str, context: HostContext) -> Record:
        """Take the cell apart."""
        host, start = _kind({"cell_type": "code"}, text, "python")
        if host is None or start >= len(text):
            return Record()
        if start == 0 and not host.flow:
            return host.read(text, context)
        return embedded_record(host, text[start:], Identity(start, len(text) - start), context)


_PYTHON_CELL: Final = _PythonCell()


def cell_host(language: str) -> Host | None:
    """Return what reads a cell that an editor opens as a document, by the editor's language; None where nothing does.

    Invariant: the same language has the same host.
    """
    language = _KERNELS.get(language.lower(), language.lower())
    if language == "python":
        return _PYTHON_CELL
    return inner_host("plaintext" if language == "raw" else language)


HOST = Notebook()
