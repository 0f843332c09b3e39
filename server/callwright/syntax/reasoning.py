"""Reasoning blocks: a model's reasoning before its answer or calls, and channels that are not for tools.

Owns: the markers, and the search for the end of a block. Must not know: calls, dialects, settings.

The markers are those of the chat templates of the models named beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callwright.syntax.searches import Searches

#: Each opening marker with the literal markers that end its block.
BLOCKS: Final[Mapping[str, tuple[str, ...]]] = {
    # DeepSeek R1, Qwen 3, GLM 4.5, Kimi K2 and most others.
    "<think>": ("</think>",),
    # Prompts for Claude, Cline and Roo Code.
    "<thinking>": ("</thinking>",),
    "<thought>": ("</thought>",),
    "<reasoning>": ("</reasoning>",),
    "<scratchpad>": ("</scratchpad>",),
    # Seed-OSS and MiniMax M3.
    "<seed:think>": ("</seed:think>",),
    "<mm:think>": ("</mm:think>",),
    # Hunyuan 3 and 4, published and served.
    "<think:opensource>": ("</think:opensource>",),
    "<think:6124c78e>": ("</think:6124c78e>",),
    # LongCat.
    "<longcat_think>": ("</longcat_think>",),
    # Solar Open 2, and Solar Open.
    "<|think:start|>": ("<|think:end|>",),
    "<|think|>": ("<|end|>",),
    # Magistral and Ministral.
    "[THINK]": ("[/THINK]",),
    # Cohere's Command A.
    "<|START_THINKING|>": ("<|END_THINKING|>",),
    # Apertus.
    "<|inner_prefix|>": ("<|inner_suffix|>",),
    # Gemma 4.
    "<|channel>thought": ("<channel|>",),
    # Kimi K3.
    "<|open|>think<|sep|>": ("<|close|>think<|sep|>",),
    # K2 Horizon, by effort.
    "<ifm|think>": ("</ifm|think>",),
    "<ifm|think_fast>": ("</ifm|think_fast>",),
    "<ifm|think_faster>": ("</ifm|think_faster>",),
    # Inkling.
    "<|content_thinking|>": ("<|end_message|>", "<|content_model_end_sampling|>"),
    # PLaMo 3.
    "<|plamo:begin_think:plamo|>": ("<|plamo:end_think:plamo|>",),
    # Harmony: the analysis channel, without a recipient.
    "<|channel|>analysis<|message|>": ("<|end|>", "<|return|>", "<|start|>"),
    # Muse: text for the user, or for the model itself, is not a call.
    "to=user<|message|>": ("<|eom|>", "<|eot|>"),
    "to=self<|message|>": ("<|eom|>", "<|eot|>"),
}
OPENERS: Final = tuple(sorted(BLOCKS, key=len, reverse=True))
#: Closing markers that end nothing but reasoning: they name it.
CLOSERS: Final = tuple(
    closer
    for closers in BLOCKS.values()
    for closer in closers
    if any(word in closer.lower() for word in ("think", "thought", "reason", "scratchpad"))
)
_TAG = re.compile(r"<([a-z]++)>")


def block_opener(text: str, at: int) -> str | None:
    """Return the opening marker that is at `at`, or None."""
    return next((opener for opener in OPENERS if text.startswith(opener, at)), None)


def tag_name(opener: str) -> str | None:
    """Return the name in an opener that is a plain tag, which could be a tool's as well; None for every other."""
    match = _TAG.fullmatch(opener)
    return match[1] if match is not None else None


def block_end(text: str, at: int, opener: str, searches: Searches) -> int | None:
    """Return where the block that `opener` begins at `at` ends, its closing marker included; None if it does not end.

    `searches` are those of the text.
    """
    found = [(searches.find(text, closer, at + len(opener)), closer) for closer in BLOCKS[opener]]
    ends = [place + (0 if closer == "<|start|>" else len(closer)) for place, closer in found if place >= 0]
    return min(ends, default=None)
