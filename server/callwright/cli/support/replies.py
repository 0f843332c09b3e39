"""Replies: the conversations of a source, or a source that is one reply itself.

Owns: how a command's source becomes what the runtime judges. Must not know: what comes of a reply, how it is shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.cli.support.failure import CommandError
from callwright.runtime import dialogues as runtime
from callwright.runtime.dialogues import Dialogue, Reply, ReplyOutcome, judged

if TYPE_CHECKING:
    from callwright.cli.support.files import InputFile
    from callwright.config import Project

__all__ = ["Dialogue", "Reply", "ReplyOutcome", "dialogues", "judged", "whole_reply"]


def dialogues(source: InputFile, project: Project) -> list[Dialogue]:
    """Return the conversations in a source, none where it is no transcript of a shape that is known.

    Raises CommandError where it is a session whose form or dialect is not known, for its replies cannot be judged.
    """
    from callwright.cli.support.engine import open_source
    from callwright.document.sessions import unknowns
    from callwright.hosts.catalogue import HEAD

    for _, fault in unknowns(source.text[:HEAD]):
        raise CommandError(f"{source.shown}: {fault}")
    strict = replace(project, settings=runtime.as_replies(project.settings))
    return runtime.dialogues(open_source(source, strict))


def whole_reply(source: InputFile, project: Project) -> Reply:
    """Return a source that is one reply itself, whatever its name is."""
    return runtime.whole_reply(source.text, project.registry, project.settings)
