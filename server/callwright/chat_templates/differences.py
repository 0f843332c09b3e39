"""How the calls that were read back differ from those that were made, and why.

Owns: `difference_of`, `is_encoded_twice`, `is_cut_by_some`, `unread_parts`. Must not know: rules, how probes are
rendered.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from callwright.chat_templates.probes import Kind
from callwright.chat_templates.proof import Difference, ProbeOutcome, Proof, Tried

#: How filters of Jinja write quotes. No value of a probe has these.
_QUOTES: Final = ("&#34;", "&#39;", "&quot;")
#: How a list of content parts begins, written by Python or as JSON.
_PARTS: Final = re.compile(r"\[\{\s*+(['\"])type\1:\s*+\1text\1")


def difference_of(proof: Proof, tried: Tried) -> Difference | None:
    """Return how the calls of a probe differ; None where they are the same, or were not rendered."""
    if tried.outcome not in (ProbeOutcome.DIFFERS, ProbeOutcome.UNREAD):
        return None
    names = [call.name for call in tried.probe.calls]
    if _is_of_string(proof, tried):
        return Difference.STRING
    if _is_lost(tried):
        return Difference.LOST
    if any(entity in tried.reply_text for entity in _QUOTES):
        return Difference.HTML
    of_value = _of_value(proof, tried)
    if [call.tool for call in tried.calls] != names:
        return of_value or Difference.UNREAD
    kinds = {
        _of_arguments(made.arguments, read.arguments) for made, read in zip(tried.probe.calls, tried.calls, strict=True)
    } - {None}
    if not kinds:
        return of_value or Difference.INVALID
    special = kinds - {Difference.CHANGED}
    if special:
        return special.pop()
    return of_value or Difference.CHANGED


def _is_lost(tried: Tried) -> bool:
    """Return whether the name of a call is not in the rendering."""
    return any(call.name not in tried.reply_text for call in tried.probe.calls)


def _is_of_string(proof: Proof, tried: Tried) -> bool:
    """Return whether a probe differs because its arguments are a string, as all others with strings do."""
    plain, other = proof.get("value: plain", "string"), proof.other_form(tried)
    if tried.form == "object" or plain is None or plain.outcome is ProbeOutcome.SAME or other is None:
        return False
    if _is_lost(tried) and _is_lost(other):
        return False
    plain_object = proof.get("value: plain")
    if plain_object is not None and plain_object.outcome is ProbeOutcome.SAME:
        return True
    read = [call.arguments for call in tried.calls]
    return other.outcome is ProbeOutcome.DIFFERS and read != [call.arguments for call in other.calls]


def is_encoded_twice(proof: Proof, tried: Tried) -> bool:
    """Return whether the string of the arguments is written as a JSON string where an object is written as it is."""
    other = proof.other_form(tried)
    return (
        tried.form == "string"
        and bool(tried.probe.calls)
        and '{\\"' in tried.reply_text
        and other is not None
        and other.rendered is not None
        and '{\\"' not in other.reply_text
    )


def is_cut_by_some(proof: Proof, tried: Tried) -> bool:
    """Return whether a closer in a value ends it for some parsers, since the dialect writes texts as they are."""
    quoted = proof.get("value: double-quotes", tried.form)
    written = quoted is not None and quoted.outcome is ProbeOutcome.SAME and 'said "now"' in quoted.reply_text
    return tried.ambiguous and written


def unread_parts(tried: Tried) -> list[int]:
    """Return where a rendering has a list of content parts as Python or JSON write it, and not their texts.

    A list that is the value of a member is JSON that the template writes, as its format wants it.
    """
    text = tried.rendered.text if tried.rendered is not None else ""
    return [each.start() for each in _PARTS.finditer(text) if not text[: each.start()].rstrip().endswith(":")]


def _of_value(proof: Proof, tried: Tried) -> Difference | None:
    """Return what a value does to a call that is read where the value is plain."""
    plain = proof.get("value: plain", tried.form)
    if tried.probe.kind is not Kind.VALUE or plain is None or plain.outcome is not ProbeOutcome.SAME:
        return None
    if tried.probe.name.startswith(("value: marker ", "value: special token ")):
        return Difference.MARKER
    name = tried.probe.name.removeprefix("value: ")
    return Difference.UNESCAPED if name in ("double-quotes", "single-quotes", "backslashes", "newlines") else None


def _of_arguments(made: Mapping[str, Any], read: Mapping[str, Any]) -> Difference | None:
    """Return how arguments differ that have the same names; CHANGED also where the names differ."""
    if made.keys() != read.keys():
        return Difference.CHANGED
    for name, value in made.items():
        other = read[name]
        if isinstance(other, str) and other != value:
            if isinstance(value, str) and html.unescape(other) == value:
                return Difference.HTML
            if isinstance(value, str | dict | list) and _decoded(other) == value:
                return Difference.ENCODED_TWICE
            if isinstance(value, str) and other.strip() == value.strip():
                return Difference.SPACE
        if other != value or isinstance(other, bool) != isinstance(value, bool):
            return Difference.CHANGED
    return None


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
