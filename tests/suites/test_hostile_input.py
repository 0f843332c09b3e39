"""Hostile input: no entity is followed, no depth, size, character or number breaks what reads, and none what shows."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

import callwright
from callwright.cli.support.formats import format_names
from callwright.config import read_config
from callwright.declarations.load import read_tools
from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.features.base import Request
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.report.model import view_of
from callwright.report.page import page
from callwright.runtime.strict import StrictParser
from callwright.text.facts import Holder
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from features.test_any_place import CLIENTS as EDITORS
from features.test_any_place import FEATURES, Around, answer, params_of
from support.sampling import crossed, sampled

CANARY = "canary-that-nobody-may-read"
TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "description": "Reads a file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "n": {"type": "number"}, "o": {}},
        },
    }
]
REGISTRY = ToolRegistry.of(TOOLS)
PATHS = ("a.prompt", "a.md", "a.txt", "a.xml", "a.poml", "a.json", "a.jsonl", "a.yaml", "a.py", "a.ts", "a.toolcall")
ASKED = [
    *("textDocument/hover", "textDocument/completion", "textDocument/signatureHelp", "textDocument/documentSymbol"),
    *("textDocument/codeAction", "textDocument/inlayHint", "textDocument/codeLens", "textDocument/foldingRange"),
]


def ask(text: str, path: str, at: int) -> str:
    """Return all that features answer at a place, as it goes over the wire."""
    snapshot = open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())
    around: Any = Around(snapshot)
    span = Span(min(at, len(text)), min(at, len(text)))
    stated = []
    for method in ASKED:
        params = params_of(method, snapshot, span, Random(0))  # noqa: S311 - nothing secret
        request = Request(span, EDITORS[0], params, around, (span.start, span.end), Holder())
        stated.append(json.dumps(answer(FEATURES[method], snapshot, request)))
    return "\n".join(stated)


def read_in_every_way(text: str, path: str = "a.prompt", dialects: tuple[str | None, ...] = (None,)) -> str:
    """Read a text in all ways that there are, and return what came of it, as one text."""
    stated: list[Any] = []
    for dialect in dialects:
        parsed = callwright.parse(text, tools=TOOLS, dialect=dialect)
        stated += [parsed.calls, [one.message for one in parsed.diagnostics]]
        stream = callwright.StreamingParser(tools=TOOLS, dialect=dialect)
        for at in range(0, len(text), 8192):
            stated.append(stream.feed(text[at : at + 8192]))
        stated.append(stream.finish())
        result = StrictParser(tools=TOOLS, dialect=dialect or "xml-children").parse(text)
        stated.append(result)
        if result.error is not None:
            stated.append(str(result.error))
    snapshot = open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())
    stated.append([(one.message, one.fixes) for one in diagnostics(snapshot)])
    stated.append(fix_all(snapshot, unsafe=True))
    stated.append(callwright.convert(text, "hermes", tools=TOOLS, path=path))
    view = view_of(snapshot, path)
    stated.append(page([view], view.counts, title=path))
    return "\n".join(map(str, stated))


# Entities


@contextmanager
def listener() -> Iterator[tuple[int, list[object]]]:
    """Listen on this machine, and keep who came."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        ended = threading.Event()

        def listen() -> None:
            while not ended.is_set():
                try:
                    connection, address = server.accept()
                except TimeoutError:
                    continue
                connection.close()
                came.append(address)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield server.getsockname()[1], came
        ended.set()
        thread.join()


def entities(canary: Path, port: int) -> dict[str, str]:
    """Return the beginnings of documents that ask an XML reader to read, to fetch, or to grow."""
    bomb = "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 12))
    return {
        "file": f'<!DOCTYPE r [<!ENTITY x SYSTEM "{canary.as_uri()}">]>',
        "http": f'<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1:{port}/x">]>',
        "dtd": f'<!DOCTYPE r SYSTEM "http://127.0.0.1:{port}/x.dtd">',
        "public": f'<!DOCTYPE r PUBLIC "-//A//B" "http://127.0.0.1:{port}/x.dtd">',
        "parameter": f'<!DOCTYPE r [<!ENTITY % p SYSTEM "{canary.as_uri()}"> %p;<!ENTITY x "%p;">]>',
        "remote parameter": f'<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:{port}/p"> %p;]>',
        "bomb": f'<!DOCTYPE r [<!ENTITY a0 "{"x" * 100}">{bomb}<!ENTITY x "&a11;">]>',
        "include": f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{canary.as_uri()}" parse="text"/>',
        "stylesheet": f'<?xml-stylesheet href="http://127.0.0.1:{port}/x.xsl"?>',
        "schema": f'<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="a http://127.0.0.1:{port}/"/>',
    }


