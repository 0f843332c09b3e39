"""Corpora: the rows of many files judged by an engine that divides the work among processes or machines.

A source is a file, a folder or a pattern; its files are shards, a shard is divided into units, and each unit is read,
judged and written down by itself (`units`, `work`). Which unit is done where, and when, is for the engine (`engine`);
what came of all of them is put together in the order of the rows (`finish`).

What is to be said of one row takes no engine: through the fast path, through the turns that are suspect, and where
neither will do through the linter (`rows`, `doubts`).
"""
