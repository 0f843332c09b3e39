"""The `javascript` host: prompts in the strings of a JavaScript or TypeScript source.

Owns: recognising such files, and what JavaScript code shows about a string. Must not know: dialects, other hosts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from callwright.hosts.base import HostContext, Record, RecordHost
from callwright.hosts.support.source_strings import Language, Surroundings, source_record
from callwright.syntax.comments import SLASHES, STARS
from callwright.syntax.javascript_source import javascript_strings
from callwright.syntax.source_strings import SourceString
from callwright.text.javascript_literals import JavaScriptString
from callwright.text.source_literals import SourceLiteral
from callwright.text.span import Span

_PATTERN: Final = re.compile(r"\bRegExp\(\s*+(?:String\s*+\.\s*+raw\s*+)?\Z")
#: Prompts of LangChain.js are format strings, and so are its messages: pairs of a role and a text.
_PROMPT_TEMPLATE: Final = re.compile(
    r"\bfromTemplate\(\s*+\Z|\bnew\s+PromptTemplate\(\{[^{}]{0,80}\btemplate\s*+:\s*+\Z"
)
_MESSAGE: Final = re.compile(r"\[\s*+[\"'`](?:system|human|ai|user|assistant)[\"'`]\s*+,\s*+\Z")


def _evidence(around: Surroundings) -> str | None:
    if _PROMPT_TEMPLATE.search(around.before) is not None:
        return "format"
    return "format" if "fromMessages" in around.formatted and _MESSAGE.search(around.before) is not None else None


def _literal(source: str, string: SourceString) -> SourceLiteral:
    return JavaScriptString(
        source[string.start : string.end],
        string.start,
        string.quote,
        is_raw=string.is_raw,
        fields=[span.shift(-string.start) for span in string.fields],
    )


LANGUAGE: Final = Language(
    scan=javascript_strings,
    literal=_literal,
    is_pattern=_PATTERN,
    evidence=_evidence,
    template="handlebars",
    formats=lambda source: frozenset({"fromMessages"} if "fromMessages(" in source else ()),
)


class JavaScript(RecordHost):
    """JavaScript and TypeScript: strings and templates that may contain calls are read, expressions as unknown text.

    Tests are checked like those in Python.
    """

    name = "javascript"
    title = "JavaScript or TypeScript source"
    suffixes = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
    languages = ("javascript", "javascriptreact", "typescript", "typescriptreact")
    comments = (SLASHES, STARS)
    passes_over = True

    def strings(self, text: str) -> Sequence[Span]:
        """Return the places of all strings."""
        return [Span(each.begin, each.stop) for each in javascript_strings(text)]

    def read(self, text: str, context: HostContext) -> Record:
        """Take the strings that may hold calls out of the source."""
        return source_record(text, context, LANGUAGE)


HOST = JavaScript()
