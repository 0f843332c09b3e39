"""The `dollar` template language: names after a dollar sign, as Python's `string.Template` and shells have them.

Owns: where its code begins and ends. Must not know: other languages.
"""

import re
from collections.abc import Iterator
from typing import Final

from callwright.templates.base import Tag, TagKind, Template

_TAG: Final = re.compile(
    r"\$(?:(?P<dollar>\$)|(?P<name>[A-Za-z_][A-Za-z0-9_]*+)|\{\{(?P<double>[^{}\r\n]{0,500}+)\}\}"
    r"|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*+)(?P<more>[^{}\r\n]{0,500}+)\}"
    r"|(?P<cut>\{{1,2}[^{}\r\n]{0,500}+\Z))"
)
#: What may follow a name in braces: a default and what else shells have; an attribute or an index.
_MORE: Final = re.compile(r"(?:[:\-=?+#%/^,@.\[][\s\S]*+)?+")


class Dollar(Template):
    """`$name`, `${name}` and `${name:-default}` are holes, `$$` is a dollar sign."""

    name = "dollar"
    title = "Dollar signs"
    about = (
        "`$name`, `${name}`, `${name:-default}` and `${{ name }}` are placeholders for unknown text; `$$` is a"
        " dollar sign. A dollar sign before anything else is text."
    )
    sources = (
        "Template strings, https://docs.python.org/3/library/string.html#template-strings-strings",
        "Shell parameter expansion, https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html",
    )

    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the names and doubled dollar signs."""
        at = start
        while (found := _TAG.search(text, at)) is not None:
            begin, at = found.span()
            if found["dollar"]:
                yield Tag(TagKind.TEXT, begin, at, "$")
            elif found["cut"] is not None:
                yield Tag(TagKind.UNFINISHED, begin, at)
                at = begin + 1
            elif found["more"] and not _MORE.fullmatch(found["more"]):
                at = begin + 1
            else:
                yield Tag(TagKind.EXPRESSION, begin, at)

    def escape(self, text: str) -> str:
        """Return the text with its dollar signs doubled."""
        return text.replace("$", "$$")


TEMPLATE = Dollar()
