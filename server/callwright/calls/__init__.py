"""Calls: the dialect-neutral tree of a tool call. Knows how a value was written, not what a tool expects of it."""
