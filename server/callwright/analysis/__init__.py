"""Analysis: passages become calls, calls meet tools, and a snapshot keeps it all in step with edits."""
