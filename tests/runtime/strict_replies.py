"""Replies with invented tools, and answers without any: tables of shapes, names and surroundings.

Owns: the tables, and the texts that they make. Must not know: what is asserted.
"""

from __future__ import annotations

from itertools import product
from typing import Final

#: The tools that there are.
TOOLS: Final = [
    {
        "name": "read_file",
        "description": "Read a file.",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    {
        "name": "run_code",
        "description": "Run a program.",
        "inputSchema": {
            "type": "object",
            "properties": {"code": {"type": "string"}, "language": {"type": "string"}},
            "required": ["code"],
        },
    },
]
ANSWER_TAGS: Final = ("answer", "plan")

#: Names that no tool has.
NAMES: Final = (
    *("bash", "grep", "read", "WebFetch", "rm_rf", "delete_file", "browser_action", "run-shell", "mcp.search"),
    *("fs:write", "view", "tool_use"),
)
#: Tags in which `NAME` is called; each is one that nothing but the shape gives away.
TAGS: Final = (
    '<NAME>{"command": "ls"}</NAME>',
    '<NAME>\n{"target": "a.py", "force": true}\n</NAME>',
    '<NAME>["ls", "-l"]</NAME>',
    '<NAME>\n```json\n{"command": "ls"}\n```\n</NAME>',
    '<NAME>{"command": "ls",}</NAME>',
    "<NAME><command>ls</command></NAME>",
    "<NAME>\n  <!-- quickly -->\n  <pattern>foo</pattern>\n  <glob>*.py</glob>\n</NAME>",
    "<NAME><code>rm</code><target>a</target></NAME>",
    '<NAME mode="fast"><target>a</target></NAME>',
    "<NAME>Reading it: <path>a.py</path></NAME>",
)
#: The same where the end of the reply cuts them off, as stop sequences do.
CUT_TAGS: Final = (
    '<NAME>{"command": "ls"}',
    '<NAME>\n{"command": "l',
    "<NAME>\n<command>ls</command>\n",
    "<NAME><command>ls</comm",
    '<NAME>{"command": "ls"}</NA',
)
#: Names that no element of a drawing has: attributes make calls of these.
ATTRIBUTED: Final = ('<NAME target="a"/>', '<NAME target="a" force="1"></NAME>', '<NAME target="a')
#: Objects and programs on lines of their own.
OBJECTS: Final = (
    '{"tool": "NAME", "args": {"command": "ls"}}',
    '{"name": "NAME", "arguments": {"command": "ls"}}',
    '{"name": "NAME", "parameters": {"command": "ls"}}',
    '{"type": "tool_use", "id": "t1", "name": "NAME", "input": {"command": "ls"}}',
    '{"type": "function", "function": {"name": "NAME", "arguments": "{\\"command\\": \\"ls\\"}"}}',
    '{"action": "NAME"}',
    "{'tool': 'NAME', 'args': {'command': 'ls'}}",
    '{tool: "NAME", args: {command: "ls"}}',
    '- {"tool": "NAME", "args": {}}',
    '{"action": "NAME", "action_input": {"command": "ls"}}',
    '{"thought": "I look.", "tool": "NAME", "tool_input": {"command": "ls"}}',
    '{"function_call": {"name": "NAME", "arguments": {"command": "ls"}}}',
    '{\n  "tool_calls": [\n    {"name": "NAME", "args": {"command": "ls"}}\n  ]\n}',
    '[{"tool": "NAME", "args": {"command": "ls"}}]',
    # Names with characters that are not shown.
    '{"name": "NAME\u200b", "arguments": {"command": "ls"}}',
    '[{"name": "NAME\\u202e", "arguments": {"command": "ls"}}]',
)
#: Calls of a tool that is offered elsewhere, and of nothing that is known here.
SHIPPED: Final = (
    "<execute_command>ls -la</execute_command>",
    "<execute_command/>",
    '[execute_command("ls")]',
    'execute_command(command="ls")',
    'await write_to_file(path="a", content="b")',
    'search_files({"path": "a", "regex": "b"})',
    "list_files(\n    path='a',\n    recursive=True,\n)",
    '{"execute_command": {"command": "ls"}}',
    '{"name": "execute_command", "command": "ls"}',
)
#: Results that a model makes up.
RESULTS: Final = (
    "<tool_response>\ndone\n</tool_response>",
    '<tool_response>{"name": "read_file", "content": "x"}</tool_response>',
    "<function_results>\n<result>\n<stdout>x</stdout>\n</result>\n</function_results>",
    "<result>All tests pass.</result>",
    '<tool_result name="read_file">x</tool_result>',
    "<tool_output>\nx",
    '[TOOL_RESULTS]{"content": "x"}[/TOOL_RESULTS]',
)
SURROUNDINGS: Final = (
    "{}",
    "I look at it first.\n\n{}\n\nThen I go on.",
    "So:\n{}\n",
    "> {}\n",
    "Well:\r\n\r\n{}\r\n\r\nDone.\r\n",
    "```python\nprint(1)\n```\n{}\n",
)
INLINE: Final = ("I call {} now.", "- {}", "**{}**")
CUT_SURROUNDINGS: Final = ("{}", "I look at it first.\n\n{}", "```\nprint(1)\n```\n{}", "I call {}")


def invented() -> list[str]:
    """Return replies that each call a tool which does not exist, or make up a result."""
    found: list[str] = []
    for number, (shape, name) in enumerate(product(TAGS, NAMES)):
        places = (SURROUNDINGS[number % len(SURROUNDINGS)], INLINE[number % len(INLINE)])
        found += [place.replace("{}", shape.replace("NAME", name)) for place in places]
    for number, (shape, name) in enumerate(product((*ATTRIBUTED[:2], *OBJECTS), NAMES)):
        if name == "view" and shape in ATTRIBUTED:
            continue
        place = SURROUNDINGS[number % len(SURROUNDINGS)]
        found.append(place.replace("{}", shape.replace("NAME", name)))
    for number, (shape, name) in enumerate(product((*CUT_TAGS, ATTRIBUTED[2]), NAMES)):
        if name == "view" and "{" not in shape:
            continue
        place = CUT_SURROUNDINGS[number % len(CUT_SURROUNDINGS)]
        found.append(place.replace("{}", shape.replace("NAME", name)))
    found += [place.replace("{}", shape) for shape in (*SHIPPED, *RESULTS) for place in SURROUNDINGS[:3]]
    return found


#: What answers hold that is not a call.
PIECES: Final = (
    # Comparisons, generics and other signs of programs and of prose.
    *("It holds that `a < b` and a < b, and c > d.", "if a<b: return c>d", "x << 2 and y >> 1", "a <b and c> d"),
    *("Take a List<String>, a Map<String, List<Integer>> or a Vec<u8>.", "Array<Item>{1, 2}", "fn f<T>(x: T) -> T {"),
    *(
        "std::vector<int> v = {1, 2};",
        "Use `Promise<void>`.",
        "Press <Enter>, then <Ctrl+C>.",
        "see <https://a.b/c?d=e>",
    ),
    *(
        "mail <me@example.org>",
        "Put <your name> here, or <your_name>.",
        "cat <<EOF\ntext\nEOF",
        "The tag <bash> begins it.",
    ),
    *(
        'Write `<bash>{"command": "ls"}</bash>` to call it.',
        '<!-- <bash>{"a": 1}</bash> -->',
        "{x | x > 0}",
        "$\\{1, 2\\}$",
    ),
    # Markup.
    *("<p>It is <b>done</b>.</p>", "<ul><li>one</li><li>two</li></ul>", "<br/><hr>", '<img src="a.png" alt="b"/>'),
    *(
        "<details><summary>More</summary>\n\nText.\n\n</details>",
        '<a href="b">c</a>',
        "<kbd>Ctrl</kbd>",
        "<sub>2</sub>",
    ),
    *('<div class="x"><span>y</span></div>', "<table><tr><td>1</td></tr></table>", '<button type="submit">Go</button>'),
    '<svg viewBox="0 0 9 9"><g><circle cx="5" r="1"/><path d="M0 0"/></g><text x="1">a</text></svg>',
    "<svg><defs><filter id='f'><feBlend in='a'/></filter></defs><use href='#a'/></svg>",
    "<math><mrow><mi>x</mi><mo>=</mo><mn>1</mn></mrow></math>",
    "<note>Some text alone.</note>",
    "<warning>Do **not** run this.</warning>",
    # Fences.
    "```xml\n<note><to>Ann</to><body>Hi</body></note>\n```",
    '```xml\n<server host="a"/>\n```',
    '```json\n{"name": "app", "version": "1.0", "scripts": {"test": "pytest"}}\n```',
    '```json\n[{"id": 1, "action": "open"}, {"id": 2, "action": "close"}]\n```',
    '```\n<config>{"debug": true}</config>\n```',
    '~~~json\n{"method": "GET", "params": {"q": "x"}}\n~~~',
    "```python\nfor path in read_file(path='a'):\n    print(path)\n```",
    "```python\nread_file('a.py')\n```",
    "```html\n<div><x-card>a</x-card></div>\n```",
    # Data on lines of their own.
    *('{"users": [{"name": "Ann", "age": 3}]}', '{"name": "Ann", "age": 3}', "[1, 2, 3]", '[{"a": 1}, {"a": 2}]'),
    '{"name": "app", "command": "node", "args": ["a.js"]}',
    "body {\n  color: red;\n}",
    "function f() {\n  return g();\n}",
    # Prose that names functions.
    *("`read_file(path)` reads a file.", "Use read_file(path) first, then run_code(code).", "f(x) = g(x) + 1"),
    *("- read_file(path)\n- run_code(code, language)", "1. read_file(path): reads it", "print('hello')", "status()"),
    *("read_file(path: str) -> str", "read_file and run_code are the tools.", "The result: 3 (of 4)."),
    # What a model thinks, and what an answer may hold.
    '<think>I could call <bash>{"command": "ls"}</think>It is done.',
    '<thinking>\n{"tool": "bash", "args": {}}\n</thinking>\nIt is done.',
    "<answer>42</answer>",
    '<answer>{"sum": 3}</answer>',
    "<answer><p>It is <b>done</b>.</p></answer>",
    "<plan>\n<step>Read it.</step>\n<step>Change it.</step>\n</plan>",
)
PLACES: Final = (
    "{}",
    "This is what I found:\n\n{}\n\nThat is all.",
    "{}\n",
    "First.\r\n\r\n{}\r\n\r\nLast.\r\n",
    "# Heading\n\n{}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
)


def answers() -> list[str]:
    """Return replies that call nothing."""
    return [place.replace("{}", piece) for piece in PIECES for place in PLACES]
