"""`callwright replay`: a transcript as a strict runtime would have gone through it, reply by reply.

Owns: the options of the command, what is printed. Must not know: how a reply is judged, strikes, the words of feedback.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError
from callwright.cli.support.judging import JudgingOptions
from callwright.cli.support.option_groups import ColorOptions, counted
from callwright.cli.support.options import option, word
from callwright.cli.support.output import to_json
from callwright.cli.support.report import json_range, place, plural
from callwright.cli.support.terminal import Style, cells, style_for, visible
from callwright.text.document import TextDocument

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseError
    from callwright.runtime.replaying import Step, StrictReplay

#: The outcomes of a reply, and the symbol that each is shown with.
_MARKERS: Final = {"calls": ("✓", "green"), "rejected": ("✗", "red"), "talk": ("–", "dim")}
_INDENT: Final = "    "
_CUT: Final = "…"
#: No line shows more of a text than this before it is cut to the page.
_SCANNED_AT: Final = 2_000


class ReplayOptions(
    JudgingOptions,
    ColorOptions,
    wording={
        "json": "Print an object with `conversations`, which have `turns`, and `summary`.",
    },
    examples=("callwright replay session.json", "callwright replay run.jsonl --dialect hermes --feedback"),
):
    """What `callwright replay` takes."""

    path: str = word(
        "A transcript in any supported format, a session dumped by the runtime, or `-` for standard input. Each of"
        " several conversations is replayed separately."
    )
    max_mistakes: str | None = option(
        "The number of failures in a row that get feedback; the next one stops a runtime. Default: that of the session"
        " or of the configuration, or 3.",
        default=None,
        value="NUMBER",
        setting=counted,
    )
    feedback: bool = option("Show the full feedback for the model instead of its first line.", default=False)


def run(options: ReplayOptions) -> int:
    """Run a transcript through a strict parser, reply by reply.

    For each assistant turn, show whether the parser accepts it (✓, with the calls), rejects it (✗, with the reason and
    the feedback for the model) or finds no call (–), and the number of strikes so far. A rejected reply is a strike; a
    reply with calls resets the count. The output also says where a runtime would have stopped. Results of calls are not
    checked; use `callwright check` for that.

    Exit code: 0 if no reply is rejected, 1 if a reply is rejected, 2 for a usage error, a file that cannot be read, or
    one without a conversation.
    """
    from callwright.cli.support.replies import dialogues
    from callwright.runtime.replaying import StrictReplay

    source, project = options.opened(options.path)
    found = dialogues(source, project)
    if not any(dialogue.replies for dialogue in found):
        what = "no assistant turn" if found else "no conversation in a supported format"
        raise CommandError(f"{source.shown}: {what}; to check the text of a single reply, use `callwright feedback`")
    document = TextDocument.from_text(source.text)
    wanted = None if options.max_mistakes is None else project.settings.max_mistakes
    walks = [
        StrictReplay(
            dialogue,
            wanted or dialogue.maximum or project.settings.max_mistakes,
            require_call=options.require_call,
        )
        for dialogue in found
        if dialogue.replies
    ]
    tally: Counter[str] = Counter()
    if options.json:
        conversations = []
        for walk in walks:
            steps = list(walk.steps())
            tally.update(step.outcome for step in steps)
            conversations.append(_json_conversation(walk, steps, document))
        summary = {"conversations": len(walks), "replies": tally.total(), **{kind: tally[kind] for kind in _MARKERS}}
        print(to_json({"path": source.shown, "conversations": conversations, "summary": summary}))
        return HAS_DIAGNOSTICS if tally["rejected"] else CLEAN
    style = style_for(sys.stdout, options.color)
    stopped = 0
    for number, walk in enumerate(walks, 1):
        if len(walks) > 1:
            head = f"conversation {number} of {len(walks)} ({walk.dialogue.shape})"
            print(f"{'' if number == 1 else chr(10)}{style('bold', head)}")
        for step in walk.steps():
            tally[step.outcome] += 1
            stopped += step.stops
            for line in _lines(step, walk.strikes.maximum, source.shown, document, style, whole=options.feedback):
                print(line)
    print(f"\n{_sentence(tally, len(walks), stopped)}")
    return HAS_DIAGNOSTICS if tally["rejected"] else CLEAN


# -- for people --------------------------------------------------------------------------------------------------------


def _lines(
    step: "Step", maximum: int, shown: str, document: TextDocument, style: Style, *, whole: bool
) -> "Iterator[str]":
    """Yield the lines about a reply."""
    marker, color = _MARKERS[step.outcome]
    line, column = place(document, step.reply.span.start)
    where = f"{visible(shown)}:{line}:{column}:"
    strikes = f"strikes: {step.count} of {maximum}"
    head = f"{style('bold', where)} turn {step.reply.number} {style(color, marker)}"
    if step.error is not None:
        yield f"{head} {style(color, step.error.type.value)} ({strikes})"
        yield from (f"{_INDENT}{each}" for each in _reasons(step.error, style))
        yield from _reported(step.feedback or "", style, whole=whole)
    elif step.calls:
        yield f"{head} {plural(len(step.calls), 'call', 'calls')} ({strikes})"
        room = style.width - len(_INDENT)
        yield from (_INDENT + _cut(f"{call['tool']} {_one_line(call['arguments'])}", room) for call in step.calls)
    else:
        yield f"{head} {_cut(_flat(step.reply.text) or '(nothing)', 60)} ({strikes})"
    if step.stops:
        yield _INDENT + style("red", f"A strict runtime stops here: {step.count} mistakes in a row, {maximum} allowed.")


def _reasons(error: "ParseError", style: Style) -> "Iterator[str]":
    """Yield why a reply was rejected: the first diagnostic in words, and how many more there are."""
    own = error.cause or error
    if own is not error:
        yield f"the last one: {own.type.value}"
    first = own.details.partition("\n")[0] if own.diagnostics else own.message
    # Its place is one in the reply, such as `2:46`.
    yield _cut(first, max(style.width - len(_INDENT), 100))
    more = len(own.diagnostics) - 1
    if more > 0:
        yield f"and {plural(more, 'more diagnostic', 'more diagnostics')}"


def _reported(message: str, style: Style, *, whole: bool) -> "Iterator[str]":
    """Yield the message that the model is sent, or one line of it."""
    if whole:
        yield f"{_INDENT}{style('dim', 'feedback:')}"
        yield from (f"{_INDENT}{style('dim', '|')} {visible(line)}".rstrip() for line in message.split("\n"))
    else:
        label = "feedback: "
        yield f"{_INDENT}{style('dim', label)}{_cut(_flat(message), style.width - len(_INDENT) - len(label))}"


def _flat(text: str) -> str:
    return " ".join(text[:_SCANNED_AT].split())


def _one_line(value: Any) -> str:
    import json

    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return _flat(to_json(value))


def _cut(text: str, room: int) -> str:
    """Return a text on one line that takes `room` cells at most, with nothing in it that a terminal would obey."""
    shown = visible(text[:_SCANNED_AT])
    widths = cells(shown)
    if sum(widths) <= room and len(text) <= _SCANNED_AT:
        return shown
    taken = 0
    for index, width in enumerate(widths):
        if taken + width > room - 1:
            return shown[:index] + _CUT
        taken += width
    return shown + _CUT


def _sentence(tally: "Counter[str]", conversations: int, stopped: int) -> str:
    """Return the last line: how many replies there were, and what came of them."""
    where = f" in {plural(conversations, 'conversation', 'conversations')}" if conversations > 1 else ""
    words = f"{plural(tally.total(), 'reply', 'replies')}{where}: {tally['calls']} with calls, "
    words += f"{tally['rejected']} rejected, {tally['talk']} without a call."
    if stopped:
        words += " A strict runtime would have stopped" + (f" in {stopped} of them." if conversations > 1 else ".")
    return words


# -- for programs ------------------------------------------------------------------------------------------------------


def _json_conversation(walk: "StrictReplay", steps: "list[Step]", document: TextDocument) -> dict[str, Any]:
    stop = next((step.reply.number for step in steps if step.stops), None)
    return {
        "shape": walk.dialogue.shape,
        "range": json_range(document, walk.dialogue.span),
        "max_mistakes": walk.strikes.maximum,
        "stops_at": stop,
        "turns": [_json_step(step, document) for step in steps],
    }


def _json_step(step: "Step", document: TextDocument) -> dict[str, Any]:
    return {
        "turn": step.reply.number,
        "message": step.reply.turn,
        "range": json_range(document, step.reply.span),
        "outcome": step.outcome,
        "dialects": [*step.reply.dialects],
        "calls": step.calls,
        "error": step.error.to_dict() if step.error is not None else None,
        "feedback": step.feedback,
        "strikes": step.count,
    }
