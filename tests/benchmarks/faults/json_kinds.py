"""Faults of JSON: what models, hands and cut-off replies do to a JSON body.

Owns: the kinds of group `json`. Must not know: how calls are read, which dialect the JSON is in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

from benchmarks.faults.base import Injected, Kind, Sample
from callwright.text.span import Span

_TOKENS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\]:,]')


class Token(NamedTuple):
    """One token of a sound JSON text: its text, its place in the sample's text, and what it is."""

    text: str
    start: int
    end: int
    what: str  # "{", "}", "[", "]", ":", ",", "key", "string", "number" or "word"
    depth: int  # how many brackets are open in front of it


def tokens(sample: Sample) -> list[Token]:
    """Return the tokens of a body in JSON; none where it is not JSON."""
    body = sample.body.of(sample.text)
    try:
        if not isinstance(json.loads(body), dict):
            return []
    except ValueError:
        return []
    found: list[Token] = []
    open_brackets: list[str] = []
    base = sample.body.start
    matches = list(_TOKENS.finditer(body))
    for index, match in enumerate(matches):
        text = match[0]
        what = text
        if text[0] == '"':
            follower = matches[index + 1][0] if index + 1 < len(matches) else ""
            what = "key" if follower == ":" and open_brackets[-1] == "{" else "string"
        elif text[0] in "-0123456789":
            what = "number"
        elif text[0] in "tfn":
            what = "word"
        if text in "}]":
            open_brackets.pop()
        found.append(Token(text, base + match.start(), base + match.end(), what, len(open_brackets)))
        if text in "{[":
            open_brackets.append(text)
    return found


class JsonKind(Kind):
    """A kind that replaces one segment of a body by another text."""

    group = "json"

    def __init__(self, name: str, damage: Callable[[list[Token], Random, str], Damage | None]) -> None:
        self.name = name
        self._damage = damage

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Return the text with the segment replaced."""
        found = tokens(sample)
        damage = self._damage(found, random, sample.text) if found else None
        if damage is None:
            return None
        start, end, text, keeps = damage
        whole = sample.text[:start] + text + sample.text[end:]
        return Injected(whole, Span(start, start + len(text)), keeps)


class FenceAround(JsonKind):
    """The arguments are in a fence of their own.

    In `deepseek` that is not a fault: its older form has the arguments in such a fence, and llama.cpp takes it after
    the header of the newer form as well.
    """

    def is_sound(self, sample: Sample, injected: Injected, mode: str) -> bool:
        """Return whether the dialect itself has a fence there."""
        del injected, mode
        return sample.dialect == "deepseek"


class Damage(NamedTuple):
    """What is in `[start, end)` of the sample's text is replaced; whether what was there can still be known."""

    start: int
    end: int
    text: str = ""
    keeps: bool = True


#: What a kind does to the tokens of a body, given the whole text.
Damaging = Callable[[list[Token], Random, str], Damage | None]
#: Content of a string that no separator, quote or escape makes ambiguous where one of its quotes is lost.
_PLAIN: Final = re.compile(r"[\w./@~$+-]+(?: [\w./@~$+-]+)*")
_LITERALS: Final = {"true": ("True", "TRUE"), "false": ("False", "FALSE"), "null": ("None", "NULL")}
_SPACES: Final = ("\u00a0", "\ufeff", "\u200b", "\u2003", "\u3000")
_COMMENTS: Final = ("/* here */", "// here\n", "# here\n")
_WORDS: Final = ("as requested", "Done.", "and so on", "I hope this helps!")


def _pick(found: list[Token], random: Random, *whats: str) -> Token | None:
    fitting = [token for token in found if token.what in whats]
    return random.choice(fitting) if fitting else None


def _inside(token: Token) -> str:
    return token.text[1:-1]


def _is_plain(token: Token) -> bool:
    return _PLAIN.fullmatch(_inside(token)) is not None


def _index(found: list[Token], token: Token) -> int:
    return next(index for index, each in enumerate(found) if each.start == token.start)


def _next(found: list[Token], token: Token, by: int = 1) -> str:
    """Return what the token after another one is, empty where there is none."""
    index = _index(found, token) + by
    return found[index].what if 0 <= index < len(found) else ""


def _ends_text(found: list[Token], text: str) -> bool:
    """Return whether nothing follows the body, so that a lost end looks like a reply that was cut off."""
    return not text[found[-1].end :].strip()


