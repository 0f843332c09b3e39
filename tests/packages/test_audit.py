"""What the answers of the programs mean that ask for advisories: none, some, and that no service could be asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from packages.audit import Answer, ask, read_npm, read_uv

NPM_FOUND = '{"auditReportVersion": 2, "vulnerabilities": {"b": {"severity": "high"}, "a": {"severity": "low"}}}'
NPM_NONE = '{"auditReportVersion": 2, "vulnerabilities": {}, "metadata": {}}'
NPM_REFUSED = '{"message": "405 Method Not Allowed", "error": {"summary": "", "detail": ""}}'


@pytest.mark.parametrize(
    ("code", "output", "errors", "expected"),
    [
        (0, NPM_NONE, "", Answer()),
        (1, NPM_FOUND, "", Answer(("a: low", "b: high"))),
        (1, NPM_REFUSED, "npm error", Answer(unasked="405 Method Not Allowed")),
        (1, "", "first\nnpm error no network\n", Answer(unasked="npm error no network")),
        (7, "", "", Answer(unasked="npm ended with 7")),
    ],
    ids=["none", "some", "refused", "no-network", "silent"],
)
def test_what_npm_states(code: int, output: str, errors: str, expected: Answer) -> None:
    assert read_npm(code, output, errors) == expected


@pytest.mark.parametrize(
    ("code", "output", "errors", "expected"),
    [
        (0, "Found no known vulnerabilities", "", Answer()),
        (1, "a 1.0 has an advisory\n", "", Answer(("a 1.0 has an advisory",))),
        (2, "", "error: no answer\n  cause: dns error\n", Answer(unasked="cause: dns error")),
    ],
    ids=["none", "some", "no-network"],
)
def test_what_uv_states(code: int, output: str, errors: str, expected: Answer) -> None:
    assert read_uv(code, output, errors) == expected


def test_a_missing_program_makes_no_request(tmp_path: Path) -> None:
    assert "absent" in ask([str(tmp_path / "absent")], tmp_path, read_uv).unasked
    assert ask([sys.executable, "-c", ""], tmp_path, read_uv) == Answer()
