"""The `shell-action` dialect: one shell fence below a thought, whose text is the command to run.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.actions import Block, Labels, block_at, block_below
from callwright.calls.bodies import Body
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.scanning import line_of
from callwright.dialects.support.bodies import BodyDialect
from callwright.syntax.prose import fence_at, fence_closer
from callwright.text.span import Span

_LANGUAGE: Final = "bash"
_THOUGHT: Final = "THOUGHT:"
#: The info word that nothing else uses.
_OWN: Final = "mswea_bash_command"
_LANGUAGES: Final = frozenset({_LANGUAGE, "sh", "shell", _OWN})
_LABELS: Final = Labels(
    opens=r"THOUGHT:|DISCUSSION:?+(?=[ \t]*+[\r\n])",
    steps=r"(?:THOUGHT|OBSERVATION|Observation|ACTION|Action|COMMAND)[ \t]*+:|DISCUSSION:?+[ \t]*+[\r\n]",
    languages=_LANGUAGES | {""},
)


class ShellAction(BodyDialect):
    """A model writes its reasoning below `THOUGHT:`, and the one shell fence below that is the command to run."""

    name = "shell-action"
    title = "Shell actions"
    summary = "One fence `bash` below `THOUGHT:`; its text is the argument `command` of the tool `bash`."
    used_by: Sequence[str] = ("mini-SWE-agent", "SWE-agent (below `DISCUSSION`)")
    openers: Sequence[str] = (
        _THOUGHT,
        "DISCUSSION",
        *(f"```{language}" for language in sorted(_LANGUAGES)),
    )
    bodies: Mapping[str, Body] = {
        _LANGUAGE: Body(("bash", "shell", "run_command", "execute_bash", "execute_command", "terminal"), "command")
    }
    only_tools: Sequence[str] = tuple(name for body in bodies.values() for name in body.tools)
    typed = True
    placement = "fence"
    one_call = True
    typing = """
        The command is a string, without the whitespace around it. The tool is the first of `bash`, `shell`,
        `run_command`, `execute_bash`, `execute_command` and `terminal` that is in force, else `bash`. The argument is
        `command`, or the tool's only parameter.
    """
    escaping = """
        There are no escapes. A line of three backticks ends the command, so a command that contains one is not written.
    """
    ambiguity = """
        A shell fence is a call only below a line that begins with `THOUGHT:` or is `DISCUSSION`, with only prose
        between them: a heading, a tag or the label of another step ends the reasoning. Any other shell fence shows
        commands to a reader. If `dialect` or `accept` names this dialect, every shell fence is a call; a fence
        `mswea_bash_command` always is.

        A fence without a language is a call only below such a label. If all tools are known and none has one of the
        names above, nothing is a call unless the dialect is named.
    """
    peers = """
        mini-SWE-agent (`action_regex` of its models, in SWE-agent/mini-swe-agent) requires exactly one fence `bash`, or
        `mswea_bash_command` in later versions, in a reply, and reads none of several. SWE-agent's `ThoughtActionParser`
        reads the last fence of a reply, in any language. Neither requires the label.
    """
    asks: Sequence[str] = (
        "Write what you think below `THOUGHT:`, and then the command to run in one fenced block `bash`.",
        "Write exactly one such block in a reply.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the block at `start`, or below the label there."""
        stated = context.states(self.name)
        # With a list of other tools, this is not a call of the one whose name is written nowhere.
        missing = context.tools.closed and not context.tools.has(self.bodies[_LANGUAGE].tool(context))
        if missing and not (stated or context.strict):
            return None
        if text[start] != "`":
            found = None if stated else block_below(text, start, _LABELS, context)
        else:
            fence = fence_at(text, line_of(text, start, context))
            wanted = _LANGUAGES if stated else {_OWN}
            named = fence is not None and fence.marker == start and fence.language in wanted
            found = block_at(text, start, _LABELS, context, start) if named else None
        if found is None or found.content.start == found.content.end:
            return None
        return self._read(text, found, context)

    def _read(self, text: str, block: Block, context: ReadContext) -> Reading:
        span = Span(block.frame.start, block.frame.end)
        call = self.bodies[_LANGUAGE].call(
            text, block.content, (block.language,), span, context, self.name, block.problems
        )
        call.frame = span
        return Reading([call], block.end, block.end + 1)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as a fence below a thought that is still to be written."""
        outcome = self.text_of(tool, arguments, schema)
        if isinstance(outcome, Refusal):
            return outcome
        _, command = outcome
        if fence_closer("`", 3).search(command) is not None:
            return Refusal("the command holds a line of backticks, which would end it", tuple(arguments))
        lines = [*([_THOUGHT] if style.fenced else []), f"```{_LANGUAGE}\n{command}", "```"]
        return ("\n" + style.margin).join(lines)


DIALECT = ShellAction()
