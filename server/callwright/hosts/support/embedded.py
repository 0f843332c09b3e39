"""Documents inside others: what one host reads where another one's document holds a text of its kind.

Owns: `embedded_record`, and locating the host of an inner document by the name of its language or of its file. Must not
know: any single host, what holds the document.
"""

from __future__ import annotations

from dataclasses import replace

from callwright.hosts.base import Embedded, Host, HostContext, Passage, Record, RecordHost
from callwright.hosts.catalogue import HEAD, host_of_language, host_of_name
from callwright.hosts.support.templated import templated_passages
from callwright.templates.catalogue import choose_template, is_switched_off
from callwright.text.projection import Composed, Identity, Projection


def inner_host(language: str = "", path: str = "") -> Host | None:
    """Return the host of an inner document by its language or, where it is a file of its own, by the file's name.

    None where nothing reads such documents, or where they hold no calls.
    """
    host = host_of_language(language) if language else None
    if host is None and path:
        host = host_of_name(path)
    if host is None or host.holds != "calls" or (not host.flow and type(host).cut is not RecordHost.cut):
        return None
    return host


def embedded_record(host: Host, text: str, projection: Projection, context: HostContext) -> Record:
    """Take an inner document apart as its host does; `projection` maps its text to the record of the outer one."""
    embedded = (Embedded(text, projection, host),)
    if not host.flow:
        return _placed(host.read(text, context), text, projection, embedded)
    front = host.front(text)
    record = _placed(host.read_front(text[:front], context) if front else Record(), text, projection, embedded)
    own = text[front:]
    if not own.strip():
        return record
    head = text[:HEAD]
    template = choose_template(None, None, head, context.declared, host.template)
    if template is None and not is_switched_off(head, context.declared):
        template = context.template
    inner = Composed(projection, Identity(front, len(own))) if front else projection
    passages = templated_passages(Passage(own, inner, markdown=host.markdown), template)
    return replace(record, passages=[*record.passages, *passages])


def _placed(record: Record, text: str, projection: Projection, embedded: tuple[Embedded, ...]) -> Record:
    """Return a record of the inner document as one of the outer document; its faults are those of a passage."""
    passages = [replace(each, projection=Composed(projection, each.projection)) for each in record.passages]
    if record.problems:
        passages.append(Passage(text, projection, markdown=False, calls=(), problems=tuple(record.problems)))
    parts = [replace(each, projection=Composed(projection, each.projection)) for each in record.transcripts]
    return Record(passages, (), parts, embedded)
