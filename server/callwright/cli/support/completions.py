"""Completion: the scripts from which shells know which words may be typed.

Owns: `SHELLS`, `script`, `words_of`. Must not know: any single command, any shell: cyclopts writes the scripts. They
are static: a shell starts no process to complete a word, and the script is generated again where a new version adds
words.
"""

from __future__ import annotations

from typing import Any, Final, Literal, cast

from callwright.cli.support.arguments import application, command_names
from callwright.cli.support.options import Option

SHELLS: Final = ("bash", "zsh", "fish")
#: Read from `$fpath` the script is the body of `_callwright`; evaluated, it is registered with the shell.
_REGISTERED: Final = (
    'if [[ ${funcstack[1]} == _callwright ]]; then _cyclopts_callwright "$@"; '
    "else compdef _cyclopts_callwright callwright; fi\n"
)


def script(shell: str) -> str:
    """Return the script for one of `SHELLS`."""
    known = cast("Literal['bash', 'zsh', 'fish']", shell)
    text = application(command_names(), words_of).generate_completion(prog_name="callwright", shell=known)
    return f"{text.rstrip()}\n{_REGISTERED if shell == 'zsh' else ''}"


def words_of(command: str, option: Option) -> tuple[str, ...]:
    """Return the words that an option of a command takes; none where it takes a file or anything else."""
    if option.choices:
        return option.choices
    if option.name == "name" and command in ("rule", "dialect"):
        return _rules() if command == "rule" else _dialects()
    if option.name == "shell":
        return SHELLS
    if option.name == "to":
        return _dialects()
    return _configured(option.name) if option.setting is not None else ()


def _dialects() -> tuple[str, ...]:
    from callwright.config.keys import known_dialects

    return known_dialects()


def _rules() -> tuple[str, ...]:
    from callwright.rules.catalogue import all_rules

    return tuple(word for rule in all_rules() for word in (rule.code, rule.name))


def _configured(name: str) -> tuple[str, ...]:
    """Return the words that the key of this name takes in a configuration."""
    from callwright.config.keys import KEYS, Either, ListOf, Selector, Word

    key = KEYS.get(name)
    kind: Any = key.kind if key is not None else None
    if isinstance(kind, Either):
        kind = kind.many
    if isinstance(kind, ListOf):
        kind = kind.item
    if isinstance(kind, Word):
        return kind.words()
    return _rules() if isinstance(kind, Selector) else ()
