"""Settings: how a user wants text to be read and judged; plain data, independent of how it was written.

Owns: `Settings`. Must not know: files, editors, command lines.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from callwright.text.records import dataclass, field

if TYPE_CHECKING:
    from callwright.document.bounds import Bounds


@dataclass(frozen=True, slots=True)
class Settings:
    """How calls are read and judged.

    `dialect` is the one that calls should be written in, None for any. `accept` lists further dialects that are read
    without a diagnostic while a migration lasts. `strict` is zero tolerance: one dialect, every call perfect. `select`
    and `ignore` hold codes, code prefixes or names of rules; `severity` maps a code or name to a severity or `"off"`.
    `markup` overrides how element text is written: `"xml"` or `"raw"`. `reasoning` is how calls in reasoning blocks
    (such as `<think>`) are read: as `"mentions"`, which are not run, or as `"calls"`. `provider` is the profile that
    transcripts are validated against, None for the one of their shape. `template` is the template language that texts
    are written in, None for the one that a file's name or first lines give. `placeholders` is False where text is what
    a model replied, so that `...` or `File path here` is a value like any other and no call is a sketch. `max_mistakes`
    is how many calls of a transcript may fail in a row, the last one counted, before it is a diagnostic. `answer_tags`
    names tags that an answer may contain where `strict` reads other tags as calls. `taken` lists dialects that the
    text's own parser accepted besides `dialect`, however strict it is, and `bounds` are the limits that its replies
    had, None where there were none; only a document itself sets these two.
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
        """Return whether the rule with this code and name is disabled."""
        if self.select and not _is_listed(code, name, self.select):
            return True
        if self.ignore and _is_listed(code, name, self.ignore):
            return True
        return bool(self.severity) and self.severity_of(code, name) == "off"

    def severity_of(self, code: str, name: str) -> str | None:
        """Return the severity that is set for a rule, None where it keeps its own.

        It is set by the rule's code or name, else by the longest prefix of its code. Of a code and a name, the later
        entry counts.
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
    """Return the settings with `dialect` as the only dialect. Raises ValueError where there is none of that name."""
    from callwright.dialects.catalogue import dialect_names

    if dialect is not None and dialect not in dialect_names():
        raise ValueError(unknown_dialect(dialect))
    return Settings(dialect=dialect)


def unknown_dialect(name: object) -> str:
    """Return the message that there is no dialect of a name, with the nearest name and the list of all."""
    from callwright.dialects.catalogue import dialect_names
    from callwright.tools.names import nearest

    near = nearest(name, dialect_names()) if isinstance(name, str) else None
    hint = f"did you mean `{near}`? There" if near is not None else "there"
    return f"there is no dialect `{name}`; {hint} are {', '.join(f'`{each}`' for each in dialect_names())}"
