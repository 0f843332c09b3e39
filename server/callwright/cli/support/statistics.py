"""Statistics: how often each rule found something, and whether `--fix` fixes it.

Owns: counting by rule, the table and the list. Must not know: options, diagnostics themselves.
"""

from typing import Any

from callwright.cli.formats.base import RenderedDiagnostic
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style
from callwright.rules.base import Applicability


class Statistics:
    """The diagnostics of a run by rule."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._found: dict[str, int] = {}
        self._fixable: dict[str, int] = {}

    def add(self, reported: RenderedDiagnostic) -> None:
        """Count a diagnostic."""
        self._names[reported.code] = reported.name
        self._found[reported.code] = self._found.get(reported.code, 0) + 1
        self._fixable[reported.code] = self._fixable.get(reported.code, 0) + (reported.fixable == Applicability.SAFE)

    def _codes(self) -> list[str]:
        """Return the codes, those found most often first."""
        return sorted(self._found, key=lambda code: (-self._found[code], code))

    def as_text(self, style: Style) -> str:
        """Return a table: how many, the rule, and whether `--fix` fixes all of them, some or none."""
        width = max((len(str(number)) for number in self._found.values()), default=0)
        lines = []
        for code in self._codes():
            found, fixable = self._found[code], self._fixable[code]
            marker = "[*]" if fixable == found else "[-]" if fixable else "[ ]"
            count = style("bold", f"{found:>{width}}")
            lines.append(f"{count}  {style('red', code)}  {style('green', marker)} {self._names[code]}")
        every = [code for code in self._codes() if self._fixable[code] == self._found[code]]
        some = [code for code in self._codes() if 0 < self._fixable[code] < self._found[code]]
        if every:
            lines.append("[*] fixable with `--fix`")
        if some:
            number = sum(self._fixable[code] for code in some)
            lines.append(f"[-] {plural(number, 'diagnostic', 'diagnostics')} of them fixable with `--fix`")
        return "".join(f"{line}\n" for line in lines)

    def as_json(self) -> list[dict[str, Any]]:
        """Return one object for each rule, those found most often first."""
        return [
            {
                "code": code,
                "name": self._names[code],
                "count": self._found[code],
                "fixable": self._fixable[code] == self._found[code],
                "fixable_count": self._fixable[code],
            }
            for code in self._codes()
        ]
