"""The handshake: what the client states in `initialize`, and what the server answers.

Owns: the client's capabilities, the settings it begins with, the server's capabilities, what is registered later. Must
not know: documents, how a feature works. Nothing heavy is imported here, since a client waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Client
from callwright.lsp import settings, wire
from callwright.lsp.connection import InvalidParamsError
from callwright.lsp.notebooks import OPTIONS as NOTEBOOKS

if TYPE_CHECKING:
    from callwright.features.base import Feature

#: Which files a client reports when it creates, moves or removes them: a folder may contain a tool file, too.
_ANY_FILE: Final = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
#: What a configuration builds on and what defines tools may have any of these endings.
_WATCHED: Final = ("**/*.toml", "**/*.json", "**/*.{yaml,yml}", "**/*.py")


@dataclass(frozen=True, slots=True)
class Handshake:
    """The parameters of `initialize`, as far as they are well-formed."""

    params: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    #: The capabilities as features need them.
    client: Client
    #: The name of the position encoding that was chosen.
    encoding: str

    @classmethod
    def of(cls, params: Any) -> Handshake:
        """Return what the parameters state; refuse what is not an object."""
        if not isinstance(params, Mapping):
            raise InvalidParamsError("the parameters must be an object")
        stated = params.get("capabilities")
        capabilities = stated if isinstance(stated, Mapping) else {}
        client = Client.of(capabilities, params.get("locale"))
        return cls(params, capabilities, client, wire.choose_encoding(capabilities))

    def can(self, path: str) -> Any:
        """Return one of the client's capabilities."""
        value: Any = self.capabilities
        for step in path.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        return value

    @property
    def pulls(self) -> bool:
        """Whether the client fetches diagnostics itself; then none are pushed for the documents it has open."""
        return isinstance(self.can("textDocument.diagnostic"), Mapping)

    @property
    def process(self) -> int | None:
        """The process that the server must not outlive."""
        process = self.params.get("processId")
        return process if isinstance(process, int) and not isinstance(process, bool) else None

    @property
    def settings(self) -> dict[str, Any]:
        """The client's settings for us at startup."""
        return settings.from_initialization(self.params.get("initializationOptions"))

    @property
    def turned_off(self) -> frozenset[str]:
        """What the client did not want to be shown when it started us."""
        return settings.turned_off(settings.initial(self.params.get("initializationOptions")))

    @property
    def is_trusted(self) -> bool:
        """Whether the client's user trusts the workspace; one that says nothing of this does not."""
        return settings.is_trusted(self.params.get("initializationOptions"))

    def registers(self, feature: Feature[Any]) -> bool:
        """Return whether a feature is registered for its own languages alone, with a client that can do so."""
        path = f"{feature.method.replace('/', '.')}.dynamicRegistration"
        return bool(feature.languages) and self.can(path) is True


def server_capabilities(features: Iterable[Feature[Any]], handshake: Handshake) -> dict[str, Any]:
    """Return what the server can do for this client."""
    capabilities: dict[str, Any] = {
        "positionEncoding": handshake.encoding,
        # A saved document comes with its text: the way back for one that has fallen out of step.
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": True}},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {operation: dict(_ANY_FILE) for operation in ("didCreate", "didRename", "didDelete")},
        },
    }
    if handshake.can("notebookDocument.synchronization") is not None:
        capabilities["notebookDocumentSync"] = dict(NOTEBOOKS)
    for feature in features:
        if feature.capability and not handshake.registers(feature):
            _announce(capabilities, feature.capability.split("."), feature.options)
    if settings.wants_workspace_diagnostics(handshake.params.get("initializationOptions")):
        _announce(capabilities, ["diagnosticProvider"], {"workspaceDiagnostics": True})
    if not handshake.client.prepare_rename and "renameProvider" in capabilities:
        # Options are sent only to clients that support `prepareRename`.
        capabilities["renameProvider"] = True
    return capabilities


def _announce(capabilities: dict[str, Any], path: list[str], options: Mapping[str, Any]) -> None:
    """Put a feature's options under their path, beside those of the features that share it."""
    *outer, last = path
    for step in outer:
        capabilities = capabilities.setdefault(step, {})
    known = capabilities.get(last)
    if not isinstance(known, Mapping):
        capabilities[last] = dict(options) if options else True
    else:
        capabilities[last] = {**known, **options}


def registrations(features: Iterable[Feature[Any]], handshake: Handshake) -> list[dict[str, Any]]:
    """Return what the client is asked to register once it is initialized."""
    found: list[dict[str, Any]] = []
    if handshake.can("workspace.didChangeWatchedFiles.dynamicRegistration"):
        options: dict[str, Any] = {"watchers": [{"globPattern": pattern} for pattern in _WATCHED]}
        found.append(_registration("workspace/didChangeWatchedFiles", options, "callwright-files"))
    if handshake.can("workspace.didChangeConfiguration.dynamicRegistration"):
        options = {"section": settings.SECTION}
        found.append(_registration("workspace/didChangeConfiguration", options, "callwright-settings"))
    for feature in features:
        if handshake.registers(feature):
            languages = [{"language": name} for name in feature.languages]
            options = {**feature.options, "documentSelector": languages}
            found.append(_registration(feature.method, options, feature.method))
    return found


def _registration(method: str, options: Mapping[str, Any], identity: str) -> dict[str, Any]:
    return {"id": identity, "method": method, "registerOptions": options}
