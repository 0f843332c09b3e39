"""`gitlab`: a Code Quality report, which GitLab shows in merge requests.

The report is described at https://docs.gitlab.com/ci/testing/code_quality/: a list of diagnostics, each with a
fingerprint of its own by which GitLab knows it again.
"""

from hashlib import blake2b
from typing import Any, Final, TextIO

from callwright.cli.formats.base import DiagnosticToPrint, Framed, OutputFormat, RenderedDiagnostic
from callwright.cli.support.output import to_json
from callwright.cli.support.report import Tally, place
from callwright.cli.support.terminal import Style
from callwright.rules.base import Severity

_SEVERITIES: Final = {
    Severity.ERROR: "major",
    Severity.WARNING: "minor",
    Severity.INFO: "info",
    Severity.HINT: "info",
}
#: How many fingerprints are remembered, to distinguish equal diagnostics by their number.
_REMEMBERED: Final = 200_000


class _List(Framed):
    margin = "\n  "

    def __init__(self, out: TextIO) -> None:
        super().__init__(out)
        self._seen: dict[bytes, int] = {}

    def frame(self, tally: Tally) -> tuple[str, str]:  # noqa: ARG002 - the report has no counts
        return "[", "]"

    def put(self, reported: RenderedDiagnostic) -> None:
        known = blake2b(f"{reported.path}\0{reported.key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number = self._seen.get(known, 0)
        if number or len(self._seen) < _REMEMBERED:
            self._seen[known] = number + 1
            salt = str(number)
        else:
            salt = reported.text
        fingerprint = blake2b(known + salt.encode(), digest_size=16).hexdigest()
        # The diagnostic was laid out without what only the whole run can know.
        super().put(
            reported._replace(text=reported.text.replace('"fingerprint": ""', f'"fingerprint": "{fingerprint}"', 1))
        )


def _laid_out(diagnostic: DiagnosticToPrint, _: Style) -> str:
    one = diagnostic.diagnostic
    line, column = place(diagnostic.document, one.span.start)
    last, after = place(diagnostic.document, one.span.end)
    report: dict[str, Any] = {
        "fingerprint": "",
        "check_name": one.code,
        "description": f"{one.code} [{one.name}] {one.message}",
        "severity": _SEVERITIES[one.severity],
        "location": {
            "path": diagnostic.path.replace("\\", "/"),
            "positions": {"begin": {"line": line, "column": column}, "end": {"line": last, "column": after}},
        },
    }
    return to_json(report)


FORMAT = OutputFormat(
    name="gitlab",
    summary="a Code Quality report of GitLab",
    lay_out=_laid_out,
    writer=_List,
    keyed=True,
)