FRAMES = (
    "{0}<read_file><path>&x;</path></read_file>",
    "<read_file>{0}<path>&x;</path></read_file>",
    "<read_file><path>{0}&x;</path></read_file>",
    '{0}<r><invoke name="read_file"><parameter name="path">&x;</parameter></invoke></r>',
    '<?xml version="1.0"?>{0}<poml><p>&x;</p><read_file><path>&x;</path></read_file></poml>',
    "{0}<tool_call><tool_name>read_file</tool_name><path>&x;</path></tool_call>",
)


@pytest.mark.parametrize("name", sampled(entities(Path("/x"), 1), keep=3))
def test_no_entity_is_read_fetched_or_blown_up(name: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text(CANARY)
    with listener() as (port, came):
        lead = entities(canary, port)[name]
        for number, frame in enumerate(FRAMES):
            text = frame.format(lead)
            stated = read_in_every_way(text, PATHS[number % 5], (None, *dialect_names()))
            for path in PATHS:
                snapshot = open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())
                stated += "\n".join(one.message for one in diagnostics(snapshot))
            stated += ask(text, "a.prompt", text.index("&x;") + 1)
            assert CANARY not in stated
            assert len(stated) < 4_000_000
        for path in ("t.json", "t.yaml", "t.py", "t.xml", "t.toml"):
            assert CANARY not in str(read_tools(lead + "<r>&x;</r>", path).problems)
        assert CANARY not in str(read_config(lead, tmp_path / "callwright.toml").problems)
        assert came == []


@pytest.mark.parametrize("name", ["file", "http", "dtd", "bomb"])
def test_an_entity_in_a_call_is_a_diagnostic(name: str, tmp_path: Path) -> None:
    text = f"<read_file>{entities(tmp_path / 'x', 1)[name]}<path>&x;</path></read_file>"
    assert callwright.check(text, tools=TOOLS)


# Depth and size


def nested(depth: int) -> dict[str, str]:
    lists, objects = "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth
    return {
        "JSON lists": f'<read_file>{{"o": {lists}}}</read_file>',
        "JSON objects": f'<tool_call>{{"name": "read_file", "arguments": {{"o": {objects}}}}}</tool_call>',
        "JSON without an end": '<read_file>{"o": ' + "[" * depth,
        "elements": f"<read_file><o>{'<a>' * depth}{'</a>' * depth}</o></read_file>",
        "elements without an end": f"<read_file><o>{'<a>' * depth}",
        "Python lists": f"[read_file(o={lists})]",
        "Python calls": f"[read_file(o={'f(' * depth}{')' * depth})]",
        "Python signs": f"[read_file(o={'-' * depth}1)]",
        "YAML lists": f"```yaml\ntool: read_file\narguments:\n  o: {lists}\n```",
        "YAML dashes": f"```yaml\ntool: read_file\narguments:\n  o: {'- ' * depth}1\n```",
    }


