"""Output formats of `check`: one file, one format."""
