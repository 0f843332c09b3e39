"""Discovery: which files of a folder are prompts or hold calls, where no configuration says so.

Owns: what a file's name says, what is asked of its content, and which names of tools are sought. Must not know: the
walk through a folder, options, findings.

A file is found by its name, as prompts have them, or by its content: text and data on evidence, a program or YAML where
a string in it holds a call of a tool that has a name. What documents tools gives the names by which bare tags in the
other texts are known. Each file is read once for this, and a second time where such names are sought; of a large one
only the beginning.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.cli.support.files import Source, shown_path
from callwright.path_patterns import PROMPT_ENDINGS, is_prompt_name

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.hosts.base import Host

#: Of a longer file only so many bytes are read.
HEAD: Final = 1 << 20
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{1,63}")
_OPEN: Final = re.compile(r"<([A-Za-z_][\w.-]{1,63}+)(?=[\s/>])")


class Ground(Enum):
    """Why a file of a folder is checked, or may be."""

    #: The configuration or the command line names it.
    SAID = "said"
    #: Prompts have such names.
    NAME = "name"
    #: It is text or data that may hold calls: its content decides.
    CONTENT = "content"


def ground_of(path: str) -> Ground | None:
    """Return on which ground a file that no configuration names may be checked; None where on none.

    `path` is relative to the folder that is checked, with `/` between the steps.
    """
    name = path.rpartition("/")[2]
    host = _host_of(name)
    if is_prompt_name(path):
        # A folder of prompts also holds programs, data and pictures.
        prose = host is not None and host.texts == "plain"
        return Ground.NAME if prose or name.endswith(PROMPT_ENDINGS) else Ground.CONTENT
    return Ground.CONTENT if host is not None else None


def _host_of(name: str) -> Host | None:
    """Return the host of files of that name, that of plain text where it has no ending; None where none reads them."""
    from callwright.hosts.catalogue import choose_host, host_of_name
    from callwright.templates.catalogue import inner_path

    if "." not in name.lstrip(".") or inner_path(name) is not None:
        return choose_host(name)
    return host_of_name(name)


class Discovery:
    """The files of one folder that are found by their content.

    `open_source` reads a text as its project does; `known` are names of tools that the project has.
    """

    def __init__(self, open_source: Callable[[Source], Snapshot], known: Iterable[str] = ()) -> None:
        self._open = open_source
        self._names = {name for name in known if _NAME.fullmatch(name)}

    def found(self, every: Sequence[tuple[Path, Ground]]) -> Iterator[tuple[Path, Ground]]:
        """Yield those of the files that are checked, in their order."""
        if all(ground is Ground.SAID for _, ground in every):
            yield from every
            return
        asked = [(text := text_of(file)) is not None and self._holds(file, text) for file, _ in every]
        for (file, ground), holds in zip(every, asked, strict=True):
            if ground is not Ground.CONTENT or holds or (holds is None and self._calls_by_name(file)):
                yield file, ground

    def _holds(self, file: Path, text: str) -> bool | None:
        """Return whether a text is checked for what it holds; None where the names of tools may yet say so."""
        from callwright.evidence import holds_evidence

        host = _host_of(file.name)
        if host is not None and host.texts == "quoted":
            return self._holds_in_strings(file, text, host)
        if holds_evidence(text, file.name):
            self._learn(text, file.name)
            return True
        return None if host is None or host.texts == "plain" else False

    def _holds_in_strings(self, file: Path, text: str, host: Host) -> bool:
        """Return whether a string of a program or of YAML holds a call, or what such a file says documents tools."""
        from callwright.evidence import holds_evidence, may_hold_calls

        # Programs define functions everywhere: what is documented there is no evidence.
        if not (may_hold_calls(text) if host.passes_over else holds_evidence(text, file.name)):
            return False
        snapshot = self._open(Source(shown_path(file), file, text))
        if snapshot.host.holds == "tools":
            self._learn(text, file.name)
            return True
        from callwright.analysis.declared import declared_in

        declared = declared_in(snapshot).declarations.found
        self._names.update(tool.tool.name for each in declared for tool in each.read.definitions)
        return bool(declared) or any(placed.call.tool is not None for placed in snapshot.placed_calls())

    def _learn(self, text: str, name: str) -> None:
        """Remember the names of the tools that a text documents."""
        from callwright.declarations.reading import declarations_in
        from callwright.evidence import DATA
        from callwright.tools.documents import holds_tools, read_tool_document

        if name.lower().endswith(DATA):
            names = read_tool_document(text, name).registry.names if holds_tools(text, name) else ()
        else:
            names = [each.tool.name for found in declarations_in(text) for each in found.read.definitions]
        self._names.update(name for name in names if _NAME.fullmatch(name))

    def _calls_by_name(self, file: Path) -> bool:
        """Return whether a text has a tag with the name of a tool."""
        text = text_of(file) if self._names else None
        return text is not None and any(found[1] in self._names for found in _OPEN.finditer(text))


def text_of(file: Path) -> str | None:
    """Return the text of a file, of a long one the beginning; None where it is no text or cannot be read."""
    try:
        with file.open("rb") as opened:
            data = opened.read(HEAD)
        # The head of a long file may end inside a character.
        text = getincrementaldecoder("utf-8")().decode(data, final=len(data) < HEAD)
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text.removeprefix("\ufeff")
