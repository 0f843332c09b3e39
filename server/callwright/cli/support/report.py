"""Reports: diagnostics as a person reads them and as a program does.

Owns: the text layout with the source line and its caret, the JSON shape of a diagnostic, the tally after the exit code,
`ReportRun`. Must not know: how a diagnostic came about, files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError, Run
from callwright.cli.support.terminal import Style, cells, visible
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity
from callwright.text.document import TextDocument, content_length

if TYPE_CHECKING:
    from callwright.text.span import Span

_COLORS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue", Severity.HINT: "cyan"}
_PLURALS: Final = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("info", "infos"),
    Severity.HINT: ("hint", "hints"),
}
#: How each kind of fix is applied from the command line.
_HOW: Final = {
    Applicability.SAFE: " [--fix]",
    Applicability.UNSAFE: " [--fix --unsafe-fixes]",
    Applicability.DISPLAY: "",
}
_TAB: Final = "    "
_CUT: Final = "…"
#: How many characters on either side of a diagnostic belong to its key.
_AROUND: Final = 100


class Tally:
    """What a run has seen so far: files, diagnostics by severity, and how many can be fixed."""

    def __init__(self, *, diff: bool = False) -> None:
        """With `diff`, what `fixed` counts would only be fixed, and the diagnostics are those before it."""
        self.diff = diff
        self.files = 0
        #: How many files were scanned for calls and tools; 0 where nothing but what is named was asked for.
        self.scanned = 0
        self.severities: dict[Severity, int] = dict.fromkeys(Severity, 0)
        self.fixable = 0
        self.unsafely_fixable = 0
        self.fixed = 0
        self.ignored = 0
        #: How many diagnostics a baseline knows, and how many of these no longer occur; None without a baseline.
        self.known: int | None = None
        self.gone = 0
        #: What could not be done, as it was reported.
        self.failures: list[str] = []

    def count(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add diagnostics."""
        for one in diagnostics:
            self.count_one(one.severity, fixability(one))

    def count_one(self, severity: Severity, fixable: str) -> None:
        """Add a diagnostic; `fixable` is a value of `fixability`."""
        self.severities[severity] += 1
        if fixable == Applicability.SAFE:
            self.fixable += 1
        elif fixable == Applicability.UNSAFE:
            self.unsafely_fixable += 1

    def add(self, other: Tally) -> None:
        """Add what another part of the run has seen."""
        self.files += other.files
        for severity, number in other.severities.items():
            self.severities[severity] += number
        self.fixable += other.fixable
        self.unsafely_fixable += other.unsafely_fixable
        self.fixed += other.fixed
        self.ignored += other.ignored

    @property
    def exit_code(self) -> int:
        """1 where there is an error or a warning; infos and hints do not fail."""
        return HAS_DIAGNOSTICS if self.severities[Severity.ERROR] or self.severities[Severity.WARNING] else CLEAN

    def as_json(self) -> dict[str, int]:
        """Return the counts under their plain names."""
        counts = {_PLURALS[severity][1]: number for severity, number in self.severities.items()}
        known = {} if self.known is None else {"baseline": self.known}
        fixed = {"fixable": self.fixable, "unsafely_fixable": self.unsafely_fixable, "fixed": self.fixed}
        ignored = {"ignored": self.ignored} if self.ignored else {}
        scanned = {"scanned": self.scanned} if self.scanned else {}
        return {**counts, **fixed, **ignored, **known, **scanned}

    def sentence(self) -> str:
        """Return the last line of a report: how many files were checked, what is reported, what can be fixed."""
        found = ", ".join(plural(number, *_PLURALS[severity]) for severity, number in self.severities.items() if number)
        none = "no new diagnostics" if self.known else "no diagnostics"
        of = (
            f"{self.files} of {self.scanned} files"
            if self.scanned > self.files
            else plural(self.files, "file", "files")
        )
        words = f"Checked {of}: {found or none}."
        if self.known:
            words += f" {self.known} {'more ' if found else ''}in the baseline."
        if self.gone:
            verb = "occurs" if self.gone == 1 else "occur"
            words += f" {self.gone} in the baseline no longer {verb}; `--write-baseline` removes {_them(self.gone)}."
        if self.diff:
            would = [f"fix {self.fixed}"] if self.fixed or not self.ignored else []
            would += [f"ignore {self.ignored}"] if self.ignored else []
            return f"{words} Would {' and '.join(would)}."
        if self.ignored:
            words += f" Ignored {self.ignored}."
        if self.fixed:
            words += f" Fixed {self.fixed}."
        if self.fixable:
            words += f" {self.fixable} fixable with `--fix`."
        if self.unsafely_fixable:
            words += f" {self.unsafely_fixable} {'more' if self.fixable else 'fixable'} with `--fix --unsafe-fixes`."
        return words


