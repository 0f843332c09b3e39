"""Calls with a pair of markers around each parameter: grammars as data, and one parser and renderer for all of them."""
