"""Declarations: the tools that a text documents, in whatever style its author writes them."""
