"""Command line: one command a file, each importing only what it uses."""
