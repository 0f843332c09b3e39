"""Commands that a client can have done by their names, one file each; `support/commanding.py` says what one is."""
