"""The languages that tool files are written in, one file each."""
