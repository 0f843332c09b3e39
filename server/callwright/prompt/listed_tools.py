"""The tools that front matter lists: `tools: [search, docs/find_page]`, `allowed-tools: Bash(git:*) Read`.

Owns: which keys list tools, how products qualify a name there, and where each name is. Must not know: which tools there
are, rules, files.

Lists are read as the products read them: a sequence, a string with commas (`tools: Read, Grep`), a string with spaces
under the keys that grant permissions (`allowed-tools: Bash(jq:*) Read`), a mapping to yes and no (`tools: {write:
false}`), and the lists of each server below `mcp-servers`. What only looks like a list, as prose or definitions do,
names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from callwright.hosts.base import FlowHost
from callwright.syntax.yaml_reader import yaml_outline
from callwright.syntax.yaml_tree import YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.projection import Identity, Projection, encode_all
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot

#: Keys of lists, in small letters and without what separates words. Those of the second set grant or deny permission,
#: and separate their entries by spaces, too.
LISTS: Final = frozenset({"tools", "allowedtools", "disallowedtools", "excludedtools", "disabledtools"})
_PERMISSIONS: Final = LISTS - {"tools"}
_SERVERS: Final = frozenset({"mcpservers"})
#: What servers have beside `tools`: the tools that need no confirmation.
_OF_SERVERS: Final = LISTS | {"autoapprove", "alwaysallow"}
#: Without such a word no key of a list is there.
MENTION: Final = re.compile(r"tools|servers", re.IGNORECASE)
_FLAGS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "allow", "ask", "deny"})
#: An entry: what qualifies the name, the name, what it is allowed to do. A wildcard is not a name.
_ENTRY: Final = re.compile(
    r"(?P<prefix>!?(?:mcp__[A-Za-z0-9-]++(?:_(?!_)[A-Za-z0-9-]++)*+__|(?:@?[\w.-]++[/:])*+))"
    r"(?P<name>(?!mcp__)[A-Za-z_][\w.-]*+)(?:\([^()]*+\))?+"
)
#: The pieces of a string that lists: entries with what is in brackets, and what is between them.
_PIECES: Final = re.compile(r"(?P<gap>[,\s]++)|(?P<entry>(?:[^\s,()]++|\([^()]*+\)|[()])++)")
#: Front matter is looked for so far, as hosts do.
_FAR: Final = 1 << 17
#: At most this many names are read.
MAX_NAMES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One name in a list.

    `key` is the list's as it is written, `prefix` what qualifies the name (`docs/`, `mcp__docs__`), `place` where the
    name is in the text of its scalar, `span` where in the document. The server that a list belongs to qualifies its
    names, too: then `server` is its name.
    """

    key: str
    prefix: str
    name: str
    place: Span
    span: Span
    projection: Projection
    server: str = ""

    @property
    def whole(self) -> str:
        """The name with what qualifies it."""
        return self.prefix + self.name

    @property
    def origin(self) -> str:
        """What the name is qualified by, whatever the product writes around it; empty where nothing qualifies it."""
        return self.server or self.prefix.strip("!@/:").removeprefix("mcp__").removesuffix("__")

    def as_whole(self) -> ListedTool:
        """Return the same place with what qualifies the name as part of it: so a registry may name its tools."""
        place = Span(self.place.start - len(self.prefix), self.place.end)
        return replace(self, prefix="", name=self.whole, place=place, span=self.projection.raw_span(place))

    def renamed(self, name: str) -> tuple[Edit, ...] | None:
        """Return the edit that writes another name there, None where the dialect cannot hold it."""
        if _ENTRY.fullmatch(name) is None:
            return None
        return encode_all(self.projection, (Edit(self.place, name),))


def front_of(snapshot: Snapshot) -> str:
    """Return the front matter of a document, empty where it has none."""
    host, document = snapshot.host, snapshot.document
    if not isinstance(host, FlowHost) or document.slice(0, min(4, len(document))).lstrip("\ufeff")[:3] != "---":
        return ""
    text = document.slice(0, min(len(document), _FAR))
    return text[: host.front(text)]


