"""Conversations whose calls are text, read from the bytes of a line: what stands around them recurs and is known.

Owns: `Frames`, which knows how such lines begin and end, and `Spoken`, what is said in one. Must not know: tools, what
a text may hold, whether anything is to be said about it.

A line of this kind is a list of entries of two members each, and is cut where one entry ends and the next begins: these
marks hold quotes, so they stand in no string. Then what lies between two of them is one string, or it does not decode.
So nothing of a line is made a value but its texts, and no name can be given twice.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright.fastpath.quick_lines import keeps_all, was_met
from callwright.text.holes import HOLE

if TYPE_CHECKING:
    from callwright.fastpath.quick_lines import Codec

#: How many frames are remembered.
_KEPT: Final = 8
#: A frame that is longer is not remembered, and the list begins so far into a line at most.
_LONG: Final = 65_536
_NEAR: Final = 512
_HOLE: Final = HOLE.encode()
_KEY: Final = b'"conversations"'
_START: Final = re.compile(rb'"conversations"(: ?+)\[\{"from"\1"')
_SYSTEM: Final = b"system"
#: Where the last entry of a list may end.
_END: Final = re.compile(rb'"(?<!\\")\}\]')
#: Whose words stand in an entry, by who speaks in it.
_ASSISTANT, _USER, _TOOL = 1, 2, 3
_SPEAKERS: Final = {
    b"gpt": _ASSISTANT,
    b"assistant": _ASSISTANT,
    b"human": _USER,
    b"user": _USER,
    b"tool": _TOOL,
}
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
#: A member that says more of a conversation than a label.
_DEFINITIONS: Final = "tools"


class Spoken(NamedTuple):
    """What is said in a conversation: texts as they are decoded, and of some of them as they are written.

    `calling` are texts of the assistant that hold a closing tag, `plain` the others, with those of the user that are
    not `labelled`, which begin with a bracket. `told` are the tools'. What is written is JSON without its quotes.
    """

    plain: list[str]
    calling: list[str]
    labelled: list[str]
    told: list[str]
    written_calling: list[bytes]
    written_labelled: list[bytes]
    written_told: list[bytes]


class _Frame(NamedTuple):
    """What stands around the entries of a line, from the name of their list on.

    `start` ends, and `end` begins, within the strings of the first and the last entry. `before` are the names and types
    of what stands in front of the list; of that, `labels` is the plainest form. `comma` parts entries, `colon` the
    speaker of one from what is said.
    """

    start: bytes
    end: bytes
    before: tuple[Any, ...]
    labels: re.Pattern[bytes]
    comma: bytes
    colon: bytes
    owner: Any


class Frames:
    """The frames of lines that came before, each with its owner: whoever knows what stands there.

    Invariant: of a line that is read here every name is given once, and it is in order if its frame was and its texts
    are. The labels in front have the names that they had then, and are single values of the same types.
    """

    def __init__(self, codec: Codec) -> None:
        self._loads, self._dumps = codec
        self._frames: list[_Frame] = []
        self._seen: dict[bytes, None] = {}

    def read(self, line: bytes) -> tuple[Any, Spoken] | None:
        """Return whose frame a line has, and what is said in it; None where it is not known or not plainly written.

        Raises ValueError where a text is none.
        """
        at = line.find(_KEY, 0, _NEAR)
        if at < 0:
            return None
        for frame in self._frames:
            start, end = frame.start, frame.end
            if line.startswith(start, at) and line.endswith(end):
                first, last = at + len(start), len(line) - len(end)
                if first >= last or (b"\xef" in line and _HOLE in line):
                    return None
                head = line[:at]
                if not frame.labels.fullmatch(head) and self._labels(head) != frame.before:
                    return None
                spoken = self._spoken(line[first:last].split(frame.comma), frame.colon)
                return None if spoken is None else (frame.owner, spoken)
        return None

    def learn(self, line: bytes, owner: Any) -> None:
        """Remember the frame of a line that is known to be in order, where it was met before."""
        if self._dumps is None:
            return
        at = line.find(_KEY, 0, _NEAR)
        begin = _START.match(line, at) if at > 0 else None
        before = self._labels(line[:at]) if at > 0 else None
        if begin is None or before is None or _DEFINITIONS in before:
            return
        space = b" " * (len(begin[1]) - 1)
        comma = b'"},%b{"from":%b"' % (space, space)
        colon = b'",%b"value":%b"' % (space, space)
        first = begin.end()
        if line.startswith(_SYSTEM + colon, first):
            second = line.find(comma, first, first + _LONG)
            if second < 0:
                return
            # The prompt itself has to be one text.
            prompt = line[first + len(_SYSTEM) + len(colon) : second]
            if prompt[-1:] == b"\\" or not _is_text(prompt, self._loads):
                return
            first = second + len(comma)
        border = _END.search(line, max(line.rfind(comma), first))
        if border is None or len(line) - border.start() > _LONG:
            return
        frame = _Frame(line[at:first], line[border.start() :], before, _plainest(before), comma, colon, owner)
        if self._met(frame.start + frame.end) and self._fits(line, first, frame):
            self._frames = [frame, *self._frames[: _KEPT - 1]]

    def _fits(self, line: bytes, first: int, frame: _Frame) -> bool:
        """Return whether a frame is that of its line: all between its halves are entries."""
        try:
            return self._spoken(line[first : -len(frame.end)].split(frame.comma), frame.colon) is not None
        except ValueError:
            return False

    def _met(self, part: bytes) -> bool:
        """Return whether a frame was met before."""
        return was_met(part, self._seen)

    def _labels(self, head: bytes) -> tuple[Any, ...] | None:
        """Return the names in the beginning of a line and the types of their values, each of which is single; None
        where there is more."""
        if head == b"{":
            return ()
        comma = head.rfind(b",")
        if comma < 0 or head[comma + 1 :].strip(b" "):
            return None
        data = head[:comma] + b"}"
        value = self._loads(data)
        if type(value) is not dict or self._dumps is None or not keeps_all(data, self._dumps(value)):
            return None
        types = (*map(type, value.values()),)
        return (*value, *types) if _SCALARS.issuperset(types) else None

    def _spoken(self, entries: list[bytes], colon: bytes) -> Spoken | None:
        """Return what is said in entries, each from its speaker on; None where one is not plainly written."""
        plain: list[bytes] = []
        calling: list[bytes] = []
        labelled: list[bytes] = []
        told: list[bytes] = []
        speakers = _SPEAKERS
        for entry in entries:
            who, _, text = entry.partition(colon)
            if text.endswith(b"\\"):
                # That may take the quote behind it for its own.
                return None
            speaker = speakers.get(who)
            if speaker == _ASSISTANT:
                (calling if b"</" in text else plain).append(text)
            elif speaker == _USER:
                (labelled if text.startswith(b"[") else plain).append(text)
            elif speaker == _TOOL:
                told.append(text)
            else:
                return None
        texts = self._loads(b'["%b"]' % b'","'.join((*calling, *labelled, *told, *plain)))
        # A text that is more than one string makes more of them, or something else.
        if len(texts) != len(entries) or not {*map(type, texts)} <= _TEXT:
            return None
        one = len(calling)
        two = one + len(labelled)
        three = two + len(told)
        return Spoken(texts[three:], texts[:one], texts[one:two], texts[two:three], calling, labelled, told)


_TEXT: Final = frozenset({str})
#: Single values as they are plainly written.
_VALUES: Final = {
    str: rb'"[ !#-\[\]-~]*+"',
    int: rb"-?(?:0|[1-9][0-9]{0,14}+)",
    bool: b"(?:true|false)",
    type(None): b"null",
}


def _plainest(before: tuple[Any, ...]) -> re.Pattern[bytes]:
    """Return the pattern of members of these names and types in front of another one."""
    names, types = before[: len(before) // 2], before[len(before) // 2 :]
    members = (
        rb"%b: ?+%b, ?+" % (re.escape(json.dumps(name).encode()), _VALUES.get(kind, b"(?!)"))
        for name, kind in zip(names, types, strict=True)
    )
    return re.compile(rb"\{%b" % b"".join(members))


def _is_text(written: bytes, loads: Any) -> bool:
    """Return whether a text between quotes is one string."""
    try:
        return type(loads(b'"%b"' % written)) is str
    except ValueError:
        return False
