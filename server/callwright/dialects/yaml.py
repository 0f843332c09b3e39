"""The `yaml` dialect: a YAML list of calls under `tool_calls:`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.yaml_calls import OPENER, read_yaml_calls, render_yaml_calls
from callwright.dialects.base import Dialect


class Yaml(Dialect):
    """A line `tool_calls:` is above a YAML list of calls, each with `tool_name` and `arguments`.

    The list may be alone, in a YAML fence, or in a YAML answer next to other keys.
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
        Values have the types of YAML 1.2's core schema: `true` and `false` are booleans, `null`, `~` and an empty value
        are null, `7`, `0x1F`, `1e3` and `012` (which is 12) are numbers. Every other value without quotes is text,
        including `yes` and dates. Text in quotes is text.
    """
    escaping = """
        Backslash escapes in double quotes, a doubled quote in single ones. A literal block (`|`) contains every line
        unchanged, without its indentation; `|` keeps one line end after the text, `|-` none, `|+` all.
    """
    ambiguity = """
        `tool_calls:` must be at the start of a line, and the first item below it must begin with a key that calls have.
        The list contains all lines that are indented deeper than the key, or are items in its own column.

        A colon and a space in a value without quotes are an error in YAML; such a value is read to the end of its line.
        After an error that leaves the structure open, the rest of the list is not read. Directives, complex keys, merge
        keys and tags of applications are not read.
    """
    peers = """
        YAML 1.1 parsers, including PyYAML, read `yes` and `no` as booleans, `012` as 10, `2026-01-01` as a date and
        `1:30` as 90; a diagnostic reports such a value. RagForge drops an item without `tool_name` or `arguments`.
    """
    alone = True
    asks = (
        "Answer in YAML. Below the key `tool_calls:`, list the calls: each an item with `tool_name` and `arguments`.",
        "Indent with spaces. Put text in double quotes, or text of several lines in a block that begins with `|`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the list of calls whose key is at `start`."""
        return read_yaml_calls(text, start, context, self.name)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one list."""
        return render_yaml_calls(calls, style)


DIALECT: Dialect = Yaml()
