"""Failure: why a corpus cannot be worked on at all.

Owns: `CorpusError`. Must not know: commands. What is wrong with one row or one shard is a diagnostic, never such an
error.
"""


class CorpusError(Exception):
    """The work cannot begin or continue: one message for a person, with the remedy in it."""


class WorkersLostError(CorpusError):
    """Workers ended at a part of the work. The engine's threads still wait for them."""
