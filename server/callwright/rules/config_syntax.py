"""The rule `config-syntax`."""

from callwright.rules.base import FileProblemRule, Scope


class ConfigSyntax(FileProblemRule):
    """The configuration is not valid TOML.

    Why is this bad: none of its settings has any effect.

    Example
        dialect = xml-json
                  ^ TC601 "the file is not valid TOML: Invalid value: correct it here; the whole file is ignored until then"

    Use instead
        dialect = "xml-json"
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC601"
    scope = Scope.CONFIG
