"""A document: its text, its blocks, and the calls that were read in them."""
