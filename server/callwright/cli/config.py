"""`callwright config`: which settings are in force for a file, and where each was set.

Owns: the options and the layout. Must not know: how a configuration is found, read or merged.
"""

import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS
from callwright.cli.support.files import absolute, named, shown_path
from callwright.cli.support.option_groups import (
    ColorOptions,
    DialectOptions,
    JsonOptions,
    MarkupOptions,
    ProjectOptions,
    ReadingOptions,
    RuleOptions,
    ShippedOptions,
    ToolOptions,
)
from callwright.cli.support.options import word
from callwright.cli.support.output import to_json
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural, text_diagnostic
from callwright.cli.support.terminal import Style, style_for, visible
from callwright.config import Project

if TYPE_CHECKING:
    from callwright.config.explanation import Explained, SettingPlace


class ConfigOptions(
    ToolOptions,
    DialectOptions,
    RuleOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    JsonOptions,
    ProjectOptions,
    ColorOptions,
    without=("extend_select",),
    examples=("callwright config", "callwright config prompts/system.prompt"),
):
    """What `callwright config` takes."""

    path: str = word(
        "A file, which need not exist, or a folder, for its files without overrides.",
        default=".",
    )


def run(options: ConfigOptions) -> int:
    """Show the settings that apply to a file, and where each is set.

    Exit code: 0, or 1 if the configuration has errors, which are printed to standard error.
    """
    projects = Projects(options)
    file = named(options.path)
    answer = _Answer(file, projects)
    if options.json:
        print(to_json(answer.as_json()))
    else:
        print(answer.as_text(style_for(sys.stdout, options.color)))
    faults = 0
    for shown, document, diagnostics in projects.diagnostics():
        for one in diagnostics:
            faults += 1
            print(
                text_diagnostic(shown, document, one, style_for(sys.stderr, options.color)), end="\n\n", file=sys.stderr
            )
    return HAS_DIAGNOSTICS if faults else CLEAN


