"""Corpora: the rows of many files judged by an engine that divides the work among processes or machines.

A source is a file, a folder or a pattern; its files are shards, a shard is divided into units, and each unit is read,
judged and written down by itself (`units`, `work`). Which unit is done where, and when, is for the engine (`engine`);
what came of all of them is put together in the order of the rows (`finish`).

Checking one row takes no engine: it uses the fast path, then the suspect turns, and where neither suffices the linter
(`rows`, `suspect_turns`).
"""
