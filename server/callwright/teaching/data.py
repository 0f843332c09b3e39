"""Lists of tools as data: the same descriptions in XML, JSON or YAML, for prompts that give them so.

Owns: the three formats and how each keeps an author's text from being read as anything else. Must not know: dialects,
what is around a list.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from callwright.teaching.field_texts import Field, cleaned, fields, signature, without_extensions
from callwright.text.yaml_scalars import is_text
from callwright.tools.model import ToolSchema
from callwright.tools.used_definitions import without_unused

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*+(?: [A-Za-z_][\w./-]*+)*+")


def as_json(tools: Sequence[ToolSchema], *, terse: bool) -> str:
    """Return the tools as a JSON list, or one object a line."""
    listed = [_definition(tool) for tool in tools]
    if terse:
        return "\n".join(_json(one) for one in listed)
    return _json(listed, indent=2)


def as_yaml(tools: Sequence[ToolSchema], *, terse: bool) -> str:
    """Return the tools as a YAML list."""
    listed = [_signed(tool) if terse else _definition(tool) for tool in tools]
    return "\n".join(line for one in listed for line in _yaml_item(one))


def as_xml(tools: Sequence[ToolSchema], *, terse: bool) -> str:
    """Return the tools as XML."""
    lines = ["<tools>"]
    for tool in tools:
        if terse:
            lines.append(f"  <tool signature={_attribute(signature(tool))}>{_text(tool.description)}</tool>")
            continue
        lines += [f"  <tool name={_attribute(tool.name)}>", f"    <description>{_text(tool.description)}</description>"]
        for one in fields(tool):
            lines += _xml_field(one, "    ")
        lines.append("  </tool>")
    return "\n".join([*lines, "</tools>"])


def _signed(tool: ToolSchema) -> dict[str, Any]:
    return {"signature": signature(tool), "description": cleaned(tool.description)}


def _definition(tool: ToolSchema) -> dict[str, Any]:
    schema = without_extensions(tool.input_schema)
    dropped = {name for name, one in tool.parameters.items() if one.alias_of or (one.deprecated and not one.required)}
    if dropped and isinstance(schema.get("properties"), dict):
        schema["properties"] = {name: one for name, one in schema["properties"].items() if name not in dropped}
    return {"name": tool.name, "description": cleaned(tool.description), "parameters": without_unused(schema)}


def _json(value: Any, indent: int | None = None) -> str:
    """Return JSON in which no tag, marker or back-tick is: each is written with its escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return re.sub(r"[<`\ud800-\udfff\ufdd0]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _yaml_item(value: Mapping[str, Any]) -> Iterator[str]:
    for index, line in enumerate(_yaml_lines(value)):
        yield ("- " if index == 0 else "  ") + line


def _yaml_lines(value: Any) -> Iterator[str]:
    entries = value.items() if isinstance(value, Mapping) else ((None, one) for one in value)
    for key, one in entries:
        lead = "- " if key is None else f"{_yaml_scalar(str(key))}:"
        if isinstance(one, Mapping | list) and one:
            if key is None:
                for index, line in enumerate(_yaml_lines(one)):
                    yield ("- " if index == 0 else "  ") + line
            else:
                yield lead
                for line in _yaml_lines(one):
                    yield "  " + line
        else:
            yield lead + ("" if key is None else " ") + _yaml_scalar(one)


def _yaml_scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.isascii() and is_text(value):
        return value
    return _json(value)


def _xml_field(field: Field, indent: str) -> Iterator[str]:
    notes = "".join(f"; {note}" for note in field.notes)
    stated = f' type={_attribute((field.type + notes).replace("`", ""))} required="{str(field.required).lower()}"'
    opener = f"{indent}<parameter name={_attribute(field.name)}{stated}>"
    if not field.members:
        yield f"{opener}{_text(field.description)}</parameter>"
        return
    yield opener
    if field.description:
        yield f"{indent}  <description>{_text(field.description)}</description>"
    for one in field.members:
        yield from _xml_field(one, indent + "  ")
    yield f"{indent}</parameter>"


def _text(text: str) -> str:
    return _ticks(escape(" ".join(cleaned(text).split())))


def _attribute(text: str) -> str:
    return _ticks(quoteattr(" ".join(cleaned(text).split())))


def _ticks(text: str) -> str:
    return text.replace("```", "&#96;``").replace("~~~", "&#126;~~")
