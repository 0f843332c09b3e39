"""Python sources that define tools, read without being run: names, literals, annotations, docstrings."""
