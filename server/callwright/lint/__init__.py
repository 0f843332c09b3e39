"""Checking snapshots: passes over blocks, conversations, texts and files, by kind of document."""
