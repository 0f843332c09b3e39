"""The report: documents with their turns, calls, verdicts and findings, as a page that a browser or an editor shows."""
