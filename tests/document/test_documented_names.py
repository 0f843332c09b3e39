"""Which names a document documents, and that an edit finds what reading the whole text finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.document.documented_names import DocumentedNames, documents
from callwright.document.settings import Settings
from callwright.document.snapshot import Origin, Snapshot
from callwright.lint.linter import diagnostics
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from callwright.tools.registry import EMPTY

DOCUMENTS = [
    "## read_file",
    "### 1. `read_file` (path)",
    "## Tool: read_file",
    "#### **read_file**",
    "- `read_file`: reads a file",
    "* read_file - reads a file",
    "1. **read_file** - reads a file",
    "| read_file | reads a file |",
    "|`read_file`|reads a file|",
    "**read_file**: reads a file",
    "`read_file(path)` reads a file",
    "read_file(path: str) -> str",
    "  read_file:",
    '  "name": "read_file",',
    "  - name: read_file",
    '<tool name="read_file">',
    "def read_file(path):",
    "type read_file = (_: {",
    "<tool_name>read_file</tool_name>",
    "Tool name: read_file",
    r'{"content": "# Tools\n## read_file\nIt reads a file."}',
]
NOTHING = [
    "Note: read it.",
    "Use <read_file> for it.",
    "Finally, read_file is called.",
    "Call read_file when you need a file.",
    "<read_file>",
    "</read_file>",
    "The tool read_file_now reads.",
]


@pytest.mark.parametrize("line", DOCUMENTS)
def test_a_line_that_documents_a_name(line: str) -> None:
    assert documents(f"{line}\n", "read_file")


@pytest.mark.parametrize("line", NOTHING)
def test_a_line_that_merely_mentions_one(line: str) -> None:
    assert not documents(f"{line}\n", "read_file")


LINES = st.sampled_from(
    ["## read_file\n", "- `run_it`: runs\n", "text\n", "\n", "run_it(x)\n", "\r\n", "## read", "_file\n"]
)


NAMES = ("read_file", "run_it", "read")


@given(st.lists(LINES, max_size=12).map("".join), st.data())
def test_an_edit_finds_what_the_whole_text_holds(text: str, data: st.DataObject) -> None:
    before = TextDocument.from_text(text)
    names = DocumentedNames(before)
    assert [name in names for name in NAMES] == [documents(text, name) for name in NAMES]
    for _ in range(3):
        size = len(before)
        start = data.draw(st.integers(0, size))
        end = data.draw(st.integers(start, size))
        new = data.draw(st.lists(LINES, max_size=2).map("".join))
        after = before.replace(Span(start, end), new)
        names = names.edited(after, start, start + len(new), len(new) - (end - start))
        assert [name in names for name in NAMES] == [documents(after.text(), name) for name in NAMES]
        before = after


def found(snapshot: Snapshot) -> list[str]:
    return [f"{each.code} {each.span.start}" for each in diagnostics(snapshot)]


def opened(text: str) -> Snapshot:
    return Snapshot.open(TextDocument.from_text(text), Origin("a.md", "a.md"), registry=EMPTY, settings=Settings())


def test_a_call_is_judged_as_soon_as_its_name_is_documented() -> None:
    call = "\n\n<read_file>\n<path>a</path> # a remark\n</read_file>\n"
    snapshot = opened(f"# Tools{call}")
    assert found(snapshot) == []
    documented = snapshot.edit([Edit(Span(7, 7), "\n## read_file")])
    assert found(documented) == found(opened(documented.document.text())) != []
    assert found(documented.edit([Edit(Span(7, 20), "")])) == []
