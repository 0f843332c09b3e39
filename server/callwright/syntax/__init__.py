"""Syntax: tolerant parsers for XML fragments, JSON and the prose around them. Knows nothing of tools or of dialects."""
