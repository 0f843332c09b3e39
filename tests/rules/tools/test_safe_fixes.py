"""A safe fix of a tool file removes its diagnostic, adds no error, and keeps every other value."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from callwright.document.settings import Settings
from callwright.lint.files import tool_diagnostics
from callwright.rules.base import Diagnostic, Severity
from callwright.text.span import apply_edits
from callwright.tools.documents import read_tool_document
from support.sampling import tries

TYPES = ["string", "integer", "number", "boolean", "array", "object", "null", "int", "str", "strng"]
NAMES = st.sampled_from(["path", "paht", "limit", "limti", "mode", "Mode", "a"])
SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    ["a", "A", "5", "true", "007", 5, 1.0, 0, True, None, "fast", "fats", [], ["a"], {}]
)
KEYS = st.sampled_from([
    "description", "descripton", "desc", "title", "default", "defualt", "enum", "enums", "const", "type", "tpye",
    "minimum", "minimun", "maximum", "minLength", "maxlength", "required", "requierd", "items", "item", "examples",
    "properties", "propertys", "additionalProperties", "additionalproperties", "pattern", "label", "types",
])  # fmt: skip


def member(key: str, schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values that mostly fit a keyword, under whichever spelling."""
    low = key.lower()
    if low.startswith("prop"):
        return st.dictionaries(NAMES, schemas, max_size=3)
    if low.startswith("requ"):
        return st.lists(NAMES, max_size=4)
    if low.startswith(("enum", "examp")):
        return st.lists(SCALARS, max_size=4)
    if low.startswith(("ty", "tp")):
        return st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True)
    if low.startswith(("mini", "maxi", "minl", "maxl")):
        return st.integers(-3, 9)
    if low.startswith("item"):
        return schemas
    if low.startswith("add"):
        return st.booleans()
    return SCALARS


def schemas() -> st.SearchStrategy[Mapping[str, Any]]:
    leaf = st.fixed_dictionaries({"type": st.sampled_from(TYPES), "description": st.just("Text.")})

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        pairs = KEYS.flatmap(lambda key: st.tuples(st.just(key), member(key, inner)))
        return st.lists(pairs, min_size=1, max_size=5).map(dict)

    return st.recursive(leaf, larger, max_leaves=6)


@st.composite
def tool_files(draw: st.DrawFn) -> str:
    shape = draw(st.sampled_from(["inputSchema", "input_schema", "parameters", "inputSchma"]))
    tools = []
    for index in range(draw(st.integers(1, 2))):
        tool: dict[str, Any] = {"name": f"tool{index}", "description": "Does it.", shape: draw(schemas())}
        examples = st.lists(st.dictionaries(NAMES, SCALARS, max_size=3), max_size=2)
        tool |= draw(st.fixed_dictionaries({}, optional={"input_examples": examples, "examples": examples}))
        tool |= draw(
            st.sampled_from([{}, {"outputSchema": {"properties": {}}}, {"annotations": {"readonlyHint": True}}])
        )
        tools.append(tool)
    return json.dumps(tools, indent=draw(st.sampled_from([None, 2])))


def diagnostics(text: str) -> list[Diagnostic]:
    document = read_tool_document(text, "tools.json")
    return tool_diagnostics(document, document.registry, Settings())


def errors(found: list[Diagnostic]) -> Counter[str]:
    return Counter(each.code for each in found if each.severity is Severity.ERROR)


def place(found: Diagnostic) -> tuple[int, str, str]:
    return found.span.start, found.code, found.message


def reported(found: list[Diagnostic]) -> Counter[tuple[str, ...]]:
    return Counter((each.code, each.message) for each in found)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Counter[str]:
    """Count the scalar values, whatever keys they are under."""
    if isinstance(value, dict):
        return sum((leaves(each, (*path, key)) for key, each in value.items()), Counter())
    if isinstance(value, list):
        return sum((leaves(each, path) for each in value), Counter())
    return Counter([json.dumps(value)])


@settings(max_examples=tries(150), deadline=None)
@example(
    text='[{"name": "tool0", "description": "Does it.", "inputSchema": {"type": "object", "required": ["path"],'
    ' "additionalproperties": false}}]'
)
@given(text=tool_files())
def test_a_safe_fix_removes_its_diagnostic_and_adds_no_error(text: str) -> None:
    before = diagnostics(text)
    for diagnostic in before:
        fix = diagnostic.fix
        if fix is None or not fix.is_safe:
            continue
        changed = apply_edits(text, fix.edits)
        after = diagnostics(changed)
        stated = (fix.title, diagnostic.message, text, changed, [each.message for each in after])
        added = errors(after) - errors(before)
        # A schema is judged, and examples are held against it, only once it is one.
        assert not added or diagnostic.code == "TC503", stated
        # A rule that was suspended may report the same elsewhere; edits are at the diagnostic's place or after it.
        still = any(place(each) == place(diagnostic) for each in after)
        assert not still or reported(after)[place(diagnostic)[1:]] < reported(before)[place(diagnostic)[1:]], stated
        old, new = leaves(json.loads(text)), leaves(json.loads(changed))
        # At most as many values go or come as the fix has edits; all others are kept.
        assert (old - new).total() <= len(fix.edits), stated
        assert (new - old).total() <= len(fix.edits), stated


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | NAMES | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
MEMBERS = st.sampled_from([
    "name", "description", "inputSchema", "input_schema", "parameters", "outputSchema", "examples",
    "input_examples", "annotations", "function", "type", "tools", "functionDeclarations", "toolSpec", "title",
    "$defs",
])  # fmt: skip


@settings(max_examples=tries(150), deadline=None)
@given(
    tools=st.lists(st.dictionaries(MEMBERS, ANYTHING | schemas(), max_size=5), max_size=3) | ANYTHING,
    provider=st.sampled_from([None, "openai", "mcp", "gemini", "vercel"]),
    file=st.sampled_from(["tools.json", "tools.yaml"]),
)
def test_no_file_makes_a_rule_or_a_fix_raise(tools: Any, provider: str | None, file: str) -> None:
    text = json.dumps(tools)
    document = read_tool_document(text, file)
    for diagnostic in tool_diagnostics(document, document.registry, Settings(provider=provider)):
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        for fix in diagnostic.fixes:
            assert apply_edits(text, fix.edits) != text
