"""Which severity the settings give a diagnostic."""

import pytest

from callwright.document.settings import Settings
from support.engine import check

UNKNOWN = "<raed_file><path>a.py</path></raed_file>"


@pytest.mark.parametrize(
    ("severity", "stated"),
    [
        ({}, "error"),
        ({"TC301": "warning"}, "warning"),
        ({"unknown-tool": "hint"}, "hint"),
        ({"TC301": "warning", "unknown-tool": "hint"}, "hint"),
        ({"unknown-tool": "hint", "TC301": "warning"}, "warning"),
        ({"TC3": "warning"}, "warning"),
        ({"TC3": "warning", "ALL": "hint", "TC30": "info"}, "info"),
        ({"unknown-tool": "hint", "TC30": "info"}, "hint"),
        ({"ALL": "hint", "T": "warning"}, "warning"),
        ({"TC2": "hint", "ALL": "off"}, None),
        ({"TC2": "hint", "unknown-argument": "off"}, "error"),
    ],
)
def test_the_nearest_entry_counts_and_of_two_as_near_the_later_one(
    severity: dict[str, str], stated: str | None
) -> None:
    found = check(UNKNOWN, Settings(severity=severity))
    assert [str(one.severity) for one in found if one.code == "TC301"] == ([stated] if stated else [])
