"""The rule `stale-tools-block`."""

from collections.abc import Iterator

from callwright.document.snapshot import Snapshot
from callwright.fastpath.fast_paths import FastPath
from callwright.prompt.mentions import mentions_in
from callwright.rules.base import Diagnostic, DocumentRule, Fix, Severity


class StaleToolsBlock(DocumentRule):
    """A managed block does not say what its tools say.

    Why is this bad: the block between `callwright:tools` and `/callwright:tools` is there to teach the tools as they
    are. Where a tool, the dialect or the style has changed since, a model learns calls that are refused. The fix
    writes the block anew, as `callwright prompt --write` does.

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
        - You may write several calls in one reply; they are carried out in their order.
        - Stop after your last call. What it returns is given to you in the next message.
        - Give every required argument, and none that the tool does not have.
        - Do not make values up: ask for what you do not know. Where no tool is needed, answer without a call.
        <!-- /callwright:tools -->
    """

    code = "TC801"
    fast_path = FastPath.PLAIN  # a prompt has a block, a conversation has none
    severity = Severity.WARNING

    def check(self, subject: Snapshot) -> Iterator[Diagnostic]:
        """Yield a finding for each block whose text is not what it should be."""
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
            title = "Write the block anew"
            if edits is None:
                message = "This block does not say what its tools say, and the new text cannot be written here."
                yield self.diagnostic(block.marker, message)
            else:
                what = "is empty" if not block.text.strip() else "does not say what its tools say"
                message = f"This block {what}; write it anew, or run `callwright prompt --write`."
                yield self.diagnostic(block.marker, message, (Fix(title, edits),))
