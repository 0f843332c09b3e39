"""Whether a text may be a tool file at all, told from a few words in it.

Owns: `may_hold_tools`, which every check of a JSON or YAML file asks. Must not know: formats, sources. It imports
nothing, for most of these files are transcripts.
"""

import re
from typing import Final

#: Endings of files that may be tool files without being called so.
_ENDINGS: Final = (".json", ".yaml", ".yml")
#: Without one of these words a text holds no definition in a shape that has a name of its own.
_MARKERS: Final = re.compile(
    r"[\"']?(?:inputSchema|input_schema|parameters(?:JsonSchema)?|function_?[dD]eclarations|toolSpec)\b"
)
#: What someone says in a conversation; a file with such words is read as one, and need not be taken apart here.
_TALK: Final = re.compile(
    r"[\"']?\brole[\"']?[ \t]*+:[ \t]*+[\"']?(?:user|assistant|system|developer|tool|model|human)\b"
)


def may_hold_tools(text: str, file: str) -> bool:
    """Return whether it is worth looking closer: the words of a definition are there, and those of a conversation
    not."""
    return file.lower().endswith(_ENDINGS) and _MARKERS.search(text) is not None and _TALK.search(text) is None
