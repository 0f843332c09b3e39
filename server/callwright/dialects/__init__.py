"""Dialects: one file for each dialect of a call; they do not import each other, nor the registry."""
