"""Failure: how a command says that it could not do its work.

Owns: `CommandError`, the exit codes. Must not know: any single command.
"""

from typing import Final

#: Nothing to complain of; findings (error or warning); wrong usage or unreadable input.
CLEAN: Final = 0
FINDINGS: Final = 1
TROUBLE: Final = 2


class CommandError(Exception):
    """The command cannot go on: one message for a person, with the remedy in it. The process ends with `TROUBLE`."""
