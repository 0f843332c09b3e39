"""`callwright chat-template show`: what a chat template supports, how it teaches tools, how it writes a conversation.

Owns: the options and the output of the command. Must not know: how templates are rendered.
"""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from callwright.cli.support.chat_templates import TemplateFile, one_template, template_files
from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError, note
from callwright.cli.support.option_groups import ColorOptions, InputOptions, JsonOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import Options, option, word
from callwright.cli.support.output import to_json, write_text
from callwright.cli.support.projects import Projects
from callwright.cli.support.terminal import Style, style_for, visible

if TYPE_CHECKING:
    from callwright.chat_templates.proof import Proof
    from callwright.chat_templates.renderer import Renderer
    from callwright.tools.model import ToolSchema

#: What is said of each capability.
_TITLES: Final = {
    "tools": "lists tools",
    "calls": "writes calls",
    "parallel_calls": "several calls in a message",
    "ids": "ids of calls",
    "object_arguments": "arguments as an object",
    "string_arguments": "arguments as a JSON string",
    "reasoning": "reasoning",
    "system": "system message",
    "content_parts": "content as a list of parts",
    "prefix_preserving": "keeps what was written when the conversation continues",
}
_ANSWERS: Final = {True: "yes", False: "no", None: "unknown"}


class _MessageOptions(Options, group=True, section="Input"):
    """What is rendered."""

    messages: str | None = option(
        "Render the conversation in this transcript, of any format, instead of the capabilities.",
        default=None,
        value="PATH",
    )
    template_name: str | None = option(
        "The name of the template, in a file with several. Default: `default`.", default=None, value="NAME"
    )
    generation_prompt: bool = option("Add the generation prompt to the rendering.", default=False)


class ChatTemplateShowOptions(
    _MessageOptions,
    ToolOptions,
    JsonOptions,
    InputOptions,
    ProjectOptions,
    ColorOptions,
    wording={"json": "Print an object with `capabilities`, `dialects` and `taught`, or with `text`, in ASCII."},
    examples=(
        "callwright chat-template show chat_template.jinja",
        "callwright chat-template show tokenizer_config.json --messages session.jsonl",
    ),
):
    """What `callwright chat-template show` takes."""

    path: str = word("A file with a chat template, or `-` for standard input.")


def run(options: ChatTemplateShowOptions) -> int:
    """Show what a chat template supports and how it teaches tools, or render a conversation with it.

    Without `--messages`, the capabilities of the template, the dialect of its calls and the text that it writes about
    tools are shown. With `--messages`, the conversation of a transcript is rendered with the tools of the transcript or
    of the configuration. Needs the extra `templates`.

    Exit code: 0, 1 if the template fails on the conversation, or on every one that is tried, 2 for a usage error or a
    file that cannot be read.
    """
    from callwright.chat_templates.model import ChatTemplateError
    from callwright.chat_templates.renderer import Renderer

    errors: list[str] = []
    projects = Projects(options)
    found = list(
        template_files(
            (options.path,), projects, report_error=errors.append, note=note, stdin_name=options.stdin_filename
        )
    )
    if errors or not found:
        raise CommandError(errors[0] if errors else f"no chat template in `{options.path}`")
    if len(found) > 1:
        raise CommandError(f"`{options.path}` has {len(found)} files with chat templates; name one of them")
    try:
        with Renderer() as renderer:
            if options.messages is not None:
                return _render(options, found[0], projects, renderer)
            return _show(options, found[0], renderer)
    except ChatTemplateError as error:
        raise CommandError(str(error)) from None


def _show(options: ChatTemplateShowOptions, file: TemplateFile, renderer: "Renderer") -> int:
    """Print the capabilities, the dialects and what is taught."""
    from callwright.chat_templates.proving import prove
    from callwright.chat_templates.renderer import TimedRenderer

    template = one_template(file, options.template_name)
    proof = prove(template.source, TimedRenderer(renderer), name=template.called, tokens=file.tokens)
    if proof.failed is not None:
        raise CommandError(f"{file.source.shown}: {proof.failed.message}")
    if proof.refusal is not None:
        return _failed(file, f"no conversation can be rendered: {proof.refusal}")
    if options.json:
        shown = {"capabilities": asdict(proof.capabilities), "dialects": [*proof.dialects], "taught": proof.taught}
        print(to_json(shown))
        return CLEAN
    style = style_for(sys.stdout, options.color)
    print("\n".join(_lines(proof, style)))
    return CLEAN


def _failed(file: TemplateFile, reason: str) -> int:
    """Print why a template is not rendered, and return the exit code."""
    note(f"{file.source.shown}: {reason}")
    return HAS_DIAGNOSTICS


def _lines(proof: "Proof", style: Style) -> list[str]:
    capabilities: dict[str, Any] = asdict(proof.capabilities)
    lines = [f"{title:<56}{_ANSWERS[capabilities[name]]}" for name, title in _TITLES.items()]
    lines.append(f"{'dialect':<56}{', '.join(proof.dialects) or 'none'}")
    lines.append(f"{'markers':<56}{' '.join(map(visible, proof.capabilities.markers)) or 'none'}")
    if proof.taught:
        lines += [
            "",
            style("bold", "What the template writes about tools:"),
            "",
            "\n".join(map(visible, proof.taught.splitlines())),
        ]
    return lines


def _definition(tool: "ToolSchema") -> dict[str, Any]:
    """Return a tool in the shape of the OpenAI API."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.input_schema)}
    return {"type": "function", "function": function}


def _render(options: ChatTemplateShowOptions, file: TemplateFile, projects: Projects, renderer: "Renderer") -> int:
    """Print the rendering of a conversation."""
    from callwright.chat_templates.messages import chats_of
    from callwright.chat_templates.model import Failed, Job

    template = one_template(file, options.template_name)
    source = projects.one_source(str(options.messages))
    snapshot = open_source(source, projects.of(source))
    found = chats_of(snapshot)
    if not found:
        raise CommandError(f"{source.shown}: no conversation; name a transcript in a format that `callwright` reads")
    if len(found) > 1:
        note(f"{source.shown}: {len(found)} conversations; the first one is rendered")
    messages, inline = found[0]
    tools = [_definition(tool) for tool in (inline or snapshot.registry).tools]
    variables = {**file.tokens, "add_generation_prompt": options.generation_prompt}
    (outcome,) = renderer.render(template.source, [Job(messages, tools or None, variables)])
    if isinstance(outcome, Failed):
        return _failed(file, outcome.message)
    if options.json:
        print(to_json({"text": outcome.text}))
    else:
        write_text(outcome.text)
    return CLEAN
