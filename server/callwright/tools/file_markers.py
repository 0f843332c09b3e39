"""Whether a text may be a tool file at all, decided by a few words in it.

Owns: `may_hold_tools`, which every check of a JSON or YAML file calls. Must not know: formats, sources. It imports
nothing, since most of these files are transcripts.
"""

from typing import Final

from callwright.text.patterns import compile_later

#: Extensions of files that may be tool files without being configured.
_ENDINGS: Final = (".json", ".yaml", ".yml")
#: Without one of these parts of words, which are found faster, none of the next is there.
_PARTS: Final = ("inputSchema", "input_schema", "parameters", "eclarations", "toolSpec")
#: Without one of these words a text contains no definition in a shape with distinctive keys.
_MARKERS: Final = compile_later(
    r"[\"']?(?:inputSchema|input_schema|parameters(?:JsonSchema)?|function_?[dD]eclarations|toolSpec)\b"
)
#: Words of conversations; a file with them is read as a transcript and need not be parsed here.
_TALK: Final = compile_later(
    r"role(?<=\brole)[\"']?[ \t]*+:[ \t]*+[\"']?(?:user|assistant|system|developer|tool|model|human)\b"
)


def may_hold_tools(text: str, file: str) -> bool:
    """Return whether a full check is worthwhile: the text has words of a definition, and none of a conversation."""
    if not (file.lower().endswith(_ENDINGS) and any(part in text for part in _PARTS)):
        return False
    return _MARKERS.search(text) is not None and _TALK.search(text) is None
