"""Each method that the server answers has cases here, and is sent over standard input and output by a test."""

import re
from pathlib import Path

import pytest
from lsprotocol import types

from callwright.features import all_features
from support.cases import load_cases

METHODS = sorted(feature.method for feature in all_features())
HERE = Path(__file__).parent
END_TO_END = HERE.parent / "e2e"
#: Fewer are no description of a feature.
MIN_COUNT = 3
_CONSTANTS = {value: name for name, value in vars(types).items() if name.isupper() and isinstance(value, str)}


def files_of(method: str) -> set[Path]:
    """Return the case files that say, before their first case, that they are about a method."""
    fronts = {
        file: re.split(r"^## ", file.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
        for file in HERE.glob("*.md")
    }
    return {file for file, front in fronts.items() if f"`{method}`" in front}


@pytest.mark.parametrize("method", METHODS)
def test_each_method_has_cases(method: str) -> None:
    files = files_of(method)
    assert files, f"no case file says that it is about `{method}`"
    cases = [case for case in load_cases(HERE) if case.file in files]
    assert len(cases) >= MIN_COUNT, f"{len(cases)} cases in {', '.join(file.name for file in files)}"


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_sent_end_to_end(method: str) -> None:
    # The client's functions are named after the protocol's constants.
    function = f"client.{_CONSTANTS.get(method, method).lower()}_async("
    tests = [*END_TO_END.glob("features/test_*.py"), END_TO_END / "test_stdio.py", END_TO_END / "stdio.py"]
    texts = [file.read_text(encoding="utf-8") for file in tests]
    assert any(function in text or f'"{method}"' in text for text in texts), f"nothing under e2e sends `{method}`"
