"""Tool files in Python: what is read without running is what pydantic says after running, at its place in the text."""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from callwright.tools.documents import ToolDocument, read_tool_document
from callwright.tools.formats.python import FORMAT
from callwright.tools.python.annotations import Schemas
from callwright.tools.python.docstrings import read_docstring
from callwright.tools.python.module import Module, parse
from support.sampling import tries

MODELS = Path(__file__).parent / "python" / "models.py"
HEAD = """\
import datetime, enum, typing
from typing import *
from pydantic import BaseModel, Field
"""


def module_of(source: str) -> Module:
    found = parse(source, 0)
    assert isinstance(found, Module)
    return found


def without_titles(schema: Any, *, names: bool = False) -> Any:
    """Return a schema without the titles that pydantic makes of names; `names` says that the keys are properties."""
    if isinstance(schema, dict):
        return {
            key: without_titles(value, names=key in ("properties", "$defs") and not names)
            for key, value in schema.items()
            if names or key != "title"
        }
    return [without_titles(item) for item in schema] if isinstance(schema, list) else schema


@pytest.fixture(scope="module")
def models() -> ModuleType:
    spec = importlib.util.spec_from_file_location("models_of_pydantic", MODELS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SOURCE = MODELS.read_text(encoding="utf-8")
CLASSES = [name for name, node in module_of(SOURCE).classes.items() if name != "Config"]


@pytest.mark.parametrize("name", CLASSES)
def test_schemas_are_those_that_pydantic_gives(models: ModuleType, name: str) -> None:
    source = module_of(SOURCE)
    schemas = Schemas(source)
    expected = TypeAdapter(getattr(models, name)).json_schema()
    assert without_titles(schemas.of_class(source.classes[name]).value) == without_titles(expected)
    assert not schemas.notes


LEAVES = st.sampled_from(
    [
        *("int", "str", "bool", "float", "None", "Any", "list", "dict", "bytes", "datetime.date", "'int'", "Model"),
        *(
            "Literal['a', 'b']",
            "Literal[1]",
            "Literal[True, 'x', None]",
            "Annotated[int, Field(ge=1)]",
            "Kind",
            "object",
        ),
        *("Annotated[str, Field(min_length=1, description='d')]", "typing.Optional[int]", "Name", "'Model'", "tuple"),
    ]
)
ANNOTATIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda one: f"Optional[{one}]"),
        inner.map(lambda one: f"List[{one}]"),
        inner.map(lambda one: f"dict[str, {one}]"),
        inner.map(lambda one: f"tuple[{one}, ...]"),
        st.tuples(inner, inner).map(lambda two: f"Union[{two[0]}, {two[1]}]"),
        st.tuples(inner, inner).map(lambda two: f"tuple[{two[0]}, {two[1]}]"),
        inner.map(lambda one: f"Annotated[{one}, Field(description='outer')]"),
    ),
    max_leaves=5,
)
CLASSES_BEFORE = '''
Name = Annotated[str, Field(max_length=9)]
class Kind(enum.Enum):
    """Kinds."""
    A = "a"
    B = 2
class Model(BaseModel):
    x: int = 1
'''


@settings(deadline=None, max_examples=tries(60))
@given(st.lists(ANNOTATIONS, min_size=1, max_size=4))
def test_annotations_are_read_as_pydantic_reads_them(annotations: list[str]) -> None:
    fields = "".join(f"    f{index}: {one}\n" for index, one in enumerate(annotations))
    text = f"{HEAD}{CLASSES_BEFORE}class Made(BaseModel):\n{fields}"
    made = ModuleType("made_for_pydantic")
    sys.modules["made_for_pydantic"] = made
    exec(compile(text, "made", "exec"), made.__dict__)  # noqa: S102 # the text is made of the pieces above
    expected = TypeAdapter(made.__dict__["Made"]).json_schema()
    source = module_of(text)
    assert without_titles(Schemas(source).of_class(source.classes["Made"]).value) == without_titles(expected)


def read(source: str) -> ToolDocument:
    return read_tool_document(inspect.cleandoc(source) + "\n", "kit.py")


