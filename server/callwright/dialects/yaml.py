"""The `yaml` dialect: a YAML list of calls under `tool_calls:`.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.yaml_calls import OPENER, read_yaml_calls, render_yaml_calls
from callwright.dialects.base import Dialect


class Yaml(Dialect):
    """A line `tool_calls:` stands above a YAML list of calls, each with `tool_name` and `arguments`.

    The list may stand alone, in a YAML fence, or in a YAML answer beside other keys.
    """

    name = "yaml"
    title = "YAML output"
    summary = "`tool_calls:` above a YAML list of `tool_name` and `arguments`."
    used_by: Sequence[str] = ("RagForge (its YAML output)",)
    openers: Sequence[str] = (OPENER,)
    arguments_line = "arguments:"
    placement = "line"
    gathers = True
    typed = True
    typing = """
        By YAML 1.2's core schema: `true` and `false` are booleans, `null`, `~` and nothing at all are null, `7`, `0x1F`
        and `1e3` are numbers, and every other value without quotes is text, `yes`, `012` apart (which is 12) and dates
        included. Text in quotes is text.
    """
    escaping = """
        Backslash escapes in double quotes, a doubled quote in single ones. A literal block (`|`) holds every line as it
        is, less its indentation; `|` keeps one line end after the text, `|-` none, `|+` all.
    """
    ambiguity = """
        `tool_calls:` counts at the start of a line, where the first item below it begins with a key that calls have.
        The list goes on as long as lines are indented deeper than the key, or are items in its own column.

        A colon and a space in a value without quotes are a fault in YAML; such a value is read to the end of its line.
        Behind a fault that leaves open what follows, the rest of the list is not read. Directives, complex keys, merge
        keys and tags of applications are not read.
    """
    peers = """
        Readers of YAML 1.1, PyYAML among them, take `yes` and `no` for booleans, `012` for 10, `2026-01-01` for a date
        and `1:30` for 90; a diagnostic says so where such a value stands. RagForge drops an item without `tool_name` or
        `arguments`.
    """
    alone = True
    asks = (
        "Answer in YAML. Below the key `tool_calls:`, list the calls: each an item with `tool_name` and `arguments`.",
        "Indent with spaces. Put text in double quotes, or text of several lines in a block that begins with `|`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the list of calls whose key stands at `start`."""
        return read_yaml_calls(text, start, context, self.name)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one list."""
        return render_yaml_calls(calls, style)


DIALECT: Dialect = Yaml()
