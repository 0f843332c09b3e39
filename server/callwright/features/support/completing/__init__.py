"""What completion offers at a place in a call, by what is completed there; `drafts.py` says which is asked where."""
