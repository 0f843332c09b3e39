"""Parts of invalid JSON other than strings and brackets: numbers, words, omitted values, junk.

Owns: `JsonWords`. Must not know: runs of brackets, what follows a value.
"""

import json
import math
from typing import Final

from callwright.syntax.json_nodes import JsonNode
from callwright.syntax.json_quotes import Follow, JsonQuotes
from callwright.syntax.json_text import shorten
from callwright.syntax.literal_words import JSON_WORDS, MISWRITTEN, NON_FINITE, PYTHON_WORDS
from callwright.syntax.value_tree import OpenValue, State
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.span import Edit, Span, delete, insert

_DIGITS_MAX: Final = 4300  # Python refuses to convert longer integers
#: How much junk is scanned for messages.
_MAX_SHOWN: Final = 80
TOKEN: Final = compile_later(rf"[\w.+$\-{HOLE}]++")
NUMBER: Final = compile_later(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_LOOSE_NUMBER: Final = compile_later(r"([+-]?)([0-9](?:_?[0-9])*+)?(\.(?:[0-9](?:_?[0-9])*+)?)?([eE][+-]?[0-9]++)?")
_RADIX_NUMBER: Final = compile_later(r"([+-]?)0(?:[xX][0-9a-fA-F]++|[oO][0-7]++|[bB][01]++)")
_BARE: Final = compile_later(r"[^,{}\[\]\"\r\n]++")
_WORDLESS: Final = compile_later(r"[^\w/~]*+")
_BARE_COMMENT: Final = compile_later(r"(?<![ \t])[ \t]++(?://|#|/\*)")
_JUNK: Final = compile_later(r"[^,{}\[\]\"'\s…]++")
_ELISION: Final = compile_later(r"(?:\.{3,}+|…)[^\",:{}\[\]\r\n<]*+")
_ANGLE: Final = compile_later(r"<(?!(?:null|true|false)>)[A-Za-z_][\w .,:|/'-]{0,120}+>(?=[ \t\r\n]*+(?:[,}\]]|\Z))")
_LABEL: Final = compile_later(r"[^\",{}\[\]\s]{1,40}+[ \t]*+(?=[{\[])")
_PREFIX: Final = compile_later(r"[rRbBuUfF]{1,2}(?=[\"'])")
#: Words of other languages, with JSON's word.
_OTHERS: Final = {word: json.dumps(value) for word, value in (PYTHON_WORDS | MISWRITTEN).items()}
_SIGNED: Final = {"+inf": math.inf, "+Infinity": math.inf, "-inf": -math.inf, "-Infinity": -math.inf}
_NON_FINITE: Final = NON_FINITE | _SIGNED


class JsonWords(JsonQuotes):
    """Reads text other than strings and brackets: numbers, words, omitted values, junk."""

    _wordless_to = -1  # up to here bare text is known to have no letter or digit

    def _read_word(self, frame: OpenValue, at: int) -> None:
        """Read text without a bracket or quote at its beginning: a number, a literal, or bare text."""
        text = self.text
        prefix = _PREFIX.match(text, at, self._stop_at)
        if prefix is not None and frame.kind != "":
            self._report("unexpected-text", at, prefix.end(), [delete(at, prefix.end())], text=prefix[0], prefix=True)
            self._at = prefix.end()
            return
        label = _LABEL.match(text, at, self._stop_at)
        if label is not None and self._is_label(frame, label[0]):
            self._junk(frame, at)
            return
        angle = _ANGLE.match(text, at, self._stop_at)
        if angle is not None:
            self._at = angle.end()
            self._give_marked("elision", at, angle.end())
            return
        token = TOKEN.match(text, at, self._stop_at)
        if token is not None:
            word, end = token[0], token.end()
            self._look(end + 1)
            if HOLE in word:
                self._at = end
                self._give_marked("hole", at, end)
                return
            if self._is_alone(frame, end) and self._read_plain(at, end, word):
                return
        self._read_bare(frame, at)

    def _is_label(self, frame: OpenValue, word: str) -> bool:
        """Return whether a word before a bracket is only a label: `{"a": dict {}}`, `[x{}]`."""
        if HOLE in word or frame.kind == "":
            return False
        return frame.kind == "object" or not (word[-1].isspace() or self._is_plain(word))

    def _is_plain(self, word: str) -> bool:
        return word in JSON_WORDS or word in _OTHERS or NUMBER.fullmatch(word) is not None

    def _is_alone(self, frame: OpenValue, end: int) -> bool:
        """Return whether the word that ends at `end` is not the first of a run of bare words."""
        if end >= self._stop_at or self.text[end] in ",}]\r\n":
            return True
        if frame.kind != "object":
            return self.text[end] in " \t\"'{[/#…" or frame.kind == ""
        at = end
        while at < self._stop_at and self.text[at] in " \t":
            at += 1
        if at >= self._stop_at or self.text[at] in f",}}]\r\n\"'“”„{{[…{HOLE}" or self._is_end(at, at):
            return True
        return self.text.startswith(("//", "/*", "#", "..."), at, self.limit) or self._ahead(at) == "k"

    def _read_plain(self, at: int, end: int, word: str) -> bool:
        """Read a number or a literal, valid or malformed; False if the word is neither."""
        if word in JSON_WORDS:
            self._take("literal", at, end, JSON_WORDS[word])
        elif word in _OTHERS:
            json_word = _OTHERS[word]
            self._report(
                "python-literal", at, end, [Edit(Span(at, end), json_word)], certain=True, text=word, json=json_word
            )
            self._take("literal", at, end, JSON_WORDS[json_word])
        elif word in _NON_FINITE:
            self._report("non-finite-number", at, end, [Edit(Span(at, end), "null")], text=word)
            self._take("number", at, end, _NON_FINITE[word])
        else:
            return self._read_number(at, end, word)
        return True

    def _read_number(self, at: int, end: int, word: str) -> bool:
        number = NUMBER.fullmatch(word)
        if number is not None:
            if number[1] is None and number[2] is None:
                if len(word) > _DIGITS_MAX:
                    self._report("bad-number", at, end, text=shorten(word), reason="too-long")
                    self._at = end
                    self._give_marked("missing", at, end)
                    return True
                self._take("number", at, end, int(word))
                return True
            value = float(word)
            if math.isinf(value):
                self._report("non-finite-number", at, end, text=shorten(word))
            self._take("number", at, end, value)
            return True
        plain = _plain_number(word)
        if plain is None and (word not in ("+", "-", ".") or self._char(end) in ("{", "[", '"')):
            return False
        if plain is None:
            self._report("bad-number", at, end, text=word, reason="incomplete")
            self._at = end
            self._give_marked("missing", at, end)
            return True
        fixed, exact = plain
        whole = NUMBER.fullmatch(fixed)
        is_int = whole is not None and whole[1] is None and whole[2] is None
        if is_int and len(fixed) > _DIGITS_MAX:
            self._report("bad-number", at, end, text=shorten(word), reason="too-long")
            self._at = end
            self._give_marked("missing", at, end)
            return True
        if not is_int and math.isinf(float(fixed)):
            self._report("non-finite-number", at, end, text=shorten(word))
            self._take("number", at, end, float(fixed))
            return True
        self._report(
            "bad-number",
            at,
            end,
            [Edit(Span(at, end), fixed)],
            certain=exact,
            text=shorten(word),
            json=shorten(fixed),
            reason="form",
        )
        self._take("number", at, end, int(fixed) if is_int else float(fixed))
        return True

    def _read_bare(self, frame: OpenValue, at: int) -> None:
        """Read bare words where a value should be, up to a separator, the line's end or a quote."""
        text = self.text
        if frame.kind == "":
            self._abandon(at)
            return
        if at < self._wordless_to:
            self._junk(frame, at)
            return
        found = _BARE.match(text, at, self._stop_at)
        end = found.end() if found is not None else at
        comment = _BARE_COMMENT.search(text, at, end)
        if comment is not None:
            end = comment.start()
        after = end
        while end > at and text[end - 1].isspace():
            end -= 1
        if _WORDLESS.fullmatch(text, at, end) is not None:
            self._wordless_to = end
            self._junk(frame, at)
            return
        if text.startswith('"', after, self.limit) and self._follow(after + 1, frame.kind) in (
            Follow.YES,
            Follow.END,
        ):
            # The closing quote is there, so the opening one is what is missing.
            self._report("unmatched-quote", at, after + 1, [insert(at, '"')], missing="opening", truncated=False)
            self._at = after + 1
            self._give(JsonNode("string", Span(at, after + 1), text[at:after]))
            return
        word = text[at:end]
        edits = [insert(at, '"')]
        edits += [insert(at + place, "\\") for place, char in enumerate(word) if char == "\\"]
        edits.append(insert(end, '"'))
        if self._char(after) in ('"', "{", "[") or not word.isprintable():
            edits = []
        self._report("unquoted-string", at, end, edits, text=shorten(word))
        self._take("string", at, end, word)

    def _read_elision(self, frame: OpenValue, at: int) -> None:
        """Read `...` or `…`, with the words that may continue from it, as "and so on"."""
        found = _ELISION.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at + 1
        while self.text[end - 1].isspace():
            end -= 1
        self._at = end
        if frame.kind == "" or (frame.kind == "object" and frame.state == State.VALUE):
            self._give_marked("elision", at, end)
            self._stack[-1].loose = True
        else:
            self._elide(frame, end)

    def _extra_comma(self, frame: OpenValue, at: int) -> None:
        """Read a comma without a value before it."""
        if not frame.loose:
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
        frame.loose = False
        if frame.comma < 0 and not self._is_empty(frame):
            frame.comma = at
        self._at = at + 1

    def _is_empty(self, frame: OpenValue) -> bool:
        return not frame.node.items and not frame.node.members and not frame.node.elided

    def _junk(self, frame: OpenValue, at: int) -> None:
        """Skip unknown text, up to where JSON may continue."""
        found = _JUNK.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at + 1
        before = self.problems[-1] if self.problems else None
        run = before is not None and before.kind == "unexpected-text" and before.data.get("junk")
        start = at
        # Without its colon a key would be a value; its correction is unknown. Only the new part of a run is scanned:
        # the previous problem covers the rest.
        removable = HOLE not in self.text[at:end] and ":" not in self.text[at:end]
        if before is not None and run and not self.text[before.span.end : at].strip():
            self.problems.pop()
            start = before.span.start
            removable = removable and bool(before.repair)
        edits = [delete(start, end)] if removable else []
        after = self._space(end)
        if edits and frame.comma >= 0 and self.text.startswith(",", after, self.limit):
            edits = [delete(start, self._space(after + 1))]  # one of the two commas goes with the junk
        # Before more members the words may replace a comma.
        ends = after >= self._stop_at or self.text[after] in ",}]"
        plain = ends and frame.state == State.AFTER and PLAIN_WORDS.fullmatch(self.text, start, end) is not None
        shown = shorten(self.text[start : min(end, start + _MAX_SHOWN)])
        self._report("unexpected-text", start, end, edits, certain=plain, text=shown, junk=True)
        frame.loose = True
        self._at = end

    def _abandon(self, at: int) -> None:
        """Read text in which no value begins: skip to the first brace, or report that all of it is not JSON."""
        text = self.text
        brace = _FIRST_BRACE.search(text, at, self._stop_at)
        # After too much junk, reading would end before the brace.
        near = brace is not None and (self.patience is None or brace.start() - self._last <= self.patience)
        if brace is not None and near and brace.start() > at and not self.problems:
            end = brace.start()
            while text[end - 1].isspace():
                end -= 1
            lead = text[at:end]
            certain = _FENCE_MARKER.fullmatch(lead) is not None or PLAIN_WORDS.fullmatch(lead) is not None
            self._report("unexpected-text", at, end, [delete(at, end)], certain=certain, text=shorten(lead), front=True)
            self._begin = self._at = brace.start()
            return
        token = TOKEN.match(text, at, self._stop_at)
        word = token[0] if token is not None else text[at]
        end = self._back(self._stop_at, at)
        self._report("not-json", at, end, text=shorten(word), empty=False)
        self._at = self._stop_at
        self.end = end
        self._base.state = State.AFTER


_OCTAL: Final = compile_later(r"[0-7]++")
#: Words outside JSON: without quotes, brackets or separators.
PLAIN_WORDS: Final = compile_later(r"[\w .!?'’\t\r\n-]{1,200}+[:=]?")
_FENCE_MARKER: Final = compile_later(r"```\w*+")
_FIRST_BRACE: Final = compile_later(r"\{(?=[ \t\r\n]*+[\"'“}.…\w])|\[(?=[ \t\r\n]*+[\"{\[])")


def _plain_number(word: str) -> tuple[str, bool] | None:
    """Return a badly written number as JSON writes it, and whether that is certain; None if it is not a number."""
    radix = _RADIX_NUMBER.fullmatch(word)
    if radix is not None:
        if len(word) > 1000:
            return None
        return str(int(word.replace("_", ""), 0)), True
    loose = _LOOSE_NUMBER.fullmatch(word)
    if loose is None or (loose[2] is None and loose[3] in (None, ".")):
        return None
    sign = "-" if loose[1] == "-" else ""
    digits = (loose[2] or "0").replace("_", "")
    fraction = (loose[3] or "").replace("_", "")
    # A leading zero is octal in some languages and decoration in others: it is certain if both give the same number.
    whole = fraction == "" and not loose[4]
    octal = whole and len(digits) > 1 and digits[0] == "0" and _OCTAL.fullmatch(digits) is not None
    digits = digits.lstrip("0") or "0"
    exact = not octal or len(digits) == 1
    if fraction == ".":
        fraction = ".0"
    return f"{sign}{digits}{fraction}{loose[4] or ''}", exact
