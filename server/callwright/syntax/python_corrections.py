"""Which changes of one character make calls in Python valid.

Owns: the strict grammar of calls with literal values as a machine that continues from any token, and the changes that
are tried. Must not know: tools, what a call means, which of several results was meant.

The text before a change is valid, so each change is read from its own token on and rejected at the first error after
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, delete, insert

#: How many tokens are read in all; with more, the search ends early.
_WORK: Final = 400_000

_TOKEN: Final = compile_later(
    r"(?P<string>[rRuU]?(?:'''(?:[^'\\]|\\[\s\S]|'(?!''))*+'''|\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*+\"\"\""
    r"|(?!'''|\"\"\")(?:'(?:[^'\\\r\n]|\\[\s\S])*+'|\"(?:[^\"\\\r\n]|\\[\s\S])*+\")))"
    r"|(?P<open>[rRuU]?(?:'''|\"\"\")|[rRuU]?(?:'(?:[^'\\\r\n]|\\[\s\S])*+|\"(?:[^\"\\\r\n]|\\[\s\S])*+))"
    r"|(?P<symbol>[()\[\]{},:=])"
    r"|(?P<number>[+-]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?![\w.]))"
    r"|(?P<name>[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+)"
)
_SPACE: Final = compile_later(r"[ \t\r\n\f]*+(?:#[^\r\n]*+[ \t\r\n\f]*+)*+")
_ODD: Final = compile_later(r"[\w.+-]++|[^\s]")
_VALUES: Final = frozenset({"True", "False", "None", "true", "false", "null"})
_MARKERS: Final = "()[]{},:="
_OPENERS: Final = "([{"
_QUOTES: Final = "'\""
_QUOTE_RUN: Final = compile_later(r"(?P<prefix>[rRuU]?)(?P<quote>'''|\"\"\"|['\"])")
_ENDS_STRING: Final = compile_later(r"(?=\s*+[,:)}\]])")
_OTHER_QUOTE: Final = compile_later(r"[“”„‟'’`\"](?=\s*+[,:)}\]])")
_MAX_ODD_LENGTH: Final = 3


class _Token(NamedTuple):
    kind: str  # a mark, or "string", "open", "number", "word", "name", "dotted", "odd"
    start: int
    end: int


class _State(NamedTuple):
    """What is open, innermost last, and what is expected next."""

    stack: str
    want: str


#: What is open: `T` nothing, `L` the list of calls, `C` a call, `[` and `{` containers. What is expected: `s` the
#: beginning, `n` a name, `p` its parenthesis, `k` a keyword, `e` its sign, `v` a value, `i` an item, `d` a key in
#: quotes, `o` its colon, `a` what follows a value, `z` nothing.
_START: Final = _State("T", "s")
_WANTS: Final = {"C": "k", "L": "n", "[": "i", "{": "d"}
_CLOSERS: Final = {"C": ")", "L": "]", "[": "]", "{": "}"}


class Correction(NamedTuple):
    """The edits of one change, the tokens of the changed text, and the places of all changes with the same tokens."""

    edits: tuple[Edit, ...]
    outcome: str
    place: Span


def corrections(body: str) -> list[Correction] | None:
    """Return every change of one character that makes the text valid, None if there are too many to try.

    Of changes with the same tokens only the first is returned.
    """
    tokens: list[_Token] = []
    states = [_START]
    for token in _tokens(body, 0):
        tokens.append(token)
        following = _step(states[-1], token)
        if following is None:
            break
        states.append(following)
    if len(states) > len(tokens) and _is_end(states[-1]):
        return []  # it is valid
    found: dict[str, Correction] = {}
    work = 0
    for index, edit in _changes(body, tokens):
        # A change may join its token with the one before.
        first = max(index - 1, 0)
        span, new = edit
        text = body[: span.start] + new + body[span.end :]
        at = tokens[first].start if first < len(tokens) else 0
        state = states[first]
        for token in _tokens(text, at):
            work += 1
            following = _step(state, token)
            if following is None:
                break
            state = following
        else:
            following = state
        if work > _WORK:
            return None
        if following is not None and _is_end(state):
            outcome = _outcome(text)
            known = found.get(outcome)
            if known is None:
                found[outcome] = Correction((edit,), outcome, span)
            else:
                start, end = min(span.start, known.place.start), max(span.end, known.place.end)
                found[outcome] = known._replace(place=Span(start, end))
    return list(found.values())


def open_string(body: str) -> int:
    """Return where a string that is open at the text's end begins, -1 if there is none."""
    tokens = list(_tokens(body, 0))
    return tokens[-1].start if tokens and tokens[-1].kind == "open" else -1


