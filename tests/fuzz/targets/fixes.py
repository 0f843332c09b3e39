"""Fixes: one alone and all together bring no error that was not there, and a second run changes nothing."""

from __future__ import annotations

from callwright.lint.linter import diagnostics
from callwright.rules.base import Severity
from callwright.text.span import apply_edits
from fuzz.inputs import Input
from fuzz.support import document_of
from invariants.host_documents import Document
from invariants.test_documents_of_every_host import assert_fixed, shown

#: How many fixes of one text are tried alone.
MAX_COUNT = 12


def errors(document: Document) -> int:
    """Return how many errors a document has."""
    return sum(each.severity is Severity.ERROR for each in diagnostics(document.opened()))


def target(data: bytes) -> None:
    """Apply the safe fixes of the text's diagnostics one by one, then all, then the guesses, too."""
    given = Input(data, 1_500)
    document = document_of(given)
    found = diagnostics(document.opened())
    before = sum(each.severity is Severity.ERROR for each in found)
    tried = 0
    for diagnostic in found:
        for fix in diagnostic.fixes:
            if not fix.is_safe or not fix.edits or tried >= MAX_COUNT:
                continue
            tried += 1
            fixed = document._replace(text=apply_edits(document.text, fix.edits))
            assert errors(fixed) <= before, shown(document, f"{diagnostic.code} {fix.title!r} to {fixed.text!r}")
    assert_fixed(document, unsafe=False)
    assert_fixed(document, unsafe=True)
