"""Completion: what may be typed, read from the commands' options, and the scripts that tell shells of it.

Owns: `SHELLS`, `command_line`, `script`. Must not know: any single command. The scripts are static: a shell starts
nothing to complete a word, and the script is made anew where a new version brings new words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from callwright.cli.support import options
from callwright.cli.support.arguments import about_group, command_names, load_command

#: What stands in place of a value's words where files are meant, or anything.
_FILES: Final = None
SHELLS: Final = ("bash", "zsh", "fish")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: how it is written, what it does, and whether a value follows: one of `values`, or a file."""

    name: str
    about: str
    takes_value: bool
    values: tuple[str, ...] | None = _FILES
    repeatable: bool = False
    short: str = ""


_HELP: Final = Option("--help", "Show what can be given.", takes_value=False)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words, what it does, its options, and what its arguments are: some of `values`, or files.

    `values` is empty where it takes no arguments.
    """

    name: str
    about: str
    options: tuple[Option, ...]
    values: tuple[str, ...] | None = _FILES


@dataclass(frozen=True, slots=True)
class CommandLine:
    """All commands; `groups` are the first words of those that have two."""

    commands: tuple[Command, ...]
    groups: frozenset[str] = field(default_factory=frozenset)

    def below(self, name: str) -> tuple[Command, ...]:
        """Return the commands whose name is `name` and one more word; those of one word for an empty name."""
        lead = f"{name} " if name else ""
        return tuple(one for one in self.commands if one.name.startswith(lead) and " " not in one.name[len(lead) :])


def command_line() -> CommandLine:
    """Return what the options of all commands say."""
    names = command_names()
    groups = frozenset(name.split()[0] for name in names if " " in name)
    # What is no command of its own offers those below it, and help.
    alone = [Command(name, about_group(name, names), (_HELP,), ()) for name in groups.difference(names)]
    commands = [*(_command(name) for name in names), *alone]
    return CommandLine(tuple(sorted(commands, key=lambda one: one.name)), groups)


def _command(name: str) -> Command:
    command = load_command(name)
    found = [_option(one) for one in command.options.every if one.kind == "option"]
    words = [one for one in command.options.every if one.kind != "option"]
    values = _values(words[0], of=name) if words else ()
    return Command(name, (inspect.getdoc(command.run) or "").partition("\n")[0], (*found, _HELP), values)


def _option(option: options.Option) -> Option:
    return Option(
        option.written,
        option.about.partition(". ")[0].rstrip("."),
        takes_value=not option.is_flag,
        values=() if option.is_flag else _values(option),
        repeatable=option.repeatable,
        short=option.short,
    )


def _values(option: options.Option, *, of: str = "") -> tuple[str, ...] | None:
    """Return the words that an option takes; None where it takes a file or anything else."""
    if option.choices:
        return option.choices
    if option.name == "name" and of in ("rule", "dialect"):
        return _rules() if of == "rule" else _dialects()
    if option.name == "shell":
        return SHELLS
    if option.name == "to":
        return _dialects()
    return _configured(option.name) if option.setting is not None else _FILES


def _dialects() -> tuple[str, ...]:
    from callwright.config.keys import known_dialects

    return known_dialects()


def _rules() -> tuple[str, ...]:
    from callwright.rules.catalogue import all_rules

    return tuple(word for rule in all_rules() for word in (rule.code, rule.name))


def _configured(name: str) -> tuple[str, ...] | None:
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
    return _rules() if isinstance(kind, Selector) else _FILES


def script(shell: str, line: CommandLine) -> str:
    """Return the script for `bash`, `zsh` or `fish`."""
    return "".join(f"{part}\n" for part in _SCRIPTS[shell](line))


def _quoted(text: str) -> str:
    """Return text as one word of a shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def _words(words: Sequence[str]) -> str:
    return _quoted(" ".join(words))


def _bash(line: CommandLine) -> Iterator[str]:
    yield "# What bash completes behind `callwright`; made by `callwright completion bash`."
    yield "_callwright() {"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    local name="" words="" options="" valued="" index word'
    yield "    COMPREPLY=()"
    yield "    # bash parts `--option=value` at the sign."
    yield '    if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi'
    yield "    for ((index = 1; index < COMP_CWORD; index++)); do"
    yield '        word="${COMP_WORDS[index]}"'
    yield '        case "$name $word" in'
    yield f"            {'|'.join(_quoted(f' {one.name}') for one in line.below(''))}) name=$word ;;"
    for group in sorted(line.groups):
        names = "|".join(_quoted(one.name) for one in line.below(group))
        yield f'            {names}) [[ $index -eq 2 ]] && name="{group} $word" ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$name" in'
    for one in [Command("", "", (Option("--help", "", False), Option("--version", "", False))), *line.commands]:
        below = [each.name.split()[-1] for each in line.below(one.name)]
        yield f"        {_quoted(one.name)})"
        yield f"            options={_words([option.name for option in one.options])}"
        valued = [form for option in one.options if option.takes_value for form in (option.name, option.short) if form]
        yield f"            valued={_words(valued)}"
        yield f"            words={_words([*below, *(one.values or ())])}"
        choices = [option for option in one.options if option.takes_value and option.values is not _FILES]
        if choices:
            yield '            case "$prev" in'
            for option in choices:
                values = _words(option.values or ())
                forms = "|".join(form for form in (option.name, option.short) if form)
                yield f'                {forms}) COMPREPLY=($(compgen -W {values} -- "$cur")); return ;;'
            yield "            esac"
        yield "            ;;"
    yield "    esac"
    yield "    # No reply means files."
    yield '    [[ " $valued " == *" $prev "* ]] && return'
    yield "    [[ $cur == -* ]] && words=$options"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield "complete -o default -F _callwright callwright"


