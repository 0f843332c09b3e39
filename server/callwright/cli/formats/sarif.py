"""`sarif`: a log in the Static Analysis Results Interchange Format, version 2.1.0.

The format is described at https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html. Columns are counted in code
points, which the log states.
"""

from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import quote

from callwright import __version__
from callwright.cli.formats.base import DiagnosticToPrint, Framed, OutputFormat, RenderedDiagnostic
from callwright.cli.support.output import to_json
from callwright.cli.support.report import Tally, place
from callwright.cli.support.terminal import Style
from callwright.rules.base import Applicability, Fix, Severity
from callwright.text.document import TextDocument
from callwright.text.span import Span

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
}
#: What paths are relative to: the folder in which the command ran.
_BASE: Final = "SRCROOT"
#: The version in the name is that of the algorithm; it changes when diagnostics would get other fingerprints.
_FINGERPRINT: Final = "callwrightFinding/v1"


class _Log(Framed):
    margin = "\n        "

    def __init__(self, out: TextIO) -> None:
        super().__init__(out)
        self._codes: set[str] = set()

    def put(self, reported: RenderedDiagnostic) -> None:
        self._codes.add(reported.code)
        super().put(reported)

    def frame(self, tally: Tally) -> tuple[str, str]:
        from callwright.rules.catalogue import all_rules

        run: dict[str, Any] = {
            "tool": {
                "driver": {
                    "name": "Callwright",
                    "semanticVersion": __version__,
                    "rules": [_rule(rule) for rule in all_rules() if rule.code in self._codes],
                }
            },
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": {_BASE: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
            "invocations": [_invocation(tally)],
            "results": [],
        }
        whole = to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})
        before, _, after = whole.rpartition("[]")
        return before + "[", "]" + after


def _invocation(tally: Tally) -> dict[str, Any]:
    """Return whether all that was asked for was checked, and if not, why; else a reader would close alerts."""
    failures = [{"level": "error", "message": {"text": message}} for message in tally.failures]
    notifications = {"toolExecutionNotifications": failures} if failures else {}
    return {"executionSuccessful": not failures, **notifications}


def _rule(rule: Any) -> dict[str, Any]:
    from callwright.rules.support.documentation import documentation_of

    page = documentation_of(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.why or page.summary},
        "help": {"text": f"{page.summary}\n\n{page.why}\n\n`callwright rule {rule.code}` shows examples.".strip()},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"scope": rule.scope.value},
    }


def _laid_out(diagnostic: DiagnosticToPrint, _: Style) -> str:
    one = diagnostic.diagnostic
    file = _artifact(diagnostic.path)
    result: dict[str, Any] = {
        "ruleId": one.code,
        "level": _LEVELS[one.severity],
        "message": {"text": one.message or one.name},
        "locations": [{"physicalLocation": _location(file, diagnostic.document, one.span)}],
    }
    if one.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(file, diagnostic.document, span), "message": {"text": words}}
            for span, words in one.related
        ]
    if diagnostic.key:
        result["partialFingerprints"] = {_FINGERPRINT: diagnostic.key}
    fixes = [fix for fix in one.fixes if fix.edits]
    if fixes:
        result["fixes"] = [_fix(file, diagnostic.document, fix) for fix in fixes]
    return to_json(result)


def _location(file: dict[str, Any], document: TextDocument, span: Span) -> dict[str, Any]:
    return {"artifactLocation": file, "region": _region(document, span)}


def _region(document: TextDocument, span: Span) -> dict[str, Any]:
    line, column = place(document, span.start)
    last, after = place(document, span.end)
    return {"startLine": line, "startColumn": column, "endLine": last, "endColumn": after}


def _fix(file: dict[str, Any], document: TextDocument, fix: Fix) -> dict[str, Any]:
    how = {Applicability.SAFE: "", Applicability.UNSAFE: " (a guess)", Applicability.DISPLAY: " (by hand)"}
    return {
        "description": {"text": fix.title + how[fix.applicability]},
        "artifactChanges": [
            {
                "artifactLocation": file,
                "replacements": [
                    {"deletedRegion": _region(document, edit.span), "insertedContent": {"text": edit.text}}
                    for edit in fix.edits
                ],
            }
        ],
    }


def _artifact(path: str) -> dict[str, Any]:
    """Return where a file lies; bytes of a name that are no UTF-8 are written as they are."""
    name = Path(path)
    try:
        encoded = quote(name.as_posix().encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        # Names on Windows are no bytes, and may hold any half of a pair.
        encoded = quote(name.as_posix().encode("utf-8", "surrogatepass"))
    if name.is_absolute():
        return {"uri": f"file://{'' if encoded.startswith('/') else '/'}{encoded}"}
    return {"uri": encoded, "uriBaseId": _BASE}


FORMAT = OutputFormat(
    name="sarif",
    summary="a SARIF log, for code scanning",
    lay_out=_laid_out,
    writer=_Log,
    keyed=True,
)
