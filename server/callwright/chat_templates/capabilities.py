"""What a chat template supports, by its renderings.

Owns: `capabilities_of`. Must not know: how probes are rendered, rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from callwright.chat_templates.differences import unread_parts
from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Capabilities, ProbeOutcome, Proof, Tried


def capabilities_of(proof: Proof, markers: Sequence[str]) -> Capabilities:
    """Return what the probes of a template show that it supports; `markers` are those that it writes."""
    one = proof.get("one-call"), proof.get("one-call", "string")
    two = proof.get("two-calls"), proof.get("two-calls", "string")
    calls = _any(one, _is_written)
    return Capabilities(
        tools=_any((proof.get("tools-only"),), _names_tools),
        calls=calls,
        parallel_calls=_any(two, _is_same) if calls else calls,
        ids=_any(one, _has_id) if calls else None,
        object_arguments=_supports(one[0]),
        string_arguments=_supports(one[1]),
        reasoning=_any((proof.get("call-after-reasoning"), proof.get("call-after-reasoning", "string")), _reasons),
        system=_any((proof.get("system"),), _has_words),
        content_parts=_any((proof.get("content-parts"), proof.get("content-parts", "string")), _has_part),
        prefix_preserving=_is_prefix_preserving(proof),
        markers=tuple(markers),
    )


def _any(tried: Sequence[Tried | None], holds: Callable[[Tried], bool]) -> bool | None:
    """Return whether something holds of one of the probes that were rendered; False where all were refused."""
    made = [each for each in tried if each is not None]
    rendered = [each for each in made if each.rendered is not None]
    if rendered:
        return any(map(holds, rendered))
    return False if made and all(each.outcome is ProbeOutcome.SKIPPED for each in made) else None


def _is_same(tried: Tried) -> bool:
    return tried.outcome is ProbeOutcome.SAME


def _is_written(tried: Tried) -> bool:
    return all(call.name in tried.reply_text for call in tried.probe.calls)


def _names_tools(tried: Tried) -> bool:
    text = tried.rendered.text if tried.rendered is not None else ""
    return all(tool["function"]["name"] in text for tool in TOOLS)


def _has_id(tried: Tried) -> bool:
    return all(call.id is not None and call.id in tried.reply_text for call in tried.probe.calls)


def _reasons(tried: Tried) -> bool:
    return "Quillmoor lies inland." in tried.reply_text


def _has_words(tried: Tried) -> bool:
    return tried.rendered is not None and all(word in tried.rendered.text for word in tried.probe.words)


def _has_part(tried: Tried) -> bool:
    return tried.rendered is not None and "Let me search." in tried.rendered.text and not unread_parts(tried)


def _supports(tried: Tried | None) -> bool | None:
    if tried is None:
        return None
    return tried.outcome is ProbeOutcome.SAME


def _is_prefix_preserving(proof: Proof) -> bool | None:
    """Return whether what is rendered stays the same when the conversation goes on."""
    shorter, longer = proof.get("result"), proof.get("follow-up")
    forms = [(shorter, longer), (proof.get("result", "string"), proof.get("follow-up", "string"))]
    pairs = [(a.rendered.text, b.rendered.text) for a, b in forms if a and b and a.rendered and b.rendered]
    return all(longer.startswith(shorter) for shorter, longer in pairs) if pairs else None
