"""The `chat-log` host: conversations as plain text, each turn after a line or a token that says who speaks.

Owns: recognising such logs, cutting them into turns. Must not know: dialects, other hosts, transcripts in JSON.

A turn is a record. How its header is written says how the next one is: a log keeps to one form, so that a line of
another form is part of a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from callwright.calls.turns import Spot, Turn, TurnResult, TurnText
from callwright.hosts.base import HostContext, Passage, Record, RecordHost, TranscriptPart
from callwright.hosts.support.templated import templated_passages
from callwright.syntax.comments import HTML
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.transcripts.support.text_results import only_results, text_results, whole_result

#: Who speaks, by the word of a header in lower case.
_ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "human": "user",
    "human message": "user",
    "instruction": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "ai message": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
    "chatbot": "assistant",
    "chatgpt": "assistant",
    "claude": "assistant",
    "gemini": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "response": "assistant",
    "system": "system",
    "system message": "system",
    "developer": "system",
    "tool": "tool",
    "tool message": "tool",
    "tool result": "tool",
    "tool response": "tool",
    "tool output": "tool",
    "function": "tool",
    "function message": "tool",
    "function result": "tool",
    "ipython": "tool",
}
#: Words that name a speaker and little else; of the others, a log has at least one of these for either side.
_CERTAIN: Final = frozenset(
    {"user", "human", "human message", "instruction"}
    | {"assistant", "ai", "ai message", "bot", "chatbot", "gpt", "chatgpt", "claude", "gemini", "response"}
)
_WORD: Final = "|".join(sorted(map(re.escape, _ROLES), key=len, reverse=True)).replace(r"\ ", "[ _-]")
_END: Final = r"(?=[ \t\r\n]|\Z)"
_CLOCK: Final = r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4}){0,2}(?:[.,]\d{1,9})?"
#: A date, a time, or both, in brackets or not, as logs and messengers put them in front.
_TIME: Final = (
    rf"(?P<time>[\[(]?{_CLOCK}(?:[T ,]{{1,3}}{_CLOCK})?(?:Z|[ ]?[+-]\d\d:?\d\d)?(?:[ \u202f]?[ap]\.?m\.?)?[\])]?"
    r"[ \t]{1,8}(?:[-–—|][ \t]{1,8})?)?"
)
_ASIDE: Final = r"(?:[ \t]?\([^()\r\n]{1,80}\)|[ \t]?\[[^\[\]\r\n]{1,80}\])?"
#: Forms that are on a line of their own, or begin one.
_LINE_FORMS: Final[Mapping[str, str]] = {
    "heading": rf"#{{1,6}}[ \t]{{1,4}}(?:\*\*)?(?P<heading>{_WORD})"
    rf"(?:(?::\*\*|\*\*:|:){_END}|(?:\*\*)?[ \t]{{0,8}}(?=[\r\n]|\Z))",
    "rule": rf"(?P<dash>[-=*])(?P=dash){{2,80}}[ \t]?(?P<rule>{_WORD}):?[ \t]?(?P=dash){{3,81}}{_END}",
    "bracket": rf"{_TIME}\[(?P<bracket>{_WORD})\]:?{_END}",
    "prompt": rf"{_TIME}(?P<prompt>{_WORD})>{_END}",
    "bold": rf"(?:\*\*|__)(?P<bold>{_WORD})(?P<bold_name>{_ASIDE})(?::(?:\*\*|__)|(?:\*\*|__):){_END}",
    "colon": rf"{_TIME}(?P<colon>{_WORD})(?P<name>{_ASIDE}):{_END}",
}
#: Forms that are anywhere, after a `<`. Their turns end with a token, and the marker itself is certain.
_TOKEN_FORMS: Final[Mapping[str, str]] = {
    "chatml": rf"\|im_start\|>(?P<chatml>{_WORD})(?:[ \t]name=[\w.-]{{1,64}})?{_END}",
    "header": rf"\|start_header_id\|>(?P<header>{_WORD})<\|end_header_id\|>",
    "granite": rf"\|start_of_role\|>(?P<granite>{_WORD})<\|end_of_role\|>",
    "gemma": rf"start_of_turn>(?P<gemma>{_WORD}){_END}",
    "angle": rf"\|(?P<angle>{_WORD})\|>",
    "cohere": rf"\|START_OF_TURN_TOKEN\|><\|(?P<cohere>{_WORD})_TOKEN\|>",
    "deepseek": rf"\uff5c(?P<deepseek>{_WORD})\uff5c>",
    "kimi": rf"\|im_(?P<kimi>{_WORD})\|>[^<>\r\n]{{0,80}}<\|im_middle\|>",
}
_KINDS: Final = (*_LINE_FORMS, *_TOKEN_FORMS)


def _pattern(kinds: Iterable[str], *, sought: bool) -> re.Pattern[str]:
    """Return the pattern of headers of some forms: one at the place that it is matched at, or one that is `sought`.

    A sought one is found by the character in front of it, a line end, or by its own first one, which is quick.
    """
    line = "|".join(_LINE_FORMS[kind].replace("?P<time>", f"?P<{kind}_time>") for kind in kinds if kind in _LINE_FORMS)
    token = "|".join(_TOKEN_FORMS[kind] for kind in kinds if kind in _TOKEN_FORMS)
    if not sought:
        return re.compile("|".join([*([line] if line else []), *([f"<(?:{token})"] if token else [])]), re.IGNORECASE)
    either = [*([rf"(?<=[\r\n])(?:{line})"] if line else []), *([f"(?<=<)(?:{token})"] if token else [])]
    first = ("\\r\\n" if line else "") + ("<" if token else "")
    return re.compile(f"[{first}](?:{'|'.join(either)})", re.IGNORECASE)


_HEADER: Final = _pattern(_KINDS, sought=False)
_ANY: Final = _pattern(_KINDS, sought=True)
_OF_KIND: Final = {kind: _pattern((kind,), sought=True) for kind in _KINDS}
#: Without a word for either side, a text is not a log.
_USERS: Final = re.compile("user|human|instruction", re.IGNORECASE)
_ASSISTANTS: Final = re.compile("assistant|ai|bot|gpt|claude|gemini|model|agent|response", re.IGNORECASE)
#: What ends a turn in the forms with tokens.
_CLOSERS: Final = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|end_of_text|>", "<|endoftext|>"),
    *("<end_of_turn>", "</s>"),
)
#: The same in forms whose turns end with tokens that end nothing in the others.
_OWN_CLOSERS: Final[Mapping[str, Sequence[str]]] = {
    "cohere": ("<|END_OF_TURN_TOKEN|>",),
    "deepseek": ("<\uff5cend\u2581of\u2581sentence\uff5c>",),
}
#: What may be in front of a text's first header: a marker of its beginning.
_BEGINNING: Final = re.compile(
    r"\ufeff?\s{0,40}+"
    r"(?:<s>|<bos>|<BOS_TOKEN>|<\|begin_of_text\|>|<\|startoftext\|>|<\uff5cbegin\u2581of\u2581sentence\uff5c>)?\s{0,40}+"
)
#: A rule around a word that has more signs than this is the head of a printed message.
_RULED: Final = 20
#: No header is longer.
_MAX_LENGTH: Final = 320
#: What a tool returned, among the lines of an assistant's reasoning, and what ends it.
_OBSERVED: Final = re.compile(r"[\r\n]Observation:", re.IGNORECASE)
_THOUGHT: Final = re.compile(
    r"[\r\n](?:\*\*)?(?:Thought|Question|Final Answer|Action|Action Input)(?:\*\*)?:", re.IGNORECASE
)
#: How a printed message of LangChain names its tool.
_NAMED: Final = re.compile(r"\s*+Name: (?P<name>[\w.-]{1,120})[ \t]*+(?:\r\n|\n|\r)")
#: The space in front of a message: on the header's line, or all blank lines.
_LEAD: Final = re.compile(r"(?:[ \t]*+(?:\r\n|\n|\r))++|[ \t]*+")
_TOOL_NAME: Final = re.compile(r"[\w.-]{1,80}")


class _Header(NamedTuple):
    """A header: its form, the word for who speaks, what is in brackets after it, and its place."""

    form: tuple[str, bool, bool]
    word: Span
    aside: str
    span: Span
    role: str
    certain: bool


def _header(match: re.Match[str]) -> _Header:
    kind = next(kind for kind in _KINDS if kind in match.re.groupindex and match[kind] is not None)
    groups = match.groupdict()
    written = match[kind]
    word = re.sub("[_-]", " ", written.lower())
    timed = bool(groups.get(f"{kind}_time"))
    # `USER:` and `User:` are one form, `user:` is another where only the word makes a header.
    form = (kind, timed, written[0].islower() and kind == "colon" and not timed)
    aside = groups.get("name") or groups.get("bold_name") or ""
    start = match.start() + (match[0][0] in "\r\n")
    return _Header(
        form,
        Span(*match.span(kind)),
        aside.strip(" \t()[]"),
        Span(start, match.end()),
        _ROLES[word],
        word in _CERTAIN or kind in _TOKEN_FORMS,
    )


def _lead(text: str) -> int:
    return 1 if text.startswith("\ufeff") else 0


def _first(text: str) -> _Header | None:
    """Return the header that a text begins with."""
    match = _HEADER.match(text, _lead(text))
    return _header(match) if match is not None else None


def _following(text: str, header: _Header | None) -> _Header | None:
    """Return the next header of a header's form after it; of a text that begins with none, the first of any form."""
    if header is None:
        match = _ANY.search(text, _lead(text))
        return _header(match) if match is not None else None
    found = map(_header, _OF_KIND[header.form[0]].finditer(text, header.span.end))
    return next((each for each in found if each.form == header.form), None)


