"""The shapes of texts whose growth is measured: what dialects are made of, over and over, nested and mixed.

Owns: `Shape`, the tokens of each language, the markers and cut calls of each dialect, choosing shapes at random. Must
not know: what is done with a text, what it costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Final, NamedTuple

from callwright.dialects.catalogue import dialect_names
from invariants.corpus import call_markers_of

#: Where a piece has this, each copy has another number.
NUMBER: Final = "№"
#: What pieces are made of, by language; many open something that nothing closes.
TOKENS: Final[Mapping[str, tuple[str, ...]]] = {
    "json": (
        *('"', '\\"', "\\", "\\u", "{", "}", "[", "]", ":", ": ", ",", ", ", "{}", "[]", '""', "null", "1", "1e999 "),
        *('"a"', '"a" ', '"a": ', '"a": 1, ', '"a": "', '{"a": ', '{"a": 1}', '[{"a": ', "a: ", "'a': ", "“a”: "),
        *(
            "// c\n",
            "/*",
            "*/",
            "#",
            "True",
            "NaN ",
            "-",
            "+",
            "007 ",
            '"a" "b"',
            "}}",
            "]]",
            "}]",
            '"a": "b\n',
            "/",
            "_ ",
        ),
        *(f'"a{NUMBER}": ', f'"a{NUMBER}": 1, ', f'{{"a{NUMBER}": '),
    ),
    "xml": (
        *(
            "<",
            ">",
            "</",
            "/>",
            "<a>",
            "</a>",
            "<a/>",
            "<a ",
            "<a b='",
            '<a b="c"',
            "<p>v</p>",
            "<a><b></a>",
            "</ ",
            "<>",
        ),
        *(
            "<!--",
            "-->",
            "<!-- c -->",
            "<![CDATA[",
            "]]>",
            "<![CDATA[]]>",
            "&",
            "&lt;",
            "&#x",
            "&a;",
            "<?",
            "?>",
            "=",
            "<!",
        ),
        *(
            f"<a{NUMBER}>",
            f"</a{NUMBER}>",
            f"<a{NUMBER}>v</a{NUMBER}>",
            "<path>",
            "</path>",
            "<path>v</path>",
            "<item>",
        ),
    ),
    "yaml": (
        *(
            "- ",
            "- a\n",
            "a: ",
            "a: b\n",
            "a:\n",
            "a: |\n",
            "a: >+2\n",
            "? ",
            "&a ",
            "*a ",
            "!!str ",
            "<<: *a\n",
            "---\n",
        ),
        *("...\n", "{a: ", "[a, ", "# c\n", "\t", "  ", " a: 'b\n", f"a{NUMBER}: b\n", f"{NUMBER}:\n"),
    ),
    "python": (
        *(
            "a(",
            "(",
            ")",
            "a=",
            "a=1, ",
            "'",
            "'a'",
            '"""',
            "'''",
            "f'{",
            'r"',
            "b''",
            "lambda: ",
            "[a(",
            "a.b(",
            "None, ",
        ),
        *("\\\n", "a(b=[", "a(b={", "*", "**a, ", "1, ", "not ", "a if b else ", "[a for ", "# c\n", ";", "a()\n", "@"),
        *(f"a{NUMBER}=1, ", f"a{NUMBER}(", "# ", "print(a)\n", "0x", "1_"),
    ),
    "markdown": (
        *(
            "`",
            "``",
            "```",
            "```\n",
            "```json\n",
            "```json\n```\n",
            "~~~\n",
            "````\n",
            "> ",
            "> ```\n",
            "> a\n",
            "- ```\n",
        ),
        *(
            "\n",
            "\n\n",
            " \n",
            "\r",
            "\r\n",
            "# ",
            "# a\n",
            "## a\n\n",
            "* ",
            "**a** ",
            "|",
            "| a | b |\n",
            "---\n",
            "    a\n",
        ),
        *(
            "<!-- callwright: ignore -->\n",
            "<!-- callwright: ignore-start -->\n",
            "a",
            "a b ",
            "A b.\n",
            "é",
            "😀",
            "\u2028",
        ),
        *(
            "Wrong:\n",
            "Example:\n",
            "Parameters:\n",
            "- `a`: b\n",
            "- a (required): b\n",
            f"## a{NUMBER}\n",
            "[a](b)",
            "1. ",
        ),
        *(
            "{{",
            "}}",
            "{{ a }}",
            "{%",
            "{% if a %}",
            "{% endif %}",
            "{#",
            "${a}",
            "{{#if a}}",
            "{{/if}}",
            "(",
            "...",
            ". ",
        ),
    ),
    "prose": (
        *(
            "read_file",
            "raed_file",
            "`read_file`",
            "read_file(",
            "<read_file>",
            "</read_file>",
            "<raed_file>",
            "Action: ",
        ),
        *(
            "<think>",
            "</think>",
            "<result>",
            "<tool_response>",
            "Thought: ",
            "user: ",
            "Observation: a\n",
            "[a] ",
            "<|a|>",
        ),
        *("<read_file><path>a</path></read_file>", "<read_file><path>a</path></read_file>\n", '{"name": "read_file", '),
        *('"path": "a", ', '"arguments": {', '"tool": "read_file"', 'path="a" ', "<read_file path='a'/>", "YOUR_FILE "),
    ),
}


