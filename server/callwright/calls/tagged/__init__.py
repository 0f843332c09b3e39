"""Calls with a pair of markers around each parameter: grammars as data, and one reading and writing for all of them."""