class ReportRun(Run):
    """A run that ends with a report, which states what could not be done."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def report_error(self, message: str) -> None:
        """Report what could not be done, and remember it for the exit code and the report."""
        self.tally.failures.append(message)
        super().report_error(message)

    def refuse_empty(self, *, is_kept: bool) -> None:
        """Raise CommandError where a report that is kept would be written although nothing could be checked."""
        if is_kept and self.has_failed and not self.tally.files:
            # A report without diagnostics would say that there are none.
            raise CommandError("nothing was checked, so no report is written")


def fixability(one: Diagnostic) -> str:
    """Return `safe` or `unsafe` where a diagnostic has such a fix, the better of the two, and else nothing."""
    kinds = {fix.applicability for fix in one.fixes}
    return next((kind.value for kind in (Applicability.SAFE, Applicability.UNSAFE) if kind in kinds), "")


def key_of(document: TextDocument, one: Diagnostic) -> str:
    """Return the key of a diagnostic, which does not depend on its line: its rule, its message and its surroundings.

    Two diagnostics of one file may have the same key. Reads no more than some hundred characters of the line.
    """
    from hashlib import blake2b

    index = document.line_at(one.span.start)
    line, start = document.line(index), document.line_start(index)
    at = min(one.span.start - start, len(line))
    end = min(max(one.span.end - start, at), len(line))
    before, marked = line[max(at - _AROUND, 0) : at], line[at : min(end, at + _AROUND)]
    after = line[end : end + _AROUND]
    parts = [one.code, one.message, before.lstrip(), marked, after.rstrip()]
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def plural(number: int, one: str, many: str) -> str:
    """Return the number with its noun: `1 file`, `2 files`."""
    return f"{number} {one if number == 1 else many}"


def json_range(document: TextDocument, span: Span) -> dict[str, dict[str, int]]:
    """Return a span as `start` and `end`: `line` and `column` from 1, `offset` from 0, all in code points."""
    return {"start": _json_place(document, span.start), "end": _json_place(document, span.end)}


def _json_place(document: TextDocument, offset: int) -> dict[str, int]:
    line, column = place(document, offset)
    return {"line": line, "column": column, "offset": offset}


def place(document: TextDocument, offset: int) -> tuple[int, int]:
    """Return the line and the column of an offset, both from 1, the column in code points."""
    line = document.line_at(offset)
    return line + 1, offset - document.line_start(line) + 1


def json_diagnostic(path: str, document: TextDocument, one: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as plain values; `fix` is the best fix or None; `missing_fixes` only where there are."""
    return {
        "path": path,
        "code": one.code,
        "name": one.name,
        "severity": one.severity.value,
        "message": one.message,
        "range": json_range(document, one.span),
        "fix": None if one.fix is None else _json_fix(document, one.fix),
        **_json_missing(one),
    }


def _json_missing(one: Diagnostic) -> dict[str, Any]:
    missing = [fix._asdict() for fix in one.missing_fixes]
    return {"missing_fixes": missing} if missing else {}


def _json_fix(document: TextDocument, fix: Fix) -> Mapping[str, Any]:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [{"range": json_range(document, edit.span), "text": edit.text} for edit in fix.edits],
    }