class Shape(NamedTuple):
    """A text of any length: what is before, pieces over and over, what is after.

    `repeated` writes the pieces in turn; `nested` writes all of the first, then all of the second, and so on.
    """

    kind: str
    before: str
    pieces: tuple[str, ...]
    after: str

    def text(self, length: int) -> str:
        """Return a text of about that length."""
        count = max(1, (length - len(self.before) - len(self.after)) // max(1, sum(map(len, self.pieces))))
        rows = [self.pieces] if self.kind == "repeated" else [(piece,) for piece in self.pieces]
        body = "".join(_copies("".join(row), count) for row in rows)
        return f"{self.before}{body}{self.after}"

    def __str__(self) -> str:
        pieces = " ".join(map(repr, self.pieces))
        return f"{self.before!r} + {self.kind} {pieces} + {self.after!r}"


def _copies(piece: str, count: int) -> str:
    if NUMBER not in piece:
        return piece * count
    return "".join(piece.replace(NUMBER, str(1_000 + number)) for number in range(count))


#: Shapes that once took more than their share, by what made them do so.
KNOWN: Final[Mapping[str, tuple[Shape, ...]]] = {
    "bare text in JSON": (
        Shape("repeated", 'Action: read_file\nAction Input: {"tags": [', (": ",), ""),
        Shape("repeated", '[TOOL_CALLS]read_file[ARGS]{"tags": [', ("- ",), ""),
        Shape("repeated", '<function=read_file>{"tags": {', ("= ",), "</function>"),
    ),
    "where a block may end": (
        Shape("repeated", "", ("```\n",), ""),
        Shape("repeated", "", ("~~~\n",), ""),
        Shape("repeated", "", ("> ```\n",), ""),
        Shape("repeated", "", ("```json\n```\n",), ""),
    ),
    "the end of a line that holds many openers": (
        Shape("repeated", "", ("tool_calls:",), ""),
        Shape("repeated", "", ("<tool_calls:opensource>",), ""),
    ),
    "strings with escaped quotes on one line": (
        Shape("repeated", '<TOOLCALL>[{"name', ('"a№": 1, ', '"a" ', '\\"'), ""),
    ),
    "comments that can all go": (Shape("repeated", "", ("<!-- callwright: ignore -->\n",), ""),),
    "what may lead a line": (
        Shape("repeated", "", ("Action:",), ""),
        Shape("nested", "", ("> ", "Action: "), ""),
    ),
    "text behind a call on its line": (
        Shape("repeated", "", ('<read_file>{"path": 17, "limit": "zqc"}</read_file>',), ""),
        Shape("repeated", "", ('[TOOL_CALLS]read_file[ARGS]{"path": "a"} a b ',), ""),
    ),
    "many diagnostics of one call": (
        Shape("nested", "<read_file><path>zqb</path><", ("zqb", "user: "), "limit>zqc</limit></read_file>"),
    ),
    "tags that nothing closes": (
        Shape("repeated", "", ("</arg_key><arg_value>",), ""),
        Shape("repeated", "", ("<a><b>",), ""),
    ),
    "quotes that end no string": (Shape("repeated", '[{"name": "read_file', ("=", '", "', "a: "), ""),),
    "fences of a tool that there is not": (Shape("repeated", "", ("```mswea_bash_command\n",), ""),),
}


class Frame(NamedTuple):
    """A call that is cut in two."""

    before: str
    after: str


@cache
def frames_of(dialect: str) -> tuple[Frame, ...]:
    """Return a dialect's calls cut at each value and symbol, and nothing around the pieces at all."""
    found = [Frame("", "")]
    for call in sorted(call_markers_of(dialect), key=len)[-2:]:
        cuts = [match.end() for match in re.finditer(r"[<>{}\[\]()\"'|:=,]+|\w+", call)]
        for cut in cuts:
            found += [Frame(call[:cut], ""), Frame(call[:cut], call[cut:])]
        if "zqb" in call:
            before, _, after = call.partition("zqb")
            found += [Frame(before, ""), Frame(before, after)] * 4
            opened = re.split(r"(?<=[{(\[>])(?=[^{(\[>]*$)", before)[0]
            found += [Frame(f'{before.removesuffix(chr(34))}["', after), Frame(opened, after), Frame(opened, "")] * 2
    return tuple(found)


@cache
def pieces_of(dialect: str) -> tuple[str, ...]:
    """Return what a dialect writes, whole, and what its calls are made of."""
    found = dict.fromkeys(call_markers_of(dialect))
    for marker in call_markers_of(dialect):
        if "read_file" in marker:
            found.update(dict.fromkeys(re.findall(r"[^\w\s]+|\w+", marker)))
            found.update(dict.fromkeys(re.findall(r"<[^<>]*>", marker)))
            found[f"{marker}\n"] = None
    return tuple(found)


@cache
def _tokens() -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for tokens in TOKENS.values() for token in tokens))


