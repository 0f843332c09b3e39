"""Rules: one kind of finding a file, with its documentation, its examples and its fix; rules do not import each other."""
