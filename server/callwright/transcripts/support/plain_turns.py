"""Plain forms of conversations, which a shape declares as data.

Owns: `PlainTurns` and its parts. Must not know: any single shape, what reads these forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callwright.text.records import NamedTuple, dataclass, field

#: Every kind of value that is not made of others.
SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})
#: Every kind of value.
ANY: Final[frozenset[type]] = SCALARS | {dict, list}


class PlainCall(NamedTuple):
    """The members of a call's entry, which has no others: under `inside`, if that is given, name and arguments are.

    `kind` is the value of its `type`, where it has one. With `is_text` the arguments are JSON in a string.
    """

    id: str
    name: str
    arguments: str
    kind: str = ""
    inside: str = ""
    is_text: bool = False


class PlainResult(NamedTuple):
    """The members of a result, which has no others: `id` is that of its call, `kind` the value of its `type`.

    `failed` is a member that may be there and be false.
    """

    id: str
    content: str
    kind: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class PlainTurns:
    """The plain form of a conversation, an object with its messages under `messages`; other forms are read in full.

    Each message has its speaker under `speaker`, one of `speakers`, each with its role, and its text under `text`.
    `calls` is the list of an assistant's calls, which are like `call`; `results` leads to the list of those that are
    like `result`. Where a message has no such members, calls and results are `blocks` with a `type` in the place of the
    text, or a tool's message is itself a result. Where there is no `call`, calls and results are text. Messages may
    also have `passed` members, which are ignored.

    With `paired`, results follow their calls at once and in their order, with ids that no other call has, and an
    assistant's message follows one of another speaker.

    Besides the messages there may be the `beside` members, each of one of these types, or a text that begins so.
    `tools` leads to definitions of tools, `system` is a member that is a system prompt. `head` is a member with how the
    replies were read, and how many messages before them were not: then only the assistant's messages are read.
    """

    messages: str
    speaker: str
    text: str
    speakers: Mapping[str, str]
    call: PlainCall | None = None
    result: PlainResult | None = None
    calls: str = ""
    results: tuple[str, ...] = ()
    blocks: bool = False
    passed: frozenset[str] = frozenset()
    paired: bool = False
    beside: Mapping[str, frozenset[type] | str] = field(default_factory=dict)
    tools: tuple[str, ...] = ("tools",)
    system: str = ""
    head: str = ""
