"""Dialects: one file for each notation of a call; they do not import each other, nor the registry."""
