"""Every dialect: any text is read in it, strictly and not, and where blocks end changes nothing of what is found."""

from __future__ import annotations

from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.runtime.strict import StrictParser
from fuzz.inputs import Input
from fuzz.support import block_size
from invariants.corpus import Mutant, registry
from invariants.test_incremental_equals_full import SMALL, seen
from invariants.test_reading_never_fails import take
from invariants.texts import EMPTY, opened


def target(data: bytes) -> None:
    """Read the text as a prompt whose calls are to be written in one dialect."""
    given = Input(data)
    dialect = given.pick("dialect", dialect_names())
    tools = EMPTY if given.pick("tools", ("all", "none", "all")) == "none" else registry()
    take(Mutant(given.text, tools, dialect))
    settings = Settings(dialect=dialect, strict=given.pick("strict", ("no", "yes")) == "yes")

    def snapshot() -> Snapshot:
        return opened(given.text, given.pick("path", ("a.md", "a.txt")), tools, settings)

    whole = seen(snapshot())
    with block_size(*given.random("blocks").choice(SMALL)):
        assert seen(snapshot()) == whole, "where blocks end makes a difference"
    result = StrictParser(tools=tools, dialect=dialect).parse(given.text)
    assert result.error is None or result.error.message
