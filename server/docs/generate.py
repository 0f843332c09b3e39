"""Generates files from code: the reference pages in this folder, and the index of the package's rooms.

Owns: the layout of the pages. Must not know: the texts of any rule, dialect or setting; they come from the objects.

`make docs` writes all files; `python server/docs/generate.py --check` only lists the stale ones. The tests run the
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
EXTENSION: Final = ROOT / "client-vscode"
TIMINGS: Final = ROOT / "tests" / "timings.json"
REMEDY: Final = "run `make docs`"

#: Title and description of each group of rules, by the beginning of their codes.
GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "TC1": ("Markup and fences", "Errors in the XML of a call, or in the fence around it."),
    "TC2": ("JSON", "Errors in the JSON of a call, or in the Python or YAML of one."),
    "TC3": ("Tools and arguments", "Calls that can be read but do not match their tool."),
    "TC4": ("Dialects", "Calls in a dialect other than the expected one."),
    "TC5": ("Tool files", "Errors in files that define tools."),
    "TC6": ("Configuration", "Errors in `callwright.toml` and in `[tool.callwright]` of `pyproject.toml`."),
    "TC7": ("Transcripts", "Conversations that a provider rejects, and calls and results that do not match."),
    "TC8": ("Prompts", "Prompts that disagree with the tools: outdated blocks, unknown parameters."),
    "TC9": ("Suppressions", "Comments that should suppress diagnostics and do not."),
}
_SUBJECTS: Final = {
    Scope.SYNTAX: "the text of a call",
    Scope.CALL: "a call together with its tool",
    Scope.CONVERSATION: "a conversation",
    Scope.DOCUMENT: "a document",
    Scope.TOOLS: "a tool file",
    Scope.CONFIG: "a configuration file",
    Scope.CORPUS: "a row of a corpus",
    Scope.CHAT_TEMPLATE: "a chat template that is rendered",
}
#: The tools called on a dialect's page: one with simple values and a list, one with much markup, one without arguments.
_SHOWN: Final = ("debug_launch", "write_file", "git_status")
#: Results of calls, to show how a dialect renders them.
_RESULTS: Final = (
    ResultDraft("read_file", "if count < 3:\n    print(count)", about="src/limits.py"),
    ResultDraft("read_file", "There is no `src/limit.py`.", failed=True, about="src/limit.py"),
)
#: The columns of the tables of demands.
_DEMAND: Final = ("Demand", "", "Source")
#: The comments around the table of times in the page for contributors; the rest of that page is not generated.
_TIMES: Final = ("<!-- times -->", "<!-- /times -->")
#: The same around the table of settings in the page of the extension for VS Code.
_SETTINGS: Final = ("<!-- settings -->", "<!-- /settings -->")
#: Schemas that the extension for VS Code contains, each with the keys by which a file is known as one of ours.
_EXTENSION_SCHEMAS: Final[Mapping[str, list[str]]] = {
    "session": ["callwright_session"],
    "tool-set": [],
    "tools-lock": ["lockVersion", "servers"],
}
#: A setting that the editor makes a link of.
_LINKED_SETTING: Final = re.compile(r"(?<=`)#([\w.]+)#(?=`)")
#: A fence with the text of a file, which the comment above it names.
_SHOWN_FILE: Final = re.compile(r"^(<!-- file: (\S+) -->\n```\w+\n).*?^```$", re.DOTALL | re.MULTILINE)
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
    pages[DOCS / "editors.md"] = editors_page()
    pages[EXTENSION / "README.md"] = extension_page()
    pages |= {EXTENSION / "schemas" / f"{name}.json": _json(schema) for name, schema in extension_schemas()}
    return pages


def stale(pages: Mapping[Path, str]) -> list[tuple[Path, str]]:
    """Return the files that are missing, stale or superfluous, each with the reason."""
    found = []
    for path, text in pages.items():
        if not path.is_file():
            found.append((path, "is missing"))
        elif path.read_text(encoding="utf-8") != text:
            found.append((path, "is stale"))
    return found + [(path, "describes nothing that exists") for path in _strangers(pages)]


def write(pages: Mapping[Path, str]) -> None:
    """Write every generated file and remove superfluous pages."""
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    for path in _strangers(pages):
        path.unlink()


def _strangers(pages: Mapping[Path, str]) -> list[Path]:
    present = [path for folder in ("rules", "dialects", "transcripts") for path in sorted((DOCS / folder).glob("*.md"))]
    return [path for path in present if path not in pages]


def index_text() -> str:
    """Return the index of the rooms: one entry per line, to keep diffs small."""
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
        table = _table(("Code", "Name", "Severity", "What it reports"), rows)
        parts += [f"## {prefix}xx: {title}", about, table]
    return _page(parts)


def _row(rule: Rule) -> Sequence[str]:
    return rule.code, f"[{rule.name}]({rule.name}.md)", rule.severity.value, documentation_of(rule).summary


def _about_rules() -> str:
    return (
        "Each rule has a code and a name, and you can use both. `callwright rule CODE` prints the page of a rule. In"
        " [`callwright.toml`](../configuration.md), `select` and `ignore` accept codes, code prefixes and names. The"
        " table `severity` changes the severity of a rule or turns it `off`.\n\n"
        "*error*: a parser of the expected dialect would fail or get other arguments. *warning*: the text is ambiguous"
        " or fragile. *info* and *hint*: style, or a step of a migration."
    )


def rule_page(rule: Rule) -> str:
    """Return the page of one rule."""
    found = documentation_of(rule)
    facts = [("Severity", rule.severity.value), ("Checks", _SUBJECTS[rule.scope])]
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
        "A dialect is a way to write a tool call. Callwright detects the dialect of each call. The setting `dialect`"
        " states the expected one, and `accept` allows others, for example during a migration."
        " `callwright convert --to NAME` converts calls."
    )
    others = (
        "Some texts resemble a call and are not one, such as a block of edits between `<<<<<<< SEARCH` and"
        " `>>>>>>> REPLACE`: see [Edit blocks and programs](../documents.md#edit-blocks-and-programs)."
    )
    table = _table(("Name", "What a call looks like", "Written by"), rows)
    return _page([_GENERATED, "# Dialects", about, table, others])


def dialect_page(dialect: Dialect) -> str:
    """Return the page of one dialect, with calls that it renders."""
    tools = example_tools()
    facts = [
        ("Written by", ", ".join(dialect.used_by)),
        ("Begins with", ", ".join(_code(opener) for opener in dialect.openers)),
        ("Types", "in the text" if dialect.typed else "from the schema of the tool"),
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
        "## Instructions for a model",
        fenced(section(dialect, tools[:3], SectionOptions(style="terse")).rstrip("\n"), "text"),
        "## How results are written",
        fenced(write_results(dialect.results, _RESULTS[: 1 if dialect.one_call else None]), "text"),
        "[All dialects](index.md) · [teaching tools to a model](../teaching.md)",
    ]
    return _page(parts)


def _sections(dialect: Dialect) -> Iterator[str]:
    """Yield the further texts of a dialect, each under its heading."""
    for title, stated in (
        ("Types of values", dialect.typing),
        ("Escaping", dialect.escaping),
        ("Ambiguous texts", dialect.ambiguity),
        ("Differences between engines", dialect.peers),
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
        "A shape is a way to write a conversation as JSON. Callwright detects the shape of a file, a line of a log or a"
        " string by its members. It also finds conversations inside other JSON: logs, batch files and data sets wrap"
        " them in members of any name, at any depth, or store them as strings.\n\n"
        "A request and the response next to it are one conversation. If a transcript contains definitions of tools, its"
        " calls may name only those.\n\n"
        "Some member names are usual in logs: `request`, `response`, `message`, `body`, `data`, `events` and similar"
        " ones. Consecutive messages in such members are one conversation, also with one message per line. In members"
        " with other names, a single message, or a call without a message, stays separate: only its calls are checked."
        "\n\n"
        "Callwright does not search tool results, pieces of a stream, JSON schemas and API descriptions.\n\n"
        "The profile lists the [demands of a provider](../providers.md) that apply. The setting `provider` selects"
        " another one."
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
    return _page([*parts, "[All shapes](index.md) · [demands of providers](../providers.md)"])


def _summary_of(shape: Shape) -> str:
    return (inspect.getdoc(type(shape)) or "").partition("\n\n")[0].replace("\n", " ")


#: The texts of the page of documents: before its tables, between them and after them.
_ABOUT_DOCUMENTS: Final = """\
Callwright looks for calls in the documents below. The file name decides the kind of a document; in an editor its \
language does, and for standard input `callwright check --stdin-filename NAME`.

