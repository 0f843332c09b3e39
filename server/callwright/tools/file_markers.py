"""Whether a text may be a tool file at all, decided by a few words in it.

Owns: `may_hold_tools`, which every check of a JSON or YAML file calls. Must not know: formats, sources. It imports
nothing, since most of these files are transcripts.
"""

from typing import Final

from callwright.text.patterns import compile_later

#: Extensions of files that may be tool files without being configured.
_ENDINGS: Final = (".json", ".yaml", ".yml")
#: Keys of definitions; a text without one of them contains no definition in a shape with distinctive keys.
_KEYS: Final = (
    "inputSchema", "input_schema", "parameters", "parametersJsonSchema", "functionDeclarations",
    "function_declarations", "toolSpec",
)  # fmt: skip
_WHOLE_KEY: Final = compile_later(rf"(?:{'|'.join(_KEYS)})\b")
#: Words of conversations; a file with them is read as a transcript and need not be parsed here.
_TALK: Final = compile_later(
    r"role(?<=\brole)[\"']?[ \t]*+:[ \t]*+[\"']?(?:user|assistant|system|developer|tool|model|human)\b"
)


def may_hold_tools(text: str, file: str) -> bool:
    """Return whether a full check is worthwhile: the text has words of a definition, and none of a conversation."""
    # A plain search for each key is faster than the pattern, which few texts need.
    if not (file.lower().endswith(_ENDINGS) and any(key in text for key in _KEYS)):
        return False
    return _WHOLE_KEY.search(text) is not None and _TALK.search(text) is None
