"""The list of hosts, made by listing this room, and the choice of one for a document.

Owns: locating host modules and choosing by language or file name. Must not know: what any of them reads.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from callwright.index import Entry, Room
from callwright.templates.catalogue import inner_path, is_template_language

if TYPE_CHECKING:
    from callwright.hosts.base import Host

FALLBACK = "plain"
#: What templates are read as by default: most of them write Markdown.
TEMPLATES = "markdown"
#: How much of a text's beginning is read to recognise the kind of document.
HEAD = 4_096
#: How long a first line is sniffed as a whole, and how much of the line below it.
MAX_LINE_LENGTH = 1 << 20
NEXT_LINE = 64


HOSTS: Final[Room[Host]] = Room("hosts", "HOST", "suffixes", "filenames", "languages", "refines", "sniffs")
describe, all_hosts, find_host = HOSTS.describe, HOSTS.all, HOSTS.find


def host_of_language(language: str) -> Host | None:
    """Return the host of an editor's language, None where no host claims it."""
    return HOSTS.first(lambda entry: language in entry["languages"])


def host_of_name(path: str) -> Host | None:
    """Return the host that a file's name implies, None where it implies none."""
    entry = _named(PurePath(path).name.lower())
    return HOSTS.load(entry["module"]) if entry is not None else None


def choose_host(path: str | None, language: str | None = None, head: str = "") -> Host:
    """Return the host for a document: by the editor's language, else by the file's name, else plain text.

    A language that a host claims goes before the name, for that is how an editor's user overrides it, but for a name
    that refines it. A text whose name shows only that it is text is sniffed: `head` is how it begins, as `head_of`
    returns it. So is one of a kind that a sniffing host refines. A template is of the kind that is before its ending
    (`prompt.md.j2`), or plain text where it would become data.
    """
    entry = _claimed(path, language)
    inner = inner_path(path)
    vague = entry is None or entry["name"] == FALLBACK
    refined = () if entry is None else entry["languages"]
    templated = is_template_language(language) and not (entry is not None and language in entry["languages"])
    if templated or (vague and inner is not None):
        return _template_host(inner or path, language)
    # The beginning may also be more specific than a name or language that a host refines.
    sniffing = (each for each in HOSTS.entries if each["sniffs"])
    asked = (HOSTS.load(each["module"]) for each in sniffing if vague or not set(each["refines"]).isdisjoint(refined))
    sniffed = next((host for host in asked if head and host.claims(head)), None)
    if sniffed is not None:
        return sniffed
    return _fallback() if entry is None else HOSTS.load(entry["module"])


def head_of(text: str) -> str:
    """Return how a text begins, as far as that may show the kind of document.

    These are `HEAD` characters, or the first line and a little of the next one where that line is longer.
    """
    if len(text) <= HEAD or "\n" in (head := text[:HEAD]):
        return text[:HEAD]
    end = text.find("\n", HEAD, MAX_LINE_LENGTH)
    return head if end < 0 else text[: end + NEXT_LINE]


def _template_host(inner: str | None, language: str | None) -> Host:
    entry = _claimed(inner, (language or "").rpartition("-")[2])
    host = HOSTS.load(entry["module"]) if entry is not None else find_host(TEMPLATES)
    return _fallback() if host is None or not host.flow else host


def _fallback() -> Host:
    host = find_host(FALLBACK)
    assert host is not None, "the plain host is part of the package"
    return host


def _claimed(path: str | None, language: str | None) -> Entry | None:
    by_language = next((entry for entry in HOSTS.entries if language and language in entry["languages"]), None)
    by_name = _named(PurePath(path).name.lower()) if path else None
    if by_language is not None and by_language["name"] != FALLBACK:
        return by_name if by_name is not None and language in by_name.get("refines", ()) else by_language
    # To an editor every ending that it does not know is plain text: the name may be more specific.
    return by_name or by_language


def _named(name: str) -> Entry | None:
    by_name = next((entry for entry in HOSTS.entries if name in entry["filenames"]), None)
    if by_name is not None:
        return by_name
    endings = [(suffix, entry) for entry in HOSTS.entries for suffix in entry["suffixes"] if name.endswith(suffix)]
    # The longest ending is the most specific: `.prompt.yaml` goes before `.yaml`.
    return max(endings, key=lambda found: len(found[0]))[1] if endings else None
