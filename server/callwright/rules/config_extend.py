"""The rule `config-extend`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigExtend(FileProblemRule):
    """The configuration extends a file that does not exist, cannot be used, or extends this one.

    Why is this bad: nothing in that file has any effect, and the tools it names are missing.

    Example
        extend = "bas.toml"
                 ^^^^^^^^^^ TC605

    Use instead
        extend = "base.toml"
    """

    code = "TC605"
    scope = Scope.CONFIG
