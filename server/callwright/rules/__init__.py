"""Rules: one kind of diagnostic per file, with its documentation, examples and fix; rules do not import each other."""
