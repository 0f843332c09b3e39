"""Writing values: as JSON, and as child elements.

Owns: the text of a value in these two encodings, and the reasons why it cannot be written. Whether the text reads back
to the same value under a given schema is for the caller to check. Must not know: dialect modules, schemas.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.protocol import Refusal, RenderStyle, collected
from callwright.syntax.xml import cdata, escape_text
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.xml_text import NOT_XML

#: The maximum width of a call whose JSON is on one line.
LINE_LIMIT: Final = 120
ITEM: Final = "item"
_XML_NAME = compile_later(rf"[A-Za-z_{HOLE}][\w.\-{HOLE}]*+")
_SPLIT_PAIR = compile_later("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = compile_later("[\ud800-\udfff]")

Path = tuple[str | int, ...]


def first_non_finite(value: Any, path: Path = ()) -> Path | None:
    """Return the path of a number that JSON cannot write, or None."""
    if isinstance(value, float):
        return None if math.isfinite(value) else path
    entries = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        found = first_non_finite(entry, (*path, key))
        if found is not None:
            return found
    return None


def json_text(value: Any, *, indent: int | None = None) -> str | Refusal:
    """Return `value` as JSON that all parsers accept: non-ASCII as it is, lone surrogates escaped, numbers finite."""
    bad = first_non_finite(value)
    if bad is not None:
        return Refusal("JSON cannot represent NaN or infinity", bad)
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if _SPLIT_PAIR.search(text):
        return Refusal("JSON reads two surrogates that follow each other as one character")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def guarded(text: str, markers: re.Pattern[str]) -> str:
    """Return JSON `text` in which no string contains a marker literally: its first character is escaped.

    No marker may match outside a string.
    """
    return markers.sub(lambda match: f"\\u{ord(match[0][0]):04x}{match[0][1:]}", text)


def json_body(value: Any, style: RenderStyle, around: int) -> str | Refusal:
    """Return `value` as JSON for a body with `around` characters of markers: one line if it fits, else a block."""
    line = json_text(value)
    if isinstance(line, Refusal) or style.compact or len(line) + around <= LINE_LIMIT:
        return line
    block = json_text(value, indent=max(1, len(style.indent)))
    if isinstance(block, Refusal):
        return block
    return block.replace("\n", "\n" + style.margin)


def id_element(call_id: str | None) -> list[str] | Refusal:
    """Return the `<id>` element of a call as a list of one, nothing if the call has no id."""
    if call_id is None:
        return []
    if call_id.strip() != call_id or not call_id or NOT_XML.search(call_id):
        return Refusal("an element cannot represent the call's id unchanged")
    return [f"<id>{escape_text(call_id)}</id>"]


def guard_closer(text: str, name: str) -> str:
    """Return JSON `text` in which no string contains the closing tag of `name` literally: `<\\/` is the same string.

    Parsers that search for the closing tag would end the call there.
    """
    return text.replace(f"</{name}", f"<\\/{name}")


def xml_children(
    arguments: Mapping[str, Any], style: RenderStyle, *, markup: str | None, depth: int = 1
) -> str | Refusal:
    """Return the arguments as child elements, each on a line of its own unless the style is compact."""
    parts = collected(
        element(name, value, style, (name,), markup=markup, depth=depth) for name, value in arguments.items()
    )
    if isinstance(parts, Refusal):
        return parts
    if style.compact:
        return "".join(parts)
    lead = "\n" + style.margin + style.indent * depth
    return "".join(lead + part for part in parts)


def child_elements(value: Mapping[str, Any] | list[Any]) -> Iterator[tuple[str, str | int, Any]]:
    """Yield the child elements of an object or array: name, step of the path, value."""
    if isinstance(value, Mapping):
        yield from ((str(key), key, entry) for key, entry in value.items())
    else:
        yield from ((ITEM, index, entry) for index, entry in enumerate(value))


def element(name: str, value: Any, style: RenderStyle, path: Path, *, markup: str | None, depth: int) -> str | Refusal:
    """Return one value as an element named `name`."""
    if _XML_NAME.fullmatch(name) is None:
        return Refusal(f"`{name}` is not a valid element name", path)
    if isinstance(value, Mapping | list) and value:
        parts = collected(
            element(key, entry, style, (*path, step), markup=markup, depth=depth + 1)
            for key, step, entry in child_elements(value)
        )
        if isinstance(parts, Refusal):
            return parts
        if style.compact:
            return f"<{name}>{''.join(parts)}</{name}>"
        line = "\n" + style.margin
        inner = "".join(line + style.indent * (depth + 1) + part for part in parts)
        return f"<{name}>{inner}{line}{style.indent * depth}</{name}>"
    text = value_text(value, path, markup=markup)
    if isinstance(text, Refusal):
        return text
    return f"<{name}>{text}</{name}>"


def value_text(value: Any, path: Path, *, markup: str | None) -> str | Refusal:
    """Return a scalar (or an empty container) as element content."""
    if isinstance(value, str):
        return string_content(value, path, markup=markup)
    if isinstance(value, float) and not math.isfinite(value):
        return Refusal("element text cannot represent NaN or infinity", path)
    if isinstance(value, Mapping | list):
        return ""
    return json.dumps(value)


def string_content(value: str, path: Path, *, markup: str | None) -> str | Refusal:
    """Return a string as element content that reads back to the same string.

    One newline directly after the opening tag and one directly before the closing tag belong to the dialect, so a
    string that begins or ends with one gets a second.
    """
    if markup == "raw":
        return _padded(value)
    bad = NOT_XML.search(value)
    if bad is not None:
        return Refusal(f"XML cannot represent the character U+{ord(bad[0]):04X}", path)
    if "\r" in value:
        return _padded(escape_text(value).replace("\r", "&#13;"))
    if "<" in value or "&" in value or "]]>" in value:
        return cdata(value)
    return _padded(value)


def _padded(text: str) -> str:
    lead = "\n" if text.startswith(("\n", "\r")) else ""
    tail = "\n" if text.endswith(("\n", "\r")) else ""
    return lead + text + tail
