"""`callwright demo`: a small workspace with faults in it, checked and fixed before your eyes.

Owns: the files of the workspace. Must not know: what is found in them; the commands are run as a user runs them.
"""

import contextlib
import json
import sys
from pathlib import Path
from typing import Any, Final

from callwright.cli import check
from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.files import FileError, shown_path, written
from callwright.cli.support.option_groups import ColorOptions
from callwright.cli.support.options import option, word
from callwright.cli.support.terminal import Style, style_for, visible

#: The first line of the demo's configuration: by it a folder is known as one that the demo made.
_MARKER: Final = "# Made by `callwright demo`, which writes these files again each time it runs."

_CONFIGURATION: Final = f"""{_MARKER}

# The tools that calls may name. A call of any other tool is an error.
tools = ["tools/*.json"]

# How calls are to be written: JSON in a tag. The older dialect is still read while the prompts are moved over;
# each such call gets a hint, and its fix is the conversion.
dialect = "xml-json"
accept = ["xml-children"]

# Checked beside every prompt file (*.prompt and its kind).
files = ["docs/**/*.md", "transcripts/*.jsonl"]
"""

_SYSTEM_PROMPT: Final = """\
You are a debugging assistant. You work in the user's repository, one step at a time: call one tool, wait for its
result, then decide what to do next.

# Starting a session

Launch the program under the debugger before you do anything else. Run a single test with `pytest` as the mode:

<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>

A script takes its arguments like this; mind the environment:

<debug_launch>
<program>tools/import_orders.py</program>
<args>
<item>--since</item>
<item>2024-01-01</item>
</args>
<env>
<DATABASE_URL>postgres://localhost/orders?sslmode=disable&amp;timeout=5</DATABASE_URL>
</env>
<stopOnEntry>true</stopOnEntry>
</debug_launch>

# Breakpoints

<debug_set_breakpoint>
<path>src/app/orders.py</path>
<line>42</line>
<condition>order.total > limit && not order.paid</condition>
</debug_set_breakpoint>

A breakpoint that stops once and then goes away:

<debug_set_breakpoint>{"path": "src/app/orders.py", "line": 57, "temporary": True,}</debug_set_breakpoint>

# Looking around

Ask for one expression at a time, in the frame that you were given:

<debug_evaluate>{'expression': 'order.items[0].price', 'frameId': 3}</debug_evaluate>

<debug_evalute>{"expression": "len(order.items)"}</debug_evalute>

When you have seen enough, go on:

<debug_continue></debug_continue>

# Files

Read a file before you talk about it:

<read_file>
<path>src/app/orders.py</path>
<limit>forty</limit>
</read_file>

<read_file>
<path>tests/test_orders.py</paht>
</read_file>

Write the whole file, never a part of it:

<write_file>
<path>src/app/limits.py</path>
<content>
def within(order, limit):
    return 0 < order.total < limit
</content>
</write_file>
"""

_GUIDE: Final = """\
# How our agent debugs

A session begins with `<debug_launch>`; the name alone, as here, is not a call. Calls in fenced examples are checked:

```xml
<debug_launch>{"program": "src/app/main.py", "args": ["--port", "8080"], "stopOnEntry": true}</debug_launch>
```

Conditions are expressions of the program's own language:

```xml
<debug_set_breakpoint>{"path": "src/app/main.py", "condition": "user is None"}</debug_set_breakpoint>
```

To pick the frame, ask for the stack first. The two modes are `launch` and `pytest`:

```xml
<debug_launch>{"program": "tests/test_orders.py", "mode": "py-test"}</debug_launch>
```
"""

#: Requests and what a model answered to them: the calls are inside JSON strings.
_CONVERSATIONS: Final = (
    (
        "Set a breakpoint where the rows are read.",
        '<debug_set_breakpoint>{"path": "import_orders.py", "line": "31"}</debug_set_breakpoint>',
    ),
    (
        "What is in order 17?",
        '<debug_evaluate>{"expression": "order.items", "frameId": 2}}</debug_evaluate>',
    ),
    (
        "Write down what you found.",
        '<write_file>{"path": "notes.md", "content": "# Order 17\nIt was a refund."}</write_file>',
    ),
    (
        "Go on.",
        '<debug_continue>{"thread": 1}</debug_continue>',
    ),
)


class DemoOptions(ColorOptions, examples=("callwright demo", "callwright demo my-demo --write-only")):
    """What `callwright demo` takes."""

    folder: str = word("The folder to create. A folder with other files is refused.", default="demo-workspace")
    write_only: bool = option("Only write the files, for example to open them in an editor.", default=False)