def test_parts_of_a_tool_are_where_they_were_written() -> None:
    document = read(
        '''
        @tool
        def greet(
            näme: str, times: Annotated[int, Field(ge=1, description="How ö" "ften.")] = 2, style: "list[str]" = None
        ):
            """Grüßt.

            Args:
                näme: Whom to greet,
                    by name.
                style: How.
            """
        '''
    )
    (definition,) = document.definitions
    path = definition.schema_path
    assert path is not None

    def at(*steps: str | int) -> str:
        return document.places.value((*path, *steps)).of(document.text)

    properties = definition.tool.input_schema["properties"]
    assert document.places.value(definition.name_path).of(document.text) == "greet"
    assert document.places.value(definition.description_path).of(document.text) == "Grüßt."
    assert at("properties", "näme", "description") == "Whom to greet,\n            by name."
    assert properties["näme"]["description"] == "Whom to greet, by name."
    assert at("properties", "times", "description") == '"How ö" "ften."'
    assert document.places.key((*path, "properties", "times", "minimum")).of(document.text) == "ge"
    assert at("properties", "times", "minimum") == "1"
    assert at("properties", "times", "default") == "2"
    assert at("properties", "style", "items") == '"list[str]"'
    assert document.places.key((*path, "properties", "style")).of(document.text) == "style"
    assert at("required", 0) == "näme"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x = 1",
            "def f(:",
            "\0",
            "class",
            "@tool\ndef f(x: 'a b'): ...",
            "TOOLS = [{'name': NAME, 'parameters': P()}]",
        ),
        *("(" * 5_000, "-" * 20_000 + "1", "x = " + "[" * 300 + "]" * 300, "a" + ".b" * 20_000, "'" * 9, "\ufeffx = 1"),
        "@tool\ndef f(x: " + "list[" * 90 + "int" + "]" * 90 + "): ...",
        "A = B\nB = A\n@tool\ndef f(x: A): ...",
        "L = Literal[L]\n@tool\ndef f(x: L): ...",
        "U = Union[U, int]\n@tool\ndef f(x: U): ...",
        "class A(A): x: int\n@tool\ndef f(x: A): ...",
        "class A(B): x: int\nclass B(A): y: int\n@tool\ndef f(x: A): ...",
        "X = [X, X]\nTOOLS = [{'name': 'a', 'parameters': {'enum': X}}]",
        "".join(f"x{n + 1} = [x{n}] * 2 + x{n} + x{n}\n" for n in range(60)) + "T = [{'name': x60, 'parameters': {}}]",
        "".join(f"class C{n}(BaseModel):\n  a: C{n + 1}\n  b: C{n + 1}\n" for n in range(200))
        + "@tool\ndef f(x: C0): ...",
    ],
)
def test_no_source_is_too_odd_to_be_read(text: str) -> None:
    document = read_tool_document(text, "kit.py")
    for problem in document.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    assert document.definitions or document.problems


PIECES = st.sampled_from(
    [
        *(
            "@tool\n",
            "def f(",
            "x: int",
            "x: list[str] = None",
            ", ",
            "):",
            ' """Do.\n\n    Args:\n        x: y\n    """\n',
            "\n",
        ),
        *(
            "class A(BaseModel):\n",
            "    x: 'A'\n",
            "    y: int = Field(ge=1, description=D)\n",
            "TOOLS = [",
            "]",
            "{",
            "}",
            '"name": "t"',
        ),
        *('"parameters": ', "A.model_json_schema()", ": ", "...", "D = 'd'\n", "é", "    ", "pass\n"),
    ]
)


@settings(deadline=None, max_examples=tries(200))
@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=30))
def test_any_text_is_read_and_every_part_has_its_place(text: str) -> None:
    own = FORMAT.parse(text, 0)
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), own.value)]
    while waiting:
        path, value = waiting.pop()
        for span in (own.places.value(path), own.places.key(path)):
            assert 0 <= span.start <= span.end <= len(text)
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [((*path, step), inner) for step, inner in members]
    json.dumps(own.value)


GOOGLE = "Do.\n\nArgs:\n    a: One.\n    b (int, optional): Two\n        lines.\n\n    c: Three.\nReturns:\n    d: No."
NUMPY = "Do.\n\nParameters\n----------\na : int\n    One.\nb, c : str\n    Both.\n\nReturns\n-------\nd : int\n    No."
SPHINX = "Do.\n\n:param a: One\n  more\n:param int b: Two.\n:type a: int\n:returns: No."


@pytest.mark.parametrize(
    ("docstring", "parameters"),
    [
        (GOOGLE, {"a": "One.", "b": "Two lines.", "c": "Three."}),
        (NUMPY, {"a": "One.", "b": "Both.", "c": "Both."}),
        (SPHINX, {"a": "One more", "b": "Two."}),
        ("Do.\n\n    Args:\n      *rest: Others.\n      url: http://a:b", {"rest": "Others.", "url": "http://a:b"}),
        ("Args: a", {}),
    ],
)
def test_docstrings_of_every_layout(docstring: str, parameters: dict[str, str]) -> None:
    found = read_docstring(docstring)
    assert {name: remark.text for name, remark in found.parameters.items()} == parameters
    for remark in found.parameters.values():
        assert " ".join(remark.span.of(docstring).split()) == remark.text
    assert found.description is not None
    assert found.description.text == docstring.partition("\n")[0]
