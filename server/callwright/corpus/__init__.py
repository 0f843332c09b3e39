"""Corpora: an engine checks the rows of many files, divided among processes or machines.

A source is a file, a folder or a pattern; its files are shards, a shard is divided into units, and each unit is read,
checked and written by itself (`units`, `work`). The engine decides where and when a unit is done (`engine`); the
results of all units are merged in the order of the rows (`finish`).

Checking one row takes no engine: it uses the fast path, then the suspect turns, and where neither suffices the linter
(`rows`, `suspect_turns`).
"""
