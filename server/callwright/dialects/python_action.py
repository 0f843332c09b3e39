"""The `python-action` dialect: a program in Python below a thought, in which tools are functions.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.actions import Block, Labels, block_at, block_below, leads_line
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.python_actions import calls_in
from callwright.calls.python_lists import written_call
from callwright.calls.scanning import line_of
from callwright.dialects.base import Dialect
from callwright.syntax.prose import fence_at

_THOUGHT: Final = "Thought:"
_CODE: Final = "Code:"
_END: Final = "<end_code>"
_FENCES: Final = ("```py", "```python")
_LABELS: Final = Labels(
    opens=_THOUGHT,
    steps=r"(?:Thought|Observation|Action|Action Input|Final Answer|Task|Question)[ \t]*+:",
    languages=frozenset({"py", "python", ""}),
    code=r"Code:(?=[ \t]*+[\r\n])",
    tag="code",
    end=_END,
)


class PythonAction(Dialect):
    """A Python program is the action: each tool that it calls as a function is called.

    The program is in a fence below `Code:`, or in `<code>`, after the reasoning of the model.
    """

    name = "python-action"
    title = "Python actions"
    summary = "A fence `py` below `Thought:` and `Code:`, in which tools are functions: `search(query='x')`."
    used_by: Sequence[str] = ("smolagents' CodeAgent",)
    openers: Sequence[str] = (_THOUGHT, _CODE, *_FENCES, "<code>")
    typed = True
    placement = "fence"
    gathers = True
    typing = """
        Values are Python literals. A value that the program computes (a variable, a nested call, an f-string) is
        unknown and matches any schema. A positional value belongs to the parameter at its position.
    """
    escaping = "Python escapes in strings. A line of backticks in a string ends the block."
    ambiguity = """
        A fence of Python is an action only below `Code:`. Above that there must be a line `Thought:` with only prose
        between the two, or `<end_code>` must follow the fence. `<code>` replaces both directly after the reasoning. Any
        other fence is code for a reader. If `dialect` or `accept` names this dialect, every fence `py` or `python`, and
        every `<code>` at the start of a line, is an action.

        Each function that is a tool is a call, including `final_answer`. If not all tools are known, so is each
        function that is neither built into Python nor imported or defined in the program; a method is not a call. Calls
        inside the arguments of a call belong to that call. A program that does more than call tools is not converted.

        Strict reading runs nothing: there a program must consist of calls with literal values.
    """
    peers = """
        smolagents (`parse_code_blobs` in `utils.py` of huggingface/smolagents) joins all fences `py`, `python` and
        without a language of a reply, regardless of the text above them, and runs them as one program; newer versions
        prefer `<code>`.
    """
    # smolagents, https://github.com/huggingface/smolagents
    results = "observation"
    asks: Sequence[str] = (
        (
            "Write your thoughts after `Thought:`, and then each action as a program in Python: below a line `Code:`,"
            " in a fenced block `py`. Call tools in it as functions, with keyword arguments."
        ),
        "Values are Python literals: strings in quotes, `True`, `False`, `None`, lists, dictionaries.",
    )

    @property
    def is_xml(self) -> bool:
        """Whether calls are between tags: what `<code>` contains is a program."""
        return False

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the program at `start`, or below the label there."""
        stated = context.states(self.name)
        if text.startswith(_THOUGHT, start):
            block = None if stated else block_below(text, start, _LABELS, context)
            return None if block is None else self._read(text, block, context)
        if (not stated and not text.startswith(_CODE, start)) or not leads_line(text, start, context):
            return None
        if text[start] == "`":
            fence = fence_at(text, line_of(text, start, context))
            if fence is None or fence.marker != start or fence.language not in _LABELS.languages or not fence.language:
                return None
        block = block_at(text, start, _LABELS, context, start)
        if block is None or not (stated or block.ended):
            return None
        return self._read(text, block, context)

    def _read(self, text: str, block: Block, context: ReadContext) -> Reading | None:
        calls = calls_in(text, block.content, block.frame, context, self.name, closed=block.closed)
        if not calls:
            return None
        calls[0].problems[:0] = block.problems
        calls[-1].complete = calls[-1].complete and block.closed
        return Reading(calls, block.end, block.end + 1)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one program, each on a line."""
        lines = collected(map(written_call, calls))
        if isinstance(lines, Refusal):
            return lines
        if style.fenced:
            lines = [_THOUGHT, _CODE, _FENCES[0], *lines, "```"]
        return ("\n" + style.margin).join(lines)


DIALECT: Dialect = PythonAction()
