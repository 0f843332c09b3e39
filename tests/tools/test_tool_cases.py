"""What each format and source of tool files makes of a text: the files in `cases/`.

`path=` names the file. A `definitions` fence has for each tool what is known of it, and where its name and each of its
parameters are, as `line:column-line:column`. A `problems` fence has what is wrong; without one there must be nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callwright.text.document import TextDocument
from callwright.text.span import Span
from callwright.tools.definitions import Definition
from callwright.tools.documents import ToolDocument, read_tool_document
from support.cases import Case, Fence, Producer, load_cases


def document_of(case: Case) -> ToolDocument:
    return read_tool_document(case.source, case.info.get("path", "kit.json"))


def place(text: str, span: Span) -> str:
    document = TextDocument.from_text(text)
    points = []
    for offset in span:
        line = document.line_at(offset)
        points.append(f"{line + 1}:{offset - document.line_start(line) + 1}")
    return "-".join(points)


def reported(document: ToolDocument, definition: Definition) -> dict[str, Any]:
    tool, text = definition.tool, document.text
    places = document.places
    stated: dict[str, Any] = {
        "name": tool.name,
        "source": definition.source,
        "set": tool.origin.tool_set if tool.origin.tool_set != Path(document.file).stem else None,
        "title": tool.title,
        "description": tool.description,
        "deprecated": True if tool.deprecated == "" else tool.deprecated,
        "aliases": list(tool.aliases),
        "annotations": dict(tool.annotations),
        "examples": list(tool.examples),
        "input": tool.input_schema,
        "output": tool.output_schema,
        "unchecked": not tool.checked,
    }
    named = places.key(definition.name_path) if definition.name_is_key else places.value(definition.name_path)
    where = {"(name)": place(text, named)}
    schema = definition.schema_path
    if schema is not None:
        where |= {name: place(text, places.key((*schema, "properties", name))) for name in tool.parameters}
    return {key: value for key, value in stated.items() if value} | {"places": where}


def definitions(case: Case, fence: Fence) -> str:
    document = document_of(case)
    return "\n".join(json.dumps(reported(document, one), ensure_ascii=False, indent=1) for one in document.definitions)


def problems(case: Case, fence: Fence) -> str:
    document = document_of(case)
    return "\n".join(
        f"{place(document.text, one.span)} {one.kind}: {one.data.get('reason')}" for one in document.problems
    )


PRODUCERS: dict[str, Producer] = {"definitions": definitions, "problems": problems}


@pytest.mark.parametrize("case", load_cases(Path(__file__).parent / "cases"), ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
    if all(fence.name != "problems" for fence in case.expected):
        assert not problems(case, case.source_fence)
