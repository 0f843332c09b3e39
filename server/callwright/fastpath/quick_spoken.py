"""The quick verdict on what is said in a conversation whose calls are text: all its texts looked at together.

Owns: `is_calm`, and how calls and results are written in the plainest forms. Must not know: lines, what stands around
a conversation, what is to be said where a text is not plain.

Whatever is not sure here is looked at text by text: `False` says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TYPE_CHECKING, Final

from callwright.calls.result_text import LABELLED_FAILURES
from callwright.fastpath.quick_lines import flat_objects
from callwright.fastpath.quick_results import CALM, look_at_result
from callwright.fastpath.quick_tools import ELEMENTS, look_at_spans, look_beside, may_hold_no_xml
from callwright.text.holes import HOLE
from callwright.transcripts.support.text_results import RESULT_MARKS

if TYPE_CHECKING:
    from callwright.fastpath.quick_frames import Spoken
    from callwright.fastpath.quick_lines import Codec
    from callwright.fastpath.quick_tools import KnownTools

#: How a result in the commonest notation begins and ends, as a rule.
_RESULT: Final = re.compile(r'\n?+\{"name": ?+"([\w.:/-]++)", ?+"content": ?+"')
_ANSWERED: Final = "}\n</tool_response>"
_LABEL: Final = re.compile(r"\[[A-Za-z_]\w{0,80}+\] Result:\n", re.ASCII)
#: An element with an object in it, alone on its line; a sign with a space behind it begins nothing.
OBJECTS: Final = re.compile(r"<(?<![^\n]<)([A-Za-z_]\w*+)>(\{(?:[^<&\n]++|[<&](?=[ =]))*+)</\1>(?![^\n])", re.ASCII)
#: Both as they are written in JSON, with the beginning of what was returned: an object, or what is none of the words
#: that tell of a failure.
_BEGINNING: Final = b"[%b]" % b"".join(re.escape(mark.encode()) for mark in sorted({*CALM, "{"} - {"\\"}))
_WRITTEN_LABEL: Final = re.compile(rb"\[[A-Za-z_][A-Za-z0-9_]{0,80}+\] Result:\\n" + _BEGINNING)
_WRITTEN_RESULT: Final = re.compile(
    rb'<tool_response>\\n\{\\"name\\": ?+\\"[A-Za-z0-9_.:/-]++\\", ?+\\"content\\": ?+\\"' + _BEGINNING
)
#: An object that tells of a failure has one of these: the end of a name, a truth value; or characters of ASCII that are
#: written as numbers.
_TELLING: Final = (b"rror\\", b"status\\", b"false", b"u00")
#: Characters that no XML can hold, and holes, are written with one of these.
_ODD: Final = (b"\\u", b"\\b", b"\\f", b"\xef")
#: What parts texts that are looked at together: whatever begins or ends a line or a text does so here, too.
BORDER: Final = "\n\0\n"
#: In which encoding each byte is a character.
_NARROW: Final = "latin-1"
_CALL, _CALLED = "<tool_call>", "</tool_call>"


def is_calm(spoken: Spoken, tools: KnownTools, codec: Codec) -> bool:
    """Return whether there is surely nothing to say about a conversation; none of the tools says what it returns.

    Raises `UnsureError`, ValueError and more where somebody has to look closely, as False says, too.
    """
    plain = spoken.plain
    if spoken.calling:
        around = _around_calls(spoken.calling, spoken.written_calling, tools, codec)
        if around is None:
            return False
        plain = [*plain, around]
    return (
        not tools.is_moved("\n".join(plain))
        and (
            not spoken.told
            or _are_calm_results(spoken.written_told)
            or are_plain_results("\n".join(spoken.told), codec)
        )
        and (
            not spoken.labelled
            or _are_calm_labels(spoken.written_labelled)
            or all(is_plain_label(text, codec) for text in spoken.labelled)
        )
    )


def _around_calls(texts: list[str], written: list[bytes], tools: KnownTools, codec: Codec) -> str | None:
    """Return what is said around calls, each of which surely fits; None where there may be anything else."""
    calling = BORDER.join(texts)
    if calling.count("\0") != len(texts) - 1:
        return None
    narrow = calling.isascii()
    if not narrow:
        # Patterns look at a byte at a time much faster, and all that they seek is of ASCII.
        calling = calling.encode().decode(_NARROW)
    if _CALL in calling:
        said = _beside_calls(calling, tools, codec)
    elif ">{" in calling:
        said = _beside_objects(calling, tools, codec)
    elif not _are_odd(written) or not any(map(may_hold_no_xml, texts)):
        parts = ELEMENTS.split(calling)
        said = parts[::3] if tools.takes_elements([*zip(parts[1::3], parts[2::3], strict=True)]) else None
    else:
        said = None
    if said is None:
        return None
    around = "\n".join(said)
    if not narrow:
        around = around.encode(_NARROW).decode()
    if _CALL in calling:
        if "tool_call>" in around or "~~~" in around:
            return None
        if "`" in around:
            for each in said:
                if "`" in each:
                    for prose in each.split("\0"):
                        look_at_spans(prose)
    else:
        look_beside(around, said)
    return around


def _are_odd(written: list[bytes]) -> bool:
    """Return whether texts may have characters that no XML can hold, or a hole, as they are written in JSON."""
    for text in written:
        for mark in _ODD:
            if mark in text:
                return True
    return False


def _beside_calls(calling: str, tools: KnownTools, codec: Codec) -> list[str] | None:
    """Return what is said around calls in the commonest notation, each of which surely fits; None where one may not."""
    before, *parts = calling.split(_CALL)
    said = [before]
    written: list[str] = []
    for part in parts:
        body, closer, behind = part.partition(_CALLED)
        if not closer:
            return None
        written.append(body.strip("\n"))
        said.append(behind)
    calls = flat_objects(written, codec, _NARROW)
    if calls is None:
        return None
    plans = tools.plans
    for call in calls:
        name, given = call["name"], call["arguments"]
        plan = plans.get(name) or tools.plan_of(name)
        if len(call) != 2 or type(given) is not dict or plan is None or not plan.fits(given):
            return None
    return said


def _beside_objects(calling: str, tools: KnownTools, codec: Codec) -> list[str] | None:
    """Return what is said around elements that hold an object which surely fits, each on a line of its own; None where
    one may not."""
    parts = OBJECTS.split(calling)
    given = flat_objects(parts[2::3], codec, _NARROW)
    if given is None:
        return None
    plans = tools.plans
    for name, arguments in zip(parts[1::3], given, strict=True):
        plan = plans.get(name) or tools.plan_of(name)
        if plan is None or not plan.fits(arguments):
            return None
    return parts[::3]


def _are_calm_results(told: list[bytes]) -> bool:
    """Return whether texts, as they are written in JSON, are each a result in the commonest notation, which tells of no
    failure."""
    for text in told:
        if not text.endswith(b"</tool_response>") or not _WRITTEN_RESULT.match(text):
            return False
    # What is no result in the end is one by itself, and tells of none either.
    return _are_calm(b"\n".join(told), 2 * len(told), 0)


def _are_calm_labels(labelled: list[bytes]) -> bool:
    """Return whether texts, as they are written in JSON, are each a result below a label with its tool's name, which
    tells of no failure."""
    return all(map(_WRITTEN_LABEL.match, labelled)) and _are_calm(b"\n".join(labelled), 0, len(labelled))


def _are_calm(written: bytes, tags: int, labels: int) -> bool:
    """Return whether results of which so many marks are known hold no others, and no object that may tell of a failure.

    A character that is rare is looked for first, which is much faster.
    """
    for word in _TELLING:
        if word in written:
            return False
    if b"R" in written and written.count(b"] Result:") != labels:
        return False
    if b"O" in written and (b"[TOOL_RESULTS]" in written or b"Observation:" in written):
        return False
    return written.count(b"<") == tags or (written.count(b"<tool_") == tags // 2 and b"<function_" not in written)


def are_plain_results(told: str, codec: Codec, declares: Set[str] = frozenset()) -> bool:
    """Return whether texts are results in the plainest form of the notation, of which nothing is to be said; none is
    of a tool that `declares` what it returns.

    Raises `UnsureError` or ValueError where somebody has to look closely.
    """
    before, *parts = told.split("<tool_response>")
    if (before and not before.isspace()) or not parts:
        return False
    written: list[str] = []
    for part in parts:
        first, whole = _RESULT.match(part), part.rstrip()
        if first is None or not whole.endswith(_ANSWERED) or first[1] in declares:
            return False
        written.append(whole[first.end() - 1 : -len(_ANSWERED)])
    data = "[" + ",\n".join(written) + "]"
    if not data.isascii() and HOLE in data:
        return False
    contents = codec.loads(data)
    # No string holds the line feeds between them, so each is one string at least.
    if len(contents) != len(written):
        return False
    for content in contents:
        if type(content) is not str:
            return False
        if content[:1] not in CALM:
            look_at_result(content, codec.loads)
    return True


def is_plain_label(text: str, codec: Codec) -> bool:
    """Return whether what a user says is surely nothing but a result below a label with its tool's name, of which
    nothing is to be said. Raises `UnsureError` where that may tell of a failure."""
    label = _LABEL.match(text)
    if label is None:
        return False
    content = text[label.end() :].strip()
    if not content or content.startswith(LABELLED_FAILURES):
        return False
    for mark in RESULT_MARKS:
        if mark in content:
            return False
    if content[0] not in CALM:
        look_at_result(content, codec.loads)
    return True
