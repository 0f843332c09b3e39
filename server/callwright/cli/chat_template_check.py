"""`callwright chat-template check`: whether the calls that a chat template writes are read back.

Owns: the options of the command, the table of probes, its JSON. Must not know: how templates are rendered and judged.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TextIO

from callwright.cli.support.chat_templates import TemplateFile, template_files
from callwright.cli.support.checking import Layout
from callwright.cli.support.failure import FAILURE, CommandError, note
from callwright.cli.support.files import FileError, replace_file
from callwright.cli.support.formats import find_format
from callwright.cli.support.option_groups import (
    ColorOptions,
    ExitOptions,
    InputOptions,
    ProjectOptions,
    QuietOptions,
    RuleOptions,
)
from callwright.cli.support.options import Options, option, words
from callwright.cli.support.output import output_to, to_json
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import ReportRun, Tally, json_diagnostic, json_range, plural
from callwright.cli.support.report_options import ReportOptions
from callwright.cli.support.terminal import Style, style_for, visible
from callwright.syntax.json_text import shorten
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span, apply_edits

if TYPE_CHECKING:
    from callwright.chat_templates.files import NamedTemplate
    from callwright.chat_templates.proof import Proof, Tried
    from callwright.chat_templates.renderer import Renderer
    from callwright.document.settings import Settings
    from callwright.rules.base import Diagnostic


#: How many characters of a rendering are shown.
_SHOWN: Final = 100
_COLORS: Final = {"same": "green", "skipped": "dim", "differs": "red", "raises": "red", "unread": "red"}


class _OutputOptions(Options, group=True, section="Output"):
    """What is printed, and where."""

    all: bool = option("List every probe, not only those whose calls do not come back.", default=False)


class _DialectOptions(Options, group=True, section="Tools and dialect"):
    """How calls are read back."""

    dialect: str | None = option(
        "Read the calls back in this dialect. Default: any dialect.", default=None, value="DIALECT"
    )


class _FixOptions(Options, group=True, section="Fixes"):
    """What is changed in files."""

    fix: bool = option(
        "Apply safe fixes; each is kept only if the template with it has fewer diagnostics and no new one.",
        default=False,
    )
    unsafe_fixes: bool = option("Also apply unsafe fixes with `--fix`.", default=False)


class ChatTemplateCheckOptions(
    _DialectOptions,
    _FixOptions,
    RuleOptions,
    InputOptions,
    ProjectOptions,
    ReportOptions,
    _OutputOptions,
    ExitOptions,
    QuietOptions,
    ColorOptions,
    examples=(
        "callwright chat-template check chat_template.jinja",
        "callwright chat-template check models/ --output-format json",
    ),
):
    """What `callwright chat-template check` takes."""

    paths: tuple[str, ...] = words(
        "Jinja files, `tokenizer_config.json`, `chat_template.json`, `processor_config.json`, folders with them, or `-`"
        " for standard input.",
        default=(),
    )


def run(options: ChatTemplateCheckOptions) -> int:
    """Render chat templates with test conversations, and read the calls back.

    Each template is rendered in a sandbox with calls, results and values of many kinds, with the arguments as an object
    and as the JSON string of the OpenAI API. What is not read back as it was given is reported at the line of the
    template that writes it. Needs the extra `templates`.

    Exit code: 0 without errors and warnings, 1 with errors or warnings, 2 for a usage error, a file that cannot be read
    or a template that renders no conversation.
    """
    from callwright.chat_templates.model import ChatTemplateError
    from callwright.chat_templates.renderer import Renderer

    if not options.paths:
        raise CommandError("no input given; name a file or a folder, as in `callwright chat-template check .`")
    with output_to(options.output_file, sys.stdout) as out, Renderer() as renderer:
        checked = _Check(options, renderer, out)
        files = template_files(
            options.paths,
            checked.projects,
            report_error=checked.report_error,
            note=note,
            stdin_name=options.stdin_filename,
        )
        try:
            for file in files:
                checked.take(file)
        except (ChatTemplateError, ValueError) as error:
            raise CommandError(str(error)) from None
        if not checked.tally.files and not checked.has_failed:
            where = ", ".join(f"`{path}`" for path in options.paths)
            raise CommandError(f"no chat template in {where}; name a Jinja file that renders `messages`")
        checked.refuse_empty(is_kept=options.output_file is not None or not find_format(options.output_format).people)
        checked.close()
    return checked.exit_code


class _Check(ReportRun):
    """One run over many templates."""

    def __init__(self, options: ChatTemplateCheckOptions, renderer: "Renderer", out: TextIO) -> None:
        super().__init__(Tally())
        self._options = options
        self._renderer = renderer
        self._out = out
        self.projects = Projects(options)
        self._style = style_for(out, options.color)
        laid = find_format(options.output_format)
        self._is_json = laid.name == "json"
        self._is_text = laid.people
        self._layout = Layout(options.output_format, self._style)
        self._writer = laid.writer(out)
        self._templates: list[dict[str, Any]] = []

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        if self.has_failed:
            return FAILURE
        return self._options.exit_code([each.value for each, number in self.tally.severities.items() if number])

    def take(self, file: TemplateFile) -> None:
        """Check the templates of a file."""
        from callwright.lint.chat_templates import diagnostics_in_file

        self.tally.files += 1
        settings = self.projects.of(file.source).settings
        provers = [self._prover(file, template) for template in file.templates]
        proofs = [prove(template.source) for prove, template in zip(provers, file.templates, strict=True)]
        if self._options.fix:
            file, proofs = self._fixed(file, provers, proofs, settings)
        document = TextDocument.from_text(file.source.text)
        for template, proof in zip(file.templates, proofs, strict=True):
            found = diagnostics_in_file(template, proof, settings)
            if proof.refusal is not None and not found:
                self.report_error(f"{file.source.shown}: no conversation can be rendered: {proof.refusal}")
            self._put(file, template, document, proof, found)

    def _prover(self, file: TemplateFile, template: "NamedTemplate") -> "Callable[[str], Proof]":
        """Return what tries a template, with fixes and without; all of it together has the time of one template."""
        from callwright.chat_templates.proving import prove
        from callwright.chat_templates.renderer import TimedRenderer

        timed = TimedRenderer(self._renderer)
        return partial(prove, renderer=timed, name=template.called, dialect=self._options.dialect, tokens=file.tokens)

    def _fixed(
        self,
        file: TemplateFile,
        provers: "list[Callable[[str], Proof]]",
        proofs: "list[Proof]",
        settings: "Settings",
    ) -> "tuple[TemplateFile, list[Proof]]":
        """Write the file with all fixes that hold, and return it with the proofs of its templates."""
        from callwright.chat_templates.files import templates_in
        from callwright.lint.chat_templates import fixed_template

        text, fixed, count = file.source.text, [], 0
        for template, prove, proof in reversed(list(zip(file.templates, provers, proofs, strict=True))):
            done, applied = fixed_template(proof, settings, prove, unsafe=self._options.unsafe_fixes)
            edit = template.projection.encode(Edit(Span(0, len(template.source)), done.source))
            if applied and edit is not None:
                text, count = apply_edits(text, [edit]), count + len(applied)
                fixed.append(done)
            else:
                fixed.append(proof)
        if not count:
            return file, proofs
        if file.source.stdin:
            raise CommandError("`--fix` does not work with standard input; name a file")
        try:
            replace_file(file.source, text)
        except FileError as error:
            self.report_error(str(error))
            return file, proofs
        self.tally.fixed += count
        source = replace(file.source, text=text)
        name = source.path.name if source.path is not None else source.shown
        return file._replace(source=source, templates=templates_in(name, text)), fixed[::-1]

    def close(self) -> None:
        """Print what there is to say in the end."""
        if self._is_json:
            print(to_json({"templates": self._templates}), file=self._out)
        else:
            self._writer.close(self.tally, quiet=self._options.quiet)

    def _put(
        self,
        file: TemplateFile,
        template: "NamedTemplate",
        document: TextDocument,
        proof: "Proof",
        found: "list[Diagnostic]",
    ) -> None:
        shown = file.source.shown
        if self._is_json:
            self.tally.count(found)
            self._templates.append(
                {
                    "path": shown,
                    "name": template.name,
                    "dialects": [*proof.dialects],
                    "capabilities": asdict(proof.capabilities),
                    "probes": [_json_probe(each, template, document, proof) for each in proof.tried],
                    "diagnostics": [json_diagnostic(shown, document, each) for each in found],
                }
            )
            return
        if self._is_text and not self._options.quiet:
            self._out.write(self._table(shown, template, proof))
        for reported in self._layout.of(shown, document, found):
            self.tally.count_one(reported.severity, reported.fixable)
            self._writer.put(reported)

    def _table(self, shown: str, template: "NamedTemplate", proof: "Proof") -> str:
        """Return what came of the probes, for people."""
        style = self._style
        name = f" ({visible(template.name)})" if template.name else ""
        dialects = ", ".join(proof.dialects) or "no dialect"
        lines = [f"{style('bold', visible(shown) + name)}: {dialects}"]
        counts: dict[str, int] = {}
        for each in proof.tried:
            counts[each.outcome] = counts.get(each.outcome, 0) + 1
        if counts:
            summary = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
            lines.append(f"{plural(len(proof.tried), 'probe', 'probes')}: {summary}")
        lines += _rows(proof.tried, style, every=self._options.all)
        return "\n".join(lines) + "\n\n"


def _rows(tried: "Iterable[Tried]", style: Style, *, every: bool) -> list[str]:
    """Return a line for each probe that is listed, with what differs and the rendered text."""
    rows = []
    for each in tried:
        if every or each.outcome in ("differs", "unread"):
            outcome = style(_COLORS[each.outcome], f"{each.outcome:<8}")
            rows.append(
                f"  {outcome} {each.form:<7} {visible(each.probe.name)}"
                + (f": {visible(each.message)}" if each.message else "")
            )
            if each.outcome in ("differs", "unread"):
                rows.append(f"           {style('dim', visible(_excerpt(each)))}")
    return rows


def _excerpt(tried: "Tried") -> str:
    """Return the assistant's part of a rendering on one line, shortened."""
    return shorten(tried.reply_text.replace("\n", "⏎"), _SHOWN)


def _json_probe(tried: "Tried", template: "NamedTemplate", document: TextDocument, proof: "Proof") -> Mapping[str, Any]:
    """Return a probe as the JSON report has it; `range` is the place in the file where it failed or differs."""
    span = None
    if tried.failed is not None:
        span = tried.failed.span
    elif tried.outcome in ("differs", "unread"):
        span = proof.span_of(tried, tried.reply.start)
    return {
        "probe": tried.probe.name,
        "arguments": tried.form,
        "outcome": tried.outcome.value,
        "message": tried.message,
        "range": None if span is None else json_range(document, template.projection.raw_span(span)),
    }
