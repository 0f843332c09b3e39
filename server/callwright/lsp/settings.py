"""Settings: an editor's settings as the keys of `callwright.toml`.

Owns: where an editor's settings are in the messages that contain them, and which of them are ours alone. Must not know:
what a key means, files, sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The section under which an editor keeps our settings, and is asked for them.
SECTION = "callwright"
#: Settings that concern the editor's side of things; the configuration knows nothing of them.
_EDITOR_ONLY = frozenset({"path", "interpreter", "importStrategy", "import-strategy", "trace", "enable", "server"})
#: Whether chat templates are rendered: when they are opened or saved, which is the default, or never.
CHAT_TEMPLATES = "chatTemplates"
#: What is shown beside the text, and may be turned off; by the table of its key.
_VIEWS = {"inlayHints": ("types", "defaults", "strikes"), "codeLens": ("outcomes", "feedback", "convert")}
#: Set once, when the server is started: an editor that wants the diagnostics of every file, open or not.
_WORKSPACE_DIAGNOSTICS = "workspaceDiagnostics"
#: Said once, too: the editor's user trusts the workspace. No setting, for a folder has settings of its own.
_TRUSTED = "trusted"


def from_initialization(options: Any) -> dict[str, Any]:
    """Return the settings in `initializationOptions`: under `settings`, under our section, or bare."""
    return {key: item for key, item in from_section(initial(options)).items() if key != _TRUSTED}


def initial(options: Any) -> Any:
    """Return our settings in `initializationOptions`, with or without our section around them."""
    return options.get("settings", options) if isinstance(options, Mapping) else {}


def wants_workspace_diagnostics(options: Any) -> bool:
    """Return whether `initializationOptions` ask for the diagnostics of files that are not open."""
    return isinstance(options, Mapping) and options.get(_WORKSPACE_DIAGNOSTICS) is True


def is_trusted(options: Any) -> bool:
    """Return whether `initializationOptions` state that the user trusts the workspace; an editor may not know."""
    return isinstance(options, Mapping) and options.get(_TRUSTED) is True


def is_stated(value: Any) -> bool:
    """Return whether what an editor pushed has our settings; our section may be empty."""
    return isinstance(value, Mapping) and bool(value) and isinstance(value.get(SECTION, value), Mapping)


def from_section(value: Any) -> dict[str, Any]:
    """Return the settings in what an editor sent, with or without our section around them.

    What an editor sends for "not set" (null, an empty list, table or string) is left out, so that it never overrides a
    file.
    """
    if not isinstance(value, Mapping):
        return {}
    value = _inner(value)
    return {
        str(key): item
        for key, item in value.items()
        if key not in _EDITOR_ONLY
        and _table(key) not in _VIEWS
        and key != CHAT_TEMPLATES
        and key != _WORKSPACE_DIAGNOSTICS
        and not _is_unset(item)
    }


def turned_off(value: Any) -> frozenset[str]:
    """Return what the editor's user does not want, such as `inlayHints.types` beside the text, or `chatTemplates`.

    `false` in place of a table turns all of its things off.
    """
    if not isinstance(value, Mapping):
        return frozenset()
    value = _inner(value)
    found: set[str] = set()
    for table, names in _VIEWS.items():
        stated = value.get(table)
        for name in names:
            each = stated.get(name) if isinstance(stated, Mapping) else stated
            if value.get(f"{table}.{name}", each) is False:
                found.add(f"{table}.{name}")
    if value.get(CHAT_TEMPLATES) in (False, "off"):
        found.add(CHAT_TEMPLATES)
    return frozenset(found)


def _inner(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return what is in our section, or what is there without one."""
    inner = value.get(SECTION)
    return inner if isinstance(inner, Mapping) else value


def _table(key: Any) -> str:
    """Return the table that a key names, or the one that it leads into."""
    return str(key).partition(".")[0]


def _is_unset(item: Any) -> bool:
    """Return whether an editor sends this for what is not set."""
    return item is None or item in ([], {}, "")
