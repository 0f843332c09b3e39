"""Which changes of one character may make a JSON text valid.

Owns: the changes that are tried, and how those that cannot help are excluded without parsing the whole text. Must not
know: tools, what a call means, which of several results was meant.

All changes that lead to a valid text are returned, and few others: callers parse the changed text to be certain. The
text before a change has to be valid, the text right after it has to fit, and brackets and quotes have to be balanced.
The last holds because in a valid text every backslash is in a string: which quotes are escaped does not depend on where
strings begin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, delete, insert

#: A string, a punctuation mark, a word, or whitespace.
TOKEN: Final = compile_later(r'"(?:[^"\\]|\\[\s\S])*+"?|[{}\[\]:,]|[^\s"{}\[\]:,]++|\s++')
CLOSER: Final = {"{": "}", "[": "]"}

_MARKERS: Final = "{}[]:,"
_PARTS: Final = compile_later(
    r'\s*+(?:("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+")'  # a valid string
    r'|("(?:[^"\\]|\\[\s\S])*+("?))'  # another one, with its end
    r"|([{}\[\]:,])"
    r"|((?:-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+|true|false|null)(?![^\s\"{}\[\]:,]))"
    r'|([^\s"{}\[\]:,]++))'
)
_ENDS_STRING: Final = compile_later(r"(?=\s*+[,:}\]])")
_OTHER_QUOTE: Final = compile_later(r"[“”„‟'’`](?=\s*+[,:}\]])")
_BAD_ESCAPE: Final = compile_later(r"\\(?![\\/bfnrtu])")
_SIGN: Final = compile_later(r"\s*+([\s\S])")
_ENTITY: Final = compile_later("&quot;")
_FENCES: Final = compile_later(r"(?:[\r\n][ \t]*+)?+`{3}[A-Za-z]{0,12}+[ \t]*+(?=[\r\n]|\Z)")
#: Words before an object or a list at the beginning of a value or of the text.
_WORD_IN_FRONT: Final = compile_later(r"(?:\A|[:,\[])[ \t\r\n]*+([A-Za-z][A-Za-z ]{0,30}+[:=]?[ \t\r\n]*+)(?=[{\[])")
_MAX_WORDS: Final = 8
#: The maximum number of missing closers for which all their places are tried.
_MAX_CLOSERS: Final = 6

#: How much a punctuation mark adds to the count of open brackets.
_CURLY: Final = {"{": 1, "}": -1}
_SQUARE: Final = {"[": 1, "]": -1}
_STRING: Final = '"'
_WORD: Final = "w"


class _Token(NamedTuple):
    """A token that is not whitespace: a punctuation mark, `"` or `w`, and where the whitespace before it begins."""

    kind: str
    space: int
    start: int
    end: int
    sound: bool


class _State(NamedTuple):
    """What is open, as the innermost bracket and the state around it, and what is expected next.

    Expected is `v` a value, `i` a value or the end of a list, `k` a key, `d` a key or the end of an object, `:` a
    colon, `a` what follows a value, `z` nothing.
    """

    top: str
    around: _State | None
    want: str


_START: Final = _State("", None, "v")
#: The kinds of tokens that are allowed for what is expected, as far as that is known.
_ALLOWED_AT: Final = {"v": '{["w', "i": '{["w]', "k": '"', "d": '"}', ":": ":", "a": ",}]", "z": ""}
_END: Final = "z"


def _step(state: _State, kind: str) -> _State | None:
    """Return the state after a token, None if the token is not allowed."""
    top, around, want = state
    if want == "a":
        if kind == ",":
            return _State(top, around, "k" if top == "{" else "v")
        return _closed(around) if kind == CLOSER[top] else None
    if want in ("k", "d"):
        if kind == _STRING:
            return _State(top, around, ":")
        return _closed(around) if want == "d" and kind == "}" else None
    if want in ("v", "i"):
        if kind in ("{", "["):
            return _State(kind, state, "d" if kind == "{" else "i")
        if kind in (_STRING, _WORD):
            return _State(top, around, "a") if top else None
        return _closed(around) if want == "i" and kind == "]" else None
    if want == ":":
        return _State(top, around, "v") if kind == ":" else None
    return None


def _closed(around: _State | None) -> _State | None:
    if around is None:
        return None
    return _State(around.top, around.around, "a" if around.top else _END)


@lru_cache(maxsize=256)
def _balancing(curly: int, square: int) -> tuple[str, ...]:
    """Return the marks that balance the given numbers of open brackets of both kinds, or none."""
    every = ("", *_MARKERS)
    return tuple(symbol for symbol in every if curly == -_CURLY.get(symbol, 0) and square == -_SQUARE.get(symbol, 0))


class _Reading:
    """The tokens of a text, the states before them as far as it is valid, and its unbalanced brackets and quotes."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.tokens: list[_Token] = []
        #: The state before each token; after the first error there is none.
        self.states: list[_State] = [_START]
        #: How many words and strings are invalid.
        self.unsound = 0
        #: Where each quote is that begins or ends a string.
        self.quotes: list[int] = []
        self.has_open_string = False
        #: Whether there are backslashes outside of strings, so that it is unknown which quotes are escaped.
        self.is_odd = False
        self._read()
        #: Whether a change may turn text in strings into text outside strings, and the reverse.
        self.flips = self.has_open_string or self.is_odd
        kinds = [token.kind for token in self.tokens]
        curly, square = kinds.count("{") - kinds.count("}"), kinds.count("[") - kinds.count("]")
        #: The marks that balance the brackets if they are added, and if they replace each mark, including no mark.
        self.added = tuple(symbol for symbol in _balancing(curly, square) if symbol)
        self.instead = {
            kind: _balancing(curly - _CURLY.get(kind, 0), square - _SQUARE.get(kind, 0)) for kind in _MARKERS
        }
        self.is_even = not curly and not square

    def _read(self) -> None:
        body, tokens, states = self.body, self.tokens, self.states
        state: _State | None = _START
        for match in _PARTS.finditer(body):
            part = match.lastindex or 0
            end = match.end()
            sound = part in (1, 4, 5)
            start = match.start(2 if part == 3 else part)
            kind = body[start]
            if part <= 3:
                self.quotes.append(start)
                if part == 1 or match[3]:
                    self.quotes.append(end - 1)
                else:
                    self.has_open_string = True
            elif part > 4:
                kind = _WORD
                self.is_odd = self.is_odd or body.find("\\", start, end) >= 0
            self.unsound += not sound
            tokens.append(_Token(kind, match.start(), start, end, sound))
            if state is not None:
                state = _step(state, kind) if sound else None
                if state is not None:
                    states.append(state)

    def fits(self, state: _State | None, index: int) -> bool:
        """Return whether two tokens, or the end, can follow a change."""
        tokens = self.tokens
        for number in (index, index + 1):
            if state is None:
                return False
            if number >= len(tokens):
                return state.want == _END
            state = _step(state, tokens[number].kind)
        return state is not None

    def marker_fits(self, index: int, marker: str, after: int) -> bool:
        """Return whether a mark may be before a token, with the token numbered `after` right after it."""
        state = self.states[index]
        return marker in _ALLOWED_AT[state.want] and self.fits(_step(state, marker), after)

    def string_fits(self, index: int, start: int) -> bool:
        """Return whether a string may begin before a token or replace it, if its text begins at `start`."""
        state = self.states[index]
        if _STRING not in _ALLOWED_AT[state.want]:
            return False
        following = _step(state, _STRING)
        return following is not None and (self.is_odd or self.continues_after(following, start))

    def continues_after(self, following: _State, start: int) -> bool:
        """Return whether the text after a string that ends with the first quote from `start` on is as expected."""
        number = bisect_left(self.quotes, start)
        return number < len(self.quotes) and self.sign_fits(following, self.quotes[number] + 1)

    def sign_fits(self, state: _State, at: int) -> bool:
        """Return whether an expected separator or closer is at a place, after whitespace."""
        sign = _SIGN.match(self.body, at)
        return sign is not None and sign[1] in (":" if state.want == ":" else "," + CLOSER[state.top])


