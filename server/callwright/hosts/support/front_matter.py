"""Front matter: the YAML that a text may begin with, between two lines of three dashes.

Owns: where it ends. Must not know: what is in it, kinds of files.
"""

import re

from callwright.text.patterns import compile_later

# As Jekyll introduced it and dotprompt has it: `---` alone on the first line, and again after the YAML.
_OPEN = re.compile(r"\ufeff?---[ \t]*+(?:\r\n|\n|\r)")
_CLOSE = compile_later(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*+(?:\r\n|\n|\r|\Z)")
#: Front matter longer than this is read as a thematic break with text after it.
FRONT_LIMIT = 65_536


def front_length(text: str) -> int:
    """Return the length of the front matter that `text` begins with, 0 where it has none."""
    opening = _OPEN.match(text)
    if opening is None:
        return 0
    closing = _CLOSE.search(text, opening.end(), FRONT_LIMIT)
    return closing.end() if closing is not None else 0
