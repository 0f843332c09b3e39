"""Comments, as the languages around calls write them.

Owns: the forms of comments, how each is recognised on its line, and how one is written. Must not know: what a comment
says, kinds of files.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple


class Comment(NamedTuple):
    """One form: what is written before and behind the text, and the patterns of what may stand there.

    `closer` is empty where the comment ends with its line.
    """

    opener: str
    closer: str
    begins: str
    ends: str

    def written(self, text: str) -> str:
        """Return a comment that says `text`."""
        return f"{self.opener} {text} {self.closer}".rstrip()


_LINE_END: Final = r"[ \t]*+(?=[\r\n]|\Z)"

HTML: Final = Comment("<!--", "-->", r"<!--++", r"--++>")
#: The dash takes the line away with the comment.
JINJA: Final = Comment("{#", "-#}", r"\{#[-+]?+", r"[-+]?+#\}")
#: Alone on its line it takes the line away by itself.
HANDLEBARS: Final = Comment("{{!--", "--}}", r"\{\{~?+!(?:--)?+", r"(?:--)?+~?+\}\}")
HASH: Final = Comment("#", "", r"#++", _LINE_END)
SLASHES: Final = Comment("//", "", r"//++", _LINE_END)
#: In JSX a comment stands in braces.
STARS: Final = Comment("/*", "*/", r"\{?+[ \t]*+/\*++", r"\*++/(?:[ \t]*+\})?+")


class CommentText(NamedTuple):
    """A comment on its line: where it stands, and the stretch of what it says; `closed` tells that it ends there."""

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


def comment_on_line(text: str, at: int, word: int, end: int, forms: Sequence[Comment]) -> CommentText | None:
    """Return the comment that begins at `at` and whose first word stands at `word`, None where none begins so.

    `end` is where the line ends. Of a comment that does not end on it, all of the line is taken.
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