def _zsh(line: CommandLine) -> Iterator[str]:
    yield "#compdef callwright"
    yield "# What zsh completes behind `callwright`; made by `callwright completion zsh`."
    for one in line.commands:
        yield ""
        yield f"{_function(one.name)}() {{"
        below = line.below(one.name)
        if below:
            yield "    local -a commands=("
            yield from (f"        {_quoted(f'{each.name.split()[-1]}:{each.about}')}" for each in below)
            yield "    )"
            yield "    if (( CURRENT == 2 )); then _describe command commands; fi"
            yield "    case ${words[2]} in"
            for each in below:
                yield f"        {each.name.split()[-1]})"
                yield f"            shift words; (( CURRENT-- )); {_function(each.name)}; return ;;"
            yield "    esac"
        yield "    _arguments -s \\"
        for option in one.options:
            yield f"        {_quoted(_zsh_option(option, option.name))} \\"
            if option.short:
                yield f"        {_quoted(_zsh_option(option, option.short))} \\"
        if one.values is _FILES:
            yield "        '*:file:_files'"
        elif one.values:
            yield f"        {_quoted('1:name:(' + ' '.join(one.values) + ')')}"
        else:
            yield "        '*: :'"
        yield "}"
    yield ""
    yield "_callwright() {"
    yield "    local -a commands=("
    yield from (f"        {_quoted(f'{one.name}:{one.about}')}" for one in line.below(""))
    yield "    )"
    yield "    if (( CURRENT == 2 )); then"
    yield "        if [[ ${words[2]} == -* ]]; then compadd -- --help --version; else _describe command commands; fi"
    yield "        return"
    yield "    fi"
    yield "    shift words; (( CURRENT-- ))"
    yield "    case ${words[1]} in"
    for one in line.below(""):
        yield f"        {one.name}) {_function(one.name)} ;;"
    yield "    esac"
    yield "}"
    yield ""
    yield "# Read from `$fpath` this file is the function itself; evaluated, it is told to the shell."
    yield 'if [[ ${funcstack[1]} == _callwright ]]; then _callwright "$@"; else compdef _callwright callwright; fi'


def _function(name: str) -> str:
    return f"_callwright_{name.replace(' ', '_').replace('-', '_')}"


def _zsh_option(option: Option, form: str) -> str:
    about = option.about
    for special in "\\[]:":
        about = about.replace(special, f"\\{special}")
    repeated = "*" if option.repeatable else ""
    if not option.takes_value:
        return f"{repeated}{form}[{about}]"
    values = "_files" if option.values is _FILES else f"({' '.join(option.values or ())})"
    sign = "=" if form.startswith("--") else "+"
    return f"{repeated}{form}{sign}[{about}]:value:{values}"


def _fish(line: CommandLine) -> Iterator[str]:
    yield "# What fish completes behind `callwright`; made by `callwright completion fish`."
    first = " ".join(one.name for one in line.below(""))
    yield f"complete -c callwright -n 'not __fish_seen_subcommand_from {first}' -f"
    yield f"complete -c callwright -n 'not __fish_seen_subcommand_from {first}' -l help -d 'Show what can be given'"
    yield f"complete -c callwright -n 'not __fish_seen_subcommand_from {first}' -l version -d 'Show the version'"
    for one in line.below(""):
        yield (
            f"complete -c callwright -n 'not __fish_seen_subcommand_from {first}' -a {one.name} "
            f"-d {_fish_quoted(one.about)}"
        )
    for one in line.commands:
        head, _, tail = one.name.partition(" ")
        where = f"__fish_seen_subcommand_from {head}"
        if tail:
            where += f"; and __fish_seen_subcommand_from {tail}"
        elif below := line.below(head):
            names = " ".join(each.name.split()[-1] for each in below)
            where += f"; and not __fish_seen_subcommand_from {names}"
            for each in below:
                yield (
                    f"complete -c callwright -n {_fish_quoted(where)} -f -a {each.name.split()[-1]} "
                    f"-d {_fish_quoted(each.about)}"
                )
        yield from (_fish_option(option, where) for option in one.options)
        if one.values is not _FILES:
            values = f" -a {_fish_quoted(' '.join(one.values))}" if one.values else ""
            yield f"complete -c callwright -n {_fish_quoted(where)} -f{values}"


def _fish_option(option: Option, where: str) -> str:
    text = f"complete -c callwright -n {_fish_quoted(where)} -l {option.name[2:]}"
    if option.short:
        text += f" -s {option.short[1:]}"
    if option.takes_value:
        text += " -r -F" if option.values is _FILES else f" -x -a {_fish_quoted(' '.join(option.values or ()))}"
    return f"{text} -d {_fish_quoted(option.about)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS: Final[dict[str, Callable[[CommandLine], Iterator[str]]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
