"""The five design notes that Callwright answers: the texts of their calls, and the notes' own diagnostics about them.

Owns: the excerpts. Must not know: how they are judged. Names say which system wrote the text.
"""

from typing import Final, NamedTuple


class Good(NamedTuple):
    """A call that its note presents as right: the text, the dialect and what it must be read as."""

    text: str
    dialect: str
    tool: str
    arguments: dict[str, object]


class Bad(NamedTuple):
    """A call that its note presents as wrong: the text, the code of the diagnostic, and words that its message has."""

    text: str
    code: str
    words: str


# --- Zentara Code: parameters as one JSON object in the tag

#: As the note writes it: a quoted string, with its quotes escaped.
ZENTARA_QUOTED: Final = (
    "**Example of the Proposed Format (represented as a string):**\n"
    r'"<debug_launch>{\"program\": \"src/app/main.py\", \"mode\": \"pytest\", '
    r'\"args\": [\"--verbose\"]}</debug_launch>"'
    "\n"
)
ZENTARA: Final = [
    Good(
        '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>',
        "xml-json",
        "debug_launch",
        {"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]},
    ),
    # The method before: each parameter an element, still read while the transition lasts.
    Good(
        "<debug_launch>\n<program>src/app/main.py</program>\n<mode>pytest</mode>\n"
        "<args><item>--verbose</item></args>\n</debug_launch>",
        "xml-children",
        "debug_launch",
        {"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]},
    ),
]
#: "Less likely to be truncated in a way that breaks parsing": each way of being cut off is reported.
ZENTARA_TRUNCATED: Final = [
    Bad('<debug_launch>{"program": "src/app/main.py", "args": ["--verbose"', "TC202", "missing"),
    Bad('<debug_launch>{"program": "src/app/ma', "TC204", "quote"),
    Bad("<debug_launch>\n<program>src/app/main.py</program>\n<mode>pyt", "TC101", "never closed"),
    Bad('<debug_launch>{"program": "src/app/main.py"}', "TC101", "never closed"),
]

# --- RagForge: JSON arguments, then elements with CDATA

RAGFORGE: Final = [
    Good(
        "<tool_call>\n  <tool_name>append_to_report</tool_name>\n"
        '  <arguments>{"content": "## Mon titre\\nDu contenu..."}</arguments>\n</tool_call>',
        "tool-call-json",
        "append_to_report",
        {"content": "## Mon titre\nDu contenu..."},
    ),
    Good(
        "<tool_call>\n  <tool_name>append_to_report</tool_name>\n  <arguments>\n"
        "    <content><![CDATA[## Mon titre\n\n"
        'Du contenu avec ```code``` et caractères spéciaux < > & "\n    ]]></content>\n'
        "    <path>/some/path</path>\n  </arguments>\n</tool_call>",
        "tool-call-xml",
        "append_to_report",
        {
            "content": '## Mon titre\n\nDu contenu avec ```code``` et caractères spéciaux < > & "\n    ',
            "path": "/some/path",
        },
    ),
]


def ragforge_call(arguments: str) -> str:
    """Return a RagForge call with these lines as its arguments."""
    return f"<tool_call>\n<tool_name>search_things</tool_name>\n<arguments>\n{arguments}\n</arguments>\n</tool_call>"


#: The seven tests that the note lists, and its two kinds of arrays: arguments as elements, and what they are read as.
RAGFORGE_ARGUMENTS: Final[list[tuple[str, dict[str, object]]]] = [
    ("<content>simple</content>", {"content": "simple"}),
    ("<content>one\ntwo\n\nthree</content>", {"content": "one\ntwo\n\nthree"}),
    ("<content><![CDATA[```python\nprint(1)\n```]]></content>", {"content": "```python\nprint(1)\n```"}),
    ('<content><![CDATA[a < b > c & d ${x} \\ "]]></content>', {"content": 'a < b > c & d ${x} \\ "'}),
    ("<a>x</a>\n<b>y</b>\n<c></c>", {"a": "x", "b": "y", "c": ""}),
    ("<a><b><c>x</c></b><d>y</d></a>", {"a": {"b": {"c": "x"}, "d": "y"}}),
    (
        "  <paths>\n    <item>/path/one</item>\n    <item>/path/two</item>\n  </paths>",
        {"paths": ["/path/one", "/path/two"]},
    ),
    (
        (
            "  <filters>\n    <filter>\n      <type>scope</type>\n      <name>foo</name>\n    </filter>\n"
            "    <filter>\n      <type>file</type>\n      <name>bar</name>\n    </filter>\n  </filters>"
        ),
        {"filters": [{"type": "scope", "name": "foo"}, {"type": "file", "name": "bar"}]},
    ),
    # `inferPrimitiveType`, where the value prints back to the same text.
    ("<a>true</a><b>false</b><c>42</c><d>-7</d><e>0.5</e>", {"a": True, "b": False, "c": 42, "d": -7, "e": 0.5}),
    # The note would lose what these say: `TRUE` would become true, `007` would become 7.
    (
        "<a>007</a><b>TRUE</b><c>1e400</c><d>1.50</d><e>+1</e>",
        {"a": "007", "b": "TRUE", "c": "1e400", "d": "1.50", "e": "+1"},
    ),
]
#: The session of 2025-12-17: text with line breaks in a JSON string, whose content arrived empty.
RAGFORGE_BUG: Final = (
    "<tool_call>\n  <tool_name>append_to_report</tool_name>\n"
    '  <arguments>{"content": "## Mon titre\n\nDu contenu avec ```code```"}</arguments>\n</tool_call>'
)
RAGFORGE_SKETCHES: Final = [
    (
        '```json\n{\n  "tool_calls": [\n    {\n      "tool_name": "${exampleTool1}",\n'
        '      "arguments": { "param1": "value1" }\n    }\n  ]\n}\n```'
    ),
    (
        "```xml\n<tool_calls>\n  <tool_call>\n    <tool_name>${exampleTool1}</tool_name>\n    <arguments>\n"
        "      <param1>value1</param1>\n    </arguments>\n  </tool_call>\n</tool_calls>\n```"
    ),
    '```json\n{\n  "tool_calls": [{"tool_name": "...", "arguments": {...}}]\n}\n```',
]

# --- Windlass: JSON in a fence, and errors that a model can learn from

WINDLASS: Final = Good(
    """```json\n{"tool": "run_code", "arguments": {"code": "print('hello')"}}\n```""",
    "fenced-json",
    "run_code",
    {"code": "print('hello')"},
)
WINDLASS_BROKEN: Final = [
    Bad(
        """```json\n{"tool": "run_code", "arguments": {"code": "print('hello')"}}}}\n```""",
        "TC201",
        "2 extra closing braces",
    ),
    Bad(
        """```json\n{"tool": "run_code", "arguments": {"code": "import math\\nprint(math.pi)"}}}}\n```""",
        "TC201",
        "2 extra closing braces",
    ),
    Bad('```json\n{"tool": "run_code", "arguments": {...}}}}\n```', "TC201", "2 extra closing braces"),
    Bad('```json\n{"tool": "run_code", "arguments": {"code": "..."\n```', "TC202", "2 closing braces are missing"),
    Bad('```json\n{"tool": "run_code", "arguments": {"code": "print("hello)}}\n```', "TC204", "quote"),
    Bad(
        '```json\n{"tool": "run_code", "arguments": "print(\'hello\')"}\n```',
        "TC308",
        "must be an object, not a string",
    ),
    # The key `tool` exists; `arguments` is a dict and neither string nor array.
    Bad('```json\n{"arguments": {"code": "1"}}\n```', "TC310", "tool"),
    Bad('```json\n{"tool": "run_code", "arguments": ["1"]}\n```', "TC308", "must be an object, not an array"),
]
WINDLASS_SKETCHES: Final = [
    '```json\n{"tool": "run_code", "arguments": {...}}\n```',
    '```json\n{"tool": "run_code", ...}\n```',
]

# --- AccessLint: strict XML

ACCESSLINT: Final = [
    Good('<read_file>{"path": "file.js"}</read_file>', "xml-json", "read_file", {"path": "file.js"}),
    Good('<read_file>\n{\n  "path": "src/main.ts"\n}\n</read_file>', "xml-json", "read_file", {"path": "src/main.ts"}),
    Good("<read_file>\n  <path>src/main.ts</path>\n</read_file>", "xml-children", "read_file", {"path": "src/main.ts"}),
    Good(
        '<write_file>\n{\n  "file_path": "index.html",\n  "content": "<!DOCTYPE html>..."\n}\n</write_file>',
        "xml-json",
        "write_file",
        {"file_path": "index.html", "content": "<!DOCTYPE html>..."},
    ),
]
ACCESSLINT_BROKEN: Final = [
    Bad('<write_file>{"content":"html"}</write_file>', "TC302", "`write_file` requires `file_path`"),
    Bad("<read_file>\n  <path>src/main.ts\n</read_file>", "TC101", "`<path>` is never closed"),
    Bad('<read_file>\n{\n  "path": "src/main.ts",\n}\n</read_file>', "TC207", "comma"),
]
ACCESSLINT_SKETCH: Final = '<tool_name>\n{\n  "parameter1": "value1",\n  "parameter2": "value2"\n}\n</tool_name>'

#: The older dialects of the notes, each with its dialect, its tool and its arguments.
OLDER: Final = [
    Good("TOOL_CALL: read_file\nINPUT: {...}", "directive", "read_file", {}),
    Good(
        'tool_calls:\n  - tool_name: append_to_report\n    arguments:\n      param: "value"',
        "yaml",
        "append_to_report",
        {"param": "value"},
    ),
]
#: What the notes name as no call at all.
NO_CALL: Final = "Let me read file X"