def text_diagnostic(path: str, document: TextDocument, one: Diagnostic, style: Style) -> str:
    """Return a diagnostic for people: place, message, the source line with a caret, related places, the fix, or why
    there is none."""
    line, column = place(document, one.span.start)
    message = [visible(part) for part in one.message.split("\n")]
    color = _COLORS[one.severity]
    head = f"{style('bold', f'{visible(path)}:{line}:{column}:')} {style(color, f'{one.severity.value} {one.code}')}"
    lines = [f"{head} [{one.name}] {message[0]}", *(f"    {part}" for part in message[1:])]
    lines += excerpt(document, one.span, style, color)
    margin = " " * (len(str(line)) + 1) + style("blue", "=")
    for span, words in one.related:
        there = "{}:{}".format(*place(document, span.start))
        lines.append(f"{margin} {style('bold', 'note')}: {visible(words)} ({visible(path)}:{there})")
    if one.fix is not None:
        lines.append(f"{margin} {style('green', 'help')}: {visible(one.fix.title)}{_HOW[one.fix.applicability]}")
    for missing in one.missing_fixes:
        why = f"{visible(missing.title)}: {visible(missing.reason)}"
        lines.append(f"{margin} {style('bold', 'no fix')}: {why}")
    return "\n".join(lines)


def concise_diagnostic(path: str, document: TextDocument, one: Diagnostic, style: Style) -> str:
    """Return a diagnostic on one line: place, code, message, and `[*]` where `--fix` fixes it."""
    line, column = place(document, one.span.start)
    where = f"{style('bold', f'{visible(path)}:{line}:{column}:')}"
    marker = f" {style('green', '[*]')}" if fixability(one) == Applicability.SAFE else ""
    stated = " ".join(visible(part).strip() for part in one.message.split("\n"))
    return f"{where} {style(_COLORS[one.severity], f'{one.severity.value} {one.code}')} [{one.name}]{marker} {stated}"


def excerpt(document: TextDocument, span: Span, style: Style, color: str = "red") -> list[str]:
    """Return the first source line of a span with carets under it, cut to the page's width around the span."""
    index = document.line_at(span.start)
    line_start = document.line_start(index)
    line = document.line(index)
    length = content_length(line)
    start = min(span.start - line_start, length)
    end = max(min(span.end - line_start, length), start)
    number = str(index + 1)
    shown, before, under = _window(line, length, start, end, style.width - len(number) - 3)
    last = document.line_at(max(span.end - 1, span.start))
    more = f" {_CUT} to line {last + 1}" if last > index else ""
    bar = style("blue", "|")
    empty = " " * len(number)
    return [
        f"{empty} {bar}",
        f"{style('blue', number)} {bar}{' ' if shown else ''}{shown}",
        f"{empty} {bar} {' ' * before}{style(color, '^' * under + more)}",
    ]


def _window(line: str, length: int, start: int, end: int, room: int) -> tuple[str, int, int]:
    """Return the part of a line to show, and in terminal cells how far in the carets begin and how many there are.

    Reads no more of the line than a few times `room`, so that many diagnostics on one endless line stay cheap.
    """
    low = max(0, start - room)
    high = min(length, start + room)
    raw = line[low:high]
    at = start - low
    seen = visible(raw)
    widths = [len(_TAB) if one == "\t" else width for one, width in zip(raw, cells(seen), strict=True)]
    characters = [_TAB if one == "\t" else shown for one, shown in zip(raw, seen, strict=True)]
    ahead = min(sum(widths[at : end - low]) + 1, room // 2)
    first = 0 if low == 0 and sum(widths[:at]) + ahead + 1 <= room else at
    if first:
        taken = 0
        while first > 0 and taken + widths[first - 1] <= room // 3:
            first -= 1
            taken += widths[first]
    cut_left = low + first > 0
    taken = int(cut_left)
    stop = first
    while stop < len(widths) and taken + widths[stop] <= room - 1:
        taken += widths[stop]
        stop += 1
    cut_right = low + stop < length
    while not cut_right and first > 0 and taken + widths[first - 1] <= room - 1:
        first -= 1
        taken += widths[first]
    cut_left = low + first > 0
    shown = (_CUT if cut_left else "") + "".join(characters[first:stop]) + (_CUT if cut_right else "")
    before = int(cut_left) + sum(widths[first:at])
    return shown, before, max(sum(widths[at : min(end - low, stop)]), 1)