def run(options: DemoOptions) -> int:
    """Create a small workspace with faulty calls, check it, and fix what can be fixed."""
    place = Path(options.folder)
    style = style_for(sys.stdout, options.color)
    files = workspace()
    _make(place, files)
    shown = visible(shown_path(place))
    print(f"Callwright's demo: a workspace for a debugging agent, in {style('bold', shown)}\n")
    for name, (_, meaning) in files.items():
        print(f"  {name:30} {meaning}")
    if options.write_only:
        return CLEAN
    # The commands' messages on standard error belong between their output here.
    with contextlib.redirect_stderr(sys.stdout):
        _announce(f"callwright check {shown}", "What is wrong, where, and what would help", style)
        _check(options)
        _announce(f"callwright check --diff {shown}", "What Callwright can fix without guessing", style)
        _check(options, diff=True)
        _announce(f"callwright check --fix {shown}", "The files are fixed, and this is left for you", style)
        _check(options, fix=True)
    print(f"\nThe files are in {style('bold', shown)}. Open this folder in an editor with Callwright.")
    return CLEAN


def _check(options: DemoOptions, *, diff: bool = False, fix: bool = False) -> None:
    check.run(check.CheckOptions(paths=(options.folder,), diff=diff, fix=fix, no_cache=True, color=options.color))


def workspace() -> dict[str, tuple[str, str]]:
    """Return the demo's files by their path in the folder, each with its text and what it is there for."""
    lines = [
        json.dumps({"messages": [{"role": "user", "content": request}, {"role": "assistant", "content": answer}]})
        for request, answer in _CONVERSATIONS
    ]
    return {
        "callwright.toml": (_CONFIGURATION, "which tools there are, how calls are to be written"),
        "tools/debugger.json": (_as_file({"tools": _debugger()}), "tools as an MCP server lists them"),
        "tools/files.json": (_as_file(_files()), "tools as they are given to Anthropic's API"),
        "prompts/system.prompt": (_SYSTEM_PROMPT, "a system prompt on its way to JSON in tags"),
        "docs/debugging.md": (_GUIDE, "a guide with calls in fenced examples"),
        "transcripts/sessions.jsonl": ("\n".join(lines) + "\n", "what a model wrote: calls inside JSON strings"),
    }


def _as_file(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _debugger() -> list[dict[str, Any]]:
    def tool(name: str, description: str, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return {"name": name, "description": description, "inputSchema": schema}

    text = {"type": "string"}
    return [
        tool(
            "debug_launch",
            "Start a program under the debugger.",
            ["program"],
            program={**text, "description": "The file to run."},
            mode={**text, "enum": ["launch", "pytest"], "description": "How to run it."},
            args={"type": "array", "items": text, "description": "Arguments of the program."},
            env={"type": "object", "additionalProperties": text, "description": "Environment variables."},
            stopOnEntry={"type": "boolean", "description": "Stop before the first line."},
        ),
        tool(
            "debug_set_breakpoint",
            "Stop the program at a line.",
            ["path", "line"],
            path={**text, "description": "The file, from the repository's root."},
            line={"type": "integer", "minimum": 1, "description": "The line, from 1."},
            condition={**text, "description": "Stop only where this is true."},
            temporary={"type": "boolean", "description": "Stop once."},
        ),
        tool(
            "debug_evaluate",
            "Evaluate an expression in a frame.",
            ["expression"],
            expression={**text, "description": "An expression of the program's language."},
            frameId={"type": "integer", "description": "The frame, as the stack trace numbers it."},
        ),
        tool("debug_continue", "Let the program run on.", []),
    ]


def _files() -> list[dict[str, Any]]:
    path = {"type": "string", "description": "The file, from the repository's root."}
    return [
        {
            "name": "read_file",
            "description": "Read a text file.",
            "input_schema": {
                "type": "object",
                "properties": {"path": path, "limit": {"type": "integer", "description": "How many lines."}},
                "required": ["path"],
                "additionalProperties": False,
            },
        },
        {
            "name": "write_file",
            "description": "Write a text file, all of it.",
            "input_schema": {
                "type": "object",
                "properties": {"path": path, "content": {"type": "string", "description": "The whole text."}},
                "required": ["path", "content"],
                "additionalProperties": False,
            },
        },
    ]


def _make(place: Path, files: dict[str, tuple[str, str]]) -> None:
    """Write the workspace. Raises CommandError where the folder is not the demo's to write in."""
    if place.exists() and not place.is_dir():
        raise CommandError(f"`{place}` is a file; name a folder")
    if place.is_dir() and any(place.iterdir()) and not _is_ours(place):
        raise CommandError(
            f"`{place}` is not empty and was not made by the demo; name another folder, as in `callwright demo my-demo`"
        )
    for name, (text, _) in files.items():
        file = place / name
        if file.is_symlink() or any(above.is_symlink() for above in file.parents if place in above.parents):
            raise CommandError(f"`{file}` is a symbolic link; remove it, or name another folder")
        try:
            with written(file, shown_path(file), folders=True) as out:
                out.write(text.encode())
        except FileError as error:
            raise CommandError(str(error)) from None


def _is_ours(place: Path) -> bool:
    """Return whether the demo made this folder."""
    try:
        with (place / "callwright.toml").open(encoding="utf-8", errors="replace") as file:
            return file.readline().rstrip("\r\n") == _MARKER
    except OSError:
        return False


def _announce(command: str, meaning: str, style: Style) -> None:
    """Print the heading of a step: the command as one would type it, and what it is there to show."""
    print(f"\n{style('cyan', f'── {meaning}')}\n{style('bold', f'$ {command}')}\n", flush=True)
