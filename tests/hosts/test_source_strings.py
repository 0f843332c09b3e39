"""Strings of programs: which of them are read, and that a source without a sign of a call is not even gone through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callwright.dialects.catalogue import dialect_openers
from callwright.document.settings import Settings
from callwright.hosts.base import HostContext
from callwright.hosts.python import LANGUAGE as PYTHON
from callwright.hosts.support import source_strings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.syntax.source_strings import SourceString
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry

#: Openers that say nothing by themselves: prose, data and program text have them, too.
SILENT = frozenset(
    [
        *("{", "[", "<", "```", "~~~", ">>>", "Action", '{"name"', '{"type"', '{"function"', '{"id"', '{"role"'),
        *(
            '[{"name"',
            "Thought:",
            "Code:",
            "DISCUSSION",
            "<code>",
            "```py",
            "```python",
            "```bash",
            "```sh",
            "```shell",
        ),
    ]
)
#: What is after an opener that is only the beginning of a word or of a tag.
AFTER = {
    "Action:": " read_file",
    "```[": "read_file(",
    "<tool_call": ">",
    "<function": " name='a'>",
    "<invoke": " name='a'>",
}
AFTER |= dict.fromkeys(('{"tool_calls"', '{"functionCall"', '{"function_call"'), ": ")
NAMES = frozenset({"read_file", "launch"})


def test_every_opener_of_every_format_is_a_sign_or_states_nothing() -> None:
    for opener, name in dialect_openers():
        if opener not in SILENT:
            assert source_strings.reports(opener + AFTER.get(opener, " "), NAMES), (opener, name)
    assert {opener for opener, _ in dialect_openers()} >= SILENT - {"```", "~~~"}


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("<read_file><path>a</path></read_file>", True),
        ("<launch/>", True),
        ('{"type": "tool_use", "name": "f", "input": {}}', True),
        ('{"functionCall": {"name": "f", "args": {}}}', True),
        ("the type is tool_use, and functionCall is a key", False),
        ("<other_tool>", True),
        ('{"name": "read_file", "arguments": {}}', True),
        ('{\\"tool\\": \\"read_file\\"}', True),
        ("[read_file(path='a')]", True),
        ("Action: read_file", True),
        ("Action: wait\nAction Input: {}", True),
        (">>>read_file\n{}", True),
        ("<div><p>x</p></div> a < b <T> <launchpad>", False),
        ('{"name": "x", "version": 1}', False),
        ("[Match(a=0, b=0)] f(args, arguments)", False),
        ("Action: wait. >>> x", False),
    ],
)
def test_what_reports_a_call(text: str, reported: bool) -> None:
    assert source_strings.reports(text, NAMES) is reported


def test_a_source_without_a_sign_is_not_gone_through() -> None:
    seen: list[str] = []

    def scanned(source: str) -> list[SourceString]:
        seen.append(source)
        return []

    language = replace(PYTHON, scan=scanned)
    context = HostContext(None, NAMES)
    source_strings.source_record('x = "a < b"  # <div>, {"a": 1}\n' * 50, context, language)
    assert seen == []
    source_strings.source_record('x = "<read_file>"', context, language)
    assert seen == ['x = "<read_file>"']


@pytest.mark.parametrize("path", ["a.py", "a.js"])
def test_markers_alone_are_no_calls(path: str) -> None:
    for opener, _ in dialect_openers():
        if '"' in opener or "`" in opener:
            continue
        for text in (opener, f"{opener}\\n", f"</{opener[1:]}", f"{opener} … </{opener[1:]}"):
            snapshot = open_snapshot(
                f'a = ["{text}", "x"]\nb = "{text}" + c\nd = c + "{text}"\n',
                path=path,
                registry=shipped_registry(),
                settings=Settings(),
            )
            errors = [each.message for each in diagnostics(snapshot) if each.severity is Severity.ERROR]
            assert errors == [], text


@pytest.mark.parametrize("role", ["before", "behind"])
def test_a_part_of_a_larger_text_may_be_cut_off_and_a_whole_one_not(role: str) -> None:
    call = '"Say this:\\n\\n<read_file>\\n<path>a</path>\\n"'
    part = f"x = y + {call}" if role == "before" else f"x = {call} + y"
    registry = ToolRegistry.of([{"name": "read_file", "inputSchema": {"properties": {"path": {"type": "string"}}}}])

    def codes(source: str) -> list[str]:
        snapshot = open_snapshot(source, path="a.py", registry=registry, settings=Settings())
        return [each.code for each in diagnostics(snapshot)]

    assert codes(part) == []
    for name in ("begin", "TOOL_PREFIX", "delta_text", "chunk: str", "x = {'end'", "broken"):
        assert codes(f"{name}{':' if '{' in name else ' ='} {call}") == [], name
    assert codes(f"text = {call}\nfor x in y:\n    text += x") == []
    for name in ("render", "stage", "x = {'text'"):
        assert codes(f"{name}{':' if '{' in name else ' ='} {call}") == ["TC101"], name
    assert codes(f"x = {call}") == ["TC101"]
    assert codes(f"x = [{call}, y]") == []
    assert codes(f"f(y, {call})") == ["TC101"]