If you check a folder, the [configuration](configuration.md#which-files-are-checked) selects its files. Without \
one, file names and contents do. A file that you name is always checked, as plain text if its ending is not listed.

Diagnostics and fixes refer to the exact characters of the file, whatever the document escapes."""
_ABOUT_DATA: Final = (
    "The [shape](transcripts/index.md) describes the transcripts in a JSON file. [Tool files](tools.md) and the"
    " [configuration](configuration.md) are checked, too, and errors in them are reported there."
)
_ABOUT_TEMPLATES: Final = """\
A document of any kind can be a template. Its language follows from the file ending: `a.md.j2` is Markdown written in \
Jinja. The setting [`template`](configuration.md#template) overrides the ending. A comment in one of the first five \
lines overrides both:

```text
{# callwright: template=jinja #}
# callwright: template=format
<!-- callwright: template=none -->
```

An expression is a *hole*: it matches any value. Each branch is read separately. Where a tag makes a check impossible, \
nothing is reported. `jinja` includes Liquid and Twig. `handlebars` includes Mustache and the prompts of dotprompt \
(`.prompt` with front matter).

If no ending, setting or comment states a language, Callwright still recognizes unambiguous template code in texts, in \
values of YAML and JSON, and in strings of programs: `{{ name }}`, `{% if %}`, `{{#if}}`, `{{ .Name }}`, the doubled \
braces of a format string, and `$name` where a value is expected. Such code is a hole, and uncertain places are \
not checked. With `template = "none"`, every brace and dollar sign is literal."""
_SKETCHES: Final = """\
A call with a placeholder is a sketch:

```text
<read_file><path>[path to the file]</path></read_file>
<read_file>{"path": "YOUR_FILE_PATH"}</read_file>
<read_file><path>File path here</path>...</read_file>
```

The values, missing arguments and unknown names of a sketch are not checked; a misspelt name of a tool or parameter is \
reported. Its frame is checked if the tool is in force or the dialect has its own markers: a missing or misspelt \
closer, text between parameters.

Placeholders are `...` and `…`, words in brackets of any kind, two or more words in capitals, `true or false`, and a \
text that describes itself with "here", "e.g." or "(optional)", unless the schema lists such a value. In text that a \
model has written they are values: set [`placeholders`](configuration.md#placeholders) to false.

An example of a wrong call is not checked, and no fix changes it. Callwright recognizes one by the text before it: a \
heading ("Common mistakes"), a label or the lead of a list ("Wrong:", "❌"), a comment, a tag (`<bad_example>`). The \
nearest of them applies, and a label of the other kind ("Right:", "✅") ends it. The words are known in English, \
German, French, Spanish, Portuguese, Russian, Chinese, Japanese and Korean. A test of a program with wrong calls in \
several places is also treated as examples, if neither tools nor a dialect are configured.

To check such an example, state the diagnostic that you expect: \
[`callwright: expect[TC105]`](suppressions.md)."""
_WHAT_IS_A_CALL: Final = """\
- Text in a dialect with its own markers (`<tool_call>`, `<invoke name=…>`, `[TOOL_CALLS]`, a fence around an object \
with `tool`) is always a call. [Each dialect's page](dialects/index.md) lists the markers.
- A bare tag is a call if it has the name of a tool in force. Tools come from the configuration, the command line, the \
document's own conversation, or [the document itself](declarations.md). A tag with a similar name is a misspelt call \
([TC301](rules/unknown-tool.md)).
- Another bare tag is a call only on evidence. It is paired and contains elements or one JSON object. In addition, the \
document or another file of the repository documents its name, or it is short and next to a call of a known tool. Its \
frame and its JSON are checked; its arguments are not, because their schema is unknown.
- Every other tag frames a section, a result or markup, and is not a call. One rule reports sections: if the prompt \
closes others of the same name ([TC115](rules/unclosed-section.md)). Names of HTML are never calls.
- Shipped tool sets are offered for completion. Calls are checked against them only if \
[`shipped`](configuration.md#shipped) names them.
- In Markdown, code spans, comments and tags that a sentence only mentions are not calls. Examples in fences are.
- Reasoning (`<think>` and similar tags) is not executed, and so not checked, unless \
[`reasoning`](configuration.md#reasoning) is `"calls"`.
- A call with a placeholder such as `...` is a [sketch](#sketches-and-bad-examples). What it omits is not an error; a \
misspelt name of a tool or parameter is one. An example that the text marks as wrong is not checked."""

_EDIT_BLOCKS: Final = """\
An assistant that changes files may answer with the change itself:

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

Such a block is not a tool call, and Callwright does not check it. It names no tool and no argument. The assistant's \
program finds the file named above the block, compares the first half with the file, and replaces it by the second. \
There is no schema to check it against, and no [dialect](dialects/index.md) can express it without an invented name.

The same applies to whole files after their names, to diffs, and to `*** Begin Patch`. As the value of an argument \
(`<diff>` in a call of `replace_in_file`) such a block is text, and the call around it is read as usual.

Shell commands and programs in fences are not calls either, unless the text above them marks them as actions \
([`shell-action`](dialects/shell-action.md), [`python-action`](dialects/python-action.md)). A slash command \
(`/review`) is typed by a person."""


def document_page() -> str:
    """Return the page of the kinds of documents and of template languages."""
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
        _table(("Language", "Endings", "Meaning of its tags"), languages),
        "## What is a call",
        _WHAT_IS_A_CALL,
        "## Edit blocks and programs",
        _EDIT_BLOCKS,
        "## Sketches and bad examples",
        _SKETCHES,
    ]
    return _page(parts)


def _stated_by(member: object) -> str:
    """Return the docstring of an object's class as one paragraph."""
    return " ".join((inspect.getdoc(type(member)) or "").split())


def provider_page() -> str:
    """Return the page of the demands of providers on conversations and tools, each with its source."""
    about = (
        "Callwright checks a transcript against the demands of its provider. The [shape](transcripts/index.md) of the"
        " transcript decides the provider, unless the setting `provider` names another one.\n\n"
        "*error*: the provider rejects the conversation. *warning*: it may reject it. *info*: it works worse. Only the"
        " listed demands are checked.\n\n"
        "Messages in OpenAI's shape without any id are read as training data, for which only the order of results is"
        " checked. If all arguments are objects and no id begins with `call_`, objects are accepted."
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
        parts.append(" ".join(facts) or "No demands.")
        if profile.demands:
            rows = [(wanted.value, demand.severity, f"<{demand.source}>") for wanted, demand in profile.demands.items()]
            parts.append(_table(_DEMAND, rows))
    return _page([*parts, *_tool_demands()])


def _tool_demands() -> Iterator[str]:
    """Yield the demands of providers on definitions of tools, each with its source."""
    yield "## Tool files"
    yield (
        "Callwright checks a tool file against the demands of the provider in the setting `provider`, or else of the"
        " provider in whose format the tool is written. *error*: the provider rejects the list of tools. *warning*:"
        " other programs that read the list may reject or change it. *info*: the provider's documentation does not list"
        " it as supported."
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
    """Yield the demands on the schemas inside an input schema."""
    apart = f" They do not apply to `{min(demands.apart)}`." if demands.apart else ""
    yield f"Demands of {demands.title} on input schemas.{apart}"
    rows = [(wanted.value, demand.severity, f"<{demand.source}>") for wanted, demand in demands.wants.items()]
    for place, refused in (("Not allowed at the top level", demands.refused_at_top), ("Not allowed", demands.refused)):
        together: dict[Demand, list[str]] = {}
        for keyword, demand in refused.items():
            values = " or ".join(map(str, demands.taken.get(keyword, ())))
            together.setdefault(demand, []).append(f"`{keyword}`" + (f" except {values}" if values else ""))
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


#: The text of the page of the configuration before the keys.
_ABOUT_CONFIGURATION: Final = """\
A configuration is a file `callwright.toml`, or the table `[tool.callwright]` in `pyproject.toml`:

```toml
tools = ["tools/*.json"]
dialect = "xml-json"
```

The command line and the editor accept the same keys as options and settings. Without a configuration, the shipped \
tool sets are offered for completion, and an unknown tool is not an error.

## Which file applies

The nearest configuration file applies, and only that one: settings in folders further up are not added. In one \
folder, `callwright.toml` takes precedence over `pyproject.toml`. A `pyproject.toml` without the table is ignored.

The search goes up to the workspace folder (editor) or the repository root (command line). It ignores files in folders \
that any user can write to.

Files outside of that folder are not read, even if a configuration names them. On the command line you can allow it: \
`--config FILE` reads that file and the files it names, `--tools FILE` reads that tool file.

Paths and patterns are relative to the file that contains them. `*` matches any characters of one name, `**` any \
folders, `?` one character, `{a,b}` either of two. A pattern without `/` matches a name in any folder, and a pattern \
that matches a folder includes everything in it. In `tools`, a pattern without `/` matches only files of the folder \
itself.

## Which files are checked

`callwright check .` checks the files in `files`, and every `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`. If \
`files` is not set, Callwright discovers files:

- by name: the usual names of prompts and rules for agents (`*.prompt.md`, `*.instructions.md`, `*.agent.md`, \
`SKILL.md`, `AGENTS.md`, `CLAUDE.md`, `*.mdc`, `.clinerules`, `system-prompt*`, …), and texts in folders such as \
`prompts/` and `.github/prompts/`;
- by content: texts, templates and files without an ending that contain a call with markers, document tools, are \
divided by tags such as `<code_style>`, or have a tag with the name of a tool that another file documents; JSON and \
JSON Lines with transcripts or tools; YAML, programs and notebooks with a string that contains a call.

Files that git ignores and folders of dependencies are skipped. The last line of the output reports how many files \
were scanned; `callwright check . --show-files` lists the checked ones. A file that you name is always checked.

## Precedence

From the lowest to the highest:

1. the defaults,
2. the keys of the files in `extend`, then those of the file itself,
3. the matching `overrides`, from top to bottom: of the files in `extend`, then of the file itself,
4. the settings of the editor, or the options of the command line.

A higher value replaces a lower one, and a list replaces a list: `ignore = ["TC401"]` in an override ignores only that \
rule there, and `ignore = []` ignores none. Two things add instead: keys that begin with `extend_`, and the table \
`severity`, whose entries are replaced one by one.

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

`callwright config FILE` shows the settings for a file, and where each is set.

## In an editor

The language server checks a configuration while you edit it. It offers fixes, completes keys, values, rules and \
paths, and describes them on hover.

Any other TOML editor can use the JSON Schemas [callwright.schema.json](../../schemas/callwright.schema.json) and, for \
`pyproject.toml`, [pyproject-callwright.schema.json](../../schemas/pyproject-callwright.schema.json). The package \
contains them in `callwright/schemas/`.

Taplo, and the extension Even Better TOML that uses it, read a schema from the first line of a file or from a rule in \
`.taplo.toml` (see its pages on [directives](https://taplo.tamasfe.dev/configuration/directives.html) and on its \
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
            parts += [f"`{one.name}`: {one.about} Accepts {_takes(one.kind)}." for one in own]
            parts.append(f"The other keys are the same as above: {', '.join(others)}.")
    return _page(parts)


def _setting(key: Key) -> Iterator[str]:
    yield f"## `{key.name}`"
    yield key.about
    default = f" Default: `{json.dumps(key.default)}`." if key.default is not None else ""
    yield f"Accepts {_takes(key.kind)}.{default}"
    for example in key.examples:
        yield fenced(_toml(key.name, example), "toml")


def _takes(kind: Kind) -> str:
    """Return which values a setting accepts, with links to the pages that list them."""
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
    """Return the page for contributors with the measured times of the tests of each room."""
    kept = json.loads(TIMINGS.read_text(encoding="utf-8"))
    runs = [kept.get(name, {}) for name in ("test", "test-all")]
    rooms = sorted({*runs[0], *runs[1]}, key=lambda room: [*(-_seconds(run, room) for run in reversed(runs)), room])
    rows = [[f"`{room}`", *(cell for run in runs for cell in _took(run, [room]))] for room in rooms]
    rows.append(["all", *(cell for run in runs for cell in _took(run, [*run]))])
    table = _table(("Room", "Tests in `make test`", "Seconds", "Tests in `make test-all`", "Seconds"), rows)
    return _between(DOCS / "contributing.md", _TIMES, table)


def editors_page() -> str:
    """Return the page of the other editors with the files that their users copy."""
    page = (DOCS / "editors.md").read_text(encoding="utf-8")
    return _SHOWN_FILE.sub(lambda shown: f"{shown[1]}{(DOCS / shown[2]).read_text(encoding='utf-8')}```", page)


def extension_page() -> str:
    """Return the page of the extension for VS Code with the settings that its manifest declares."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    words = json.loads((EXTENSION / "package.nls.json").read_text(encoding="utf-8"))
    settings = manifest["contributes"]["configuration"][0]["properties"]
    rows = []
    for name, each in settings.items():
        about = words[each["markdownDescription"].strip("%")]
        default = "" if each["default"] is None else f"`{json.dumps(each['default'])}`"
        rows.append([f"`{name}`", default, _LINKED_SETTING.sub(r"\1", about)])
    return _between(EXTENSION / "README.md", _SETTINGS, _table(("Setting", "Default", ""), rows))


def extension_schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas that the extension gives to the editor's support for JSON, by the names of their files.

    Other programs use the file names of sessions and lock files, too, so a file without the keys of ours is valid.
    """
    for name, own in _EXTENSION_SCHEMAS.items():
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        # The editor knows the file by its place in the extension.
        del schema["$id"]
        if own:
            head = {key: schema.pop(key) for key in ("$schema", "title", "description", "definitions") if key in schema}
            schema = {**head, "if": {"type": "object", "required": own}, "then": schema}
        yield name, schema


def _between(file: Path, comments: tuple[str, str], text: str) -> str:
    """Return the page in a file with a text between two comments; the rest of the page is written by hand."""
    head, opener, rest = file.read_text(encoding="utf-8").partition(comments[0])
    _, closer, tail = rest.partition(comments[1])
    if not (opener and closer):
        raise ValueError(f"{file.name} has no place for the text: insert `{comments[0]}` and `{comments[1]}`")
    return f"{head}{opener}\n{text}\n{closer}{tail}"


def _seconds(run: Mapping[str, Mapping[str, float]], room: str) -> float:
    return run[room]["seconds"] if room in run else 0.0


def _took(run: Mapping[str, Mapping[str, float]], rooms: Sequence[str]) -> list[str]:
    """Return the number of tests of some rooms in a run and their seconds, or dashes if they were not measured."""
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
    """Return a fenced block with `text`; its fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a `|` in a cell is escaped, also in a code span."""
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
    """Write the generated files, or with `--check` list the stale ones; return the exit code."""
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
