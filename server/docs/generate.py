"""Writes what is generated from code: the reference pages beside this file, and the index of the package's rooms.

Owns: the layout of the pages. Must not know: what any rule, dialect or setting says (they are asked).

`make docs` writes everything anew; `python server/docs/generate.py --check` only tells what is stale. The tests run the
same comparison.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.protocol import RenderStyle
from callwright.calls.result_text import ResultDraft, write_results
from callwright.cli.support.arguments import command_names, load_command, usage
from callwright.cli.support.options import Option
from callwright.config.keys import (
    KEYS,
    OVERRIDE_KEYS,
    Key,
    Kind,
    Overrides,
    takes,
)
from callwright.config.schema import configuration_schema, pyproject_schema
from callwright.declarations.styles import catalogue as styles
from callwright.demands import Demand
from callwright.dialects import catalogue as dialects
from callwright.hosts import catalogue as hosts
from callwright.index import INDEX_FILE, module_names
from callwright.rules import catalogue as rules
from callwright.rules.base import Scope
from callwright.rules.support.documentation import documentation_of
from callwright.teaching.section import SectionOptions, examples_in, section
from callwright.templates import catalogue as templates
from callwright.tools.formats import catalogue as formats
from callwright.tools.profiles import (
    SchemaDemands,
    all_tool_profiles,
)
from callwright.tools.registry import ToolRegistry
from callwright.transcripts import catalogue as transcripts
from callwright.transcripts.support.profiles import all_profiles

if TYPE_CHECKING:
    from callwright.dialects.base import Dialect
    from callwright.features.base import Feature
    from callwright.rules.base import Rule
    from callwright.tools.model import ToolSchema
    from callwright.transcripts.base import Shape

DOCS: Final = Path(__file__).parent
ROOT: Final = DOCS.parents[1]
EXAMPLE_TOOLS: Final = ROOT / "tests" / "rules" / "tools.json"
SCHEMAS: Final = ROOT / "schemas"
TIMINGS: Final = ROOT / "tests" / "timings.json"
REMEDY: Final = "run `make docs`"

#: What the codes are about, by their first digit.
GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "TC1": ("Markup and fences", "What breaks the XML of a call, or the fence around it."),
    "TC2": ("JSON", "What breaks the JSON of a call."),
    "TC3": ("Tools and arguments", "What a tool would refuse, though the text can be read."),
    "TC4": ("Dialects", "Calls in another notation than the one asked for."),
    "TC5": ("Tool files", "Faults of the files that define the tools."),
    "TC6": ("Configuration", "Faults of `callwright.toml` and of our table in `pyproject.toml`."),
    "TC7": ("Transcripts", "Conversations that a provider refuses, or in which a call and its result do not meet."),
    "TC8": ("Prompts", "What a prompt says of the tools, and is not so: stale blocks, parameters that no tool has."),
    "TC9": ("Suppressions", "Comments that are to suppress findings, and do not."),
}
_SUBJECTS: Final = {
    Scope.SYNTAX: "the text of a call",
    Scope.CALL: "a call together with its tool",
    Scope.CONVERSATION: "a conversation",
    Scope.DOCUMENT: "a document",
    Scope.TOOLS: "a tool file",
    Scope.CONFIG: "a configuration file",
    Scope.CORPUS: "a row of a corpus",
}
#: The tools that a dialect's page calls: plain values and a list, a text full of markup, nothing at all.
_SHOWN: Final = ("debug_launch", "write_file", "git_status")
#: What came of calls, to show how a model is told.
_RESULTS: Final = (
    ResultDraft("read_file", "if count < 3:\n    print(count)", about="src/limits.py"),
    ResultDraft("read_file", "There is no `src/limit.py`.", failed=True, about="src/limit.py"),
)
#: The columns of what a provider demands.
_DEMAND: Final = ("Demand", "", "Source")
#: The comments around the table of times in the page for contributors; the rest of that page is written by hand.
_TIMES: Final = ("<!-- times -->", "<!-- /times -->")
_GENERATED: Final = "<!-- Generated from code: change it there and run `make docs`. -->"


def generated() -> dict[Path, str]:
    """Return the text of every generated file by its path."""
    pages = {INDEX_FILE: index_text()}
    pages[DOCS / "rules" / "index.md"] = rule_list()
    for rule in rules.all_rules():
        pages[DOCS / "rules" / f"{rule.name}.md"] = rule_page(rule)
    pages[DOCS / "dialects" / "index.md"] = dialect_list()
    for dialect in dialects.all_dialects():
        pages[DOCS / "dialects" / f"{dialect.name}.md"] = dialect_page(dialect)
    pages[DOCS / "transcripts" / "index.md"] = shape_list()
    for shape in transcripts.all_shapes():
        pages[DOCS / "transcripts" / f"{shape.name}.md"] = shape_page(shape)
    pages[DOCS / "documents.md"] = document_page()
    pages[DOCS / "providers.md"] = provider_page()
    pages[DOCS / "configuration.md"] = configuration_page()
    codes = [rule.code for rule in rules.all_rules()]
    pages[SCHEMAS / "callwright.schema.json"] = _json(configuration_schema(codes))
    pages[SCHEMAS / "pyproject-callwright.schema.json"] = _json(pyproject_schema(codes))
    pages[DOCS / "cli.md"] = command_page()
    pages[DOCS / "contributing.md"] = contributing_page()
    return pages


def stale(pages: Mapping[Path, str]) -> list[tuple[Path, str]]:
    """Return the files that are missing, differ or have no business here, each with what is wrong with it."""
    found = []
    for path, text in pages.items():
        if not path.is_file():
            found.append((path, "is missing"))
        elif path.read_text(encoding="utf-8") != text:
            found.append((path, "is stale"))
    return found + [(path, "describes nothing that exists") for path in _strangers(pages)]


def write(pages: Mapping[Path, str]) -> None:
    """Write every generated file and remove pages of what no longer exists."""
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    for path in _strangers(pages):
        path.unlink()


def _strangers(pages: Mapping[Path, str]) -> list[Path]:
    present = [path for folder in ("rules", "dialects", "transcripts") for path in sorted((DOCS / folder).glob("*.md"))]
    return [path for path in present if path not in pages]


def index_text() -> str:
    """Return the index of the rooms: one entry a line, so that a change is a line's change."""
    rooms: dict[str, Sequence[Mapping[str, Any]]] = {
        "declarations/styles": styles.describe(),
        "dialects": dialects.describe(),
        "features": [_feature(module) for module in module_names("features")],
        "hosts": hosts.describe(),
        "rules": rules.describe(),
        "templates": templates.describe(),
        "tools/formats": formats.describe(),
        "transcripts": transcripts.describe(),
        "tools/sources": [_source(module) for module in module_names("tools/sources")],
    }
    parts = []
    for room, entries in rooms.items():
        lines = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
        parts.append(f" {json.dumps(room)}: [\n{lines}\n ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _feature(module: str) -> Mapping[str, Any]:
    feature: Feature[Any] = import_module(module).FEATURE
    return {"method": feature.method, "module": module, "capability": feature.capability, "options": feature.options}


def _source(module: str) -> Mapping[str, Any]:
    source = import_module(module).SOURCE
    return {"name": source.name, "module": module, "order": source.order}


def rule_list() -> str:
    """Return the page that lists all rules."""
    parts = [_GENERATED, "# Rules", _about_rules()]
    for prefix, (title, about) in GROUPS.items():
        rows = [_row(rule) for rule in rules.all_rules() if rule.code.startswith(prefix)]
        table = _table(("Code", "Name", "Severity", "What it finds"), rows)
        parts += [f"## {prefix}xx: {title}", about, table]
    return _page(parts)


def _row(rule: Rule) -> Sequence[str]:
    return rule.code, f"[{rule.name}]({rule.name}.md)", rule.severity.value, documentation_of(rule).summary


def _about_rules() -> str:
    return (
        "Each rule has a code and a name; both can be used wherever a rule is named. `callwright rule CODE` prints a"
        " rule's page. In [`callwright.toml`](../configuration.md), `select` and `ignore` take codes, beginnings of"
        " codes and names, and the table `severity` gives a rule another severity or turns it `off`.\n\n"
        "*error*: the reader of the stated dialect would fail or get other arguments. *warning*: ambiguous or fragile."
        " *info* and *hint*: style, or a step of a migration."
    )


def rule_page(rule: Rule) -> str:
    """Return the page of one rule."""
    found = documentation_of(rule)
    facts = [("Severity", rule.severity.value), ("Looks at", _SUBJECTS[rule.scope])]
    if rule.error_type is not None:
        facts.append(("Strict runtime", f"`{rule.error_type.value}`"))
    parts = [
        _GENERATED,
        f"# {rule.name} ({rule.code})",
        found.summary,
        _table(("", ""), facts),
        "## Why is this bad",
        found.why,
        *found.remarks,
    ]
    for example in found.examples:
        parts.append("## Example")
        if example.settings:
            parts += ["With these settings:", fenced(example.settings, "toml")]
        if example.tools:
            parts += ["With these tools:", fenced(example.tools, "json")]
        parts.append(fenced(example.source, "text"))
        if example.instead:
            parts += ["Use instead:", fenced(example.instead, "text")]
    return _page([*parts, "[All rules](index.md)"])


def example_tools() -> list[ToolSchema]:
    """Return the tools of the rules' examples."""
    return [*ToolRegistry.of(json.loads(EXAMPLE_TOOLS.read_text(encoding="utf-8")))]


def dialect_list() -> str:
    """Return the page that lists all dialects."""
    rows = [
        (f"[{dialect.name}]({dialect.name}.md)", dialect.summary, ", ".join(dialect.used_by))
        for dialect in dialects.all_dialects()
    ]
    about = (
        "A dialect is one notation of a tool call. Which one a call is in is found out; the setting `dialect` asks for"
        " one, and `accept` lets others pass while a migration lasts. `callwright convert --to NAME` rewrites calls."
    )
    others = (
        "What looks like a call and is none, such as a block of edits between `<<<<<<< SEARCH` and `>>>>>>> REPLACE`,"
        " is told of under [Edit blocks and programs](../documents.md#edit-blocks-and-programs)."
    )
    table = _table(("Name", "What a call looks like", "Written by"), rows)
    return _page([_GENERATED, "# Dialects", about, table, others])


def dialect_page(dialect: Dialect) -> str:
    """Return the page of one dialect, with calls rendered by itself."""
    tools = example_tools()
    facts = [
        ("Written by", ", ".join(dialect.used_by)),
        ("Begins with", ", ".join(_code(opener) for opener in dialect.openers)),
        ("Types", "written in the notation" if dialect.typed else "from the schema of the tool"),
        ("CDATA", "yes" if dialect.cdata else "no"),
    ]
    remarks = (inspect.getdoc(type(dialect)) or "").split("\n\n")
    parts = [
        _GENERATED,
        f"# {dialect.title} (`{dialect.name}`)",
        dialect.summary,
        _table(("", ""), facts),
        *(" ".join(paragraph.split()) for paragraph in remarks),
        *_sections(dialect),
        "## Calls",
        *_rendered(dialect, [tool for tool in tools if tool.name in _SHOWN]),
        "## How to ask a model for it",
        fenced(section(dialect, tools[:3], SectionOptions(style="terse")).rstrip("\n"), "text"),
        "## How a model is told what came of its calls",
        fenced(write_results(dialect.results, _RESULTS[: 1 if dialect.one_call else None]), "text"),
        "[All dialects](index.md) · [teaching tools to a model](../teaching.md)",
    ]
    return _page(parts)


def _sections(dialect: Dialect) -> Iterator[str]:
    """Yield what a dialect says of itself beyond its shape, each under its heading."""
    for title, stated in (
        ("How values are typed", dialect.typing),
        ("How it escapes", dialect.escaping),
        ("What is ambiguous", dialect.ambiguity),
        ("Where engines differ", dialect.peers),
    ):
        if stated:
            yield f"## {title}"
            yield from (" ".join(paragraph.split()) for paragraph in stated.strip().split("\n\n"))


def _rendered(dialect: Dialect, tools: Sequence[ToolSchema]) -> Iterator[str]:
    for _, text in examples_in(dialect, tools, RenderStyle()):
        yield fenced(text, "text")


def shape_list() -> str:
    """Return the page that lists all shapes of transcripts."""
    rows = [
        (f"[{shape.name}]({shape.name}.md)", shape.title, f"`{shape.provider}`", _summary_of(shape))
        for shape in transcripts.all_shapes()
    ]
    about = (
        "A shape is one way to write a conversation as JSON. Which one a file, a line of a log or a string has is found"
        " out by its members, and so is where it lies: logs, batch files and data sets wrap conversations in members"
        " of any name, at any depth, or keep them as a string. A request and the answer beside it are one conversation."
        " The tools that a transcript brings along are the only ones that its calls may name.\n\n"
        "Under names that logs are known to have (`request`, `response`, `message`, `body`, `data`, `events` and the"
        " like), messages that follow each other are one conversation, also one a line. Under other names a single"
        " message, and a call without a message, stands alone: its calls are checked, and nothing is said of what is"
        " around it. Not searched are what a tool returned, pieces of a stream, JSON schemas and descriptions of"
        " interfaces.\n\n"
        "The profile says what is demanded of a conversation; the setting `provider` names another one."
    )
    table = _table(("Name", "What it is", "Profile", "What is read"), rows)
    return _page([_GENERATED, "# Transcripts", about, table])


def shape_page(shape: Shape) -> str:
    """Return the page of one shape of transcripts."""
    facts = [
        ("Known by", ", ".join(_code(key) for key in shape.keys)),
        ("Profile", f"`{shape.provider}`"),
        ("One value is", "an entry of a log" if shape.whole is False else "a conversation"),
    ]
    sources = "\n".join(f"- <{address}>" for address in shape.sources)
    parts = [
        _GENERATED,
        f"# {shape.title} (`{shape.name}`)",
        _summary_of(shape),
        _table(("", ""), facts),
        *(" ".join(paragraph.split()) for paragraph in shape.about.strip().split("\n\n")),
    ]
    if sources:
        parts += ["## Where the format is published", sources]
    return _page([*parts, "[All shapes](index.md) · [what providers demand](../providers.md)"])


def _summary_of(shape: Shape) -> str:
    return (inspect.getdoc(type(shape)) or "").partition("\n\n")[0].replace("\n", " ")


#: What the page of documents says before its lists, between them and behind them.
_ABOUT_DOCUMENTS: Final = """\
Calls are looked for in the documents below. Which kind a file is its name says, or the language that an editor gives \
it; `callwright check --stdin-filename NAME` says it for standard input. What a folder means, \
[its configuration](configuration.md#which-files-a-folder-means) says, else the names of files and their content. A \
file that is named itself is read whatever it is: as plain text where its ending is not listed.

Whatever a document escapes, a finding stands on the very characters of the file, and so does its fix."""
_ABOUT_DATA: Final = (
    "What a file in JSON is, its [shape](transcripts/index.md) says. [Tool files](tools.md) and the"
    " [configuration](configuration.md) are documents, too: what is wrong in them is found in them."
)
_ABOUT_TEMPLATES: Final = """\
A document of any kind may be a template. Its language is the one that its ending says (`a.md.j2` is Markdown written \
in Jinja), or [`template`](configuration.md#template), or a comment in one of its first five lines, which goes before \
both:

```text
{# callwright: template=jinja #}
# callwright: template=format
<!-- callwright: template=none -->
```

An expression is a *hole*: it fits any value. Each branch is read in its turn, and where a tag makes a verdict \
impossible, nothing is said. `jinja` stands for Liquid and Twig, too, `handlebars` for Mustache and for the prompts of \
dotprompt (`.prompt` with front matter).

Where no ending, setting or comment names a language, code that can be nothing else is still known in texts, in values \
of YAML and JSON and in strings of programs: `{{ name }}`, `{% if %}`, `{{#if}}`, `{{ .Name }}`, the doubled braces of \
a format string, `$name` where a value is expected. It is a hole, and in doubt nothing is said of its place. \
`template = "none"` takes every brace and dollar sign as it is written."""
_SKETCHES: Final = """\
A call with a placeholder is a sketch. Nothing is said about its values, its arguments and the name of its tool. Its \
frame is checked where the tool is in force or the dialect frames itself: a closer that is missing or misspelt, text \
between parameters.

```text
<read_file><path>[path to the file]</path></read_file>
<read_file>{"path": "YOUR_FILE_PATH"}</read_file>
<read_file><path>File path here</path>...</read_file>
```

`...` and `…`, words in brackets of any kind, two or more words in capitals, `true or false`, and a text that \
describes itself with "here", "e.g." or "(optional)" are placeholders, unless the schema lists such a value. Where a \
model has written the text, they are values: set [`placeholders`](configuration.md#placeholders) to false.

An example of what not to do is not checked, and no fix changes it. Callwright takes one for such an example by what \
stands before it: a heading ("Common mistakes"), a label or the lead of a list ("Wrong:", "❌"), a comment, a tag \
(`<bad_example>`). The nearest of them counts, and a label of the other kind ("Right:", "✅") ends it. The words are \
known in English, German, French, Spanish, Portuguese, Russian, Chinese, Japanese and Korean. A test of a program that \
holds faulty calls in several places is about them: nothing is said of it where neither tools nor a dialect are named. \
To have such an example checked, say what must be found in it: [`callwright: expect[TC105]`](suppressions.md)."""
_WHAT_IS_A_CALL: Final = """\
- A notation with a frame of its own (`<tool_call>`, `<invoke name=…>`, `[TOOL_CALLS]`, a fence around an object with \
`tool`) is always a call. [Each dialect's page](dialects/index.md) says what begins one.
- A bare tag is a call where its name is the name of a tool in force: one that the configuration, the command line, \
the document's own conversation, or [the document itself](declarations.md) names. A tag that is nearly named so is a \
misspelt call ([TC301](rules/unknown-tool.md)).
- Another bare tag is a call on evidence only: it is paired, holds elements or one JSON object, and either the \
document or another file of the repository documents its name, or it is short and next to a call of a known tool. Its \
frame and its JSON are checked, its arguments are not: nothing says what they must be.
- Every other tag frames a section, a result or markup, and is no call. Of sections one rule speaks, where the prompt \
closes others of the same name ([TC115](rules/unclosed-section.md)). Names of HTML never are calls.
- The shipped tool sets serve completion. They judge calls only where [`shipped`](configuration.md#shipped) names them.
- In Markdown a code span, a comment and a tag that a sentence merely names are no calls; examples in fences are.
- What a model thinks aloud (`<think>` and its kin) is not carried out, and so is not checked, unless \
[`reasoning`](configuration.md#reasoning) says so.
- A call with a placeholder such as `...` is a [sketch](#sketches-and-bad-examples): what it leaves out is no fault, a \
name that is nearly a tool's or a parameter's is one. \
An example that the text around it calls bad is not checked."""

_EDIT_BLOCKS: Final = """\
An assistant that changes files may be taught to answer with the change itself:

````text
src/greet.py
```python
<<<<<<< SEARCH
print("Hello")
=======
print("Hello you")
>>>>>>> REPLACE
```
````

Such a block is no tool call, and Callwright says nothing of it. It names no tool and no argument: the assistant's own \
program finds the file above the block, compares the first half with the file's text, and puts the second half in its \
place. So there is no schema that it could fit, what it is for is not written in it, and none of the \
[dialects](dialects/index.md) can hold it without inventing a name. The same goes for whole files below their names, \
for diffs, and for `*** Begin Patch`. As the value of an argument (`<diff>` in a call of `replace_in_file`) it is \
text, and the call around it is read like any other.

Shell commands and programs in fences are no calls either, unless what stands above them says that they are actions \
([`shell-action`](dialects/shell-action.md), [`python-action`](dialects/python-action.md)). A slash command \
(`/review`) is for a person to type."""


def document_page() -> str:
    """Return the page of the kinds of documents and of template languages, as each tells of itself."""
    kinds = [
        (f"`{host.name}`", ", ".join(map(_code, host.suffixes)), _stated_by(host))
        for host in hosts.all_hosts()
        if host.suffixes
    ]
    languages = [
        (f"`{one.name}`", ", ".join(map(_code, one.suffixes)), _stated_by(one))
        for one in map(templates.find_template, templates.template_names())
        if one is not None
    ]
    parts = [
        _GENERATED,
        "# Documents",
        _ABOUT_DOCUMENTS,
        "## Kinds of documents",
        _table(("Kind", "Endings", "What is read"), kinds),
        _ABOUT_DATA,
        "## Templates",
        _ABOUT_TEMPLATES,
        _table(("Language", "Endings", "What its tags mean"), languages),
        "## What is a call",
        _WHAT_IS_A_CALL,
        "## Edit blocks and programs",
        _EDIT_BLOCKS,
        "## Sketches and bad examples",
        _SKETCHES,
    ]
    return _page(parts)


def _stated_by(member: object) -> str:
    """Return what the class of a room's member says of itself, as one paragraph."""
    return " ".join((inspect.getdoc(type(member)) or "").split())


def provider_page() -> str:
    """Return the page of what providers demand of conversations, with the source of each demand."""
    about = (
        "A transcript is held against what its provider demands: the one that its [shape](transcripts/index.md) belongs"
        " to, or the one that the setting `provider` names. *error*: the provider refuses the conversation. *warning*:"
        " it may. *info*: it works worse. What is not listed is not demanded.\n\n"
        "Messages of OpenAI's shape without a single id were never meant for that interface; they are taken for data"
        " for training, of which only the order of results is demanded."
    )
    parts = [_GENERATED, "# Providers", about]
    for profile in all_profiles():
        parts.append(f"## {profile.title} (`{profile.name}`)")
        facts = []
        if profile.arguments is not None:
            under = f" under {', '.join(map(_code, sorted(profile.argument_keys)))}" if profile.argument_keys else ""
            form = "JSON in a string" if profile.arguments == "string" else "an object"
            facts.append(f"Arguments{under} are {form}.")
        if profile.roles:
            facts.append(f"Roles are {', '.join(map(_code, sorted(profile.roles)))}.")
        if profile.id_pattern is not None:
            facts.append(f"Ids are {profile.id_stated}.")
        if profile.merges:
            facts.append("Neighbouring messages of one role count as one.")
        parts.append(" ".join(facts) or "Nothing is demanded.")
        if profile.demands:
            rows = [(wanted.value, demand.severity, f"<{demand.source}>") for wanted, demand in profile.demands.items()]
            parts.append(_table(_DEMAND, rows))
    return _page([*parts, *_tool_demands()])


def _tool_demands() -> Iterator[str]:
    """Yield what providers demand of definitions of tools, with the source of each demand."""
    yield "## Tool files"
    yield (
        "A tool file is held against the provider of the setting `provider`, else against the one in whose shape a tool"
        " is written. *error*: the provider refuses the list of tools. *warning*: others that take the list may refuse"
        " or change it. *info*: the provider does not list it among what it takes."
    )
    for profile in all_tool_profiles():
        version = f", {profile.version}" if profile.version else ""
        yield f"### Tools of {profile.title}{version} (`{profile.name}`)"
        if profile.name_length:
            start = " A name begins with a letter or `_`." if profile.name_start is not None else ""
            yield f"Names have 1 to {profile.name_length} characters: {profile.name_stated}.{start}"
        rows = [(wanted.value, demand.severity, f"<{demand.source}>") for wanted, demand in profile.demands.items()]
        yield _table(_DEMAND, rows)
        for demands in (profile.always, profile.strict):
            if demands is not None:
                yield from _schema_demands(demands)


def _schema_demands(demands: SchemaDemands) -> Iterator[str]:
    """Yield what is wanted of the schemas inside an input schema."""
    apart = f" Not about `{min(demands.apart)}`." if demands.apart else ""
    yield f"What {demands.title} wants of input schemas.{apart}"
    rows = [(wanted.value, demand.severity, f"<{demand.source}>") for wanted, demand in demands.wants.items()]
    for place, refused in (("Not at the top of the schema", demands.refused_at_top), ("Nowhere", demands.refused)):
        together: dict[Demand, list[str]] = {}
        for keyword, demand in refused.items():
            values = " or ".join(map(str, demands.taken.get(keyword, ())))
            together.setdefault(demand, []).append(f"`{keyword}`" + (f" but for {values}" if values else ""))
        rows += [
            (f"{place}: {', '.join(words)}.", demand.severity, f"<{demand.source}>")
            for demand, words in together.items()
        ]
    rows += [
        (f"At most {most:,} {limit.value}.", "error", f"<{demands.source}>") for limit, most in demands.limits.items()
    ]
    yield _table(_DEMAND, rows)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


#: What the page of the configuration says before its keys.
_ABOUT_CONFIGURATION: Final = """\
Settings stand in `callwright.toml`, or in the table `[tool.callwright]` of `pyproject.toml`. The command line and the \
editor take the same keys as options and settings. Without any configuration the shipped tool sets are offered, and a \
tool that they do not know is no error.

## Which file counts

The file nearest to a document counts, alone: what stands in a folder further up is not added to it. In one folder \
`callwright.toml` goes before `pyproject.toml`, and a `pyproject.toml` without our table is passed over. The file is \
looked for upwards as far as the workspace's folder (editor) or the repository's root (command line), and never in a \
folder that everybody may write to. What lies outside is not read, though a configuration names it, unless the user \
says so: `--config FILE` is the word to read that file and what it names, `--tools FILE` to read that tool file.

Paths and patterns are relative to the file that they stand in. `*` stands for any characters of one name, `**` for \
any folders, `?` for one character, `{a,b}` for either. A pattern without `/` means a name wherever it stands, and a \
pattern that fits a folder fits everything in it. Only in `tools` does a pattern without `/` mean files of the folder \
itself.

## Which files a folder means

`callwright check .` checks what `files` names, and every `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`. Where \
nothing says `files`, as without any configuration, the files of a folder are found:

- by their names: those that prompts and rules for agents have (`*.prompt.md`, `*.instructions.md`, `*.agent.md`, \
`SKILL.md`, `AGENTS.md`, `CLAUDE.md`, `*.mdc`, `.clinerules`, `system-prompt*`, …), and texts in folders such as \
`prompts/` and `.github/prompts/`;
- by their content: texts, templates and files without an ending that have a call in a notation that frames itself, \
document tools, are divided by tags such as `<code_style>`, or have a tag with the name of a tool that another file \
documents; JSON and JSON Lines with transcripts or tools; YAML, programs and notebooks with a string that holds a call.

What git ignores is left out, and so are folders of dependencies. The last line of the output says how many files were \
scanned; `callwright check . --show-files` lists those that are checked. A file that is named itself is always checked.

## What goes before what

From the weakest to the strongest:

1. what holds where nothing is said,
2. the keys of the files that `extend` names, then those of the file itself,
3. the `overrides` for the file in question, from top to bottom: of the files that `extend` names, then the file's own,
4. the settings of the editor, or the options of the command line.

A stronger value takes the place of a weaker one. So does a list: `ignore = ["TC401"]` in an override means that \
nothing else is ignored there, and `ignore = []` that nothing is. Two things add to what is there already: keys that \
begin with `extend_`, and the table `severity`, whose entries are replaced one by one.

```toml
extend = "../public/callwright.toml"
tools = ["tools/*.json"]
dialect = "xml-json"
ignore = ["TC401"]

[severity]
unknown-argument = "warning"

[[overrides]]
files = ["legacy/**"]
exclude = ["legacy/new/**"]
dialect = "xml-children"
extend_ignore = ["TC402"]

[[overrides]]
files = ["*.jinja"]
template = "jinja"
extend_tools = ["templates/tools.yaml"]
```

`callwright config FILE` shows what is in force for a file, and where each setting was said.

## In an editor

The language server reports what is wrong with a configuration while it is written, offers the fixes, completes keys, \
values, rules and paths, and describes what is pointed at. Any other TOML editor can use the JSON Schemas \
[callwright.schema.json](../../schemas/callwright.schema.json) and, for `pyproject.toml`, \
[pyproject-callwright.schema.json](../../schemas/pyproject-callwright.schema.json), which travel with the package in \
`callwright/schemas/`. Taplo, and with it the extension Even Better TOML, takes a schema from the first line of a \
file, or from a rule in `.taplo.toml` (see its pages on \
[directives](https://taplo.tamasfe.dev/configuration/directives.html) and on its \
[configuration](https://taplo.tamasfe.dev/configuration/file.html)):

```toml
#:schema ./schemas/callwright.schema.json
dialect = "xml-json"
```

```toml
[[rule]]
include = ["**/pyproject.toml"]

[rule.schema]
path = "./schemas/pyproject-callwright.schema.json"
```"""


def configuration_page() -> str:
    """Return the page of the configuration, made from its keys."""
    parts = [_GENERATED, "# Configuration", _ABOUT_CONFIGURATION]
    for key in KEYS.values():
        parts += _setting(key)
        if isinstance(key.kind, Overrides):
            own = [one for one in OVERRIDE_KEYS.values() if one != KEYS.get(one.name)]
            others = [f"`{name}`" for name in OVERRIDE_KEYS if OVERRIDE_KEYS[name] == KEYS.get(name)]
            parts += [f"`{one.name}`: {one.about} Takes {_takes(one.kind)}." for one in own]
            parts.append(f"The other keys are those above: {', '.join(others)}.")
    return _page(parts)


def _setting(key: Key) -> Iterator[str]:
    yield f"## `{key.name}`"
    yield key.about
    default = f" Without it: `{json.dumps(key.default)}`." if key.default is not None else ""
    yield f"Takes {_takes(key.kind)}.{default}"
    for example in key.examples:
        yield fenced(_toml(key.name, example), "toml")


def _takes(kind: Kind) -> str:
    """Return in words which values a setting takes, with links to the lists that are pages of their own."""
    words = takes(kind)
    if "a dialect: " in words:
        words = words.partition("a dialect: ")[0] + "the name of a [dialect](dialects/index.md)"
    return words.replace("name of a rule,", "name of a [rule](rules/index.md),")


def _toml(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join([f"[{key}]", *(f"{name} = {json.dumps(each)}" for name, each in value.items())])
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        tables = ([f"[[{key}]]", *(f"{name} = {json.dumps(each)}" for name, each in table.items())] for table in value)
        return "\n\n".join("\n".join(lines) for lines in tables)
    return f"{key} = {json.dumps(value)}"


def command_page() -> str:
    """Return the page of the command line, made from the commands' options and docstrings."""
    about = (
        "`callwright COMMAND --help` prints the same text. Options for tools, dialects and rules override the"
        " [configuration](configuration.md). [Callwright in CI](ci.md) describes reports, baselines, hooks and the"
        " cache of `check`."
    )
    parts = [_GENERATED, "# Command line", about]
    for name in command_names():
        parts += _command(name)
    return _page(parts)


def contributing_page() -> str:
    """Return the page for contributors with the table of what the tests of each room took when they were measured."""
    page = (DOCS / "contributing.md").read_text(encoding="utf-8")
    head, opener, rest = page.partition(_TIMES[0])
    _, closer, tail = rest.partition(_TIMES[1])
    if not (opener and closer):
        raise ValueError(
            f"contributing.md has no place for the table: it stands between `{_TIMES[0]}` and `{_TIMES[1]}`"
        )
    kept = json.loads(TIMINGS.read_text(encoding="utf-8"))
    runs = [kept.get(name, {}) for name in ("test", "test-all")]
    rooms = sorted({*runs[0], *runs[1]}, key=lambda room: [*(-_seconds(run, room) for run in reversed(runs)), room])
    rows = [[f"`{room}`", *(cell for run in runs for cell in _took(run, [room]))] for room in rooms]
    rows.append(["all", *(cell for run in runs for cell in _took(run, [*run]))])
    table = _table(("Room", "Tests in `make test`", "Seconds", "Tests in `make test-all`", "Seconds"), rows)
    return f"{head}{opener}\n{table}\n{closer}{tail}"


def _seconds(run: Mapping[str, Mapping[str, float]], room: str) -> float:
    return run[room]["seconds"] if room in run else 0.0


def _took(run: Mapping[str, Mapping[str, float]], rooms: Sequence[str]) -> list[str]:
    """Return how many tests of some rooms a run had and what they took, or dashes where it was not measured."""
    if not any(room in run for room in rooms):
        return ["–", "–"]
    return [f"{sum(run[room][key] for room in rooms if room in run):,.0f}" for key in ("tests", "seconds")]


def _command(name: str) -> Iterator[str]:
    command = load_command(name)
    yield f"## `callwright {name}`"
    yield from (" ".join(paragraph.split()) for paragraph in (inspect.getdoc(command.run) or "").split("\n\n"))
    yield fenced(f"callwright {name} {usage(command)}", "text")
    for title, listed in groupby(command.options.every, lambda one: one.section if one.kind == "option" else ""):
        if title:
            yield f"**{title}**"
        yield _table(("", ""), [(_option(one), one.about) for one in listed])
    if command.options.examples:
        yield fenced("\n".join(command.options.examples), "sh")


def _option(option: Option) -> str:
    """Return how an option is written on the command line."""
    if option.kind != "option":
        return f"`{option.placeholder}`"
    if option.is_flag:
        shown = f"`{option.written}`"
    elif option.choices:
        shown = f"`{option.written}` " + ", ".join(f"`{choice}`" for choice in option.choices)
    else:
        shown = f"`{option.written} {option.placeholder}`"
    return f"{shown}, `{option.short}`" if option.short else shown


def fenced(text: str, language: str) -> str:
    """Return a fenced block that holds `text`, whatever fences are in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a bar in a cell ends none, also where it stands in a code span."""
    lines = [columns, *rows]
    written = ["|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in _escaped(lines)]
    return "\n".join([written[0], "|" + "---|" * len(columns), *written[1:]])


def _escaped(lines: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    return ([cell.replace("|", "\\|") for cell in line] for line in lines)


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _page(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> int:
    """Write the generated files, or with `--check` say which are stale; return the process's exit code."""
    pages = generated()
    if sys.argv[1:] == ["--check"]:
        found = stale(pages)
        sys.stdout.writelines(f"{path.relative_to(ROOT)} {failure}: {REMEDY}\n" for path, failure in found)
        return 1 if found else 0
    if sys.argv[1:]:
        sys.stderr.write("usage: generate.py [--check]\n")
        return 2
    write(pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
