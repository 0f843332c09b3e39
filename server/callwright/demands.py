"""Demands of providers: how bad it is where one is not met, and where the provider says so.

Owns: `Demand`. Must not know: what is demanded, of which things.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Demand:
    """How bad it is where a demand is not met, and where the provider (or whoever met its refusal) says so."""

    severity: Severity
    source: str


def error(source: str) -> Demand:
    """Return the demand of a provider that refuses what does not meet it."""
    return Demand("error", source)


def warning(source: str) -> Demand:
    """Return the demand of a provider that may refuse what does not meet it."""
    return Demand("warning", source)


def info(source: str) -> Demand:
    """Return the demand of a provider with which it works worse where it is not met."""
    return Demand("info", source)
