"""Texts with diagnostics, and every way in which a file can hold such a text: what generated tests of hosts are made
of.

Owns: gathering the texts from the rules' examples and from all cases, and the embeddings: each writes a text into a
file in some format, and reads it back with the parser that owns that format (`json`, `ast`, `ruamel.yaml`, `lxml`,
Node). Must not know: how Callwright decodes or encodes anything.
"""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from callwright.calls.model import JsonValue
from callwright.calls.provider_json import FORMS
from callwright.declarations.reading import declarations_in
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic, Scope
from callwright.rules.catalogue import all_rules
from callwright.rules.support.documentation import documentation_of
from callwright.text.holes import HOLE
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from dialects.dialect_cases import FOLDER as DIALECTS
from dialects.dialect_cases import prepared
from support.cases import annotated, load_cases
from support.engine import registry_named, registry_of, settings_of, toml_settings
from support.sampling import whole

RULES: Final = Path(__file__).parents[1] / "rules"


class Material(NamedTuple):
    """A text with diagnostics, and the project that it is read under."""

    name: str
    text: str
    settings: Settings
    registry: ToolRegistry

    def read(self, text: str, path: str, settings: Settings | None = None) -> list[Diagnostic]:
        """Return the diagnostics in a text or a file under this project; those about conversations are left out, and
        those about documents as a whole where the settings do not select them."""
        chosen = settings or self.settings
        snapshot = open_snapshot(text, path=path, registry=self.registry, settings=chosen)
        whole = any(each.startswith("TC8") for each in chosen.select)
        left_out = ("TC7",) if whole else ("TC7", "TC8")
        return [each for each in diagnostics(snapshot) if not each.code.startswith(left_out)]

    def kinds(self) -> Iterator[tuple[str, ...]]:
        """Yield what the text shows: diagnostics with their fixes, and dialects."""
        snapshot = open_snapshot(self.text, path="case.md", registry=self.registry, settings=self.settings)
        for each in diagnostics(snapshot):
            yield (each.code, *(re.sub("`[^`]*+`", "", fix.title) for fix in each.fixes))
            yield from ((each.code[:3], placed.call.dialect) for placed in snapshot.placed_calls())


def _gathered() -> Iterator[Material]:
    for rule in all_rules():
        if rule.scope not in (Scope.SYNTAX, Scope.CALL):
            continue
        for number, example in enumerate(documentation_of(rule).examples):
            text = annotated(example.source).source
            project = toml_settings(example.settings)
            yield Material(f"{rule.code}-{number}", text, project, registry_named("examples"))
    for file in sorted(RULES.glob("*.md")):
        for case in load_cases(file):
            if Path(case.info.get("path", "a.md")).suffix == ".md" and "holes" not in case.info:
                name = f"{file.stem}: {case.title}"
                yield Material(name, case.source, settings_of(case.info), registry_of(case))
    # In data, the object of a provider's API is a call in its own fields, and read without a dialect.
    native = {form.dialect for form in FORMS}
    folders = sorted(path for path in DIALECTS.iterdir() if path.name not in native and any(path.glob("*.md")))
    for case in map(prepared, load_cases(*folders)):
        if Path(case.info.get("path", "a.md")).suffix == ".md" and "holes" not in case.info:
            name = f"{case.file.parent.name}/{case.file.stem}: {case.title}"
            yield Material(name, case.source, settings_of(case.info), registry_of(case))


@cache
def material() -> tuple[Material, ...]:
    """Return texts in which something is found, in a fixed order: all of them, or in a sample enough to show each kind
    of diagnostic with each kind of fix, and each dialect with diagnostics about its frame and about its arguments.

    What rules say of a document as a whole is not among them: it depends on what else the document holds. Nor is what
    they say of suppressions: comments in a speaker's text are none.
    """
    seen: set[tuple[str, str]] = set()
    found: list[Material] = []
    kinds: set[tuple[str, ...]] = set()
    for each in _gathered():
        key = (each.text, str(each.settings))
        if key in seen or "\r" in each.text or HOLE in each.text or each.text.startswith(("---", "\ufeff")):
            continue
        if not each.registry.tools and declarations_in(each.text):
            # Tools that a text documents itself are in force in prompts alone.
            continue
        seen.add(key)
        if any(kind[0].startswith(("TC8", "TC9")) for kind in each.kinds()):
            continue
        new = set(each.kinds()) - kinds
        if new:
            found.append(each)
        if not whole():
            kinds |= new
    return tuple(found)


