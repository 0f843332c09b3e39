"""How a call of a tool ends that does not come to its end.

Owns: `TookTooLong`, `Stopped`. Must not know: how a tool is run, how it is waited for.
"""


class TookTooLong(Exception):  # noqa: N818  # it is no error of the program's
    """A tool did not return in time."""


class Stopped(Exception):  # noqa: N818  # as above
    """Someone cancelled the call."""