def changes(body: str) -> Iterator[list[Edit]]:
    """Yield the changes of one character that may make a text valid, and removals of text around JSON.

    The place of a change depends on what it does: a mark belongs to the text before it, a string begins where it is
    written.
    """
    yield from _habits(body)
    reading = _Reading(body)
    tokens, flips = reading.tokens, reading.flips
    added = () if reading.unsound else reading.added
    # No changes are tried after the first token that is not allowed.
    for index, _ in enumerate(reading.states):
        if index == len(tokens):
            yield from ([insert(len(body), symbol)] for symbol in added if reading.marker_fits(index, symbol, index))
            return
        kind, space, at, end, _ = tokens[index]
        for symbol in added:
            if reading.marker_fits(index, symbol, index):
                yield [insert(space, symbol)]
        if flips and reading.string_fits(index, at):
            yield [insert(at, '"')]
        if kind == _STRING:
            # Without a change of strings only an escape can be wrong.
            if flips or body.find("\\", at, end) >= 0:
                yield from _changes_of_string(reading, index)
        elif kind == _WORD:
            yield from _changes_of_word(reading, index)
        else:
            yield from _changes_of_marker(reading, index)
            if flips and reading.string_fits(index, end):
                yield [Edit(Span(at, end), '"')]
    after = len(reading.states)
    if after < len(tokens) and _joins_words(reading, after):
        yield [delete(tokens[after].start, tokens[after].end)]


