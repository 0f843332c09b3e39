"""Discovery: which files of a folder are prompts or contain calls, where no configuration lists them.

Owns: what counts in a file's name, what in its content, and which names of tools are searched. Must not know: the walk
through a folder, options, diagnostics.

A file is found by its name, as prompts have them, or by its content: text and data on evidence, a program or YAML where
a string in it contains a call of a tool that has a name. Files that document tools give the names by which bare tags in
the other texts are recognised. Each file is read once for this, and a second time where such names are searched; of a
large one only the beginning.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.cli.support.files import InputFile, shown_path
from callwright.hosts.support.managed import WORD
from callwright.path_patterns import PROMPT_ENDINGS, is_prompt_name
from callwright.text.patterns import compile_later

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Host

#: Of a longer file only so many bytes are read.
HEAD: Final = 1 << 20
_NAME: Final = compile_later(r"[A-Za-z_][\w.-]{1,63}")
_OPEN: Final = compile_later(r"<([A-Za-z_][\w.-]{1,63}+)(?=[\s/>])")


class Ground(Enum):
    """Why a file of a folder is checked, or may be."""

    #: The configuration or the command line names it.
    STATED = "stated"
    #: Prompts have such names.
    NAME = "name"
    #: It is text or data that may hold calls: its content decides.
    CONTENT = "content"


def ground_of(path: str) -> Ground | None:
    """Return on which ground a file that no configuration names may be checked; None where on none.

    `path` is relative to the folder that is checked, with `/` between the steps.
    """
    name = path.rpartition("/")[2]
    if is_prompt_name(path):
        # A folder of prompts also holds programs, data and pictures.
        return Ground.NAME if is_prose(name) or name.endswith(PROMPT_ENDINGS) else Ground.CONTENT
    return Ground.CONTENT if _host_of(name) is not None else None


def is_prose(path: str) -> bool:
    """Return whether files of that name are texts for people, and no data, programs or YAML."""
    host = _host_of(path.rpartition("/")[2])
    return host is not None and host.texts == "plain"


def _host_of(name: str) -> Host | None:
    """Return the host of files of that name, that of plain text where it has no ending; None where none reads them."""
    from callwright.hosts.catalogue import choose_host

    dot = name.find(".", 1)
    return _host_of_ending(name[dot:]) if dot > 0 else choose_host(name)


@lru_cache(maxsize=4_096)
def _host_of_ending(ending: str) -> Host | None:
    from callwright.hosts.catalogue import choose_host, host_of_name
    from callwright.templates.catalogue import inner_path

    return choose_host(f"x{ending}") if inner_path(f"x{ending}") is not None else host_of_name(f"x{ending}")


class Discovery:
    """The files of one folder that are found by their content.

    `open_source` reads a text as its project does. `names` are names of tools that the project has; those that its
    files document are added while files are found.
    """

    def __init__(self, open_source: Callable[[InputFile], Snapshot], names: set[str]) -> None:
        self._open = open_source
        self._names = names

    def found(self, every: Sequence[tuple[Path, Ground]]) -> Iterator[tuple[Path, Ground]]:
        """Yield those of the files that are checked, in their order."""
        if all(ground is Ground.STATED for _, ground in every):
            yield from every
            return
        # A file in another encoding than UTF-8 is found, too: its reader reports the encoding.
        texts = (text_of(file, in_any_encoding=True) for file, _ in every)
        asked = [text is not None and self._holds(file, text) for (file, _), text in zip(every, texts, strict=True)]
        for (file, ground), holds in zip(every, asked, strict=True):
            if ground is not Ground.CONTENT or holds or (holds is None and self._calls_by_name(file)):
                yield file, ground

    def _holds(self, file: Path, text: str) -> bool | None:
        """Return whether a text is checked because of its content; None where that depends on the names of tools."""
        from callwright.evidence import holds_evidence, may_hold_calls

        host = _host_of(file.name)
        if WORD not in text:
            # Programs define functions everywhere: what is documented there is no evidence.
            is_program = host is not None and not host.flow and host.passes_over and host.texts == "quoted"
            if not (may_hold_calls(text) if is_program else holds_evidence(text, file.name)):
                return None
            if host is not None and host.texts == "quoted":
                return True if self._holds_in_strings(file, text) else None
        self._learn(text, file.name)
        return True

    def _holds_in_strings(self, file: Path, text: str) -> bool:
        """Return whether a string of a program or of YAML holds a call or documents a tool, or all of it does."""
        snapshot = self._open(InputFile(shown_path(file), file, text))
        if snapshot.host.holds == "tools":
            self._learn(text, file.name)
            return True
        from callwright.prompt.declared import declared_in

        declared = declared_in(snapshot).declarations.found
        self._names.update(tool.tool.name for each in declared for tool in each.read.definitions)
        return bool(declared) or any(placed.call.tool is not None for placed in snapshot.placed_calls())

    def _calls_by_name(self, file: Path) -> bool:
        """Return whether a text has a tag with the name of a tool, one of data or a program where that is a call."""
        text = text_of(file, in_any_encoding=True) if self._names else None
        if text is None or not any(found[1] in self._names for found in _OPEN.finditer(text)):
            return False
        host = _host_of(file.name)
        if host is None or host.texts == "plain":
            return True
        snapshot = self._open(InputFile(shown_path(file), file, text))
        return any(placed.call.tool in self._names for placed in snapshot.placed_calls())

    def _learn(self, text: str, name: str) -> None:
        """Remember the names of the tools that a text documents."""
        from callwright.declarations.reading import declarations_in
        from callwright.evidence import DATA
        from callwright.tools.documents import holds_tools, read_tool_document

        if name.lower().endswith(DATA):
            names = [*read_tool_document(text, name).registry.names] if holds_tools(text, name) else []
        else:
            names = [each.tool.name for found in declarations_in(text) for each in found.read.definitions]
        self._names.update(name for name in names if _NAME.fullmatch(name))


def text_of(file: Path, *, in_any_encoding: bool = False) -> str | None:
    """Return the text of a file, of a long one the beginning; None where it is no text or cannot be read.

    With `in_any_encoding`, a text that is not in UTF-8 is decoded well enough to find calls in it.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(HEAD)
    except OSError:
        return None
    try:
        # The head of a long file may end inside a character.
        text = getincrementaldecoder("utf-8")().decode(data, final=len(data) < HEAD)
    except UnicodeDecodeError:
        if not in_any_encoding:
            return None
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "latin-1", "replace")
    return None if "\0" in text else text.removeprefix("\ufeff")
