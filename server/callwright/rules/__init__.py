"""Rules: one kind of finding a file, with its documentation, examples and fix; rules do not import each other."""
