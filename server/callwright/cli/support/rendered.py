"""What comes of the chat templates among the files that are checked, where they are rendered.

Owns: `rendered_outcomes`, `is_chat_template`. Must not know: how templates are rendered and judged, options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from callwright.chat_templates.names import has_template, is_template_file
from callwright.cli.support.checking import Layout, Outcome
from callwright.cli.support.failure import CommandError, note

if TYPE_CHECKING:
    from callwright.cli.support.files import InputFile
    from callwright.cli.support.projects import Projects


def is_chat_template(source: InputFile) -> bool:
    """Return whether a file holds chat templates; one whose text was not read does by its name."""
    name = source.path.name if source.path is not None else ""
    if not is_template_file(name):
        return False
    return name.startswith("chat_template") if source.streamed else has_template(name, source.text)


def rendered_outcomes(
    paths: Sequence[str],
    projects: Projects,
    layout: Layout,
    report_error: Callable[[str], None],
    checked: Mapping[Path, InputFile],
) -> Iterator[Outcome]:
    """Yield what is found in the chat templates that paths lead to by rendering them.

    `checked` are the files with templates that were checked already, which are neither read nor counted again.
    Raises CommandError where nothing can be rendered.
    """
    from callwright.chat_templates.model import ChatTemplateError
    from callwright.chat_templates.proving import prove
    from callwright.chat_templates.renderer import Renderer, TimedRenderer
    from callwright.cli.support.chat_templates import template_files
    from callwright.cli.support.files import read_source
    from callwright.lint.chat_templates import diagnostics_in_file
    from callwright.text.document import TextDocument

    def read(file: Path) -> InputFile:
        known = checked.get(file)
        return read_source(file) if known is None or known.streamed else known

    with Renderer() as renderer:
        files = template_files(paths, projects, report_error=report_error, note=note, only_templates=False, read=read)
        for file in files:
            outcome = Outcome()
            outcome.tally.files += file.source.path not in checked
            document = TextDocument.from_text(file.source.text)
            settings = projects.of(file.source).settings
            for template in file.templates:
                try:
                    timed = TimedRenderer(renderer)
                    proof = prove(template.source, timed, name=template.called, tokens=file.tokens)
                except ChatTemplateError as error:
                    raise CommandError(str(error)) from None
                outcome.take(layout, file.source.shown, document, diagnostics_in_file(template, proof, settings))
            yield outcome
