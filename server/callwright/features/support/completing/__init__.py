"""What completion offers at a place in a call, by what is completed there; `drafts.py` selects which module is used."""
