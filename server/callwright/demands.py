"""Demands of providers: how severe it is if one is not met, and where the provider documents it.

Owns: `Demand`. Must not know: what is demanded, and of what.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]


class Demand(NamedTuple):
    """How severe it is if a demand is not met, and where the provider (or a user whom it rejected) documents it."""

    severity: Severity
    source: str


def error(source: str) -> Demand:
    """Return the demand of a provider that rejects what does not meet it."""
    return Demand("error", source)


def warning(source: str) -> Demand:
    """Return the demand of a provider that may reject what does not meet it."""
    return Demand("warning", source)


def info(source: str) -> Demand:
    """Return the demand of a provider that works worse if it is not met."""
    return Demand("info", source)
