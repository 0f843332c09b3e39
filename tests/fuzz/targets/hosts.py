"""Every host: any document is read in spans that are exact, and edits of it lead to what reading again gives."""

from __future__ import annotations

from callwright.lint.linter import diagnostics
from fuzz.inputs import Input
from fuzz.support import block_size, document_of
from invariants.host_documents import changed, random_edit
from invariants.test_documents_of_every_host import assert_same, assert_sound
from invariants.test_incremental_equals_full import SMALL

#: How many times a document is edited.
EDITS = 2


def target(data: bytes) -> None:
    """Read the text as a file of some kind, and edit it."""
    given = Input(data)
    document = document_of(given)
    snapshot = assert_sound(document)
    random = given.random("edits")
    with block_size(*random.choice([*SMALL, (2_048, 8_192)])):
        snapshot = document.opened()
        for _ in range(EDITS):
            diagnostics(snapshot)
            text = snapshot.document.text()
            edit = random_edit(text, random)
            snapshot = snapshot.edit([edit])
            assert snapshot.document.text() == changed(text, edit)
            assert_same(document, snapshot)
