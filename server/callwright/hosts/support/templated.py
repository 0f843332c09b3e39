"""Passages that are templates: one passage becomes the texts that it may mean.

Owns: `templated_passages`. Must not know: any template language, kinds of files.
"""

from __future__ import annotations

from dataclasses import replace

from callwright.hosts.base import Passage
from callwright.templates.base import Template
from callwright.templates.catalogue import find_template
from callwright.templates.support.undeclared import MAY_HOLD, UNDECLARED
from callwright.templates.support.versions import layout_of
from callwright.text.projection import Composed


def templated_passages(passage: Passage, template: str | None) -> list[Passage]:
    """Return the versions of a passage that is written in a template language; the passage itself where it is in none
    or holds no template code.

    The first version is read like any passage; of the others only what touches text that is new in them counts.
    """
    language: Template | None = None
    if template == UNDECLARED.name:
        language = UNDECLARED if MAY_HOLD.search(passage.text) is not None else None
    elif template is not None:
        language = find_template(template)
    if language is None or passage.calls is not None:
        return [passage]
    layout = layout_of(passage.text, language)
    if layout.plain:
        return [passage]
    return [
        replace(
            passage,
            text=version.projection.text,
            projection=Composed(passage.projection, version.projection),
            version=version,
        )
        for version in map(layout.version, range(layout.needed(len(passage.text))))
    ]
