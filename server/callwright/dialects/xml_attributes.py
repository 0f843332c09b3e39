"""The `xml-attributes` dialect: a tag named after the tool, with the arguments as its attributes.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.attribute_calls import read_attribute_call
from callwright.calls.attribute_write import render_attributes
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.dialects.base import Dialect

_ONE_TAG: Final = (
    'Write each call as one tag named after the tool, with an attribute for each argument: `<f name="value"/>`.'
)
_BODY: Final = (
    "Where an example shows an argument as the text between the tags, write it there and end the call with the closing"
    " tag."
)


class XmlAttributes(Dialect):
    """A tag named after the tool has an attribute for each argument, and closes itself or holds one text.

    The text between the tags is the argument that the tool names for it, by `x-body` in the schema of a property or by
    the sample in the prompt that documents the tool.
    """

    name = "xml-attributes"
    title = "XML attributes"
    summary = "A tag named after the tool, with an attribute for each argument."
    used_by: Sequence[str] = (
        "Devin",
        "bolt.new and bolt.diy (`<boltAction>`)",
        "Dyad (`<dyad-write>`)",
        "Lovable (`<lov-write>`)",
        "v0 (`<MoveFile/>`)",
    )
    openers: Sequence[str] = ("<",)
    typed = False
    cdata = True
    typing = (
        "Text carries no type: the tool's schema says what it is, as in [XML children](xml-children.md). An array or an"
        " object in an attribute is JSON: `names='[1, 2]'`.\n\n"
        'The text between the tags is the argument whose property has `"x-body": true` in the tool\'s schema. Where a'
        " prompt documents a tool by a sample tag with text in it, that argument is the parameter `content`, `body`,"
        " `text`, `code`, `command` or `message` which is no attribute of the sample; where there is none, it is called"
        " `content`. Where a tool names no such argument, child elements are further arguments, and nothing is said of"
        " text.\n\n"
        "One newline directly after the opening tag and one directly before the closing tag belong to the dialect."
    )
    escaping = (
        'With `xml` markup, `<`, `&` and `"` in an attribute are written as `&lt;`, `&amp;` and `&quot;`, a line end as'
        " `&#10;`; text between the tags is escaped in the same way or stands in a CDATA section. With `raw` markup"
        " nothing is escaped: an attribute ends at its quote, the text at its closing tag."
    )
    ambiguity = (
        "A tag is such a call where its tool is documented so or has this dialect, and where this dialect is set. Where"
        " neither the settings nor the tool ask for elements or JSON, it is one if an attribute is one of the tool's"
        " parameters. A tag of another name is one in strict reading alone, see"
        " [what is a call](../documents.md#what-is-a-call): HTML, SVG, components of JSX and sections such as"
        ' `<document index="1">` have attributes, too.\n\n'
        "Text between the tags ends at the first closing tag of the tool that closes no other tag of its name in it."
    )
    peers = (
        'bolt.new looks for `filePath="([^"]*)"` up to the first `>` and ends the text at the first `</boltAction>`'
        " ([stackblitz/bolt.new](https://github.com/stackblitz/bolt.new), `app/lib/runtime/message-parser.ts`): it"
        " knows no single quotes, no `>` in an attribute and no entities, and trims the text of a file. Dyad takes"
        " double quotes alone, decodes entities, trims text, takes a fence around it away, and reads most tags with a"
        " closing tag only ([dyad-sh/dyad](https://github.com/dyad-sh/dyad), `src/ipc/utils/dyad_tag_parser.ts`). A"
        " parser of XML makes a space of each line end in an attribute; here it is kept, and a diagnostic says so."
    )

    # The results of Devin's commands come without a frame; what stands for any tag is used.
    results = "label"
    asks: Sequence[str] = (
        _ONE_TAG,
        'In an attribute, write `&`, `<` and `"` as `&amp;`, `&lt;` and `&quot;`, and an array or an object as JSON.',
        _BODY,
    )
    asks_raw: Sequence[str] = (
        _ONE_TAG,
        "Write values as they are, with nothing escaped, and an array or an object as JSON.",
        _BODY,
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call that begins at `start`."""
        return read_attribute_call(text, start, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text, in one tag or around the text of its body."""
        return render_attributes(tool, arguments, schema, style)


DIALECT: Dialect = XmlAttributes()