class ChatLog(RecordHost):
    """Conversations as text: `User:`, `### Assistant`, `[assistant]`, `<|im_start|>assistant` and similar headers."""

    name = "chat-log"
    title = "Chat log"
    suffixes = (".transcript", ".chatml")
    languages = ("chat-log",)
    comments = (HTML,)
    texts = "plain"
    sniffs = True
    ahead = _MAX_LENGTH

    def claims(self, head: str) -> bool:
        """Return whether a text begins as a log: both sides speak, under headers of one form, the user before.

        Where the text begins with a marker that means nothing else, long prompts may follow before anyone speaks.
        """
        begun = _BEGINNING.match(head)
        if begun is not None and (first := _HEADER.match(head, begun.end())) is not None:
            opened = _header(first)
            if opened.form[0] in _TOKEN_FORMS or (opened.form[0] == "rule" and first[0].count("=") > _RULED):
                return True
        if _USERS.search(head) is None or _ASSISTANTS.search(head) is None:
            return False
        heard: dict[tuple[str, bool, bool], bool] = {}
        for match in _ANY.finditer("\n" + head.removeprefix("\ufeff")):
            found = _header(match)
            if found.role == "user" and found.certain:
                heard[found.form] = True
            elif found.role == "assistant" and found.certain and heard.get(found.form):
                return True
        return False

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return the length of the first turn: it ends where a header of its own form begins the next one."""
        following = _following(text, _first(text))
        if following is not None and (at_end or following.span.end < len(text)):
            return following.span.start
        return len(text) if at_end else None

    def prompts(self, text: str) -> list[Span]:
        """Return the turns that neither a model nor a tool has written, and what is before the first one."""
        found: list[Span] = []
        at, header = _lead(text), _first(text)
        while at < len(text):
            following = _following(text, header)
            end = following.span.start if following is not None else len(text)
            if header is None or header.role not in ("assistant", "tool"):
                found.append(Span(header.span.end if header is not None else at, end))
            if following is None:
                break
            at, header = end, following
        return found

    def read(self, text: str, context: HostContext) -> Record:
        """Take one turn apart; what is in front of the first one has no speaker."""
        header = _first(text)
        if header is None:
            front = Passage(text, Identity(0, len(text)))
            return Record(templated_passages(front, context.template) if text.strip() else ())
        end = _without_closers(text, header) if header.form[0] in _TOKEN_FORMS else len(text)
        body = _trimmed(text, Span(header.span.end, end))
        turns = list(_turns(text, header, body))
        passages: list[Passage] = []
        for turn in turns:
            for stated in turn.texts:
                if turn.role == "user" and only_results(stated, turn.results):
                    # What a tool returned is not text with calls, whatever it looks like.
                    continue
                place = Identity(stated.place.span.start, len(stated.value))
                passages += templated_passages(Passage(stated.value, place, turn.role, turn=turn), context.template)
        return Record(passages, (), (TranscriptPart(turns, self.name, "none", Identity(0, len(text)), whole=False),))


def _without_closers(text: str, header: _Header) -> int:
    """Return where a turn ends in front of the tokens that close it."""
    closers, start = _OWN_CLOSERS.get(header.form[0], _CLOSERS), header.span.end
    end = len(text)
    while True:
        while end > start and text[end - 1] in " \t\r\n":
            end -= 1
        closer = next((closer for closer in closers if text.endswith(closer, start, end)), None)
        if closer is None:
            return end
        end -= len(closer)


def _trimmed(text: str, body: Span) -> Span:
    """Return a message without the space around it; its first line keeps the indentation that others have, too."""
    end = body.start + len(body.of(text).rstrip())
    led = _LEAD.match(text, body.start, end)
    start = led.end() if led is not None else body.start
    return Span(min(start, end), end) if end > body.start else Span(body.start, body.start)


def _turns(text: str, header: _Header, body: Span) -> Iterator[Turn]:
    place, word = Spot(Span(header.span.start, max(body.end, header.span.end))), Spot(header.word)
    if header.role == "tool":
        named = _NAMED.match(text, body.start, body.end)
        content = _trimmed(text, Span(named.end(), body.end)) if named is not None else body
        results = whole_result(TurnText(Spot(content), content.of(text)))
        for result in results:
            if result.tool is None:
                result.tool = _tool_of(header, named)
            result.tentative = True
        yield Turn(place, "tool", word, results=results)
        return
    if header.role != "assistant" or _OBSERVED.search(text, header.span.end, body.end) is None:
        turn = Turn(place, header.role, word)
        # Files of prompts hold one conversation after another, each with its own system prompt.
        turn.begins = header.role == "system" and header.form[0] in _TOKEN_FORMS
        stated = TurnText(Spot(body), body.of(text))
        turn.texts.append(stated)
        if header.role == "user":
            turn.results = text_results(stated)
        yield turn
        return
    yield from _observing(text, header, body)


def _tool_of(header: _Header, named: re.Match[str] | None) -> str | None:
    if named is not None:
        return named["name"]
    return header.aside if _TOOL_NAME.fullmatch(header.aside) is not None else None


def _observing(text: str, header: _Header, body: Span) -> Iterator[Turn]:
    """Yield the turns of an assistant whose text also has what its tools returned."""
    # Each search begins at the line end in front of the line.
    at, first = body.start, True
    while at < body.end:
        observed = _OBSERVED.search(text, max(at - 1, header.span.end), body.end)
        stated = Span(at, observed.start() + 1 if observed is not None else body.end)
        if stated.of(text).strip():
            start = header.span.start if first else stated.start
            turn = Turn(Spot(Span(start, stated.end)), "assistant", Spot(header.word) if first else None)
            turn.texts.append(TurnText(Spot(stated), stated.of(text)))
            yield turn
            first = False
        if observed is None:
            return
        resumed = _THOUGHT.search(text, observed.end(), body.end)
        at = resumed.start() + 1 if resumed is not None else body.end
        content = _trimmed(text, Span(observed.end(), at))
        whole = Spot(Span(observed.start() + 1, max(content.end, observed.end())))
        result = TurnResult(whole, content=Spot(content), value=content.of(text), tentative=True)
        yield Turn(whole, "tool", results=[result])


HOST = ChatLog()