def _quoted(token: Token, left: str, right: str) -> str:
    return f"{left}{_inside(token)}{right}"


def replaced(*whats: str, by: str) -> Damaging:
    """Return what replaces one token of these by a text."""

    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        token = _pick(found, random, *whats)
        return Damage(token.start, token.end, by) if token is not None else None

    return damage


def doubled(*whats: str) -> Damaging:
    """Return what doubles one token of these."""

    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        token = _pick(found, random, *whats)
        return Damage(token.end, token.end, token.text) if token is not None else None

    return damage


# -- separators --------------------------------------------------------------------------------------------------------


def _trailing_comma(found: list[Token], random: Random, text: str) -> Damage | None:
    places = [end.start for before, end in pairwise(found) if end.what in "}]" and before.what not in "{["]
    if not places:
        return None
    at = random.choice(places)
    return Damage(at, at, ",")


def _leading_comma(found: list[Token], random: Random, text: str) -> Damage | None:
    places = [before.end for before, token in pairwise(found) if before.what in "{[" and token.what not in "}]"]
    if not places:
        return None
    at = random.choice(places)
    return Damage(at, at, ",")


# -- brackets ----------------------------------------------------------------------------------------------------------


def _doubled_last(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(found[-1].end, found[-1].end, found[-1].text)


def _doubled_inner(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found[:-1], random, "}", "]")
    return Damage(token.end, token.end, token.text) if token is not None else None


def _dropped_last(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(found[-1].start, found[-1].end, keeps=not _ends_text(found, text))


def _dropped_inner(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found[:-1], random, "}", "]")
    if token is None:
        return None
    follower, beyond = _next(found, token), _next(found, token, 2)
    # Of brackets of one kind in a row it is all the same which one is lost. After a comma only what cannot be in the
    # inner one shows that it has ended.
    reported = follower in "}]"
    if follower == ",":
        reported = beyond == "key" if token.what == "]" else beyond not in ("key", "")
    ends = follower in "}]" and _ends_text(found, text)
    return Damage(token.start, token.end, keeps=reported and not ends)


def _swapped_closer(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "}", "]")
    return Damage(token.start, token.end, "]" if token.what == "}" else "}") if token is not None else None


def _round_closer(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "}", "]")
    return Damage(token.start, token.end, ")", keeps=True) if token is not None else None


def _swapped_opener(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found[1:], random, "{", "[")
    return Damage(token.start, token.end, "[" if token.what == "{" else "{") if token is not None else None


def _dropped_opener(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found[1:], random, "{", "[")
    if token is None:
        return None
    # A list that is in a list, and an empty one, say no longer where they began.
    keeps = _next(found, token, -1) == ":" and _next(found, token) not in "}]"
    return Damage(token.start, token.end, keeps=keeps)


def _dropped_first(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(found[0].start, found[0].end, keeps=False)


def _doubled_first(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(found[0].start, found[0].start, found[0].text)


# -- quotes ------------------------------------------------------------------------------------------------------------


def _dropped_quote(what: str, *, opening: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        token = _pick(found, random, what)
        if token is None:
            return None
        at = token.start if opening else token.end - 1
        return Damage(at, at + 1, keeps=_is_plain(token))

    return damage


def _doubled_quote(what: str, *, opening: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        token = _pick(found, random, what)
        if token is None:
            return None
        at = token.start if opening else token.end
        # In a value, a quote at one end may as well be part of the text that lost its backslash.
        return Damage(at, at, '"', keeps=what == "key" and _is_plain(token))

    return damage


def _requoted(left: str, right: str, *, every: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        chosen = [token for token in found if token.what in ("key", "string")]
        if not every:
            chosen = [random.choice(chosen)] if chosen else []
        if not chosen or any(marker in token.text for token in chosen for marker in (left, right)):
            return None
        start, end = chosen[0].start, chosen[-1].end
        pieces: list[str] = []
        at = start
        for token in chosen:
            pieces += [text[at : token.start], _quoted(token, left, right)]
            at = token.end
        return Damage(start, end, "".join(pieces))

    return damage


def _escaped_quotes(*, every: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        chosen = [token for token in found if token.what in ("key", "string")]
        if not every:
            chosen = [random.choice(chosen)] if chosen else []
        if not chosen or any("\\" in token.text for token in chosen):
            return None
        start, end = chosen[0].start, chosen[-1].end
        spans = {token.start: token for token in chosen}
        pieces: list[str] = []
        at = start
        for place in sorted(spans):
            token = spans[place]
            pieces += [text[at:place], f'\\"{_inside(token)}\\"']
            at = token.end
        return Damage(start, end, "".join(pieces), keeps=all(map(_is_plain, chosen)))

    return damage


def _half_smart(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "string", "key")
    if token is None or not _is_plain(token):
        return None
    left, right = random.choice((('"', "”"), ("“", '"')))
    return Damage(token.start, token.end, _quoted(token, left, right))


def _unquoted_key(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "key")
    return Damage(token.start, token.end, _inside(token), keeps=_is_plain(token)) if token is not None else None


def _unquoted_value(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "string")
    if token is None or not _is_plain(token):
        return None
    return Damage(token.start, token.end, _inside(token), keeps=False)


# -- what is in strings ------------------------------------------------------------------------------------------------


def _unescaped(escape: str, raw: str) -> Damaging:
    """Return what writes one escape, or all of a string's, as the character itself."""

    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        pattern = re.compile(rf"(?<!\\)((?:\\\\)*){re.escape(escape)}")
        holding = [token for token in found if token.what == "string" and pattern.search(token.text)]
        if not holding:
            return None
        token = random.choice(holding)
        count = random.choice((0, 1))
        return Damage(token.start, token.end, pattern.sub(lambda each: each[1] + raw, token.text, count=count))

    return damage


def _unescaped_quotes(*, every: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        pattern = re.compile(r'(?<!\\)((?:\\\\)*)\\"')
        holding = [token for token in found if token.what == "string" and pattern.search(token.text)]
        if not holding:
            return None
        token = random.choice(holding)
        places = [match.end() for match in pattern.finditer(token.text)]
        if not every:
            places = [random.choice(places)]
        # Where a separator or the end follows, the quote may as well be the one that ends the string.
        keeps = all(token.text[place:].lstrip()[:1] not in (*'",:}]', "") for place in places)
        chars = [char for at, char in enumerate(token.text) if at + 2 not in places]
        if len(places) == 1:
            return Damage(token.start + places[0] - 2, token.start + places[0], '"', keeps=keeps)
        return Damage(token.start, token.end, "".join(chars), keeps=keeps)

    return damage


def _dropped_backslash(found: list[Token], random: Random, text: str) -> Damage | None:
    holding = [token for token in found if token.what == "string" and "\\\\" in token.text]
    if not holding:
        return None
    token = random.choice(holding)
    at = token.start + random.choice([match.start() for match in re.finditer(r"\\\\", token.text)])
    return Damage(at, at + 1, keeps=False)


def _doubled_backslash(found: list[Token], random: Random, text: str) -> Damage | None:
    holding = [token for token in found if token.what == "string" and "\\" in token.text]
    if not holding:
        return None
    token = random.choice(holding)
    at = token.start + random.choice([match.start() for match in re.finditer(r"\\.", token.text)])
    return Damage(at, at, "\\", keeps=False)


def _added_backslash(before: str, *, keeps: bool) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        places = [
            token.start + match.start()
            for token in found
            if token.what == "string" and "\\" not in token.text
            for match in re.finditer(before, token.text)
        ]
        if not places:
            return None
        at = random.choice(places)
        return Damage(at, at, "\\", keeps=keeps)

    return damage


def _lone_surrogate(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "string")
    if token is None:
        return None
    return Damage(token.end - 1, token.end - 1, random.choice(("\\ud83d", "\\udc00", "\\uD800")), keeps=False)


def _joined(found: list[Token], random: Random, text: str) -> Damage | None:
    fitting = [token for token in found if token.what == "string" and len(token.text) > 5 and "\\" not in token.text]
    if not fitting:
        return None
    token = random.choice(fitting)
    at = random.randint(token.start + 2, token.end - 3)
    return Damage(at, at, random.choice(('" + "', '"\n  + "')))


# -- other values ------------------------------------------------------------------------------------------------------


def _foreign_literal(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "word")
    return Damage(token.start, token.end, random.choice(_LITERALS[token.text])) if token is not None else None


def _number(form: Callable[[str], tuple[str, bool] | None]) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage | None:
        token = _pick(found, random, "number")
        written = form(token.text) if token is not None else None
        return Damage(token.start, token.end, *written) if token is not None and written is not None else None

    return damage


def _with_zero(word: str) -> tuple[str, bool] | None:
    if word.startswith("-"):
        return None
    # Two digits that may be octal are another number in some languages.
    return f"0{word}", len(word) == 1 or not re.fullmatch("[0-7]+", word)


def _in_hexadecimal(word: str) -> tuple[str, bool] | None:
    return (hex(int(word)), True) if word.isdigit() else None


def _bare_fraction(word: str) -> tuple[str, bool] | None:
    return (word[1:], True) if word.startswith("0.") else None


def _not_finite(found: list[Token], random: Random, text: str) -> Damage | None:
    token = _pick(found, random, "number")
    word = random.choice(("NaN", "Infinity", "-Infinity"))
    return Damage(token.start, token.end, word, keeps=False) if token is not None else None


def _lost_value(found: list[Token], random: Random, text: str) -> Damage | None:
    fitting = [value for before, value in pairwise(found) if before.what == ":" and value.what not in "{["]
    if not fitting:
        return None
    token = random.choice(fitting)
    return Damage(token.start, token.end, keeps=False)


def _same_member_again(found: list[Token], random: Random, text: str) -> Damage | None:
    members = [
        (key, value)
        for key, _, value in zip(found, found[1:], found[2:], strict=False)
        if key.what == "key" and value.what not in "{["
    ]
    if not members:
        return None
    key, value = random.choice(members)
    return Damage(value.end, value.end, f", {text[key.start : value.end]}")


def _other_member_again(found: list[Token], random: Random, text: str) -> Damage | None:
    damage = _same_member_again(found, random, text)
    if damage is None or not damage.text.endswith('"'):
        return None
    return damage._replace(text=f'{damage.text[:-1]}2"', keeps=False)


# -- text that is not JSON ---------------------------------------------------------------------------------------------


def _between(texts: tuple[str, ...]) -> Damaging:
    def damage(found: list[Token], random: Random, text: str) -> Damage:
        at = random.choice(found[:-1]).end
        return Damage(at, at, random.choice(texts))

    return damage


def _text_after(found: list[Token], random: Random, text: str) -> Damage:
    # Where nothing closes the call, what follows it is prose and no fault.
    at = found[-1].end
    return Damage(at, at, f" {random.choice(_WORDS)}")


def _text_in_front(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(found[0].start, found[0].start, random.choice(("Here you go: ", "JSON: ", "arguments = ")))


def _fenced(found: list[Token], random: Random, text: str) -> Damage:
    start, end = found[0].start, found[-1].end
    return Damage(start, end, f"\n```json\n{text[start:end]}\n```\n")


def _entities(found: list[Token], random: Random, text: str) -> Damage | None:
    start, end = found[0].start, found[-1].end
    body = text[start:end]
    if "&" in body or "<" in body or '"' not in body:
        return None
    return Damage(start, end, body.replace('"', "&quot;"))


def _cut(found: list[Token], random: Random, text: str) -> Damage:
    return Damage(random.randint(found[0].start + 1, found[-1].end - 1), len(text), keeps=False)


def _cut_after_value(found: list[Token], random: Random, text: str) -> Damage:
    """Cut a text where all that is written is whole: what follows may have been nothing, or more members."""
    fitting = [token for token in found if token.what in ("string", "number", "word", "}", "]", ",", "key", ":")]
    return Damage(random.choice(fitting).end, len(text), keeps=False)


class DoubleEncoded(JsonKind):
    """Arguments that are a string which holds the JSON."""

    def __init__(self) -> None:
        super().__init__("json double encoded", self._encode)

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """It is one: a string is no object."""
        return injected.text != sample.text

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Return the text with the arguments as a string, where they are a member of a larger JSON text."""
        before, after = sample.text[: sample.body.start].rstrip(), sample.text[sample.body.end :].lstrip()
        if not before.endswith(":") or after[:1] not in ("}", ",") or json_keys(before) == 0:
            return None
        return super().inject(sample, random)

    @staticmethod
    def _encode(found: list[Token], random: Random, text: str) -> Damage:  # noqa: ARG004  # as all damages are called
        start, end = found[0].start, found[-1].end
        return Damage(start, end, json.dumps(text[start:end], ensure_ascii=False))


def json_keys(before: str) -> int:
    """Return how many quotes are in front of a colon: none where what is there is no key of JSON."""
    return before[:-1].rstrip()[-1:].count('"')


class Truncation(JsonKind):
    """A reply that ends inside the body: what was to come is unknown."""

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """It is one wherever the JSON is not whole."""
        return len(injected.text) < sample.body.end


def _kinds() -> list[Kind]:
    found: list[tuple[str, Damaging]] = [
        ("trailing comma", _trailing_comma),
        ("leading comma", _leading_comma),
        ("missing comma", replaced(",", by="")),
        ("doubled comma", doubled(",")),
        ("semicolon for comma", replaced(",", by=";")),
        ("colon for comma", replaced(",", by=":")),
        ("missing colon", replaced(":", by="")),
        ("doubled colon", doubled(":")),
        ("comma for colon", replaced(":", by=",")),
        ("equals for colon", replaced(":", by=" =")),
        ("arrow for colon", replaced(":", by=" =>")),
        ("doubled last closer", _doubled_last),
        ("doubled inner closer", _doubled_inner),
        ("dropped last closer", _dropped_last),
        ("dropped inner closer", _dropped_inner),
        ("swapped closer", _swapped_closer),
        ("round closer", _round_closer),
        ("swapped opener", _swapped_opener),
        ("dropped first opener", _dropped_first),
        ("dropped inner opener", _dropped_opener),
        ("doubled first opener", _doubled_first),
        ("dropped quote before key", _dropped_quote("key", opening=True)),
        ("dropped quote behind key", _dropped_quote("key", opening=False)),
        ("dropped quote before value", _dropped_quote("string", opening=True)),
        ("dropped quote behind value", _dropped_quote("string", opening=False)),
        ("doubled quote before key", _doubled_quote("key", opening=True)),
        ("doubled quote behind key", _doubled_quote("key", opening=False)),
        ("doubled quote before value", _doubled_quote("string", opening=True)),
        ("doubled quote behind value", _doubled_quote("string", opening=False)),
        ("single quotes", _requoted("'", "'", every=False)),
        ("single quotes everywhere", _requoted("'", "'", every=True)),
        ("back-ticks for quotes", _requoted("`", "`", every=False)),
        ("smart quotes", _requoted("“", "”", every=False)),
        ("smart quotes everywhere", _requoted("“", "”", every=True)),
        ("one smart quote", _half_smart),
        ("escaped quotes", _escaped_quotes(every=False)),
        ("escaped quotes everywhere", _escaped_quotes(every=True)),
        ("unquoted key", _unquoted_key),
        ("unquoted value", _unquoted_value),
        ("raw newline", _unescaped("\\n", "\n")),
        ("raw CRLF", _unescaped("\\r\\n", "\r\n")),
        ("raw tab", _unescaped("\\t", "\t")),
        ("raw control character", _unescaped("\\u0001", "\x01")),
        ("unescaped quote", _unescaped_quotes(every=False)),
        ("unescaped quotes", _unescaped_quotes(every=True)),
        ("dropped backslash", _dropped_backslash),
        ("doubled backslash", _doubled_backslash),
        ("backslash before apostrophe", _added_backslash("(?<=[a-z])'(?=[a-z])", keeps=False)),
        ("backslash before letter", _added_backslash("[ac-eg-mo-qsv-zA-Z0-9._ -]", keeps=False)),
        ("lone surrogate", _lone_surrogate),
        ("joined strings", _joined),
        ("foreign literal", _foreign_literal),
        ("number with zero", _number(_with_zero)),
        ("number with plus", _number(lambda word: (f"+{word}", True) if word[0] != "-" else None)),
        ("hexadecimal number", _number(_in_hexadecimal)),
        ("bare fraction", _number(_bare_fraction)),
        ("number that is not finite", _not_finite),
        ("lost value", _lost_value),
        ("member again", _same_member_again),
        ("member again with other value", _other_member_again),
        ("comment", _between(_COMMENTS)),
        ("foreign space", _between(_SPACES)),
        ("text behind", _text_after),
        ("text in front", _text_in_front),
        ("fence around", _fenced),
        ("entities for quotes", _entities),
    ]
    kinds: list[Kind] = [
        (FenceAround if damage is _fenced else JsonKind)(f"json {name}", damage) for name, damage in found
    ]
    return [*kinds, DoubleEncoded(), Truncation("json cut", _cut), Truncation("json cut between", _cut_after_value)]


KINDS: Final = _kinds()
