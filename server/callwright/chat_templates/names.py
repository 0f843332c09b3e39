"""Which files may hold chat templates, as their names and a search of their text show: what is asked of every file.

Owns: `JSON_NAMES`, `TOKENS_NAME`, `is_template_file`, `has_template`. Must not know: how a file is parsed. It imports
nothing, because every command that checks files imports it.
"""

from __future__ import annotations

import re
from typing import Final

#: The JSON files in which models keep their templates, and the one that has the tokens.
JSON_NAMES: Final = ("tokenizer_config.json", "chat_template.json", "processor_config.json")
TOKENS_NAME: Final = "tokenizer_config.json"
_ENDINGS: Final = (".jinja", ".jinja2", ".j2")
#: How it is searched for in a file of JSON, and in any other.
_MEMBER: Final = r'"chat_template"\s*+:\s*+["\[]'
_RENDERS_MESSAGES: Final = r"\{%[-+]?+\s*+(?:for|set)\s[^%]*?\bmessages\b"


def is_template_file(name: str) -> bool:
    """Return whether a file of that name may hold chat templates."""
    return name in JSON_NAMES or name.endswith(_ENDINGS)


def has_template(name: str, text: str) -> bool:
    """Return whether a text contains what a chat template is known by; in JSON, only a parser knows for certain.

    `name` is that of the file, without its folder.
    """
    return re.search(_MEMBER if name.endswith(".json") else _RENDERS_MESSAGES, text) is not None