def plain_shapes() -> Iterator[Shape]:
    """Yield every token and every marker over and over, and each dialect's calls within each other."""
    for token in _tokens():
        yield Shape("repeated", "", (token,), "")
    for dialect in dialect_names():
        for piece in call_markers_of(dialect):
            yield Shape("repeated", "", (piece,), "")
        call = max(call_markers_of(dialect), key=len)
        before, _, after = call.partition("zqb")
        yield Shape("nested", "", (before, after), "")
        yield Shape("repeated", before, ("a",), after)
        yield Shape("repeated", "", (f"{call}\n",), "")


def framed_shapes() -> Iterator[Shape]:
    """Yield every token over and over within a call of each dialect: after its name, and in a value."""
    for dialect in dialect_names():
        for frame in dict.fromkeys(frames_of(dialect)[1:][-11:]):
            for token in _tokens():
                yield Shape("repeated", frame.before, (token,), frame.after)


def drawn(random: Random) -> Shape:
    """Return a shape at random: one to three pieces of one dialect and any language, within a cut call or not."""
    dialect = random.choice(dialect_names())
    frame = random.choice(frames_of(dialect)) if random.random() < 0.75 else Frame("", "")
    tokens = (*pieces_of(dialect), *random.choice([*TOKENS.values()]))
    count = random.choice((1, 2, 2, 3))
    pieces = tuple(random.choice(tokens if random.random() < 0.8 else _tokens()) for _ in range(count))
    kind = "nested" if count > 1 and random.random() < 0.35 else "repeated"
    return Shape(kind, frame.before, pieces, frame.after)
