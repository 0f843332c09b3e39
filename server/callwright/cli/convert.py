"""`callwright convert`: the tool calls of texts written in another dialect.

Owns: the options of the command, where the results go, what `--check` reports. Must not know: how a call is converted.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.calls.model import NATIVE
from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, FAILURE, HAS_DIAGNOSTICS, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, InputFile, named, replace_file
from callwright.cli.support.names import unknown_dialect
from callwright.cli.support.option_groups import (
    ColorOptions,
    InputOptions,
    JsonOptions,
    ProjectOptions,
    TargetOptions,
    ToolOptions,
)
from callwright.cli.support.options import option, words
from callwright.cli.support.output import to_json, write_text
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import json_range, place, plural
from callwright.cli.support.terminal import style_for, visible

if TYPE_CHECKING:
    from callwright.conversion import Conversion
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot


class ConvertOptions(
    TargetOptions,
    ToolOptions,
    JsonOptions,
    InputOptions,
    ProjectOptions,
    ColorOptions,
    wording={"json": "Print the result of `--check` as JSON."},
    examples=("callwright convert reply.md --to hermes", "callwright convert prompts/ --to xml-json --diff"),
):
    """What `callwright convert` takes."""

    paths: tuple[str, ...] = words("Files and folders, or `-` for standard input.", default=())
    write: bool = option("Change the files instead of printing the result.", default=False)
    diff: bool = option("Print the changes as a diff, and do not write them.", default=False)
    check: bool = option("List the calls that are in another dialect, and do not write anything.", default=False)


def run(options: ConvertOptions) -> int:
    """Convert tool calls to another dialect, and leave the rest of the text unchanged.

    A single text is printed with its calls converted. Several files, or a folder, need `--write`, `--diff` or
    `--check`. Native calls, such as `tool_calls`, are fields and not text: they are counted and left unchanged.

    Exit code: 0 if every call in text was converted, 1 if a call was refused because it would lose a value (with
    `--check`: if a call in text is in another dialect), 2 for a usage error or a file that cannot be read or written.
    """
    from callwright.dialects.catalogue import dialect_names

    if options.to not in dialect_names():
        raise unknown_dialect(options.to)
    if not options.paths:
        raise CommandError(
            "no input given; name a file, a folder, or `-` for standard input, as in"
            " `callwright convert a.prompt --to xml-json`"
        )
    chosen = [
        option
        for option, on in (("--write", options.write), ("--diff", options.diff), ("--check", options.check))
        if on
    ]
    if len(chosen) > 1:
        first, second = chosen[:2]
        raise CommandError(f"`{first}` and `{second}` cannot be combined; choose one")
    if not chosen and (len(options.paths) > 1 or (options.paths[0] != STDIN and named(options.paths[0]).is_dir())):
        raise CommandError("several files cannot be printed as one; use `--write`, `--diff` or `--check`")
    if options.write and STDIN in options.paths:
        raise CommandError("`--write` does not work with standard input; without it, the result is printed")
    projects = Projects(options)
    command = _Convert(projects, options.to, mode=chosen[0] if chosen else "", color=options.color)
    for source in command.sources(options.paths, options.stdin_filename):
        command.take(source)
    return command.close(as_json=options.json)


class _Convert(Run):
    """One run over texts; a file that fails is reported on standard error, and the others are converted."""

    def __init__(self, projects: Projects, to: str, *, mode: str, color: str) -> None:
        self.projects = projects
        self.to = to
        self.mode = mode
        self.style = style_for(sys.stdout if mode == "--check" else sys.stderr, color)
        self.several = False
        self.files = 0
        #: How many of them hold calls in text.
        self.holding = 0
        #: Calls in fields of transcripts, which no conversion changes.
        self.native = 0
        self.refused = 0
        self.others: list[dict[str, Any]] = []

    def sources(self, paths: tuple[str, ...], stdin_filename: str | None) -> Iterator[InputFile]:
        """Yield every text to convert, each once. Raises CommandError where the only one cannot be read."""
        if len(paths) == 1 and (paths[0] == STDIN or not named(paths[0]).is_dir()):
            yield self.projects.one_source(paths[0], stdin_filename)
            return
        self.several = True
        if STDIN in paths:
            yield self.projects.one_source(STDIN, stdin_filename)
        yield from self.projects.sources([path for path in paths if path != STDIN], self.report_error, note)

    def take(self, source: InputFile) -> None:
        """Convert one text, or list what is in it."""
        from callwright.conversion import convert_document

        with self.guarded(source.shown):
            snapshot = open_source(source, self.projects.of(source))
            self._converted(source, snapshot, convert_document(snapshot, self.to))

    def _converted(self, source: InputFile, snapshot: "Snapshot", conversion: "Conversion") -> None:
        """Do with a converted text what is asked for."""
        self.files += 1
        native = sum(placed.call.dialect == NATIVE for placed in snapshot.placed_calls())
        self.native += native
        if self.mode == "--check":
            self._report(source, snapshot, conversion)
            return
        if not self._put(source, conversion):
            return
        self.refused += len(conversion.refused)
        for refused in conversion.refused:
            line, column = place(snapshot.document, refused.span.start)
            where = self.style("bold", f"{visible(source.shown)}:{line}:{column}:")
            print(f"{where} {_name(refused.tool)} is not converted: {visible(refused.reason)}", file=sys.stderr)
        if self.mode == "--write" and (conversion.converted or native or not self.several):
            done = f"{visible(source.shown)}: converted {plural(conversion.converted, 'call', 'calls')} to {self.to}."
            print(f"{done}{_left(native)}", file=sys.stderr)

    def _put(self, source: InputFile, conversion: "Conversion") -> bool:
        """Write the converted text to its file or stream; return whether it was written."""
        if self.mode == "--diff":
            from callwright.cli.support.differences import unified_diff

            write_text(unified_diff(source.text, conversion.text, source.shown))
        elif not self.mode:
            write_text(conversion.text, bom=source.bom)
        elif conversion.text != source.text:
            try:
                replace_file(source, conversion.text)
            except FileError as error:
                self.report_error(str(error))
                return False
        return True

    def _report(self, source: InputFile, snapshot: "Snapshot", conversion: "Conversion") -> None:
        """Keep the lines about the calls that are in another dialect."""
        reasons = {refused.span: refused.reason for refused in conversion.refused}
        calls = [placed for placed in snapshot.placed_calls() if placed.call.dialect != NATIVE]
        self.holding += bool(calls)
        for placed in calls:
            if placed.call.dialect != self.to:
                self.others.append(_entry(source, placed, snapshot, reasons.get(placed.span)))

    def close(self, *, as_json: bool) -> int:
        """Print the summary at the end, and return the exit code."""
        if not self.files and not self.has_failed:
            raise CommandError(
                "no files to convert: in a folder, the files that `files` in callwright.toml names are converted, or"
                " files with calls. Name other files."
            )
        if self.mode == "--check":
            self._print(as_json=as_json)
        if self.has_failed:
            return FAILURE
        return HAS_DIAGNOSTICS if self.others or self.refused else CLEAN

    def _print(self, *, as_json: bool) -> None:
        fixed = sum(entry["reason"] is not None for entry in self.others)
        if as_json:
            summary = {"files": self.holding, "calls": len(self.others), "refused": fixed, "native": self.native}
            print(to_json({"version": 1, "dialect": self.to, "calls": self.others, "summary": summary}))
            return
        for entry in self.others:
            start = entry["range"]["start"]
            where = self.style("bold", f"{visible(entry['path'])}:{start['line']}:{start['column']}:")
            stays = "" if entry["reason"] is None else f" and cannot be converted: {visible(entry['reason'])}"
            print(f"{where} {_name(entry['tool'])} is in {entry['dialect']}{stays}")
        print(f"{self._found(fixed)}{_left(self.native)}")

    def _found(self, fixed: int) -> str:
        """Return in a sentence what the calls in text are in; `fixed` is how many cannot be converted."""
        if not self.holding:
            return f"No calls in {'text in ' if self.native else ''}{plural(self.files, 'file', 'files')}."
        scanned = plural(self.holding, "file", "files")
        if not self.others:
            return f"Every call in {'text in ' if self.native else ''}{scanned} is in {self.to}."
        verb = "is" if len(self.others) == 1 else "are"
        cannot = f", {fixed} cannot be converted" if fixed else ""
        return f"{plural(len(self.others), 'call', 'calls')} in {scanned} {verb} in another dialect{cannot}."


def _left(native: int) -> str:
    """Return the sentence about native calls, after a space; nothing where there is none."""
    if not native:
        return ""
    named = "1 native call is left: it is" if native == 1 else f"{native:,} native calls are left: they are"
    return f" {named} not text."


def _name(tool: str | None) -> str:
    return f"`{visible(tool)}`" if tool else "a call without a tool"


def _entry(source: InputFile, placed: "PlacedCall", snapshot: "Snapshot", reason: str | None) -> dict[str, Any]:
    return {
        "path": source.shown,
        "range": json_range(snapshot.document, placed.span),
        "tool": placed.written_tool,
        "dialect": placed.call.dialect,
        "reason": reason,
    }