@pytest.mark.parametrize(("name", "depth"), crossed(nested(1), [257, 5_000]))
def test_depth_is_no_obstacle(name: str, depth: int) -> None:
    text = nested(depth)[name]
    read_in_every_way(text)
    ask(text, "a.prompt", len(text) // 2)


@pytest.mark.parametrize("name", sampled(nested(1), keep=4))
def test_a_hundred_thousand_levels_are_read(name: str) -> None:
    parsed = callwright.parse(nested(100_000)[name], tools=TOOLS)
    assert len(parsed.calls) <= 1
    assert parsed.diagnostics or parsed.calls or name.startswith(("Python", "YAML"))


@pytest.mark.parametrize("depth", [257, 100_000])
def test_depth_in_tools_and_configuration_is_a_diagnostic(depth: int) -> None:
    lists, schema = "[" * depth + "]" * depth, '{"items":' * depth + "{}" + "}" * depth
    files = {
        "a.json": lists,
        "b.json": f'{{"tools": [{{"name": "x", "inputSchema": {schema}}}]}}',
        "c.yaml": f"a: {lists}",
        "d.yaml": "- " * depth + "x",
        "e.py": f"TOOLS = {lists}",
        "f.py": f"TOOLS = {'-' * depth}1",
    }
    for path, text in files.items():
        assert read_tools(text, path).problems, path
    for text in (f"tools = {lists}", "x = " + "{a=" * depth + "1" + "}" * depth, f"[{'a.' * depth}b]", "[[" * depth):
        assert read_config(text, "/nowhere/callwright.toml").problems, text[:10]


@pytest.mark.parametrize(
    "frame",
    [
        "<read_file><path>{}</path></read_file>",
        "<read_file><path><![CDATA[{}]]></path></read_file>",
        '<invoke name="read_file"><parameter name="path">{}</parameter></invoke>',
        '<read_file path="{}"/>',
        '<read_file>{{"path": "{}"}}</read_file>',
        "<!-- {} --><read_file><path>a</path></read_file>",
    ],
)
def test_ten_megabytes_in_one_place_are_read(frame: str) -> None:
    parsed = callwright.parse(frame.format("x" * 10_000_001), tools=TOOLS)
    assert [call.tool for call in parsed.calls] == ["read_file"]


# Numbers

NUMBERS = [
    "9" * 5_000,
    "-" + "9" * 5_000,
    "1e999",
    "-1e999",
    "-0",
    "-0.0",
    "1" + "0" * 400 + ".5",
    "1e-999",
    "0x" + "f" * 5_000,
    "0o" + "7" * 9_000,
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: str(number)[:8])
def test_any_number_is_read_and_shown(number: str) -> None:
    for text in (
        f'<read_file>{{"path": "a", "n": {number}}}</read_file>',
        f"<read_file><path>a</path><n>{number}</n></read_file>",
        f"[read_file(path='a', n={number})]",
        f"```yaml\ntool: read_file\narguments:\n  n: {number}\n```",
        f'{{"messages": [{{"role": "assistant", "content": "", "x": {number}}}]}}',
        f"tool_calls:\n  - tool_name: read_file\n    arguments:\n      n: {number}\n",
        f'<read_file>{{"path": "a", "path": "b", "n": {number}, "n": {number}}}</read_file>',
    ):
        for path in ("a.prompt", "a.json"):
            read_in_every_way(text, path)
        ask(text, "a.prompt", len(text) // 2)
    for path, text in (
        (
            "t.json",
            f'{{"name": "x", "input_schema": {{"type": "object", "minimum": {number}, "maxLength": {number}}}}}',
        ),
        ("t.yaml", f"name: x\ninput_schema:\n  type: object\n  properties:\n    a: {{maximum: {number}}}\n"),
        ("t.py", f"TOOLS = [{{'name': 'x', 'input_schema': {{'type': 'object', 'minimum': {number}}}}}]"),
    ):
        read_tools(text, path)


def test_a_key_that_is_twice_is_a_diagnostic() -> None:
    found = callwright.check('<read_file>{"path": "a", "path": "b"}</read_file>', tools=TOOLS)
    assert "duplicate-key" in {one.name for one in found}


# Characters, through every output

ODD = {
    "nul": "\x00",
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "no character": "\ufffe\uffff\ufdd0",
    "half a pair": "\ud800",
    "the other half": "\udfff",
    "a byte": "\udc80",
    "direction": "\u202e\u2066",
    "separators": "\u2028\u2029\x85\x0b\x0c",
    "delete": "\x7f\x9b31m",
}


@pytest.mark.parametrize("name", sampled(ODD, keep=4))
def test_every_character_gets_through_every_way(name: str) -> None:
    odd = ODD[name]
    for text in (
        f"<read_file><path>a{odd}b</path><{odd}x>1</{odd}x></read_file>",
        f"<read_file{odd}><path>a</path></read_file{odd}>",
        f"<read_fil{odd}>{{}}</read_fil{odd}>",
        f'<read_file>{{"pa{odd}th": "{odd}", "n": "{odd}"}}</read_file>',
        f"[read_file(path='{odd}', n{odd}=1)]",
        f'```yaml\ntool: read_file\narguments:\n  path: "{odd}"\n  n: {odd}\n```',
        json.dumps({"messages": [{"role": "assistant", "content": f"<read_file><pat{odd}>{odd}</pat></read_file>"}]}),
    ):
        for path in ("a.prompt", "a.json", "a.py", "a.yaml", "a.md"):
            read_in_every_way(text, path).encode("utf-8", "surrogatepass")
        for at in (3, len(text) // 2, len(text) - 4):
            ask(text, "a.prompt", at).encode("ascii")


def command(folder: Path, *words: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "callwright", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode in (0, 1), done.stdout
    assert b"Traceback" not in done.stdout
    return done.stdout


HOSTILE = (
    '<read_fil\x1b[31m>{"path": "\\ud800"}</read_fil\x1b[31m>\n<read_file>{"pat\x1b[2J\u202eh": "\x00", "n": "\\udfff"}'
    "</read_file>\n<read_file><n>\x1b]0;owned\x07</n><p\x9b1m>1</p\x9b1m></read_file>\n"
)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
@pytest.mark.parametrize("output", sampled(format_names(), keep=3))
def test_no_format_commands_a_terminal(output: str, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31m\n\u202e::error::x.prompt"
    file.write_text(HOSTILE, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    stated = command(tmp_path, "check", "--tools", "tools.json", "--output-format", output, ".").decode("utf-8")
    assert not set(stated) & set("\x1b\x07\x00\x9b\u202e\x0b\x0c")
    assert stated


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are no text")
@pytest.mark.parametrize("output", sampled(format_names(), keep=2))
def test_a_file_name_that_is_no_text_is_reported(output: str, tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff\xed\xa0\x80.prompt"))
    file.write_text(HOSTILE, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    stated = command(tmp_path, "check", "--tools", "tools.json", "--output-format", output, ".").decode("utf-8")
    assert "\x1b" not in stated
    command(tmp_path, "report", "--output-file", "report.html", file.name)
    (tmp_path / "report.html").read_text(encoding="utf-8")
