"""Comments, as the languages around calls write them.

Owns: the forms of comments, how each is recognised on its line, and how one is written. Must not know: the meaning of
comments, kinds of files.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from callwright.text.records import NamedTuple


class Comment(NamedTuple):
    """One form: what is written before and after the text, and the patterns of what may be there.

    `closer` is empty where the comment ends with its line.
    """

    opener: str
    closer: str
    begins: str
    ends: str

    def written(self, text: str) -> str:
        """Return a comment with `text`."""
        return f"{self.opener} {text} {self.closer}".rstrip()


_LINE_END: Final = r"[ \t]*+(?=[\r\n]|\Z)"

HTML: Final = Comment("<!--", "-->", r"<!--++", r"--++>")
#: The dash removes the line with the comment.
JINJA: Final = Comment("{#", "-#}", r"\{#[-+]?+", r"[-+]?+#\}")
#: Alone on its line it removes the line by itself.
HANDLEBARS: Final = Comment("{{!--", "--}}", r"\{\{~?+!(?:--)?+", r"(?:--)?+~?+\}\}")
HASH: Final = Comment("#", "", r"#++", _LINE_END)
SLASHES: Final = Comment("//", "", r"//++", _LINE_END)
#: In JSX a comment is in braces.
STARS: Final = Comment("/*", "*/", r"\{?+[ \t]*+/\*++", r"\*++/(?:[ \t]*+\})?+")


class CommentText(NamedTuple):
    """A comment on its line: its place, and the span of its text; `closed` says that it ends there."""

    start: int
    end: int
    text: tuple[int, int]
    closed: bool


@lru_cache(maxsize=32)
def _openers(forms: tuple[Comment, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"({form.begins})" for form in forms))


@lru_cache(maxsize=16)
def _closer(form: Comment) -> re.Pattern[str]:
    return re.compile(form.ends)


def begins_comment(text: str, at: int, forms: Sequence[Comment]) -> bool:
    """Return whether one of some forms begins at `at`."""
    return bool(forms) and _openers(tuple(forms)).match(text, at) is not None


def comment_on_line(text: str, at: int, word: int, end: int, forms: Sequence[Comment]) -> CommentText | None:
    """Return the comment that begins at `at` and whose first word is at `word`, None if there is none.

    `end` is where the line ends. A comment that does not end on the line covers the rest of it.
    """
    opening = _openers(tuple(forms)).match(text, at, word) if forms else None
    if opening is None or text[opening.end() : word].strip(" \t"):
        return None
    form = forms[(opening.lastindex or 1) - 1]
    if not form.closer:
        stop = word + len(text[word:end].rstrip(" \t"))
        return CommentText(at, stop, (word, stop), closed=True)
    closing = _closer(form).search(text, word, end)
    if closing is None:
        return CommentText(at, end, (word, end), closed=False)
    return CommentText(at, closing.end(), (word, closing.start()), closed=True)
