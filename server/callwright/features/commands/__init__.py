"""Commands that a client can run by name, one file each; `support/commanding.py` defines what one is."""
