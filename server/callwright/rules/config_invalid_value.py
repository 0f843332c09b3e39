"""The rule `config-invalid-value`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigInvalidValue(FileProblemRule):
    """A setting has an invalid value.

    Why is this bad: the setting is ignored.

    Example
        dialect = "xml-jsn"
                  ^^^^^^^^^ TC603 "`xml-jsn` is not a dialect: write `xml-json`"

    Use instead
        dialect = "xml-json"
    """

    code = "TC603"
    scope = Scope.CONFIG
