"""`callwright prompt`: the section of a system prompt that teaches the tools, printed or kept in files.

Owns: the options, which tools and dialect they ask for, and the report on files whose blocks are written again. Must
not know: what the section contains, what a managed block is made of.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, FAILURE, HAS_DIAGNOSTICS, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, InputFile, replace_file
from callwright.cli.support.names import unknown, unknown_dialect
from callwright.cli.support.option_groups import DialectOptions, ProjectOptions, ShippedOptions, ToolOptions
from callwright.cli.support.options import Options, option, words
from callwright.cli.support.output import write_text
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import place, plural
from callwright.config import Project
from callwright.hosts.support.managed import WORD
from callwright.text.span import Edit, Span
from callwright.tools.model import ToolSchema

if TYPE_CHECKING:
    from callwright.dialects.base import Dialect
    from callwright.document.snapshot import Snapshot


class _SectionOptions(Options, group=True, section="Output"):
    """What the section that is printed is like."""

    style: Literal["full", "terse", "strict", "quoted"] = option(
        "`full` describes everything, `terse` uses one line for each tool, `strict` insists on the format and shows"
        " rejected calls, `quoted` writes examples as quoted strings.",
        default="full",
        value="STYLE",
    )
    format_: Literal["markdown", "xml", "json", "yaml"] = option(
        "The format of the tool list: Markdown prose, or data.", default="markdown", value="FORMAT"
    )
    only: tuple[str, ...] = option("Teach only this tool. Repeatable.", default=(), value="TOOL")
    no_examples: bool = option("Print no example calls.", default=False)
    one_call: bool = option("Tell the model to write one call in a reply.", default=False)
    deprecated: bool = option("Include deprecated tools.", default=False)
    heading_level: Literal["0", "1", "2", "3", "4", "5"] = option(
        "The level of the section heading; with 0, headings are bold lines.", default="2", value="LEVEL"
    )


class _BlockOptions(Options, group=True):
    """What is done with the blocks in files."""

    write: bool = option("Update outdated managed blocks in files.", default=False)
    check: bool = option("Print the changes of `--write` as a diff, and do not write them.", default=False)


class PromptOptions(
    _BlockOptions,
    ToolOptions,
    DialectOptions,
    ShippedOptions,
    _SectionOptions,
    ProjectOptions,
    without=("accept", "strict"),
    wording={
        "dialect": "Teach this dialect. Default: that of the configuration, of the tools or of `--format`.",
        "shipped": "Teach this shipped tool set, such as `cline`. Repeatable.",
    },
    examples=("callwright prompt --tools tools.json --dialect hermes", "callwright prompt prompts/ --write"),
):
    """What `callwright prompt` takes."""

    paths: tuple[str, ...] = words(
        "Files and folders for `--write` and `--check`. Default: the current folder.", default=()
    )


def run(options: PromptOptions) -> int:
    """Print the section of a system prompt that teaches a model to call the tools.

    The section says how to write a call, describes each tool and its parameters, and gives examples. Each example is
    parsed before it is printed.

    With `--write` or `--check`, update or check the managed blocks in files instead. A managed block is the text
    between `<!-- callwright:tools … -->` and `<!-- /callwright:tools -->`; its first line says what it contains.

    Exit code: 0 on success, 1 if `--check` finds an outdated block, 2 for a usage error, if there are no tools, or if a
    block or a file cannot be written.
    """
    if options.write or options.check:
        _refuse_contradictions(options)
        if options.dialect is not None:
            _known(options.dialect)
        return _Blocks(Projects(options), write=options.write).run(options.paths or (".",))
    if options.paths:
        raise CommandError(
            f"`{options.paths[0]}`: a path needs `--write`, which updates the managed blocks in files, or `--check`"
        )
    from callwright.teaching.section import SectionOptions, teach

    # The dialect that is taught is not a reason to report a configuration.
    project = Projects(replace(options, dialect=None)).here()
    chosen = _chosen(project, options.only, named=bool(options.shipped))
    taught = teach(
        _dialect(options.dialect, project, chosen, options.format_),
        chosen,
        SectionOptions(
            style=options.style,
            value_format=options.format_,
            several=not options.one_call,
            heading_level=int(options.heading_level),
            examples=not options.no_examples,
            deprecated=options.deprecated or bool(options.only),
        ),
    )
    for name, reason in taught.refused:
        about = f"no example for `{name}`: " if name else ""
        note(about + reason)
    write_text(taught.text)
    return CLEAN


def _chosen(project: "Project", only: "Sequence[str]", *, named: bool) -> "list[ToolSchema]":
    """Return the tools to teach: the project's own, or those that are named. Raises CommandError where there are none.

    The shipped tools that are in force where nothing is configured are taught only where they are named.
    """
    registry = project.registry
    if not only:
        tools = list(registry) if registry.closed or named else []
        if not tools:
            raise CommandError(
                "no tools to teach; name a file with `--tools`, a shipped set with `--shipped`, or set `tools` in"
                " callwright.toml"
            )
        return tools
    found: list[ToolSchema] = []
    for name in dict.fromkeys(part.strip() for word in only for part in word.split(",") if part.strip()):
        meant = registry.get(name)
        if not meant:
            near = registry.near(name)
            raise unknown(
                "tool", name, registry.names if near is None else [near], "`callwright tools` lists all tools."
            )
        found.append(meant[0])
    return found


def _dialect(wanted: str | None, project: "Project", tools: "Sequence[ToolSchema]", value_format: str) -> "Dialect":
    """Return the dialect to teach. Raises CommandError where none is stated."""
    from callwright.teaching.section import DIALECT_OF

    stated = list(dict.fromkeys(tool.dialect for tool in tools if tool.dialect is not None))
    name = wanted or project.settings.dialect or (stated[0] if len(stated) == 1 else DIALECT_OF.get(value_format))
    if name is None:
        raise CommandError(
            "no dialect given; name one with `--dialect`, or set `dialect` in callwright.toml. `callwright dialect`"
            " lists all dialects"
        )
    return _known(name)


def _known(name: str) -> "Dialect":
    """Return the dialect of that name. Raises CommandError where there is none."""
    from callwright.dialects.catalogue import find_dialect

    found = find_dialect(name)
    if found is None:
        raise unknown_dialect(name)
    return found


def _refuse_contradictions(options: PromptOptions) -> None:
    """Raise CommandError where options contradict each other: a block in a file states itself how it is written."""
    if options.write and options.check:
        raise CommandError("`--write` and `--check` cannot be combined; choose one")
    otherwise = {"--no-examples": "examples=no", "--one-call": "several=no", "--heading-level": "level=…"}
    for one in _SectionOptions.every:
        if getattr(options, one.name) != one.default:
            wanted = otherwise.get(one.written, f"{one.written.removeprefix('--')}=…")
            raise CommandError(
                f"`{one.written}` does not apply to managed blocks; write it into the block, as in"
                f" `<!-- callwright:tools {wanted} -->`"
            )


class _Blocks(Run):
    """One run over files with managed blocks; a file that cannot be used is reported, and the run continues."""

    def __init__(self, projects: Projects, *, write: bool) -> None:
        self.projects = projects
        self.write = write
        self.files = self.blocks = self.stale = self.failed = 0

    def run(self, paths: "Sequence[str]") -> int:
        """Write or check the files, print what was done, and return the exit code."""
        if STDIN in paths:
            raise CommandError("`--write` and `--check` do not work with standard input; name files or folders")
        for source in self.projects.sources(paths, self.report_error, note):
            with self.guarded(source.shown):
                self.take(source)
        from callwright.teaching.blocks import managed_blocks

        for source in self.projects.passed_over(paths, WORD):
            if managed_blocks(open_source(source, self.projects.of(source)))[0]:
                self.report_error(
                    f"{source.shown}: its managed block is ignored because `files` does not include the file; add it to"
                    " `files`, or name it on the command line"
                )
        self._sum_up()
        if self.has_failed:
            return FAILURE
        return HAS_DIAGNOSTICS if self.stale and not self.write else CLEAN

    def _sum_up(self) -> None:
        """Print how many blocks there are, and what was done with them."""
        if self.write:
            stated = [f"{self.stale} updated"] if self.stale else [] if self.failed else ["nothing to write"]
        else:
            stated = [f"{self.stale} out of date"] if self.stale else [] if self.failed else ["none is out of date"]
        stated += [f"{self.failed} cannot be written"] if self.failed else []
        note(f"{plural(self.blocks, 'block', 'blocks')} in {plural(self.files, 'file', 'files')}; {', '.join(stated)}.")

    def take(self, source: InputFile) -> None:
        """Write the blocks of one file again, or show what would change."""
        from callwright.text.span import apply_edits, with_newlines

        snapshot = open_source(source, self.projects.of(source))
        # Tool files and configurations are sources, too, but no prompts.
        self.files += snapshot.host.holds == "calls"
        stale, edits = self._edits(source, snapshot)
        if not edits:
            return
        text = apply_edits(source.text, with_newlines(edits, snapshot.document.newline))
        if not self.write:
            from callwright.cli.support.differences import unified_diff

            write_text(unified_diff(source.text, text, source.shown))
        else:
            try:
                replace_file(source, text)
            except FileError as error:
                self.report_error(str(error))
                return
        self.stale += stale

    def _edits(self, source: InputFile, snapshot: "Snapshot") -> "tuple[int, list[Edit]]":
        """Return how many blocks are out of date, and the edits that update them; report those that cannot be
        updated."""
        from callwright.teaching.blocks import managed_blocks, wanted_text

        blocks, problems = managed_blocks(snapshot)
        self.blocks += len(blocks)
        for problem in sorted(
            (*problems, *(one for block in blocks for one in block.problems)), key=lambda one: one.span
        ):
            self._at(source, snapshot, problem.span, f"{problem.reason}; {problem.remedy}.")
        edits: list[Edit] = []
        stale = 0
        for block in blocks:
            if block.problems or block.text is None:
                self.failed += 1
                continue
            wanted = wanted_text(block, snapshot.registry, snapshot.settings.dialect)
            if wanted.text is None:
                self.failed += 1
                self._at(source, snapshot, block.marker, f"{wanted.reason}; {wanted.remedy}.")
            elif wanted.text != block.text:
                change = block.write(wanted.text)
                if change is None:
                    self.failed += 1
                    self._at(
                        source,
                        snapshot,
                        block.marker,
                        "this file cannot hold the new text; move the block to a Markdown or text file.",
                    )
                    continue
                stale += 1
                edits += [edit for edit in change if edit not in edits]
        return stale, edits

    def _at(self, source: InputFile, snapshot: "Snapshot", span: "Span", message: str) -> None:
        line, column = place(snapshot.document, span.start)
        self.report_error(f"{source.shown}:{line}:{column}: {message}")
