"""Declarations in every kind of document: a program's strings, messages, YAML blocks, templates."""

from __future__ import annotations

import json

import pytest

from callwright.document.settings import DEFAULT
from callwright.document.snapshot import Snapshot
from callwright.fastpath.quick import LineCheck
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY, ToolRegistry

PROMPT = """## read_file
Description: Read a file from the disk.
Parameters:
- path: (required) Where the file is.
- encoding: (optional) How it is written.

## write_file
Description: Write a file.
Parameters:
- path: (required) Where it goes.
- content: (required) What goes in.
"""
SCHEMA = """<tools>
{"name": "read_file", "description": "Read a file.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "encoding": {"type": "string"}}, "required": ["path"]}}
</tools>
"""  # noqa: E501  a definition is on one line
CALL = "<read_file><path>a.py</path><encodng>utf-8</encodng></read_file>"


def messages(prompt: str) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": prompt},
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": CALL},
    ]


def indented(text: str, by: str = "  ") -> str:
    return "".join(f"{by}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


DOCUMENTS = {
    "a.md": "{prompt}\n" + CALL + "\n",
    "a.prompt": "{prompt}\n" + CALL + "\n",
    "a.txt": "{prompt}\n" + CALL + "\n",
    "a.md.j2": "{{% if x %}}Hello {{{{ name }}}}{{% endif %}}\n{prompt}\n" + CALL + "\n",
}


def text_in(name: str, prompt: str) -> str:
    if name in DOCUMENTS:
        return DOCUMENTS[name].format(prompt=prompt)
    if name == "a.json":
        return json.dumps({"messages": messages(prompt)}, indent=1)
    if name == "a.jsonl":
        return json.dumps({"messages": messages(prompt)}) + "\n" + json.dumps({"messages": messages("Hi.")}) + "\n"
    if name == "a.yaml":
        return f"system: |\n{indented(prompt)}\nexample: |\n{indented(CALL)}\n"
    if name == "a.py":
        return f'SYSTEM = """{prompt}"""\n\nEXAMPLE = """\n{CALL}\n"""\n'
    return f"const SYSTEM = `{prompt}`;\n\nconst EXAMPLE = `\n{CALL}\n`;\n"


NAMES = [*DOCUMENTS, "a.json", "a.jsonl", "a.yaml", "a.py", "a.ts"]


def opened(name: str, text: str, registry: ToolRegistry = EMPTY) -> Snapshot:
    return open_snapshot(text, path=name, registry=registry, settings=DEFAULT)


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("prompt", [PROMPT, SCHEMA], ids=["headings", "schema"])
@pytest.mark.parametrize("name", NAMES)
def test_a_document_judges_its_calls_by_what_it_declares(name: str, prompt: str, newline: str) -> None:
    text = text_in(name, prompt).replace("\n", newline)
    snapshot = opened(name, text)
    assert [(each.code, each.span.of(text)) for each in diagnostics(snapshot)] == [("TC303", "encodng")]
    if name != "a.jsonl":
        names = [each.declaration.place(each.declaration.read.name_of(each.definition)) for each in snapshot.own_tools]
        assert [span.of(text).strip('\\"') for span in names] == sorted(snapshot.registry.names)


def test_a_row_is_judged_by_what_it_declares_itself() -> None:
    rows = [messages(PROMPT), messages("Hi."), messages(SCHEMA), messages("Hi.")]
    text = "".join(json.dumps({"messages": row}) + "\n" for row in rows)
    found = [text.count("\n", 0, each.span.start) for each in diagnostics(opened("a.jsonl", text))]
    assert found == [0, 2]


def test_the_tools_that_a_row_brings_come_first() -> None:
    tools = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]
    row = json.dumps({"messages": messages(PROMPT), "tools": tools})
    assert diagnostics(opened("a.jsonl", row + "\n")) == []


def test_the_projects_tools_judge_where_it_has_some() -> None:
    registry = ToolRegistry.of([{"name": "read_file", "inputSchema": {"type": "object"}}])
    snapshot = opened("a.md", text_in("a.md", PROMPT), registry)
    assert not snapshot.is_own
    assert [each.code for each in diagnostics(snapshot) if each.code.startswith("TC3")] == []


@pytest.mark.parametrize("prompt", [PROMPT, SCHEMA], ids=["headings", "schema"])
def test_no_fast_path_answers_for_a_row_that_declares_tools(prompt: str) -> None:
    outcome = LineCheck(EMPTY, DEFAULT)
    assert not outcome.is_clean(json.dumps({"messages": messages(prompt)}).encode())
    assert outcome.is_clean(
        json.dumps({"messages": [*messages("Hi.")[:2], {"role": "assistant", "content": "Yes."}]}).encode()
    )


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_what_an_assistant_states_declares_nothing(name: str) -> None:
    row = [{"role": "user", "content": "Which tools?"}, {"role": "assistant", "content": f"{PROMPT}\n\n{CALL}"}]
    assert diagnostics(opened(name, json.dumps({"messages": row}))) == []
