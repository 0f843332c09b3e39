"""The `react` dialect: `Action:` with the tool's name and `Action Input:` with its arguments, each on a line.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.line_calls import REACT
from callwright.dialects.base import JSON_RULE
from callwright.dialects.support.lines import LineDialect


class React(LineDialect):
    """A line `Action:` holds the tool's name, a line `Action Input:` below it the arguments: JSON, or text.

    `Thought:`, `Observation:` and `Final Answer:` are the notation's other lines; none of them belongs to a call.
    Behind an `Action:` without a name, an object with `action` and `action_input` is read, in a fence or not.
    """

    name = "react"
    title = "ReAct"
    summary = "`Action: f` on one line, `Action Input: {…}` on the next."
    used_by: Sequence[str] = ("LangChain", "LlamaIndex", "CrewAI", "Qwen-Agent's prompts")
    openers: Sequence[str] = ("Action",)
    grammar = REACT
    arguments_line = "Action Input: {"
    result_label = "Observation:"
    placement = "line"
    typed = True
    typing = """
        Typed by the dialect where the input is JSON. Text that is no JSON object is given to the tool's only
        parameter; of a tool with several, or of an unknown one, it is no arguments object, which is a diagnostic where
        the tool is known. A JSON string in the place of text stands for its content.
    """
    escaping = """
        JSON escapes within its strings. Text cannot escape anything: a line that begins with `Observation:` or another
        label ends it.
    """
    ambiguity = """
        Both labels count at the start of a line only, after indentation, quote and list markers, and not in fences of
        program text. Without an input below it, `Action:` is prose unless a tool's name stands after it.
        `Action: None` and `Final Answer` call nothing.

        Text goes on to the next labelled line or to a blank line, whichever comes first; what comes after
        `Observation:` is never part of a call. Brackets, quotes, backticks and bold type around the name are not part
        of it, and a diagnostic says so.
    """
    peers = """
        LangChain reads everything after `Action Input:` as the input, invented observations included, and the line
        after `Action:` as it is, with quotes and brackets; where the text also holds a `Final Answer:`, it rejects
        the call. LlamaIndex reads the text from the first `{` to the last `}`. CrewAI repairs broken JSON and strips
        bold type.
    """
    one_call = True
    # ReAct, https://github.com/ysymyth/ReAct
    results = "observation"
    asks = (
        (
            "Write each call on two lines: `Action:` with the tool's name, then `Action Input:` with one JSON object"
            " that holds the arguments. Then stop."
        ),
        JSON_RULE,
    )


DIALECT = React()