Decoder = Callable[[Sequence[str]], list[str | None]]


@dataclass(frozen=True, slots=True)
class Embedding:
    """One way for a file to hold a text.

    `write` returns the file, None where the format cannot hold the text in that way; `decode` gives back the texts of
    files, None for one that is not a valid file of its kind. `settings` are those that the file needs, `template` the
    template language that it is read in, `refused` is how great a share of the edits may be refused, with the reason.
    What is found in the file is what is found in the text as a file of the name `text_path`, with `context` around it,
    the last `after` characters of which belong to no text. `silent` is the share
    of texts in which less may be found, with the reason.
    """

    name: str
    host: str
    path: str
    write: Callable[[str], str | None]
    decode: Decoder
    refused: tuple[float, str] = (0.0, "")
    silent: tuple[float, str] = (0.0, "")
    settings: dict[str, Any] = field(default_factory=dict)
    text_path: str = "case.md"
    template: str | None = None
    context: Callable[[str], str] = str
    after: int = 0

    def __str__(self) -> str:
        return self.name


def each_alone(decode: Callable[[str], str]) -> Decoder:
    """Return a decoder of many files, made of one for a single file."""

    def decoded(files: Sequence[str]) -> list[str | None]:
        out: list[str | None] = []
        for file in files:
            try:
                text = decode(file)
            except Exception:  # noqa: BLE001  # parsers of many kinds refuse in many ways
                text = None
            out.append(text if isinstance(text, str) else None)
        return out

    return decoded


# --- JSON ---------------------------------------------------------------------------------------------------------


def chat(text: str) -> dict[str, Any]:
    """Return a chat whose second message has this text."""
    return {"messages": [{"role": "user", "content": "Go 😀"}, {"role": "assistant", "content": text}]}


def _stated(value: Any) -> str:
    return str(value["messages"][1]["content"])


def _lines_of(text: str) -> str:
    other = json.dumps(chat("Nothing."))
    return "\n".join([other, json.dumps(chat(text), ensure_ascii=False), other]) + "\n"


def _dug(value: Any, *steps: str | int) -> Any:
    for step in steps:
        value = value[step]
    return value