class _Answer:
    """What is in force for one file or folder."""

    def __init__(self, file: Path, projects: Projects) -> None:
        from callwright.config.explanation import explained, place_of

        self._projects = projects
        around = projects.around(file)
        self._file = file
        self._is_folder = file.is_dir()
        self._around = around
        self._project = project = around if self._is_folder else around.at(file)
        self._settings: list[Explained] = list(explained(project))
        self._overrides = [
            (place_of(table, ()), table, not self._is_folder and table.is_for(absolute(file), around.root))
            for table in around.tables
            if table.only is not None
        ]

    def as_text(self, style: Style) -> str:
        """Return the answer as a person reads it."""
        names = max(len(one.name) for one in self._settings)
        shown = {one.name: _value(one.value) for one in self._settings}
        values = min(max(map(len, shown.values())), 40)
        rows = []
        for one in self._settings:
            where = ", ".join(_place(place) for place in one.places) or "default"
            color = "dim" if not one.places else "cyan"
            rows.append(
                f"  {style(color, f'{visible(one.name):{names}}')}  {shown[one.name]:{values}}  {where}".rstrip()
            )
        parts = [
            f"{style('bold', visible(shown_path(self._file)))}: {self._checked()}",
            "\n".join([style("bold", "Settings"), *rows]),
            "\n".join([style("bold", "Configuration"), *(f"  {line}" for line in self._files())]),
            "\n".join([style("bold", "Tools"), *(f"  {line}" for line in self._tools())]),
        ]
        return "\n\n".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values; paths are absolute."""
        project = self._project
        return {
            "path": str(absolute(self._file)),
            "checked": self._is_checked(),
            "discovered": project.discovers,
            "excluded": project.excludes(self._file),
            "root": str(project.root),
            "configuration": str(project.file) if project.file is not None else None,
            "extended": [str(file) for file in project.extended],
            "overrides": [
                {
                    **_place_as_json(place),
                    "files": [pattern.text for pattern in table.only or ()],
                    "exclude": [pattern.text for pattern in table.but],
                    "applies": applies,
                }
                for place, table, applies in self._overrides
            ],
            "settings": {
                one.name: {"value": one.value, "places": [_place_as_json(place) for place in one.places]}
                for one in self._settings
            },
            "tools": {
                "files": [str(file) for file in _tool_files(project)],
                "sets": list(project.registry.tool_sets),
                "names": list(project.registry.names),
                "closed": project.registry.closed,
                "documented": self._own_tools(),
            },
        }

    def _is_checked(self) -> bool:
        """Return whether a folder that is checked means the file."""
        if self._is_folder or self._project.excludes(self._file):
            return False
        if self._project.host_of(self._file) is not None:
            return True
        return self._projects.means(self._file)

    def _checked(self) -> str:
        if self._is_folder:
            how = "; they are found by their names and content" if self._project.discovers else ""
            return f"files here that no override is for{how}"
        if self._project.excludes(self._file):
            return "`exclude` names it, so that it is checked only where it is named itself"
        if self._is_checked():
            return "it is checked with the folder that it lies in"
        if self._project.discovers:
            return "it has no prompt's name, calls or tools, so that it is checked only where it is named itself"
        return "no `files` names it, so that it is checked only where it is named itself"

    def _files(self) -> list[str]:
        project = self._around
        if project.file is None:
            return ["There is none: files are found by their names and content."]
        lines = [visible(shown_path(project.file))]
        lines += [f"builds on {visible(shown_path(file))}" for file in project.extended]
        for place, table, applies in self._overrides:
            patterns = ", ".join(f"`{visible(pattern.text)}`" for pattern in table.only or ())
            but = f", but not for {', '.join(f'`{visible(one.text)}`' for one in table.but)}" if table.but else ""
            which = "applies" if applies else "does not apply"
            lines.append(f"{_place(place)} {which}: it is for {patterns}{but}")
        return lines

    def _tools(self) -> list[str]:
        registry = self._project.registry
        number = plural(len(registry.names), "tool", "tools")
        stated = "a call of any other is an error" if registry.closed else "a call of any other is no error"
        sets = f" Sets: {', '.join(map(visible, registry.tool_sets))}." if registry.tool_sets else ""
        lines = [f"{number}; {stated}.{sets}", *(visible(shown_path(file)) for file in _tool_files(self._project))]
        own = self._own_tools()
        if own:
            documented = f"{plural(len(own), 'tool', 'tools')} documented in the file, in force"
            lists = "lists it" if len(own) == 1 else "lists them"
            lines.insert(0, f"{documented}; `callwright tools --tools {visible(shown_path(self._file))}` {lists}.")
        return lines

    def _own_tools(self) -> list[str]:
        """Return the names of the tools that the file documents, where they are in force."""
        from callwright.cli.support.engine import open_source
        from callwright.cli.support.files import FileError, read_source
        from callwright.prompt.declared import declared_in

        if self._project.registry.closed or not self._file.is_file():
            return []
        try:
            source = read_source(self._file)
        except FileError:
            return []
        found = declared_in(open_source(source, self._project)).declarations
        return [*dict.fromkeys(one.tool.name for each in found for one in each.read.definitions)]


def _tool_files(project: "Project") -> list[Path]:
    """Return the files that tools in force came from, shipped ones left out."""
    files = {tool.origin.file for tool in project.registry}
    return [file for file in project.tool_files if str(file) in files]


def _value(value: Any) -> str:
    return "—" if value is None or value == [] else visible(dumps(value, ensure_ascii=False))


def _place(place: "SettingPlace") -> str:
    if place.file is None:
        return "command line"
    override = f" (override {place.override})" if place.override is not None else ""
    return f"{visible(shown_path(place.file))}:{place.line}{override}"


def _place_as_json(place: "SettingPlace") -> dict[str, Any]:
    if place.file is None:
        return {"file": None}
    return {"file": str(place.file), "line": place.line, "column": place.column, "override": place.override}
