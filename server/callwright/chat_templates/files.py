"""Files that hold chat templates, and the templates in them.

Owns: `NamedTemplate`, `TOKENS`, `templates_in`, `tokens_in`. Must not know: how templates are rendered, the disk.

A template is a file of its own (`chat_template.jinja`, any Jinja file that renders `messages`), or a string in
`tokenizer_config.json`, `chat_template.json` or `processor_config.json`: the value of `chat_template`, which may also
be a list of objects with `name` and `template`. Source: transformers, "Chat templates",
https://huggingface.co/docs/transformers/chat_templating_writing
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from callwright.chat_templates.names import has_template
from callwright.syntax.json import read_json
from callwright.syntax.json_nodes import JsonNode
from callwright.text.projection import Identity, JsonString, Projection
from callwright.text.records import NamedTuple

#: The tokens that a template is given where its tokenizer states none.
TOKENS: Final[Mapping[str, object]] = {"bos_token": "<s>", "eos_token": "</s>"}
#: A longer text is no token, in characters; every rendering is given all tokens.
_MAX_TOKEN: Final = 1_000


class NamedTemplate(NamedTuple):
    """A template of a file: its name, empty where it has none, its source, and where that is in the file.

    `called` is its name, else that of the file without its ending.
    """

    name: str
    source: str
    projection: Projection
    called: str


def templates_in(name: str, text: str) -> list[NamedTemplate]:
    """Return the chat templates in a file; a Jinja file is one where it renders `messages`.

    `name` is that of the file, without its folder. Text that is no JSON where JSON is expected has none.
    """
    if not has_template(name, text):
        return []
    if not name.endswith(".json"):
        return [NamedTemplate("", text, Identity(0, len(text)), PurePath(name).stem)]
    member = read_json(text).root.child("chat_template")
    if member is None:
        return []
    if member.kind == "string":
        return [_of_string("", PurePath(name).stem, member, text)]
    if member.kind != "array":
        return []
    found = []
    for item in member.items:
        template, named = item.child("template"), item.child("name")
        if template is not None and template.kind == "string":
            own = str(named.value) if named is not None else ""
            found.append(_of_string(own, own or PurePath(name).stem, template, text))
    return found


def _of_string(name: str, called: str, node: JsonNode, text: str) -> NamedTemplate:
    # A file that is cut off may end in the string.
    written = text[node.span.start + 1 : node.span.end].removesuffix('"')
    projection = JsonString(written, node.span.start + 1)
    return NamedTemplate(name, projection.text, projection, called)


def tokens_in(text: str) -> Mapping[str, object]:
    """Return the special tokens that a `tokenizer_config.json` states, and `TOKENS` for those that it does not.

    They are under the names that templates read.
    """
    root = read_json(text).value
    found = dict(TOKENS)
    if not isinstance(root, dict):
        return found
    for key, value in root.items():
        token = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and isinstance(token, str) and len(token) <= _MAX_TOKEN:
            found[key] = token
    return found
