"""The `xml-json` dialect: a tag named after the tool with one JSON object in it.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.json_body import read_json_call
from callwright.calls.markup_body import read_markup_call
from callwright.calls.plain_form import PlainCalls
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import guard_closer, json_body
from callwright.dialects.base import Dialect


class XmlJson(Dialect):
    """A tag named after the tool contains the arguments as one JSON object.

    The body is only JSON: no entities, no CDATA. A closing tag inside a JSON string does not end the call.
    """

    name = "xml-json"
    title = "JSON in a tag"
    summary = "A tag named after the tool, with the arguments as one JSON object in it."
    used_by: Sequence[str] = ("Zentara Code", "AccessLint")
    openers: Sequence[str] = ("<",)
    plain = PlainCalls("<{tool}>", "</{tool}>")
    typed = True
    cdata = False
    typing = "Values have the types of JSON."
    escaping = r"""
        JSON escapes: `\"`, `\\`, `\n`. `</` inside a string can be written as `<\/`, and Callwright writes a closing
        tag in a value this way. Entities and CDATA have no meaning.
    """
    ambiguity = "A closing tag inside a JSON string does not end the call if the JSON around it is valid."
    peers = """
        Zentara Code searches the body for known parameter tags first, so it reads JSON text that contains `<path>` as
        XML. Parsers that search for the closing tag by a regular expression end at the first one, also inside a string.
    """

    asks: Sequence[str] = (
        "Write each call as an XML element named after the tool that holds one JSON object with the arguments.",
        "The JSON must be complete and valid: double quotes, no trailing comma, newlines in strings as `\\n`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call that begins at `start`."""
        reading = read_json_call(text, start, context, self.name)
        if reading is None and context.preferred == self.name:
            return read_markup_call(text, start, context, self.name, only_empty=True)
        return reading

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text: one line where it fits, else a block of JSON between the tags."""
        del schema
        body = json_body(arguments, style, 2 * len(tool) + len("<></>"))
        if isinstance(body, Refusal):
            return body
        body = guard_closer(body, tool)
        edge = "\n" + style.margin if "\n" in body else ""
        return f"<{tool}>{edge}{body}{edge}</{tool}>"


DIALECT: Dialect = XmlJson()
