"""`callwright feedback`: the message to a model whose reply is rejected.

Owns: the options of the command, which reply is judged, what is printed. Must not know: how a reply is judged, the
words of the message.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError
from callwright.cli.support.files import FileError, InputFile, read_source
from callwright.cli.support.judging import JudgingOptions
from callwright.cli.support.options import option, word
from callwright.cli.support.output import to_json, write_text
from callwright.config import Project

if TYPE_CHECKING:
    from callwright.cli.support.replies import ReplyOutcome
    from callwright.runtime.feedback import Feedback

_LIMIT: Final = 2000


class FeedbackOptions(
    JudgingOptions,
    wording={
        "json": "Print an object with `error`, `feedback` and `calls`, even if the reply is accepted.",
    },
    examples=(
        "callwright feedback reply.md --tools tools.json --dialect xml-json",
        "callwright feedback session.json",
    ),
):
    """What `callwright feedback` takes."""

    path: str = word("A file with a reply or a transcript, or `-` for standard input.")
    limit: str = option(
        "The maximum number of characters of the message, at least 200.", default=str(_LIMIT), value="NUMBER"
    )
    template: str | None = option(
        "A Jinja template for the message; `callwright.runtime.Feedback` documents its variables.",
        default=None,
        value="PATH",
    )
    no_example: bool = option("Do not add a corrected call or an example to the message.", default=False)


def run(options: FeedbackOptions) -> int:
    """Print the message to send to a model whose reply is rejected.

    The input is a reply, or a transcript, in which case the last assistant turn is checked: its text, and its native
    calls. A reply is rejected if any call in it has an error.

    Exit code: 0 without output if the reply is accepted, 1 with the message on standard output if it is rejected, 2 for
    a usage error or a file that cannot be read.
    """
    feedback = _feedback(options.limit, options.template, example=not options.no_example)
    source, project = options.opened(options.path)
    outcome = _judged(source, project, require_call=options.require_call)
    message = None
    if outcome.error is not None:
        try:
            message = feedback(outcome.error)
        except ValueError as error:
            raise CommandError(f"`--template {options.template}`: {error}") from None
    if options.json:
        reported = outcome.error.to_dict() if outcome.error is not None else None
        print(to_json({"error": reported, "feedback": message, "calls": outcome.calls}))
    elif message is not None:
        write_text(message + "\n")
    return CLEAN if outcome.error is None else HAS_DIAGNOSTICS


def _feedback(limit: str, template: str | None, *, example: bool) -> "Feedback":
    """Return the feedback that the options ask for. Raises CommandError where they make no sense."""
    from callwright.runtime.feedback import LEAST, Feedback

    if not (limit.isascii() and limit.isdigit() and int(limit[:9]) >= LEAST):
        raise CommandError(f"`--limit {limit}`: expected an integer of {LEAST} or more, as in `--limit {_LIMIT}`")
    text = None
    if template is not None:
        try:
            text = read_source(Path(template)).text
        except FileError as error:
            raise CommandError(f"`--template`: {error}") from None
    try:
        return Feedback(limit=int(limit[:9]), template=text, example=example)
    except (ImportError, ValueError) as error:
        raise CommandError(f"`--template {template}`: {error}") from None


def _judged(source: InputFile, project: "Project", *, require_call: bool) -> "ReplyOutcome":
    """Judge the last turn of the assistant, or the whole text where it is no transcript."""
    from callwright.cli.support.replies import dialogues, judged, whole_reply

    if project.settings.strict:
        project = replace(project, settings=replace(project.settings, accept=()))
    found = dialogues(source, project)
    if not found:
        return judged(whole_reply(source, project), require_call=require_call)
    last = next((dialogue for dialogue in reversed(found) if dialogue.replies), None)
    if last is None:
        raise CommandError(
            f"{source.shown}: the transcript has no assistant turn; name a transcript with one, or a file with the"
            " text of a reply"
        )
    return judged(last.replies[-1], require_call=require_call or last.requires_call)
