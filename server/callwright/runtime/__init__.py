"""Runtime: what an agent imports. Never imports pygls or lsprotocol."""