def _tokens(text: str, at: int) -> Iterator[_Token]:
    length = len(text)
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space is not None else at
        if at >= length:
            return
        match = _TOKEN.match(text, at)
        if match is None:
            odd = _ODD.match(text, at)
            end = odd.end() if odd is not None else at + 1
            yield _Token("odd", at, end)
        else:
            end = match.end()
            kind = match.lastgroup or ""
            if kind == "symbol":
                kind = text[at]
            elif kind == "name":
                kind = "word" if match[0] in _VALUES else "dotted" if "." in match[0] else "name"
            yield _Token(kind, at, end)
        at = end


def _step(state: _State, token: _Token) -> _State | None:
    """Return the state after a token, None if the token is not allowed."""
    stack, want = state
    kind = token.kind
    inner = stack[-1]
    if want in "vid":
        if kind == "string":
            return _State(stack, "o" if want == "d" else "a")
        if want != "d":
            if kind in ("number", "word"):
                return _State(stack, "a")
            if kind in ("[", "{"):
                return _State(stack + kind, _WANTS[kind])
        if want != "v" and kind == _CLOSERS[inner]:
            return _State(stack[:-1], "a")
        return None
    if want == "a":
        if kind == ",":
            return _State(stack, _WANTS[inner])
        return _closed(stack) if kind == _CLOSERS[inner] else None
    if want == "k":
        if kind == "name" or (kind == "dotted" and stack == "TC"):
            return _State(stack, "e" if kind == "name" else "p")
        return _closed(stack) if kind == ")" else None
    if want == "e":
        if kind == "(" and stack == "TC":
            return _State("TCC", "k")  # a call whose result is only printed
        return _State(stack, "v") if kind == "=" else None
    if want == "o":
        return _State(stack, "v") if kind == ":" else None
    if want == "p":
        return _State(stack + "C", "k") if kind == "(" else None
    if want in "sn":
        if kind in ("name", "dotted"):
            return _State(stack, "p")
        if want == "s" and kind == "[":
            return _State("TL", "n")
        return _closed(stack) if inner == "L" and kind == "]" else None
    return None


def _is_end(state: _State) -> bool:
    return state.want == "z" or state == _State("T", "n")


def _closed(stack: str) -> _State:
    rest = stack[:-1]
    return _State(rest, ("z" if stack[-1] == "L" else "n") if rest == "T" else "a")


def _outcome(text: str) -> str:
    parts: list[str] = []
    for token in _tokens(text, 0):
        if token.kind in ")]}" and parts and parts[-1] == ",":
            parts.pop()
        parts.append(text[token.start : token.end])
    return "\n".join(parts)


def _changes(body: str, tokens: list[_Token]) -> Iterator[tuple[int, Edit]]:
    """Yield changes, each with the number of the token that it changes or is in front of."""
    after = 0
    for index, token in enumerate(tokens):
        kind, at, end = token
        for symbol in _MARKERS:
            # A comma or closer belongs to the text before it.
            first, other = (at, after) if symbol in _OPENERS else (after, at)
            yield index, insert(first, symbol)
            if other != first:
                yield index, insert(other, symbol)
        if kind in ("string", "open"):
            for edit in _changes_of_string(body, token):
                yield index, edit
        else:
            for quote in _QUOTES:
                yield index, insert(at, quote)
        if len(kind) == 1 or (kind == "odd" and end - at <= _MAX_ODD_LENGTH):
            for place in dict.fromkeys((at, end - 1)):
                if not body[place].isalnum():
                    one = Span(place, place + 1)
                    yield index, delete(*one)
                    for symbol in _MARKERS + _QUOTES:
                        if symbol != body[place]:
                            yield index, Edit(one, symbol)
        after = end
    for symbol in _MARKERS + _QUOTES:
        yield len(tokens), insert(after, symbol)


def _changes_of_string(body: str, token: _Token) -> Iterator[Edit]:
    _, start, end = token
    opening = _QUOTE_RUN.match(body, start)
    if opening is None:
        return
    quote, content = opening["quote"], opening.end()
    if token.kind == "open" or body.startswith(quote, end) or (end == content + 1 and len(quote) == 1):
        # A quote that is one too many, or is in place of another mark.
        yield delete(content - 1, content)
        yield from (Edit(Span(content - 1, content), symbol) for symbol in "=:,([{")
    if token.kind == "string":
        last = end - len(quote)
        yield insert(last, "\\")
        if body[last - 1] == "\\" or body.startswith(quote, end) or last == content:
            yield delete(last - 1, last)
        if body.startswith(quote, end):
            yield delete(end, end + 1)
        if body[last - 1] == "\\":
            yield insert(last, quote[0])
    if len(quote) > 1:
        return
    for place in _ENDS_STRING.finditer(body, content, end):
        yield insert(place.start(), quote)
    if token.kind == "open":
        yield insert(end, quote)
    for other in _OTHER_QUOTE.finditer(body, content, end):
        if other[0] != quote:
            yield Edit(Span(*other.span()), quote)
