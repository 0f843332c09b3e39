"""`callwright init`: a configuration for a folder, by what is in it.

Owns: the options of the command, the text of the configuration and the summary of it. Must not know: how a folder is
surveyed, how calls or tools are read. Nothing is run or fetched, and no file that is there is changed.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.file_patterns import file_pattern, literal, patterns_for
from callwright.cli.support.files import FileError, named, shown_path, write_file
from callwright.cli.support.options import Options, option, word
from callwright.cli.support.report import plural
from callwright.cli.support.survey import Seen, survey
from callwright.cli.support.terminal import visible
from callwright.path_patterns import PROMPT_ENDINGS

FILE: Final = "callwright.toml"
#: A dialect in which so large a part of the calls is written is asked for.
_MAJORITY: Final = 0.5
#: The dialect that managed blocks teach where none is known: the one that most models were trained on.
_TAUGHT: Final = "hermes"
#: How many names are listed.
_NAMED: Final = 3
#: How many dialects are listed.
_REPORTED: Final = 6


class InitOptions(Options, examples=("callwright init", "callwright init prompts/ --dry-run")):
    """What `callwright init` takes."""

    folder: str = word("The folder to search, in which `callwright.toml` is written.", default=".")
    dry_run: bool = option("Print the configuration instead of writing it.", default=False)
    no_respect_gitignore: bool = option("Search files that `.gitignore` excludes, too.", default=False)


def run(options: InitOptions) -> int:
    """Create a configuration that fits the files in a folder.

    The folder is searched for tool calls, their dialects, and files that define tools. Existing files are not changed,
    and nothing is run.
    """
    place = named(options.folder)
    if not place.is_dir():
        raise CommandError(f"`{options.folder}`: folder not found; check the path")
    target = place / FILE
    if not options.dry_run:
        _refuse_where_configured(place, target)
    seen = survey(place, gitignore=not options.no_respect_gitignore)
    text = configuration(seen)
    if options.dry_run:
        print(text, end="")
    else:
        try:
            write_file(target, text, shown_path(target))
        except FileError as error:
            raise CommandError(str(error)) from None
    for line in _stated(seen, None if options.dry_run else target):
        print(line, file=sys.stderr if options.dry_run else sys.stdout)
    return CLEAN


def _refuse_where_configured(place: Path, target: Path) -> None:
    import tomllib

    if os.path.lexists(target):
        raise CommandError(
            f"{shown_path(target)}: already exists and is not overwritten; `callwright init --dry-run` prints a new"
            " configuration, and `callwright config` shows the current settings"
        )
    other = place / "pyproject.toml"
    try:
        table = tomllib.loads(other.read_bytes().decode()).get("tool", {})
    except (OSError, ValueError):
        return
    if isinstance(table, dict) and "callwright" in table:
        raise CommandError(
            f"{shown_path(other)}: already configures Callwright in `tool.callwright`, which a `{FILE}` would override;"
            " `callwright config` shows the current settings"
        )


def configuration(seen: Seen) -> str:
    """Return the text of a configuration that fits what was seen."""
    lines = ["# What Callwright checks here, and against which tools. `callwright config` shows what is in force.", ""]
    lines += [*_about_tools(seen), "", *_about_dialects(seen)]
    if seen.markup is not None:
        lines += ["", *_about_markup(seen)]
    lines += ["", *_about_files(seen)]
    if seen.apart and seen.tools_fit:
        lines += ["", "# Calls in these prompts are of the tools that each of them documents itself.", "[[overrides]]"]
        lines += [*_assigned("files", sorted(map(file_pattern, seen.apart))), "tools = []"]
    if seen.taught and seen.tools and not seen.tools_fit:
        lines += ["", "# Managed blocks teach these tools.", "[[overrides]]"]
        lines += [*_assigned("files", sorted(map(file_pattern, seen.taught))), *_tools(seen)]
    return "".join(f"{line}\n" for line in lines)


def _about_files(seen: Seen) -> list[str]:
    endings = ", ".join(f"*{ending}" for ending in PROMPT_ENDINGS)
    others = [name for name in seen.named if not name.endswith(PROMPT_ENDINGS)]
    if seen.found_again or not others:
        return [
            f"# The files to check beside {endings}. Without this key, files with calls,",
            "# with documented tools or with a prompt's name are found, as are those that are added later.",
            '# files = ["prompts/**/*.md"]',
        ]
    # Tool files that are in force say nothing about what a folder holds.
    unsaid = {*seen.tools}.difference(others)
    scanned = [name for name in seen.scanned if not name.endswith(PROMPT_ENDINGS) and name not in unsaid]
    return [
        f"# The files to check beside {endings}: those with calls,",
        "# with documented tools or with a prompt's name. A folder of such files is matched as a whole.",
        *_assigned("files", patterns_for(others, scanned)),
    ]


def _about_tools(seen: Seen) -> list[str]:
    if not seen.tools:
        own = "A prompt that documents its own tools needs none. " if seen.documented else ""
        return [
            f"# The files that define the tools. {own}Without any, the shipped tool sets are on offer.",
            '# tools = ["tools/*.json"]',
        ]
    names = {name for found in seen.tools.values() for name in found}
    number = f"{plural(len(names), 'tool', 'tools')} in {plural(len(seen.tools), 'file', 'files')}."
    stated = _tools(seen)
    if seen.tools_fit:
        return [f"# {number} A call of any other is an error.", *stated]
    if seen.foreign:
        why = "Most calls here have other parameters, and would be errors with these lines."
        return [f"# {number} {why}", *(f"# {line}" for line in stated)]
    some = ", ".join(f"`{name}`" for name, _ in seen.strangers.most_common(_NAMED))
    more = f" and {len(seen.strangers) - _NAMED} others" if len(seen.strangers) > _NAMED else ""
    return [
        f"# {number} Calls of {some}{more} are of none of them, and would be errors with these lines.",
        *(f"# {line}" for line in stated),
    ]


def _tools(seen: Seen) -> list[str]:
    return _assigned("tools", sorted(map(literal, seen.tools)))


def _about_markup(seen: Seen) -> list[str]:
    why = {
        "xml": "Prompts here write or teach CDATA or entities, so `<` and `&` in a value are escaped.",
        "raw": "Values here hold `<` and `&` as they are, so nothing in them is escaped.",
    }[str(seen.markup)]
    stated = _assigned("markup", seen.markup)
    # What a text states about itself counts there without a setting.
    return [
        f"# {why}",
        *(stated if seen.markup == "raw" or seen.markups.total() > 1 else (f"# {line}" for line in stated)),
    ]


def _about_dialects(seen: Seen) -> list[str]:
    dialects = seen.dialects
    if not dialects and seen.taught:
        return ["# Managed blocks teach this dialect: no call says another.", *_assigned("dialect", _TAUGHT)]
    if not dialects:
        return ["# The dialect that every call is to be written in; `callwright dialect` lists them.", '# dialect = ""']
    if len(dialects) == 1:
        [(name, number)] = dialects.items()
        every = f"# The dialect of every call in a text: {plural(number, 'was', 'were')} found."
        return [every, *_assigned("dialect", name)]
    (most, number), *rest = dialects.most_common()
    counted = ", ".join(f"{number} in {name}" for name, number in dialects.most_common(_REPORTED))
    counted += f" and more in {len(dialects) - _REPORTED} others" if len(dialects) > _REPORTED else ""
    stated = [*_assigned("dialect", most), *_assigned("accept", [name for name, _ in rest])]
    if seen.taught or number > dialects.total() * _MAJORITY:
        return [
            f"# Calls are written in several dialects: {counted}.",
            "# The first is asked for, and the others are read while a migration lasts.",
            *stated,
        ]
    return [
        f"# Calls are written in several dialects: {counted}.",
        "# With these lines, one is asked for and the others are read while a migration lasts.",
        *(f"# {line}" for line in stated),
    ]


def _assigned(key: str, value: Any) -> list[str]:
    """Return a key with its value as lines of TOML; a list of several items has one a line."""
    if isinstance(value, list) and len(value) > 1:
        return [f"{key} = [", *(f"  {json.dumps(one, ensure_ascii=False)}," for one in value), "]"]
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}"]


def _stated(seen: Seen, target: Path | None) -> Iterator[str]:
    scanned = plural(len(seen.scanned), "file", "files")
    if seen.more:
        yield f"Scanned the first {scanned} and no further: the folder holds more."
    calls = [found.total() for found in seen.calls.values()]
    verb = "holds" if len(calls) == 1 else "hold"
    names = {name for found in seen.tools.values() for name in found}
    tools = f", {plural(len(seen.tools), 'tool file', 'tool files')}"
    tools += f" with {plural(len(names), 'tool', 'tools')}" if names else ""
    yield f"Scanned {scanned}: {len(calls)} {verb} {plural(sum(calls), 'call', 'calls')}{tools}."
    if target is not None:
        folder = visible(str(target.parent))
        yield f"Wrote {visible(shown_path(target))}. `callwright check {folder}` checks the folder."
