"""Callwright: reads, checks, mends and converts tool calls that are written in text."""

__version__ = "0.1.0"