def closings(body: str) -> Iterator[list[Edit]]:
    """Yield the ways to close what is open if only closers are missing: at the end, or one of them before any comma."""
    reading = _Reading(body)
    if len(reading.states) <= len(reading.tokens):
        return
    rest = ""
    state: _State | None = reading.states[-1]
    while state is not None and state.top:
        rest += CLOSER[state.top]
        state = state.around
    if not rest or len(rest) > _MAX_CLOSERS:
        return
    yield [insert(len(body), rest)]
    for index, token in enumerate(reading.tokens):
        if token.kind != ",":
            continue
        closer = CLOSER[reading.states[index].top]
        if reading.unsound or not reading.marker_fits(index, closer, index):
            continue
        for place, each in enumerate(rest):
            if each == closer:
                yield [insert(token.start, closer), insert(len(body), rest[:place] + rest[place + 1 :])]


def _habits(body: str) -> Iterator[list[Edit]]:
    """Yield the removal of common text around JSON: entities for its quotes, a fence, words before it."""
    if "&quot;" in body and '"' not in body and body.count("&") == body.count("&quot;"):
        yield [Edit(Span(*match.span()), '"') for match in _ENTITY.finditer(body)]
    fences = [match.span() for match in _FENCES.finditer(body)]
    if len(fences) == 2:
        yield [delete(*fence) for fence in fences]
    for count, match in enumerate(_WORD_IN_FRONT.finditer(body)):
        if count >= _MAX_WORDS:
            break
        yield [delete(*match.span(1))]


def _changes_of_marker(reading: _Reading, index: int) -> Iterator[list[Edit]]:
    kind, _, at, end, _ = reading.tokens[index]
    if index and reading.tokens[index - 1].kind == _WORD and _joins_words(reading, index):
        yield [delete(at, end)]
    if reading.unsound:
        return
    for symbol in reading.instead[kind]:
        if not symbol:
            if reading.fits(reading.states[index], index + 1):
                yield [delete(at, end)]
        elif symbol != kind and reading.marker_fits(index, symbol, index + 1):
            yield [Edit(Span(at, end), symbol)]


def _joins_words(reading: _Reading, index: int) -> bool:
    """Return whether a token has words on both sides, right beside it."""
    tokens = reading.tokens
    if not 0 < index < len(tokens) - 1:
        return False
    before, token, after = tokens[index - 1 : index + 2]
    return before.kind == after.kind == _WORD and before.end == token.start and token.end == after.start


def _changes_of_word(reading: _Reading, index: int) -> Iterator[list[Edit]]:
    body, (_, _, at, end, sound) = reading.body, reading.tokens[index]
    others_sound = reading.unsound == (not sound)
    for place in {at, end - 1}:
        if body[place].isalnum():
            continue
        one = Span(place, place + 1)
        if others_sound:
            if reading.is_even:
                yield [delete(*one)]
            yield from ([Edit(one, symbol)] for symbol in reading.added)
        if reading.flips:
            yield [Edit(one, '"')]


def _changes_of_string(reading: _Reading, index: int) -> Iterator[list[Edit]]:
    body, (_, _, at, end, sound) = reading.body, reading.tokens[index]
    following = _step(reading.states[index], _STRING)
    if following is None:
        # Another quote may begin a string here.
        if end - at > 1 and body[end - 1] == '"':
            yield from _removals(body, at, end)
        return
    flips = reading.flips
    if end - at > 1 and body[end - 1] == '"':
        quote = end - 1
        if reading.is_odd or (flips and reading.continues_after(following, end)):
            yield [insert(quote, "\\")]
        yield from _removals(body, at, end)
        if flips and body[quote - 1 : quote] == "\\":
            yield [insert(quote, '"')]
    # A string that should have ended earlier.
    for place in _ENDS_STRING.finditer(body, at + 1, end):
        where = place.start()
        # A typographic quote that closes no typographic one replaces a plain one.
        if body[where - 1] in "”’" and body.rfind("“", at, where) < 0:
            continue
        # After a backslash the quote does not end the string.
        if body[where - 1] == "\\" or (flips and reading.sign_fits(following, where)):
            yield [insert(where, '"')]
    for other in _OTHER_QUOTE.finditer(body, at + 1, end):
        where = other.start()
        if body[where - 1] == "\\" or (flips and reading.sign_fits(following, other.end())):
            yield [Edit(Span(*other.span()), '"')]
    others_sound = reading.unsound == (not sound) and reading.is_even
    for escape in _BAD_ESCAPE.finditer(body, at + 1, end):
        if flips if body.startswith('"', escape.end()) else others_sound or reading.is_odd:
            yield [insert(escape.start(), "\\")]
            yield [delete(escape.start(), escape.start() + 1)]


def _removals(body: str, at: int, end: int) -> Iterator[list[Edit]]:
    quote = end - 1
    if body[quote - 1] == "\\" or body.startswith('"', end) or quote == at + 1:
        yield [delete(quote - 1, quote)]
    if body.startswith('"', end):
        yield [delete(end, end + 1)]
