"""The report: documents with their turns, calls, outcomes and diagnostics, as a page that a browser or an editor
shows."""
