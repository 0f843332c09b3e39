"""Generic code knows dialects by what they declare: it names none of them, and writes none of their markers.

A string counts that is a dialect's name, or holds a word that is made up for markers. What formats, languages and
fields of providers' messages are called as well (`json`, `tool_calls`) says nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import callwright
from callwright.dialects.catalogue import all_dialects, dialect_names

PACKAGE: Final = Path(callwright.__file__).parent
#: Names of dialects that other things have as well.
ORDINARY: Final = {"json", "yaml", "directive", "invoke", "mistral"}
#: Words in markers that are fields of providers' messages as well.
FIELDS: Final = {"tool_call", "tool_calls", "function_call", "function_calls", "ARGS", "CALL_ID", "TOOL_RESULTS"}
_FAMILY: Final = "the engine of a family gives its calls the name of their dialect"
_STATED: Final = "an option's default, example or choice is a dialect's name"
_PAIRS: Final = "the dialects differ in their bodies alone, and what is said of one is said of the other"
#: Files that name dialects, each with the reason.
ALLOWED: Final = {
    "calls/bare_json.py": _FAMILY,
    "calls/gemma_calls.py": _FAMILY,
    "calls/line_calls.py": _FAMILY,
    "calls/provider_json.py": _FAMILY,
    "calls/python_actions.py": _FAMILY,
    "calls/python_lists.py": _FAMILY,
    "calls/strange.py": _FAMILY,
    "calls/tags.py": _FAMILY,
    "calls/tool_blocks.py": _FAMILY,
    "calls/vocabularies.py": "the names that no tool's tag has are listed by people, whether a dialect has them or not",
    "cli/init.py": _STATED,
    "config/keys.py": _STATED,
    "cursor/cursor_calls.py": _PAIRS,
    "features/support/completing/elements.py": _PAIRS,
    "features/support/completing/site.py": _STATED,
    "features/support/completing/whole_calls.py": _PAIRS,
    "features/support/offers.py": _STATED,
    "hosts/chat_log.py": "models' chat templates are called as their dialects are",
    "hosts/support/source_strings.py": "a part of a marker may stand in the source of a string",
    "prompt/demanded_formats.py": "what prompts call a format names dialects",
    "rules/invalid_tag.py": _PAIRS,
    "rules/other_dialect.py": _PAIRS,
    "rules/support/mixed_arguments.py": _PAIRS,
    "runtime/correction.py": _PAIRS,
    "runtime/dialogues.py": _STATED,
    "syntax/reasoning.py": "what a model thinks aloud stands between markers of that model",
    "teaching/rejected.py": "what a format rejects is shown in a few dialects",
    "teaching/section.py": "examples are shown in fences of a language, by dialect",
}


@cache
def words_of_markers() -> frozenset[str]:
    """Return the words that are made up for markers: those with `_`, in capitals, and in front of a colon or a bar."""
    markers = [marker for dialect in all_dialects() for marker in dialect.markers]
    words = {word for marker in markers for word in re.findall(r"\w+", marker) if "_" in word[1:] or word.isupper()}
    return frozenset(words | {word for marker in markers for word in re.findall(r"</?(\w+)[:|]", marker)}) - FIELDS


def named_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield what a program names of dialects outside of its docstrings, with the line."""
    tree = ast.parse(source)
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, documented))
    docstrings = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            if node.value in {*dialect_names()} - ORDINARY:
                yield node.lineno, node.value
            yield from ((node.lineno, word) for word in re.findall(r"\w+", node.value) if word in words_of_markers())


@cache
def named() -> dict[str, list[tuple[int, str]]]:
    files = {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*.py"))}
    found = {name: list(named_in(path.read_text("utf-8"))) for name, path in files.items()}
    return {name: places for name, places in found.items() if places and not name.startswith("dialects/")}


def test_generic_code_names_no_dialect_and_no_marker() -> None:
    assert {name: places for name, places in named().items() if name not in ALLOWED} == {}


def test_every_exception_is_still_one() -> None:
    assert ALLOWED.keys() - named().keys() == set()


def test_a_name_and_a_marker_are_found() -> None:
    assert [
        word for _, word in named_in('"""hermes <ifm|x>"""\nx = ("hermes", "json", r"(?:arg_key|tool_calls)>")')
    ] == [
        "hermes",
        "arg_key",
    ]