#: A transcript of each shape in which one text is the assistant's, and where that text is.
SHAPES: Final[dict[str, tuple[Callable[[str], Any], tuple[str | int, ...]]]] = {
    "openai-chat": (chat, ("messages", 1, "content")),
    "openai-responses": (
        lambda text: {
            "object": "response",
            "id": "resp_1",
            "status": "completed",
            "output": [
                {
                    "type": "message",
                    "id": "msg_1",
                    "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}],
                }
            ],
        },
        ("output", 0, "content", 0, "text"),
    ),
    "anthropic": (
        lambda text: {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": "claude-3-5-sonnet-latest",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
        },
        ("content", 0, "text"),
    ),
    "gemini": (
        lambda text: {
            "contents": [{"role": "user", "parts": [{"text": "Go"}]}, {"role": "model", "parts": [{"text": text}]}]
        },
        ("contents", 1, "parts", 0, "text"),
    ),
    "sharegpt": (
        lambda text: {"conversations": [{"from": "human", "value": "Go"}, {"from": "gpt", "value": text}]},
        ("conversations", 1, "value"),
    ),
    "langchain": (
        lambda text: [
            {"type": "human", "data": {"content": "Go", "type": "human"}},
            {"type": "ai", "data": {"content": text, "type": "ai", "tool_calls": []}},
        ],
        (1, "data", "content"),
    ),
    "vercel-ai": (
        lambda text: {
            "messages": [
                {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Go"}]},
                {"id": "2", "role": "assistant", "parts": [{"type": "text", "text": text, "state": "done"}]},
            ]
        },
        ("messages", 1, "parts", 0, "text"),
    ),
    "atif": (
        lambda text: {
            "schema_version": "ATIF-v1.4",
            "session_id": "s",
            "agent": {"name": "a", "version": "1"},
            "steps": [
                {"step_id": 1, "source": "user", "message": "Go"},
                {"step_id": 2, "source": "agent", "message": text},
            ],
        },
        ("steps", 1, "message"),
    ),
    "inspect-log": (
        lambda text: {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": "m"},
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "input": "Go",
                    "target": "x",
                    "messages": [{"role": "user", "content": "Go"}, {"role": "assistant", "content": text}],
                }
            ],
        },
        ("samples", 0, "messages", 1, "content"),
    ),
    "claude-code": (
        lambda text: {
            "type": "assistant",
            "uuid": "u2",
            "parentUuid": "u1",
            "sessionId": "s",
            "isSidechain": False,
            "timestamp": "2025-03-01T10:00:00Z",
            "message": {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
            },
        },
        ("message", "content", 0, "text"),
    ),
}
SHAPES["codex"] = (
    lambda text: {
        "timestamp": "2025-03-01T10:00:00Z",
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
    },
    ("payload", "content", 0, "text"),
)
SHAPES["bedrock"] = (
    lambda text: {
        "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
        "stopReason": "end_turn",
        "usage": {"totalTokens": 3},
    },
    ("output", "message", "content", 0, "text"),
)
SHAPES["pydantic-ai"] = (
    lambda text: [
        {"parts": [{"content": "Go", "part_kind": "user-prompt"}], "kind": "request"},
        {"parts": [{"content": text, "part_kind": "text"}], "kind": "response"},
    ],
    (1, "parts", 0, "content"),
)
SHAPES["opentelemetry"] = (
    lambda text: [
        {"role": "user", "parts": [{"type": "text", "content": "Go"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"},
    ],
    (1, "parts", 0, "content"),
)
#: Shapes in which only a tool speaks, or which another shape's text represents; each with the reason.
WITHOUT_TEXT: Final[dict[str, str]] = {
    "mcp": "a log of requests holds native calls and results alone",
    "single-calls": "calls that stand in no message hold no text",
    "callwright-session": "it says itself how its replies are read; `tests/runtime/test_session.py` holds it to that",
}


def _shape(name: str, *, ascii_only: bool) -> Embedding:
    build, steps = SHAPES[name]
    return Embedding(
        f"{name}{' in ASCII' if ascii_only else ''}",
        "json",
        "a.json",
        lambda text: json.dumps(build(text), ensure_ascii=ascii_only),
        each_alone(lambda file: _dug(json.loads(file), *steps)),
    )


_JSON: Final = [
    *(_shape(name, ascii_only=ascii_only) for name in SHAPES for ascii_only in (False, True)),
    Embedding(
        "laid out JSON with CR LF",
        "json",
        "a.json",
        lambda text: json.dumps(chat(text), ensure_ascii=False, indent="\t").replace("\n", "\r\n"),
        each_alone(lambda file: _stated(json.loads(file))),
    ),
    Embedding(
        "JSON under names that nobody knows",
        "json",
        "a.json",
        lambda text: json.dumps({"spans_of_day": [{"é": {"talk": chat(text)["messages"]}, "ms": 3}], "role": "x"}),
        each_alone(lambda file: _stated({"messages": json.loads(file)["spans_of_day"][0]["é"]["talk"]})),
    ),
    Embedding(
        "JSON in a string under such a name",
        "json",
        "a.json",
        lambda text: json.dumps({"spans_of_day": [{"é": json.dumps({"talk": chat(text)["messages"]})}]}),
        each_alone(lambda file: _stated({"messages": json.loads(json.loads(file)["spans_of_day"][0]["é"])["talk"]})),
    ),
    Embedding(
        "a line of JSONL",
        "jsonl",
        "a.jsonl",
        _lines_of,
        each_alone(lambda file: _stated(json.loads(file.split("\n")[1]))),
    ),
]


# --- YAML ---------------------------------------------------------------------------------------------------------


def _yaml(file: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(io.StringIO(file))


def _indented(lines: Sequence[str], indent: str = "    ") -> str:
    return "\n".join(indent + line if line else "" for line in lines)


def _block(header: str, text: str, fold: bool = False) -> str | None:
    """Return a mapping with a block scalar that holds the text, None for a text that no such scalar can hold."""
    body = text.rstrip("\n")
    tail = len(text) - len(body)
    if not body:
        return None
    lines = body.split("\n")
    if lines[0].startswith((" ", "\t")) or not lines[0]:
        return None
    if fold:
        lines = _folded(lines)
    chomp = "-" if tail == 0 else "" if tail == 1 else "+"
    return f"version: 1\nprompt: {header}{chomp}\n{_indented(lines)}\n{chr(10) * max(tail - 1, 0)}name: é 😀\n"


def _folded(lines: Sequence[str]) -> list[str]:
    """Return lines that fold to `lines`: between two that are not indented more is an empty one."""
    out: list[str] = []
    for line in lines:
        flat = bool(out) and out[-1] != "" and not out[-1].startswith((" ", "\t"))
        if flat and not line.startswith((" ", "\t")):
            out.append("")
        out.append(line)
    return out


def _prompt(file: str) -> str:
    value = _yaml(file)["prompt"]
    assert isinstance(value, str)
    return value


_YAML_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\x00": "\\0"}


def _yaml_double(text: str) -> str:
    # Lone surrogates have no place in YAML.
    assert not re.search(r"[\ud800-\udfff]", text)
    written = "".join(_YAML_SHORT.get(one) or (one if one.isprintable() else f"\\U{ord(one):08x}") for one in text)
    return f'version: 1\nprompt: "{written}"\nname: é\n'


def _flowed(text: str, quote: str) -> str | None:
    """Return a scalar over several lines: each line feed is an empty line, as folding wants it."""
    if any(line != line.strip(" \t") for line in text.split("\n")):
        return None
    written = text.replace("'", "''") if quote else text
    return f"version: 1\nprompt: {quote}{written.replace(chr(10), chr(10) * 2 + '  ')}{quote}\nname: é\n"


def _attempt(write: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def written(text: str) -> str | None:
        try:
            return write(text)
        except AssertionError:
            return None

    return written


_YAML: Final = [
    Embedding(
        "a YAML literal",
        "yaml",
        "a.yaml",
        lambda text: _block("|", text),
        each_alone(_prompt),
        (0.02, "a block scalar cannot begin with white space, nor hold control characters"),
    ),
    Embedding(
        "a YAML literal with CR LF",
        "yaml",
        "a.yml",
        lambda text: (_block("|", text) or "").replace("\n", "\r\n") or None,
        each_alone(_prompt),
        (0.02, "a block scalar cannot begin with white space, nor hold control characters"),
    ),
    Embedding(
        "a folded YAML block",
        "yaml",
        "a.yaml",
        lambda text: _block(">", text, fold=True),
        each_alone(_prompt),
        (0.25, "an edit may change which lines are folded"),
    ),
    Embedding("a double-quoted YAML scalar", "yaml", "a.yaml", _attempt(_yaml_double), each_alone(_prompt), (0.02, "")),
    Embedding(
        "a single-quoted YAML scalar",
        "yaml",
        "a.yaml",
        lambda text: _flowed(text, "'"),
        each_alone(_prompt),
        (0.25, "line feeds and spaces at the ends of lines are folded"),
    ),
    Embedding(
        "a plain YAML scalar",
        "yaml",
        "a.yaml",
        lambda text: _flowed(text, ""),
        each_alone(_prompt),
        (0.5, "a plain scalar cannot hold `: `, ` #` and leading indicators"),
    ),
    Embedding(
        "a transcript in JSON in a YAML literal",
        "yaml",
        "a.yaml",
        lambda text: _block("|", json.dumps(chat(text), ensure_ascii=False, indent=1) + "\n"),
        each_alone(lambda file: _stated(json.loads(_prompt(file)))),
    ),
    Embedding(
        "a transcript in JSON in a double-quoted YAML scalar",
        "yaml",
        "a.yaml",
        _attempt(lambda text: _yaml_double(json.dumps(chat(text)))),
        each_alone(lambda file: _stated(json.loads(_prompt(file)))),
    ),
]


# --- Python -------------------------------------------------------------------------------------------------------

_PROGRAM: Final = (0.3, "a fragment of a call, or of a text that is formatted later, is no call in a program")


def _assigned(literal: str, newline: str = "\n") -> str:
    source = f'"""Prompts for é 😀."""\n\n\ndef prompt(name: str) -> str:\n    return {literal}  # é\n'
    return source.replace("\n", newline)


def _python(file: str) -> str:
    returned = ast.parse(file).body[1].body[0].value  # type: ignore[attr-defined]
    if isinstance(returned, ast.JoinedStr):
        assert all(isinstance(part, ast.Constant) for part in returned.values)
        return "".join(part.value for part in returned.values)  # type: ignore[attr-defined]
    return str(returned.value)


def _python_escaped(text: str, quote: str) -> str:
    out = text.replace("\\", "\\\\").replace("\r", "\\r").replace("\x00", "\\0")
    out = re.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", out)
    if len(quote) == 1:
        return out.replace("\n", "\\n").replace(quote, f"\\{quote}")
    out = out.replace(quote, f"\\{quote[0]}" * 3)
    return f"{out[:-1]}\\{quote[0]}" if out.endswith(quote[0]) and not out.endswith(f"\\{quote[0]}") else out


def _python_embedding(
    name: str, prefix: str, quote: str, *, newline: str = "\n", refused: tuple[float, str] = (0.0, "")
) -> Embedding:
    def write(text: str) -> str | None:
        body = text if "r" in prefix else _python_escaped(text, quote)
        if "f" in prefix:
            body = body.replace("{", "{{").replace("}", "}}")
        return _assigned(f"{prefix}{quote}{body}{quote}", newline)

    return Embedding(name, "python", "a.py", write, each_alone(_python), refused, _PROGRAM)


_TRIPLE: Final = '"""'
_RAW: Final = (0.15, "a raw literal cannot hold its own quotes, nor end with a backslash")
_PYTHON: Final = [
    _python_embedding("a Python string in single quotes", "", "'"),
    _python_embedding("a Python string in double quotes", "", '"'),
    _python_embedding("a Python string in triple quotes", "", '"""'),
    _python_embedding("a Python string in triple quotes with CR LF", "", "'''", newline="\r\n"),
    _python_embedding("a raw Python string", "r", '"""', refused=_RAW),
    _python_embedding("a Python f-string", "f", "'"),
    _python_embedding("a Python f-string in triple quotes", "f", '"""'),
]


# --- JavaScript ---------------------------------------------------------------------------------------------------

NODE: Final = shutil.which("node")
_EVALUATE: Final = """
const files = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const out = files.map(file => {
  try { const said = new Function(file + '\\nreturn prompt;')(); return typeof said === 'string' ? said : null; }
  catch (error) { return null; }
});
process.stdout.write(JSON.stringify(out));
"""


def _evaluated(files: Sequence[str]) -> list[str | None]:
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", _EVALUATE], input=json.dumps(list(files)), capture_output=True, check=True, text=True
    )
    out: list[str | None] = json.loads(done.stdout)
    return out


def _script(literal: str, newline: str = "\n") -> str:
    return f"// é 😀\nconst name = 'x';\nconst prompt = {literal}; // é\n".replace("\n", newline)


def _javascript_escaped(text: str, quote: str) -> str:
    out = text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\r", "\\r")
    out = re.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", out)
    return out.replace("${", "\\${") if quote == "`" else out.replace("\n", "\\n")


def _javascript_embedding(name: str, path: str, quote: str, newline: str = "\n") -> Embedding:
    return Embedding(
        name,
        "javascript",
        path,
        lambda text: _script(quote + _javascript_escaped(text, quote) + quote, newline),
        _evaluated,
        silent=_PROGRAM,
    )


_JAVASCRIPT: Final = [
    _javascript_embedding("a JavaScript string in single quotes", "a.js", "'"),
    _javascript_embedding("a JavaScript string in double quotes", "a.mjs", '"'),
    _javascript_embedding("a template literal", "a.ts", "`"),
    _javascript_embedding("a template literal with CR LF", "a.tsx", "`", "\r\n"),
]


# --- XML ----------------------------------------------------------------------------------------------------------


def _xml(file: str) -> Any:
    from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(file.encode("utf-8"), parser)


#: What is `Action: read_file` in a text and nothing more may be anything in XML.
_LABELS: Final = (0.02, "a label without arguments is no call in the text of XML")


def _sectioned(text: str) -> str:
    return "]]]]><![CDATA[>".join(text.split("]]>"))


_XML: Final = [
    Embedding(
        "text of XML",
        "xml",
        "a.xml",
        lambda text: f"<prompts>\n  <!-- é 😀 -->\n  <prompt name='x'>{escape(text)}</prompt>\n</prompts>\n",
        each_alone(lambda file: _xml(file).findtext("prompt") or ""),
        silent=_LABELS,
    ),
    Embedding(
        "a CDATA section of XML",
        "xml",
        "a.xml",
        lambda text: f"<prompts>\n  <prompt name='x'><![CDATA[{_sectioned(text)}]]></prompt>\n</prompts>\n",
        each_alone(lambda file: _xml(file).findtext("prompt") or ""),
        silent=_LABELS,
    ),
    Embedding(
        "an attribute of XML",
        "xml",
        "a.xml",
        lambda text: f"<prompts>\n  <prompt text={quoteattr(text, {chr(10): '&#10;', chr(9): '&#9;'})}/>\n</prompts>\n",
        each_alone(lambda file: _xml(file).find("prompt").get("text")),
        silent=_LABELS,
    ),
    Embedding(
        "text of POML",
        "xml",
        "a.poml",
        # Two braces begin an expression in POML.
        lambda text: (
            None
            if "{{" in text
            else f"<poml>\n  <role>é</role>\n  <output-format>{escape(text)}</output-format>\n</poml>\n"
        ),
        each_alone(lambda file: _xml(file).findtext("output-format") or ""),
        silent=_LABELS,
    ),
]


# --- Texts that are read from top to bottom -----------------------------------------------------------------------

_END: Final = "\n\nThe end.\n"


def _flow(
    name: str,
    host: str,
    path: str,
    before: str,
    after: str,
    tags: Mapping[str, str],
    markers: str = "",
    template: str | None = None,
    *,
    by_setting: bool = False,
) -> Embedding:
    """Return an embedding between texts with template code in them; `tags` says what each piece of code means."""

    def is_for(file: str) -> str:
        for tag, plain in tags.items():
            file = file.replace(tag, plain)
        return file

    def write(text: str) -> str | None:
        return None if markers and re.search(markers, text) else before + text + _END + after

    return Embedding(
        name,
        host,
        path,
        write,
        each_alone(is_for),
        settings={"template": template} if by_setting else {},
        template=template,
        silent=(0.08, "a closing marker that is missing may stand behind the tag") if after else (0.0, ""),
        text_path=f"case{'.txt' if host == 'plain' else '.md'}",
        context=lambda text: is_for(before + text + _END + after),
        after=len(_END) + len(is_for(after)),
    )


_JINJA: Final = r"\{[{%#]"
_FLOW: Final = [
    _flow("Markdown", "markdown", "a.md", "# Title é 😀\n\nProse, and *more*.\n\n", "", {}),
    _flow("plain text", "plain", "a.txt", "Title é 😀\n\nProse.\n\n", "", {}),
    _flow(
        "Markdown in Jinja", "markdown", "a.md.j2", "Hello {{ name }} 😀,\n\n", "", {"{{ name }}": "x"}, _JINJA, "jinja"
    ),
    _flow(
        "a branch in Jinja",
        "markdown",
        "a.md.jinja",
        "{% if x -%}\n",
        "{% endif %}",
        {"{% if x -%}\n": "", "{% endif %}": ""},
        _JINJA,
        "jinja",
    ),
    _flow(
        "a loop in Jinja by setting",
        "markdown",
        "a.md",
        "{% for a in b %}\n\n",
        "{% endfor %}",
        {"{% for a in b %}": "", "{% endfor %}": ""},
        _JINJA,
        "jinja",
        by_setting=True,
    ),
    _flow(
        "Markdown in Handlebars",
        "markdown",
        "a.md.hbs",
        "Hello {{name}} 😀\n\n",
        "",
        {"{{name}}": "x"},
        r"\{\{|\\$",
        "handlebars",
    ),
    _flow(
        "a block in Handlebars",
        "markdown",
        "a.md.handlebars",
        "Go.\n\n{{#if x}}\n",
        "{{/if}}",
        {"{{#if x}}\n": "", "{{/if}}": ""},
        r"\{\{|\\$",
        "handlebars",
    ),
    _flow(
        "a string.Template",
        "markdown",
        "a.md",
        "Dear $name, ${title}:\n\n",
        "",
        {"$name": "x", "${title}": "y"},
        r"\$",
        "dollar",
        by_setting=True,
    ),
    Embedding(
        "a format string",
        "markdown",
        "a.md",
        lambda text: "Dear {name}:\n\n" + text.replace("{", "{{").replace("}", "}}") + _END,
        each_alone(lambda file: file.format(name="x")),
        settings={"template": "format"},
        template="format",
        context=lambda text: f"Dear x:\n\n{text}{_END}",
        after=len(_END),
    ),
    _flow(
        "the body of a Prompty file",
        "prompt",
        "a.prompty",
        "---\nname: é 😀\n---\nsystem:\n",
        "",
        {},
        _JINJA,
        "jinja",
    ),
]


# --- Chat logs ----------------------------------------------------------------------------------------------------


def _turn(head: str, tail: str) -> Embedding:
    """Return the embedding of a text as one turn of a log, which no result and no token of a turn's end may divide."""
    divided = re.compile(r"Observation:|<\|im_end\|>")
    return Embedding(
        f"a turn of a chat log behind {head.splitlines()[-1]!r}",
        "chat-log",
        "a.log",
        lambda text: head + text + tail if text.strip() == text and not divided.search(text) else None,
        each_alone(lambda file: file.removeprefix(head).removesuffix(tail)),
    )


_CHAT_LOGS: Final = [
    _turn(
        "[2025-03-01 10:00:01] User: é 😀\n[2025-03-01 10:00:02] Assistant:\n",
        "\n[2025-03-01 10:00:03] User: Thanks.\n",
    ),
    _turn("<|im_start|>user\nGo 😀<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n"),
]

# --- Notebooks ----------------------------------------------------------------------------------------------------


def _notebook(source: str | list[str], kind: str, *, ascii_only: bool = False) -> str:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1\n", "print('é 😀')"]},
        {"cell_type": kind, "metadata": {"tags": ["😀"]}, "source": source},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1, ensure_ascii=ascii_only) + "\n"


def _cell(file: str) -> str:
    return "".join(json.loads(file)["cells"][1]["source"])


_NOTEBOOK: Final = [
    Embedding(
        "a Markdown cell of a notebook",
        "notebook",
        "a.ipynb",
        lambda text: _notebook(re.findall(r"[^\n]*\n|[^\n]+", text), "markdown"),
        each_alone(_cell),
    ),
    Embedding(
        "a cell of a notebook in one string in ASCII",
        "notebook",
        "a.ipynb",
        lambda text: _notebook([text], "markdown", ascii_only=True),
        each_alone(_cell),
    ),
    Embedding(
        "a string in a code cell of a notebook",
        "notebook",
        "a.ipynb",
        lambda text: _notebook(re.findall(r"[^\n]*\n", _assigned(f'"""{_python_escaped(text, _TRIPLE)}"""')), "code"),
        each_alone(lambda file: _python(_cell(file))),
        silent=_PROGRAM,
    ),
]


EMBEDDINGS: Final[list[Embedding]] = [
    *(*_JSON, *_YAML, *_PYTHON, *_JAVASCRIPT, *_XML, *_FLOW, *_CHAT_LOGS),
    *_NOTEBOOK,
]


# --- Arguments in a provider's own fields -------------------------------------------------------------------------


class Arguments(NamedTuple):
    """The JSON arguments of a call in `source`'s text: where they are there, and the tool that is called."""

    source: Material
    span: Span
    tool: str


#: Diagnostics about what is around arguments in a text, which a string of its own has not.
_MARKERS: Final = frozenset({"TC101", "TC103", "TC112", "TC113"})
_AROUND: Final = {False: _MARKERS, True: _MARKERS | {"TC402", "TC202"}}


@cache
def arguments() -> tuple[Arguments, ...]:
    """Return the arguments, written as JSON objects, in which something is found and around which nothing is.

    Where a string ends is a guess if its line breaks are: what follows the arguments has a say in that.
    """
    found: list[Arguments] = []
    for source in material():
        snapshot = open_snapshot(source.text, path="case.md", registry=source.registry, settings=source.settings)
        placed = list(snapshot.placed_calls())
        call = placed[0].call if len(placed) == 1 else None
        if call is None or call.tool is None or not isinstance(call.arguments, JsonValue):
            continue
        inner = bool(call.arguments.path)
        span = placed[0].raw_span(call.arguments.span if inner else call.body)
        seen = diagnostics(snapshot)
        in_json = re.match(r"\s*\{\s*(?:\"|'|[A-Za-z]\w*:|\})", span.of(source.text)) and call.dialect not in _NOT_JSON
        guessed = any(each.code == "TC206" and not any(fix.is_safe for fix in each.fixes) for each in seen)
        within = all(span.covers(each.span) and each.code not in _AROUND[inner] for each in seen)
        if in_json and within and not guessed:
            found.append(Arguments(source, span, call.tool))
    return tuple(found)


#: Dialects whose arguments are in braces and yet no JSON, or JSON in a string of their own.
_NOT_JSON: Final = frozenset({"gemma", "yaml", "pythonic", "dsml", "openai-json"})


def _function(tool: str, text: str) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": text}}
    answer = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    asked = {"role": "user", "content": "Go \u00e9 \U0001f600"}
    return {"messages": [asked, {"role": "assistant", "content": None, "tool_calls": [call]}, answer]}


def _called(value: Any) -> str:
    return str(_dug(value, "messages", 1, "tool_calls", 0, "function", "arguments"))


class Field(NamedTuple):
    """A field of a file that holds arguments as a string: how it is written, and read by the file's own parser."""

    name: str
    shape: str
    host: str
    path: str
    write: Callable[[str, str], str]
    decode: Decoder


FIELDS: Final = [
    Field(
        "OpenAI's arguments",
        "openai-chat",
        "json",
        "a.json",
        lambda tool, text: json.dumps(_function(tool, text), ensure_ascii=False),
        each_alone(lambda file: _called(json.loads(file))),
    ),
    Field(
        "OpenAI's arguments in ASCII, laid out with CR LF",
        "openai-chat",
        "json",
        "a.json",
        lambda tool, text: json.dumps(_function(tool, text), indent=2).replace("\n", "\r\n"),
        each_alone(lambda file: _called(json.loads(file))),
    ),
    Field(
        "OpenAI's arguments behind a byte order mark",
        "openai-chat",
        "jsonl",
        "a.jsonl",
        lambda tool, text: "\ufeff" + json.dumps(_function(tool, text)) + "\n" + json.dumps(chat("x")) + "\n",
        each_alone(lambda file: _called(json.loads(file.removeprefix("\ufeff").split("\n")[0]))),
    ),
    Field(
        "a function call of OpenAI Responses",
        "openai-responses",
        "json",
        "a.json",
        lambda tool, text: json.dumps(
            {
                "object": "response",
                "id": "resp_1",
                "status": "completed",
                "output": [
                    {
                        "type": "function_call",
                        "id": "fc_1",
                        "arguments": text,
                        "call_id": "call_1",
                        "name": tool,
                        "status": "completed",
                    }
                ],
            },
            ensure_ascii=False,
        ),
        each_alone(lambda file: str(_dug(json.loads(file), "output", 0, "arguments"))),
    ),
    Field(
        "OpenAI's arguments in a YAML literal",
        "openai-chat",
        "yaml",
        "a.yaml",
        lambda tool, text: str(_block("|", json.dumps(_function(tool, text), ensure_ascii=False, indent=1) + "\n")),
        each_alone(lambda file: _called(json.loads(_prompt(file)))),
    ),
    Field(
        "OpenAI's arguments in a double-quoted YAML scalar",
        "openai-chat",
        "yaml",
        "a.yaml",
        lambda tool, text: _yaml_double(json.dumps(_function(tool, text))),
        each_alone(lambda file: _called(json.loads(_prompt(file)))),
    ),
]
