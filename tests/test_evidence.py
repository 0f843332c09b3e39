"""Which texts may hold calls or document tools: a yes for everything that can be read as such, a no for other prose."""

import pytest

from callwright.dialects.base import Dialect, RenderStyle
from callwright.evidence import holds_evidence
from support.dialects import general_dialects

#: Dialects without a marker of their own: a tag with a tool's name, a list of Python calls, the prompt of a console.
UNMARKED = {"xml-children", "xml-attributes", "xml-json", "pythonic", "functionary"}


@pytest.mark.parametrize(
    "dialect", [one for one in general_dialects() if one.name not in UNMARKED], ids=lambda one: one.name
)
def test_a_call_in_a_format_with_markers_is_evidence(dialect: Dialect) -> None:
    call = dialect.render("read_file", {"path": "a.py"}, None, RenderStyle())
    assert isinstance(call, str)
    assert holds_evidence(f"Use the tools:\n\n{call}\n")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.md", "## read_file\n\nReads a file.\n\nParameters:\n- path: (required) The path of the file\n"),
        ("a.md", '```json\n{"tool": "read_file", "args": {"path": "a.py"}}\n```\n'),
        ("a.md", 'Answer so:\n{"name": "read_file", "parameters": {"path": "a.py"}}\n'),
        ("a.md", "Write {'tool': 'read_file', 'arguments': {}}.\n"),
        ("a.py", '{\\"arguments\\": {}}'),
        ("a.md", "1. **Action:** read_file\n   Action Input: a.py\n"),
        ("a.json", '{"messages": [{"role": "assistant", "tool_calls": []}]}'),
        ("a.json", '{"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]}'),
        ("a.json", '{"tools": [{"name": "f", "inputSchema": {"type": "object", "properties": {}}}]}'),
        ("a.jinja", "{%- if tools %}<tool_call>{{ call | tojson }}</tool_call>{% endif %}"),
        ("a.md", "<code_style>\nShort names.\n</code_style>\n"),
        ("a.md", "<!-- callwright:tools -->\n<!-- /callwright:tools -->\n"),
        ("a.txt", 'log: {"role": "assistant", "content": "<tool_call>{}"}'),
    ],
)
def test_calls_and_documented_tools_are_evidence(file: str, text: str) -> None:
    assert holds_evidence(text, file)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README.md", "# Tools\n\nAction items: none. Call the function `f`, see <https://example.org>.\n"),
        ("README.md", '```json\n{"name": "a", "version": "1.0"}\n```\n\n<details><summary>More</summary></details>\n'),
        ("a.py", 'if kind == "tool" and options["arguments"]:\n    pass\n'),
        ("a.xml", "<first_part>\n<a/>\n</first_part>\n"),
        ("a.md", "<details>\n<summary>More</summary>\n</details>\nSee `</code_style>`.\n"),
        ("package.json", '{"name": "a", "type": "module", "scripts": {"test": "pytest"}}'),
        ("data.json", '[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]'),
        ("a.txt", "Reaction: none\nMy TOOL_CALLERS: many\n"),
        ("a.txt", ""),
    ],
)
def test_other_texts_are_not(file: str, text: str) -> None:
    assert not holds_evidence(text, file)
