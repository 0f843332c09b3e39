"""The `configuration` host: a file that holds Callwright's own configuration and no calls.

Owns: recognising such files. Must not know: how such a file is read, dialects, other hosts.
"""

from callwright.hosts.base import RecordHost


class Configuration(RecordHost):
    """Callwright's own configuration: one record without passages, since it holds no calls."""

    name = "configuration"
    title = "Configuration"
    holds = "configuration"


HOST = Configuration()
