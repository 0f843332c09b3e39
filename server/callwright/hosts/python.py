"""The `python` host: prompts in the strings of a Python source.

Owns: recognising such files, and what Python code shows about a string. Must not know: dialects, other hosts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from callwright.hosts.base import HostContext, Record, RecordHost
from callwright.hosts.support.source_strings import Language, Surroundings, source_record
from callwright.syntax.comments import HASH
from callwright.syntax.python_source import python_strings
from callwright.syntax.source_strings import SourceString
from callwright.text.python_literals import PythonString
from callwright.text.source_literals import SourceLiteral
from callwright.text.span import Span

#: `re.compile("…`, `regex.sub(r"…`, `pattern = r"…` and their kin.
_PATTERN: Final = re.compile(
    r"\b(?:re|regex)\.\w+\([^\"'()]{0,40}\Z|(?:pattern|regex)\w*+(?:\s*+:[^=\r\n]{1,30})?\s*+=\s*+(?:\(\s*+)?+\Z",
    re.IGNORECASE,
)
_FORMAT_CALL: Final = re.compile(r"\s*+\)?\s*+\.\s*+format(?:_map)?\(")
_FORMAT: Final = re.compile(r"\.format(?:_map)?\(")
_NAME: Final = re.compile(r"\w++\Z")
_IMPORT: Final = re.compile(r"from string import [^\r\n]{0,80}\bTemplate\b")
_PERCENT: Final = re.compile(r"\s*+\)?\s*+%(?![=%])")
_NAMED: Final = re.compile(r"(?:^|[\r\n;])[ \t]*+(?:[\w.]++\.)?(\w++)[ \t]*+(?::[^=\r\n]{1,60})?=[ \t]*+(?:\(\s*+)?\Z")
#: Prompts of LangChain and LlamaIndex are format strings; their messages are in pairs of a role and a text.
_PROMPT_TEMPLATE: Final = re.compile(r"\b(?:from_template|PromptTemplate)\(\s*+(?:template\s*+=\s*+)?(?:\(\s*+)?\Z")
_MESSAGE: Final = re.compile(r"\(\s*+[\"'](?:system|human|ai|user|assistant)[\"']\s*+,\s*+(?:\(\s*+)?\Z")
_JINJA: Final = re.compile(r"\b(?:jinja2\.Template|from_string)\(\s*+\Z")
#: `Template` is the standard library's where it is imported from there.
_DOLLAR: Final = re.compile(r"(?:(\bstring\.)|(?<![\w.]))Template\(\s*+\Z")


def _evidence(around: Surroundings) -> str | None:
    if _FORMAT_CALL.match(around.after) is not None:
        return "format"
    if _PERCENT.match(around.after) is not None:
        return "percent"
    if _JINJA.search(around.before) is not None:
        return "jinja"
    if _PROMPT_TEMPLATE.search(around.before) is not None:
        return None if "jinja2" in around.after else "format"
    dollar = _DOLLAR.search(around.before)
    if dollar is not None and (dollar[1] or "Template" in around.formatted):
        return "dollar"
    named = _NAMED.search(around.before)
    if named is not None and named[1] in around.formatted:
        return "format"
    return "format" if "from_messages" in around.formatted and _MESSAGE.search(around.before) is not None else None


def _formatted(source: str) -> frozenset[str]:
    """Return the names that `.format` is called on, and what else in a source shows how its strings are used."""
    calls = (_NAME.search(source, max(call.start() - 80, 0), call.start()) for call in _FORMAT.finditer(source))
    names = {name[0] for name in calls if name is not None}
    if "from_messages(" in source:
        names.add("from_messages")
    if _IMPORT.search(source) is not None:
        names.add("Template")
    return frozenset(names)


def _literal(source: str, string: SourceString) -> SourceLiteral:
    return PythonString(
        source[string.start : string.end],
        string.start,
        string.quote,
        is_raw=string.is_raw,
        formatted=string.formatted,
        fields=[span.shift(-string.start) for span in string.fields],
    )


LANGUAGE: Final = Language(
    scan=python_strings,
    literal=_literal,
    is_pattern=_PATTERN,
    evidence=_evidence,
    template="jinja",
    formats=_formatted,
)


class Python(RecordHost):
    """Python: strings that may contain calls are read, f-strings with their expressions as unknown text.

    A file that is a test by its name is checked where tools or a dialect are configured, since invalid calls in tests
    are there on purpose. Docstrings are read where tools are configured.
    """

    name = "python"
    title = "Python source"
    suffixes = (".py", ".pyi", ".pyw")
    languages = ("python",)
    comments = (HASH,)
    passes_over = True

    def strings(self, text: str) -> Sequence[Span]:
        """Return the places of all strings."""
        return [Span(each.begin, each.stop) for each in python_strings(text)]

    def read(self, text: str, context: HostContext) -> Record:
        """Take the strings that may hold calls out of the source."""
        return source_record(text, context, LANGUAGE)


HOST = Python()
