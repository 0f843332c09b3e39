"""The `xml-attributes` dialect: a tag named after the tool, with the arguments as its attributes.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.tag_bodies import body_name
from callwright.calls.tags import bare_tag
from callwright.dialects.base import Dialect

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike

_ONE_TAG: Final = (
    'Write each call as one tag named after the tool, with an attribute for each argument: `<f name="value"/>`.'
)
_BODY: Final = (
    "Where an example shows an argument as the text between the tags, write it there and end the call with the closing"
    " tag."
)


class XmlAttributes(Dialect):
    """A tag named after the tool has an attribute for each argument, and closes itself or contains one text.

    The text between the tags is the argument that the tool states for it: by `x-body` in the schema of a property, or
    by the sample in the prompt that documents the tool.
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
    typing = """
        Text carries no type: the tool's schema decides it, as in [XML children](xml-children.md). An array or an object
        in an attribute is JSON: `names='[1, 2]'`.

        The text between the tags is the argument whose property has `"x-body": true` in the tool's schema. If a prompt
        documents a tool by a sample tag with text in it, that argument is the parameter `content`, `body`, `text`,
        `code`, `command` or `message` that is not an attribute of the sample, or else `content`. If a tool states no
        such argument, child elements are further arguments, and text is not reported.

        One newline directly after the opening tag and one directly before the closing tag are not part of the text.
    """
    escaping = """
        With `xml` markup, `<`, `&` and `"` in an attribute are written as `&lt;`, `&amp;` and `&quot;`, and a line end
        as `&#10;`; text between the tags is escaped in the same way or in a CDATA section. With `raw` markup nothing is
        escaped: an attribute ends at its quote, the text at its closing tag.
    """
    ambiguity = """
        A tag is such a call if its tool is documented so or has this dialect, or if this dialect is configured. If
        neither the settings nor the tool state elements or JSON, it is one if an attribute is a parameter of the tool.
        A tag with another name is a call only in strict reading, see [what is a call](../documents.md#what-is-a-call):
        HTML, SVG, components of JSX and sections such as `<document index="1">` have attributes, too.

        Text between the tags ends at the first closing tag of the tool that does not close another tag of that name in
        the text.
    """
    peers = """
        bolt.new searches for `filePath="([^"]*)"` up to the first `>` and ends the text at the first `</boltAction>`
        ([stackblitz/bolt.new](https://github.com/stackblitz/bolt.new), `app/lib/runtime/message-parser.ts`): it
        supports no single quotes, no `>` in an attribute and no entities, and trims the text of a file. Dyad supports
        only double quotes, decodes entities, trims text, removes a fence around it, and reads most tags only with a
        closing tag ([dyad-sh/dyad](https://github.com/dyad-sh/dyad), `src/ipc/utils/dyad_tag_parser.ts`). An XML parser
        replaces each line end in an attribute by a space; Callwright keeps it, with a diagnostic.
    """

    # The results of Devin's commands have no frame; a tag with no other meaning is used.
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
        opening = bare_tag(text, start, context)
        if opening is None:
            return None
        if not opening.tag.attributes and self.name not in (context.preferred, context.tools.dialect(opening.name)):
            # Most tags are left here, and what reads the others need not be loaded.
            name = context.tools.near(opening.name) if opening.reason == "near" else opening.name
            parameters = context.tools.parameters(name) if name is not None else None
            if body_name(parameters) is None:
                return None
        from callwright.calls.attribute_calls import read_attribute_call

        return read_attribute_call(text, start, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text, in one tag or around the text of its body."""
        from callwright.calls.attribute_write import render_attributes

        return render_attributes(tool, arguments, schema, style)


DIALECT: Dialect = XmlAttributes()
