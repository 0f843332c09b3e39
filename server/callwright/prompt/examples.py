"""Examples of what not to do: the calls that the text around them calls bad.

Owns: which segments of a text are such examples, by the headings, labels, comments and tags in front of them, and what
of it a following block must know; which programs are tests. Must not know: dialects, rules, documents.

A heading holds for its section, a tag for what it encloses, a label or comment for the next examples. The nearest one
counts, so that a "Right:" below "Common mistakes" is right. Where the words of a line say both, they say nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from callwright.prompt.example_labels import labelled_bad, without_conditions
from callwright.text.budget import yield_point
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Span

#: How far a label reaches for its example, and what it is away by each line between them: of prose, of a fence that
#: follows it, of the fence that it is in.
_NEAR: Final = 40
_PROSE: Final = 10
_CODE: Final = 1
_OWN_CODE: Final = 3
#: At most this many characters are between two yield points.
_REST: Final = 8_192
#: A longer line is not a label.
_MAX_LENGTH: Final = 160
_BAD_MARKERS: Final = "❌🚫✗✘⛔👎"
_GOOD_MARKERS: Final = "✅✔✓👍"
#: Words by which a comment at an example calls it bad.
_BAD: Final = compile_later(
    rf"""[{_BAD_MARKERS}]
    |\b(?:
        bad|wrong|wrongly|incorrect|incorrectly|invalid|improper|malformed|broken|anti-?\s?patterns?|counter-?\s?examples?
        |mistakes?|pitfalls?|don['’]?ts?|forbidden|prohibited|not\ (?:allowed|correct|valid|good|like\ this|this)
        |(?:do\ not|don['’]t|never|avoid)\ (?:(?:do|use|write|output|send|make)\ )?(?:this|these|that|so|the\ following)
        |falsch\w{{0,2}}|schlecht\w{{0,2}}|ungültig\w{{0,2}}|fehlerhaft\w{{0,2}}|nicht\ so|häufige\ fehler
        |gegenbeispiele?
        |mauvais(?:e|es)?|incorrecte?s?|faux|fausses?|à\ éviter|à\ ne\ pas\ faire|invalides?|contre-exemples?
        |erreurs\ (?:fréquentes|courantes)|ne\ faites\ pas|incorrect[oa]s?|mal|malos?|mala|erróne[oa]s?|inválid[oa]s?
        |errores\ (?:comunes|frecuentes)|no\ hagas\ esto|así\ no|incorret[oa]s?|errad[oa]s?|ruim|erros\ comuns
        |não\ faça\ (?:isso|isto)|неправильн\w{{0,3}}|плох\w{{1,3}}|неверн\w{{1,3}}|недопустим\w{{1,3}}
        |(?:типичные|частые)\ ошибки|так\ нельзя|не\ так|не\ делай(?:те)?
    )\b
    |错误(?:示例|示范|例子|用法|写法|做法|格式|案例|的|\s*+[:：]|\s*+\Z)|不正确|反例|坏例|不要这样|常见错误|无效(?:示例|的)|禁止
    |錯誤(?:示例|範例|用法|寫法|的|\s*+[:：]|\s*+\Z)
    |悪い例|間違[いっ]|誤り|誤った|NG例|ダメな例|してはいけない|よくあるミス|不正な
    |잘못된|나쁜\s?예|틀린|흔한\s?실수|하지\s?마세요|올바르지\s?않은
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GOOD: Final = compile_later(
    rf"""[{_GOOD_MARKERS}]
    |\b(?:
        good|right|correct|correctly|corrected|proper|properly|valid|instead|better|preferred|fixed
        |(?<!not\ )(?<!n['’]t\ )(?<!never\ )do\ this
        |richtig\w{{0,2}}|korrekt\w{{0,2}}|gut|gute[rs]?|stattdessen|besser|gültig\w{{0,2}}|bon(?:ne)?s?|correcte?s?|juste
        |correct[oa]s?|bien|buen[oa]s?|válid[oa]s?|corret[oa]s?|cert[oa]s?|bom|boa
        |правильн\w{{0,3}}|верн\w{{1,3}}|хорош\w{{1,3}}|так\ надо
    )\b
    |(?<!不)正确|正例|推荐|好的|(?<!不)正確|良い例|正しい|OK例|(?<!않은 )올바른|좋은\s?예|맞는
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: What turns a good word: it is taken out of a line that is asked for good words.
_DENIED: Final = compile_later(
    r"\b(?:not|nicht|no|não|pas|не)\ (?:\w{1,12}\ )?(?:allowed|correct|valid|good|right|korrekt|richtig)\b|올바르지",
    re.IGNORECASE,
)
_LINE: Final = re.compile(r"([^\r\n]*+)(\r\n|\n|\r|\Z)")
_LEAD: Final = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,3}[.)])[ \t]++)?+")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]++(?=\S)")
#: What is after the sign of a comment rather than of a heading: `BAD: it never checks`.
_REMARK: Final = compile_later(r"\w++:[ \t]++\w")
_WORD: Final = re.compile(r"\w")
_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_COMMENT: Final = re.compile(r"<!--++|//++|/\*++|\{\#|\#++")
#: The tag of a section that holds examples of one kind.
_TAG: Final = re.compile(r"<(?P<close>/)?+(?P<name>[A-Za-z][\w.-]{0,60}+)(?P<attributes>\s[^<>\r\n]{0,200}+)?>")
_TAG_NAME: Final = compile_later(
    r"(?:bad|wrong|incorrect|invalid|anti-?_?pattern|malformed|counter)(?:[_.-]?(?:examples?|calls?|usages?|patterns?|outputs?|responses?))?s?"
    r"|(?:examples?|calls?|usages?)[_.-](?:bad|wrong|incorrect|invalid)",
    re.IGNORECASE,
)
_TAG_KIND: Final = compile_later(
    r"\s(?:type|class|kind|label|quality|verdict|title|name)\s*+=\s*+[\"']?(?:bad|wrong|incorrect|invalid|negative)\b"
    r"|\s(?:correct|valid|good)\s*+=\s*+[\"']?(?:false|no|0)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = compile_later(r"[.!?。！？]\s++")
#: What a line begins with that speaks of an example on its own: a word, and then a sign that ends it.
_LED: Final = compile_later(r"[\s*_`\"'“([]*+(?P<stated>[^:：\r\n]{0,80}?)[*_`\"'”)\]]*+\s*+(?:[:：]|[–—]|\s-\s)")
_BOLD: Final = compile_later(r"\s*+(?:\*\*|__)(?P<stated>[^*_\r\n]{1,80})(?:\*\*|__)")
#: What is in each line that calls an example bad, in lower case; other lines matter where one did so before.
_ASCII: Final = (
    "bad", "wrong", "incorrec", "invalid", "improper", "malformed", "broken", "anti-", "antip", "anti p",
    "counter-", "countere", "counter e", "mistake", "pitfall", "don't", "donts", "do not", "dont", "never",
    "must not", "should not", "not to ",
    "avoid", "forbidden", "prohibited", "not allowed", "not correct", "not valid", "not good", "not like",
    "not this", "falsch", "schlecht", "fehler", "nicht so", "gegenbeisp", "evit", "vermeid", "mauvais", "faux",
    "fausse", "contre-ex", "erreurs", "ne faites", "mal:", "mal*", "malo", "mala", "errad", "errores", "erros ",
    "no hagas", "ruim", "negative", "correct=", "correct =", "valid=", "valid =", "good=", "good =",
    "callwright:",
)  # fmt: skip
_OTHERS: Final = (
    *_BAD_MARKERS,
    "don’t", "ungültig", "évite", "éviter", "à ne pas", "erróne", "inválid", "así no", "não faça", "неправильн",
    "плох", "неверн", "недопустим", "ошибк", "нельзя", "не так", "не дела", "избега", "错误", "不正", "反例", "坏例",
    "不要", "避免", "无效", "禁止", "錯誤", "悪い", "間違", "誤", "ng例",
    "ダメ", "いけない", "ミス", "잘못", "나쁜", "틀린", "실수", "마세요",
    "않은",
)  # fmt: skip
#: What a line has that is a heading, a label, a comment or a tag: one of these signs at least.
_SIGNS: Final = ":#<*_/{-"
_ANY_SIGNS: Final = f"{_SIGNS}：–—{_BAD_MARKERS}{_GOOD_MARKERS}"
_SIGN: Final = re.compile(f"[{re.escape(_SIGNS)}]")
_ANY_SIGN: Final = re.compile(f"[{re.escape(_ANY_SIGNS)}]")
#: Those words, each with a character of it that ASCII does not have.
_BY_SIGN: Final = tuple((max(word), word) for word in _OTHERS)
#: A comment to Callwright about what follows: its author wants that checked, or knows its diagnostics.
_ADDRESSED: Final = compile_later(r"callwright:[ \t]*+(?:expect|ignore|disable)")


_TEST: Final = compile_later(r"(?:test_.*|.*_tests?|conftest)\.pyi?|.*[._-](?:test|spec)s?\.[cm]?[jt]sx?")
_TEST_FOLDERS: Final = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "fixtures", "__mocks__"})


class ExampleContext(NamedTuple):
    """What a text states about the examples that follow.

    `sections` holds the headings around them that call theirs bad (True) or good, each with its level; `tag` is the
    open tag that does, `label` what the nearest label calls them, None where none does. `left` is how far the label
    still reaches, `shown` that one has followed it, `inside` that it is in a fence that is still open. `addressed` is
    true if a comment is about the next example.
    """

    sections: tuple[tuple[int, bool], ...] = ()
    tag: str = ""
    label: bool | None = None
    left: int = 0
    shown: bool = False
    inside: bool = False
    addressed: bool = False

    @property
    def is_bad(self) -> bool:
        """Whether an example that follows is bad."""
        if self.label is not None:
            return self.label
        return bool(self.tag) or (bool(self.sections) and self.sections[-1][1])


NOTHING_STATED: Final = ExampleContext()


def bad_examples(
    text: str,
    calls: Callable[[], Iterable[Span]],
    stated: ExampleContext = NOTHING_STATED,
    fences: tuple[int, Sequence[tuple[int, int]]] | None = None,
) -> tuple[list[Span], ExampleContext]:
    """Return the segments of a text that are examples of what not to do, and the context for the examples after it.

    `calls` gives the places of its calls, `stated` is the context from the text before it. `fences` counts those that
    are open where it begins, and lists where that changes; without them, its own lines are read. An example after a
    comment to Callwright is judged.
    """
    markers = _markers(text)
    if stated == NOTHING_STATED and not markers:
        return [], stated
    return _Scan(text, sorted(calls()), stated, fences, markers).run()


def _markers(text: str) -> list[int]:
    """Return the places of all words by which a line may call an example bad, in order.

    Only lines with a sign of a label or comment are asked for the words.
    """
    plain = text.isascii()
    if not any(sign in text for sign in (_SIGNS if plain else _ANY_SIGNS)):
        return []
    has_sign = (_SIGN if plain else _ANY_SIGN).search
    signed = "\n".join([line for line in text.split("\n") if has_sign(line) is not None]).lower()
    others: list[str] = []
    if not signed.isascii():
        signs = {*signed}
        others = [word for sign, word in _BY_SIGN if sign in signs]
    words = [word for word in (*_ASCII, *others) if word in signed]
    if not words:
        return []
    low = text.lower()
    if len(low) != len(text):
        low = text
    found: list[int] = []
    for word in words:
        at = low.find(word)
        while at >= 0:
            found.append(at)
            at = low.find(word, at + 1)
    found.sort()
    return found


def is_test(path: str) -> bool:
    """Return whether a program is a test, by its name or that of a folder near it."""
    *folders, name = path.replace("\\", "/").split("/")
    return _TEST.fullmatch(name) is not None or not _TEST_FOLDERS.isdisjoint(folders[-3:])


def touches(places: Sequence[Span], span: Span) -> bool:
    """Return whether a span begins in one of some places, or right after it, where what it lacks is missing."""
    at = bisect_right(places, span.start, key=lambda place: place.start) - 1
    return at >= 0 and span.start <= places[at].end


class _Scan:
    """One pass over the lines of a text."""

    def __init__(
        self,
        text: str,
        calls: Sequence[Span],
        stated: ExampleContext,
        fences: tuple[int, Sequence[tuple[int, int]]] | None,
        markers: Sequence[int],
    ) -> None:
        self.markers = markers
        self.text = text
        self.calls = calls
        self.stated = stated
        self.known = fences
        #: The marker of the open fence, where the lines are read for fences.
        self.marker = ""
        self.event = 0
        self.depth = 0 if fences is None else fences[0]
        self.bad: list[Span] = []

    def run(self) -> tuple[list[Span], ExampleContext]:
        """Return the bad examples, and the context for those after the text."""
        at = call = rested = 0
        size = len(self.text)
        while at < size:
            if at - rested >= _REST:
                rested = at
                yield_point()
            if self.stated == NOTHING_STATED and self.known is not None:
                at = self._next(at)
                while call < len(self.calls) and self.calls[call].end <= at:
                    call += 1
                if call < len(self.calls):
                    # What a call holds says nothing of it, and what follows it on its line does.
                    at = min(at, self.calls[call].start)
            line = _LINE.match(self.text, at)
            assert line is not None, "any text matches"
            if at >= size:
                break
            end = line.end()
            self._pass_fences(at)
            if call < len(self.calls) and self.calls[call].start < end:
                # What is in front of a call on its line may label it, and so may what follows it.
                first = max(self.calls[call].start, at)
                self._line(self.text[at:first], leads=True)
                stop = first
                while call < len(self.calls) and self.calls[call].start < max(end, stop):
                    stop = max(stop, self.calls[call].end)
                    if stop > end:
                        rest = _LINE.match(self.text, stop)
                        end = rest.end() if rest is not None else stop
                    call += 1
                self._example(Span(first, stop), self.text[min(stop, end) : end])
            else:
                self._line(line[1])
            at = max(end, at + 1)
        self._pass_fences(size)
        return self.bad, self.stated

    def _next(self, at: int) -> int:
        """Return where the next line that may say something begins, or continues after `at`; the text's end for
        none."""
        marker = bisect_left(self.markers, at)
        if marker == len(self.markers):
            return len(self.text)
        place = self.markers[marker]
        return max(at, self.text.rfind("\n", at, place) + 1, self.text.rfind("\r", at, place) + 1)

    def _pass_fences(self, at: int) -> None:
        """Count the fences that are open at the beginning of a line."""
        if self.known is None:
            return
        events = self.known[1]
        while self.event < len(events) and events[self.event][0] <= at:
            self.depth = events[self.event][1]
            self.event += 1
            if not self.depth and self.stated.inside:
                self._forget()

    def _example(self, place: Span, after: str) -> None:
        """Take calls that begin on one line, and what is after them."""
        comment = _COMMENT.match(after.strip()) or after.strip()[:1] in _BAD_MARKERS + _GOOD_MARKERS
        stated = _outcome(after) if comment and after.strip() else None
        bad = self.stated.is_bad if stated is None else stated
        if bad and not self.stated.addressed:
            self.bad.append(place)
        if self.stated.label is not None or self.stated.addressed:
            self.stated = self.stated._replace(shown=self.stated.label is not None, addressed=False)

    def _line(self, line: str, *, leads: bool = False) -> None:
        """Take a line, or what `leads` a call on it."""
        stripped = line.strip()
        if not stripped:
            return
        if "callwright:" in line:
            if _ADDRESSED.search(line) is not None:
                self.stated = self.stated._replace(addressed=True)
            return
        lead = _LEAD.match(line)
        at = lead.end() if lead is not None else 0
        fence = _FENCE.match(line, at)
        if fence is not None:
            if self.known is None:
                self._fence(fence[0], line[fence.end() :])
            return
        heading = None if self.depth else _HEADING.match(line, at)
        if heading is not None:
            words = line[heading.end() :]
            if _REMARK.match(words) is None or _stated(words) is None:
                self._heading(len(heading[1]), words)
                return
        if line[at : at + 1] == "<" and self._tag(line, at):
            return
        stated = _label(line[at:], fenced=bool(self.depth), leads=leads)
        if stated is not None:
            self.stated = self.stated._replace(label=stated, left=_NEAR, shown=False, inside=bool(self.depth))
        elif self.stated.label is not None and _WORD.search(stripped):
            left = self.stated.left - (_PROSE if not self.depth else _OWN_CODE if self.stated.inside else _CODE)
            if (self.stated.shown and not self.depth and not stripped.startswith("<")) or left <= 0:
                self._forget()
            else:
                self.stated = self.stated._replace(left=left)

    def _fence(self, marker: str, info: str) -> None:
        """Take a line that opens a fence, or closes one."""
        if not self.depth:
            self.marker, self.depth = marker, 1
        elif marker[0] == self.marker[0] and len(marker) >= len(self.marker) and not info.strip():
            self.depth = 0
            if self.stated.inside:
                self._forget()

    def _forget(self) -> None:
        self.stated = self.stated._replace(label=None, left=0, shown=False, inside=False)

    def _heading(self, level: int, words: str) -> None:
        kept = tuple(each for each in self.stated.sections if each[0] < level)
        outcome = _stated(words)
        around = kept[-1][1] if kept else False
        if outcome is not None and outcome != around:
            kept = (*kept, (level, outcome))
        self._forget()
        self.stated = self.stated._replace(sections=kept)

    def _tag(self, line: str, at: int) -> bool:
        """Return whether a line begins with a tag that begins or ends a section of bad examples."""
        tag = _TAG.match(line, at)
        if tag is None:
            return False
        if tag["close"]:
            if tag["name"] != self.stated.tag:
                return False
            self._forget()
            self.stated = self.stated._replace(tag="")
            return True
        kind = tag["attributes"] and _TAG_KIND.search(tag["attributes"])
        if not kind and _TAG_NAME.fullmatch(tag["name"]) is None:
            return False
        self._forget()
        closes = line.find(f"</{tag['name']}>", tag.end())
        self.stated = self.stated._replace(tag="" if closes >= 0 else tag["name"])
        return True


def _outcome(words: str) -> bool | None:
    """Return whether a comment calls an example bad (True) or good (False); None where it does neither, or both."""
    return _judged(words, _BAD.search(without_conditions(words)) is not None)


def _stated(words: str) -> bool | None:
    """Return what a heading or label says of its examples; words about something else say nothing of them."""
    return _judged(words, labelled_bad(words))


def _judged(words: str, bad: bool) -> bool | None:
    marker = next((char for char in words if char in _BAD_MARKERS + _GOOD_MARKERS), None)
    if marker is not None:
        return marker in _BAD_MARKERS
    good = _GOOD.search(_DENIED.sub("", words)) is not None
    return None if bad == good else bad


def _label(line: str, *, fenced: bool, leads: bool) -> bool | None:
    """Return what a line calls the examples that follow it, None where it is not a label."""
    comment = _COMMENT.match(line)
    if comment is not None:
        return _outcome(line[comment.end() :][:_MAX_LENGTH])
    if fenced and not leads:
        # In a fence a label is a line of its own: `Wrong:`.
        return _stated(line) if len(line) < 60 and line.rstrip().endswith((":", "：")) else _marked(line)
    marked = _marked(line)
    if marked is not None:
        return marked
    bold = _BOLD.match(line)
    if bold is not None:
        outcome = _stated(bold["stated"])
        if outcome is not None:
            return outcome
    ends = line.rstrip(" \t*_`)")
    if ends.endswith((":", "：")) and len(line) <= _MAX_LENGTH:
        return _stated(_SENTENCE.split(ends)[-1])
    led = _LED.match(line)
    if led is None or not led["stated"]:
        return None
    stated = led["stated"].strip(" *_`")
    return _stated(stated) if len(stated.split()) <= 4 and not stated.endswith(".") else None


def _marked(line: str) -> bool | None:
    """Return what the sign at a line's beginning states."""
    first = line.lstrip("*_ \t|")[:1]
    return first in _BAD_MARKERS if first and first in _BAD_MARKERS + _GOOD_MARKERS else None
