"""The rule `config-extend`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigExtend(FileProblemRule):
    """The configuration builds on a file that is not there, cannot be used, or builds on this one again.

    Why is this bad: nothing of what that file says counts, and tools that it names are missing.

    Example
        extend = "bas.toml"
                 ^^^^^^^^^^ TC605

    Use instead
        extend = "base.toml"
    """

    code = "TC605"
    scope = Scope.CONFIG