def listed_tools(snapshot: Snapshot) -> Sequence[ListedTool]:
    """Return the names that a document's front matter lists, in the order of the text."""
    return _listed_in(snapshot.blocks[0], snapshot) if snapshot.blocks else ()


@derived
def _listed_in(_first: Block, snapshot: Snapshot) -> Sequence[ListedTool]:
    """Return the names, which are kept with the first block: it is read again wherever front matter may end."""
    front = front_of(snapshot)
    return tuple(tools_listed_in(front)) if front and MENTION.search(front) is not None else ()


def tools_listed_in(front: str) -> Iterator[ListedTool]:
    """Yield the names that front matter lists, in the order of its text; never raises."""
    number = 0
    for root in yaml_outline(front):
        if isinstance(root, YamlMapping):
            for each in _in_mapping(root):
                number += 1
                if number > MAX_NAMES:
                    return
                yield_point()
                yield each


def list_key(key: str | None) -> str:
    """Return a key as it is compared with those of lists: `allowed-tools` and `allowedTools` are one."""
    return (key or "").replace("-", "").replace("_", "").casefold()


def _in_mapping(root: YamlMapping) -> Iterator[ListedTool]:
    for entry in root.entries:
        key = list_key(entry.key)
        if key in LISTS:
            yield from _in_list(entry.value, entry.key or "", key in _PERMISSIONS)
        elif key in _SERVERS and isinstance(entry.value, YamlMapping):
            for server in entry.value.entries:
                for own in server.value.entries if isinstance(server.value, YamlMapping) else ():
                    if list_key(own.key) in _OF_SERVERS:
                        yield from _in_list(own.value, own.key or "", False, server.key or "")


def _in_list(node: YamlNode | None, key: str, spaced: bool, server: str = "") -> Iterator[ListedTool]:
    """Yield the names of one list. Items that are not text define tools, or are nothing that is known."""
    if isinstance(node, YamlSequence):
        for index, item in enumerate(node.items):
            if isinstance(item, YamlText) and index not in node.keys:
                yield from _named(item, key, server, Span(0, len(item.text)))
    elif isinstance(node, YamlText):
        yield from _in_text(node, key, spaced, server)
    elif isinstance(node, YamlMapping):
        yield from _in_flags(node, key, server)


def _in_text(node: YamlText, key: str, spaced: bool, server: str) -> Iterator[ListedTool]:
    text = node.text
    pieces = list(_PIECES.finditer(text))
    entries = [each for each in pieces if each.lastgroup == "entry"]
    gaps = [each[0] for each in pieces if each.lastgroup == "gap" and each.start() > 0 and each.end() < len(text)]
    if not spaced and any("," not in gap for gap in gaps):
        # Words without commas are prose.
        return
    for each in entries:
        yield from _named(node, key, server, Span(*each.span()))


def _in_flags(node: YamlMapping, key: str, server: str) -> Iterator[ListedTool]:
    """Yield the keys of a mapping that say yes or no, those of sets within it included."""
    waiting = [node]
    while waiting:
        inner = waiting.pop(0)
        for entry in inner.entries:
            if isinstance(entry.value, YamlMapping):
                waiting.append(entry.value)
            elif isinstance(entry.value, YamlText) and entry.value.text.strip().casefold() in _FLAGS:
                written = entry.span.of(entry.value.source)
                bare = written.strip("\"'")
                start = entry.span.start + written.find(bare)
                found = _ENTRY.fullmatch(bare)
                if found is not None and bare == entry.key:
                    yield _listed(key, server, found, Identity(start, len(bare)), 0)


def _named(node: YamlText, key: str, server: str, within: Span) -> Iterator[ListedTool]:
    written = within.of(node.text)
    found = _ENTRY.fullmatch(written.strip())
    if found is not None:
        lead = len(written) - len(written.lstrip())
        yield _listed(key, server, found, node.projection, within.start + lead)


def _listed(key: str, server: str, found: re.Match[str], projection: Projection, at: int) -> ListedTool:
    place = Span(*found.span("name")).shift(at)
    return ListedTool(key, found["prefix"], found["name"], place, projection.raw_span(place), projection, server)
