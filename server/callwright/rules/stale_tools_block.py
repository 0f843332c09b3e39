"""The rule `stale-tools-block`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import mentions_in
from callwright.rules.base import Diagnostic, DocumentRule, Fix, Severity

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


class StaleToolsBlock(DocumentRule):
    """A managed block is out of date.

    Why is this bad: the block between `callwright:tools` and `/callwright:tools` teaches the current tools. If a tool,
    the dialect or the style has changed since, a model learns calls that are rejected. The fix regenerates the block,
    like `callwright prompt --write`.

    Tools
        [
          {
            "name": "read_file",
            "description": "Read a file.",
            "inputSchema": {
              "type": "object",
              "properties": {"path": {"type": "string", "description": "The file."}},
              "required": ["path"]
            },
            "examples": [{"path": "a.py"}]
          }
        ]

    Example
        <!-- callwright:tools dialect=xml-json style=terse examples=no level=0 -->
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC801
        An old text.
        <!-- /callwright:tools -->

    Use instead
        <!-- callwright:tools dialect=xml-json style=terse examples=no level=0 -->
        **Tools**

        You can use the tools below. To use one, write a call in your reply, exactly as described here.

        **The tools**

        - `read_file(path: string)`: Read a file.

        **How to write a call**

        - Write each call as an XML element named after the tool that holds one JSON object with the arguments.
        - The JSON must be complete and valid: double quotes, no trailing comma, newlines in strings as `\\n`.
        - You may write text before a call.
        - You may write several calls in one reply; they are executed in order.
        - Stop after your last call. You get its result in the next message.
        - Pass every required argument, and no argument that the tool does not have.
        - Do not invent values: ask for what you do not know. If no tool is needed, answer without a call.
        <!-- /callwright:tools -->
    """

    code = "TC801"
    fast_path = FastPath.PLAIN  # a prompt has a block, a conversation has none
    severity = Severity.WARNING

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each block whose text is out of date."""
        if not mentions_in(subject).managed:
            return
        from callwright.teaching.blocks import managed_blocks, wanted_text

        for block in managed_blocks(subject)[0]:
            if block.problems or block.text is None:
                continue
            wanted = wanted_text(block, subject.registry, subject.settings.dialect).text
            if wanted is None or wanted == block.text:
                continue
            edits = block.write(wanted)
            title = "Regenerate the block"
            if edits is None:
                message = "This block is out of date, and its new text cannot be written here."
                yield self.diagnostic(block.marker, message)
            else:
                what = "is empty" if not block.text.strip() else "is out of date"
                message = f"This block {what}; regenerate it, or run `callwright prompt --write`."
                yield self.diagnostic(block.marker, message, (Fix(title, edits),))
