"""Chat templates of files and folders, for the commands that render them.

Owns: `TemplateFile`, `template_files`. Must not know: how templates are rendered, single commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from callwright.chat_templates.files import TOKENS, NamedTemplate, templates_in, tokens_in
from callwright.chat_templates.names import TOKENS_NAME, is_template_file
from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import STDIN, FileError, InputFile, named, read_source, read_stdin
from callwright.cli.support.projects import Projects
from callwright.text.records import NamedTuple

#: What a template is called that standard input holds.
_STDIN_NAME: Final = "chat_template.jinja"


class TemplateFile(NamedTuple):
    """A file with chat templates, and the special tokens of its model, where a file beside it states them."""

    source: InputFile
    templates: Sequence[NamedTemplate]
    tokens: Mapping[str, object]


def template_files(
    paths: Sequence[str],
    projects: Projects,
    *,
    report_error: Callable[[str], None],
    note: Callable[[str], None],
    stdin_name: str | None = None,
    only_templates: bool = True,
    read: Callable[[Path], InputFile] = read_source,
) -> Iterator[TemplateFile]:
    """Yield the files that paths name, and those with chat templates in folders that nothing excludes, each once.

    `report_error` is called with what is wrong with a file that cannot be read and, with `only_templates`, with one
    that is named and holds no chat template. Raises CommandError where a word of the command line names nothing.
    """
    done: set[Path] = set()
    for word in paths:
        if word == STDIN:
            source = read_stdin(stdin_name or _STDIN_NAME)
            yield TemplateFile(source, templates_in(Path(source.shown).name, source.text), TOKENS)
            continue
        path = named(word)
        found = projects.named_so(path, is_template_file, report_error, note) if path.is_dir() else iter((path,))
        for file in found:
            if file.resolve() in done:
                continue
            done.add(file.resolve())
            try:
                source = read(file)
            except FileError as error:
                report_error(str(error))
                continue
            templates = templates_in(file.name, source.text)
            if templates:
                yield TemplateFile(source, templates, _tokens_beside(file, source))
            elif only_templates and not path.is_dir():
                report_error(f"{source.shown}: no chat template; expected a Jinja template that renders `messages`")


def _tokens_beside(file: Path, source: InputFile) -> Mapping[str, object]:
    """Return the special tokens that the model of a template has."""
    if file.name == TOKENS_NAME:
        return tokens_in(source.text)
    beside = file.with_name(TOKENS_NAME)
    try:
        return tokens_in(read_source(beside).text) if beside.is_file() else TOKENS
    except FileError:
        return TOKENS


def one_template(file: TemplateFile, name: str | None) -> NamedTemplate:
    """Return the template of that name, or the only one. Raises CommandError where there is none or a choice."""
    names = [each.name for each in file.templates]
    if name is None and len(names) == 1:
        return file.templates[0]
    found = next((each for each in file.templates if each.name == (name or "default")), None)
    if found is None:
        listed = ", ".join(f"`{each}`" for each in names if each) or "none has a name"
        raise CommandError(f"{file.source.shown}: name the template with `--template-name`; it has: {listed}")
    return found
