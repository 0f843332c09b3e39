"""Settings: what a user may say about how text is read and judged; plain data, however it was written.

Owns: `Settings`. Must not know: files, editors, command lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callwright.document.bounds import Bounds


@dataclass(frozen=True, slots=True)
class Settings:
    """How calls are read and judged.

    `dialect` is the one that calls should be written in, None for any. `accept` lists further dialects that are read
    without complaint while a migration lasts. `strict` is zero tolerance: one dialect, every call perfect.
    `select` and `ignore` hold codes, code prefixes or names of rules; `severity` maps a code or name to a severity or
    `"off"`. `markup` overrides how element text is written: `"xml"` or `"raw"`.
    `reasoning` says what calls in reasoning blocks (`<think>` and its kin) are: `"mentions"`, which nobody carries out,
    or `"calls"`. `provider` is the profile of what is demanded of transcripts, None for the one of their shape.
    `template` is the template language that texts are written in, None for what a file's name or top says.
    `placeholders` is False where text is what a model replied, so that `...` or `File path here` is a value like any
    other and no call is a mere sketch.
    `max_mistakes` is how many calls of a transcript may fail in a row, the last one counted, before it is a finding.
    `answer_tags` names tags that an answer may hold where `strict` takes other tags for calls.
    `taken` lists dialects that whoever reads the text takes as well as `dialect`, however strict it is, and `bounds` is
    the most that a reply in it might hold, None where nobody looked; only a document says so of itself.
    """

    dialect: str | None = None
    accept: tuple[str, ...] = ()
    strict: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    markup: str | None = None
    reasoning: str = "mentions"
    provider: str | None = None
    template: str | None = None
    placeholders: bool = True
    max_mistakes: int = 3
    answer_tags: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    bounds: "Bounds | None" = None

    def is_off(self, code: str, name: str) -> bool:
        """Return whether a rule of this code and name is left out."""
        if self.select and not _is_listed(code, name, self.select):
            return True
        if self.ignore and _is_listed(code, name, self.ignore):
            return True
        return bool(self.severity) and self.severity_of(code, name) == "off"

    def severity_of(self, code: str, name: str) -> str | None:
        """Return the severity that is given to a rule, None where it keeps its own.

        It is given by the rule's code or name, else by the longest beginning of its code. Of a code and a name, the
        later entry counts.
        """
        wanted = next((self.severity[entry] for entry in reversed([*self.severity]) if entry in (code, name)), None)
        if wanted is None:
            beginnings = [entry for entry in self.severity if entry == "ALL" or code.startswith(entry)]
            longest = max(beginnings, key=lambda entry: -1 if entry == "ALL" else len(entry), default=None)
            wanted = self.severity[longest] if longest is not None else None
        return wanted


def _is_listed(code: str, name: str, entries: tuple[str, ...]) -> bool:
    """Return whether a rule is among codes, code prefixes and names."""
    return any(entry in (name, "ALL") or (entry[:1] == "T" and code.startswith(entry)) for entry in entries)


DEFAULT = Settings()


def settings_for(dialect: str | None) -> Settings:
    """Return the settings that ask for `dialect`. Raises ValueError where there is none of that name."""
    from callwright.dialects.catalogue import dialect_names

    if dialect is not None and dialect not in dialect_names():
        raise ValueError(unknown_dialect(dialect))
    return Settings(dialect=dialect)


def unknown_dialect(name: object) -> str:
    """Return in words that there is no dialect of a name, with the one that was probably meant, and all there are."""
    from callwright.dialects.catalogue import dialect_names
    from callwright.tools.names import nearest

    near = nearest(name, dialect_names()) if isinstance(name, str) else None
    hint = f"did you mean `{near}`? There" if near is not None else "there"
    return f"there is no dialect `{name}`; {hint} are {', '.join(f'`{each}`' for each in dialect_names())}"
