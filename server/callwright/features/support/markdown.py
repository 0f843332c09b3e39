"""Descriptions: a registry's documentation of a tool or a parameter, as inert Markdown.

Owns: the words, and their escaping. Texts of tools are not trusted, so none of them becomes a link, an image, a heading
or HTML. Must not know: where a description is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.tools.hints import hint_sentence
from callwright.tools.parameters import Parameter, enum_of, required_of, types_of

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema

#: How much of one text is shown, in characters, and how many values of a list.
TEXT_LIMIT: Final = 1_500
VALUES_LIMIT: Final = 20
#: Up to so many listed values, in so many characters, mean their type.
_FEW, _SHORT = 4, 40
_ACTIVE = re.compile(r"[\\`*_{}\[\]()#+\-.!|~>:@$=/]")
_MARKUP = re.compile(r"\\(?P<own>.)|\*\*|`++|^---$\n\n", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_REMEMBERED: Final = 4_096
_STATED: dict[int, tuple[ToolSchema, str]] = {}
_LIMITS: Final = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
    "minLength": "characters, at least",
    "maxLength": "characters, at most",
    "minItems": "items, at least",
    "maxItems": "items, at most",
    "pattern": "must match",
    "format": "format",
}


def escape(text: str) -> str:
    """Return text as Markdown that shows it as it is: escaped, one paragraph for each, and no longer than the limit."""
    if len(text) > TEXT_LIMIT:
        text = text[:TEXT_LIMIT].rstrip() + "…"
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    lines = (line.strip() for line in text.split("\n"))
    escaped = (_ACTIVE.sub(r"\\\g<0>", line).replace("&", "&amp;").replace("<", "&lt;") for line in lines)
    return "\n".join(escaped).strip()


def code(text: str) -> str:
    """Return text as a code span, whatever back-ticks it holds."""
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s+", " ", text[:TEXT_LIMIT]))
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def plain(markdown: str) -> str:
    """Return one of our descriptions without its markup, for a client that shows none."""
    return _MARKUP.sub(r"\g<own>", markdown).replace("&lt;", "<").replace("&amp;", "&")


def markup_content(text: str, formats: Collection[str]) -> dict[str, str]:
    """Return a description in one of the formats that a client shows."""
    if "markdown" in formats:
        return {"kind": "markdown", "value": text}
    return {"kind": "plaintext", "value": plain(text)}


def type_words(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """Return the types that a schema allows in words: `string`, `array of string`, `integer or null`, or `any`."""
    values = enum_of(schema, root)
    if values and len(values) <= _FEW:
        shown = " | ".join(_json(value) for value in values)
        if len(shown) <= _SHORT:
            return shown
    types = types_of(schema, root)
    if types is None:
        return "any"
    words: list[str] = []
    for name in sorted(types, key=lambda one: (one == "null", one)):
        items = schema.get("items")
        if name == "array" and isinstance(items, Mapping):
            words.append(f"array of {type_words(items, root)}")
        elif not (name == "integer" and "number" in types):
            words.append(name)
    return " or ".join(words) or "nothing"


def tool_markdown(tools: Sequence[ToolSchema]) -> str:
    """Return the hover text of a tool; several where sets clash."""
    return "\n\n---\n\n".join(dict.fromkeys(_remembered(tool) for tool in tools[:3]))


def _remembered(tool: ToolSchema) -> str:
    """Return the documentation of a tool; completion asks for all tools at once, and again with every `<`."""
    known = _STATED.get(id(tool))
    if known is None or known[0] is not tool:
        if len(_STATED) >= _REMEMBERED:
            _STATED.clear()
        known = _STATED[id(tool)] = (tool, _tool(tool))
    return known[1]


def _tool(tool: ToolSchema) -> str:
    head = f"**{code(tool.name)}**"
    if tool.title:
        head += f" {escape(tool.title)}"
    parts = [head]
    if tool.deprecated is not None:
        parts.append(f"**Deprecated**{': ' + escape(tool.deprecated) if tool.deprecated else ''}")
    if tool.description:
        parts.append(escape(tool.description))
    hints = hint_sentence(tool.annotations)
    if hints:
        parts.append(hints)
    lines = [_line(parameter, tool) for parameter in _ordered(tool)]
    if lines:
        parts.append("\n".join(lines))
    file = (tool.origin.file or "").replace("\\", "/").rpartition("/")[2]
    source = tool.origin.tool_set or file
    if source:
        parts.append(f"Tool set: {code(source)}" + (f", from {code(file)}" if file and file != source else ""))
    return "\n\n".join(parts)


def _ordered(tool: ToolSchema) -> list[Parameter]:
    """Return the parameters, required ones first, aliases and deprecated ones last."""
    return sorted(
        tool.parameters.values(), key=lambda one: (one.deprecated or one.alias_of is not None, not one.required)
    )


def _line(parameter: Parameter, tool: ToolSchema) -> str:
    words = [escape(type_words(parameter.schema, tool.input_schema))]
    if parameter.required:
        words.append("required")
    if parameter.deprecated:
        words.append("deprecated")
    line = f"- {code(parameter.name)} ({', '.join(words)})"
    description = escape(parameter.description).replace("\n", " ")
    return f"{line}: {description}" if description else line


def schema_markdown(
    name: str,
    schemas: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    *,
    of: str,
    required: bool | None = None,
    alias_of: str | None = None,
    relation: str = "argument of",
) -> str:
    """Return the documentation of one argument: `schemas` are those that apply to it, each with its root; `of` is its
    tool, and `relation` what the argument is to it."""
    parts: list[str] = []
    types = " or ".join(dict.fromkeys(type_words(schema, root) for schema, root in schemas[:4])) or "any"
    words = [escape(types)] + (["required"] if required else [] if required is None else ["optional"])
    if any(schema.get("deprecated") is True for schema, _ in schemas):
        words.append("deprecated")
    parts.append(f"{code(name)} ({', '.join(words)}), {relation} {code(of)}")
    if alias_of:
        parts.append(f"Another name of {code(alias_of)}.")
    for schema, root in schemas[:4]:
        description = schema.get("description")
        if isinstance(description, str) and description and escape(description) not in parts:
            parts.append(escape(description))
        values = enum_of(schema, root)
        if values and len(values) > _FEW:
            shown = ", ".join(code(_json(value)) for value in values[:VALUES_LIMIT])
            parts.append(f"One of {shown}" + (", …" if len(values) > VALUES_LIMIT else ""))
        facts = [f"{words} {code(_plain(schema[key]))}" for key, words in _LIMITS.items() if key in schema]
        if "default" in schema:
            facts.append(f"default {code(_json(schema['default']))}")
        if facts:
            parts.append("; ".join(facts))
        members = schema.get("properties")
        if isinstance(members, Mapping) and members:
            needed = required_of(schema, root)
            parts.append(
                "\n".join(
                    f"- {code(str(key))} ({escape(type_words(member, root))}{', required' if key in needed else ''})"
                    for key, member in list(members.items())[:VALUES_LIMIT]
                    if isinstance(member, Mapping)
                )
            )
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:200]


def _plain(value: Any) -> str:
    return value[:200] if isinstance(value, str) else _json(value)
