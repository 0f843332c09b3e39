"""URIs: which file a document is, if it is one.

Owns: the conversion between `file:` URIs and paths. Must not know: whether a file exists, documents.
"""

import os
from pathlib import Path, PureWindowsPath
from urllib.parse import quote, unquote, urlsplit


def to_path(uri: str) -> str | None:
    """Return the path of a `file:` URI, None for every other document (one never saved, one inside an archive)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file":
        return None
    path = unquote(parts.path)
    if "\0" in path or not path.startswith("/"):
        return None
    if os.name == "nt":
        if parts.netloc and parts.netloc.lower() != "localhost":
            path = f"//{parts.netloc}{path}"
        elif len(path) > 2 and path[2] == ":":
            path = path[1].lower() + path[2:]
        return str(PureWindowsPath(path))
    return os.path.normpath(path)


def from_path(path: str) -> str:
    """Return the `file:` URI of an absolute path, escaped as editors do it."""
    text = Path(path).as_posix()
    if os.name == "nt" and text[1:2] == ":":
        text = f"/{text[0].lower()}{text[1:]}"
    return "file://" + quote(text, safe="/-._~")
