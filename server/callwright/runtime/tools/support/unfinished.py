"""The exceptions for tool calls that do not finish.

Owns: `TookTooLong`, `Stopped`. Must not know: how a tool is run, how it is waited for.
"""


class TookTooLong(Exception):  # noqa: N818  # not an error of the program
    """A tool did not return in time."""


class Stopped(Exception):  # noqa: N818  # as above
    """The call was cancelled."""
