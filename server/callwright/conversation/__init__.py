"""Conversations: turns, calls and results across the blocks of a document."""
