"""The `react` dialect: `Action:` with the tool's name and `Action Input:` with its arguments, each on a line.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.line_calls import REACT
from callwright.dialects.base import JSON_RULE
from callwright.dialects.support.lines import LineDialect


class React(LineDialect):
    """A line `Action:` contains the tool's name, a line `Action Input:` below it the arguments: JSON, or text.

    `Thought:`, `Observation:` and `Final Answer:` are other lines of the dialect and not part of a call. After an
    `Action:` without a name, an object with `action` and `action_input` is read, in a fence or not.
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
        If the input is JSON, it has the types of JSON. Text that is not a JSON object is the value of the tool's only
        parameter. If the tool has several parameters or is unknown, the text is not an arguments object, which is
        reported if the tool is known. A JSON string in place of text means its content.
    """
    escaping = """
        JSON escapes in strings. Text has no escapes: a line that begins with `Observation:` or another label ends it.
    """
    ambiguity = """
        Both labels must be at the start of a line, after indentation, quote and list markers. They are ignored in
        fences of program code. Without an input below it, `Action:` is prose unless a tool's name follows it. `Action:
        None` and `Final Answer` are not calls.

        Text ends at the next labelled line or at a blank line, whichever comes first; text after `Observation:` is
        never part of a call. Brackets, quotes, backticks and bold type around the name are not part of it, with a
        diagnostic.
    """
    peers = """
        LangChain reads everything after `Action Input:` as the input, invented observations included, and the line
        after `Action:` unchanged, with quotes and brackets; if the text also contains a `Final Answer:`, it rejects the
        call. LlamaIndex reads the text from the first `{` to the last `}`. CrewAI repairs broken JSON and strips bold
        type.
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
