"""The formats of tool files, one module each."""
