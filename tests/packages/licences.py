"""Which licences may be in what is shipped, and what a package says of its own.

Owns: the list of licences. Must not know: which packages are meant.
"""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import PackageNotFoundError, files, metadata
from typing import cast

#: SPDX names of licences under which all may be passed on, changed or not, by anyone. The Mozilla licence asks for the
#: source of its own files alone, which the registry has.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "CC-BY-3.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "PSF-2.0",
    "Python-2.0",
    "Unlicense",
    "WTFPL",
}
#: How a licence without an SPDX expression is described. "BSD" without a number is the one of three clauses or weaker.
_CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}
#: Other words for a licence in packages' metadata.
_SPELLINGS = {"3-Clause BSD License": "BSD-3-Clause", "Apache 2.0": "Apache-2.0"}
#: How the text of a licence begins.
_BEGINNINGS = {"Apache License Version 2.0, January 2004": "Apache-2.0"}
#: Packages for another system or interpreter, with what their pages say.
ELSEWHERE = {"colorama": "BSD-3-Clause", "httpx2-jsfetch": "BSD-3-Clause", "pywin32": "PSF-2.0"}
_TEXT = re.compile(r"(?:licen[cs]es?|copying|notice)", re.IGNORECASE)
_WORD = re.compile(r"[\w.+-]+")
_EXPRESSION = re.compile(r"\(?[\w.+-]+\)?(?: (?:AND|OR) \(?[\w.+-]+\)?)*")


def expression(metadata: object) -> str:
    """Return what an installed package says of its licence, as an SPDX expression; "" where it says nothing."""
    # What `importlib.metadata` gives is such a message; its protocol does not say so.
    fields = cast("Message[str, str]", metadata)
    stated = fields.get("License-Expression")
    if stated:
        return stated
    known = [_CLASSIFIERS.get(each, each) for each in fields.get_all("Classifier") or [] if "License ::" in each]
    stated_text = fields.get("License") or ""
    return " AND ".join(known) or _SPELLINGS.get(stated_text, stated_text)


def texts(name: str) -> list[str]:
    """Return the texts of licences that an installed package carries."""
    inside = [file for file in files(name) or [] if ".dist-info" in str(file) and _TEXT.match(file.name)]
    return [file.read_text(encoding="utf-8") for file in inside]


def stated_licence(name: str) -> str:
    """Return the licence of a package that is installed or listed above; "" where none is stated.

    Raises PackageNotFoundError where it is neither.
    """
    try:
        return expression(metadata(name)) or " AND ".join(filter(None, map(licence_of, texts(name))))
    except PackageNotFoundError:
        if name not in ELSEWHERE:
            raise
        return ELSEWHERE[name]


def licence_of(text: str) -> str:
    """Return which licence a text is, judged by its first words; "" for any other."""
    words = " ".join(text[:400].split())
    return next((name for beginning, name in _BEGINNINGS.items() if words.startswith(beginning)), "")


def is_allowed(stated: str) -> bool:
    """Say whether what is stated leaves at least one way that is allowed: each of `AND`, one of `OR`."""
    if not stated:
        return False
    # Brackets are around alternatives alone, in what registries hold.
    parts = re.split(r" AND (?![^()]*\))", stated)
    return all(any(name in ALLOWED for name in _names(part)) for part in parts)


def _names(part: str) -> list[str]:
    return [part] if not _EXPRESSION.fullmatch(part) else [each for each in _WORD.findall(part) if each != "OR"]
