"""Leaving: how a process ends at an interrupt, or without its workers, where an engine has threads of its own.

Owns: the last words and the exit code then. Must not know: commands, engines.
"""

import os
import sys
from typing import Final, NoReturn

#: What a shell reports for a process that ended by an interrupt.
INTERRUPTED: Final = 130


def leave(message: str = "interrupted", code: int = INTERRUPTED) -> NoReturn:
    """End the process as an interrupt does, at once, with a last message.

    Nothing can stop the threads of an engine; where the interpreter ends before them, the process is aborted.
    """
    print(f"callwright: {message}", file=sys.stderr, flush=True)
    os._exit(code)
