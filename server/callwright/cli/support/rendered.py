"""What comes of the chat templates among the files that are checked, where they are rendered.

Owns: `rendered_outcomes`, `is_chat_template`. Must not know: how templates are rendered and judged, options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.cli.support.checking import Layout, Outcome
from callwright.cli.support.failure import CommandError, note

if TYPE_CHECKING:
    from callwright.cli.support.files import InputFile
    from callwright.cli.support.projects import Projects

#: How the names of files end that may hold chat templates: what is asked of every file, without loading anything.
_ENDINGS: Final = (".jinja", ".jinja2", ".j2", "tokenizer_config.json", "chat_template.json", "processor_config.json")


def is_chat_template(source: InputFile) -> bool:
    """Return whether a file holds chat templates; one whose text was not read does by its name."""
    name = source.path.name if source.path is not None else ""
    if not name.endswith(_ENDINGS):
        return False
    if source.streamed:
        return name.startswith("chat_template")
    from callwright.chat_templates.files import templates_in

    return ("chat_template" in source.text or not name.endswith(".json")) and bool(templates_in(name, source.text))


def rendered_outcomes(
    paths: Sequence[str], projects: Projects, layout: Layout, report_error: Callable[[str], None]
) -> Iterator[Outcome]:
    """Yield what is found in the chat templates that paths lead to by rendering them.

    Raises CommandError where nothing can be rendered.
    """
    from callwright.chat_templates.model import ChatTemplateError
    from callwright.chat_templates.proving import prove
    from callwright.chat_templates.renderer import Renderer
    from callwright.cli.support.chat_templates import template_files
    from callwright.lint.chat_templates import diagnostics_in_file
    from callwright.text.document import TextDocument

    with Renderer() as renderer:
        for file in template_files(paths, report_error=report_error, note=note, only_templates=False):
            outcome = Outcome()
            document = TextDocument.from_text(file.source.text)
            settings = projects.of(file.source).settings
            for template in file.templates:
                try:
                    proof = prove(template.source, renderer, name=template.called, tokens=file.tokens)
                except ChatTemplateError as error:
                    raise CommandError(str(error)) from None
                outcome.take(layout, file.source.shown, document, diagnostics_in_file(template, proof, settings))
            yield outcome
